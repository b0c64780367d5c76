// Runs and verdicts of one written case.
#include "harness/campaign/case_judgement.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/campaign/outcome_text.h"
#include "harness/campaign/strategies.h"
#include "spec/case_id.h"
#include "spec/profile.h"

namespace skcts::campaign {
namespace {

std::string_view rule_of(const model::Analysis& analysis) {
  return analysis.rule ? to_string(*analysis.rule) : std::string_view();
}

bool is_expected(const Expectation& expect, const model::Analysis& analysis) {
  return expect.behaviour == analysis.behaviour && expect.rule == rule_of(analysis);
}

/// Where the target declares positions of latitudes other than the defaults, and the case leaves
/// them open.
std::vector<LatitudePin> other_positions(Engine& engine, const Case& test_case) {
  std::vector<LatitudePin> pins = engine.pins_for(test_case);
  const Profile* profile = find_profile(test_case.profile);
  if (profile == nullptr) return {};
  const LatitudeAssignment defaults = latitude_defaults(*profile);
  std::erase_if(pins, [&](const LatitudePin& pin) { return defaults.holds(pin); });
  return pins;
}

/// An expectation holds at the default positions. What the model says elsewhere contradicts it only
/// if the model contradicts it there, too.
void hold_against_model(Engine& engine, const Case& test_case, const model::Analysis& analysis,
                        CaseJudgement& judgement) {
  if (!test_case.expect || is_expected(*test_case.expect, analysis)) return;
  const Expectation& expect = *test_case.expect;
  const std::string expected = behaviour_text(expect.behaviour, expect.rule);
  const std::string said = behaviour_text(analysis.behaviour, rule_of(analysis));
  const std::vector<LatitudePin> others = other_positions(engine, test_case);
  // With some of the other positions, the rest at their defaults.
  const auto holds_with = [&](const std::vector<LatitudePin>& kept) {
    std::vector<LatitudePin> pins = engine.pins_for(test_case);
    for (LatitudePin& pin : pins) {
      const bool moved = std::ranges::count(others, pin) > 0 && std::ranges::count(kept, pin) == 0;
      if (moved)
        pin.position = latitude_defaults(*find_profile(test_case.profile)).position(pin.id);
    }
    return is_expected(expect, engine.model().analyse(test_case, pins, model::Leaning::left_out));
  };
  if (others.empty() || !holds_with({})) {
    judgement.contradiction =
        fmt::format("expected {}, the model says {}: {}", expected, said, analysis.sentence);
    return;
  }
  std::vector<std::string> decisive;
  for (const LatitudePin& pin : others) {
    if (!holds_with({pin})) decisive.push_back(to_string(pin));
  }
  if (decisive.empty()) {
    for (const LatitudePin& pin : others) decisive.push_back(to_string(pin));
  }
  judgement.skipped =
      fmt::format("expectation skipped: {} at the default positions, {} at {} of the target",
                  expected, said, fmt::join(decisive, ", "));
}

/// `shown` gets the outcome behind the judgement's verdict.
void run_once(Engine& engine, const Case& test_case, const Answer& answer,
              const RunRequest& request, CaseJudgement& judgement, Outcome& shown) {
  RunResult result;
  judge::Verdict verdict =
      engine.try_once(test_case, answer, request, answer.analysis->rule, result);
  ++judgement.runs;
  const bool fresh = judgement.outcomes.insert(outcome_digest(result.outcome)).second;
  if (fresh) judgement.shown.push_back(result.outcome);
  if (judgement.verdict.conforms() && verdict.status != judge::Status::pass) {
    judgement.verdict = std::move(verdict);
    shown = std::move(result.outcome);
  }
}

}  // namespace

std::string behaviour_text(Behaviour behaviour, std::string_view rule) {
  return fmt::format("{}{}{}{}", to_string(behaviour), rule.empty() ? "" : " [", rule,
                     rule.empty() ? "" : "]");
}

CaseJudgement judge_case(Engine& engine, const Case& test_case, int runs) {
  CaseJudgement judgement;
  Answer answer = engine.ask(test_case, Claim::judged);
  hold_against_model(engine, test_case, *answer.analysis, judgement);
  Outcome shown;
  if (test_case.schedule) {
    RunRequest request;
    request.replay = &*test_case.schedule;
    run_once(engine, test_case, answer, request, judgement, shown);
  }
  const std::uint64_t seed = text_hash(case_id(test_case));
  for (const Strategy& strategy : strategies_for(seed, 0, runs)) {
    RunRequest request;
    request.strategy = strategy;
    run_once(engine, test_case, answer, request, judgement, shown);
  }
  if (!judgement.verdict.conforms()) {
    engine.explain(test_case, answer, shown, judgement.verdict);
  }
  judgement.analysis = std::move(*answer.analysis);
  return judgement;
}

}  // namespace skcts::campaign
