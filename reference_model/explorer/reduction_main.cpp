// Stubborn sets against plain enumeration on as many random tiny cases as wanted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "reference_model/explorer/explorer.h"
#include "reference_model/explorer/random_case_testing.h"
#include "reference_model/explorer/random_outside_testing.h"
#include "spec/case_text.h"

namespace {

using namespace skcts;
using namespace skcts::explorer;

struct Sums {
  std::uint64_t cases = 0, too_large = 0, several = 0, lost = 0, plain_states = 0, states = 0;
};

void compare(const Case& value, std::uint64_t seed, explorer::Options options, Sums& sums) {
  options.limits.max_states = 40'000;
  options.reduction = Reduction::none;
  const Exploration plain = explore(value, options);
  if (!plain.complete) {
    ++sums.too_large;
    return;
  }
  options.reduction = Reduction::full;
  const Exploration reduced = explore(value, options);
  ++sums.cases;
  if (plain.outcomes.size() > 1) ++sums.several;
  sums.plain_states += plain.states;
  sums.states += reduced.states;
  if (reduced.complete && reduced.outcomes == plain.outcomes) return;
  ++sums.lost;
  fmt::print("seed {}: {} outcomes, {} in plain enumeration {}\n{}\n", seed,
             reduced.outcomes.size(), plain.outcomes.size(), reduced.why, write_case(value));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const std::string_view flavour = argc > 3 ? argv[3] : "mixed";
  explorer::Options options;
  options.piece_words = argc > 4 ? std::atoi(argv[4]) : 8;
  const bool mixed = flavour == "mixed", outside = flavour == "outside";
  if (count == 0 || !(mixed || outside || flavour == "overlap") || options.piece_words < 1) {
    fmt::print(stderr,
               "usage: explorer_reduction FIRST COUNT [mixed|overlap|outside] [PIECE_WORDS]\n");
    return 2;
  }
  Sums sums;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Case value = outside ? RandomOutside(seed).make()
                               : RandomCase(seed, mixed ? Flavour::mixed : Flavour::overlap).make();
    compare(value, seed, options, sums);
  }
  fmt::print(
      "{} cases ({} others too large), {} with several outcomes: {} lost some; {} states, {} "
      "reduced\n",
      sums.cases, sums.too_large, sums.several, sums.lost, sums.plain_states, sums.states);
  return sums.lost == 0 ? 0 : 1;
}
