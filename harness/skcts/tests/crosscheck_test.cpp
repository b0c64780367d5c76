// The cross-check from outside: what is explored is shown, too.
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"

namespace skcts::program {
namespace {

using testing::HasSubstr;
using testing::Not;

ChildResult crosscheck(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "crosscheck");
  return run_child(SKCTS_BINARY, arguments);
}

struct Reached {
  int reached = 0, explored = 0;
};

Reached reached_in(const std::string& text) {
  const std::regex line("reached +([0-9]+)  of ([0-9]+) explored outcomes");
  std::smatch found;
  if (!std::regex_search(text, found, line)) return {};
  return {std::stoi(found[1]), std::stoi(found[2])};
}

TEST(Crosscheck, TheEmulatorShowsAllThatIsExplored) {
  const ChildResult result =
      crosscheck({"--cases", "2", "--seed", "2", "--states", "200", "--reach", "30000"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const Reached all = reached_in(result.out);
  EXPECT_GE(all.explored, 45);
  EXPECT_EQ(all.reached, all.explored) << result.out;
}

// Seed 5 has the rare ones: a queue of a depth that no position names, a line that is never written
// back, a refusal that a latitude leaves open.
TEST(Crosscheck, TheEmulatorShowsAllThatIsExploredOfTheGroupsWithRareEnds) {
  for (const char* group : {"events", "sync-all", "polls", "matmul", "soft-barrier"}) {
    const ChildResult result = crosscheck(
        {"--group", group, "--cases", "6", "--seed", "5", "--states", "60", "--reach", "100000"});
    const Reached all = reached_in(result.out);
    EXPECT_GE(all.explored, 7) << group;
    EXPECT_EQ(all.reached, all.explored) << result.out;
  }
}

/// How many mixes a theorem speaks of, and how many of them were explored to several ends.
std::pair<int, int> claim_in(const std::string& text, const std::string& theorem) {
  const std::regex line("claim +([0-9]+) [^\n]*\\(" + theorem +
                        "\\); explored to several: ([0-9]+)");
  std::smatch found;
  if (!std::regex_search(text, found, line)) return {0, -1};
  return {std::stoi(found[1]), std::stoi(found[2])};
}

TEST(Crosscheck, TheTheoremsHoldOnWhatIsExplored) {
  const ChildResult result =
      crosscheck({"--cases", "30", "--seed", "9", "--runs", "0", "--states", "500", "--latitude",
                  "L-2=own-kind", "--latitude", "L-14=not-drained", "--latitude",
                  "L-21=takes-effect", "--latitude", "L-35=unbounded"});
  const auto [one_status, several_ends] = claim_in(result.out, "stall theorem");
  EXPECT_GE(one_status, 300) << result.out << result.err;
  EXPECT_EQ(several_ends, 0) << result.out;
  const auto [one_memory, several_memories] = claim_in(result.out, "hazard theorem");
  EXPECT_GE(one_memory, 150) << result.out;
  EXPECT_EQ(several_memories, 0) << result.out;
}

TEST(Crosscheck, ALatitudeIsHeldInFilesToo) {
  // A DMA that may be seen torn: eight words, each from one copy or the other.
  const std::string file = empty_folder("crosscheck-files") + "/race.json";
  write_text(file, R"({"format": 1, "profile": "tiny", "mix": {
    "regions": [{"name": "X", "words": 8}, {"name": "IN", "words": 16,
      "init": {"first": 1, "step": 1}}],
    "sub_kernels": [{"name": "k", "type": "AIV_ONLY", "blocks": 2, "aiv": [
      {"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "IN", "at": {"core": 8}}, "count": 8},
      {"op": "SetFlag", "event": "MTE2_MTE3", "id": 0},
      {"op": "WaitFlag", "event": "MTE2_MTE3", "id": 0},
      {"op": "DataCopy", "dst": {"gm": "X"}, "src": {"UB": 0}, "count": 8}]}]}})");
  const ChildResult free = crosscheck({file, "--reach", "200000"});
  EXPECT_EQ(reached_in(free.out).explored, 256) << free.out << free.err;
  EXPECT_EQ(reached_in(free.out).reached, 256) << free.out;
  const ChildResult held = crosscheck({file, "--latitude", "L-30=whole-blocks"});
  EXPECT_EQ(reached_in(held.out).explored, 2) << held.out << held.err;
}

TEST(Crosscheck, WhatWasNotShownIsPrintedAndSavedWhereThatIsAsked) {
  const std::vector<std::string> few{"--group", "dma",    "--cases", "20",       "--seed",
                                     "5",       "--runs", "1",       "--states", "60"};
  const ChildResult quiet = crosscheck(few);
  EXPECT_LT(reached_in(quiet.out).reached, reached_in(quiet.out).explored);
  EXPECT_THAT(quiet.out, Not(HasSubstr("not shown")));
  std::vector<std::string> told = few;
  const std::string folder = empty_folder("unreached");
  told.insert(told.end(), {"--show-unreached", "--out", folder});
  const ChildResult result = crosscheck(told);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(": explored, and not shown in 1 run: "));
  EXPECT_THAT(result.out, HasSubstr("saved as " + folder + "/crosscheck-unreached-"));
}

}  // namespace
}  // namespace skcts::program
