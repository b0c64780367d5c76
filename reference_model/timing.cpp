#include "reference_model/timing.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "spec/cost_table.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// Does the scalar unit itself carry it out, and nothing behind it is issued before?
bool blocks_issue(const Step& step) {
  switch (step.kind) {
    case StepKind::data:
    case StepKind::set_event:
    case StepKind::raise:
    case StepKind::arrive: return false;
    case StepKind::wait_event: return step.pipe == Pipe::s;
    case StepKind::barrier: return step.pipe == Pipe::all || step.pipe == Pipe::s;
    case StepKind::mark: return false;
    default: return true;
  }
}

class Clock {
 public:
  Clock(const LaunchProgram& program, const StallResult& stall, const StepCost& cost)
      : program_(program), stall_(stall), cost_(cost), threads_(program.threads.size()) {}

  Timing run() {
    timing_.steps.resize(stall_.executed.size());
    index_waits();
    joins_.resize(program_.joins.size());
    for (std::size_t t = 0; t < threads_.size(); ++t) reach(t, 0);
    for (const std::int32_t flat : stall_.linear) execute(flat);
    return std::move(timing_);
  }

 private:
  static constexpr std::size_t slots = 8;
  struct ThreadClock {
    std::int64_t scalar = 0;  ///< The scalar unit is free.
    std::array<std::int64_t, slots> pipe{};
  };
  struct Latest {
    std::int64_t time = 0;
    std::int32_t by = -1;
    void see(std::int64_t when, std::int32_t flat) {
      if (by < 0 || when > time) time = when, by = flat;
    }
  };

  const Step& step_at(std::size_t thread, std::int32_t flat) const {
    return program_.threads[thread].steps[at(flat - stall_.first_step[thread])];
  }

  void index_waits() {
    for (std::size_t c = 0; c < stall_.counters.size(); ++c) {
      const Counter& counter = stall_.counters[c];
      for (std::int32_t n = 0; n < counter.wait_count; ++n) {
        const std::int32_t flat = stall_.wait_steps[at(counter.first_wait + n)];
        waits_[flat] = {static_cast<std::int32_t>(c), n};
      }
    }
    for (const PollEdge& edge : stall_.poll_edges) polls_[edge.poll].push_back(edge.write);
  }

  /// The scalar unit issues from there to the next step that holds it.
  void reach(std::size_t thread, std::int32_t place) {
    const std::vector<Step>& steps = program_.threads[thread].steps;
    for (; at(place) < steps.size(); ++place) {
      if (place >= stall_.issued[thread] && !blocks_issue(steps[at(place)])) break;
      timing_.steps[at(stall_.flat(static_cast<std::int32_t>(thread), place))].issued =
          threads_[thread].scalar;
      if (blocks_issue(steps[at(place)])) break;
    }
  }

  /// The k-th increment of a counter, among those that came so far.
  Latest increment(const Counter& counter, std::int32_t turn) const {
    std::vector<Latest> all;
    for (std::int32_t f = 0; f < counter.feeder_count; ++f) {
      const Feeder& feeder = stall_.feeders[at(counter.first_feeder + f)];
      for (std::int32_t n = 0; n < feeder.increments; ++n) {
        Latest one;
        for (std::int32_t s = 0; s < feeder.count; ++s) {
          const RaiseStream& stream =
              stall_.streams[at(stall_.feeder_streams[at(feeder.first + s)])];
          const std::int32_t raise = stall_.raise_steps[at(stream.first + n)];
          const std::int64_t end = timing_.steps[at(raise)].end;
          if (end < 0) return released(all, turn);
          one.see(end, raise);
        }
        all.push_back(one);
      }
    }
    return released(all, turn);
  }
  static Latest released(std::vector<Latest>& all, std::int32_t turn) {
    if (at(turn) >= all.size()) return {};
    std::sort(all.begin(), all.end(), [](const Latest& a, const Latest& b) {
      return a.time != b.time ? a.time < b.time : a.by < b.by;
    });
    return all[at(turn)];
  }

  Latest released_by(const Step& step, std::int32_t flat) const {
    Latest latest;
    switch (step.kind) {
      case StepKind::wait_event: {
        const std::int32_t set = stall_.partner[at(flat)];
        if (set >= 0) latest.see(timing_.steps[at(set)].end, set);
        break;
      }
      case StepKind::wait: {
        const auto found = waits_.find(flat);
        if (found == waits_.end()) break;
        return increment(stall_.counters[at(found->second.first)], found->second.second);
      }
      case StepKind::pass: return joins_[at(step.join)];
      case StepKind::poll: {
        const auto found = polls_.find(flat);
        if (found == polls_.end()) break;
        for (const std::int32_t write : found->second) {
          latest.see(timing_.steps[at(write)].end, write);
        }
        break;
      }
      default: break;
    }
    return latest;
  }

  void execute(std::int32_t flat) {
    const auto thread = at(stall_.thread_of(flat));
    ThreadClock& own = threads_[thread];
    const Step& step = step_at(thread, flat);
    StepTime& time = timing_.steps[at(flat)];
    const bool all = step.pipe == Pipe::all;
    const auto lane = static_cast<std::size_t>(step.pipe);
    std::int64_t start = std::max<std::int64_t>(time.issued, 0);
    if (blocks_issue(step)) start = std::max(start, own.scalar);
    if (all) {
      for (const std::int64_t busy : own.pipe) start = std::max(start, busy);
    } else {
      start = std::max(start, own.pipe[lane]);
    }
    const Latest latest = released_by(step, flat);
    if (latest.by >= 0 && latest.time > start) {
      start = latest.time;
      time.released_by = latest.by;
    } else if (latest.by >= 0 && latest.time == start) {
      time.released_by = latest.by;
    }
    time.start = start;
    time.end = start + cost_(step);
    timing_.end = std::max(timing_.end, time.end);
    if (all) {
      own.pipe.fill(time.end);
    } else if (step.kind != StepKind::mark) {
      own.pipe[lane] = time.end;
    }
    if (step.kind == StepKind::arrive) joins_[at(step.join)].see(time.end, flat);
    if (!blocks_issue(step)) return;
    own.scalar = time.end;
    reach(thread, flat - stall_.first_step[thread] + 1);
  }

  const LaunchProgram& program_;
  const StallResult& stall_;
  const StepCost& cost_;
  Timing timing_;
  std::vector<ThreadClock> threads_;
  std::vector<Latest> joins_;
  std::unordered_map<std::int32_t, std::pair<std::int32_t, std::int32_t>> waits_;
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> polls_;
};

}  // namespace

Timing timing_of(const LaunchProgram& program, const StallResult& stall, const StepCost& cost) {
  return Clock(program, stall, cost).run();
}

std::int64_t one_unit(const Step& step) {
  return step.kind == StepKind::mark ? 0 : 1;
}

StepCost cycles_of(const Profile& profile, const LaunchProgram& program) {
  const CostTable table = cost_table_of(profile);
  const std::int32_t block = profile.dma_block_words();
  return [table, &program, block](const Step& step) -> std::int64_t {
    // The same at the end of every variant, and nobody waits for it.
    if (step.origin == Origin::end_of_launch) return 0;
    switch (step.kind) {
      case StepKind::data: {
        std::int64_t words = 0;
        for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
          words = std::max<std::int64_t>(words, program.ranges[at(r)].count);
        }
        for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
          words = std::max<std::int64_t>(words, program.ranges[at(r)].count);
        }
        const PipeCost& pipe = table.pipes[static_cast<std::size_t>(step.pipe)];
        return pipe.start + pipe.block * ((words + block - 1) / block);
      }
      case StepKind::load:
      case StepKind::store: return table.cached_access;
      case StepKind::load_bypass:
      case StepKind::store_bypass:
      case StepKind::poll: return table.uncached_access;
      case StepKind::local_load:
      case StepKind::local_store: return table.scalar;
      case StepKind::refresh: return step.line < 0 ? table.refresh_all : table.refresh_line;
      case StepKind::dsb: return table.data_barrier;
      case StepKind::set_event:
      case StepKind::wait_event:
      case StepKind::barrier: return table.event;
      case StepKind::raise:
      case StepKind::wait: return table.flag;
      case StepKind::arrive:
      case StepKind::pass: return table.join;
      case StepKind::mark: return 0;
    }
    return 0;
  };
}

}  // namespace skcts::model
