// Which outcomes of a case are allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/case.h"
#include "spec/outcome.h"

namespace skcts {

/// What one GM word may be at the end.
enum class WordKind : std::uint8_t {
  exact,     ///< `value`.
  one_of,    ///< One of Allowed::sets[set].
  unjudged,  ///< Anything: the contract says nothing about it.
};

struct WordAllowed {
  WordKind kind = WordKind::exact;
  std::uint32_t value = 0;
  std::int32_t set = -1;
  bool operator==(const WordAllowed&) const = default;
};

/// GM words that no schedule gives independently of each other: together they hold one of the
/// tuples. What one word alone may be (WordKind::one_of) is the projection of these.
struct JointWords {
  std::vector<std::int64_t> words;                 ///< Sorted GM words, two or more.
  std::vector<std::vector<std::uint32_t>> tuples;  ///< Sorted; each in the order of `words`.
  bool operator==(const JointWords&) const = default;
};

/// A core that must be stuck when the case stalls, and at what. For full-core waits with a missing
/// member only the class and "at or after this call" is said (semantics §1): at_or_after.
struct StuckCore {
  Waiting waiting;
  bool at_or_after = false;
  bool operator==(const StuckCore&) const = default;
};

/// One launch's shape and insertions as the contract has them.
struct ExpectedQuery {
  QueryRecord record;
  bool judged = true;
  bool operator==(const ExpectedQuery&) const = default;
};

/// The set of allowed outcomes, as a predicate (contains).
struct Allowed {
  bool completed = true;   ///< May complete.
  bool stalled = false;    ///< May stall.
  bool error = false;
  bool refused = false;
  std::optional<RuleId> rule;  ///< Rule behind a stall, error or refusal.

  bool exact_stall = true;   ///< The stall answer is a theorem (semantics §1), not a safe guess.
  bool exact_data = true;    ///< Every judged word has its exact set.

  std::vector<StuckCore> stuck;      ///< Cores that must be stuck when stalled; others may be.
  bool stuck_complete = false;       ///< No other core may be stuck.
  std::vector<WordAllowed> memory;          ///< When completed; one a GM word.
  std::vector<WordAllowed> memory_stalled;  ///< When stalled; empty: not judged.
  std::vector<std::vector<std::uint32_t>> sets;  ///< Sorted value sets that words refer to.
  std::vector<JointWords> joint;            ///< Of `memory`; no word is in two of them.
  std::vector<ExpectedQuery> queries;       ///< Sorted as Outcome::queries; judged when completed.
  std::vector<LaunchCounts> counts;         ///< Fewest that the contract guarantees.

  bool operator==(const Allowed&) const = default;
};

/// The first thing of an outcome that no schedule gives.
enum class Misfit : std::uint8_t { none, status, waiting, memory, query, launch, counts };
std::string_view to_string(Misfit misfit);

struct Containment {
  Misfit misfit = Misfit::none;
  /// For memory: all words with impossible values; or else the words of all JointWords that do not
  /// hold one of their tuples.
  std::vector<std::int64_t> words;
  std::string text;                 ///< One sentence, empty when contained.
  explicit operator bool() const { return misfit == Misfit::none; }
};

/// Is the outcome in the set? Status first, then for `stalled` the stuck cores. For `completed` the
/// declared counts (launch type and blocks must be equal; refreshes and barriers not fewer than
/// guaranteed), the queries, and memory: word by word, then the words that are tied to each other.
Containment contains(const Allowed& allowed, const Mix& mix, const Outcome& outcome);

}  // namespace skcts
