#include "harness/emulator/composition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/launch.h"
#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum KernelType;

struct Part {
  KernelType type;
  int blocks;
  bool syncs = false;
  bool own_set = false;
  bool own_wait = false;
};

Case case_of(const std::vector<Part>& parts, std::string options = "") {
  std::vector<SubKernel> subs;
  for (const Part& part : parts) {
    Program body;
    if (part.own_wait) body.push_back(make(Op::wait_pre_task_end));
    if (part.syncs) body.push_back(sync_all(false));
    if (part.own_set) body.push_back(make(Op::set_next_task_start));
    subs.push_back(kernel("k" + std::to_string(subs.size()), part.type, part.blocks, body, body));
  }
  Case result = fused({region("A", 8)}, std::move(subs), std::move(options));
  result.profile = "a2-24";
  return result;
}

ComposedLaunch composed(const std::vector<Part>& parts, std::string options = "",
                        const EmulatorConfig& config = {}) {
  ComposeResult result = compose(case_of(parts, std::move(options)), 0, config);
  EXPECT_TRUE(result.launch.has_value()) << result.refusal.reason;
  return result.launch ? *result.launch : ComposedLaunch{};
}

Refusal refusal(const std::vector<Part>& parts, std::string options) {
  ComposeResult result = compose(case_of(parts, std::move(options)), 0, {});
  EXPECT_FALSE(result.launch.has_value());
  return result.refusal;
}

TEST(LaunchShape, FollowsTheContract) {
  const auto shape = [](const std::vector<Part>& parts) { return composed(parts).shape; };
  EXPECT_EQ(shape({{aiv_only, 4}, {mix_aiv_1_0, 2}}), (LaunchShape{mix_aiv_1_0, 4}));
  EXPECT_EQ(shape({{aic_only, 3}, {mix_aic_1_0, 5}}), (LaunchShape{mix_aic_1_0, 5}));
  EXPECT_EQ(shape({{mix_aic_1_1, 3}}), (LaunchShape{mix_aic_1_1, 3}));
  EXPECT_EQ(shape({{mix_aic_1_2, 3}}), (LaunchShape{mix_aic_1_2, 3}));
  EXPECT_EQ(shape({{aic_only, 24}, {aiv_only, 24}}), (LaunchShape{mix_aic_1_1, 24}));
  EXPECT_EQ(shape({{aic_only, 1}, {aiv_only, 32}}), (LaunchShape{mix_aic_1_2, 16}));
  EXPECT_EQ(shape({{aic_only, 1}, {aiv_only, 3}}), (LaunchShape{mix_aic_1_2, 2}));
  // One composer gives 1:1 here and loses half of the vector work (CORE-7).
  EXPECT_EQ(shape({{aic_only, 8}, {mix_aic_1_2, 4}}), (LaunchShape{mix_aic_1_2, 8}));
}

TEST(LaunchShape, DebugNumbersSetIt) {
  const auto shape = [](const std::vector<Part>& parts, const char* options) {
    return composed(parts, options).shape;
  };
  EXPECT_EQ(shape({{aic_only, 4}}, "debug-aic-num=6"), (LaunchShape{mix_aic_1_0, 6}));
  EXPECT_EQ(shape({{aic_only, 4}}, "debug-aic-num=6:debug-aiv-num=12"),
            (LaunchShape{mix_aic_1_2, 6}));
  EXPECT_EQ(shape({{aiv_only, 4}}, "debug-aiv-num=48"), (LaunchShape{mix_aiv_1_0, 48}));
  EXPECT_EQ(shape({{mix_aic_1_1, 4}}, "debug-aic-num=4:debug-aiv-num=4"),
            (LaunchShape{mix_aic_1_1, 4}));
}

TEST(LaunchShape, BadDebugNumbersAreRefused) {
  const auto rule = [](const std::vector<Part>& parts, const char* options) {
    return refusal(parts, options).rule;
  };
  EXPECT_EQ(rule({{mix_aic_1_2, 4}}, "debug-aic-num=10:debug-aiv-num=11"), RuleId::core_6);
  EXPECT_EQ(rule({{aic_only, 4}}, "debug-aic-num=25"), RuleId::core_6);
  EXPECT_EQ(rule({{aic_only, 4}}, "debug-aic-num=3"), RuleId::core_6);
  EXPECT_EQ(rule({{aiv_only, 4}}, "debug-aic-num=8"), RuleId::core_6);
  EXPECT_EQ(rule({{mix_aic_1_2, 4}}, "debug-aic-num=8:debug-aiv-num=8"), RuleId::core_6);
  EXPECT_EQ(rule({{aic_only, 25}}, ""), RuleId::core_8);
  EXPECT_EQ(rule({{mix_aic_1_2, 25}}, ""), RuleId::core_8);
  EXPECT_EQ(rule({{aic_only, 4}}, "no-such-key=1"), RuleId::fuse_3);
  EXPECT_EQ(rule({{aic_only, 4}}, "early-start=3"), RuleId::fuse_3);
}

// Recorded compositions of the composer behind GE graphs (graph-autofusion, SuperKernel JIT).
TEST(Composition, EarlyStartIsAsRecorded) {
  EXPECT_THAT(composed({{aic_only, 4}, {aiv_only, 6}}).sequence(),
              ElementsAre("run op0 AIC block_idx<4", "early_set AIC all", "early_cfg 1",
                          "early_wait(1) AIV all", "early_wait(1) AIC all",
                          "run op1 AIV aiv_linear_idx<6"));
  EXPECT_THAT(
      composed({{mix_aic_1_1, 4, false, true}, {mix_aic_1_2, 6, false, false, true}}).sequence(),
      ElementsAre("run op0 AIC block_idx<4", "run op0 AIV block_idx<4",
                  "early_set AIC block_idx>=4", "early_set AIV block_idx>=4", "early_cfg 10",
                  "early_wait(10) AIC block_idx>=6", "early_wait(10) AIV block_idx>=6",
                  "run op1 AIC block_idx<6", "run op1 AIV block_idx<6"));
  EXPECT_THAT(composed({{aiv_only, 4, false, true}, {aic_only, 6, false, false, true}}).sequence(),
              ElementsAre("run op0 AIV aiv_linear_idx<4", "early_set AIV aiv_linear_idx>=4",
                          "early_cfg 4", "early_wait(4) AIC block_idx>=6", "early_wait(4) AIV all",
                          "run op1 AIC block_idx<6"));
}

TEST(Composition, OwnCallsCountOnlyWhereTheyTakePart) {
  const std::vector<Part> own = {{aiv_only, 4, false, true, true},
                                 {aiv_only, 4, false, true, true}};
  EXPECT_TRUE(composed(own).uses[0].own_set);
  EXPECT_FALSE(composed(own).uses[0].own_wait);  // the first sub kernel waits for nothing
  EXPECT_FALSE(composed(own).uses[1].own_set);
  EXPECT_TRUE(composed(own).uses[1].own_wait);
  EXPECT_FALSE(composed(own, "early-start=2").uses[0].own_set);
  EXPECT_FALSE(composed(own, "early-start=0").uses[0].own_set);
}

TEST(Composition, BarriersWithoutEarlyStartFollowTheLaunchKind) {
  EXPECT_THAT(composed({{aic_only, 4}, {aic_only, 6}}, "early-start=0").sequence(),
              ElementsAre("run op0 AIC block_idx<4", "flag_set 11 mode0 pipe FIX @all",
                          "flag_wait 11 @all", "run op1 AIC block_idx<6"));
  EXPECT_THAT(composed({{aiv_only, 4}, {aiv_only, 6}}, "early-start=0").sequence(),
              ElementsAre("run op0 AIV aiv_linear_idx<4", "flag_set 14 mode0 pipe MTE3 @all",
                          "flag_wait 14 @all", "run op1 AIV aiv_linear_idx<6"));
  EXPECT_THAT(composed({{aiv_only, 4}, {mix_aic_1_2, 6}}, "early-start=0").sequence(),
              ElementsAre("run op0 AIV aiv_linear_idx<4", "sync_all mix @all",
                          "run op1 AIC block_idx<6", "run op1 AIV block_idx<6"));
}

TEST(Composition, FeedRecordsAreAsRecorded) {
  EXPECT_THAT(
      composed({{mix_aic_1_1, 4, true}, {mix_aic_1_2, 6}}, "feed-sync-all=1").sequence(),
      ElementsAre("feed_ws_clear AIV", "flag_set 14 mode0 pipe MTE3 @AIV", "flag_wait 14 @AIV",
                  "flag_set 12 mode2 pipe MTE3 @AIV", "flag_wait 12 @AIC", "feed on",
                  "feed_slot AIC base+0", "feed_slot AIV base+128", "run op0 AIC block_idx<4",
                  "feed_end AIC block_idx<4", "feed_complement AIC not-active",
                  "run op0 AIV block_idx<4", "feed_end AIV block_idx<4",
                  "feed_complement AIV not-active", "early_set AIC all", "early_set AIV all",
                  "early_cfg 10", "early_wait(10) AIC all", "early_wait(10) AIV all", "feed off",
                  "run op1 AIC block_idx<6", "run op1 AIV block_idx<6"));
  EXPECT_THAT(composed({{aiv_only, 12, true}, {mix_aic_1_2, 6}}, "feed-sync-all=1").sequence(),
              ::testing::Contains("feed off").Times(2));
  EXPECT_THAT(composed({{aiv_only, 11, true}, {mix_aic_1_2, 6}}, "feed-sync-all=1").sequence(),
              ::testing::Contains("feed_complement AIV not-active"));
}

TEST(Composition, DebugOptionsAddToTheBoundary) {
  EXPECT_THAT(
      composed({{aiv_only, 4}, {aiv_only, 6}}, "debug-dcci-all=1:debug-sync-all=1").sequence(),
      ElementsAre("run op0 AIV aiv_linear_idx<4", "pipe_all", "dcci_all @both",
                  "flag_set 14 mode0 pipe MTE3 @all", "flag_wait 14 @all", "early_set AIV all",
                  "early_cfg 5", "early_wait(5) AIV all", "early_wait(5) AIC all",
                  "run op1 AIV aiv_linear_idx<6", "pipe_all", "dcci_all @both",
                  "flag_set 14 mode0 pipe MTE3 @all", "flag_wait 14 @all"));
}

TEST(Composition, ListsPlaceWholeRefreshes) {
  Case test_case = case_of({{mix_aic_1_2, 2}, {aiv_only, 2}},
                           "dcci-before-kernel-start=k0:dcci-after-kernel-end=k0,k1");
  const ComposeResult result = compose(test_case, 0, {});
  const auto lines = result.launch->sequence();
  EXPECT_EQ(lines[0], "dcci_all @AIC block_idx<2");
  EXPECT_EQ(lines[1], "run op0 AIC block_idx<2");
  EXPECT_EQ(lines[2], "dcci_all @AIC block_idx<2");
  EXPECT_EQ(lines.back(), "dcci_all @AIV aiv_linear_idx<2");
  EXPECT_FALSE(result.launch->uses[0].refreshes_accesses);
  test_case.latitudes = {"L-38=all-of-kind"};
  EXPECT_EQ(compose(test_case, 0, {}).launch->sequence()[0], "dcci_all @AIC all");
}

TEST(Composition, OneCoreIsTold) {
  const Case test_case = case_of({{aiv_only, 2}, {mix_aic_1_2, 2}});
  const ComposedLaunch launch = *compose(test_case, 0, {}).launch;
  EXPECT_THAT(core_text(test_case.mix, launch, {CoreKind::aiv, 3}),
              ElementsAre("set 14 mode 0 pipe MTE3  [between sub kernels, TASK-1]",
                          "wait 14; set 12 mode 2 pipe MTE3  [between sub kernels, TASK-1]",
                          "run k1", HasSubstr("end of the launch")));
  EXPECT_THAT(core_text(test_case.mix, launch, {CoreKind::aiv, 0}), ::testing::Contains("run k0"));
}

TEST(Composition, EveryPairOfKindsBalancesItsFlags) {
  // Over one boundary each waiting core takes exactly what was raised for it.
  for (const KernelType first : all_kernel_types) {
    for (const KernelType second : all_kernel_types) {
      const int config = early_config(first, second);
      const EarlyActions cube = early_actions(config, CoreKind::aic, DefectId::none);
      const EarlyActions vector = early_actions(config, CoreKind::aiv, DefectId::none);
      const auto count = [](const EarlyActions& actions, bool is_wait, int id) {
        int n = 0;
        for (int i = 0; i < actions.count; ++i) {
          n += actions.actions[i].is_wait == is_wait && actions.actions[i].id == id ? 1 : 0;
        }
        return n;
      };
      EXPECT_EQ(count(cube, true, 11), runs_on(first, CoreKind::aic) ? 1 : 0) << config;
      EXPECT_EQ(count(vector, true, 14), runs_on(first, CoreKind::aiv) ? 1 : 0) << config;
      EXPECT_EQ(count(cube, true, 12), count(vector, false, 12)) << config;
      EXPECT_EQ(count(vector, true, 13), count(cube, false, 13)) << config;
    }
  }
}

TEST(Launches, APlanIsWrittenOut) {
  Case test_case = case_of({{aiv_only, 2}, {aiv_only, 2}});
  EXPECT_EQ(launches_of(test_case).size(), 1u);
  EXPECT_EQ(launches_of(test_case)[0].sub_kernels, (std::vector<std::int32_t>{0, 1}));
  test_case.plan.steps = {{.kind = StepKind::alone, .sub_kernels = {1, 0}},
                          {.kind = StepKind::fused, .sub_kernels = {0}}};
  const auto launches = launches_of(test_case);
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].sub_kernels, std::vector<std::int32_t>{1});
  EXPECT_EQ(launches[2].kind, StepKind::fused);
}

}  // namespace
}  // namespace skcts::emulator
