// Exact sets of racing words by hand, and random programs against a machine that runs them.
#include "reference_model/tight_values.h"

#include <gtest/gtest.h>

#include "reference_model/launch_testing.h"
#include "reference_model/racy_search.h"
#include "reference_model/step_machine_testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;
using Tuples = Launched::Tuples;

constexpr KernelType vectors = KernelType::mix_aiv_1_0;

/// Core 0 runs the first program, core 1 the second.
Program two_cores(const Program& zero, const Program& one) {
  Program both;
  for (const Instruction& in : zero) both.push_back(where(IndexName::core, 0, 0, in));
  for (const Instruction& in : one) both.push_back(where(IndexName::core, 1, 1, in));
  return both;
}

/// Regions A and B of 32 words, initially 0; R receives what was read.
Build build_of(const Program& zero, const Program& one, const char* options = "") {
  Build build(options);
  build.region("A", 32);
  build.region("B", 32);
  build.region("R", 64);
  build.kernel(vectors, 2, two_cores(zero, one));
  return build;
}

Instruction store_out(int word_of, int reg) {
  return write_bypass(gm(2, word(word_of)), in_register(reg));
}
/// The register to R, by a DMA of a block filled with it.
Program dma_out(int word_of, int reg) {
  return {duplicate(ub(128), in_register(reg)), barrier(), data_copy(gm(2, word(word_of)), ub(128)),
          barrier()};
}

TEST(TightValues, AMessageWithoutOrder) {
  // Uncached, with a barrier between: data then flag; flag then data.
  const Launched run = launch(build_of(
      {write_bypass(gm(0), constant(5)), dsb(), write_bypass(gm(1), constant(1)), dsb()},
      {read_bypass(gm(1), 1), read_bypass(gm(0), 2), store_out(0, 1), store_out(32, 2), dsb()}));
  ASSERT_FALSE(run.hazards.clean());
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {0, 5}, {1, 5}}));
}

TEST(TightValues, AMessageWithoutTheBarrierOfTheWriter) {
  const Launched run = launch(build_of(
      {write_bypass(gm(0), constant(5)), write_bypass(gm(1), constant(1)), dsb()},
      {read_bypass(gm(1), 1), read_bypass(gm(0), 2), store_out(0, 1), store_out(32, 2), dsb()}));
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {0, 5}, {1, 0}, {1, 5}}));
  EXPECT_TRUE(run.gm.report_joint().empty());  // all of them: nothing ties the words
}

TEST(TightValues, StoreBuffering) {
  const auto side = [](int mine, int theirs, bool waits) {
    Program program = {write_bypass(gm(mine), constant(1))};
    if (waits) program.push_back(dsb());
    return program + Program{read_bypass(gm(theirs), 1), store_out(32 * mine, 1), dsb()};
  };
  const Launched loose = launch(build_of(side(0, 1, false), side(1, 0, false)));
  EXPECT_TRUE(loose.exact);
  EXPECT_EQ(loose.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
  const Launched strict = launch(build_of(side(0, 1, true), side(1, 0, true)));
  EXPECT_TRUE(strict.exact);
  EXPECT_EQ(strict.together({{2, 0}, {2, 32}}), (Tuples{{0, 1}, {1, 0}, {1, 1}}));
}

Program dma_fill(int region, int at, int value, int count = 8) {
  return {duplicate(ub(0), constant(value), count), barrier(),
          data_copy(gm(region, word(at)), ub(0), count), barrier()};
}

TEST(TightValues, H1TwoTransfersWordByWordOrInBlocks) {
  const Build build = build_of(dma_fill(0, 0, 1, 16), dma_fill(0, 0, 2, 16));
  const Launched torn = launch(build);
  EXPECT_EQ(torn.kinds(), std::set<std::string>{"H1"});
  EXPECT_TRUE(torn.exact);
  EXPECT_EQ(torn.together({{0, 0}, {0, 1}}), (Tuples{{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
  EXPECT_EQ(torn.gm.joint.size(), 16u);
  // In blocks of 32 bytes the words of one block go together, those of two do not.
  SearchFreedom freedom;
  freedom.torn = false;
  const Launched whole = launch(build, -1, false, freedom);
  EXPECT_TRUE(whole.exact);
  EXPECT_EQ(whole.together({{0, 0}, {0, 7}}), (Tuples{{1, 1}, {2, 2}}));
  EXPECT_EQ(whole.together({{0, 7}, {0, 8}}), (Tuples{{1, 1}, {1, 2}, {2, 1}, {2, 2}}));
  EXPECT_EQ(whole.gm.report_joint().size(), 2u);
}

TEST(TightValues, H1ATransferThatReadsWhileTheBlockChanges) {
  const Build build = build_of(
      dma_fill(0, 0, 1), {data_copy(ub(0), gm(0)), barrier(), data_copy(gm(2), ub(0)), barrier()});
  const Launched run = launch(build);
  EXPECT_TRUE(run.exact);
  EXPECT_TRUE(run.is(0, 0, 1));
  EXPECT_EQ(run.may_be(2, 3), (std::vector<std::uint32_t>{0, 1}));
  SearchFreedom freedom;
  freedom.torn = false;
  EXPECT_EQ(launch(build, -1, false, freedom).together({{2, 0}, {2, 5}}), (Tuples{{0, 0}, {1, 1}}));
}

TEST(TightValues, UndefinedWordsFlowAndTheOthersStayExact) {
  // B[0..7] gets UB words that nobody wrote or what A held, since nothing orders the two copies.
  const Build build = build_of({data_copy(gm(1), ub(64)), data_copy(ub(64), gm(0)), barrier(),
                                data_copy(gm(2), ub(64)), barrier()},
                               dma_fill(0, 0, 7));
  const Launched run = launch(build);
  EXPECT_TRUE(run.exact);
  EXPECT_TRUE(run.may_be(1, 0).empty());
  EXPECT_EQ(run.may_be(2, 0), (std::vector<std::uint32_t>{0, 7}));
  EXPECT_TRUE(run.is(0, 0, 7));
}

TEST(TightValues, WholeBlocksOfLocalMemoryToo) {
  // Two transfers into one block of UB: one of them, never half of each.
  Build build = build_of({data_copy(ub(0), gm(0)), data_copy(ub(0), gm(1)), barrier(),
                          data_copy(gm(2), ub(0)), barrier()},
                         {});
  build.test_case.mix.regions[1].init.first = 9;
  SearchFreedom freedom;
  freedom.torn = false;
  const Launched run = launch(build, -1, false, freedom);
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 7}}), (Tuples{{0, 0}, {9, 9}}));
  EXPECT_EQ(launch(build).together({{2, 0}, {2, 7}}), (Tuples{{0, 0}, {0, 9}, {9, 0}, {9, 9}}));
}

TEST(TightValues, AtomicAddsAgainstAPlainWrite) {
  Program adds = {duplicate(ub(0), constant(10)), barrier(), data_copy(gm(0), ub(0), 8, true),
                  data_copy(gm(0), ub(0), 8, true), barrier()};
  const Launched run = launch(build_of(adds, dma_fill(0, 0, 1)));
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.may_be(0, 0), (std::vector<std::uint32_t>{1, 11, 21}));
  // What the wide sets would say as well: 0, 10, 20 when the write came first and was lost.
}

TEST(TightValues, H2AStaleLineStaysOrIsFetchedAnew) {
  // The load before the message may keep the line; the one after it is no longer told.
  const Program reader = {raw_load(gm(0), 1), wait(3),          raw_load(gm(0), 2),
                          store_out(0, 1),    store_out(32, 2), dsb()};
  Program writer = dma_fill(0, 0, 7);
  writer.push_back(raise(0, Pipe::mte3, 3));
  Program both = {raise(0, Pipe::mte3, 3)};
  Program waits = {wait(3)};
  const Launched run = launch(build_of(writer + waits, both + reader));
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H2"});
  EXPECT_TRUE(run.exact);
  // 7 and then 0 cannot be: a line does not grow older.
  EXPECT_EQ(run.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {0, 7}, {7, 7}}));
}

TEST(TightValues, H3OwnStoreAndTransferToOneWord) {
  // The store and the core's own DMA: the flush may come before or after.
  const Build build = build_of(Program{raw_store(gm(0), constant(5))} + dma_fill(0, 0, 7), {});
  const Launched run = launch(build);
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H3"});
  EXPECT_TRUE(run.exact);
  // The line may also come between the words of the DMA.
  EXPECT_EQ(run.together({{0, 0}, {0, 1}}), (Tuples{{5, 0}, {5, 7}, {7, 0}, {7, 7}}));
  SearchFreedom freedom;
  freedom.torn = false;
  EXPECT_EQ(launch(build, -1, false, freedom).together({{0, 0}, {0, 1}}), (Tuples{{5, 0}, {7, 7}}));
}

TEST(TightValues, H3ATransferToANeighbourOfAStoredWord) {
  const Launched run = launch(build_of({raw_store(gm(0), constant(5))}, dma_fill(0, 8, 7)));
  EXPECT_TRUE(run.exact);
  EXPECT_TRUE(run.is(0, 0, 5));
  EXPECT_EQ(run.may_be(0, 8), (std::vector<std::uint32_t>{0, 7}));
  EXPECT_EQ(run.together({{0, 8}, {0, 9}}), (Tuples{{0, 0}, {0, 7}, {7, 0}, {7, 7}}));
}

TEST(TightValues, H4ReadPastTheCacheOfAWordThatIsStored) {
  const Launched run = launch(build_of(
      {raw_store(gm(0), constant(5)), raw_store(gm(0), constant(6)), dcci(gm(0)), dsb()},
      {read_bypass(gm(0), 1), read_bypass(gm(0), 2), store_out(0, 1), store_out(32, 2), dsb()}));
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H4"});
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 32}}),
            (Tuples{{0, 0}, {0, 5}, {0, 6}, {5, 5}, {5, 6}, {6, 6}}));
  // Written back at the refresh only, 5 is never seen.
  SearchFreedom freedom;
  freedom.write_back_any = false;
  EXPECT_EQ(launch(build_of({raw_store(gm(0), constant(5)), raw_store(gm(0), constant(6)),
                             dcci(gm(0)), dsb()},
                            {read_bypass(gm(0), 1), store_out(0, 1), dsb()}),
                   -1, false, freedom)
                .may_be(2, 0),
            (std::vector<std::uint32_t>{0, 6}));
}

TEST(TightValues, H5FalseSharingLosesOneHalfOrNone) {
  const Launched run =
      launch(build_of({raw_store(gm(0), constant(1))}, {raw_store(gm(0, word(1)), constant(2))}));
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H5"});
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{0, 0}, {0, 1}}), (Tuples{{0, 2}, {1, 0}, {1, 2}}));
  ASSERT_EQ(run.gm.report_joint().size(), 1u);
}

TEST(TightValues, H5TwoLinesAreIndependent) {
  const Launched run = launch(
      build_of({raw_store(gm(0), constant(1)), raw_store(gm(0, word(16)), constant(3))},
               {raw_store(gm(0, word(1)), constant(2)), raw_store(gm(0, word(17)), constant(4))}));
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{0, 0}, {0, 1}, {0, 16}, {0, 17}}).size(), 9u);
}

TEST(TightValues, H6ALoadOfAWordThatAnotherCoreStores) {
  const Launched run =
      launch(build_of({raw_store(gm(0), constant(5))}, {raw_load(gm(0), 1), raw_load(gm(0), 2),
                                                        store_out(0, 1), store_out(32, 2), dsb()}));
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H6"});
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {0, 5}, {5, 5}}));
  SearchFreedom freedom;
  freedom.drop_any = freedom.extra_read_refresh = false;
  const Launched held = launch(
      build_of({raw_store(gm(0), constant(5))},
               {raw_load(gm(0), 1), raw_load(gm(0), 2), store_out(0, 1), store_out(32, 2), dsb()}),
      -1, false, freedom);
  EXPECT_EQ(held.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {5, 5}}));
}

TEST(TightValues, ARefreshThatHasNotLandedAtTheFlag) {
  const auto sides = [](bool barrier_first) {
    Program writer = {raw_store(gm(0), constant(5)), dcci(gm(0))};
    if (barrier_first) writer.push_back(dsb());
    writer = writer + Program{raise(0, Pipe::mte3, 3), wait(3)};
    return build_of(
        writer, {raise(0, Pipe::mte3, 3), wait(3), read_bypass(gm(0), 1), store_out(0, 1), dsb()});
  };
  const Launched late = launch(sides(false));
  EXPECT_TRUE(late.exact);
  EXPECT_EQ(late.may_be(2, 0), (std::vector<std::uint32_t>{0, 5}));
  EXPECT_TRUE(launch(sides(true)).is(2, 0, 5));
  SearchFreedom freedom;
  freedom.land_late = false;
  EXPECT_TRUE(launch(sides(false), -1, false, freedom).is(2, 0, 5));
}

TEST(TightValues, AStaleValueFlowsThroughRegistersAndBuffers) {
  const Program reader =
      Program{read_bypass(gm(0), 1)} + dma_out(0, 1) + Program{store_out(32, 1), dsb()};
  const Launched run = launch(build_of(dma_fill(0, 0, 7), reader));
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 7}, {2, 32}}), (Tuples{{0, 0, 0}, {7, 7, 7}}));
}

TEST(TightValues, InstructionsOfOnePipeMayOverlap) {
  const Build build =
      build_of({duplicate(ub(0), constant(1)), duplicate(ub(8), constant(2)), barrier(),
                data_copy(gm(0), ub(0)), data_copy(gm(0), ub(8)), barrier()},
               {});
  EXPECT_EQ(launch(build).may_be(0, 0), (std::vector<std::uint32_t>{1, 2}));
  SearchFreedom freedom;
  freedom.overlap = false;
  EXPECT_TRUE(launch(build, -1, false, freedom).is(0, 0, 2));
}

TEST(TightValues, ManyWritersOfOneWord) {
  Build build;
  build.region("A", 8);
  build.kernel(vectors, 40, fill_out(0, word(0), 0, 8));
  build.sub(0).aiv[0].value = Value{.expr = per_core(1, 10)};
  const Launched run = launch(build);
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.may_be(0, 0).size(), 40u);  // not what was there before
  EXPECT_LT(run.values.tight().states(), 1000u);
}

TEST(TightValues, TwoLaunchesCarryTuplesOn) {
  // What the first leaves tied, the second copies out, and stays tied.
  Build build = build_of({raw_store(gm(0), constant(1))}, {raw_store(gm(0, word(1)), constant(2))});
  Launched run = launch(build);
  Build next =
      build_of({data_copy(ub(0), gm(0)), barrier(), data_copy(gm(2), ub(0)), barrier()}, {});
  Launched second = launch(next);
  second.gm = run.gm;
  second.values.run(second.program, second.stall, second.order, second.analysis, second.hazards,
                    second.gm);
  second.exact = second.values.open().none();
  EXPECT_TRUE(second.exact);
  EXPECT_EQ(second.together({{0, 0}, {0, 1}, {2, 0}, {2, 1}}),
            (Tuples{{0, 2, 0, 2}, {1, 0, 1, 0}, {1, 2, 1, 2}}));
  second.gm.host_write(second.at(0, 0), 9);
  EXPECT_EQ(second.together({{0, 0}, {0, 1}, {2, 0}}), (Tuples{{9, 0, 1}, {9, 2, 0}, {9, 2, 1}}));
}

TEST(TightValues, PrefetchedLinesMayBeOlder) {
  const Program reader = {raise(0, Pipe::mte3, 3), wait(3), raw_load(gm(0), 1), store_out(0, 1),
                          dsb()};
  const Program writer = dma_fill(0, 0, 7) + Program{raise(0, Pipe::mte3, 3), wait(3)};
  EXPECT_TRUE(launch(build_of(writer, reader)).is(2, 0, 7));
  const Launched run = launch(build_of(writer, reader), -1, true);
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.may_be(2, 0), (std::vector<std::uint32_t>{0, 7}));
}

// Random programs.

/// Few accesses of two cores to a few words of two lines, with refreshes, barriers and a flag.
Build tiny_build(std::uint64_t seed) {
  Draw draw(seed);
  int value = 0;
  int read = 0;
  // How the two cores touch GM: through caches, past them, by DMA, or all of it.
  const int style = draw.upto(3);
  const auto side = [&](int core) {
    const auto at = [&] { return gm(0, word(draw.chance(70) ? 0 : draw.chance(50) ? 1 : 16)); };
    Program program;
    const int length = 1 + draw.upto(3);
    for (int i = 0; i < length; ++i) {
      const int kind = style == 3 ? draw.upto(2) : style;
      const bool writes = draw.chance(55);
      const int reg = 1 + draw.upto(1);
      const Value stored = draw.chance(25) ? in_register(reg) : constant(++value);
      if (kind == 0) {
        program.push_back(writes ? raw_store(at(), stored) : raw_load(at(), reg));
        if (draw.chance(30)) program.push_back(draw.chance(70) ? dcci(at()) : dcci_all());
      } else if (kind == 1) {
        program.push_back(writes ? write_bypass(at(), stored) : read_bypass(at(), reg));
      } else {
        const Operand block = gm(0, word(draw.chance(80) ? 0 : 16));
        if (writes) {
          program = program + Program{duplicate(ub(0), stored), barrier(),
                                      data_copy(block, ub(0), 8, draw.chance(20))};
        } else {
          program = program + Program{data_copy(ub(8), block), barrier(),
                                      data_copy(gm(2, word(8 * (2 * read++ + core) % 64)), ub(8))};
        }
        if (draw.chance(60)) program.push_back(barrier());
      }
      if (draw.chance(25)) program.push_back(dsb());
    }
    // What it knows at the end.
    return program + Program{dsb(), barrier(), write_bypass(gm(1, word(16 * core)), in_register(1)),
                             write_bypass(gm(1, word(16 * core + 8)), in_register(2)), dsb()};
  };
  Program zero = side(0), one = side(1);
  if (draw.chance(40)) {
    // A flag somewhere: what is before it in core 0 is over where core 1 has it, if it is DMA.
    const Program raises = {raise(0, draw.chance(50) ? Pipe::mte3 : Pipe::mte2, 3)};
    const auto insert = [&](Program& program, const Program& what) {
      const auto place = draw.upto(static_cast<int>(program.size()));
      program.insert(program.begin() + place, what.begin(), what.end());
    };
    insert(zero, raises);
    zero.push_back(wait(3));
    insert(one, raises + Program{wait(3)});
  }
  return build_of(zero, one);
}

/// A group of words and what it was seen to hold.
struct Group {
  const JointWords* words = nullptr;
  Tuples seen;
  /// Chance alone does not reach long lists.
  bool short_list() const { return words->tuples.size() <= 12; }
  bool all_seen() const { return seen.size() == words->tuples.size(); }
};

/// Runs random schedules of a launch; every memory must be in the sets. Ends when all was seen.
void run_schedules(const Launched& run, std::uint64_t seed, int most, bool prefetch,
                   std::vector<Group>& groups) {
  for (const JointWords& joint : run.gm.joint) groups.push_back({&joint, {}});
  const std::vector<std::uint32_t> start = initial_memory(run.mix, run.layout);
  for (int s = 0; s < most; ++s) {
    const bool done = std::all_of(groups.begin(), groups.end(), [](const Group& group) {
      return !group.short_list() || group.all_seen();
    });
    if (done && s >= 200) return;
    StepMachine machine(run.program, start, seed * 100'000 + static_cast<std::uint64_t>(s),
                        prefetch);
    if (!machine.run()) continue;
    for (Group& group : groups) {
      std::vector<std::uint32_t> tuple;
      for (const std::int64_t w : group.words->words) {
        tuple.push_back(machine.memory()[static_cast<std::size_t>(w)]);
      }
      const std::vector<std::vector<std::uint32_t>>& all = group.words->tuples;
      ASSERT_TRUE(std::binary_search(all.begin(), all.end(), tuple))
          << "seed " << seed << ": " << ::testing::PrintToString(tuple) << "\n"
          << run.text();
      group.seen.insert(std::move(tuple));
    }
    for (std::size_t w = 0; w < start.size(); ++w) {
      const Val word = run.gm.word(static_cast<std::int64_t>(w));
      if (word.set != Val::exact) continue;
      ASSERT_EQ(word.value, machine.memory()[w]) << "seed " << seed << " word " << w << "\n"
                                                 << run.text();
    }
  }
}

TEST(TightValues, RandomProgramsGiveExactlyTheSets) {
  int racy = 0, exact = 0, compared = 0, reached = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const bool prefetch = seed % 8 == 0;
    const Launched run = launch(tiny_build(seed), -1, prefetch);
    if (run.stall.stalled || run.hazards.clean()) continue;
    ++racy;
    std::vector<Group> groups;
    run_schedules(run, seed, run.exact ? 4000 : 200, prefetch, groups);
    if (HasFatalFailure()) return;
    if (!run.exact) continue;
    ++exact;
    for (const Group& group : groups) {
      if (!group.short_list()) continue;
      ++compared;
      reached += group.all_seen() ? 1 : 0;
    }
  }
  // Schedules are drawn, so that what needs a long delay is not always met; all else is.
  EXPECT_GT(racy, 300);
  EXPECT_GT(exact, 250);
  EXPECT_GT(compared, 500);
  EXPECT_GT(reached * 100, compared * 90);
  RecordProperty("racy", racy);
  RecordProperty("exact", exact);
  RecordProperty("compared", compared);
  RecordProperty("reached", reached);
}

TEST(TightValues, StubbornSetsKeepEveryTuple) {
  int compared = 0;
  std::size_t reduced_states = 0, all_states = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    SearchFreedom freedom;
    freedom.torn = seed % 2 == 0;
    freedom.land_late = seed % 5 != 0;
    const Launched run = launch(tiny_build(seed), -1, seed % 3 == 0, freedom);
    for (const SearchedPart& searched : run.values.tight().parts()) {
      RacySearch all(searched.part, run.freedom);
      const SearchResult result = all.run(20'000, false);
      if (!result.complete) continue;
      ++compared;
      RacySearch reduced(searched.part, run.freedom);
      reduced_states += reduced.run().states;
      all_states += result.states;
      ASSERT_EQ(result.tuples, searched.tuples) << "seed " << seed << "\n" << run.text();
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_LT(reduced_states, all_states);
  RecordProperty("compared", compared);
  RecordProperty("states", std::to_string(reduced_states) + " of " + std::to_string(all_states));
}

}  // namespace
}  // namespace skcts::model
