// The features of what lies around the sub kernels.
#pragma once

#include <vector>

#include "generators/features.h"
#include "generators/groups.h"

namespace skcts::generators {

/// Work of a program stands where the call, SetNextTaskStart or WaitPreTaskEnd, would let it
/// overlap: behind the first, before the second.
bool has_work_beyond(const std::vector<Instruction>& program, Op call);

/// What only the path aclgraph has.
void add_captured_features(const Case& value, const Options& options,
                           const std::vector<LaunchGroup>& groups, Features& out);

/// Adds the launches of a case, its marks, events and actors, and the size of its widest launch.
void add_world_features(const Case& value, const Options& options,
                        const std::vector<LaunchGroup>& groups, Features& out);

}  // namespace skcts::generators
