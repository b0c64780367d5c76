#include "harness/target/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts {
namespace {

TEST(Strategy, EveryKindAndPolicySurvivesItsText) {
  for (const StrategyKind kind :
       {StrategyKind::round_robin, StrategyKind::random, StrategyKind::pct, StrategyKind::starve}) {
    for (const CachePolicy cache : {CachePolicy::keep, CachePolicy::random, CachePolicy::drop}) {
      Strategy strategy{.kind = kind, .cache = cache};
      if (kind == StrategyKind::pct) strategy.depth = 7;
      const auto read = parse_strategy(to_string(strategy));
      ASSERT_TRUE(read.has_value()) << to_string(strategy);
      EXPECT_EQ(*read, strategy) << to_string(strategy);
    }
  }
}

TEST(Strategy, ThePolicyMayBeLeftOut) {
  EXPECT_EQ(parse_strategy("starve"), (Strategy{.kind = StrategyKind::starve}));
  EXPECT_EQ(parse_strategy("pct"), (Strategy{.kind = StrategyKind::pct}));
  EXPECT_EQ(to_string(Strategy{.kind = StrategyKind::pct, .depth = 2}), "pct:2/random");
}

TEST(Strategy, OtherTextIsNone) {
  for (const char* text : {"", "Random", "pct:", "pct:0", "pct:65", "pct:3x", "random/", "/keep",
                           "random/sometimes", "random/keep/drop", "round_robin"}) {
    EXPECT_EQ(parse_strategy(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace skcts
