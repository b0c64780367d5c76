// Sub kernels that stand one behind the other in a launch.
#pragma once

#include <vector>

#include "generators/demand.h"
#include "generators/generate.h"

namespace skcts::generators {

/// The neighbours of a case; their relation is never `any`.
std::vector<Neighbours> neighbours_of(const Case& value);

/// The wanted ones are among those of a case.
bool are_among(const Neighbours& wanted, const std::vector<Neighbours>& found);

/// The relation that a feature of neighbours stands for.
Relation relation_of(const FeatureSet& features);

/// The chip has the cores that the fewest blocks with this relation need.
bool fits(const Neighbours& wanted, const Profile& profile);

/// Two more demands, in front of all others: their types, and blocks that make the relation.
void demand_neighbours(const Neighbours& wanted, Demands& demands);

}  // namespace skcts::generators
