#include "generators/shrink.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "generators/accesses.h"
#include "generators/edit.h"
#include "generators/generate.h"
#include "generators/shrink_passes.h"
#include "generators/world.h"
#include "spec/case_text.h"
#include "spec/program.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

Case some_case(std::uint64_t index, const Focus& focus = {}) {
  return generate(21, index, focus, *find_profile("a2-24"));
}

template <class Test>
bool any_instruction(const Case& c, const Test& test) {
  bool found = false;
  for (const SubKernel& s : c.mix.sub_kernels) {
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      for_each_in(s.program(kind), [&](const Instruction& in) { found = found || test(in); });
    }
  }
  return found;
}

int all_instructions(const Case& c) {
  int count = 0;
  for (const SubKernel& s : c.mix.sub_kernels) {
    count += instruction_count(s.aic) + instruction_count(s.aiv);
  }
  return count;
}

TEST(Shrink, ReachesOneInstructionOfOneKind) {
  for (std::uint64_t i = 0; i < 25; ++i) {
    const Case start = some_case(i, {.require = {Feature::atomic_add}});
    const auto fails = [](const Case& c) {
      return any_instruction(c, [](const Instruction& in) { return in.atomic_add; });
    };
    ShrinkStats stats;
    const Case small = shrink(start, fails, {}, &stats);
    EXPECT_TRUE(fails(small));
    EXPECT_TRUE(validate(small).empty());
    EXPECT_FALSE(stats.budget_ended);
    EXPECT_EQ(small.mix.sub_kernels.size(), 1u) << i;
    EXPECT_EQ(all_instructions(small), 1) << write_case(small);
    EXPECT_EQ(small.mix.sub_kernels.front().blocks, 1);
    EXPECT_EQ(small.mix.regions.size(), 1u);
    EXPECT_EQ(small.mix.regions.front().words, 8);
    EXPECT_TRUE(small.mix.options.empty());
  }
}

// Two things that go down only together: the ids of a raise and of its wait.
TEST(Shrink, LowersALinkedFlagIdToNothing) {
  int seen = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Case start = some_case(i, {.require = {Feature::mode_2_from_cube}});
    const auto fails = [](const Case& c) {
      for (const SubKernel& s : c.mix.sub_kernels) {
        for (const Instruction& raise : s.aic) {
          if (raise.op != Op::cross_core_set_flag) continue;
          for (const Instruction& wait : s.aiv) {
            if (wait.op == Op::cross_core_wait_flag && wait.id == raise.id) return true;
          }
        }
      }
      return false;
    };
    if (!fails(start)) continue;  // the raise stands in a loop
    ++seen;
    const Case small = shrink(start, fails);
    EXPECT_EQ(all_instructions(small), 2) << write_case(small);
    EXPECT_EQ(small.mix.sub_kernels.front().aic.front().id, 0);
    EXPECT_TRUE(small.mix.regions.empty());
  }
  EXPECT_GE(seen, 10);
}

TEST(Shrink, KeepsTheTwoSubKernelsThatAFaultNeeds) {
  for (std::uint64_t i = 0; i < 15; ++i) {
    const Case start = some_case(i, {.require = {Feature::communication_by_dma}});
    const auto fails = [](const Case& c) {
      return features_of(c).has(Feature::communication_by_dma);
    };
    const Case small = shrink(start, fails);
    EXPECT_EQ(small.mix.sub_kernels.size(), 2u) << write_case(small);
    EXPECT_EQ(all_instructions(small), 2) << write_case(small);
    EXPECT_EQ(small.mix.regions.size(), 1u);
  }
}

TEST(Shrink, StraightensThePlanAndDropsTheSchedule) {
  Case start = some_case(3);
  start.schedule = Schedule{"random", 5, {1, 2, 3}};
  PlanStep alone;
  alone.kind = StepKind::alone;
  for (std::size_t k = 0; k < start.mix.sub_kernels.size(); ++k) {
    alone.sub_kernels.push_back(static_cast<std::int32_t>(k));
  }
  start.plan.steps = {alone, alone};
  const auto fails = [](const Case& c) { return !c.mix.sub_kernels.empty(); };
  const Case small = shrink(start, fails);
  EXPECT_FALSE(small.schedule.has_value());
  EXPECT_TRUE(small.plan.steps.empty());
  EXPECT_EQ(small.mix.sub_kernels.size(), 1u);
  EXPECT_EQ(all_instructions(small), 0);
}

TEST(Shrink, ASubKernelLeavesThePlanWithItsEntries) {
  Case start = some_case(3, {.min_sub_kernels = 3});
  PlanStep step;
  step.sub_kernels = {0, 2};
  start.plan.steps = {step};
  const Case less = after_step(start, {Pass::drop_sub_kernels, 0, CoreKind::aic, 1, 1});
  ASSERT_EQ(less.mix.sub_kernels.size() + 1, start.mix.sub_kernels.size());
  EXPECT_EQ(less.plan.steps.front().sub_kernels, (std::vector<std::int32_t>{0, 1}));
}

TEST(Shrink, TriesNothingTwice) {
  const Case start = some_case(8);
  std::vector<std::string> texts;
  ShrinkStats stats;
  (void)shrink(
      start,
      [&texts](const Case& c) {
        texts.push_back(write_case(c));
        return c.mix.sub_kernels.size() >= 2;
      },
      {}, &stats);
  EXPECT_EQ(static_cast<std::int64_t>(texts.size()), stats.runs);
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
  EXPECT_GT(stats.repeated, 0);
}

TEST(Shrink, StopsAtItsBudget) {
  ShrinkStats stats;
  std::int64_t runs = 0;
  const Case small = shrink(
      some_case(9),
      [&runs](const Case& c) {
        ++runs;
        return all_instructions(c) >= 3;
      },
      {.max_runs = 5}, &stats);
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(stats.runs, 5);
  EXPECT_TRUE(stats.budget_ended);
  EXPECT_TRUE(validate(small).empty());
}

TEST(Shrink, ACaseThatStopsFailingStaysAsItIs) {
  const Case start = some_case(10);
  EXPECT_EQ(shrink(start, [](const Case&) { return false; }), start);
}

TEST(Shrink, TellsTheOtherPathNoMoreThanItNeeds) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Case start = some_case(i, {.require = {Feature::captured_batch_cut}});
    const Case any = shrink(start, [](const Case&) { return true; });
    EXPECT_EQ(any.path, "ge");
    EXPECT_TRUE(any.mix.options.empty());
    const auto needs_batch = [](const Case& c) {
      return std::any_of(c.mix.sub_kernels.begin(), c.mix.sub_kernels.end(),
                         [](const SubKernel& s) { return s.batch_mode; });
    };
    const Case small = shrink(start, needs_batch);
    EXPECT_EQ(small.path, "aclgraph");
    EXPECT_EQ(small.mix.sub_kernels.size(), 1u);
    EXPECT_EQ(small.mix.sub_kernels.front().sk_bind, 0);
    EXPECT_TRUE(validate(small).empty());
  }
}

TEST(Shrink, InlinesALoopOfOneTurn) {
  const Case start = some_case(2, {.require = {Feature::run_ahead}});
  const auto fails = [](const Case& c) {
    return any_instruction(
        c, [](const Instruction& in) { return in.op == Op::cross_core_set_flag && in.mode == 2; });
  };
  const Case small = shrink(start, fails);
  EXPECT_EQ(all_instructions(small), 1) << write_case(small);
}

/// The features of what lies around the sub kernels, each in a case that also has an atomic add.
class EveryWorld : public testing::TestWithParam<Feature> {
 protected:
  static Case start(std::uint64_t index) {
    return some_case(index, {.require = {GetParam(), Feature::atomic_add}});
  }
};

TEST_P(EveryWorld, GoesWhereItDoesNotMatter) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto fails = [](const Case& c) {
      return any_instruction(c, [](const Instruction& in) { return in.atomic_add; });
    };
    const Case small = shrink(start(i), fails, {}, nullptr);
    const FeatureSet left = features_of(small).set;
    for (std::size_t n = 0; n < feature_count; ++n) {
      const auto f = static_cast<Feature>(n);
      EXPECT_FALSE(world_features().has(f) && left.has(f)) << to_string(f) << " " << i;
    }
    EXPECT_EQ(all_instructions(small), 1) << write_case(small);
    EXPECT_TRUE(small.mix.outside.empty() && small.plan.steps.empty());
  }
}

TEST_P(EveryWorld, StaysAloneWhereItMatters) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto fails = [](const Case& c) { return features_of(c).has(GetParam()); };
    const Case small = shrink(start(i), fails, {}, nullptr);
    EXPECT_TRUE(fails(small));
    EXPECT_LE(small.mix.sub_kernels.size(), 3u) << write_case(small);
    EXPECT_EQ(all_instructions(small), 0) << write_case(small);
    EXPECT_LE(small.mix.outside.size(), 1u) << write_case(small);
  }
}

INSTANTIATE_TEST_SUITE_P(Shrink, EveryWorld, testing::ValuesIn([] {
                           std::vector<Feature> all;
                           for (std::size_t n = 0; n < feature_count; ++n) {
                             const auto f = static_cast<Feature>(n);
                             if (world_features().has(f)) all.push_back(f);
                           }
                           return all;
                         }()),
                         [](const testing::TestParamInfo<Feature>& which) {
                           std::string name(to_string(which.param));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace skcts::generators
