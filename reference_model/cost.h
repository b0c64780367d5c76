// What advice is measured by (CACHE-9, TASK-6): refreshes that are inserted under each option set,
// and the critical path with and without the calls of early start.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference_model/model.h"

namespace skcts::model {

/// Inserted refreshes of all cores and launches, the fewest that the contract promises.
struct RefreshCount {
  std::string_view name;  ///< "as given", "default", "before", ...
  bool counted = false;   ///< False: refused, or a launch stalls.
  std::int64_t accesses = 0;
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t debug = 0;
  std::int64_t total() const { return accesses + before + after + debug; }
  bool operator==(const RefreshCount&) const = default;
};

/// The case's launches under each placement of refreshes: as its options say, then all sub kernels
/// by default, listed in dcci-before-kernel-start, in dcci-after-kernel-end, in both, in
/// dcci-disable-on-kernel, and all with tiling offload.
std::vector<RefreshCount> refresh_counts(Model& model, const Case& test_case,
                                         const std::vector<LatitudePin>& pins = {});

/// Cycles from the first step to the end of the last, launch after launch, when each step starts as
/// soon as it can, by the cost table of the profile; -1: a launch stalls, or is refused.
std::int64_t critical_path(Model& model, const Case& test_case,
                           const std::vector<LatitudePin>& pins = {});

/// The critical path without one kind of call in one sub kernel.
struct CallSaving {
  std::int32_t sub_kernel = 0;
  Op call = Op::set_next_task_start;
  std::int64_t without = -1;
  bool operator==(const CallSaving&) const = default;
};
struct PathCosts {
  std::int64_t as_given = -1;
  std::int64_t without_starts = -1;  ///< No SetNextTaskStart,
  std::int64_t without_waits = -1;   ///< no WaitPreTaskEnd,
  std::int64_t without_both = -1;    ///< neither.
  std::vector<CallSaving> calls;     ///< In the order of the mix.
  bool operator==(const PathCosts&) const = default;
};
PathCosts path_costs(Model& model, const Case& test_case,
                     const std::vector<LatitudePin>& pins = {});

/// Both as two small tables.
std::string cost_text(const Case& test_case, const std::vector<RefreshCount>& refreshes,
                      const PathCosts& paths);

}  // namespace skcts::model
