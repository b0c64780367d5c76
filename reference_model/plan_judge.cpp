// What the doubts, reserved ids, kernel types, stuck waits and races of a launch mean for its
// outcomes.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "reference_model/plan_run.h"
#include "reference_model/races.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

Inexact reason_of(DoubtKind kind) {
  switch (kind) {
    case DoubtKind::cached_poll: return Inexact::cached_poll;
    case DoubtKind::returning_poll: return Inexact::returning_poll;
    case DoubtKind::counter_limit: return Inexact::counter_limit;
    case DoubtKind::double_set: return Inexact::event_set_twice;
    case DoubtKind::pipe_shared: return Inexact::pipe_shared;
    case DoubtKind::soft_workspace: return Inexact::soft_workspace;
    case DoubtKind::ib_contended: return Inexact::ib_slot;
    case DoubtKind::reserved_id: return Inexact::reserved_id;
    case DoubtKind::full_core_order: return Inexact::full_core_class;
    case DoubtKind::early_start: return Inexact::early_start_calls;
    case DoubtKind::kernel_type: return Inexact::kernel_type;
    case DoubtKind::waves: return Inexact::waves;
    case DoubtKind::overlap: return Inexact::overlap;
  }
  return Inexact::undefined_data;
}

}  // namespace

/// Adds a rule that something is charged to, once a sub kernel.
void PlanRun::charge(std::vector<Charge>& charges, std::optional<RuleId> charged,
                     std::int32_t sub_kernel) {
  if (!charged) return;
  const RuleId rule = *charged;
  for (const Charge& known : charges) {
    if (known.rule == rule && known.sub_kernel == sub_kernel) return;
  }
  charges.push_back({rule, sub_kernel});
}

void PlanRun::note_latitude(int id) {
  const auto latitude = static_cast<LatitudeId>(id);
  std::vector<LatitudeId>& known = result_->latitudes;
  if (std::find(known.begin(), known.end(), latitude) == known.end()) known.push_back(latitude);
}

std::int32_t PlanRun::mix_place(std::int32_t place) const {
  return place < 0 ? -1 : program_.shape.sub_kernels[to_size(place)];
}

std::int32_t PlanRun::doubt_place(const Doubt& doubt) const {
  if (doubt.thread < 0 || doubt.step < 0) return -1;
  return mix_place(program_.threads[to_size(doubt.thread)].steps[to_size(doubt.step)].sub_kernel);
}

/// A doubt about a step that is never reached is none.
bool PlanRun::happens(const Doubt& doubt) const {
  if (doubt.thread < 0 || doubt.step < 0) return true;
  if (doubt.kind == DoubtKind::counter_limit || doubt.kind == DoubtKind::returning_poll)
    return true;
  // The second set of an event is undefined already when it is issued.
  if (doubt.kind == DoubtKind::double_set) {
    return doubt.step < stall_.issued[to_size(doubt.thread)];
  }
  return stall_.executed[to_size(stall_.flat(doubt.thread, doubt.step))] != 0;
}

void PlanRun::judge_doubts() {
  for (const Doubt& doubt : stall_.doubts) {
    if (happens(doubt)) judge_doubt(doubt);
  }
}

/// The launch may go on where the worklist stalls: what stands behind that may happen too.
void PlanRun::judge_unreached() {
  for (const Doubt& doubt : stall_.doubts) {
    if (!happens(doubt)) judge_doubt(doubt);
  }
  for (const RaiseStream& stream : stall_.streams) {
    const bool executed =
        stall_.executed[to_size(stall_.raise_steps[to_size(stream.first + stream.count - 1)])] != 0;
    if (executed || stream.count <= 15) continue;
    judge_doubt({.kind = DoubtKind::counter_limit,
                 .thread = stream.thread,
                 .step = stall_.raise_steps[to_size(stream.first + 15)] -
                         stall_.first_step[to_size(stream.thread)],
                 .rule = RuleId::sync_6,
                 .latitude = 9});
  }
}

/// Full-core waits are one class: behind one that lacks members a later boundary lets cores go on
/// (semantics §1). The launch stalls all the same, unless they run into an error: whether a
/// boundary lets them come so far is not looked at.
void PlanRun::judge_released_early() {
  for (const Doubt& doubt : stall_.doubts) {
    if (happens(doubt)) continue;
    const bool double_set = doubt.kind == DoubtKind::double_set;
    const bool kernel_type = doubt.kind == DoubtKind::kernel_type;
    if ((double_set && setting_->may_be(latitude_pin(4, "error"))) ||
        (kernel_type && setting_->may_be(latitude_pin(12, "error")))) {
      note_latitude(double_set ? 4 : 12);
      result_->may_error = true;
      result_->stall_open.add(Inexact::full_core_class);
    }
  }
}

void PlanRun::judge_doubt(Doubt doubt) {
  PlanResult& result = *result_;
  if (doubt.kind == DoubtKind::counter_limit) {
    doubt.may_error = setting_->may_be(latitude_pin(9, "error"));
    doubt.may_stall = setting_->may_be(latitude_pin(9, "hang"));
  } else if (doubt.kind == DoubtKind::double_set) {
    doubt.may_error = setting_->may_be(latitude_pin(4, "error"));
    doubt.may_stall = setting_->may_be(latitude_pin(4, "hang"));
  } else if (doubt.kind == DoubtKind::kernel_type) {
    doubt.latitude = 12;
    doubt.may_error = setting_->may_be(latitude_pin(12, "error"));
    doubt.may_stall = setting_->may_be(latitude_pin(12, "joins-cubes"));
    doubt.data_undefined = doubt.may_stall;
  }
  const std::int32_t place = doubt_place(doubt);
  if (words_) describe_doubt(doubt);
  if (doubt.latitude > 0) note_latitude(doubt.latitude);
  result.stall_open.add(reason_of(doubt.kind));
  if (doubt.may_error) {
    result.error = true;
    charge(result.error_charges, doubt.rule, place);
  }
  if (doubt.may_stall) {
    result.may_stall = true;
    charge(result.stall_charges, doubt.rule, place);
    if (words_) describe_open_wait(doubt);
  }
  if (doubt.may_complete && stall_.stalled) {
    may_complete_ = true;
    result.may_stall = true;
    charge(result.stall_charges, doubt.rule, place);
  }
  if (doubt.data_undefined) {
    undefined_ = result.undefined = true;
    result.data_open.add(Inexact::undefined_data);
    charge(result.early_charges, doubt.rule, place);
  }
}

/// SYNC-7: a user's raise may release an inserted wait too early; a user's wait may take what an
/// inserted one needs. Ids of the Matmul service are taken in its own sub kernel only.
void PlanRun::judge_reserved_ids() {
  if (stall_.streams.empty() && stall_.counters.empty()) return;
  const bool full_core = std::any_of(program_.joins.begin(), program_.joins.end(),
                                     [](const Join& join) { return join.full_core; });
  PlanResult& result = *result_;
  const auto meets_joins = [&](std::int32_t place) {
    if (program_.parts.empty()) return full_core;
    const std::int32_t part = program_.part_of_place(place);
    return std::ranges::any_of(program_.joins, [&](const Join& join) {
      return join.full_core && join.sub_kernel >= 0 &&
             program_.part_of_place(join.sub_kernel) == part;
    });
  };
  const bool fed = std::ranges::any_of(program_.threads, [](const Thread& thread) {
    return std::ranges::any_of(thread.steps,
                               [](const Step& step) { return step.origin == Origin::feed; });
  });
  const auto judge = [&](std::int32_t thread, std::int32_t flat, bool waits) {
    const Step& step =
        program_.threads[to_size(thread)].steps[to_size(flat - stall_.first_step[to_size(thread)])];
    const bool served = step.id == 15 || step.id < 2;
    if (!(is_reserved(step.id) && meets_joins(step.sub_kernel)) &&
        !(served && has_service(step.sub_kernel)))
      return;
    const std::int32_t place = mix_place(step.sub_kernel);
    // Undefined from here (semantics §7): a raise may also serve a join that lacks members.
    undefined_ = result.undefined = result.may_error = may_complete_ = true;
    result.stall_open.add(Inexact::reserved_id);
    result.data_open.add(Inexact::reserved_id);
    charge(result.early_charges, RuleId::sync_7, place);
    // A SyncAll that is served too early has idle cores leave that others still wait for.
    if (!waits && !stall_.stalled && !fed) return;
    result.may_stall = true;
    charge(result.stall_charges, RuleId::sync_7, place);
  };
  for (const RaiseStream& stream : stall_.streams) {
    for (std::int32_t n = 0; n < stream.count; ++n) {
      judge(stream.thread, stall_.raise_steps[to_size(stream.first + n)], false);
    }
  }
  for (const Counter& counter : stall_.counters) {
    for (std::int32_t n = 0; n < counter.wait_count; ++n) {
      judge(counter.thread, stall_.wait_steps[to_size(counter.first_wait + n)], true);
    }
  }
}

bool PlanRun::has_service(std::int32_t place) const {
  return std::any_of(program_.joins.begin(), program_.joins.end(), [&](const Join& join) {
    return join.kind == JoinKind::matmul_call && join.sub_kernel == place;
  });
}

/// Cross-core flags of a launch alone whose type has no flag scheduler, where a pin of L-10 says
/// what becomes of them. SyncAll takes more than flags (L-12, L-13): see judge_kernel_type().
FlagService PlanRun::flag_service(const LaunchShape& shape) const {
  if (shape.fused || !setting_->is_pinned(10)) return FlagService::on;
  const SubKernel& sub = setting_->test_case.mix.sub_kernels[to_size(shape.sub_kernels.front())];
  const bool plain = sub.type == KernelType::aiv_only || sub.type == KernelType::aic_only;
  if (!plain || has_sync_all(sub)) return FlagService::on;
  const bool falls = setting_->latitudes.holds(latitude_pin(10, "fall-through"));
  return falls ? FlagService::falls_through : FlagService::hangs;
}

/// At L-10=error: does a core come to a flag? A wait is as far as it comes without service.
bool PlanRun::fails_on_flags() const {
  if (!setting_->latitudes.holds(latitude_pin(10, "error"))) return false;
  const auto is_off = [this](std::int32_t flat) {
    if (program_.parts.empty()) return program_.flags_off;
    const Thread& thread = program_.threads[to_size(stall_.thread_of(flat))];
    return program_.parts[to_size(thread.part)].flags_off;
  };
  const bool raised = std::ranges::any_of(stall_.raise_steps, [&](std::int32_t flat) {
    return is_off(flat) && stall_.executed[to_size(flat)] != 0;
  });
  return raised || std::ranges::any_of(stall_.wait_steps, [&](std::int32_t flat) {
           if (!is_off(flat)) return false;
           const std::int32_t thread = stall_.thread_of(flat);
           const std::int32_t place = flat - stall_.first_step[to_size(thread)];
           return stall_.issued[to_size(thread)] >= place;
         });
}

/// L-10: cross-core flags in a sub kernel that is launched alone without the flag scheduler.
void PlanRun::judge_kernel_type() {
  if (program_.parts.empty()) {
    if (!program_.flags_off) judge_kernel_type(program_.shape, 0);
    return;
  }
  for (std::size_t p = 0; p < program_.parts.size(); ++p) {
    const LaunchPart& part = program_.parts[p];
    if (!part.flags_off) judge_kernel_type(part.shape, static_cast<std::int32_t>(p));
  }
}

void PlanRun::judge_kernel_type(const LaunchShape& shape, std::int32_t part) {
  if (shape.fused) return;
  const std::int32_t place = shape.sub_kernels.front();
  const KernelType type = setting_->test_case.mix.sub_kernels[to_size(place)].type;
  if (type != KernelType::aiv_only && type != KernelType::aic_only) return;
  const auto is_here = [&](std::int32_t thread) {
    return program_.threads[to_size(thread)].part == part;
  };
  // With a hard SyncAll AIV_ONLY counts as another type (SYNC-13); a cube sub kernel does not.
  const bool sync_all =
      type == KernelType::aic_only && std::ranges::any_of(program_.joins, [&](const Join& join) {
        return join.kind == JoinKind::sync_all && program_.part_of_place(join.sub_kernel) == part;
      });
  const bool flags =
      std::ranges::any_of(stall_.streams, [&](auto& stream) { return is_here(stream.thread); }) ||
      std::ranges::any_of(stall_.counters, [&](auto& counter) { return is_here(counter.thread); });
  if (!sync_all && !flags) return;
  PlanResult& result = *result_;
  note_latitude(10);
  result.stall_open.add(Inexact::scheduler_off);
  result.data_open.add(Inexact::scheduler_off);
  undefined_ = result.undefined = true;
  may_complete_ = setting_->may_be(latitude_pin(10, "fall-through"));
  if (setting_->may_be(latitude_pin(10, "error"))) {
    result.error = true;
    charge(result.error_charges, RuleId::sync_13, place);
  }
  if (setting_->may_be(latitude_pin(10, "hang"))) {
    result.may_stall = true;
    charge(result.stall_charges, RuleId::sync_13, place);
  }
}

/// What races may have fewer values than were found where the order or a pin is not followed.
void PlanRun::judge_claims() {
  PlanResult& result = *result_;
  for (std::size_t flat = 0; flat < stall_.partner.size(); ++flat) {
    const bool late = stall_.partner[flat] > static_cast<std::int32_t>(flat);
    if (late && stall_.executed[flat] != 0) result.data_open.add(Inexact::late_set);
  }
  // That GetValue finds its line dropped, or refreshed unasked, is one latitude among two.
  const SearchFreedom freedom = setting_->freedom();
  const bool cached = !hazards_.pieces().empty();
  if (cached && !freedom.drop_any && freedom.extra_read_refresh) {
    result.data_open.add(Inexact::pinned);
  }
}

/// S5: blocks of several waves share cores. What one leaves there (flag counters, events) is met by
/// another, by which is not known; joins of all cores never come about.
void PlanRun::judge_waves() {
  const bool waves = program_.shape.resident > 0 ||
                     std::ranges::any_of(program_.parts, [](const LaunchPart& part) {
                       return part.shape.resident > 0;
                     });
  if (!waves) return;
  PlanResult& result = *result_;
  const bool leaves = std::any_of(
      result.broken.begin() + static_cast<std::ptrdiff_t>(first_broken_), result.broken.end(),
      [](const BrokenRule& broken) { return broken.rule == RuleId::pipe_4; });
  if (!hazard_result_.clean()) result.data_open.add(Inexact::waves);
  if (!leaves && stall_.streams.empty() && stall_.counters.empty()) return;
  result.stall_open.add(Inexact::waves);
  result.data_open.add(Inexact::waves);
  undefined_ = result.undefined = result.may_stall = may_complete_ = true;
}

void PlanRun::judge_stall() {
  PlanResult& result = *result_;
  (may_complete_ ? result.may_stall : result.stalls) = true;
  result.full_core_stall = stall_.full_core_stall;
  // Waits whose answer never comes; in a ring of waits the hand-made ones, else all.
  for (const int turn : {0, 1, 2}) {
    bool any = false;
    for (const StuckStep& stuck : stall_.stuck) {
      const bool inserted = stuck.kind == WaitKind::full_core || stuck.kind == WaitKind::matmul;
      if (turn == 0 ? !stuck.root : turn == 1 && inserted) continue;
      any = true;
      // Another order may take a poll past its word: no wait without a raise.
      if (may_complete_ && stuck.kind == WaitKind::poll) continue;
      const Step& step = program_.threads[to_size(stuck.thread)].steps[to_size(stuck.step)];
      const Thread& owner = program_.threads[to_size(stuck.thread)];
      const bool off = program_.parts.empty() ? program_.flags_off
                                              : program_.parts[to_size(owner.part)].flags_off;
      const bool unserved = off && stuck.kind == WaitKind::cross_core_flag;
      charge(result.stall_charges, unserved ? RuleId::sync_13 : stuck.rule,
             mix_place(step.sub_kernel));
    }
    if (any) break;
  }
  if (!may_complete_) record_stuck();
  if (words_) describe_stuck();
}

/// L-37: lines that are dirty when a SuperKernel ends may be lost, or not, each as a write-back
/// came before the end or not. Nothing is said of their words.
void PlanRun::lose_dirty_lines() {
  GmState& memory = result_->memory;
  for (const Thread& thread : program_.threads) {
    if (!program_.shape_of(thread).fused) continue;
    std::set<std::int64_t> dirty;
    for (const Step& step : thread.steps) {
      if (step.kind == StepKind::store) {
        dirty.insert(program_.ranges[to_size(step.writes_begin)].first / line_words);
      } else if (step.kind == StepKind::refresh && step.origin != Origin::end_of_launch) {
        if (step.line < 0) dirty.clear();
        dirty.erase(step.line);
      }
    }
    for (const std::int64_t line : dirty) {
      note_latitude(37);
      result_->data_open.add(Inexact::undefined_data);
      if (memory.set.empty()) memory.set.assign(memory.value.size(), Val::exact);
      const auto first = memory.set.begin() + line * line_words;
      std::fill(first, first + line_words, Val::unjudged);
      std::erase_if(memory.joint, [line](const JointWords& joint) {
        return std::ranges::any_of(joint.words,
                                   [line](auto word) { return word / line_words == line; });
      });
    }
  }
}

const Step& PlanRun::step_at(std::int32_t flat) const {
  const std::int32_t thread = order_.thread_of(flat);
  return program_.threads[to_size(thread)]
      .steps[to_size(flat - stall_.first_step[to_size(thread)])];
}

/// The contract orders by MTE3 of vectors and FIX of cubes (PIPE-5); where core kinds meet, what
/// joins them may stand on MTE3 of either, behind a tail. More work is over then than is promised:
/// that of MTE3 and of the scalar unit, and what they waited for.
bool PlanRun::composer_may_order(const Conflict& conflict) const {
  std::int32_t earlier = conflict.first;
  std::int32_t later = conflict.second;
  const Thread& one = program_.threads[to_size(order_.thread_of(earlier))];
  const Thread& two = program_.threads[to_size(order_.thread_of(later))];
  const LaunchShape& shape = program_.shape_of(one);
  if (one.part != two.part || !shape.fused || !shape.is_mix()) return false;
  if (step_at(earlier).sub_kernel > step_at(later).sub_kernel) std::swap(earlier, later);
  const std::int32_t end = step_at(later).sub_kernel;
  const std::int32_t thread = order_.thread_of(earlier);
  const std::vector<Step>& steps = program_.threads[to_size(thread)].steps;
  const std::int32_t first = stall_.first_step[to_size(thread)];
  for (std::int32_t flat = earlier; to_size(flat - first) < steps.size(); ++flat) {
    const Step& step = steps[to_size(flat - first)];
    if (step.sub_kernel >= end) return false;
    const bool ends_it = step.pipe == Pipe::mte3 || step.pipe == Pipe::s;
    if (ends_it && (flat == earlier || order_.before(earlier, flat))) return true;
  }
  return false;
}

/// L-30=whole-blocks speaks of transfers; a computing instruction is taken word by word.
bool PlanRun::computes_in_blocks(const Conflict& conflict) const {
  if (setting_->may_be(latitude_pin(30, "torn"))) return false;
  return std::ranges::any_of(std::array{conflict.first, conflict.second}, [&](std::int32_t flat) {
    const Step& step = step_at(flat);
    return step.kind == StepKind::data && (step.pipe == Pipe::v || step.pipe == Pipe::m);
  });
}

void PlanRun::judge_races() {
  PlanResult& result = *result_;
  if (hazard_result_.conflicts.empty() && hazard_result_.undefined_reads.empty()) return;
  // What joins sub kernels may be raises as well, which then carry the earlier ones of their core.
  // What drains a border (L-14) may keep what the core issues behind it waiting as well.
  const bool orders_more = setting_->is_pinned_at(latitude_pin(8, "program-order")) ||
                           setting_->is_pinned_at(latitude_pin(14, "drained"));
  if (orders_more && !program_.boundaries.empty() && !hazard_result_.conflicts.empty()) {
    result.data_open.add(Inexact::pinned);
  }
  const RaceJudge judge(setting_->test_case.mix, program_, stall_, order_, hazards_);
  constexpr std::size_t described_max = 64;
  for (const Conflict& conflict : hazard_result_.conflicts) {
    const RuleId rule = judge.rule(conflict);
    charge(result.race_charges, rule, mix_place(step_at(conflict.second).sub_kernel));
    if (composer_may_order(conflict)) result.data_open.add(Inexact::composer_drains);
    if (computes_in_blocks(conflict)) result.data_open.add(Inexact::pinned);
    if (words_ && result.races.size() < described_max) {
      result.races.push_back(judge.describe(conflict, setting_->layout, number_));
    }
  }
  for (const Poison& read : hazard_result_.undefined_reads) {
    charge(result.race_charges, RuleId::pipe_7, -1);
    if (words_ && result.races.size() < described_max) {
      result.races.push_back(judge.describe_undefined(read, setting_->layout, number_));
    }
  }
}

}  // namespace skcts::model
