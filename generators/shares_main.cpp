// Prints the shares of all features over generated mixes.
#include <cstdlib>

#include <fmt/format.h>

#include "generators/shares.h"

int main(int argc, char** argv) {
  using namespace skcts;
  const std::int64_t count = argc > 1 ? std::atoll(argv[1]) : 10000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const Profile* profile = argc > 3 ? find_profile(argv[3]) : &default_profile();
  if (count <= 0 || profile == nullptr) {
    fmt::print(stderr, "usage: generator_shares [count] [seed] [profile]; profiles: {}\n",
               join_names(profile_names()));
    return 2;
  }
  const generators::Shares s = generators::shares_of(seed, count, {}, *profile);
  for (std::size_t i = 0; i < generators::feature_count; ++i) {
    const auto f = static_cast<generators::Feature>(i);
    fmt::print("{:<28} {:6.2f} %\n", to_string(f), 100.0 * s.share(f));
  }
  fmt::print("{} mixes, seed {}, {}: median {} sub kernels, {} instructions (mean {:.1f})\n", count,
             seed, profile->name, s.median_sub_kernels(), s.median_instructions(),
             s.mean_instructions());
  return 0;
}
