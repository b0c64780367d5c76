// When each step of a launch starts if every one starts as soon as it can.
//
// The order is that of the analysis; pipes carry out one step at a time, in turn, and issuing takes
// no time of its own. With the cost table of a profile this gives a critical path (TASK-6), with
// one unit a step the logical time of a trace.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reference_model/launch_view.h"
#include "spec/profile.h"

namespace skcts::model {

/// How long a step takes.
using StepCost = std::function<std::int64_t(const Step&)>;

struct StepTime {
  std::int64_t issued = -1;  ///< The scalar unit comes to it; -1: never.
  std::int64_t start = -1;   ///< Nothing holds it any more; -1: it never executes.
  std::int64_t end = -1;
  /// What it waited for beyond its own core's turn, as a flat number: the raise, set, arrival or
  /// write that came last; -1: nothing.
  std::int32_t released_by = -1;
};

struct Timing {
  std::vector<StepTime> steps;  ///< By flat number.
  std::int64_t end = 0;         ///< Of the last step that executes.
};

Timing timing_of(const LaunchProgram& program, const StallResult& stall, const StepCost& cost);

/// One unit for what a core does, nothing for marks.
std::int64_t one_unit(const Step& step);
/// Cycles by the cost table of the profile; the refresh that ends a launch (CACHE-6) is left out.
StepCost cycles_of(const Profile& profile, const LaunchProgram& program);

}  // namespace skcts::model
