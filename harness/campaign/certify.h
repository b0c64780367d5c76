// Certification of an operator: is its result the same wherever it is fused?
//
// It is launched alone, fused alone, beside itself, and in mixes: each level of each factor
// (certify_mix.h) by itself, then each pair of levels. A mix counts where it is legal with a sub
// kernel that does nothing in the operator's place: then what is wrong in it is the operator's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/certify_mix.h"
#include "harness/campaign/covering.h"
#include "harness/target/target.h"
#include "reference_model/model.h"
#include "spec/operator.h"
#include "spec/rule.h"

namespace skcts::campaign {

struct CertifySettings {
  const Profile* profile = nullptr;
  std::uint64_t seed = 1;
  int runs = 2;                ///< Of the target, a mix that the model finds legal.
  bool every_pair = true;      ///< False: single deviations alone, which certify nothing.
  std::int64_t shrinks = 300;  ///< Candidates for the smallest mix of a rule.
  std::function<bool()> stop;  ///< True ends it between two mixes. Not set: never.
};

enum class Stage : std::uint8_t { alone, fused_alone, deviation, pair };
std::string_view to_string(Stage stage);  ///< "launched alone", ...

/// A mix that was tried.
struct TriedMix {
  Stage stage = Stage::alone;
  Levels levels;
  Case test_case;
  Behaviour behaviour = Behaviour::completes;
  std::optional<RuleId> rule;
  bool target_fails = false;  ///< Legal, and the target shows something else.
};

/// What a mix shows.
struct Found {
  Behaviour behaviour = Behaviour::completes;
  std::optional<RuleId> rule;
  bool target_fails = false;
};

/// Levels that no legal mix has together, and why.
struct Infeasible {
  LevelPair pair;
  std::string reason;
};

/// A rule that the operator breaks.
struct BrokenRule {
  RuleId rule = RuleId::fuse_1;
  std::int64_t mixes = 0;  ///< In how many of them it is the primary one.
  std::size_t first = 0;   ///< Of TriedMix: where it showed first.
  Case smallest;           ///< A mix that shows it, made small; the operator is whole in it.
  std::string sentence;
  std::string repair;  ///< In words; empty: none is known.
};

/// The target's fault: a legal mix that it does not carry out as it must.
struct TargetFailure {
  std::size_t mix = 0;  ///< Of TriedMix.
  std::optional<RuleId> rule;
  std::string sentence;
};

struct Certification {
  std::vector<TriedMix> mixes;
  std::vector<BrokenRule> broken;  ///< In the order in which they showed: the first is primary.
  std::set<RuleId> besides;        ///< Broken too, never as the primary rule.
  std::vector<TargetFailure> target_failures;
  std::vector<Infeasible> infeasible;
  std::int64_t pairs = 0;
  std::int64_t pairs_met = 0;
  std::vector<std::vector<std::string>> level_names;  ///< Of each factor.
  std::vector<std::string> assumed;  ///< Positions of latitudes that were left out.
  /// Mixes in which the operator was part of a launch of each type: its ratios.
  std::map<KernelType, std::int64_t> launches;
  std::string missing;  ///< What has to be tried and was not; empty: nothing.
  bool stopped = false;

  /// Every pair was met or cannot be, and nothing was wrong.
  [[nodiscard]] bool certified() const;
  [[nodiscard]] std::optional<RuleId> primary() const;
};

/// Precondition: the operator is valid on the machine.
Certification certify(const Operator& value, Target& target, const CertifySettings& settings);

/// What a mix of a certification shows now, with as many runs of the target.
Found try_again(const Case& test_case, Target& target, int runs);

}  // namespace skcts::campaign
