// Small mixes whose outcomes were worked out by hand.
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer_testing.h"

namespace skcts::explorer {
namespace {

using ::testing::ElementsAre;

TEST(Explorer, PassesAMessageBehindItsData) {
  const Case value = mix(
      kernel("k", "MIX_AIC_1_1", 1, wait(3) + "," + read_x, store_one + "," + raise(3, "MTE3")));
  const Exploration found = all(value);
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(word(value, found.outcomes[0], 2), 1U);
}

TEST(Explorer, LosesAMessageOnAnotherPipe) {
  const Case value =
      mix(kernel("k", "MIX_AIC_1_1", 1, wait(3) + "," + read_x, store_one + "," + raise(3, "V")));
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
}

TEST(Explorer, BuffersScalarStoresInCaches) {
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "", R"(
    {"op": "SetValue", "dst": {"tensor": "x"}, "value": 1, "where": {"core": 0}},
    {"op": "SetValue", "dst": {"tensor": "y"}, "value": 1, "where": {"core": 1}},
    {"op": "GetValue", "src": {"tensor": "y"}, "reg": "r0", "where": {"core": 0}},
    {"op": "GetValue", "src": {"tensor": "x"}, "reg": "r0", "where": {"core": 1}},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "F", "at": {"core": 16}}, "value": "r0"})"));
  EXPECT_EQ(pairs(value, 3, 3, 16), (Pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(Explorer, SharesALineFalsely) {
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "", R"(
    {"op": "SetValue", "dst": {"tensor": "x", "at": {"core": 8}}, "value": {"core": 1, "base": 1}}
    )"));
  EXPECT_EQ(pairs(value, 1, 1, 8), (Pairs{{1, 0}, {0, 2}, {1, 2}}));
}

TEST(Explorer, StopsAtTheSixteenthRaise) {
  std::string raises = raise(3, "MTE3");
  std::string waits = wait(3);
  for (int i = 1; i < 16; ++i) {
    raises += "," + raise(3, "MTE3");
    waits += "," + wait(3);
  }
  const Case value = mix(kernel("k", "MIX_AIC_1_1", 1, waits, raises));
  EXPECT_THAT(statuses(all(value)),
              ElementsAre(OutcomeStatus::completed, OutcomeStatus::stalled, OutcomeStatus::error));
  EXPECT_THAT(statuses(all(value, {latitude_pin(9, "error")})),
              ElementsAre(OutcomeStatus::completed, OutcomeStatus::error));
}

TEST(Explorer, KeepsRacesBesideRaisesThatAreUnderWay) {
  // Sixteen raises of flag 5 give every raise a delay; the reader may come before the store.
  std::string raises = raise(3, "V") + "," + store_one;
  std::string waits = wait(3) + "," + read_x;
  for (int i = 0; i < 16; ++i) {
    raises += "," + raise(5, "V");
    waits += "," + wait(5);
  }
  const Case value = mix(kernel("k", "MIX_AIC_1_1", 1, waits, raises));
  Options options;
  options.piece_words = 8;
  const Exploration reduced = explore(value, options);
  options.reduction = Reduction::none;
  const Exploration plain = explore(value, options);
  ASSERT_TRUE(plain.complete) << plain.why;
  EXPECT_EQ(reduced.outcomes == plain.outcomes, true);
  std::set<std::uint32_t> seen;
  for (const Outcome& outcome : reduced.outcomes) {
    if (outcome.status == OutcomeStatus::completed) seen.insert(word(value, outcome, 2));
  }
  EXPECT_THAT(seen, ElementsAre(0U, 1U));
}

TEST(Explorer, FetchesALineBeforeTheWriteBackThatFreesAPoll) {
  // The poller stores to the line it polls past its cache. Fetched before the other core's line is
  // written back, it holds 0 where the poll saw 1, and puts that back in the end.
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "", R"(
    {"op": "RawStore", "dst": {"gm": "X"}, "value": 1, "where": {"core": 0}},
    {"op": "Poll", "src": {"gm": "X"}, "via": "bypass", "until": "equal", "value": 1,
     "where": {"core": 1}},
    {"op": "RawStore", "dst": {"gm": "X", "at": 1}, "value": 2, "where": {"core": 1}})"));
  Pairs seen;  // Of the runs in which the line is written back at all.
  for (const Outcome& outcome : all(value).outcomes) {
    if (outcome.status != OutcomeStatus::completed) continue;
    seen.emplace(word(value, outcome, 1), word(value, outcome, 1, 1));
  }
  EXPECT_EQ(seen, (Pairs{{0, 2}, {1, 2}}));
}

TEST(Explorer, LetsALeftoverFlagThroughEarly) {
  // The second raise of the first sub kernel answers the wait of the second one.
  const std::string first =
      kernel("a", "MIX_AIC_1_1", 1, wait(3), raise(3, "MTE3") + "," + raise(3, "MTE3"));
  const std::string second =
      kernel("b", "MIX_AIC_1_1", 1, wait(3) + "," + read_x, store_one + "," + raise(3, "MTE3"));
  const Case value = mix(first + "," + second);
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
}

TEST(Explorer, NamesWhoWaits) {
  const Case value =
      mix(kernel("k", "MIX_AIC_1_1", 1, wait(3), R"({"op": "PipeBarrier", "pipe": "ALL"})"));
  const Exploration found = all(value);
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(found.outcomes[0].status, OutcomeStatus::stalled);
  EXPECT_THAT(found.outcomes[0].waiting,
              ElementsAre(Waiting{{CoreKind::aic, 0}, 0, 0, 0, WaitKind::cross_core_flag, 3}));
}

TEST(Explorer, OpensTheWindowOfEarlyStart) {
  // The tail of the first sub kernel stores beside the head of the second.
  const std::string first = kernel("a", "MIX_AIV_1_0", 1, "", R"(
    {"op": "SetNextTaskStart"},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "X"}, "value": 1},
    {"op": "DataSyncBarrier"})");
  const std::string second = kernel("b", "MIX_AIV_1_0", 2, "", R"(
    {"op": "WaitPreTaskEnd"},
    {"op": "ReadGmByPassDCache", "src": {"gm": "X"}, "reg": "r0", "where": {"core": 1}},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0", "where": {"core": 1}})");
  const Case open = mix(first + "," + second);
  EXPECT_EQ(pairs(open, 1, 2), (Pairs{{1, 0}, {1, 1}}));
  const Case closed = mix(first + "," + second, "early-start=0");
  EXPECT_EQ(pairs(closed, 1, 2), (Pairs{{1, 1}}));
}

TEST(Explorer, RefusesWhatCannotBeLaunched) {
  const Case many = mix(kernel("k", "AIC_ONLY", 3, read_x, ""));
  const Exploration found = all(many);
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(found.outcomes[0].status, OutcomeStatus::refused);
  EXPECT_EQ(found.outcomes[0].rule, RuleId::core_8);
  const Case option = mix(kernel("k", "AIC_ONLY", 1, read_x, ""), "no-such-option=1");
  ASSERT_EQ(all(option).outcomes.size(), 1U);
  EXPECT_EQ(all(option).outcomes[0].rule, RuleId::fuse_3);
}

TEST(Explorer, RunsAPlanInOrder) {
  const std::string add = R"(
    {"op": "ReadGmByPassDCache", "src": {"gm": "X"}, "reg": "r0"},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0"})";
  const Case value = mix(kernel("k", "AIV_ONLY", 1, "", add), "",
                         R"([{"host_write": "X", "values": [5]}, {"alone": ["k"]},
                             {"host_write": "X", "values": [6]}])");
  const Exploration found = all(value);
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(word(value, found.outcomes[0], 2), 5U);
  EXPECT_EQ(word(value, found.outcomes[0], 1), 6U);
}

TEST(Explorer, FindsARunThatEndsAsWanted) {
  const Case value =
      mix(kernel("k", "MIX_AIC_1_1", 1, wait(3) + "," + read_x, store_one + "," + raise(3, "V")));
  const auto stale = [&](const Outcome& outcome) { return word(value, outcome, 2) == 0; };
  const std::optional<Witness> witness = find(value, stale);
  ASSERT_TRUE(witness.has_value());
  EXPECT_EQ(word(value, witness->outcome, 2), 0U);
  // The reader's load stands before the store's last piece.
  EXPECT_THAT(witness->steps, ::testing::Contains("aic:0 scalar k0[1]"));
  EXPECT_FALSE(find(value, [&](const Outcome& o) { return word(value, o, 2) == 9; }).has_value());
}

TEST(Explorer, SaysWhenALimitWasReached) {
  const Case value =
      mix(kernel("k", "MIX_AIC_1_1", 1, wait(3) + "," + read_x, store_one + "," + raise(3, "V")));
  Options options;
  options.reduction = Reduction::none;
  options.limits.max_states = 100;
  const Exploration found = explore(value, options);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.why, "too large: more than 100 states");
  Case other = value;
  other.path = "aclgraph";
  EXPECT_FALSE(explore(other).complete);
}

TEST(Explorer, HoldsAFixedLatitudeForTheWholeCase) {
  // Two double sets: both are lost, or the first stops the core, never one of each.
  const std::string twice = R"(
    {"op": "SetFlag", "event": "MTE2_V", "id": 0}, {"op": "SetFlag", "event": "MTE2_V", "id": 0},
    {"op": "SetFlag", "event": "MTE2_MTE3", "id": 0},
    {"op": "SetFlag", "event": "MTE2_MTE3", "id": 0})";
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 1, "", twice));
  EXPECT_THAT(statuses(all(value)),
              ElementsAre(OutcomeStatus::completed, OutcomeStatus::stalled, OutcomeStatus::error));
  EXPECT_THAT(statuses(all(value, {latitude_pin(4, "lost")})),
              ElementsAre(OutcomeStatus::completed));
}

}  // namespace
}  // namespace skcts::explorer
