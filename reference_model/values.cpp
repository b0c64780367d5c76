// How values are found, why that is sound, and where it stops.
//
// The question is which values each GM word may have when a launch is over, for every schedule,
// every moment at which a cache fetches, drops or writes back a line, and every position of the
// latitudes that were not pinned. Running one schedule answers it for nearly every word. The reason
// is a theorem about accesses, not about schedules.
//
// *The theorem.* Take the executed steps and happens-before (order.h). Every access to a word is an
// interval: a DMA or vector instruction from its start to its end; an uncached store up to the next
// DataSyncBarrier; a cached load from the first moment at which its core may have fetched the line
// (the first access of its piece, cache_pieces.h) to itself; the stores of a piece, which together
// are an episode, from the store (as a word) or from the fetch (as a line) to the point at which
// the write-back has landed for certain. hazards.h lists the pairs of such intervals that must not
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
// cache has to be simulated. This file does that (execute_exact).
//
// *With hazards.* A hazard poisons single words of single accesses, never the mix: H1 between two
// writes and H3 poison the words written by DMA (and stores to the same words), H5 all words stored
// in both episodes, the others the read alone. What is not reached by poison keeps its one value,
// by the same argument. A read that is poisoned may return any value that its word can hold in some
// cache or in GM at some time of the launch. That is at most: what the word held at the start, and
// whatever executed instructions write to it; a write-back of a whole line can restore only one of
// these. With atomic adds, add any part of them. This set is the closure of the word. A word
// written by a poisoned write holds its closure until a write that is not poisoned replaces it.
// Sets flow through copies and computes: the results of all combinations of inputs. Since closures
// feed each other (a copies to b while b is copied to a), the passes are repeated until no closure
// grows. The second half (values_with_sets.cpp) does that; it runs only when something is not
// exact. These are the wide sets: tight_values.cpp replaces them by exact ones, and says which
// words go together, wherever its search comes to an end.
//
// *Where it stops.* The wide sets are never narrower than what can happen, but may be wider: two
// words read from one poisoned word are taken as independent, a closure does not ask which writes
// are superseded, and a set of more than largest_set values, or one that still grows after several
// passes, becomes "not judged". Words that depend on undefined local memory (PIPE-7) or on what a
// library call leaves in its scratch memory are not judged either. Torn words do not exist: 32 bits
// are written at once. Polls are outside the theorem: a poll's own read races by design, what it
// proves is an edge (order.h), and the value that an at_least poll returns is not judged. Nothing
// is said of launches whose control is undefined (flags that answer wrongly): the caller forgets
// then.
#include "reference_model/values.h"

#include <algorithm>
#include <cstring>

#include "spec/arithmetic.h"
#include "spec/check.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

// One order, one value.

void ValueAnalysis::run(const LaunchProgram& program, const StallResult& stall, const Order& order,
                        const HazardAnalysis& analysis, const HazardResult& hazards, GmState& gm,
                        const SearchFreedom& freedom) {
  tight_.clear();
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
    return;
  }
  const bool search = !hazards.clean() || !exact_before;
  if (search) tight_.search(program, stall, order, analysis, hazards, freedom, gm);
  gm.value.resize(at(footprint_->words()), 0);
  execute_with_sets();
  gm.value.resize(gm_words);
  if (search) tight_.lay_over(gm);
  if (!gm.set.empty()) {
    gm.set.resize(gm_words);
    if (std::all_of(gm.set.begin(), gm.set.end(), [](auto s) { return s == Val::exact; })) {
      gm.set.clear();
      gm.sets.clear();
      gm.joint.clear();
    }
  }
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

}  // namespace skcts::model
