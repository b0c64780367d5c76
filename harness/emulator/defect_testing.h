// Mixes that show a platform defect, each beside one that has all but the feature it needs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/emulator/testing.h"

namespace skcts::emulator::testing {

struct Example {
  const char* defect;
  Case shows;
  Case control;
};
using Examples = std::vector<Example>;

inline constexpr auto vector_kind = KernelType::mix_aiv_1_0;
inline constexpr auto cube_kind = KernelType::mix_aic_1_0;

inline SubKernel idle(KernelType type, int blocks) {
  return kernel("idle", type, blocks, {});
}
inline Case only(std::vector<SubKernel> sub_kernels, std::string options = "") {
  return fused({region("A", 64, 1, 1), region("B", 64), region("C", 64)}, std::move(sub_kernels),
               std::move(options));
}

/// Each core of the former stores, each core of the latter reads what its neighbour's place holds,
/// of cubes and of vectors.
inline Case chain(KernelType former, KernelType latter, std::string options = "") {
  using enum Pipe;
  const Expr place = by_core(8);
  const Expr next{.core = 8, .shift = 1};
  const Program cube_put = Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(1, place))};
  const auto get = [&](Space space, int region, int at) {
    const Operand local = in(space, at);
    return Program{copy(local, gm(region, next))};
  };
  const auto reads = [&](Space space, int to) {
    return get(space, 1, 0) + get(space, 2, 8) + handed(mte2, mte3) +
           Program{copy(gm(to, by_core(16)), in(space), 16), barrier()};
  };
  return fused({region("A", 8), region("cubes", 32), region("vectors", 32), region("to cubes", 64),
                region("to vectors", 64)},
               {kernel("k0", former, 2, put(gm(2, place), 6), cube_put),
                kernel("k1", latter, 2, reads(Space::ub, 4), reads(Space::l1, 3))},
               std::move(options));
}

inline void add_edge_examples(Examples& list) {
  using enum KernelType;
  const auto add = [&](const char* defect, KernelType former, KernelType latter) {
    list.push_back({defect, chain(former, latter), chain(former, latter, "early-start=0")});
  };
  add("early-start-aic-aic-edge-missing", cube_kind, cube_kind);
  add("early-start-aic-aiv-edge-missing", cube_kind, vector_kind);
  add("early-start-aic-mix-edge-missing", cube_kind, mix_aic_1_1);
  add("early-start-aiv-aiv-edge-missing", vector_kind, vector_kind);
  add("early-start-aiv-mix-edge-missing", vector_kind, mix_aic_1_1);
  add("early-start-mix-aic-edge-missing", mix_aic_1_1, cube_kind);
  add("early-start-mix-aiv-edge-missing", mix_aic_1_1, vector_kind);
  add("early-start-mix-mix-edge-missing", mix_aic_1_1, mix_aic_1_1);
  list.push_back({"barrier-without-cubes", chain(mix_aic_1_1, vector_kind, "early-start=0"),
                  chain(mix_aic_1_1, vector_kind)});
  list.push_back({"boundary-on-wrong-pipe", chain(vector_kind, vector_kind),
                  chain(vector_kind, vector_kind, "early-start=0")});
  list.push_back({"last-sub-kernel-skipped", chain(vector_kind, vector_kind),
                  alone(chain(vector_kind, vector_kind))});
  list.push_back({"sub-kernels-swapped", chain(vector_kind, vector_kind),
                  alone(chain(vector_kind, vector_kind))});
  list.push_back({"feed-replaces-boundary", chain(vector_kind, vector_kind, "feed-sync-all=1"),
                  chain(vector_kind, vector_kind)});
}

/// A sub kernel whose cores store to a place each.
inline Case stores(KernelType type, int blocks, KernelType beside, int wide) {
  using enum Pipe;
  const Program cube_put =
      Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(1, by_core(8)))};
  return only({kernel("k", type, blocks, put(gm(2, by_core(8)), 5), cube_put), idle(beside, wide)});
}

inline void add_launch_examples(Examples& list) {
  using enum KernelType;
  list.push_back(
      {"launch-one-block-wide", only({idle(vector_kind, 2)}), only({idle(vector_kind, 4)})});
  list.push_back({"launch-counts-first-sub-kernel",
                  only({idle(vector_kind, 2), idle(vector_kind, 3)}),
                  only({idle(vector_kind, 3), idle(vector_kind, 3)})});
  list.push_back({"mix-1-2-launched-1-1", only({idle(mix_aic_1_2, 1), idle(cube_kind, 2)}),
                  only({idle(mix_aic_1_2, 2), idle(cube_kind, 2)})});
  list.push_back({"odd-vector-rounded-down", only({idle(cube_kind, 1), idle(vector_kind, 3)}),
                  only({idle(cube_kind, 1), idle(vector_kind, 4)})});
  list.push_back({"guard-one-narrow", stores(vector_kind, 2, vector_kind, 3),
                  alone(stores(vector_kind, 2, vector_kind, 3))});
  list.push_back({"guard-linear-for-mix", stores(mix_aic_1_2, 2, vector_kind, 2),
                  stores(mix_aic_1_1, 2, vector_kind, 2)});
  list.push_back({"guard-by-block-for-vectors", stores(vector_kind, 1, mix_aic_1_2, 2),
                  stores(vector_kind, 1, vector_kind, 2)});
  const Program ask = {make(Op::get_block_num)};
  list.push_back({"block-num-doubled", only({kernel("k", mix_aic_1_2, 1, ask)}),
                  only({kernel("k", mix_aic_1_1, 1, ask)})});
  Instruction add = copy(gm(1, by_core(8)), ub());
  add.atomic_add = true;
  const Program adds_once =
      Program{duplicate(ub(), 5)} + handed(Pipe::v, Pipe::mte3) + Program{add};
  const Case once = only({kernel("k", vector_kind, 2, adds_once), idle(vector_kind, 2)});
  list.push_back({"first-sub-kernel-twice", once, alone(once)});
  Instruction soft = make(Op::soft_sync_all);
  soft.aiv_only = true;
  soft.src = gm(1);
  soft.dst = ub();
  const auto soft_in = [&](int wide) {
    return only({kernel("k", vector_kind, 2, {soft}), idle(vector_kind, wide)});
  };
  list.push_back({"soft-sync-of-launch", soft_in(3), soft_in(2)});
  list.push_back({"debug-numbers-ignored", only({idle(vector_kind, 2)}, "debug-aiv-num=4"),
                  only({idle(vector_kind, 2)}, "debug-aiv-num=2")});
  list.push_back({"debug-numbers-below-need", only({idle(vector_kind, 3)}, "debug-aiv-num=2"),
                  only({idle(vector_kind, 3)}, "debug-aiv-num=3")});
  list.push_back({"debug-ratio-unchecked",
                  only({idle(vector_kind, 1)}, "debug-aic-num=2:debug-aiv-num=3"),
                  only({idle(vector_kind, 1)}, "debug-aic-num=2:debug-aiv-num=4")});
  list.push_back({"large-mix-clipped", only({idle(vector_kind, 5)}), only({idle(vector_kind, 4)})});
  list.push_back({"full-chip-refused", only({idle(vector_kind, 4)}), only({idle(vector_kind, 3)})});
  list.push_back({"bad-value-accepted", only({idle(vector_kind, 2)}, "early-start=7"),
                  only({idle(vector_kind, 2)}, "no-such-key=1")});
}

inline void add_feed_examples(Examples& list) {
  using enum KernelType;
  const auto synced = [](KernelType type, int blocks, bool vectors, KernelType beside, int wide,
                         const char* options) {
    const Program calls = {sync_all(vectors), sync_all(vectors)};
    return only({kernel("k", type, blocks, calls, is_mix_kind(type) ? calls : Program{}),
                 idle(beside, wide)},
                options);
  };
  const char* on = "feed-sync-all=1";
  list.push_back({"feed-without-end", synced(vector_kind, 2, true, vector_kind, 3, on),
                  synced(vector_kind, 3, true, vector_kind, 3, on)});
  list.push_back({"feed-first-call-missed", synced(vector_kind, 2, true, vector_kind, 3, on),
                  synced(vector_kind, 3, true, vector_kind, 3, on)});
  list.push_back({"feed-vectors-only", synced(mix_aic_1_1, 1, false, mix_aic_1_1, 2, on),
                  synced(vector_kind, 1, true, mix_aic_1_1, 2, on)});
  list.push_back({"feed-kind-ignored", synced(mix_aic_1_1, 1, false, mix_aic_1_1, 2, on),
                  synced(vector_kind, 1, true, mix_aic_1_1, 2, on)});
  list.push_back({"feed-counts-blocks", synced(vector_kind, 2, true, mix_aic_1_2, 2, on),
                  synced(vector_kind, 1, true, mix_aic_1_1, 2, on)});
}

}  // namespace skcts::emulator::testing
