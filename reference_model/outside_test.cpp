// What a launch is counted with, scope marks, and what is left open.
#include "reference_model/outside.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::aiv_only;

TEST(Offload, ALaunchIsCountedWithWhatTheHostKnew) {
  Build build;
  const int y = build.region("Y", 64);
  const int k = build.kernel(vectors, 2, fill_out(y, per_core(8), 5));
  build.sub(k).tiling = Tiling::offload;
  build.sub(k).launch_blocks = 4;
  build.sub(k).launch_type = KernelType::mix_aic_1_2;
  const Analysis analysis = analyse(build.test_case);
  ASSERT_EQ(analysis.launches.size(), 1u);
  EXPECT_EQ(analysis.launches[0].type, KernelType::mix_aic_1_2);
  EXPECT_EQ(analysis.launches[0].blocks, 4);
  EXPECT_EQ(analysis.launches[0].aiv_count, 8);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes);
  EXPECT_TRUE(analysis.portable) << analysis.sentence;
  EXPECT_EQ(analysis.allowed.memory[8].value, 5u);
  EXPECT_EQ(analysis.allowed.memory[16].value, 0u);  // two of the eight vector cores run it
}

TEST(Offload, WhatRunsKeepsItsOwnBlocksAndNeedsItsRatio) {
  Build build;
  build.kernel(KernelType::mix_aic_1_2, 2, {query(Op::get_block_num), query(Op::get_task_ratio)});
  build.sub(0).tiling = Tiling::offload;
  build.sub(0).launch_blocks = 8;
  build.sub(0).launch_type = KernelType::mix_aic_1_1;
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.launches[0].type, KernelType::mix_aic_1_2);
  EXPECT_EQ(analysis.launches[0].blocks, 8);
  ASSERT_EQ(analysis.allowed.queries.size(), 8u);  // four vector cores
  EXPECT_EQ(analysis.allowed.queries[0].record.value, 2);
}

TEST(Offload, ANarrowerRunThanTheLaunchStallsInSyncAll) {
  Build build;
  build.kernel(KernelType::mix_aiv_1_0, 2, {sync_all()});
  build.sub(0).tiling = Tiling::offload;
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.sub(0).launch_blocks = 3;
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::stalls);
  EXPECT_EQ(analysis.rule, RuleId::core_5);
}

TEST(Offload, EarlyStartCallsDoNothing) {
  // Only core 0 calls: TASK-4 is broken if anything follows from the call.
  Build build;
  build.test_case.profile = "a3-24";
  build.kernel(vectors, 2, {where(IndexName::core, 0, 0, set_next())});
  build.kernel(vectors, 2, {});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::stalls);
  build.sub(0).tiling = Tiling::offload;
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
}

/// Sub kernels with these scope marks (outermost first), and the launches they come to.
std::string launches(std::vector<std::vector<std::string>> scopes, const char* path) {
  Build build;
  PlanStep marked{.kind = skcts::StepKind::marked};
  for (std::vector<std::string>& scope : scopes) {
    marked.sub_kernels.push_back(build.kernel(vectors, 1, {}));
    build.sub(marked.sub_kernels.back()).scope = std::move(scope);
  }
  std::string text;
  for (const PlanStep& step : cut_by_marks(build.test_case.mix, marked, path)) {
    text += step.kind == skcts::StepKind::fused ? "(" : "[";
    for (const std::int32_t place : step.sub_kernels) text += std::to_string(place);
    text += step.kind == skcts::StepKind::fused ? ")" : "]";
  }
  return text;
}

TEST(ScopeMarks, CutTheListOnGe) {
  EXPECT_EQ(launches({{"a"}, {"a"}, {"b"}}, "ge"), "(01)(2)");
  EXPECT_EQ(launches({{"a"}, {}, {"a"}}, "ge"), "(0)[1](2)");
  EXPECT_EQ(launches({{"a"}, {"a", "b"}, {"a"}}, "ge"), "(0)(1)(2)");
  EXPECT_EQ(launches({{"a"}, {"b", "a"}}, "ge"), "(01)");
  EXPECT_EQ(launches({{"a"}, {"a", ""}, {"a"}}, "ge"), "(0)[1](2)");
  EXPECT_EQ(launches({{"", "a"}, {"a"}}, "ge"), "(01)");
  EXPECT_EQ(launches({{}, {}}, "ge"), "[0][1]");
}

TEST(ScopeMarks, CutTheListBySetsOnAclgraph) {
  EXPECT_EQ(launches({{"a"}, {"b", "a"}, {"a", "b"}}, "aclgraph"), "(0)(12)");
  EXPECT_EQ(launches({{"a"}, {"a", "a"}}, "aclgraph"), "(01)");
  EXPECT_EQ(launches({{"", "a"}, {"a"}}, "aclgraph"), "[0](1)");
}

TEST(ScopeMarks, ACaseWithMarksAndNoPlanIsCut) {
  // The third sub kernel is a launch of its own: its boundary drains all pipes.
  Build build;
  const int a = build.region("A", 32, 1, 1);
  const int y = build.region("Y", 32);
  for (const char* scope : {"s", "t"}) {
    build.kernel(vectors, 2,
                 scope[0] == 's' ? Program{data_copy(ub(512), gm(a, per_core(8)))}
                                 : fill_out(y, per_core(8), 3));
    build.sub(scope[0] == 's' ? 0 : 1).scope = {scope};
  }
  EXPECT_EQ(analyse(build.test_case).launches.size(), 2u);
  EXPECT_FALSE(analyse(build.test_case).rule.has_value());
  build.sub(1).scope = {"s"};
  EXPECT_EQ(analyse(build.test_case).launches.size(), 1u);
  EXPECT_EQ(analyse(build.test_case).rule, RuleId::pipe_5);
}

OutsideStep waits_for(const char* event) {
  return {.kind = OutsideKind::wait, .event = event};
}
OutsideStep raises(const char* event) {
  return {.kind = OutsideKind::raise, .event = event};
}
OutsideStep writes(int region, std::vector<std::uint32_t> values, int at = 0) {
  return {.kind = OutsideKind::write,
          .region = static_cast<std::int16_t>(region),
          .at = at,
          .values = std::move(values)};
}
OutsideStep copies(int from, int to, int count = 8) {
  return {.kind = OutsideKind::copy,
          .region = static_cast<std::int16_t>(from),
          .to = static_cast<std::int16_t>(to),
          .count = count};
}

const std::vector<std::uint32_t> eight(8, 7);

/// An actor writes A and raises e; k0 copies A to Y, adding 1.
Build fed_from_outside(bool waits) {
  Build build;
  const int a = build.region("A", 8);
  const int y = build.region("Y", 8);
  build.kernel(vectors, 1, copy_compute_copy(y, a, word(0)));
  if (waits) build.sub(0).recv = {"e"};
  build.test_case.mix.outside = {{.name = "o", .steps = {writes(a, eight), raises("e")}}};
  return build;
}

TEST(Events, WhatAnActorWroteIsSeenAfterItsEvent) {
  const Analysis analysis = analyse(fed_from_outside(true).test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
  EXPECT_TRUE(analysis.exact);
  EXPECT_TRUE(analysis.portable);
  EXPECT_EQ(analysis.allowed.memory[16].value, 8u);
  EXPECT_EQ(analysis.allowed.memory[0].value, 7u);
}

TEST(Events, WithoutTheEventTheActorRaces) {
  const Analysis analysis = analyse(fed_from_outside(false).test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::nondeterministic_data);
  EXPECT_EQ(analysis.rule, RuleId::sync_11);
  EXPECT_EQ(analysis.allowed.memory[0].value, 7u);
  ASSERT_EQ(analysis.allowed.memory[16].kind, WordKind::one_of);
  EXPECT_EQ(analysis.allowed.sets[static_cast<std::size_t>(analysis.allowed.memory[16].set)],
            (std::vector<std::uint32_t>{1, 8}));
  ASSERT_FALSE(analysis.races.empty());
  EXPECT_NE(analysis.races[0].text.find("o "), std::string::npos) << analysis.races[0].text;
}

TEST(Events, AnActorSeesWhatWasStoredBeforeTheEnd) {
  for (const bool waits : {true, false}) {
    Build build;
    const int y = build.region("Y", 8);
    const int z = build.region("Z", 8);
    build.kernel(vectors, 1, fill_out(y, word(0), 5));
    build.sub(0).send = {"f"};
    build.test_case.mix.outside = {{.name = "o"}};
    std::vector<OutsideStep>& steps = build.test_case.mix.outside[0].steps;
    if (waits) steps.push_back(waits_for("f"));
    steps.push_back(copies(y, z));
    for (const skcts::StepKind kind : {skcts::StepKind::fused, skcts::StepKind::alone}) {
      build.test_case.plan.steps = {{.kind = kind, .sub_kernels = {0}}};
      const Analysis analysis = analyse(build.test_case);
      EXPECT_TRUE(analysis.exact);
      EXPECT_EQ(analysis.behaviour == Behaviour::completes, waits) << analysis.sentence;
      EXPECT_EQ(analysis.portable, waits);
      if (waits) {
        EXPECT_EQ(analysis.allowed.memory[16].value, 5u);
      }
    }
  }
}

TEST(Events, AnEndPromisesOnlyTheSignallingPipe) {
  // MTE2 still reads A when the event is raised, and the actor writes A behind it.
  for (const bool drained : {true, false}) {
    Build build;
    const int a = build.region("A", 8, 1);
    const int y = build.region("Y", 8);
    build.kernel(vectors, 1,
                 Program{data_copy(ub(0), gm(a))} + (drained ? Program{barrier()} : Program{}));
    build.kernel(vectors, 1, {data_copy(gm(y), ub(0))});
    build.sub(0).send = {"f"};
    build.test_case.mix.outside = {{.name = "o", .steps = {waits_for("f"), writes(a, eight)}}};
    const Analysis analysis = analyse(build.test_case);
    const bool races =
        std::ranges::any_of(analysis.races, [](const Race& race) { return race.hazard == "H1"; });
    EXPECT_EQ(races, !drained) << analysis.sentence;
  }
}

TEST(Events, OneThatNobodyRaisesStallsItsSubKernel) {
  Build build;
  const int y = build.region("Y", 32);
  build.kernel(vectors, 2, fill_out(y, per_core(8), 5));
  build.kernel(vectors, 2, fill_out(y, per_core(8, 16), 6));
  build.sub(1).recv = {"e"};
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::stalls);
  EXPECT_TRUE(analysis.exact);
  ASSERT_EQ(analysis.allowed.stuck.size(), 2u);
  EXPECT_EQ(analysis.allowed.stuck[0].waiting.kind, WaitKind::event);
  ASSERT_FALSE(analysis.allowed.memory_stalled.empty());
  EXPECT_EQ(analysis.allowed.memory_stalled[0].value, 5u);
  // Core 0 watches, core 1 stands at the barrier behind.
  Outcome outcome;
  outcome.status = OutcomeStatus::stalled;
  outcome.memory = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
  outcome.memory.resize(32, 0);
  outcome.waiting = {{{CoreKind::aiv, 0}, 0, 1, -1, WaitKind::event, -1},
                     {{CoreKind::aiv, 1}, 0, 1, -1, WaitKind::full_core, -1}};
  const Containment found = contains(analysis.allowed, build.test_case.mix, outcome);
  EXPECT_TRUE(found) << found.text;
  outcome.memory[0] = 6;
  EXPECT_FALSE(contains(analysis.allowed, build.test_case.mix, outcome));
  // Alone the first launch ends and the second does not begin.
  build.test_case.plan.steps = {{.kind = skcts::StepKind::alone, .sub_kernels = {0, 1}}};
  const Analysis alone = analyse(build.test_case);
  EXPECT_EQ(alone.behaviour, Behaviour::stalls);
  EXPECT_TRUE(alone.allowed.stuck.empty());
}

TEST(Events, AnActorThatWaitsForEverHoldsNothingUp) {
  Build build = fed_from_outside(true);
  build.test_case.mix.outside[0].steps.push_back(waits_for("never"));
  build.test_case.mix.outside[0].steps.push_back(writes(1, eight));
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes);
  EXPECT_EQ(analysis.allowed.memory[16].value, 8u);
}

TEST(Events, ARingThroughTheOutsideStalls) {
  // k1 sends what the actor waits for before it raises what k0 waits for.
  Build build;
  build.kernel(vectors, 1, {});
  build.kernel(vectors, 1, {});
  build.sub(0).recv = {"e"};
  build.sub(1).send = {"f"};
  build.test_case.mix.outside = {{.name = "o", .steps = {waits_for("f"), raises("e")}}};
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::stalls);
  build.test_case.mix.outside[0].steps = {raises("e"), waits_for("f")};
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
}

TEST(Events, WhatMayHappenBesideSeveralLaunchesIsLeftOpenWhereItMatters) {
  Build build;
  const int a = build.region("A", 8);
  const int b = build.region("B", 16);
  for (int k = 0; k < 2; ++k) build.kernel(vectors, 1, fill_out(b, word(8 * k), 5 + k));
  build.test_case.plan.steps = {{.kind = skcts::StepKind::alone, .sub_kernels = {0, 1}}};
  build.test_case.mix.outside = {{.name = "o", .steps = {writes(a, eight)}}};
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.test_case.mix.outside[0].steps = {writes(b, eight, 8)};
  const Analysis open = analyse(build.test_case);
  EXPECT_TRUE(open.data_open.has(Inexact::outside_world));
  EXPECT_TRUE(open.allowed.completed && open.allowed.stalled);
  // Over before the second launch begins.
  build.test_case.mix.outside[0].steps.push_back(raises("e"));
  build.sub(1).recv = {"e"};
  const Analysis ordered = analyse(build.test_case);
  EXPECT_EQ(ordered.behaviour, Behaviour::completes) << ordered.sentence;
  EXPECT_EQ(ordered.allowed.memory[24].value, 6u);
  // Nor does it matter to a sub kernel of a later launch that waits for the event itself.
  const int other = build.kernel(vectors, 1, {});
  build.test_case.plan.steps = {{.kind = skcts::StepKind::fused, .sub_kernels = {0}},
                                {.kind = skcts::StepKind::fused, .sub_kernels = {other, 1}}};
  const Analysis inside = analyse(build.test_case);
  EXPECT_EQ(inside.behaviour, Behaviour::completes) << inside.sentence;
  EXPECT_EQ(inside.allowed.memory[24].value, 6u);
  // Nor to a launch behind that one.
  const int later = build.kernel(vectors, 1, fill_out(b, word(8), 9));
  build.test_case.plan.steps.push_back(
      {.kind = skcts::StepKind::fused, .sub_kernels = {later, other}});
  const Analysis behind = analyse(build.test_case);
  EXPECT_EQ(behind.behaviour, Behaviour::completes) << behind.sentence;
  EXPECT_EQ(behind.allowed.memory[24].value, 9u);
  build.sub(other).aiv = fill_out(b, word(8), 7);
  EXPECT_TRUE(analyse(build.test_case).data_open.has(Inexact::outside_world));
}

TEST(Events, AnActorMayComeBeforeTheHostWrites) {
  Build build;
  const int a = build.region("A", 8);
  build.kernel(vectors, 1, {});
  build.test_case.plan.steps = {
      {.kind = skcts::StepKind::host_write, .region = static_cast<std::int16_t>(a), .values = {2}},
      {.kind = skcts::StepKind::fused, .sub_kernels = {0}}};
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.test_case.mix.outside = {{.name = "o", .steps = {writes(a, {1})}}};
  const Analysis open = analyse(build.test_case);
  EXPECT_TRUE(open.data_open.has(Inexact::outside_world)) << open.sentence;
  EXPECT_FALSE(open.portable);
  // Other words of the line are not the host's.
  build.test_case.mix.outside = {{.name = "o", .steps = {writes(a, {1}, 1)}}};
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
}

TEST(Events, NothingOfALaunchAloneHappensBeforeItsEvent) {
  // No fetch either: what it reads is what was written before the event, at any position of L-36.
  Build build;
  const int a = build.region("A", 16);
  const int y = build.region("Y", 16);
  build.kernel(KernelType::mix_aiv_1_0, 1,
               {raw_load(gm(a, word(0))), raw_store(gm(y, word(0)), in_register(0)),
                dcci(gm(y, word(0))), dsb(), wait(3)});
  build.sub(0).recv = {"e"};
  build.test_case.plan.steps = {{.kind = skcts::StepKind::alone, .sub_kernels = {0}}};
  build.test_case.mix.outside = {{.name = "o", .steps = {writes(a, {5}), raises("e")}}};
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::stalls);
  EXPECT_TRUE(analysis.races.empty()) << analysis.races[0].text;
  build.sub(0).aiv.pop_back();
  const Analysis done = analyse(build.test_case);
  EXPECT_EQ(done.behaviour, Behaviour::completes) << done.sentence;
  EXPECT_EQ(done.allowed.memory[16].value, 5u);
}

TEST(Events, BehindMiscountedEarlyStartCallsAreLeftOpen) {
  Build build;
  build.test_case.profile = "a3-24";
  build.region("A", 8);
  build.kernel(vectors, 2, {where(IndexName::core, 0, 0, set_next())});
  build.kernel(vectors, 2, {});
  EXPECT_EQ(analyse(build.test_case).rule, RuleId::task_4);
  build.sub(0).send = {"e"};
  build.test_case.mix.outside = {
      {.name = "o", .steps = {{.kind = OutsideKind::wait, .event = "e"}}}};
  EXPECT_TRUE(analyse(build.test_case).stall_open.has(Inexact::outside_world));
}

/// k0 stores A on stream 0; k1, on another stream, reads it and stores Y.
Build two_streams(const char* options, bool event) {
  Build build{std::string(options)};
  const int a = build.region("A", 16);
  const int y = build.region("Y", 16);
  build.kernel(vectors, 2, fill_out(a, per_core(8), 5));
  build.kernel(vectors, 2, copy_compute_copy(y, a, per_core(8, 0, 1)));
  build.sub(1).stream = 1;
  if (event) {
    build.sub(0).send = {"e"};
    build.sub(1).recv = {"e"};
  }
  return build;
}

TEST(Streams, AreRefusedWithoutFusionOrAnEventBetweenNeighbours) {
  const Analysis refused = analyse(two_streams("", false).test_case);
  EXPECT_EQ(refused.behaviour, Behaviour::refused);
  EXPECT_EQ(refused.rule, RuleId::fuse_3);
  const Analysis joined = analyse(two_streams("", true).test_case);
  EXPECT_EQ(joined.behaviour, Behaviour::completes) << joined.sentence;
  EXPECT_TRUE(joined.portable);
}

TEST(Streams, AreOrderedByEventsAlone) {
  const Analysis racing = analyse(two_streams("stream-fusion=1", false).test_case);
  EXPECT_EQ(racing.behaviour, Behaviour::nondeterministic_data);
  EXPECT_FALSE(racing.data_open.has(Inexact::outside_world));
  const Analysis ordered = analyse(two_streams("stream-fusion=1", true).test_case);
  EXPECT_EQ(ordered.behaviour, Behaviour::completes) << ordered.sentence;
  EXPECT_EQ(ordered.allowed.memory[16].value, 6u);
  EXPECT_TRUE(ordered.portable);
}

TEST(Streams, KeepTheirOwnOrder) {
  // The writer, a cube sub kernel of another stream, the reader on either.
  for (const int stream_of_reader : {0, 1}) {
    Build build("stream-fusion=1");
    const int a = build.region("A", 16);
    const int y = build.region("Y", 16);
    const int z = build.region("Z", 16);
    build.kernel(vectors, 2, fill_out(a, per_core(8), 5));
    build.kernel(KernelType::aic_only, 2, {},
                 {write_bypass(gm(z, per_core(8)), constant(9)), dsb()});
    build.kernel(vectors, 2, copy_compute_copy(y, a, per_core(8, 0, 1)));
    build.sub(1).stream = 1;
    build.sub(2).stream = stream_of_reader;
    const Analysis analysis = analyse(build.test_case);
    EXPECT_EQ(analysis.behaviour == Behaviour::completes, stream_of_reader == 0)
        << analysis.sentence;
  }
}

TEST(Streams, AreOrderedThroughTheCoresThatTheyShare) {
  // Each core is through with its store of k0 when it comes to k1, which k2 follows.
  Build build("stream-fusion=1");
  const int a = build.region("A", 16);
  const int y = build.region("Y", 16);
  build.kernel(vectors, 2, fill_out(a, per_core(8), 5));
  build.kernel(vectors, 2, {});
  build.kernel(vectors, 2, copy_compute_copy(y, a, per_core(8, 0, 1)));
  build.sub(1).stream = build.sub(2).stream = 1;
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.sub(1).blocks = 1;  // core 1 has no part in it
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::nondeterministic_data);
}

TEST(Streams, ACoreEndsWhatItStoresBeforeItsNextSubKernel) {
  // Own words of a core: the store of k0 is over when k1 begins, on whichever stream.
  Build build("stream-fusion=1");
  const int a = build.region("A", 16);
  build.kernel(vectors, 2,
               {duplicate(ub(0), constant(5)), set_flag(Pipe::v, Pipe::mte3),
                wait_flag(Pipe::v, Pipe::mte3), data_copy(gm(a, per_core(8)), ub(0))});
  build.kernel(vectors, 2, fill_out(a, per_core(8), 6));
  build.sub(1).stream = 1;
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
  EXPECT_EQ(analysis.allowed.memory[0].value, 6u);
}

TEST(Streams, CubesAndVectorsRunBesideEachOther) {
  // The vector sub kernel polls for what the cube one, later in the list, stores.
  for (const bool fusion : {true, false}) {
    Build build(fusion ? "stream-fusion=1" : "");
    const int f = build.region("F", 16);
    build.kernel(vectors, 1, {poll(gm(f), 1)});
    build.kernel(KernelType::aic_only, 1, {}, {write_bypass(gm(f), constant(1)), dsb()});
    if (fusion) build.sub(1).stream = 1;
    const Analysis analysis = analyse(build.test_case);
    EXPECT_EQ(analysis.behaviour, fusion ? Behaviour::completes : Behaviour::stalls)
        << analysis.sentence;
  }
}

TEST(Streams, EarlyStartCallsDoNothing) {
  Build build("stream-fusion=1");
  build.test_case.profile = "a3-24";
  const int a = build.region("A", 16);
  const int y = build.region("Y", 16);
  build.kernel(vectors, 2, Program{set_next()} + fill_out(a, per_core(8), 5));
  build.kernel(vectors, 2, copy_compute_copy(y, a, per_core(8, 0, 1)));
  build.kernel(vectors, 2, {});
  build.sub(2).stream = 1;
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.sub(2).stream = 0;
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::nondeterministic_data);
}

TEST(LeftOpen, WhatIsNotDecidedIsSaidAndHoldsEverything) {
  Build build;
  build.region("Y", 16);
  build.test_case.profile = "tiny-950";
  build.kernel(KernelType::mix_aic_1_1, 1, {raise(0, Pipe::mte3, 19), query(Op::get_block_num)},
               {});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_FALSE(analysis.exact);
  EXPECT_TRUE(analysis.stall_open.has(Inexact::outside_world));
  EXPECT_FALSE(analysis.portable);
  EXPECT_EQ(analysis.sentence, "flag ids above 15 are not decided in other modes than 4");
  Outcome outcome;
  outcome.memory.assign(16, 77);
  outcome.queries = {{{CoreKind::aiv, 0}, 0, 0, 1, 1}};
  const Containment found = contains(analysis.allowed, build.test_case.mix, outcome);
  EXPECT_TRUE(found) << found.text;
  outcome.status = OutcomeStatus::error;
  EXPECT_TRUE(contains(analysis.allowed, build.test_case.mix, outcome));
}

TEST(The950, OrdersVectorWorkByItsData) {
  for (const char* profile : {"tiny", "tiny-950"}) {
    Build build;
    build.test_case.profile = profile;
    const int y = build.region("Y", 8);
    build.kernel(
        vectors, 1,
        {duplicate(ub(0), constant(5)), adds(ub(8), ub(0), 1), set_flag(Pipe::v, Pipe::mte3),
         wait_flag(Pipe::v, Pipe::mte3), data_copy(gm(y), ub(8))});
    const Analysis analysis = analyse(build.test_case);
    const bool is_950 = build.test_case.profile == "tiny-950";
    EXPECT_EQ(analysis.behaviour == Behaviour::completes, is_950) << analysis.sentence;
    if (is_950) {
      EXPECT_EQ(analysis.allowed.memory[0].value, 6u);
      EXPECT_TRUE(analysis.portable) << analysis.sentence;
    }
  }
}

TEST(The950, MayLoseWhatASuperKernelLeavesDirty) {
  Build build;
  build.test_case.profile = "tiny-950";
  const int a = build.region("A", 32);
  build.kernel(vectors, 1,
               {raw_store(gm(a), constant(5)), raw_store(gm(a, word(16)), constant(6)),
                dcci(gm(a, word(16)))});
  const Analysis open = analyse(build.test_case);
  EXPECT_EQ(open.rule, RuleId::cache_11);
  EXPECT_EQ(open.behaviour, Behaviour::nondeterministic_data);
  EXPECT_EQ(open.allowed.memory[0].kind, WordKind::unjudged);
  EXPECT_EQ(open.allowed.memory[16], (WordAllowed{WordKind::exact, 6, -1}));
  EXPECT_TRUE(std::ranges::count(open.latitudes, 37) > 0);
  const Analysis kept = analyse(build.test_case, {latitude_pin(37, "written-back")});
  EXPECT_EQ(kept.allowed.memory[0].value, 5u);
  // Alone the compiler's refresh at the end stands (CACHE-6).
  build.test_case.plan.steps = {{.kind = skcts::StepKind::alone, .sub_kernels = {0}}};
  EXPECT_EQ(analyse(build.test_case).allowed.memory[0].value, 5u);
}

}  // namespace
}  // namespace skcts::model
