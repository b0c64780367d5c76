#include "reference_model/stall_values.h"

#include <algorithm>

#include "spec/arithmetic.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

bool holds(Compare compare, std::uint32_t value, std::uint32_t wanted) {
  return compare == Compare::equal ? value == wanted : value >= wanted;
}

}  // namespace

bool fulfils(const Step& poll, std::uint32_t wanted, MaybeWord word) {
  return !word.known || holds(poll.until, word.value, wanted);
}

void StepValues::start(const LaunchProgram& program, const GmView& memory) {
  program_ = &program;
  start_ = memory;
  gm_.resize(memory.value.size());
  for (std::size_t w = 0; w < gm_.size(); ++w) gm_[w] = initial(static_cast<std::int64_t>(w));
  std::array<MaybeWord, 8> zero{};
  zero.fill({0, true});
  registers_.assign(program.threads.size(), zero);
  captured_.clear();
  wanted_.clear();
  writes_.clear();
  polled_.clear();
  windows_.assign(program.threads.size() * spaces, Window());
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    for (const Step& step : program.threads[t].steps) {
      if (step.kind == StepKind::poll) {
        polled_.push_back(program.ranges[to_size(step.reads_begin)].first);
      }
      for (std::int32_t r = step.reads_begin; r < step.writes_end; ++r) {
        const WordRange& range = program.ranges[to_size(r)];
        if (range.space == Space::gm) continue;
        Window& window = windows_[t * spaces + static_cast<std::size_t>(range.space)];
        window.first = std::min(window.first, range.first);
        window.last = std::max(window.last, range.first + range.count);
      }
    }
  }
  std::sort(polled_.begin(), polled_.end());
  std::size_t words = 0;
  for (Window& window : windows_) {
    if (window.last <= window.first) continue;
    window.base = words;
    words += to_size(window.last - window.first);
  }
  local_.assign(words, MaybeWord());
}

MaybeWord StepValues::initial(std::int64_t word) const {
  const std::size_t at = to_size(word);
  return {start_.value[at], start_.known.empty() || start_.known[at] != 0};
}

void StepValues::issue(std::int32_t thread, const Step& step, std::int32_t flat) {
  if (step.reg_in < 0) return;
  captured_[flat] = registers_[to_size(thread)][to_size(step.reg_in)];
}

std::uint32_t StepValues::wanted(std::int32_t thread, const Step& poll) const {
  return poll.reg_in < 0 ? poll.value : registers_[to_size(thread)][to_size(poll.reg_in)].value;
}

bool StepValues::poll_holds(std::int32_t thread, const Step& poll) const {
  const WordRange& range = program_->ranges[to_size(poll.reads_begin)];
  return fulfils(poll, wanted(thread, poll), gm_[to_size(range.first)]);
}

MaybeWord& StepValues::local_word(std::int32_t thread, Space space, std::int64_t word) {
  const Window& window = windows_[to_size(thread) * spaces + static_cast<std::size_t>(space)];
  return local_[window.base + to_size(word - window.first)];
}

MaybeWord StepValues::read(std::int32_t thread, const WordRange& range, std::int32_t at) {
  return range.space == Space::gm ? gm_[to_size(range.first + at)]
                                  : local_word(thread, range.space, range.first + at);
}

void StepValues::write(std::int32_t thread, const Step& step, std::int32_t flat,
                       const WordRange& range, std::int32_t at, MaybeWord value) {
  if (range.space != Space::gm) {
    local_word(thread, range.space, range.first + at) = value;
    return;
  }
  const std::int64_t word = range.first + at;
  MaybeWord& now = gm_[to_size(word)];
  if (step.atomic_add) {
    now = {now.value + value.value, now.known && value.known};
  } else {
    now = value;
  }
  if (std::binary_search(polled_.begin(), polled_.end(), word)) {
    writes_.push_back({flat, thread, word, value, step.atomic_add, step.kind == StepKind::store});
  }
}

MaybeWord StepValues::operand(std::int32_t thread, const Step& step, std::int32_t flat) const {
  if (step.reg_in < 0) return {step.value, true};
  const auto found = captured_.find(flat);
  return found != captured_.end() ? found->second
                                  : registers_[to_size(thread)][to_size(step.reg_in)];
}

void StepValues::execute(std::int32_t thread, const Step& step, std::int32_t flat) {
  const auto range = [&](std::int32_t place) { return program_->ranges[to_size(place)]; };
  switch (step.kind) {
    case StepKind::mark:
      if (step.mark == MarkKind::sub_kernel_begin) {
        for (MaybeWord& one : registers_[to_size(thread)]) one = {0, true};
      }
      return;
    case StepKind::load:
    case StepKind::load_bypass:
    case StepKind::local_load:
    case StepKind::poll:
      if (step.kind == StepKind::poll) wanted_[flat] = wanted(thread, step);
      if (step.reg_out >= 0) {
        registers_[to_size(thread)][to_size(step.reg_out)] =
            read(thread, range(step.reads_begin), 0);
      }
      return;
    case StepKind::store:
    case StepKind::store_bypass:
    case StepKind::local_store:
      return write(thread, step, flat, range(step.writes_begin), 0, operand(thread, step, flat));
    case StepKind::data: return data(thread, step, flat);
    default: return;
  }
}

void StepValues::data(std::int32_t thread, const Step& step, std::int32_t flat) {
  const MaybeWord by = operand(thread, step, flat);
  const std::int32_t sources = step.reads_end - step.reads_begin;
  MaybeWord state{opaque_start, true};
  if (step.function == Function::opaque) {
    for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
      const WordRange range = program_->ranges[to_size(r)];
      for (std::int32_t j = 0; j < range.count; ++j) {
        const MaybeWord one = read(thread, range, j);
        state = {opaque_fold(state.value, one.value), state.known && one.known};
      }
    }
  }
  std::uint32_t number = 0;
  buffer_.clear();
  const auto source = [&](std::int32_t which, std::int32_t j) {
    if (which >= sources) return MaybeWord{};
    return read(thread, program_->ranges[to_size(step.reads_begin + which)], j);
  };
  for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
    const std::int32_t count = program_->ranges[to_size(w)].count;
    for (std::int32_t j = 0; j < count; ++j) {
      MaybeWord made;
      switch (step.function) {
        case Function::none: break;
        case Function::copy: made = source(0, j); break;
        case Function::fill: made = by; break;
        case Function::adds: {
          const MaybeWord a = source(0, j);
          made = {a.value + by.value, a.known && by.known};
          break;
        }
        case Function::add: {
          const MaybeWord a = source(0, j), b = source(1, j);
          made = {a.value + b.value, a.known && b.known};
          break;
        }
        case Function::mmad: {
          const MaybeWord a = source(0, j), b = source(1, j);
          made = {mmad_word(a.value, b.value), a.known && b.known};
          break;
        }
        case Function::opaque:
          made = {opaque_word(state.value, by.value, number), state.known && by.known};
          break;
      }
      ++number;
      buffer_.push_back(made);
    }
  }
  std::size_t next = 0;
  for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
    const WordRange range = program_->ranges[to_size(w)];
    for (std::int32_t j = 0; j < range.count; ++j) {
      write(thread, step, flat, range, j, buffer_[next++]);
    }
  }
}

}  // namespace skcts::model
