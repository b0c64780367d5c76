// Polls: which writes one cannot do without, and whether it sees its value for certain (S6).
#include <algorithm>
#include <set>
#include <unordered_map>

#include "reference_model/order.h"
#include "reference_model/stall.h"
#include "reference_model/stall_values.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// May a read of the poll be served by an old line?
bool is_cached_poll(const Step& poll) {
  return (poll.via == PollVia::get_value || poll.via == PollVia::raw_load) &&
         !poll.refresh_each_read;
}

/// Has the write taken effect before the step starts? An uncached store does so at the next
/// DataSyncBarrier of its core, not for certain before.
bool is_over(const LaunchProgram& program, const StallResult& stall, const Order& order,
             std::int32_t write, std::int32_t step) {
  const std::int32_t thread = stall.thread_of(write);
  const std::int32_t first = stall.first_step[to_size(thread)];
  const std::vector<Step>& steps = program.threads[to_size(thread)].steps;
  if (steps[to_size(write - first)].kind != StepKind::store_bypass) {
    return order.before(write, step);
  }
  for (std::int32_t next = write + 1; to_size(next - first) < steps.size(); ++next) {
    if (steps[to_size(next - first)].kind == StepKind::dsb) return order.before(next, step);
  }
  return false;
}

using NeededWrites = std::unordered_map<std::int32_t, std::vector<std::int32_t>>;

/// Writes and refreshes of a launch as a poll depends on them.
struct PollChain {
  const LaunchProgram& program;
  const StallResult& stall;
  const Order& order;
  const NeededWrites& needed;  ///< By poll.
  std::set<std::int32_t> seen;

  /// The refresh that brings a cached store into GM for certain, or -1.
  std::int32_t refresh_of(std::int32_t store) const {
    const std::int32_t thread = stall.thread_of(store);
    const std::vector<Step>& steps = program.threads[to_size(thread)].steps;
    const std::size_t place = to_size(store - stall.first_step[to_size(thread)]);
    if (steps[place].kind != StepKind::store) return -1;
    const std::int64_t line = program.ranges[to_size(steps[place].writes_begin)].first / line_words;
    for (std::size_t r = place + 1; r < steps.size(); ++r) {
      const bool refreshes = steps[r].kind == StepKind::refresh &&
                             steps[r].origin != Origin::end_of_launch &&
                             (steps[r].line < 0 || steps[r].line == line);
      if (refreshes) return stall.flat(thread, static_cast<std::int32_t>(r));
    }
    return -1;
  }

  /// Does the step come only after the poll has seen its value? Behind it, or behind another poll
  /// whose value comes with a refresh that does.
  bool leans_on(std::int32_t step, std::int32_t poll) {
    for (const auto& [other, writes] : needed) {
      if (!order.before(other, step)) continue;
      if (other == poll) return true;
      if (!seen.insert(other).second) continue;
      for (const std::int32_t write : writes) {
        const std::int32_t refresh = refresh_of(write);
        if (refresh >= 0 && leans_on(refresh, poll)) return true;
      }
    }
    return false;
  }
};

}  // namespace

/// Where to look when a launch has many polls.
void StallAnalysis::index_polls() {
  stores_of_line_.clear();
  writes_of_word_.clear();
  needed_.clear();
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    std::int32_t flat = result_->first_step[t];
    for (const Step& step : program_->threads[t].steps) {
      if (step.kind == StepKind::store) {
        const std::int64_t word = program_->ranges[to_size(step.writes_begin)].first;
        stores_of_line_[word / line_words].push_back(flat);
      }
      ++flat;
    }
  }
  const std::vector<PolledWrite>& writes = values_->writes();
  for (std::size_t w = 0; w < writes.size(); ++w) {
    writes_of_word_[writes[w].word].push_back(static_cast<std::int32_t>(w));
  }
}

/// Places in values_->writes().
const std::vector<std::int32_t>& StallAnalysis::writes_of(std::int64_t word) const {
  static const std::vector<std::int32_t> none;
  const auto found = writes_of_word_.find(word);
  return found == writes_of_word_.end() ? none : found->second;
}

/// The writes without which an executed poll is not fulfilled. With an order, values that are
/// overwritten before the poll starts, or written after it, do not count. True if any was added.
bool StallAnalysis::find_poll_edges(const Order* order) {
  bool added = false;
  result_->loose_polls = false;
  const auto add = [&](std::int32_t write, std::int32_t poll) {
    if (poll_needs(write, poll)) return;
    result_->poll_edges.push_back({write, poll});
    needed_[poll].push_back(write);
    added = true;
  };
  std::vector<std::int32_t> candidates;
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
        for (const std::int32_t w : writes_of(word)) {
          const PolledWrite& other = values_->writes()[to_size(w)];
          if (other.atomic || other.cached || !other.value.known ||
              fulfils(poll, wanted, other.value)) {
            continue;
          }
          const bool after = write < 0 || order->before(write, other.step);
          if (after && is_over(*program_, *result_, *order, other.step, here)) return true;
        }
        return false;
      };
      const MaybeWord start = values_->initial(word);
      if (fulfils(poll, wanted, start) && !is_gone(-1)) continue;
      candidates.clear();
      int plain = 0, adds = 0;
      std::uint64_t sum = start.value;
      for (const std::int32_t w : writes_of(word)) {
        const PolledWrite& write = values_->writes()[to_size(w)];
        if (order != nullptr && order->before(here, write.step)) continue;
        if (write.atomic) {
          ++adds;
          sum += write.value.known ? write.value.value : (std::uint64_t{1} << 40);
          continue;
        }
        ++plain;
        if (fulfils(poll, wanted, write.value) && !is_gone(write.step)) {
          candidates.push_back(write.step);
        }
      }
      if (adds == 0 && !candidates.empty()) {
        // Whichever of them the poll saw, the first one was made.
        std::int32_t first = candidates.front();
        for (const std::int32_t write : candidates) {
          if (order != nullptr && order->before(write, first)) first = write;
        }
        const bool leads =
            std::all_of(candidates.begin(), candidates.end(), [&](std::int32_t write) {
              return write == first || (order != nullptr && order->before(first, write));
            });
        if (leads) add(first, here);
        if (!leads) result_->loose_polls = true;
      }
      if (plain > 0 || sum > UINT32_MAX) continue;
      for (const std::int32_t w : writes_of(word)) {
        const PolledWrite& write = values_->writes()[to_size(w)];
        const bool later = order != nullptr && order->before(here, write.step);
        if (!later && sum - write.value.value < wanted) add(write.step, here);
      }
    }
  }
  if (added) {
    std::stable_sort(result_->poll_edges.begin(), result_->poll_edges.end(),
                     [](const PollEdge& a, const PollEdge& b) { return a.poll < b.poll; });
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
          const std::vector<std::int32_t>& writes = writes_of(word);
          const bool any_cached =
              is_cached_poll(poll) ||
              std::any_of(writes.begin(), writes.end(), [&](std::int32_t write) {
                return values_->writes()[to_size(write)].cached;
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
  const std::vector<std::int32_t>& writes = writes_of(word);
  if (fulfils(poll, wanted, values_->initial(word))) return true;
  return std::any_of(writes.begin(), writes.end(), [&](std::int32_t place) {
    const PolledWrite& write = values_->writes()[to_size(place)];
    return write.atomic || fulfils(poll, wanted, write.value);
  });
}

bool StallAnalysis::poll_needs(std::int32_t write, std::int32_t poll) const {
  const auto found = needed_.find(poll);
  return found != needed_.end() &&
         std::find(found->second.begin(), found->second.end(), write) != found->second.end();
}

/// Once true in GM, does the predicate stay true until the poll has seen it?
bool StallAnalysis::poll_stays(const Order& order, std::int32_t thread, std::int32_t place) const {
  const Step& poll = program_->threads[to_size(thread)].steps[to_size(place)];
  const std::int32_t flat = result_->flat(thread, place);
  const std::int64_t word = program_->ranges[to_size(poll.reads_begin)].first;
  const std::uint32_t wanted = values_->poll_wanted(flat);
  if (!values_->initial(word).known) return false;
  const auto needed = needed_.find(flat);
  for (const std::int32_t place_of_write : writes_of(word)) {
    const PolledWrite& write = values_->writes()[to_size(place_of_write)];
    if (order.before(flat, write.step)) continue;
    if (!write.value.known) return false;
    if (write.atomic) {
      if (poll.until == Compare::at_least || poll_needs(write.step, flat)) continue;
      return false;
    }
    if (fulfils(poll, wanted, write.value)) continue;
    if (needed == needed_.end()) return false;
    const bool earlier = std::any_of(
        needed->second.begin(), needed->second.end(),
        [&](std::int32_t other) { return order.block_before(write.step, word, other); });
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
  const auto known = needed_.find(flat);
  const std::vector<std::int32_t> needed =
      known == needed_.end() ? std::vector<std::int32_t>() : known->second;
  const bool from_start = fulfils(poll, values_->poll_wanted(flat), values_->initial(word));
  if (is_cached_poll(poll) && !from_start) {
    const Step* before =
        place > 0 ? &program_->threads[to_size(thread)].steps[to_size(place) - 1] : nullptr;
    const bool fetched = before != nullptr && before->kind == StepKind::refresh &&
                         (before->line == line || before->line < 0);
    bool all_before = fetched && !needed.empty();
    for (const std::int32_t write : needed) {
      all_before = all_before && is_over(*program_, *result_, order, write, flat - 1);
    }
    if (!all_before) return false;
  }
  const auto stores = stores_of_line_.find(line);
  if (stores == stores_of_line_.end()) return true;
  return std::all_of(stores->second.begin(), stores->second.end(), [&](std::int32_t store) {
    return store_is_harmless(order, store, flat, needed);
  });
}

/// A store to the polled line: a needed one has to be refreshed, another one must have
/// landed before the needed writes or come after the poll.
bool StallAnalysis::store_is_harmless(const Order& order, std::int32_t store, std::int32_t poll,
                                      const std::vector<std::int32_t>& needed) const {
  if (result_->executed[to_size(store)] == 0 || order.before(poll, store)) return true;
  const std::int32_t thread = result_->thread_of(store);
  const std::vector<Step>& steps = program_->threads[to_size(thread)].steps;
  const std::size_t place = to_size(store - result_->first_step[to_size(thread)]);
  const std::int64_t line = program_->ranges[to_size(steps[place].writes_begin)].first / line_words;
  const bool is_needed = std::find(needed.begin(), needed.end(), store) != needed.end();
  bool refreshed = false;
  for (std::size_t r = place + 1; r < steps.size(); ++r) {
    const std::int32_t at = result_->flat(thread, static_cast<std::int32_t>(r));
    if (result_->executed[to_size(at)] == 0) return false;
    if (steps[r].kind == StepKind::refresh && steps[r].origin != Origin::end_of_launch &&
        (steps[r].line < 0 || steps[r].line == line)) {
      refreshed = true;
      // One that the core reaches only after the poll brings nothing into GM for it.
      if (is_needed) {
        return !PollChain{*program_, *result_, order, needed_, {}}.leans_on(at, poll);
      }
    }
    if (refreshed && !is_needed && steps[r].kind == StepKind::dsb &&
        std::all_of(needed.begin(), needed.end(),
                    [&](std::int32_t write) { return order.before(at, write); })) {
      return true;
    }
  }
  return false;
}

}  // namespace skcts::model
