// From a failing run to a small case that fails in the same way, on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "generators/shrink.h"
#include "harness/campaign/engine.h"
#include "harness/campaign/property.h"
#include "harness/judge/judge.h"
#include "spec/journal.h"

namespace skcts::campaign {

/// The rules that the model finds broken in a mix.
struct BrokenRules {
  std::optional<RuleId> primary;
  std::set<RuleId> all;
};
BrokenRules broken_rules(const model::Analysis& analysis);

/// A run whose outcome is not allowed.
struct Failure {
  Case test_case;
  Claim claim = Claim::legal;
  Strategy strategy;
  RunResult run;
  judge::Verdict verdict;
  BrokenRules broken;  ///< Of a mix that is not claimed legal, by the model.
  RuleId property = RuleId::fuse_1;
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
};

/// Runs the failure's schedule again: true when the outcome is the same, bit for bit. True too for
/// a target that honours no schedules: there one outcome that is not allowed is enough.
bool confirm(Engine& engine, const Failure& failure);

/// The smallest case found that fails with the same key, with the run that shows it.
/// Candidates must keep the claim: a legal mix stays legal, any other keeps its primary rule
/// (or none) and breaks no rule that it did not break before. `stop`, where it is set, is asked
/// before each candidate: true ends the search. `smaller`, where it is set, is told each candidate
/// that takes the case's place. At the end the schedule gets as few context switches as it can
/// have; what `smaller` was told last is then the same case on an earlier schedule.
Failure shrink_failure(Engine& engine, const Failure& failure,
                       const generators::ShrinkBudget& budget, const std::function<bool()>& stop,
                       generators::ShrinkStats& stats,
                       const std::function<void(const Failure&)>& smaller = {});

/// The failure as a case: named by rule and id, with its schedule and where it came from.
Case case_of(const Failure& failure, std::string_view target_name);

/// The record of a failure. `path` is where the case was saved; empty if it was not.
FindingRecord record_of(const Failure& failure, const Case& saved, std::string_view target_name,
                        const std::string& path);

}  // namespace skcts::campaign
