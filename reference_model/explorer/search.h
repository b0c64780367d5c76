// Walks all states of one launch.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reference_model/explorer/budget.h"
#include "reference_model/explorer/explorer.h"
#include "reference_model/explorer/known_steps.h"
#include "reference_model/explorer/machine.h"
#include "reference_model/explorer/store.h"
#include "reference_model/explorer/stubborn.h"

namespace skcts::explorer {

/// What all launches of a case share.
struct Tally {
  explicit Tally(const Limits& limits) : budget(limits) {}

  Budget budget;
  Reduction reduction = Reduction::full;
  bool traced = false;  ///< Keep for each state how it was reached.
  std::uint64_t states = 0, transitions = 0;
  std::string unsupported;  ///< Why the case cannot be explored at all; empty: it can.
};

/// How one state was reached.
struct Trace {
  std::uint32_t parent = 0;  ///< Own number: a start.
  Transition transition;
};

class Search {
 public:
  Search(Machine& machine, std::size_t front_words, Tally& tally)
      : machine_(machine),
        front_words_(front_words),
        tally_(tally),
        stubborn_(machine, tally.budget),
        states_(machine.bounds(), tally.budget),
        finals_(front_words + machine.residue_words(), tally.budget),
        trace_claim_(tally.budget) {}

  /// Adds a start, given by its front (latitudes, GM).
  void start(const Word* front);

  /// False: a bound was reached, or a callback said so. `on_stall` sees each state in which nothing
  /// can move any more and that is no completed launch; `on_error` each rule that an error cites.
  bool run(const std::function<bool(const Word* s, std::uint32_t state)>& on_stall,
           const std::function<bool(RuleId rule, std::uint32_t state)>& on_error);

  /// Fronts of completed launches, each with what it leaves (Machine::append_residue), and a state
  /// that each came from.
  const Store<Word>& finals() const { return finals_; }
  std::uint32_t final_state(std::size_t at) const { return final_states_[at]; }

  /// The steps to a state, and the number of the start they lead from.
  std::vector<std::string> steps_to(std::uint32_t state, std::uint32_t& start) const;

 private:
  /// Takes steps that are enough alone, without keeping the states between, as long as the bounds
  /// allow.
  void run_ahead();
  bool take(std::uint32_t from, Transition t,
            const std::function<bool(RuleId, std::uint32_t)>& on_error);
  /// Puts the state in scratch_ into the line of states to insert: memory is fetched meanwhile.
  void enqueue(std::uint32_t from, Transition t);
  /// The same for a step that is known by the numbers it changes.
  void enqueue(std::uint32_t from, const Hop& hop);
  /// Puts the parent's key into the line, as `change` changes it.
  template <class Change>
  void queue(std::uint32_t from, Transition t, const Change& change);
  void widen_keys();
  /// Looks at the bounds; false: the search is over.
  bool within() { return tally_.budget.within(tally_.states + states_.size()); }
  void note_trace(std::uint32_t parent, Transition t);
  /// Takes every step of a state; false: `on_error` or `on_stall` stops.
  bool expand(std::uint32_t at, const std::function<bool(const Word*, std::uint32_t)>& on_stall,
              const std::function<bool(RuleId, std::uint32_t)>& on_error);
  /// The same for a launch that has ended while outside actors go on.
  bool expand_ended(std::uint32_t at, const std::function<bool(RuleId, std::uint32_t)>& on_error);
  bool expand_known(std::uint32_t at,
                    const std::function<bool(const Word*, std::uint32_t)>& on_stall,
                    const std::function<bool(RuleId, std::uint32_t)>& on_error);
  /// What to do where nothing but the environment moves. moves_: steps to take instead.
  enum class End { over, goes_on, stop };
  End end(std::uint32_t at, const std::function<bool(const Word*, std::uint32_t)>& on_stall);
  void insert_first();
  void insert_all();
  /// False: lines are dirty on several cores, each write-back is a step.
  bool finish(std::uint32_t at);

  Machine& machine_;
  std::size_t front_words_;
  Tally& tally_;
  Stubborn stubborn_;
  States states_;
  Store<Word> finals_;
  std::vector<std::uint32_t> final_states_;
  std::vector<Trace> traces_;
  Claim trace_claim_;
  std::vector<Transition> moves_;
  std::vector<Word> scratch_, parent_, front_;
  struct Queued {
    std::uint32_t tag = 0, from = 0;
    Transition transition;
    std::size_t place = 0, mask = 0;  ///< Where to look, in a table of that size.
  };
  static constexpr std::size_t line_length = 32;  ///< A power of two.
  std::array<Queued, line_length> line_;
  std::vector<KeyWord> line_keys_, parent_key_;
  std::vector<Word> parent_numbers_, numbers_;
  std::optional<KnownSteps> known_;  ///< Plain enumeration in which nothing is asked.
  std::size_t line_first_ = 0, line_last_ = 0;
  std::set<RuleId> rules_;
  bool alone_ = false;  ///< A step changes the state of one core only.
};

}  // namespace skcts::explorer
