// Journal lines: nothing is lost, torn tails are accepted, other damage names its line.
#include "spec/journal.h"

#include <gtest/gtest.h>

namespace skcts {
namespace {

Journal sample() {
  Journal journal;
  append(journal, RunRecord{"1.0", "emulator", "a2-24", 18446744073709551615ULL, 300, 53});
  append(journal,
         RuleRecord{"CORE-3", "Core", "CORE_3", "pass", 10, 5, 5, 0, "", {{"refreshes", "12.5"}}});
  append(journal, CaseRecord{"spec/cases/a.json", "a", "completes", "pass", "", 24});
  append(journal, FindingRecord{"SYNC-1", "SYNC-1", "stall", "stall/SYNC-1/aiv-full-core",
                                "quote \" and \n and \x01", "0123456789abcdef", "00", "out/x.json",
                                "skcts replay out/x.json", 7, 80});
  append(journal, EndRecord{1, ""});
  return journal;
}

std::string text_of(const Journal& journal) {
  std::string text = to_line(journal.run);
  for (const auto& rule : journal.rules) text += to_line(rule);
  for (const auto& written : journal.cases) text += to_line(written);
  for (const auto& finding : journal.findings) text += to_line(finding);
  if (journal.ended) text += to_line(journal.end);
  return text;
}

TEST(Journal, IsReadAsItWasWritten) {
  const auto back = read_journal(text_of(sample()), "j");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, sample());
}

TEST(Journal, HasOneLineARecord) {
  const std::string text = text_of(sample());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
}

TEST(Journal, MayBeTornAnywhereBehindItsFirstLine) {
  const std::string text = text_of(sample());
  for (std::size_t cut = text.find('\n') + 1; cut < text.size(); ++cut) {
    const auto back = read_journal(std::string_view(text).substr(0, cut), "j");
    ASSERT_TRUE(back.ok()) << cut;
    EXPECT_EQ(back->run, sample().run);
    EXPECT_FALSE(back->ended);
  }
}

TEST(Journal, NamesTheLineOfDamage) {
  std::string text = text_of(sample());
  text.insert(text.find('\n') + 1, "{\"record\":\"rule\",\"rule\":3}\n");
  const auto back = read_journal(text, "j.jsonl");
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().file, "j.jsonl");
  EXPECT_EQ(back.error().line, 2);
  EXPECT_NE(back.error().message.find("'rule'"), std::string::npos);
}

TEST(Journal, RefusesOtherFormatsAndOrders) {
  EXPECT_FALSE(read_journal("", "j").ok());
  EXPECT_FALSE(read_journal("{}\n", "j").ok());
  EXPECT_FALSE(read_journal("[1]\n", "j").ok());
  EXPECT_FALSE(read_journal(to_line(EndRecord{}), "j").ok());
  std::string other = to_line(sample().run);
  other.replace(other.find("\"format\":1"), 10, "\"format\":2");
  EXPECT_FALSE(read_journal(other, "j").ok());
  EXPECT_FALSE(read_journal(to_line(sample().run) + to_line(sample().run), "j").ok());
}

TEST(Journal, SurvivesBytesThatAreNoUtf8) {
  FindingRecord finding;
  finding.sentence = "\xff\xfe";
  EXPECT_TRUE(read_journal(to_line(RunRecord{}) + to_line(finding), "j").ok());
}

}  // namespace
}  // namespace skcts
