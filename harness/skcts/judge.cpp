// skcts judge: model and target on given cases.
#include "harness/judge/judge.h"

#include <fmt/format.h>

#include <set>

#include "harness/campaign/engine.h"
#include "harness/campaign/strategies.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/json_text.h"
#include "harness/skcts/outcome_text.h"
#include "spec/case_id.h"

namespace skcts::program {
namespace {

std::string rule_text(std::optional<RuleId> rule) {
  return rule ? std::string(to_string(*rule)) : std::string();
}

/// What came of one file.
struct Judgement {
  std::string file;
  Case test_case;
  model::Analysis analysis;
  judge::Verdict verdict;         ///< The first that does not conform, else a pass.
  std::string complaint;          ///< How the model differs from the expectation; empty: it does not.
  std::set<std::string> digests;  ///< Of the outcomes seen.
  int runs = 0;

  bool good() const { return verdict.conforms() && complaint.empty(); }
};

std::string expectation_complaint(const Case& test_case, const model::Analysis& analysis) {
  if (!test_case.expect) return {};
  const Expectation& expect = *test_case.expect;
  const std::string rule = rule_text(analysis.rule);
  if (expect.behaviour == analysis.behaviour && expect.rule == rule) return {};
  const auto words = [](std::string_view behaviour, const std::string& r) {
    return fmt::format("{}{}", behaviour, r.empty() ? "" : " [" + r + "]");
  };
  return fmt::format("expected {}, the model says {}",
                     words(to_string(expect.behaviour), expect.rule),
                     words(to_string(analysis.behaviour), rule));
}

void run_target(Judgement& judgement, campaign::Engine& engine, const campaign::Answer& answer,
                const RunRequest& request) {
  RunResult result;
  judge::Verdict verdict = engine.try_once(judgement.test_case, answer, request,
                                           answer.analysis->rule, result);
  ++judgement.runs;
  judgement.digests.insert(outcome_digest(result.outcome));
  if (judgement.verdict.conforms() && verdict.status != judge::Status::pass) {
    judgement.verdict = std::move(verdict);
  }
}

Judgement judge_one(const std::string& file, Case test_case, campaign::Engine& engine, int runs) {
  Judgement judgement;
  judgement.file = file;
  judgement.test_case = std::move(test_case);
  campaign::Answer answer = engine.ask(judgement.test_case, campaign::Claim::judged);
  judgement.complaint = expectation_complaint(judgement.test_case, *answer.analysis);
  if (judgement.test_case.schedule) {
    RunRequest request;
    request.replay = &*judgement.test_case.schedule;
    run_target(judgement, engine, answer, request);
  }
  const std::uint64_t seed = text_hash(case_id(judgement.test_case));
  for (const Strategy& strategy : campaign::strategies_for(seed, 0, runs)) {
    RunRequest request;
    request.strategy = strategy;
    run_target(judgement, engine, answer, request);
  }
  judgement.analysis = std::move(*answer.analysis);
  return judgement;
}

void print_text(const Judgement& j) {
  const std::string rule = rule_text(j.analysis.rule);
  fmt::print("{}  {}: {}{}, {} on {} runs, {} outcome{}\n", j.good() ? "ok  " : "BAD ", j.file,
             to_string(j.analysis.behaviour), rule.empty() ? "" : " [" + rule + "]",
             to_string(j.verdict.status), j.runs, j.digests.size(),
             j.digests.size() == 1 ? "" : "s");
  if (!j.complaint.empty()) fmt::print("      {}\n      {}\n", j.complaint, j.analysis.sentence);
  if (!j.verdict.sentence.empty()) {
    fmt::print("      {}\n", j.verdict.sentence);
    if (!j.verdict.key.empty()) fmt::print("      {}\n", j.verdict.key);
  }
}

void print_json(const Judgement& j) {
  JsonObject object;
  object.text("file", j.file)
      .text("case", case_id(j.test_case))
      .flag("as_it_must_be", j.good())
      .text("behaviour", to_string(j.analysis.behaviour))
      .text("rule", rule_text(j.analysis.rule))
      .text("status", to_string(j.verdict.status))
      .text("key", j.verdict.key)
      .text("sentence", j.verdict.sentence)
      .text("expectation", j.complaint)
      .number("runs", j.runs)
      .number("outcomes", static_cast<std::int64_t>(j.digests.size()));
  fmt::print("{}\n", object.str());
}

}  // namespace

ExitCode judge_cases(const JudgeArguments& arguments) {
  Result<std::unique_ptr<Target>> target = open_target(arguments.target);
  if (!target) {
    complain(target.error());
    return ExitCode::usage;
  }
  campaign::Engine engine(**target);
  ExitCode code = ExitCode::pass;
  for (const std::string& file : arguments.files) {
    std::optional<Case> test_case = load_case(file);
    if (!test_case) {
      code = judge::combine(code, ExitCode::usage);
      continue;
    }
    const Judgement judgement = judge_one(file, std::move(*test_case), engine, arguments.runs);
    if (arguments.json) {
      print_json(judgement);
    } else {
      print_text(judgement);
    }
    if (!judgement.good()) code = judge::combine(code, ExitCode::failure);
  }
  return code;
}

}  // namespace skcts::program
