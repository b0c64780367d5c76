// Waits that hold one pipe (3510): what a pipe knows by itself, and who hears of it.
//
// Such a wait is issued long before it is over; what it brings is known to what follows on its
// pipe, and to others through events, barriers and whatever drains the pipe. It is looked up when
// the wait is issued. If the raises that it needs are not known then, for they may come after later
// steps of this core, nothing is taken and knows_pipes() says so.
#include <algorithm>
#include <functional>

#include "reference_model/order.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

std::size_t Order::both(std::size_t row, std::size_t other) {
  if (row == 0 || row == other) return other;
  if (other == 0) return row;
  const auto covers = [&](std::size_t more, std::size_t less) {
    return std::equal(rows_.begin() + static_cast<std::ptrdiff_t>(less),
                      rows_.begin() + static_cast<std::ptrdiff_t>(less + width_),
                      rows_.begin() + static_cast<std::ptrdiff_t>(more), std::less_equal<>());
  };
  if (covers(row, other)) return row;
  if (covers(other, row)) return other;
  const std::size_t made = new_row();
  add_row(made, row);
  add_row(made, other);
  return made;
}

void Order::wait_on_pipe(std::int32_t thread, std::size_t pipe, std::int32_t flat) {
  ThreadState& state = threads_[at(thread)];
  state.waits_on_pipes = true;
  if (stall_->counters.empty()) return;
  const Place place = wait_place_[at(flat)];
  const Counter& counter = stall_->counters[at(place.counter)];
  bool known = chain_[at(place.counter)] != 0;
  std::size_t row = 0;
  for (std::int32_t f = 0; known && f < counter.feeder_count; ++f) {
    const Feeder& feeder = stall_->feeders[at(counter.first_feeder + f)];
    if (place.turn >= feeder.increments) continue;
    for (std::int32_t s = 0; known && s < feeder.count; ++s) {
      const RaiseStream& stream = stall_->streams[at(stall_->feeder_streams[at(feeder.first + s)])];
      if (place.turn >= stream.count) continue;
      const std::int32_t raise = stall_->raise_steps[at(stream.first + place.turn)];
      // Its own thread is at work: an earlier step of it is known, a later one cannot be.
      const bool own = records_[at(raise)].thread == thread;
      known = own ? executed(raise) : reach(raise);
    }
    if (known) row = both(row, increment_row(counter.first_feeder + f, place.turn));
  }
  if (!known) {
    knows_pipes_ = false;
    return;
  }
  state.pipe_row[pipe] = both(state.pipe_row[pipe], row);
  const std::array<std::int32_t, slots>& agents = agents_[at(thread)];
  for (std::size_t slot = 0; slot < slots; ++slot) {
    std::int32_t& count = state.clock[pipe][slot];
    count = std::max(count, rows_[row + at(agents[slot])]);
  }
}

/// What a step hears of other pipes of its core: through its event, or because it drains them.
void Order::meet_pipes(std::int32_t thread, std::size_t pipe, const Step& step, std::int32_t flat) {
  ThreadState& state = threads_[at(thread)];
  std::size_t heard = 0;
  if (step.kind == StepKind::wait_event) {
    const std::int32_t set = stall_->partner[at(flat)];
    if (set >= 0 && set < flat) heard = records_[at(set)].row;
  } else if (step.kind == StepKind::barrier && pipe == 0) {
    heard = row_of_all(state);
  }
  if (heard != 0 && heard != state.row) {
    if (pipe == 0) {
      learn(thread, heard, 0);
    } else {
      state.pipe_row[pipe] = both(state.pipe_row[pipe], heard);
    }
  }
  // So that the steps that follow on the pipe share a row.
  if (state.pipe_row[pipe] != 0) state.pipe_row[pipe] = both(state.pipe_row[pipe], state.row);
}

std::size_t Order::row_of_pipe(const ThreadState& thread, std::size_t pipe) {
  return both(thread.pipe_row[pipe], thread.row);
}

std::size_t Order::row_of_all(const ThreadState& thread) {
  std::size_t row = thread.row;
  for (const std::size_t own : thread.pipe_row) row = both(own, row);
  return row;
}

}  // namespace skcts::model
