// Stuck cores in words.
#include <algorithm>

#include <fmt/format.h>

#include "reference_model/plan_run.h"
#include "reference_model/wait_chain.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

std::string what_of(const StuckStep& stuck, const Step& step, const Join* join) {
  switch (stuck.kind) {
    case WaitKind::cross_core_flag: return fmt::format("wait for cross-core flag {}", step.id);
    case WaitKind::event_flag:
      return fmt::format("wait for event {} {}", to_string(step.event), step.id);
    case WaitKind::poll: return "poll a word that does not get the value";
    case WaitKind::event: return "wait for an event";
    case WaitKind::cores: return "wait for free cores";
    case WaitKind::soft_sync: return "wait at a soft SyncAll";
    case WaitKind::ib: return "wait for an IBSet/IBWait slot";
    case WaitKind::matmul: return "wait for the answer of a Matmul call";
    default: break;
  }
  if (join != nullptr && join->kind == JoinKind::boundary) return "wait at the boundary";
  if (join != nullptr && join->kind == JoinKind::debug_sync) return "wait at debug-sync-all";
  return join != nullptr && join->aic ? "wait in SyncAll<false>" : "wait in SyncAll";
}

std::string wait_for_events(const std::vector<std::string>& events) {
  if (events.size() == 1) return "wait for event " + events.front();
  return fmt::format("wait for one of the events {}", fmt::join(events, ", "));
}

}  // namespace

std::string PlanRun::polled_word(const Step& poll) const {
  return word_name(setting_->test_case.mix, setting_->layout,
                   program_.ranges[to_size(poll.reads_begin)].first);
}

void PlanRun::describe_doubt(const Doubt& doubt) {
  if (doubt.thread < 0 || doubt.step < 0) return;
  const Mix& mix = setting_->test_case.mix;
  const Thread& thread = program_.threads[to_size(doubt.thread)];
  const Step& step = thread.steps[to_size(doubt.step)];
  const std::string who = fmt::format(
      "{} {}", mix.sub_kernels[to_size(mix_place(step.sub_kernel))].name, to_string(thread.core));
  std::string text;
  switch (doubt.kind) {
    case DoubtKind::cached_poll:
      text = fmt::format(
          "{} polls {} through a data cache, or somebody holds its line dirty: it may "
          "never see the value",
          who, polled_word(step));
      break;
    case DoubtKind::returning_poll:
      text = fmt::format("{} polls {}, which may have the value for a while only", who,
                         polled_word(step));
      break;
    case DoubtKind::counter_limit:
      text =
          fmt::format("the counter of flag {} on {} can pass 15", step.id, to_string(thread.core));
      break;
    case DoubtKind::double_set:
      text = fmt::format("{} sets event {} {} twice with no wait issued between", who,
                         to_string(step.event), step.id);
      break;
    case DoubtKind::soft_workspace:
      text = fmt::format(
          "{} makes a soft SyncAll whose workspace does not count its rounds from "
          "zero, or is shared with another number of cores",
          who);
      break;
    case DoubtKind::ib_contended:
      text = fmt::format("{} shares an IBSet/IBWait slot with another core on the same side", who);
      break;
    case DoubtKind::full_core_order:
    case DoubtKind::early_start:
      text = doubt.thread >= 0
                 ? fmt::format(
                       "a full-core wait of {} may be released by a raise that was meant for "
                       "another",
                       who)
                 : std::string();
      break;
    case DoubtKind::overlap:
      text = fmt::format(
          "{} waits {} for what may need another core {}: that is allowed and not promised", who,
          doubt.rule == RuleId::task_3 ? "in front of its WaitPreTaskEnd"
                                       : "behind its SetNextTaskStart",
          doubt.rule == RuleId::task_3 ? "to pass its own before" : "in a later sub kernel");
      break;
    case DoubtKind::kernel_type:
      text = fmt::format("{} calls SyncAll<true>, which is defined for vector cores only", who);
      break;
    default: break;
  }
  if (!text.empty()) result_->remarks.push_back({doubt.rule, std::move(text)});
}

/// A wait that may never end although some schedule ends it: told beside those that are certain.
void PlanRun::describe_open_wait(const Doubt& doubt) {
  if (doubt.thread < 0 || doubt.step < 0) return;
  const Step& step = program_.threads[to_size(doubt.thread)].steps[to_size(doubt.step)];
  StuckStep stuck;
  stuck.thread = doubt.thread;
  stuck.step = doubt.step;
  switch (step.kind) {
    case StepKind::poll: stuck.kind = WaitKind::poll; break;
    case StepKind::wait: stuck.kind = WaitKind::cross_core_flag; break;
    case StepKind::wait_event: stuck.kind = WaitKind::event_flag; break;
    default: return;
  }
  StuckWait wait;
  wait.waiting = waiting_of(stuck);
  for (const StuckWait& known : result_->waiting) {
    const Waiting& at = known.waiting;
    if (at.core == wait.waiting.core && at.launch == wait.waiting.launch &&
        at.sub_kernel == wait.waiting.sub_kernel && at.instruction == wait.waiting.instruction) {
      return;
    }
  }
  wait.what = what_of(stuck, step, nullptr);
  if (stuck.kind == WaitKind::poll) wait.what = "poll " + polled_word(step);
  wait.reason = third_person(wait.what);
  wait.reason += doubt.kind == DoubtKind::overlap ? ", on some platforms for ever"
                                                  : ", under some schedules for ever";
  wait.root = true;
  wait.certain = false;
  wait.rule = doubt.rule.value_or(RuleId::sync_5);
  result_->waiting.push_back(std::move(wait));
}

/// Waits that any of several raises may release: what leaves SYNC-12 open.
void PlanRun::describe_many_feeders() {
  const Mix& mix = setting_->test_case.mix;
  for (const Counter& counter : stall_.counters) {
    std::vector<std::int32_t> raises;
    for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
      const Feeder& feeder = stall_.feeders[to_size(counter.first_feeder + f)];
      for (std::int32_t s = 0; s < feeder.count; ++s) {
        const RaiseStream& stream =
            stall_.streams[to_size(stall_.feeder_streams[to_size(feeder.first + s)])];
        for (std::int32_t n = 0; n < stream.count; ++n) {
          raises.push_back(stall_.raise_steps[to_size(stream.first + n)]);
        }
      }
    }
    const auto differs = [&](std::int32_t raise) {
      const Step& one = step_at(raise);
      const Step& first = step_at(raises.front());
      return one.pipe != first.pipe || one.mode != first.mode;
    };
    const auto other = std::find_if(raises.begin(), raises.end(), differs);
    if (other == raises.end() || counter.wait_count == 0) continue;
    const auto told = [&](std::int32_t raise) {
      const Step& step = step_at(raise);
      return fmt::format("{} (mode {}, {})",
                         to_string(program_.threads[to_size(order_.thread_of(raise))].core),
                         step.mode, to_string(step.pipe));
    };
    const Step& wait = step_at(stall_.wait_steps[to_size(counter.first_wait)]);
    result_->remarks.push_back(
        {RuleId::sync_12,
         fmt::format("{} {} waits for flag {}, which raises of {} and of {} release, whichever "
                     "comes first",
                     mix.sub_kernels[to_size(mix_place(wait.sub_kernel))].name,
                     to_string(program_.threads[to_size(counter.thread)].core), counter.id,
                     told(raises.front()), told(*other))});
    return;
  }
}

void PlanRun::describe_stuck() {
  const Mix& mix = setting_->test_case.mix;
  for (const StuckStep& stuck : stall_.stuck) {
    const Step& step = program_.threads[to_size(stuck.thread)].steps[to_size(stuck.step)];
    if (program_.threads[to_size(stuck.thread)].outside >= 0) continue;
    const Join* join = step.join >= 0 ? &program_.joins[to_size(step.join)] : nullptr;
    StuckWait wait;
    wait.waiting = waiting_of(stuck);
    wait.rule = stuck.rule;
    wait.root = stuck.root;
    for (const std::int32_t thread : stuck.missing) {
      if (program_.threads[to_size(thread)].outside >= 0) continue;
      wait.missing.push_back(program_.threads[to_size(thread)].core);
    }
    const bool nobody = wait.missing.empty();
    wait.what = what_of(stuck, step, join);
    if (stuck.kind == WaitKind::poll) wait.what = "poll " + polled_word(step);
    if (stuck.kind == WaitKind::event && step.sub_kernel >= 0) {
      wait.what = wait_for_events(mix.sub_kernels[to_size(mix_place(step.sub_kernel))].recv);
    }
    if (join != nullptr && join->kind == JoinKind::boundary && join->sub_kernel >= 0) {
      wait.what += " before " + mix.sub_kernels[to_size(mix_place(join->sub_kernel))].name;
    }
    wait.reason = third_person(wait.what);
    if (stuck.kind == WaitKind::event_flag) {
      wait.reason += stuck.root ? ", which nothing sets" : ", which is set behind another wait";
    } else if (nobody) {
      wait.reason += stuck.kind == WaitKind::poll ? "; no write gives the word that value"
                                                  : "; nobody is left to answer";
    } else {
      wait.reason += fmt::format("; {} {}", core_names(wait.missing),
                                 stuck.root ? "never comes" : "is stuck itself");
    }
    if (join != nullptr && join->kind == JoinKind::sync_all && stuck.root) {
      const std::string& name = mix.sub_kernels[to_size(wait.waiting.sub_kernel)].name;
      wait.reason += fmt::format(" (they make no such call in {})", name);
    }
    result_->waiting.push_back(std::move(wait));
  }
}

}  // namespace skcts::model
