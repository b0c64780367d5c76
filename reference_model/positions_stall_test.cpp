// What stalls, or ends with an error, differently at the positions of a latitude.
#include <algorithm>

#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;
using Values = std::vector<std::uint32_t>;

constexpr KernelType vectors = KernelType::mix_aiv_1_0;
constexpr KernelType cubes = KernelType::mix_aic_1_0;
constexpr CoreId aic_0{CoreKind::aic, 0};
constexpr CoreId aiv_0{CoreKind::aiv, 0};
constexpr CoreId aiv_1{CoreKind::aiv, 1};

Allowed allowed(const Build& build, const std::vector<LatitudePin>& pins = {}) {
  return Model().allowed(build.test_case, pins);
}

/// What a word may be when completed; empty: it is not judged.
Values values_of(const Allowed& set, std::size_t at) {
  const WordAllowed& word = set.memory[at];
  if (word.kind == WordKind::exact) return {word.value};
  if (word.kind == WordKind::unjudged) return {};
  return set.sets[static_cast<std::size_t>(word.set)];
}

/// Y[0], the only word that is stored.
Outcome stalled(std::vector<Waiting> waiting, std::uint32_t stored) {
  Outcome outcome;
  outcome.status = OutcomeStatus::stalled;
  outcome.waiting = std::move(waiting);
  outcome.memory.assign(16, 0);
  outcome.memory[0] = stored;
  return outcome;
}

TEST(FullCoreStall, WhatStandsBehindItMayFailButNotForCertain) {
  // SyncAll<false> without cubes; the event is set twice behind it.
  Build build;
  build.kernel(vectors, 2,
               {sync_all(false), set_flag(Pipe::mte2, Pipe::mte3), set_flag(Pipe::mte2, Pipe::mte3),
                wait_flag(Pipe::mte2, Pipe::mte3)});
  const Allowed open = allowed(build);
  EXPECT_TRUE(open.stalled && open.error && !open.completed);
  EXPECT_FALSE(open.exact_stall);
  const Allowed hangs = allowed(build, {latitude_pin(4, "hang")});
  EXPECT_TRUE(hangs.stalled && !hangs.error && !hangs.completed);
  EXPECT_TRUE(hangs.exact_stall);
}

/// A cube calls SyncAll<true> while its MTE3 waits for an event.
Build vector_sync_on_a_stuck_cube(const Program& after) {
  Build build;
  const int y = build.region("Y", 16);
  build.kernel(cubes, 1, {},
               Program{wait_flag(Pipe::mte2, Pipe::mte3), sync_all()} +
                   Program{write_bypass(gm(y), constant(7)), dsb()} + after);
  return build;
}

TEST(VectorSyncOnACube, IsAFaultWhenItIsIssued) {
  const Build build = vector_sync_on_a_stuck_cube({});
  const Allowed open = allowed(build);
  EXPECT_TRUE(open.error && open.stalled && !open.completed);
  EXPECT_TRUE(allowed(build, {latitude_pin(12, "error")}).error);
  const Allowed joins = allowed(build, {latitude_pin(12, "joins-cubes")});
  EXPECT_TRUE(!joins.error && joins.stalled && !joins.completed);
}

TEST(VectorSyncOnACube, DrainsNothingWhereItHasNoEffect) {
  const std::vector<LatitudePin> no_effect = {latitude_pin(12, "no-effect")};
  const Allowed stuck = allowed(vector_sync_on_a_stuck_cube({}), no_effect);
  EXPECT_TRUE(stuck.stalled && !stuck.error && !stuck.completed && stuck.exact_stall);
  // What the scalar unit issues next ends the wait.
  const Build late = vector_sync_on_a_stuck_cube({set_flag(Pipe::mte2, Pipe::mte3)});
  const Allowed goes_on = allowed(late, no_effect);
  EXPECT_TRUE(goes_on.completed && !goes_on.error);
  const Allowed joins = allowed(late, {latitude_pin(12, "joins-cubes")});
  EXPECT_TRUE(joins.stalled && !joins.completed && !joins.error);
  const Allowed open = allowed(late);
  EXPECT_TRUE(open.completed && open.stalled && open.error);
}

/// AIV 0 is stuck in its head; the cube has none.
Build stuck_head() {
  Build build;
  const int y = build.region("Y", 16);
  build.kernel(vectors, 2, {});
  build.kernel(KernelType::mix_aic_1_1, 1,
               {where(IndexName::sub, 0, 0, wait_flag(Pipe::v, Pipe::mte3)), wait_pre()},
               {wait_pre(), write_bypass(gm(y), constant(7)), dsb(), wait(3)});
  return build;
}

TEST(StuckHead, MayHoldTheOthersAtTheirWait) {
  const Build build = stuck_head();
  const Mix& mix = build.test_case.mix;
  const Allowed set = allowed(build);
  const Waiting head{aiv_0, 0, 1, 0, WaitKind::event_flag, 0};
  const Waiting held{aic_0, 0, 1, 0, WaitKind::full_core, 12};
  const Waiting behind{aic_0, 0, 1, 3, WaitKind::cross_core_flag, 3};
  EXPECT_TRUE(set.stalled && !set.completed);
  EXPECT_EQ(contains(set, mix, stalled({held, head}, 0)).text, "");
  EXPECT_EQ(contains(set, mix, stalled({behind, head}, 7)).text, "");
  EXPECT_FALSE(contains(set, mix, stalled({held}, 0)));
}

TEST(StuckHead, HoldsNobodyOnceItIsOver) {
  // The cube is stuck behind its WaitPreTaskEnd: the others have their signal.
  Build build;
  const int y = build.region("Y", 16);
  Program stores = {wait_pre()};
  for (const Instruction& in : fill_out(y, word(0), 7, 1)) {
    stores.push_back(where(IndexName::sub, 0, 0, in));
  }
  build.kernel(vectors, 2, {});
  build.kernel(KernelType::mix_aic_1_1, 1, stores, {wait_pre(), wait_flag(Pipe::mte2, Pipe::mte3)});
  const Mix& mix = build.test_case.mix;
  const Allowed set = allowed(build);
  const Waiting stuck{aic_0, 0, 1, 1, WaitKind::event_flag, 0};
  const Waiting held{aiv_0, 0, 1, 0, WaitKind::full_core, 13};
  EXPECT_EQ(contains(set, mix, stalled({stuck}, 7)).text, "");
  EXPECT_FALSE(contains(set, mix, stalled({stuck}, 0)));
  EXPECT_FALSE(contains(set, mix, stalled({held, stuck}, 7)));
}

/// Core 0 stores, raises behind the store and raises on an idle pipe; core 1 waits for the latter.
Build later_raise_on_an_idle_pipe() {
  Build build;
  const int x = build.region("X", 8, 1);
  const int y = build.region("Y", 16);
  build.kernel(
      vectors, 2,
      {where(IndexName::core, 0, 0, duplicate(ub(0), constant(5))),
       where(IndexName::core, 0, 0, set_flag(Pipe::v, Pipe::mte3)),
       where(IndexName::core, 0, 0, wait_flag(Pipe::v, Pipe::mte3)),
       where(IndexName::core, 0, 0, data_copy(gm(x), ub(0))), raise(0, Pipe::mte3, 3),
       raise(0, Pipe::mte2, 4), wait(4), where(IndexName::core, 1, 1, read_bypass(gm(x), 1)),
       where(IndexName::core, 1, 1, write_bypass(gm(y), in_register(1))), wait(3)});
  return build;
}

TEST(RaisesInOrder, ALaterOneCarriesWhatAnEarlierOneDoes) {
  const Build build = later_raise_on_an_idle_pipe();
  EXPECT_EQ(values_of(allowed(build), 16), (Values{1, 5}));
  const Allowed ordered = allowed(build, {latitude_pin(8, "program-order")});
  EXPECT_EQ(values_of(ordered, 16), Values{5});
  EXPECT_TRUE(ordered.exact_data);
}

TEST(RaisesInOrder, OneIdFromTwoPipesIsThenNoRiddle) {
  Build build = later_raise_on_an_idle_pipe();
  for (Instruction& in : build.sub(0).aiv) {
    if (in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag) in.id = 3;
  }
  EXPECT_EQ(values_of(allowed(build), 16), (Values{1, 5}));
  EXPECT_EQ(values_of(allowed(build, {latitude_pin(8, "program-order")}), 16), Values{5});
}

TEST(RaisesInOrder, ALaterOneMayStandBehindOneThatNeverComes) {
  Build build;
  const int y = build.region("Y", 16);
  build.kernel(
      vectors, 2,
      {where(IndexName::core, 0, 0, wait_flag(Pipe::v, Pipe::mte3)), raise(0, Pipe::mte3, 3),
       raise(0, Pipe::mte2, 4), where(IndexName::core, 1, 1, wait(4)),
       where(IndexName::core, 1, 1, write_bypass(gm(y), constant(7))),
       where(IndexName::core, 1, 1, dsb())});
  const Mix& mix = build.test_case.mix;
  const Waiting stuck{aiv_0, 0, 0, 0, WaitKind::event_flag, 0};
  const Waiting behind{aiv_1, 0, 0, 3, WaitKind::cross_core_flag, 4};
  const Allowed set = allowed(build);
  EXPECT_EQ(contains(set, mix, stalled({stuck}, 7)).text, "");
  EXPECT_EQ(contains(set, mix, stalled({stuck, behind}, 0)).text, "");
}

TEST(RaisesInOrder, WhatJoinsSubKernelsMayBeARaiseAsWell) {
  // X is stored on MTE3 of a cube, which the boundary does not promise to wait for.
  Build build;
  const int x = build.region("X", 8, 1);
  const int in = build.region("IN", 16, 5);
  const auto store = [&](int block) {
    return Program{
        where(IndexName::block, block, block, data_copy(local(Space::l1), gm(in, word(8 * block)))),
        where(IndexName::block, block, block, set_flag(Pipe::mte2, Pipe::mte3)),
        where(IndexName::block, block, block, wait_flag(Pipe::mte2, Pipe::mte3)),
        where(IndexName::block, block, block, data_copy(gm(x), local(Space::l1)))};
  };
  build.kernel(cubes, 2, {}, store(0) + Program{raise(0, Pipe::mte3, 2)});
  build.kernel(cubes, 2, {}, store(1));
  EXPECT_TRUE(allowed(build).exact_data);
  EXPECT_FALSE(allowed(build, {latitude_pin(8, "program-order")}).exact_data);
}

/// A ring of cores: each stores its word through the cache and polls the next one's.
Build polling_ring(bool written_back) {
  Build build;
  const int flags = build.region("F", 48);
  std::vector<Instruction> program{raw_store(gm(flags, per_core(16)), constant(1))};
  if (written_back) program.push_back(dcci(gm(flags, per_core(16))));
  program.push_back(poll(gm(flags, per_core(16, 0, 1)), 1, PollVia::raw_load, true));
  program.push_back(dcci_all());
  build.kernel(KernelType::aiv_only, 3, program);
  return build;
}

TEST(Polls, OfLinesThatAreWrittenBackBehindThePollsOfTheirWritersMayStall) {
  EXPECT_EQ(analyse(polling_ring(true).test_case).behaviour, Behaviour::completes);
  const Analysis ring = analyse(polling_ring(false).test_case);
  EXPECT_EQ(ring.behaviour, Behaviour::may_stall) << ring.sentence;
  EXPECT_EQ(ring.rule, RuleId::sync_16);
}

TEST(ReservedIds, RaisedByHandBesideIdleCoresThatTakePartMayStall) {
  Build build("feed-sync-all=1");
  build.region("Y", 8);
  build.kernel(KernelType::mix_aic_1_1, 1, {sync_all(false)},
               {raise(2, Pipe::mte3, 13), sync_all(false)});
  build.kernel(KernelType::mix_aic_1_1, 2, {});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.rule, RuleId::sync_7) << analysis.sentence;
  EXPECT_TRUE(analysis.allowed.stalled && analysis.allowed.completed);
}

}  // namespace
}  // namespace skcts::model
