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
  return checks.empty() ? "-" : checks;
}

using Counts = std::map<std::pair<std::string, std::string>, int>;

TEST(FactClassification, NoFactIsSilentlySkipped) {
  ASSERT_EQ(all_facts().size(), 616u);
  std::set<std::string> names;
  for (const Fact& fact : all_facts()) {
    EXPECT_TRUE(names.insert(fact.name).second) << fact.name << " twice";
    const Classification what = classify(fact);
    EXPECT_TRUE(what.launch || what.sequence || what.order || what.reason != Reason::none)
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
      {{"everything checked", "a"}, 205},
      {{"everything checked", "ab"}, 7},
      {{"everything checked", "abc"}, 136},
      {{"everything checked", "b"}, 16},
      {{"time records", "abc"}, 1},
      {{"aclgraph path", "-"}, 87},
      {{"two streams", "-"}, 13},
      {{"two streams", "a"}, 38},
      {{"events", "-"}, 18},
      {{"events", "a"}, 44},
      {{"tiling offload at run time", "a"}, 7},
      {{"3510 machine", "-"}, 1},
      {{"3510 machine", "a"}, 5},
      {{"sub kernels compiled apart", "-"}, 3},
      {{"compiler's warning", "-"}, 3},
      {{"scope marks", "-"}, 1},
      {{"workspace of feeding", "-"}, 1},
      {{"front end's spelling", "-"}, 2},
      {{"one step of a check", "a"}, 2},
      {{"composer's defect against CORE-7", "a"}, 6},
      {{"composer's defect against CORE-7", "abc"}, 1},
      {{"composer's defect against CORE-8", "abc"}, 9},
      {{"composer's defect against CACHE-5", "a"}, 5},
      {{"composer's defect against SYNC-1", "a"}, 1},
      {{"composer's defect against SYNC-1", "abc"}, 1},
      {{"composer's defect: it fails", "-"}, 3},
  };
  EXPECT_EQ(counts, expected);
}

TEST(FactClassification, DefectsOfTheComposerAreListed) {
  std::map<Reason, int> defects;
  for (const Fact& fact : all_facts()) {
    const Reason reason = classify(fact).reason;
    if (is_defect(reason)) ++defects[reason];
  }
  const std::map<Reason, int> expected{{Reason::defect_core_7, 7},
                                       {Reason::defect_core_8, 9},
                                       {Reason::defect_cache_5, 5},
                                       {Reason::defect_feed, 2},
                                       {Reason::defect_crash, 3}};
  EXPECT_EQ(defects, expected);
}

}  // namespace
}  // namespace skcts::facts
