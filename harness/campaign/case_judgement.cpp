// Runs and verdicts of one written case.
#include "harness/campaign/case_judgement.h"

#include <utility>

#include <fmt/format.h>

#include "harness/campaign/outcome_text.h"
#include "harness/campaign/strategies.h"
#include "spec/case_id.h"

namespace skcts::campaign {
namespace {

std::string contradiction_of(const Case& test_case, const model::Analysis& analysis) {
  if (!test_case.expect) return {};
  const Expectation& expect = *test_case.expect;
  const std::string_view rule = analysis.rule ? to_string(*analysis.rule) : std::string_view();
  if (expect.behaviour == analysis.behaviour && expect.rule == rule) return {};
  return fmt::format("expected {}, the model says {}: {}",
                     behaviour_text(expect.behaviour, expect.rule),
                     behaviour_text(analysis.behaviour, rule), analysis.sentence);
}

/// `shown` gets the outcome behind the judgement's verdict.
void run_once(Engine& engine, const Case& test_case, const Answer& answer,
              const RunRequest& request, CaseJudgement& judgement, Outcome& shown) {
  RunResult result;
  judge::Verdict verdict =
      engine.try_once(test_case, answer, request, answer.analysis->rule, result);
  ++judgement.runs;
  judgement.outcomes.insert(outcome_digest(result.outcome));
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
  judgement.contradiction = contradiction_of(test_case, *answer.analysis);
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
