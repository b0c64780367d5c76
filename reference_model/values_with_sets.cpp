// Values where something races: closures of words, and sets through copies and computes. Why that
// is sound stands at the top of values.cpp.
#include <algorithm>

#include "reference_model/values.h"
#include "spec/arithmetic.h"
#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr int most_passes = 64;
constexpr int patient_passes = 12;  // after these a closure that still grows is given up

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

void ValueAnalysis::execute_with_sets() {
  if (gm_->set.empty()) gm_->set.assign(at(footprint_->gm_words()), Val::exact);
  gm_->set.resize(at(footprint_->words()), Val::unjudged);  // local memory is undefined at first
  start_value_ = gm_->value;
  start_set_ = gm_->set;
  start_sets_ = gm_->sets.size();
  prepare_hot_words();
  for (int turn = 0; turn < most_passes; ++turn) {
    pass();
    if (settle(turn)) break;
  }
  for (const HotWord& word : hot_) {
    std::int32_t& set = gm_->set[at(word.address)];
    if (set != poisoned) continue;
    gm_->value[at(word.address)] = word.seen.value;
    set = word.seen.set;
  }
  for (std::int32_t& set : gm_->set) {
    if (set == nothing) set = Val::unjudged;
  }
}

void ValueAnalysis::prepare_hot_words() {
  hot_.clear();
  hot_place_.assign(at(footprint_->words()), -1);
  first_poison_.assign(stall_->executed.size(), -1);
  for (std::size_t i = hazards_->poison.size(); i-- > 0;) {
    const Poison& poison = hazards_->poison[i];
    first_poison_[at(poison.step)] = static_cast<std::int32_t>(i);
    if (poison.undefined) continue;
    for (std::int32_t a = poison.first; a < poison.first + poison.count; ++a) {
      if (hot_place_[at(a)] >= 0) continue;
      hot_place_[at(a)] = static_cast<std::int32_t>(hot_.size());
      HotWord& word = hot_.emplace_back();
      word.address = a;
      word.base = {start_value_[at(a)], start_set_[at(a)]};
      word.without_base = footprint_->is_local(a);
    }
  }
  for (const Poison& range : hazards_->undefined_base) {
    for (std::int32_t a = range.first; a < range.first + range.count; ++a) {
      if (hot_place_[at(a)] >= 0) hot_[at(hot_place_[at(a)])].without_base = false;
    }
  }
  for (HotWord& word : hot_) {
    if (!word.without_base) word.anything = !append(word.base, word.closure);
  }
}

/// One walk over the steps, with the closures as they are known.
void ValueAnalysis::pass() {
  gm_->value = start_value_;
  gm_->set = start_set_;
  gm_->sets.resize(start_sets_);
  words_ = gm_->value.data();
  interned_.clear();
  for (HotWord& word : hot_) {
    if (word.anything) {
      word.seen = {0, Val::unjudged};
    } else {
      scratch_ = word.closure;
      word.seen = scratch_.empty() ? Val{0, nothing} : intern(scratch_);
    }
    word.written.clear();
    word.written_anything = false;
    word.adds.clear();
  }
  register_sets_.assign(program_->threads.size() * register_count, Val());
  for (const Run& run : order_->runs()) {
    const Step* step = program_->threads[at(run.thread)].steps.data() -
                       stall_->first_step[at(run.thread)] + run.first;
    for (std::int32_t flat = run.first; flat < run.last; ++flat, ++step) {
      if (stall_->executed[at(flat)] != 0) step_with_sets(run.thread, flat, *step);
    }
  }
}

/// Takes what the pass collected into the closures; true when none of them grew.
bool ValueAnalysis::settle(int turn) {
  bool settled = true;
  const auto tidy = [](std::vector<std::uint32_t>& words) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  };
  for (HotWord& word : hot_) {
    if (word.anything) continue;
    bool anything = word.written_anything;
    word.plain.insert(word.plain.end(), word.written.begin(), word.written.end());
    if (!word.without_base) anything = !append(word.base, word.plain) || anything;
    tidy(word.plain);
    // Any part of the adds may have come.
    std::vector<std::uint32_t> all = word.plain;
    std::vector<std::uint32_t> by;
    for (const Val& add : word.adds) {
      by.clear();
      anything = !append(add, by) || anything;
      const std::size_t before = all.size();
      if (anything || before > largest_set) break;
      for (const std::uint32_t one : by) {
        for (std::size_t i = 0; i < before; ++i) all.push_back(all[i] + one);
      }
      tidy(all);
    }
    if (!anything && all == word.closure) continue;
    settled = false;
    word.closure = std::move(all);
    word.anything = anything || word.closure.size() > largest_set || turn >= patient_passes;
  }
  if (!settled && turn + 2 >= most_passes) {
    for (HotWord& word : hot_) word.anything = true;
  }
  return settled;
}

/// Adds what a word may be to a list; false if that is anything.
bool ValueAnalysis::append(Val word, std::vector<std::uint32_t>& to) const {
  if (word.set == Val::exact) {
    to.push_back(word.value);
  } else if (word.set >= 0) {
    const std::vector<std::uint32_t>& words = gm_->sets[at(word.set)];
    to.insert(to.end(), words.begin(), words.end());
  }
  return word.set != Val::unjudged;
}

bool ValueAnalysis::is_poisoned(std::int32_t flat, std::int32_t address, bool write,
                                bool& undefined) const {
  if (first_poison_[at(flat)] < 0) return false;
  bool found = false;
  for (std::size_t i = at(first_poison_[at(flat)]); i < hazards_->poison.size(); ++i) {
    const Poison& poison = hazards_->poison[i];
    if (poison.step != flat) break;
    if (poison.write != write || address < poison.first || address >= poison.first + poison.count) {
      continue;
    }
    found = true;
    undefined = undefined || poison.undefined;
  }
  return found;
}

Val ValueAnalysis::read(std::int32_t flat, std::int32_t address) {
  bool undefined = false;
  if (is_poisoned(flat, address, false, undefined)) {
    return undefined ? Val{0, Val::unjudged} : hot_[at(hot_place_[at(address)])].seen;
  }
  const std::int32_t set = gm_->set[at(address)];
  if (set == poisoned) return hot_[at(hot_place_[at(address)])].seen;
  return {gm_->value[at(address)], set};
}

void ValueAnalysis::write(std::int32_t flat, std::int32_t address, Val word, bool atomic) {
  std::uint32_t& value = gm_->value[at(address)];
  std::int32_t& set = gm_->set[at(address)];
  bool undefined = false;
  bool bad = false;
  if (hot_place_[at(address)] >= 0) {
    HotWord& hot = hot_[at(hot_place_[at(address)])];
    bad = is_poisoned(flat, address, true, undefined) || (atomic && set == poisoned);
    if (atomic) {
      hot.adds.push_back(word);
    } else {
      hot.written_anything = !append(word, hot.written) || hot.written_anything;
    }
  }
  if (bad) {
    set = poisoned;
    return;
  }
  if (atomic) {
    word = combine({value, set}, word, [](std::uint32_t a, std::uint32_t b) { return a + b; });
  }
  value = word.value;
  set = word.set;
}

/// The value for a list of words (which is sorted in place): one, a set, or anything.
Val ValueAnalysis::intern(std::vector<std::uint32_t>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.empty() || words.size() > largest_set) return {0, Val::unjudged};
  if (words.size() == 1) return {words.front(), Val::exact};
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  const auto [first, last] = interned_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (gm_->sets[at(known->second)] == words) return {0, known->second};
  }
  const auto number = static_cast<std::int32_t>(gm_->sets.size());
  gm_->sets.push_back(words);
  interned_.emplace(hash, number);
  return {0, number};
}

template <class F>
Val ValueAnalysis::map(Val a, F&& f) {
  if (a.set == Val::exact) return {f(a.value), Val::exact};
  if (a.set < 0) return a;
  scratch_.clear();
  for (const std::uint32_t x : gm_->sets[at(a.set)]) scratch_.push_back(f(x));
  return intern(scratch_);
}

template <class F>
Val ValueAnalysis::combine(Val a, Val b, F&& f) {
  if (a.set == nothing || b.set == nothing) return {0, nothing};
  if (a.set == Val::unjudged || b.set == Val::unjudged) return {0, Val::unjudged};
  if (b.set == Val::exact) return map(a, [&](std::uint32_t x) { return f(x, b.value); });
  if (a.set == Val::exact) return map(b, [&](std::uint32_t y) { return f(a.value, y); });
  scratch_.clear();
  for (const std::uint32_t x : gm_->sets[at(a.set)]) {
    for (const std::uint32_t y : gm_->sets[at(b.set)]) scratch_.push_back(f(x, y));
  }
  return intern(scratch_);
}

void ValueAnalysis::step_with_sets(std::int32_t thread, std::int32_t flat, const Step& step) {
  Val* const reg = register_sets_.data() + at(thread) * register_count;
  const Val operand = step.reg_in >= 0 ? reg[step.reg_in] : Val{step.value, Val::exact};
  switch (step.kind) {
    case StepKind::data: data_with_sets(flat, step, operand); break;
    case StepKind::load:
    case StepKind::load_bypass:
    case StepKind::local_load:
      if (step.reg_out >= 0) reg[step.reg_out] = read(flat, address(step.reads_begin));
      break;
    case StepKind::store:
    case StepKind::store_bypass:
    case StepKind::local_store: write(flat, address(step.writes_begin), operand, false); break;
    case StepKind::poll:
      if (step.reg_out < 0) break;
      reg[step.reg_out] = step.until == Compare::equal ? operand : Val{0, Val::unjudged};
      break;
    case StepKind::mark:
      if (step.mark == MarkKind::sub_kernel_begin) std::fill_n(reg, register_count, Val());
      break;
    default: break;
  }
}

/// Does the step read single values only and write no word that is looked at closer?
bool ValueAnalysis::is_plain(std::int32_t flat, const Step& step, Val operand) const {
  if (first_poison_[at(flat)] >= 0 || operand.set != Val::exact) return false;
  if (step.function == Function::none) return false;
  const auto all_exact = [&](std::int32_t range) {
    const auto first = gm_->set.begin() + address(range);
    return std::all_of(first, first + count(range), [](auto set) { return set == Val::exact; });
  };
  for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
    if (!all_exact(r)) return false;
  }
  for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
    const auto first = hot_place_.begin() + address(r);
    if (std::any_of(first, first + count(r), [](auto place) { return place >= 0; })) return false;
    if (step.atomic_add && !all_exact(r)) return false;
  }
  return true;
}

void ValueAnalysis::data_with_sets(std::int32_t flat, const Step& step, Val operand) {
  if (is_plain(flat, step, operand)) {
    exact_data(step, operand.value);
    for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
      std::fill_n(gm_->set.begin() + address(r), count(r), Val::exact);
    }
    return;
  }
  // Everything is read before anything is written.
  read_buffer_.clear();
  const std::int32_t reads = step.reads_end - step.reads_begin;
  for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
    for (std::int32_t i = 0; i < count(r); ++i) read_buffer_.push_back(read(flat, address(r) + i));
  }
  if (step.function == Function::opaque) {
    Val state{opaque_start, Val::exact};
    for (const Val& word : read_buffer_) state = combine(state, word, opaque_fold);
    state = combine(state, operand, opaque_fold);
    std::uint32_t j = 0;
    for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
      for (std::int32_t i = 0; i < count(r); ++i, ++j) {
        const Val word = map(state, [j](std::uint32_t folded) { return opaque_fold(folded, j); });
        write(flat, address(r) + i, word, false);
      }
    }
    return;
  }
  for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
    for (std::int32_t i = 0; i < count(r); ++i) {
      Val word{0, Val::unjudged};
      switch (step.function) {
        case Function::fill: word = operand; break;
        case Function::copy: word = read_buffer_[at(i)]; break;
        case Function::adds:
          word = combine(read_buffer_[at(i)], operand,
                         [](std::uint32_t a, std::uint32_t b) { return a + b; });
          break;
        case Function::add:
        case Function::mmad: {
          SKCTS_CHECK(reads == 2, "a step of two inputs has {}", reads);
          const Val& b = read_buffer_[at(count(step.reads_begin) + i)];
          const bool adds = step.function == Function::add;
          word = combine(read_buffer_[at(i)], b, [adds](std::uint32_t x, std::uint32_t y) {
            return adds ? x + y : mmad_word(x, y);
          });
          break;
        }
        default: break;
      }
      write(flat, address(r) + i, word, step.atomic_add);
    }
  }
}

void ValueAnalysis::forget_unfinished(const LaunchProgram& program, const StallResult& stall,
                                      GmState& gm) {
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    std::int32_t flat = stall.first_step[t] - 1;
    for (const Step& step : program.threads[t].steps) {
      ++flat;
      if (step.writes_begin == step.writes_end) continue;
      if (stall.executed[at(flat)] != 0 && step.kind == StepKind::data) continue;
      for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
        const WordRange& range = program.ranges[at(r)];
        if (range.space != Space::gm) continue;
        if (gm.set.empty()) gm.set.assign(gm.value.size(), Val::exact);
        std::fill_n(gm.set.begin() + range.first, range.count, Val::unjudged);
      }
    }
  }
}

}  // namespace skcts::model
