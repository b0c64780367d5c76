// Every seeded platform defect is found by `run`, from outside: exit code 1, a saved case that
// names a rule, repeats bit for bit, and passes on the healthy emulator.
#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/emulator/defects.h"
#include "harness/skcts/tests/child.h"
#include "spec/case_text.h"
#include "spec/journal.h"

namespace skcts::emulator {

void PrintTo(const Defect& defect, std::ostream* out) {
  *out << defect.name;
}

}  // namespace skcts::emulator

namespace skcts::program {
namespace {

constexpr std::int64_t most_cases = 20'000;

/// Cases that all properties before the finding's ran, and those of its own until it was met.
std::int64_t cases_to_kill(const Journal& journal, const FindingRecord& finding) {
  std::int64_t cases = finding.cases_to_find;
  for (const RuleRecord& record : journal.rules) {
    if (record.rule == finding.found_by) break;
    cases += record.generated;
  }
  return cases;
}

std::string first_line_with(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

/// One of each sort: a run for each takes a minute. `skcts score` holds generated mixes against all
/// of the catalogue, and the emulator's own tests show each in its smallest mix.
constexpr std::array<std::string_view, 13> in_the_table = {"launch-one-block-narrow",
                                                           "block-num-of-launch",
                                                           "guard-one-wide",
                                                           "feed-missing",
                                                           "aiv1-of-1-1-left-out",
                                                           "per-access-refresh-missing",
                                                           "dcci-before-ignored",
                                                           "destroy-barrier-missing",
                                                           "early-start-aiv-aic-edge-missing",
                                                           "inter-operator-barrier-missing",
                                                           "flags-carried-over",
                                                           "unknown-option-accepted",
                                                           "offload-block-num-of-launch"};

std::vector<emulator::Defect> defects_of_the_table() {
  std::vector<emulator::Defect> defects;
  for (const std::string_view name : in_the_table) {
    if (const emulator::Defect* defect = emulator::find_defect(name)) defects.push_back(*defect);
  }
  return defects;
}

TEST(PlatformDefects, OfTheTableAreInTheCatalogue) {
  EXPECT_EQ(defects_of_the_table().size(), in_the_table.size());
}

class PlatformDefect : public testing::TestWithParam<emulator::Defect> {};

TEST_P(PlatformDefect, IsFoundSavedReplayedAndAbsentOnAHealthyTarget) {
  const emulator::Defect& defect = GetParam();
  const std::string target = fmt::format("emulator:defect={}", defect.name);
  const std::string out = empty_folder(std::string(defect.name));
  // 56 properties of 350 mixes stay below the bound.
  const ChildResult run =
      run_child(SKCTS_BINARY, {"run", "--target", target, "--cases", "350", "--out", out});
  ASSERT_EQ(run.exit_code, 1) << run.out << run.err;
  const auto journal = read_journal(read_text(out + "/journal.jsonl"), "journal");
  ASSERT_TRUE(journal.ok()) << to_string(journal.error());
  ASSERT_FALSE(journal->findings.empty());

  bool own_rule = false;
  std::string table;
  for (const FindingRecord& finding : journal->findings) {
    EXPECT_FALSE(finding.rule.empty()) << finding.key;
    own_rule = own_rule || finding.rule == to_string(defect.rule);
    const ChildResult once = run_child(SKCTS_BINARY, {"replay", finding.path, "--target", target});
    const ChildResult twice = run_child(SKCTS_BINARY, {"replay", finding.path, "--target", target});
    EXPECT_EQ(once.exit_code, 1) << finding.path << once.out << once.err;
    EXPECT_EQ(once.out, twice.out) << finding.path;
    EXPECT_FALSE(first_line_with(once.out, "outcome " + finding.outcome).empty()) << once.out;
    EXPECT_FALSE(first_line_with(once.out, "as recorded: " + finding.key).empty()) << once.out;
    const ChildResult healthy =
        run_child(SKCTS_BINARY, {"replay", finding.path, "--target", "emulator"});
    EXPECT_EQ(healthy.exit_code, 0) << finding.path << healthy.out << healthy.err;
    const ChildResult judged = run_child(SKCTS_BINARY, {"judge", finding.path});
    EXPECT_EQ(judged.exit_code, 0) << finding.path << judged.out << judged.err;
  }
  const FindingRecord& first = journal->findings.front();
  EXPECT_LE(cases_to_kill(*journal, first), most_cases);
  EXPECT_TRUE(own_rule) << "no finding names " << to_string(defect.rule);
  fmt::print("{:<36} breaks {:<8} first found as {:<44} after {:>6} cases, {} findings\n",
             defect.name, to_string(defect.rule), first.key, cases_to_kill(*journal, first),
             journal->findings.size());
}

INSTANTIATE_TEST_SUITE_P(Catalogue, PlatformDefect, testing::ValuesIn(defects_of_the_table()),
                         [](const testing::TestParamInfo<emulator::Defect>& tested) {
                           std::string name(tested.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace skcts::program
