#include "reference_model/stall.h"

#include <gtest/gtest.h>

#include "reference_model/lower.h"
#include "reference_model/order.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT

struct Ran {
  LaunchProgram program;
  StallResult stall;
  std::vector<Doubt> lowering;

  const StuckStep* root() const {
    for (const StuckStep& stuck : stall.stuck) {
      if (stuck.root) return &stuck;
    }
    return nullptr;
  }
  bool doubts(DoubtKind kind) const {
    for (const Doubt& doubt : stall.doubts) {
      if (doubt.kind == kind) return true;
    }
    return false;
  }
  int count(StepKind kind, Origin origin) const {
    int found = 0;
    for (const Thread& thread : program.threads) {
      for (const Step& step : thread.steps) found += step.kind == kind && step.origin == origin;
    }
    return found;
  }
};

Ran run(const Build& build) {
  const Mix& mix = build.test_case.mix;
  const Options options = *parse_options(mix.options).options;
  std::vector<std::int32_t> all;
  for (std::size_t k = 0; k < mix.sub_kernels.size(); ++k) all.push_back(static_cast<int>(k));
  const LaunchShape shape = fused_shape(mix, all, options, default_profile()).shape;
  const GmLayout layout = layout_of(mix);
  const std::vector<std::uint32_t> memory = initial_memory(mix, layout);
  Ran ran;
  Lowering lowering;
  lowering.run({mix, layout, options, shape, false}, ran.program);
  ran.lowering = lowering.doubts();
  StallAnalysis analysis;
  analysis.run(ran.program, {memory, {}}, ran.stall);
  Order order;
  order.build(ran.program, ran.stall);
  while (analysis.add_poll_edges(ran.program, order, ran.stall)) {
    order.build(ran.program, ran.stall);
  }
  analysis.check_with_order(ran.program, order, ran.stall);
  return ran;
}

constexpr KernelType aiv = KernelType::aiv_only;
constexpr KernelType mix12 = KernelType::mix_aic_1_2;

TEST(Stall, HealthyNarrowSyncAllIsServedByFeeding) {
  for (const bool fed : {false, true}) {
    Build build(fed ? "feed-sync-all=1" : "");
    build.kernel(aiv, 8, {sync_all(), sync_all()});
    build.kernel(aiv, 16, {});
    const Ran ran = run(build);
    EXPECT_EQ(ran.stall.stalled, !fed);
    EXPECT_EQ(ran.stall.full_core_stall, !fed);
    EXPECT_EQ(ran.count(StepKind::pass, Origin::feed), fed ? 16 : 0);
    if (!fed) {
      ASSERT_NE(ran.root(), nullptr);
      EXPECT_EQ(ran.root()->rule, RuleId::core_5);
      EXPECT_EQ(ran.root()->missing.size(), 8u);
    }
  }
}

TEST(Stall, HandMadeBarrierOfANarrowKernelIsNotFed) {
  Build build("feed-sync-all=1");
  build.kernel(KernelType::mix_aiv_1_0, 8, {raise(0, Pipe::mte3, 3), wait(3)});
  build.kernel(aiv, 16, {});
  const Ran ran = run(build);
  ASSERT_NE(ran.root(), nullptr);
  EXPECT_EQ(ran.root()->rule, RuleId::sync_3);
  EXPECT_FALSE(ran.stall.full_core_stall);
}

TEST(Stall, ModeTwoJoinsBothVectorsOfABlock) {
  for (const bool both : {true, false}) {
    Build build;
    build.kernel(
        mix12, 2,
        {both ? raise(2, Pipe::mte3, 4) : where(IndexName::sub, 0, 0, raise(2, Pipe::mte3, 4))},
        {wait(4)});
    const Ran ran = run(build);
    EXPECT_EQ(ran.stall.stalled, !both);
    if (!both) {
      ASSERT_NE(ran.root(), nullptr);
      EXPECT_EQ(ran.root()->rule, RuleId::ratio_2);
    }
  }
}

TEST(Stall, ModeOneJoinsTheVectorsOfABlockOnly) {
  Build build;
  build.kernel(mix12, 2, {raise(1, Pipe::mte3, 4), wait(4)});
  build.kernel(mix12, 4, {});
  EXPECT_FALSE(run(build).stall.stalled);
}

TEST(Stall, CubeRaisesForEachVectorOfItsBlock) {
  Build build;
  build.kernel(mix12, 2, {wait(5)}, {raise(2, Pipe::fix, 5)});
  EXPECT_FALSE(run(build).stall.stalled);
}

TEST(Stall, WaitWithoutARaiseIsSync5) {
  Build build;
  build.kernel(mix12, 1, {wait(5), wait(5)}, {raise(2, Pipe::fix, 5)});
  const Ran ran = run(build);
  ASSERT_NE(ran.root(), nullptr);
  EXPECT_EQ(ran.root()->rule, RuleId::sync_5);
  EXPECT_EQ(ran.stall.counters.front().consumed, 1);
}

TEST(Stall, EventWaitWithoutASetStopsItsPipeOnly) {
  Build build;
  const int a = build.region("A", 64);
  build.kernel(
      aiv, 1,
      {wait_flag(Pipe::mte2, Pipe::v), duplicate(ub(0), constant(1)), data_copy(ub(64), gm(a))});
  const Ran ran = run(build);
  ASSERT_EQ(ran.stall.stuck.size(), 1u);
  EXPECT_EQ(ran.stall.stuck[0].kind, WaitKind::event_flag);
  EXPECT_EQ(ran.stall.stuck[0].rule, RuleId::pipe_4);
  int executed = 0;
  const std::vector<Step>& steps = ran.program.threads[0].steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].kind == StepKind::data) executed += ran.stall.executed[s];
  }
  EXPECT_EQ(executed, 1);  // the copy on MTE2, not the fill on V
}

TEST(Stall, DoubleSetAndWaitFirstAreNoted) {
  Build twice;
  twice.kernel(aiv, 1,
               {set_flag(Pipe::mte2, Pipe::v), set_flag(Pipe::mte2, Pipe::v),
                wait_flag(Pipe::mte2, Pipe::v), wait_flag(Pipe::mte2, Pipe::v)});
  EXPECT_TRUE(run(twice).doubts(DoubtKind::double_set));
  Build first;
  first.kernel(aiv, 1, {wait_flag(Pipe::mte2, Pipe::v), set_flag(Pipe::mte2, Pipe::v)});
  EXPECT_FALSE(run(first).stall.stalled);
  EXPECT_FALSE(run(first).stall.depth_stall);
  Build deep;
  deep.kernel(aiv, 1,
              {wait_flag(Pipe::mte2, Pipe::v), duplicate(ub(), constant(1)),
               set_flag(Pipe::mte2, Pipe::v)});
  EXPECT_FALSE(run(deep).stall.stalled);
  EXPECT_TRUE(run(deep).stall.depth_stall);
  Build alternating;
  alternating.kernel(aiv, 1,
                     {set_flag(Pipe::mte2, Pipe::v), wait_flag(Pipe::mte2, Pipe::v),
                      set_flag(Pipe::mte2, Pipe::v), wait_flag(Pipe::mte2, Pipe::v)});
  EXPECT_FALSE(run(alternating).doubts(DoubtKind::double_set));
}

/// S4: sixteen raises ahead of their waits, with and without a reply in between.
TEST(Stall, CounterLimitDependsOnBackPressure) {
  for (const bool replies : {false, true}) {
    for (const int rounds : {15, 16}) {
      Build build;
      std::vector<Instruction> vector_side = {wait(5)};
      std::vector<Instruction> cube_side = {raise(2, Pipe::fix, 5)};
      if (replies) {
        vector_side.push_back(raise(2, Pipe::mte3, 6));
        cube_side.push_back(wait(6));
      }
      build.kernel(mix12, 1, {repeat(rounds, vector_side)}, {repeat(rounds, cube_side)});
      const Ran ran = run(build);
      EXPECT_FALSE(ran.stall.stalled);
      EXPECT_EQ(ran.doubts(DoubtKind::counter_limit), !replies && rounds == 16);
    }
  }
}

TEST(Stall, PollOfADmaFlagIsExact) {
  Build build;
  const int flag = build.region("F", 16);
  build.kernel(aiv, 2,
               {where(IndexName::core, 0, 0, duplicate(ub(0), constant(1))),
                where(IndexName::core, 0, 0, barrier()),
                where(IndexName::core, 0, 0, data_copy(gm(flag), ub(0))),
                where(IndexName::core, 1, 1, poll(gm(flag), 1))});
  const Ran ran = run(build);
  EXPECT_FALSE(ran.stall.stalled);
  EXPECT_TRUE(ran.stall.doubts.empty());
  ASSERT_EQ(ran.stall.poll_edges.size(), 1u);
}

TEST(Stall, PollOfAWordThatNobodyWritesIsStuck) {
  Build build;
  const int flag = build.region("F", 16);
  build.kernel(aiv, 1, {poll(gm(flag), 7)});
  const Ran ran = run(build);
  ASSERT_NE(ran.root(), nullptr);
  EXPECT_EQ(ran.root()->kind, WaitKind::poll);
}

TEST(Stall, PollOfASumNeedsEveryAdd) {
  Build build;
  const int sum = build.region("S", 16);
  build.kernel(aiv, 4,
               {duplicate(ub(0), constant(1)), barrier(), data_copy(gm(sum), ub(0), 8, true),
                poll(gm(sum), 4)});
  const Ran ran = run(build);
  EXPECT_FALSE(ran.stall.stalled);
  EXPECT_EQ(ran.stall.poll_edges.size(), 16u);
  EXPECT_TRUE(ran.stall.doubts.empty());
}

TEST(Stall, CachedPollMayStall) {
  Build build;
  const int flag = build.region("F", 16);
  const std::vector<Instruction> writer = {duplicate(ub(0), constant(1)), barrier(),
                                           data_copy(gm(flag), ub(0))};
  std::vector<Instruction> program;
  for (const Instruction& in : writer) program.push_back(where(IndexName::core, 0, 0, in));
  program.push_back(where(IndexName::core, 1, 1, poll(gm(flag), 1, PollVia::raw_load)));
  build.kernel(aiv, 2, program);
  EXPECT_TRUE(run(build).doubts(DoubtKind::cached_poll));
  build.sub(0).aiv.back().refresh = true;
  EXPECT_FALSE(run(build).doubts(DoubtKind::cached_poll));
}

TEST(Stall, PolledStoreHasToBeRefreshed) {
  for (const bool refreshes : {false, true}) {
    Build build;
    const int flag = build.region("F", 16);
    std::vector<Instruction> program = {
        where(IndexName::core, 0, 0, raw_store(gm(flag), constant(1)))};
    if (refreshes) program.push_back(where(IndexName::core, 0, 0, dcci(gm(flag))));
    program.push_back(where(IndexName::core, 1, 1, poll(gm(flag), 1, PollVia::raw_load, true)));
    build.kernel(aiv, 2, program);
    EXPECT_EQ(run(build).doubts(DoubtKind::cached_poll), !refreshes);
  }
}

TEST(Stall, ARefreshBehindThePollOfItsStoreComesTooLate) {
  for (const bool before : {false, true}) {
    Build build;
    const int flag = build.region("F", 16);
    std::vector<Instruction> program = {raw_store(gm(flag), constant(1)), poll(gm(flag), 1)};
    program.insert(before ? program.begin() + 1 : program.end(), dcci(gm(flag)));
    build.kernel(aiv, 1, program);
    EXPECT_EQ(run(build).doubts(DoubtKind::cached_poll), !before);
  }
}

TEST(Stall, ReturningPollMayStall) {
  Build build;
  const int flag = build.region("F", 16);
  build.kernel(aiv, 2,
               {where(IndexName::core, 0, 0, write_bypass(gm(flag), constant(1))),
                where(IndexName::core, 0, 0, dsb()),
                where(IndexName::core, 0, 0, write_bypass(gm(flag), constant(0))),
                where(IndexName::core, 1, 1, poll(gm(flag), 1))});
  EXPECT_TRUE(run(build).doubts(DoubtKind::returning_poll));
}

TEST(Stall, CallsThatDifferAreSync14) {
  Build build;
  build.kernel(aiv, 4, {sync_all(), where(IndexName::core, 0, 1, sync_all())});
  const Ran ran = run(build);
  ASSERT_NE(ran.root(), nullptr);
  EXPECT_EQ(ran.root()->rule, RuleId::sync_14);
  EXPECT_FALSE(ran.doubts(DoubtKind::full_core_order));
}

TEST(Stall, EqualTotalsOfFullCoreWaitsMayComplete) {
  Build build;
  build.kernel(aiv, 4, {where(IndexName::core, 0, 1, sync_all())});
  build.kernel(aiv, 4, {where(IndexName::core, 2, 3, sync_all())});
  const Ran ran = run(build);
  EXPECT_TRUE(ran.stall.stalled);
  EXPECT_TRUE(ran.doubts(DoubtKind::full_core_order));
}

TEST(Stall, ACallOutOfStepBeforeAFedSubKernelMayComplete) {
  // AIV 1's surplus call is answered by the boundary; it may then find k1 ended and not take part.
  for (const bool fed : {false, true}) {
    Build build(fed ? "feed-sync-all=1" : "");
    build.kernel(aiv, 2, {where(IndexName::core, 1, 1, sync_all())});
    build.kernel(aiv, fed ? 1 : 2, {sync_all()});
    const Ran ran = run(build);
    EXPECT_TRUE(ran.stall.stalled);
    EXPECT_EQ(ran.doubts(DoubtKind::full_core_order), fed);
  }
}

TEST(Stall, SyncAllFalseNeedsBothKinds) {
  Build build("feed-sync-all=1");
  build.kernel(aiv, 2, {sync_all(false)});
  build.kernel(mix12, 2, {});
  const Ran ran = run(build);
  ASSERT_NE(ran.root(), nullptr);
  EXPECT_EQ(ran.root()->rule, RuleId::sync_8);
  Build both;
  both.kernel(mix12, 2, {sync_all(false)}, {sync_all(false)});
  EXPECT_FALSE(run(both).stall.stalled);
}

TEST(Stall, SoftBarrierJoinsItsCores) {
  for (const int callers : {4, 3}) {
    Build build;
    const int space = build.region("W", 64);
    build.kernel(aiv, 4, {where(IndexName::core, 0, callers - 1, soft_sync(space))});
    const Ran ran = run(build);
    EXPECT_EQ(ran.stall.stalled, callers == 3);
    if (callers == 3) {
      EXPECT_EQ(ran.root()->rule, RuleId::sync_9);
    }
  }
}

TEST(Stall, IbSlotIsAPlaceOfCapacityOne) {
  Build build;
  const int space = build.region("W", 64);
  const auto set = [&] { return where(IndexName::core, 0, 0, ib(Op::ib_set, space, 0, 0)); };
  const auto take = [&] { return where(IndexName::core, 1, 1, ib(Op::ib_wait, space, 0, 0)); };
  build.kernel(aiv, 2, {set(), set(), take(), take()});
  EXPECT_FALSE(run(build).stall.stalled);
  build.sub(0).aiv.pop_back();
  EXPECT_FALSE(run(build).stall.stalled);  // the second set finds the slot taken from
  build.sub(0).aiv.pop_back();
  const Ran ran = run(build);
  ASSERT_NE(ran.root(), nullptr);
  EXPECT_EQ(ran.root()->kind, WaitKind::ib);
}

TEST(Stall, MatmulIsServedForTheFirstVectorOfARatioOneKernel) {
  for (const bool second : {false, true}) {
    Build build;
    const int a = build.region("A", 64);
    const Instruction call = matmul(gm(a, word(16)), gm(a), gm(a));
    build.kernel(KernelType::mix_aic_1_1, 1,
                 {where(IndexName::sub, second ? 1 : 0, second ? 1 : 0, call)});
    build.kernel(mix12, 1, {});
    const Ran ran = run(build);
    EXPECT_EQ(ran.stall.stalled, second);
    if (second) {
      EXPECT_EQ(ran.root()->rule, RuleId::ratio_3);
    }
  }
}

TEST(Stall, EarlyStartOnSomeCoresOnly) {
  Build build;
  build.kernel(aiv, 4, {where(IndexName::core, 0, 2, set_next())});
  build.kernel(aiv, 4, {});
  const Ran ran = run(build);
  ASSERT_NE(ran.root(), nullptr);
  EXPECT_EQ(ran.root()->rule, RuleId::task_4);
  EXPECT_TRUE(ran.root()->full_core);
  build.test_case.mix.options = "early-start=2";
  EXPECT_FALSE(run(build).stall.stalled);
}

TEST(Stall, TheFirstWaitAndTheLastSetDoNothing) {
  Build build;
  build.kernel(aiv, 4, {where(IndexName::core, 0, 2, wait_pre())});
  build.kernel(aiv, 4, {where(IndexName::core, 0, 2, set_next())});
  const Ran ran = run(build);
  EXPECT_FALSE(ran.stall.stalled);
  EXPECT_TRUE(ran.lowering.empty());
}

TEST(Stall, EarlyStartCalledTwice) {
  // Two raises of each core for one border: the border after it is released too early.
  Build raises;
  raises.kernel(aiv, 2, {set_next(), set_next()});
  raises.kernel(aiv, 2, {});
  EXPECT_TRUE(run(raises).lowering.empty());
  raises.kernel(aiv, 2, {});
  EXPECT_FALSE(run(raises).stall.stalled);
  ASSERT_FALSE(run(raises).lowering.empty());
  EXPECT_EQ(run(raises).lowering.front().kind, DoubtKind::early_start);
  // Two waits: the second never ends.
  Build waits;
  waits.kernel(aiv, 2, {});
  waits.kernel(aiv, 2, {wait_pre(), wait_pre()});
  ASSERT_NE(run(waits).root(), nullptr);
  EXPECT_EQ(run(waits).root()->rule, RuleId::task_4);
}

/// `k0` signals early, `k1` has these programs behind it.
Ran behind_an_early_start(std::vector<Instruction> aiv_side, std::vector<Instruction> aic_side) {
  Build build;
  build.kernel(mix12, 1, {set_next()}, {set_next()});
  build.kernel(mix12, 1, std::move(aiv_side), std::move(aic_side));
  return run(build);
}

TEST(Stall, AWaitInAHeadMayNeedThatOthersPassTheirs) {
  // The vectors raise behind their own wait, which may come through the waiting cube: TASK-3 says
  // before when nobody starts, and not that everybody does then.
  const Ran cube =
      behind_an_early_start({wait_pre(), raise(2, Pipe::mte3, 3)}, {wait(3), wait_pre()});
  EXPECT_FALSE(cube.stall.stalled);
  EXPECT_TRUE(cube.doubts(DoubtKind::overlap));
  EXPECT_EQ(cube.stall.doubts.front().rule, RuleId::task_3);
  const Ran vector =
      behind_an_early_start({wait(3), wait_pre()}, {wait_pre(), raise(2, Pipe::fix, 3)});
  EXPECT_TRUE(vector.doubts(DoubtKind::overlap));
  // Raised in heads, or waited for behind them: nobody needs anything that is not promised.
  for (const Ran& fine :
       {behind_an_early_start({raise(2, Pipe::mte3, 3), wait_pre()}, {wait(3), wait_pre()}),
        behind_an_early_start({wait_pre(), raise(2, Pipe::mte3, 3)}, {wait_pre(), wait(3)})}) {
    EXPECT_FALSE(fine.stall.stalled);
    EXPECT_TRUE(fine.stall.doubts.empty());
  }
}

TEST(Stall, AWaitInATailMayNeedThatTheNextSubKernelRunsBesideIt) {
  for (const bool calls : {true, false}) {
    Build build;
    std::vector<Instruction> vectors = {wait(3)};
    if (calls) vectors.insert(vectors.begin(), set_next());
    const std::vector<Instruction> cube(calls ? 1 : 0, set_next());
    build.kernel(mix12, 1, vectors, cube);
    build.kernel(mix12, 1, {}, {raise(2, Pipe::fix, 3)});
    const Ran ran = run(build);
    EXPECT_EQ(ran.stall.stalled, !calls);
    EXPECT_EQ(ran.doubts(DoubtKind::overlap), calls);
    if (calls) {
      ASSERT_FALSE(ran.stall.doubts.empty());
      EXPECT_EQ(ran.stall.doubts.front().rule, RuleId::task_2);
    }
  }
}

TEST(Stall, SoftBarrierWorkspaceHasToBeZero) {
  for (const std::uint32_t first : {0u, 3u}) {
    Build build;
    const int space = build.region("W", 64, first);
    build.kernel(aiv, 4, {soft_sync(space), soft_sync(space)});
    EXPECT_EQ(run(build).doubts(DoubtKind::soft_workspace), first != 0);
  }
}

TEST(Stall, PollOfAReusedWordNeedsItsOwnRound) {
  Build build;
  const int flag = build.region("F", 16);
  const auto write = [&](int core, int value) {
    return std::vector<Instruction>{
        where(IndexName::core, core, core, write_bypass(gm(flag), constant(value))),
        where(IndexName::core, core, core, dsb())};
  };
  const std::vector<Instruction> polls = {where(IndexName::core, 1, 1, poll(gm(flag), 1))};
  build.kernel(aiv, 2, write(0, 1) + polls);
  build.kernel(aiv, 2, write(0, 0) + std::vector<Instruction>{barrier()});
  build.kernel(aiv, 2, write(0, 1) + polls);
  const Ran ran = run(build);
  EXPECT_EQ(ran.stall.poll_edges.size(), 2u);
  EXPECT_TRUE(ran.stall.doubts.empty());
}

TEST(Lower, RefreshesPerAccess) {
  Build build;
  const int a = build.region("A", 64);
  build.kernel(aiv, 1, {});
  const int t = build.tensor_of(0, a);
  build.sub(0).aiv = {get_value(tensor(t)), get_value(tensor(t, word(1))),
                      get_value(tensor(t, word(16))), get_value(tensor(t))};
  EXPECT_EQ(run(build).count(StepKind::refresh, Origin::access_refresh), 3);
  build.sub(0).tensors[0].is_const = true;
  EXPECT_EQ(run(build).count(StepKind::refresh, Origin::access_refresh), 4);
  build.sub(0).tensors[0].is_const = false;
  build.sub(0).aiv = {set_value(tensor(t), constant(1)),
                      set_value(tensor(t, word(1)), constant(2))};
  EXPECT_EQ(run(build).count(StepKind::refresh, Origin::access_refresh), 1);  // at its death
  build.sub(0).aiv.push_back(set_value(tensor(t, word(16)), constant(3)));
  EXPECT_EQ(run(build).count(StepKind::refresh, Origin::access_refresh), 2);
  build.sub(0).aiv = {assign(tensor(t), constant(1))};
  EXPECT_EQ(run(build).count(StepKind::refresh, Origin::access_refresh), 1);
  // A copy takes the markers over and refreshes at its own death as well.
  const int copy = build.tensor_of(0, a);
  build.sub(0).aiv = {set_value(tensor(t), constant(1)), tensor_copy(copy, t)};
  EXPECT_EQ(run(build).count(StepKind::refresh, Origin::access_refresh), 2);
  for (const char* options : {"dcci-before-kernel-start=k0", "dcci-after-kernel-end=k0"}) {
    build.test_case.mix.options = options;
    EXPECT_EQ(run(build).count(StepKind::refresh, Origin::access_refresh), 0);
  }
}

TEST(Lower, QueuesTakeTheLowestFreeIds) {
  Build build;
  const int a = build.region("A", 64);
  build.kernel(aiv, 1, {});
  build.names(0, {"pipe", "in", "x", "y"});
  const std::vector<Instruction> round = {
      named(Op::alloc_tensor, 1, 2), data_copy(taken(2), gm(a)), named(Op::enque, 1, 2),
      named(Op::deque, 1, 3),        adds(ub(512), taken(3), 1), named(Op::free_tensor, 1, 3)};
  build.sub(0).aiv =
      std::vector<Instruction>{named(Op::tpipe_init, 0), init_buffer(1, 0, Position::vecin, 2, 8)} +
      round + round + round + std::vector<Instruction>{named(Op::tpipe_end, 0)};
  const Ran ran = run(build);
  EXPECT_FALSE(ran.stall.stalled);
  EXPECT_TRUE(ran.stall.doubts.empty());
  std::vector<int> set_ids;
  for (const Step& step : ran.program.threads[0].steps) {
    if (step.kind == StepKind::set_event) set_ids.push_back(step.id);
  }
  EXPECT_EQ(set_ids, (std::vector<int>{0, 0, 0, 1, 0, 0}));
}

}  // namespace
}  // namespace skcts::model
