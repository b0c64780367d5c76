// Ends that the texts leave open and that some schedule, queue or option has to show.
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
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

/// "completed 1 2", of a word each of some regions; "stalled k0[3] k0[4]", places in order.
std::set<std::string> ends(const Case& test_case, EmulatorConfig config, int seeds,
                           std::vector<int> regions) {
  Emulator emulator(std::move(config));
  std::set<std::string> result;
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string&) {
    std::string text(to_string(outcome.status));
    for (const Waiting& waiting : outcome.waiting) {
      text += " [" + std::to_string(waiting.instruction) + "]";
    }
    for (const int r : regions) {
      if (outcome.memory.empty()) continue;
      text += " " + std::to_string(words_of(test_case, outcome, r, 0, 1).front());
    }
    result.insert(text);
  });
  return result;
}

Instruction past_cache(Operand dst, std::uint32_t value) {
  Instruction in = make(Op::write_gm_bypass);
  in.dst = dst;
  in.value.expr = words(static_cast<std::int32_t>(value));
  return in;
}

/// V waits for ever; its queue fills behind the wait.
TEST(Reach, QueuesHaveTheDepthThatIsAskedFor) {
  Instruction wait = make(Op::wait_flag);
  wait.event = {mte2, v};
  const Case stuck = fused(
      {region("X", 16)},
      {kernel("k0", mix_aiv_1_0, 1,
              {wait, adds(ub(8), ub(), 1), adds(ub(16), ub(8), 1), adds(ub(24), ub(16), 1)})});
  const auto at = [&](int depth) { return ends(stuck, {.queue_depth = depth}, 1, {}); };
  EXPECT_THAT(at(1), Each(HasSubstr("[1]")));
  EXPECT_THAT(at(2), Each(HasSubstr("[2]")));
  EXPECT_THAT(at(3), Each(HasSubstr("[3]")));
  Case pinned = stuck;
  pinned.latitudes = {"L-35=depth-1"};
  EXPECT_EQ(ends(pinned, {.queue_depth = 3}, 1, {}), at(1)) << "a case settles it";
  EXPECT_EQ(parse_emulator_config("queue-depth=3").value().queue_depth, 3);
  EXPECT_FALSE(parse_emulator_config("queue-depth=0").ok());
}

TEST(Reach, SyncAllInAivOnlyIsRefusedWhateverItIsFusedWith) {
  const Case synced = fused({}, {kernel("k0", aiv_only, 2, {sync_all()})});
  const EmulatorConfig refused{.latitudes = {latitude_pin(13, "refused")}};
  EXPECT_THAT(ends(synced, refused, 1, {}), Each(HasSubstr("refused")));
  EXPECT_THAT(ends(alone(synced), refused, 1, {}), Each(HasSubstr("refused")));
  EXPECT_THAT(ends(synced, {}, 1, {}), Each(HasSubstr("completed")));
}

/// Core 1 stores a flag through its cache and ends; core 0 polls for it.
TEST(Reach, WhatIsDirtyAtTheEndOfAProgramMayStaySo) {
  const Program stores = {on_core(1, store(gm(0), 1)), on_core(0, poll(gm(0), 1, PollVia::bypass))};
  const Case polled = fused({region("F", 16)}, {kernel("k0", mix_aiv_1_0, 2, stores)});
  const auto seen = ends(polled, {}, 60, {0});
  EXPECT_THAT(seen, Contains(HasSubstr("completed")));
  EXPECT_THAT(seen, Contains("stalled [1] 0"));
  // Launched alone the refresh is the sub kernel's own.
  EXPECT_THAT(ends(alone(polled), {}, 60, {0}), Each(HasSubstr("completed")));
}

TEST(Reach, StoresPastTheCacheAreUnderWayWhereverRefreshesLand) {
  Instruction read = make(Op::read_gm_bypass);
  read.src = gm(0);
  read.reg = 0;
  Instruction write = make(Op::write_gm_bypass);
  write.dst = gm(1);
  write.value.reg = 0;
  const Case raced = fused({region("X", 16, 101), region("Y", 16)},
                           {kernel("k0", mix_aiv_1_0, 2,
                                   {on_core(0, past_cache(gm(0), 501)), raise(4, 0, mte3),
                                    wait_raise(4), on_core(1, read), on_core(1, write)})});
  const EmulatorConfig at_once{.latitudes = {latitude_pin(25, "at-once")}};
  EXPECT_THAT(ends(raced, at_once, 60, {1}),
              IsSupersetOf({std::string("completed 101"), std::string("completed 501")}));
}

TEST(Reach, ACopyBeforeAMatmulCallMayEndBehindIt) {
  Instruction call = make(Op::matmul);
  call.dst = gm(1);
  call.src = gm(0);
  call.src_b = gm(0);
  call.count = 8;
  const Case raced = fused({region("IN", 8, 2), region("X", 16, 101)},
                           {kernel("k0", mix_aic_1_1, 1, move(gm(1), gm(0)) + Program{call})});
  const auto seen = ends(raced, {}, 400, {1});
  EXPECT_THAT(seen, Contains("completed 2"));
  EXPECT_EQ(seen.size(), 2u);
  const EmulatorConfig in_turn{.latitudes = {latitude_pin(1, "in-turn")}};
  EXPECT_EQ(ends(raced, in_turn, 60, {1}).size(), 1u);
}

TEST(Reach, ARefusedOptionStringLaunchesNothing) {
  Case planned =
      fused({region("X", 16)},
            {kernel("k0", mix_aiv_1_0, 2, {wait_raise(3)}), kernel("k1", aiv_only, 2, {})},
            "early-start=7");
  PlanStep first;
  first.kind = StepKind::alone;
  first.sub_kernels = {0};
  PlanStep second;
  second.sub_kernels = {1};
  planned.plan.steps = {first, second};
  EXPECT_THAT(ends(planned, {}, 1, {}), Each(HasSubstr("refused")));
}

/// More blocks than cores, up to what a case may have.
TEST(Reach, AsManyBlocksAsACaseMayHaveRunInWaves) {
  Case waves = alone(
      fused({region("X", 8 * 4096)}, {kernel("k0", mix_aiv_1_0, 4096, put(gm(0, by_core(8)), 7))}));
  Emulator emulator({});
  const RunResult run = emulator.run(waves, {});
  ASSERT_EQ(run.outcome.status, OutcomeStatus::completed) << run.outcome.reason;
  EXPECT_EQ(words_of(waves, run.outcome, 0, 8 * 4095, 1).front(), 7u);
}

}  // namespace
}  // namespace skcts::emulator
