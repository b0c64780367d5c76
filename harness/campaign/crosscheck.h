// Analysis, explorer and target on the same small mix, held against each other.
//
// The three know the contract and the machine from the same texts and share no code; that they
// agree on mixes that nobody chose is what makes each of them worth believing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign/crosscheck_reach.h"
#include "harness/target/target.h"
#include "reference_model/explorer/explorer.h"
#include "reference_model/model.h"
#include "spec/case.h"
#include "spec/outcome.h"

namespace skcts::campaign {

enum class DifferenceKind : std::uint8_t {
  not_allowed,     ///< The explorer reaches an outcome that the analysis excludes.
  status_missing,  ///< The analysis claims an exact stall answer with a status that never occurs.
  value_missing,   ///< It claims exact data with a value of a word that never occurs.
  tuple_missing,   ///< The same for words that are tied to each other.
  not_one,       ///< It calls the mix portable, and there are several outcomes, or another memory.
  two_answers,   ///< Model::allowed() and Model::analyse() give different predicates.
  not_explored,  ///< The target shows an outcome that the explorer does not reach.
};
inline constexpr int difference_kind_count = 7;
std::string_view to_string(DifferenceKind kind);  ///< "not-allowed", ...

struct Difference {
  DifferenceKind kind = DifferenceKind::not_allowed;
  std::string aspect;  ///< What differs, the same for like differences: "memory", "stalled", ...
  std::string text;    ///< For people: the outcome, word or tuple, and who says what of it.
  /// Kind and aspect: like differences have the same.
  [[nodiscard]] std::string key() const;
};

struct CrossResult {
  std::string skipped;  ///< Why the mix could not be checked; empty: it was.
  std::vector<Difference> differences;
  std::int64_t explored = 0;       ///< Outcomes of the explorer, as bare() leaves them distinct.
  std::int64_t reached = 0;        ///< Those among them that the target showed.
  std::vector<Outcome> unreached;  ///< The others.
  std::int64_t runs = 0;           ///< Of the targets.
  /// How tight the analysis is, where all words are judged: memories that occur when the mix
  /// completes, and memories that the analysis allows (at most tightness_cap).
  double occurring_memories = 0;
  double allowed_memories = 0;
  std::uint64_t states = 0;
  /// Why the analysis is not exact here.
  model::InexactReasons stall_open, data_open;
  /// The stall theorem speaks of the mix (one status, exactly), and what is explored: do all runs
  /// end with the same status and the same waits of its own?
  bool one_end_claimed = false, one_end = false;
  /// The hazard theorem speaks of it (every word has one value), and what is explored: do all runs
  /// that complete leave the same memory?
  bool one_memory_claimed = false, one_memory = false;
};
inline constexpr double tightness_cap = 1000;

/// Holds what the three engines say of a case against each other. A pure function of its
/// arguments; the tests feed it engines that are wrong.
CrossResult compare(const Case& test_case, const model::Analysis& analysis,
                    const std::vector<Outcome>& explored, const std::vector<Outcome>& shown);

struct CrossSettings {
  explorer::Limits limits{.max_states = 60'000, .max_bytes = std::uint64_t{256} << 20};
  int runs = 24;  ///< Runs of the targets together.
  /// Further runs at most, as long as an explored outcome has not been shown.
  std::int64_t reach_runs = 0;
  /// Larger cases are skipped before an engine sees them: a bound in states alone would be reached
  /// late, or in the midst of a single one of them. Random mixes have a tenth of it.
  std::int64_t max_launches = 64;          ///< launch_count() of the plan.
  std::int64_t max_instructions = 10'000;  ///< CaseWork::instructions and ::entries together.
};

/// Runs the engines. The targets must be healthy ones that differ in fixed latitudes only; not
/// thread-safe.
class CrossCheck {
 public:
  CrossCheck(CrossSettings settings, std::vector<Target*> targets)
      : settings_(settings), targets_(std::move(targets)) {}

  /// `seed` draws the strategies of the runs.
  CrossResult check(const Case& test_case, std::uint64_t seed);

  /// The smallest case found with a difference of this key; `test_case` itself if there is none.
  Case shrink(const Case& test_case, std::uint64_t seed, const std::string& key,
              std::int64_t max_checks);

 private:
  /// Why the case is skipped before anything is tried; empty: it is not.
  [[nodiscard]] std::string too_large(const Case& test_case) const;
  /// What the targets show, each outcome once; `runs` counts them.
  std::vector<Outcome> shown(const Case& test_case, std::uint64_t seed, Reach& reach,
                             std::int64_t& runs);

  CrossSettings settings_;
  std::vector<Target*> targets_;
  model::Model model_;
};

}  // namespace skcts::campaign
