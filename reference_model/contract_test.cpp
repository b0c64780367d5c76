#include "reference_model/contract.h"

#include <gtest/gtest.h>

#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using enum KernelType;

const Profile& full_chip() {
  return *find_profile("a2-24");
}

SubKernel sub(KernelType type, std::int32_t blocks, std::string name = "k") {
  SubKernel kernel;
  kernel.name = std::move(name);
  kernel.type = type;
  kernel.blocks = blocks;
  return kernel;
}

Mix mix_of(std::vector<SubKernel> subs) {
  Mix mix;
  mix.sub_kernels = std::move(subs);
  return mix;
}

std::vector<std::int32_t> all(const Mix& mix) {
  return effective_plan(mix, {}).steps.front().sub_kernels;
}

LaunchShape shape_of(std::vector<SubKernel> subs) {
  const Mix mix = mix_of(std::move(subs));
  return natural_shape(mix, all(mix));
}

void expect_launch(const LaunchShape& shape, KernelType type, std::int32_t blocks) {
  EXPECT_EQ(to_string(shape.type), to_string(type));
  EXPECT_EQ(shape.blocks, blocks);
  EXPECT_EQ(shape.aic_count, aic_cores(type, blocks));
  EXPECT_EQ(shape.aiv_count, aiv_cores(type, blocks));
}

TEST(LaunchShape, TakesTheMaximumOfItsSubKernels) {
  expect_launch(shape_of({sub(aiv_only, 4), sub(aiv_only, 2)}), mix_aiv_1_0, 4);
  expect_launch(shape_of({sub(mix_aiv_1_0, 3), sub(aiv_only, 5)}), mix_aiv_1_0, 5);
  expect_launch(shape_of({sub(aic_only, 7), sub(mix_aic_1_0, 2)}), mix_aic_1_0, 7);
  expect_launch(shape_of({sub(mix_aic_1_1, 6), sub(mix_aic_1_1, 9)}), mix_aic_1_1, 9);
}

TEST(LaunchShape, OneToTwoWhereVectorsAreMoreOrASubKernelAsksForIt) {
  expect_launch(shape_of({sub(mix_aic_1_2, 4)}), mix_aic_1_2, 4);
  expect_launch(shape_of({sub(aic_only, 1), sub(aiv_only, 32)}), mix_aic_1_2, 16);
  expect_launch(shape_of({sub(aic_only, 24), sub(aiv_only, 24)}), mix_aic_1_1, 24);
  expect_launch(shape_of({sub(aic_only, 2), sub(aiv_only, 3)}), mix_aic_1_2, 2);
  expect_launch(shape_of({sub(aic_only, 1), sub(aiv_only, 3)}), mix_aic_1_2, 2);
  expect_launch(shape_of({sub(mix_aic_1_1, 2), sub(aiv_only, 5)}), mix_aic_1_2, 3);
}

TEST(LaunchShape, AOneToTwoSubKernelKeepsBothVectorsBesideAWiderCube) {
  // CORE-7: here one public composer launches 1:1 x 8 and loses half of the vector work.
  expect_launch(shape_of({sub(mix_aic_1_2, 1), sub(aic_only, 8)}), mix_aic_1_2, 8);
  expect_launch(shape_of({sub(mix_aic_1_2, 4), sub(aic_only, 8)}), mix_aic_1_2, 8);
}

TEST(FusedShape, DebugNumbersSetTheLaunchWithinTheirLimits) {
  const Mix mix = mix_of({sub(mix_aic_1_1, 4), sub(aiv_only, 2)});
  const auto with = [&](int aic, int aiv) {
    Options options;
    options.debug_aic_num = aic;
    options.debug_aiv_num = aiv;
    return fused_shape(mix, all(mix), options, full_chip());
  };
  expect_launch(with(0, 0).shape, mix_aic_1_1, 4);
  expect_launch(with(4, 4).shape, mix_aic_1_1, 4);
  expect_launch(with(24, 48).shape, mix_aic_1_2, 24);
  for (const auto& [aic, aiv] : std::vector<std::pair<int, int>>{
           {3, 3}, {4, 5}, {4, 0}, {0, 4}, {25, 25}, {24, 49}, {5, 11}}) {
    const auto refused = with(aic, aiv);
    ASSERT_TRUE(refused.refusal) << aic << " " << aiv;
    EXPECT_EQ(refused.refusal->rule, RuleId::core_6);
  }
}

TEST(FusedShape, MoreCoresThanTheChipHasAreRefused) {
  const Mix fits = mix_of({sub(aiv_only, 48)});
  EXPECT_FALSE(fused_shape(fits, all(fits), {}, full_chip()).refusal);
  const Mix wide = mix_of({sub(aiv_only, 49)});
  ASSERT_TRUE(fused_shape(wide, all(wide), {}, full_chip()).refusal);
  EXPECT_EQ(fused_shape(wide, all(wide), {}, full_chip()).refusal->rule, RuleId::core_8);
  // 24 blocks of 1:2 fill the chip; beside 25 cubes the launch does not fit.
  const Mix cubes = mix_of({sub(mix_aic_1_2, 24), sub(aic_only, 25)});
  EXPECT_TRUE(fused_shape(cubes, all(cubes), {}, full_chip()).refusal);
  // Launched alone they run in waves.
  EXPECT_FALSE(alone_shape(cubes, 1, full_chip()).refusal);
  EXPECT_EQ(alone_shape(cubes, 1, full_chip()).shape.resident, 24);
  EXPECT_FALSE(alone_shape(cubes, 0, full_chip()).refusal);
  EXPECT_EQ(alone_shape(cubes, 0, full_chip()).shape.resident, 0);
}

TEST(Guards, AMixRunsOnAllVectorsOfItsBlocksAndAVectorKernelOnItsFirstOnes) {
  const LaunchShape shape = shape_of({sub(mix_aic_1_2, 4)});
  const auto running = [&](const SubKernel& kernel, CoreKind kind) {
    std::int32_t count = 0;
    for (std::int32_t c = 0; c < 8; ++c) {
      const bool there = kind == CoreKind::aiv || c < shape.aic_count;
      count += there && runs(kernel, shape, {kind, c});
    }
    EXPECT_EQ(count, running_cores(kernel, shape, kind));
    return count;
  };
  EXPECT_EQ(running(sub(aiv_only, 3), CoreKind::aiv), 3);
  EXPECT_EQ(running(sub(aiv_only, 3), CoreKind::aic), 0);
  EXPECT_EQ(running(sub(aic_only, 3), CoreKind::aic), 3);
  EXPECT_EQ(running(sub(aic_only, 3), CoreKind::aiv), 0);
  EXPECT_EQ(running(sub(mix_aic_1_1, 3), CoreKind::aic), 3);
  EXPECT_EQ(running(sub(mix_aic_1_1, 3), CoreKind::aiv), 6);
  EXPECT_EQ(running(sub(mix_aic_1_2, 2), CoreKind::aiv), 4);
  EXPECT_FALSE(runs(sub(mix_aic_1_1, 3), shape, {CoreKind::aiv, 6}));
}

TEST(Queries, BlockNumberIsTheSubKernelsTheRestIsTheLaunchs) {
  const LaunchShape shape = shape_of({sub(mix_aic_1_2, 4)});
  const SubKernel narrow = sub(mix_aic_1_1, 2);
  const CoreId core{CoreKind::aiv, 3};
  EXPECT_EQ(query_value(narrow, shape, core, Op::get_block_num), 2);
  EXPECT_EQ(query_value(narrow, shape, core, Op::get_block_idx), 3);
  EXPECT_EQ(query_value(narrow, shape, core, Op::get_sub_block_idx), 1);
  EXPECT_EQ(query_value(narrow, shape, core, Op::get_task_ratio), 2);
  EXPECT_EQ(query_value(narrow, shape, {CoreKind::aic, 1}, Op::get_task_ratio), 1);
  const LaunchShape alone = alone_shape(mix_of({narrow}), 0, full_chip()).shape;
  EXPECT_EQ(query_value(narrow, alone, {CoreKind::aiv, 1}, Op::get_block_idx), 1);
  EXPECT_EQ(query_value(narrow, alone, {CoreKind::aiv, 1}, Op::get_task_ratio), 1);
  EXPECT_EQ(indices_of(narrow, shape, core).block, 1);
}

TEST(Placement, ListsReplaceThePerAccessRefresh) {
  SubKernel kernel = sub(aiv_only, 2, "Add");
  const auto placed = [&](std::string options, bool lists_win = false) {
    return refresh_placement(kernel, *parse_options(options).options, lists_win);
  };
  EXPECT_EQ(placed(""), (RefreshPlacement{.per_access = true}));
  EXPECT_EQ(placed("dcci-before-kernel-start=Add"), (RefreshPlacement{.before = true}));
  EXPECT_EQ(placed("dcci-after-kernel-end=Mul,Add"), (RefreshPlacement{.after = true}));
  EXPECT_EQ(placed("dcci-disable-on-kernel=Add"), RefreshPlacement{});
  EXPECT_EQ(placed("dcci-before-kernel-start=Add:dcci-after-kernel-end=Add"),
            (RefreshPlacement{.before = true, .after = true}));
  EXPECT_EQ(placed("dcci-before-kernel-start=Sub"), (RefreshPlacement{.per_access = true}));
  const std::string both = "dcci-before-kernel-start=Add:dcci-disable-on-kernel=Add";
  EXPECT_EQ(placed(both, false), RefreshPlacement{});
  EXPECT_EQ(placed(both, true), (RefreshPlacement{.before = true}));
  kernel.op_type = "Other";
  EXPECT_EQ(placed("dcci-before-kernel-start=Add"), (RefreshPlacement{.per_access = true}));
}

TEST(Placement, TilingOffloadRefreshesAroundAndNeverInside) {
  SubKernel kernel = sub(aiv_only, 2, "Add");
  kernel.tiling = Tiling::offload;
  for (const char* options : {"", "dcci-before-kernel-start=Add", "dcci-disable-on-kernel=Add"}) {
    EXPECT_EQ(refresh_placement(kernel, *parse_options(options).options, false),
              (RefreshPlacement{.before = true, .after = true}))
        << options;
  }
}

TEST(Boundary, OrdersTheKindsOfTheEarlierBeforeTheKindsOfTheLater) {
  for (const KernelType earlier : all_kernel_types) {
    for (const KernelType later : all_kernel_types) {
      const LaunchShape shape = shape_of({sub(earlier, 2), sub(later, 3)});
      for (const int early_start : {1, 2}) {
        Options options;
        options.early_start = early_start;
        const BoundaryRelation relation =
            boundary_relation(sub(earlier, 2), sub(later, 3), shape, options);
        for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
          EXPECT_EQ(relation.from(kind), runs_on(earlier, kind));
          EXPECT_EQ(relation.to(kind), runs_on(later, kind));
        }
        EXPECT_FALSE(relation.drains_all);
      }
    }
  }
}

TEST(Boundary, WithoutEarlyStartAMixLaunchDrainsEverythingAndOthersTheirStorePipe) {
  Options options;
  options.early_start = 0;
  const LaunchShape mixed = shape_of({sub(aiv_only, 2), sub(aic_only, 2)});
  const BoundaryRelation full =
      boundary_relation(sub(aiv_only, 2), sub(aic_only, 2), mixed, options);
  EXPECT_TRUE(full.from_aic && full.from_aiv && full.to_aic && full.to_aiv && full.drains_all);
  const LaunchShape vectors = shape_of({sub(aiv_only, 2), sub(aiv_only, 2)});
  const BoundaryRelation one =
      boundary_relation(sub(aiv_only, 2), sub(aiv_only, 2), vectors, options);
  EXPECT_TRUE(one.from_aiv && one.to_aiv && !one.from_aic && !one.to_aic && !one.drains_all);
}

TEST(Boundary, OwnCallsTakePartOnlyWithEarlyStartOne) {
  SubKernel first = sub(aiv_only, 2);
  first.aiv = {{.op = Op::set_next_task_start, .pipe = Pipe::mte3}};
  SubKernel second = sub(aiv_only, 2);
  second.aiv = {{.op = Op::wait_pre_task_end}};
  const LaunchShape shape = shape_of({first, second});
  for (const int early_start : {0, 1, 2}) {
    Options options;
    options.early_start = early_start;
    const BoundaryRelation relation = boundary_relation(first, second, shape, options);
    EXPECT_EQ(relation.own_signal, early_start == 1);
    EXPECT_EQ(relation.own_wait, early_start == 1);
    const BoundaryRelation reversed = boundary_relation(second, first, shape, options);
    EXPECT_FALSE(reversed.own_signal || reversed.own_wait);
  }
}

TEST(Feed, OnlyForASyncAllInANarrowerSubKernelWithTheOption) {
  SubKernel kernel = sub(aiv_only, 3);
  kernel.aiv = {{.op = Op::repeat, .times = 2, .body = {{.op = Op::sync_all}}}};
  Options options;
  options.feed_sync_all = true;
  const LaunchShape wide = shape_of({kernel, sub(aiv_only, 4)});
  const LaunchShape same = shape_of({kernel, sub(aiv_only, 2)});
  EXPECT_TRUE(is_fed(kernel, wide, options));
  EXPECT_FALSE(is_fed(kernel, same, options));
  EXPECT_FALSE(is_fed(sub(aiv_only, 3), wide, options));
  // An odd count beside cube work is narrower than its launch, which rounds up.
  EXPECT_TRUE(is_fed(kernel, shape_of({kernel, sub(aic_only, 1)}), options));
  options.feed_sync_all = false;
  EXPECT_FALSE(is_fed(kernel, wide, options));
}

}  // namespace
}  // namespace skcts::model
