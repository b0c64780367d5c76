// Small mixes whose outcomes were worked out by hand.
#include "reference_model/explorer/explorer.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::explorer {
namespace {

using ::testing::ElementsAre;

const std::string regions =
    R"({"name": "ONE", "words": 8, "init": [1]}, {"name": "X", "words": 16},
       {"name": "Y", "words": 16}, {"name": "F", "words": 32})";

std::string kernel(const std::string& name, const std::string& type, int blocks,
                   const std::string& aic, const std::string& aiv) {
  std::string text = R"({"name": ")" + name + R"(", "type": ")" + type + R"(", "blocks": )" +
                     std::to_string(blocks);
  text += R"(, "tensors": [{"name": "x", "gm": "X"}, {"name": "y", "gm": "Y"}])";
  if (!aic.empty()) text += R"(, "aic": [)" + aic + "]";
  if (!aiv.empty()) text += R"(, "aiv": [)" + aiv + "]";
  return text + "}";
}

Case mix(const std::string& kernels, const std::string& options = "",
         const std::string& plan = "") {
  std::string text = R"({"format": 1, "name": "c", "profile": "tiny", "path": "ge", "mix": {)";
  if (!options.empty()) text += R"("options": ")" + options + R"(", )";
  text += R"("regions": [)" + regions + R"(], "sub_kernels": [)" + kernels + "]}";
  if (!plan.empty()) text += R"(, "plan": )" + plan;
  const Result<Case> made = read_case(text + "}", "test");
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : to_string(made.error()));
  EXPECT_TRUE(validate(*made).empty());
  return *made;
}

std::uint32_t word(const Case& value, const Outcome& outcome, std::size_t region, int at = 0) {
  return outcome.memory[static_cast<std::size_t>(layout_of(value.mix).base[region] + at)];
}

Exploration all(const Case& value, std::vector<LatitudePin> pins = {}) {
  Options options;
  options.pins = std::move(pins);
  Exploration found = explore(value, options);
  EXPECT_TRUE(found.complete) << found.why;
  return found;
}

/// The values of two words over all completed outcomes.
std::set<std::pair<std::uint32_t, std::uint32_t>> pairs(const Case& value, std::size_t first,
                                                        std::size_t second, int at = 0) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const Outcome& outcome : all(value).outcomes) {
    EXPECT_EQ(outcome.status, OutcomeStatus::completed);
    seen.emplace(word(value, outcome, first), word(value, outcome, second, at));
  }
  return seen;
}

std::vector<OutcomeStatus> statuses(const Exploration& found) {
  std::vector<OutcomeStatus> seen;
  for (const Outcome& outcome : found.outcomes) seen.push_back(outcome.status);
  return seen;
}

const std::string store_one = R"(
  {"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "ONE"}, "count": 8},
  {"op": "SetFlag", "event": "MTE2_MTE3", "id": 0},
  {"op": "WaitFlag", "event": "MTE2_MTE3", "id": 0},
  {"op": "DataCopy", "dst": {"gm": "X"}, "src": {"UB": 0}, "count": 8})";
const std::string read_x = R"(
  {"op": "ReadGmByPassDCache", "src": {"gm": "X"}, "reg": "r0"},
  {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0"})";

std::string raise(int id, const std::string& pipe) {
  return R"({"op": "CrossCoreSetFlag", "mode": 2, "pipe": ")" + pipe + R"(", "id": )" +
         std::to_string(id) + "}";
}
std::string wait(int id) {
  return R"({"op": "CrossCoreWaitFlag", "id": )" + std::to_string(id) + "}";
}

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
  EXPECT_EQ(pairs(value, 1, 2),
            (std::set<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {1, 1}}));
}

TEST(Explorer, BuffersScalarStoresInCaches) {
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "", R"(
    {"op": "SetValue", "dst": {"tensor": "x"}, "value": 1, "where": {"core": 0}},
    {"op": "SetValue", "dst": {"tensor": "y"}, "value": 1, "where": {"core": 1}},
    {"op": "GetValue", "src": {"tensor": "y"}, "reg": "r0", "where": {"core": 0}},
    {"op": "GetValue", "src": {"tensor": "x"}, "reg": "r0", "where": {"core": 1}},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "F", "at": {"core": 16}}, "value": "r0"})"));
  EXPECT_EQ(pairs(value, 3, 3, 16),
            (std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(Explorer, SharesALineFalsely) {
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "", R"(
    {"op": "SetValue", "dst": {"tensor": "x", "at": {"core": 8}}, "value": {"core": 1, "base": 1}}
    )"));
  EXPECT_EQ(pairs(value, 1, 1, 8),
            (std::set<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {0, 2}, {1, 2}}));
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

TEST(Explorer, LetsALeftoverFlagThroughEarly) {
  // The second raise of the first sub kernel answers the wait of the second one.
  const std::string first =
      kernel("a", "MIX_AIC_1_1", 1, wait(3), raise(3, "MTE3") + "," + raise(3, "MTE3"));
  const std::string second =
      kernel("b", "MIX_AIC_1_1", 1, wait(3) + "," + read_x, store_one + "," + raise(3, "MTE3"));
  const Case value = mix(first + "," + second);
  EXPECT_EQ(pairs(value, 1, 2),
            (std::set<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {1, 1}}));
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
  EXPECT_EQ(pairs(open, 1, 2), (std::set<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {1, 1}}));
  const Case closed = mix(first + "," + second, "early-start=0");
  EXPECT_EQ(pairs(closed, 1, 2), (std::set<std::pair<std::uint32_t, std::uint32_t>>{{1, 1}}));
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
  EXPECT_EQ(found.why, "more than 100 states");
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
