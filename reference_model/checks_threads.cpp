// What one core leaves behind: events (PIPE-4), dirty lines (CACHE-11); polled lines (SYNC-16).
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reference_model/launch_checks.h"

namespace skcts::model {

/// PIPE-4: sets and waits of one identity alternate, set first; nothing is left at an end.
void LaunchChecks::check_events(const Thread& thread) {
  std::map<std::pair<HardEvent, std::int32_t>, const Step*> raised;
  const auto leftover = [&](std::int32_t ended) {
    for (auto entry = raised.begin(); entry != raised.end(); ++entry) {
      if (entry->second == nullptr || entry->second->sub_kernel >= ended) continue;
      report_in(mix_place(*entry->second), RuleId::pipe_4, thread.core, entry->second->instruction,
                fmt::format("leaves event {} {} set at its end", to_string(entry->first.first),
                            entry->first.second));
      // Later sub kernels are judged as if it were clear: one fault, one entry.
      entry->second = nullptr;
    }
  };
  std::int32_t current = -1;
  for (const Step& step : thread.steps) {
    if (step.sub_kernel > current) {
      if (!raised.empty()) leftover(step.sub_kernel);
      current = step.sub_kernel;
    }
    if (step.kind != StepKind::set_event && step.kind != StepKind::wait_event) continue;
    const Step*& set = raised[{step.event, step.id}];
    if (step.kind == StepKind::set_event) {
      if (set != nullptr) {
        report_in(mix_place(step), RuleId::pipe_4, thread.core, step.instruction,
                  fmt::format("sets event {} {} twice with no wait between", to_string(step.event),
                              step.id));
      }
      set = &step;
    } else {
      if (set == nullptr) {
        report_in(mix_place(step), RuleId::pipe_4, thread.core, step.instruction,
                  fmt::format("waits for event {} {}, which was not set before",
                              to_string(step.event), step.id));
      }
      set = nullptr;
    }
  }
  leftover(current + 1);
}

/// CACHE-11: a line stored to and not refreshed before the sub kernel is over.
void LaunchChecks::check_dirty(const Thread& thread) {
  if (!program_.shape_of(thread).fused) return;
  std::map<std::int64_t, const Step*> dirty;
  const auto left = [&](std::int32_t ended) {
    for (auto entry = dirty.begin(); entry != dirty.end();) {
      if (entry->second->sub_kernel >= ended) {
        ++entry;
        continue;
      }
      report_in(mix_place(*entry->second), RuleId::cache_11, thread.core,
                entry->second->instruction,
                "stores a scalar whose line is not written back before the sub kernel ends");
      entry = dirty.erase(entry);
    }
  };
  std::int32_t current = -1;
  for (const Step& step : thread.steps) {
    if (step.origin == Origin::end_of_launch) continue;
    if (step.sub_kernel > current) {
      if (!dirty.empty()) left(step.sub_kernel);
      current = step.sub_kernel;
    }
    if (step.kind == StepKind::store) dirty[line_of(step, true)] = &step;
    if (step.kind == StepKind::refresh) {
      if (step.line < 0) {
        dirty.clear();
      } else {
        dirty.erase(step.line);
      }
    }
  }
  left(current + 1);
}

/// SYNC-16
void LaunchChecks::check_polls(const Thread& thread) {
  for (std::size_t p = 0; p < thread.steps.size(); ++p) {
    const Step& poll = thread.steps[p];
    if (poll.kind != StepKind::poll) continue;
    const bool cached = poll.via == PollVia::get_value || poll.via == PollVia::raw_load;
    if (cached && !poll.refresh_each_read) {
      report_in(mix_place(poll), RuleId::sync_16, thread.core, poll.instruction,
                "polls a word through the data cache without a refresh before each read");
      continue;
    }
    check_polled_line(thread, p);
  }
}

void LaunchChecks::check_polled_line(const Thread& thread, std::size_t poll_at) {
  const Step& poll = thread.steps[poll_at];
  const std::int64_t line = line_of(poll, false);
  if (stored_lines_.count(line) == 0) return;
  if (holds_dirty(thread.steps, 0, poll_at, line)) {
    report_in(mix_place(poll), RuleId::sync_16, thread.core, poll.instruction,
              "polls a word whose line it holds dirty itself");
    return;
  }
  for (const Thread& other : program_.threads) {
    if (&other == &thread || other.part != thread.part) continue;
    std::size_t from = 0;
    std::size_t to = other.steps.size();
    while (from < to && other.steps[from].sub_kernel < poll.sub_kernel) ++from;
    while (to > from && other.steps[to - 1].sub_kernel > poll.sub_kernel) --to;
    if (!holds_dirty(other.steps, from, to, line)) continue;
    report_in(mix_place(poll), RuleId::sync_16, thread.core, poll.instruction,
              fmt::format("polls a word whose line {} stores to and does not write back",
                          to_string(other.core)));
    return;
  }
}

/// Is there a store to the line among these steps that no later one of them refreshes?
bool LaunchChecks::holds_dirty(const std::vector<Step>& steps, std::size_t from, std::size_t to,
                               std::int64_t line) const {
  bool dirty = false;
  for (std::size_t i = from; i < to; ++i) {
    const Step& step = steps[i];
    if (step.origin == Origin::end_of_launch) continue;
    if (step.kind == StepKind::store && line_of(step, true) == line) dirty = true;
    if (step.kind == StepKind::refresh && (step.line < 0 || step.line == line)) dirty = false;
  }
  return dirty;
}

}  // namespace skcts::model
