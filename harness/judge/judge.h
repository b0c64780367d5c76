// Outcome × allowed -> verdict: is what a target showed one of the things it may show?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/status.h"
#include "spec/allowed.h"
#include "spec/case.h"
#include "spec/outcome.h"

namespace skcts::judge {

/// What the judge must know of a target.
struct TargetTraits {
  bool declares_counts = false;     ///< Outcome::counts means something.
  bool exact_consequences = false;  ///< A documented stall, error or refusal must be shown.
};

/// What an outcome is held against. Everything pointed to must outlive the call.
struct Question {
  const Case& test_case;
  const Allowed& allowed;
  TargetTraits target;
  /// GM as the sub kernels leave it when launched alone in order; empty: not known. Decides
  /// between lenient and fail where only a stall, an error or a refusal is allowed.
  std::span<const std::uint32_t> alone_memory;
  /// The rule whose property was running; cited where nothing in the outcome names another.
  std::optional<RuleId> property;
};

struct Verdict {
  Status status = Status::pass;
  std::optional<RuleId> rule;
  bool rule_is_propertys = false;  ///< Nothing names the rule but the property that was running.
  Misfit misfit = Misfit::none;
  std::string key;       ///< "status/RULE/shape", stable over runs and shrinking; empty for a pass.
  std::string sentence;  ///< Empty for a pass.
  std::vector<std::int64_t> words;  ///< GM words with impossible values.

  bool operator==(const Verdict&) const = default;
  /// True for pass and lenient.
  bool conforms() const { return status == Status::pass || status == Status::lenient; }
};

/// Holds the outcome against the set:
/// - in the set: pass;
/// - stalled where the set has no stall: stall;
/// - completed where only a stall or an error is allowed: lenient with the stand-alone memory, if
///   the target does not claim exact consequences; fail otherwise;
/// - anything else: fail.
/// The rule of a failure is the one that the declared counts, the query log or the refusal point
/// at, then the rule of the documented consequence that is missing, then the property's.
Verdict judge(const Question& question, const Outcome& outcome);

/// The key of a failure. `rule` without a value prints as "-".
std::string failure_key(Status status, std::optional<RuleId> rule, std::string_view shape);

}  // namespace skcts::judge
