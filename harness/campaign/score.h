// The mutation score: how soon the properties see each of a list of faulty platforms.
//
// One stream of experiments for all: experiment i of every property comes before experiment i+1 of
// any, so that the number of cases to a kill does not depend on the order of chapters. Each
// experiment is made and given to the model once and then run on the healthy platform and on every
// faulty one that still lives. A failing verdict is a kill when prove() finds it to be evidence.
// After the search, each killed platform meets some mixes of every suite for the kill matrix.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/campaign/proof.h"
#include "harness/campaign/property.h"
#include "harness/target/target.h"
#include "spec/profile.h"
#include "spec/rule.h"

namespace skcts::campaign {

/// A faulty platform.
struct Mutant {
  std::string name;
  RuleId rule = RuleId::fuse_1;  ///< That it breaks.
  std::string channel;           ///< That is said to show it; empty: nothing is said.
  std::string target_name;       ///< As on the command line.
  std::unique_ptr<Target> target;
  /// What a case has to have for the fault to show (control.h); empty: nothing is said.
  std::string control = {};
};

struct ScoreSettings {
  /// Round r of the stream is of machine r modulo their number; a machine may be named twice.
  std::vector<const Profile*> profiles;
  std::uint64_t seed = 1;
  std::int64_t search = 5000;       ///< Cases after which a mutant has survived.
  std::int64_t matrix_cases = 100;  ///< Cases of each suite that a killed mutant meets.
  std::int64_t control_cases = 20;  ///< Cases without its feature that a mutant meets.
  int attempts = 3;                 ///< Failures of a mutant that may turn out to be no evidence.
  std::string out_folder;           ///< Cases are saved below it; empty: nowhere.
  generators::ShrinkBudget shrink{.max_runs = 200};
  /// Asked before each run of a mutant: true ends the score there. Not set: never.
  std::function<bool()> stop;
  /// Seconds since some moment, for what is told of speed. Not set: all times are 0.
  std::function<double()> now;
  /// Told now and then: cases so far, mutants killed so far. May be empty.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

struct Kill {
  RuleId found_by = RuleId::fuse_1;  ///< The property whose experiment it was.
  std::int64_t cases = 0;            ///< Of the whole stream, this one among them.
  double seconds = 0;                ///< Of making, asking and running these for it alone.
  double proof_seconds = 0;          ///< Of shrinking, saving, reading back and replaying.
  std::optional<RuleId> rule;        ///< The verdict's.
  std::string key;
  std::string sentence;
  std::vector<Channel> channels;
  std::int64_t sub_kernels = 0;  ///< Of the case that was saved.
  std::string path;
};

enum class Fate : std::uint8_t {
  killed,
  survived,   ///< No evidence in ScoreSettings::search cases, or in all that there are.
  not_tried,  ///< The score ended before it had met so many.
};
std::string_view to_string(Fate fate);

/// What a mutant came to in one suite.
struct Cell {
  std::int64_t tried = 0;   ///< Cases of the suite that it met.
  std::int64_t killed = 0;  ///< The case that failed first, counted in the suite; 0: none.
  bool ended = false;       ///< It met as many as were asked for, or all that there are.
};

struct MutantScore {
  std::string name;
  RuleId rule = RuleId::fuse_1;
  std::string channel;
  Fate fate = Fate::not_tried;
  std::int64_t tried = 0;
  std::optional<Kill> kill;
  std::vector<std::string> doubts;  ///< Failing verdicts that were no evidence, and why.
  std::vector<Cell> cells;          ///< In the order of Score::suites.
  std::string control;
  std::int64_t controls = 0;  ///< Cases that it met without having what `control` asks for.

  /// The verdict names the rule that is broken.
  [[nodiscard]] bool own_rule() const { return kill && kill->rule == rule; }
  /// The fault shows, among others, on the channel that was said.
  [[nodiscard]] bool own_channel() const;
};

/// The healthy platform failed, or the model denies what an experiment claims.
struct FalseAlarm {
  RuleId property = RuleId::fuse_1;
  std::string profile;
  std::uint64_t index = 0;  ///< Of the property on this machine.
  std::string key;          ///< Or the part whose claim the model denies.
  std::string sentence;
  bool operator==(const FalseAlarm&) const = default;
};

struct Score {
  std::vector<std::string> suites;
  std::vector<MutantScore> mutants;
  std::int64_t cases = 0;               ///< That the healthy platform met.
  std::vector<FalseAlarm> false_kills;  ///< Of the healthy platform.
  std::vector<FalseAlarm> own_faults;   ///< Of the model or an experiment.
  /// A mutant that failed without what its fault needs: it is told wrongly, or too wide.
  struct Stray {
    std::string mutant;
    std::string control;
    FalseAlarm seen;
    bool operator==(const Stray&) const = default;
  };
  std::vector<Stray> strays;  ///< The first one of each mutant.
  bool stopped = false;       ///< By ScoreSettings::stop.
  double seconds = 0;

  [[nodiscard]] std::int64_t killed() const;
  [[nodiscard]] std::int64_t controls() const;
  /// Every mutant is killed, nothing without a fault was, and none without what its fault needs.
  [[nodiscard]] bool clean() const;
  /// Cases to kill that `percent` of the killed do not exceed (nearest rank); 0: none is killed.
  [[nodiscard]] std::int64_t cases_to_kill(int percent) const;
};

/// Preconditions: there are profiles and properties; each mutant says of itself (latitudes, counts,
/// schedules) what the healthy platform says.
Score measure_score(const ScoreSettings& settings, std::span<const Property> properties,
                    Target& healthy, std::span<Mutant> mutants);

}  // namespace skcts::campaign
