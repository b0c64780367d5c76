// Order where it is not plain who releases a wait: counters with several feeders, polls.
#include <algorithm>

#include "reference_model/order.h"

namespace skcts::model {
namespace {

constexpr std::size_t no_row = SIZE_MAX;
constexpr std::int64_t block_words = 8;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

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
        for (std::int32_t a = joins_[at(step.join)].last; a >= 0; a = arrivals_[at(a)].next) {
          need(arrivals_[at(a)].flat);
        }
      } else if (step.kind == StepKind::wait && step.pipe == Pipe::s) {
        const Place place = wait_place_[at(flat)];
        if (chain_[at(place.counter)] == 0) continue;
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
      const RaiseStream& stream = stall_->streams[at(stall_->feeder_streams[at(feeder.first + s)])];
      Source& source = sources.emplace_back();
      std::array<std::size_t, slots> latest{};  // By pipe: the row of the last raise computed.
      for (std::int32_t n = 0; n < stream.count; ++n) {
        const std::int32_t raise = stall_->raise_steps[at(stream.first + n)];
        if (stall_->executed[at(raise)] == 0) continue;
        std::size_t& of_pipe = latest[static_cast<std::size_t>(step_at(raise).pipe)];
        if (linear_place_[at(raise)] < linear_place_[at(flat)] && reach(raise)) {
          const std::size_t row = new_row();
          add_row(row, records_[at(raise)].row);
          add_step(row, raise);
          source.rows.push_back(row);
          of_pipe = row;
        } else if (depends_on(raise, flat)) {
          continue;
        } else if (of_pipe != 0) {
          source.rows.push_back(of_pipe);  // it knows what an earlier one of its pipe knows
        } else {
          ++source.unknown;
        }
      }
    }
    // Without one of its cores a feeder gives nothing, whatever the others may do.
    bool open = false;
    bool gives = true;
    for (const Source& source : sources) {
      open = open || source.unknown > 0;
      gives = gives && (source.unknown > 0 || !source.rows.empty());
    }
    if (open && gives) exact_ = false;
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
  learn(records_[at(flat)].thread, row, 0);
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
/// of a single block, since a transfer moves whole blocks; of a longer one other blocks may still
/// be on their way (L-30), unless they have been polled, too.
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
  if (row != no_row) learn(records_[at(flat)].thread, row, 0);
}

}  // namespace skcts::model
