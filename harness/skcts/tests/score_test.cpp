// `skcts score` from outside: a canary that it must kill, and one that it must not.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"

namespace skcts::program {
namespace {

using testing::HasSubstr;

ChildResult score(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "score");
  return run_child(SKCTS_BINARY, arguments);
}

/// The text behind "path": in what --json prints.
std::string path_in(const std::string& json) {
  const std::string before = "\"path\": \"";
  const std::size_t at = json.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

TEST(ScoreCommand, KillsTheCanaryWithACaseThatConvictsIt) {
  const std::string out = empty_folder("score_canary");
  const ChildResult result = score(
      {"--defects", "feed-missing", "--cases", "0", "--budget", "10m", "--json", "--out", out});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"clean\": true, \"defects\": 1, \"killed\": 1,"));
  EXPECT_THAT(result.out, HasSubstr("\"killed_without_defect\": []"));
  const std::string path = path_in(result.out);
  EXPECT_THAT(path, HasSubstr(out + "/kills/feed-missing/"));
  const ChildResult guilty = run_child(SKCTS_BINARY, {"replay", path});
  EXPECT_EQ(guilty.exit_code, 1) << guilty.out;
  EXPECT_THAT(guilty.out, HasSubstr("as recorded: "));
  EXPECT_EQ(run_child(SKCTS_BINARY, {"replay", path, "--target", "emulator"}).exit_code, 0);
}

TEST(ScoreCommand, CasesToKillAreTheSameEachTime) {
  const std::string out = empty_folder("score_again");
  const std::vector<std::string> arguments{"--defects", "feed-missing", "--cases", "0", "--json",
                                           "--budget",  "10m",          "--out",   out};
  const auto cases = [&] {
    const ChildResult result = score(arguments);
    const std::size_t at = result.out.find("\"median_cases\"");
    return result.out.substr(std::min(at, result.out.size()), 30);
  };
  const std::string first = cases();
  EXPECT_THAT(first, HasSubstr("median_cases"));
  EXPECT_EQ(first, cases());
}

TEST(ScoreCommand, KillsNothingThatCannotShow) {
  // The very first mix has no idle core that would have to join a SyncAll.
  const ChildResult result = score({"--defects", "feed-missing", "--search", "1", "--budget", "10m",
                                    "--out", empty_folder("score_none")});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("feed-missing survived 1 cases\n"));
  EXPECT_THAT(result.out, HasSubstr("killed 0/1, survived 1;"));
  EXPECT_THAT(result.out, HasSubstr("without a defect: 1 cases, 0 killed; "
                                    "without what a defect needs: 1 cases, 0 defects shown\n"));
}

TEST(ScoreCommand, ChargesTheRuleThatAnOptionOrARefusalHides) {
  // The launch is too narrow whether its size comes from debug-aiv-num or from a sub kernel; a
  // refusal cites its rule itself.
  for (const auto& [defect, rule] :
       std::vector<std::pair<std::string, std::string>>{{"launch-one-block-narrow", "CORE-1"},
                                                        {"full-chip-refused", "CORE-8"},
                                                        {"debug-numbers-ignored", "CORE-6"},
                                                        {"feed-first-call-missed", "SYNC-1"}}) {
    const ChildResult result = score({"--defects", defect, "--cases", "0", "--budget", "10m",
                                      "--json", "--out", empty_folder("score_" + defect)});
    EXPECT_EQ(result.exit_code, 0) << defect << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("\"own_rule\": true, "));
    EXPECT_THAT(result.out, HasSubstr("\"rule\": \"" + rule + "\", \"key\""));
  }
}

TEST(ScoreCommand, SaysThatTheBudgetEnded) {
  const ChildResult result =
      score({"--defects", "*", "--budget", "0.001s", "--out", empty_folder("score_budget")});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("not tried"));
  EXPECT_THAT(result.out, HasSubstr(", the budget ended\n"));
}

TEST(ScoreCommand, SaysWhatItExpects) {
  const struct {
    std::vector<std::string> arguments;
    std::string said;
  } cases[] = {
      {{"--defects", "feed-mising"}, "'feed-mising' matches no seeded defect (did you mean"},
      {{"--defects", "x*"}, "'skcts list defects' prints them"},
      {{"--defects", ""}, "expected a value"},
      {{"--budget", "60"}, "'60': expected a number with s, m or h behind it"},
      {{"--budget", "0s"}, "'0s': expected a number with s, m or h behind it"},
      {{"--search", "0"}, "expected a whole number from 1 to"},
      {{"--seed", "x"}, "expected a whole number"},
      {{"--profile", "a9"}, "'a9' is no profile"},
      {{"--budgets", "1s"}, "did you mean '--budget'?"},
  };
  for (const auto& tried : cases) {
    const ChildResult result = score(tried.arguments);
    EXPECT_EQ(result.exit_code, 2) << tried.said;
    EXPECT_THAT(result.err, HasSubstr(tried.said));
    EXPECT_EQ(result.out, "");
  }
}

TEST(ScoreCommand, HelpHasAnExample) {
  const ChildResult result = score({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Example: skcts score "));
}

}  // namespace
}  // namespace skcts::program
