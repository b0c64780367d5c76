// What a launch is counted with, scope marks, and what is left open.
#include "reference_model/outside.h"

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

TEST(LeftOpen, WhatIsNotDecidedIsSaidAndHoldsEverything) {
  Build build;
  build.region("Y", 16);
  build.test_case.profile = "tiny-950";
  build.kernel(vectors, 2, {query(Op::get_block_num)});
  const Analysis analysis = analyse(build.test_case);
  if (analysis.exact) return;  // decided by now
  EXPECT_TRUE(analysis.stall_open.has(Inexact::outside_world));
  EXPECT_FALSE(analysis.portable);
  Outcome outcome;
  outcome.memory.assign(16, 77);
  outcome.queries = {{{CoreKind::aiv, 0}, 0, 0, 0, 2}, {{CoreKind::aiv, 1}, 0, 0, 0, 2}};
  EXPECT_TRUE(contains(analysis.allowed, build.test_case.mix, outcome));
  outcome.status = OutcomeStatus::error;
  EXPECT_TRUE(contains(analysis.allowed, build.test_case.mix, outcome));
}

}  // namespace
}  // namespace skcts::model
