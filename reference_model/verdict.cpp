// From what a plan may do to behaviour, primary rule, words and the set of allowed outcomes.
#include "reference_model/verdict.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "reference_model/wait_chain.h"

namespace skcts::model {
namespace {

/// The special rule wins (rules.md, "Which rule a fault is charged to"): earlier ones here.
constexpr std::array special_first = {
    RuleId::ratio_3, RuleId::ratio_2,  RuleId::sync_8,  RuleId::core_5,  RuleId::sync_14,
    RuleId::sync_3,  RuleId::sync_7,   RuleId::task_4,  RuleId::task_7,  RuleId::sync_6,
    RuleId::sync_12, RuleId::sync_9,   RuleId::sync_16, RuleId::sync_13, RuleId::pipe_4,
    RuleId::ratio_4, RuleId::sync_5,   RuleId::task_5,  RuleId::pipe_2,  RuleId::pipe_5,
    RuleId::cache_8, RuleId::cache_11, RuleId::cache_7, RuleId::sync_11, RuleId::pipe_6,
    RuleId::pipe_7};

std::size_t rank(RuleId rule) {
  const auto found = std::find(special_first.begin(), special_first.end(), rule);
  return static_cast<std::size_t>(found - special_first.begin());
}

void keep_best(std::optional<RuleId>& best, RuleId rule) {
  if (!best || rank(rule) < rank(*best)) best = rule;
}

std::optional<RuleId> best_of(const std::vector<Charge>& charges) {
  std::optional<RuleId> best;
  for (const Charge& charge : charges) keep_best(best, charge.rule);
  return best;
}

/// Rules of restrictions that explain a blocked wait better than its own kind does.
bool explains_stall(RuleId rule) {
  return rule != RuleId::cache_11 && rule != RuleId::ratio_4 && rule != RuleId::task_7 &&
         rule != RuleId::sync_6 && rule != RuleId::sync_12;
}

}  // namespace

/// The rule behind a stall: that of the blocked wait, or what the text of its sub kernel breaks.
std::optional<RuleId> stall_rule(const PlanResult& run) {
  std::optional<RuleId> best = best_of(run.stall_charges);
  for (const BrokenRule& broken : run.broken) {
    for (const Charge& charge : run.stall_charges) {
      const bool same_place = charge.sub_kernel == broken.sub_kernel || charge.sub_kernel < 0;
      if (same_place && explains_stall(broken.rule)) keep_best(best, broken.rule);
    }
  }
  return best;
}

namespace {

/// What the text breaks explains a race better than the pair itself; only a dirty line at an end is
/// looked at together with the pairs.
std::optional<RuleId> any_rule(const PlanResult& run) {
  std::optional<RuleId> best = best_of(run.early_charges);
  for (const BrokenRule& broken : run.broken) {
    if (broken.rule != RuleId::cache_11) keep_best(best, broken.rule);
  }
  if (best) return best;
  for (const BrokenRule& broken : run.broken) keep_best(best, broken.rule);
  for (const Charge& charge : run.race_charges) keep_best(best, charge.rule);
  return best;
}

bool differs(const GmState& fused, const std::vector<std::uint32_t>& alone) {
  return !alone.empty() && fused.value != alone;
}

}  // namespace

Verdict verdict_of(const PlanResult& run, const std::vector<std::uint32_t>& alone) {
  if (run.refusal) return {Behaviour::refused, run.refusal->rule};
  if (run.error) return {Behaviour::error, best_of(run.error_charges)};
  if (run.stalls) return {Behaviour::stalls, stall_rule(run)};
  if (run.may_stall) return {Behaviour::may_stall, stall_rule(run)};
  if (run.undefined || !run.memory.all_exact()) {
    return {Behaviour::nondeterministic_data, any_rule(run)};
  }
  if (differs(run.memory, alone)) return {Behaviour::wrong_data, any_rule(run)};
  return {Behaviour::completes, any_rule(run)};
}

bool is_clean(const PlanResult& run) {
  const bool waves = std::any_of(run.launches.begin(), run.launches.end(),
                                 [](const LaunchShape& shape) { return shape.resident > 0; });
  return !waves && run.one_memory() && run.broken.empty() && run.race_charges.empty();
}

void fill_allowed(const PlanResult& run, const Verdict& verdict, Allowed& allowed) {
  allowed.completed = !run.refusal && !run.stalls && !run.fails;
  allowed.stalled = run.stalls || run.may_stall;
  allowed.error = run.error || run.may_error;
  allowed.refused = run.refusal.has_value();
  allowed.rule = verdict.rule;
  allowed.exact_stall = run.exact_stall();
  allowed.exact_data = run.exact_data();
  if (run.refusal || run.fails) return;
  if (!allowed.completed && !run.judge_stalled_memory) return;
  std::vector<WordAllowed>& memory = allowed.completed ? allowed.memory : allowed.memory_stalled;
  run.memory.report(memory, allowed.sets);
  if (allowed.completed) allowed.joint = run.memory.report_joint();
  for (const WordRange& range : run.private_words) {
    for (std::int64_t w = range.first; w < range.first + range.count; ++w) {
      memory[static_cast<std::size_t>(w)] = {WordKind::unjudged, 0, -1};
      std::erase_if(allowed.joint, [w](const JointWords& joint) {
        return std::binary_search(joint.words.begin(), joint.words.end(), w);
      });
    }
  }
}

namespace {

/// Whose wait may never end, or what else may stop the launch.
std::string open_stall(const PlanResult& run) {
  for (const StuckWait& wait : run.waiting) {
    if (wait.root) return fmt::format("{} {}", to_string(wait.waiting.core), wait.reason);
  }
  const std::optional<RuleId> rule = stall_rule(run);
  for (const PlanResult::Remark& remark : run.remarks) {
    if (remark.rule == rule) return remark.text;
  }
  for (const BrokenRule& broken : run.broken) {
    if (broken.rule == rule) return broken.text;
  }
  return "a platform may stop here";
}

/// The accesses whose order decides what a word holds.
std::string open_data(const PlanResult& run) {
  if (!run.races.empty()) {
    const Race& race = run.races.front();
    return fmt::format("{} and {} come in either order", race.first.text, race.second.text);
  }
  for (const PlanResult::Remark& remark : run.remarks) {
    return "no word is judged from there on: " + remark.text;
  }
  for (const BrokenRule& broken : run.broken) {
    return "no word is judged from there on: " + broken.text;
  }
  return "no word that the launch writes is judged";
}

}  // namespace

void add_also(Analysis& analysis, const PlanResult& run, const Verdict& verdict) {
  const auto add = [&](std::optional<Behaviour> behaviour, std::optional<RuleId> rule,
                       std::string witness) {
    const bool same = rule == verdict.rule && (!behaviour || behaviour == verdict.behaviour);
    if (same) return;
    for (const Also& known : analysis.also) {
      if (known.behaviour == behaviour && known.rule == rule) return;
    }
    analysis.also.push_back({behaviour, rule, {}, std::move(witness)});
  };
  if (run.refusal) return;
  if (run.stalls) add(Behaviour::stalls, stall_rule(run), "");
  if (run.may_stall) add(Behaviour::may_stall, stall_rule(run), open_stall(run));
  if (!run.stalls && (run.undefined || !run.memory.all_exact())) {
    const std::optional<RuleId> rule = any_rule(run);
    if (rule) add(Behaviour::nondeterministic_data, rule, open_data(run));
  }
  for (const BrokenRule& broken : run.broken) add(std::nullopt, broken.rule, broken.text);
  for (const Race& race : run.races) add(std::nullopt, race.rule, race.text);
  for (const PlanResult::Remark& remark : run.remarks) add(std::nullopt, remark.rule, remark.text);
  for (const Charge& charge : run.early_charges) {
    add(std::nullopt, charge.rule, "a wait may be released before its time");
  }
}

/// One sentence: the first thing known about the primary rule.
std::string sentence_of(const Mix& mix, const PlanResult& run, const Verdict& verdict) {
  const std::string suffix =
      verdict.rule ? fmt::format(" [{}]", to_string(*verdict.rule)) : std::string();
  const auto with_rule = [&](std::string text) {
    if (!suffix.empty() && text.find(suffix.substr(1)) == std::string::npos) text += suffix;
    return text;
  };
  if (run.refusal) return with_rule(run.refusal->text);
  std::string broken_text;
  for (const BrokenRule& broken : run.broken) {
    if (verdict.rule == broken.rule && broken_text.empty()) broken_text = broken.text;
  }
  if (verdict.behaviour == Behaviour::stalls || verdict.behaviour == Behaviour::may_stall) {
    std::vector<StuckWait> certain;
    for (const StuckWait& wait : run.waiting) {
      if (wait.certain) certain.push_back(wait);
    }
    if (!certain.empty()) {
      return with_rule(
          chain_sentence(mix, certain, verdict.rule.value_or(RuleId::sync_5), broken_text));
    }
  }
  const bool by_schedule =
      verdict.behaviour == Behaviour::may_stall || verdict.behaviour == Behaviour::error;
  for (const PlanResult::Remark& remark : run.remarks) {
    if (by_schedule && remark.rule == verdict.rule) return with_rule(remark.text);
  }
  if (!broken_text.empty()) return with_rule(broken_text);
  for (const PlanResult::Remark& remark : run.remarks) {
    if (remark.rule == verdict.rule) return with_rule(remark.text);
  }
  for (const Race& race : run.races) {
    if (verdict.rule == race.rule) return with_rule(race.text);
  }
  switch (verdict.behaviour) {
    case Behaviour::completes:
      return verdict.rule ? with_rule("completes with the right memory although a rule is broken")
                          : "completes with the memory of the sub kernels launched one by one";
    case Behaviour::wrong_data:
      return with_rule(
          "completes with one memory, which is not that of the sub kernels launched "
          "one by one");
    default: return with_rule(std::string(to_string(verdict.behaviour)));
  }
}

}  // namespace skcts::model
