#include "reference_model/model.h"

#include <gtest/gtest.h>

#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::aiv_only;
constexpr KernelType mix12 = KernelType::mix_aic_1_2;

/// The outcome that a perfect platform shows when there is one only.
Outcome outcome_of(const Allowed& allowed) {
  Outcome outcome;
  for (const WordAllowed& word : allowed.memory) outcome.memory.push_back(word.value);
  for (const ExpectedQuery& query : allowed.queries) outcome.queries.push_back(query.record);
  return outcome;
}

Build healthy() {
  Build build;
  const int a = build.region("A", 64, 1, 1);
  const int b = build.region("B", 64);
  const int c = build.region("C", 64);
  build.kernel(vectors, 8, copy_compute_copy(b, a, per_core(8), 10));
  build.kernel(vectors, 4, copy_compute_copy(c, b, per_core(8), 100));
  return build;
}

TEST(Polls, AnUncachedStoreMayBeUnderWayWhenACachedPollFetchesItsLine) {
  const auto polled = [](bool waits) {
    Build build;
    const int f = build.region("F", 16);
    std::vector<Instruction> program = {write_bypass(gm(f), constant(1))};
    if (waits) program.push_back(dsb());
    program.push_back(poll(tensor(0), 1, PollVia::get_value));
    const int k = build.kernel(KernelType::mix_aiv_1_0, 1, program);
    build.tensor_of(k, f);
    return analyse(build.test_case).allowed;
  };
  EXPECT_TRUE(polled(false).completed && polled(false).stalled);
  EXPECT_TRUE(polled(true).completed && !polled(true).stalled);
}

TEST(Polls, AStoreUnderWayLeavesTheFirstValueForAWhile) {
  Build build;
  const int f = build.region("F", 16, 1);
  build.kernel(KernelType::mix_aiv_1_0, 1, {write_bypass(gm(f), constant(0)), poll(gm(f), 1)});
  const Allowed open = analyse(build.test_case).allowed;
  EXPECT_TRUE(open.completed && open.stalled);
}

TEST(Model, HealthyMixHasOneMemoryAndItIsTheOneAlone) {
  const Build build = healthy();
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes);
  EXPECT_FALSE(analysis.rule.has_value());
  EXPECT_TRUE(analysis.exact);
  EXPECT_TRUE(analysis.portable);
  const GmLayout layout = layout_of(build.test_case.mix);
  ASSERT_EQ(analysis.allowed.memory.size(), static_cast<std::size_t>(layout.words));
  const auto word = [&](int region, int at) {
    return analysis.allowed
        .memory[static_cast<std::size_t>(layout.base[static_cast<std::size_t>(region)] + at)];
  };
  EXPECT_EQ(word(1, 5), (WordAllowed{WordKind::exact, 16, -1}));
  EXPECT_EQ(word(2, 31), (WordAllowed{WordKind::exact, 142, -1}));
  EXPECT_EQ(word(2, 32), (WordAllowed{WordKind::exact, 0, -1}));
  for (std::size_t w = 0; w < analysis.alone_memory.size(); ++w) {
    EXPECT_EQ(analysis.alone_memory[w], analysis.allowed.memory[w].value);
  }
}

TEST(Model, FastPathSaysTheSame) {
  Model model;
  for (const char* options : {"", "early-start=0", "feed-sync-all=1", "debug-sync-all=1"}) {
    Build build = healthy();
    build.test_case.mix.options = options;
    EXPECT_EQ(model.allowed(build.test_case), model.analyse(build.test_case).allowed);
  }
}

TEST(Model, AlienValuesAreRefused) {
  const Build build = healthy();
  const Allowed allowed = Model().allowed(build.test_case);
  Outcome outcome = outcome_of(allowed);
  EXPECT_TRUE(contains(allowed, build.test_case.mix, outcome));
  for (const std::size_t word : {std::size_t{0}, std::size_t{70}, outcome.memory.size() - 1}) {
    Outcome wrong = outcome;
    wrong.memory[word] += 1;
    const Containment result = contains(allowed, build.test_case.mix, wrong);
    EXPECT_EQ(result.misfit, Misfit::memory);
    EXPECT_EQ(result.words, std::vector<std::int64_t>{static_cast<std::int64_t>(word)});
  }
  Outcome stalled = outcome;
  stalled.status = OutcomeStatus::stalled;
  EXPECT_EQ(contains(allowed, build.test_case.mix, stalled).misfit, Misfit::status);
}

TEST(Model, RacingWordsHaveTheirWritersValuesOnly) {
  Build build;
  const int a = build.region("A", 16, 3);
  build.kernel(vectors, 2,
               {duplicate(ub(0), Value{.expr = Expr{.base = 50, .core = 1}}), barrier(),
                data_copy(gm(a), ub(0)), barrier()});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::nondeterministic_data);
  EXPECT_EQ(analysis.rule, RuleId::sync_11);
  ASSERT_FALSE(analysis.races.empty());
  Outcome outcome = outcome_of(analysis.allowed);
  const auto allows = [&](std::uint32_t value) {
    for (std::size_t w = 0; w < 8; ++w) outcome.memory[w] = value;
    return static_cast<bool>(contains(analysis.allowed, build.test_case.mix, outcome));
  };
  EXPECT_TRUE(allows(50));
  EXPECT_TRUE(allows(51));
  EXPECT_FALSE(allows(52));
  // The words beside them are exact.
  allows(50);
  outcome.memory[8] = 50;
  EXPECT_EQ(contains(analysis.allowed, build.test_case.mix, outcome).misfit, Misfit::memory);
}

TEST(Model, StalledOutcomeIsJudgedByItsCoresAndItsMemory) {
  Build build;
  const int a = build.region("A", 32);
  build.kernel(mix12, 1, Program{wait(3)} + fill_out(a, per_core(8), 4),
               {compute(Pipe::m, {}, {{local(Space::l0c), 8}}, 1), barrier(),
                fixpipe(gm(a, word(24)), local(Space::l0c)), barrier()});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::stalls);
  EXPECT_TRUE(analysis.allowed.exact_stall);
  EXPECT_FALSE(analysis.allowed.completed);
  ASSERT_EQ(analysis.allowed.stuck.size(), 2u);
  EXPECT_TRUE(analysis.allowed.stuck_complete);
  EXPECT_EQ(analysis.allowed.stuck[0].waiting.kind, WaitKind::cross_core_flag);
  EXPECT_EQ(analysis.allowed.stuck[0].waiting.id, 3);
  ASSERT_EQ(analysis.allowed.memory_stalled.size(), 32u);
  EXPECT_EQ(analysis.allowed.memory_stalled[0].kind, WordKind::unjudged);
  EXPECT_EQ(analysis.allowed.memory_stalled[24].kind, WordKind::exact);
}

TEST(Model, FullCoreStallNamesTheCoresWithSurplusCalls) {
  Build build;
  build.kernel(vectors, 2, {sync_all()});
  build.kernel(vectors, 4, {});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::stalls);
  ASSERT_EQ(analysis.allowed.stuck.size(), 2u);
  for (const StuckCore& stuck : analysis.allowed.stuck) EXPECT_TRUE(stuck.at_or_after);
  EXPECT_FALSE(analysis.allowed.stuck_complete);
  EXPECT_TRUE(analysis.allowed.memory_stalled.empty());
}

TEST(Model, QueriesAnswerAsTheLaunchDefinesThem) {
  Build build;
  build.kernel(KernelType::mix_aic_1_1, 2,
               {query(Op::get_block_num), query(Op::get_block_idx), query(Op::get_task_ratio)});
  build.kernel(mix12, 3, {});
  const Allowed allowed = Model().allowed(build.test_case);
  ASSERT_EQ(allowed.queries.size(), 12u);          // four AIVs of two blocks
  EXPECT_EQ(allowed.queries[9].record.value, 2);   // AIV 3: GetBlockNum is its own number
  EXPECT_EQ(allowed.queries[10].record.value, 3);  // GetBlockIdx counts in the launch
  EXPECT_TRUE(allowed.queries[10].judged);
  EXPECT_FALSE(allowed.queries[11].judged);  // L-31
  const Allowed pinned = Model().allowed(build.test_case, {latitude_pin(31, "own-ratio")});
  EXPECT_TRUE(pinned.queries[11].judged);
  EXPECT_EQ(pinned.queries[11].record.value, 1);
}

TEST(Model, ADrainedBorderMayOrderMoreThanIsSaid) {
  Build build;
  const int x = build.region("X", 8);
  const int y = build.region("Y", 8);
  // The store of the tail may overtake the load before it, unless what drains the border holds it.
  build.kernel(vectors, 1, {data_copy(ub(0), gm(x)), set_next(), data_copy(gm(x), ub(8)),
                            data_copy(gm(y), ub(0))});
  build.kernel(vectors, 1, {});
  const auto follows_pin = [&](LatitudePin pin) {
    return !analyse(build.test_case, {pin}).data_open.has(Inexact::pinned);
  };
  EXPECT_TRUE(follows_pin(latitude_pin(14, "not-drained")));
  EXPECT_FALSE(follows_pin(latitude_pin(14, "drained")));
}

TEST(Model, CountsAreTheFewestThatTheContractGuarantees) {
  Build build("feed-sync-all=1:debug-sync-all=1:debug-dcci-all=1");
  build.kernel(vectors, 2, {sync_all()});
  build.kernel(vectors, 4, {});
  const Allowed allowed = Model().allowed(build.test_case);
  ASSERT_EQ(allowed.counts.size(), 1u);
  EXPECT_EQ(allowed.counts[0].blocks, 4);
  EXPECT_EQ(allowed.counts[0].type, KernelType::mix_aiv_1_0);
  const InsertedCounts& first = allowed.counts[0].inserted[0];
  EXPECT_EQ(first.feed_joins, 2);
  EXPECT_EQ(first.refresh_debug, 2);
  EXPECT_EQ(first.barrier_debug, 4);
  EXPECT_EQ(allowed.counts[0].inserted[1].barrier_before, 4);
}

TEST(Model, RefusedOptionsAndShapes) {
  Build build("no-such-option=1");
  build.kernel(vectors, 2, {});
  Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::refused);
  EXPECT_EQ(analysis.rule, RuleId::fuse_3);
  build.test_case.mix.options = "debug-aiv-num=1";
  EXPECT_EQ(analyse(build.test_case).rule, RuleId::core_6);
  build.test_case.mix.options = "";
  build.sub(0).blocks = 49;
  analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::refused);
  EXPECT_EQ(analysis.rule, RuleId::core_8);
  EXPECT_TRUE(analysis.allowed.refused);
  EXPECT_FALSE(analysis.allowed.completed);
}

TEST(Model, PlanOfSeveralLaunchesHandsMemoryOn) {
  Build build = healthy();
  PlanStep fused;
  fused.sub_kernels = {0, 1};
  PlanStep write;
  write.kind = skcts::StepKind::host_write;
  write.region = 0;
  write.at = 1;
  write.values = {1000};
  PlanStep alone;
  alone.kind = skcts::StepKind::alone;
  alone.sub_kernels = {0};
  build.test_case.plan.steps = {fused, write, alone};
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes);
  EXPECT_EQ(analysis.launches.size(), 2u);
  EXPECT_EQ(analysis.allowed.memory[64 + 1].value, 1010u);
  EXPECT_EQ(analysis.allowed.memory[128 + 1].value, 112u);  // of the first launch
  EXPECT_EQ(analysis.allowed.counts[1].fused, false);
}

TEST(Model, PinsNarrowTheSet) {
  Build build;
  build.kernel(mix12, 1, {repeat(16, {wait(3)})}, {repeat(16, {raise(2, Pipe::fix, 3)})});
  Model model;
  const Allowed free = model.allowed(build.test_case);
  EXPECT_TRUE(free.completed && free.stalled && free.error);
  const Allowed hangs = model.allowed(build.test_case, {latitude_pin(9, "hang")});
  EXPECT_TRUE(hangs.completed && hangs.stalled);
  EXPECT_FALSE(hangs.error);
  build.test_case.latitudes = {"L-9=error"};
  const Allowed fails = model.allowed(build.test_case);
  EXPECT_TRUE(fails.error);
  EXPECT_FALSE(fails.stalled);
}

TEST(Model, DrainedBoundariesForgiveWorkLeftBehind) {
  Build build;
  const int a = build.region("A", 32, 1, 1);
  const int y = build.region("Y", 32);
  build.kernel(vectors, 2, {data_copy(ub(512), gm(a, per_core(8)))});
  build.kernel(vectors, 2, fill_out(y, per_core(8), 3));
  EXPECT_EQ(analyse(build.test_case).rule, RuleId::pipe_5);
  EXPECT_EQ(analyse(build.test_case).latitudes, std::vector<LatitudeId>{14});
  const Analysis drained = analyse(build.test_case, {latitude_pin(14, "drained")});
  EXPECT_EQ(drained.behaviour, Behaviour::completes);
  EXPECT_FALSE(drained.rule.has_value());
}

TEST(Model, DisabledAndListedAtOnceLeansOnItsLatitude) {
  Build build("dcci-disable-on-kernel=k0:dcci-after-kernel-end=k0");
  const int x = build.region("X", 32, 3);
  build.kernel(vectors, 2, {raw_store(gm(x, per_core(16)), constant(9))});
  build.kernel(vectors, 2, {});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.rule, RuleId::cache_11);
  EXPECT_EQ(analysis.latitudes, std::vector<LatitudeId>{39});
  EXPECT_FALSE(analyse(build.test_case, {latitude_pin(39, "lists-win")}).rule.has_value());
}

TEST(Model, WrongDataNeedsAStandAloneMemory) {
  // The sub kernel reads its share by core: alone 1:1, fused 1:2.
  Build build;
  const int y = build.region("Y", 64);
  build.kernel(KernelType::mix_aic_1_1, 2, fill_out(y, per_core(8), 5));
  build.kernel(mix12, 2, {});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::wrong_data);
  EXPECT_FALSE(analysis.alone_memory.empty());
  EXPECT_NE(analysis.alone_memory[16], analysis.allowed.memory[16].value);
}

TEST(Model, TilingOffloadRefreshesAroundTheSubKernel) {
  Build build;
  const int x = build.region("X", 16, 3);
  const int y = build.region("Y", 16);
  build.kernel(vectors, 2, {where(IndexName::core, 0, 0, raw_store(gm(x), constant(9)))});
  build.kernel(vectors, 2,
               {where(IndexName::core, 1, 1, raw_load(gm(x), 1)),
                where(IndexName::core, 1, 1, duplicate(ub(0), in_register(1))), barrier(),
                where(IndexName::core, 1, 1, data_copy(gm(y), ub(0))), barrier()});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::nondeterministic_data);
  build.sub(0).tiling = Tiling::offload;
  build.sub(1).tiling = Tiling::offload;
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
  EXPECT_EQ(analysis.allowed.memory[16].value, 9u);
}

TEST(Model, LegalityIsExplained) {
  Model model;
  std::string why;
  EXPECT_TRUE(model.is_legal(healthy().test_case, &why));
  Build build;
  build.kernel(KernelType::aiv_only, 2, {raise(0, Pipe::mte3, 3), wait(3)});
  EXPECT_FALSE(model.is_legal(build.test_case, &why));
  EXPECT_NE(why.find("SYNC-13"), std::string::npos) << why;
}

}  // namespace
}  // namespace skcts::model
