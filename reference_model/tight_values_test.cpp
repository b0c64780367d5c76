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
  return {duplicate(ub(128), in_register(reg)), barrier(),
          data_copy(gm(2, word(word_of)), ub(128)), barrier()};
}

TEST(TightValues, AMessageWithoutOrder) {
  // Uncached, with a barrier between: data then flag; flag then data.
  const Launched run = launch(build_of({write_bypass(gm(0), constant(5)), dsb(),
                                        write_bypass(gm(1), constant(1)), dsb()},
                                       {read_bypass(gm(1), 1), read_bypass(gm(0), 2),
                                        store_out(0, 1), store_out(32, 2), dsb()}));
  ASSERT_FALSE(run.hazards.clean());
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {0, 5}, {1, 5}}));
}

TEST(TightValues, AMessageWithoutTheBarrierOfTheWriter) {
  const Launched run = launch(
      build_of({write_bypass(gm(0), constant(5)), write_bypass(gm(1), constant(1)), dsb()},
               {read_bypass(gm(1), 1), read_bypass(gm(0), 2), store_out(0, 1), store_out(32, 2),
                dsb()}));
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
  const Build build = build_of(dma_fill(0, 0, 1), {data_copy(ub(0), gm(0)), barrier(),
                                                   data_copy(gm(2), ub(0)), barrier()});
  const Launched run = launch(build);
  EXPECT_TRUE(run.exact);
  EXPECT_TRUE(run.is(0, 0, 1));
  EXPECT_EQ(run.may_be(2, 3), (std::vector<std::uint32_t>{0, 1}));
  SearchFreedom freedom;
  freedom.torn = false;
  EXPECT_EQ(launch(build, -1, false, freedom).together({{2, 0}, {2, 5}}), (Tuples{{0, 0}, {1, 1}}));
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
  const Program reader = {raw_load(gm(0), 1), wait(3), raw_load(gm(0), 2), store_out(0, 1),
                          store_out(32, 2), dsb()};
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
  const Build build =
      build_of(Program{raw_store(gm(0), constant(5))} + dma_fill(0, 0, 7), {});
  const Launched run = launch(build);
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H3"});
  EXPECT_TRUE(run.exact);
  // The line may also come between the words of the DMA.
  EXPECT_EQ(run.together({{0, 0}, {0, 1}}), (Tuples{{5, 0}, {5, 7}, {7, 0}, {7, 7}}));
  SearchFreedom freedom;
  freedom.torn = false;
  EXPECT_EQ(launch(build, -1, false, freedom).together({{0, 0}, {0, 1}}),
            (Tuples{{5, 0}, {7, 7}}));
}

TEST(TightValues, H3ATransferToANeighbourOfAStoredWord) {
  const Launched run =
      launch(build_of({raw_store(gm(0), constant(5))}, dma_fill(0, 8, 7)));
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
  const Launched run = launch(
      build_of({raw_store(gm(0), constant(1))}, {raw_store(gm(0, word(1)), constant(2))}));
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H5"});
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{0, 0}, {0, 1}}), (Tuples{{0, 2}, {1, 0}, {1, 2}}));
  ASSERT_EQ(run.gm.report_joint().size(), 1u);
}

TEST(TightValues, H5TwoLinesAreIndependent) {
  const Launched run = launch(build_of(
      {raw_store(gm(0), constant(1)), raw_store(gm(0, word(16)), constant(3))},
      {raw_store(gm(0, word(1)), constant(2)), raw_store(gm(0, word(17)), constant(4))}));
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{0, 0}, {0, 1}, {0, 16}, {0, 17}}).size(), 9u);
}

TEST(TightValues, H6ALoadOfAWordThatAnotherCoreStores) {
  const Launched run = launch(build_of(
      {raw_store(gm(0), constant(5))},
      {raw_load(gm(0), 1), raw_load(gm(0), 2), store_out(0, 1), store_out(32, 2), dsb()}));
  EXPECT_EQ(run.kinds(), std::set<std::string>{"H6"});
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {0, 5}, {5, 5}}));
  SearchFreedom freedom;
  freedom.drop_any = freedom.extra_read_refresh = false;
  const Launched held = launch(build_of({raw_store(gm(0), constant(5))},
                                        {raw_load(gm(0), 1), raw_load(gm(0), 2), store_out(0, 1),
                                         store_out(32, 2), dsb()}),
                               -1, false, freedom);
  EXPECT_EQ(held.together({{2, 0}, {2, 32}}), (Tuples{{0, 0}, {5, 5}}));
}

TEST(TightValues, ARefreshThatHasNotLandedAtTheFlag) {
  const auto sides = [](bool barrier_first) {
    Program writer = {raw_store(gm(0), constant(5)), dcci(gm(0))};
    if (barrier_first) writer.push_back(dsb());
    writer = writer + Program{raise(0, Pipe::mte3, 3), wait(3)};
    return build_of(writer, {raise(0, Pipe::mte3, 3), wait(3), read_bypass(gm(0), 1),
                             store_out(0, 1), dsb()});
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
  const Program reader = Program{read_bypass(gm(0), 1)} + dma_out(0, 1) +
                         Program{store_out(32, 1), dsb()};
  const Launched run = launch(build_of(dma_fill(0, 0, 7), reader));
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.together({{2, 0}, {2, 7}, {2, 32}}), (Tuples{{0, 0, 0}, {7, 7, 7}}));
}

TEST(TightValues, InstructionsOfOnePipeMayOverlap) {
  const Build build = build_of({duplicate(ub(0), constant(1)), duplicate(ub(8), constant(2)),
                                barrier(), data_copy(gm(0), ub(0)), data_copy(gm(0), ub(8)),
                                barrier()},
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
  Build next = build_of({data_copy(ub(0), gm(0)), barrier(), data_copy(gm(2), ub(0)), barrier()},
                        {});
  Launched second = launch(next);
  second.gm = run.gm;
  second.exact = second.values.run(second.program, second.stall, second.order, second.analysis,
                                   second.hazards, second.gm);
  EXPECT_TRUE(second.exact);
  EXPECT_EQ(second.together({{0, 0}, {0, 1}, {2, 0}, {2, 1}}),
            (Tuples{{0, 2, 0, 2}, {1, 0, 1, 0}, {1, 2, 1, 2}}));
  second.gm.host_write(second.at(0, 0), 9);
  EXPECT_EQ(second.together({{0, 0}, {0, 1}, {2, 0}}), (Tuples{{9, 0, 1}, {9, 2, 0}, {9, 2, 1}}));
}

TEST(TightValues, PrefetchedLinesMayBeOlder) {
  const Program reader = {raise(0, Pipe::mte3, 3), wait(3), raw_load(gm(0), 1), store_out(0, 1),
                          dsb()};
  const Program writer =
      dma_fill(0, 0, 7) + Program{raise(0, Pipe::mte3, 3), wait(3)};
  EXPECT_TRUE(launch(build_of(writer, reader)).is(2, 0, 7));
  const Launched run = launch(build_of(writer, reader), -1, true);
  EXPECT_TRUE(run.exact);
  EXPECT_EQ(run.may_be(2, 0), (std::vector<std::uint32_t>{0, 7}));
}

}  // namespace
}  // namespace skcts::model
