// The walk: states are numbered as they are found and expanded in that order.
#include "reference_model/explorer/search.h"

#include <algorithm>
#include <bit>

namespace skcts::explorer {

void Search::start(const Word* front) {
  scratch_.assign(machine_.state_words(), 0);
  std::copy_n(front, front_words_, scratch_.begin());
  machine_.start(scratch_.data());
  run_ahead();
  std::vector<Word> numbers(states_.parts());
  states_.pack(scratch_.data(), numbers.data());
  const auto [place, fresh] =
      states_.whole().insert(numbers.data(), States::tag(states_.sum(numbers.data())));
  if (fresh && tally_.traced) traces_.push_back({place, {}});
}

void Search::run_ahead() {
  if (tally_.reduction != Reduction::full || tally_.traced) return;
  Transition only;
  while (stubborn_.single(scratch_.data(), only)) {
    machine_.apply(scratch_.data(), only, -1);
    ++tally_.transitions;
  }
}

void Search::enqueue(std::uint32_t from, Transition t) {
  run_ahead();
  if (line_last_ - line_first_ == line_length) insert_first();
  Word* const numbers = line_numbers_.data() + line_last_ % line_length * states_.parts();
  states_.pack(scratch_.data(), parent_.data(), parent_numbers_.data(),
               alone_ ? static_cast<int>(t.core) : -1, numbers);
  push_line(from, t, states_.sum(numbers));
}

void Search::enqueue(std::uint32_t from, const Hop& hop) {
  if (line_last_ - line_first_ == line_length) insert_first();
  Word* const numbers = line_numbers_.data() + line_last_ % line_length * states_.parts();
  std::copy_n(parent_numbers_.data(), states_.parts(), numbers);
  std::uint64_t sum = parent_sum_;
  for (std::size_t k = 0; k < static_cast<std::size_t>(hop.count); ++k) {
    const std::size_t part = hop.part[k];
    sum += States::term(part, hop.number[k]) - States::term(part, numbers[part]);
    numbers[part] = hop.number[k];
  }
  push_line(from, hop.transition, sum);
}

void Search::push_line(std::uint32_t from, Transition t, std::uint64_t sum) {
  ++tally_.transitions;
  line_[line_last_ % line_length] = {States::tag(sum), from, t};
  Store& whole = states_.whole();
  whole.prefetch_slot(States::tag(sum));
  ++line_last_;
  // Half-way through the line its slot is here, and tells which state to fetch.
  if (line_last_ - line_first_ > line_length / 2) {
    whole.prefetch_state(line_[(line_last_ - line_length / 2 - 1) % line_length].hash);
  }
}

void Search::insert_first() {
  const std::size_t at = line_first_ % line_length;
  const auto [place, fresh] =
      states_.whole().insert(line_numbers_.data() + at * states_.parts(), line_[at].hash);
  if (fresh && tally_.traced) traces_.push_back({line_[at].from, line_[at].transition});
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
  if (finals_.insert(scratch_.data()).second) final_states_.push_back(at);
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
    if (!take(at, t, on_error)) return false;
  }
  return true;
}

bool Search::expand_known(std::uint32_t at,
                          const std::function<bool(const Word*, std::uint32_t)>& on_stall,
                          const std::function<bool(RuleId, std::uint32_t)>& on_error) {
  parent_sum_ = states_.sum(parent_numbers_.data());
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
  known_->expand(parent_numbers_.data(), false, visit);
  return true;
}

bool Search::run(const std::function<bool(const Word*, std::uint32_t)>& on_stall,
                 const std::function<bool(RuleId, std::uint32_t)>& on_error) {
  parent_.resize(machine_.state_words());
  scratch_.resize(machine_.state_words());
  alone_ = tally_.reduction == Reduction::none && !machine_.cores_meet();
  if (tally_.reduction == Reduction::none && !tally_.traced && !machine_.irregular()) {
    known_.emplace(machine_, states_);
  }
  line_numbers_.resize(line_length * states_.parts());
  parent_numbers_.resize(states_.parts());
  for (std::uint32_t at = 0;; ++at) {
    if (at == states_.size()) insert_all();
    if (at == states_.size()) break;
    if ((at & 1023U) == 0) {
      const std::uint64_t held = tally_.held_bytes + bytes();
      tally_.peak_bytes = std::max(tally_.peak_bytes, held);
      if (tally_.states + states_.size() > tally_.limits.max_states) {
        tally_.why = fmt::format("more than {} states", tally_.limits.max_states);
      } else if (held > tally_.limits.max_bytes) {
        tally_.why = fmt::format("more than {} bytes", tally_.limits.max_bytes);
      }
      if (!tally_.why.empty()) break;
    }
    std::copy_n(states_.numbers(at), states_.parts(), parent_numbers_.begin());
    if (known_ ? !expand_known(at, on_stall, on_error) : !expand(at, on_stall, on_error)) {
      stopped_ = true;
      break;
    }
  }
  tally_.states += states_.size();
  tally_.peak_bytes = std::max(tally_.peak_bytes, tally_.held_bytes + bytes());
  return tally_.why.empty() && !stopped_;
}

std::vector<std::string> Search::steps_to(std::uint32_t state, std::uint32_t& start) const {
  std::vector<std::string> steps;
  std::vector<Word> s(machine_.state_words());
  while (traces_[state].parent != state) {
    const Trace& trace = traces_[state];
    states_.unpack(states_.numbers(trace.parent), s.data());
    steps.push_back(machine_.describe(s.data(), trace.transition));
    state = trace.parent;
  }
  std::ranges::reverse(steps);
  start = state;
  return steps;
}

}  // namespace skcts::explorer
