#include "harness/skcts/bench_shrink.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace skcts::program {
namespace {

TEST(BenchShrink, ThirtyPlantsWithNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Plant& plant : shrink_plants()) names.insert(plant.name);
  EXPECT_EQ(names.size(), 30u);
}

TEST(BenchShrink, PlantedFailuresBecomeMinimalAndStayWhatTheyAre) {
  std::vector<std::int64_t> runs;
  for (const Plant& plant : shrink_plants()) {
    const ShrinkTally tally = shrink_planted(plant, 1, false);
    EXPECT_EQ(tally.kept, tally.cases) << plant.name;
    EXPECT_EQ(tally.minimal, tally.cases) << plant.name;
    runs.insert(runs.end(), tally.runs.begin(), tally.runs.end());
  }
  ASSERT_EQ(runs.size(), 30u);
  std::ranges::sort(runs);
  EXPECT_LE(runs[runs.size() / 2], 250);
}

// The measure can fail: RapidCheck's own shrinking keeps the failure and leaves more than need be.
TEST(BenchShrink, WhatIsNotMinimalIsCounted) {
  const std::vector<Plant> plants = shrink_plants();
  const auto linked = std::ranges::find(plants, "linked flag ids", &Plant::name);
  ASSERT_NE(linked, plants.end());
  const ShrinkTally tally = shrink_planted(*linked, 3, true);
  EXPECT_EQ(tally.kept, tally.cases);
  EXPECT_LT(tally.minimal, tally.cases);
}

}  // namespace
}  // namespace skcts::program
