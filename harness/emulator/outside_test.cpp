// Events, outside actors, streams in one launch, and launches side by side.
#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;
using enum KernelType;
using ::testing::ElementsAre;

constexpr auto vec = mix_aiv_1_0;
constexpr auto cube = mix_aic_1_0;
constexpr KernelType shapes[] = {vec, cube, mix_aic_1_1, mix_aic_1_2};

OutsideStep on_event(OutsideKind kind, std::string event) {
  OutsideStep step;
  step.kind = kind;
  step.event = std::move(event);
  return step;
}
OutsideStep awaits(std::string event) {
  return on_event(OutsideKind::wait, std::move(event));
}
OutsideStep raises(std::string event) {
  return on_event(OutsideKind::raise, std::move(event));
}
OutsideStep writes(int region, std::vector<std::uint32_t> values) {
  OutsideStep step;
  step.kind = OutsideKind::write;
  step.region = static_cast<std::int16_t>(region);
  step.values = std::move(values);
  return step;
}
OutsideStep copies(int from, int to, int count) {
  OutsideStep step;
  step.kind = OutsideKind::copy;
  step.region = static_cast<std::int16_t>(from);
  step.to = static_cast<std::int16_t>(to);
  step.count = count;
  return step;
}
Case with_actor(Case test_case, std::vector<OutsideStep> steps) {
  const std::size_t number = test_case.mix.outside.size();
  test_case.mix.outside.push_back({"actor" + std::to_string(number), std::move(steps), ""});
  return test_case;
}
SubKernel receiving(SubKernel sub, std::string event) {
  sub.recv.push_back(std::move(event));
  return sub;
}
SubKernel sending(SubKernel sub, std::string event) {
  sub.send.push_back(std::move(event));
  return sub;
}
SubKernel on_stream(int stream, SubKernel sub) {
  sub.stream = stream;
  return sub;
}
std::vector<std::uint32_t> times(int count, std::uint32_t value) {
  return std::vector<std::uint32_t>(static_cast<std::size_t>(count), value);
}

/// Every core of the sub kernel copies 8 words; the cube of a block to `cube_to`.
SubKernel mover(std::string name, KernelType type, int blocks, int to, int cube_to, int from,
                Expr at = {}) {
  const Expr own = is_mix_kind(type) || is_aiv_kind(type) ? by_core(8) : by_block(8);
  const Program aic = Program{copy(in(Space::l1), gm(from, at))} + handed(mte2, mte3) +
                      Program{copy(gm(cube_to, by_block(8)), in(Space::l1))} + handed(mte3, fix) +
                      Program{barrier()};
  return kernel(std::move(name), type, blocks, move(gm(to, own), gm(from, at)),
                is_aiv_kind(type) ? Program{} : aic);
}
/// Every core of the sub kernel stores a value; the cube of a block to `cube_to`.
SubKernel writer(std::string name, KernelType type, int blocks, int to, int cube_to,
                 std::uint32_t value) {
  const Program aic =
      Program{produce(value)} + handed(m, fix) + Program{fixpipe(gm(cube_to, by_block(8)))};
  return kernel(std::move(name), type, blocks, put(gm(to, by_core(8)), value),
                is_aiv_kind(type) ? Program{} : aic);
}

/// All that the strategies make of a case, as status and memory.
std::set<std::vector<std::uint32_t>> all_memories(const Case& test_case, int seeds = 30,
                                                  const std::string& defect = "") {
  Emulator emulator({defect, {}});
  std::set<std::vector<std::uint32_t>> result;
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string& how) {
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << outcome.reason;
    result.insert(outcome.memory);
  });
  return result;
}
std::set<OutcomeStatus> all_statuses(const Case& test_case, int seeds = 20) {
  Emulator emulator({});
  std::set<OutcomeStatus> result;
  run_all(emulator, test_case, seeds,
          [&](const Outcome& outcome, const std::string&) { result.insert(outcome.status); });
  return result;
}
const std::set<OutcomeStatus> only_completed = {OutcomeStatus::completed};
const std::set<OutcomeStatus> only_stalled = {OutcomeStatus::stalled};

Outcome one_run(const Case& test_case, std::uint64_t seed = 1) {
  Emulator emulator({});
  RunRequest request;
  request.strategy = strategy("random", seed);
  return emulator.run(test_case, request).outcome;
}

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

SubKernel marked(std::string name, std::vector<std::string> scope) {
  SubKernel sub = kernel(std::move(name), vec, 1, {});
  sub.scope = std::move(scope);
  return sub;
}
std::vector<std::string> cut(Case test_case) {
  std::vector<std::string> result;
  for (const LaunchPlan& launch : launches_of(test_case)) {
    std::string text = launch.kind == StepKind::alone ? "alone" : "fused";
    for (const std::int32_t sub : launch.sub_kernels) text += " " + std::to_string(sub);
    result.push_back(text);
  }
  return result;
}

TEST(Scopes, TheInnermostMarkCutsTheList) {
  Case test_case =
      fused({region("A", 8)}, {marked("k0", {"a"}), marked("k1", {"b", "a"}),
                               marked("k2", {"a", "b"}), marked("k3", {}), marked("k4", {"b"}),
                               marked("k5", {"b", ""}), marked("k6", {"", "b"})});
  EXPECT_THAT(cut(test_case),
              ElementsAre("fused 0 1", "fused 2", "alone 3", "fused 4", "alone 5", "fused 6"));
  test_case.path = "aclgraph";
  EXPECT_THAT(cut(test_case),
              ElementsAre("fused 0", "fused 1 2", "alone 3", "fused 4", "alone 5", "alone 6"));
}

TEST(Scopes, AMarkedCaseRunsAsItIsCut) {
  Case test_case =
      fused({region("A", 8)}, {marked("k0", {"a"}), marked("k1", {}), marked("k2", {"a"})});
  const Outcome outcome = one_run(test_case);
  ASSERT_EQ(outcome.counts.size(), 3u);
  EXPECT_TRUE(outcome.counts[0].fused);
  EXPECT_FALSE(outcome.counts[1].fused);
  EXPECT_TRUE(outcome.counts[2].fused);
}

PlanStep alone_step(int sub) {
  PlanStep step;
  step.kind = StepKind::alone;
  step.sub_kernels = {sub};
  return step;
}
Case beside(Case test_case, CoreSharing sharing, std::vector<PlanStep> steps) {
  PlanStep step;
  step.kind = StepKind::beside;
  step.sharing = sharing;
  step.beside = std::move(steps);
  test_case.plan.steps = {step};
  return test_case;
}
/// Each of them makes a barrier by hand, on three of the four vector cores.
Case two_barriers() {
  const auto meets = [](int value) {
    return put(gm(0, by_core(8, (value - 1) * 32)), static_cast<std::uint32_t>(value)) +
           Program{raise(3, 0, mte3), wait_raise(3)};
  };
  return fused({region("A", 64)}, {kernel("k0", vec, 3, meets(1)), kernel("k1", vec, 3, meets(2))});
}

TEST(Beside, BatchLaunchesHaveTheirCoresAtOnce) {
  const Case test_case = beside(two_barriers(), CoreSharing::batch, {alone_step(0), alone_step(1)});
  EXPECT_EQ(all_memories(test_case).size(), 1u);
  EXPECT_EQ(one_run(test_case).counts.size(), 2u);
}

TEST(Beside, NormalLaunchesMayHoldWhatEachOtherNeeds) {
  Case test_case = beside(two_barriers(), CoreSharing::normal, {alone_step(0), alone_step(1)});
  EXPECT_EQ(all_statuses(test_case), only_completed);  // L-22=one-stream
  test_case.latitudes = {"L-22=may-deadlock"};
  EXPECT_EQ(all_statuses(test_case),
            (std::set<OutcomeStatus>{OutcomeStatus::completed, OutcomeStatus::stalled}));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Outcome outcome = one_run(test_case, seed);
    if (outcome.status != OutcomeStatus::stalled) continue;
    const auto waits = [&](WaitKind kind) {
      return std::count_if(outcome.waiting.begin(), outcome.waiting.end(),
                           [&](const Waiting& w) { return w.kind == kind; });
    };
    EXPECT_EQ(waits(WaitKind::cores), 2);
    EXPECT_EQ(waits(WaitKind::cross_core_flag), 4);
  }
}

TEST(Beside, LaunchesRunAtTheSameTimeAndStreamsInOrder) {
  // k0 polls for k1; k2 stands behind k0 in its stream.
  Case test_case =
      fused({region("A", 8), region("B", 8), region("C", 8)},
            {kernel("k0", vec, 1, Program{poll(gm(0), 5, PollVia::bypass)} + put(gm(1), 6)),
             kernel("k1", vec, 4, Program{on_core(3, barrier())} + put(gm(0), 5)),
             kernel("k2", vec, 2, move(gm(2), gm(1)))});
  for (Instruction& in : test_case.mix.sub_kernels[1].aiv) in = on_core(3, in);
  for (Instruction& in : test_case.mix.sub_kernels[2].aiv) in = on_core(0, in);
  PlanStep first = alone_step(0);
  first.sub_kernels = {0, 2};
  test_case = beside(test_case, CoreSharing::normal, {first, alone_step(1)});
  test_case.latitudes = {"L-22=may-deadlock"};
  EXPECT_EQ(all_memories(test_case).size(), 1u);
  // In batch the four cores of k1 are never free at once while k0 polls.
  test_case.plan.steps[0].sharing = CoreSharing::batch;
  EXPECT_EQ(all_statuses(test_case),
            (std::set<OutcomeStatus>{OutcomeStatus::completed, OutcomeStatus::stalled}));
}

TEST(Beside, BlocksStartInWaves) {
  const Case narrow = fused({region("A", 64)}, {kernel("k0", vec, 6, put(gm(0, by_core(8)), 5)),
                                                kernel("k1", vec, 1, put(gm(0, words(56)), 6))});
  for (const char* position : {"L-22=one-stream", "L-22=may-deadlock"}) {
    Case test_case = beside(narrow, CoreSharing::normal, {alone_step(0), alone_step(1)});
    test_case.latitudes = {position};
    EXPECT_EQ(all_memories(test_case).size(), 1u);
  }
  const Outcome refused =
      one_run(beside(narrow, CoreSharing::batch, {alone_step(0), alone_step(1)}));
  EXPECT_EQ(refused.status, OutcomeStatus::refused);
  EXPECT_EQ(refused.rule, RuleId::core_8);
}

TEST(Beside, AFlagBelongsToItsLaunch) {
  const Case test_case =
      beside(fused({region("A", 8)}, {kernel("k0", vec, 1, {raise(3, 0, mte3), wait_raise(3)}),
                                      kernel("k1", vec, 1, {wait_raise(3)})}),
             CoreSharing::normal, {alone_step(0), alone_step(1)});
  EXPECT_EQ(all_statuses(test_case), only_stalled);
}

TEST(Beside, AnEventOrdersTwoStreams) {
  Case test_case = fused(
      {region("A", 32), region("B", 16)},
      {sending(writer("k0", vec, 2, 0, 0, 5), "e"), receiving(mover("k1", vec, 2, 1, 1, 0), "e")});
  PlanStep fused_step;
  fused_step.sub_kernels = {1};
  for (const CoreSharing sharing : {CoreSharing::batch, CoreSharing::normal}) {
    EXPECT_EQ(all_memories(beside(test_case, sharing, {fused_step, alone_step(0)})).size(), 1u);
    EXPECT_EQ(all_memories(beside(test_case, sharing, {alone_step(1), alone_step(0)})).size(), 1u);
  }
}

TEST(Outside, EverythingReplays) {
  Case test_case = with_actor(two_barriers(), {writes(0, times(8, 3)), copies(0, 1, 8), raises("e"),
                                               awaits("f"), copies(0, 1, 8)});
  test_case.mix.regions.push_back(region("B", 8));
  test_case.mix.sub_kernels[1].recv = {"e"};
  test_case.mix.sub_kernels[1].send = {"f"};
  test_case = beside(test_case, CoreSharing::normal, {alone_step(0), alone_step(1)});
  test_case.latitudes = {"L-22=may-deadlock"};
  Emulator recorder({});
  Emulator player({});
  std::set<std::vector<std::uint32_t>> memories;
  for (const char* text : all_strategies) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      RunRequest request;
      request.strategy = strategy(text, seed);
      const RunResult first = recorder.run(test_case, request);
      RunRequest again;
      again.replay = &first.schedule;
      const RunResult second = player.run(test_case, again);
      EXPECT_TRUE(second.replay_fitted) << text;
      EXPECT_EQ(second.outcome, first.outcome) << text;
      EXPECT_EQ(second.schedule, first.schedule) << text;
      memories.insert(first.outcome.memory);
    }
  }
  EXPECT_GT(memories.size(), 2u);
}

SubKernel offload(SubKernel sub, int blocks, KernelType type) {
  sub.tiling = Tiling::offload;
  sub.launch_blocks = blocks;
  sub.launch_type = type;
  return sub;
}

TEST(Offload, IsCountedAsTheComposerKnowsItAndRunsAsItIs) {
  const Program body = Program{make(Op::get_block_num)} + put(gm(0, by_core(8)), 5);
  const Case test_case =
      fused({region("A", 32)}, {offload(kernel("k0", vec, 1, body), 2, mix_aic_1_2)});
  const Outcome outcome = one_run(test_case);
  EXPECT_EQ(outcome.status, OutcomeStatus::completed);
  EXPECT_EQ(outcome.counts[0].type, mix_aic_1_2);
  EXPECT_EQ(outcome.counts[0].blocks, 2);
  ASSERT_EQ(outcome.queries.size(), 1u);
  EXPECT_EQ(outcome.queries[0].value, 1);
  EXPECT_EQ(words_of(test_case, outcome, 0, 0, 8), times(8, 5));
  EXPECT_EQ(words_of(test_case, outcome, 0, 8, 24), times(24, 0));
  // Alone it is launched as it runs.
  EXPECT_EQ(one_run(alone(test_case)).counts[0].blocks, 1);
}

TEST(Offload, ItsEarlyStartCallsDoNothing) {
  Program early = {make(Op::set_next_task_start)};
  early[0].pipe = mte3;
  early[0].aic_pipe = fix;
  early = early + put(gm(0, by_core(8)), 5);
  const Case plain =
      fused({region("A", 16), region("B", 16)},
            {kernel("k0", vec, 2, early),
             kernel("k1", vec, 2, move(gm(1, by_core(8)), gm(0, shifted_core(8, 1))))});
  const auto on_a3 = [](Case test_case) {
    test_case.latitudes = {"L-21=takes-effect"};
    return test_case;
  };
  EXPECT_GT(all_memories(on_a3(plain)).size(), 1u);
  for (const KernelType type : {vec, mix_aic_1_1, mix_aic_1_2}) {
    Case test_case = plain;
    test_case.mix.sub_kernels[0] = offload(plain.mix.sub_kernels[0], 2, type);
    EXPECT_EQ(all_memories(on_a3(test_case)).size(), 1u) << to_string(type);
  }
}

}  // namespace
}  // namespace skcts::emulator
