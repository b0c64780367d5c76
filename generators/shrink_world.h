// The steps by which what lies around the sub kernels of a case gets smaller.
#pragma once

#include <vector>

#include "generators/shrink_passes.h"

namespace skcts::generators {

/// Adds the steps for actors, events, marks, streams, host writes and launches side by side.
void add_world_steps(const Case& value, std::vector<Step>& steps);

/// True for the passes of these steps.
bool is_of_world(Pass pass);

void apply_to_world(Case& c, const Step& step);

/// Takes the sub kernels first..last-1 out of the plan, and out of the mix the events that they
/// take part in, at both ends.
void leave_world(Case& c, int first, int last);

}  // namespace skcts::generators
