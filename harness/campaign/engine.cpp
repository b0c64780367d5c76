// Glue between model, target and judge.
#include "harness/campaign/engine.h"

#include <algorithm>

#include <fmt/format.h>

namespace skcts::campaign {

bool is_single_memory(const Allowed& allowed) {
  return allowed.completed && !allowed.stalled && !allowed.error &&
         std::ranges::none_of(
             allowed.memory, [](const WordAllowed& word) { return word.kind == WordKind::one_of; });
}

std::vector<LatitudePin> Engine::pins_for(const Case& test_case) const {
  std::vector<LatitudePin> pins = target_.description().latitudes;
  for (const std::string& text : test_case.latitudes) {
    const Result<LatitudePin> pin = parse_latitude_pin(text);
    if (pin) std::erase_if(pins, [&](const LatitudePin& own) { return own.id == pin->id; });
  }
  return pins;
}

Answer Engine::ask(const Case& test_case, Claim claim) {
  Answer answer;
  const std::vector<LatitudePin> pins = pins_for(test_case);
  if (claim == Claim::legal) {
    answer.allowed = model_.allowed(test_case, pins);
    if (is_single_memory(answer.allowed) && !answer.allowed.rule) return answer;
    answer.analysis = model_.analyse(test_case, pins);
    answer.contradiction = fmt::format("a mix that was made legal is not legal for the model: {}",
                                       answer.analysis->sentence);
    return answer;
  }
  answer.analysis = model_.analyse(test_case, pins);
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
