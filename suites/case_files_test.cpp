// The written cases on the emulator: what they are known for is shown within a bounded search, and
// nothing outside the model's set ever is.
#include "suites/case_files.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include <gtest/gtest.h>

#include "harness/campaign/engine.h"
#include "harness/campaign/strategies.h"
#include "harness/emulator/emulator.h"
#include "spec/case_id.h"
#include "spec/case_text.h"

namespace skcts::suites {

void PrintTo(const WrittenCase& written, std::ostream* out) {
  *out << written.file;
}

namespace {

constexpr int most_runs = 3000;
constexpr int fewest_runs = 100;

Case read(const WrittenCase& written) {
  Result<Case> result = read_case(written.text, written.file);
  SKCTS_CHECK(result.ok(), "{}", to_string(result.error()));
  return std::move(*result);
}

/// What many runs showed.
struct Shown {
  std::map<OutcomeStatus, int> statuses;
  int other_than_alone = 0;  ///< Memories that the stand-alone launches do not give.
  std::set<std::vector<std::uint32_t>> memories;  ///< Of completed runs.
};

bool judged_words_equal(const Allowed& allowed, const std::vector<std::uint32_t>& a,
                        const std::vector<std::uint32_t>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size() && i < allowed.memory.size(); ++i) {
    if (allowed.memory[i].kind != WordKind::unjudged && a[i] != b[i]) return false;
  }
  return true;
}

/// Is what the case is known for among what was shown?
bool is_shown(Behaviour behaviour, const Shown& shown) {
  const auto seen = [&](OutcomeStatus status) { return shown.statuses.contains(status); };
  switch (behaviour) {
    case Behaviour::refused: return seen(OutcomeStatus::refused);
    case Behaviour::error: return seen(OutcomeStatus::error);
    case Behaviour::stalls:
    case Behaviour::may_stall: return seen(OutcomeStatus::stalled);
    case Behaviour::nondeterministic_data:
      return shown.memories.size() > 1 || shown.other_than_alone > 0;
    case Behaviour::wrong_data: return shown.other_than_alone > 0;
    case Behaviour::completes: return seen(OutcomeStatus::completed);
  }
  return false;
}

class WrittenCases : public testing::TestWithParam<WrittenCase> {};

TEST_P(WrittenCases, ShowOnTheEmulatorWhatTheyAreKnownFor) {
  const Case test_case = read(GetParam());
  ASSERT_TRUE(test_case.expect.has_value());
  auto target = emulator::make_emulator({});
  campaign::Engine engine(**target);
  const campaign::Answer answer = engine.ask(test_case, campaign::Claim::judged);
  EXPECT_EQ(answer.analysis->behaviour, test_case.expect->behaviour) << answer.analysis->sentence;
  const std::string rule =
      answer.analysis->rule ? std::string(to_string(*answer.analysis->rule)) : std::string();
  EXPECT_EQ(rule, test_case.expect->rule) << answer.analysis->sentence;

  Shown shown;
  const std::uint64_t seed = text_hash(case_id(test_case));
  for (int i = 0; i < most_runs; ++i) {
    RunRequest request;
    request.strategy = campaign::strategies_for(seed, static_cast<std::uint64_t>(i), 1).front();
    RunResult run;
    const auto verdict = engine.try_once(test_case, answer, request, std::nullopt, run);
    ASSERT_TRUE(verdict.conforms()) << verdict.key << ": " << verdict.sentence << "\nrun " << i
                                    << ", " << to_string(request.strategy);
    ++shown.statuses[run.outcome.status];
    if (i >= fewest_runs && is_shown(test_case.expect->behaviour, shown)) break;
    if (run.outcome.status != OutcomeStatus::completed) continue;
    shown.memories.insert(run.outcome.memory);
    if (!judged_words_equal(answer.allowed, run.outcome.memory, answer.analysis->alone_memory)) {
      ++shown.other_than_alone;
    }
  }
  EXPECT_TRUE(is_shown(test_case.expect->behaviour, shown))
      << to_string(test_case.expect->behaviour) << " is not shown in " << most_runs << " runs";
}

INSTANTIATE_TEST_SUITE_P(All, WrittenCases, testing::ValuesIn(written_cases()),
                         [](const auto& tested) { return tested.param.test; });

/// How many of four stores to one line were lost, over many runs.
std::set<int> losses(std::string_view file) {
  const auto all = written_cases();
  const auto found = std::ranges::find_if(
      all, [&](const WrittenCase& written) { return written.file.ends_with(file); });
  SKCTS_CHECK(found != all.end(), "no case {}", file);
  const Case test_case = read(*found);
  auto target = emulator::make_emulator({});
  std::set<int> seen;
  for (std::uint64_t i = 0; i < most_runs; ++i) {
    RunRequest request;
    request.strategy = campaign::strategies_for(7, i, 1).front();
    const RunResult run = (*target)->run(test_case, request);
    int lost = 0;
    for (std::uint32_t core = 0; core < 4; ++core) {
      if (run.outcome.memory[core] != core + 1) {
        EXPECT_EQ(run.outcome.memory[core], 900 + core) << "neither old nor stored";
        ++lost;
      }
    }
    seen.insert(lost);
  }
  return seen;
}

TEST(SiliconTable, LosesNothingWithRefreshAndTurns) {
  EXPECT_EQ(losses("silicon/dcci-in-turn.json"), std::set{0});
}

TEST(SiliconTable, CanLoseThreeOfFourWithoutRefresh) {
  EXPECT_TRUE(losses("silicon/no-dcci-in-turn.json").contains(3));
  EXPECT_TRUE(losses("silicon/no-dcci-at-once.json").contains(3));
}

TEST(SiliconTable, CanLoseTwoOfFourWithoutTurns) {
  EXPECT_TRUE(losses("silicon/dcci-at-once.json").contains(2));
}

}  // namespace
}  // namespace skcts::suites
