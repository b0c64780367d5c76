// Events, outside actors, and several streams in one launch.
#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/outside_testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;
using enum KernelType;
using ::testing::ElementsAre;

TEST(Outside, AWatchedEventHoldsEveryCore) {
  // The actor writes what all cores read; what stands in front has nothing to do with it.
  for (const KernelType before : shapes) {
    for (const KernelType type : shapes) {
      for (const char* options : {"", "early-start=0", "early-start=2"}) {
        const Case test_case = with_actor(
            fused({region("A", 8, 1), region("B", 32), region("C", 16), region("D", 64)},
                  {writer("k0", before, 2, 3, 3, 5), receiving(mover("k1", type, 2, 1, 2, 0), "e")},
                  options),
            {writes(0, times(8, 70)), raises("e")});
        for (const auto& memory : all_memories(test_case, 8)) {
          Outcome outcome;
          outcome.memory = memory;
          const int vectors = aiv_cores(type, 2);
          EXPECT_EQ(words_of(test_case, outcome, 1, 0, 8 * vectors), times(8 * vectors, 70));
          if (type == vec) continue;
          EXPECT_EQ(words_of(test_case, outcome, 2, 0, 16), times(16, 70));
        }
      }
    }
  }
}

TEST(Outside, AnEventIsRaisedBehindEveryCore) {
  // The actor copies what all cores of a sub kernel wrote: the last one, or one before another.
  for (const KernelType type : shapes) {
    for (const KernelType after : shapes) {
      for (const char* options : {"", "early-start=0"}) {
        for (const bool waits : {false, true}) {
          std::vector<SubKernel> subs = {sending(writer("k0", type, 2, 0, 1, 6), "e"),
                                         writer("k1", after, 2, 2, 2, 9)};
          if (waits) {
            for (Program* program : {&subs[1].aiv, &subs[1].aic}) {
              if (!program->empty()) program->insert(program->begin(), make(Op::wait_pre_task_end));
            }
          }
          const Case test_case =
              with_actor(with_actor(fused({region("A", 32), region("B", 16), region("X", 64),
                                           region("C", 32), region("D", 16), region("go", 8)},
                                          subs, options),
                                    {awaits("e"), copies(0, 3, 32), raises("f")}),
                         {awaits("f"), copies(1, 4, 16)});
          for (const auto& memory : all_memories(test_case, 5)) {
            Outcome outcome;
            outcome.memory = memory;
            const int vectors = aiv_cores(type, 2);
            const auto seen = words_of(test_case, outcome, 3, 0, 8 * vectors);
            EXPECT_EQ(seen, times(8 * vectors, 6)) << to_string(type) << to_string(after) << waits;
            EXPECT_EQ(words_of(test_case, outcome, 4, 0, 16),
                      words_of(test_case, outcome, 1, 0, 16))
                << to_string(type) << to_string(after) << options << waits;
          }
        }
      }
    }
  }
}

TEST(Outside, TheLastSubKernelRaisesItsEventBeforeTheLaunchEnds) {
  for (const KernelType type : shapes) {
    const Case test_case = with_actor(fused({region("A", 32), region("B", 16), region("C", 32)},
                                            {sending(writer("k0", type, 2, 0, 1, 6), "e")}),
                                      {awaits("e"), copies(type == cube ? 1 : 0, 2, 16)});
    EXPECT_EQ(all_memories(test_case).size(), 1u) << to_string(type);
  }
}

TEST(Outside, AHeadWaitsForTheEventToo) {
  Program reads_early = {copy(ub(0), gm(0)), make(Op::wait_pre_task_end)};
  reads_early = reads_early + handed(mte2, mte3) + Program{copy(gm(1, by_core(8)), ub(0))};
  const Case test_case = with_actor(
      fused({region("A", 8, 1), region("B", 16), region("C", 16)},
            {writer("k0", vec, 2, 2, 2, 5), receiving(kernel("k1", vec, 2, reads_early), "e")}),
      {writes(0, times(8, 70)), raises("e")});
  EXPECT_EQ(all_memories(test_case).size(), 1u);
  EXPECT_GT(all_memories(test_case, 30, "early-start-over-event").size(), 1u);
}

TEST(Outside, AnEventThatNobodyRaisesStalls) {
  const Case test_case =
      fused({region("A", 8, 1), region("B", 16), region("C", 16)},
            {writer("k0", vec, 2, 2, 2, 5), receiving(mover("k1", vec, 2, 1, 1, 0), "e")});
  const Outcome outcome = one_run(test_case);
  EXPECT_EQ(outcome.status, OutcomeStatus::stalled);
  EXPECT_THAT(outcome.waiting,
              ElementsAre(Waiting{{CoreKind::aiv, 0}, 0, 1, -1, WaitKind::event, -1},
                          Waiting{{CoreKind::aiv, 1}, 0, 1, -1, WaitKind::full_core, -1}));
  EXPECT_EQ(words_of(test_case, outcome, 2, 0, 16), times(16, 5));
  const Outcome lonely = one_run(alone(test_case));
  EXPECT_EQ(lonely.status, OutcomeStatus::stalled);
  EXPECT_THAT(lonely.waiting,
              ElementsAre(Waiting{{CoreKind::aiv, 0}, 1, 1, -1, WaitKind::event, -1}));
  EXPECT_EQ(words_of(test_case, lonely, 1, 0, 16), times(16, 0));
}

TEST(Outside, AnActorLivesThroughAllLaunches) {
  // What it waits for comes from the first launch, what it raises lets the second begin.
  const Case test_case =
      with_actor(alone(fused({region("A", 16), region("B", 16), region("C", 16)},
                             {sending(writer("k0", vec, 2, 0, 0, 5), "e"),
                              receiving(mover("k1", vec, 2, 1, 1, 2), "f")})),
                 {awaits("e"), copies(0, 2, 16), raises("f"), awaits("never"), raises("g")});
  const auto memories = all_memories(test_case);
  ASSERT_EQ(memories.size(), 1u);
  Outcome outcome;
  outcome.memory = *memories.begin();
  EXPECT_EQ(words_of(test_case, outcome, 1, 0, 16), times(16, 5));
}

TEST(Outside, AnActorActsAtAnyMoment) {
  // Two writers that nothing orders: before the launch, in it, or behind it.
  const Case test_case = with_actor(fused({region("A", 8, 1), region("B", 8), region("C", 8)},
                                          {kernel("k0", vec, 1, move(gm(1), gm(0)))}),
                                    {writes(0, times(8, 2)), copies(1, 2, 8)});
  std::set<std::vector<std::uint32_t>> seen;
  Emulator emulator({});
  run_all(emulator, test_case, 40, [&](const Outcome& outcome, const std::string&) {
    seen.insert(
        {words_of(test_case, outcome, 1, 0, 1)[0], words_of(test_case, outcome, 2, 0, 1)[0]});
  });
  const std::set<std::vector<std::uint32_t>> all = {{1, 0}, {1, 1}, {2, 0}, {2, 2}};
  EXPECT_EQ(seen, all);
}

TEST(Streams, NeighboursOfDifferentStreamsNeedAnEvent) {
  const SubKernel first = writer("k0", vec, 2, 0, 0, 5);
  const SubKernel second = on_stream(1, writer("k1", vec, 2, 1, 1, 6));
  const std::vector<Region> regions = {region("A", 16), region("B", 16)};
  const Outcome refused = one_run(fused(regions, {first, second}));
  EXPECT_EQ(refused.status, OutcomeStatus::refused);
  EXPECT_EQ(refused.rule, RuleId::fuse_3);
  EXPECT_EQ(all_statuses(fused(regions, {sending(first, "e"), receiving(second, "e")})),
            only_completed);
  EXPECT_EQ(all_statuses(fused(regions, {first, second}, "stream-fusion=1")), only_completed);
  EXPECT_EQ(all_statuses(alone(fused(regions, {first, second}))), only_completed);
}

TEST(Streams, RunAtTheSameTime) {
  // The first polls for what the second writes: only side by side do they end.
  Instruction polls = poll(gm(0), 1, PollVia::bypass);
  polls.until = Compare::at_least;
  Case test_case =
      fused({region("A", 8)},
            {kernel("k0", vec, 1, {polls}), on_stream(1, writer("k1", cube, 1, 0, 0, 5))},
            "stream-fusion=1");
  EXPECT_EQ(all_statuses(test_case), only_completed);
  test_case.mix.sub_kernels[1].stream = 0;
  EXPECT_EQ(all_statuses(test_case), only_stalled);
}

TEST(Streams, AnEventOrdersAllCores) {
  // Raiser and waiter of every pair of shapes, with another sub kernel between them in the list.
  for (const KernelType from : shapes) {
    for (const KernelType to : shapes) {
      const int source = from == cube ? 1 : 0;
      const Case test_case =
          fused({region("A", 32), region("B", 16), region("C", 32), region("D", 16),
                 region("E", 64), region("F", 64)},
                {sending(writer("k0", from, 2, 0, 1, 6), "e"),
                 on_stream(1, writer("k1", mix_aic_1_2, 1, 4, 5, 7)),
                 on_stream(2, receiving(mover("k2", to, 2, 2, 3, source, by_block(-8, 8)), "e"))},
                "stream-fusion=1");
      EXPECT_EQ(all_memories(test_case, 8).size(), 1u) << to_string(from) << to_string(to);
    }
  }
}

TEST(Streams, AStreamKeepsItsOrderAcrossTheLists) {
  // MIX, cube, vector: the vectors of the first and the last are ordered on all cores, through the
  // stream alone, and whatever an event from the cube sub kernel adds.
  for (const bool with_event : {false, true}) {
    std::vector<SubKernel> subs = {
        writer("k0", mix_aic_1_2, 2, 0, 1, 6), on_stream(1, writer("k1", cube, 2, 3, 3, 7)),
        kernel("k2", vec, 4, move(gm(2, by_core(8)), gm(0, Expr{.core = 8, .shift = 1})))};
    if (with_event) {
      subs[1].send = {"e"};
      subs[2].recv = {"e"};
    }
    const Case test_case =
        fused({region("A", 32), region("B", 16), region("C", 32), region("D", 16)}, subs,
              "stream-fusion=1");
    EXPECT_EQ(all_memories(test_case).size(), 1u);
  }
}

TEST(Streams, AFullCoreSyncTakesNothingFromTheEdges) {
  const auto synced = [](int cores) {
    Program aiv = put(gm(0, by_core(8)), 4);
    aiv.push_back(sync_all(false));
    aiv = aiv + move(gm(2, by_core(8)), gm(0, shifted_core(8, 1)));
    return kernel("m", mix_aic_1_2, cores, aiv, {sync_all(false)});
  };
  const Case test_case =
      fused({region("A", 32), region("B", 16), region("C", 32), region("D", 32), region("E", 16)},
            {sending(writer("v", vec, 4, 3, 3, 8), "e"), on_stream(1, synced(2)),
             on_stream(2, receiving(mover("c", cube, 2, 4, 4, 3, by_block(8, 16)), "e"))},
            "stream-fusion=1");
  EXPECT_EQ(all_memories(test_case).size(), 1u);
}

TEST(Streams, AnEdgeDrainsAsABoundaryDoes) {
  // A load that k0 leaves behind on MTE2 may still read what k1 of the same stream writes (L-14).
  const Program leaves = {copy(ub(128), gm(0))};
  Program keeps = {barrier(), copy(gm(1), ub(128))};
  const auto on_first = [](Program program) {
    for (Instruction& in : program) in = on_core(0, in);
    return program;
  };
  Program other = put(gm(0), 9);
  for (Instruction& in : other) in = on_core(1, in);
  Case test_case =
      fused({region("A", 8, 1), region("B", 8), region("C", 16)},
            {kernel("k0", vec, 2, on_first(leaves)), kernel("k1", vec, 2, other),
             on_stream(1, writer("c", cube, 2, 2, 2, 5)), kernel("k2", vec, 2, on_first(keeps))},
            "stream-fusion=1");
  EXPECT_GT(all_memories(test_case).size(), 1u);  // before, behind, or torn
  test_case.latitudes = {"L-14=drained"};
  EXPECT_EQ(all_memories(test_case).size(), 1u);
}

TEST(Streams, OuterEventsOfBothListsAreKept) {
  const Case test_case =
      with_actor(with_actor(fused({region("A", 8), region("B", 32), region("C", 16),
                                   region("D", 32), region("E", 16), region("F", 32)},
                                  {receiving(mover("v", vec, 4, 1, 1, 0), "e"),
                                   on_stream(1, sending(writer("c", cube, 2, 2, 2, 9), "f"))},
                                  "stream-fusion=1"),
                            {writes(0, times(8, 3)), raises("e")}),
                 {awaits("f"), copies(2, 4, 16)});
  EXPECT_EQ(all_memories(test_case).size(), 1u);
}

}  // namespace
}  // namespace skcts::emulator
