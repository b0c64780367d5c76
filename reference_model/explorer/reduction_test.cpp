// The reduction loses no outcome: stubborn sets against plain enumeration on random tiny cases.
#include <cstdint>

#include <gtest/gtest.h>

#include "reference_model/explorer/explorer.h"
#include "reference_model/explorer/random_case_testing.h"
#include "reference_model/explorer/random_outside_testing.h"
#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::explorer {
namespace {

struct Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  int piece_words = 8;
  bool own_accesses = false;
  std::uint64_t max_states = 40'000;
  Flavour flavour = Flavour::mixed;
  bool outside = false;
};

/// How many cases were small enough for plain enumeration, and how many had several outcomes.
struct Compared {
  int cases = 0;
  int several = 0;
};

Compared compare(const Run& run) {
  Compared compared;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const Case value =
        run.outside ? RandomOutside(seed).make() : RandomCase(seed, run.flavour).make();
    EXPECT_TRUE(validate(value).empty()) << write_case(value);
    Options options;
    options.piece_words = run.piece_words;
    options.limits.max_states = run.max_states;
    if (run.own_accesses) options.pins.push_back(latitude_pin(36, "own-accesses"));
    options.reduction = Reduction::none;
    const Exploration plain = explore(value, options);
    if (!plain.complete) continue;
    options.reduction = Reduction::full;
    const Exploration reduced = explore(value, options);
    EXPECT_TRUE(reduced.complete) << seed;
    EXPECT_LE(reduced.states, plain.states) << seed;
    EXPECT_EQ(reduced.outcomes == plain.outcomes, true)
        << "seed " << seed << ": " << reduced.outcomes.size() << " of " << plain.outcomes.size()
        << "\n"
        << write_case(value);
    ++compared.cases;
    if (plain.outcomes.size() > 1) ++compared.several;
  }
  return compared;
}

TEST(Reduction, KeepsAllOutcomesOfRandomCases) {
  const Compared compared = compare({.first = 1, .count = 3000});
  EXPECT_GT(compared.cases, 2900);
  EXPECT_GT(compared.several, 500);  // Most others stall or are free of races.
}

TEST(Reduction, KeepsAllOutcomesOfPiecesOfTwoWords) {
  const Compared compared = compare({.first = 700'000, .count = 400, .piece_words = 2});
  EXPECT_GT(compared.several, 40);
}

TEST(Reduction, KeepsAllOutcomesWhenLinesAreFetchedByAccessesOnly) {
  const Compared compared = compare({.first = 800'000, .count = 1000, .own_accesses = true});
  EXPECT_GT(compared.several, 150);
}

TEST(Reduction, KeepsAllOutcomesOfWhatOverlapsInOneCore) {
  const Compared compared = compare({.first = 1, .count = 1000, .flavour = Flavour::overlap});
  EXPECT_GT(compared.cases, 900);
  EXPECT_GT(compared.several, 200);
}

TEST(Reduction, KeepsAllOutcomesOfWhatOverlapsInPiecesOfTwoWords) {
  const Compared compared = compare({.first = 700'000,
                                     .count = 400,
                                     .piece_words = 2,
                                     .max_states = 10'000,
                                     .flavour = Flavour::overlap});
  EXPECT_GT(compared.several, 20);
}

TEST(Reduction, KeepsAllOutcomesBesideOutsideActors) {
  const Compared compared = compare({.first = 1, .count = 1500, .outside = true});
  EXPECT_GT(compared.cases, 1200);
  EXPECT_GT(compared.several, 300);
}

// Each of these seeds once lost an outcome to a reduction that was wrong.
TEST(Reduction, KeepsTheOutcomesThatWereOnceLost) {
  for (const std::uint64_t seed : {1877U, 1878U, 1885U, 27460U}) {
    EXPECT_EQ(compare({.first = seed, .count = 1}).cases, 1);
  }
}

}  // namespace
}  // namespace skcts::explorer
