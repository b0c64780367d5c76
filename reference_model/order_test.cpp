// Happens-before between single steps.
#include "reference_model/order.h"

#include <gtest/gtest.h>

#include "reference_model/launch_testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::mix_aiv_1_0;
constexpr KernelType mix12 = KernelType::mix_aic_1_2;

Program only(int core, const Program& program) {
  Program made;
  for (const Instruction& in : program) made.push_back(where(IndexName::core, core, core, in));
  return made;
}

/// Flat number of the n-th step of a kind on a core.
std::int32_t find(const Launched& run, CoreId core, StepKind kind, int n = 0) {
  for (std::size_t t = 0; t < run.program.threads.size(); ++t) {
    if (run.program.threads[t].core != core) continue;
    const std::vector<Step>& steps = run.program.threads[t].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind == kind && n-- == 0) {
        return run.stall.flat(static_cast<std::int32_t>(t), static_cast<std::int32_t>(i));
      }
    }
  }
  ADD_FAILURE() << "no such step";
  return 0;
}

constexpr CoreId aiv0{CoreKind::aiv, 0}, aiv1{CoreKind::aiv, 1}, aiv2{CoreKind::aiv, 2};
constexpr CoreId aic0{CoreKind::aic, 0};

TEST(Order, PipesStartInOrderAndEndOnlyAtBarriersAndEvents) {
  Build build;
  build.region("A", 64);
  build.kernel(vectors, 1,
               {data_copy(ub(0), gm(0)), data_copy(ub(8), gm(0)), set_flag(Pipe::mte2, Pipe::v),
                duplicate(ub(16), constant(1)), wait_flag(Pipe::mte2, Pipe::v),
                duplicate(ub(24), constant(1)), barrier(Pipe::mte2), data_copy(ub(32), gm(0)),
                data_copy(gm(0, word(8)), ub(24)), barrier(), data_copy(gm(0, word(16)), ub(0))});
  const Launched run = launch(build);
  const auto data = [&](int n) { return find(run, aiv0, StepKind::data, n); };
  EXPECT_FALSE(run.order.before(data(0), data(1)));  // may overlap
  EXPECT_FALSE(run.order.before(data(0), data(2)));
  EXPECT_TRUE(run.order.before(data(0), data(3)));  // by the event
  EXPECT_TRUE(run.order.before(data(1), data(3)));
  EXPECT_FALSE(run.order.before(data(2), data(3)));
  EXPECT_TRUE(run.order.before(data(1), data(4)));  // by the barrier of the pipe
  EXPECT_FALSE(run.order.before(data(3), data(5)));
  for (int n = 0; n < 6; ++n) EXPECT_TRUE(run.order.before(data(n), data(6))) << n;
  EXPECT_FALSE(run.order.before(data(6), data(0)));
}

TEST(Order, ScalarStepsComeBeforeWhatIsIssuedLater) {
  Build build;
  build.region("A", 64);
  build.kernel(vectors, 1, {raw_load(gm(0), 1), data_copy(ub(0), gm(0)), raw_load(gm(0), 2)});
  const Launched run = launch(build);
  EXPECT_TRUE(run.order.before(find(run, aiv0, StepKind::load), find(run, aiv0, StepKind::data)));
  EXPECT_FALSE(
      run.order.before(find(run, aiv0, StepKind::data), find(run, aiv0, StepKind::load, 1)));
}

TEST(Order, AFlagCarriesItsPipeBothWaysRound) {
  Build build;
  build.region("A", 64);
  build.kernel(vectors, 2,
               only(0, {data_copy(ub(0), gm(0)), duplicate(ub(8), constant(1)),
                        data_copy(gm(0, word(8)), ub(16)), raise(0, Pipe::mte3, 3), wait(3),
                        data_copy(ub(24), gm(0))}) +
                   only(1, {raise(0, Pipe::v, 3), wait(3), data_copy(ub(0), gm(0))}));
  const Launched run = launch(build);
  const std::int32_t after = find(run, aiv1, StepKind::data);
  EXPECT_FALSE(run.order.before(find(run, aiv0, StepKind::data, 0), after));
  EXPECT_FALSE(run.order.before(find(run, aiv0, StepKind::data, 1), after));
  EXPECT_TRUE(run.order.before(find(run, aiv0, StepKind::data, 2), after));
  // The raising core learns from its own wait that its MTE3 is done.
  const std::int32_t own = find(run, aiv0, StepKind::data, 3);
  EXPECT_TRUE(run.order.before(find(run, aiv0, StepKind::data, 2), own));
  EXPECT_FALSE(run.order.before(find(run, aiv0, StepKind::data, 1), own));
}

TEST(Order, OrderIsTransitiveOverCores) {
  Build build;
  build.region("A", 64);
  build.kernel(
      vectors, 3,
      Program{where(IndexName::core, 0, 0, data_copy(gm(0), ub(0))), raise(0, Pipe::mte3, 3),
              wait(3), where(IndexName::core, 1, 1, data_copy(ub(0), gm(0))),
              raise(0, Pipe::mte2, 4), wait(4),
              where(IndexName::core, 2, 2, data_copy(gm(0), ub(0)))});
  const Launched run = launch(build);
  const std::int32_t last = find(run, aiv2, StepKind::data);
  EXPECT_TRUE(run.order.before(find(run, aiv0, StepKind::data), last));
  EXPECT_TRUE(run.order.before(find(run, aiv1, StepKind::data), last));
  EXPECT_FALSE(run.order.before(last, find(run, aiv1, StepKind::data)));
}

TEST(Order, TheFirstWaitOfTwoRaisersKnowsNeither) {
  // Both AIVs raise mode 1 and the AIC mode 2, all with one id: which comes first is open.
  Build build;
  build.region("A", 64);
  const Program vector = {data_copy(gm(0, per_core(8)), ub(0)),
                          raise(1, Pipe::mte3, 3),
                          wait(3),
                          data_copy(ub(8), gm(0)),
                          wait(3),
                          data_copy(ub(16), gm(0))};
  build.kernel(mix12, 1, vector,
               {compute(Pipe::fix, {}, {{gm(0, word(16)), 8}}), raise(2, Pipe::fix, 3)});
  const Launched run = launch(build);
  const std::int32_t by_cube = find(run, aic0, StepKind::data);
  const std::int32_t by_vector = find(run, aiv0, StepKind::data);
  const std::int32_t after_one = find(run, aiv1, StepKind::data, 1);
  const std::int32_t after_both = find(run, aiv1, StepKind::data, 2);
  EXPECT_FALSE(run.order.before(by_cube, after_one));
  EXPECT_FALSE(run.order.before(by_vector, after_one));
  EXPECT_TRUE(run.order.before(by_cube, after_both));
  EXPECT_TRUE(run.order.before(by_vector, after_both));
}

TEST(Order, AnIdMayChangeItsModeOnceAllIsDone) {
  // Mode 2 in one phase, mode 1 in the next; the cube's second raise needs the vectors' answer.
  for (const bool answered : {true, false}) {
    Build build;
    build.region("A", 64);
    Program vector = {wait(3), data_copy(ub(0), gm(0)), raise(2, Pipe::mte2, 4)};
    Program cube = {compute(Pipe::fix, {}, {{gm(0), 8}}), raise(2, Pipe::fix, 3)};
    if (answered) {
      cube.push_back(wait(4));
      cube.push_back(sync_all(false));
      vector.push_back(sync_all(false));
    } else {
      cube.push_back(wait(4));
    }
    vector = vector + Program{data_copy(gm(0, per_core(8, 16)), ub(0)), raise(1, Pipe::mte3, 3),
                              wait(3), data_copy(ub(8), gm(0))};
    build.kernel(mix12, 1, vector, cube);
    const Launched run = launch(build);
    // The vectors' own raises come after their own first wait in any case.
    EXPECT_TRUE(run.order.before(find(run, aic0, StepKind::data), find(run, aiv0, StepKind::data)));
    EXPECT_TRUE(run.order.exact());  // mode 1 needs both cores, each raises after its own wait
    EXPECT_TRUE(
        run.order.before(find(run, aiv0, StepKind::data, 1), find(run, aiv1, StepKind::data, 2)));
  }
}

TEST(Order, ARefreshHasLandedBehindTheBoundary) {
  Build build;
  build.region("A", 16);
  build.kernel(vectors, 2, only(0, {raw_store(gm(0), constant(1)), dcci(gm(0))}));
  build.kernel(vectors, 2, {raw_load(gm(0, word(8)), 1)});
  build.kernel(vectors, 2, {raw_load(gm(0, word(8)), 1)});
  const Launched run = launch(build);
  const std::int32_t store = find(run, aiv0, StepKind::store);
  const std::int32_t load = find(run, aiv1, StepKind::load);
  EXPECT_TRUE(run.order.before(store, load));
  EXPECT_TRUE(run.order.landed(0, 0, load));
  EXPECT_FALSE(run.order.landed(0, 1, load));
  EXPECT_FALSE(run.order.landed(0, 0, find(run, aiv0, StepKind::refresh)));
  EXPECT_TRUE(run.order.landed(0, 0, find(run, aiv0, StepKind::load, 0)));
  EXPECT_TRUE(run.order.landed(1, 1, find(run, aiv0, StepKind::load, 1)));
}

TEST(Order, WhatNeverExecutesIsNeverBefore) {
  Build build;
  build.region("A", 16);
  build.kernel(vectors, 1, {data_copy(ub(0), gm(0)), wait(3), data_copy(ub(8), gm(0))});
  const Launched run = launch(build);
  ASSERT_TRUE(run.stall.stalled);
  const std::int32_t first = find(run, aiv0, StepKind::data, 0);
  const std::int32_t never = find(run, aiv0, StepKind::data, 1);
  EXPECT_TRUE(run.order.executed(first));
  EXPECT_FALSE(run.order.executed(never));
  EXPECT_FALSE(run.order.before(first, never));
  EXPECT_FALSE(run.order.before(never, first));
}

}  // namespace
}  // namespace skcts::model
