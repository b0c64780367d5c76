// Confirming, shrinking and naming failures.
#include "harness/campaign/finding.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/campaign/outcome_text.h"
#include "harness/campaign/straighten.h"
#include "harness/campaign/strategies.h"
#include "spec/case_id.h"
#include "spec/rule.h"

namespace skcts::campaign {
namespace {

/// Searches a run of the candidate with the failure's key; keeps what it found in `run`.
class SameFailure {
 public:
  SameFailure(Engine& engine, const Failure& failure)
      : engine_(engine), failure_(failure), strategies_(search_strategies(failure.strategy)) {}

  bool operator()(const Case& candidate) {
    const Answer answer = engine_.ask(candidate, failure_.claim);
    if (!answer.contradiction.empty()) return false;
    if (failure_.claim != Claim::legal && !same_fault(*answer.analysis)) return false;
    for (const Strategy& strategy : strategies_) {
      RunRequest request;
      request.strategy = strategy;
      RunResult run;
      judge::Verdict verdict = engine_.try_once(candidate, answer, request, failure_.property, run);
      if (verdict.conforms() || verdict.key != failure_.verdict.key) continue;
      last_ = {strategy, std::move(run), std::move(verdict)};
      return true;
    }
    return false;
  }

  /// Shrinking takes synchronisation away; it must not add a second fault of the operator.
  bool same_fault(const model::Analysis& analysis) const {
    const BrokenRules now = broken_rules(analysis);
    return now.primary == failure_.broken.primary &&
           std::ranges::includes(failure_.broken.all, now.all);
  }

  struct Found {
    Strategy strategy;
    RunResult run;
    judge::Verdict verdict;
  };
  /// The failure as the last candidate that failed shows it.
  [[nodiscard]] Failure last(Case candidate) const {
    Failure found = failure_;
    found.test_case = std::move(candidate);
    found.strategy = last_.strategy;
    found.run = last_.run;
    found.verdict = last_.verdict;
    return found;
  }

 private:
  Engine& engine_;
  const Failure& failure_;
  std::vector<Strategy> strategies_;
  Found last_;
};

/// The same failure with fewer context switches, where the target follows schedules.
void straighten_schedule(Engine& engine, Failure& failure, const std::function<bool()>& stop) {
  constexpr std::int64_t most_runs = 400;
  if (!engine.target().description().honours_schedules) return;
  const Answer answer = engine.ask(failure.test_case, failure.claim);
  judge::Verdict verdict;
  const auto shows = [&](const Schedule& schedule, RunResult& result) {
    if (stop && stop()) return false;
    RunRequest request{.strategy = failure.strategy, .replay = &schedule, .want_trace = true};
    verdict = engine.try_once(failure.test_case, answer, request, failure.property, result);
    return !verdict.conforms() && verdict.key == failure.verdict.key;
  };
  Straightened straight = straighten(failure.run.schedule, shows, most_runs);
  if (!straight.improved) return;
  // What the schedule shows as it was recorded, is what is saved.
  Failure simpler = failure;
  const Schedule schedule = straight.run.schedule;
  if (!shows(schedule, simpler.run) || !simpler.run.replay_fitted) return;
  simpler.run.trace.clear();
  simpler.verdict = std::move(verdict);
  failure = std::move(simpler);
}

}  // namespace

BrokenRules broken_rules(const model::Analysis& analysis) {
  BrokenRules broken;
  broken.primary = analysis.rule;
  if (analysis.rule) broken.all.insert(*analysis.rule);
  for (const model::Also& also : analysis.also) {
    if (also.rule) broken.all.insert(*also.rule);
  }
  return broken;
}

bool confirm(Engine& engine, const Failure& failure) {
  if (!engine.target().description().honours_schedules) return true;
  RunRequest request;
  request.strategy = failure.strategy;
  request.replay = &failure.run.schedule;
  const RunResult again = engine.target().run(failure.test_case, request);
  return again.replay_fitted && again.outcome == failure.run.outcome;
}

Failure shrink_failure(Engine& engine, const Failure& failure,
                       const generators::ShrinkBudget& budget, const std::function<bool()>& stop,
                       generators::ShrinkStats& stats,
                       const std::function<void(const Failure&)>& smaller) {
  SameFailure same(engine, failure);
  const auto still_fails = [&](const Case& candidate) {
    if ((stop && stop()) || !same(candidate)) return false;
    if (smaller) smaller(same.last(candidate));
    return true;
  };
  Case small = generators::shrink(failure.test_case, still_fails, budget, &stats);
  if (small == failure.test_case) return failure;
  // The last candidate tried need not be the smallest that failed: run that one again.
  if (!same(small)) return failure;
  Failure smallest = same.last(std::move(small));
  if (!stop || !stop()) straighten_schedule(engine, smallest, stop);
  return smallest;
}

Case case_of(const Failure& failure, std::string_view target_name) {
  Case saved = failure.test_case;
  if (!failure.run.schedule.strategy.empty()) saved.schedule = failure.run.schedule;
  Provenance from;
  from.source = "generated";
  from.seed = failure.seed;
  from.index = failure.index;
  from.target = target_name;
  if (failure.verdict.rule) from.rule = to_string(*failure.verdict.rule);
  from.key = failure.verdict.key;
  saved.provenance = std::move(from);
  saved.note = failure.verdict.sentence;
  saved.name = fmt::format(
      "{}-{}", failure.verdict.rule ? to_string(*failure.verdict.rule) : "none", case_id(saved));
  return saved;
}

FindingRecord record_of(const Failure& failure, const Case& saved, std::string_view target_name,
                        const std::string& path) {
  FindingRecord record;
  if (failure.verdict.rule) record.rule = to_string(*failure.verdict.rule);
  record.found_by = to_string(failure.property);
  record.status = to_string(failure.verdict.status);
  record.key = failure.verdict.key;
  record.sentence = failure.verdict.sentence;
  record.case_id = case_id(saved);
  record.outcome = outcome_digest(failure.run.outcome);
  record.path = path;
  if (!path.empty()) record.replay = fmt::format("skcts replay {} --target {}", path, target_name);
  return record;
}

}  // namespace skcts::campaign
