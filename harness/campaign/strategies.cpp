// The rotation of strategies.
#include "harness/campaign/strategies.h"

#include <array>
#include <cstddef>

namespace skcts::campaign {
namespace {

using enum StrategyKind;

/// Neighbours in this list differ in scheduler and in cache policy, so that two strategies in a
/// row make an unlike pair.
constexpr std::array<Strategy, 12> rotation{{
    {random, 3, CachePolicy::random, 0},
    {pct, 3, CachePolicy::keep, 0},
    {starve, 3, CachePolicy::drop, 0},
    {round_robin, 3, CachePolicy::random, 0},
    {random, 3, CachePolicy::keep, 0},
    {starve, 3, CachePolicy::random, 0},
    {pct, 5, CachePolicy::drop, 0},
    {random, 3, CachePolicy::drop, 0},
    {round_robin, 3, CachePolicy::keep, 0},
    {pct, 2, CachePolicy::random, 0},
    {starve, 3, CachePolicy::keep, 0},
    {round_robin, 3, CachePolicy::drop, 0},
}};

constexpr int repeats_of_first = 6;

}  // namespace

std::uint64_t mix_seeds(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 12) + (a >> 4));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::vector<Strategy> strategies_for(std::uint64_t seed, std::uint64_t index, int count) {
  std::vector<Strategy> chosen;
  // The hash keeps the rotation from beating in step with features that follow the index.
  const std::uint64_t start = mix_seeds(seed, index);
  for (int i = 0; i < count; ++i) {
    const auto step = static_cast<std::uint64_t>(i);
    Strategy strategy = rotation[static_cast<std::size_t>((start + step) % rotation.size())];
    strategy.seed = mix_seeds(start, step);
    chosen.push_back(strategy);
  }
  return chosen;
}

std::vector<Strategy> search_strategies(const Strategy& first) {
  std::vector<Strategy> all{first};
  for (int i = 1; i <= repeats_of_first; ++i) {
    Strategy again = first;
    again.seed = mix_seeds(first.seed, static_cast<std::uint64_t>(i));
    all.push_back(again);
  }
  for (Strategy other : rotation) {
    if (other.kind == first.kind && other.cache == first.cache) continue;
    other.seed = mix_seeds(first.seed, 100 + all.size());
    all.push_back(other);
  }
  return all;
}

}  // namespace skcts::campaign
