// What a plan may do, as behaviour, primary rule, words and the set of allowed outcomes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference_model/model.h"
#include "reference_model/plan_run.h"

namespace skcts::model {

struct Verdict {
  Behaviour behaviour = Behaviour::completes;
  std::optional<RuleId> rule;
};

/// `alone`: memory of the sub kernels launched one by one; empty: none.
Verdict verdict_of(const PlanResult& run, const std::vector<std::uint32_t>& alone);
/// The rule behind a stall: that of the blocked wait, or what the text of its sub kernel breaks.
std::optional<RuleId> stall_rule(const PlanResult& run);
/// One memory, in one wave, and nothing broken.
bool is_clean(const PlanResult& run);
void fill_allowed(const PlanResult& run, const Verdict& verdict, Allowed& allowed);
/// What applies besides the verdict.
void add_also(Analysis& analysis, const PlanResult& run, const Verdict& verdict);
/// One sentence: of a stall who waits for whom down to the root, else the first thing known about
/// the primary rule.
std::string sentence_of(const Mix& mix, const PlanResult& run, const Verdict& verdict);

}  // namespace skcts::model
