#include "harness/emulator/emulator.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using ::testing::Each;
using ::testing::HasSubstr;
using enum Pipe;

constexpr auto vec = KernelType::mix_aiv_1_0;
constexpr auto cube = KernelType::mix_aic_1_0;
constexpr auto mix11 = KernelType::mix_aic_1_1;
constexpr auto mix12 = KernelType::mix_aic_1_2;

/// Every strategy completes and leaves these words at the start of the region.
void expect_words(const Case& test_case, int region, std::vector<std::uint32_t> expected,
                  int seeds = 20) {
  Emulator emulator({});
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::completed) << how << " " << outcome.reason;
    EXPECT_EQ(words_of(test_case, outcome, region, 0, static_cast<std::int32_t>(expected.size())),
              expected)
        << how;
  });
}

/// All values that word 0 of a region takes over the strategies.
std::set<std::uint32_t> first_words(const Case& test_case, int region, int seeds = 60) {
  Emulator emulator({});
  std::set<std::uint32_t> seen;
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string& how) {
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << " " << outcome.reason;
    seen.insert(words_of(test_case, outcome, region, 0, 1)[0]);
  });
  return seen;
}

std::set<OutcomeStatus> statuses(const Case& test_case, int seeds = 20) {
  Emulator emulator({});
  std::set<OutcomeStatus> seen;
  run_all(emulator, test_case, seeds,
          [&](const Outcome& outcome, const std::string&) { seen.insert(outcome.status); });
  return seen;
}

const std::set<OutcomeStatus> only_completed = {OutcomeStatus::completed};
const std::set<OutcomeStatus> only_stalled = {OutcomeStatus::stalled};
const std::set<OutcomeStatus> only_error = {OutcomeStatus::error};

std::vector<std::uint32_t> times(std::size_t count, std::uint32_t value) {
  return std::vector<std::uint32_t>(count, value);
}

TEST(Emulator, CopiesComputesAndCopiesBackOnEveryCore) {
  const Program body = Program{copy(ub(0), gm(0, by_core(8)))} + handed(mte2, v) +
                       Program{adds(ub(8), ub(0), 100)} + handed(v, mte3) +
                       Program{copy(gm(1, by_core(8)), ub(8))};
  const Case test_case =
      fused({region("A", 16, 1, 1), region("B", 16)}, {kernel("k", vec, 2, body)});
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 16; ++i) expected.push_back(101 + i);
  expect_words(test_case, 1, expected);
  expect_words(alone(test_case), 1, expected);
}

TEST(Emulator, AMissingEventShowsUnderSomeSchedule) {
  const Program body = Program{copy(ub(0), gm(0)), adds(ub(8), ub(0), 1)} + handed(v, mte3) +
                       Program{copy(gm(1), ub(8))};
  const Case test_case = fused({region("A", 8, 41), region("B", 8)}, {kernel("k", vec, 1, body)});
  EXPECT_THAT(first_words(test_case, 1), ::testing::Contains(42u));
  EXPECT_GT(first_words(test_case, 1).size(), 1u);
}

TEST(Emulator, TwoInstructionsOfOnePipeMayOverlap) {
  const Program writes = Program{duplicate(ub(0), 1), duplicate(ub(0), 2)} + handed(v, mte3) +
                         Program{copy(gm(0), ub(0))};
  const Case raced = fused({region("A", 8)}, {kernel("k", vec, 1, writes)});
  EXPECT_EQ(first_words(raced, 0), (std::set<std::uint32_t>{1, 2}));
  Case ordered = raced;
  ordered.mix.sub_kernels[0].aiv.insert(ordered.mix.sub_kernels[0].aiv.begin() + 1, barrier(v));
  EXPECT_EQ(first_words(ordered, 0), (std::set<std::uint32_t>{2}));
  Case in_turn = raced;
  in_turn.latitudes = {"L-1=in-turn"};
  EXPECT_EQ(first_words(in_turn, 0), (std::set<std::uint32_t>{2}));
}

TEST(Emulator, AnEventSetTwiceIsAnError) {
  const Program body = {set(mte2, v, 3), set(mte2, v, 11), wait(mte2, v, 3), wait(mte2, v, 3)};
  const Case test_case = fused({region("A", 8)}, {kernel("k", vec, 1, body)});
  EXPECT_EQ(statuses(test_case), only_error);
  Case lost = test_case;
  lost.latitudes = {"L-4=lost"};
  EXPECT_EQ(statuses(lost), only_stalled);
  Case hang = test_case;
  hang.latitudes = {"L-4=hang"};
  EXPECT_EQ(statuses(hang), only_stalled);
}

TEST(Emulator, ACoreThatHangsLeavesTheOthersAlone) {
  // Core 0 sets an event twice; what it issued before goes on, and so does core 1.
  Program body = put(gm(0, by_core(8)), 5);
  body.push_back(barrier());
  body.push_back(on_core(0, set(mte2, v, 3)));
  body.push_back(on_core(0, set(mte2, v, 3)));
  body = body + put(gm(1, by_core(8)), 6);
  Case test_case = fused({region("X", 16), region("Y", 16)}, {kernel("k", vec, 2, body)});
  test_case.latitudes = {"L-4=hang"};
  Emulator emulator({});
  run_all(emulator, test_case, 10, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
    EXPECT_THAT(outcome.waiting, ::testing::ElementsAre(Waiting{
                                     {CoreKind::aiv, 0}, 0, 0, 6, WaitKind::event_flag, 3}));
    EXPECT_EQ(words_of(test_case, outcome, 0, 0, 16), times(16, 5)) << how;
    EXPECT_EQ(words_of(test_case, outcome, 1, 0, 8), times(8, 0)) << how;
    EXPECT_EQ(words_of(test_case, outcome, 1, 8, 8), times(8, 6)) << how;
  });
}

TEST(Emulator, ACounterThatOverflowsHoldsItsCoreOnly) {
  // The cube of block 0 counts to sixteen; block 1 works on.
  const Program aiv = {on(IndexName::block, 0, 0, repeat(16, {raise(3, 2, mte3)}))};
  Program work = put(gm(0, by_core(8)), 5);
  for (Instruction& in : work) in = on(IndexName::block, 1, 1, in);
  Case test_case = fused({region("X", 16)}, {kernel("k", mix11, 2, aiv + work)});
  test_case.latitudes = {"L-9=hang"};
  Emulator emulator({});
  run_all(emulator, test_case, 10, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
    ASSERT_EQ(outcome.waiting.size(), 1u) << how;
    EXPECT_EQ(outcome.waiting[0].core, (CoreId{CoreKind::aic, 0}));
    EXPECT_EQ(words_of(test_case, outcome, 0, 8, 8), times(8, 5)) << how;
  });
  // Where it is said to wait: at a wait for that flag, at no other instruction that it stands at.
  const auto stands_at = [&](const Instruction& last) {
    std::set<std::int32_t> places;
    test_case.mix.sub_kernels[0].aic = {on(IndexName::block, 0, 0, last)};
    run_all(emulator, test_case, 10, [&](const Outcome& outcome, const std::string&) {
      for (const Waiting& waiting : outcome.waiting) places.insert(waiting.instruction);
    });
    return places;
  };
  EXPECT_EQ(stands_at(wait_raise(5)), std::set<std::int32_t>{-1});
  test_case.mix.sub_kernels[0].aiv = {on(IndexName::block, 0, 0, repeat(20, {raise(3, 2, mte3)}))};
  EXPECT_EQ(stands_at(wait_raise(3)), (std::set<std::int32_t>{-1, 0}));
}

/// An Adds to UB, `between`, and a second Adds to the same words: may the second pass the first?
std::set<std::uint32_t> behind(const Instruction& between, const char* pin = "") {
  Program body = {duplicate(ub(8), 500), barrier(), adds(ub(0), ub(8), 1), between,
                  adds(ub(0), ub(8), 2), barrier(), copy(gm(0), ub(0))};
  if (between.op == Op::set_flag) body.push_back(wait(v, mte3));
  if (between.op == Op::cross_core_set_flag) body.push_back(wait_raise(3));
  Case test_case = fused({region("A", 8)}, {kernel("k", vec, 1, body)});
  if (*pin != '\0') test_case.latitudes = {pin};
  return first_words(test_case, 0);
}

TEST(Emulator, ASetHoldsNothingBackBehindIt) {
  using Words = std::set<std::uint32_t>;
  EXPECT_EQ(behind(set(v, mte3)), (Words{501, 502}));
  EXPECT_EQ(behind(raise(3, 0, v)), (Words{501, 502}));
  EXPECT_EQ(behind(barrier(v)), Words{502});
  EXPECT_EQ(behind(set(v, mte3), "L-1=in-turn"), Words{502});
}

TEST(Emulator, ASetFiresOnlyAfterAllWorkInFrontOfIt) {
  // The copy out waits for the event, and sees both steps of V in front of it, not those behind.
  const Program body = {duplicate(ub(0), 1),  duplicate(ub(8), 2), set(v, mte3),
                        duplicate(ub(16), 3), wait(v, mte3),       copy(gm(0), ub(0), 16)};
  const Case test_case = fused({region("A", 16)}, {kernel("k", vec, 1, body)});
  expect_words(test_case, 0, {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2}, 60);
}

TEST(Emulator, AnEventThatNobodySetsIsNamed) {
  const Case test_case =
      fused({region("A", 8)}, {kernel("k", vec, 1, {wait(mte2, v, 9), set(v, mte3)})});
  Emulator emulator({});
  run_all(emulator, test_case, 3, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
    ASSERT_EQ(outcome.waiting.size(), 1u) << how;
    EXPECT_EQ(outcome.waiting[0], (Waiting{{CoreKind::aiv, 0}, 0, 0, 0, WaitKind::event_flag, 1}))
        << how;
  });
}

TEST(Emulator, AFullQueueHoldsTheCoreBack) {
  Program body = {wait(mte2, v, 0)};
  for (int i = 0; i < 8; ++i) body.push_back(duplicate(ub(8 * i), 1));
  body.push_back(set(mte2, v, 0));
  const Case test_case = fused({region("A", 8)}, {kernel("k", vec, 1, body)});
  Emulator emulator({});
  const RunResult result = emulator.run(test_case, {});
  ASSERT_EQ(result.outcome.status, OutcomeStatus::stalled);
  ASSERT_EQ(result.outcome.waiting.size(), 2u);
  EXPECT_EQ(result.outcome.waiting[0].kind, WaitKind::queue_full);
  EXPECT_EQ(result.outcome.waiting[1].kind, WaitKind::event_flag);
  Case unbounded = test_case;
  unbounded.latitudes = {"L-35=unbounded"};
  EXPECT_EQ(statuses(unbounded), only_completed);
}

/// Cores of a 1:2 mix hand data from cube to vector by a mode 2 flag and back.
Case ring(KernelType type, int blocks) {
  const Program aic = Program{produce(7)} + handed(m, fix) +
                      Program{fixpipe(gm(0, by_block(8))), raise(3, 2, fix), wait_raise(4)};
  const Program aiv = Program{wait_raise(3)} +
                      move(gm(1, Expr{.block = 16, .sub = 8}), gm(0, by_block(8))) +
                      Program{raise(4, 2, mte3)};
  return fused({region("X", 16), region("Y", 32)}, {kernel("k", type, blocks, aiv, aic)});
}

TEST(Emulator, ModeTwoHandsFromCubeToVector) {
  Emulator emulator({});
  const Case test_case = ring(mix12, 2);
  std::set<std::vector<std::uint32_t>> seen;
  run_all(emulator, test_case, 20, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::completed) << how << outcome.reason;
    EXPECT_EQ(words_of(test_case, outcome, 0, 0, 8), words_of(test_case, outcome, 1, 0, 8)) << how;
    seen.insert(words_of(test_case, outcome, 1, 0, 32));
  });
  EXPECT_EQ(seen.size(), 1u);
}

TEST(Emulator, ModeTwoNeedsBothVectorCores) {
  Case test_case = ring(mix12, 1);
  test_case.mix.sub_kernels[0].aiv.back() =
      on(IndexName::sub, 0, 0, test_case.mix.sub_kernels[0].aiv.back());
  Emulator emulator({});
  run_all(emulator, test_case, 3, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
    ASSERT_EQ(outcome.waiting.size(), 1u);
    EXPECT_EQ(outcome.waiting[0],
              (Waiting{{CoreKind::aic, 0}, 0, 0, 5, WaitKind::cross_core_flag, 4}));
  });
}

TEST(Emulator, RaisesOfOneCoreMayArriveInAnyOrder) {
  // The flag of the second store may come first, but never before its own store.
  const Program aic = Program{produce(7)} + handed(m, fix) +
                      Program{fixpipe(gm(0)), raise(3, 2, fix), barrier(mte2), raise(4, 2, mte2)};
  const Program aiv = Program{wait_raise(4)} + move(gm(1), gm(0)) + Program{wait_raise(3)};
  const Case test_case =
      fused({region("X", 8, 5), region("Y", 8)}, {kernel("k", mix11, 1, aiv, aic)});
  EXPECT_EQ(first_words(test_case, 1).size(), 2u);
}

TEST(Emulator, ACounterPastFifteenIsAnError) {
  Program aic;
  for (int i = 0; i < 16; ++i) aic.push_back(raise(3, 2, fix));
  const Case test_case = fused({region("X", 8)}, {kernel("k", mix12, 1, {}, aic)});
  EXPECT_EQ(statuses(test_case), only_error);
  aic.pop_back();
  EXPECT_EQ(statuses(fused({region("X", 8)}, {kernel("k", mix12, 1, {}, aic)})), only_completed);
  Case hang = test_case;
  hang.latitudes = {"L-9=hang"};
  EXPECT_EQ(statuses(hang), only_stalled);
}

TEST(Emulator, FlagIdsAreCutToFourBitsAndModesToTwo) {
  Case test_case = ring(mix12, 1);
  for (Instruction& in : test_case.mix.sub_kernels[0].aic) {
    if (in.op == Op::cross_core_set_flag) in.id += 16, in.mode += 4;
  }
  EXPECT_EQ(statuses(test_case), only_completed);
}

TEST(Emulator, FlagsDoNotWorkInPlainTypesAlone) {
  const Case test_case = fused(
      {region("X", 8)}, {kernel("k", KernelType::aiv_only, 2, {raise(1, 0, mte3), wait_raise(1)})});
  EXPECT_EQ(statuses(test_case), only_completed);  // a SuperKernel has the scheduler on
  Case by_itself = alone(test_case);
  EXPECT_EQ(statuses(by_itself), only_error);
  by_itself.latitudes = {"L-10=hang"};
  EXPECT_EQ(statuses(by_itself), only_stalled);
  by_itself.latitudes = {"L-10=fall-through"};
  EXPECT_EQ(statuses(by_itself), only_completed);
}

/// Vector cores exchange their words over a SyncAll.
Case exchange(int blocks, int wide, std::string options = "") {
  Program body = put(gm(0, by_core(8)), 5) + Program{sync_all()} +
                 move(gm(1, by_core(8)), gm(0, shifted_core(8, 1)));
  return fused(
      {region("A", 32), region("B", 32), region("C", 32)},
      {kernel("k0", vec, blocks, body), kernel("k1", vec, wide, put(gm(2, by_core(8)), 9))},
      std::move(options));
}

TEST(Emulator, SyncAllOrdersTheVectorCores) {
  expect_words(exchange(4, 4), 1, times(32, 5));
  expect_words(alone(exchange(4, 4)), 1, times(32, 5));
}

TEST(Emulator, SyncAllInANarrowerSubKernelStalls) {
  Emulator emulator({});
  run_all(emulator, exchange(2, 4), 5, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
    for (const Waiting& waiting : outcome.waiting) {
      EXPECT_EQ(waiting.kind, WaitKind::full_core) << how;
    }
    EXPECT_FALSE(outcome.waiting.empty());
  });
}

TEST(Emulator, FeedSyncAllLetsItComplete) {
  const Case test_case = exchange(2, 4, "feed-sync-all=1");
  expect_words(test_case, 1, times(16, 5));
  Emulator emulator({});
  const RunResult result = emulator.run(test_case, {});
  ASSERT_EQ(result.outcome.counts.size(), 1u);
  EXPECT_EQ(result.outcome.counts[0].inserted[0].feed_joins, 2);
  EXPECT_EQ(result.outcome.counts[0].inserted[1].barrier_before, 4);
}

TEST(Emulator, FeedSyncAllWorksInMixSubKernelsOfBothForms) {
  const Program aiv = Program{sync_all(false)} + Program{sync_all()} +
                      put(gm(0, Expr{.block = 16, .sub = 8}), 4) + Program{sync_all(false)};
  const Program aic = {sync_all(false), sync_all(false)};
  const Case test_case = fused({region("A", 32), region("B", 32)},
                               {kernel("k0", mix12, 1, aiv, aic),
                                kernel("k1", mix12, 2, put(gm(1, Expr{.block = 16, .sub = 8}), 9))},
                               "feed-sync-all=1");
  expect_words(test_case, 0, times(16, 4));
  Case without = test_case;
  without.mix.options = "";
  EXPECT_EQ(statuses(without), only_stalled);
}

TEST(Emulator, MixedSyncAllWithoutCubeCoresStalls) {
  EXPECT_EQ(statuses(fused({region("A", 8)}, {kernel("k", vec, 2, {sync_all(false)})})),
            only_stalled);
}

TEST(Emulator, SyncAllOfVectorCoresOnACubeCoreIsAnError) {
  Case test_case = fused({region("A", 8)}, {kernel("k", cube, 1, {}, {sync_all()})});
  EXPECT_EQ(statuses(test_case), only_error);
  test_case.latitudes = {"L-12=joins-cubes"};
  EXPECT_EQ(statuses(test_case), only_completed);
  test_case.latitudes = {"L-12=no-effect"};
  EXPECT_EQ(statuses(test_case), only_completed);
}

/// Every pair of kinds, early start off, on and without own calls: k1 sees what k0 stored.
TEST(Emulator, WhatOneSubKernelStoredTheNextOneReads) {
  for (const KernelType first : all_kernel_types) {
    for (const KernelType second : all_kernel_types) {
      for (const char* options : {"early-start=0", "", "early-start=2", "debug-sync-all=1",
                                  "debug-dcci-all=1:debug-sync-all=1"}) {
        const Program cube_put =
            Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(0, by_block(8)))};
        const Program vector_put =
            put(gm(0, is_aiv_kind(first) ? by_core(8) : by_block(8, 16)), 11);
        const Operand from =
            gm(0, is_aiv_kind(second) ? Expr{.core = 8, .shift = 1} : Expr{.block = 8, .shift = 1});
        const Program vector_get =
            move(gm(1, is_aiv_kind(second) ? by_core(8, 16) : by_block(8, 16)), from);
        const Program cube_get = Program{copy(in(Space::l1), from)} + handed(mte2, mte3) +
                                 Program{copy(gm(1, by_block(8)), in(Space::l1))};
        const Case test_case = fused({region("A", 64, 1000), region("B", 64, 2000)},
                                     {kernel("k0", first, 2, vector_put, cube_put),
                                      kernel("k1", second, 2, vector_get, cube_get)},
                                     options);
        Emulator emulator({});
        std::set<std::vector<std::uint32_t>> seen;
        run_all(emulator, test_case, 3, [&](const Outcome& outcome, const std::string& how) {
          ASSERT_EQ(outcome.status, OutcomeStatus::completed)
              << to_string(first) << " " << to_string(second) << " " << options << " " << how;
          seen.insert(outcome.memory);
        });
        Emulator fresh({});
        seen.insert(fresh.run(alone(test_case), {}).outcome.memory);
        EXPECT_EQ(seen.size(), 1u)
            << to_string(first) << " " << to_string(second) << " " << options;
      }
    }
  }
}

TEST(Emulator, OwnEarlyStartCallsKeepTheOrderOfWhatCameBefore) {
  for (const KernelType first : all_kernel_types) {
    for (const KernelType second : all_kernel_types) {
      for (const int wide : {1, 2}) {
        const Instruction start = make(Op::set_next_task_start);
        Instruction set_start = start;
        set_start.pipe = mte3;
        set_start.aic_pipe = fix;
        const Instruction wait_end = make(Op::wait_pre_task_end);
        const Program cube_put =
            Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(0, by_block(8))), set_start};
        const Program vector_put =
            put(gm(0, is_aiv_kind(first) ? by_core(8) : by_block(8, 32)), 11) + Program{set_start};
        const Operand from = gm(0, is_aiv_kind(second) ? by_core(8) : by_block(8));
        const Program vector_get =
            Program{wait_end} +
            move(gm(1, is_aiv_kind(second) ? by_core(8, 32) : by_block(8, 32)), from);
        const Program cube_get = Program{wait_end, copy(in(Space::l1), from)} + handed(mte2, mte3) +
                                 Program{copy(gm(1, by_block(8)), in(Space::l1))};
        const Case test_case = fused({region("A", 64, 1000), region("B", 64, 2000)},
                                     {kernel("k0", first, 3 - wide, vector_put, cube_put),
                                      kernel("k1", second, wide, vector_get, cube_get)});
        Emulator emulator({});
        std::set<std::vector<std::uint32_t>> seen;
        run_all(emulator, test_case, 4, [&](const Outcome& outcome, const std::string& how) {
          ASSERT_EQ(outcome.status, OutcomeStatus::completed)
              << to_string(first) << " " << to_string(second) << " " << how;
          seen.insert(outcome.memory);
        });
        Emulator fresh({});
        seen.insert(fresh.run(alone(test_case), {}).outcome.memory);
        EXPECT_EQ(seen.size(), 1u) << to_string(first) << " " << to_string(second) << wide;
      }
    }
  }
}

TEST(Emulator, IndicesAndBlockNumbersAreThoseOfTheContract) {
  Program ask;
  for (const Op op :
       {Op::get_block_num, Op::get_block_idx, Op::get_sub_block_idx, Op::get_task_ratio}) {
    ask.push_back(make(op));
  }
  const Case test_case =
      fused({region("A", 8)}, {kernel("k0", mix11, 1, ask, ask), kernel("k1", mix12, 2, {})});
  Emulator emulator({});
  const Outcome outcome = emulator.run(test_case, {}).outcome;
  ASSERT_EQ(outcome.queries.size(), 12u);
  std::vector<std::int64_t> values;
  for (const QueryRecord& query : outcome.queries) values.push_back(query.value);
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, 0, 0, 1, 1, 0, 0, 2, 1, 1, 1, 2}));
  const Outcome own = emulator.run(alone(test_case), {}).outcome;
  ASSERT_EQ(own.queries.size(), 8u);
  EXPECT_EQ(own.queries[7].value, 1);
}

TEST(Emulator, ATPipeThatReusesItsBuffersNeedsABarrierWhenFused) {
  // The second TPipe starts at UB word 0 again, where the first one's store may still read.
  const auto init = [](int pipe) {
    Instruction in = make(Op::tpipe_init);
    in.object = static_cast<std::int16_t>(pipe);
    return in;
  };
  const auto end = [](int pipe) {
    Instruction in = make(Op::tpipe_end);
    in.object = static_cast<std::int16_t>(pipe);
    return in;
  };
  const Program body =
      Program{init(0)} + put(gm(0), 1) + Program{end(0), init(1)} + put(gm(1), 2) + Program{end(1)};
  Case test_case = fused({region("A", 8), region("B", 8)}, {kernel("k", vec, 1, body)});
  test_case.mix.sub_kernels[0].names = {"p1", "p2"};
  EXPECT_EQ(first_words(test_case, 0), (std::set<std::uint32_t>{1, 2}));
  EXPECT_EQ(first_words(alone(test_case), 0), (std::set<std::uint32_t>{1}));
  Case repaired = test_case;
  auto& program = repaired.mix.sub_kernels[0].aiv;
  program.insert(program.begin() + 6, barrier());
  EXPECT_EQ(first_words(repaired, 0), (std::set<std::uint32_t>{1}));
}

TEST(Emulator, QueuesHandTheirTensorsOver) {
  enum Name { pipe, in_queue, out_queue, x, y };
  const auto use = [](Op op, int object, int other = -1) {
    Instruction in = make(op);
    in.object = static_cast<std::int16_t>(object);
    in.other = static_cast<std::int16_t>(other);
    return in;
  };
  const auto buffer = [&](int queue, Position position) {
    Instruction in = use(Op::init_buffer, queue, pipe);
    in.position = position;
    in.num = 2;
    in.count = 8;
    return in;
  };
  Instruction read = copy(named(x), gm(0, Expr{.core = 32, .repeat = {8, 0, 0}}));
  Instruction write = copy(gm(1, Expr{.core = 32, .repeat = {8, 0, 0}}), named(y));
  const Program body = {
      use(Op::tpipe_init, pipe), buffer(in_queue, Position::vecin),
      buffer(out_queue, Position::vecout),
      repeat(4, {use(Op::alloc_tensor, in_queue, x), read, use(Op::enque, in_queue, x),
                 use(Op::deque, in_queue, x), use(Op::alloc_tensor, out_queue, y),
                 adds(named(y), named(x), 5), use(Op::enque, out_queue, y),
                 use(Op::free_tensor, in_queue, x), use(Op::deque, out_queue, y), write,
                 use(Op::free_tensor, out_queue, y)}),
      use(Op::tpipe_end, pipe)};
  Case test_case = fused({region("A", 64, 1, 1), region("B", 64)}, {kernel("k", vec, 2, body)});
  test_case.mix.sub_kernels[0].names = {"pipe", "in", "out", "x", "y"};
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 64; ++i) expected.push_back(6 + i);
  expect_words(test_case, 1, expected);
  expect_words(alone(test_case), 1, expected);
}

}  // namespace
}  // namespace skcts::emulator
