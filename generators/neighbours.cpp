#include "generators/neighbours.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "generators/groups.h"

namespace skcts::generators {

namespace {

std::pair<int, int> fewest_blocks(const Neighbours& wanted) {
  const int first = cores_of({wanted.first, 1});
  const int second = cores_of({wanted.second, 1});
  const int common = std::gcd(first, second);
  switch (wanted.relation) {
    case Relation::equal: return {second / common, first / common};
    case Relation::narrower: return {second / first + 1, 1};
    case Relation::wider: return {1, first / second + 1};
    default: return {1, 1};
  }
}

}  // namespace

std::vector<Neighbours> neighbours_of(const Case& value) {
  std::vector<Neighbours> found;
  for (const LaunchGroup& group : launch_groups(value)) {
    for (std::size_t i = 1; i < group.subs.size(); ++i) {
      const auto shape = [&](std::size_t at) {
        const SubKernel& s = value.mix.sub_kernels[static_cast<std::size_t>(group.subs[at])];
        return Shape{s.type, s.blocks};
      };
      const Shape before = shape(i - 1);
      const Shape here = shape(i);
      const Relation relation = cores_of(here) == cores_of(before)  ? Relation::equal
                                : cores_of(here) < cores_of(before) ? Relation::narrower
                                                                    : Relation::wider;
      found.push_back({before.type, here.type, relation});
    }
  }
  return found;
}

bool are_among(const Neighbours& wanted, const std::vector<Neighbours>& found) {
  return std::any_of(found.begin(), found.end(), [&wanted](const Neighbours& is) {
    return is.first == wanted.first && is.second == wanted.second &&
           (wanted.relation == Relation::any || wanted.relation == is.relation);
  });
}

Relation relation_of(const FeatureSet& features) {
  if (features.has(Feature::equal_neighbours)) return Relation::equal;
  return features.has(Feature::narrower_neighbour) ? Relation::narrower : Relation::wider;
}

bool fits(const Neighbours& wanted, const Profile& profile) {
  const auto [first, second] = fewest_blocks(wanted);
  const Shape shapes[] = {{wanted.first, first}, {wanted.second, second}};
  return fits(natural_launch(shapes), profile);
}

void demand_neighbours(const Neighbours& wanted, Demands& demands) {
  Demand first{.types = type_bit(wanted.first)};
  Demand second{.types = type_bit(wanted.second), .joined = true};
  if (wanted.relation != Relation::any) {
    std::tie(first.blocks, second.blocks) = fewest_blocks(wanted);
  }
  demands.fixed = true;
  demands.min_blocks = std::max({demands.min_blocks, first.blocks, second.blocks});
  demands.subs.insert(demands.subs.begin(), {first, second});
}

}  // namespace skcts::generators
