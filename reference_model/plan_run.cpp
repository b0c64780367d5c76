#include "reference_model/plan_run.h"

#include <algorithm>

#include "reference_model/races.h"
#include "reference_model/relaxed_contract.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

void add_charge(std::vector<Charge>& charges, std::optional<RuleId> charged,
                std::int32_t sub_kernel) {
  if (!charged) return;
  const RuleId rule = *charged;
  for (const Charge& known : charges) {
    if (known.rule == rule && known.sub_kernel == sub_kernel) return;
  }
  charges.push_back({rule, sub_kernel});
}

/// Are the counts of boundaries other than the contract's, or owed no more?
bool opens_boundaries(const Relaxation* relaxed) {
  if (relaxed == nullptr) return false;
  const Weakening what = relaxed->weakening;
  return what == Weakening::edge || what == Weakening::boundary || what == Weakening::swapped ||
         what == Weakening::run_twice;
}

bool is_reserved(std::int32_t id) {
  return id >= 11 && id <= 14;
}

}  // namespace

SearchFreedom CaseSetting::freedom() const {
  SearchFreedom result;
  result.states = search_states;
  result.prefetch = is_pinned(36) && latitudes.holds(latitude_pin(36, "any-time"));
  result.overlap = may_be(latitude_pin(1, "overlap"));
  result.own_kind = may_be(latitude_pin(2, "own-kind"));
  result.write_back_any = may_be(latitude_pin(23, "any-moment"));
  result.drop_any = may_be(latitude_pin(24, "any-moment"));
  result.land_late = may_be(latitude_pin(25, "until-barrier"));
  result.torn = may_be(latitude_pin(30, "torn"));
  result.extra_read_refresh = may_be(latitude_pin(19, "refreshed"));
  result.extra_write_refresh = may_be(latitude_pin(34, "at-once"));
  return result;
}

void PlanRun::run(const CaseSetting& setting, const Plan& plan, bool alone, bool words,
                  PlanResult& result) {
  setting_ = &setting;
  result_ = &result;
  words_ = words;
  number_ = 0;
  left_over_.clear();
  const Mix& mix = setting.test_case.mix;
  for (const PlanStep& step : plan.steps) {
    switch (step.kind) {
      case skcts::StepKind::host_write: {
        const std::int64_t base = setting.layout.base[to_size(step.region)] + step.at;
        for (std::size_t j = 0; j < step.values.size(); ++j) {
          result.memory.host_write(base + static_cast<std::int64_t>(j), step.values[j]);
        }
        break;
      }
      case skcts::StepKind::fused:
        if (!alone) {
          if (!launch(fused(step))) return;
          break;
        }
        [[fallthrough]];
      case skcts::StepKind::alone:
        for (const std::int32_t sub : step.sub_kernels) {
          if (!launch(alone_shape(mix, sub, setting.profile))) return;
        }
        break;
    }
  }
}

ShapeOrRefusal PlanRun::fused(const PlanStep& step) const {
  const CaseSetting& setting = *setting_;
  const Mix& mix = setting.test_case.mix;
  if (setting.relaxed == nullptr) {
    return fused_shape(mix, step.sub_kernels, setting.options, setting.profile);
  }
  return relaxed_shape(mix, relaxed_list(step.sub_kernels, *setting.relaxed), setting.options,
                       setting.profile, *setting.relaxed);
}

/// One launch. False when nothing follows it.
bool PlanRun::launch(const ShapeOrRefusal& shape) {
  if (shape.refusal) {
    result_->refusal = shape.refusal;
    return false;
  }
  LaunchInput input{setting_->test_case.mix, setting_->layout, setting_->options, shape.shape};
  input.lists_win =
      setting_->is_pinned(39) && setting_->latitudes.holds(latitude_pin(39, "lists-win"));
  input.drained = setting_->is_pinned(14) && setting_->latitudes.holds(latitude_pin(14, "drained"));
  input.relaxed = setting_->relaxed;
  if (setting_->relaxed != nullptr && setting_->relaxed->weakening == Weakening::residue) {
    input.residue = left_over_;
  }
  lowering_.run(input, program_);
  if (lowering_.left_region()) {
    // What lies beyond a region is anybody's guess: garbage, an error, a poll that never ends.
    result_->error = result_->may_stall = true;
    result_->exact_stall = false;
  }
  result_->launches.push_back(shape.shape);
  analyse();
  ++number_;
  return !result_->stalls;
}

void PlanRun::analyse() {
  PlanResult& result = *result_;
  may_complete_ = undefined_ = false;
  known_ = result.memory.known();
  const GmView view{result.memory.value, known_};
  stalls_.run(program_, view, stall_);
  order_.build(program_, stall_);
  if (stalls_.has_polls()) {
    while (stalls_.add_poll_edges(program_, order_, stall_)) order_.build(program_, stall_);
  }
  stalls_.check_with_order(program_, order_, stall_);
  stall_.doubts.insert(stall_.doubts.end(), lowering_.doubts().begin(), lowering_.doubts().end());
  find_hazards();
  first_broken_ = result.broken.size();
  if (setting_->relaxed == nullptr) {
    check_rules(
        setting_->test_case, setting_->options, program_, stall_,
        [this](std::int32_t a, std::int32_t b) { return order_.before(a, b); }, result.broken);
  }
  result.private_words.insert(result.private_words.end(), lowering_.private_words().begin(),
                              lowering_.private_words().end());
  for (std::size_t b = first_broken_; b < result.broken.size(); ++b) {
    if (!result.broken[b].undefined_data) continue;
    undefined_ = result.undefined = result.may_stall = may_complete_ = true;
    result.may_error = result.may_error || result.broken[b].rule == RuleId::task_4;
    result.exact_stall = result.exact_data = false;
    add_charge(result.early_charges, result.broken[b].rule, result.broken[b].sub_kernel);
    add_charge(result.stall_charges, result.broken[b].rule, result.broken[b].sub_kernel);
  }
  if (stall_.depth_stall && setting_->may_be(latitude_pin(35, "depth-1"))) {
    note_latitude(35);
    result.may_stall = true;
    result.exact_stall = false;
    add_charge(result.stall_charges, RuleId::pipe_4, -1);
  }
  judge_doubts();
  judge_reserved_ids();
  judge_left_over();
  judge_kernel_type();
  if (may_complete_) {
    judge_unreached();
  } else if (stall_.full_core_stall) {
    judge_released_early();
  }
  judge_races();
  if (stall_.stalled) judge_stall();
  // A wait that any of several raises may release, and a pair that this leaves unordered.
  if (!order_.exact() && !result.race_charges.empty()) {
    add_charge(result.early_charges, RuleId::sync_12, -1);
  }
  record_queries();
  record_counts();
  const bool exact = values_.run(program_, stall_, order_, hazards_, hazard_result_, result.memory,
                                 setting_->freedom());
  if (notes_ != nullptr) {
    notes_->launch(number_, program_, order_, stall_, hazards_.footprint(), values_.tight());
  }
  result.exact_data =
      result.exact_data && exact && hazard_result_.exact && order_.exact() && !stall_.loose_polls;
  if (result.stalls) {
    // A stuck pipe also holds up requests to a Matmul service; what it served is not judged.
    const bool service =
        std::any_of(program_.joins.begin(), program_.joins.end(),
                    [](const Join& join) { return join.kind == JoinKind::matmul_call; });
    result.judge_stalled_memory =
        !undefined_ && !result.full_core_stall && result.exact_stall && !service;
    // Judged is what executes on every platform.
    if (!stall_.executed_everywhere.empty()) stall_.executed.swap(stall_.executed_everywhere);
    ValueAnalysis::forget_unfinished(program_, stall_, result.memory);
    if (!stall_.executed_everywhere.empty()) stall_.executed.swap(stall_.executed_everywhere);
  } else if (undefined_ || stall_.stalled) {
    forget_launch();
  }
}

/// Races, and with them the polls that they decide.
void PlanRun::find_hazards() {
  const bool prefetch = setting_->freedom().prefetch;
  const auto words = static_cast<std::int64_t>(result_->memory.value.size());
  hazards_.run(program_, stall_, order_, words, hazard_result_, prefetch);
  while (
      stalls_.check_with_hazards(program_, order_, hazard_result_, hazards_.footprint(), stall_)) {
    order_.build(program_, stall_);
    hazards_.run(program_, stall_, order_, words, hazard_result_, prefetch);
  }
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
/// (semantics §1). The launch stalls all the same, unless they run into an error.
void PlanRun::judge_released_early() {
  for (const Doubt& doubt : stall_.doubts) {
    if (happens(doubt)) continue;
    const bool double_set = doubt.kind == DoubtKind::double_set;
    const bool kernel_type = doubt.kind == DoubtKind::kernel_type;
    if ((double_set && setting_->may_be(latitude_pin(4, "error"))) ||
        (kernel_type && setting_->may_be(latitude_pin(12, "error")))) {
      note_latitude(double_set ? 4 : 12);
      result_->may_error = true;
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
  result.exact_stall = false;
  if (doubt.may_error) {
    result.error = true;
    add_charge(result.error_charges, doubt.rule, place);
  }
  if (doubt.may_stall) {
    result.may_stall = true;
    add_charge(result.stall_charges, doubt.rule, place);
  }
  if (doubt.may_complete && stall_.stalled) {
    may_complete_ = true;
    result.may_stall = true;
    add_charge(result.stall_charges, doubt.rule, place);
  }
  if (doubt.data_undefined) {
    undefined_ = result.undefined = true;
    result.exact_data = false;
    add_charge(result.early_charges, doubt.rule, place);
  }
}

/// SYNC-7: a user's raise may release an inserted wait too early; a user's wait may take what an
/// inserted one needs. Ids of the Matmul service are taken in its own sub kernel only.
void PlanRun::judge_reserved_ids() {
  if (stall_.streams.empty() && stall_.counters.empty()) return;
  const bool full_core = std::any_of(program_.joins.begin(), program_.joins.end(),
                                     [](const Join& join) { return join.full_core; });
  PlanResult& result = *result_;
  const auto judge = [&](std::int32_t thread, std::int32_t flat, bool waits) {
    const Step& step =
        program_.threads[to_size(thread)].steps[to_size(flat - stall_.first_step[to_size(thread)])];
    const bool served = step.id == 15 || step.id < 2;
    if (!(full_core && is_reserved(step.id)) && !(served && has_service(step.sub_kernel))) return;
    const std::int32_t place = mix_place(step.sub_kernel);
    // Undefined from here (semantics §7): a raise may also serve a join that lacks members.
    undefined_ = result.undefined = result.may_error = may_complete_ = true;
    result.exact_stall = result.exact_data = false;
    add_charge(result.early_charges, RuleId::sync_7, place);
    if (!waits && !stall_.stalled) return;
    result.may_stall = true;
    add_charge(result.stall_charges, RuleId::sync_7, place);
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

/// L-5: counters that an earlier launch left above zero may still be so. Whatever waits for one may
/// be released before its time.
void PlanRun::judge_left_over() {
  if (!left_over_.empty() && setting_->may_be(latitude_pin(5, "kept"))) {
    const auto is_met = [this](const LeftOver& left) {
      if (left.id > 10) return true;  // the inserted waits meet it
      return std::any_of(stall_.counters.begin(), stall_.counters.end(),
                         [&](const Counter& counter) {
                           return counter.id == left.id &&
                                  program_.threads[to_size(counter.thread)].core == left.core;
                         });
    };
    if (std::any_of(left_over_.begin(), left_over_.end(), is_met)) {
      PlanResult& result = *result_;
      note_latitude(5);
      undefined_ = result.undefined = result.may_stall = may_complete_ = true;
      result.exact_stall = result.exact_data = false;
      add_charge(result.early_charges, RuleId::sync_5, -1);
      add_charge(result.stall_charges, RuleId::sync_5, -1);
    }
  }
  left_over_.insert(left_over_.end(), stall_.left_over.begin(), stall_.left_over.end());
}

bool PlanRun::has_service(std::int32_t place) const {
  return std::any_of(program_.joins.begin(), program_.joins.end(), [&](const Join& join) {
    return join.kind == JoinKind::matmul_call && join.sub_kernel == place;
  });
}

/// L-10: cross-core flags in a sub kernel that is launched alone without the flag scheduler.
void PlanRun::judge_kernel_type() {
  const LaunchShape& shape = program_.shape;
  if (shape.fused || (stall_.streams.empty() && stall_.counters.empty())) return;
  const std::int32_t place = shape.sub_kernels.front();
  const KernelType type = setting_->test_case.mix.sub_kernels[to_size(place)].type;
  if (type != KernelType::aiv_only && type != KernelType::aic_only) return;
  PlanResult& result = *result_;
  note_latitude(10);
  result.exact_stall = result.exact_data = false;
  undefined_ = result.undefined = true;
  may_complete_ = setting_->may_be(latitude_pin(10, "fall-through"));
  if (setting_->may_be(latitude_pin(10, "error"))) {
    result.error = true;
    add_charge(result.error_charges, RuleId::sync_13, place);
  }
  if (setting_->may_be(latitude_pin(10, "hang"))) {
    result.may_stall = true;
    add_charge(result.stall_charges, RuleId::sync_13, place);
  }
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
      add_charge(result.stall_charges, stuck.rule, mix_place(step.sub_kernel));
    }
    if (any) break;
  }
  if (!may_complete_) record_stuck();
  if (words_) describe_stuck();
}

Waiting PlanRun::waiting_of(const StuckStep& stuck) const {
  const Thread& thread = program_.threads[to_size(stuck.thread)];
  const Step& step = thread.steps[to_size(stuck.step)];
  Waiting waiting;
  waiting.core = thread.core;
  waiting.launch = number_;
  waiting.sub_kernel = mix_place(step.sub_kernel);
  waiting.instruction = step.instruction;
  waiting.kind = stuck.kind;
  waiting.id = step.kind == StepKind::wait || step.kind == StepKind::wait_event ? step.id : -1;
  return waiting;
}

/// How often the core of a thread arrives at full-core waits.
std::int32_t PlanRun::full_core_arrivals(std::int32_t thread) const {
  std::int32_t count = 0;
  const Thread& own = program_.threads[to_size(thread)];
  for (const Step& step : own.steps) {
    if (step.kind != StepKind::arrive) continue;
    const Join& join = program_.joins[to_size(step.join)];
    // At a sync of cubes and vectors a vector core meets its own block only.
    const bool by_block =
        own.core.kind == CoreKind::aiv && join.aic && join.aiv && join.kind != JoinKind::boundary;
    count += join.full_core && !by_block;
  }
  return count;
}

/// Which cores must be stuck. Of the full-core class only those that arrive more often than
/// another core of their kind (semantics §1). A core that serves Matmul calls stands wherever its
/// service does.
void PlanRun::record_stuck() {
  PlanResult& result = *result_;
  const auto cores = static_cast<std::int32_t>(program_.shape.aic_count + program_.shape.aiv_count);
  const bool service = static_cast<std::int32_t>(program_.threads.size()) > cores;
  result.stuck_complete =
      result.exact_stall && !stall_.full_core_stall && !service && stall_.same_everywhere;
  std::int32_t fewest[2] = {-1, -1};
  if (stall_.full_core_stall) {
    for (std::int32_t t = 0; t < cores; ++t) {
      std::int32_t& least =
          fewest[to_size(static_cast<int>(program_.threads[to_size(t)].core.kind))];
      const std::int32_t count = full_core_arrivals(t);
      if (least < 0 || count < least) least = count;
    }
  }
  for (const StuckStep& stuck : stall_.stuck) {
    const Thread& thread = program_.threads[to_size(stuck.thread)];
    if (stuck.thread >= cores || (service && thread.core.kind == CoreKind::aic)) continue;
    if (stall_.full_core_stall) {
      const std::int32_t least = fewest[to_size(static_cast<int>(thread.core.kind))];
      if (!stuck.full_core || full_core_arrivals(stuck.thread) <= least) continue;
    }
    if (!result.exact_stall || !stuck.everywhere) continue;
    const Waiting waiting = waiting_of(stuck);
    // Who else stands at a boundary behind a stuck core is the composer's business.
    if (!stall_.full_core_stall && stuck.full_core && waiting.instruction < 0) continue;
    result.stuck.push_back({waiting, stuck.full_core});
  }
}

void PlanRun::judge_races() {
  PlanResult& result = *result_;
  if (hazard_result_.conflicts.empty() && hazard_result_.undefined_reads.empty()) return;
  const RaceJudge judge(setting_->test_case.mix, program_, stall_, order_, hazards_);
  constexpr std::size_t described_max = 64;
  for (const Conflict& conflict : hazard_result_.conflicts) {
    const RuleId rule = judge.rule(conflict);
    const std::int32_t thread = order_.thread_of(conflict.second);
    const Step& step = program_.threads[to_size(thread)]
                           .steps[to_size(conflict.second - stall_.first_step[to_size(thread)])];
    add_charge(result.race_charges, rule, mix_place(step.sub_kernel));
    if (words_ && result.races.size() < described_max) {
      result.races.push_back(judge.describe(conflict, setting_->layout, number_));
    }
  }
  for (const Poison& read : hazard_result_.undefined_reads) {
    add_charge(result.race_charges, RuleId::pipe_7, -1);
    if (words_ && result.races.size() < described_max) {
      result.races.push_back(judge.describe_undefined(read, setting_->layout, number_));
    }
  }
}

/// Every word that the launch may write is not judged any more.
void PlanRun::forget_launch() {
  GmState& memory = result_->memory;
  for (const Thread& thread : program_.threads) {
    for (const Step& step : thread.steps) {
      for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
        const WordRange& range = program_.ranges[to_size(w)];
        if (range.space != Space::gm) continue;
        if (memory.set.empty()) memory.set.assign(memory.value.size(), Val::exact);
        const auto first = memory.set.begin() + range.first;
        std::fill(first, first + range.count, Val::unjudged);
      }
    }
  }
}

void PlanRun::record_queries() {
  const LaunchShape& shape = program_.shape;
  const auto cores = static_cast<std::size_t>(shape.aic_count + shape.aiv_count);
  for (std::size_t t = 0; t < cores; ++t) {
    const Thread& thread = program_.threads[t];
    for (const Step& step : thread.steps) {
      if (step.mark != MarkKind::query) continue;
      ExpectedQuery query;
      query.record = {thread.core, number_, mix_place(step.sub_kernel), step.instruction,
                      static_cast<std::int64_t>(step.value)};
      const KernelType type =
          setting_->test_case.mix.sub_kernels[to_size(query.record.sub_kernel)].type;
      const std::int64_t own = type == KernelType::mix_aic_1_2 ? query.record.value : 1;
      if (static_cast<Op>(step.id) == Op::get_task_ratio && own != query.record.value) {
        // L-31
        if (!setting_->is_pinned(31)) {
          query.judged = false;
        } else if (setting_->latitudes.holds(latitude_pin(31, "own-ratio"))) {
          query.record.value = own;
        }
      }
      result_->queries.push_back(query);
    }
  }
}

void PlanRun::record_counts() {
  const LaunchShape& shape = program_.shape;
  LaunchCounts counts;
  counts.type = shape.type;
  counts.blocks = shape.blocks;
  counts.fused = shape.fused;
  if (undefined_ || stall_.stalled) {
    // A run that completes all the same may have left out what it no longer needed.
    result_->counts.push_back(std::move(counts));
    return;
  }
  counts.inserted.resize(shape.sub_kernels.size());
  for (std::size_t k = 0; k < shape.sub_kernels.size(); ++k) {
    counts.inserted[k].sub_kernel = shape.sub_kernels[k];
  }
  for (const Thread& thread : program_.threads) {
    if (!shape.fused) break;
    for (const Step& step : thread.steps) {
      if (step.sub_kernel < 0) continue;
      InsertedCounts& own = counts.inserted[to_size(step.sub_kernel)];
      const bool arrives = step.kind == StepKind::arrive;
      switch (step.origin) {
        case Origin::access_refresh: ++own.refresh_per_access; break;
        case Origin::before_refresh: ++own.refresh_before; break;
        case Origin::after_refresh: ++own.refresh_after; break;
        case Origin::debug_refresh: ++own.refresh_debug; break;
        case Origin::debug_sync: own.barrier_debug += arrives; break;
        case Origin::feed: own.feed_joins += arrives; break;
        case Origin::boundary:
          // A sub kernel's own SetNextTaskStart is not inserted. A boundary that orders less may
          // be without any of its arrivals.
          if (arrives && step.instruction < 0 && !opens_boundaries(setting_->relaxed)) {
            const Join& join = program_.joins[to_size(step.join)];
            ++counts.inserted[to_size(join.sub_kernel)].barrier_before;
          }
          break;
        default: break;
      }
    }
  }
  result_->counts.push_back(std::move(counts));
}

}  // namespace skcts::model
