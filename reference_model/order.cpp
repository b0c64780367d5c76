#include "reference_model/order.h"

#include <algorithm>

#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr std::size_t no_row = SIZE_MAX;
constexpr std::size_t lanes = 8;

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

template <class Counts>
void take_max(Counts& to, const Counts& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

bool blocks_issue(const Step& step) {
  if (step.kind == StepKind::wait) return step.pipe == Pipe::s;
  return step.kind == StepKind::pass || step.kind == StepKind::poll;
}

/// The pipe whose place in line a step takes. PIPE_ALL steps stand with the scalar unit.
std::size_t pipe_of(const Step& step) {
  switch (step.kind) {
    case StepKind::data:
    case StepKind::set_event:
    case StepKind::wait_event:
    case StepKind::wait:
    case StepKind::barrier:
    case StepKind::raise:
    case StepKind::arrive:
      return step.pipe == Pipe::all ? static_cast<std::size_t>(Pipe::s)
                                    : static_cast<std::size_t>(step.pipe);
    default: return static_cast<std::size_t>(Pipe::s);
  }
}

bool lands(const Step& step, const LaunchProgram& program) {
  return step.kind == StepKind::arrive && lands_at(program.joins[at(step.join)].kind);
}

}  // namespace

const Step& Order::step_at(std::int32_t flat) const {
  const std::int32_t thread = records_[at(flat)].thread;
  return program_->threads[at(thread)].steps[at(flat - stall_->first_step[at(thread)])];
}

void Order::build(const LaunchProgram& program, const StallResult& stall) {
  program_ = &program;
  stall_ = &stall;
  exact_ = true;
  knows_pipes_ = true;
  runs_.clear();
  number_agents();
  index_waits();
  rows_.assign(width_, 0);  // the row of those who know nothing
  for (const std::int32_t flat : stall.linear) {
    if ((notes_[at(flat)] & note_blocks) == 0) continue;
    advance(records_[at(flat)].thread, flat);
    block(flat);
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    advance(static_cast<std::int32_t>(t), threads_[t].end);
  }
}

/// One look at every step: who takes part, which steps matter, who arrives where.
void Order::number_agents() {
  const std::size_t count = program_->threads.size();
  const std::size_t steps = at(stall_->first_step[count]);
  if (records_.size() < steps) records_.resize(steps);
  notes_.resize(steps);
  agents_.assign(count, {});
  threads_.assign(count, ThreadState());
  arrivals_.clear();
  joins_.assign(program_->joins.size(), JoinState());
  std::int32_t next = 1;  // agent 0 is nobody: it never does anything
  for (std::size_t t = 0; t < count; ++t) {
    unsigned used = 1u;
    std::int32_t flat = stall_->first_step[t];
    threads_[t].next = flat;
    for (const Step& step : program_->threads[t].steps) {
      Record& record = records_[at(flat)];
      record.thread = static_cast<std::int32_t>(t);
      record.position = never;
      record.landing = -1;
      std::uint8_t note = 0;
      if (stall_->executed[at(flat)] != 0) {
        const std::size_t pipe = pipe_of(step);
        used |= 1u << pipe;
        note = static_cast<std::uint8_t>(pipe | note_executed);
        if (blocks_issue(step)) note |= note_blocks;
        if (step.kind == StepKind::arrive) {
          JoinState& join = joins_[at(step.join)];
          const bool again =
              join.last >= 0 && records_[at(arrivals_[at(join.last)].flat)].thread == record.thread;
          if (!again) {
            arrivals_.push_back({flat, join.last});
            join.last = static_cast<std::int32_t>(arrivals_.size() - 1);
            ++join.count;
          }
          if (lands(step, *program_)) used |= 1u << landing_slot;
        }
      } else {
        record = Record();
        record.thread = static_cast<std::int32_t>(t);
      }
      notes_[at(flat)] = note;
      ++flat;
    }
    threads_[t].end = flat;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if ((used >> slot & 1u) != 0) agents_[t][slot] = next++;
    }
  }
  width_ = (at(next) + lanes - 1) / lanes * lanes;
}

void Order::index_waits() {
  if (stall_->counters.empty()) return;
  const std::size_t steps = notes_.size();
  if (wait_place_.size() < steps) wait_place_.resize(steps);
  chain_.assign(stall_->counters.size(), 0);
  bool all_chains = true;
  for (std::size_t c = 0; c < stall_->counters.size(); ++c) {
    const Counter& counter = stall_->counters[c];
    chain_[c] = is_chain(counter) ? 1 : 0;
    all_chains = all_chains && chain_[c] != 0;
    for (std::int32_t k = 0; k < counter.wait_count; ++k) {
      wait_place_[at(stall_->wait_steps[at(counter.first_wait + k)])] = {
          static_cast<std::int32_t>(c), k};
    }
  }
  first_increment_.assign(stall_->feeders.size(), 0);
  std::int32_t total = 0;
  for (std::size_t f = 0; f < stall_->feeders.size(); ++f) {
    first_increment_[f] = total;
    total += stall_->feeders[f].increments;
  }
  increment_rows_.assign(at(total), no_row);
  if (all_chains) return;
  linear_place_.assign(steps, never);
  for (std::size_t i = 0; i < stall_->linear.size(); ++i) {
    linear_place_[at(stall_->linear[i])] = static_cast<std::int32_t>(i);
  }
}

/// Are the increments of the counter totally ordered by who makes them: one feeder, and each of its
/// cores raises from one pipe, or in program order from several?
bool Order::is_chain(const Counter& counter) const {
  std::int32_t giving = 0;
  for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
    const Feeder& feeder = stall_->feeders[at(counter.first_feeder + f)];
    if (feeder.increments == 0) continue;
    if (++giving > 1) return false;
    if (program_->raises_in_order) continue;
    for (std::int32_t s = 0; s < feeder.count; ++s) {
      const RaiseStream& stream = stall_->streams[at(stall_->feeder_streams[at(feeder.first + s)])];
      for (std::int32_t n = 1; n < stream.count; ++n) {
        if (step_at(stall_->raise_steps[at(stream.first + n)]).pipe !=
            step_at(stall_->raise_steps[at(stream.first)]).pipe) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Issues steps of a thread up to `last`, but not past one that blocks.
void Order::advance(std::int32_t thread, std::int32_t last) {
  ThreadState& state = threads_[at(thread)];
  const std::int32_t first = state.next;
  if (first >= last) return;
  state.next = state.end;  // whoever asks for its steps meanwhile does not get them
  const Step* step =
      program_->threads[at(thread)].steps.data() - stall_->first_step[at(thread)] + first;
  std::int32_t flat = first;
  std::int32_t start = first;
  for (; flat < last; ++flat, ++step) {
    const std::uint8_t note = notes_[at(flat)];
    if ((note & note_blocks) != 0) break;
    if (step->kind == StepKind::wait && flat > start) {
      // Steps of others that this wait of a pipe needs come between.
      runs_.push_back({thread, start, flat});
      start = flat;
    }
    if ((note & note_executed) != 0) issue(thread, state, *step, flat);
  }
  state.next = flat;
  if (flat > start) runs_.push_back({thread, start, flat});
}

void Order::issue(std::int32_t number, ThreadState& thread, const Step& step, std::int32_t flat) {
  Record& record = records_[at(flat)];
  const std::size_t pipe = notes_[at(flat)] & note_pipe;
  Counts& scalar = thread.clock[0];
  Counts& clock = thread.clock[pipe];
  if (pipe != 0) {
    // The scalar unit's knowledge beyond its own steps changes rarely.
    if (thread.taken[pipe] == thread.learnt) {
      clock[0] = scalar[0];
    } else {
      take_max(clock, scalar);
      thread.taken[pipe] = thread.learnt;
    }
  }
  const std::int32_t position = thread.count[pipe]++;
  if (step.kind == StepKind::wait && pipe != 0) wait_on_pipe(number, pipe, flat);
  if (thread.waits_on_pipes) meet_pipes(number, pipe, step, flat);
  record.row = thread.waits_on_pipes ? row_of_pipe(thread, pipe) : thread.row;
  record.position = position;
  record.agent = agents_[at(number)][pipe];
  record.pipe = static_cast<std::int32_t>(pipe);
  switch (step.kind) {
    case StepKind::wait:
      record.own = clock;
      if (pipe != 0) clock[pipe] = position + 1;
      break;
    case StepKind::wait_event: {
      const std::int32_t set = stall_->partner[at(flat)];
      // A set issued later than its wait breaks PIPE-4: nothing is known of it.
      if (set >= 0 && set < flat) {
        take_max(clock, records_[at(set)].own);
        if (pipe == 0) ++thread.learnt;
      }
      record.own = clock;
      // What follows in the pipe starts after the wait is over.
      if (pipe != 0 && clock[pipe] == position) clock[pipe] = position + 1;
      break;
    }
    case StepKind::barrier:
      if (pipe != 0) {
        clock[pipe] = position;
      } else {
        know_all(thread, clock);
        ++thread.learnt;
      }
      record.own = clock;
      break;
    case StepKind::set_event:
      record.own = clock;
      record.own[pipe] = position;
      break;
    case StepKind::raise:
      record.own = clock;
      record.own[pipe] = position;
      if (!program_->raises_in_order) break;
      take_max(record.own, thread.raised);
      thread.raised = record.own;
      break;
    case StepKind::arrive:
      record.own = clock;
      if (step.in_turn_only) break;
      record.own[pipe] = position;
      if (step.pipe == Pipe::all) {
        know_all(thread, record.own);
        if (thread.waits_on_pipes) record.row = row_of_all(thread);
      }
      if (lands(step, *program_)) record.landing = thread.landings++;
      break;
    default: record.own = clock; break;
  }
  if (pipe == 0) scalar[0] = position + 1;
}

/// All earlier work of all pipes of the thread.
void Order::know_all(const ThreadState& thread, Counts& counts) {
  for (std::size_t p = 1; p < landing_slot; ++p) {
    if (thread.count[p] == 0) continue;
    take_max(counts, thread.clock[p]);
    counts[p] = thread.count[p];
  }
}

/// A step that blocks: what its thread learns, then its issue.
void Order::block(std::int32_t flat) {
  const std::int32_t thread = records_[at(flat)].thread;
  ThreadState& state = threads_[at(thread)];
  SKCTS_CHECK(state.next == flat, "step {} of thread {} out of order", flat, thread);
  const Step& step = step_at(flat);
  switch (step.kind) {
    case StepKind::wait: wait(flat); break;
    case StepKind::pass: pass(flat, step); break;
    default: poll(flat); break;
  }
  issue(thread, state, step, flat);
  ++state.next;
  runs_.push_back({thread, flat, flat + 1});
}

/// Makes sure that an executed step has been issued; false if it cannot be yet.
bool Order::reach(std::int32_t flat) {
  const std::int32_t thread = records_[at(flat)].thread;
  advance(thread, flat + 1);
  return executed(flat);
}

std::size_t Order::new_row() {
  const std::size_t row = rows_.size();
  rows_.resize(row + width_);
  return row;
}

void Order::add_row(std::size_t row, std::size_t other) {
  if (other == 0 || other == row) return;
  std::int32_t* to = rows_.data() + row;
  const std::int32_t* from = rows_.data() + other;
  for (std::size_t i = 0; i < width_; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) to[i + j] = std::max(to[i + j], from[i + j]);
  }
}

void Order::add_step(std::size_t row, std::int32_t flat) {
  const Record& record = records_[at(flat)];
  const std::array<std::int32_t, slots>& agents = agents_[at(record.thread)];
  for (std::size_t slot = 0; slot < slots; ++slot) {
    if (agents[slot] == 0) continue;
    std::int32_t& entry = rows_[row + at(agents[slot])];
    entry = std::max(entry, record.own[slot]);
  }
}

/// The thread knows what the row says from here on. `includes`: a row that this one was made from.
void Order::learn(std::int32_t thread, std::size_t row, std::size_t includes) {
  ThreadState& state = threads_[at(thread)];
  if (state.row != row && state.row != 0 && state.row != includes) {
    const std::int32_t* old = rows_.data() + state.row;
    const std::int32_t* fresh = rows_.data() + row;
    bool covered = true;
    for (std::size_t i = 0; i < width_ && covered; ++i) covered = old[i] <= fresh[i];
    if (!covered) {
      const std::size_t both = new_row();
      add_row(both, row);
      add_row(both, state.row);
      row = both;
    }
  }
  state.row = row;
  const std::array<std::int32_t, slots>& agents = agents_[at(thread)];
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::int32_t known = rows_[row + at(agents[slot])];
    state.clock[0][slot] = std::max(state.clock[0][slot], known);
  }
  ++state.learnt;
}

void Order::pass(std::int32_t flat, const Step& step) {
  JoinState& join = joins_[at(step.join)];
  if (join.row == no_row) {
    join.row = new_row();
    const std::vector<std::int32_t>& members = program_->joins[at(step.join)].members;
    const bool only_members = at(join.count) == members.size();
    for (std::int32_t a = join.last; a >= 0; a = arrivals_[at(a)].next) {
      const std::int32_t arrival = arrivals_[at(a)].flat;
      const std::int32_t thread = records_[at(arrival)].thread;
      if (!only_members && std::find(members.begin(), members.end(), thread) == members.end()) {
        continue;
      }
      if (!reach(arrival)) continue;
      const Record& record = records_[at(arrival)];
      if (record.row != join.includes) add_row(join.row, join.includes = record.row);
      add_step(join.row, arrival);
      if (record.landing >= 0) {
        std::int32_t& entry = rows_[join.row + at(agents_[at(thread)][landing_slot])];
        entry = std::max(entry, record.landing + 1);
      }
    }
  }
  learn(records_[at(flat)].thread, join.row, join.includes);
}

/// The joined clocks of the raises behind one increment of a feeder.
std::size_t Order::increment_row(std::int32_t feeder, std::int32_t turn) {
  const Feeder& source = stall_->feeders[at(feeder)];
  std::size_t& known = increment_rows_[at(first_increment_[at(feeder)] + turn)];
  if (known != no_row) return known;
  const std::size_t row = new_row();
  std::size_t last = 0;
  for (std::int32_t s = 0; s < source.count; ++s) {
    const RaiseStream& stream = stall_->streams[at(stall_->feeder_streams[at(source.first + s)])];
    if (turn >= stream.count) continue;
    const std::int32_t raise = stall_->raise_steps[at(stream.first + turn)];
    if (!reach(raise)) continue;
    if (records_[at(raise)].row != last) add_row(row, last = records_[at(raise)].row);
    add_step(row, raise);
  }
  known = row;
  return row;
}

void Order::wait(std::int32_t flat) {
  if (stall_->counters.empty()) return;
  const Place place = wait_place_[at(flat)];
  const Counter& counter = stall_->counters[at(place.counter)];
  if (chain_[at(place.counter)] == 0) return wait_for_many(flat, counter, place.turn);
  for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
    const std::int32_t feeder = counter.first_feeder + f;
    if (place.turn < stall_->feeders[at(feeder)].increments) {
      learn(records_[at(flat)].thread, increment_row(feeder, place.turn), 0);
    }
  }
}

}  // namespace skcts::model
