#include "reference_model/order.h"

#include <algorithm>

#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr std::size_t no_row = SIZE_MAX;
constexpr std::size_t lanes = 8;
constexpr std::int64_t block_words = 8;

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

template <class Counts>
void take_max(Counts& to, const Counts& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

bool blocks_issue(StepKind kind) {
  return kind == StepKind::wait || kind == StepKind::pass || kind == StepKind::poll;
}

/// The pipe whose place in line a step takes. PIPE_ALL steps stand with the scalar unit.
std::size_t pipe_of(const Step& step) {
  switch (step.kind) {
    case StepKind::data:
    case StepKind::set_event:
    case StepKind::wait_event:
    case StepKind::barrier:
    case StepKind::raise:
    case StepKind::arrive:
      return step.pipe == Pipe::all ? static_cast<std::size_t>(Pipe::s)
                                    : static_cast<std::size_t>(step.pipe);
    default: return static_cast<std::size_t>(Pipe::s);
  }
}

bool lands(const Step& step, const LaunchProgram& program) {
  return step.kind == StepKind::arrive && program.joins[at(step.join)].kind == JoinKind::boundary;
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
  runs_.clear();
  number_agents();
  index_joins_and_waits();
  rows_.assign(width_, 0);  // the row of those who know nothing
  for (const std::int32_t flat : stall.linear) {
    if (!blocks_issue(step_at(flat).kind)) continue;
    advance(records_[at(flat)].thread, flat);
    block(flat);
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    advance(static_cast<std::int32_t>(t), threads_[t].end);
  }
}

void Order::number_agents() {
  const std::size_t count = program_->threads.size();
  records_.assign(at(stall_->first_step[count]), Record());
  agents_.assign(count, {});
  threads_.assign(count, ThreadState());
  arrivals_.clear();
  std::int32_t next = 1;  // agent 0 is nobody: it never does anything
  for (std::size_t t = 0; t < count; ++t) {
    unsigned used = 1u;
    std::int32_t flat = stall_->first_step[t];
    threads_[t].next = flat;
    for (const Step& step : program_->threads[t].steps) {
      records_[at(flat)].thread = static_cast<std::int32_t>(t);
      if (stall_->executed[at(flat)] != 0) {
        used |= 1u << pipe_of(step);
        if (step.kind == StepKind::arrive) {
          arrivals_.push_back(flat);
          if (lands(step, *program_)) used |= 1u << landing_slot;
        }
      }
      ++flat;
    }
    threads_[t].end = flat;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      if ((used >> slot & 1u) != 0) agents_[t][slot] = next++;
    }
  }
  width_ = (at(next) + lanes - 1) / lanes * lanes;
}

void Order::index_joins_and_waits() {
  // Arrivals by join: count, then place.
  const std::size_t joins = program_->joins.size();
  first_arrival_.assign(joins + 1, 0);
  for (const std::int32_t flat : arrivals_) ++first_arrival_[at(step_at(flat).join) + 1];
  for (std::size_t j = 0; j < joins; ++j) first_arrival_[j + 1] += first_arrival_[j];
  arrival_place_.assign(records_.size(), -1);
  arrival_landing_.assign(arrivals_.size(), -1);
  const std::vector<std::int32_t> unsorted = arrivals_;
  for (const std::int32_t flat : unsorted) {
    std::int32_t& place = first_arrival_[at(step_at(flat).join)];
    arrivals_[at(place)] = flat;
    arrival_place_[at(flat)] = place++;
  }
  for (std::size_t j = joins; j > 0; --j) first_arrival_[j] = first_arrival_[j - 1];
  if (joins > 0) first_arrival_[0] = 0;
  join_row_.assign(joins, no_row);

  wait_place_.assign(records_.size(), Place());
  chain_.assign(stall_->counters.size(), 0);
  for (std::size_t c = 0; c < stall_->counters.size(); ++c) {
    const Counter& counter = stall_->counters[c];
    chain_[c] = is_chain(counter) ? 1 : 0;
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
  linear_place_.assign(records_.size(), never);
  for (std::size_t i = 0; i < stall_->linear.size(); ++i) {
    linear_place_[at(stall_->linear[i])] = static_cast<std::int32_t>(i);
  }
}

/// Are the increments of the counter totally ordered by who makes them: one feeder, and each of its
/// cores raises from one pipe?
bool Order::is_chain(const Counter& counter) const {
  std::int32_t giving = 0;
  for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
    const Feeder& feeder = stall_->feeders[at(counter.first_feeder + f)];
    if (feeder.increments == 0) continue;
    if (++giving > 1) return false;
    for (std::int32_t s = 0; s < feeder.count; ++s) {
      const RaiseStream& stream =
          stall_->streams[at(stall_->feeder_streams[at(feeder.first + s)])];
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
  const std::vector<Step>& steps = program_->threads[at(thread)].steps;
  const std::int32_t base = stall_->first_step[at(thread)];
  while (state.next < last) {
    const std::int32_t flat = state.next;
    if (stall_->executed[at(flat)] != 0) {
      if (blocks_issue(steps[at(flat - base)].kind)) break;
      issue(state, flat);
    }
    ++state.next;
  }
  if (state.next > first) runs_.push_back({thread, first, state.next});
}

void Order::issue(ThreadState& thread, std::int32_t flat) {
  const Step& step = step_at(flat);
  Record& record = records_[at(flat)];
  const std::size_t pipe = pipe_of(step);
  Counts& scalar = thread.clock[0];
  Counts& clock = thread.clock[pipe];
  if (pipe != 0) take_max(clock, scalar);
  switch (step.kind) {
    case StepKind::wait_event: {
      const std::int32_t set = stall_->partner[at(flat)];
      // A set issued later than its wait breaks PIPE-4: nothing is known of it.
      if (set >= 0 && set < flat) take_max(clock, records_[at(set)].own);
      break;
    }
    case StepKind::set_event:
    case StepKind::raise:
    case StepKind::barrier:
    case StepKind::arrive:
      if (step.pipe != Pipe::all) break;
      for (std::size_t p = 1; p + 1 < slots; ++p) {
        if (step.kind == StepKind::barrier) {
          take_max(scalar, thread.clock[p]);
          scalar[p] = thread.count[p];
        }
      }
      break;
    default: break;
  }
  record.own = clock;
  if (step.kind == StepKind::set_event || step.kind == StepKind::raise ||
      step.kind == StepKind::arrive || step.kind == StepKind::barrier) {
    record.own[pipe] = thread.count[pipe];
    if (step.kind == StepKind::barrier && pipe != 0) clock[pipe] = thread.count[pipe];
    if (step.kind == StepKind::arrive && step.pipe == Pipe::all) {
      for (std::size_t p = 1; p + 1 < slots; ++p) {
        take_max(record.own, thread.clock[p]);
        record.own[p] = thread.count[p];
      }
    }
  }
  record.row = thread.row;
  record.position = thread.count[pipe]++;
  record.agent = agents_[at(record.thread)][pipe];
  record.pipe = static_cast<std::int32_t>(pipe);
  // What follows in the pipe starts after the wait is over.
  if (step.kind == StepKind::wait_event && pipe != 0 && clock[pipe] == record.position) {
    clock[pipe] = thread.count[pipe];
  }
  if (pipe == 0) scalar[0] = thread.count[0];
  if (lands(step, *program_)) {
    arrival_landing_[at(arrival_place_[at(flat)])] = thread.landings++;
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
  issue(state, flat);
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
  rows_.resize(row + width_, 0);
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

/// The thread knows what the row says from here on.
void Order::learn(std::int32_t thread, std::size_t row) {
  ThreadState& state = threads_[at(thread)];
  if (state.row != row && state.row != 0) {
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
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const std::int32_t known = rows_[row + at(agents_[at(thread)][slot])];
    state.clock[0][slot] = std::max(state.clock[0][slot], known);
  }
}

void Order::pass(std::int32_t flat, const Step& step) {
  const std::size_t join = at(step.join);
  if (join_row_[join] == no_row) {
    const std::size_t row = new_row();
    std::size_t last = 0;
    for (std::int32_t a = first_arrival_[join]; a < first_arrival_[join + 1]; ++a) {
      const std::int32_t arrival = arrivals_[at(a)];
      if (linear_place_[at(arrival)] > linear_place_[at(flat)] || !reach(arrival)) continue;
      const Record& record = records_[at(arrival)];
      if (record.row != last) add_row(row, last = record.row);
      add_step(row, arrival);
      if (arrival_landing_[at(a)] >= 0) {
        std::int32_t& entry = rows_[row + at(agents_[at(record.thread)][landing_slot])];
        entry = std::max(entry, arrival_landing_[at(a)] + 1);
      }
    }
    join_row_[join] = row;
  }
  learn(records_[at(flat)].thread, join_row_[join]);
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
  const Place place = wait_place_[at(flat)];
  if (place.counter < 0) return;
  const Counter& counter = stall_->counters[at(place.counter)];
  if (chain_[at(place.counter)] == 0) return wait_for_many(flat, counter, place.turn);
  for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
    const std::int32_t feeder = counter.first_feeder + f;
    if (place.turn < stall_->feeders[at(feeder)].increments) {
      learn(records_[at(flat)].thread, increment_row(feeder, place.turn));
    }
  }
}

/// Can the raise happen only after the wait? First by the text alone: the waiting thread arrives,
/// after the wait, at a join that the raising thread passes before the raise. Else by everything
/// that has to happen before the raise.
bool Order::depends_on(std::int32_t raise, std::int32_t wait) const {
  const std::int32_t raiser = records_[at(raise)].thread;
  const std::int32_t waiter = records_[at(wait)].thread;
  if (raiser == waiter) return raise > wait;
  const std::vector<Step>& theirs = program_->threads[at(raiser)].steps;
  const std::vector<Step>& ours = program_->threads[at(waiter)].steps;
  const std::size_t raise_at = at(raise - stall_->first_step[at(raiser)]);
  int tried = 0;
  for (std::size_t i = at(wait - stall_->first_step[at(waiter)]) + 1; i < ours.size(); ++i) {
    if (ours[i].kind != StepKind::arrive) continue;
    for (std::size_t j = 0; j < raise_at; ++j) {
      if (theirs[j].kind == StepKind::pass && theirs[j].join == ours[i].join) return true;
    }
    if (++tried == 8) break;
  }
  return must_follow(raise, wait);
}

/// Collects, thread by thread, how far each must have come before the raise; true when that takes
/// the waiting thread beyond its wait. Waits with several feeders demand nothing here.
bool Order::must_follow(std::int32_t raise, std::int32_t wait) const {
  std::vector<std::int32_t> needed(threads_.size(), -1);  // a flat number: this step is needed
  std::vector<std::int32_t> done(threads_.size());        // looked at up to here
  for (std::size_t t = 0; t < threads_.size(); ++t) done[t] = stall_->first_step[t];
  std::vector<std::int32_t> work;
  const auto need = [&](std::int32_t flat) {
    const std::int32_t thread = records_[at(flat)].thread;
    if (needed[at(thread)] >= flat) return;
    needed[at(thread)] = flat;
    work.push_back(thread);
  };
  need(raise);
  const std::int32_t waiter = records_[at(wait)].thread;
  while (!work.empty()) {
    const std::int32_t thread = work.back();
    work.pop_back();
    for (std::int32_t& flat = done[at(thread)]; flat <= needed[at(thread)]; ++flat) {
      const Step& step = step_at(flat);
      if (step.kind == StepKind::pass) {
        for (std::int32_t a = first_arrival_[at(step.join)];
             a < first_arrival_[at(step.join) + 1]; ++a) {
          need(arrivals_[at(a)]);
        }
      } else if (step.kind == StepKind::wait) {
        const Place place = wait_place_[at(flat)];
        if (place.counter < 0 || chain_[at(place.counter)] == 0) continue;
        const Counter& counter = stall_->counters[at(place.counter)];
        for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
          const Feeder& feeder = stall_->feeders[at(counter.first_feeder + f)];
          for (std::int32_t s = 0; place.turn < feeder.increments && s < feeder.count; ++s) {
            const RaiseStream& stream =
                stall_->streams[at(stall_->feeder_streams[at(feeder.first + s)])];
            if (place.turn < stream.count) {
              need(stall_->raise_steps[at(stream.first + place.turn)]);
            }
          }
        }
      }
    }
    if (needed[at(waiter)] > wait) return true;
  }
  return false;
}

/// Raises that are not ordered among themselves: after k waits at least k of them have come, it is
/// not known which. Each count is the k-th smallest over all of them, which is the meet over all
/// ways (the way that takes the k smallest is the worst for that count).
void Order::wait_for_many(std::int32_t flat, const Counter& counter, std::int32_t turn) {
  struct Source {
    std::vector<std::size_t> rows;  ///< Of raises that may be among the first.
    std::int32_t unknown = 0;       ///< Raises that may be, too, but are not computed yet.
  };
  std::vector<std::vector<Source>> feeders;
  for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
    const Feeder& feeder = stall_->feeders[at(counter.first_feeder + f)];
    if (feeder.increments == 0) continue;
    std::vector<Source>& sources = feeders.emplace_back();
    for (std::int32_t s = 0; s < feeder.count; ++s) {
      const RaiseStream& stream =
          stall_->streams[at(stall_->feeder_streams[at(feeder.first + s)])];
      Source& source = sources.emplace_back();
      for (std::int32_t n = 0; n < stream.count; ++n) {
        const std::int32_t raise = stall_->raise_steps[at(stream.first + n)];
        if (stall_->executed[at(raise)] == 0) continue;
        if (linear_place_[at(raise)] < linear_place_[at(flat)] && reach(raise)) {
          const std::size_t row = new_row();
          add_row(row, records_[at(raise)].row);
          add_step(row, raise);
          source.rows.push_back(row);
        } else if (!depends_on(raise, flat)) {
          ++source.unknown;
          exact_ = false;
        }
      }
    }
  }
  const std::size_t row = new_row();
  std::vector<std::int32_t> all, one, joined;
  for (std::size_t agent = 1; agent < width_; ++agent) {
    all.clear();
    for (const std::vector<Source>& sources : feeders) {
      joined.clear();
      for (std::size_t s = 0; s < sources.size(); ++s) {
        one.assign(at(sources[s].unknown), 0);
        for (const std::size_t known : sources[s].rows) one.push_back(rows_[known + agent]);
        std::sort(one.begin(), one.end());
        if (s == 0) joined.assign(one.begin(), one.end());
        joined.resize(std::min(joined.size(), one.size()));
        for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = std::max(joined[i], one[i]);
      }
      all.insert(all.end(), joined.begin(), joined.end());
    }
    std::sort(all.begin(), all.end());
    if (at(turn) < all.size()) rows_[row + agent] = all[at(turn)];
  }
  learn(records_[at(flat)].thread, row);
}

std::int64_t Order::polled_block(const PollEdge& edge) const {
  return program_->ranges[at(step_at(edge.poll).reads_begin)].first / block_words;
}

bool Order::block_polled(std::int32_t a, std::int64_t word, std::int32_t b) const {
  const std::int64_t block = word / block_words;
  return std::any_of(stall_->poll_edges.begin(), stall_->poll_edges.end(),
                     [&](const PollEdge& edge) {
                       return edge.write == a && polled_block(edge) == block &&
                              (edge.poll == b || before(edge.poll, b));
                     });
}

/// Has the thread, up to and with this poll, seen a word of each block that the write writes?
bool Order::seen_whole(std::int32_t write, std::int32_t poll) const {
  const Step& step = step_at(write);
  const std::int32_t thread = records_[at(poll)].thread;
  for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
    const WordRange& range = program_->ranges[at(r)];
    const std::int64_t last = (range.first + range.count - 1) / block_words;
    for (std::int64_t block = range.first / block_words; block <= last; ++block) {
      const auto sees = [&](const PollEdge& edge) {
        return edge.write == write && edge.poll <= poll &&
               records_[at(edge.poll)].thread == thread && polled_block(edge) == block;
      };
      if (std::none_of(stall_->poll_edges.begin(), stall_->poll_edges.end(), sees)) return false;
    }
  }
  return true;
}

/// A poll knows what was known when the writes that it needs began. That the write is over it knows
/// of a single block, since a transfer moves whole blocks; of a longer one other blocks may still be
/// on their way (L-30), unless they have been polled, too.
void Order::poll(std::int32_t flat) {
  std::size_t row = no_row;
  for (const PollEdge& edge : stall_->poll_edges) {
    if (edge.poll != flat || !reach(edge.write)) continue;
    if (row == no_row) row = new_row();
    add_row(row, records_[at(edge.write)].row);
    add_step(row, edge.write);
    // A count says that the write is over only if all earlier steps of its pipe are.
    const Record& write = records_[at(edge.write)];
    if (write.own[at(write.pipe)] == write.position && seen_whole(edge.write, flat)) {
      std::int32_t& entry = rows_[row + at(write.agent)];
      entry = std::max(entry, write.position + 1);
    }
  }
  if (row != no_row) learn(records_[at(flat)].thread, row);
}

}  // namespace skcts::model
