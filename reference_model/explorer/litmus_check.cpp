// Number, statuses and words of the outcomes against what the table says.
#include "reference_model/explorer/litmus_check.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "reference_model/explorer/explorer.h"

namespace skcts::explorer {
namespace {

/// Of the row without its pins.
std::vector<std::string> differences(const Litmus& litmus, const Exploration& exploration) {
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

}  // namespace

std::vector<std::string> litmus_differences(const Litmus& litmus, std::uint64_t& states) {
  Options options;
  const auto explore_it = [&] {
    Exploration result = explore(litmus.test_case, options);
    states += result.states;
    return result;
  };
  std::vector<std::string> found = differences(litmus, explore_it());
  for (const LitmusPins& pinned : litmus.pinned) {
    options.pins = pinned.pins;
    const Exploration result = explore_it();
    if (result.complete && result.outcomes.size() == pinned.outcomes) continue;
    std::vector<std::string> pins;
    for (const LatitudePin& pin : pinned.pins) pins.push_back(to_string(pin));
    found.push_back(fmt::format("with {}: {} outcomes, not {}", fmt::join(pins, ", "),
                                result.outcomes.size(), pinned.outcomes));
  }
  return found;
}

}  // namespace skcts::explorer
