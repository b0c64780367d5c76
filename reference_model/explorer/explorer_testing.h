// Small mixes in words, and what all their outcomes are.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference_model/explorer/explorer.h"
#include "spec/case_text.h"
#include "spec/check.h"
#include "spec/validate.h"

namespace skcts::explorer {

inline const std::string regions =
    R"({"name": "ONE", "words": 8, "init": [1]}, {"name": "X", "words": 16},
       {"name": "Y", "words": 16}, {"name": "F", "words": 32})";

inline std::string kernel(const std::string& name, const std::string& type, int blocks,
                          const std::string& aic, const std::string& aiv) {
  std::string text = R"({"name": ")" + name + R"(", "type": ")" + type + R"(", "blocks": )" +
                     std::to_string(blocks);
  text += R"(, "tensors": [{"name": "x", "gm": "X"}, {"name": "y", "gm": "Y"}])";
  if (!aic.empty()) text += R"(, "aic": [)" + aic + "]";
  if (!aiv.empty()) text += R"(, "aiv": [)" + aiv + "]";
  return text + "}";
}

inline Case mix(const std::string& kernels, const std::string& options = "",
                const std::string& plan = "") {
  std::string text = R"({"format": 1, "name": "c", "profile": "tiny", "path": "ge", "mix": {)";
  if (!options.empty()) text += R"("options": ")" + options + R"(", )";
  text += R"("regions": [)" + regions + R"(], "sub_kernels": [)" + kernels + "]}";
  if (!plan.empty()) text += R"(, "plan": )" + plan;
  const Result<Case> made = read_case(text + "}", "test");
  SKCTS_CHECK(validate(*made).empty(), "the case of a test is not valid: {}", text);
  return *made;
}

inline std::uint32_t word(const Case& value, const Outcome& outcome, std::size_t region,
                          int at = 0) {
  return outcome.memory[static_cast<std::size_t>(layout_of(value.mix).base[region] + at)];
}

inline Exploration all(const Case& value, std::vector<LatitudePin> pins = {}) {
  Options options;
  options.pins = std::move(pins);
  Exploration found = explore(value, options);
  SKCTS_CHECK(found.complete, "{}", found.why);
  return found;
}

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// The values of two words over all completed outcomes.
inline Pairs pairs(const Case& value, std::size_t first, std::size_t second, int at = 0) {
  Pairs seen;
  for (const Outcome& outcome : all(value).outcomes) {
    SKCTS_CHECK(outcome.status == OutcomeStatus::completed, "{}", to_string(outcome.status));
    seen.emplace(word(value, outcome, first), word(value, outcome, second, at));
  }
  return seen;
}

inline std::vector<OutcomeStatus> statuses(const Exploration& found) {
  std::vector<OutcomeStatus> seen;
  for (const Outcome& outcome : found.outcomes) seen.push_back(outcome.status);
  return seen;
}

inline const std::string store_one = R"(
  {"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "ONE"}, "count": 8},
  {"op": "SetFlag", "event": "MTE2_MTE3", "id": 0},
  {"op": "WaitFlag", "event": "MTE2_MTE3", "id": 0},
  {"op": "DataCopy", "dst": {"gm": "X"}, "src": {"UB": 0}, "count": 8})";
inline const std::string read_x = R"(
  {"op": "ReadGmByPassDCache", "src": {"gm": "X"}, "reg": "r0"},
  {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0"})";

inline std::string raise(int id, const std::string& pipe) {
  return R"({"op": "CrossCoreSetFlag", "mode": 2, "pipe": ")" + pipe + R"(", "id": )" +
         std::to_string(id) + "}";
}
inline std::string wait(int id) {
  return R"({"op": "CrossCoreWaitFlag", "id": )" + std::to_string(id) + "}";
}

}  // namespace skcts::explorer
