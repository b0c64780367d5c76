// How often each feature occurs over many generated mixes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "generators/generate.h"

namespace skcts::generators {

struct Shares {
  std::int64_t cases = 0;
  std::array<std::int64_t, feature_count> count{};
  std::vector<int> sub_kernels;                     ///< One a case, sorted.
  std::vector<std::int64_t> executed_instructions;  ///< One a case, sorted.

  [[nodiscard]] double share(Feature f) const {
    const auto n = static_cast<double>(count[static_cast<std::size_t>(f)]);
    return cases == 0 ? 0.0 : n / static_cast<double>(cases);
  }
  [[nodiscard]] int median_sub_kernels() const;
  [[nodiscard]] std::int64_t median_instructions() const;
  [[nodiscard]] double mean_instructions() const;
};

/// Looks at cases 0..count-1 of a campaign.
Shares shares_of(std::uint64_t campaign_seed, std::int64_t count, const Focus& focus,
                 const Profile& profile);

}  // namespace skcts::generators
