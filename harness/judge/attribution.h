// Which rule an impossible outcome points at, read from what the target itself shows.
//
// Declared counts, the query log and a refusal name their rule directly; a stall names one where a
// full-core sync in a narrower sub kernel hangs although feeding is on. What only shows in memory
// names none here.
#pragma once

#include <optional>
#include <string>

#include "spec/allowed.h"
#include "spec/case.h"
#include "spec/outcome.h"

namespace skcts::judge {

/// A clue: the rule it points at, its shape for the failure key, and a sentence.
struct Clue {
  std::optional<RuleId> rule;
  std::string shape;
  std::string sentence;
};

/// The first launch whose declared type or block count is not the contract's (CORE-1, CORE-6).
std::optional<Clue> launch_clue(const Case& test_case, const Allowed& allowed,
                                const Outcome& outcome);

/// The first declared count of insertions that is below what the contract guarantees.
std::optional<Clue> count_clue(const Case& test_case, const Allowed& allowed,
                               const Outcome& outcome);

/// The first query that differs: a wrong value, a record too many (CORE-2) or missing.
std::optional<Clue> query_clue(const Case& test_case, const Allowed& allowed,
                               const Outcome& outcome);

/// What a stall that no schedule gives hangs on.
Clue stall_clue(const Case& test_case, const Allowed& allowed, const Outcome& outcome);

/// A refusal of a case that is legal.
Clue refusal_clue(const Case& test_case, const Outcome& outcome);

}  // namespace skcts::judge
