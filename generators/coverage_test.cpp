#include "generators/coverage.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "generators/testing.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

std::string name_of(const CoverageTable& table, const CoveragePair& pair) {
  return table.points()[static_cast<std::size_t>(pair.a)].name + " with " +
         table.points()[static_cast<std::size_t>(pair.b)].name;
}

bool has(const std::vector<int>& pairs, int pair) {
  return std::find(pairs.begin(), pairs.end(), pair) != pairs.end();
}

class Coverage : public testing::TestWithParam<std::string_view> {};

TEST_P(Coverage, EveryFeasiblePairAndMarkIsMetWithin5000Cases) {
  const CoverageTable table(machine(GetParam()));
  std::vector<bool> met(table.pairs().size(), false);
  std::array<bool, mark_count> marks{};
  int targeted = 0;
  int discards = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const Case mix = table.make(1, i);
    const std::vector<int> found = table.pairs_of(mix);
    for (const int pair : found) met[static_cast<std::size_t>(pair)] = true;
    for (const Mark mark : marks_of(mix)) marks[static_cast<std::size_t>(mark)] = true;
    if (const auto target = table.target_of(i)) {
      ++targeted;
      discards += has(found, *target) ? 0 : 1;
    }
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    const CoveragePair& pair = table.pairs()[i];
    EXPECT_EQ(met[i], pair.reason.empty()) << name_of(table, pair) << ": " << pair.reason;
  }
  for (int i = 0; i < mark_count; ++i) {
    EXPECT_TRUE(marks[static_cast<std::size_t>(i)]) << to_string(static_cast<Mark>(i));
  }
  EXPECT_EQ(targeted, 2500);
  EXPECT_LT(discards * 100, targeted);
}

/// What is said to be infeasible is tried as hard as the rest, and what is feasible comes out.
TEST_P(Coverage, APairCanBeBuiltExactlyWhereNoReasonSpeaksAgainstIt) {
  const Profile& profile = machine(GetParam());
  const CoverageTable table(profile);
  for (std::size_t i = 0; i < table.pairs().size(); ++i) {
    const CoveragePair& pair = table.pairs()[i];
    const Focus focus = table.focus_of(pair);
    bool built = false;
    for (std::uint64_t index = 0; index < 12 && !built; ++index) {
      built = has(table.pairs_of(generate(5, index, focus, profile)), static_cast<int>(i));
    }
    EXPECT_EQ(built, pair.reason.empty()) << name_of(table, pair) << ": " << pair.reason;
  }
}

TEST_P(Coverage, MixesAreValidAndDependOnTheirArgumentsAlone) {
  const CoverageTable table(machine(GetParam()));
  const CoverageTable other(machine(GetParam()));
  for (const std::uint64_t i : {40u, 7u, 1200u, 40u, 4998u}) {
    const Case mix = table.make(3, i);
    EXPECT_EQ(mix, other.make(3, i)) << i;
    EXPECT_TRUE(validate(mix).empty()) << i;
    EXPECT_EQ(mix.provenance->seed, 3u);
    EXPECT_EQ(mix.provenance->index, i);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Coverage, testing::Values("a2-24", "950-28", "tiny"),
                         [](const testing::TestParamInfo<std::string_view>& tested) {
                           std::string name(tested.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return "on_" + name;
                         });

TEST(CoverageOrder, EachTargetHasItsTurn) {
  const CoverageTable table(machine("a2-24"));
  std::vector<int> turns(table.pairs().size(), 0);
  for (int i = 0; i < 2 * table.feasible(); ++i) {
    if (const auto target = table.target_of(static_cast<std::uint64_t>(i))) {
      ++turns[static_cast<std::size_t>(*target)];
    }
  }
  for (std::size_t i = 0; i < turns.size(); ++i) {
    EXPECT_EQ(turns[i], table.pairs()[i].reason.empty() ? 1 : 0) << i;
  }
}

}  // namespace
}  // namespace skcts::generators
