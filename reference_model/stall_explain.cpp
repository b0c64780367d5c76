// Who is stuck and for want of whom; what the order of the executed steps says about S4.
#include <algorithm>

#include "reference_model/order.h"
#include "reference_model/stall.h"

namespace skcts::model {
namespace {

constexpr std::int32_t counter_max = 15;

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

WaitKind wait_kind(const Join& join) {
  switch (join.kind) {
    case JoinKind::soft_sync: return WaitKind::soft_sync;
    case JoinKind::ib: return WaitKind::ib;
    case JoinKind::matmul_call:
    case JoinKind::matmul_done: return WaitKind::matmul;
    case JoinKind::event: return WaitKind::event;
    case JoinKind::launch_end: return WaitKind::cores;
    default: return WaitKind::full_core;
  }
}

}  // namespace

void StallAnalysis::explain_stuck() {
  StallResult& result = *result_;
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    const auto thread = static_cast<std::int32_t>(t);
    if (program_->threads[t].outside >= 0) continue;  // it may wait for ever: no stall
    for (std::size_t pipe = 0; pipe < 8; ++pipe) {
      const std::int32_t head = queue_head_[t * 8 + pipe];
      if (head >= 0) add_stuck(thread, head - result.first_step[t]);
    }
    const std::vector<Step>& steps = program_->threads[t].steps;
    result.stalled = result.stalled || queued_[t] > 0;
    if (to_size(issue_[t]) >= steps.size()) continue;
    result.stalled = true;
    if (!has_started(thread)) continue;
    const Step& step = steps[to_size(issue_[t])];
    // Behind a stuck pipe: it waits for the pipe to drain, or for room in its queue.
    const bool behind = step.kind == StepKind::barrier || step.mark == MarkKind::sub_kernel_end ||
                        step.kind == StepKind::arrive || !issues_alone(step);
    if (!behind) add_stuck(thread, issue_[t]);
  }
  for (const StuckStep& stuck : result.stuck) {
    if (stuck.full_core && stuck.root) result.full_core_stall = true;
  }
  if (result.full_core_stall && (equal_full_core_totals() || is_any_fed())) {
    // Each core makes as many full-core waits as the others: the class as a whole is served. Or
    // idle cores take part in one of the sub kernels: with the class out of step, they may find it
    // ended and leave out their part.
    Doubt doubt;
    doubt.kind = DoubtKind::full_core_order;
    for (const StuckStep& stuck : result.stuck) {
      if (!doubt.rule && stuck.full_core && stuck.root) doubt.rule = stuck.rule;
    }
    doubt.may_complete = doubt.data_undefined = true;
    result.doubts.push_back(doubt);
  }
}

void StallAnalysis::add_stuck(std::int32_t thread, std::int32_t place) {
  const Step& step = program_->threads[to_size(thread)].steps[to_size(place)];
  StuckStep stuck;
  stuck.thread = thread;
  stuck.step = place;
  switch (step.kind) {
    case StepKind::wait_event:
      stuck.kind = WaitKind::event_flag;
      stuck.rule = RuleId::pipe_4;
      stuck.root = is_lone_wait(thread, place);
      break;
    case StepKind::wait: explain_wait(stuck, step); break;
    case StepKind::pass: explain_pass(stuck, step); break;
    case StepKind::poll: {
      stuck.kind = WaitKind::poll;
      const std::int64_t word = program_->ranges[to_size(step.reads_begin)].first;
      stuck.root = true;
      for (std::size_t t = 0; t < program_->threads.size(); ++t) {
        std::int32_t flat = result_->first_step[t];
        for (const Step& other : program_->threads[t].steps) {
          const bool open = result_->executed[to_size(flat++)] == 0;
          for (std::int32_t w = other.writes_begin; open && w < other.writes_end; ++w) {
            const WordRange& range = program_->ranges[to_size(w)];
            const bool hits =
                range.space == Space::gm && range.first <= word && word < range.first + range.count;
            if (hits && static_cast<std::int32_t>(t) != thread) {
              stuck.root = false;
              stuck.missing.push_back(static_cast<std::int32_t>(t));
            }
          }
        }
      }
      break;
    }
    default: break;
  }
  result_->stuck.push_back(std::move(stuck));
}

/// A wait for an event that nothing sets in its sub kernel.
bool StallAnalysis::is_lone_wait(std::int32_t thread, std::int32_t place) const {
  const std::int32_t set = result_->partner[to_size(result_->flat(thread, place))];
  if (set < 0) return true;
  const std::vector<Step>& steps = program_->threads[to_size(thread)].steps;
  const Step& partner = steps[to_size(set - result_->first_step[to_size(thread)])];
  return partner.sub_kernel != steps[to_size(place)].sub_kernel;
}

/// Does the thread still have a raise of this id and mode to make in the same sub kernel (one of a
/// later sub kernel is not meant for this wait)?
bool StallAnalysis::has_left(std::int32_t thread, const Step& like) const {
  std::int32_t flat = result_->first_step[to_size(thread)];
  for (const Step& step : program_->threads[to_size(thread)].steps) {
    const bool open = result_->executed[to_size(flat++)] == 0;
    if (open && step.kind == StepKind::raise && step.sub_kernel == like.sub_kernel &&
        step.id == like.id && step.mode == like.mode) {
      return true;
    }
  }
  return false;
}

bool StallAnalysis::runs_sub_kernel(std::int32_t thread, std::int32_t sub_kernel) const {
  for (const Step& step : program_->threads[to_size(thread)].steps) {
    if (step.sub_kernel == sub_kernel && step.mark == MarkKind::sub_kernel_begin) return true;
  }
  return false;
}

bool StallAnalysis::kind_runs(CoreKind kind, std::int32_t sub_kernel) const {
  const std::int32_t part = program_->part_of_place(sub_kernel);
  const auto first = std::ranges::find_if(program_->threads, [&](const Thread& thread) {
    return thread.part == part && thread.outside < 0 && thread.core.kind == kind;
  });
  return first != program_->threads.end() &&
         runs_sub_kernel(static_cast<std::int32_t>(first - program_->threads.begin()), sub_kernel);
}

void StallAnalysis::explain_wait(StuckStep& stuck, const Step& step) const {
  stuck.kind = WaitKind::cross_core_flag;
  stuck.root = true;
  stuck.rule = RuleId::sync_5;
  for (const Group& group : groups_) {
    if (!feeds(group, stuck.thread, step.id)) continue;
    Step like;
    like.kind = StepKind::raise;
    like.id = group.id;
    like.mode = group.mode;
    like.sub_kernel = step.sub_kernel;
    const bool partly = group.above > 0;  // some member has raised once more than another
    for (std::int32_t m = group.who.first; m < group.who.first + group.who.count; ++m) {
      const std::int32_t stream =
          stream_at_[(to_size(m) * flag_ids + to_size(group.id)) * flag_modes +
                     to_size(group.mode)];
      const bool behind = stream < 0 || raised_[to_size(stream)] <= group.level;
      if (!behind) continue;
      stuck.missing.push_back(m);
      if (has_left(m, like)) {
        stuck.root = false;
      } else if (partly && group.mode == 0) {
        const bool outside = !runs_sub_kernel(m, step.sub_kernel);
        if (outside) stuck.rule = RuleId::sync_3;
      } else if (partly) {
        stuck.rule = RuleId::ratio_2;
      }
    }
  }
}

void StallAnalysis::explain_pass(StuckStep& stuck, const Step& step) const {
  const Join& join = program_->joins[to_size(step.join)];
  stuck.kind = wait_kind(join);
  stuck.full_core = join.full_core;
  bool outside = false;
  bool fewer = false;
  for (const std::int32_t member : join.members) {
    if (member < 0) {
      stuck.root = outside = true;
      continue;
    }
    bool arrived = false;
    bool has = false;
    std::int32_t flat = result_->first_step[to_size(member)];
    for (const Step& other : program_->threads[to_size(member)].steps) {
      const bool done = result_->executed[to_size(flat++)] != 0;
      if (other.kind != StepKind::arrive || other.join != step.join) continue;
      has = true;
      arrived = done;
    }
    if (arrived) continue;
    stuck.missing.push_back(member);
    if (has) continue;
    stuck.root = true;
    (runs_sub_kernel(member, join.sub_kernel) ? fewer : outside) = true;
  }
  switch (join.kind) {
    case JoinKind::sync_all:
      stuck.rule = outside || !fewer ? RuleId::core_5 : RuleId::sync_14;
      if (join.aic && join.aiv &&
          !(kind_runs(CoreKind::aic, join.sub_kernel) &&
            kind_runs(CoreKind::aiv, join.sub_kernel))) {
        stuck.rule = RuleId::sync_8;
      }
      break;
    case JoinKind::boundary:
    case JoinKind::debug_sync: stuck.rule = RuleId::task_4; break;
    case JoinKind::soft_sync: stuck.rule = RuleId::sync_9; break;
    case JoinKind::matmul_call:
    case JoinKind::matmul_done: stuck.rule = RuleId::ratio_3; break;
    case JoinKind::ib:
    case JoinKind::event:
    case JoinKind::launch_end:
    case JoinKind::own_order: stuck.rule = RuleId::sync_5; break;
  }
}

/// Do idle cores take part in a SyncAll of the launch (SYNC-1)?
bool StallAnalysis::is_any_fed() const {
  for (const Thread& thread : program_->threads) {
    for (const Step& step : thread.steps) {
      if (step.origin == Origin::feed) return true;
    }
  }
  return false;
}

/// Are all full-core waits served when they are one class? The cores of a kind have to arrive
/// equally often, and nobody may wait for a kind more often than that.
bool StallAnalysis::equal_full_core_totals() const {
  if (program_->parts.empty()) {
    return equal_full_core_totals(0, program_->shape.aic_count + program_->shape.aiv_count);
  }
  return std::ranges::all_of(program_->parts, [this](const LaunchPart& part) {
    return equal_full_core_totals(part.first_thread, part.first_thread + part.core_count());
  });
}

/// Of one launch: threads [first, last).
bool StallAnalysis::equal_full_core_totals(std::int32_t first, std::int32_t last) const {
  std::int32_t arrivals[2] = {-1, -1};
  const auto join_of = [&](const Step& step) -> const Join* {
    if (step.kind != StepKind::arrive && step.kind != StepKind::pass) return nullptr;
    const Join& join = program_->joins[to_size(step.join)];
    return join.full_core ? &join : nullptr;
  };
  for (std::int32_t t = first; t < last; ++t) {
    const Thread& thread = program_->threads[to_size(t)];
    std::int32_t count = 0;
    for (const Step& step : thread.steps) {
      count += step.kind == StepKind::arrive && join_of(step) != nullptr;
    }
    std::int32_t& known = arrivals[static_cast<std::size_t>(thread.core.kind)];
    if (known >= 0 && known != count) return false;
    known = count;
  }
  for (std::int32_t t = first; t < last; ++t) {
    std::int32_t passes[2] = {0, 0};
    for (const Step& step : program_->threads[to_size(t)].steps) {
      const Join* join = step.kind == StepKind::pass ? join_of(step) : nullptr;
      if (join == nullptr) continue;
      if (std::find(join->members.begin(), join->members.end(), -1) != join->members.end()) {
        return false;
      }
      passes[0] += join->aic;
      passes[1] += join->aiv;
    }
    if (passes[0] > std::max(arrivals[0], 0) || passes[1] > std::max(arrivals[1], 0)) return false;
  }
  return true;
}

void StallAnalysis::check_with_order(const LaunchProgram& program, const Order& order,
                                     StallResult& result) {
  program_ = &program;
  result_ = &result;
  check_counters(order);
  if (has_polls_) check_polls(order);
}

/// Counters that nobody takes from.
void StallAnalysis::check_unawaited() {
  for (const RaiseStream& stream : result_->streams) {
    const std::int32_t group = stream_group_[to_size(&stream - result_->streams.data())];
    if (group < 0 || groups_[to_size(group)].level <= counter_max) continue;
    for (std::size_t t = 0; t < program_->threads.size(); ++t) {
      if (program_->threads[t].outside >= 0) continue;
      const std::int32_t id = arrival_id(groups_[to_size(group)], static_cast<std::int32_t>(t));
      if (id < 0 || counter_at_[t * flag_ids + to_size(id)] >= 0) {
        continue;
      }
      Doubt doubt{DoubtKind::counter_limit, stream.thread,
                  result_->raise_steps[to_size(stream.first + counter_max)] -
                      result_->first_step[to_size(stream.thread)],
                  RuleId::sync_6, 9};
      doubt.may_stall = doubt.may_error = true;
      result_->doubts.push_back(doubt);
      return;
    }
  }
}

/// S4: can increments pile up beyond the limit before some wait takes one away?
void StallAnalysis::check_counters(const Order& order) {
  check_unawaited();
  for (const Counter& counter : result_->counters) {
    if (counter.increments <= counter_max) continue;
    // By feeder: increments that may come although the wait in question has not executed.
    std::vector<std::int32_t> free(to_size(counter.feeder_count), 0);
    for (std::int32_t j = 0; j <= counter.consumed; ++j) {
      const bool last = j == counter.consumed;  // nothing takes more away
      const std::int32_t wait = last ? -1 : result_->wait_steps[to_size(counter.first_wait + j)];
      std::int32_t may_come = 0;
      for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
        const Feeder& feeder = result_->feeders[to_size(counter.first_feeder + f)];
        const auto held = [&](std::int32_t n) {
          for (std::int32_t m = 0; m < feeder.count; ++m) {
            const RaiseStream& stream =
                result_->streams[to_size(result_->feeder_streams[to_size(feeder.first + m)])];
            if (order.before(wait, result_->raise_steps[to_size(stream.first + n)])) return true;
          }
          return false;
        };
        std::int32_t& count = free[to_size(f)];
        while (count < feeder.increments && (last || !held(count))) ++count;
        may_come += count;
      }
      if (may_come - j <= counter_max) continue;
      Doubt doubt;
      doubt.kind = DoubtKind::counter_limit;
      doubt.thread = counter.thread;
      const std::int32_t at =
          last ? counter.first_wait + std::max(j - 1, 0) : counter.first_wait + j;
      doubt.step = result_->wait_steps[to_size(at)] - result_->first_step[to_size(counter.thread)];
      doubt.rule = RuleId::sync_6;
      doubt.latitude = 9;
      doubt.may_stall = doubt.may_error = true;
      result_->doubts.push_back(doubt);
      break;
    }
  }
}

}  // namespace skcts::model
