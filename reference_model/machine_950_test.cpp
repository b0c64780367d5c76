// What the 950 has beside the 2201: mode 4, waits that hold one pipe, its soft SyncAll.
#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

Instruction wait_on(Pipe pipe, int id) {
  Instruction made = wait(id);
  made.pipe = pipe;
  return made;
}

Build on_950() {
  Build build;
  build.test_case.profile = "tiny-950";
  build.region("Y", 256);
  return build;
}

/// A vector core hands eight words of Y to its cube core, which copies them through L1.
Build hand_over(int ratio, Program wait_of_cube, Program first = {}) {
  Build build = on_950();
  const Expr own = per_core(8);
  Program aiv = fill_out(0, own, 5);
  aiv.pop_back();
  aiv.push_back(raise(4, Pipe::mte3, 3));
  build.kernel(ratio == 2 ? KernelType::mix_aic_1_2 : KernelType::mix_aic_1_1, 1, aiv,
               first + wait_of_cube);
  return build;
}

TEST(Mode4, ACubeKnowsTheVectorCoresOfItsBlockApart) {
  EXPECT_EQ(analyse(hand_over(1, {wait(3)}).test_case).behaviour, Behaviour::completes);
  EXPECT_EQ(analyse(hand_over(2, {wait(3), wait(19)}).test_case).behaviour, Behaviour::completes);
  const Analysis missing = analyse(hand_over(2, {wait(3), wait(3)}).test_case);
  EXPECT_EQ(missing.behaviour, Behaviour::stalls) << missing.sentence;
  EXPECT_EQ(missing.rule, RuleId::sync_5);
  const Analysis left = analyse(hand_over(2, {wait(3)}).test_case);
  EXPECT_EQ(left.behaviour, Behaviour::completes);
  EXPECT_EQ(left.rule, RuleId::sync_5);
}

TEST(Mode4, ACubeRaisesOnOneOfThem) {
  Build build = on_950();
  build.kernel(KernelType::mix_aic_1_2, 1, {where(IndexName::sub, 1, 1, wait(4))},
               {raise(4, Pipe::fix, 20)});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  EXPECT_EQ(analyse(build.test_case).rule, std::nullopt);
  build.sub(0).aiv = {where(IndexName::sub, 0, 0, wait(4))};
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::stalls);
}

/// One core hands Y[0..7] to another, whose `pipe` waits.
Build across(Pipe pipe, Program between = {}) {
  Build build = on_950();
  Program giver = fill_out(0, word(0), 5);
  giver.pop_back();
  giver.push_back(raise(0, Pipe::mte3, 2));
  Program program;
  for (Instruction& in : giver) {
    if (in.op == Op::cross_core_set_flag) {
      program.push_back(in);
    } else {
      program.push_back(where(IndexName::core, 0, 0, in));
    }
  }
  program.push_back(wait_on(pipe, 2));
  for (Instruction& in : between) program.push_back(where(IndexName::core, 1, 1, in));
  for (Instruction& in :
       Program{data_copy(ub(0), gm(0, word(0))), set_flag(Pipe::mte2, Pipe::mte3),
               wait_flag(Pipe::mte2, Pipe::mte3), data_copy(gm(0, word(32)), ub(0))}) {
    program.push_back(where(IndexName::core, 1, 1, in));
  }
  build.kernel(KernelType::mix_aiv_1_0, 2, program);
  return build;
}

TEST(WaitsOnAPipe, HoldThatPipeAlone) {
  const Analysis all = analyse(across(Pipe::s).test_case);
  EXPECT_EQ(all.behaviour, Behaviour::completes) << all.sentence;
  const Analysis own = analyse(across(Pipe::mte2).test_case);
  EXPECT_EQ(own.behaviour, Behaviour::completes) << own.sentence;
  EXPECT_TRUE(own.exact);
  EXPECT_EQ(own.allowed.memory[32].value, 5u);
  const Analysis other = analyse(across(Pipe::mte3).test_case);
  EXPECT_EQ(other.behaviour, Behaviour::nondeterministic_data) << other.sentence;
  EXPECT_EQ(other.rule, RuleId::sync_11);
}

TEST(WaitsOnAPipe, ReachOthersThroughAnEvent) {
  const Program event{set_flag(Pipe::v, Pipe::mte2, 4), wait_flag(Pipe::v, Pipe::mte2, 4)};
  const Analysis handed = analyse(across(Pipe::v, event).test_case);
  EXPECT_EQ(handed.behaviour, Behaviour::completes) << handed.sentence;
  EXPECT_EQ(analyse(across(Pipe::v, {barrier()}).test_case).behaviour, Behaviour::completes);
  EXPECT_EQ(analyse(across(Pipe::v, {barrier(Pipe::v)}).test_case).behaviour,
            Behaviour::nondeterministic_data);
}

TEST(WaitsOnAPipe, WithoutAPipeHoldAllOfTheCore) {
  const Analysis all = analyse(across(Pipe::all).test_case);
  EXPECT_EQ(all.behaviour, Behaviour::completes) << all.sentence;
  Build build = on_950();
  build.kernel(KernelType::mix_aiv_1_0, 1, {wait_on(Pipe::all, 1)}, {});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::stalls);
}

TEST(WaitsOnAPipe, OfOneThatACoreDoesNotHaveAreNone) {
  Build build = on_950();
  build.kernel(KernelType::mix_aic_1_1, 1, {wait_on(Pipe::m, 1)}, {wait_on(Pipe::v, 1)});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
  EXPECT_EQ(analysis.rule, std::nullopt);
}

TEST(WaitsOnAPipe, AnswerEachOther) {
  // Core 0 hands Y to core 1, which hands what it makes of it back; only pipes wait.
  Build build = on_950();
  const auto on = [](int core, Program steps) {
    for (Instruction& in : steps) in = where(IndexName::core, core, core, in);
    return steps;
  };
  const auto through = [](int from, int to) {
    return Program{data_copy(ub(0), gm(0, word(from))), set_flag(Pipe::mte2, Pipe::mte3),
                   wait_flag(Pipe::mte2, Pipe::mte3), data_copy(gm(0, word(to)), ub(0))};
  };
  Program first = fill_out(0, word(0), 5);
  first.pop_back();
  build.kernel(KernelType::mix_aiv_1_0, 2,
               on(0, first) + Program{raise(0, Pipe::mte3, 2), wait_on(Pipe::mte2, 2)} +
                   on(1, through(0, 32)) +
                   Program{raise(0, Pipe::mte3, 3), wait_on(Pipe::mte2, 3)} +
                   on(0, through(32, 64)));
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
  EXPECT_TRUE(analysis.exact);
  EXPECT_EQ(analysis.allowed.memory[64].value, 5u);
}

TEST(WaitsOnAPipe, StallWhatStandsBehindThemOnly) {
  // MTE2 waits for ever; the scalar unit and MTE3 go on, PIPE_ALL does not.
  Build build = on_950();
  build.kernel(KernelType::mix_aiv_1_0, 1,
               Program{wait_on(Pipe::mte2, 1)} +
                   Program{duplicate(ub(512), constant(5)), set_flag(Pipe::v, Pipe::mte3),
                           wait_flag(Pipe::v, Pipe::mte3), data_copy(gm(0, word(0)), ub(512))});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::stalls);
  EXPECT_EQ(analysis.rule, RuleId::sync_5);
  ASSERT_FALSE(analysis.allowed.memory_stalled.empty());
  EXPECT_EQ(analysis.allowed.memory_stalled[0].value, 5u);
}

TEST(WaitsOnAPipe, OfSeveralPipesForOneIdAreSync15) {
  Build build = on_950();
  build.kernel(
      KernelType::mix_aiv_1_0, 1,
      {raise(0, Pipe::v, 1), raise(0, Pipe::v, 1), wait_on(Pipe::v, 1), wait_on(Pipe::mte2, 1)});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.rule, RuleId::sync_15) << analysis.sentence;
  EXPECT_TRUE(analysis.allowed.stalled && analysis.allowed.completed && analysis.allowed.error);
}

TEST(WaitsOnAPipe, OfTwoSubKernelsForOneIdHaveToBeOrdered) {
  Build build = on_950();
  build.kernel(KernelType::mix_aiv_1_0, 2, {raise(0, Pipe::mte3, 1), wait_on(Pipe::v, 1)});
  build.kernel(KernelType::mix_aiv_1_0, 2, {raise(0, Pipe::mte3, 1), wait(1)});
  const Analysis open = analyse(build.test_case);
  EXPECT_EQ(open.rule, RuleId::sync_15) << open.sentence;
  build.sub(0).aiv.push_back(barrier());
  const Analysis ordered = analyse(build.test_case);
  EXPECT_EQ(ordered.behaviour, Behaviour::completes) << ordered.sentence;
  EXPECT_EQ(ordered.rule, std::nullopt);
}

TEST(SoftSyncOn950, ItsFirstRoundMayBeOverrun) {
  Build build = on_950();
  const int workspace = build.region("W", 32);
  build.kernel(KernelType::aiv_only, 2, {soft_sync(workspace)});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.sub(0).aiv.push_back(soft_sync(workspace));
  const Analysis twice = analyse(build.test_case);
  EXPECT_EQ(twice.behaviour, Behaviour::may_stall) << twice.sentence;
  EXPECT_EQ(twice.rule, RuleId::sync_9);
  EXPECT_TRUE(twice.exact);
  build.test_case.profile = "tiny";
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  // A hard barrier between lets nobody begin before all have left.
  build.test_case.profile = "tiny-950";
  build.sub(0).type = KernelType::mix_aiv_1_0;
  build.sub(0).aiv.insert(build.sub(0).aiv.begin() + 1, sync_all());
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
}

TEST(SoftSyncOn950, CountsTheBlocksOfTheLaunch) {
  Build build = on_950();
  const int workspace = build.region("W", 64);
  build.kernel(KernelType::aiv_only, 2, {soft_sync(workspace)});
  build.kernel(KernelType::aiv_only, 3, {});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::stalls);
  build.test_case.profile = "tiny";
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
}

}  // namespace
}  // namespace skcts::model
