// skcts crosscheck: analysis, explorer and emulator on the same random tiny mixes.
#include "harness/campaign/crosscheck.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "generators/defects.h"
#include "generators/generate.h"
#include "generators/tiny.h"
#include "harness/campaign/journal_file.h"
#include "harness/campaign/outcome_text.h"
#include "harness/emulator/emulator.h"
#include "harness/skcts/clock.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"
#include "spec/case_id.h"
#include "spec/case_text.h"

namespace skcts::program {
namespace {

using campaign::CrossCheck;
using campaign::CrossResult;
using campaign::Difference;
using generators::TinyGroup;

/// Emulators that differ in their fixed latitudes, the default positions and drawn ones: the more
/// runs a mix has, the more of them, so that many runs come to the outcomes of every position.
std::uint64_t emulators_for(std::int64_t runs) {
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(runs / 8, 6, 256));
}

/// Differences of one key in a group that are shrunk and saved; the others are counted.
constexpr int saved_per_key = 3;
constexpr std::int64_t checks_per_shrink = 400;

/// Mixes of which something is said, and those among them that are explored to have several.
struct Several {
  std::int64_t mixes = 0;
  std::int64_t several = 0;

  void count(bool has_one) {
    ++mixes;
    several += has_one ? 0 : 1;
  }
  void add(const Several& other) {
    mixes += other.mixes;
    several += other.several;
  }
};

/// What became of the mixes of a group.
struct Tally {
  std::int64_t mixes = 0;
  std::map<std::string, std::int64_t> skipped;
  std::map<std::string, std::int64_t> differences;  ///< By key, one a mix.
  std::int64_t differing = 0;
  std::int64_t explored = 0;
  std::int64_t reached = 0;
  std::int64_t runs = 0;
  double occurring = 0;
  double allowed = 0;
  std::uint64_t states = 0;
  std::int64_t exact = 0;                         ///< Mixes of which the analysis claims all.
  std::map<std::string, std::int64_t> not_exact;  ///< By what and why.
  Several one_end;                                ///< One status, exactly: the stall theorem.
  Several one_memory;                             ///< One value a word: the hazard theorem.
  Several other_memory;  ///< May complete with words that race or are not judged.

  [[nodiscard]] std::int64_t skips() const {
    std::int64_t sum = 0;
    for (const auto& [why, count] : skipped) sum += count;
    return sum;
  }
  void add(const Tally& other);
};

void Tally::add(const Tally& other) {
  mixes += other.mixes;
  for (const auto& [why, count] : other.skipped) skipped[why] += count;
  for (const auto& [key, count] : other.differences) differences[key] += count;
  differing += other.differing;
  explored += other.explored;
  reached += other.reached;
  runs += other.runs;
  occurring += other.occurring;
  allowed += other.allowed;
  states += other.states;
  exact += other.exact;
  one_end.add(other.one_end);
  one_memory.add(other.one_memory);
  other_memory.add(other.other_memory);
  for (const auto& [why, count] : other.not_exact) not_exact[why] += count;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string("-");
}

void count_reasons(Tally& tally, std::string_view about, model::InexactReasons reasons) {
  for (const model::Inexact reason : reasons.list()) {
    ++tally.not_exact[fmt::format("{}: {}", about, to_string(reason))];
  }
}

/// Mixes of the generators are too large to explore; how often the analysis calls itself exact
/// there is counted.
Tally analysed(const std::function<std::optional<Case>(std::uint64_t)>& make, std::int64_t count) {
  model::Model model;
  Tally tally;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::optional<Case> mix = make(static_cast<std::uint64_t>(i));
    if (!mix) continue;
    const model::Analysis analysis = model.analyse(*mix, {}, model::Leaning::left_out);
    ++tally.mixes;
    tally.exact += analysis.exact;
    count_reasons(tally, "status", analysis.stall_open);
    count_reasons(tally, "values", analysis.data_open);
  }
  return tally;
}

/// A long check is watched: what is known is shown at once.
void print(std::string_view text) {
  if (!print_out(text)) throw std::runtime_error("the output could not be written to its end");
}

void print_counts(std::string_view label, const std::map<std::string, std::int64_t>& counts) {
  for (const auto& [what, count] : counts) {
    print(fmt::format("{:<7} {:>8}  {}\n", label, count, what));
  }
}

void print_analysed(std::string_view name, const Tally& tally) {
  print(fmt::format("{} mixes, analysed alone: {}, exact {}\n", name, tally.mixes,
                    percent(static_cast<double>(tally.exact), static_cast<double>(tally.mixes))));
  print_counts("open", tally.not_exact);
}

void count_generated(const CrosscheckArguments& arguments) {
  constexpr std::int64_t most = 500;
  const std::int64_t count = std::min(arguments.cases, most);
  print_analysed("legal", analysed(
                              [&](std::uint64_t i) -> std::optional<Case> {
                                return generators::generate(arguments.seed, i, {},
                                                            default_profile());
                              },
                              count));
  const auto defects = generators::operator_defects();
  print_analysed("defective", analysed(
                                  [&](std::uint64_t i) -> std::optional<Case> {
                                    auto pair = generators::inject(arguments.seed, i,
                                                                   defects[i % defects.size()],
                                                                   default_profile());
                                    if (!pair) return std::nullopt;
                                    return std::move(pair->broken);
                                  },
                                  count));
}

std::vector<std::unique_ptr<Target>> open_emulators(std::uint64_t seed, std::int64_t runs) {
  std::vector<std::unique_ptr<Target>> emulators;
  for (std::uint64_t i = 0; i < emulators_for(runs); ++i) {
    emulator::EmulatorConfig config;
    config.latitudes = generators::drawn_positions(seed, i);
    // Any depth from 1 is legal; every third machine has one that no position names.
    if (i % 3 == 2) config.queue_depth = 2 + static_cast<int>(i / 3 % 10);
    Result<std::unique_ptr<Target>> made = emulator::make_emulator(std::move(config));
    if (made) emulators.push_back(std::move(*made));
  }
  return emulators;
}

class Crosscheck {
 public:
  Crosscheck(const CrosscheckArguments& arguments, std::vector<LatitudePin> pins)
      : arguments_(arguments),
        pins_(std::move(pins)),
        emulators_(open_emulators(arguments.seed, arguments.runs + arguments.reach)) {
    std::vector<Target*> targets;
    for (const auto& emulator : emulators_) targets.push_back(emulator.get());
    campaign::CrossSettings settings;
    settings.runs = arguments.runs;
    settings.reach_runs = arguments.reach;
    settings.limits.max_states = arguments.states;
    check_ = std::make_unique<CrossCheck>(settings, std::move(targets));
  }

  Tally group(TinyGroup group) {
    Tally tally;
    for (std::int64_t i = 0; i < arguments_.cases; ++i) {
      const auto index = static_cast<std::uint64_t>(i) + arguments_.first;
      one(generators::tiny_mix(arguments_.seed, index, group), std::string(to_string(group)),
          tally);
    }
    return tally;
  }

  void one(Case mix, const std::string& group, Tally& tally) {
    for (const LatitudePin& pin : pins_) hold(mix, pin);
    const std::uint64_t seed = text_hash(case_id(mix));
    const CrossResult result = check_->check(mix, seed);
    ++tally.mixes;
    tally.states += result.states;
    if (!result.skipped.empty()) {
      ++tally.skipped[result.skipped];
      return;
    }
    tally.explored += result.explored;
    tally.reached += result.reached;
    tally.runs += result.runs;
    if (arguments_.show_unreached && !result.unreached.empty()) tell_unreached(mix, result);
    tally.occurring += result.occurring_memories;
    tally.allowed += result.allowed_memories;
    tally.exact += result.stall_open.none() && result.data_open.none();
    if (result.one_end_claimed) tally.one_end.count(result.one_end);
    (result.one_memory_claimed ? tally.one_memory : tally.other_memory).count(result.one_memory);
    count_reasons(tally, "status", result.stall_open);
    count_reasons(tally, "values", result.data_open);
    if (result.differences.empty()) return;
    ++tally.differing;
    std::map<std::string, const Difference*> by_key;
    for (const Difference& difference : result.differences) {
      by_key.emplace(difference.key(), &difference);
    }
    for (const auto& [key, difference] : by_key) {
      const std::int64_t count = ++tally.differences[key];
      if (count <= saved_per_key) save(mix, group, seed, *difference);
    }
  }

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  /// Holds a latitude; a pin that the mix had of it is gone.
  static void hold(Case& mix, const LatitudePin& pin) {
    std::erase_if(mix.latitudes, [&](const std::string& text) {
      const Result<LatitudePin> has = parse_latitude_pin(text);
      return has && has->id == pin.id;
    });
    mix.latitudes.push_back(to_string(pin));
  }

  void save(const Case& mix, const std::string& group, std::uint64_t seed,
            const Difference& difference) {
    Case small =
        arguments_.shrink ? check_->shrink(mix, seed, difference.key(), checks_per_shrink) : mix;
    std::string text = difference.text;
    for (const Difference& now : check_->check(small, seed).differences) {
      if (now.key() != difference.key()) continue;
      text = now.text;
      break;
    }
    small.note = text;
    print(
        fmt::format("{}: {}\n{}\n", printable(mix.name), difference.key(), printable_lines(text)));
    keep(small, fmt::format("{}-{}", group, difference.key()));
  }

  void tell_unreached(const Case& mix, const CrossResult& result) {
    for (const Outcome& outcome : result.unreached) {
      print(fmt::format("{}: explored, and not shown in {} run{}: {}", printable(mix.name),
                        result.runs, result.runs == 1 ? "" : "s",
                        printable_lines(campaign::outcome_text(mix, outcome))));
    }
    keep(mix, "unreached");
  }

  /// Saves a case where that is asked for.
  void keep(const Case& test_case, const std::string& about) {
    if (arguments_.out.empty()) return;
    const std::string path =
        fmt::format("{}/crosscheck-{}-{}.json", arguments_.out, about, case_id(test_case));
    if (const Result<void> written = campaign::write_file(path, write_case(test_case)); !written) {
      complain(written.error());
      broken_ = true;
      return;
    }
    print(fmt::format("saved as {}\n\n", printable(path)));
  }

  const CrosscheckArguments& arguments_;
  std::vector<LatitudePin> pins_;
  std::vector<std::unique_ptr<Target>> emulators_;
  std::unique_ptr<CrossCheck> check_;
  bool broken_ = false;
};

void print_header() {
  print(fmt::format("{:<13} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>10}\n", "group", "mixes",
                    "skipped", "differ", "outcomes", "emulator", "tight", "exact", "states"));
}

void print_row(std::string_view name, const Tally& t) {
  const auto checked = static_cast<double>(t.mixes - t.skips());
  print(fmt::format("{:<13} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>10}\n", name, t.mixes,
                    t.skips(), t.differing, t.explored,
                    percent(static_cast<double>(t.reached), static_cast<double>(t.explored)),
                    percent(t.occurring, t.allowed), percent(static_cast<double>(t.exact), checked),
                    t.states));
}

void print_several(std::string_view what, const Several& count) {
  print(fmt::format("claim   {:>8}  {}; explored to several: {}\n", count.mixes, what,
                    count.several));
}

void print_details(const Tally& all) {
  print(fmt::format("reached {:>8}  of {} explored outcomes shown by the emulator, in {} runs\n",
                    all.reached, all.explored, all.runs));
  print_several(
      "mixes have one status; one end where L-2, L-14, L-21 and L-35 are held (stall theorem)",
      all.one_end);
  print_several("mixes have one memory (hazard theorem)", all.one_memory);
  print_several("mixes may have more or are not judged", all.other_memory);
  print_counts("skipped", all.skipped);
  print_counts("open", all.not_exact);
  print_counts("differ", all.differences);
}

/// The groups that are asked for; none: the name is no group's, which is told.
std::vector<TinyGroup> chosen_groups(const std::string& name) {
  std::vector<TinyGroup> groups;
  std::vector<std::string_view> names;
  for (const TinyGroup group : generators::all_tiny_groups) {
    names.push_back(to_string(group));
    if (name.empty() || name == to_string(group)) groups.push_back(group);
  }
  if (groups.empty()) {
    complain(Error{.field = "--group",
                   .message = fmt::format("'{}' is no group; known: {}", name, join_names(names)),
                   .hint = did_you_mean(name, names)});
  }
  return groups;
}

/// Random mixes group by group, or the files as one; false: a file cannot be read.
bool check_all(const CrosscheckArguments& arguments, const std::vector<TinyGroup>& groups,
               Crosscheck& crosscheck, Tally& all) {
  std::vector<Case> cases;
  for (const std::string& file : arguments.files) {
    std::optional<Case> read = load_case(file);
    if (!read) return false;
    cases.push_back(std::move(*read));
  }
  print_header();
  if (!cases.empty()) {
    for (const Case& each : cases) crosscheck.one(each, "file", all);
    print_row("files", all);
    return true;
  }
  for (const TinyGroup group : groups) {
    const Tally tally = crosscheck.group(group);
    print_row(to_string(group), tally);
    all.add(tally);
  }
  if (groups.size() > 1) print_row("all", all);
  return true;
}

}  // namespace

ExitCode run_crosscheck(const CrosscheckArguments& arguments) {
  const std::vector<TinyGroup> groups = chosen_groups(arguments.group);
  if (groups.empty()) return ExitCode::usage;
  auto pins = parse_latitudes(arguments.latitudes);
  if (!pins) return complain(pins.error()), ExitCode::usage;
  if (arguments.first > UINT64_MAX - static_cast<std::uint64_t>(arguments.cases)) {
    complain(Error{.field = "--first",
                   .message = fmt::format("there are no {} mixes from index {} on", arguments.cases,
                                          arguments.first),
                   .hint = "indices end at 2^64-1"});
    return ExitCode::usage;
  }
  if (!arguments.out.empty()) {
    if (const Result<void> made = campaign::make_folder(arguments.out); !made) {
      complain(made.error());
      return ExitCode::usage;
    }
  }
  const double start = seconds_now();
  Crosscheck crosscheck(arguments, std::move(*pins));
  Tally all;
  if (!check_all(arguments, groups, crosscheck, all)) return ExitCode::usage;
  print_details(all);
  if (arguments.files.empty() && arguments.group.empty()) count_generated(arguments);
  print(fmt::format("{} mixes, {} skipped, {} with a difference, {:.1f} s\n", all.mixes,
                    all.skips(), all.differing, seconds_now() - start));
  if (crosscheck.broken()) return ExitCode::own_error;
  if (all.mixes == all.skips()) return ExitCode::nothing_ran;
  return all.differing == 0 ? ExitCode::pass : ExitCode::failure;
}

}  // namespace skcts::program
