// Mixes of which the contract says little: what may happen stands in the set, what is certain
// stays.
#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::aiv_only;
constexpr KernelType mix11 = KernelType::mix_aic_1_1;
constexpr KernelType mix12 = KernelType::mix_aic_1_2;

Allowed allowed(const Build& build) {
  return Model().allowed(build.test_case);
}

/// "cse": completes, stalls, error; a dash where not.
std::string statuses(const Build& build) {
  const Allowed all = allowed(build);
  std::string text = "---";
  if (all.completed) text[0] = 'c';
  if (all.stalled) text[1] = 's';
  if (all.error) text[2] = 'e';
  return text;
}

const Instruction set = set_flag(Pipe::v, Pipe::mte3);
const Instruction wait_of_it = wait_flag(Pipe::v, Pipe::mte3);
const Instruction lone = wait_flag(Pipe::mte2, Pipe::v);

TEST(DoubleSet, IsUndefinedWhenItIsIssued) {
  const std::vector<std::pair<Program, std::string>> rows = {
      {{set, wait_of_it, set, wait_of_it}, "c--"},
      {{set, set, wait_of_it, wait_of_it}, "cse"},
      {{set, lone, set}, "cse"},                         // the second never executes
      {{wait_of_it, set, set}, "cse"},                   // a wait before both is none between them
      {{set, set_flag(Pipe::v, Pipe::mte3, 1)}, "c--"},  // two identities
      {{lone, barrier(), set, set}, "-s-"},              // never issued
  };
  for (const auto& [program, expected] : rows) {
    Build build;
    build.kernel(vectors, 1, program);
    EXPECT_EQ(statuses(build), expected) << (&program - &rows.front().first);
  }
}

TEST(DoubleSet, BehindAPollThatMayPass) {
  for (const bool may_pass : {true, false}) {
    Build build;
    const int flag = build.region("F", 16);
    build.kernel(vectors, 2,
                 {where(IndexName::core, 0, 0, write_bypass(gm(flag), constant(may_pass ? 1 : 3))),
                  where(IndexName::core, 0, 0, dsb()),
                  where(IndexName::core, 0, 0, write_bypass(gm(flag), constant(2))),
                  where(IndexName::core, 1, 1, poll(gm(flag), 1)), set, set});
    // Core 0 sets twice in any case.
    EXPECT_EQ(statuses(build), "cse");
    build.sub(0).aiv[4] = where(IndexName::core, 1, 1, set);
    build.sub(0).aiv[5] = where(IndexName::core, 1, 1, set);
    EXPECT_EQ(statuses(build), may_pass ? "cse" : "-s-");
  }
}

TEST(DoubleSet, BehindAFullCoreWaitThatLacksMembers) {
  Build build;
  build.kernel(vectors, 1, {sync_all()});
  build.kernel(vectors, 2, {set, set});
  EXPECT_EQ(statuses(build), "-se");
  build.sub(1).aiv.pop_back();
  EXPECT_EQ(statuses(build), "-s-");
}

TEST(EarlyStart, AWaitOnOneCoreKindIsUndefined) {
  for (const bool both : {true, false}) {
    Build build;
    build.kernel(vectors, 1, {});
    build.kernel(mix11, 1, both ? Program{wait_pre()} : Program{}, {wait_pre()});
    EXPECT_EQ(statuses(build), both ? "c--" : "cse");
    // The first sub kernel's wait does nothing, nor does any with early start off.
    std::swap(build.sub(0), build.sub(1));
    EXPECT_EQ(statuses(build), "c--");
    std::swap(build.sub(0), build.sub(1));
    build.test_case.mix.options = "early-start=0";
    EXPECT_EQ(statuses(build), "c--");
  }
}

TEST(EarlyStart, ABoundaryBehindAStuckTailMayHoldOthers) {
  Build build;
  build.kernel(vectors, 1, {set_next(), lone});
  build.kernel(mix11, 1, {wait_pre()}, {wait_pre()});
  EXPECT_EQ(statuses(build), "-s-");
  EXPECT_FALSE(allowed(build).stuck_complete);
}

TEST(ReservedId, MayServeAJoinThatLacksMembers) {
  for (const int id : {14, 10}) {
    Build build;
    build.kernel(KernelType::mix_aiv_1_0, 2,
                 {raise(0, Pipe::mte3, id), where(IndexName::block, 0, 0, sync_all())});
    EXPECT_EQ(statuses(build), id == 14 ? "cse" : "-s-");
  }
}

TEST(RacedPoll, MayMissItsValue) {
  for (const bool ordered : {true, false}) {
    Build build;
    const int flag = build.region("F", 16);
    Program program = {duplicate(ub(0), constant(1))};
    if (ordered) program.push_back(barrier());
    program.push_back(data_copy(gm(flag), ub(0)));
    program.push_back(poll(gm(flag), 1));
    build.kernel(vectors, 1, program);
    EXPECT_EQ(statuses(build), ordered ? "c--" : "cs-");
    // What stands behind it may then not be reached.
    build.sub(0).aiv.push_back(lone);
    EXPECT_EQ(allowed(build).stuck.size(), ordered ? 1u : 0u);
  }
}

TEST(RacedPoll, UncachedStoresWithNoBarrierBetween) {
  for (const bool ordered : {true, false}) {
    Build build;
    const int flag = build.region("F", 16);
    Program program = {where(IndexName::core, 0, 0, write_bypass(gm(flag), constant(7)))};
    if (ordered) program.push_back(dsb());
    program.push_back(where(IndexName::core, 0, 0, write_bypass(gm(flag), constant(6))));
    program.push_back(where(IndexName::core, 1, 1, poll(gm(flag), 6)));
    build.kernel(vectors, 2, program);
    EXPECT_EQ(statuses(build), ordered ? "c--" : "cs-");
  }
}

TEST(RacedPoll, ASlotThatAnotherStoreTouches) {
  for (const bool stores : {true, false}) {
    Build build;
    const int slots = build.region("S", 32);
    Program program;
    if (stores) program.push_back(raw_store(gm(slots, word(1)), constant(5)));
    program.push_back(where(IndexName::core, 0, 0, ib(Op::ib_set, slots, 0, 0)));
    program.push_back(where(IndexName::core, 1, 1, ib(Op::ib_wait, slots, 0, 0)));
    build.kernel(vectors, 2, program);
    EXPECT_EQ(statuses(build), stores ? "cs-" : "c--");
  }
}

TEST(RacedPoll, ASlotIsJudgedByWhatItHolds) {
  for (const std::uint32_t first : {0u, 1u}) {
    Build build;
    const int slots = build.region("S", 16);
    PlanStep write{.kind = StepKind::host_write};
    write.region = slots;
    write.values = {first};
    build.kernel(vectors, 1, {ib(Op::ib_set, slots, 0, 0)});
    PlanStep fused{.kind = StepKind::fused, .sub_kernels = {0}};
    build.test_case.plan.steps = {write, fused};
    EXPECT_EQ(statuses(build), first == 0 ? "c--" : "cs-");
  }
}

TEST(Poll, TheFirstOfSeveralStoresThatFulfilIt) {
  Build build;
  const int flag = build.region("F", 16);
  const int data = build.region("D", 16);
  const int out = build.region("O", 16);
  Program program = {where(IndexName::core, 1, 1, write_bypass(gm(data), constant(7)))};
  for (const int value : {1, 2}) {
    program.push_back(where(IndexName::core, 1, 1, dsb()));
    program.push_back(where(IndexName::core, 1, 1, write_bypass(gm(flag), constant(value))));
  }
  Instruction see = poll(gm(flag), 1);
  see.until = Compare::at_least;
  program.push_back(where(IndexName::core, 0, 0, see));
  program.push_back(where(IndexName::core, 0, 0, read_bypass(gm(data))));
  program.push_back(where(IndexName::core, 0, 0, write_bypass(gm(out), in_register(0))));
  build.kernel(vectors, 2, program);
  const Allowed all = allowed(build);
  const auto at = static_cast<std::size_t>(layout_of(build.test_case.mix).base[2]);
  EXPECT_EQ(all.memory[at], (WordAllowed{WordKind::exact, 7, -1}));
}

TEST(Stuck, OnlyWhatIsStuckWithShortQueuesTooIsAsked) {
  Build build;
  const int a = build.region("A", 16);
  build.kernel(
      vectors, 1,
      {wait_flag(Pipe::v, Pipe::mte2), data_copy(ub(), gm(a)), wait_flag(Pipe::mte2, Pipe::v)});
  const Allowed deep = allowed(build);
  ASSERT_EQ(deep.stuck.size(), 1u);
  EXPECT_EQ(deep.stuck[0].waiting.instruction, 0);
  EXPECT_FALSE(deep.stuck_complete);
  build.sub(0).aiv.erase(build.sub(0).aiv.begin() + 1);
  EXPECT_EQ(allowed(build).stuck.size(), 2u);
  EXPECT_TRUE(allowed(build).stuck_complete);
}

TEST(Stuck, WhatATailHoldsUpMayHoldUpLaterSubKernels) {
  // k0's tail never ends. A platform that overlaps nothing never starts k1.
  for (const bool tail : {true, false}) {
    Build build;
    const int a = build.region("A", 16, 5);
    build.kernel(mix12, 1, tail ? Program{set_next(), wait_of_it} : Program{wait_of_it},
                 tail ? Program{set_next()} : Program{});
    build.kernel(mix12, 1, {duplicate(ub(), constant(1)), barrier(), data_copy(gm(a), ub())},
                 {wait(3)});
    const Allowed all = allowed(build);
    EXPECT_FALSE(all.completed);
    for (const StuckCore& core : all.stuck) EXPECT_EQ(core.waiting.sub_kernel, 0);
    for (std::size_t w = 0; w < 8 && w < all.memory_stalled.size(); ++w) {
      EXPECT_EQ(all.memory_stalled[w].kind, WordKind::unjudged);
    }
  }
}

}  // namespace
}  // namespace skcts::model
