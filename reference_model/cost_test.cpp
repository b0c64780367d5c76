// Refresh counts and critical paths of small mixes, computed by hand.
#include "reference_model/cost.h"

#include <gtest/gtest.h>

#include "reference_model/testing.h"
#include "reference_model/timing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT

constexpr KernelType vectors = KernelType::mix_aiv_1_0;

/// Duplicate, its event and the store of 8 words: V 20 + 1, two events of 2, MTE3 100 + 4.
constexpr std::int64_t fill_cycles = 21 + 2 + 2 + 104;
/// To arrive at a boundary and to leave it.
constexpr std::int64_t boundary_cycles = 40 + 40;

std::vector<Instruction> fill(int region, int at, std::int64_t value) {
  return {duplicate(ub(at), constant(value)), set_flag(Pipe::v, Pipe::mte3),
          wait_flag(Pipe::v, Pipe::mte3), data_copy(gm(region), ub(at))};
}

std::int64_t path_of(const Build& build) {
  Model model;
  return critical_path(model, build.test_case);
}

TEST(CriticalPath, OneStepAfterTheOther) {
  Build build;
  build.kernel(vectors, 1, fill(build.region("A", 16), 0, 1));
  EXPECT_EQ(path_of(build), fill_cycles);
}

TEST(CriticalPath, SubKernelsMeetAtABoundary) {
  Build build;
  build.kernel(vectors, 1, fill(build.region("A", 16), 0, 1));
  build.kernel(vectors, 1, fill(build.region("B", 16), 64, 2));
  EXPECT_EQ(path_of(build), 2 * fill_cycles + boundary_cycles);
}

TEST(CriticalPath, PipesWorkSideBySide) {
  Build build;
  const int a = build.region("A", 256);
  // MTE2 takes 100 + 4 * 20, MTE3 of other memory 100 + 4 * 1: the longer one counts.
  build.kernel(vectors, 1, {data_copy(ub(0), gm(a), 160), data_copy(gm(a, word(200)), ub(512))});
  EXPECT_EQ(path_of(build), 180);
}

TEST(CriticalPath, AStallHasNone) {
  Build build;
  build.kernel(vectors, 1, {wait(3)});
  EXPECT_EQ(path_of(build), -1);
}

/// The second sub kernel need not wait for the store behind SetNextTaskStart.
TEST(PathCosts, WhatSetNextTaskStartSaves) {
  Build build;
  std::vector<Instruction> first = fill(build.region("A", 16), 0, 1);
  first.push_back(set_next());
  first.push_back(data_copy(gm(build.region("C", 16)), ub(0)));
  build.kernel(vectors, 1, first);
  build.kernel(vectors, 1, fill(build.region("B", 16), 64, 2));
  Model model;
  const PathCosts costs = path_costs(model, build.test_case);
  // With it: A is stored at 129, the call has arrived at 169, C is stored at 273. The second sub
  // kernel starts at 209, has its event at 232, but MTE3 only at 273; then an event and the store.
  EXPECT_EQ(costs.as_given, 273 + 2 + 104);
  // Without: C is stored at 233, arrived at 273, on at 313.
  EXPECT_EQ(costs.without_starts, 313 + fill_cycles);
  EXPECT_EQ(costs.without_waits, costs.as_given);
  EXPECT_EQ(costs.without_both, costs.without_starts);
  ASSERT_EQ(costs.calls.size(), 1u);
  EXPECT_EQ(costs.calls[0], (CallSaving{0, Op::set_next_task_start, costs.without_starts}));
}

/// The load before WaitPreTaskEnd runs beside the first sub kernel.
TEST(PathCosts, WhatWaitPreTaskEndSaves) {
  Build build;
  build.kernel(vectors, 1, fill(build.region("A", 16), 0, 1));
  build.kernel(
      vectors, 1,
      {data_copy(ub(64), gm(build.region("D", 16))), wait_pre(), set_flag(Pipe::mte2, Pipe::mte3),
       wait_flag(Pipe::mte2, Pipe::mte3), data_copy(gm(build.region("B", 16)), ub(64))});
  Model model;
  const PathCosts costs = path_costs(model, build.test_case);
  // With it: the load is there at 104, the boundary is passed at 209; two events and the store.
  EXPECT_EQ(costs.as_given, 209 + 2 + 2 + 104);
  EXPECT_EQ(costs.without_waits, costs.as_given + 104);
  EXPECT_EQ(costs.without_starts, costs.as_given);
  ASSERT_EQ(costs.calls.size(), 1u);
  EXPECT_EQ(costs.calls[0], (CallSaving{1, Op::wait_pre_task_end, costs.without_waits}));
}

RefreshCount counted(std::string_view name, std::int64_t accesses, std::int64_t before,
                     std::int64_t after) {
  return {.name = name, .counted = true, .accesses = accesses, .before = before, .after = after};
}

TEST(RefreshCounts, ByOptionSet) {
  Build build("dcci-before-kernel-start=k0");
  const int a = build.region("A", 64);
  const int k = build.kernel(vectors, 2, {});
  const int t = build.tensor_of(k, a);
  // Two lines that are read on each of two cores, the second one twice.
  build.sub(k).aiv = {get_value(tensor(t, word(0))), get_value(tensor(t, word(16))),
                      get_value(tensor(t, word(17)))};
  Model model;
  const std::vector<RefreshCount> expected = {
      counted("as given", 0, 2, 0), counted("default", 4, 0, 0),       counted("before", 0, 2, 0),
      counted("after", 0, 0, 2),    counted("before, after", 0, 2, 2), counted("disable", 0, 0, 0),
      counted("offload", 0, 2, 2)};
  const std::vector<RefreshCount> found = refresh_counts(model, build.test_case);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found[i], expected[i]) << i;
}

TEST(RefreshCounts, ARefusedCaseHasNone) {
  Build build("feed-sync-all=2");
  build.kernel(vectors, 1, {barrier()});
  Model model;
  const std::vector<RefreshCount> found = refresh_counts(model, build.test_case);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].counted);
}

TEST(Cost, InWords) {
  Build build;
  build.kernel(vectors, 1, fill(build.region("A", 16), 0, 1));
  Model model;
  const std::string text = cost_text(build.test_case, refresh_counts(model, build.test_case),
                                     path_costs(model, build.test_case));
  EXPECT_NE(text.find("  default                                 0        0        0        0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  as given                              129        0"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace skcts::model
