// Stuck cores in words.
#include <algorithm>

#include <fmt/format.h>

#include "reference_model/plan_run.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// "AIV 0-7", "AIC 2, AIV 0-1, 5"; cores sorted.
std::string core_names(std::vector<CoreId> cores) {
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1].kind == cores[i].kind &&
           cores[last + 1].index == cores[last].index + 1) {
      ++last;
    }
    const bool new_kind = i == 0 || cores[i].kind != cores[i - 1].kind;
    if (!text.empty()) text += ", ";
    if (new_kind) text += cores[i].kind == CoreKind::aic ? "AIC " : "AIV ";
    text += last == i ? fmt::format("{}", cores[i].index)
                      : fmt::format("{}-{}", cores[i].index, cores[last].index);
    i = last + 1;
  }
  return text.empty() ? "nobody that exists" : text;
}

std::string what_of(const StuckStep& stuck, const Step& step, const Join* join) {
  switch (stuck.kind) {
    case WaitKind::cross_core_flag: return fmt::format("waits for cross-core flag {}", step.id);
    case WaitKind::event_flag:
      return fmt::format("{} waits for event {} {}", to_string(step.pipe), to_string(step.event),
                         step.id);
    case WaitKind::poll: return "polls a word that does not get the value";
    case WaitKind::event: return "waits for an event";
    case WaitKind::cores: return "waits for free cores";
    case WaitKind::soft_sync: return "waits at a soft SyncAll";
    case WaitKind::ib: return "waits for an IBSet/IBWait slot";
    case WaitKind::matmul: return "waits for the answer of a Matmul call";
    default: break;
  }
  if (join != nullptr && join->kind == JoinKind::boundary) return "waits at the boundary";
  if (join != nullptr && join->kind == JoinKind::debug_sync) return "waits at debug-sync-all";
  return join != nullptr && join->aic ? "waits in SyncAll<false>" : "waits in SyncAll";
}

}  // namespace

void PlanRun::describe_doubt(const Doubt& doubt) {
  if (doubt.thread < 0 || doubt.step < 0) return;
  const Mix& mix = setting_->test_case.mix;
  const Thread& thread = program_.threads[to_size(doubt.thread)];
  const Step& step = thread.steps[to_size(doubt.step)];
  const std::string who = fmt::format(
      "{} {}", mix.sub_kernels[to_size(mix_place(step.sub_kernel))].name, to_string(thread.core));
  const auto polled = [&] {
    return word_name(mix, setting_->layout, program_.ranges[to_size(step.reads_begin)].first);
  };
  std::string text;
  switch (doubt.kind) {
    case DoubtKind::cached_poll:
      text = fmt::format(
          "{} polls {} through a data cache, or somebody holds its line dirty: it may "
          "never see the value",
          who, polled());
      break;
    case DoubtKind::returning_poll:
      text = fmt::format("{} polls {}, which may have the value for a while only", who, polled());
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
    case DoubtKind::kernel_type:
      text = fmt::format("{} calls SyncAll<true>, which is defined for vector cores only", who);
      break;
    default: break;
  }
  if (!text.empty()) result_->remarks.push_back({doubt.rule, std::move(text)});
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
    wait.reason = what_of(stuck, step, join);
    if (stuck.kind == WaitKind::event_flag) {
      wait.reason += stuck.root ? ", which nothing sets" : ", which is set behind another wait";
    } else if (nobody) {
      wait.reason += stuck.kind == WaitKind::poll ? "" : "; nobody is left to answer";
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
