// skcts judge: model and target on given cases.
#include <fmt/format.h>

#include "harness/campaign/case_judgement.h"
#include "harness/campaign/outcome_text.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/json_text.h"
#include "harness/skcts/terminal.h"
#include "reference_model/witness.h"
#include "spec/case_id.h"

namespace skcts::program {
namespace {

std::string_view rule_text(std::optional<RuleId> rule) {
  return rule ? to_string(*rule) : std::string_view();
}

void print_text(const std::string& file, const campaign::CaseJudgement& j) {
  const std::string behaviour =
      campaign::behaviour_text(j.analysis.behaviour, rule_text(j.analysis.rule));
  fmt::print("{}  {}: {}, {} on {} runs, {} outcome{}\n", j.as_it_must_be() ? "ok " : "BAD",
             printable(file), behaviour, judge::to_string(j.verdict.status), j.runs,
             j.outcomes.size(), j.outcomes.size() == 1 ? "" : "s");
  if (!j.contradiction.empty()) fmt::print("     {}\n", printable(j.contradiction));
  if (!j.skipped.empty()) fmt::print("     {}\n", printable(j.skipped));
  if (!j.verdict.sentence.empty()) fmt::print("     {}\n", printable(j.verdict.sentence));
  if (!j.verdict.key.empty()) fmt::print("     {}\n", printable(j.verdict.key));
}

/// How each outcome that was seen comes about, or what in it does not.
std::vector<std::string> witness_lines(campaign::Engine& engine, const Case& test_case,
                                       const campaign::CaseJudgement& j) {
  std::vector<std::string> lines;
  const std::vector<LatitudePin> pins = engine.pins_for(test_case);
  model::Model model;
  for (const Outcome& outcome : j.shown) {
    const model::Witness witness = model.witness(test_case, outcome, pins);
    const std::string name = "outcome " + campaign::outcome_digest(outcome);
    if (!witness.allowed) {
      lines.push_back(fmt::format("{}: no schedule gives it: {}", name, witness.text));
      continue;
    }
    lines.push_back(name + ": allowed");
    for (const std::string& step : witness.steps) lines.push_back("  " + step);
  }
  return lines;
}

void print_json(const std::string& file, const Case& test_case, const campaign::CaseJudgement& j,
                const std::vector<std::string>& witness) {
  JsonObject object;
  object.text("file", file)
      .text("case", case_id(test_case))
      .flag("as_it_must_be", j.as_it_must_be())
      .text("behaviour", to_string(j.analysis.behaviour))
      .text("rule", rule_text(j.analysis.rule))
      .text("status", judge::to_string(j.verdict.status))
      .text("key", j.verdict.key)
      .text("sentence", j.verdict.sentence)
      .text("contradiction", j.contradiction)
      .text("skipped", j.skipped)
      .number("runs", j.runs)
      .number("outcomes", static_cast<std::int64_t>(j.outcomes.size()));
  if (!witness.empty()) object.texts("witness", witness);
  fmt::print("{}\n", object.str());
}

}  // namespace

ExitCode judge_cases(const JudgeArguments& arguments) {
  Result<std::unique_ptr<Target>> target = open_target(arguments.target);
  if (!target) {
    complain(target.error());
    return code_of_no_target(arguments.target);
  }
  campaign::Engine engine(**target);
  ExitCode code = ExitCode::pass;
  for (const std::string& file : arguments.files) {
    const std::optional<Case> test_case = load_case(file);
    if (!test_case) {
      code = judge::combine(code, ExitCode::usage);
      continue;
    }
    const campaign::CaseJudgement judgement =
        campaign::judge_case(engine, *test_case, arguments.runs);
    std::vector<std::string> witness;
    if (arguments.witness) witness = witness_lines(engine, *test_case, judgement);
    if (arguments.json) {
      print_json(file, *test_case, judgement, witness);
    } else {
      print_text(file, judgement);
      for (const std::string& line : witness) fmt::print("     {}\n", printable(line));
    }
    if (!judgement.as_it_must_be()) code = judge::combine(code, ExitCode::failure);
  }
  return code;
}

}  // namespace skcts::program
