// What the moves of a search do to its states, and the way that led to one.
#include <algorithm>

#include "reference_model/racy_formula.h"
#include "reference_model/racy_search.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

// Values.

char16_t RacySearch::number(std::uint32_t value) {
  const auto [found, fresh] = numbers_.emplace(value, static_cast<char16_t>(values_.size()));
  if (fresh) values_.push_back(value);
  if (values_.size() > 0xFFF0) overflow_ = true;
  return found->second;
}

std::uint32_t RacySearch::value(const State& state, const Source& source) const {
  if (source.variable < 0) return source.value;
  return values_[state[variables_ + at(source.variable)]];
}

bool RacySearch::is_anything(const State& state, const Source& source) const {
  if (source.variable < 0) return source.undefined;
  return state[variables_ + at(source.variable)] == anything;
}

char16_t RacySearch::made_by(const State& state, const Formula& formula) {
  if (gives_anything(formula, [&](const Source& s) { return is_anything(state, s); })) {
    return anything;
  }
  return number(evaluate(formula, [&](const Source& s) { return value(state, s); }));
}

RacySearch::State RacySearch::first_state(const std::vector<std::uint32_t>& words) {
  State state(size_, char16_t{0});
  for (std::size_t w = 0; w < words.size(); ++w) {
    state[memory_ + w] = part_.undefined[w] != 0 ? anything : number(words[w]);
  }
  return state;
}

// What it does.

void RacySearch::fetch(State& state, std::size_t cache) const {
  state[cache_[cache]] = held;
  const std::vector<std::int32_t>& words = part_.caches[cache].words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    state[cache_[cache] + 1 + i] = state[memory_ + at(words[i])];
  }
}

/// Words of a line, standing after `from`, reach GM.
void RacySearch::put(State& state, std::size_t cache, std::size_t from) const {
  const std::vector<std::int32_t>& words = part_.caches[cache].words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    state[memory_ + at(words[i])] = state[from + 1 + i];
  }
}

void RacySearch::apply(State& state, std::size_t number_of, bool refetch) {
  const RacyEvent& event = part_.events[number_of];
  set_done(state, number_of);
  if (event.cache >= 0) {
    apply_cached(state, number_of, refetch);
  } else if (event.kind == EventKind::read) {
    for (const WordAccess& access : event.accesses) {
      state[variables_ + at(access.variable)] = state[memory_ + at(access.word)];
    }
  } else if (event.kind == EventKind::write) {
    for (const WordAccess& access : event.accesses) {
      char16_t& to = state[memory_ + at(access.word)];
      const char16_t made = made_by(state, access.formula);
      if (!event.atomic_add) {
        to = made;
      } else if (to != anything) {
        to = made == anything ? made : number(values_[to] + values_[made]);
      }
    }
  }
  tidy(state, event);
}

void RacySearch::apply_cached(State& state, std::size_t number_of, bool refetch) {
  const RacyEvent& event = part_.events[number_of];
  const std::size_t cache = at(event.cache);
  const std::size_t place = cache_[cache];
  switch (event.kind) {
    case EventKind::load:
    case EventKind::store:
      if (state[place] == absent || refetch) fetch(state, cache);
      for (const WordAccess& access : event.accesses) {
        char16_t& word = state[place + 1 + at(access.word)];
        if (event.kind == EventKind::load) {
          state[variables_ + at(access.variable)] = word;
        } else {
          word = made_by(state, access.formula);
        }
      }
      if (event.kind == EventKind::store) state[place] = dirty;
      break;
    case EventKind::refresh: {
      const std::size_t land = land_of_[number_of];
      if (state[place] == dirty && land != SIZE_MAX) {
        std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(place), 1 + line_size(cache),
                    state.begin() + static_cast<std::ptrdiff_t>(landing_[land]));
      } else {
        if (state[place] == dirty) put(state, cache, place);
        if (land != SIZE_MAX) set_done(state, land);
      }
      break;
    }
    case EventKind::land:
      put(state, cache, landing_[number_of]);
      std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(landing_[number_of]),
                  1 + line_size(cache), char16_t{0});
      break;
    default:
      if (state[place] == dirty) put(state, cache, place);
  }
}

/// Forgets what nobody will look at any more, so that states meet.
void RacySearch::tidy(State& state, const RacyEvent& event) const {
  const auto over = [&](const std::vector<std::int32_t>& events) {
    return std::all_of(events.begin(), events.end(),
                       [&](std::int32_t e) { return is_done(state, at(e)); });
  };
  const auto forget = [&](const Source& source) {
    if (source.variable >= 0 && over(users_[at(source.variable)])) {
      state[variables_ + at(source.variable)] = 0;
    }
  };
  for (const WordAccess& access : event.accesses) {
    for (const Source& input : access.formula.inputs) forget(input);
    forget(access.formula.operand);
    if (event.cache < 0 && access.word >= part_.gm_count && over(readers_[at(access.word)])) {
      state[memory_ + at(access.word)] = 0;
    }
  }
  if (event.cache < 0) return;
  const std::size_t cache = at(event.cache);
  if (event.kind == EventKind::refresh || event.kind == EventKind::flush) {
    drop_line(state, cache);
  } else {
    forget_line(state, cache);
  }
}

void RacySearch::drop_line(State& state, std::size_t cache) const {
  std::fill_n(state.begin() + static_cast<std::ptrdiff_t>(cache_[cache]), 1 + line_size(cache),
              char16_t{0});
}

/// A clean line that is not used any more before its refresh.
void RacySearch::forget_line(State& state, std::size_t cache) const {
  if (state[cache_[cache]] != held) return;
  bool any_store = false;
  const std::size_t next = next_access(state, cache, any_store);
  const bool used = next != SIZE_MAX && (part_.events[next].kind == EventKind::load ||
                                         part_.events[next].kind == EventKind::store);
  if (!used) drop_line(state, cache);
}

// How it is told.

void RacySearch::describe(const State& before, SearchMove& move) const {
  if (move.kind == SearchMove::Kind::write_back || move.kind == SearchMove::Kind::fetch) return;
  const RacyEvent& event = part_.events[at(move.number)];
  const bool anew = move.kind == SearchMove::Kind::refetch;
  if (event.cache >= 0 && event.kind != EventKind::land) {
    move.fetched = before[cache_[at(event.cache)]] == absent;
    move.was_dirty = before[cache_[at(event.cache)]] == dirty;
  }
  for (const WordAccess& access : event.accesses) {
    const bool writes = event.kind == EventKind::write || event.kind == EventKind::store;
    std::size_t from = memory_ + at(access.word);
    if (event.kind == EventKind::load) {
      const std::size_t cache = at(event.cache);
      from = anew || move.fetched ? memory_ + at(part_.caches[cache].words[at(access.word)])
                                  : cache_[cache] + 1 + at(access.word);
    }
    move.values.push_back(
        writes ? evaluate(access.formula, [&](const Source& s) { return value(before, s); })
               : values_[before[from]]);
  }
}

std::vector<SearchMove> RacySearch::way_to(const std::vector<std::uint32_t>& tuple,
                                           std::vector<std::uint32_t>* start) const {
  std::vector<SearchMove> way;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const State& state = *states_[s];
    if (!all_done(state)) continue;
    bool same = true;
    for (std::size_t w = 0; w < at(part_.gm_count); ++w) {
      same = same && (anything_[w] != 0 || values_[state[memory_ + w]] == tuple[w]);
    }
    if (!same) continue;
    std::int32_t here = static_cast<std::int32_t>(s);
    for (; origins_[at(here)].from >= 0; here = origins_[at(here)].from) {
      way.push_back(origins_[at(here)].move);
      describe(*states_[at(origins_[at(here)].from)], way.back());
    }
    if (start != nullptr) {
      start->clear();
      for (std::size_t w = 0; w < part_.words.size(); ++w) {
        start->push_back(values_[(*states_[at(here)])[memory_ + w]]);
      }
    }
    std::reverse(way.begin(), way.end());
    break;
  }
  return way;
}

}  // namespace skcts::model
