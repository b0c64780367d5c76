// Words that synchronise without being polled by the program: slots of soft barriers and of
// IBSet/IBWait; and what a race makes of them and of polled words.
#include <algorithm>
#include <array>

#include "reference_model/hazards.h"
#include "reference_model/stall.h"
#include "reference_model/stall_values.h"

namespace skcts::model {
namespace {

constexpr std::int32_t counter_max = 15;

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// Which words and registers hold what a race, or memory that was never written, decides.
class Taint {
 public:
  Taint(const LaunchProgram& program, const HazardResult& hazards, const Footprint& places)
      : program_(program), hazards_(hazards), places_(places) {
    words_.assign(to_size(places.words()), 0);
    registers_.assign(program.threads.size(), 0);
  }

  /// Takes one step into account; a register stays what it once was (a queued step reads it when
  /// it is issued). `written`: gets the GM words written with such a value or in a race.
  void step(std::int32_t thread, std::int32_t flat, const Step& step,
            std::vector<std::int64_t>& written) {
    poison_ = std::equal_range(hazards_.poison.begin(), hazards_.poison.end(), Poison{.step = flat},
                               [](const Poison& a, const Poison& b) { return a.step < b.step; });
    bool any = step.reg_in >= 0 && has_register(thread, step.reg_in);
    switch (step.kind) {
      case StepKind::load:
      case StepKind::load_bypass:
      case StepKind::local_load:
        if (step.reg_out >= 0 && reads(step.reads_begin, 0)) mark(thread, step.reg_out);
        return;
      case StepKind::poll:
        if (step.reg_out >= 0 && (any || step.until == Compare::at_least)) {
          mark(thread, step.reg_out);
        }
        return;
      case StepKind::store:
      case StepKind::store_bypass:
      case StepKind::local_store:
      case StepKind::data: break;
      default: return;
    }
    const bool by_word = step.function != Function::opaque && step.function != Function::none;
    if (step.function == Function::none && step.kind == StepKind::data) any = true;
    for (std::int32_t r = step.reads_begin; !by_word && r < step.reads_end; ++r) {
      for (std::int32_t j = 0; j < program_.ranges[to_size(r)].count; ++j) any |= reads(r, j);
    }
    new_.clear();
    for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
      for (std::int32_t j = 0; j < program_.ranges[to_size(w)].count; ++j) {
        bool bad = any;
        for (std::int32_t r = step.reads_begin; by_word && r < step.reads_end; ++r) {
          bad = bad || (j < program_.ranges[to_size(r)].count && reads(r, j));
        }
        new_.push_back(bad ? 1 : 0);
      }
    }
    write(step, written);
  }

  bool has_register(std::int32_t thread, std::int32_t reg) const {
    return (registers_[to_size(thread)] >> reg & 1u) != 0;
  }

 private:
  void mark(std::int32_t thread, std::int32_t reg) { registers_[to_size(thread)] |= 1u << reg; }

  bool is_poisoned(std::int32_t address, bool write) const {
    return std::any_of(poison_.first, poison_.second, [&](const Poison& one) {
      return one.write == write && one.first <= address && address < one.first + one.count;
    });
  }

  bool reads(std::int32_t range, std::int32_t at) const {
    const std::int32_t address = places_.address(range) + at;
    return words_[to_size(address)] != 0 || is_poisoned(address, false);
  }

  void write(const Step& step, std::vector<std::int64_t>& written) {
    std::size_t next = 0;
    for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
      for (std::int32_t j = 0; j < program_.ranges[to_size(w)].count; ++j) {
        const std::int32_t address = places_.address(w) + j;
        const bool bad = new_[next++] != 0;
        std::uint8_t& word = words_[to_size(address)];
        const bool races = is_poisoned(address, true);
        if ((bad || races) && !places_.is_local(address)) written.push_back(address);
        const bool keeps = step.atomic_add && word != 0;
        word = bad || keeps || races ? 1 : 0;
      }
    }
  }

  const LaunchProgram& program_;
  const HazardResult& hazards_;
  const Footprint& places_;
  std::pair<std::vector<Poison>::const_iterator, std::vector<Poison>::const_iterator> poison_;
  std::vector<std::uint8_t> words_;       ///< By address.
  std::vector<std::uint32_t> registers_;  ///< By thread, a bit each.
  std::vector<std::uint8_t> new_;
};

}  // namespace

/// Do all slots of a soft barrier count the rounds of their cores from zero on (SYNC-9)?
bool StallAnalysis::counts_rounds(const Step& step) {
  constexpr std::int64_t slot_words = 8;
  const std::int64_t own = program_->ranges[to_size(step.reads_begin)].first;
  const WordRange& all = program_->ranges[to_size(step.reads_begin) + 1];
  const MaybeWord mine = values_->word(own);
  bool counts = mine.known && mine.value + 1 == step.value;
  for (std::int64_t slot = all.first; slot < all.first + all.count; slot += slot_words) {
    const auto rounds = soft_rounds_.find(slot);
    const MaybeWord found = values_->word(slot);
    counts =
        counts && found.known && found.value == (rounds == soft_rounds_.end() ? 0 : rounds->second);
  }
  soft_rounds_[own] = step.value;
  return counts;
}

void StallAnalysis::check_soft_slot(std::int32_t thread, const Step& step) {
  if (counts_rounds(step)) return;
  Doubt doubt;
  doubt.kind = DoubtKind::soft_workspace;
  doubt.thread = thread;
  doubt.step = issue_[to_size(thread)];
  doubt.rule = RuleId::sync_9;
  doubt.latitude = 15;
  doubt.may_stall = doubt.may_complete = doubt.data_undefined = true;
  result_->doubts.push_back(doubt);
}

/// The store by which IBSet or IBWait changes its slot: an arrival at a slot follows it.
bool StallAnalysis::is_ib_write(std::int32_t thread, std::int32_t flat) const {
  const std::vector<Step>& steps = program_->threads[to_size(thread)].steps;
  const std::size_t place = to_size(flat - result_->first_step[to_size(thread)]);
  if (steps[place].kind != StepKind::data || place + 1 >= steps.size()) return false;
  const Step& next = steps[place + 1];
  return next.kind == StepKind::arrive && program_->joins[to_size(next.join)].kind == JoinKind::ib;
}

/// A slot holds 0 when IBSet stores its 1, and 1 when IBWait stores its 0 (machine §4.5).
void StallAnalysis::check_ib_slot(std::int32_t thread, const Step& step, std::int32_t flat) {
  const MaybeWord found = values_->word(program_->ranges[to_size(step.writes_begin)].first);
  if (!found.known || found.value != 1 - step.value) doubt_slot(thread, flat);
}

/// An IB slot does not hold what its protocol needs: completes or stalls, data undefined.
void StallAnalysis::doubt_slot(std::int32_t thread, std::int32_t flat) {
  Doubt doubt{.kind = DoubtKind::ib_contended,
              .thread = thread,
              .step = flat - result_->first_step[to_size(thread)],
              .rule = RuleId::sync_5};
  doubt.may_stall = doubt.may_complete = doubt.data_undefined = true;
  result_->doubts.push_back(doubt);
}

bool StallAnalysis::check_with_hazards(const LaunchProgram& program, const Order& order,
                                       const HazardResult& hazards, const Footprint& places,
                                       StallResult& result) {
  program_ = &program;
  result_ = &result;
  if (!has_polls_ || hazards.clean()) return false;
  check_raced_slots(hazards);
  Taint taint(program, hazards, places);
  std::unordered_map<std::int64_t, std::vector<std::int32_t>> raced;  // by word: writes
  std::vector<std::int64_t> written;
  for (const std::int32_t flat : result.linear) {
    const std::int32_t thread = result.thread_of(flat);
    const Step& step =
        program.threads[to_size(thread)].steps[to_size(flat - result.first_step[to_size(thread)])];
    written.clear();
    taint.step(thread, flat, step, written);
    for (const std::int64_t word : written) raced[word].push_back(flat);
  }
  bool taken_back = false;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    const auto thread = static_cast<std::int32_t>(t);
    std::int32_t flat = result.first_step[t] - 1;
    for (const Step& poll : program.threads[t].steps) {
      ++flat;
      if (poll.kind != StepKind::poll) continue;
      bool open = poll.reg_in >= 0 && taint.has_register(thread, poll.reg_in);
      const auto found = raced.find(program.ranges[to_size(poll.reads_begin)].first);
      if (found != raced.end()) {
        open = open || std::any_of(found->second.begin(), found->second.end(),
                                   [&](std::int32_t write) { return !order.before(flat, write); });
      }
      if (open) taken_back = doubt_poll(thread, flat) || taken_back;
    }
  }
  return taken_back;
}

/// The poll may see its value or not. What its end would prove is taken back.
bool StallAnalysis::doubt_poll(std::int32_t thread, std::int32_t flat) {
  StallResult& result = *result_;
  Doubt doubt;
  doubt.kind = DoubtKind::returning_poll;
  doubt.thread = thread;
  doubt.step = flat - result.first_step[to_size(thread)];
  const bool known = std::any_of(result.doubts.begin(), result.doubts.end(), [&](const Doubt& one) {
    return one.kind == doubt.kind && one.thread == thread && one.step == doubt.step &&
           one.may_stall && one.may_complete;
  });
  if (!known) {
    doubt.may_stall = doubt.may_complete = true;
    result.doubts.push_back(doubt);
  }
  const auto last = std::remove_if(result.poll_edges.begin(), result.poll_edges.end(),
                                   [&](const PollEdge& edge) { return edge.poll == flat; });
  const bool any = last != result.poll_edges.end();
  needed_.erase(flat);
  result.poll_edges.erase(last, result.poll_edges.end());
  return any;
}

/// IB slots that something else touches at the same time.
void StallAnalysis::check_raced_slots(const HazardResult& hazards) {
  for (const Conflict& conflict : hazards.conflicts) {
    for (const std::int32_t flat : {conflict.first, conflict.second}) {
      const std::int32_t thread = result_->thread_of(flat);
      if (is_ib_write(thread, flat)) return doubt_slot(thread, flat);
    }
  }
}

void StallAnalysis::find_left_over() {
  if (groups_.empty()) return;
  std::vector<std::int32_t> pending(groups_.size(), 0);
  for (std::size_t s = 0; s < stream_group_.size(); ++s) {
    const std::size_t g = to_size(stream_group_[s]);
    if (g < pending.size()) pending[g] = std::max(pending[g], raised_[s] - groups_[g].level);
  }
  for (std::size_t t = 0; t < program_->threads.size(); ++t) {
    if (program_->threads[t].outside >= 0) continue;
    const CoreId core = program_->threads[t].core;
    const auto thread = static_cast<std::int32_t>(t);
    std::array<std::int32_t, flag_ids> received{};
    std::array<std::int32_t, flag_ids> waiting{};
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::int32_t id = arrival_id(groups_[g], thread);
      if (id < 0) continue;
      received[to_size(id)] += groups_[g].level;
      waiting[to_size(id)] += pending[g];
    }
    for (std::size_t id = 0; id < flag_ids; ++id) {
      const std::int32_t place = counter_at_[t * flag_ids + id];
      const std::int32_t taken = place < 0 ? 0 : result_->counters[to_size(place)].consumed;
      const std::int32_t count = received[id] - taken;
      if (count <= 0 && waiting[id] == 0) continue;
      result_->left_over.push_back(
          {core, static_cast<std::int8_t>(id), std::max(count, 0), waiting[id]});
    }
  }
}

bool StallAnalysis::may_overflow(const LaunchProgram& program, const StallResult& result,
                                 const LeftOver& left) const {
  const auto found = std::ranges::find(program.threads, left.core, &Thread::core);
  if (found == program.threads.end()) return false;
  const auto thread = static_cast<std::int32_t>(found - program.threads.begin());
  // Of a group that some member keeps back here: what is pending elsewhere may let it go on.
  std::vector<std::int32_t> most(groups_.size(), 0);
  for (std::size_t s = 0; s < stream_group_.size(); ++s) {
    const std::size_t g = to_size(stream_group_[s]);
    if (g < most.size()) most[g] = std::max(most[g], result.streams[s].count);
  }
  std::int32_t raised = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (feeds(groups_[g], thread, left.id)) raised += most[g];
  }
  return raised > 0 && left.count + left.pending + raised > counter_max;
}

}  // namespace skcts::model
