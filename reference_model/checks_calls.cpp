// Calls that a sub kernel may not make, or not on some of its cores only: kernel types, SyncAll,
// reserved ids, Matmul, early start.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "reference_model/launch_checks.h"

namespace skcts::model {

/// SYNC-13, SYNC-8 (kernel types without the other core kind), L-12.
void LaunchChecks::check_kernel_type() {
  const bool scheduler_off =
      sub_->type == KernelType::aiv_only || sub_->type == KernelType::aic_only;
  const bool one_kind = !is_mix_kind(sub_->type);
  for_each_core([&](const CoreFacts& one) {
    if (scheduler_off && one.flag_instruction >= 0) {
      report(RuleId::sync_13, one.core, one.flag_instruction,
             fmt::format("uses cross-core flags, which {} kernels do not have",
                         to_string(sub_->type)));
    } else if (one_kind && one.bad_mode_instruction >= 0) {
      report(RuleId::sync_13, one.core, one.bad_mode_instruction,
             fmt::format(
                 "raises a flag of another mode than 0 in a {} kernel, which has that one only",
                 to_string(sub_->type)));
    }
    if (one.sync_instruction < 0) return;
    if (one_kind && one.full_calls > 0) {
      report(RuleId::sync_8, one.core, one.sync_instruction,
             "calls SyncAll<false>, which needs cube and vector cores in the sub kernel itself");
    } else if (one.core.kind == CoreKind::aic &&
               one.full_calls < static_cast<std::int32_t>(one.sync_alls.size())) {
      report(RuleId::sync_13, one.core, one.sync_instruction,
             "calls SyncAll<true>, which is defined for vector cores only");
    }
  });
}

/// SYNC-14, SYNC-8 (one side of a MIX sub kernel never calls), CORE-5.
void LaunchChecks::check_sync_all() {
  std::array<std::int32_t, 2> full_calls{};
  bool any = false;
  bool differ = false;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const std::vector<CoreFacts>& cores = facts(kind);
    for (const CoreFacts& one : cores) {
      any = any || !one.sync_alls.empty();
      if (one.sync_alls != cores.front().sync_alls) {
        differ = true;
        report(RuleId::sync_14, one.core, one.sync_instruction,
               fmt::format("makes {} SyncAll calls, {} makes {}", one.sync_alls.size(),
                           to_string(cores.front().core), cores.front().sync_alls.size()));
      }
    }
    if (!cores.empty()) {
      full_calls[static_cast<std::size_t>(kind)] = cores.front().full_calls;
    }
  }
  if (!any || differ) return;
  if (is_mix_kind(sub_->type) && full_calls[0] != full_calls[1]) {
    const CoreKind fewer = full_calls[0] < full_calls[1] ? CoreKind::aic : CoreKind::aiv;
    const bool never = std::min(full_calls[0], full_calls[1]) == 0;
    report(never ? RuleId::sync_8 : RuleId::sync_14, {fewer, 0}, -1,
           fmt::format("makes {} SyncAll<false> calls, the other core kind {}",
                       std::min(full_calls[0], full_calls[1]),
                       std::max(full_calls[0], full_calls[1])));
    return;
  }
  check_width();
}

void LaunchChecks::check_width() {
  if (is_fed(*sub_, *shape_, options_)) return;
  const bool full = std::any_of(facts_.begin(), facts_.end(), [](const auto& cores) {
    return !cores.empty() && cores.front().full_calls > 0;
  });
  for (const CoreKind kind : {CoreKind::aiv, CoreKind::aic}) {
    const std::vector<CoreFacts>& cores = facts(kind);
    if (cores.empty() || (kind == CoreKind::aic && !full)) continue;
    const std::int32_t count = static_cast<std::int32_t>(cores.size());
    if (cores.front().sync_alls.empty() || count == launched(kind)) continue;
    report(RuleId::core_5, cores.front().core, cores.front().sync_instruction,
           fmt::format("calls SyncAll on {} of the {} {} cores that the SuperKernel launches and "
                       "feed-sync-all is {}",
                       count, launched(kind), kind == CoreKind::aic ? "AIC" : "AIV",
                       options_.feed_sync_all ? 1 : 0));
  }
}

/// SYNC-7
void LaunchChecks::check_reserved_ids() {
  bool matmul = false;
  for_each_core([&](const CoreFacts& one) {
    matmul = matmul || one.matmul_instruction >= 0;
    if (one.reserved_instruction < 0) return;
    report(RuleId::sync_7, one.core, one.reserved_instruction,
           "uses a flag id of 11 to 14, which SyncAll and the order between sub kernels use");
  });
  if (!matmul) return;
  for_each_core([&](const CoreFacts& one) {
    for (const std::size_t id : {std::size_t{0}, std::size_t{1}, std::size_t{15}}) {
      const bool used =
          one.waits[id] > 0 || one.sets[0][id] > 0 || one.sets[1][id] > 0 || one.sets[2][id] > 0;
      if (!used) continue;
      report(RuleId::sync_7, one.core, one.flag_instruction,
             fmt::format("uses flag {}, which the Matmul service has", id));
    }
  });
}

/// RATIO-3, RATIO-4.
void LaunchChecks::check_matmul_and_share() {
  if (sub_->type != KernelType::mix_aic_1_1) return;
  for (const CoreFacts& one : facts(CoreKind::aiv)) {
    if (one.matmul_instruction >= 0 && one.at.sub != 0) {
      report(RuleId::ratio_3, one.core, one.matmul_instruction,
             "calls Matmul on AIV1 of a MIX 1:1 sub kernel; only AIV0 is served");
    }
    if (one.share_instruction >= 0) {
      report(RuleId::ratio_4, one.core, one.share_instruction,
             "takes a share by GetBlockIdx or on AIV1 that a 1:1 launch does not have");
    }
  }
}

/// TASK-4, TASK-7.
void LaunchChecks::check_task_calls(std::size_t k) {
  for (const bool start : {true, false}) {
    const auto count = [start](const CoreFacts& one) {
      return start ? one.next_starts : one.pre_waits;
    };
    bool any = false;
    for_each_core([&](const CoreFacts& one) { any = any || count(one) > 0; });
    if (!any) continue;
    for_each_core([&](const CoreFacts& one) {
      if (count(one) == 1) return;
      report(RuleId::task_4, one.core, -1,
             fmt::format("calls {} {} times, every core must call it exactly once",
                         start ? "SetNextTaskStart" : "WaitPreTaskEnd", count(one)));
      if (is_undefined(k, start, count(one))) mark_undefined(RuleId::task_4);
    });
  }
  for_each_core([&](const CoreFacts& one) {
    if (one.tail_sync >= 0) {
      report(RuleId::task_7, one.core, one.tail_sync,
             "makes a full-core sync after SetNextTaskStart");
    }
    if (one.head_sync >= 0 && one.pre_waits > 0) {
      report(RuleId::task_7, one.core, one.head_sync,
             "makes a full-core sync before WaitPreTaskEnd");
    }
  });
}

/// Does a miscount of this call leave open what happens (semantics §7)? A missing signal alone
/// does not: its join lacks a member (§1).
bool LaunchChecks::is_undefined(std::size_t k, bool start, std::int32_t count) const {
  const std::vector<BoundaryRelation>& boundaries = program_.boundaries;
  const std::size_t place = first_place_ + k;
  if (start) return count > 1 && place < boundaries.size() && boundaries[place].own_signal;
  return place > 0 && place - 1 < boundaries.size() && boundaries[place - 1].own_wait;
}

/// Nothing is said of the launch from the broken rule of this sub kernel on.
void LaunchChecks::mark_undefined(RuleId rule) {
  for (BrokenRule& known : broken_) {
    if (known.rule == rule && known.sub_kernel == place_) known.undefined_data = true;
  }
}

}  // namespace skcts::model
