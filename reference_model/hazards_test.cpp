// Litmus mixes: for each way of losing an order the rule that it is charged to, and a healthy twin.
#include "reference_model/hazards.h"

#include <gtest/gtest.h>

#include "reference_model/launch_testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Names = std::set<std::string>;
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::mix_aiv_1_0;
constexpr KernelType mix12 = KernelType::mix_aic_1_2;

Program only(int core, const Program& program) {
  Program made;
  for (const Instruction& in : program) made.push_back(where(IndexName::core, core, core, in));
  return made;
}

/// Removes instruction `gap` (none if it is -1) from a program.
Program without(Program program, int gap) {
  if (gap >= 0) program.erase(program.begin() + gap);
  return program;
}

// Core 0 fills A and raises, core 1 copies A to B.
Program writer_side() {
  return only(0, {duplicate(ub(0), constant(7)), set_flag(Pipe::v, Pipe::mte3),
                  wait_flag(Pipe::v, Pipe::mte3), data_copy(gm(0), ub(0)), raise(0, Pipe::mte3, 3),
                  wait(3)});
}
Program reader_side() {
  return only(1, {raise(0, Pipe::mte3, 3), wait(3), data_copy(ub(0), gm(0)),
                  set_flag(Pipe::mte2, Pipe::mte3), wait_flag(Pipe::mte2, Pipe::mte3),
                  data_copy(gm(1), ub(0)), barrier()});
}

TEST(Hazards, MessagePassingByDma) {
  Build build;
  build.region("A", 8);
  build.region("B", 8);
  build.kernel(vectors, 2, writer_side() + reader_side());
  const Launched run = launch(build);
  EXPECT_EQ(run.rules(), Names{}) << run.text();
  EXPECT_TRUE(run.exact);
  EXPECT_TRUE(run.is(1, 3, 7));
}

TEST(Hazards, MessagePassingWithOnePieceMissing) {
  const auto broken = [](const Program& program) {
    Build build;
    build.region("A", 8);
    build.region("B", 8, 100);
    build.kernel(vectors, 2, program);
    return launch(build);
  };
  // No event between V and MTE3 (its set and its wait are gone).
  Launched run = broken(without(without(writer_side(), 2), 1) + reader_side());
  EXPECT_EQ(run.rules(), Names{"PIPE-6"}) << run.text();
  EXPECT_EQ(run.kinds(), Names{"local"});
  // The flag is raised on a pipe that does not carry the data.
  Program early = writer_side();
  early[4] = where(IndexName::core, 0, 0, raise(0, Pipe::v, 3));
  run = broken(early + reader_side());
  EXPECT_EQ(run.rules(), Names{"SYNC-11"}) << run.text();
  EXPECT_EQ(run.kinds(), Names{"H1"});
  EXPECT_EQ(run.may_be(1, 0), (std::vector<std::uint32_t>{0, 7}));
  EXPECT_TRUE(run.is(0, 0, 7));  // the write itself is not in doubt
  // No flag at all.
  run = broken(without(without(writer_side(), 5), 4) + without(without(reader_side(), 1), 0));
  EXPECT_EQ(run.rules(), Names{"SYNC-11"}) << run.text();
  // The reader does not wait for its copy.
  run = broken(writer_side() + without(without(reader_side(), 4), 3));
  EXPECT_EQ(run.rules(), Names{"PIPE-6"}) << run.text();
}

TEST(Hazards, MessagePassingByScalars) {
  // store, dcci, dsb, raise | wait, dcci, load; each piece is needed.
  const auto launched = [](int gap_writer, int gap_reader) {
    Build build;
    build.region("A", 16, 5);
    build.region("B", 16);
    const Program writer = {raw_store(gm(0, word(2)), constant(9)), dcci(gm(0)), dsb(),
                            raise(0, Pipe::mte3, 3), wait(3)};
    // The line is touched early, so that its copy is stale.
    const Program reader = {raw_load(gm(0, word(2)), 1),
                            raise(0, Pipe::mte3, 3),
                            wait(3),
                            dcci(gm(0)),
                            raw_load(gm(0, word(2)), 2),
                            write_bypass(gm(1), in_register(2)),
                            dsb()};
    build.kernel(vectors, 2,
                 only(0, without(writer, gap_writer)) + only(1, without(reader, gap_reader)));
    return launch(build);
  };
  // The early load races with the store of course; its register is not used.
  Launched run = launched(-1, 0);
  EXPECT_EQ(run.rules(), Names{}) << run.text();
  EXPECT_TRUE(run.is(1, 0, 9));
  for (const int gap : {1, 2}) {
    run = launched(gap, 0);
    EXPECT_EQ(run.rules(), Names{"CACHE-7"}) << gap << run.text();
    EXPECT_EQ(run.kinds(), Names{"H6"});
    EXPECT_EQ(run.may_be(1, 0), (std::vector<std::uint32_t>{5, 9}));
  }
  run = launched(-1, 3);
  EXPECT_FALSE(run.hazards.clean());
  EXPECT_EQ(run.may_be(1, 0), (std::vector<std::uint32_t>{5, 9}));
}

TEST(Hazards, StoreBuffering) {
  Build build;
  build.region("X", 16);
  build.region("Y", 16);
  build.region("R", 32);
  build.kernel(vectors, 2,
               only(0, {write_bypass(gm(0), constant(1)), read_bypass(gm(1), 1),
                        write_bypass(gm(2), in_register(1)), dsb()}) +
                   only(1, {write_bypass(gm(1), constant(2)), read_bypass(gm(0), 1),
                            write_bypass(gm(2, word(16)), in_register(1)), dsb()}));
  const Launched run = launch(build);
  EXPECT_EQ(run.kinds(), Names{"H1"}) << run.text();
  EXPECT_EQ(run.may_be(2, 0), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(run.may_be(2, 16), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(run.is(0, 0, 1));
  EXPECT_TRUE(run.is(1, 0, 2));
}

TEST(Hazards, FalseSharing) {
  // Two cores store different words of one line.
  Build build;
  build.region("A", 32, 50, 1);
  build.kernel(vectors, 2,
               only(0, {raw_store(gm(0, word(0)), constant(1)), dcci(gm(0)), dsb()}) +
                   only(1, {raw_store(gm(0, word(9)), constant(2)), dcci(gm(0)), dsb()}));
  Launched run = launch(build);
  EXPECT_EQ(run.rules(), Names{"CACHE-8"}) << run.text();
  EXPECT_EQ(run.kinds(), Names{"H5"});
  EXPECT_EQ(run.may_be(0, 0), (std::vector<std::uint32_t>{1, 50}));
  EXPECT_EQ(run.may_be(0, 9), (std::vector<std::uint32_t>{2, 59}));
  EXPECT_TRUE(run.is(0, 5, 55));
  // One stores a word, the other writes the other half of the line by DMA.
  build = Build();
  build.region("A", 32, 50, 1);
  build.kernel(vectors, 2,
               only(0, {raw_store(gm(0, word(0)), constant(1)), dcci(gm(0)), dsb()}) +
                   only(1, fill_out(0, word(8), 3)));
  run = launch(build);
  EXPECT_EQ(run.rules(), Names{"CACHE-8"}) << run.text();
  EXPECT_EQ(run.kinds(), Names{"H3"});
  EXPECT_TRUE(run.is(0, 0, 1));
  EXPECT_EQ(run.may_be(0, 9), (std::vector<std::uint32_t>{3, 59}));
  // The same word: either may be the last.
  build = Build();
  build.region("A", 32, 50, 1);
  build.kernel(vectors, 2,
               only(0, {raw_store(gm(0, word(0)), constant(1)), dcci(gm(0)), dsb()}) +
                   only(1, fill_out(0, word(0), 3)));
  run = launch(build);
  EXPECT_EQ(run.kinds(), Names{"H3"}) << run.text();
  EXPECT_EQ(run.may_be(0, 0), (std::vector<std::uint32_t>{1, 3, 50}));
  EXPECT_EQ(run.may_be(0, 1), (std::vector<std::uint32_t>{3, 51}));
  // Lines of their own, or one core after the other: nothing.
  build = Build();
  build.region("A", 32, 50, 1);
  build.kernel(
      vectors, 2,
      only(0, {raw_store(gm(0, word(0)), constant(1)), dcci(gm(0)), dsb()}) +
          only(1, {raw_store(gm(0, word(16)), constant(2)), dcci(gm(0, word(16))), dsb()}));
  EXPECT_TRUE(launch(build).hazards.clean());
  build = Build();
  build.region("A", 32, 50, 1);
  build.kernel(vectors, 2,
               only(0, {raw_store(gm(0, word(0)), constant(1)), dcci(gm(0)), dsb(),
                        raise(0, Pipe::mte3, 3), wait(3)}) +
                   only(1, {raise(0, Pipe::mte3, 3), wait(3),
                            raw_store(gm(0, word(9)), constant(2)), dcci(gm(0)), dsb()}));
  run = launch(build);
  EXPECT_TRUE(run.hazards.clean()) << run.text();
  EXPECT_TRUE(run.is(0, 0, 1));
  EXPECT_TRUE(run.is(0, 9, 2));
}

TEST(Hazards, ReadingAnotherWordOfADirtyLineIsFine) {
  Build build;
  build.region("A", 16, 50, 1);
  build.region("B", 16);
  build.kernel(
      vectors, 2,
      only(0, {raw_store(gm(0, word(0)), constant(1)), dcci(gm(0)), dsb()}) +
          only(1, {raw_load(gm(0, word(9)), 1), write_bypass(gm(1), in_register(1)), dsb()}));
  const Launched run = launch(build);
  EXPECT_TRUE(run.hazards.clean()) << run.text();
  EXPECT_TRUE(run.is(1, 0, 59));
}

TEST(Hazards, ARaiseCarriesItsOwnPipeAndNoEarlierRaise) {
  const auto launched = [](Pipe second_pipe, bool waits_for_first) {
    Build build;
    build.region("A", 8);
    build.region("B", 8);
    Program reader = {raise(0, Pipe::mte3, 3), raise(0, Pipe::mte3, 4)};
    if (waits_for_first) reader.push_back(wait(3));
    reader = reader + Program{wait(4), data_copy(ub(0), gm(0)), barrier(), data_copy(gm(1), ub(0)),
                              barrier()};
    if (!waits_for_first) reader.push_back(wait(3));
    build.kernel(vectors, 2,
                 only(0, {duplicate(ub(0), constant(7)), barrier(), data_copy(gm(0), ub(0)),
                          raise(0, Pipe::mte3, 3), raise(0, second_pipe, 4), wait(3), wait(4)}) +
                     only(1, reader));
    return launch(build);
  };
  EXPECT_EQ(launched(Pipe::v, false).rules(), Names{"SYNC-11"});
  EXPECT_EQ(launched(Pipe::v, true).rules(), Names{});
  EXPECT_EQ(launched(Pipe::mte3, false).rules(), Names{});
}

TEST(Hazards, CubeAndVectorRing) {
  // AIC: L1 -> GM by MTE3 as a stand-in for a result; both AIVs read it; the second round waits.
  const auto launched = [](bool back) {
    Build build;
    build.region("C", 8);
    build.region("B", 32);
    Program cube, vector;
    for (int round = 0; round < 2; ++round) {
      if (round > 0 && back) cube.push_back(wait(6));
      cube =
          cube + Program{compute(Pipe::fix, {}, {{gm(0), 8}}, 40 + round), raise(2, Pipe::fix, 5)};
      vector = vector + Program{wait(5),
                                data_copy(ub(8 * round), gm(0)),
                                raise(2, Pipe::mte2, 6),
                                set_flag(Pipe::mte2, Pipe::mte3, round),
                                wait_flag(Pipe::mte2, Pipe::mte3, round),
                                data_copy(gm(1, per_core(16, 8 * round)), ub(8 * round))};
    }
    if (back) cube.push_back(wait(6));
    build.kernel(mix12, 1, vector, cube);
    return launch(build);
  };
  Launched run = launched(true);
  EXPECT_TRUE(run.hazards.clean()) << run.text();
  EXPECT_FALSE(run.stall.stalled);
  run = launched(false);
  EXPECT_EQ(run.rules(), (Names{"PIPE-6", "SYNC-11"})) << run.text();
}

TEST(Hazards, EventsAndDoubleBuffering) {
  const auto launched = [](bool back) {
    Build build;
    build.region("A", 64, 1, 1);
    build.region("B", 64);
    Program program;
    const auto free_events = [&](int id, bool set) {
      if (!back) return;
      for (const auto& [from, to] : {std::pair{Pipe::v, Pipe::mte2}, {Pipe::mte3, Pipe::v}}) {
        program.push_back(set ? set_flag(from, to, id) : wait_flag(from, to, id));
      }
    };
    for (int turn = 0; turn < 4; ++turn) {
      const int id = turn % 2;
      if (turn >= 2) free_events(id, false);
      program = program + Program{data_copy(ub(8 * id), gm(0, word(8 * turn))),
                                  set_flag(Pipe::mte2, Pipe::v, id),
                                  wait_flag(Pipe::mte2, Pipe::v, id),
                                  adds(ub(64 + 8 * id), ub(8 * id), 1),
                                  set_flag(Pipe::v, Pipe::mte3, id),
                                  wait_flag(Pipe::v, Pipe::mte3, id),
                                  data_copy(gm(1, word(8 * turn)), ub(64 + 8 * id))};
      free_events(id, true);
    }
    free_events(0, false);
    free_events(1, false);
    build.kernel(vectors, 1, program);
    return launch(build);
  };
  Launched run = launched(true);
  EXPECT_TRUE(run.hazards.clean()) << run.text();
  EXPECT_TRUE(run.is(1, 31, 33));
  run = launched(false);
  EXPECT_EQ(run.rules(), Names{"PIPE-6"}) << run.text();
}

TEST(Hazards, APollSeesTheBlockOfItsWordOnly) {
  // Core 0 copies a flag and data in one transfer; core 1 polls the flag, then reads the data.
  const auto launched = [](int data_at, bool poll_both) {
    Build build;
    build.region("A", 16);
    build.region("B", 8);
    Program reader = {poll(gm(0), 1)};
    if (poll_both) reader.push_back(poll(gm(0, word(9)), 1));
    reader =
        reader + Program{read_bypass(gm(0, word(data_at)), 1), duplicate(ub(0), in_register(1)),
                         barrier(), data_copy(gm(1), ub(0)), barrier()};
    build.kernel(vectors, 2,
                 only(0, {duplicate(ub(0), constant(1), 16), barrier(), data_copy(gm(0), ub(0), 16),
                          barrier()}) +
                     only(1, reader));
    return launch(build);
  };
  EXPECT_EQ(launched(5, false).rules(), Names{});
  EXPECT_TRUE(launched(5, false).is(1, 0, 1));
  EXPECT_EQ(launched(12, false).rules(), Names{"SYNC-11"});
  EXPECT_EQ(launched(12, true).rules(), Names{});
}

TEST(Hazards, NeighboursInOnePipeMayOverlap) {
  for (const bool separated : {false, true}) {
    Build build;
    build.region("A", 64, 1, 1);
    Program program = {duplicate(ub(0), constant(3))};
    if (separated) program.push_back(barrier(Pipe::v));
    program = program + Program{adds(ub(0), ub(0), 1), barrier()};
    build.kernel(vectors, 1, program);
    EXPECT_EQ(launch(build).rules(), separated ? Names{} : Names{"PIPE-6"});
  }
}

TEST(Hazards, AtomicAddsCommute) {
  const auto launched = [](bool plain_write) {
    Build build;
    build.region("A", 8, 1000);
    build.region("B", 32);
    Program program = {
        duplicate(ub(0), constant(5)), barrier(), data_copy(gm(0), ub(0), 8, true),     sync_all(),
        data_copy(ub(8), gm(0)),       barrier(), data_copy(gm(1, per_core(8)), ub(8)), barrier()};
    if (plain_write) program[2] = where(IndexName::core, 1, 3, program[2]);
    if (plain_write) {
      program.insert(program.begin() + 2, where(IndexName::core, 0, 0, data_copy(gm(0), ub(0))));
    }
    build.kernel(vectors, 4, program);
    return launch(build);
  };
  Launched run = launched(false);
  EXPECT_TRUE(run.hazards.clean()) << run.text();
  EXPECT_TRUE(run.is(1, 30, 1020));
  run = launched(true);
  EXPECT_EQ(run.rules(), Names{"SYNC-11"}) << run.text();
  // The plain write stays in some way; adds that came before it are lost.
  EXPECT_EQ(run.may_be(1, 30), (std::vector<std::uint32_t>{5, 10, 15, 20}));
}

TEST(Hazards, DmaAgainstScalarsOfTheSameCore) {
  const auto launched = [](bool event, bool refresh) {
    Build build;
    build.region("A", 16, 50);
    build.region("B", 16);
    Program program = {raw_load(gm(0, word(1)), 1), duplicate(ub(0), constant(4)), barrier(),
                       data_copy(gm(0), ub(0))};
    if (event)
      program = program + Program{set_flag(Pipe::mte3, Pipe::s), wait_flag(Pipe::mte3, Pipe::s)};
    if (refresh) program.push_back(dcci(gm(0)));
    program = program + Program{raw_load(gm(0, word(1)), 2), write_bypass(gm(1), in_register(2)),
                                dsb(), barrier()};
    build.kernel(vectors, 1, program);
    return launch(build);
  };
  Launched run = launched(true, true);
  EXPECT_TRUE(run.hazards.clean()) << run.text();
  EXPECT_TRUE(run.is(1, 0, 4));
  EXPECT_EQ(launched(false, true).rules(), Names{"PIPE-6"});
  EXPECT_EQ(launched(true, false).rules(), Names{"CACHE-7"});
  EXPECT_EQ(launched(true, false).may_be(1, 0), (std::vector<std::uint32_t>{4, 50}));
  // The other way round: a store, then the DMA that reads it.
  for (int gap = -1; gap < 2; ++gap) {
    Build build;
    build.region("A", 16, 50);
    build.region("B", 16);
    const Program refresh = without({dcci(gm(0)), dsb()}, gap);
    build.kernel(
        vectors, 1,
        Program{raw_store(gm(0), constant(9))} + refresh +
            Program{data_copy(ub(0), gm(0)), barrier(), data_copy(gm(1), ub(0)), barrier()});
    const Launched own = launch(build);
    EXPECT_EQ(own.rules(), gap < 0 ? Names{} : Names{"CACHE-7"}) << own.text();
    EXPECT_EQ(own.kinds(), gap < 0 ? Names{} : Names{"H4"});
  }
}

TEST(Hazards, TwoTpipesWithTheSameAndWithAnotherLayout) {
  const auto launched = [](bool changed, bool separated) {
    Build build;
    build.region("A", 32, 1, 1);
    build.region("B", 32);
    const auto body = [&](int first, bool swapped, int from) {
      // Names: pipe, in, out, two tensors.
      const int in = first + 1, out = first + 2, t = first + 3, o = first + 4;
      Program program = {named(Op::tpipe_init, first)};
      Program buffers = {init_buffer(in, first, Position::vecin, 1, 8),
                         init_buffer(out, first, Position::vecout, 1, 8)};
      if (swapped) std::swap(buffers[0], buffers[1]);
      return program + buffers +
             Program{named(Op::alloc_tensor, in, t),  data_copy(taken(t), gm(0, word(from))),
                     named(Op::enque, in, t),         named(Op::deque, in, t),
                     named(Op::alloc_tensor, out, o), adds(taken(o), taken(t), 1),
                     named(Op::free_tensor, in, t),   named(Op::enque, out, o),
                     named(Op::deque, out, o),        data_copy(gm(1, word(from)), taken(o)),
                     named(Op::free_tensor, out, o),  named(Op::tpipe_end, first)};
    };
    Program program = body(0, false, 0);
    if (separated) program.push_back(barrier());
    const int k = build.kernel(vectors, 1, program + body(5, changed, 8));
    build.names(k, {"p", "in", "out", "t", "o", "p2", "in2", "out2", "t2", "o2"});
    return launch(build);
  };
  Launched run = launched(false, false);
  EXPECT_EQ(run.rules(), Names{}) << run.text();
  EXPECT_TRUE(run.is(1, 9, 11));
  run = launched(true, false);
  EXPECT_EQ(run.rules(), Names{"PIPE-2"}) << run.text();
  run = launched(true, true);
  EXPECT_EQ(run.rules(), Names{}) << run.text();
}

TEST(Hazards, WorkLeftBehind) {
  const auto launched = [](KernelType type, const std::string& options, bool drained) {
    Build build(options);
    build.region("A", 64, 1, 1);
    build.region("B", 64);
    Program first = {data_copy(ub(0), gm(0, per_core(8)))};
    if (drained) first.push_back(barrier());
    build.kernel(type, 2, first);
    build.kernel(type, 2, Program{duplicate(ub(0), constant(2))} + fill_out(1, per_core(8), 3));
    return launch(build);
  };
  EXPECT_EQ(launched(vectors, "", false).rules(), Names{"PIPE-5"});
  EXPECT_EQ(launched(vectors, "", true).rules(), Names{});
  EXPECT_EQ(launched(vectors, "early-start=0", false).rules(), Names{"PIPE-5"});
  EXPECT_EQ(launched(mix12, "early-start=0", false).rules(), Names{});
  EXPECT_EQ(launched(mix12, "early-start=1", false).rules(), Names{"PIPE-5"});
}

TEST(Hazards, HeadsAndTails) {
  const auto launched = [](const Program& first, const Program& second,
                           const std::string& options) {
    Build build(options);
    build.region("A", 64, 1, 1);
    build.region("B", 64, 100);
    build.region("C", 64, 200);
    build.kernel(vectors, 2, first);
    build.kernel(vectors, 2, second);
    return launch(build);
  };
  const Program out = fill_out(1, per_core(8), 3);
  const Program read = {data_copy(ub(256), gm(1, per_core(8, 0, 1))), barrier(),
                        data_copy(gm(2, per_core(8)), ub(256)), barrier()};
  const Program signal = {set_next()};
  const Program awaited = {wait_pre()};
  Launched run = launched(out + signal, awaited + read, "");
  EXPECT_EQ(run.rules(), Names{}) << run.text();
  EXPECT_TRUE(run.is(2, 0, 3));
  EXPECT_EQ(launched(signal + out, awaited + read, "").rules(), Names{"TASK-5"});
  EXPECT_EQ(launched(out + signal, read + awaited, "").rules(), Names{"TASK-5"});
  EXPECT_EQ(launched(signal + out, awaited + read, "early-start=0").rules(), Names{});
  EXPECT_EQ(launched(out + signal, read + awaited, "early-start=2").rules(), Names{});
  // Only the named pipe is complete at the signal.
  const Program on_v = {set_next(Pipe::v)};
  Program undrained = out;
  undrained.pop_back();
  EXPECT_EQ(launched(undrained + on_v, awaited + read, "").rules(), Names{"PIPE-5"});
  // Local memory of the neighbour.
  const Program local_tail = {duplicate(ub(256), constant(1))};
  EXPECT_EQ(launched(out + signal + local_tail, awaited + read, "").rules(), Names{"TASK-5"});
}

TEST(Hazards, UndefinedLocalMemory) {
  Build build;
  build.region("A", 16);
  build.kernel(vectors, 1, {duplicate(ub(0), constant(2)), barrier()});
  build.kernel(vectors, 1,
               {data_copy(gm(0), ub(0), 8), data_copy(gm(0, word(8)), ub(8), 8), barrier()});
  const Launched run = launch(build);
  EXPECT_EQ(run.rules(), Names{"PIPE-7"});
  EXPECT_TRUE(run.may_be(0, 0).empty());
  EXPECT_TRUE(run.may_be(0, 8).empty());
}

TEST(Hazards, SyncAllOfVectorsDoesNotOrderTheCube) {
  for (const bool vectors_only : {true, false}) {
    Build build;
    build.region("A", 16);
    build.region("B", 16);
    Program cube = {compute(Pipe::fix, {}, {{gm(0), 8}}, 3)};
    if (!vectors_only) cube.push_back(sync_all(false));
    build.kernel(
        mix12, 1,
        Program{sync_all(vectors_only), where(IndexName::core, 0, 0, data_copy(ub(0), gm(0))),
                barrier(), where(IndexName::core, 0, 0, data_copy(gm(1), ub(0))), barrier()},
        cube);
    const Launched run = launch(build);
    EXPECT_EQ(run.rules(), vectors_only ? Names{"SYNC-8"} : Names{}) << run.text();
  }
}

TEST(Hazards, MixOneToOneAtOneToTwo) {
  Build build;
  build.region("A", 64);
  build.kernel(KernelType::mix_aic_1_1, 2, fill_out(0, per_block(8), 3));
  build.kernel(mix12, 2, {});
  EXPECT_EQ(launch(build).rules(), Names{"RATIO-4"});
  EXPECT_EQ(launch(build, 0).rules(), Names{});
}

}  // namespace
}  // namespace skcts::model
