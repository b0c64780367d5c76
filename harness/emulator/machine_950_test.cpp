// What the 950 does otherwise: mode 4, waits on a pipe, V in order, its soft barrier and its end.
#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;
using enum KernelType;
using ::testing::ElementsAre;

constexpr auto vec = mix_aiv_1_0;

Case on_950(Case test_case) {
  test_case.profile = "tiny-950";
  return test_case;
}
struct Seen {
  std::set<OutcomeStatus> statuses;
  std::set<std::vector<std::uint32_t>> memories;
  std::vector<Waiting> waiting;  ///< Of the last run that stalled.
};
Seen all_of(const Case& test_case, int seeds = 20) {
  Seen seen;
  Emulator emulator({});
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string&) {
    seen.statuses.insert(outcome.status);
    seen.memories.insert(outcome.memory);
    if (outcome.status == OutcomeStatus::stalled) seen.waiting = outcome.waiting;
  });
  return seen;
}
const std::set<OutcomeStatus> only_completed = {OutcomeStatus::completed};
const std::set<OutcomeStatus> only_stalled = {OutcomeStatus::stalled};
const std::set<OutcomeStatus> either = {OutcomeStatus::completed, OutcomeStatus::stalled};

Instruction wait_on(Pipe pipe, int id) {
  Instruction in = wait_raise(id);
  in.pipe = pipe;
  return in;
}
Program on_sub(int sub, Program program) {
  for (Instruction& in : program) in = on(IndexName::sub, sub, sub, in);
  return program;
}
Case mixed(Program aiv, Program aic, std::vector<Region> regions = {region("A", 32, 1)}) {
  return on_950(
      fused(std::move(regions), {kernel("k", mix_aic_1_2, 1, std::move(aiv), std::move(aic))}));
}

TEST(Machine950, ModeFourJoinsACubeAndOneVectorCore) {
  // AIV 0 raises 3 on the cube, AIV 1 raises 19; the cube answers with 5 and with 5 + 16.
  const Case both = mixed({raise(3, 4, mte3), wait_on(s, 5)},
                          {wait_on(s, 3), wait_on(s, 19), raise(5, 4, s), raise(21, 4, s)});
  EXPECT_EQ(all_of(both).statuses, only_completed);
  const Case one =
      mixed(on_sub(0, {raise(3, 4, s), wait_on(s, 5)}), {wait_on(s, 3), raise(5, 4, fix)});
  EXPECT_EQ(all_of(one).statuses, only_completed);
  const Case other = mixed(on_sub(1, {raise(3, 4, mte3)}), {wait_on(s, 3)});
  EXPECT_EQ(all_of(other).statuses, only_stalled);
  EXPECT_THAT(all_of(other).waiting,
              ElementsAre(Waiting{{CoreKind::aic, 0}, 0, 0, 0, WaitKind::cross_core_flag, 3}));
}

TEST(Machine950, ARaiseFollowsTheWorkOfItsPipe) {
  // AIV 0 stores and raises, the cube passes it on to AIV 1, which reads.
  const auto handed_over = [](Pipe pipe) {
    return mixed(on_sub(0, put(gm(0), 7) + Program{raise(3, 4, pipe)}) +
                     on_sub(1, Program{wait_on(s, 5)} + move(gm(1), gm(0))),
                 {wait_on(s, 3), raise(21, 4, s)}, {region("A", 8, 1), region("B", 8)});
  };
  EXPECT_EQ(all_of(handed_over(mte3)).memories.size(), 1u);
  EXPECT_GT(all_of(handed_over(mte2)).memories.size(), 1u);
  EXPECT_GT(all_of(handed_over(s)).memories.size(), 1u);
}

TEST(Machine950, AWaitHoldsItsPipeOnly) {
  // The wait on MTE2 holds the copy behind it; V and MTE3 go on, and the raise comes after them.
  const Program aiv = on_sub(0, Program{wait_on(mte2, 5), copy(ub(64), gm(0))} + put(gm(1), 7) +
                                    Program{raise(3, 4, mte3)} + handed(mte2, mte3, 1) +
                                    Program{copy(gm(2), ub(64))});
  const Program aic = Program{wait_on(s, 3), produce(9)} + handed(m, fix) +
                      Program{fixpipe(gm(0)), raise(5, 4, fix)};
  const Case test_case = mixed(aiv, aic, {region("A", 8, 1), region("B", 8), region("C", 8)});
  const Seen seen = all_of(test_case);
  EXPECT_EQ(seen.statuses, only_completed);
  EXPECT_EQ(seen.memories.size(), 1u);
  // On the scalar unit it would hold the raise that the cube waits for.
  Case held = test_case;
  held.mix.sub_kernels[0].aiv[0].pipe = s;
  EXPECT_EQ(all_of(held).statuses, only_stalled);
  // On A2 the pipe means nothing.
  Case on_a2 =
      fused({region("A", 8)}, {kernel("k", mix_aic_1_1, 1, {wait_on(mte2, 5), raise(3, 2, mte3)},
                                      {wait_raise(3), raise(5, 2, fix)})});
  EXPECT_EQ(all_of(on_a2).statuses, only_stalled);
}

TEST(Machine950, AWaitOnAPipeThatNobodyEndsIsReported) {
  const Case test_case = mixed(on_sub(0, {wait_on(mte2, 21)}), {});
  const Seen seen = all_of(test_case);
  EXPECT_EQ(seen.statuses, only_stalled);
  EXPECT_NE(std::find(seen.waiting.begin(), seen.waiting.end(),
                      Waiting{{CoreKind::aiv, 0}, 0, 0, 0, WaitKind::cross_core_flag, 21}),
            seen.waiting.end());
}

TEST(Machine950, AWaitOnAPipeThatTheCoreHasNotIsNothing) {
  EXPECT_EQ(all_of(mixed({}, {wait_on(mte3, 5)})).statuses, only_completed);
  EXPECT_EQ(all_of(mixed({wait_on(fix, 5)}, {})).statuses, only_completed);
}

TEST(Machine950, TheVectorPipeIsOrderedByData) {
  const Program twice = Program{duplicate(ub(0), 1), duplicate(ub(0), 2)} + handed(v, mte3) +
                        Program{copy(gm(0), ub(0))};
  const Case a2 = fused({region("A", 8)}, {kernel("k", vec, 1, twice)});
  EXPECT_GT(all_of(a2).memories.size(), 1u);
  EXPECT_EQ(all_of(on_950(a2)).memories.size(), 1u);
  // MTE2 is not.
  const Program loads = Program{copy(ub(0), gm(0)), copy(ub(0), gm(1))} + handed(mte2, mte3) +
                        Program{copy(gm(2), ub(0))};
  const Case moved =
      fused({region("A", 8, 1), region("B", 8, 2), region("C", 8)}, {kernel("k", vec, 1, loads)});
  EXPECT_GT(all_of(on_950(moved)).memories.size(), 1u);
}

TEST(Machine950, FullCoreSyncsAndBoundariesHoldAtEveryRatio) {
  for (const KernelType type : {mix_aic_1_1, mix_aic_1_2}) {
    Program aiv = put(gm(0, by_core(8)), 4);
    aiv.push_back(sync_all(false));
    aiv = aiv + move(gm(1, by_core(8)), gm(0, shifted_core(8, 1)));
    for (const char* options : {"", "early-start=0", "debug-sync-all=1"}) {
      const Case test_case = on_950(fused(
          {region("A", 32), region("B", 32), region("C", 32), region("D", 16)},
          {kernel("k0", type, 2, aiv, {sync_all(false)}),
           kernel("k1", mix_aic_1_0, 2, {},
                  Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(3, by_block(8)))}),
           kernel("k2", vec, 2, move(gm(2, by_core(8)), gm(3, shifted_core(8, 1)))),
           kernel("k3", type, 2, move(gm(2, by_core(8)), gm(1, shifted_core(8, 1))),
                  Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(3, by_block(8)))})},
          options));
      const Seen seen = all_of(test_case, 10);
      EXPECT_EQ(seen.statuses, only_completed) << to_string(type) << options;
      EXPECT_EQ(seen.memories.size(), 1u) << to_string(type) << options;
    }
  }
}

Instruction soft(int cores = 0) {
  Instruction in = make(Op::soft_sync_all);
  in.src = gm(0);
  in.dst = ub(512);
  in.count = cores;
  return in;
}

TEST(Machine950, TheFirstRoundOfItsSoftBarrierLooksForTheVerySum) {
  // A core in its second barrier moves the sum past what a slow one of the first looks for (D-10).
  const Case twice =
      fused({region("W", 32), region("A", 8)}, {kernel("k", vec, 2, {soft(), soft()})});
  EXPECT_EQ(all_of(twice).statuses, only_completed);
  EXPECT_EQ(all_of(on_950(twice)).statuses, either);
  const Case once = fused({region("W", 32), region("A", 8)}, {kernel("k", vec, 2, {soft()})});
  EXPECT_EQ(all_of(on_950(once)).statuses, only_completed);
}

TEST(Machine950, ItsSoftBarrierCountsTheCoresOfTheLaunch) {
  const Case narrow = fused({region("W", 32), region("A", 8)},
                            {kernel("k0", vec, 2, {soft()}), kernel("k1", vec, 4, {})});
  EXPECT_EQ(all_of(narrow).statuses, only_completed);
  EXPECT_EQ(all_of(on_950(narrow)).statuses, only_stalled);
  Case told = on_950(narrow);
  told.mix.sub_kernels[0].aiv = {soft(2)};
  EXPECT_EQ(all_of(told).statuses, only_completed);
}

TEST(Machine950, TheEndOfASuperKernelMayLoseDirtyLines) {
  Case test_case = on_950(fused({region("A", 16, 1)}, {kernel("k", vec, 1, {store(gm(0), 7)})}));
  const auto first_words = [](const Case& value) {
    std::set<std::uint32_t> words;
    Emulator emulator({});
    run_all(emulator, value, 20, [&](const Outcome& outcome, const std::string&) {
      words.insert(words_of(value, outcome, 0, 0, 1)[0]);
    });
    return words;
  };
  EXPECT_EQ(first_words(test_case), (std::set<std::uint32_t>{7}));
  test_case.latitudes = {"L-37=lost"};
  EXPECT_EQ(first_words(test_case), (std::set<std::uint32_t>{1, 7}));
  EXPECT_EQ(first_words(alone(test_case)), (std::set<std::uint32_t>{7}));
}

TEST(Machine950, AMatmulServiceAnswersThere) {
  Instruction call = make(Op::matmul);
  call.dst = gm(2, by_core(8));
  call.src = gm(0);
  call.src_b = gm(1);
  call.count = 8;
  const Case test_case = on_950(fused({region("A", 8, 3), region("B", 8, 5), region("C", 32)},
                                      {kernel("k", mix_aic_1_2, 2, {call})}));
  const Seen seen = all_of(test_case);
  EXPECT_EQ(seen.statuses, only_completed);
  EXPECT_EQ(seen.memories.size(), 1u);
}

}  // namespace
}  // namespace skcts::emulator
