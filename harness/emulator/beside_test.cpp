// Scope marks, launches side by side, and sub kernels of tiling offload.
#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "harness/emulator/outside_testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;
using enum KernelType;
using ::testing::ElementsAre;

SubKernel marked(std::string name, std::vector<std::string> scope) {
  SubKernel sub = kernel(std::move(name), vec, 1, {});
  sub.scope = std::move(scope);
  return sub;
}
TEST(Scopes, TheInnermostMarkCutsTheList) {
  Case test_case =
      fused({region("A", 8)}, {marked("k0", {"a"}), marked("k1", {"b", "a"}),
                               marked("k2", {"a", "b"}), marked("k3", {}), marked("k4", {"b"}),
                               marked("k5", {"b", ""}), marked("k6", {"", "b"})});
  EXPECT_THAT(cut(test_case),
              ElementsAre("fused 0 1", "fused 2", "alone 3", "fused 4", "alone 5", "fused 6"));
  test_case.path = "aclgraph";
  EXPECT_THAT(cut(test_case),
              ElementsAre("fused 0", "fused 1 2", "alone 3", "fused 4", "alone 5", "alone 6"));
}

TEST(Scopes, AMarkedCaseRunsAsItIsCut) {
  Case test_case =
      fused({region("A", 8)}, {marked("k0", {"a"}), marked("k1", {}), marked("k2", {"a"})});
  const Outcome outcome = one_run(test_case);
  ASSERT_EQ(outcome.counts.size(), 3u);
  EXPECT_TRUE(outcome.counts[0].fused);
  EXPECT_FALSE(outcome.counts[1].fused);
  EXPECT_TRUE(outcome.counts[2].fused);
}

PlanStep alone_step(int sub) {
  PlanStep step;
  step.kind = StepKind::alone;
  step.sub_kernels = {sub};
  return step;
}
Case beside(Case test_case, CoreSharing sharing, std::vector<PlanStep> steps) {
  PlanStep step;
  step.kind = StepKind::beside;
  step.sharing = sharing;
  step.beside = std::move(steps);
  test_case.plan.steps = {step};
  return test_case;
}
/// Each of them makes a barrier by hand, on three of the four vector cores.
Case two_barriers() {
  const auto meets = [](int value) {
    return put(gm(0, by_core(8, (value - 1) * 32)), static_cast<std::uint32_t>(value)) +
           Program{raise(3, 0, mte3), wait_raise(3)};
  };
  return fused({region("A", 64)}, {kernel("k0", vec, 3, meets(1)), kernel("k1", vec, 3, meets(2))});
}

TEST(Beside, BatchLaunchesHaveTheirCoresAtOnce) {
  const Case test_case = beside(two_barriers(), CoreSharing::batch, {alone_step(0), alone_step(1)});
  EXPECT_EQ(all_memories(test_case).size(), 1u);
  EXPECT_EQ(one_run(test_case).counts.size(), 2u);
}

TEST(Beside, NormalLaunchesMayHoldWhatEachOtherNeeds) {
  Case test_case = beside(two_barriers(), CoreSharing::normal, {alone_step(0), alone_step(1)});
  EXPECT_EQ(all_statuses(test_case), only_completed);  // L-22=one-stream
  test_case.latitudes = {"L-22=may-deadlock"};
  EXPECT_EQ(all_statuses(test_case),
            (std::set<OutcomeStatus>{OutcomeStatus::completed, OutcomeStatus::stalled}));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Outcome outcome = one_run(test_case, seed);
    if (outcome.status != OutcomeStatus::stalled) continue;
    const auto waits = [&](WaitKind kind) {
      return std::count_if(outcome.waiting.begin(), outcome.waiting.end(),
                           [&](const Waiting& w) { return w.kind == kind; });
    };
    EXPECT_EQ(waits(WaitKind::cores), 2);
    EXPECT_EQ(waits(WaitKind::cross_core_flag), 4);
  }
}

TEST(Beside, LaunchesRunAtTheSameTimeAndStreamsInOrder) {
  // k0 polls for k1; k2 stands behind k0 in its stream.
  Case test_case =
      fused({region("A", 8), region("B", 8), region("C", 8)},
            {kernel("k0", vec, 1, Program{poll(gm(0), 5, PollVia::bypass)} + put(gm(1), 6)),
             kernel("k1", vec, 4, Program{on_core(3, barrier())} + put(gm(0), 5)),
             kernel("k2", vec, 2, move(gm(2), gm(1)))});
  for (Instruction& in : test_case.mix.sub_kernels[1].aiv) in = on_core(3, in);
  for (Instruction& in : test_case.mix.sub_kernels[2].aiv) in = on_core(0, in);
  PlanStep first = alone_step(0);
  first.sub_kernels = {0, 2};
  test_case = beside(test_case, CoreSharing::normal, {first, alone_step(1)});
  test_case.latitudes = {"L-22=may-deadlock"};
  EXPECT_EQ(all_memories(test_case).size(), 1u);
  // In batch the four cores of k1 are never free at once while k0 polls.
  test_case.plan.steps[0].sharing = CoreSharing::batch;
  EXPECT_EQ(all_statuses(test_case),
            (std::set<OutcomeStatus>{OutcomeStatus::completed, OutcomeStatus::stalled}));
}

TEST(Beside, BlocksStartInWaves) {
  const Case narrow = fused({region("A", 64)}, {kernel("k0", vec, 6, put(gm(0, by_core(8)), 5)),
                                                kernel("k1", vec, 1, put(gm(0, words(56)), 6))});
  for (const char* position : {"L-22=one-stream", "L-22=may-deadlock"}) {
    Case test_case = beside(narrow, CoreSharing::normal, {alone_step(0), alone_step(1)});
    test_case.latitudes = {position};
    EXPECT_EQ(all_memories(test_case).size(), 1u);
  }
  const Outcome refused =
      one_run(beside(narrow, CoreSharing::batch, {alone_step(0), alone_step(1)}));
  EXPECT_EQ(refused.status, OutcomeStatus::refused);
  EXPECT_EQ(refused.rule, RuleId::core_8);
}

TEST(Beside, AFlagBelongsToItsLaunch) {
  const Case test_case =
      beside(fused({region("A", 8)}, {kernel("k0", vec, 1, {raise(3, 0, mte3), wait_raise(3)}),
                                      kernel("k1", vec, 1, {wait_raise(3)})}),
             CoreSharing::normal, {alone_step(0), alone_step(1)});
  EXPECT_EQ(all_statuses(test_case), only_stalled);
}

TEST(Beside, AnEventOrdersTwoStreams) {
  Case test_case = fused(
      {region("A", 32), region("B", 16)},
      {sending(writer("k0", vec, 2, 0, 0, 5), "e"), receiving(mover("k1", vec, 2, 1, 1, 0), "e")});
  PlanStep fused_step;
  fused_step.sub_kernels = {1};
  for (const CoreSharing sharing : {CoreSharing::batch, CoreSharing::normal}) {
    EXPECT_EQ(all_memories(beside(test_case, sharing, {fused_step, alone_step(0)})).size(), 1u);
    EXPECT_EQ(all_memories(beside(test_case, sharing, {alone_step(1), alone_step(0)})).size(), 1u);
  }
}

TEST(Outside, EverythingReplays) {
  Case test_case = with_actor(two_barriers(), {writes(0, times(8, 3)), copies(0, 1, 8), raises("e"),
                                               awaits("f"), copies(0, 1, 8)});
  test_case.mix.regions.push_back(region("B", 8));
  test_case.mix.sub_kernels[1].recv = {"e"};
  test_case.mix.sub_kernels[1].send = {"f"};
  test_case = beside(test_case, CoreSharing::normal, {alone_step(0), alone_step(1)});
  test_case.latitudes = {"L-22=may-deadlock"};
  Emulator recorder({});
  Emulator player({});
  std::set<std::vector<std::uint32_t>> memories;
  for (const char* text : all_strategies) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      RunRequest request;
      request.strategy = strategy(text, seed);
      const RunResult first = recorder.run(test_case, request);
      RunRequest again;
      again.replay = &first.schedule;
      const RunResult second = player.run(test_case, again);
      EXPECT_TRUE(second.replay_fitted) << text;
      EXPECT_EQ(second.outcome, first.outcome) << text;
      EXPECT_EQ(second.schedule, first.schedule) << text;
      memories.insert(first.outcome.memory);
    }
  }
  EXPECT_GT(memories.size(), 2u);
}

SubKernel offload(SubKernel sub, int blocks, KernelType type) {
  sub.tiling = Tiling::offload;
  sub.launch_blocks = blocks;
  sub.launch_type = type;
  return sub;
}

TEST(Offload, IsCountedAsTheComposerKnowsItAndRunsAsItIs) {
  const Program body = Program{make(Op::get_block_num)} + put(gm(0, by_core(8)), 5);
  const Case test_case =
      fused({region("A", 32)}, {offload(kernel("k0", vec, 1, body), 2, mix_aic_1_2)});
  const Outcome outcome = one_run(test_case);
  EXPECT_EQ(outcome.status, OutcomeStatus::completed);
  EXPECT_EQ(outcome.counts[0].type, mix_aic_1_2);
  EXPECT_EQ(outcome.counts[0].blocks, 2);
  ASSERT_EQ(outcome.queries.size(), 1u);
  EXPECT_EQ(outcome.queries[0].value, 1);
  EXPECT_EQ(words_of(test_case, outcome, 0, 0, 8), times(8, 5));
  EXPECT_EQ(words_of(test_case, outcome, 0, 8, 24), times(24, 0));
  // Alone it is launched as it runs.
  EXPECT_EQ(one_run(alone(test_case)).counts[0].blocks, 1);
}

TEST(Offload, ItsEarlyStartCallsDoNothing) {
  Program early = {make(Op::set_next_task_start)};
  early[0].pipe = mte3;
  early[0].aic_pipe = fix;
  early = early + put(gm(0, by_core(8)), 5);
  const Case plain =
      fused({region("A", 16), region("B", 16)},
            {kernel("k0", vec, 2, early),
             kernel("k1", vec, 2, move(gm(1, by_core(8)), gm(0, shifted_core(8, 1))))});
  const auto on_a3 = [](Case test_case) {
    test_case.latitudes = {"L-21=takes-effect"};
    return test_case;
  };
  EXPECT_GT(all_memories(on_a3(plain)).size(), 1u);
  for (const KernelType type : {vec, mix_aic_1_1, mix_aic_1_2}) {
    Case test_case = plain;
    test_case.mix.sub_kernels[0] = offload(plain.mix.sub_kernels[0], 2, type);
    EXPECT_EQ(all_memories(on_a3(test_case)).size(), 1u) << to_string(type);
  }
}

}  // namespace
}  // namespace skcts::emulator
