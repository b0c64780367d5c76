// Every defect shows in a mix that exercises its rule, and nowhere else.
#include "harness/emulator/defects.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/defect_memory_testing.h"
#include "harness/emulator/defect_more_testing.h"
#include "harness/emulator/defect_testing.h"
#include "harness/emulator/testing.h"
#include "spec/case_text.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;
using enum KernelType;

constexpr auto vec = mix_aiv_1_0;

/// What a run shows to a judge, as text.
std::string shown(const Outcome& outcome) {
  std::string text(to_string(outcome.status));
  if (outcome.status == OutcomeStatus::completed) {
    for (const std::uint32_t word : outcome.memory) text += " " + std::to_string(word);
  }
  for (const Waiting& waiting : outcome.waiting) {
    text += " w" + to_string(waiting.core) + "/" + std::to_string(waiting.id);
  }
  for (const QueryRecord& query : outcome.queries) text += " q" + std::to_string(query.value);
  for (const LaunchCounts& launch : outcome.counts) {
    text += " " + std::string(to_string(launch.type)) + std::to_string(launch.blocks);
    for (const InsertedCounts& own : launch.inserted) {
      for (const std::int64_t count :
           {own.refresh_per_access, own.refresh_before, own.refresh_after, own.barrier_before,
            own.barrier_debug, own.feed_joins}) {
        text += "/" + std::to_string(count);
      }
    }
  }
  return text;
}

std::set<std::string> all_shown(const Case& test_case, const std::string& defect, int seeds) {
  Emulator emulator({defect, {}});
  std::set<std::string> result;
  run_all(emulator, test_case, seeds,
          [&](const Outcome& outcome, const std::string&) { result.insert(shown(outcome)); });
  return result;
}

Program core_only(int core, Program program) {
  for (Instruction& in : program) in = on_core(core, in);
  return program;
}
Instruction out_of_register(Operand dst) {
  Instruction in = make(Op::write_gm_bypass);
  in.dst = dst;
  in.value.reg = 0;
  return in;
}
Case with_tensor(Case test_case) {
  for (SubKernel& sub : test_case.mix.sub_kernels) sub.tensors = {{"t", 0, false, ""}};
  return test_case;
}

Case pair_of(KernelType first, int blocks, KernelType second, int wide, std::string options = "") {
  const auto side = [](KernelType type, int to, int from) {
    const Expr at = is_aiv_kind(type) ? by_core(8) : by_block(8);
    return move(gm(to, at), gm(from, at));
  };
  const Program cube_put =
      Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(1, by_block(8)))};
  const auto cube_get = [](int to, int from) {
    return Program{copy(in(Space::l1), gm(from, by_block(8)))} + handed(mte2, mte3) +
           Program{copy(gm(to, by_block(8)), in(Space::l1))};
  };
  return fused({region("A", 32, 1, 1), region("B", 32, 500, 1), region("C", 32, 900, 1)},
               {kernel("k0", first, blocks, side(first, 1, 0), cube_put),
                kernel("k1", second, wide, side(second, 2, 1), cube_get(2, 1))},
               std::move(options));
}

OutsideStep outside(OutsideKind kind, std::string event) {
  OutsideStep step;
  step.kind = kind;
  step.event = std::move(event);
  return step;
}
/// Both cores of k1 read in front of WaitPreTaskEnd what an actor writes before its event.
Case watched(bool with_event) {
  const Program reads = Program{copy(ub(0), gm(0)), make(Op::wait_pre_task_end)} +
                        handed(mte2, mte3) + Program{copy(gm(1, by_core(8)), ub(0))};
  Case result =
      fused({region("A", 8, 1), region("B", 16), region("C", 16)},
            {kernel("k0", vec, 2, put(gm(2, by_core(8)), 4)), kernel("k1", vec, 2, reads)});
  if (!with_event) return result;
  OutsideStep write = outside(OutsideKind::write, "");
  write.region = 0;
  write.values = {7, 7, 7, 7, 7, 7, 7, 7};
  result.mix.outside = {{"actor", {write, outside(OutsideKind::raise, "e")}, ""}};
  result.mix.sub_kernels[1].recv = {"e"};
  return result;
}
/// An actor copies what both cores of k0 wrote before the event of k0.
Case notified(bool with_event) {
  Case result = fused({region("A", 16), region("B", 16), region("C", 16)},
                      {kernel("k0", vec, 2, put(gm(0, by_core(8)), 4)),
                       kernel("k1", vec, 2, put(gm(2, by_core(8)), 5))});
  if (!with_event) return result;
  OutsideStep copies = outside(OutsideKind::copy, "");
  copies.region = 0;
  copies.to = 1;
  copies.count = 16;
  result.mix.outside = {{"actor", {outside(OutsideKind::wait, "e"), copies}, ""}};
  result.mix.sub_kernels[0].send = {"e"};
  return result;
}
Case two_streams(bool with_event) {
  Case result = pair_of(mix_aic_1_0, 2, vec, 2, "stream-fusion=1");
  result.mix.sub_kernels[1].stream = 1;
  if (with_event) {
    result.mix.sub_kernels[0].send = {"e"};
    result.mix.sub_kernels[1].recv = {"e"};
  } else {
    result.mix.sub_kernels[1].stream = 0;
  }
  return result;
}
Case offloaded(std::int32_t launch_blocks) {
  Case result = fused({region("A", 8)}, {kernel("k0", vec, 2, {make(Op::get_block_num)})});
  result.mix.sub_kernels[0].tiling = Tiling::offload;
  result.mix.sub_kernels[0].launch_blocks = launch_blocks;
  return result;
}
Case scoped(std::string second) {
  Case result = pair_of(vec, 2, vec, 2);
  result.mix.sub_kernels[0].scope = {"a"};
  result.mix.sub_kernels[1].scope = {std::move(second)};
  return result;
}
Case left_dirty(bool refreshed) {
  Program body = {store(gm(0), 7)};
  if (refreshed) body.push_back(refresh(gm(0)));
  Case result = fused({region("A", 16, 1)}, {kernel("k0", vec, 1, body)});
  result.profile = "tiny-950";
  result.latitudes = {"L-37=written-back"};
  return result;
}

void add_outside_examples(std::vector<Example>& list) {
  list.push_back({"event-holds-one-core", watched(true), watched(false)});
  list.push_back({"early-start-over-event", watched(true), watched(false)});
  list.push_back({"event-wait-dropped", watched(true), watched(false)});
  list.push_back({"notify-before-barrier", notified(true), notified(false)});
  list.push_back({"event-edge-missing", two_streams(true), two_streams(false)});
  list.push_back({"offload-block-num-of-launch", offloaded(4), offloaded(0)});
  list.push_back({"scope-cut-ignored", scoped("b"), scoped("a")});
  list.push_back({"dirty-lines-lost", left_dirty(false), left_dirty(true)});
}

std::vector<Example> examples() {
  std::vector<Example> list;
  add_outside_examples(list);
  add_edge_examples(list);
  add_launch_examples(list);
  add_feed_examples(list);
  add_cache_examples(list);
  add_flag_examples(list);
  add_early_examples(list);
  add_more_flag_examples(list);
  add_index_examples(list);
  add_more_cache_examples(list);
  add_boundary_examples(list);
  add_service_examples(list);
  add_captured_examples(list);
  list.push_back({"launch-one-block-narrow", pair_of(vec, 3, vec, 2), pair_of(vec, 1, vec, 1)});
  const Program ask = {make(Op::get_block_num)};
  list.push_back({"block-num-of-launch",
                  fused({region("A", 8)}, {kernel("k0", vec, 2, ask), kernel("k1", vec, 4, {})}),
                  fused({region("A", 8)}, {kernel("k0", vec, 4, ask), kernel("k1", vec, 4, ask)})});
  list.push_back({"guard-one-wide", pair_of(vec, 2, vec, 4), pair_of(vec, 3, vec, 3)});
  const auto synced = [](int blocks, std::string options) {
    return fused({region("A", 32)},
                 {kernel("k0", vec, blocks, put(gm(0, by_core(8)), 5) + Program{sync_all()}),
                  kernel("k1", vec, 4, {})},
                 std::move(options));
  };
  list.push_back({"feed-missing", synced(2, "feed-sync-all=1"), synced(4, "feed-sync-all=1")});
  const auto joined = [](KernelType wide) {
    return fused({region("A", 8)},
                 {kernel("k0", mix_aic_1_1, 1, {raise(2, 2, mte3)}, {wait_raise(2)}),
                  kernel("k1", wide, 1, {})});
  };
  list.push_back({"aiv1-of-1-1-left-out", joined(mix_aic_1_2), joined(mix_aic_1_1)});
  const auto scalars = [](bool cached) {
    Program writer = core_only(0, {cached ? store(object(0), 7) : [] {
                                 Instruction in = make(Op::write_gm_bypass);
                                 in.dst = gm(0);
                                 in.value.expr = words(7);
                                 return in;
                               }()});
    if (!cached) writer.push_back(on_core(0, data_sync()));
    Instruction read = make(Op::read_gm_bypass);
    read.src = gm(0);
    read.reg = 0;
    return with_tensor(
        fused({region("X", 16, 1), region("Y", 16)},
              {kernel("k0", vec, 2, writer),
               kernel("k1", vec, 2,
                      core_only(1, {cached ? load(object(0)) : read, out_of_register(gm(1))}))}));
  };
  list.push_back({"per-access-refresh-missing", scalars(true), scalars(false)});
  const auto stale = [](std::string options) {
    return with_tensor(
        fused({region("X", 16, 1), region("Y", 16)},
              {kernel("k0", vec, 2, core_only(0, {load(gm(0))})),
               kernel("k1", vec, 2, core_only(1, put(gm(0), 9))),
               kernel("k2", vec, 2, core_only(0, {load(object(0)), out_of_register(gm(1))}))},
              std::move(options)));
  };
  list.push_back({"dcci-before-ignored", stale("dcci-before-kernel-start=k2"), stale("")});
  const auto tpipes = [](std::int32_t second) {
    const auto use = [](Op op, int object) {
      Instruction in = make(op);
      in.object = static_cast<std::int16_t>(object);
      return in;
    };
    Case result = fused({region("A", 8), region("B", 8)},
                        {kernel("k", vec, 1,
                                Program{use(Op::tpipe_init, 0)} + put(gm(0), 1) +
                                    Program{use(Op::tpipe_end, 0), use(Op::tpipe_init, 1)} +
                                    put(gm(1), 2, second) + Program{use(Op::tpipe_end, 1)})});
    result.mix.sub_kernels[0].names = {"p", "q"};
    return alone(result);
  };
  list.push_back({"destroy-barrier-missing", tpipes(0), tpipes(64)});
  list.push_back({"early-start-aiv-aic-edge-missing", pair_of(vec, 2, mix_aic_1_0, 2),
                  pair_of(vec, 2, mix_aic_1_0, 2, "early-start=0")});
  list.push_back(
      {"inter-operator-barrier-missing", pair_of(vec, 2, vec, 2), alone(pair_of(vec, 2, vec, 2))});
  const auto residue = [](int raises) {
    Program aic;
    for (int i = 0; i < raises; ++i) aic.push_back(raise(3, 2, fix));
    Case result = fused(
        {region("X", 8, 1), region("Y", 8)},
        {kernel("k0", mix_aic_1_1, 1, {wait_raise(3)}, aic),
         kernel("k1", mix_aic_1_1, 1, Program{wait_raise(3)} + move(gm(1), gm(0)),
                Program{produce(4)} + handed(m, fix) + Program{fixpipe(gm(0)), raise(3, 2, fix)})});
    PlanStep first;
    first.sub_kernels = {0};
    PlanStep second;
    second.sub_kernels = {1};
    result.plan.steps = {first, second};
    return result;
  };
  list.push_back({"flags-carried-over", residue(2), residue(1)});
  list.push_back({"unknown-option-accepted", pair_of(vec, 2, vec, 2, "no-such-key=1"),
                  pair_of(vec, 2, vec, 2, "early-start=7")});
  return list;
}

TEST(Defects, EveryOneShowsWhereItsRuleIsExercisedAndNowhereElse) {
  std::set<std::string> covered;
  for (const Example& example : examples()) {
    const std::string name = example.defect;
    covered.insert(name);
    const auto healthy = all_shown(example.shows, "", 40);
    EXPECT_EQ(healthy.size(), 1u) << name << ": the mix itself is not deterministic";
    const auto broken = all_shown(example.shows, name, 40);
    bool differs = false;
    for (const std::string& text : broken) differs |= healthy.count(text) == 0;
    EXPECT_TRUE(differs) << name << " shows nothing";
    EXPECT_EQ(all_shown(example.control, name, 20), all_shown(example.control, "", 20)) << name;
  }
  // Cases that the score found, shrunk, and some by hand; their control is the score's.
  for (const auto& file : std::filesystem::directory_iterator(std::string(SKCTS_SOURCE_DIR) +
                                                              "/harness/emulator/cases")) {
    const std::string name = file.path().stem().string();
    const auto shows = read_case_file(file.path().string());
    ASSERT_TRUE(shows.ok()) << name;
    EXPECT_TRUE(covered.insert(name).second) << name << " is shown twice";
    const auto healthy = all_shown(*shows, "", 40);
    EXPECT_EQ(healthy.size(), 1u) << name << ": the mix itself is not deterministic";
    const auto broken = all_shown(*shows, name, 40);
    EXPECT_TRUE(std::ranges::any_of(
        broken, [&](const std::string& text) { return healthy.count(text) == 0; }))
        << name << " shows nothing";
  }
  EXPECT_EQ(covered.size(), defects().size());
}

/// A core too many computes addresses that no core of the mix has: far below GM here.
TEST(Defects, ACoreTooManyMayPollWhereNoMemoryIs) {
  const Instruction far = poll(gm(0, by_core(-640)), 1, PollVia::raw_load);
  Case test_case =
      fused({region("A", 16, 1)},
            {kernel("k0", vec, 1, {store(object(0, words(1)), 5), far}), kernel("k1", vec, 2, {})});
  test_case.mix.sub_kernels[0].tensors = {{"a", 0, false, ""}};
  Emulator emulator({"guard-one-wide", {}});
  run_all(emulator, test_case, 20, [](const Outcome& outcome, const std::string& how) {
    EXPECT_EQ(outcome.status, OutcomeStatus::stalled) << how;
  });
}

TEST(Defects, TheCatalogueIsWellFormed) {
  std::set<std::string_view> names;
  for (const Defect& defect : defects()) {
    EXPECT_TRUE(names.insert(defect.name).second) << defect.name;
    EXPECT_EQ(find_defect(defect.name), &defect);
    EXPECT_EQ(rule(defect.rule).kind, RuleKind::guarantee) << defect.name;
    EXPECT_FALSE(defect.text.empty());
    EXPECT_FALSE(defect.feature.empty());
    EXPECT_TRUE(
        std::set<std::string_view>({"memory", "stall", "refusal", "launch", "queries", "counts"})
            .count(defect.channel))
        << defect.name;
  }
  EXPECT_EQ(find_defect("healthy"), nullptr);
}

TEST(Defects, AreNamedBehindTheEmulator) {
  EXPECT_EQ(parse_emulator_config("").value(), EmulatorConfig{});
  EXPECT_EQ(parse_emulator_config("defect=feed-missing").value().defect, "feed-missing");
  const auto wrong = parse_emulator_config("defect=feed-mising");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().hint, ::testing::HasSubstr("feed-missing"));
  EXPECT_FALSE(parse_emulator_config("feed-missing").ok());
  EXPECT_FALSE(make_emulator({"nothing", {}}).ok());
  EXPECT_EQ(make_emulator({"feed-missing", {}}).value()->description().name,
            "emulator:defect=feed-missing");
}

}  // namespace
}  // namespace skcts::emulator
