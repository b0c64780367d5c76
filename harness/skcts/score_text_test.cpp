#include "harness/skcts/score_text.h"

#include <string>

#include <gtest/gtest.h>

namespace skcts::program {
namespace {

using campaign::Channel;
using campaign::Fate;
using campaign::Kill;
using campaign::MutantScore;
using campaign::Score;

/// One killed as it should be, one charged to another rule, one survivor, one that was not tried.
Score sample() {
  Score score;
  score.suites = {"Core", "Sync"};
  score.mutants = {
      MutantScore{.name = "one",
                  .rule = RuleId::core_1,
                  .channel = "launch",
                  .fate = Fate::killed,
                  .tried = 3,
                  .kill = Kill{.found_by = RuleId::core_2,
                               .cases = 3,
                               .seconds = 0.5,
                               .rule = RuleId::core_1,
                               .key = "fail/CORE-1/launch",
                               .channels = {Channel::launch, Channel::memory},
                               .sub_kernels = 1},
                  .cells = {{.tried = 2, .killed = 2}, {.tried = 7, .ended = true}}},
      MutantScore{.name = "two",
                  .rule = RuleId::sync_1,
                  .channel = "stall",
                  .fate = Fate::killed,
                  .tried = 12,
                  .kill = Kill{.found_by = RuleId::sync_1,
                               .cases = 12,
                               .seconds = 1.25,
                               .rule = RuleId::core_2,
                               .key = "fail/CORE-2/memory-other-value",
                               .channels = {Channel::memory}},
                  .cells = {{.tried = 1}, {.tried = 6, .killed = 6}}},
      MutantScore{.name = "three",
                  .rule = RuleId::sync_1,
                  .fate = Fate::survived,
                  .tried = 50,
                  .doubts = {"case 9, x: y"},
                  .cells = {{.tried = 25, .ended = true}, {.tried = 25, .ended = true}}},
      MutantScore{.name = "four", .tried = 4, .cells = {{}, {}}}};
  score.cases = 60;
  score.stopped = true;
  score.seconds = 2;
  return score;
}

TEST(ScoreText, IsATableWithWhatIsToBeSaid) {
  EXPECT_EQ(score_table(sample()),
            "defect  breaks  cases      seconds  charged to  shown by       Core  Sync\n"
            "one     CORE-1  3          0.50     CORE-1      launch+memory  2     .\n"
            "two     SYNC-1  12         1.25     CORE-2 !    memory               6\n"
            "three   SYNC-1  survived                                       .     .\n"
            "four    FUSE-1  not tried\n"
            "(cases of all suites in turn to the kill; below each suite: of its own; '.' none of "
            "those tried, blank: not tried; '!' another rule than the one that is broken)\n"
            "\n"
            "two breaks SYNC-1, charged to CORE-2: fail/CORE-2/memory-other-value\n"
            "two is said to show by stall, shown by memory: fail/CORE-2/memory-other-value\n"
            "three survived 50 cases\n"
            "three: case 9, x: y\n"
            "four not tried to the end: 4 cases\n"
            "by chapter: CORE 1/1 (median 3), SYNC 1/2 (median 12), FUSE 0/1\n"
            "killed 2/4, survived 1, not tried 1; cases to kill: median 3, 90 % within 12, all "
            "within 12; 2.0 s, the budget ended\n"
            "charged to the rule that is broken: 1 of 2 (50.0 %); shown as said: 1 of 2 (50.0 %); "
            "without a defect: 60 cases, 0 killed; without what a defect needs: 0 cases, 0 "
            "defects shown\n");
}

TEST(ScoreText, TellsAlarmsAndWhereTheyAre) {
  Score score;
  score.false_kills.assign(12, {RuleId::sync_5, "tiny", 7, "stall/SYNC-5/x", "It hangs."});
  score.own_faults.assign(1, {RuleId::core_3, "tiny", 8, "fused", "Not legal."});
  const std::string table = score_table(score);
  EXPECT_NE(table.find("killed without a defect: SYNC-5 index 7 on tiny: stall/SYNC-5/x: It "
                       "hangs.\nkilled without a defect: and 2 more\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("the suite's own fault: CORE-3 index 8 on tiny: fused: Not legal.\n"),
            std::string::npos);
  EXPECT_NE(table.find("without a defect: 0 cases, 12 killed"), std::string::npos);
  EXPECT_NE(table.find("charged to the rule that is broken: 0 of 0"), std::string::npos);
}

TEST(ScoreText, TellsWhatShowsWithoutItsFeature) {
  Score score;
  score.strays.push_back(
      {"wide", "sync-all-fed", {RuleId::sync_5, "tiny", 7, "stall/SYNC-5/x", "It hangs."}});
  EXPECT_NE(score_table(score).find(
                "wide shows without sync-all-fed: SYNC-5 index 7 on tiny: stall/SYNC-5/x\n"),
            std::string::npos);
  EXPECT_NE(score_json(score).find(R"("defect": "wide", "control": "sync-all-fed")"),
            std::string::npos);
  EXPECT_FALSE(score.clean());
}

TEST(ScoreText, HoldsTheSameAsJson) {
  const std::string json = score_json(sample());
  for (const char* const part :
       {R"({"clean": false, "defects": 4, "killed": 2, "survived": 1, "not_tried": 1, )",
        R"("median_cases": 3, "p90_cases": 12, "max_cases": 12, "own_rule": 1, "own_channel": 1, )",
        R"({"defect": "one", "rule": "CORE-1", "channel": "launch", "fate": "killed", "tried": 3,)",
        R"("found_by": "CORE-2", "cases": 3, "seconds": 0.5000, "proof_seconds": 0.0000)",
        R"("channels": ["launch", "memory"])", R"("doubts": ["case 9, x: y"])",
        R"("Sync": {"tried": 7, "killed": 0, "ended": true})"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

}  // namespace
}  // namespace skcts::program
