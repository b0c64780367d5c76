// A property: how cases for one rule are made, when one counts, and what it measures.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/features.h"
#include "harness/target/target.h"
#include "reference_model/model.h"
#include "spec/allowed.h"
#include "spec/case.h"
#include "spec/journal.h"
#include "spec/profile.h"
#include "spec/rule.h"

namespace skcts::campaign {

/// What a part of an experiment is known to be before it is run. A part that the model does not
/// find to be so is the suite's own fault.
enum class Claim : std::uint8_t {
  legal,   ///< No rule is broken: it completes, with one memory.
  broken,  ///< An operator breaks a restriction: the target is held to the model's set.
  judged,  ///< Anything: the model says what is allowed (option strings, launch sizes).
};

/// One case and the ways of running it.
struct Part {
  std::string_view name;  ///< "fused", "alone", ...
  Case test_case;
  std::vector<Strategy> strategies;
  Claim claim = Claim::legal;
};

/// One mix as a property tries it: parts run in order on one target object.
struct Experiment {
  std::vector<Part> parts;
};

/// Where experiments come from.
struct Source {
  std::uint64_t seed = 0;
  const Profile* profile = nullptr;
};

/// What became of a part.
struct Observed {
  const Part* part = nullptr;
  Allowed allowed;
  std::optional<model::Analysis> analysis;  ///< For parts that are not claimed legal.
  std::vector<RunResult> runs;              ///< One a strategy.
};

/// What a property looks at: everything about one experiment.
struct Observation {
  std::vector<Observed> parts;
  /// Features of the first part's case.
  generators::Features features;
  bool declares_counts = false;

  [[nodiscard]] const Case& first_case() const { return parts.front().part->test_case; }
};

/// Sums of what a property measures, by name.
using Measures = std::map<std::string, double>;

struct Property {
  RuleId rule = RuleId::fuse_1;
  std::string shows;  ///< One sentence: what would show a breach.
  /// Experiment `index`: a function of its arguments alone. Nothing: this index has none.
  std::function<std::optional<Experiment>(const Source&, std::uint64_t index)> make;
  /// Can this experiment show a breach of the rule?
  std::function<bool(const Observation&)> exercises;
  /// Adds to the sums; may be empty.
  std::function<void(const Observation&, Measures&)> measure;
  /// The sums in words for the rule table; may be empty.
  std::function<std::vector<Measurement>(const Measures&)> summarize;
  /// Why no mix for the machine can show a breach; empty: some can. May be left out.
  std::function<std::string(const Profile&)> not_on;
  bool needs_counts = false;    ///< Not supported by a target that declares no counts.
  bool needs_trace = false;     ///< Runs are traced; not supported where there is none.
  std::int64_t most_cases = 0;  ///< More experiments add nothing; 0: no such bound.
};

/// The chapter's test suite name, "Core", and the rule's test name, "CORE_3".
std::string suite_name(RuleId rule);
std::string test_name(RuleId rule);

}  // namespace skcts::campaign
