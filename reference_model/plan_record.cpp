// What a launch must show besides memory: who is stuck, what queries answer, what is inserted.
#include <algorithm>
#include <map>
#include <utility>

#include "reference_model/plan_run.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// Are the counts of boundaries other than the contract's, or owed no more?
bool opens_boundaries(const Relaxation* relaxed) {
  if (relaxed == nullptr) return false;
  const Weakening what = relaxed->weakening;
  return what == Weakening::edge || what == Weakening::boundary || what == Weakening::swapped ||
         what == Weakening::run_twice;
}

}  // namespace

Waiting PlanRun::waiting_of(const StuckStep& stuck) const {
  const Thread& thread = program_.threads[to_size(stuck.thread)];
  const Step& step = thread.steps[to_size(stuck.step)];
  Waiting waiting;
  waiting.core = thread.core;
  waiting.launch = program_.number_of(thread, number_);
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
  const bool service = std::any_of(program_.threads.begin() + cores, program_.threads.end(),
                                   [](const Thread& thread) { return thread.outside < 0; });
  result.stuck_complete = result.exact_stall() && !stall_.full_core_stall && !service &&
                          stall_.same_everywhere && program_.parts.empty();
  std::map<std::pair<std::int32_t, CoreKind>, std::int32_t> fewest;
  if (stall_.full_core_stall) {
    for (std::int32_t t = 0; t < cores; ++t) {
      const Thread& thread = program_.threads[to_size(t)];
      const std::int32_t count = full_core_arrivals(t);
      const auto least = fewest.try_emplace({thread.part, thread.core.kind}, count).first;
      least->second = std::min(least->second, count);
    }
  }
  for (const StuckStep& stuck : stall_.stuck) {
    const Thread& thread = program_.threads[to_size(stuck.thread)];
    if (stuck.thread >= cores || (service && thread.core.kind == CoreKind::aic)) continue;
    if (stall_.full_core_stall) {
      const std::int32_t least = fewest.at({thread.part, thread.core.kind});
      if (!stuck.full_core || full_core_arrivals(stuck.thread) <= least) continue;
    }
    if (!result.exact_stall() || !stuck.everywhere) continue;
    const Waiting waiting = waiting_of(stuck);
    // Who else stands at a boundary behind a stuck core is the composer's business.
    const bool full_core = stuck.full_core || stuck.kind == WaitKind::full_core;
    if (!stall_.full_core_stall && full_core && waiting.instruction < 0) continue;
    // A launch of one sub kernel begins after its events: nobody need stand anywhere.
    if (stuck.kind == WaitKind::cores) continue;
    if (!program_.shape_of(thread).fused && stuck.kind == WaitKind::event) continue;
    result.stuck.push_back({waiting, stuck.full_core});
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
      query.record = {thread.core, program_.number_of(thread, number_), mix_place(step.sub_kernel),
                      step.instruction, static_cast<std::int64_t>(step.value)};
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
  if (program_.parts.empty()) return record_counts(program_.shape, 0, 0);
  for (std::size_t p = 0; p < program_.parts.size(); ++p) {
    const LaunchPart& part = program_.parts[p];
    record_counts(part.shape, static_cast<std::int32_t>(p), part.first_place);
  }
}

void PlanRun::record_counts(const LaunchShape& shape, std::int32_t part, std::int32_t first_place) {
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
    if (thread.part != part) continue;
    for (const Step& step : thread.steps) {
      if (step.sub_kernel < 0) continue;
      InsertedCounts& own = counts.inserted[to_size(step.sub_kernel - first_place)];
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
          // The full synchronisation of debug_sync_all stands instead of it on aclgraph.
          if (shape.captured && setting_->options.debug_sync_all) break;
          if (arrives && step.instruction < 0 && !opens_boundaries(setting_->relaxed)) {
            const Join& join = program_.joins[to_size(step.join)];
            ++counts.inserted[to_size(join.sub_kernel - first_place)].barrier_before;
          }
          break;
        default: break;
      }
    }
  }
  result_->counts.push_back(std::move(counts));
}

}  // namespace skcts::model
