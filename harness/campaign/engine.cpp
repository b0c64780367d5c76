// Glue between model, target and judge.
#include "harness/campaign/engine.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/strategies.h"
#include "harness/judge/declared.h"
#include "harness/judge/ending.h"
#include "reference_model/attribute.h"
#include "reference_model/contract.h"
#include "spec/case_id.h"
#include "spec/check.h"
#include "spec/options.h"
#include "spec/validate.h"

namespace skcts::campaign {

bool is_single_memory(const Allowed& allowed) {
  return allowed.completed && !allowed.stalled && !allowed.error &&
         std::ranges::none_of(
             allowed.memory, [](const WordAllowed& word) { return word.kind == WordKind::one_of; });
}

std::vector<LatitudePin> Engine::pins_for(const Case& test_case) const {
  std::vector<LatitudePin> pins = target_.description().latitudes;
  for (const LatitudePin& pin : pins_of(test_case)) {
    std::erase_if(pins, [&](const LatitudePin& own) { return own.id == pin.id; });
  }
  return pins;
}

Answer Engine::ask(const Case& test_case, Claim claim) {
  Answer answer;
  const std::vector<LatitudePin> pins = pins_for(test_case);
  if (claim == Claim::legal) {
    answer.allowed = model_.allowed(test_case, pins);
    if (is_single_memory(answer.allowed) && !answer.allowed.rule) return answer;
    answer.analysis = model_.analyse(test_case, pins, model::Leaning::left_out);
    answer.contradiction = fmt::format("a mix that was made legal is not legal for the model: {}",
                                       answer.analysis->sentence);
    return answer;
  }
  answer.analysis = model_.analyse(test_case, pins, model::Leaning::left_out);
  answer.allowed = answer.analysis->allowed;
  return answer;
}

namespace {

/// A case whose outcome hangs on timing runs so many times as often.
constexpr int more_often = 3;

bool hangs_on_timing(const Case& test_case, const Allowed& allowed) {
  return !is_single_memory(allowed) ||
         std::ranges::any_of(test_case.mix.sub_kernels, [](const SubKernel& k) {
           return model::calls(k, Op::set_next_task_start) ||
                  model::calls(k, Op::wait_pre_task_end);
         });
}

}  // namespace

int Engine::times_for(const Case& test_case, const Answer& answer,
                      const RunRequest& request) const {
  if (target_.description().honours_schedules || request.replay != nullptr) return 1;
  return repeat_ * (hangs_on_timing(test_case, answer.allowed) ? more_often : 1);
}

judge::Verdict Engine::try_once(const Case& test_case, const Answer& answer,
                                const RunRequest& request, std::optional<RuleId> property,
                                RunResult& result) {
  judge::Verdict verdict = try_alone(test_case, answer, request, property, result);
  const int times = times_for(test_case, answer, request);
  const auto is_bad = [](const judge::Verdict& v) {
    return judge::exit_code_of(v.status) != judge::ExitCode::pass;
  };
  int bad = is_bad(verdict) ? 1 : 0;
  int done = 1;
  // One that does not answer is not asked over and over.
  for (RunResult run; done < times && (result.end == RunEnd::answered || bad == 0); ++done) {
    RunRequest again = request;
    again.strategy.seed = mix_seeds(request.strategy.seed, static_cast<std::uint64_t>(done));
    judge::Verdict other = try_alone(test_case, answer, again, property, run);
    if (is_bad(other)) ++bad;
    const bool first_bad = bad == 1 && is_bad(other);
    if (!first_bad && (bad > 0 || judge::worse(verdict.status, other.status) == verdict.status)) {
      continue;
    }
    verdict = std::move(other);
    result = std::move(run);
  }
  if (bad > 0 && times > 1) {
    verdict.sentence = fmt::format("{} of {} runs: {}", bad, done, verdict.sentence);
  }
  return verdict;
}

judge::Verdict Engine::try_alone(const Case& test_case, const Answer& answer,
                                 const RunRequest& request, std::optional<RuleId> property,
                                 RunResult& result) {
  const TargetDescription& target = target_.description();
  judge::Question question{
      test_case, answer.allowed, {target.declares_counts, target.exact_consequences}};
  question.property = property;
  if (answer.analysis) question.alone_memory = answer.analysis->alone_memory;
  RunRequest now = request;
  for (bool again = false;; again = true) {
    result = target_.run(test_case, now);
    if (result.end == RunEnd::answered) {
      if (target.undeclared_counts.empty()) return judge::judge(question, result.outcome);
      return judge::judge(question, judge::with_undeclared(result.outcome, answer.allowed,
                                                           target.undeclared_counts));
    }
    const judge::Ending ending =
        judge::ending_of(result.end, answer.allowed.stalled, result.probe, again);
    if (ending.next == judge::Next::settle) {
      if (ending.status == judge::Status::pass) {  // as good as the stall that is allowed
        result.outcome = {.status = OutcomeStatus::stalled, .waiting = result.waiting};
      }
      return judge::verdict_of(question, result, ending.status);
    }
    if (ending.next == judge::Next::ask_again_longer) now.deadline_times *= judge::longer_times;
  }
}

namespace {

/// Of a case that failed: what comes and goes tells more.
constexpr int more_runs = 12;

/// Runs the case under as many strategies, which the case settles.
void run_more(Target& target, const Case& test_case, std::vector<Outcome>& seen) {
  for (const Strategy& strategy : strategies_for(text_hash(case_id(test_case)), 0, more_runs)) {
    RunRequest request;
    request.strategy = strategy;
    seen.push_back(target.run(test_case, request).outcome);
  }
}

/// The key with another rule in it: "status/RULE/shape".
std::string with_rule(const std::string& key, RuleId rule) {
  const std::size_t first = key.find('/');
  const std::size_t second = first == std::string::npos ? first : key.find('/', first + 1);
  SKCTS_CHECK(second != std::string::npos, "failure key {} without a rule", key);
  return fmt::format("{}/{}{}", key.substr(0, first), to_string(rule), key.substr(second));
}

/// The case without debug-aic-num and debug-aiv-num.
Case without_numbers(Case test_case) {
  std::string kept;
  for (const OptionItem& item : split_option_items(test_case.mix.options)) {
    if (item.key == "debug-aic-num" || item.key == "debug-aiv-num") continue;
    if (!kept.empty()) kept += ':';
    kept += item.text;
  }
  test_case.mix.options = std::move(kept);
  return test_case;
}

const LaunchCounts* fused_launch(const Allowed& allowed) {
  const auto at = std::ranges::find(allowed.counts, true, &LaunchCounts::fused);
  return at == allowed.counts.end() ? nullptr : &*at;
}

bool is_of_launch(RuleId rule) {
  return rule == RuleId::core_1 || rule == RuleId::core_6;
}

/// Is it about who runs what? Of a sub kernel of one or two cores many things look alike.
bool is_of_who_runs(const std::string& relaxation) {
  return std::ranges::any_of(
      std::array{"guard", "core-0", "skipped", "twice", "index", "sub-index"},
      [&](std::string_view start) { return relaxation.starts_with(start); });
}

/// The same again with sub kernels of two blocks more, where fewer explanations look alike.
std::optional<model::Attribution> shown_wider(Target& target, model::Model& model,
                                              const Case& test_case,
                                              const std::vector<LatitudePin>& pins) {
  Case wider = test_case;
  wider.schedule.reset();
  for (SubKernel& k : wider.mix.sub_kernels) k.blocks += 2;
  for (Region& region : wider.mix.regions) region.words += 256;
  if (!validate(wider).empty()) return std::nullopt;
  const Allowed allowed = model.allowed(wider, pins);
  if (!is_single_memory(allowed) || allowed.rule) return std::nullopt;
  std::vector<Outcome> seen;
  run_more(target, wider, seen);
  auto found = model::attribute(model, wider, seen, pins);
  if (!found || found->relaxation.empty()) return std::nullopt;
  return found;
}

}  // namespace

std::optional<model::Attribution> Engine::wrong_without_numbers(
    const Case& test_case, const Answer& answer, const std::vector<LatitudePin>& pins) {
  const auto launch_is_wrong = [&](const Case& plain) -> std::optional<model::Attribution> {
    const Outcome shown = target_.run(plain, {}).outcome;
    auto found = model::attribute(model_, plain, shown, pins);
    return found && found->rule == RuleId::core_1 ? found : std::nullopt;
  };
  Case plain = without_numbers(test_case);
  if (auto found = launch_is_wrong(plain)) return found;
  // The numbers may have made a launch of a size at which it shows: let a sub kernel ask for it.
  const LaunchCounts* const wanted = fused_launch(answer.allowed);
  if (wanted == nullptr) return std::nullopt;
  for (SubKernel& k : plain.mix.sub_kernels) {
    const std::int32_t before = std::exchange(k.blocks, wanted->blocks);
    if (validate(plain).empty()) {
      const Allowed allowed = model_.allowed(plain, pins);
      const LaunchCounts* const made = fused_launch(allowed);
      if (made != nullptr && made->type == wanted->type && made->blocks == wanted->blocks) {
        return launch_is_wrong(plain);
      }
    }
    k.blocks = before;
  }
  return std::nullopt;
}

void Engine::explain(const Case& test_case, const Answer& answer, const Outcome& outcome,
                     judge::Verdict& verdict) {
  const bool failed =
      verdict.status == judge::Status::fail || verdict.status == judge::Status::stall;
  if (!failed) return;
  std::vector<Outcome> seen = {outcome};
  run_more(target_, test_case, seen);
  const std::vector<LatitudePin> pins = pins_for(test_case);
  std::optional<model::Attribution> found = model::attribute(model_, test_case, seen, pins);
  // A target may fail in several ways; the failure itself is what has to be explained.
  if (found && found->relaxation.empty()) {
    const std::vector<Outcome> alone(more_runs, outcome);
    found = model::attribute(model_, test_case, alone, pins);
  }
  if (!found) return;
  if (is_of_who_runs(found->relaxation)) {
    if (auto wider = shown_wider(target_, model_, test_case, pins)) found = std::move(wider);
  }
  if (found->rule == RuleId::core_6) {
    // The numbers are not to blame for a launch that is wrong without them too.
    if (auto again = wrong_without_numbers(test_case, answer, pins)) found = std::move(again);
  }
  // A case that breaks a restriction: where its consequence is missing, only another launch than
  // the contract's says more; where it came and something else is wrong, any weakening does.
  const bool owed = !answer.allowed.completed && !answer.allowed.refused;
  const bool missing = verdict.misfit == Misfit::status;
  if (owed && !is_of_launch(found->rule) && (missing || found->relaxation.empty())) return;
  if (found->relaxation.empty() && !verdict.rule_is_propertys && verdict.rule) {
    return;  // the judge read the rule from counts, queries or the refusal itself
  }
  if (outcome.status == OutcomeStatus::refused && outcome.rule) {
    return;  // of a refusal the weakening says no more than the target itself
  }
  verdict.rule = found->rule;
  verdict.rule_is_propertys = false;
  verdict.key = with_rule(verdict.key, found->rule);
  verdict.sentence = found->relaxation.empty()
                         ? std::move(found->sentence)
                         : fmt::format("{} Seen: {}", found->sentence, verdict.sentence);
}

}  // namespace skcts::campaign
