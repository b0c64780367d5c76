// The worklist pass (semantics §1).
//
// Programs are straight-line, every counter is consumed by one sequential agent and every join is
// fed by its members only, so no step ever disables another: whatever can run is run, in any order,
// and what is left at the end is left under every schedule. Pipes have queues without bound here; a
// wait that stands in a pipe before its set was issued is noted, for it needs that (L-35).
#include "reference_model/stall.h"

#include <algorithm>

#include "reference_model/stall_values.h"
#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr std::int32_t nobody = -1;
constexpr std::size_t pipes = 8;      // seven, and one that stays empty
constexpr std::size_t event_ids = 9;  // eight, and the private one of polls
constexpr std::size_t event_kinds = 7 * 7 * event_ids;

std::size_t to_size(std::int32_t value) {
  return static_cast<std::size_t>(value);
}

std::size_t pipe_slot(std::int32_t thread, Pipe pipe) {
  return to_size(thread) * pipes + static_cast<std::size_t>(pipe);
}

std::size_t event_slot(const Step& step) {
  return (static_cast<std::size_t>(step.event.source) * 7 +
          static_cast<std::size_t>(step.event.destination)) *
             event_ids +
         to_size(step.id);
}

}  // namespace

std::int32_t StallResult::thread_of(std::int32_t flat_step) const {
  const auto after = std::upper_bound(first_step.begin(), first_step.end(), flat_step);
  return static_cast<std::int32_t>(after - first_step.begin()) - 1;
}

void StallResult::clear() {
  first_step.clear();
  executed.clear();
  linear.clear();
  partner.clear();
  poll_edges.clear();
  counters.clear();
  feeders.clear();
  feeder_streams.clear();
  streams.clear();
  raise_steps.clear();
  wait_steps.clear();
  issued.clear();
  left_over.clear();
  executed_everywhere.clear();
  same_everywhere = true;
  stalled = full_core_stall = depth_stall = loose_polls = false;
  stuck.clear();
  doubts.clear();
}

StallAnalysis::StallAnalysis() : values_(std::make_unique<StepValues>()) {}
StallAnalysis::~StallAnalysis() = default;
StallAnalysis::StallAnalysis(StallAnalysis&&) noexcept = default;
StallAnalysis& StallAnalysis::operator=(StallAnalysis&&) noexcept = default;

void StallAnalysis::run(const LaunchProgram& program, const GmView& memory, StallResult& result) {
  program_ = &program;
  result_ = &result;
  result.clear();
  number_steps();
  match_events();
  find_counters();
  make_groups();
  const std::size_t threads = program.threads.size();
  arrived_.assign(program.joins.size(), 0);
  issue_.assign(threads, 0);
  queue_head_.assign(threads * pipes, nobody);
  queue_tail_.assign(threads * pipes, nobody);
  queued_.assign(threads, 0);
  started_ = program.shape.resident;
  soft_rounds_.clear();
  if (least_overlap_) prepare_least_overlap();
  if (has_polls_) values_->start(program, memory);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(threads); ++t) {
      if (has_started(t)) moved = run_thread(t) || moved;
    }
    moved = start_blocks() || moved;
  }
  result.issued = issue_;
  close_counters();
  explain_stuck();
  if (!least_overlap_ && (result.stalled || result.depth_stall || waits_beside())) {
    compare_with_least_overlap(memory);
  }
  if (!has_polls_) return;
  index_polls();
  find_poll_edges(nullptr);
}

void StallAnalysis::number_steps() {
  StallResult& result = *result_;
  result.first_step.push_back(0);
  for (const Thread& thread : program_->threads) {
    result.first_step.push_back(result.first_step.back() +
                                static_cast<std::int32_t>(thread.steps.size()));
  }
  const std::size_t count = to_size(result.first_step.back());
  result.executed.assign(count, 0);
  result.partner.assign(count, nobody);
  link_.assign(count, nobody);
  result.linear.reserve(count);
}

/// The k-th wait of an event identity waits for its k-th set, both in issue order.
void StallAnalysis::match_events() {
  StallResult& result = *result_;
  has_polls_ = false;
  open_set_.assign(event_kinds, nobody);
  last_set_.assign(event_kinds, nobody);
  open_wait_.assign(event_kinds, nobody);
  last_wait_.assign(event_kinds, nobody);
  set_last_.assign(event_kinds, 0);
  used_events_.clear();
  const auto push = [&](std::vector<std::int32_t>& open, std::vector<std::int32_t>& last,
                        std::size_t slot, std::int32_t flat) {
    if (open[slot] < 0) {
      open[slot] = flat;
    } else {
      link_[to_size(last[slot])] = flat;
    }
    last[slot] = flat;
    used_events_.push_back(slot);
  };
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    for (const std::size_t slot : used_events_) {
      open_set_[slot] = open_wait_[slot] = nobody;
      set_last_[slot] = 0;
    }
    used_events_.clear();
    std::int32_t flat = result.first_step[t];
    for (const Step& step : program_->threads[t].steps) {
      if (step.kind == StepKind::poll || step.mark == MarkKind::soft_sync) has_polls_ = true;
      if (step.kind == StepKind::arrive &&
          program_->joins[to_size(step.join)].kind == JoinKind::ib) {
        has_polls_ = true;  // its slot is looked at as a polled word is
      }
      if (step.kind == StepKind::set_event) {
        const std::size_t slot = event_slot(step);
        used_events_.push_back(slot);
        if (set_last_[slot] != 0) {
          // L-4, by issue order alone: a wait that stands before both is none between them.
          Doubt doubt{DoubtKind::double_set, static_cast<std::int32_t>(t),
                      flat - result.first_step[t], RuleId::pipe_4, 4};
          doubt.may_stall = doubt.may_error = doubt.may_complete = doubt.data_undefined = true;
          result.doubts.push_back(doubt);
        }
        set_last_[slot] = 1;
        if (open_wait_[slot] >= 0) {  // a wait before its set: only unbounded queues hold it
          const std::int32_t waiting = open_wait_[slot];
          result.partner[to_size(waiting)] = flat;
          open_wait_[slot] = link_[to_size(open_wait_[slot])];
          result.depth_stall = result.depth_stall || holds_more(t, waiting, flat);
        } else {
          push(open_set_, last_set_, slot, flat);
        }
      } else if (step.kind == StepKind::wait_event) {
        const std::size_t slot = event_slot(step);
        set_last_[slot] = 0;
        if (open_set_[slot] >= 0) {
          result.partner[to_size(flat)] = open_set_[slot];
          open_set_[slot] = link_[to_size(open_set_[slot])];
        } else {
          push(open_wait_, last_wait_, slot, flat);
        }
      }
      ++flat;
    }
  }
}

/// Raises by thread, id and mode; waits by thread and id.
void StallAnalysis::find_counters() {
  StallResult& result = *result_;
  const std::size_t threads = program_->threads.size();
  stream_at_.assign(threads * flag_ids * flag_modes, nobody);
  counter_at_.assign(threads * flag_ids, nobody);
  for (std::size_t t = 0; t < threads; ++t) {
    for (const Step& step : program_->threads[t].steps) {
      const std::size_t id = to_size(step.id);
      if (step.kind == StepKind::raise) {
        std::int32_t& at = stream_at_[(t * flag_ids + id) * flag_modes + to_size(step.mode)];
        if (at < 0) {
          at = static_cast<std::int32_t>(result.streams.size());
          result.streams.push_back({static_cast<std::int32_t>(t), static_cast<std::int8_t>(id),
                                    static_cast<std::int8_t>(step.mode), 0, 0});
        }
        ++result.streams[to_size(at)].count;
      } else if (step.kind == StepKind::wait) {
        std::int32_t& at = counter_at_[t * flag_ids + id];
        if (at < 0) {
          at = static_cast<std::int32_t>(result.counters.size());
          Counter counter;
          counter.thread = static_cast<std::int32_t>(t);
          counter.id = static_cast<std::int8_t>(id);
          result.counters.push_back(counter);
        }
        ++result.counters[to_size(at)].wait_count;
      }
    }
  }
  std::int32_t next = 0;
  for (RaiseStream& stream : result.streams) {
    stream.first = next;
    next += stream.count;
    stream.count = 0;
  }
  result.raise_steps.resize(to_size(next));
  next = 0;
  for (Counter& counter : result.counters) {
    counter.first_wait = next;
    next += counter.wait_count;
    counter.wait_count = 0;
  }
  result.wait_steps.resize(to_size(next));
  if (result.streams.empty() && result.counters.empty()) return;
  for (std::size_t t = 0; t < threads; ++t) {
    std::int32_t flat = result.first_step[t];
    for (const Step& step : program_->threads[t].steps) {
      const std::size_t id = to_size(step.id);
      if (step.kind == StepKind::raise) {
        RaiseStream& stream = result.streams[to_size(
            stream_at_[(t * flag_ids + id) * flag_modes + to_size(step.mode)])];
        result.raise_steps[to_size(stream.first + stream.count++)] = flat;
      } else if (step.kind == StepKind::wait) {
        Counter& counter = result.counters[to_size(counter_at_[t * flag_ids + id])];
        result.wait_steps[to_size(counter.first_wait + counter.wait_count++)] = flat;
      }
      ++flat;
    }
  }
}

/// Who raises together with a core in a mode, as a range of threads (machine §3.1). Empty: nobody,
/// the raise has no effect.
StallAnalysis::Members StallAnalysis::members_of(std::int32_t thread, int mode) const {
  const Thread& owner = program_->threads[to_size(thread)];
  const LaunchShape& shape = program_->shape_of(owner);
  const CoreId core = owner.core;
  const bool cube = core.kind == CoreKind::aic;
  const std::int32_t cubes = program_->first_core(owner);
  const std::int32_t vectors = cubes + shape.aic_count;
  const std::int32_t block = cube ? core.index : core.index / shape.ratio;
  const bool off = program_->parts.empty() ? program_->flags_off
                                           : program_->parts[to_size(owner.part)].flags_off;
  if (off) return {0, 0};
  switch (mode) {
    case 0: return cube ? Members{cubes, shape.aic_count} : Members{vectors, shape.aiv_count};
    case 1: return cube ? Members{0, 0} : Members{vectors + block * shape.ratio, shape.ratio};
    case 2:
      return cube ? Members{cubes + core.index, 1}
                  : Members{vectors + block * shape.ratio, shape.ratio};
    case 4: return {thread, 1};
    default: return {0, 0};
  }
}

void StallAnalysis::make_groups() {
  StallResult& result = *result_;
  const std::size_t threads = program_->threads.size();
  groups_.clear();
  raised_.assign(result.streams.size(), 0);
  stream_group_.assign(result.streams.size(), nobody);
  for (std::size_t s = 0; s < result.streams.size(); ++s) {
    if (stream_group_[s] >= 0) continue;
    const RaiseStream& stream = result.streams[s];
    const Members members = members_of(stream.thread, stream.mode);
    Group group;
    group.mode = stream.mode;
    group.id = stream.id;
    group.who = members;
    group.first = static_cast<std::int32_t>(result.feeder_streams.size());
    for (std::int32_t m = members.first; m < members.first + members.count; ++m) {
      const std::int32_t other =
          stream_at_[(to_size(m) * flag_ids + to_size(stream.id)) * flag_modes +
                     to_size(stream.mode)];
      if (other < 0) continue;
      stream_group_[to_size(other)] = static_cast<std::int32_t>(groups_.size());
      result.feeder_streams.push_back(other);
      ++group.count;
    }
    if (members.count == 0) stream_group_[s] = static_cast<std::int32_t>(groups_.size());
    groups_.push_back(group);
  }
  // The feeders of each counter: the groups whose increments arrive at its core.
  for (std::size_t c = 0; c < result.counters.size(); ++c) {
    Counter& counter = result.counters[c];
    counter.first_feeder = static_cast<std::int32_t>(result.feeders.size());
    if (to_size(counter.thread) >= threads) continue;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      if (!feeds(group, counter.thread, counter.id)) continue;
      Feeder feeder;
      feeder.mode = group.mode;
      feeder.complete = group.count == group.who.count;
      feeder.first = group.first;
      feeder.count = group.count;
      feeder.group = static_cast<std::int32_t>(g);
      result.feeders.push_back(feeder);
    }
    counter.feeder_count = static_cast<std::int32_t>(result.feeders.size()) - counter.first_feeder;
  }
}

/// Under which id an increment of the group arrives at a core, or -1 if it does not.
std::int32_t StallAnalysis::arrival_id(const Group& group, std::int32_t thread) const {
  if (group.who.count == 0) return nobody;
  const Thread& owner = program_->threads[to_size(thread)];
  const Thread& raiser = program_->threads[to_size(group.who.first)];
  if (owner.part != raiser.part) return nobody;
  const std::int32_t ratio = program_->shape_of(owner).ratio;
  const bool from_cube = raiser.core.kind == CoreKind::aic;
  const bool to_cube = owner.core.kind == CoreKind::aic;
  if (group.mode == 0) return from_cube == to_cube ? group.id : nobody;
  const auto block = [ratio](CoreId core) {
    return core.kind == CoreKind::aic ? core.index : core.index / ratio;
  };
  if (block(owner.core) != block(raiser.core)) return nobody;
  if (group.mode == 1) return !to_cube && !from_cube ? group.id : nobody;
  if (from_cube == to_cube) return nobody;
  if (group.mode != 4) return group.id;
  // A cube core knows the vector cores of its block apart by ids 16 apart.
  constexpr std::int32_t apart = 16;
  if (from_cube) return group.id / apart == owner.core.index % ratio ? group.id % apart : nobody;
  return group.id < apart ? group.id + apart * (raiser.core.index % ratio) : nobody;
}

/// Waves: a block that has not started issues nothing.
bool StallAnalysis::has_started(std::int32_t thread) const {
  const LaunchShape& shape = program_->shape;
  if (shape.resident == 0) return true;
  if (program_->threads[to_size(thread)].outside >= 0) return true;
  const CoreId core = program_->threads[to_size(thread)].core;
  return (core.kind == CoreKind::aic ? core.index : core.index / shape.ratio) < started_;
}

/// Blocks that have ended make room for the next ones. True if any started.
bool StallAnalysis::start_blocks() {
  const LaunchShape& shape = program_->shape;
  if (shape.resident == 0) return false;
  std::vector<std::uint8_t> ended(to_size(shape.blocks), 1);
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    const Thread& thread = program_->threads[t];
    const CoreId core = thread.core;
    if (thread.outside >= 0) continue;
    if (to_size(issue_[t]) == thread.steps.size() && queued_[t] == 0) continue;
    ended[to_size(core.kind == CoreKind::aic ? core.index : core.index / shape.ratio)] = 0;
  }
  const auto over = static_cast<std::int32_t>(
      std::count(ended.begin(), ended.begin() + std::min(started_, shape.blocks), 1));
  const std::int32_t room = std::min(shape.blocks, shape.resident + over);
  if (room <= started_) return false;
  started_ = room;
  return true;
}

/// Runs one thread as far as it goes. True if anything was executed or issued.
bool StallAnalysis::run_thread(std::int32_t thread) {
  const std::vector<Step>& steps = program_->threads[to_size(thread)].steps;
  bool moved = queued_[to_size(thread)] > 0 && run_pipes(thread);
  std::int32_t& next = issue_[to_size(thread)];
  while (to_size(next) < steps.size()) {
    const Step& step = steps[to_size(next)];
    const std::int32_t flat = result_->flat(thread, next);
    if (issues_alone(step)) {
      if (!enabled(thread, step, flat)) break;
      execute(thread, step, flat);
    } else {
      const std::size_t slot = pipe_slot(thread, step.pipe);
      if (queue_head_[slot] < 0 && enabled(thread, step, flat)) {
        execute(thread, step, flat);
      } else {
        if (least_overlap_ && queue_head_[slot] >= 0) break;  // the queue is full
        if (has_polls_) values_->issue(thread, step, flat);
        link_[to_size(flat)] = nobody;
        (queue_head_[slot] < 0 ? queue_head_[slot] : link_[to_size(queue_tail_[slot])]) = flat;
        queue_tail_[slot] = flat;
        ++queued_[to_size(thread)];
      }
    }
    ++next;
    moved = true;
    if (queued_[to_size(thread)] > 0) run_pipes(thread);
  }
  return moved;
}

bool StallAnalysis::run_pipes(std::int32_t thread) {
  const std::vector<Step>& steps = program_->threads[to_size(thread)].steps;
  bool any = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t pipe = 0; pipe < pipes; ++pipe) {
      const std::size_t slot = to_size(thread) * pipes + pipe;
      while (queue_head_[slot] >= 0) {
        const std::int32_t flat = queue_head_[slot];
        const Step& step = steps[to_size(flat - result_->first_step[to_size(thread)])];
        if (!enabled(thread, step, flat)) break;
        queue_head_[slot] = link_[to_size(flat)];
        --queued_[to_size(thread)];
        execute(thread, step, flat);
        moved = any = true;
      }
    }
  }
  return any;
}

bool StallAnalysis::enabled(std::int32_t thread, const Step& step, std::int32_t flat) const {
  switch (step.kind) {
    case StepKind::wait_event: {
      const std::int32_t set = result_->partner[to_size(flat)];
      return set >= 0 && result_->executed[to_size(set)] != 0;
    }
    case StepKind::barrier: return step.pipe != Pipe::all || queued_[to_size(thread)] == 0;
    case StepKind::arrive: return !drains(step) || queued_[to_size(thread)] == 0;
    case StepKind::mark: return !least_overlap_ || may_cross(thread, step);
    case StepKind::wait: {
      const Counter& counter =
          result_->counters[to_size(counter_at_[to_size(thread) * flag_ids + to_size(step.id)])];
      std::int32_t got = 0;
      for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
        const Feeder& feeder = result_->feeders[to_size(counter.first_feeder + f)];
        got += groups_[to_size(feeder.group)].level;
      }
      return got > counter.consumed;
    }
    case StepKind::pass: {
      const Join& join = program_->joins[to_size(step.join)];
      return arrived_[to_size(step.join)] >= static_cast<std::int32_t>(join.members.size()) &&
             (!least_overlap_ || heads_are_over(thread, step));
    }
    case StepKind::poll: return values_->poll_holds(thread, step);
    default: return true;
  }
}

void StallAnalysis::execute(std::int32_t thread, const Step& step, std::int32_t flat) {
  result_->executed[to_size(flat)] = 1;
  result_->linear.push_back(flat);
  switch (step.kind) {
    case StepKind::raise:
      if (least_overlap_) {
        raise_in_order(thread);
      } else {
        raised(stream_of(thread, step));
      }
      break;
    case StepKind::wait:
      ++result_->counters[to_size(counter_at_[to_size(thread) * flag_ids + to_size(step.id)])]
            .consumed;
      break;
    case StepKind::arrive: arrive(thread, step); break;
    case StepKind::mark:
      if (least_overlap_ && step.mark == MarkKind::sub_kernel_end) send_late_signals(thread);
      break;
    default: break;
  }
  if (!has_polls_) return;
  if (step.mark == MarkKind::soft_sync) check_soft_slot(thread, step);
  if (is_ib_write(thread, flat)) check_ib_slot(thread, step, flat);
  values_->execute(thread, step, flat);
}

std::int32_t StallAnalysis::stream_of(std::int32_t thread, const Step& raise) const {
  const std::size_t at = (to_size(thread) * flag_ids + to_size(raise.id)) * flag_modes;
  return stream_at_[at + to_size(raise.mode)];
}

bool StallAnalysis::is_member(std::int32_t join_place, std::int32_t thread) const {
  const Join& join = program_->joins[to_size(join_place)];
  if ((join.aic || join.aiv) && program_->parts.empty()) {
    const bool cube = thread < program_->shape.aic_count;
    return cube ? join.aic : join.aiv;
  }
  return std::find(join.members.begin(), join.members.end(), thread) != join.members.end();
}

void StallAnalysis::raised(std::int32_t stream) {
  Group& group = groups_[to_size(stream_group_[to_size(stream)])];
  if (++raised_[to_size(stream)] != group.level + 1) return;
  ++group.above;
  while (group.above == group.who.count && group.who.count > 0) {
    ++group.level;
    group.above = 0;
    for (std::int32_t m = 0; m < group.count; ++m) {
      const std::int32_t member = result_->feeder_streams[to_size(group.first + m)];
      if (raised_[to_size(member)] > group.level) ++group.above;
    }
  }
}

void StallAnalysis::close_counters() {
  for (Counter& counter : result_->counters) {
    for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
      Feeder& feeder = result_->feeders[to_size(counter.first_feeder + f)];
      feeder.increments = groups_[to_size(feeder.group)].level;
      counter.increments += feeder.increments;
    }
  }
  find_left_over();
}

}  // namespace skcts::model
