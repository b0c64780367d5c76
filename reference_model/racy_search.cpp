// States are numbered values in one short string; what is done with them is told by the part.
//
// The reduction is that of strong stubborn sets: a set of moves that holds, with each move that can
// be made, everything whose order to it may show, and with each one that cannot, something that has
// to come first. Only its moves are followed, which keeps every final state. Besides, writes of the
// same words that nobody can read in between are told apart by the last one only.
#include "reference_model/racy_search.h"

#include <algorithm>

#include "reference_model/bits.h"
#include "spec/check.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

RacySearch::RacySearch(const RacyPart& part, const SearchFreedom& freedom)
    : part_(part), freedom_(freedom) {
  event_count_ = part.events.size();
  cache_count_ = part.caches.size();
  memory_ = (event_count_ + 15) / 16;
  size_ = memory_ + part.words.size();
  for (std::size_t c = 0; c < cache_count_; ++c) {
    cache_.push_back(size_);
    size_ += 1 + line_size(c);
  }
  landing_.assign(event_count_, SIZE_MAX);
  land_of_.assign(event_count_, SIZE_MAX);
  for (std::size_t e = 0; e < event_count_; ++e) {
    if (part.events[e].kind != EventKind::land) continue;
    landing_[e] = size_;
    size_ += 1 + line_size(at(part.events[e].cache));
  }
  variables_ = size_;
  size_ += at(part.variables);
  numbers_.emplace(0, char16_t{0});
  values_.assign(2, 0);  // the second one stands for anything
  index_caches();
  index_users();
}

void RacySearch::index_caches() {
  cached_.resize(cache_count_);
  writes_back_.assign(cache_count_, 0);
  touching_.assign(cache_count_, Bits((event_count_ + 63) / 64, 0));
  writing_ = touching_;
  for (std::size_t e = 0; e < event_count_; ++e) {
    const RacyEvent& event = part_.events[e];
    for (std::size_t c = 0; c < cache_count_; ++c) {
      if (touches_line(event, part_.caches[c], false)) set_bit(touching_[c], e);
      if (touches_line(event, part_.caches[c], true)) set_bit(writing_[c], e);
    }
    if (event.cache < 0) continue;
    const std::size_t c = at(event.cache);
    set_bit(touching_[c], e);
    set_bit(writing_[c], e);
    cached_[c].push_back(static_cast<std::int32_t>(e));
    const bool object = event.by_object && freedom_.extra_write_refresh;
    if (event.kind == EventKind::store && (freedom_.write_back_any || object)) writes_back_[c] = 1;
  }
  for (std::vector<std::int32_t>& events : cached_) {
    std::sort(events.begin(), events.end(), [&](std::int32_t a, std::int32_t b) {
      const RacyEvent& x = part_.events[at(a)];
      const RacyEvent& y = part_.events[at(b)];
      return std::pair(x.step, x.kind) < std::pair(y.step, y.kind);
    });
    for (const std::int32_t a : events) {
      const RacyEvent& refresh = part_.events[at(a)];
      if (refresh.kind != EventKind::refresh) continue;
      for (const std::int32_t b : events) {
        const RacyEvent& land = part_.events[at(b)];
        if (land.kind == EventKind::land && land.step == refresh.step) land_of_[at(a)] = at(b);
      }
    }
  }
}

/// Does the event touch GM in the line of the cache?
bool RacySearch::touches_line(const RacyEvent& event, const RacyCache& cache,
                              bool writes_only) const {
  if (event.cache >= 0) {
    if (part_.caches[at(event.cache)].line != cache.line) return false;
    const bool lands = event.kind == EventKind::land || event.kind == EventKind::flush ||
                       (event.kind == EventKind::refresh && !freedom_.land_late);
    return lands || (!writes_only && event.kind != EventKind::refresh);
  }
  if (writes_only && event.kind != EventKind::write) return false;
  return std::any_of(event.accesses.begin(), event.accesses.end(), [&](const WordAccess& access) {
    return std::binary_search(cache.words.begin(), cache.words.end(), access.word);
  });
}

void RacySearch::index_users() {
  users_.resize(at(part_.variables));
  readers_.resize(part_.words.size());
  for (std::size_t e = 0; e < event_count_; ++e) {
    const auto number = static_cast<std::int32_t>(e);
    const RacyEvent& event = part_.events[e];
    for (const WordAccess& access : event.accesses) {
      for (const Source& input : access.formula.inputs) {
        if (input.variable >= 0) users_[at(input.variable)].push_back(number);
      }
      const std::int32_t operand = access.formula.operand.variable;
      if (operand >= 0) users_[at(operand)].push_back(number);
      const bool reads = event.kind != EventKind::write || event.atomic_add;
      if (event.cache < 0 && reads) readers_[at(access.word)].push_back(number);
    }
  }
}

// What can happen.

bool RacySearch::all_done(const State& state) const {
  for (std::size_t e = 0; e < event_count_; ++e) {
    if (!is_done(state, e)) return false;
  }
  return true;
}

RacySearch::Bits RacySearch::done_bits(const State& state) const {
  Bits bits((event_count_ + 63) / 64, 0);
  for (std::size_t w = 0; w < memory_; ++w) {
    bits[w / 4] |= static_cast<std::uint64_t>(state[w]) << (w % 4 * 16);
  }
  return bits;
}

bool RacySearch::passes(const State& state, const RacyEvent& poll) const {
  const char16_t word = state[memory_ + at(poll.accesses[0].word)];
  if (word == anything || is_anything(state, poll.accesses[0].formula.operand)) return true;
  const std::uint32_t shown = values_[word];
  const std::uint32_t wanted = value(state, poll.accesses[0].formula.operand);
  return poll.until == Compare::equal ? shown == wanted : shown >= wanted;
}

bool RacySearch::waits_for_landing(const State& state, std::size_t cache) const {
  return std::any_of(cached_[cache].begin(), cached_[cache].end(), [&](std::int32_t e) {
    return landing_[at(e)] != SIZE_MAX && state[landing_[at(e)]] != absent;
  });
}

/// The next event of a cache that is no landing, or SIZE_MAX.
std::size_t RacySearch::next_access(const State& state, std::size_t cache, bool& any_store) const {
  std::size_t next = SIZE_MAX;
  any_store = false;
  for (const std::int32_t e : cached_[cache]) {
    const RacyEvent& event = part_.events[at(e)];
    if (is_done(state, at(e)) || event.kind == EventKind::land) continue;
    any_store = any_store || event.kind == EventKind::store;
    if (next == SIZE_MAX) next = at(e);
  }
  return next;
}

/// Moves beyond the events: write-backs, then fetches, by cache.
void RacySearch::find_enabled(const State& state) {
  const Bits done = done_bits(state);
  enabled_.assign(event_count_ + 2 * cache_count_, 0);
  for (std::size_t e = 0; e < event_count_; ++e) {
    if (is_bit(done, e)) continue;
    std::uint64_t missing = 0;
    for (std::size_t w = 0; w < done.size(); ++w) missing |= part_.after[e][w] & ~done[w];
    const RacyEvent& event = part_.events[e];
    if (missing != 0 || (event.kind == EventKind::poll && !passes(state, event))) continue;
    enabled_[e] = 1;
  }
  for (std::size_t m = event_count_; m < enabled_.size(); ++m) {
    enabled_[m] = cache_may_move(state, m) ? 1 : 0;
  }
}

bool RacySearch::cache_may_move(const State& state, std::size_t move) const {
  const std::size_t cache = (move - event_count_) % cache_count_;
  const char16_t flag = state[cache_[cache]];
  if (move < event_count_ + cache_count_) {
    if (flag != dirty || writes_back_[cache] == 0) return false;
    // A refresh or flush that comes next, and may come now, stands for this.
    bool any_store = false;
    const std::size_t next = next_access(state, cache, any_store);
    const bool used = next != SIZE_MAX && (part_.events[next].kind == EventKind::load ||
                                           part_.events[next].kind == EventKind::store);
    return used || next == SIZE_MAX || enabled_[next] == 0;
  }
  if (!freedom_.prefetch || flag == dirty || (flag == held && !freedom_.drop_any)) return false;
  bool any_store = false;
  const std::size_t next = next_access(state, cache, any_store);
  const bool wanted = next != SIZE_MAX && (part_.events[next].kind == EventKind::load ||
                                           part_.events[next].kind == EventKind::store);
  return wanted && !waits_for_landing(state, cache);
}

/// May the access find its line dropped?
bool RacySearch::may_refetch(const State& state, const RacyEvent& event) const {
  if (event.kind != EventKind::load && event.kind != EventKind::store) return false;
  if (state[cache_[at(event.cache)]] != held) return false;
  const bool extra =
      event.kind == EventKind::load ? freedom_.extra_read_refresh : freedom_.extra_write_refresh;
  if (!freedom_.drop_any && !(event.by_object && extra)) return false;
  const std::vector<std::int32_t>& words = part_.caches[at(event.cache)].words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (state[cache_[at(event.cache)] + 1 + i] != state[memory_ + at(words[i])]) return true;
  }
  return false;
}

// The search.

SearchResult RacySearch::run(std::size_t limit, bool reduce) {
  reduce_ = reduce;
  for (const std::vector<std::uint32_t>& words : part_.starts) {
    enter(first_state(words), -1, {});
  }
  while (!open_.empty() && states_.size() <= limit && !overflow_) {
    const std::int32_t from = open_.back();
    open_.pop_back();
    expand(from);
  }
  SearchResult result;
  result.states = states_.size();
  result.complete = open_.empty() && !overflow_;
  anything_.assign(at(part_.gm_count), 0);
  for (const State* state : states_) {
    if (!all_done(*state)) continue;
    for (std::size_t w = 0; w < anything_.size(); ++w) {
      if ((*state)[memory_ + w] == anything) anything_[w] = 1;
    }
  }
  for (const State* state : states_) {
    if (!all_done(*state)) continue;
    std::vector<std::uint32_t>& tuple = result.tuples.emplace_back();
    for (std::size_t w = 0; w < anything_.size(); ++w) {
      tuple.push_back(anything_[w] != 0 ? 0 : values_[(*state)[memory_ + w]]);
    }
  }
  result.anything = anything_;
  std::sort(result.tuples.begin(), result.tuples.end());
  result.tuples.erase(std::unique(result.tuples.begin(), result.tuples.end()), result.tuples.end());
  return result;
}

void RacySearch::enter(State state, std::int32_t from, SearchMove move) {
  const auto number = static_cast<std::int32_t>(states_.size());
  const auto [place, fresh] = known_.emplace(std::move(state), number);
  if (!fresh) return;
  states_.push_back(&place->first);
  origins_.push_back({from, std::move(move)});
  open_.push_back(number);
}

void RacySearch::expand(std::int32_t from) {
  const State& state = *states_[at(from)];
  find_enabled(state);
  if (!reduce_) return expand_all(from, state);
  Bits best;
  std::size_t fewest = SIZE_MAX;
  const std::size_t moves = event_count_ + 2 * cache_count_;
  int tried = 0;
  for (std::size_t seed = 0; seed < moves && fewest > 1 && tried < 12; ++seed) {
    if (!is_enabled(seed)) continue;
    if (!best.empty() && is_bit(best, seed)) continue;
    ++tried;
    Bits set = stubborn(state, seed);
    std::size_t count = 0;
    for_bits(set, [&](std::size_t move) { count += is_enabled(move) ? 1 : 0; });
    if (count >= fewest) continue;
    fewest = count;
    best = std::move(set);
  }
  if (best.empty()) return;  // the end, or a poll that waits for ever
  if (!expand_writes(from, state, best)) expand_moves(from, state, best);
}

void RacySearch::expand_all(std::int32_t from, const State& state) {
  Bits all((event_count_ + 2 * cache_count_ + 63) / 64, 0);
  for (std::size_t m = 0; m < event_count_ + 2 * cache_count_; ++m) set_bit(all, m);
  expand_moves(from, state, all);
}

/// Everything that is not over and whose order to the set may show, or that has to come before
/// something of it; empty if that is more than plain writes of the same words.
std::vector<std::int32_t> RacySearch::blind_writes(const State& state, const Bits& set) const {
  std::vector<std::int32_t> writes;
  Bits seen(set.size(), 0);
  bool same = true;
  const auto add = [&](std::size_t move) {
    if (move < event_count_ && is_done(state, move)) return;
    if (!same || is_bit(seen, move)) return;
    set_bit(seen, move);
    same = move < event_count_ && is_plain_write(move, writes);
    writes.push_back(static_cast<std::int32_t>(move));
  };
  for_bits(set, add);
  for (std::size_t i = 0; same && i < writes.size(); ++i) {
    const std::size_t move = at(writes[i]);
    for_bits(part_.conflicts[move], add);
    for_bits(part_.after[move], add);
    for (std::size_t c = 0; c < cache_count_; ++c) same = same && !is_bit(touching_[c], move);
  }
  if (!same) writes.clear();
  return writes;
}

/// Does it write the words of the others, and is it nothing but a write?
bool RacySearch::is_plain_write(std::size_t move, const std::vector<std::int32_t>& others) const {
  const RacyEvent& event = part_.events[move];
  if (event.kind != EventKind::write || event.atomic_add || event.cache >= 0) return false;
  if (others.empty()) return true;
  const RacyEvent& first = part_.events[at(others.front())];
  return std::equal(event.accesses.begin(), event.accesses.end(), first.accesses.begin(),
                    first.accesses.end(),
                    [](const WordAccess& a, const WordAccess& b) { return a.word == b.word; });
}

/// Of plain writes of the same words that nobody reads in between, only the last one shows.
bool RacySearch::expand_writes(std::int32_t from, const State& state, const Bits& set) {
  const std::vector<std::int32_t> writes = blind_writes(state, set);
  if (writes.size() < 2) return false;
  Bits earlier((event_count_ + 63) / 64, 0);  // not the last: another one must follow
  for (const std::int32_t write : writes) {
    for (std::size_t w = 0; w < earlier.size(); ++w) earlier[w] |= part_.after[at(write)][w];
  }
  for (const std::int32_t last : writes) {
    if (is_bit(earlier, at(last))) continue;
    State next = state;
    SearchMove move{SearchMove::Kind::last_of, last, {}};
    for (const std::int32_t other : writes) {
      if (other == last) continue;
      apply(next, at(other), false);
      move.before.push_back(other);
    }
    apply(next, at(last), false);
    enter(std::move(next), from, std::move(move));
  }
  return true;
}

void RacySearch::expand_moves(std::int32_t from, const State& state, const Bits& set) {
  for_bits(set, [&](std::size_t move) {
    if (!is_enabled(move)) return;
    const auto number_of = static_cast<std::int32_t>(move);
    State next = state;
    if (move >= event_count_) {
      const std::size_t cache = (move - event_count_) % cache_count_;
      const bool back = move < event_count_ + cache_count_;
      if (back) {
        put(next, cache, cache_[cache]);
        next[cache_[cache]] = held;
        forget_line(next, cache);
      } else {
        fetch(next, cache);
      }
      enter(std::move(next), from,
            {back ? SearchMove::Kind::write_back : SearchMove::Kind::fetch,
             static_cast<std::int32_t>(cache),
             {}});
      return;
    }
    if (may_refetch(state, part_.events[move])) {
      State other = state;
      apply(other, move, true);
      enter(std::move(other), from, {SearchMove::Kind::refetch, number_of, {}});
    }
    apply(next, move, false);
    enter(std::move(next), from, {SearchMove::Kind::event, number_of, {}});
  });
}

RacySearch::Bits RacySearch::stubborn(const State& state, std::size_t seed) const {
  Bits set((event_count_ + 2 * cache_count_ + 63) / 64, 0);
  std::vector<std::size_t> work = {seed};
  set_bit(set, seed);
  while (!work.empty()) {
    const std::size_t move = work.back();
    work.pop_back();
    if (is_enabled(move)) {
      widen(state, move, set, work);
    } else {
      enable(state, move, set, work);
    }
  }
  return set;
}

/// Adds a move that is not over and not there yet.
void RacySearch::take(const State& state, std::size_t move, Bits& set,
                      std::vector<std::size_t>& work) const {
  if ((move < event_count_ && is_done(state, move)) || is_bit(set, move)) return;
  set_bit(set, move);
  work.push_back(move);
}

/// Adds everything whose order to the move may show.
void RacySearch::widen(const State& state, std::size_t move, Bits& set,
                       std::vector<std::size_t>& work) const {
  const auto add = [&](std::size_t other) { take(state, other, set, work); };
  if (move < event_count_) {
    for_bits(part_.conflicts[move], add);
    for (std::size_t c = 0; c < cache_count_; ++c) {
      if (is_bit(touching_[c], move) && writes_back_[c] != 0) add(event_count_ + c);
      if (is_bit(writing_[c], move) && freedom_.prefetch) add(event_count_ + cache_count_ + c);
    }
    return;
  }
  const std::size_t cache = (move - event_count_) % cache_count_;
  const bool back = move < event_count_ + cache_count_;
  for_bits(back ? touching_[cache] : writing_[cache], add);
  for (std::size_t c = 0; c < cache_count_; ++c) {
    if (part_.caches[c].line != part_.caches[cache].line) continue;
    if (writes_back_[c] != 0) add(event_count_ + c);
    if (freedom_.prefetch && (back || c == cache)) add(event_count_ + cache_count_ + c);
  }
}

/// Adds something without which the move cannot become possible.
void RacySearch::enable(const State& state, std::size_t move, Bits& set,
                        std::vector<std::size_t>& work) const {
  const auto add = [&](std::size_t other) { take(state, other, set, work); };
  if (move < event_count_) {
    std::size_t first = SIZE_MAX;
    for_bits(part_.after[move], [&](std::size_t e) {
      if (!is_done(state, e) && (first == SIZE_MAX || is_bit(set, e))) first = e;
    });
    if (first != SIZE_MAX) return add(first);
    // A poll that does not see its value: any write may bring it.
    for_bits(part_.conflicts[move], add);
    for (std::size_t c = 0; c < cache_count_; ++c) {
      if (is_bit(touching_[c], move) && writes_back_[c] != 0) add(event_count_ + c);
    }
    return;
  }
  const std::size_t cache = (move - event_count_) % cache_count_;
  bool any_store = false;
  const std::size_t next = next_access(state, cache, any_store);
  if (next == SIZE_MAX) return;
  if (move < event_count_ + cache_count_) {
    if (any_store) add(next);
    return;
  }
  for (const std::int32_t e : cached_[cache]) {
    if (landing_[at(e)] != SIZE_MAX && state[landing_[at(e)]] != absent) add(at(e));
  }
  if (writes_back_[cache] != 0) add(event_count_ + cache);
  add(next);
}

}  // namespace skcts::model
