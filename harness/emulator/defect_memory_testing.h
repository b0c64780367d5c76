// The same for defects of refreshes, pipes, flags and early start.
#pragma once

#include "harness/emulator/defect_testing.h"

namespace skcts::emulator::testing {

inline Program by(int core, Program program) {
  for (Instruction& in : program) in = on_core(core, in);
  return program;
}
inline Instruction out(Operand dst) {
  Instruction in = make(Op::write_gm_bypass);
  in.dst = dst;
  in.value.reg = 0;
  return in;
}
inline Case with_object(Case test_case) {
  for (SubKernel& sub : test_case.mix.sub_kernels) sub.tensors = {{"t", 0, false, ""}};
  return test_case;
}

/// Core 0 looks at a line, core 1 stores to it by DMA, core 0 looks again in `again`.
inline Case looks_twice(std::string options, bool accessed = true) {
  const Instruction again = accessed ? load(object(0)) : load(gm(0));
  Case made = with_object(only({kernel("k0", vector_kind, 2, by(0, {load(gm(0))})),
                                kernel("k1", vector_kind, 2, by(1, put(gm(0), 9))),
                                kernel("k2", vector_kind, 2, by(0, {again, out(gm(1))}))},
                               std::move(options)));
  for (SubKernel& sub : made.mix.sub_kernels) sub.op_type = "type_" + sub.name;
  return made;
}

/// Core 0 stores by scalar, core 1 copies the line by DMA in the next sub kernel.
inline Case stores_then_copied(bool accessed, std::string options, bool explicitly = false) {
  Program body = {accessed ? store(object(0), 7) : store(gm(0), 7)};
  if (explicitly) body = body + Program{refresh(gm(0)), data_sync()};
  return with_object(only({kernel("k0", vector_kind, 2, by(0, body)),
                           kernel("k1", vector_kind, 2, by(1, move(gm(1), gm(0))))},
                          std::move(options)));
}

inline Case offloaded_sub(Case test_case, std::size_t which, bool offload) {
  if (offload) test_case.mix.sub_kernels[which].tiling = Tiling::offload;
  return test_case;
}

inline void add_cache_examples(Examples& list) {
  const Case fresh = looks_twice("");
  const Case by_dma = only({kernel("k0", vector_kind, 2, put(gm(1, by_core(8)), 5)),
                            kernel("k1", vector_kind, 2, move(gm(2, by_core(8)), gm(1)))});
  list.push_back({"load-refresh-missing", fresh, by_dma});
  list.push_back(
      {"store-refresh-missing", stores_then_copied(true, ""), stores_then_copied(false, "", true)});
  list.push_back(
      {"refresh-of-next-line", stores_then_copied(true, ""), stores_then_copied(false, "", true)});
  list.push_back({"dcci-before-behind", looks_twice("dcci-before-kernel-start=type_k2"), fresh});
  list.push_back({"dcci-matches-name", looks_twice("dcci-before-kernel-start=type_k2"), fresh});
  list.push_back({"dcci-on-first-core",
                  [] {
                    Case made = looks_twice("dcci-before-kernel-start=type_k2");
                    made.mix.sub_kernels[0].aiv = by(1, {load(gm(0))});
                    made.mix.sub_kernels[1].aiv = by(0, put(gm(0), 9));
                    made.mix.sub_kernels[2].aiv = by(1, {load(object(0)), out(gm(1))});
                    return made;
                  }(),
                  fresh});
  const Case after = stores_then_copied(false, "dcci-after-kernel-end=k0");
  list.push_back({"dcci-after-ignored", after, stores_then_copied(true, "")});
  list.push_back({"dcci-after-in-front", after, stores_then_copied(true, "")});
  list.push_back({"offload-before-missing", offloaded_sub(looks_twice("", false), 2, true), fresh});
  list.push_back({"offload-after-missing", offloaded_sub(stores_then_copied(false, ""), 0, true),
                  stores_then_copied(true, "")});
  list.push_back({"alone-leaves-dirty", alone(stores_then_copied(false, "", false)),
                  alone(stores_then_copied(false, "", true))});
  list.push_back({"debug-dcci-loses", stores_then_copied(false, "debug-dcci-all=1"),
                  stores_then_copied(true, "")});
}

/// Words that a sub kernel hands from one core to another by flags.
inline Case handed_over(KernelType type, Program aiv, Program aic, KernelType beside) {
  return only({kernel("k", type, 1, std::move(aiv), std::move(aic)), idle(beside, 1)});
}

inline void add_flag_examples(Examples& list) {
  using enum KernelType;
  using enum Pipe;
  const Program cube_put = Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(1))};
  const Program raised = cube_put + Program{raise(3, 2, fix)};
  const Program reads = Program{wait_raise(3)} + move(gm(2, by_core(8)), gm(1));
  const Case pair_1_2 = only({kernel("k", mix_aic_1_2, 1, reads, raised)});
  const Case pair_1_1 = only({kernel("k", mix_aic_1_1, 1, reads, raised)});
  list.push_back({"mode-2-reaches-first-vector", pair_1_2, pair_1_1});
  list.push_back({"raise-overtakes-pipe", pair_1_1,
                  only({kernel("k", vector_kind, 2, put(gm(1, by_core(8)), 4))})});
  const Program vectors_put = put(gm(1, by_core(8)), 4) + Program{raise(4, 2, mte3)};
  const Program cube_reads = Program{wait_raise(4), copy(in(Space::l1), gm(1), 16)} +
                             handed(mte2, mte3) + Program{copy(gm(2), in(Space::l1), 16)};
  list.push_back({"mode-2-without-join",
                  only({kernel("k", mix_aic_1_2, 1, vectors_put, cube_reads)}),
                  only({kernel("k", mix_aic_1_1, 1, vectors_put, cube_reads)})});
  const Program exchange = put(gm(1, by_core(8)), 4) + Program{raise(5, 1, mte3), wait_raise(5)} +
                           move(gm(2, by_core(16)), gm(1)) +
                           move(gm(2, by_core(16, 8)), gm(1, words(8)), 72, 2);
  list.push_back({"mode-1-without-join", only({kernel("k", mix_aic_1_2, 1, exchange)}), pair_1_2});
  const auto twice = [&](bool ahead) {
    Program aic = cube_put + Program{raise(3, 2, fix)};
    Program aiv = {wait_raise(3)};
    if (!ahead) {
      aic.push_back(wait_raise(6));
      aiv.push_back(raise(6, 2, mte3));
    }
    aic = aic + Program{produce(9, 8)} + handed(m, fix) +
          Program{fixpipe(gm(1, words(8)), 8), raise(3, 2, fix)};
    aiv = aiv + Program{wait_raise(3)} + move(gm(2), gm(1, words(8)));
    return only({kernel("k", mix_aic_1_1, 1, aiv, aic)});
  };
  list.push_back(
      {"wait-takes-nothing", twice(false), only({kernel("k", vector_kind, 1, put(gm(1), 4))})});
  list.push_back({"counter-is-binary", twice(true), twice(false)});
  const Program synced = put(gm(1, by_core(8)), 4) + Program{sync_all(false)};
  const Program after = Program{sync_all(false), copy(in(Space::l1), gm(1), 16)} +
                        handed(mte2, mte3) + Program{copy(gm(2), in(Space::l1), 16)};
  list.push_back(
      {"sync-all-own-kind", only({kernel("k", mix_aic_1_1, 1, synced, after)}), pair_1_1});
  const Program takes_then_puts = Program{copy(ub(), gm(1, Expr{.core = 8, .shift = 1}))} +
                                  Program{sync_all(true)} + put(gm(1, by_core(8)), 5, 16) +
                                  handed(mte2, mte3, 1) + Program{copy(gm(2, by_core(8)), ub())};
  list.push_back({"sync-all-without-drain", only({kernel("k", vector_kind, 2, takes_then_puts)}),
                  only({kernel("k", vector_kind, 2, put(gm(1, by_core(8)), 5))})});
  const auto two_steps = [](bool barriers) {
    Program body = {duplicate(ub(), 4)};
    if (barriers) body.push_back(barrier(v));
    body.push_back(adds(barriers ? ub(8) : ub(16), barriers ? ub() : ub(), 1));
    if (!barriers) body = {duplicate(ub(8), 4)};
    return only(
        {kernel("k", vector_kind, 1, body + handed(v, mte3) + Program{copy(gm(1), ub(8))})});
  };
  list.push_back({"pipe-barrier-ignored", two_steps(true), two_steps(false)});
  list.push_back({"set-flag-overtakes-pipe", two_steps(false),
                  only({kernel("k", vector_kind, 1, {make(Op::get_block_num)})})});
}

/// k0 has its own SetNextTaskStart, k1 its own WaitPreTaskEnd.
inline Case early(bool sets, bool waits, std::string options = "") {
  using enum Pipe;
  Instruction set = make(Op::set_next_task_start);
  set.pipe = mte3;
  set.aic_pipe = fix;
  const Program puts = put(gm(1, by_core(8)), 4);
  const Program gets = move(gm(2, by_core(8)), gm(1, Expr{.core = 8, .shift = 1}));
  return only(
      {kernel("k0", vector_kind, 2, sets ? puts + Program{set} : puts),
       kernel("k1", vector_kind, 2, waits ? Program{make(Op::wait_pre_task_end)} + gets : gets)},
      std::move(options));
}

inline void add_early_examples(Examples& list) {
  list.push_back({"set-next-task-start-ignored", early(true, false), early(false, true)});
  list.push_back({"set-next-task-start-on-wrong-pipe", early(true, false), early(false, true)});
  list.push_back({"wait-pre-task-end-ignored", early(false, true), early(true, false)});
  Case streams = chain(cube_kind, vector_kind, "stream-fusion=1");
  streams.mix.sub_kernels[1].stream = 1;
  streams.mix.sub_kernels[0].send = streams.mix.sub_kernels[1].recv = {"e"};
  list.push_back({"edge-overtakes-pipe", streams, chain(cube_kind, vector_kind)});
}

}  // namespace skcts::emulator::testing
