#include "harness/campaign/straighten.h"

#include <gtest/gtest.h>

namespace skcts::campaign {
namespace {

/// Each choice says which core makes the next step; 0 goes on with the one that made the last.
RunResult walk(const Schedule& schedule, std::size_t steps) {
  RunResult run;
  run.schedule = schedule;
  run.schedule.choices.resize(steps, 0);
  std::int32_t core = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    if (run.schedule.choices[i] != 0) core = static_cast<std::int32_t>(run.schedule.choices[i] % 3);
    TraceEvent event;
    event.begin = event.end = static_cast<std::int64_t>(i);
    event.core = {CoreKind::aiv, core};
    run.trace.push_back(event);
  }
  return run;
}

TEST(Straighten, CountsHowOftenCoresChange) {
  EXPECT_EQ(context_switches({}), 0);
  EXPECT_EQ(context_switches(walk({.choices = {1, 0, 2, 2, 1}}, 5).trace), 2);
  std::vector<TraceEvent> trace = walk({.choices = {1, 2, 1}}, 3).trace;
  std::swap(trace[0], trace[1]);  // The order of beginning counts, not that of the list.
  EXPECT_EQ(context_switches(trace), 2);
}

// The failure: core 2 makes a step at some time behind one of core 1.
TEST(Straighten, LeavesTheSwitchesThatTheFailureNeeds) {
  const Schedule messy{.strategy = "random", .choices = {1, 2, 1, 0, 2, 1, 2, 2, 1, 0, 1, 2}};
  const RunSchedule shows = [](const Schedule& schedule, RunResult& result) {
    result = walk(schedule, 12);
    bool one = false;
    for (const TraceEvent& event : result.trace) {
      one = one || event.core.index == 1;
      if (one && event.core.index == 2) return true;
    }
    return false;
  };
  const Straightened found = straighten(messy, shows, 1000);
  EXPECT_TRUE(found.improved);
  EXPECT_EQ(found.switches, 1);
  EXPECT_EQ(found.run.schedule.choices.size(), 12u);  // As it was recorded.
  EXPECT_TRUE(found.run.trace.empty());
  EXPECT_LT(found.runs, 1000);
  const Straightened bounded = straighten(messy, shows, 3);
  EXPECT_EQ(bounded.runs, 3);
}

TEST(Straighten, KeepsAScheduleOfWhichNothingCanGo) {
  const RunSchedule never = [](const Schedule&, RunResult&) { return false; };
  EXPECT_FALSE(straighten({.choices = {1, 2}}, never, 10).improved);
  const RunSchedule exact = [](const Schedule& schedule, RunResult& result) {
    result = walk(schedule, 2);
    return schedule.choices == std::vector<std::uint32_t>{1, 2};
  };
  EXPECT_FALSE(straighten({.choices = {1, 2}}, exact, 100).improved);
}

}  // namespace
}  // namespace skcts::campaign
