// The same for services, further flags and options, and the path aclgraph.
#pragma once

#include "harness/emulator/defect_memory_testing.h"

namespace skcts::emulator::testing {

/// A further sub kernel in front of the others.
inline Case behind(SubKernel first, Case test_case) {
  test_case.mix.sub_kernels.insert(test_case.mix.sub_kernels.begin(), std::move(first));
  return test_case;
}
inline Case captured(Case test_case) {
  test_case.path = "aclgraph";
  return test_case;
}

inline void add_more_flag_examples(Examples& list) {
  using enum KernelType;
  using enum Pipe;
  const Expr own = by_block(8);
  const auto blocks = [&](int count) {
    const Program raised =
        Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(1, own)), raise(3, 2, fix)};
    const Program reads = Program{wait_raise(3)} + move(gm(2, own), gm(1, own));
    return only({kernel("k", mix_aic_1_1, count, reads, raised)});
  };
  list.push_back({"mode-2-reaches-next-block", blocks(2), blocks(1)});
  const Program joined = {raise(5, 1, mte3), wait_raise(5)};
  list.push_back({"mode-1-joins-launch",
                  only({kernel("k", mix_aic_1_2, 1, joined), idle(mix_aic_1_2, 2)}),
                  only({kernel("k", mix_aic_1_2, 1, joined), idle(mix_aic_1_2, 1)})});
  const Case asks = only({kernel("k", vector_kind, 1, {make(Op::get_block_num)})});
  const Program by_event =
      Program{duplicate(ub(), 4)} + handed(v, mte3) + Program{copy(gm(1), ub())};
  const Case events = only({kernel("k", vector_kind, 1, by_event)});
  list.push_back({"wait-flag-passes", events, asks});
  list.push_back(
      {"pipe-all-ignored",
       only({kernel("k", vector_kind, 1, {duplicate(ub(), 4), barrier(), copy(gm(1), ub())})}),
       events});
  Instruction add = copy(gm(0), ub());
  add.atomic_add = true;
  list.push_back({"atomic-add-overwrites",
                  only({kernel("k", vector_kind, 1,
                               Program{duplicate(ub(), 4)} + handed(v, mte3) + Program{add})}),
                  events});
}

inline void add_index_examples(Examples& list) {
  using enum KernelType;
  list.push_back({"block-idx-of-block", stores(vector_kind, 2, mix_aic_1_2, 2),
                  stores(vector_kind, 2, vector_kind, 2)});
  const Program ask = {make(Op::get_sub_block_idx)};
  list.push_back({"sub-block-idx-zero", only({kernel("k", mix_aic_1_2, 1, ask)}),
                  only({kernel("k", mix_aic_1_1, 1, ask)})});
}

inline void add_more_cache_examples(Examples& list) {
  const Case by_dma = only({kernel("k0", vector_kind, 2, put(gm(1, by_core(8)), 5)),
                            kernel("k1", vector_kind, 2, move(gm(2, by_core(8)), gm(1)))});
  const Case scalar = stores_then_copied(true, "");
  list.push_back({"refresh-at-death-missing", scalar, by_dma});
  list.push_back({"boundary-lands-nothing", scalar, by_dma});
  list.push_back({"refresh-drops-dirty", scalar, by_dma});
  list.push_back({"refresh-keeps-line", looks_twice(""), by_dma});
}

/// k1 stores, k2 reads; behind another sub kernel.
inline Case third(SubKernel first, std::string options = "") {
  return behind(std::move(first), chain(vector_kind, vector_kind, std::move(options)));
}

/// Each core reads in front of WaitPreTaskEnd what the other one stored in k0.
inline Case headed(bool head, std::string options) {
  using enum Pipe;
  const Program gets = Program{copy(ub(), gm(1, Expr{.core = 8, .shift = 1}))} +
                       handed(mte2, mte3) + Program{copy(gm(2, by_core(8)), ub())};
  return only(
      {kernel("k0", vector_kind, 2, put(gm(1, by_core(8)), 4)),
       kernel("k1", vector_kind, 2, head ? gets + Program{make(Op::wait_pre_task_end)} : gets)},
      std::move(options));
}

inline void add_boundary_examples(Examples& list) {
  Instruction set = make(Op::set_next_task_start);
  set.pipe = Pipe::mte3;
  set.aic_pipe = Pipe::fix;
  list.push_back({"debug-sync-does-not-wait", third(idle(vector_kind, 2), "debug-sync-all=1"),
                  third(idle(vector_kind, 2))});
  list.push_back({"set-complement-by-all", third(kernel("k", vector_kind, 2, {set})),
                  third(idle(vector_kind, 2))});
  const auto narrow = [](int blocks) {
    Case made = third(idle(vector_kind, 2));
    SubKernel& stores = made.mix.sub_kernels[1];
    stores.blocks = blocks;
    stores.aiv.insert(stores.aiv.begin(), make(Op::wait_pre_task_end));
    return made;
  };
  list.push_back({"wait-complement-missing", narrow(1), narrow(2)});
  list.push_back({"early-set-own-cores-only", only({idle(vector_kind, 1), idle(vector_kind, 2)}),
                  only({idle(vector_kind, 2), idle(vector_kind, 2)})});
  list.push_back(
      {"early-start-off-ignored", headed(true, "early-start=0"), headed(false, "early-start=0")});
  list.push_back({"option-twice-accepted",
                  only({idle(vector_kind, 2)}, "early-start=1:early-start=0"),
                  only({idle(vector_kind, 2)}, "early-start=7")});
}

inline void add_service_examples(Examples& list) {
  using enum KernelType;
  Instruction call = make(Op::matmul);
  call.dst = gm(1, by_core(8));
  call.src = gm(0);
  call.src_b = gm(0);
  call.count = 8;
  list.push_back({"matmul-serves-first-slot", only({kernel("k", mix_aic_1_2, 1, {call})}),
                  only({kernel("k", mix_aic_1_1, 1, {call})})});
  Instruction soft = make(Op::soft_sync_all);
  soft.aiv_only = true;
  soft.src = gm(1);
  soft.dst = ub(128);
  const auto exchange = [&](const Program& sync) {
    return only({kernel("k", vector_kind, 2,
                        put(gm(2, by_core(8)), 4) + sync +
                            move(gm(2, by_core(8, 32)), gm(2, Expr{.core = 8, .shift = 1})))});
  };
  const Case plain = only({kernel("k", vector_kind, 2, put(gm(2, by_core(8)), 4))});
  list.push_back({"soft-sync-one-short", exchange({soft}), plain});
  const auto slot = [](Op op) {
    Instruction in = make(op);
    in.aiv_only = true;
    in.src = gm(1);
    in.dst = ub(128);
    return in;
  };
  const Program set = by(0, put(gm(2), 4) + Program{slot(Op::ib_set)});
  Program waits = {slot(Op::ib_wait)};
  waits.front().value.expr = words(0);
  const Program wait = by(1, waits + move(gm(2, words(8)), gm(2)));
  list.push_back({"ib-wait-passes", only({kernel("k", vector_kind, 2, set + wait)}), plain});
}

inline void add_captured_examples(Examples& list) {
  using enum KernelType;
  list.push_back({"captured-launch-mixed", captured(only({idle(vector_kind, 2)})),
                  captured(only({idle(mix_aic_1_1, 2)}))});
  const auto direct = [](int wide) {
    Case made = captured(
        only({kernel("k", vector_kind, 2, {make(Op::get_block_num)}), idle(vector_kind, wide)}));
    made.mix.sub_kernels[0].direct_launch = true;
    return made;
  };
  list.push_back({"captured-block-num-own", direct(4), direct(2)});
  const auto streams = [](bool two) {
    Case made = captured(chain(cube_kind, vector_kind));
    if (two) made.mix.sub_kernels[1].stream = 1;
    made.mix.sub_kernels[0].send = made.mix.sub_kernels[1].recv = {"e"};
    return made;
  };
  list.push_back({"captured-streams-unordered", streams(true), streams(false)});
  list.push_back(
      {"capability-ignored", captured(headed(true, "early_start=1")), captured(headed(true, ""))});
  const auto stored = [](bool told) {
    Case made = captured(stores_then_copied(false, "", told));
    if (!told) return made;
    for (SubKernel& sub : made.mix.sub_kernels) sub.sk_bind = sk_bind::disable_dcci;
    return made;
  };
  list.push_back({"captured-refresh-missing", stored(false), stored(true)});
  list.push_back({"captured-option-refused", captured(only({idle(vector_kind, 2)}, "no_such=1")),
                  captured(only({idle(vector_kind, 2)}, "early_start=1"))});
  const auto batch = [](bool asks) {
    Case made = captured(only({idle(vector_kind, 4), idle(vector_kind, 2)}));
    made.mix.sub_kernels[1].batch_mode = asks;
    return made;
  };
  list.push_back({"batch-cut-missing", batch(true), batch(false)});
  const auto nested = [](std::vector<std::string> marks) {
    Case made = captured(only({idle(vector_kind, 2), idle(vector_kind, 2)}));
    made.mix.sub_kernels[0].scope = std::move(marks);
    made.mix.sub_kernels[1].scope = {"b"};
    return made;
  };
  list.push_back({"scope-by-innermost", nested({"a", "b"}), nested({"b"})});
  list.push_back({"by-itself-natural",
                  captured(only({idle(vector_kind, 2)}, "debug_per_op_max_core_num=1")),
                  captured(only({idle(vector_kind, 2)}))});
}

}  // namespace skcts::emulator::testing
