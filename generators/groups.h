// The launches that a case's plan and scope marks make of its sub kernels.
#pragma once

#include <optional>
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
  std::optional<Launch> launch;  ///< Whatever the sub kernels need (ACL-9).
};

/// All launches in the order in which they are written.
std::vector<LaunchGroup> launch_groups(const Case& value);

/// The launches that a fused list becomes: itself on the path ge; on aclgraph it is cut for batch
/// mode (ACL-7), or each sub kernel is launched by itself (ACL-9).
std::vector<LaunchGroup> cut_list(const Case& value, const Options& options,
                                  const LaunchGroup& list);

/// Shape that a launch counts the sub kernel with.
inline Shape counted_shape(const SubKernel& s) {
  return {s.counted_type(), s.counted_blocks()};
}

/// The launch of a group.
Launch launch_of_group(const Mix& mix, const Options& options, const LaunchGroup& group);

/// True when a fused launch of the group keeps no order but that of streams and events.
bool is_two_stream(const Mix& mix, const Options& options, const LaunchGroup& group);

}  // namespace skcts::generators
