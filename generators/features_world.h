// The features of what lies around the sub kernels.
#pragma once

#include <vector>

#include "generators/features.h"
#include "generators/groups.h"

namespace skcts::generators {

/// What only the path aclgraph has.
void add_captured_features(const Case& value, const Options& options,
                           const std::vector<LaunchGroup>& groups, Features& out);

/// Adds the launches of a case, its marks, events and actors, and the size of its widest launch.
void add_world_features(const Case& value, const Options& options,
                        const std::vector<LaunchGroup>& groups, Features& out);

}  // namespace skcts::generators
