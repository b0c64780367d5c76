// Which strategies a case is run under: they rotate with the index, so that every property meets
// every pair of scheduler and cache policy.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/target/target.h"

namespace skcts::campaign {

/// `count` strategies for case `index`, each with a seed of its own drawn from the arguments.
std::vector<Strategy> strategies_for(std::uint64_t seed, std::uint64_t index, int count);

/// All strategies that a failure is searched with while it is shrunk: the one that showed it first
/// comes first, then the same with other seeds, then the others.
std::vector<Strategy> search_strategies(const Strategy& first);

/// A well mixed hash of two numbers.
std::uint64_t mix_seeds(std::uint64_t a, std::uint64_t b);

}  // namespace skcts::campaign
