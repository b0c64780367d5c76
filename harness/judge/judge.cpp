// The decision: outcome × allowed -> status, rule, key.
#include "harness/judge/judge.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "harness/judge/attribution.h"

namespace skcts::judge {
namespace {

Verdict failed(Status status, Misfit misfit, Clue clue, std::optional<RuleId> fallback) {
  Verdict verdict;
  verdict.status = status;
  verdict.misfit = misfit;
  verdict.rule = clue.rule ? clue.rule : fallback;
  verdict.rule_is_propertys = !clue.rule.has_value();
  verdict.key = failure_key(status, verdict.rule, clue.shape);
  verdict.sentence = std::move(clue.sentence);
  return verdict;
}

/// Only a documented consequence (stall, error, refusal) is allowed, and the target completed.
Verdict consequence_missing(const Question& question, const Outcome& outcome) {
  const Allowed& allowed = question.allowed;
  const std::optional<RuleId> rule = allowed.rule ? allowed.rule : question.property;
  const std::string_view owed = allowed.refused ? "refusal" : allowed.stalled ? "stall" : "error";
  const bool same =
      !question.alone_memory.empty() && std::ranges::equal(question.alone_memory, outcome.memory);
  // A refusal is a guarantee (FUSE-3, CORE-6, CORE-8), never a matter of leniency.
  const bool lenient = same && !allowed.refused && !question.target.exact_consequences;
  Clue clue;
  clue.rule = rule;
  clue.shape = fmt::format("no-{}{}", owed, same || allowed.refused ? "" : "-other-memory");
  clue.sentence =
      fmt::format("A {} is the documented consequence here, but the run completed{}.", owed,
                  allowed.refused ? ""
                  : same          ? " with the memory that the sub kernels give alone"
                                  : " with a memory that the sub kernels do not give alone");
  Verdict verdict =
      failed(lenient ? Status::lenient : Status::fail, Misfit::status, std::move(clue), rule);
  if (lenient) verdict.key.clear();
  return verdict;
}

Verdict wrong_status(const Question& question, const Outcome& outcome) {
  const Allowed& allowed = question.allowed;
  switch (outcome.status) {
    case OutcomeStatus::completed: return consequence_missing(question, outcome);
    case OutcomeStatus::stalled:
      if (!allowed.completed) {
        return failed(Status::fail, Misfit::status,
                      {allowed.rule, "stall-instead",
                       "The run stalled where the contract asks for a refusal or an error."},
                      question.property);
      }
      return failed(Status::stall, Misfit::status, stall_clue(question.test_case, allowed, outcome),
                    question.property);
    case OutcomeStatus::refused:
      return failed(Status::fail, Misfit::status, refusal_clue(question.test_case, outcome),
                    question.property);
    case OutcomeStatus::error:
      return failed(Status::fail, Misfit::status,
                    {outcome.rule, "error",
                     fmt::format("The run ended with an error that no schedule gives{}{}.",
                                 outcome.reason.empty() ? "" : ": ", outcome.reason)},
                    question.property);
  }
  return {};
}

/// Clues of a completed run in the order of how directly they name their rule.
std::optional<Clue> completed_clue(const Question& question, const Outcome& outcome) {
  if (question.target.declares_counts) {
    if (auto clue = launch_clue(question.test_case, question.allowed, outcome)) return clue;
    if (auto clue = count_clue(question.test_case, question.allowed, outcome)) return clue;
  }
  return query_clue(question.test_case, question.allowed, outcome);
}

/// "kept-initial" where the wrong words still hold what they held at the start: a write or its
/// landing is missing. Anything else is "other-value".
std::string memory_shape(const Question& question, const Outcome& outcome,
                         const std::vector<std::int64_t>& words) {
  const GmLayout layout = layout_of(question.test_case.mix);
  const std::vector<std::uint32_t> initial = initial_memory(question.test_case.mix, layout);
  const bool kept = std::ranges::all_of(words, [&](std::int64_t word) {
    const auto place = static_cast<std::size_t>(word);
    return place < initial.size() && place < outcome.memory.size() &&
           initial[place] == outcome.memory[place];
  });
  return kept ? "memory-kept-initial" : "memory-other-value";
}

Verdict wrong_content(const Question& question, const Outcome& outcome, Containment misfit) {
  Clue clue;
  if (outcome.status == OutcomeStatus::completed) {
    if (auto direct = completed_clue(question, outcome)) clue = std::move(*direct);
  } else if (misfit.misfit == Misfit::waiting) {
    clue = {question.allowed.rule, "stuck-elsewhere", misfit.text};
  }
  if (misfit.misfit == Misfit::memory) {
    if (clue.shape.empty()) clue.shape = memory_shape(question, outcome, misfit.words);
    // The direct clue names the rule; the memory says that it matters.
    clue.sentence = clue.sentence.empty() ? misfit.text : clue.sentence + " " + misfit.text;
  }
  if (clue.shape.empty()) clue.shape = to_string(misfit.misfit);
  if (clue.sentence.empty()) clue.sentence = misfit.text;
  Verdict verdict = failed(Status::fail, misfit.misfit, std::move(clue), question.property);
  verdict.words = std::move(misfit.words);
  return verdict;
}

bool status_allowed(const Allowed& allowed, OutcomeStatus status) {
  switch (status) {
    case OutcomeStatus::completed: return allowed.completed;
    case OutcomeStatus::stalled: return allowed.stalled;
    case OutcomeStatus::error: return allowed.error;
    case OutcomeStatus::refused: return allowed.refused;
  }
  return false;
}

}  // namespace

Verdict judge(const Question& question, const Outcome& outcome) {
  if (!status_allowed(question.allowed, outcome.status)) return wrong_status(question, outcome);
  Containment misfit = contains(question.allowed, question.test_case.mix, outcome);
  if (misfit) return {};
  return wrong_content(question, outcome, std::move(misfit));
}

std::string failure_key(Status status, std::optional<RuleId> rule, std::string_view shape) {
  return fmt::format("{}/{}/{}", to_string(status), rule ? to_string(*rule) : "-", shape);
}

}  // namespace skcts::judge
