#include "generators/shares.h"

#include <algorithm>
#include <numeric>

namespace skcts::generators {

int Shares::median_sub_kernels() const {
  return sub_kernels.empty() ? 0 : sub_kernels[sub_kernels.size() / 2];
}

std::int64_t Shares::median_instructions() const {
  return executed_instructions.empty() ? 0
                                       : executed_instructions[executed_instructions.size() / 2];
}

double Shares::mean_instructions() const {
  const auto sum =
      std::accumulate(executed_instructions.begin(), executed_instructions.end(), std::int64_t{0});
  return cases == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(cases);
}

Shares shares_of(std::uint64_t campaign_seed, std::int64_t count, const Focus& focus,
                 const Profile& profile) {
  Shares shares;
  shares.cases = count;
  for (std::int64_t i = 0; i < count; ++i) {
    const Features f =
        features_of(generate(campaign_seed, static_cast<std::uint64_t>(i), focus, profile));
    for (std::size_t n = 0; n < feature_count; ++n) {
      if (f.has(static_cast<Feature>(n))) ++shares.count[n];
    }
    shares.sub_kernels.push_back(f.sub_kernels);
    shares.executed_instructions.push_back(f.executed_instructions);
  }
  std::sort(shares.sub_kernels.begin(), shares.sub_kernels.end());
  std::sort(shares.executed_instructions.begin(), shares.executed_instructions.end());
  return shares;
}

}  // namespace skcts::generators
