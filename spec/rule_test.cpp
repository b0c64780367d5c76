// The rule table: complete, in order, and found by name.
#include "spec/rule.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skcts {
namespace {

/// Kinds by chapter in the order of the contract, one letter a rule.
const std::map<std::string, std::string> kinds_of_chapter = {
    {"CORE", "GGGGRGGG"}, {"SYNC", "GGRGRRRRRPRRRRRR"}, {"RATIO", "GRRR"}, {"CACHE", "GGGPGGRRAAR"},
    {"PIPE", "GRGRRRR"},  {"TASK", "GGGRRAR"},          {"FUSE", "GGGGG"}, {"ACL", "GGGGGGGGG"},
};

TEST(Rules, AreAllThereInOrder) {
  std::vector<std::string> expected;
  for (const char* chapter : {"CORE", "SYNC", "RATIO", "CACHE", "PIPE", "TASK", "FUSE", "ACL"}) {
    const std::size_t count = kinds_of_chapter.at(chapter).size();
    for (std::size_t i = 1; i <= count; ++i) {
      expected.push_back(fmt::format("{}-{}", chapter, i));
    }
  }
  std::vector<std::string> names;
  for (const Rule& entry : rules()) names.emplace_back(entry.name);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(rules().size(), rule_count);
}

TEST(Rules, HaveTheKindOfTheContract) {
  std::map<std::string, std::string> kinds;
  for (const Rule& entry : rules()) {
    kinds[std::string(to_string(entry.chapter))] += kind_letter(entry.kind);
  }
  EXPECT_EQ(kinds, kinds_of_chapter);
}

TEST(Rules, AreNamedByTheirChapterAndIndexedByTheirId) {
  for (const Rule& entry : rules()) {
    EXPECT_EQ(&rule(entry.id), &entry);
    EXPECT_TRUE(entry.name.starts_with(fmt::format("{}-", entry.chapter))) << entry.name;
  }
  EXPECT_EQ(rule(RuleId::core_1).name, "CORE-1");
  EXPECT_EQ(rule(RuleId::sync_16).name, "SYNC-16");
  EXPECT_EQ(rule(RuleId::cache_11).name, "CACHE-11");
  EXPECT_EQ(rule(RuleId::fuse_5).name, "FUSE-5");
}

TEST(Rules, AreFoundByTheirExactNameOnly) {
  for (const Rule& entry : rules()) EXPECT_EQ(find_rule(entry.name), entry.id);
  for (const char* name : {"", "SYNC", "SYNC-0", "SYNC-17", "sync-1", "SYNC-1 ", "CORE-9", "FUSE-6",
                           "ACL-0", "ACL-10", "RATIO-5", "CACHE-12", "PIPE-8", "TASK-8"}) {
    EXPECT_FALSE(find_rule(name).has_value()) << name;
  }
}

TEST(Rules, AreWritten) {
  std::set<std::string_view> titles;
  std::set<std::string_view> texts;
  for (const Rule& entry : rules()) {
    EXPECT_FALSE(entry.title.empty()) << entry.name;
    EXPECT_LE(entry.title.size(), 60U) << entry.name;
    EXPECT_TRUE(entry.text.ends_with('.')) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_TRUE(titles.insert(entry.title).second) << entry.name;
    EXPECT_TRUE(texts.insert(entry.text).second) << entry.name;
  }
}

TEST(Rules, RestrictionsSayWhatFollows) {
  for (const Rule& entry : rules()) {
    if (entry.kind == RuleKind::restriction) {
      EXPECT_FALSE(entry.consequence.empty()) << entry.name;
    }
    if (entry.kind == RuleKind::permission) {
      EXPECT_TRUE(entry.consequence.empty()) << entry.name;
    }
  }
}

TEST(Rules, OfTheGePathOnly) {
  std::vector<std::string_view> names;
  for (const Rule& entry : rules()) {
    if (entry.path == RulePath::ge) names.push_back(entry.name);
  }
  const std::vector<std::string_view> expected = {"CORE-6",  "SYNC-1",  "SYNC-2",
                                                  "CACHE-1", "CACHE-2", "CACHE-3",
                                                  "CACHE-4", "CACHE-5", "FUSE-3"};
  EXPECT_EQ(names, expected);
}

TEST(Rules, OfTheAclgraphPathOnlyAreItsChapter) {
  for (const Rule& entry : rules()) {
    EXPECT_EQ(entry.path == RulePath::aclgraph, entry.chapter == Chapter::acl) << entry.name;
  }
}

/// Each rule can be exercised: what a single machine cannot show, its property says.
TEST(Rules, WaitForNothing) {
  for (const Rule& entry : rules()) EXPECT_EQ(entry.needs, "") << entry.name;
}

TEST(Rules, ReferToRulesThatExist) {
  for (const Rule& entry : rules()) {
    for (const Chapter chapter : {Chapter::core, Chapter::sync, Chapter::ratio, Chapter::cache,
                                  Chapter::pipe, Chapter::task, Chapter::fuse, Chapter::acl}) {
      const std::string prefix = fmt::format("{}-", chapter);
      std::size_t at = entry.text.find(prefix);
      while (at != std::string_view::npos) {
        const std::size_t end = entry.text.find_first_not_of("0123456789", at + prefix.size());
        const std::string_view name = entry.text.substr(at, end - at);
        EXPECT_TRUE(find_rule(name).has_value()) << entry.name << " names " << name;
        at = entry.text.find(prefix, at + 1);
      }
    }
  }
}

TEST(Rules, Print) {
  EXPECT_EQ(fmt::format("[{}] {:<7}|", RuleId::core_5, RuleId::task_2), "[CORE-5] TASK-2 |");
  EXPECT_EQ(fmt::format("{} {} {} {}", RuleKind::guarantee, RuleKind::restriction, RuleKind::advice,
                        RuleKind::permission),
            "guarantee restriction advice permission");
}

TEST(RulesDeathTest, NoRuleBeyondTheLast) {
  EXPECT_DEATH((void)rule(static_cast<RuleId>(rule_count)), "there is no rule 67");
}

}  // namespace
}  // namespace skcts
