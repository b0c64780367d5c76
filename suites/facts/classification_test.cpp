// Every recorded fact is accounted for; the counts by reason are pinned.
#include "suites/facts/classification.h"

#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skcts::facts {
namespace {

std::string checks_of(const Classification& what) {
  std::string checks;
  if (what.launch) checks += 'a';
  if (what.sequence) checks += 'b';
  if (what.order) checks += 'c';
  if (what.followed) checks += 'd';
  if (what.decision) checks += 'e';
  return checks.empty() ? "-" : checks;
}

using Counts = std::map<std::pair<std::string, std::string>, int>;

TEST(FactClassification, NoFactIsSilentlySkipped) {
  ASSERT_EQ(all_facts().size(), 616u);
  std::set<std::string> names;
  for (const Fact& fact : all_facts()) {
    EXPECT_TRUE(names.insert(fact.name).second) << fact.name << " twice";
    const Classification what = classify(fact);
    EXPECT_TRUE(checks_of(what) != "-" || what.reason != Reason::none)
        << fact.name << " is neither checked nor has a reason";
  }
}

TEST(FactClassification, CountsByReason) {
  Counts counts;
  std::map<std::string, int> checked;
  for (const Fact& fact : all_facts()) {
    const Classification what = classify(fact);
    ++counts[{std::string(to_string(what.reason)), checks_of(what)}];
    for (const char check : checks_of(what)) ++checked[std::string(1, check)];
  }
  std::cout << "facts  checked  reason for what is left out\n";
  for (const auto& [key, count] : counts) {
    std::cout << fmt::format("{:>5}  {:<7}  {}\n", count, key.second, key.first);
  }
  for (const auto& [check, count] : checked) std::cout << fmt::format("{:>5}  {}\n", count, check);
  const Counts expected{
      {{"no composition: how queues are built", "-"}, 25},
      {{"out of scope: the deadlock detector", "-"}, 8},
      {{"composer's defect against CACHE-5", "a"}, 4},
      {{"composer's defect against CACHE-5", "ad"}, 3},
      {{"composer's defect against CORE-7", "a"}, 6},
      {{"composer's defect against CORE-7", "abcd"}, 1},
      {{"composer's defect against CORE-8", "abcd"}, 9},
      {{"composer's defect against FUSE-1: never ends", "ad"}, 5},
      {{"composer's defect against FUSE-5: an order is lost", "ad"}, 3},
      {{"composer's defect against FUSE-5: holds too few", "ad"}, 4},
      {{"composer's defect against FUSE-5: holds too few", "d"}, 2},
      {{"composer's defect against FUSE-5: raises too early", "ad"}, 6},
      {{"composer's defect against FUSE-5: refuses", "e"}, 5},
      {{"composer's defect against SYNC-1", "a"}, 3},
      {{"composer's defect against SYNC-1", "abcd"}, 1},
      {{"composer's defect: it fails", "e"}, 2},
      {{"composer's defect: it fails", "ad"}, 1},
      {{"composer's defect: it fails", "d"}, 3},
      {{"everything checked", "a"}, 205},
      {{"everything checked", "abcd"}, 136},
      {{"everything checked", "abd"}, 12},
      {{"everything checked", "ad"}, 68},
      {{"everything checked", "b"}, 16},
      {{"everything checked", "d"}, 8},
      {{"everything checked", "e"}, 65},
      {{"no composition: a compiler's warning", "-"}, 3},
      {{"no composition: a front end's spelling", "-"}, 2},
      {{"no composition: attributes of a front end", "-"}, 4},
      {{"no composition: one step of a check", "a"}, 2},
      {{"no composition: sub kernels compiled apart", "-"}, 3},
      {{"no composition: time records", "abcd"}, 1},
  };
  EXPECT_EQ(counts, expected);
}

TEST(FactClassification, DefectsOfTheComposerAreListed) {
  std::map<Reason, int> defects;
  for (const Fact& fact : all_facts()) {
    const Reason reason = classify(fact).reason;
    if (is_defect(reason)) ++defects[reason];
  }
  const std::map<Reason, int> expected{{Reason::defect_core_7, 7},  {Reason::defect_core_8, 9},
                                       {Reason::defect_cache_5, 7}, {Reason::defect_feed, 4},
                                       {Reason::defect_notify, 6},  {Reason::defect_hold, 6},
                                       {Reason::defect_streams, 3}, {Reason::defect_barrier, 5},
                                       {Reason::defect_refuses, 5}, {Reason::defect_crash, 6}};
  EXPECT_EQ(defects, expected);
}

}  // namespace
}  // namespace skcts::facts
