// The platform that overlaps least: queues of one instruction (L-35), sub kernels one after the
// other with all pipes drained between (L-14, TASK-2, TASK-3), nobody past its WaitPreTaskEnd
// before all have come to theirs, raises of a core in program order (L-8). What is stuck there as
// well as with endless queues and no drain is stuck on every platform; what executes there executes
// everywhere.
#include <algorithm>

#include "reference_model/stall.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

/// Is anything queued between a wait and the set that ends it, so that a short queue may be full?
bool StallAnalysis::holds_more(std::size_t thread, std::int32_t wait, std::int32_t set) const {
  const std::vector<Step>& steps = program_->threads[thread].steps;
  const std::int32_t from = result_->first_step[thread];
  return std::any_of(steps.begin() + (wait - from) + 1, steps.begin() + (set - from),
                     [&](const Step& step) { return step.pipe != Pipe::s; });
}

/// Carried out by the scalar unit when it is issued.
bool StallAnalysis::issues_alone(const Step& step) const {
  switch (step.kind) {
    case StepKind::data:
    case StepKind::set_event:
    case StepKind::wait_event:
    case StepKind::wait:
    case StepKind::raise: return step.pipe == Pipe::s || step.pipe == Pipe::all;
    case StepKind::arrive: return step.pipe == Pipe::s || drains(step);
    case StepKind::barrier: return step.pipe == Pipe::all;
    default: return true;
  }
}

/// Does it wait for all that is queued on its core?
bool StallAnalysis::drains(const Step& step) const {
  if (step.pipe == Pipe::all) return true;
  return least_overlap_ && step.kind == StepKind::arrive &&
         program_->joins[to_size(step.join)].kind == JoinKind::boundary;
}

void StallAnalysis::prepare_least_overlap() {
  late_signals_.assign(program_->threads.size(), {});
  boundary_at_.assign(program_->shape.sub_kernels.size(), -1);
  for (std::size_t j = 0; j < program_->joins.size(); ++j) {
    const Join& join = program_->joins[j];
    if (join.kind != JoinKind::boundary || boundary_at_[to_size(join.sub_kernel)] >= 0) continue;
    boundary_at_[to_size(join.sub_kernel)] = static_cast<std::int32_t>(j);
  }
  heads_.assign(program_->joins.size(), {});
  raises_.assign(program_->threads.size(), {});
  arriving_.assign(program_->threads.size(), 0);
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    std::int32_t flat = result_->first_step[t];
    for (const Step& step : program_->threads[t].steps) {
      if (step.kind == StepKind::raise) raises_[t].push_back(flat);
      const bool own_wait = step.kind == StepKind::pass && step.instruction >= 0;
      if (own_wait && program_->joins[to_size(step.join)].kind == JoinKind::boundary) {
        heads_[to_size(step.join)].push_back(flat);
      }
      ++flat;
    }
  }
}

/// A composer may let the signal of a boundary go through any core that waits there, on any pipe:
/// it passes a core when that has come to its own wait and its pipes are done with the head.
bool StallAnalysis::heads_are_over(std::int32_t thread, const Step& pass) const {
  const auto over = [&](std::int32_t flat) {
    const std::int32_t other = result_->thread_of(flat);
    if (other == thread) return true;
    if (result_->flat(other, issue_[to_size(other)]) < flat) return false;
    const auto first = queue_head_.begin() + other * 8;
    return std::all_of(first, first + 8,
                       [flat](std::int32_t head) { return head < 0 || head > flat; });
  };
  return std::ranges::all_of(heads_[to_size(pass.join)], over);
}

/// A head starts when the earlier sub kernel is over, and a sub kernel with a tail ends with it.
bool StallAnalysis::may_cross(std::int32_t thread, const Step& step) const {
  if (step.mark == MarkKind::sub_kernel_end) {
    return late_signals_[to_size(thread)].empty() || queued_[to_size(thread)] == 0;
  }
  if (step.mark != MarkKind::sub_kernel_begin || step.sub_kernel <= 0) return true;
  const auto border = to_size(step.sub_kernel) - 1;
  if (border >= program_->boundaries.size()) return true;
  const BoundaryRelation& relation = program_->boundaries[border];
  const std::int32_t join = boundary_at_[to_size(step.sub_kernel)];
  if (!relation.own_wait || join < 0) return true;
  if (!relation.to(program_->threads[to_size(thread)].core.kind)) return true;
  return arrived_[to_size(join)] >=
         static_cast<std::int32_t>(program_->joins[to_size(join)].members.size());
}

void StallAnalysis::arrive(std::int32_t thread, const Step& step) {
  const bool own_signal =
      step.instruction >= 0 && program_->joins[to_size(step.join)].kind == JoinKind::boundary;
  if (least_overlap_ && own_signal) {
    late_signals_[to_size(thread)].push_back(step.join);
  } else if (is_member(step.join, thread)) {
    ++arrived_[to_size(step.join)];
  }
}

void StallAnalysis::send_late_signals(std::int32_t thread) {
  for (const std::int32_t join : late_signals_[to_size(thread)]) {
    if (is_member(join, thread)) ++arrived_[to_size(join)];
  }
  late_signals_[to_size(thread)].clear();
}

/// A raise takes effect behind those that stand before it (L-8).
void StallAnalysis::raise_in_order(std::int32_t thread) {
  const std::vector<std::int32_t>& all = raises_[to_size(thread)];
  std::size_t& next = arriving_[to_size(thread)];
  for (; next < all.size() && result_->executed[to_size(all[next])] != 0; ++next) {
    const std::int32_t place = all[next] - result_->first_step[to_size(thread)];
    raised(stream_of(thread, program_->threads[to_size(thread)].steps[to_size(place)]));
  }
}

/// Does a core wait for others in front of its own WaitPreTaskEnd or behind its own
/// SetNextTaskStart? That a head or tail runs beside other sub kernels is a permission (TASK-2,
/// TASK-3): the wait may need that.
bool StallAnalysis::waits_beside() const {
  const auto own = [](const BoundaryRelation& border) {
    return border.own_wait || border.own_signal;
  };
  if (std::ranges::none_of(program_->boundaries, own)) return false;
  for (const Thread& thread : program_->threads) {
    bool waits = false;  // since the sub kernel began, or in its tail
    bool in_tail = false;
    for (const Step& step : thread.steps) {
      if (step.kind != StepKind::mark) {
        waits = waits || step.kind == StepKind::wait || step.kind == StepKind::poll ||
                (step.kind == StepKind::pass && step.origin != Origin::boundary);
        continue;
      }
      const bool ends =
          step.mark == MarkKind::head_end || (step.mark == MarkKind::sub_kernel_end && in_tail);
      if (ends && waits) return true;
      if (step.mark == MarkKind::query) continue;
      in_tail = step.mark == MarkKind::tail_begin || (in_tail && !ends);
      if (in_tail || step.mark == MarkKind::sub_kernel_begin) waits = false;
    }
  }
  return false;
}

/// Where the platform that overlaps least stands for ever although another one goes on.
void StallAnalysis::doubt_overlap(const StallResult& least) {
  const auto add = [&](const StuckStep& stuck) {
    const std::vector<Step>& steps = program_->threads[to_size(stuck.thread)].steps;
    const auto head_end =
        std::find_if(steps.begin() + stuck.step, steps.end(), [](const Step& step) {
          return step.mark == MarkKind::head_end || step.mark == MarkKind::sub_kernel_end;
        });
    const bool head = head_end != steps.end() && head_end->mark == MarkKind::head_end;
    Doubt doubt{DoubtKind::overlap, stuck.thread, stuck.step,
                head ? RuleId::task_3 : RuleId::task_2};
    doubt.may_stall = true;
    result_->doubts.push_back(doubt);
  };
  const auto is_hand_made = [](const StuckStep& stuck) {
    return stuck.kind == WaitKind::cross_core_flag || stuck.kind == WaitKind::poll;
  };
  if (std::ranges::none_of(least.stuck, is_hand_made)) return add(least.stuck.front());
  for (const StuckStep& stuck : least.stuck) {
    if (is_hand_made(stuck)) add(stuck);
  }
}

void StallAnalysis::compare_with_least_overlap(const GmView& memory) {
  StallResult& result = *result_;
  if (least_ == nullptr) {
    least_ = std::make_unique<StallAnalysis>();
    least_->least_overlap_ = true;
    least_result_ = std::make_unique<StallResult>();
  }
  const StallResult& least = *least_result_;
  least_->run(*program_, memory, *least_result_);
  if (!result.stalled && least.stalled && !result.depth_stall) doubt_overlap(least);
  result.depth_stall = result.depth_stall && !result.stalled && least.stalled;
  if (!result.stalled) return;
  result.executed_everywhere = least.executed;
  const auto holds = [](const std::vector<StuckStep>& all, const StuckStep& one) {
    return std::any_of(all.begin(), all.end(), [&](const StuckStep& other) {
      return other.thread == one.thread && other.step == one.step;
    });
  };
  for (StuckStep& stuck : result.stuck) {
    stuck.everywhere = holds(least.stuck, stuck);
    result.same_everywhere = result.same_everywhere && stuck.everywhere;
  }
  result.same_everywhere = result.same_everywhere && least.stuck.size() == result.stuck.size();
}

}  // namespace skcts::model
