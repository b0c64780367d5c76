// The walk: states are numbered as they are found and expanded in that order.
#include "reference_model/explorer/search.h"

#include <algorithm>
#include <bit>

namespace skcts::explorer {

void Search::note_trace(std::uint32_t parent, Transition t) {
  if (traces_.size() == traces_.capacity()) {
    trace_claim_.add((traces_.size() + 1) * sizeof(Trace));
  }
  traces_.push_back({parent, t});
}

void Search::start(const Word* front) {
  scratch_.assign(machine_.state_words(), 0);
  const std::size_t memory = front_words_ - machine_.actors_words();
  std::copy_n(front, memory, scratch_.begin());
  std::copy_n(front + memory, machine_.actors_words(),
              scratch_.begin() + static_cast<std::ptrdiff_t>(machine_.actors_first()));
  machine_.start(scratch_.data());
  run_ahead();
  std::vector<Word> numbers(states_.parts());
  states_.pack(scratch_.data(), numbers.data());
  if (states_.narrow()) states_.widen();
  std::vector<KeyWord> key(states_.key_words());
  states_.make_key(numbers.data(), key.data());
  const auto [place, fresh] = states_.whole().insert(key.data());
  if (fresh && tally_.traced) note_trace(place, {});
}

void Search::run_ahead() {
  if (tally_.reduction != Reduction::full || tally_.traced) return;
  Transition only;
  while (tally_.budget.within() && stubborn_.single(scratch_.data(), only)) {
    machine_.apply(scratch_.data(), only, -1);
    ++tally_.transitions;
  }
}

namespace {

constexpr std::size_t near_states = 32'768;  ///< So many states do not wait for memory.

}  // namespace

void Search::widen_keys() {
  insert_all();
  states_.widen();
  parent_key_.resize(states_.key_words());
  states_.make_key(parent_numbers_.data(), parent_key_.data());
  line_keys_.resize(line_length * states_.key_words());
}

template <class Change>
void Search::queue(std::uint32_t from, Transition t, const Change& change) {
  if (states_.narrow()) [[unlikely]]
    widen_keys();
  if (line_last_ - line_first_ == line_length) insert_first();
  ++tally_.transitions;
  const Store<KeyWord>& whole = states_.whole();
  const std::size_t at = line_last_ % line_length, words = whole.words();
  KeyWord* const key = line_keys_.data() + at * words;
  for (std::size_t w = 0; w < words; ++w) key[w] = parent_key_[w];
  change(key);
  if (whole.size() < near_states && line_first_ == line_last_) {  // It is in a cache anyway.
    if (states_.whole().insert(key).second && tally_.traced) note_trace(from, t);
    return;
  }
  Queued& last = line_[at];
  last.tag = whole.hash(key);
  last.from = from;
  last.transition = t;
  last.place = whole.first_place(last.tag);
  last.mask = whole.mask();
  whole.prefetch_slot(last.place);
  ++line_last_;
  // Half-way through the line its slot is here, and tells which state to fetch.
  if (line_last_ - line_first_ > line_length / 2) {
    Queued& middle = line_[(line_last_ - line_length / 2 - 1) % line_length];
    if (middle.mask == whole.mask()) {
      middle.place = whole.prefetch_state(middle.place, middle.tag);
    }
  }
}

void Search::enqueue(std::uint32_t from, Transition t) {
  run_ahead();
  states_.pack(scratch_.data(), parent_.data(), parent_numbers_.data(),
               alone_ ? static_cast<int>(t.core) : -1, numbers_.data());
  queue(from, t, [&](KeyWord* key) {
    for (std::size_t k = 0; k < states_.parts(); ++k) {
      states_.change(key, k, parent_numbers_[k], numbers_[k]);
    }
  });
}

void Search::enqueue(std::uint32_t from, const Hop& hop) {
  queue(from, hop.transition, [&](KeyWord* key) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(hop.count); ++k) {
      states_.change(key, hop.part[k], parent_numbers_[hop.part[k]], hop.number[k]);
    }
  });
}

void Search::insert_first() {
  const std::size_t at = line_first_ % line_length;
  Store<KeyWord>& whole = states_.whole();
  const Queued& first = line_[at];
  const bool there = first.mask == whole.mask();
  const auto [place, fresh] = whole.insert(line_keys_.data() + at * whole.words(), first.tag,
                                           there ? first.place : whole.first_place(first.tag));
  if (fresh && tally_.traced) note_trace(first.from, first.transition);
  ++line_first_;
}

void Search::insert_all() {
  while (line_first_ != line_last_) insert_first();
}

bool Search::take(std::uint32_t from, Transition t,
                  const std::function<bool(RuleId, std::uint32_t)>& on_error) {
  const std::size_t bytes = parent_.size() * sizeof(Word);
  std::memcpy(scratch_.data(), parent_.data(), bytes);
  Applied applied = machine_.apply(scratch_.data(), t, -1);
  unsigned choices = 1;
  if (applied == Applied::asks_double_set) choices = machine_.allowed_double_set();
  if (applied == Applied::asks_overflow) choices = machine_.allowed_overflow();
  if (applied == Applied::asks_slots) choices = machine_.allowed_slots();
  const bool asked = applied != Applied::done && applied != Applied::error;
  for (; choices != 0; choices &= choices - 1) {
    if (asked) {
      std::memcpy(scratch_.data(), parent_.data(), bytes);
      applied = machine_.apply(scratch_.data(), t, std::countr_zero(choices));
    }
    if (applied == Applied::error) {
      ++tally_.transitions;
      const RuleId rule = machine_.error_rule();
      if (rules_.insert(rule).second && !on_error(rule, from)) return false;
    } else {
      enqueue(from, t);
    }
  }
  return true;
}

bool Search::finish(std::uint32_t at) {
  std::memcpy(scratch_.data(), parent_.data(), parent_.size() * sizeof(Word));
  if (!machine_.flush(scratch_.data())) return false;  // Their order matters.
  const std::size_t memory = front_words_ - machine_.actors_words();
  front_.assign(scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(memory));
  const auto actors = scratch_.begin() + static_cast<std::ptrdiff_t>(machine_.actors_first());
  front_.insert(front_.end(), actors,
                actors + static_cast<std::ptrdiff_t>(machine_.actors_words()));
  machine_.append_residue(scratch_.data(), front_);
  if (finals_.insert(front_.data()).second) final_states_.push_back(at);
  return true;
}

/// Nothing that is left of the launch tells a step of an actor from one behind the launch, but for
/// lines that are written back at its end.
bool Search::expand_ended(std::uint32_t at,
                          const std::function<bool(RuleId, std::uint32_t)>& on_error) {
  const bool clean = !machine_.has_dirty(parent_.data());
  const bool flushed = finish(at);
  if (clean && !machine_.only_actors()) return true;
  moves_.clear();
  machine_.all_moves(parent_.data(), moves_);
  if (!flushed) machine_.last_moves(parent_.data(), moves_);
  for (const Transition t : moves_) {
    if (!tally_.budget.within()) return true;
    if (!take(at, t, on_error)) return false;
  }
  return true;
}

Search::End Search::end(std::uint32_t at,
                        const std::function<bool(const Word*, std::uint32_t)>& on_stall) {
  const Word* const s = parent_.data();
  if (!machine_.finished(s)) return on_stall(s, at) ? End::goes_on : End::stop;
  if (finish(at)) return machine_.lost_at_end() ? End::goes_on : End::over;
  moves_.clear();
  machine_.last_moves(s, moves_);
  return End::over;
}

bool Search::expand(std::uint32_t at,
                    const std::function<bool(const Word*, std::uint32_t)>& on_stall,
                    const std::function<bool(RuleId, std::uint32_t)>& on_error) {
  states_.unpack(parent_numbers_.data(), parent_.data());
  if (machine_.actors_go_on() && machine_.finished(parent_.data())) {
    return expand_ended(at, on_error);
  }
  moves_.clear();
  const std::size_t progress = tally_.reduction == Reduction::full
                                   ? stubborn_.moves(parent_.data(), moves_)
                                   : machine_.all_moves(parent_.data(), moves_);
  if (progress == 0) {
    std::vector<Transition> environment;
    environment.swap(moves_);
    const End how = end(at, on_stall);
    if (how == End::stop) return false;
    if (how == End::goes_on) moves_.swap(environment);
  }
  const std::size_t taken = std::min(progress, moves_.size());
  const bool may_end =
      taken > 0 && machine_.irregular() &&
      std::all_of(moves_.begin(), moves_.begin() + std::ptrdiff_t(taken),
                  [&](Transition t) { return machine_.may_never_come(parent_.data(), t); });
  if (may_end && !on_stall(parent_.data(), at)) return false;
  for (const Transition t : moves_) {
    if (!tally_.budget.within()) return true;
    if (!take(at, t, on_error)) return false;
  }
  return true;
}

bool Search::expand_known(std::uint32_t at,
                          const std::function<bool(const Word*, std::uint32_t)>& on_stall,
                          const std::function<bool(RuleId, std::uint32_t)>& on_error) {
  const auto visit = [&](const Hop& hop) { enqueue(at, hop); };
  if (known_->expand(parent_numbers_.data(), true, visit) == 0) {
    states_.unpack(parent_numbers_.data(), parent_.data());
    moves_.clear();
    const End how = end(at, on_stall);
    if (how == End::stop) return false;
    for (const Transition t : moves_) {
      if (!take(at, t, on_error)) return false;
    }
    if (how == End::over) return true;
  }
  if (known_->environment()) known_->expand(parent_numbers_.data(), false, visit);
  return true;
}

bool Search::run(const std::function<bool(const Word*, std::uint32_t)>& on_stall,
                 const std::function<bool(RuleId, std::uint32_t)>& on_error) {
  parent_.resize(machine_.state_words());
  scratch_.resize(machine_.state_words());
  alone_ = tally_.reduction == Reduction::none && !machine_.cores_meet();
  const bool told = !machine_.irregular() && !machine_.has_outside();
  if (tally_.reduction == Reduction::none && !tally_.traced && told) {
    known_.emplace(machine_, states_, tally_.budget);
  }
  line_keys_.resize(line_length * states_.key_words());
  parent_key_.resize(states_.key_words());
  parent_numbers_.resize(states_.parts());
  numbers_.resize(states_.parts());
  // A state that is walked through known steps costs its parts; any other is spelled out.
  const std::uint64_t looks = known_ ? states_.parts() : machine_.state_words() + machine_.looks();
  bool stopped = false;
  for (std::uint32_t at = 0; within(); ++at) {
    if (at == states_.size()) insert_all();
    if (at == states_.size()) break;
    tally_.budget.work(looks);
    std::copy_n(states_.key(at), states_.key_words(), parent_key_.begin());
    states_.numbers(parent_key_.data(), parent_numbers_.data());
    stopped = known_ ? !expand_known(at, on_stall, on_error) : !expand(at, on_stall, on_error);
    if (stopped) break;
  }
  tally_.states += states_.size();
  return !stopped && tally_.budget.within();
}

std::vector<std::string> Search::steps_to(std::uint32_t state, std::uint32_t& start) const {
  std::vector<std::string> steps;
  std::vector<Word> s(machine_.state_words()), numbers(states_.parts());
  while (traces_[state].parent != state) {
    const Trace& trace = traces_[state];
    states_.numbers(states_.key(trace.parent), numbers.data());
    states_.unpack(numbers.data(), s.data());
    steps.push_back(machine_.describe(s.data(), trace.transition));
    state = trace.parent;
  }
  std::ranges::reverse(steps);
  start = state;
  return steps;
}

}  // namespace skcts::explorer
