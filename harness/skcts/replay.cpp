// skcts replay: the same case, the same schedule, the same outcome.
#include <regex>

#include <fmt/format.h>

#include "harness/campaign/engine.h"
#include "harness/campaign/outcome_text.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"
#include "spec/case_id.h"

namespace skcts::program {
namespace {

/// The key of the failure that the case was saved with; empty: of none.
std::string recorded_key(const Case& test_case) {
  return test_case.provenance ? test_case.provenance->key : std::string();
}

/// The name of a saved failure ends with the id of its case, "SYNC-5-<16 hex digits>", perhaps with
/// "-2" behind it. True when the name has that form and another id: somebody changed the case.
bool was_edited(const Case& test_case) {
  static const std::regex form(
      "[A-Z]+-[0-9]+-([0-9a-f]{16})(-[0-9]+)?|none-([0-9a-f]{16})(-[0-9]+)?");
  constexpr std::size_t longest = 64;  // std::regex goes a call deeper for each letter
  std::smatch found;
  if (!test_case.provenance || test_case.name.size() > longest) return false;
  if (!std::regex_match(test_case.name, found, form)) return false;
  return (found[1].matched ? found[1] : found[3]).str() != case_id(test_case);
}

/// The target to replay on: the named one, else the one that the case was saved from.
std::string target_of(const ReplayArguments& arguments, const Case& test_case) {
  if (!arguments.target.empty()) return arguments.target;
  const bool recorded = test_case.provenance && !test_case.provenance->target.empty();
  return recorded ? test_case.provenance->target : "emulator";
}

/// The end of the report: what is seen now against what the file says it failed with.
ExitCode against_record(const ReplayArguments& arguments, const Case& test_case,
                        const judge::Verdict& verdict, const std::string& target) {
  const std::string recorded = printable(recorded_key(test_case));
  const std::string now = verdict.conforms() ? "allowed" : printable(verdict.key);
  if (recorded.empty()) {
    fmt::print("{}\n", now);
  } else if (!verdict.conforms() && verdict.key == recorded_key(test_case)) {
    fmt::print("as recorded: {}\n", recorded);
  } else if (verdict.conforms()) {
    fmt::print("allowed; not reproduced on {}: {}\n", target, recorded);
  } else {
    fmt::print("{}; recorded was {}\n", now, recorded);
  }
  if (!verdict.sentence.empty()) fmt::print("{}\n", printable(verdict.sentence));
  if (!verdict.conforms()) return ExitCode::failure;
  // The very target that failed must fail again; that another one does not is what is asked.
  return recorded.empty() || !arguments.target.empty() ? ExitCode::pass : ExitCode::failure;
}

/// The schedule did not fit: a fault of the file where it was saved from this target.
bool fits_enough(const ReplayArguments& arguments, const Case& test_case,
                 const std::string& target) {
  const std::string saved_from = test_case.provenance ? test_case.provenance->target : "";
  if (!arguments.target.empty() && !saved_from.empty() && saved_from != target) {
    fmt::print("the schedule does not fit {}: other choices were made\n", target);
    return true;
  }
  complain(Error{.file = arguments.file,
                 .field = "schedule",
                 .message = fmt::format("it does not fit {}: other choices were made", target),
                 .hint =
                     "the file was edited or saved by another target; 'skcts judge' runs a case "
                     "under many schedules"});
  return false;
}

}  // namespace

ExitCode replay_case(const ReplayArguments& arguments) {
  const std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  const std::string target_text = target_of(arguments, *test_case);
  Result<std::unique_ptr<Target>> target = open_target(target_text);
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
  if (was_edited(*test_case)) {
    complain(Error{.file = arguments.file,
                   .field = "name",
                   .message = fmt::format("{} is not this case, whose id is {}", test_case->name,
                                          case_id(*test_case)),
                   .hint = "it was changed after it was saved; give it another name"});
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
  fmt::print("{}\noutcome {}: {}", printable(test_case->name),
             campaign::outcome_digest(first.outcome),
             printable_lines(campaign::outcome_text(*test_case, first.outcome)));
  if (!first.replay_fitted && !fits_enough(arguments, *test_case, target_text)) {
    return ExitCode::usage;
  }
  if (second.outcome != first.outcome) {
    fmt::print("run again, the same schedule gave outcome {}\n",
               campaign::outcome_digest(second.outcome));
    return ExitCode::own_error;
  }
  return against_record(arguments, *test_case, verdict, target_text);
}

}  // namespace skcts::program
