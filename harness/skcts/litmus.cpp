// skcts litmus: the explorer on every litmus mix, held against the pinned counts.
#include "spec/litmus.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/skcts/clock.h"
#include "harness/skcts/commands.h"
#include "reference_model/explorer/explorer.h"

namespace skcts::program {
namespace {

/// What the explorer found about one row, in words; nothing when it is as pinned.
std::vector<std::string> differences(const Litmus& litmus,
                                     const explorer::Exploration& exploration) {
  std::vector<std::string> found;
  if (!exploration.complete) return {"not explored to the end: " + exploration.why};
  if (exploration.outcomes.size() != litmus.outcomes) {
    found.push_back(
        fmt::format("{} outcomes, not {}", exploration.outcomes.size(), litmus.outcomes));
  }
  std::set<OutcomeStatus> statuses;
  const GmLayout layout = layout_of(litmus.test_case.mix);
  std::map<std::string, std::set<std::uint32_t>> values;
  for (const Outcome& outcome : exploration.outcomes) {
    statuses.insert(outcome.status);
    for (std::size_t word = 0; word < outcome.memory.size(); ++word) {
      values[word_name(litmus.test_case.mix, layout, static_cast<std::int64_t>(word))].insert(
          outcome.memory[word]);
    }
  }
  if (!std::ranges::equal(statuses, litmus.statuses)) {
    std::vector<std::string_view> names;
    for (const OutcomeStatus status : statuses) names.push_back(to_string(status));
    found.push_back(fmt::format("statuses {}", fmt::join(names, ", ")));
  }
  for (const LitmusWord& word : litmus.words) {
    const std::set<std::uint32_t>& seen = values[word.name];
    if (std::ranges::equal(seen, word.values)) continue;
    found.push_back(fmt::format("{} is {}, not {}", word.name, fmt::join(seen, " or "),
                                fmt::join(word.values, " or ")));
  }
  return found;
}

/// Explores one row with and without its pins; prints what is not as pinned.
struct Tally {
  int held = 0;
  int differing = 0;
  std::uint64_t states = 0;
};

void check(const Litmus& litmus, const LitmusArguments& arguments, Tally& tally) {
  std::vector<std::string> found;
  explorer::Options options;
  const auto explore = [&] {
    const explorer::Exploration result = explorer::explore(litmus.test_case, options);
    tally.states += result.states;
    return result;
  };
  for (std::string& text : differences(litmus, explore())) found.push_back(std::move(text));
  for (const LitmusPins& pinned : litmus.pinned) {
    options.pins = pinned.pins;
    const explorer::Exploration result = explore();
    if (result.complete && result.outcomes.size() == pinned.outcomes) continue;
    std::vector<std::string> pins;
    for (const LatitudePin& pin : pinned.pins) pins.push_back(to_string(pin));
    found.push_back(fmt::format("with {}: {} outcomes, not {}", fmt::join(pins, ", "),
                                result.outcomes.size(), pinned.outcomes));
  }
  ++(found.empty() ? tally.held : tally.differing);
  if (found.empty() && !arguments.all) return;
  std::string about = litmus.rule ? std::string(to_string(*litmus.rule)) : "";
  if (litmus.latitude) {
    about += (about.empty() ? "" : " ") + std::string(latitude(*litmus.latitude).name);
  }
  fmt::print("{:<9} {:>3}  {:<14} {}: {}\n", found.empty() ? "holds" : "differs", litmus.outcomes,
             about, litmus.name, litmus.shows);
  for (const std::string& text : found) fmt::print("{:>20}{}\n", "", text);
}

}  // namespace

ExitCode run_litmus(const LitmusArguments& arguments) {
  const double start = seconds_now();
  Tally tally;
  for (const Litmus& litmus : litmus_table()) {
    if (litmus.name.find(arguments.filter) == std::string::npos) continue;
    check(litmus, arguments, tally);
  }
  if (tally.held + tally.differing == 0) {
    fmt::print(stderr, "skcts: no litmus mix has \"{}\" in its name\n", arguments.filter);
    return ExitCode::usage;
  }
  fmt::print("{} of {} litmus mixes hold, {} states, {:.1f} s\n", tally.held,
             tally.held + tally.differing, tally.states, seconds_now() - start);
  return tally.differing == 0 ? ExitCode::pass : ExitCode::failure;
}

}  // namespace skcts::program
