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
