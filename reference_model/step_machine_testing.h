// A machine that carries the steps of a launch out under a random schedule, with torn transfers,
// raises on their way, caches that drop and write back when they like. Tests only: whatever it ends
// with must be inside what the analysis allows.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "reference_model/steps.h"
#include "spec/arithmetic.h"

namespace skcts::model::testing {

class StepMachine {
 public:
  /// `prefetch`: lines may be fetched at any time.
  StepMachine(const LaunchProgram& program, std::vector<std::uint32_t> gm, std::uint64_t seed,
              bool prefetch = false)
      : program_(program), gm_(std::move(gm)), random_(seed), prefetch_(prefetch) {
    cores_.resize(program.threads.size());
    joins_.resize(program.joins.size());
  }

  /// Runs until nothing can move; true when every thread came to its end.
  bool run() {
    // Now and then a run prefers few threads, so that others fall far behind.
    favourite_ =
        random_() % 3 == 0 ? static_cast<std::size_t>(random_() % cores_.size()) : SIZE_MAX;
    while (step()) {
    }
    bool done = true;
    for (std::size_t t = 0; t < cores_.size(); ++t) {
      Core& core = cores_[t];
      done = done && core.next == program_.threads[t].steps.size();
      for (const std::vector<Issued>& queue : core.queue) done = done && queue.empty();
      done = done && core.flying.empty();
    }
    for (Core& core : cores_) {
      while (!core.stores.empty()) land_store(core, 0);
      while (!core.landing.empty()) land(core, 0);
      for (auto& [line, held] : core.cache) {
        if (held.dirty) write_back(line, held);
      }
      core.cache.clear();
    }
    return done;
  }
  const std::vector<std::uint32_t>& memory() const { return gm_; }

 private:
  struct Line {
    std::array<std::uint32_t, 16> words{};
    bool dirty = false;
  };
  struct Issued {
    const Step* step = nullptr;
    std::uint32_t operand = 0;
  };
  struct Flight {
    Issued issued;
    std::size_t pipe = 0;
    std::vector<std::uint32_t> values;  ///< Read so far.
    std::vector<std::uint8_t> read;
    std::vector<std::int32_t> left;  ///< Words to be read, then to be written.
    bool writing = false;
  };
  struct Landing {
    std::int64_t line = 0;
    Line data;
    std::int64_t arrivals = 0;  ///< Boundary arrivals issued before it.
  };
  struct Raise {
    std::int32_t id = 0, mode = 0;
  };
  struct Core {
    std::size_t next = 0;
    std::array<std::vector<Issued>, 8> queue;
    std::vector<Flight> flying;
    std::map<std::int64_t, Line> cache;
    std::vector<Landing> landing;
    std::vector<std::pair<std::int64_t, std::uint32_t>> stores;
    std::map<std::int64_t, std::uint32_t> local;
    std::array<std::uint32_t, 8> reg{};
    std::map<std::int64_t, int> events;  ///< A set whose wait is issued may be followed by another.
    std::vector<Raise> raised;
    std::map<std::int32_t, int> arrived;  ///< By id and mode.
    std::array<int, 16> counter{};
    std::int64_t arrivals = 0;
  };
  struct JoinState {
    std::map<std::int32_t, std::int64_t> came;  ///< Thread, and its boundary arrivals then.
  };

  std::size_t pick(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  /// Tries moves at random until one can be made.
  bool step() {
    const std::size_t moves = cores_.size() * 13;
    std::size_t move = pick(moves);
    if (favourite_ != SIZE_MAX && random_() % 8 != 0) move = favourite_ * 13 + pick(13);
    for (std::size_t tried = 0; tried < moves; ++tried, move = (move + 1) % moves) {
      Core& core = cores_[move / 13];
      const std::size_t what = move % 13;
      if (what == 0) {
        if (issue(move / 13)) return true;
      } else if (what <= 7) {
        if (start(move / 13, what)) return true;
      } else if (what <= 9) {
        if (!core.flying.empty()) return fly(core, pick(core.flying.size()));
      } else if (what == 10) {
        if (deliver(move / 13)) return true;
      } else if (what == 11) {
        if (!core.landing.empty()) return land(core, pick(core.landing.size()));
        if (!core.stores.empty()) return land_store(core, pick(core.stores.size()));
      } else if (prefetch_ && tried == 0 && random_() % 2 == 0) {
        fetch(core, static_cast<std::int64_t>(pick(gm_.size() / 16)));
        return true;
      } else if (!core.cache.empty() && random_() % 4 == 0 && tried == 0) {
        auto held = core.cache.begin();
        std::advance(held, static_cast<std::ptrdiff_t>(pick(core.cache.size())));
        if (held->second.dirty) write_back(held->first, held->second);
        if (random_() % 2 == 0) core.cache.erase(held);
        return true;
      }
    }
    return false;
  }

  void write_back(std::int64_t line, Line& held) {
    for (std::size_t i = 0; i < 16; ++i)
      gm_[static_cast<std::size_t>(line) * 16 + i] = held.words[i];
    held.dirty = false;
  }
  bool land(Core& core, std::size_t which) {
    write_back(core.landing[which].line, core.landing[which].data);
    core.landing.erase(core.landing.begin() + static_cast<std::ptrdiff_t>(which));
    return true;
  }
  bool land_store(Core& core, std::size_t which) {
    gm_[static_cast<std::size_t>(core.stores[which].first)] = core.stores[which].second;
    core.stores.erase(core.stores.begin() + static_cast<std::ptrdiff_t>(which));
    return true;
  }
  void refresh_line(Core& core, std::map<std::int64_t, Line>::iterator held) {
    if (held->second.dirty) core.landing.push_back({held->first, held->second, core.arrivals});
    core.cache.erase(held);
  }
  /// Fetches a line; false while an own write-back of it is on its way.
  bool fetch(Core& core, std::int64_t line) {
    if (core.cache.contains(line)) return true;
    for (const Landing& landing : core.landing) {
      if (landing.line == line) return false;
    }
    Line& held = core.cache[line];
    for (std::size_t i = 0; i < 16; ++i)
      held.words[i] = gm_[static_cast<std::size_t>(line) * 16 + i];
    return true;
  }

  std::uint32_t& word(Core& core, const WordRange& range, std::int32_t i) {
    if (range.space == Space::gm) return gm_[static_cast<std::size_t>(range.first + i)];
    return core.local[static_cast<std::int64_t>(range.space) * 1000000 + range.first + i];
  }
  const WordRange& range(std::int32_t number) const {
    return program_.ranges[static_cast<std::size_t>(number)];
  }

  /// All pipes of the core have nothing left to do.
  static bool drained(const Core& core) {
    for (const std::vector<Issued>& queue : core.queue) {
      if (!queue.empty()) return false;
    }
    return core.flying.empty();
  }
  static bool drained(const Core& core, std::size_t pipe) {
    for (const Flight& flight : core.flying) {
      if (flight.pipe == pipe) return false;
    }
    return true;
  }

  bool issue(std::size_t thread) {
    Core& core = cores_[thread];
    const std::vector<Step>& steps = program_.threads[thread].steps;
    if (core.next == steps.size()) return false;
    const Step& step = steps[core.next];
    const std::uint32_t operand =
        step.reg_in >= 0 ? core.reg[static_cast<std::size_t>(step.reg_in)] : step.value;
    switch (step.kind) {
      case StepKind::data:
      case StepKind::set_event:
      case StepKind::wait_event:
      case StepKind::raise:
      case StepKind::barrier:
      case StepKind::arrive:
        if (step.pipe == Pipe::all) {
          if (!drained(core)) return false;
          if (step.kind == StepKind::arrive) arrive(thread, step);
        } else if (step.pipe == Pipe::s) {
          if (!scalar_sync(thread, step)) return false;
        } else {
          core.queue[static_cast<std::size_t>(step.pipe)].push_back({&step, operand});
        }
        break;
      default:
        if (!scalar(thread, step, operand)) return false;
    }
    ++core.next;
    return true;
  }

  static std::int64_t event_key(const Step& step) {
    return (static_cast<std::int64_t>(step.event.source) * 8 +
            static_cast<std::int64_t>(step.event.destination)) *
               16 +
           step.id;
  }
  bool scalar_sync(std::size_t thread, const Step& step) {
    Core& core = cores_[thread];
    if (step.kind == StepKind::set_event) {
      ++core.events[event_key(step)];
    } else if (step.kind == StepKind::wait_event) {
      int& flag = core.events[event_key(step)];
      if (flag == 0) return false;
      --flag;
    } else if (step.kind == StepKind::arrive) {
      arrive(thread, step);
    }
    return true;
  }
  void arrive(std::size_t thread, const Step& step) {
    Core& core = cores_[thread];
    const auto join = static_cast<std::size_t>(step.join);
    if (program_.joins[join].kind == JoinKind::boundary) ++core.arrivals;
    joins_[join].came[static_cast<std::int32_t>(thread)] = core.arrivals;
  }

  bool scalar(std::size_t thread, const Step& step, std::uint32_t operand) {
    Core& core = cores_[thread];
    const auto out = [&](std::uint32_t value) {
      if (step.reg_out >= 0) core.reg[static_cast<std::size_t>(step.reg_out)] = value;
    };
    switch (step.kind) {
      case StepKind::load: {
        const std::int64_t at = range(step.reads_begin).first;
        if (!fetch(core, at / 16)) return false;
        out(core.cache[at / 16].words[static_cast<std::size_t>(at % 16)]);
        return true;
      }
      case StepKind::store: {
        const std::int64_t at = range(step.writes_begin).first;
        if (!fetch(core, at / 16)) return false;
        Line& held = core.cache[at / 16];
        held.words[static_cast<std::size_t>(at % 16)] = operand;
        held.dirty = true;
        return true;
      }
      case StepKind::load_bypass:
      case StepKind::local_load: out(word(core, range(step.reads_begin), 0)); return true;
      case StepKind::store_bypass:
        core.stores.emplace_back(range(step.writes_begin).first, operand);
        return true;
      case StepKind::local_store: word(core, range(step.writes_begin), 0) = operand; return true;
      case StepKind::refresh:
        if (step.line >= 0) {
          const auto held = core.cache.find(step.line);
          if (held != core.cache.end()) refresh_line(core, held);
        } else {
          while (!core.cache.empty()) refresh_line(core, core.cache.begin());
        }
        return true;
      case StepKind::dsb: return core.landing.empty() && core.stores.empty();
      case StepKind::wait: {
        int& counter = cores_[thread].counter[static_cast<std::size_t>(step.id)];
        if (counter == 0) return false;
        --counter;
        return true;
      }
      case StepKind::pass: return passes(step);
      case StepKind::mark:
        if (step.mark == MarkKind::sub_kernel_begin) core.reg.fill(0);
        return true;
      case StepKind::poll: {
        const std::uint32_t seen = word(core, range(step.reads_begin), 0);
        if (step.until == Compare::equal ? seen != operand : seen < operand) return false;
        out(seen);
        return true;
      }
      default: return true;
    }
  }
  bool passes(const Step& step) {
    const Join& join = program_.joins[static_cast<std::size_t>(step.join)];
    const JoinState& state = joins_[static_cast<std::size_t>(step.join)];
    for (const std::int32_t member : join.members) {
      const auto came = state.came.find(member);
      if (came == state.came.end()) return false;
      if (join.kind != JoinKind::boundary) continue;
      for (const Landing& landing : cores_[static_cast<std::size_t>(member)].landing) {
        if (landing.arrivals < came->second) return false;
      }
    }
    return true;
  }

  /// The head of a pipe's queue.
  bool start(std::size_t thread, std::size_t pipe) {
    Core& core = cores_[thread];
    std::vector<Issued>& queue = core.queue[pipe];
    if (queue.empty()) return false;
    const Issued head = queue.front();
    const Step& step = *head.step;
    switch (step.kind) {
      case StepKind::data: {
        Flight flight{head, pipe, {}, {}, {}, false};
        for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
          for (std::int32_t i = 0; i < range(r).count; ++i) flight.values.push_back(0);
        }
        for (std::size_t i = 0; i < flight.values.size(); ++i) {
          flight.left.push_back(static_cast<std::int32_t>(i));
        }
        core.flying.push_back(std::move(flight));
        break;
      }
      case StepKind::wait_event: {
        int& flag = core.events[event_key(step)];
        if (flag == 0) return false;
        --flag;
        break;
      }
      default:
        if (!drained(core, pipe)) return false;
        if (step.kind == StepKind::set_event) ++core.events[event_key(step)];
        if (step.kind == StepKind::raise) core.raised.push_back({step.id, step.mode});
        if (step.kind == StepKind::arrive) arrive(thread, step);
    }
    queue.erase(queue.begin());
    return true;
  }

  /// One word of an instruction that is under way, or its end.
  bool fly(Core& core, std::size_t which) {
    Flight& flight = core.flying[which];
    const Step& step = *flight.issued.step;
    if (!flight.writing) {
      if (!flight.left.empty()) {
        const std::size_t taken = pick(flight.left.size());
        std::int32_t i = flight.left[taken];
        flight.left.erase(flight.left.begin() + static_cast<std::ptrdiff_t>(taken));
        const auto place = static_cast<std::size_t>(i);
        std::int32_t r = step.reads_begin;
        while (i >= range(r).count) i -= range(r++).count;
        flight.values[place] = word(core, range(r), i);
        return true;
      }
      flight.writing = true;
      std::int32_t total = 0;
      for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) total += range(r).count;
      for (std::int32_t i = 0; i < total; ++i) flight.left.push_back(i);
      return true;
    }
    if (flight.left.empty()) {
      core.flying.erase(core.flying.begin() + static_cast<std::ptrdiff_t>(which));
      return true;
    }
    const std::size_t taken = pick(flight.left.size());
    const std::int32_t number = flight.left[taken];
    flight.left.erase(flight.left.begin() + static_cast<std::ptrdiff_t>(taken));
    std::int32_t r = step.writes_begin, i = number;
    while (i >= range(r).count) i -= range(r++).count;
    const std::uint32_t value = result(flight, number);
    std::uint32_t& to = word(core, range(r), i);
    to = step.atomic_add ? to + value : value;
    return true;
  }
  std::uint32_t result(const Flight& flight, std::int32_t number) {
    const Step& step = *flight.issued.step;
    const auto j = static_cast<std::size_t>(number);
    const std::uint32_t operand = flight.issued.operand;
    switch (step.function) {
      case Function::fill: return operand;
      case Function::copy: return flight.values[j];
      case Function::adds: return flight.values[j] + operand;
      case Function::add: return flight.values[j] + flight.values[flight.values.size() / 2 + j];
      case Function::mmad:
        return mmad_word(flight.values[j], flight.values[flight.values.size() / 2 + j]);
      case Function::opaque: {
        std::uint32_t state = opaque_start;
        for (const std::uint32_t value : flight.values) state = opaque_fold(state, value);
        return opaque_word(state, operand, static_cast<std::uint32_t>(number));
      }
      case Function::none: return static_cast<std::uint32_t>(random_());
    }
    return 0;
  }

  /// A raise takes effect: it counts for its core, and a rule may fire.
  bool deliver(std::size_t thread) {
    Core& core = cores_[thread];
    if (core.raised.empty()) return false;
    const std::size_t which = pick(core.raised.size());
    const Raise raise = core.raised[which];
    core.raised.erase(core.raised.begin() + static_cast<std::ptrdiff_t>(which));
    const std::int32_t key = raise.id * 4 + raise.mode;
    ++core.arrived[key];
    const CoreId own = program_.threads[thread].core;
    const std::int32_t ratio = program_.shape.ratio;
    const auto block_of = [&](CoreId id) {
      return id.kind == CoreKind::aic ? id.index : id.index / ratio;
    };
    const auto gives = [&](CoreId id) {
      if (id.kind != own.kind) return false;
      return raise.mode == 0 || block_of(id) == block_of(own);
    };
    const auto receives = [&](CoreId id) {
      if (raise.mode == 0) return id.kind == own.kind;
      return block_of(id) == block_of(own) && (id.kind == own.kind) == (raise.mode == 1);
    };
    // Threads beyond the cores are services of cubes; they raise nothing.
    const auto cores =
        static_cast<std::size_t>(program_.shape.aic_count + program_.shape.aiv_count);
    for (std::size_t t = 0; t < cores; ++t) {
      if (gives(program_.threads[t].core) && cores_[t].arrived[key] == 0) return true;
    }
    for (std::size_t t = 0; t < cores; ++t) {
      if (gives(program_.threads[t].core)) --cores_[t].arrived[key];
      if (receives(program_.threads[t].core))
        ++cores_[t].counter[static_cast<std::size_t>(raise.id)];
    }
    return true;
  }

  const LaunchProgram& program_;
  std::vector<std::uint32_t> gm_;
  std::mt19937_64 random_;
  bool prefetch_;
  std::vector<Core> cores_;
  std::vector<JoinState> joins_;
  std::size_t favourite_ = SIZE_MAX;
};

}  // namespace skcts::model::testing
