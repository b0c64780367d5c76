// Polls: which writes one cannot do without, and whether it sees its value for certain (S6).
#include <algorithm>

#include "reference_model/order.h"
#include "reference_model/stall.h"
#include "reference_model/stall_values.h"

namespace skcts::model {
namespace {

constexpr std::int64_t line_words = 16;

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// May a read of the poll be served by an old line?
bool is_cached_poll(const Step& poll) {
  return (poll.via == PollVia::get_value || poll.via == PollVia::raw_load) &&
         !poll.refresh_each_read;
}

}  // namespace

/// The writes without which an executed poll is not fulfilled. With an order, values that are
/// overwritten before the poll starts, or written after it, do not count. True if any was added.
bool StallAnalysis::find_poll_edges(const Order* order) {
  bool added = false;
  const auto add = [&](std::int32_t write, std::int32_t poll) {
    if (poll_needs(write, poll)) return;
    result_->poll_edges.push_back({write, poll});
    added = true;
  };
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    std::int32_t flat = result_->first_step[t];
    for (const Step& poll : program_->threads[t].steps) {
      const std::int32_t here = flat++;
      if (poll.kind != StepKind::poll || result_->executed[to_size(here)] == 0) continue;
      const std::int64_t word = program_->ranges[to_size(poll.reads_begin)].first;
      const std::uint32_t wanted = values_->poll_wanted(here);
      const bool cached = is_cached_poll(poll);
      // Is a value of the word gone before the poll starts? -1: the value at the start.
      const auto is_gone = [&](std::int32_t write) {
        if (order == nullptr || cached) return false;
        for (const PolledWrite& other : values_->writes()) {
          if (other.word != word || other.atomic || other.cached || !other.value.known ||
              fulfils(poll, wanted, other.value)) {
            continue;
          }
          const bool after = write < 0 || order->before(write, other.step);
          if (after && order->before(other.step, here)) return true;
        }
        return false;
      };
      const MaybeWord start = values_->initial(word);
      if (fulfils(poll, wanted, start) && !is_gone(-1)) continue;
      std::int32_t only = -1;
      int plain = 0, adds = 0, fulfilling = 0;
      std::uint64_t sum = start.value;
      for (const PolledWrite& write : values_->writes()) {
        if (write.word != word) continue;
        if (order != nullptr && order->before(here, write.step)) continue;
        if (write.atomic) {
          ++adds;
          sum += write.value.known ? write.value.value : (std::uint64_t{1} << 40);
          continue;
        }
        ++plain;
        if (fulfils(poll, wanted, write.value) && !is_gone(write.step)) {
          ++fulfilling;
          only = write.step;
        }
      }
      if (adds == 0 && fulfilling == 1) add(only, here);
      if (plain > 0 || sum > UINT32_MAX) continue;
      for (const PolledWrite& write : values_->writes()) {
        const bool later = order != nullptr && order->before(here, write.step);
        if (write.word == word && !later && sum - write.value.value < wanted) add(write.step, here);
      }
    }
  }
  return added;
}

bool StallAnalysis::add_poll_edges(const LaunchProgram& program, const Order& order,
                                   StallResult& result) {
  program_ = &program;
  result_ = &result;
  return find_poll_edges(&order);
}

/// S6: does every executed poll see its value for certain, and does it stay?
void StallAnalysis::check_polls(const Order& order) {
  const auto add = [&](DoubtKind kind, std::int32_t thread, std::int32_t step, bool completes) {
    Doubt doubt;
    doubt.kind = kind;
    doubt.thread = thread;
    doubt.step = step;
    if (kind == DoubtKind::cached_poll) doubt.rule = RuleId::sync_16;
    doubt.may_stall = !completes;
    doubt.may_complete = completes;
    result_->doubts.push_back(doubt);
  };
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    const auto thread = static_cast<std::int32_t>(t);
    const std::vector<Step>& steps = program_->threads[t].steps;
    for (std::size_t place = 0; place < steps.size(); ++place) {
      const Step& poll = steps[place];
      if (poll.kind != StepKind::poll) continue;
      const auto at = static_cast<std::int32_t>(place);
      const std::int32_t flat = result_->flat(thread, at);
      const std::int64_t word = program_->ranges[to_size(poll.reads_begin)].first;
      if (result_->executed[to_size(flat)] == 0) {
        // Stuck at the end of this order; another order may have shown the value for a while.
        if (to_size(issue_[t]) == place && may_be_passed(word, poll, thread)) {
          add(DoubtKind::returning_poll, thread, at, true);
          // Without a data cache in between no rule names it.
          const bool any_cached = is_cached_poll(poll) ||
                                  std::any_of(values_->writes().begin(), values_->writes().end(),
                                              [&](const PolledWrite& write) {
                                                return write.word == word && write.cached;
                                              });
          if (any_cached) result_->doubts.back().rule = RuleId::sync_16;
        }
        continue;
      }
      if (!poll_is_fresh(order, thread, at)) add(DoubtKind::cached_poll, thread, at, false);
      if (!poll_stays(order, thread, at)) add(DoubtKind::returning_poll, thread, at, false);
    }
  }
}

/// May the word of a poll that is stuck at the end have had the value for a while?
bool StallAnalysis::may_be_passed(std::int64_t word, const Step& poll, std::int32_t thread) const {
  const std::uint32_t wanted = values_->wanted(thread, poll);
  return std::any_of(
      values_->writes().begin(), values_->writes().end(), [&](const PolledWrite& write) {
        return write.word == word && (write.atomic || fulfils(poll, wanted, write.value));
      });
}

bool StallAnalysis::poll_needs(std::int32_t write, std::int32_t poll) const {
  for (const PollEdge& edge : result_->poll_edges) {
    if (edge.poll == poll && edge.write == write) return true;
  }
  return false;
}

/// Once true in GM, does the predicate stay true until the poll has seen it?
bool StallAnalysis::poll_stays(const Order& order, std::int32_t thread, std::int32_t place) const {
  const Step& poll = program_->threads[to_size(thread)].steps[to_size(place)];
  const std::int32_t flat = result_->flat(thread, place);
  const std::int64_t word = program_->ranges[to_size(poll.reads_begin)].first;
  const std::uint32_t wanted = values_->poll_wanted(flat);
  if (!values_->initial(word).known) return false;
  for (const PolledWrite& write : values_->writes()) {
    if (write.word != word || order.before(flat, write.step)) continue;
    if (!write.value.known) return false;
    if (write.atomic) {
      if (poll.until == Compare::at_least || poll_needs(write.step, flat)) continue;
      return false;
    }
    if (fulfils(poll, wanted, write.value)) continue;
    bool earlier = false;
    for (const PollEdge& edge : result_->poll_edges) {
      earlier = earlier || (edge.poll == flat && order.block_before(write.step, word, edge.write));
    }
    if (!earlier) return false;
  }
  return true;
}

/// Does the poll read GM each time, and does no dirty line hide or undo the word?
bool StallAnalysis::poll_is_fresh(const Order& order, std::int32_t thread,
                                  std::int32_t place) const {
  const Step& poll = program_->threads[to_size(thread)].steps[to_size(place)];
  const std::int32_t flat = result_->flat(thread, place);
  const std::int64_t word = program_->ranges[to_size(poll.reads_begin)].first;
  const std::int64_t line = word / line_words;
  std::vector<std::int32_t> needed;
  for (const PollEdge& edge : result_->poll_edges) {
    if (edge.poll == flat) needed.push_back(edge.write);
  }
  const bool from_start = fulfils(poll, values_->poll_wanted(flat), values_->initial(word));
  if (is_cached_poll(poll) && !from_start) {
    const Step* before =
        place > 0 ? &program_->threads[to_size(thread)].steps[to_size(place) - 1] : nullptr;
    const bool fetched = before != nullptr && before->kind == StepKind::refresh &&
                         (before->line == line || before->line < 0);
    bool all_before = fetched && !needed.empty();
    for (const std::int32_t write : needed) {
      all_before = all_before && order.before(write, flat - 1);
    }
    if (!all_before) return false;
  }
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    if (!dirty_line_is_harmless(order, static_cast<std::int32_t>(t), line, flat, needed)) {
      return false;
    }
  }
  return true;
}

/// Stores of one thread to the polled line: a needed one has to be refreshed, another one must have
/// landed before the needed writes or come after the poll.
bool StallAnalysis::dirty_line_is_harmless(const Order& order, std::int32_t thread,
                                           std::int64_t line, std::int32_t poll,
                                           const std::vector<std::int32_t>& needed) const {
  const std::vector<Step>& steps = program_->threads[to_size(thread)].steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (steps[s].kind != StepKind::store) continue;
    if (program_->ranges[to_size(steps[s].writes_begin)].first / line_words != line) continue;
    const std::int32_t store = result_->flat(thread, static_cast<std::int32_t>(s));
    if (result_->executed[to_size(store)] == 0 || order.before(poll, store)) continue;
    const bool is_needed = std::find(needed.begin(), needed.end(), store) != needed.end();
    bool refreshed = false;
    bool settled = false;
    for (std::size_t r = s + 1; r < steps.size() && !settled; ++r) {
      const std::int32_t at = result_->flat(thread, static_cast<std::int32_t>(r));
      if (result_->executed[to_size(at)] == 0) break;
      if (steps[r].kind == StepKind::refresh && steps[r].origin != Origin::end_of_launch &&
          (steps[r].line < 0 || steps[r].line == line)) {
        refreshed = true;
        settled = is_needed;
      }
      if (refreshed && !is_needed && steps[r].kind == StepKind::dsb) {
        settled = std::all_of(needed.begin(), needed.end(),
                              [&](std::int32_t write) { return order.before(at, write); });
      }
    }
    if (!settled) return false;
  }
  return true;
}

}  // namespace skcts::model
