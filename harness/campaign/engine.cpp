// Glue between model, target and judge.
#include "harness/campaign/engine.h"

#include <algorithm>

#include <fmt/format.h>

namespace skcts::campaign {

bool is_single_memory(const Allowed& allowed) {
  return allowed.completed && !allowed.stalled && !allowed.error && !allowed.refused &&
         std::ranges::none_of(
             allowed.memory, [](const WordAllowed& word) { return word.kind == WordKind::one_of; });
}

Answer Engine::ask(const Case& test_case, Claim claim) {
  Answer answer;
  if (claim == Claim::legal) {
    answer.allowed = model_.allowed(test_case);
    if (is_single_memory(answer.allowed) && !answer.allowed.rule) return answer;
    answer.analysis = model_.analyse(test_case);
    answer.contradiction = fmt::format("a mix that was made legal is not legal for the model: {}",
                                       answer.analysis->sentence);
    return answer;
  }
  answer.analysis = model_.analyse(test_case);
  answer.allowed = answer.analysis->allowed;
  return answer;
}

judge::Verdict Engine::try_once(const Case& test_case, const Answer& answer,
                                const RunRequest& request, std::optional<RuleId> property,
                                RunResult& result) {
  result = target_.run(test_case, request);
  const TargetDescription& target = target_.description();
  judge::Question question{
      test_case, answer.allowed, {target.declares_counts, target.exact_consequences}};
  question.property = property;
  if (answer.analysis) question.alone_memory = answer.analysis->alone_memory;
  return judge::judge(question, result.outcome);
}

}  // namespace skcts::campaign
