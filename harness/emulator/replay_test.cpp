// Schedules: recorded, replayed bit for bit, and noticed when they do not fit.
#include <gtest/gtest.h>

#include "harness/emulator/chooser.h"
#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;

/// A mix with races of all sorts, whose memory depends on the schedule and the cache; it stalls for
/// want of a fourth raise.
Case racing() {
  const Program body = Program{duplicate(ub(0), 1, 32), duplicate(ub(8), 2, 32),
                               store(gm(0, by_core(1)), 77), load(gm(1)), raise(3, 0, mte3)} +
                       put(gm(0, by_core(8, 16)), 5, 64) +
                       Program{copy(gm(1, by_core(16)), ub(0), 16), wait_raise(3)};
  return fused({region("A", 64), region("B", 64)},
               {kernel("k0", KernelType::mix_aiv_1_0, 3, body),
                kernel("k1", KernelType::mix_aic_1_2, 2, body)},
               "feed-sync-all=1");
}

TEST(Replay, EveryStrategyReplaysBitForBit) {
  Emulator recorder({});
  Emulator player({});
  for (const char* text : all_strategies) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      RunRequest request;
      request.strategy = strategy(text, seed);
      request.want_trace = true;
      const RunResult first = recorder.run(racing(), request);
      RunRequest again;  // the request's own strategy must not matter
      again.replay = &first.schedule;
      again.want_trace = true;
      const RunResult second = player.run(racing(), again);
      EXPECT_TRUE(second.replay_fitted) << text;
      EXPECT_EQ(second.outcome, first.outcome) << text;
      EXPECT_EQ(second.schedule, first.schedule) << text;
      EXPECT_EQ(second.trace, first.trace) << text;
      EXPECT_EQ(second.steps, first.steps) << text;
      EXPECT_FALSE(first.trace.empty());
    }
  }
}

TEST(Replay, AUsedEmulatorIsLikeAFreshOne) {
  Emulator used({});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RunRequest request;
    request.strategy = strategy("random", seed);
    (void)used.run(alone(racing()), request);
    Emulator fresh({});
    const RunResult a = used.run(racing(), request);
    const RunResult b = fresh.run(racing(), request);
    EXPECT_EQ(a.outcome, b.outcome);
    EXPECT_EQ(a.schedule, b.schedule);
  }
}

TEST(Replay, AScheduleThatDoesNotFitIsNoticed) {
  Emulator emulator({});
  RunRequest request;
  request.strategy = strategy("random", 3);
  RunResult first = emulator.run(racing(), request);
  const auto fits = [&](const Schedule& schedule) {
    RunRequest again;
    again.replay = &schedule;
    return emulator.run(racing(), again).replay_fitted;
  };
  ASSERT_TRUE(fits(first.schedule));
  Schedule shorter = first.schedule;
  shorter.choices.pop_back();
  EXPECT_FALSE(fits(shorter));
  Schedule longer = first.schedule;
  longer.choices.push_back(0);
  EXPECT_FALSE(fits(longer));
  Schedule wild = first.schedule;
  wild.choices[4] = 1'000'000;
  EXPECT_FALSE(fits(wild));
  Schedule nameless = first.schedule;
  nameless.strategy = "whatever";
  EXPECT_FALSE(fits(nameless));
}

TEST(Replay, ZeroChoicesAreASchedule) {
  // What a shrinker leaves of a schedule: every choice the first one.
  Emulator emulator({});
  Schedule zeros{"random/random", 0, std::vector<std::uint32_t>(100'000, 0)};
  RunRequest request;
  request.replay = &zeros;
  request.step_limit = 100'000;
  const RunResult result = emulator.run(racing(), request);
  EXPECT_EQ(result.outcome.status, OutcomeStatus::stalled) << result.outcome.reason;
}

TEST(Replay, TheStepLimitEndsARun) {
  Emulator emulator({});
  RunRequest request;
  request.step_limit = 20;
  const RunResult result = emulator.run(racing(), request);
  EXPECT_EQ(result.outcome.status, OutcomeStatus::error);
  EXPECT_EQ(result.outcome.reason, "step limit");
  EXPECT_EQ(result.steps, 20);
}

TEST(Random, EqualSeedsGiveEqualStreamsInTheirBounds) {
  Random a(5);
  Random b(5);
  Random c(6);
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t x = a.below(7);
    EXPECT_LT(x, 7u);
    EXPECT_EQ(x, b.below(7));
    differs |= x != c.below(7);
  }
  EXPECT_TRUE(differs);
}

TEST(EnabledSet, KeepsItsMembers) {
  EnabledSet set;
  set.reset(10);
  for (const std::uint32_t agent : {1u, 4u, 9u}) set.set(agent, true);
  set.set(4, true);
  set.set(1, false);
  set.set(2, false);
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains(4));
  EXPECT_TRUE(set.contains(9));
  EXPECT_FALSE(set.contains(1));
}

}  // namespace
}  // namespace skcts::emulator
