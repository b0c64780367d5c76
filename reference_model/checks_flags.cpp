// Cross-core flags: raises and waits that do not pair (SYNC-3, RATIO-2, SYNC-5).
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "reference_model/launch_checks.h"

namespace skcts::model {
namespace {

std::string times(std::int32_t count) {
  if (count == 1) return "once";
  return count == 2 ? "twice" : fmt::format("{} times", count);
}

}  // namespace

/// SYNC-3, RATIO-2, SYNC-5.
void LaunchChecks::check_flag_counts() {
  bool any = false;
  for_each_core([&](const CoreFacts& one) { any = any || one.flag_instruction >= 0; });
  if (!any) return;
  for (std::size_t id = 0; id < flag_ids; ++id) {
    if (check_mode_0(id) || check_blocks(id)) continue;
    check_counter(id);
  }
}

/// True when a hand-made full-core join of this id lacks members.
bool LaunchChecks::check_mode_0(std::size_t id) {
  bool broken = false;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const std::vector<CoreFacts>& cores = facts(kind);
    std::int32_t most = 0;
    const CoreFacts* caller = nullptr;
    std::int32_t fewest = cores.empty() ? 0 : cores.front().sets[0][id];
    for (const CoreFacts& one : cores) {
      if (one.sets[0][id] > most) caller = &one;
      most = std::max(most, one.sets[0][id]);
      fewest = std::min(fewest, one.sets[0][id]);
    }
    if (most == 0) continue;
    const std::int32_t count = static_cast<std::int32_t>(cores.size());
    if (count == launched(kind) && fewest == most) continue;
    broken = true;
    report(
        RuleId::sync_3, caller->core, caller->flag_instruction,
        fmt::format("raises flag {} of mode 0, which joins all {} {} cores of the launch; {}", id,
                    launched(kind), kind == CoreKind::aic ? "AIC" : "AIV",
                    count == launched(kind) ? std::string("not all of them raise it equally often")
                                            : fmt::format("the sub kernel runs on {}", count)));
  }
  return broken;
}

/// True when the AIVs of a block do not all make the same flag calls.
bool LaunchChecks::check_blocks(std::size_t id) {
  if (shape_->ratio != 2 || !is_mix_kind(sub_->type)) return false;
  const std::vector<CoreFacts>& cores = facts(CoreKind::aiv);
  for (std::size_t c = 0; c + 1 < cores.size(); c += 2) {
    const CoreFacts& one = cores[c];
    const CoreFacts& other = cores[c + 1];
    const bool sets_differ =
        one.sets[1][id] != other.sets[1][id] || one.sets[2][id] != other.sets[2][id];
    const bool waits_differ =
        sub_->type == KernelType::mix_aic_1_1 && one.waits[id] != other.waits[id];
    if (!sets_differ && !waits_differ) continue;
    report(RuleId::ratio_2, one.core, one.flag_instruction,
           fmt::format("and its neighbour {} do not make the same calls for flag {}; hardware "
                       "joins both vector cores of a block",
                       to_string(other.core), id));
    return true;
  }
  return false;
}

void LaunchChecks::check_counter(std::size_t id) {
  std::array<std::int32_t, 2> mode_0{};  // increments for every core of the kind
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const std::vector<CoreFacts>& cores = facts(kind);
    if (!cores.empty()) {
      mode_0[static_cast<std::size_t>(kind)] = cores.front().sets[0][id];
    }
  }
  const std::vector<CoreFacts>& cubes = facts(CoreKind::aic);
  const std::vector<CoreFacts>& vectors = facts(CoreKind::aiv);
  const std::size_t ratio = static_cast<std::size_t>(shape_->ratio);
  const bool mix = is_mix_kind(sub_->type);
  const auto fewest_of_block = [&](std::size_t block, std::size_t mode) {
    std::int32_t fewest = -1;
    for (std::size_t s = 0; s < ratio && block * ratio + s < vectors.size(); ++s) {
      const std::int32_t sets = vectors[block * ratio + s].sets[mode][id];
      fewest = fewest < 0 ? sets : std::min(fewest, sets);
    }
    return std::max(fewest, 0);
  };
  for (std::size_t b = 0; b < cubes.size(); ++b) {
    std::int32_t come = mode_0[0] + (mix ? fewest_of_block(b, 2) : 0);
    if (mix) come += raised_in_mode_4(cubes[b].core, id);
    compare(cubes[b], id, come);
  }
  for (std::size_t c = 0; c < vectors.size(); ++c) {
    const std::size_t block = c / ratio;
    std::int32_t come = mode_0[1];
    if (mix) come += fewest_of_block(block, 1);
    if (mix && block < cubes.size()) come += cubes[block].sets[2][id];
    if (mix) come += raised_in_mode_4(vectors[c].core, id);
    compare(vectors[c], id, come);
  }
}

/// 3510: between a cube core and one vector core of its block, which it knows apart by ids 16
/// apart.
std::int32_t LaunchChecks::raised_in_mode_4(CoreId core, std::size_t id) const {
  constexpr std::size_t apart = 16;
  const auto ratio = static_cast<std::size_t>(shape_->ratio);
  const auto index = static_cast<std::size_t>(core.index);
  const auto raised = [](const std::vector<CoreFacts>& cores, std::size_t from, std::size_t as) {
    return from < cores.size() ? cores[from].sets[4][as] : 0;
  };
  if (core.kind == CoreKind::aiv) {
    if (id >= apart) return 0;
    return raised(facts(CoreKind::aic), index / ratio, id + apart * (index % ratio));
  }
  const std::size_t sub = id / apart;
  return sub < ratio ? raised(facts(CoreKind::aiv), index * ratio + sub, id % apart) : 0;
}

/// SYNC-15
void LaunchChecks::check_waiting_pipes() {
  for_each_core([&](const CoreFacts& one) {
    for (std::size_t id = 0; id < flag_ids; ++id) {
      const unsigned pipes = one.waiting_pipes[id];
      if ((pipes & (pipes - 1)) == 0) continue;
      report(RuleId::sync_15, one.core, one.flag_instruction,
             fmt::format("waits for flag {} on several pipes", id));
      mark_undefined(RuleId::sync_15);
    }
  });
}

void LaunchChecks::compare(const CoreFacts& one, std::size_t id, std::int32_t come) {
  if (come == one.waits[id]) return;
  report(RuleId::sync_5, one.core, one.flag_instruction,
         fmt::format("waits {} for flag {}, which is raised {}", times(one.waits[id]), id,
                     times(come)));
}

}  // namespace skcts::model
