// Events between sub kernels and with the outside, and actors beside the launches, by hand.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer_testing.h"

namespace skcts::explorer {
namespace {

using ::testing::ElementsAre;

OutsideStep waits_for(std::string event) {
  return {.kind = OutsideKind::wait, .event = std::move(event)};
}
OutsideStep raises(std::string event) {
  return {.kind = OutsideKind::raise, .event = std::move(event)};
}
OutsideStep writes(std::int16_t region, std::vector<std::uint32_t> values, int at = 0) {
  return {.kind = OutsideKind::write, .region = region, .at = at, .values = std::move(values)};
}
OutsideStep copies(std::int16_t from, std::int16_t to, int count = 1) {
  return {.kind = OutsideKind::copy, .region = from, .to = to, .count = count};
}
constexpr std::int16_t in_x = 1, in_y = 2, in_f = 3;

/// One vector kernel a program, with an actor beside them.
Case beside(const std::vector<std::string>& programs, std::vector<OutsideStep> steps,
            int blocks = 1) {
  std::string all;
  for (std::size_t k = 0; k < programs.size(); ++k) {
    if (k > 0) all += ",";
    all += kernel("k" + std::to_string(k), "MIX_AIV_1_0", blocks, "", programs[k]);
  }
  Case value = mix(all);
  value.mix.outside = {{.name = "actor", .steps = std::move(steps)}};
  return value;
}
void launch_apart(Case& value) {
  value.plan.steps.resize(1);
  value.plan.steps[0].kind = StepKind::alone;
  for (std::size_t k = 0; k < value.mix.sub_kernels.size(); ++k) {
    value.plan.steps[0].sub_kernels.push_back(static_cast<std::int32_t>(k));
  }
}
void valid(const Case& value) {
  const auto errors = validate(value);
  SKCTS_CHECK(errors.empty(), "{}", errors[0].message);
}
Pairs seen(const Case& value, std::size_t first, std::size_t second, int at = 0) {
  valid(value);
  return pairs(value, first, second, at);
}
const std::string raw_read_x = R"(
  {"op": "RawLoad", "src": {"gm": "X"}, "reg": "r0"},
  {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0"})";

TEST(Outside, AnActorWritesAtAnyTime) {
  EXPECT_EQ(seen(beside({read_x}, {writes(in_x, {1})}), 1, 2), (Pairs{{1, 0}, {1, 1}}));
}

TEST(Outside, AnActorTakesItsStepsInOrder) {
  // The reader sees F first and X then: never the later write without the earlier one.
  const std::string both = R"(
    {"op": "ReadGmByPassDCache", "src": {"gm": "F"}, "reg": "r0"},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y", "at": 1}, "value": "r0"},)" +
                           read_x;
  const Case value = beside({both}, {writes(in_x, {1}), writes(in_f, {1})});
  Pairs found;
  for (const Outcome& outcome : all(value).outcomes) {
    found.emplace(word(value, outcome, 2, 1), word(value, outcome, 2, 0));
  }
  EXPECT_EQ(found, (Pairs{{0, 0}, {0, 1}, {1, 1}}));
}

// As any DMA, a write is seen in part: two words, one of them early.
TEST(Outside, AnActorsWriteCanBeTorn) {
  const std::string both = R"(
    {"op": "ReadGmByPassDCache", "src": {"gm": "X"}, "reg": "r0"},
    {"op": "ReadGmByPassDCache", "src": {"gm": "X", "at": 1}, "reg": "r1"},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0"},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y", "at": 1}, "value": "r1"})";
  const Case value = beside({both}, {writes(in_x, {1, 1})});
  Pairs found;
  for (const Outcome& outcome : all(value).outcomes) {
    found.emplace(word(value, outcome, 2, 0), word(value, outcome, 2, 1));
  }
  EXPECT_EQ(found, (Pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  found.clear();
  for (const Outcome& outcome : all(value, {latitude_pin(30, "whole-blocks")}).outcomes) {
    found.emplace(word(value, outcome, 2, 0), word(value, outcome, 2, 1));
  }
  EXPECT_EQ(found, (Pairs{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(Outside, ASubKernelStartsAfterItsEvent) {
  Case value = beside({read_x}, {writes(in_x, {1}), raises("e")});
  value.mix.sub_kernels[0].recv = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
  launch_apart(value);
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
}

TEST(Outside, AnEventBeforeTheWriteOrdersNothing) {
  Case value = beside({read_x}, {raises("e"), writes(in_x, {1})});
  value.mix.sub_kernels[0].recv = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
}

// The head of a waiting sub kernel is behind the event as well (report of an early start that
// reached over it).
TEST(Outside, AHeadIsBehindTheEvent) {
  Case value = beside({R"({"op": "GetBlockNum"})", read_x + R"(, {"op": "WaitPreTaskEnd"})"},
                      {writes(in_x, {1}), raises("e")});
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
  value.mix.sub_kernels[1].recv = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
}

TEST(Outside, AllCoresWaitForTheEvent) {
  const std::string second = R"(
    {"op": "ReadGmByPassDCache", "src": {"gm": "X"}, "reg": "r0", "where": {"core": 1}},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0", "where": {"core": 1}})";
  Case value = beside({second}, {writes(in_x, {1}), raises("e")}, 2);
  value.mix.sub_kernels[0].recv = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
}

// A fused launch may have begun before the event, and its core have fetched the line in advance;
// a launch of its own begins behind the event with an empty cache.
TEST(Outside, ACachedReadNeedsARefreshUnlessTheLaunchBeginsBehindTheEvent) {
  Case value = beside({raw_read_x}, {writes(in_x, {1}), raises("e")});
  value.mix.sub_kernels[0].recv = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
  launch_apart(value);
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
}

TEST(Outside, AnEventIsRaisedBehindTheStores) {
  Case value = beside({store_one}, {waits_for("e"), copies(in_x, in_y)});
  value.mix.sub_kernels[0].send = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
  value.mix.sub_kernels[0].send = {};
  value.mix.outside[0].steps = {copies(in_x, in_y)};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
}

// What comes behind SetNextTaskStart is not behind the event; the last sub kernel's call does
// nothing, and the event is raised behind all of it.
TEST(Outside, AnEventIsRaisedAtTheEarlyStart) {
  const std::string early = R"({"op": "SetNextTaskStart"},)" + store_one;
  Case value = beside({early, R"({"op": "GetBlockNum"})"}, {waits_for("e"), copies(in_x, in_y)});
  value.mix.sub_kernels[0].send = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
  value.mix.sub_kernels[0].send = {};
  value.mix.sub_kernels[1].send = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
}

// A boundary drains MTE3 of a vector core, and so does the event: a load may still be under way.
TEST(Outside, AnEventPromisesWhatABoundaryDoes) {
  const std::string load =
      R"({"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "X"}, "count": 8})";
  const std::string store =
      R"({"op": "DataCopy", "dst": {"gm": "Y"}, "src": {"UB": 0}, "count": 8})";
  Case value = beside({load, store}, {waits_for("e"), writes(in_x, {1})});
  value.mix.sub_kernels[0].send = {"e"};
  value.mix.sub_kernels[1].aiv.insert(value.mix.sub_kernels[1].aiv.begin(), Instruction{});
  value.mix.sub_kernels[1].aiv[0].op = Op::pipe_barrier;
  value.mix.sub_kernels[1].aiv[0].pipe = Pipe::all;
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
  launch_apart(value);
  valid(value);
  EXPECT_EQ(all(value).outcomes.size(), 1U);
}

TEST(Outside, ALaunchEndsBeforeItsEvent) {
  // Left dirty, and written back at the end of the launch.
  Case value = beside({R"({"op": "RawStore", "dst": {"gm": "X"}, "value": 1})"},
                      {waits_for("e"), copies(in_x, in_y)});
  value.mix.sub_kernels[0].send = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));  // Fused: at its sub kernel's end.
  launch_apart(value);
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
}

TEST(Outside, AnEventGoesFromLaunchToLaunch) {
  Case value = beside({store_one, read_x}, {waits_for("e"), copies(in_x, in_f), raises("f")});
  value.mix.sub_kernels[0].send = {"e"};
  value.mix.sub_kernels[1].recv = {"f"};
  EXPECT_EQ(seen(value, 2, 3), (Pairs{{1, 1}}));
  launch_apart(value);
  EXPECT_EQ(seen(value, 2, 3), (Pairs{{1, 1}}));
}

TEST(Outside, AnActorGoesOnThroughAllLaunches) {
  Case value = beside({read_x, R"({"op": "GetBlockNum"})"}, {copies(in_y, in_f)});
  value.plan.steps.resize(1);
  launch_apart(value);
  value.mix.regions[1].init.values = {5};
  EXPECT_EQ(seen(value, 2, 3), (Pairs{{5, 0}, {5, 5}}));
}

// From the start of the case on: an actor may come before what the host writes first.
TEST(Outside, AnActorMayComeBeforeTheHost) {
  Case value = beside({R"({"op": "GetBlockNum"})"}, {writes(in_x, {1})});
  value.plan.steps.resize(2);
  value.plan.steps[0].kind = StepKind::host_write;
  value.plan.steps[0].region = in_x;
  value.plan.steps[0].values = {2};
  value.plan.steps[1].sub_kernels = {0};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}, {2, 0}}));
}

TEST(Outside, AnEventThatNobodyRaisesStalls) {
  Case value = beside({R"({"op": "GetBlockNum"})", read_x}, {writes(in_x, {1})});
  value.mix.sub_kernels[1].recv = {"e"};
  valid(value);
  const Exploration found = all(value);
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(found.outcomes[0].status, OutcomeStatus::stalled);
  EXPECT_THAT(found.outcomes[0].waiting,
              ElementsAre(Waiting{{CoreKind::aiv, 0}, 0, 1, -1, WaitKind::event, -1}));
  EXPECT_EQ(word(value, found.outcomes[0], 1), 1U);  // The actor comes to its end.
}

TEST(Outside, AnActorThatWaitsForEverHoldsNobodyUp) {
  const Case value = beside({store_one}, {waits_for("e"), writes(in_x, {2})});
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 0}}));
}

TEST(Outside, NeighboursOfTwoStreamsNeedAnEvent) {
  Case value = beside({store_one, read_x}, {});
  value.mix.outside.clear();
  value.mix.sub_kernels[1].stream = 1;
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::refused));
  value.mix.sub_kernels[0].send = {"e"};
  value.mix.sub_kernels[1].recv = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
  // Raised by the later one: it never comes.
  value.mix.sub_kernels[1].stream = 0;
  std::swap(value.mix.sub_kernels[0].send, value.mix.sub_kernels[0].recv);
  std::swap(value.mix.sub_kernels[1].send, value.mix.sub_kernels[1].recv);
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::stalled));
}

TEST(Outside, BothCoreKindsArriveAtTheEventOfAMixKernel) {
  const auto cube = [](const std::string& first) {
    return first + R"({"op": "WriteGmByPassDCache", "dst": {"gm": "F"}, "value": 1},
      {"op": "DataSyncBarrier", "dsb": "DDR"})";
  };
  for (const std::string options : {"", "early-start=0"}) {
    Case value = mix(kernel("k", "MIX_AIC_1_1", 1, cube(""), store_one), options);
    value.mix.sub_kernels[0].send = {"e"};
    value.mix.outside = {
        {.name = "actor", .steps = {waits_for("e"), copies(in_x, in_y), copies(in_f, in_x)}}};
    EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}})) << options;
  }
}

// What was refreshed before the end has landed when the event is raised.
TEST(Outside, RefreshesHaveLandedBeforeTheEvent) {
  Case value = beside({R"({"op": "RawStore", "dst": {"gm": "X"}, "value": 1},
                          {"op": "DataCacheCleanAndInvalid", "dst": {"gm": "X"}})"},
                      {waits_for("e"), copies(in_x, in_y)});
  value.mix.sub_kernels[0].send = {"e"};
  EXPECT_EQ(seen(value, 1, 2), (Pairs{{1, 1}}));
}

// SyncAll on one core kind alone stands there for good, or goes on by a boundary that a composer
// puts behind the last sub kernel before it raises the event.
TEST(Outside, ABoundaryBehindTheLastSubKernelIsUpToTheComposer) {
  Case value = mix(kernel("k", "MIX_AIC_1_1", 1, R"({"op": "SyncAll", "aiv_only": false})", ""));
  EXPECT_EQ(all(value).outcomes.size(), 1U);
  value.mix.sub_kernels[0].send = {"e"};
  std::set<std::int32_t> places;
  for (const Outcome& outcome : all(value).outcomes) {
    EXPECT_EQ(outcome.status, OutcomeStatus::stalled);
    places.insert(outcome.waiting.at(0).instruction);
  }
  EXPECT_THAT(places, ElementsAre(-1, 0));
}

// What a launch asks of the chip is looked at when its turn comes.
TEST(Outside, ALaunchBehindOneThatStallsIsNotRefused) {
  Case value = mix(kernel("k0", "MIX_AIV_1_0", 1, "", wait(3)) + "," +
                   kernel("k1", "MIX_AIV_1_0", 1, "", R"({"op": "GetBlockNum"})"));
  value.mix.sub_kernels[1].blocks = 9;
  value.plan.steps.resize(2);
  value.plan.steps[0].sub_kernels = {0};
  value.plan.steps[1].sub_kernels = {1};
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::stalled));
  value.mix.sub_kernels[0].aiv.clear();
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::refused));
}

// The option string is the mix's, and an operator is compiled before the host launches anything.
TEST(Outside, OptionsAndOperatorsAreRefusedBeforeALaunchThatStalls) {
  Case value = mix(kernel("k0", "MIX_AIV_1_0", 1, "", wait(3)) + "," +
                   kernel("k1", "AIV_ONLY", 1, "", R"({"op": "SyncAll"})"));
  value.plan.steps.resize(2);
  value.plan.steps[0].kind = StepKind::alone;
  value.plan.steps[0].sub_kernels = {0};
  value.plan.steps[1].sub_kernels = {1};
  value.latitudes = {"L-13=promoted"};
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::stalled));
  value.mix.options = "early-start=7";
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::refused));
  value.mix.options = "";
  value.latitudes = {"L-13=refused"};
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::refused));
  value.plan.steps.pop_back();
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::stalled));
}

// The first actor has the number of the first vector core, and no counters.
TEST(Outside, WhatALaunchLeavesIsCountedOnce) {
  const std::string waits = wait(5);
  Case value = beside({R"({"op": "CrossCoreSetFlag", "mode": 0, "pipe": "MTE3", "id": 5})",
                       R"({"op": "GetBlockNum"})", waits + "," + waits},
                      {writes(in_x, {1})});
  launch_apart(value);
  valid(value);
  EXPECT_THAT(statuses(all(value, {latitude_pin(5, "kept")})), ElementsAre(OutcomeStatus::stalled));
}

}  // namespace
}  // namespace skcts::explorer
