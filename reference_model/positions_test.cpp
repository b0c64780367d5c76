// Sets that hold every position of a latitude that nobody pins, and what is portable then.
#include <algorithm>

#include <gtest/gtest.h>

#include "reference_model/attribute.h"
#include "reference_model/explain.h"
#include "reference_model/gm_state.h"
#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

constexpr KernelType vectors = KernelType::aiv_only;
constexpr KernelType cubes = KernelType::aic_only;

/// Core 1 does not signal.
Build signal_missing(const char* profile) {
  Build build;
  build.test_case.profile = profile;
  build.kernel(vectors, 2, {where(IndexName::core, 0, 0, set_next())});
  build.kernel(vectors, 2, {});
  return build;
}

TEST(Positions, EarlyStartMayDoNothingOnA2) {
  const Build build = signal_missing("a2-24");
  const Analysis open = analyse(build.test_case);
  EXPECT_EQ(open.behaviour, Behaviour::may_stall);
  EXPECT_EQ(open.rule, RuleId::task_4);
  EXPECT_TRUE(std::ranges::count(open.latitudes, 21) > 0);
  const Analysis takes = analyse(build.test_case, {latitude_pin(21, "takes-effect")});
  EXPECT_EQ(takes.behaviour, Behaviour::stalls);
  const Analysis nothing = analyse(build.test_case, {latitude_pin(21, "no-effect")});
  EXPECT_EQ(nothing.behaviour, Behaviour::completes);
  EXPECT_EQ(analyse(signal_missing("a3-24").test_case).behaviour, Behaviour::stalls);
  // Elsewhere the question is not asked, whatever a target declares.
  const Case on_a3 = signal_missing("a3-24").test_case;
  EXPECT_EQ(analyse(on_a3, {latitude_pin(21, "no-effect")}).behaviour, Behaviour::stalls);
}

TEST(Positions, ASignalOnAnotherPipeOrdersItsPipeOrMte3) {
  // The store is behind the signal's pipe at neither position; the vector work is at one.
  Build build;
  build.test_case.profile = "a2-24";
  const int a = build.region("A", 8);
  const int y = build.region("Y", 8);
  build.kernel(vectors, 1,
               {duplicate(ub(0), constant(5)), set_flag(Pipe::v, Pipe::mte3),
                wait_flag(Pipe::v, Pipe::mte3), data_copy(gm(a), ub(0)), set_next(Pipe::v)});
  build.kernel(vectors, 1,
               {data_copy(ub(64), gm(a)), set_flag(Pipe::mte2, Pipe::mte3, 1),
                wait_flag(Pipe::mte2, Pipe::mte3, 1), data_copy(gm(y), ub(64))});
  const Analysis open = analyse(build.test_case);
  EXPECT_EQ(open.behaviour, Behaviour::nondeterministic_data);
  EXPECT_FALSE(open.portable);
  const Analysis nothing = analyse(build.test_case, {latitude_pin(21, "no-effect")});
  EXPECT_EQ(nothing.behaviour, Behaviour::completes) << nothing.sentence;
}

/// Core 1 loads what core 0 stored, without a refresh of its own, after a flag.
Build first_load_after_a_flag() {
  Build build;
  const int a = build.region("A", 16);
  const int y = build.region("Y", 16);
  build.kernel(KernelType::mix_aiv_1_0, 2,
               {where(IndexName::core, 0, 0, write_bypass(gm(a), constant(7))),
                where(IndexName::core, 0, 0, dsb()), sync_all(),
                where(IndexName::core, 1, 1, raw_load(gm(a), 1)),
                where(IndexName::core, 1, 1, write_bypass(gm(y), in_register(1)))});
  return build;
}

TEST(Positions, ALineMayBeFetchedAheadUnlessPinned) {
  const Case mix = first_load_after_a_flag().test_case;
  const Analysis open = analyse(mix);
  EXPECT_EQ(open.behaviour, Behaviour::nondeterministic_data);
  EXPECT_TRUE(std::ranges::count(open.latitudes, 36) > 0);
  EXPECT_TRUE(open.exact);
  ASSERT_EQ(open.allowed.memory[16].kind, WordKind::one_of);
  EXPECT_EQ(open.allowed.sets[static_cast<std::size_t>(open.allowed.memory[16].set)],
            (std::vector<std::uint32_t>{0, 7}));
  const Analysis own = analyse(mix, {latitude_pin(36, "own-accesses")});
  EXPECT_EQ(own.behaviour, Behaviour::completes);
  EXPECT_EQ(own.allowed.memory[16].value, 7u);
}

TEST(Positions, WhatAPositionRefusesIsNotPortableButLegal) {
  Build build;
  build.kernel(vectors, 2, {sync_all()});
  const Analysis open = analyse(build.test_case);
  EXPECT_EQ(open.behaviour, Behaviour::completes);
  EXPECT_TRUE(open.allowed.refused);
  EXPECT_FALSE(open.portable);
  EXPECT_TRUE(Model().is_legal(build.test_case));
  EXPECT_TRUE(analyse(build.test_case, {latitude_pin(13, "promoted")}).portable);
}

TEST(Positions, AFullSyncOfACubeKernelAloneIsOpen) {
  Build build;
  build.kernel(cubes, 1, {}, {sync_all(false)});
  build.test_case.plan.steps.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {0}});
  const Allowed open = analyse(build.test_case).allowed;
  EXPECT_TRUE(open.completed && open.stalled && open.error);
  const Allowed hangs = analyse(build.test_case, {latitude_pin(10, "hang")}).allowed;
  EXPECT_TRUE(!hangs.completed && hangs.stalled && !hangs.error);
}

/// Each core stores, raises, waits and stores again, in a type without a flag scheduler.
Case flags_of_a_plain_type(Program after) {
  Build build;
  const int y = build.region("Y", 32);
  build.kernel(vectors, 2,
               fill_out(y, per_core(8), 5) + Program{raise(0, Pipe::mte3, 3), wait(3)} + after);
  build.test_case.plan.steps.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {0}});
  return build.test_case;
}

TEST(Positions, FlagsWithoutASchedulerAreExactUnderAPin) {
  const Case flags = flags_of_a_plain_type(fill_out(0, per_core(8, 16), 6));
  const Analysis hangs = analyse(flags, {latitude_pin(10, "hang")});
  EXPECT_EQ(hangs.behaviour, Behaviour::stalls);
  EXPECT_EQ(hangs.rule, RuleId::sync_13);
  EXPECT_TRUE(hangs.exact);
  EXPECT_TRUE(hangs.latitudes.empty());
  EXPECT_EQ(hangs.allowed.stuck.size(), 2u);
  ASSERT_FALSE(hangs.allowed.memory_stalled.empty());
  EXPECT_EQ(hangs.allowed.memory_stalled[0].value, 5u);
  EXPECT_EQ(hangs.allowed.memory_stalled[16].value, 0u);

  const Analysis fails = analyse(flags, {latitude_pin(10, "error")});
  EXPECT_EQ(fails.behaviour, Behaviour::error);
  EXPECT_EQ(fails.rule, RuleId::sync_13);
  EXPECT_TRUE(fails.exact);
  EXPECT_TRUE(fails.allowed.error && !fails.allowed.completed && !fails.allowed.stalled);

  const Analysis falls = analyse(flags, {latitude_pin(10, "fall-through")});
  EXPECT_EQ(falls.behaviour, Behaviour::completes);
  EXPECT_EQ(falls.rule, RuleId::sync_13);
  EXPECT_TRUE(falls.exact);
  EXPECT_EQ(falls.allowed.memory[16].value, 6u);
  EXPECT_FALSE(falls.allowed.error || falls.allowed.stalled);

  const Analysis open = analyse(flags);
  EXPECT_TRUE(open.allowed.completed && open.allowed.stalled && open.allowed.error);
  EXPECT_EQ(open.latitudes, std::vector<LatitudeId>{10});
}

TEST(Positions, AFlagThatIsNeverReachedDoesNotFail) {
  // The scalar unit waits for an event that nothing sets before it comes to the flag.
  Build build;
  build.kernel(vectors, 1, {wait_flag(Pipe::mte3, Pipe::s), raise(0, Pipe::mte3, 3)});
  build.test_case.plan.steps.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {0}});
  const Analysis fails = analyse(build.test_case, {latitude_pin(10, "error")});
  EXPECT_EQ(fails.behaviour, Behaviour::stalls);
  EXPECT_FALSE(fails.allowed.error);
  // A raise behind no wait of any flag leaves nobody stuck.
  Build raises;
  raises.kernel(vectors, 1, {raise(0, Pipe::mte3, 3)});
  raises.test_case.plan.steps.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {0}});
  EXPECT_EQ(analyse(raises.test_case, {latitude_pin(10, "hang")}).behaviour, Behaviour::completes);
}

TEST(Positions, ASlotOfACoreThatNeverComesCounts) {
  // Slot 0 starts at 1: core 1 counts it and its own and leaves, though core 0 never comes.
  Build build;
  const int w = build.region("W", 16);
  build.test_case.mix.regions[0].init.values = {1};
  build.kernel(vectors, 2, {where(IndexName::core, 1, 1, soft_sync(w, 0, 2))});
  const Allowed open = analyse(build.test_case).allowed;
  EXPECT_TRUE(open.completed && open.stalled);
  EXPECT_TRUE(open.stuck.empty());
}

/// Two launches: the first leaves `left` counts of id 3 on AIC 0, the second raises `more` on top
/// of them and takes `taken` away.
Case counts_left_over(int left, int more, int taken) {
  Build build;
  const auto raises = [](int times) { return Program{repeat(times, {raise(2, Pipe::mte3, 3)})}; };
  const auto waits = [](int times) {
    return times == 0 ? Program{} : Program{repeat(times, {wait(3)})};
  };
  build.kernel(KernelType::mix_aic_1_1, 1, raises(left), {});
  build.kernel(KernelType::mix_aic_1_1, 1, raises(more), waits(taken));
  for (const std::int32_t k : {0, 1}) {
    build.test_case.plan.steps.push_back({.kind = skcts::StepKind::fused, .sub_kernels = {k}});
  }
  return build.test_case;
}

TEST(Positions, WhatAnEarlierLaunchLeftCountsTowardsTheLimit) {
  const LatitudePin kept = latitude_pin(5, "kept");
  const auto allowed = [](const Case& test_case, std::vector<LatitudePin> pins) {
    return analyse(test_case, pins).allowed;
  };
  // Nothing waits in the second launch: alone it is far from the limit.
  const Case full = counts_left_over(15, 1, 0);
  EXPECT_TRUE(allowed(full, {}).error);
  EXPECT_TRUE(allowed(full, {}).completed);
  EXPECT_FALSE(allowed(full, {latitude_pin(5, "cleared")}).error);
  EXPECT_TRUE(allowed(full, {kept, latitude_pin(9, "hang")}).stalled);
  EXPECT_FALSE(allowed(full, {kept, latitude_pin(9, "hang")}).error);
  EXPECT_EQ(analyse(full, {kept}).rule, RuleId::sync_6);
  EXPECT_EQ(analyse(full, {kept}).sentence,
            "the counter of flag 3 on aic:0 can pass 15 with what an earlier launch left [SYNC-6]");
  EXPECT_FALSE(allowed(counts_left_over(14, 1, 0), {kept}).error);
  // Raises that a wait answers may all come before it.
  EXPECT_TRUE(allowed(counts_left_over(10, 6, 6), {kept}).error);
  EXPECT_FALSE(allowed(counts_left_over(9, 6, 6), {kept}).error);
}

TEST(Positions, RaisesThatArePendingCountTowardsTheLimitToo) {
  // AIV 0 raises 9 times in mode 1 and AIV 1 not once, then the other way round.
  Build build;
  const auto raises = [](int of, int times) {
    return Program{repeat(times, {where(IndexName::sub, of, of, raise(1, Pipe::mte3, 3))})};
  };
  build.kernel(KernelType::mix_aic_1_2, 1, raises(0, 9) + raises(1, 8), {});
  build.kernel(KernelType::mix_aic_1_2, 1, raises(1, 9) + raises(0, 8), {});
  for (const std::int32_t k : {0, 1}) {
    build.test_case.plan.steps.push_back({.kind = skcts::StepKind::fused, .sub_kernels = {k}});
  }
  EXPECT_TRUE(analyse(build.test_case, {latitude_pin(5, "kept")}).allowed.error);
  EXPECT_FALSE(analyse(build.test_case, {latitude_pin(5, "cleared")}).allowed.error);
}

TEST(Positions, BlocksBeyondTheChipWaitForOneThatEnds) {
  Build build;
  build.test_case.profile = "tiny";  // four vector cores
  const int f = build.region("F", 16);
  const auto five = [&](int polling_from, int polling_to, int storing) {
    Build made = build;
    made.kernel(vectors, 5,
                {where(IndexName::core, polling_from, polling_to, poll(gm(f), 1)),
                 where(IndexName::core, storing, storing, write_bypass(gm(f), constant(1)))});
    made.test_case.plan.steps.push_back({.kind = skcts::StepKind::alone, .sub_kernels = {0}});
    return analyse(made.test_case);
  };
  EXPECT_EQ(five(0, 2, 4).behaviour, Behaviour::completes);
  EXPECT_EQ(five(4, 4, 0).behaviour, Behaviour::completes);
  const Analysis starved = five(0, 3, 4);
  EXPECT_EQ(starved.behaviour, Behaviour::stalls);
  EXPECT_EQ(starved.allowed.stuck.size(), 4u);  // the fifth has not begun
  EXPECT_TRUE(starved.exact);
  EXPECT_FALSE(five(0, 2, 4).portable);  // waves are no reference
}

TEST(Positions, ReasonsAreToldByName) {
  Build build;
  build.test_case.profile = "a3-24";
  build.kernel(vectors, 2, {set_flag(Pipe::v, Pipe::mte3), set_flag(Pipe::v, Pipe::mte3)});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_FALSE(analysis.exact);
  EXPECT_TRUE(analysis.stall_open.has(Inexact::event_set_twice));
  EXPECT_TRUE(analysis.data_open.has(Inexact::undefined_data));
  const std::string json = explain_json(build.test_case, analysis);
  EXPECT_NE(json.find("\"reason\": \"event-set-twice\""), std::string::npos) << json;
  for (int reason = 0; reason < inexact_count; ++reason) {
    EXPECT_FALSE(to_string(static_cast<Inexact>(reason)).empty());
    EXPECT_FALSE(sentence_of(static_cast<Inexact>(reason)).empty());
  }
}

TEST(Positions, AttributionTakesThePinsOfTheTarget) {
  // The target fetches no line ahead; it shows the old word all the same.
  const Case mix = first_load_after_a_flag().test_case;
  Outcome outcome;
  outcome.memory = initial_memory(mix.mix, layout_of(mix.mix));
  outcome.memory[0] = 7;
  Model model;
  EXPECT_FALSE(attribute(model, mix, outcome));
  EXPECT_TRUE(attribute(model, mix, outcome, {latitude_pin(36, "own-accesses")}));
}

// Two states of memory as one.

GmState memory_of(std::vector<std::uint32_t> words) {
  GmState state;
  state.reset(words);
  return state;
}

using Sets = std::vector<std::vector<std::uint32_t>>;

TEST(UnitedMemory, WordsThatDifferAreTied) {
  GmState one = memory_of({1, 2, 3});
  EXPECT_TRUE(one.unite(memory_of({1, 5, 6})));
  EXPECT_EQ(one.word(0), (Val{1, Val::exact}));
  const std::vector<JointWords> joint = one.report_joint();
  ASSERT_EQ(joint.size(), 1u);
  EXPECT_EQ(joint[0].words, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(joint[0].tuples, (Sets{{2, 3}, {5, 6}}));
}

TEST(UnitedMemory, TheSameStaysAsItWas) {
  GmState one = memory_of({1, 2});
  EXPECT_TRUE(one.unite(memory_of({1, 2})));
  EXPECT_TRUE(one.all_exact());
}

TEST(UnitedMemory, TiedWordsStayTiedWithWhatDiffers) {
  GmState one = memory_of({0, 0, 9});
  one.set = {0, 1, Val::exact};
  one.sets = {{1, 2}, {1, 2}};
  one.joint = {{.words = {0, 1}, .tuples = {{1, 1}, {2, 2}}}};
  EXPECT_TRUE(one.unite(memory_of({3, 1, 9})));
  const std::vector<JointWords> joint = one.report_joint();
  ASSERT_EQ(joint.size(), 1u);
  EXPECT_EQ(joint[0].tuples, (Sets{{1, 1}, {2, 2}, {3, 1}}));
  EXPECT_EQ(one.word(2), (Val{9, Val::exact}));
}

TEST(UnitedMemory, WhatOneDoesNotJudgeIsNotJudged) {
  GmState one = memory_of({1, 2});
  GmState other = memory_of({1, 3});
  other.set = {Val::exact, Val::unjudged};
  EXPECT_TRUE(one.unite(other));
  EXPECT_EQ(one.word(0), (Val{1, Val::exact}));
  EXPECT_EQ(one.word(1).set, Val::unjudged);
}

}  // namespace
}  // namespace skcts::model
