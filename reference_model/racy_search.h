// All orders of the events of a part, with everything that caches may do in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_model/racy_events.h"

namespace skcts::model {

/// One thing that happens in a search.
struct SearchMove {
  enum class Kind : std::uint8_t {
    event,       ///< `number`: of the event.
    refetch,     ///< The same, after the clean line was dropped and fetched anew.
    write_back,  ///< Of cache `number`: its dirty line reaches GM and stays, clean.
    fetch,       ///< Cache `number` fetches its line unasked (L-36).
    last_of,     ///< All writes of a set happen, `number` last.
  };
  Kind kind = Kind::event;
  std::int32_t number = 0;
  std::vector<std::int32_t> before;  ///< last_of: the others.
  /// Filled by way_to: what the accesses of the event read or write (an atomic add: add).
  std::vector<std::uint32_t> values;
  bool fetched = false;    ///< load, store: the line was not there;
  bool was_dirty = false;  ///< refresh, flush: something is to be written back.
};

struct SearchResult {
  bool complete = false;  ///< Every order was looked at.
  std::size_t states = 0;
  /// What the GM words of the part hold together in the end; sorted. A word that may be anything
  /// is 0 in all of them.
  std::vector<std::vector<std::uint32_t>> tuples;
  std::vector<std::uint8_t> anything;  ///< By GM word of the part.
};

/// One search; holds a reference to its part.
class RacySearch {
 public:
  /// In all searches of a launch together.

  RacySearch(const RacyPart& part, const SearchFreedom& freedom);

  /// `reduce`: leave orders out that differ only in what commutes (stubborn sets). Without it the
  /// outcome is the same and the work is not.
  SearchResult run(std::size_t limit = SearchFreedom{}.states, bool reduce = true);
  /// After run(): what happens on one way to the tuple; empty if it is none of them.
  std::vector<SearchMove> way_to(const std::vector<std::uint32_t>& tuple,
                                 std::vector<std::uint32_t>* start = nullptr) const;

 private:
  /// Bits of done events, then numbers of values: memory, caches, landings, variables.
  using State = std::u16string;
  using Bits = std::vector<std::uint64_t>;
  enum : char16_t { absent = 0, held = 1, dirty = 2 };
  static constexpr char16_t anything = 1;  ///< The number of a value that may be any.

  void index_caches();
  void index_users();
  bool touches_line(const RacyEvent& event, const RacyCache& cache, bool writes_only) const;
  State first_state(const std::vector<std::uint32_t>& words);
  void expand(std::int32_t from);
  void expand_all(std::int32_t from, const State& state);
  std::vector<std::int32_t> blind_writes(const State& state, const Bits& set) const;
  bool is_plain_write(std::size_t move, const std::vector<std::int32_t>& others) const;
  bool expand_writes(std::int32_t from, const State& state, const Bits& set);
  void expand_moves(std::int32_t from, const State& state, const Bits& set);
  Bits stubborn(const State& state, std::size_t seed) const;
  void take(const State& state, std::size_t move, Bits& set, std::vector<std::size_t>& work) const;
  void widen(const State& state, std::size_t move, Bits& set, std::vector<std::size_t>& work) const;
  void enable(const State& state, std::size_t move, Bits& set,
              std::vector<std::size_t>& work) const;
  void enter(State state, std::int32_t from, SearchMove move);

  bool is_done(const State& state, std::size_t event) const {
    return (state[event / 16] >> (event % 16) & 1) != 0;
  }
  void set_done(State& state, std::size_t event) const {
    state[event / 16] = static_cast<char16_t>(state[event / 16] | 1u << (event % 16));
  }
  bool all_done(const State& state) const;
  bool is_enabled(std::size_t move) const { return enabled_[move] != 0; }
  void find_enabled(const State& state);
  bool cache_may_move(const State& state, std::size_t move) const;
  bool passes(const State& state, const RacyEvent& poll) const;
  bool waits_for_landing(const State& state, std::size_t cache) const;
  std::size_t next_access(const State& state, std::size_t cache, bool& any_store) const;
  bool may_refetch(const State& state, const RacyEvent& event) const;
  Bits done_bits(const State& state) const;

  void apply(State& state, std::size_t event, bool refetch);
  void apply_cached(State& state, std::size_t event, bool refetch);
  void fetch(State& state, std::size_t cache) const;
  void put(State& state, std::size_t cache, std::size_t from) const;
  void tidy(State& state, const RacyEvent& event) const;
  void drop_line(State& state, std::size_t cache) const;
  void forget_line(State& state, std::size_t cache) const;
  std::uint32_t value(const State& state, const Source& source) const;
  bool is_anything(const State& state, const Source& source) const;
  char16_t made_by(const State& state, const Formula& formula);
  void describe(const State& before, SearchMove& move) const;
  char16_t number(std::uint32_t value);
  std::size_t line_size(std::size_t cache) const { return part_.caches[cache].words.size(); }

  const RacyPart& part_;
  const SearchFreedom freedom_;
  std::size_t event_count_ = 0, cache_count_ = 0;
  std::size_t memory_ = 0;            ///< Where in a state,
  std::vector<std::size_t> cache_;    ///< by cache: its flag, then its words;
  std::vector<std::size_t> landing_;  ///< by event: the same (SIZE_MAX: no landing);
  std::size_t variables_ = 0, size_ = 0;
  std::vector<std::size_t> land_of_;                ///< By refresh: its landing, or SIZE_MAX.
  std::vector<std::vector<std::int32_t>> cached_;   ///< By cache: its events in order.
  std::vector<Bits> touching_, writing_;            ///< By cache: events at its line.
  std::vector<std::vector<std::int32_t>> users_;    ///< By variable.
  std::vector<std::vector<std::int32_t>> readers_;  ///< By word.
  std::vector<std::uint8_t> writes_back_;           ///< By cache: may do so at any moment.
  std::vector<std::uint32_t> values_;               ///< By number.
  std::unordered_map<std::uint32_t, char16_t> numbers_;
  struct Origin {
    std::int32_t from = -1;
    SearchMove move;
  };
  std::unordered_map<State, std::int32_t> known_;
  std::vector<const State*> states_;
  std::vector<Origin> origins_;
  std::vector<std::int32_t> open_;
  std::vector<std::uint8_t> enabled_;   ///< By move, of the state that is expanded.
  std::vector<std::uint8_t> anything_;  ///< By GM word: after run().
  bool reduce_ = true;
  bool overflow_ = false;
};

}  // namespace skcts::model
