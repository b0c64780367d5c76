// Launches side by side: what they share is words, events and the cores of the chip.
#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

/// Two launches of `blocks` vector cores side by side, on four; each ends in a SyncAll.
Build beside(CoreSharing sharing, int blocks, bool shared, bool syncs = true) {
  Build build;
  build.test_case.profile = "tiny";
  const int a = build.region("A", 64);
  const int b = build.region("B", 64);
  for (const int k : {0, 1}) {
    build.kernel(KernelType::mix_aiv_1_0, blocks,
                 fill_out(k == 0 || shared ? a : b, per_core(8), 5 + k) +
                     (syncs ? Program{sync_all()} : Program{}));
  }
  PlanStep& step = build.test_case.plan.steps.emplace_back();
  step.kind = skcts::StepKind::beside;
  step.sharing = sharing;
  for (const std::int32_t k : {0, 1}) {
    step.beside.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {k}});
  }
  return build;
}

TEST(Beside, LaunchesThatShareNothingDoWhatTheyDoInTurn) {
  for (const CoreSharing sharing : {CoreSharing::batch, CoreSharing::normal}) {
    const Analysis analysis = analyse(beside(sharing, 2, false).test_case);
    EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
    EXPECT_TRUE(analysis.exact);
    EXPECT_EQ(analysis.launches.size(), 2u);
    EXPECT_EQ(analysis.allowed.memory[64].value, 6u);
  }
}

TEST(Beside, BlocksThatTakeCoresOneByOneMayBlockEachOther) {
  EXPECT_EQ(analyse(beside(CoreSharing::batch, 3, false).test_case).behaviour,
            Behaviour::completes);
  const Analysis normal = analyse(beside(CoreSharing::normal, 3, false).test_case);
  EXPECT_EQ(normal.behaviour, Behaviour::may_stall);
  EXPECT_TRUE(normal.allowed.completed);
  EXPECT_EQ(normal.latitudes, std::vector<LatitudeId>{22});
  EXPECT_EQ(analyse(beside(CoreSharing::normal, 3, false, false).test_case).behaviour,
            Behaviour::completes);
}

TEST(Beside, WhoNeverBeginsIsNotStuckAtItsWait) {
  // Both launches wait for ever, and the one that comes second never has its cores.
  Build build;
  build.test_case.profile = "tiny";
  build.kernel(KernelType::mix_aiv_1_0, 3, {wait_flag(Pipe::mte3, Pipe::v, 1)});
  build.kernel(KernelType::mix_aiv_1_0, 2, {wait(4)});
  PlanStep& step = build.test_case.plan.steps.emplace_back();
  step.kind = skcts::StepKind::beside;
  step.sharing = CoreSharing::normal;
  for (const std::int32_t k : {0, 1}) {
    step.beside.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {k}});
  }
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::stalls) << analysis.sentence;
  EXPECT_TRUE(analysis.allowed.stuck.empty());
  EXPECT_FALSE(analysis.allowed.exact_stall);
}

TEST(Beside, ABatchLaunchHasToFit) {
  const Analysis refused = analyse(beside(CoreSharing::batch, 5, false, false).test_case);
  EXPECT_EQ(refused.behaviour, Behaviour::refused);
  EXPECT_EQ(refused.rule, RuleId::core_8);
}

/// Eight words from one place in GM to another.
Program copy(int from, Expr at, int to, Expr there) {
  return {data_copy(ub(0), gm(from, at)), set_flag(Pipe::mte2, Pipe::mte3),
          wait_flag(Pipe::mte2, Pipe::mte3), data_copy(gm(to, there), ub(0))};
}

/// The values that a word may have at the end.
std::vector<std::uint32_t> values(const Analysis& analysis, std::size_t place) {
  const WordAllowed& allowed = analysis.allowed.memory[place];
  if (allowed.kind == WordKind::exact) return {allowed.value};
  if (allowed.kind == WordKind::unjudged) return {};
  return analysis.allowed.sets[static_cast<std::size_t>(allowed.set)];
}

TEST(Beside, WordsOfTwoWritersHaveTheValueOfEither) {
  const Analysis analysis = analyse(beside(CoreSharing::batch, 2, true, false).test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::nondeterministic_data) << analysis.sentence;
  EXPECT_EQ(analysis.rule, RuleId::sync_11);
  EXPECT_TRUE(analysis.exact) << analysis.sentence;
  EXPECT_EQ(values(analysis, 0), (std::vector<std::uint32_t>{5, 6}));
  EXPECT_FALSE(analysis.allowed.stalled);
  ASSERT_FALSE(analysis.races.empty());
  EXPECT_EQ(analysis.races[0].first.launch + analysis.races[0].second.launch, 1);
}

TEST(Beside, LaunchesThatDoNotFitTogetherAreWholeInEitherOrder) {
  // Both write all of A: whoever comes second has written every word.
  const Analysis analysis = analyse(beside(CoreSharing::batch, 3, true, false).test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::nondeterministic_data) << analysis.sentence;
  EXPECT_TRUE(analysis.exact);
  EXPECT_EQ(values(analysis, 0), (std::vector<std::uint32_t>{5, 6}));
  EXPECT_EQ(values(analysis, 16), (std::vector<std::uint32_t>{5, 6}));
  Outcome mixed;
  mixed.memory.assign(128, 0);
  for (std::size_t w = 0; w < 24; ++w) mixed.memory[w] = w < 8 ? 5 : 6;
  const Build build = beside(CoreSharing::batch, 3, true, false);
  EXPECT_FALSE(contains(analysis.allowed, build.test_case.mix, mixed));
  for (std::size_t w = 0; w < 24; ++w) mixed.memory[w] = 6;
  EXPECT_TRUE(contains(analysis.allowed, build.test_case.mix, mixed));
}

/// A launch that is over when it raises e, beside one that waits for e and reads what it wrote.
Build with_event(CoreSharing sharing, int producer, int consumer, bool waits) {
  Build build;
  build.test_case.profile = "tiny";
  const int x = build.region("X", 64);
  const int y = build.region("Y", 64);
  build.kernel(KernelType::aiv_only, consumer, copy(x, word(0), y, per_core(8)));
  build.kernel(KernelType::aiv_only, producer, fill_out(x, per_core(8), 7));
  build.sub(1).stream = 1;
  build.sub(1).send = {"e"};
  if (waits) build.sub(0).recv = {"e"};
  PlanStep& step = build.test_case.plan.steps.emplace_back();
  step.kind = skcts::StepKind::beside;
  step.sharing = sharing;
  step.beside.push_back({.kind = skcts::StepKind::fused, .sub_kernels = {0}});
  step.beside.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {1}});
  return build;
}

TEST(Beside, AnEventOrdersWhereTheCoresSuffice) {
  for (const CoreSharing sharing : {CoreSharing::batch, CoreSharing::normal}) {
    const Analysis analysis = analyse(with_event(sharing, 2, 2, true).test_case);
    EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
    EXPECT_TRUE(analysis.exact);
    EXPECT_TRUE(analysis.portable);
    EXPECT_EQ(analysis.allowed.memory[64].value, 7u);
    EXPECT_EQ(analyse(with_event(sharing, 2, 2, false).test_case).behaviour,
              Behaviour::nondeterministic_data);
  }
}

TEST(Beside, WhoHoldsTheCoresAndWaitsMayKeepTheRaiserOut) {
  for (const CoreSharing sharing : {CoreSharing::batch, CoreSharing::normal}) {
    const Analysis analysis = analyse(with_event(sharing, 2, 3, true).test_case);
    EXPECT_EQ(analysis.behaviour, Behaviour::may_stall) << analysis.sentence;
    EXPECT_EQ(analysis.rule, std::nullopt);
    const bool by_block = sharing == CoreSharing::normal;
    EXPECT_EQ(analysis.latitudes.size(), by_block ? 1u : 0u);
    EXPECT_EQ(analysis.exact, !by_block);
    EXPECT_TRUE(analysis.allowed.completed && analysis.allowed.stalled);
    EXPECT_EQ(values(analysis, 64), std::vector<std::uint32_t>{7});
  }
}

TEST(Beside, WhetherBlocksOfLaunchesBlockEachOtherDependsOnL22) {
  const Case test_case = beside(CoreSharing::normal, 3, false).test_case;
  EXPECT_TRUE(analyse(test_case).allowed.stalled);
  EXPECT_TRUE(analyse(test_case, {latitude_pin(22, "may-deadlock")}).allowed.stalled);
  const Analysis whole = analyse(test_case, {latitude_pin(22, "one-stream")});
  EXPECT_FALSE(whole.allowed.stalled);
  EXPECT_TRUE(whole.exact);
}

TEST(Beside, ALaunchThatWaitsForAnEventBeforeItBeginsHoldsNothing) {
  Build build = with_event(CoreSharing::batch, 2, 3, true);
  build.test_case.plan.steps[0].beside[0].kind = skcts::StepKind::alone;
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
  EXPECT_TRUE(analysis.exact);
  EXPECT_EQ(values(analysis, 64), std::vector<std::uint32_t>{7});
}

TEST(Beside, AStreamKeepsItsOrderAndItsEndIsSeen) {
  // The second launch of the stream reads what the first one stored through its cache.
  Build build;
  build.test_case.profile = "tiny";
  const int x = build.region("X", 16);
  const int y = build.region("Y", 64);
  const int z = build.region("Z", 16);
  build.kernel(KernelType::aiv_only, 1, {raw_store(gm(x, word(0)), constant(9))});
  build.kernel(KernelType::aiv_only, 2, copy(x, word(0), y, per_core(8)));
  build.kernel(KernelType::aiv_only, 1, fill_out(z, word(0), 3));
  PlanStep& step = build.test_case.plan.steps.emplace_back();
  step.kind = skcts::StepKind::beside;
  step.beside.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {0, 1}});
  step.beside.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {2}});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes) << analysis.sentence;
  EXPECT_EQ(values(analysis, 16), std::vector<std::uint32_t>{9});
  // Beside the first one the other may read the old value.
  PlanStep& streams = build.test_case.plan.steps[0];
  streams.beside[0].sub_kernels = {0};
  streams.beside[1].sub_kernels = {2, 1};
  const Analysis open = analyse(build.test_case);
  EXPECT_EQ(open.behaviour, Behaviour::nondeterministic_data) << open.sentence;
  EXPECT_EQ(values(open, 16), (std::vector<std::uint32_t>{0, 9}));
}

TEST(Beside, FlagsAndFullCoreWaitsBelongToALaunch) {
  // Each launch raises one and waits for one: they do not serve each other.
  Build build;
  build.test_case.profile = "tiny";
  build.region("X", 16);
  for (const int k : {0, 1}) {
    build.kernel(KernelType::mix_aiv_1_0, 2, {raise(0, Pipe::mte3, 3), wait(3)});
    if (k == 1) build.sub(1).aiv.pop_back();
  }
  PlanStep& step = build.test_case.plan.steps.emplace_back();
  step.kind = skcts::StepKind::beside;
  for (const std::int32_t k : {0, 1}) {
    step.beside.push_back({.kind = skcts::StepKind::fused, .sub_kernels = {k}});
  }
  const Analysis surplus = analyse(build.test_case);
  EXPECT_EQ(surplus.behaviour, Behaviour::completes);
  EXPECT_EQ(surplus.rule, RuleId::sync_5);  // what the second one leaves
  build.sub(1).aiv.insert(build.sub(1).aiv.begin(), wait(3));
  build.sub(1).aiv.pop_back();
  const Analysis missing = analyse(build.test_case);
  EXPECT_EQ(missing.behaviour, Behaviour::stalls) << missing.sentence;
  ASSERT_FALSE(missing.allowed.stuck.empty());
  EXPECT_EQ(missing.allowed.stuck[0].waiting.launch, 1);
}

TEST(Beside, ManyLaunchesAreNotTriedInEachOrder) {
  // 60 of one core each: 2^60 ways to pick some of them, and the chip holds four.
  for (const CoreSharing sharing : {CoreSharing::batch, CoreSharing::normal}) {
    for (const bool waits : {false, true}) {
      Build build;
      build.test_case.profile = "tiny";
      const int a = build.region("A", 8 * 60);
      PlanStep& step = build.test_case.plan.steps.emplace_back();
      step.kind = skcts::StepKind::beside;
      step.sharing = sharing;
      for (int k = 0; k < 60; ++k) {
        build.kernel(KernelType::mix_aiv_1_0, 1, fill_out(a, word(8 * k), 5 + k));
        if (waits && k > 0) build.sub(k).recv = {"e" + std::to_string(k)};
        if (waits && k < 59) build.sub(k).send = {"e" + std::to_string(k + 1)};
        step.beside.push_back({.kind = skcts::StepKind::fused, .sub_kernels = {k}});
      }
      const Analysis analysis = analyse(build.test_case);
      EXPECT_EQ(analysis.behaviour, waits ? Behaviour::may_stall : Behaviour::completes);
      EXPECT_EQ(analysis.stall_open.has(Inexact::outside_world), waits);
      EXPECT_TRUE(analysis.allowed.completed);
      EXPECT_EQ(analysis.allowed.memory[8 * 59].value, 64u);
      const bool told = analysis.sentence.find("too many orders") != std::string::npos;
      EXPECT_EQ(told, waits && sharing == CoreSharing::batch) << analysis.sentence;
    }
  }
}

}  // namespace
}  // namespace skcts::model
