#include "harness/judge/ending.h"

#include <array>

#include <gtest/gtest.h>

namespace skcts::judge {
namespace {

constexpr std::array probes{Probe::not_run, Probe::passed, Probe::failed};

/// The sentence of the design, written once more as code: what a table must come to.
Ending as_written(RunEnd end, bool stall_allowed, Probe probe, bool again) {
  const bool silent = end == RunEnd::timeout || end == RunEnd::crash || end == RunEnd::lost;
  if (end == RunEnd::device_lost || (silent && probe == Probe::failed)) {
    return {Next::settle, Status::device_lost};
  }
  if (end == RunEnd::protocol_error) return {Next::settle, Status::protocol_error};
  if (end == RunEnd::not_supported) return {Next::settle, Status::not_supported};
  if (end == RunEnd::crash) return {Next::settle, Status::crash};
  if (end == RunEnd::timeout && stall_allowed && probe == Probe::passed) {
    return {Next::settle, Status::pass};
  }
  if (!again) return {end == RunEnd::lost ? Next::ask_again : Next::ask_again_longer};
  return {Next::settle, end == RunEnd::lost ? Status::crash : Status::timeout};
}

TEST(Ending, EveryRowOfTheTableIsAsTheDesignSays) {
  for (int i = static_cast<int>(RunEnd::timeout); i < run_end_count; ++i) {
    const auto end = static_cast<RunEnd>(i);
    for (const bool stall_allowed : {false, true}) {
      for (const Probe probe : probes) {
        for (const bool again : {false, true}) {
          EXPECT_EQ(ending_of(end, stall_allowed, probe, again),
                    as_written(end, stall_allowed, probe, again))
              << to_string(end) << stall_allowed << static_cast<int>(probe) << again;
        }
      }
    }
  }
}

TEST(Ending, NothingIsAskedAThirdTime) {
  for (int i = static_cast<int>(RunEnd::timeout); i < run_end_count; ++i) {
    for (const bool stall_allowed : {false, true}) {
      for (const Probe probe : probes) {
        EXPECT_EQ(ending_of(static_cast<RunEnd>(i), stall_allowed, probe, true).next, Next::settle);
      }
    }
  }
}

TEST(Ending, ExitCodes) {
  const auto code = [](RunEnd end) {
    return exit_code_of(ending_of(end, false, Probe::passed, true).status);
  };
  EXPECT_EQ(code(RunEnd::timeout), ExitCode::failure);
  EXPECT_EQ(code(RunEnd::crash), ExitCode::failure);
  EXPECT_EQ(code(RunEnd::lost), ExitCode::failure);
  EXPECT_EQ(code(RunEnd::protocol_error), ExitCode::failure);
  EXPECT_EQ(code(RunEnd::not_supported), ExitCode::pass);
  EXPECT_EQ(code(RunEnd::device_lost), ExitCode::target_lost);
}

TEST(Ending, TheVerdictSaysWhatHappenedAndWhoWaited) {
  const Case test_case;
  const Allowed allowed;
  Question question{test_case, allowed, {}};
  question.property = RuleId::sync_5;
  RunResult run = unanswered(RunEnd::timeout, "No answer within 100 ms.");
  run.waiting.push_back({.core = {CoreKind::aiv, 3}, .kind = WaitKind::cross_core_flag, .id = 7});
  const Verdict verdict = verdict_of(question, run, Status::timeout);
  EXPECT_EQ(verdict.key, "timeout/SYNC-5/no-answer");
  EXPECT_EQ(verdict.sentence,
            "No answer within 100 ms. Last asked: aiv 3 waits for cross-core-flag 7.");
  EXPECT_FALSE(verdict.conforms());
  EXPECT_EQ(verdict_of(question, run, Status::pass), Verdict{});
}

}  // namespace
}  // namespace skcts::judge
