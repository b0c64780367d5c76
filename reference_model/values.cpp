// How values are found, why that is sound, and where it stops.
//
// The question is which values each GM word may have when a launch is over, for every schedule, every
// moment at which a cache fetches, drops or writes back a line, and every position of the latitudes
// that were not pinned. Running one schedule answers it for nearly every word. The reason is a
// theorem about accesses, not about schedules.
//
// *The theorem.* Take the executed steps and happens-before (order.h). Every access to a word is an
// interval: a DMA or vector instruction from its start to its end; an uncached store up to the next
// DataSyncBarrier; a cached load from the first moment at which its core may have fetched the line
// (the first access of its piece, cache_pieces.h) to itself; the stores of a piece, which together
// are an episode, from the store (as a word) or from the fetch (as a line) to the point at which the
// write-back has landed for certain. hazards.h lists the pairs of such intervals that must not
// overlap: H1 to H6 and their like in local memory. If no pair does, then whatever a schedule or
// a cache does, each read sees the write that is the last before it in happens-before. Sketch: take
// a read r of word w. A write of w is either over before the interval of r begins or begins after
// r's has ended. A fetch lies inside r's interval, so it sees all of the former and none of the
// latter; a write-back of another core's line that would change w holds w in W(E), or it carries an
// older value of w for which some write of w fell between its fetch and its landing. The first is
// a hazard H4 or H6, the second one H3 or H5, all excluded. The writes of w that are over before r
// are totally ordered, since two unordered writes are H1, H3 or H5. So the last of them is the same
// everywhere, and by induction along happens-before so is what it wrote. Hence one order of the
// steps, with each store put into GM at once and each load taken from GM, gives every value: no
// cache has to be simulated. That is the first half of this file (execute_exact).
//
// *With hazards.* A hazard poisons single words of single accesses, never the mix: H1 between two
// writes and H3 poison the words written by DMA, H5 all words stored in both episodes, the others
// the read alone. What is not reached by poison keeps its one value, by the same argument. A read
// that is poisoned may return any value that its word can hold in some cache or in GM at some time of
// the launch. That is at most: what the word held at the start, and whatever executed instructions
// write to it; a write-back of a whole line can restore only one of these. With atomic adds,
// add any part of them. This set is the closure of the word. A word written by a poisoned
// write holds its closure until a write that is not poisoned replaces it. Sets flow through copies
// and computes: the results of all combinations of inputs. Since closures feed each other (a copies
// to b while b is copied to a), the passes are repeated until no closure grows. The second half of
// this file (execute_with_sets) does that; it runs only when something is not exact.
//
// *Where it stops.* The sets are never narrower than what can happen, but may be wider: two words
// read from one poisoned word are taken as independent, a closure does not ask which writes are
// superseded, and a set of more than largest_set values, or one that still grows after several
// passes, becomes "not judged". Words that depend on undefined local memory (PIPE-7) or on what a
// library call leaves in its scratch memory are not judged either. Torn words do not exist: 32 bits
// are written at once. Polls are outside the theorem: a poll's own read races by design, what it
// proves is an edge (order.h), and the value that an at_least poll returns is not judged. Nothing is
// said of launches whose control is undefined (flags that answer wrongly): the caller forgets then.
#include "reference_model/values.h"

#include <algorithm>
#include <cstring>

#include "spec/arithmetic.h"
#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr int most_passes = 64;
constexpr int patient_passes = 12;  // after these a closure that still grows is given up

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

}  // namespace

// GM between launches.

void GmState::reset(std::span<const std::uint32_t> initial) {
  value.assign(initial.begin(), initial.end());
  set.clear();
  sets.clear();
}

Val GmState::word(std::int64_t index) const {
  return {value[at(index)], set.empty() ? Val::exact : set[at(index)]};
}

void GmState::host_write(std::int64_t index, std::uint32_t word) {
  value[at(index)] = word;
  if (!set.empty()) set[at(index)] = Val::exact;
}

std::vector<std::uint8_t> GmState::known() const {
  std::vector<std::uint8_t> result(set.size());
  for (std::size_t i = 0; i < set.size(); ++i) result[i] = set[i] == Val::exact ? 1 : 0;
  return result;
}

void GmState::report(std::vector<WordAllowed>& words,
                     std::vector<std::vector<std::uint32_t>>& used) const {
  words.resize(value.size());
  if (set.empty()) {
    for (std::size_t i = 0; i < value.size(); ++i) words[i] = {.value = value[i]};
    return;
  }
  std::vector<std::int32_t> place(sets.size(), -1);
  for (std::size_t i = 0; i < value.size(); ++i) {
    WordAllowed& word = words[i];
    word = {};
    if (set[i] == Val::exact) {
      word.value = value[i];
    } else if (set[i] < 0) {
      word.kind = WordKind::unjudged;
    } else {
      std::int32_t& number = place[at(set[i])];
      if (number < 0) {
        number = static_cast<std::int32_t>(used.size());
        used.push_back(sets[at(set[i])]);
      }
      word.kind = WordKind::one_of;
      word.set = number;
    }
  }
}

// One order, one value.

bool ValueAnalysis::run(const LaunchProgram& program, const StallResult& stall,
                        const Order& order, const HazardAnalysis& analysis,
                        const HazardResult& hazards, GmState& gm) {
  program_ = &program;
  stall_ = &stall;
  order_ = &order;
  footprint_ = &analysis.footprint();
  hazards_ = &hazards;
  gm_ = &gm;
  const std::size_t gm_words = gm.value.size();
  SKCTS_CHECK(at(footprint_->gm_words()) == gm_words, "GM of {} words, not {}",
              footprint_->gm_words(), gm_words);
  const bool exact_before = gm.all_exact();
  if (!needs_sets()) {
    // Local memory keeps what it held; nothing reads a word of it that was not written.
    if (memory_.size() < at(footprint_->words())) memory_.resize(at(footprint_->words()));
    std::copy(gm.value.begin(), gm.value.end(), memory_.begin());
    execute_exact();
    std::copy_n(memory_.begin(), gm_words, gm.value.begin());
    return true;
  }
  gm.value.resize(at(footprint_->words()), 0);
  execute_with_sets();
  gm.value.resize(gm_words);
  if (!gm.set.empty()) {
    gm.set.resize(gm_words);
    if (std::all_of(gm.set.begin(), gm.set.end(), [](auto s) { return s == Val::exact; })) {
      gm.set.clear();
      gm.sets.clear();
    }
  }
  return exact_before && hazards.clean();
}

bool ValueAnalysis::needs_sets() const {
  if (!gm_->all_exact() || !hazards_->clean()) return true;
  for (const Thread& thread : program_->threads) {
    for (const Step& step : thread.steps) {
      if (step.kind == StepKind::data && step.function == Function::none) return true;
      if (step.kind == StepKind::poll && step.until == Compare::at_least && step.reg_out >= 0) {
        return true;
      }
    }
  }
  return false;
}

std::int32_t ValueAnalysis::count(std::int32_t range) const {
  return program_->ranges[at(range)].count;
}

void ValueAnalysis::execute_exact() {
  registers_.assign(program_->threads.size() * register_count, 0);
  words_ = memory_.data();
  std::uint32_t* const word = words_;
  for (const Run& run : order_->runs()) {
    std::uint32_t* const reg = registers_.data() + at(run.thread) * register_count;
    const Step* step = program_->threads[at(run.thread)].steps.data() -
                       stall_->first_step[at(run.thread)] + run.first;
    for (std::int32_t flat = run.first; flat < run.last; ++flat, ++step) {
      if (stall_->executed[at(flat)] == 0) continue;
      const std::uint32_t operand = step->reg_in >= 0 ? reg[step->reg_in] : step->value;
      switch (step->kind) {
        case StepKind::data: exact_data(*step, operand); break;
        case StepKind::load:
        case StepKind::load_bypass:
        case StepKind::local_load:
          if (step->reg_out >= 0) reg[step->reg_out] = word[at(address(step->reads_begin))];
          break;
        case StepKind::store:
        case StepKind::store_bypass:
        case StepKind::local_store: word[at(address(step->writes_begin))] = operand; break;
        case StepKind::poll:
          if (step->reg_out >= 0) reg[step->reg_out] = operand;
          break;
        case StepKind::mark:
          if (step->mark == MarkKind::sub_kernel_begin) std::fill_n(reg, register_count, 0u);
          break;
        default: break;
      }
    }
  }
}

void ValueAnalysis::exact_data(const Step& step, std::uint32_t operand) {
  std::uint32_t* const word = words_;
  if (step.writes_begin == step.writes_end) return;
  std::uint32_t* const to = word + address(step.writes_begin);
  const std::size_t words = at(count(step.writes_begin));
  const std::uint32_t* const a =
      step.reads_begin < step.reads_end ? word + address(step.reads_begin) : nullptr;
  if (step.function == Function::opaque) {
    std::uint32_t state = opaque_start;
    for (std::int32_t r = step.reads_begin; r < step.reads_end; ++r) {
      const std::uint32_t* const from = word + address(r);
      for (std::int32_t i = 0; i < count(r); ++i) state = opaque_fold(state, from[i]);
    }
    std::uint32_t j = 0;
    for (std::int32_t r = step.writes_begin; r < step.writes_end; ++r) {
      std::uint32_t* const into = word + address(r);
      for (std::int32_t i = 0; i < count(r); ++i) into[i] = opaque_word(state, operand, j++);
    }
    return;
  }
  if (step.function == Function::fill) {
    std::fill_n(to, words, operand);
    return;
  }
  if (step.function == Function::copy && !step.atomic_add) {
    std::memmove(to, a, words * sizeof(std::uint32_t));
    return;
  }
  // Everything is read before anything is written.
  buffer_.resize(words);
  switch (step.function) {
    case Function::copy: std::copy_n(a, words, buffer_.data()); break;
    case Function::adds:
      for (std::size_t i = 0; i < words; ++i) buffer_[i] = a[i] + operand;
      break;
    default: {
      const std::uint32_t* const b = word + address(step.reads_begin + 1);
      if (step.function == Function::add) {
        for (std::size_t i = 0; i < words; ++i) buffer_[i] = a[i] + b[i];
      } else {
        for (std::size_t i = 0; i < words; ++i) buffer_[i] = mmad_word(a[i], b[i]);
      }
      break;
    }
  }
  if (step.atomic_add) {
    for (std::size_t i = 0; i < words; ++i) to[i] += buffer_[i];
  } else {
    std::copy_n(buffer_.data(), words, to);
  }
}

// Several values.

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
    if (poison.write != write || address < poison.first ||
        address >= poison.first + poison.count) {
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
    case StepKind::local_store:
      write(flat, address(step.writes_begin), operand, false);
      break;
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
