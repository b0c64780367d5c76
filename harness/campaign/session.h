// A run of properties against one target: counts, findings, records.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "generators/shrink.h"
#include "harness/campaign/engine.h"
#include "harness/campaign/finding.h"
#include "harness/campaign/property.h"
#include "harness/campaign/sink.h"
#include "harness/judge/status.h"

namespace skcts::campaign {

struct Settings {
  std::string target_name = "emulator";  ///< As on the command line.
  const Profile* profile = nullptr;
  std::uint64_t seed = 1;
  std::int64_t cases = 300;             ///< Experiments a property.
  std::string out_folder;               ///< Findings are saved below it; empty: nowhere.
  int findings_per_property = 2;        ///< Most findings of one property that are told.
  int shrinks_per_property = 3;         ///< Most failures of one property that are shrunk.
  int runs_per_case = 24;               ///< Strategies that a written case is run under.
  int repeat = Engine::default_repeat;  ///< Runs of a case where no schedules are honoured.
  generators::ShrinkBudget shrink{.max_runs = 600};
  /// Asked before each case: true ends the run there. Not set: never.
  std::function<bool()> stop;
};

/// What a property came to.
struct PropertyResult {
  RuleRecord record;
  judge::Status status = judge::Status::not_run;
  std::vector<FindingRecord> findings;
};

class Session {
 public:
  /// `target` and `sink` must outlive the session.
  Session(Settings settings, Target& target, Sink& sink)
      : settings_(std::move(settings)), engine_(target, settings_.repeat), sink_(sink) {}

  /// Runs all experiments of a property and tells the sink its findings and its rule record. Where
  /// the run was stopped before the first one there is no record, and the status is not-run.
  PropertyResult run(const Property& property);

  /// Holds a written case against model and target and tells the sink its record. `file` and
  /// `test` name it there. Where the model contradicts the case's expectation the status is
  /// internal-error. Stopped before it: no record, not-run.
  CaseRecord run_case(const Case& test_case, std::string file, std::string test);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  /// The first error in saving a finding, or success.
  [[nodiscard]] const Result<void>& saved() const { return saved_; }

 private:
  struct Running;

  /// The target is gone, or somebody ended the run.
  [[nodiscard]] bool stopped() const {
    return target_lost_ || (settings_.stop && settings_.stop());
  }
  void run_experiment(const Property& property, std::uint64_t index, Running& running);
  judge::Status run_part(const Property& property, const Part& part, std::uint64_t index,
                         Observed& observed, Running& running);
  void failed(Failure failure, Running& running);
  void contradicted(const Property& property, const Part& part, std::uint64_t index,
                    const Answer& answer, Running& running);
  void save(const Failure& failure, const generators::ShrinkStats& stats, Running& running);
  void finish(const Property& property, Running& running);

  Settings settings_;
  Engine engine_;
  Sink& sink_;
  std::set<std::string> keys_;   ///< Failure keys that were told already, whatever the property.
  std::set<std::string> names_;  ///< Of saved cases.
  Result<void> saved_;
  bool target_lost_ = false;  ///< A status device-lost: nothing more is asked.
};

}  // namespace skcts::campaign
