// The same failure on a schedule that is easier to follow.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/target/target.h"

namespace skcts::campaign {

/// How often a run passes from one core to another, in the order in which things began.
std::int64_t context_switches(const std::vector<TraceEvent>& trace);

/// Runs a schedule, with a trace; nothing: what it shows is another thing.
using RunSchedule = std::function<bool(const Schedule& schedule, RunResult& result)>;

struct Straightened {
  RunResult run;  ///< The best one, as recorded: its schedule fits. Its trace is gone.
  std::int64_t switches = 0;
  std::int64_t runs = 0;  ///< Calls of `shows`.
  bool improved = false;  ///< False: the given schedule stays.
};

/// Looks for a schedule with the fewest context switches, then the fewest choices that are not the
/// first one open, that still shows the same. Parts of the choices are set to 0 or left out, alone
/// or with all before them, large parts first, until no single choice can be, or `max_runs` are
/// used up.
Straightened straighten(const Schedule& schedule, const RunSchedule& shows, std::int64_t max_runs);

}  // namespace skcts::campaign
