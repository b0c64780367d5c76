// skcts replay: the same case, the same schedule, the same outcome.
#include <fmt/format.h>

#include "harness/campaign/engine.h"
#include "harness/campaign/outcome_text.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"

namespace skcts::program {
namespace {

/// What the file says it failed with, against what is seen now.
std::string against_record(const Case& test_case, const judge::Verdict& verdict) {
  if (!test_case.provenance || test_case.provenance->key.empty()) {
    return verdict.conforms() ? "allowed" : verdict.key;
  }
  const std::string recorded = printable(test_case.provenance->key);
  if (verdict.key == test_case.provenance->key) return "as recorded: " + recorded;
  return fmt::format("{}; recorded was {}", verdict.conforms() ? "allowed" : verdict.key, recorded);
}

/// The target to replay on: the named one, else the one that the case was saved from.
std::string target_of(const ReplayArguments& arguments, const Case& test_case) {
  if (!arguments.target.empty()) return arguments.target;
  const bool recorded = test_case.provenance && !test_case.provenance->target.empty();
  return recorded ? test_case.provenance->target : "emulator";
}

}  // namespace

ExitCode replay_case(const ReplayArguments& arguments) {
  const std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  Result<std::unique_ptr<Target>> target = open_target(target_of(arguments, *test_case));
  if (!target) {
    complain(target.error());
    return ExitCode::usage;
  }
  if (!test_case->schedule) {
    complain(Error{.file = arguments.file,
                   .message = "the case has no schedule to replay",
                   .hint = "'skcts judge' runs a case under many schedules"});
    return ExitCode::usage;
  }
  campaign::Engine engine(**target);
  const campaign::Answer answer = engine.ask(*test_case, campaign::Claim::judged);
  // The rule of a failure that only shows in memory is the recorded property's.
  std::optional<RuleId> property;
  if (test_case->provenance) property = find_rule(test_case->provenance->rule);
  RunRequest request;
  request.replay = &*test_case->schedule;
  RunResult first;
  judge::Verdict verdict = engine.try_once(*test_case, answer, request, property, first);
  engine.explain(*test_case, answer, first.outcome, verdict);
  const RunResult second = engine.target().run(*test_case, request);
  fmt::print("{}outcome {}: {}", fmt::format("{}\n", test_case->name),
             campaign::outcome_digest(first.outcome),
             campaign::outcome_text(*test_case, first.outcome));
  if (!first.replay_fitted) {
    fmt::print("the schedule does not fit this target: other choices were made\n");
  }
  if (second.outcome != first.outcome) {
    fmt::print("run again, the same schedule gave outcome {}\n",
               campaign::outcome_digest(second.outcome));
    return ExitCode::own_error;
  }
  fmt::print("{}\n", against_record(*test_case, verdict));
  if (!verdict.sentence.empty()) fmt::print("{}\n", verdict.sentence);
  return verdict.conforms() ? ExitCode::pass : ExitCode::failure;
}

}  // namespace skcts::program
