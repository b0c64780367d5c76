// The litmus table: tiny cases, each with the number of outcomes that it may have.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/error.h"
#include "spec/latitude.h"
#include "spec/outcome.h"
#include "spec/rule.h"

namespace skcts {

/// The number of outcomes with some latitudes held.
struct LitmusPins {
  std::vector<LatitudePin> pins;
  std::uint64_t outcomes = 0;
  bool operator==(const LitmusPins&) const = default;
};

/// All values that a GM word has at the end of the outcomes that complete or stall.
struct LitmusWord {
  std::string name;                   ///< As word_name() says it: "X[0]".
  std::vector<std::uint32_t> values;  ///< Sorted.
  bool operator==(const LitmusWord&) const = default;
};

/// One row of spec/litmus/table.json (spec/litmus/README.md says what the keys mean).
struct Litmus {
  std::string name;
  std::string file;   ///< Relative to the table.
  std::string shows;  ///< One sentence.
  std::optional<RuleId> rule;
  std::optional<LatitudeId> latitude;
  std::uint64_t outcomes = 0;
  std::vector<LitmusPins> pinned;
  std::vector<OutcomeStatus> statuses;  ///< Those that occur, sorted.
  std::vector<LitmusWord> words;
  std::string argument;
  std::vector<std::string> tags;
  Case test_case;
};

/// Reads a table; `text_of` gives the text of a file that a row names, or nothing. Errors carry the
/// place in the table, or that in the case file.
Result<std::vector<Litmus>> read_litmus_table(
    std::string_view text, std::string_view file,
    const std::function<std::optional<std::string_view>(std::string_view)>& text_of);

/// The table that is compiled in, in its order.
const std::vector<Litmus>& litmus_table();

}  // namespace skcts
