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

TEST(RunEnd, NamesAreFoundAgain) {
  for (int i = 0; i < run_end_count; ++i) {
    const auto end = static_cast<RunEnd>(i);
    EXPECT_EQ(find_run_end(to_string(end)), end);
  }
  for (int i = 0; i < count_kind_count; ++i) {
    const auto kind = static_cast<CountKind>(i);
    EXPECT_EQ(find_count_kind(to_string(kind)), kind);
  }
  EXPECT_EQ(find_run_end("gone"), std::nullopt);
  EXPECT_EQ(find_count_kind(""), std::nullopt);
}

TEST(RunEnd, WhatIsNotAnsweredIsNoOutcomeThatConforms) {
  const RunResult result = unanswered(RunEnd::crash, "died from signal 11");
  EXPECT_EQ(result.end, RunEnd::crash);
  EXPECT_EQ(result.outcome.status, OutcomeStatus::error);
  EXPECT_EQ(result.outcome.reason, "died from signal 11");
}

Case with_instruction(Op op) {
  Case value;
  value.mix.options = "feed-sync-all=1:early-start=0";
  SubKernel k;
  Instruction outer{.op = Op::repeat};
  outer.body.push_back({.op = op});
  k.aiv.push_back(outer);
  value.mix.sub_kernels.push_back(k);
  return value;
}

TEST(Support, EmptyListsClaimEverything) {
  EXPECT_EQ(missing_support({}, with_instruction(Op::matmul)), "");
}

TEST(Support, WhatIsMissingIsNamed) {
  const Case value = with_instruction(Op::matmul);
  EXPECT_EQ(missing_support({.instructions = {"Repeat", "SyncAll"}}, value), "instruction Matmul");
  EXPECT_EQ(missing_support({.instructions = {"Repeat", "Matmul"}}, value), "");
  EXPECT_EQ(missing_support({.options = {"early-start"}}, value), "option feed-sync-all");
  EXPECT_EQ(missing_support({.options = {"early-start", "feed-sync-all"}}, value), "");
  EXPECT_EQ(missing_support({.paths = {"aclgraph"}}, value), "path ge");
  EXPECT_EQ(missing_support({.profile = "950-32"}, value), "profile a2-24: the target is 950-32");
}

}  // namespace
}  // namespace skcts
