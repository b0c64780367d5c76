#include "reference_model/plan_run.h"

#include <algorithm>

#include "reference_model/relaxed_contract.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

SearchFreedom CaseSetting::freedom() const {
  SearchFreedom result;
  result.states = search_states;
  result.prefetch = may_be(latitude_pin(36, "any-time"));
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
  raised_.clear();
  floating_.clear();
  next_step_.assign(setting.test_case.mix.outside.size(), 0);
  for (const PlanStep& step : plan.steps) {
    if (!this->step(step, alone)) return;
  }
  finish_actors();
}

/// One step of the plan. False when nothing follows it.
bool PlanRun::step(const PlanStep& step, bool alone) {
  const CaseSetting& setting = *setting_;
  const Mix& mix = setting.test_case.mix;
  const auto all = [&](const std::vector<PlanStep>& steps) {
    return std::ranges::all_of(steps, [&](const PlanStep& one) { return this->step(one, alone); });
  };
  switch (step.kind) {
    case skcts::StepKind::host_write: {
      const std::int64_t base = setting.layout.base[to_size(step.region)] + step.at;
      const auto count = static_cast<std::int32_t>(step.values.size());
      meet_words({Space::gm, base, count}, true);
      meet_actors({Space::gm, base, count});
      for (std::size_t j = 0; j < step.values.size(); ++j) {
        result_->memory.host_write(base + static_cast<std::int64_t>(j), step.values[j]);
      }
      return true;
    }
    case skcts::StepKind::fused:
      if (alone) break;
      return std::ranges::all_of(
          super_kernels(setting.test_case, step.sub_kernels, setting.options),
          [this](const std::vector<std::int32_t>& list) { return launch(fused(list)); });
    case skcts::StepKind::alone: break;
    case skcts::StepKind::marked: return all(cut_by_marks(mix, step, setting.test_case.path));
    case skcts::StepKind::beside: return alone ? beside_in_turn(step) : beside(step);
  }
  return std::ranges::all_of(step.sub_kernels, [&](std::int32_t sub) {
    return launch(alone_shape(mix, sub, setting.profile));
  });
}

ShapeOrRefusal PlanRun::fused(std::vector<std::int32_t> list) const {
  const CaseSetting& setting = *setting_;
  ShapeOrRefusal made;
  bool accepts = false;
  if (setting.relaxed == nullptr) {
    made = fused_shape(setting.test_case, list, setting.options, setting.profile);
  } else {
    list = relaxed_list(std::move(list), *setting.relaxed);
    made =
        relaxed_shape(setting.test_case, list, setting.options, setting.profile, *setting.relaxed);
    accepts = setting.relaxed->weakening == Weakening::refusal_missing;
  }
  if (!made.refusal && !accepts) {
    made.refusal = refuse_streams(setting.test_case, list, setting.options);
  }
  return made;
}

LaunchInput PlanRun::input_of(const LaunchShape& shape) const {
  LaunchInput input{setting_->test_case.mix, setting_->layout, setting_->options, shape};
  const auto at = [this](LatitudePin pin) { return setting_->is_pinned_at(pin); };
  input.lists_win = at(latitude_pin(39, "lists-win"));
  input.drained = at(latitude_pin(14, "drained"));
  input.flags = flag_service(shape);
  input.raises_in_order = at(latitude_pin(8, "program-order"));
  if (at(latitude_pin(12, "joins-cubes"))) input.cube_sync_all = CubeSyncAll::joins_cubes;
  if (at(latitude_pin(12, "no-effect"))) input.cube_sync_all = CubeSyncAll::no_effect;
  input.is_3510 = setting_->profile.is_3510();
  input.actors = parts_;
  input.raised = &raised_;
  input.relaxed = setting_->relaxed;
  if (setting_->relaxed != nullptr && setting_->relaxed->weakening == Weakening::residue) {
    input.residue = left_over_;
  }
  return input;
}

/// One launch. False when nothing follows it.
bool PlanRun::launch(const ShapeOrRefusal& shape) {
  if (shape.refusal) {
    result_->refusal = shape.refusal;
    return false;
  }
  find_actor_parts(shape.shape.fused ? shape.shape.sub_kernels : std::vector<std::int32_t>());
  lowering_.run(input_of(shape.shape), program_);
  meet_floating(&shape.shape);
  if (lowering_.left_region()) {
    // What lies beyond a region is anybody's guess: garbage, an error, a poll that never ends.
    result_->error = result_->may_stall = true;
    result_->stall_open.add(Inexact::outside_region);
  }
  result_->launches.push_back(shape.shape);
  analyse();
  leave_feeding_open();
  advance_actors(&shape.shape);
  ++number_;
  return setting_->open_ended || !result_->left_open.empty() ||
         (!result_->stalls && !result_->fails);
}

/// Where idle cores take part in SyncAll is told by the order of the list; with several streams a
/// composer may have another, which matters where somebody waits for them.
void PlanRun::leave_feeding_open() {
  const bool fed = setting_->options.feed_sync_all && setting_->options.stream_fusion;
  const bool streams =
      program_.shape.fused && has_two_streams(setting_->test_case.mix, program_.shape.sub_kernels);
  if (!fed || !streams || !stall_.stalled || !result_->left_open.empty()) return;
  result_->left_open =
      "idle cores that take part in SyncAll in a launch of several streams may do so elsewhere: "
      "not decided";
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
  leave_events_open();
  if (fails_on_flags()) {
    result.error = result.fails = true;
    return charge(result.error_charges, RuleId::sync_13, mix_place(0));
  }
  result.private_words.insert(result.private_words.end(), lowering_.private_words().begin(),
                              lowering_.private_words().end());
  for (std::size_t b = first_broken_; b < result.broken.size(); ++b) {
    if (!result.broken[b].undefined_data) continue;
    undefined_ = result.undefined = result.may_stall = may_complete_ = true;
    const RuleId rule = result.broken[b].rule;
    result.may_error = result.may_error || rule == RuleId::task_4 || rule == RuleId::sync_15;
    result.stall_open.add(Inexact::broken_rule);
    result.data_open.add(Inexact::broken_rule);
    charge(result.early_charges, result.broken[b].rule, result.broken[b].sub_kernel);
    charge(result.stall_charges, result.broken[b].rule, result.broken[b].sub_kernel);
  }
  if (stall_.depth_stall && setting_->may_be(latitude_pin(35, "depth-1"))) {
    note_latitude(35);
    result.may_stall = true;
    result.stall_open.add(Inexact::queue_depth);
    charge(result.stall_charges, RuleId::pipe_4, -1);
  }
  judge_doubts();
  judge_reserved_ids();
  judge_left_over();
  judge_kernel_type();
  judge_waves();
  if (setting_->profile.is_3510()) judge_first_soft_round();
  if (may_complete_) {
    judge_unreached();
  } else if (stall_.full_core_stall) {
    judge_released_early();
  }
  judge_races();
  if (!order_.knows_pipes() && !hazard_result_.clean() && result.left_open.empty()) {
    result.left_open = "a wait that holds one pipe, raised behind later steps: not decided";
  }
  if (stall_.stalled) judge_stall();
  // A wait that any of several raises may release, and a pair that this leaves unordered.
  if (!order_.exact() && !result.race_charges.empty()) {
    charge(result.early_charges, RuleId::sync_12, -1);
    if (words_) describe_many_feeders();
  }
  if (viewer_ != nullptr) viewer_->launch({number_, program_, stall_, order_});
  record_queries();
  record_counts();
  values_.run(program_, stall_, order_, hazards_, hazard_result_, result.memory,
              setting_->freedom());
  if (notes_ != nullptr) {
    notes_->launch(number_, program_, order_, stall_, hazards_.footprint(), values_.tight());
  }
  result.data_open.add(values_.open());
  if (!hazard_result_.exact) result.data_open.add(Inexact::search_limit);
  if (!order_.exact()) result.data_open.add(Inexact::many_feeders);
  if (stall_.loose_polls) result.data_open.add(Inexact::poll_of_several);
  if (!hazard_result_.clean()) judge_claims();
  if (result.stalls) {
    // A stuck pipe also holds up requests to a Matmul service; what it served is not judged.
    const bool service =
        std::any_of(program_.joins.begin(), program_.joins.end(),
                    [](const Join& join) { return join.kind == JoinKind::matmul_call; });
    result.judge_stalled_memory =
        !undefined_ && !result.full_core_stall && result.exact_stall() && !service;
    // Judged is what executes on every platform.
    if (!stall_.executed_everywhere.empty()) stall_.executed.swap(stall_.executed_everywhere);
    ValueAnalysis::forget_unfinished(program_, stall_, result.memory);
    if (!stall_.executed_everywhere.empty()) stall_.executed.swap(stall_.executed_everywhere);
  } else if (undefined_ || stall_.stalled) {
    forget_launch();
  } else if (setting_->may_be(latitude_pin(37, "lost"))) {
    lose_dirty_lines();
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

}  // namespace skcts::model
