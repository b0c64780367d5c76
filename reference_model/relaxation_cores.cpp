// Weakenings of the launch, of who runs what, and of full-core sync.
#include <algorithm>

#include <fmt/format.h>

#include "reference_model/relaxation_collector.h"

namespace skcts::model {

void Collector::launch(const LaunchShape& shape, const ShapeOrRefusal& made) {
  const bool asked = options_.debug_aic_num != 0 || options_.debug_aiv_num != 0;
  if (made.refusal) {
    add(made.refusal->rule, Weakening::refusal_missing, 4, -1, "refusal-missing",
        "a launch that must be refused may be made");
    return;
  }
  // Numbers that ask for what the sub kernels need anyway are not what is at fault.
  const bool sets = asked && !(natural_shape(mix_, shape.sub_kernels) == shape);
  const RuleId rule = sets ? RuleId::core_6 : RuleId::core_1;
  std::set<std::int32_t> amounts = {1};
  if (shape.blocks > 1) amounts.insert(-1);
  std::int32_t aic = 0;
  std::int32_t aiv = 0;
  bool one_to_two = false;
  for (const std::int32_t place : shape.sub_kernels) {
    const SubKernel& one = sub(place);
    amounts.insert(one.blocks - shape.blocks);
    aic = std::max(aic, aic_cores(one.counted_type(), one.counted_blocks()));
    aiv = std::max(aiv, aiv_cores(one.counted_type(), one.counted_blocks()));
    one_to_two = one_to_two || one.type == KernelType::mix_aic_1_2;
  }
  amounts.erase(0);
  for (const std::int32_t amount : amounts) {
    add(rule, Weakening::launch_blocks, 3, -1, fmt::format("launch{:+}", amount),
        fmt::format("the launch had {} blocks instead of {}", shape.blocks + amount, shape.blocks))
        .amount = amount;
  }
  for (const KernelType type : {KernelType::mix_aiv_1_0, KernelType::mix_aic_1_0,
                                KernelType::mix_aic_1_1, KernelType::mix_aic_1_2}) {
    if (type == shape.type || (is_mix_kind(shape.type) && !is_mix_kind(type))) continue;
    const bool halves = one_to_two && type == KernelType::mix_aic_1_1 && aiv <= aic;
    const RuleId of_type = shape.captured && !shape.is_mix() ? RuleId::acl_1 : rule;
    add(halves ? RuleId::core_7 : of_type, Weakening::launch_type, 3, -1,
        fmt::format("launch/{}", skcts::to_string(type)),
        fmt::format("the launch were {} instead of {}", skcts::to_string(type),
                    skcts::to_string(shape.type)))
        .type = type;
  }
  if (sets) {
    add(RuleId::core_6, Weakening::numbers_ignored, 3, -1, "numbers-ignored",
        "debug-aic-num and debug-aiv-num were not given");
  }
}

void Collector::guards(std::int32_t place, const LaunchShape& shape) {
  const SubKernel& one = sub(place);
  const auto guard = [&](std::optional<CoreKind> kind, std::int32_t amount, bool by_block) {
    const std::string side = kind ? fmt::format(" {}", upper(*kind)) : "";
    const std::string_view unit = by_block ? "block" : "core";
    const std::string tag =
        kind ? fmt::format("/{}", *kind == CoreKind::aic ? "aic" : "aiv") : std::string();
    Relaxation& made =
        add(RuleId::core_2, Weakening::guard, 2, place,
            fmt::format("guard/{}{}{:+}{}", one.name, tag, amount, by_block ? "b" : ""),
            fmt::format("{} ran on one{} {} {} than its own", one.name, side, unit,
                        amount > 0 ? "more" : "fewer"));
    made.kind = kind;
    made.amount = amount;
    if (!by_block) made.object = 0;
  };
  const bool pairs = is_mix_kind(one.type) && shape.ratio == 2;
  bool room = false;
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const std::int32_t there = kind == CoreKind::aic ? shape.aic_count : shape.aiv_count;
    const std::int32_t own = running_cores(one, shape, kind);
    guard(kind, -1, false);
    if (pairs && kind == CoreKind::aiv) guard(kind, -1, true);
    if (own > 1) {
      Relaxation& made = add(RuleId::core_2, Weakening::core_left_out, 2, place,
                             fmt::format("core-0-left-out/{}/{}", one.name, upper(kind)),
                             fmt::format("{} did not run on {} 0", one.name, upper(kind)));
      made.kind = kind;
    }
    if (own >= there) continue;
    room = true;
    if (is_aiv_kind(one.type) && shape.ratio == 2) {
      add(RuleId::core_2, Weakening::guard_by_block, 2, place,
          fmt::format("guard-by-block/{}", one.name),
          fmt::format("{} ran on both AIVs of {} blocks instead of on so many AIVs", one.name,
                      one.blocks));
    }
    guard(kind, 1, false);
    if (pairs && kind == CoreKind::aiv) guard(kind, 1, true);
    add(RuleId::core_2, Weakening::guard_missing, 2, place,
        fmt::format("guard-missing/{}/{}", one.name, upper(kind)),
        fmt::format("{} ran on every {} of the launch", one.name, upper(kind)))
        .kind = kind;
  }
  if (is_mix_kind(one.type)) {
    guard(std::nullopt, -1, true);
    if (pairs) guard(std::nullopt, -1, false);
    if (room) {
      guard(std::nullopt, 1, true);
      if (pairs) guard(std::nullopt, 1, false);
      add(RuleId::core_2, Weakening::guard_missing, 2, place,
          fmt::format("guard-missing/{}", one.name),
          fmt::format("{} ran on every core of the launch", one.name));
    }
    if (shape.ratio == 2) {
      const bool equal = one.type == KernelType::mix_aic_1_1;
      add(equal ? RuleId::ratio_1 : RuleId::core_2, Weakening::guard_linear, 2, place,
          fmt::format("guard-linear/{}", one.name),
          fmt::format("{} ran on AIV 0-{} instead of both AIVs of each block", one.name,
                      one.blocks - 1));
    }
  }
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    // No rule but transparency speaks of GetBlockIdx.
    add(RuleId::fuse_1, Weakening::index_shifted, 3, place,
        fmt::format("index+1/{}/{}", one.name, upper(kind)),
        fmt::format("GetBlockIdx in {} counted from 1 on {}", one.name, upper(kind)))
        .kind = kind;
  }
}

void Collector::indices(std::int32_t place, const LaunchShape& shape) {
  if (shape.ratio != 2 || !runs_on(sub(place).type, CoreKind::aiv)) return;
  add(RuleId::fuse_1, Weakening::index_of_block, 2, place,
      fmt::format("index-of-block/{}", name(place)),
      fmt::format("GetBlockIdx in {} told the AIVs of a block their block", name(place)));
  add(RuleId::fuse_1, Weakening::sub_index_zero, 2, place,
      fmt::format("sub-index-0/{}", name(place)),
      fmt::format("GetSubBlockIdx in {} told every AIV 0", name(place)));
}

void Collector::ratio(std::int32_t place, const LaunchShape& shape) {
  if (sub(place).type != KernelType::mix_aic_1_1 || shape.ratio != 2) return;
  for (const std::int32_t left_out : {1, 0}) {
    add(RuleId::ratio_1, Weakening::sub_core_left_out, 1, place,
        fmt::format("aiv{}-left-out/{}", left_out, name(place)),
        fmt::format("{}, MIX 1:1 in a 1:2 launch, did not run on AIV {} of its blocks", name(place),
                    left_out))
        .amount = left_out;
  }
  add(RuleId::ratio_1, Weakening::ratio_of_own, 2, place, fmt::format("own-ratio/{}", name(place)),
      fmt::format("{} saw in a 1:2 launch the indices of a 1:1 launch", name(place)));
}

void Collector::calls(const std::vector<std::int32_t>& list, std::size_t at) {
  const std::int32_t place = list[at];
  add(RuleId::fuse_1, Weakening::skipped, 2, place, fmt::format("skipped/{}", name(place)),
      fmt::format("{} was not run", name(place)));
  add(RuleId::fuse_1, Weakening::run_twice, 2, place, fmt::format("twice/{}", name(place)),
      fmt::format("{} was run twice", name(place)));
  if (at + 1 < list.size()) {
    add(RuleId::task_1, Weakening::swapped, 2, place,
        fmt::format("swapped/{}/{}", name(place), name(list[at + 1])),
        fmt::format("{} was called before {}", name(list[at + 1]), name(place)));
  }
}

void Collector::block_number(std::int32_t place, const LaunchShape& shape) {
  const SubKernel& one = sub(place);
  const bool asks = skcts::model::calls(one, Op::get_block_num);
  std::set<std::int32_t> kinds_of_number;
  if (one.blocks != shape.blocks) kinds_of_number.insert(0);
  if (shape.aiv_count != shape.blocks && runs_on(one.type, CoreKind::aiv) &&
      one.blocks != shape.aiv_count) {
    kinds_of_number.insert(1);
  }
  for (const std::int32_t number : kinds_of_number) {
    if (asks) {
      add(RuleId::core_3, Weakening::block_num_told, 0, place,
          fmt::format("block-num{}/{}", number == 0 ? "" : "-aiv", one.name),
          fmt::format("GetBlockNum in {} told the {} of the launch", one.name,
                      number == 0 ? "blocks" : "vector cores"))
          .amount = number;
    }
    for (const bool counts_cores : {true, false}) {
      Relaxation& made = add(RuleId::core_3, Weakening::block_num_used, 1, place,
                             fmt::format("block-num-used{}{}/{}", number == 0 ? "" : "-aiv",
                                         counts_cores ? "" : "-blocks", one.name),
                             fmt::format("{} worked by the block number of the launch", one.name));
      made.amount = number;
      if (!counts_cores) made.to = CoreKind::aiv;
    }
  }
}

void Collector::full_core(std::int32_t place, const LaunchShape& shape) {
  const SubKernel& one = sub(place);
  if (!has_sync_all(one)) return;
  if (!is_fed(one, shape, options_)) {
    // Under feed-sync-all nothing may change for it either.
    const RuleId rule = options_.feed_sync_all ? RuleId::sync_2 : RuleId::core_4;
    add(rule, Weakening::sync_incomplete, 1, place, fmt::format("sync-incomplete/{}", one.name),
        fmt::format("SyncAll in {} lacked a member", one.name));
    add(rule, Weakening::sync_at_once, 1, place, fmt::format("sync-at-once/{}", one.name),
        fmt::format("SyncAll in {} kept nobody back", one.name));
    return;
  }
  add(RuleId::sync_1, Weakening::feed_endless, 1, place,
      fmt::format("feed-endless/{}", one.name),
      fmt::format("the idle cores went on waiting for SyncAll calls of {} after the last one",
                  one.name));
  add(RuleId::sync_1, Weakening::feed_call_missing, 0, place,
      fmt::format("feed-call-missing/{}", one.name),
      fmt::format("the idle cores took part in one SyncAll call of {} fewer", one.name));
  for (const CoreKind kind : both_kinds) {
    if (!runs_on(one.type, kind)) continue;
    const std::int32_t there = kind == CoreKind::aic ? shape.aic_count : shape.aiv_count;
    if (running_cores(one, shape, kind) >= there) continue;
    add(RuleId::sync_1, Weakening::feed_core_missing, 0, place,
        fmt::format("feed-core-missing/{}/{}", one.name, upper(kind)),
        fmt::format("{} {} took no part in the SyncAll calls of {}", upper(kind), there - 1,
                    one.name))
        .kind = kind;
    if (!is_mix_kind(one.type)) continue;
    add(RuleId::sync_1, Weakening::feed_missing, 1, place,
        fmt::format("feed-missing/{}/{}", one.name, upper(kind)),
        fmt::format("no idle {} took part in the SyncAll calls of {}", upper(kind), one.name))
        .kind = kind;
  }
  add(RuleId::sync_1, Weakening::feed_missing, 1, place, fmt::format("feed-missing/{}", one.name),
      fmt::format("the idle cores took no part in the SyncAll calls of {}", one.name));
  add(RuleId::sync_1, Weakening::sync_at_once, 1, place, fmt::format("sync-at-once/{}", one.name),
      fmt::format("SyncAll in {}, which is fed, kept nobody back", one.name));
}

}  // namespace skcts::model
