// The launches that a case's plan and scope marks make of its sub kernels.
#pragma once

#include <vector>

#include "generators/launch.h"
#include "spec/case.h"

namespace skcts::generators {

/// Sub kernels that one launch takes, in order.
struct LaunchGroup {
  std::vector<int> subs;
  bool alone = false;   ///< Of one sub kernel by itself, no SuperKernel.
  bool beside = false;  ///< Other launches run at the same time.
  int step = 0;         ///< Of the effective plan.
};

/// All launches in the order in which they are written. Scope marks are read as the path `ge` has
/// them: the innermost mark alone counts.
std::vector<LaunchGroup> launch_groups(const Case& value);

/// Shape that a launch counts the sub kernel with.
inline Shape counted_shape(const SubKernel& s) {
  return {s.counted_type(), s.counted_blocks()};
}

/// The launch of a group.
Launch launch_of_group(const Mix& mix, const Options& options, const LaunchGroup& group);

/// True when a fused launch of the group keeps no order but that of streams and events.
bool is_two_stream(const Mix& mix, const Options& options, const LaunchGroup& group);

}  // namespace skcts::generators
