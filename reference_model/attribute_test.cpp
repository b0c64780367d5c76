// Every weakening is found again from what it shows, among all weakenings of the mix.
#include "reference_model/attribute.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "reference_model/relaxation.h"
#include "reference_model/testing.h"
#include "spec/validate.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::aiv_only;
constexpr KernelType cubes = KernelType::aic_only;
constexpr KernelType mix11 = KernelType::mix_aic_1_1;
constexpr KernelType mix12 = KernelType::mix_aic_1_2;

/// All cores of the first sub kernel at its first SyncAll, if it has one.
std::vector<Waiting> at_sync_all(const Mix& mix) {
  std::vector<Waiting> all;
  const SubKernel& first = mix.sub_kernels.front();
  for (std::size_t i = 0; i < first.aiv.size(); ++i) {
    if (first.aiv[i].op != Op::sync_all) continue;
    for (int core = 0; core < first.blocks; ++core) {
      all.push_back({.core = {CoreKind::aiv, core},
                     .sub_kernel = 0,
                     .instruction = static_cast<std::int32_t>(i),
                     .kind = WaitKind::full_core});
    }
    break;
  }
  return all;
}

/// An outcome of the weakened set that the normal one does not have, as far as there is one: words
/// with several values take a wrong one.
Outcome shown_by(const Mix& mix, const Allowed& weak, const Allowed& normal) {
  Outcome outcome;
  outcome.counts = weak.counts;
  if (!weak.completed || (weak.stalled && !normal.stalled)) {
    outcome.status = weak.refused && !weak.completed && !weak.stalled ? OutcomeStatus::refused
                     : weak.stalled                                   ? OutcomeStatus::stalled
                                                                      : OutcomeStatus::error;
    for (const StuckCore& core : weak.stuck) outcome.waiting.push_back(core.waiting);
    if (weak.stuck.empty()) outcome.waiting = at_sync_all(mix);
    for (const WordAllowed& word : weak.memory_stalled) outcome.memory.push_back(word.value);
    return outcome;
  }
  for (std::size_t i = 0; i < weak.memory.size(); ++i) {
    const WordAllowed& word = weak.memory[i];
    std::uint32_t value = word.value;
    if (word.kind == WordKind::one_of) {
      const auto& set = weak.sets[static_cast<std::size_t>(word.set)];
      value = *std::ranges::find_if(set, [&](std::uint32_t v) {
        return i >= normal.memory.size() || v != normal.memory[i].value;
      });
    }
    outcome.memory.push_back(word.kind == WordKind::unjudged ? 999 : value);
  }
  for (const ExpectedQuery& query : weak.queries) outcome.queries.push_back(query.record);
  return outcome;
}

struct Row {
  RuleId rule;
  std::string relaxation;  ///< The weakening that is shown.
  std::function<Build()> make;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.relaxation;
}

/// k0 writes A per core, k1 reads its neighbour's words and writes B.
Build exchange(std::string options = {}, int first = 4, int second = 4) {
  Build build(std::move(options));
  const int a = build.region("A", 64, 100, 3);
  const int b = build.region("B", 64, 7);
  build.kernel(vectors, first, copy_compute_copy(a, a, per_core(8), 5));
  build.kernel(vectors, second, copy_compute_copy(b, a, per_core(8, 0, 1), 3));
  return build;
}

/// k0 stores through a GlobalTensor, k1 loads on other cores.
Build scalars(std::string options = {}, Tiling tiling = Tiling::fixed) {
  Build build(std::move(options));
  const int a = build.region("A", 64);
  const int b = build.region("B", 64);
  build.kernel(vectors, 4, {});
  const int stored = build.tensor_of(0, a);
  build.sub(0).aiv = {set_value(tensor(stored, per_core(16)), constant(9))};
  build.kernel(vectors, 4, {});
  const int loaded = build.tensor_of(1, a);
  build.sub(1).aiv = {get_value(tensor(loaded, per_core(16, 0, 1)), 0),
                      write_bypass(gm(b, per_core(16)), in_register(0)), dsb()};
  build.sub(0).tiling = build.sub(1).tiling = tiling;
  return build;
}

/// The cube of a block hands words to its vector cores.
Build cube_to_vector(KernelType type, int blocks, int widest = 0) {
  Build build;
  const int a = build.region("A", 128);
  const int b = build.region("B", 128);
  const Expr share{.block = 16};
  Program aic = {compute(Pipe::m, {}, {{local(Space::l0c), 8}}, 3), set_flag(Pipe::m, Pipe::fix),
                 wait_flag(Pipe::m, Pipe::fix), fixpipe(gm(a, share), local(Space::l0c)),
                 raise(2, Pipe::fix, 3)};
  Program aiv = {wait(3)};
  for (const Instruction& in : copy_compute_copy(b, a, share)) {
    aiv.push_back(where(IndexName::sub, 0, 0, in));
  }
  build.kernel(type, blocks, aiv, aic);
  if (widest > 0) build.kernel(mix12, widest, {}, {});
  return build;
}

Build full_sync(std::string options, int blocks, int widest) {
  Build build(std::move(options));
  const int a = build.region("A", 64);
  const int b = build.region("B", 64);
  build.kernel(vectors, blocks,
               fill_out(a, per_core(8), 4) + Program{sync_all()} +
                   copy_compute_copy(b, a, per_core(8, 0, 1)) + Program{sync_all()});
  build.kernel(vectors, widest, {});
  return build;
}

Build with_alone(Build build) {
  PlanStep step{.kind = skcts::StepKind::alone};
  for (std::size_t k = 0; k < build.test_case.mix.sub_kernels.size(); ++k) {
    step.sub_kernels.push_back(static_cast<std::int32_t>(k));
  }
  build.test_case.plan.steps = {step};
  return build;
}

/// exchange() on two streams, ordered by an event alone.
Build over_an_event() {
  Build build = exchange("stream-fusion=1");
  build.sub(0).send = {"e"};
  build.sub(1).recv = {"e"};
  build.sub(1).stream = 1;
  return build;
}

std::vector<Row> launch_rows() {
  return {
      {RuleId::core_1, "launch-1", [] { return exchange(); }},
      {RuleId::core_1, "launch/MIX_AIC_1_1", [] { return exchange(); }},
      {RuleId::core_2, "guard/k0/aiv-1", [] { return exchange(); }},
      {RuleId::core_2, "guard/k0/aiv+1", [] { return exchange({}, 2, 4); }},
      {RuleId::core_2, "core-0-left-out/k1/AIV", [] { return exchange(); }},
      {RuleId::core_3, "block-num/k0",
       [] {
         Build build = exchange({}, 2, 4);
         build.sub(0).aiv.insert(build.sub(0).aiv.begin(), query(Op::get_block_num));
         return build;
       }},
      {RuleId::core_4, "sync-incomplete/k0", [] { return full_sync({}, 4, 4); }},
      {RuleId::core_4, "sync-at-once/k0", [] { return full_sync({}, 4, 4); }},
      {RuleId::core_6, "numbers-ignored", [] { return exchange("debug-aiv-num=6"); }},
      {RuleId::core_7, "launch/MIX_AIC_1_1",
       [] {
         Build build = cube_to_vector(mix12, 1);
         build.kernel(cubes, 4, {}, {});
         return build;
       }},
      {RuleId::core_8, "refusal-missing",
       [] {
         Build build;
         build.region("A", 8);
         build.kernel(vectors, 400, {});
         return build;
       }},
      {RuleId::ratio_1, "aiv1-left-out/k0",
       [] {
         Build build;
         build.kernel(mix11, 1, {raise(2, Pipe::mte3, 3)}, {wait(3)});
         build.kernel(mix12, 1, {}, {});
         return build;
       }},
      {RuleId::core_2, "guard-by-block/k0",
       [] {
         Build build = exchange({}, 2, 4);
         build.kernel(mix12, 3, {}, {});
         return build;
       }},
      {RuleId::fuse_1, "skipped/k0", [] { return exchange(); }},
      {RuleId::fuse_2, "marks-ignored",
       [] {
         Build build = exchange();
         build.sub(0).scope = {"a"};
         return build;
       }},
      {RuleId::fuse_1, "twice/k0", [] { return exchange(); }},
      {RuleId::fuse_3, "option-accepted", [] { return exchange("early-start=7"); }},
      {RuleId::fuse_3, "refused", [] { return exchange(); }},
  };
}

std::vector<Row> sync_rows() {
  return {
      {RuleId::sync_1, "feed-missing/k0", [] { return full_sync("feed-sync-all=1", 2, 4); }},
      {RuleId::sync_1, "feed-call-missing/k0", [] { return full_sync("feed-sync-all=1", 2, 4); }},
      {RuleId::sync_1, "feed-core-missing/k0/AIV",
       [] { return full_sync("feed-sync-all=1", 2, 4); }},
      {RuleId::sync_2, "sync-incomplete/k0", [] { return full_sync("feed-sync-all=1", 4, 4); }},
      {RuleId::sync_4, "raise-lost/k0/AIC3", [] { return cube_to_vector(mix12, 2); }},
      {RuleId::sync_4, "wait-at-once/k0/AIV3", [] { return cube_to_vector(mix12, 2); }},
      {RuleId::sync_4, "raise-early/k0/AIC3", [] { return cube_to_vector(mix12, 2); }},
      {RuleId::task_1, "edge/k0/k1/AIV>AIV", [] { return exchange(); }},
      {RuleId::task_1, "drain/k0/k1/AIV",
       [] {
         Build build = exchange();
         build.sub(0).aiv.pop_back();  // the boundary alone waits for the last copy
         return build;
       }},
      {RuleId::task_1, "boundary/k0/k1", [] { return exchange(); }},
      {RuleId::task_2, "edge/k0/k1/AIV>AIV",
       [] {
         Build build = exchange();
         build.sub(0).aiv.push_back(set_next());
         return build;
       }},
      {RuleId::task_2, "own-signal-lost/k0/AIV",
       [] {
         Build build = exchange();
         build.sub(0).aiv.push_back(set_next());
         return build;
       }},
      {RuleId::task_3, "own-wait-open/k1/AIV",
       [] {
         Build build = exchange();
         build.sub(1).aiv.insert(build.sub(1).aiv.begin(), wait_pre());
         return build;
       }},
      {RuleId::fuse_5, "event-open/k1", [] { return over_an_event(); }},
      {RuleId::fuse_5, "event-early/k0", [] { return over_an_event(); }},
      {RuleId::fuse_5, "event-lost/k0", [] { return over_an_event(); }},
      {RuleId::task_3, "edge/k0/k1/AIV>AIV",
       [] {
         Build build = exchange();
         build.sub(1).aiv.insert(build.sub(1).aiv.begin(), wait_pre());
         return build;
       }},
  };
}

std::vector<Row> cache_rows() {
  const auto keeps = [](Build build) {
    // Every core of k1 holds the line of its neighbour before k0's store reaches GM.
    return build;
  };
  return {
      {RuleId::cache_1, "SetValue/k0/t0", [=] { return keeps(scalars()); }},
      {RuleId::cache_1, "refresh-loses/k0", [=] { return keeps(scalars()); }},
      {RuleId::cache_2, "before/k2",
       [] {
         // k0 takes the lines into the caches of those who read them again in k2.
         Build build("dcci-before-kernel-start=k2");
         const int a = build.region("A", 64);
         const int b = build.region("B", 64);
         build.kernel(vectors, 4, {raw_load(gm(a, per_core(16)))});
         build.kernel(vectors, 4, fill_out(a, per_core(16, 0, 1), 6));
         build.kernel(vectors, 4,
                      {raw_load(gm(a, per_core(16)), 1),
                       write_bypass(gm(b, per_core(16)), in_register(1)), dsb()});
         return build;
       }},
      {RuleId::cache_3, "after/k0", [] { return scalars("dcci-after-kernel-end=k0"); }},
      {RuleId::cache_5, "after/k0", [] { return scalars({}, Tiling::offload); }},
      {RuleId::cache_6, "end-flush/k0", [] { return with_alone(scalars()); }},
      {RuleId::pipe_1, "destroy/k0",
       [] {
         Build build;
         const int a = build.region("A", 32);
         build.kernel(vectors, 1, {});
         build.names(0, {"first", "second"});
         build.sub(0).aiv = {named(Op::tpipe_init, 0),      duplicate(ub(0), constant(3)),
                             set_flag(Pipe::v, Pipe::mte3), wait_flag(Pipe::v, Pipe::mte3),
                             data_copy(gm(a), ub(0)),       named(Op::tpipe_end, 0),
                             named(Op::tpipe_init, 1),      duplicate(ub(0), constant(4)),
                             named(Op::tpipe_end, 1)};
         return with_alone(std::move(build));
       }},
      {RuleId::pipe_3, "event/k0/AIV/V_MTE3",
       [] {
         Build build;
         const int a = build.region("A", 32);
         build.kernel(vectors, 1,
                      fill_out(a, word(0), 3) +
                          Program{duplicate(ub(512), constant(5)), set_flag(Pipe::v, Pipe::mte3),
                                  wait_flag(Pipe::v, Pipe::mte3),
                                  data_copy(gm(a, word(8)), ub(512)), barrier()});
         return build;
       }},
      {RuleId::fuse_4, "residue",
       [] {
         Build build = cube_to_vector(mix12, 1);
         build.kernel(mix12, 1, {}, {raise(2, Pipe::fix, 3)});
         PlanStep first{.kind = skcts::StepKind::fused, .sub_kernels = {1}};
         PlanStep second{.kind = skcts::StepKind::fused, .sub_kernels = {0}};
         build.test_case.plan.steps = {first, second};
         build.test_case.latitudes = {"L-5=cleared"};
         return build;
       }},
      {RuleId::fuse_2, "ignored/debug-sync-all",
       [] {
         // The cubes of k0 leave work behind that only debug-sync-all drains.
         Build build("debug-sync-all=1");
         const int a = build.region("A", 32);
         const int b = build.region("B", 32);
         build.kernel(mix11, 1, {}, {data_copy(local(Space::l1), gm(a))});
         build.kernel(mix11, 1, fill_out(a, word(0), 9), {data_copy(gm(b), local(Space::l1))});
         return build;
       }},
  };
}

class Weakened : public ::testing::TestWithParam<Row> {};

TEST_P(Weakened, IsFoundAgain) {
  const Row& row = GetParam();
  const Build build = row.make();
  const Case& c = build.test_case;
  ASSERT_TRUE(validate(c).empty()) << to_string(validate(c).front());
  Model model;
  const std::vector<Relaxation> all = relaxations_of(c);
  const auto shown =
      std::ranges::find_if(all, [&](const Relaxation& one) { return one.name == row.relaxation; });
  std::string names;
  for (const Relaxation& one : all) names += one.name + " ";
  ASSERT_NE(shown, all.end()) << names;
  EXPECT_EQ(shown->rule, row.rule);
  const Allowed normal = model.allowed(c);
  const Outcome outcome = shown_by(c.mix, model.allowed(c, {}, *shown), normal);
  ASSERT_FALSE(contains(normal, c.mix, outcome)) << "the weakening shows nothing";
  EXPECT_TRUE(contains(model.allowed(c, {}, *shown), c.mix, outcome))
      << contains(model.allowed(c, {}, *shown), c.mix, outcome).text;
  const std::optional<Attribution> found = attribute(model, c, outcome);
  ASSERT_TRUE(found);
  EXPECT_EQ(to_string(found->rule), to_string(row.rule)) << found->relaxation;
  EXPECT_FALSE(found->relaxation.empty());
  EXPECT_NE(found->sentence.find(to_string(row.rule)), std::string::npos) << found->sentence;
  EXPECT_LE(found->runs, attribution_runs_max);
}

std::string test_name(const ::testing::TestParamInfo<Row>& info) {
  std::string name(to_string(info.param.rule));
  name += "_" + info.param.relaxation;
  for (char& c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '+')
      c = 'p';
    else if (c == '-')
      c = 'm';
    else if (std::isalnum(u) == 0)
      c = '_';
  }
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Launch, Weakened, ::testing::ValuesIn(launch_rows()), test_name);
INSTANTIATE_TEST_SUITE_P(Sync, Weakened, ::testing::ValuesIn(sync_rows()), test_name);
INSTANTIATE_TEST_SUITE_P(Cache, Weakened, ::testing::ValuesIn(cache_rows()), test_name);

TEST(Attribute, EveryRelaxableRuleIsInTheTable) {
  std::set<RuleId> shown;
  for (const auto& rows : {launch_rows(), sync_rows(), cache_rows()}) {
    for (const Row& row : rows) shown.insert(row.rule);
  }
  for (const RuleId rule : relaxable_rules()) EXPECT_TRUE(shown.count(rule)) << to_string(rule);
}

Outcome normal_outcome(Model& model, const Case& c) {
  const Allowed normal = model.allowed(c);
  return shown_by(c.mix, normal, normal);
}

TEST(Attribute, SaysNothingOfAnOutcomeInTheSet) {
  const Build build = exchange();
  Model model;
  EXPECT_EQ(attribute(model, build.test_case, normal_outcome(model, build.test_case)),
            std::nullopt);
}

TEST(Attribute, FallsBackToTransparencyAndNamesTheWriter) {
  const Build build = scalars();
  Model model;
  const Outcome right = normal_outcome(model, build.test_case);
  Outcome outcome = right;
  outcome.memory[16] = 12345;
  const auto found = attribute(model, build.test_case, outcome);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rule, RuleId::fuse_1);
  EXPECT_EQ(found->relaxation, "");
  EXPECT_NE(found->sentence.find("A[16] is 12345"), std::string::npos) << found->sentence;
  EXPECT_NE(found->sentence.find("k0 aiv:1 SetValue"), std::string::npos) << found->sentence;
  outcome = right;
  outcome.memory[17] = 1;
  EXPECT_NE(attribute(model, build.test_case, outcome)->sentence.find("nobody writes"),
            std::string::npos);
}

TEST(Attribute, TakesTheDeclaredCountsAtTheirWord) {
  const Build build = scalars();
  Model model;
  Outcome outcome = normal_outcome(model, build.test_case);
  ASSERT_GT(outcome.counts.at(0).inserted.at(0).refresh_per_access, 0);
  outcome.counts[0].inserted[0].refresh_per_access = 0;
  EXPECT_EQ(attribute(model, build.test_case, outcome)->rule, RuleId::cache_1);
  outcome = normal_outcome(model, build.test_case);
  outcome.counts[0].inserted[1].barrier_before = 0;
  EXPECT_EQ(attribute(model, build.test_case, outcome)->rule, RuleId::task_1);
  outcome = normal_outcome(model, build.test_case);
  outcome.counts[0].blocks = 17;
  EXPECT_EQ(attribute(model, build.test_case, outcome)->rule, RuleId::core_1);
}

TEST(Attribute, WhatComesAndGoesIsNoGuard) {
  // A skipped k0 and a boundary that orders nothing leave the same stale words.
  Build build;
  const int a = build.region("A", 16, 1, 1);
  build.kernel(vectors, 2, copy_compute_copy(a, a, per_core(8), 5));
  const Expr other = per_core(8, 0, 1);
  build.kernel(
      vectors, 2,
      {data_copy(ub(64), gm(a, other)), set_flag(Pipe::mte2, Pipe::v),
       wait_flag(Pipe::mte2, Pipe::v), adds(ub(2048), ub(64), 7), set_flag(Pipe::v, Pipe::mte3),
       wait_flag(Pipe::v, Pipe::mte3), data_copy(gm(a, other), ub(2048)), barrier()});
  Model model;
  const Case& c = build.test_case;
  const Outcome right = normal_outcome(model, c);
  Outcome wrong = right;
  for (std::uint32_t& w : wrong.memory) w -= 5;
  const std::vector<Outcome> both = {wrong, right, wrong, right};
  EXPECT_EQ(attribute(model, c, both)->rule, RuleId::task_1);
  const std::vector<Outcome> steady(8, wrong);
  EXPECT_EQ(attribute(model, c, steady)->relaxation, "skipped/k0");
}

TEST(Attribute, SentencesNameBothSubKernels) {
  const Build build = exchange();
  for (const Relaxation& one : relaxations_of(build.test_case)) {
    EXPECT_EQ(one.sentence.rfind("The target behaves as if ", 0), 0u) << one.sentence;
    if (one.name == "edge/k0/k1/AIV>AIV") {
      EXPECT_EQ(one.sentence,
                "The target behaves as if the boundary between k0 and k1 did not order AIV before "
                "AIV [TASK-1].");
    }
  }
}

}  // namespace
}  // namespace skcts::model
