#include "harness/campaign/covering.h"

#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace skcts::campaign {
namespace {

using Row = std::vector<int>;

/// All rows of a covering array of these counts without the rows that `fits` denies.
std::vector<Row> rows_of(const std::vector<int>& counts,
                         const std::function<bool(const Row&)>& fits,
                         std::set<LevelPair>& given_up) {
  PairsLeft left(counts);
  std::vector<Row> rows;
  while (const auto pair = left.next()) {
    const Row row = left.row_with(*pair, fits);
    if (fits(row)) {
      rows.push_back(row);
      left.meet(row);
    } else {
      given_up.insert(*pair);
      left.give_up(*pair);
    }
  }
  return rows;
}

bool holds(const std::vector<Row>& rows, const LevelPair& pair) {
  for (const Row& row : rows) {
    if (row[static_cast<std::size_t>(pair.a.factor)] == pair.a.level &&
        row[static_cast<std::size_t>(pair.b.factor)] == pair.b.level) {
      return true;
    }
  }
  return false;
}

TEST(Covering, MeetsEveryPairInFewRows) {
  const std::vector<int> counts = {7, 5, 3, 3, 2};
  std::set<LevelPair> given_up;
  const std::vector<Row> rows = rows_of(counts, [](const Row&) { return true; }, given_up);
  EXPECT_TRUE(given_up.empty());
  std::int64_t pairs = 0;
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 5; ++b) {
      for (int i = 0; i < counts[static_cast<std::size_t>(a)]; ++i) {
        for (int j = 0; j < counts[static_cast<std::size_t>(b)]; ++j) {
          EXPECT_TRUE(holds(rows, {{a, i}, {b, j}}));
          ++pairs;
        }
      }
    }
  }
  EXPECT_EQ(PairsLeft(counts).all(), pairs);
  // 35 is the least; all rows are 630.
  EXPECT_LT(rows.size(), 50U);
}

TEST(Covering, GivesUpExactlyWhatCannotBe) {
  // Level 1 of the first factor excludes level 2 of the second.
  const auto fits = [](const Row& row) { return row[0] != 1 || row[1] != 2; };
  std::set<LevelPair> given_up;
  const std::vector<Row> rows = rows_of({3, 3, 4}, fits, given_up);
  EXPECT_EQ(given_up, (std::set<LevelPair>{{{0, 1}, {1, 2}}}));
  for (const Row& row : rows) EXPECT_TRUE(fits(row));
  EXPECT_TRUE(holds(rows, {{0, 1}, {2, 3}}));
}

TEST(Covering, CountsWhatWasMet) {
  PairsLeft left({2, 2});
  EXPECT_EQ(left.all(), 4);
  left.meet({0, 0});
  left.meet({0, 0});
  EXPECT_EQ(left.met(), 1);
  left.give_up({{0, 1}, {1, 1}});
  left.meet({1, 0});
  left.meet({0, 1});
  EXPECT_EQ(left.met(), 3);
  EXPECT_FALSE(left.next().has_value());
}

}  // namespace
}  // namespace skcts::campaign
