// Sub kernels that stand one behind the other in a launch.
#pragma once

#include <vector>

#include "generators/demand.h"
#include "generators/generate.h"

namespace skcts::generators {

/// Two neighbours of a case.
struct NeighboursFound {
  Neighbours is;  ///< Their relation is never `any`.
  [[nodiscard]] bool has(const Neighbours& wanted) const {
    return is.first == wanted.first && is.second == wanted.second &&
           (wanted.relation == Relation::any || wanted.relation == is.relation);
  }
};

std::vector<NeighboursFound> neighbours_of(const Case& value);

/// The relation that a feature of neighbours stands for.
Relation relation_of(const FeatureSet& features);

/// The chip has the cores that the fewest blocks with this relation need.
bool fits(const Neighbours& wanted, const Profile& profile);

/// Two more demands, in front of all others: their types, and blocks that make the relation.
void demand_neighbours(const Neighbours& wanted, Demands& demands);

}  // namespace skcts::generators
