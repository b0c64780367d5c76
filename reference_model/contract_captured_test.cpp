// The path aclgraph: launches, refreshes, order and cuts as rules ACL-1 to ACL-9 say.
#include <gtest/gtest.h>

#include "reference_model/contract.h"
#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT
using Program = std::vector<Instruction>;

Build captured(std::string options = {}) {
  Build build(std::move(options));
  build.test_case.path = "aclgraph";
  build.region("Y", 512);
  return build;
}

TEST(Captured, ALaunchOfOneKindIsAPlainOne) {
  Build vectors = captured();
  vectors.kernel(KernelType::mix_aiv_1_0, 2, {});
  vectors.kernel(KernelType::aiv_only, 3, {});
  EXPECT_EQ(analyse(vectors.test_case).launches[0].type, KernelType::aiv_only);
  EXPECT_EQ(analyse(vectors.test_case).launches[0].blocks, 3);
  vectors.kernel(KernelType::aic_only, 4, {});
  EXPECT_EQ(analyse(vectors.test_case).launches[0].type, KernelType::mix_aic_1_1);
  Build cubes = captured();
  cubes.kernel(KernelType::mix_aic_1_0, 2, {});
  EXPECT_EQ(analyse(cubes.test_case).launches[0].type, KernelType::aic_only);
  // A 1:2 sub kernel makes the launch 1:2, however many cubes another one has.
  Build wide = captured();
  wide.kernel(KernelType::mix_aic_1_2, 1, {});
  wide.kernel(KernelType::aic_only, 8, {});
  const Analysis analysis = analyse(wide.test_case);
  EXPECT_EQ(analysis.launches[0].type, KernelType::mix_aic_1_2);
  EXPECT_EQ(analysis.launches[0].blocks, 8);
}

TEST(Captured, NoOptionIsRefused) {
  Build build = captured("early_start=7:nonsense=1:debug_sync_all=0");
  build.kernel(KernelType::aiv_only, 1, {});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.test_case.path = "ge";
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::refused);
}

TEST(Captured, BlockNumbersOfADirectlyLaunchedKernelAreTheLaunchs) {
  Build build = captured();
  build.kernel(KernelType::aiv_only, 2, {query(Op::get_block_num)});
  build.kernel(KernelType::aiv_only, 5, {});
  EXPECT_EQ(analyse(build.test_case).allowed.queries[0].record.value, 2);
  build.sub(0).direct_launch = true;
  EXPECT_EQ(analyse(build.test_case).allowed.queries[0].record.value, 5);
}

RefreshPlacement placement(std::int32_t bind, bool before, bool after, bool disabled) {
  SubKernel sub;
  sub.name = "add_1";
  sub.sk_bind = bind;
  Options options;
  const std::vector<std::string> match{"add_.*"};
  if (before) options.dcci_before_kernel_start = match;
  if (after) options.dcci_after_kernel_end = match;
  if (disabled) options.dcci_disable_on_kernel = match;
  return captured_refresh(sub, options);
}

TEST(Captured, RefreshesStandBehindWhatDoesNotDoWithout) {
  // Columns: bit 4, before, after, disabled; then whether a refresh stands before and behind.
  constexpr bool rows[][6] = {
      {false, false, false, false, false, true}, {true, false, false, false, false, false},
      {false, true, false, false, true, true},   {true, true, false, false, true, false},
      {false, false, true, false, false, true},  {true, false, true, false, false, true},
      {false, false, false, true, false, true},  {true, false, false, true, false, false},
      {false, true, false, true, true, false},   {false, false, true, true, false, true},
      {true, true, true, true, true, true},
  };
  for (const auto& row : rows) {
    const RefreshPlacement found = placement(row[0] ? 4 : 0, row[1], row[2], row[3]);
    EXPECT_FALSE(found.per_access);
    EXPECT_EQ(found.before, row[4]) << row[0] << row[1] << row[2] << row[3];
    EXPECT_EQ(found.after, row[5]) << row[0] << row[1] << row[2] << row[3];
  }
}

TEST(Captured, WhatASubKernelStoresIsSeenByTheNext) {
  // The refresh behind the first one makes its store seen; what the second one reads has been
  // refreshed only if an earlier one of its core was.
  Build build = captured();
  build.kernel(KernelType::aiv_only, 1, {raw_store(gm(0, word(0)), constant(7))});
  build.kernel(KernelType::aiv_only, 1,
               {data_copy(ub(0), gm(0, word(0))), set_flag(Pipe::mte2, Pipe::mte3),
                wait_flag(Pipe::mte2, Pipe::mte3), data_copy(gm(0, word(16)), ub(0))});
  EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  build.sub(0).sk_bind = sk_bind::disable_dcci;
  const Analysis dirty = analyse(build.test_case);
  EXPECT_EQ(dirty.behaviour, Behaviour::nondeterministic_data);
  EXPECT_EQ(dirty.rule, RuleId::cache_11);
}

TEST(Captured, EarlyStartAsksForOptionAndBit) {
  // The tail writes what the next one reads: a race where SetNextTaskStart takes part.
  for (const bool option : {false, true}) {
    for (const std::int32_t bind : {0, 1, 2}) {
      Build build = captured(option ? "early_start=1" : "");
      build.test_case.profile = "a3-24";
      build.kernel(KernelType::aiv_only, 2, Program{set_next()} + fill_out(0, per_core(8), 5));
      build.kernel(KernelType::aiv_only, 2,
                   {data_copy(ub(0), gm(0, per_core(8, 0, 1))), set_flag(Pipe::mte2, Pipe::mte3),
                    wait_flag(Pipe::mte2, Pipe::mte3), data_copy(gm(0, per_core(8, 64)), ub(0))});
      build.sub(0).sk_bind = bind;
      const Analysis analysis = analyse(build.test_case);
      const bool overlaps = option && bind == 2;
      EXPECT_EQ(analysis.rule == RuleId::task_5, overlaps) << option << bind;
    }
  }
}

/// The launches of a list, as numbers of sub kernels.
std::vector<std::size_t> cuts(const Build& build) {
  std::vector<std::size_t> sizes;
  for (const LaunchShape& shape : analyse(build.test_case).launches) {
    sizes.push_back(shape.sub_kernels.size());
  }
  return sizes;
}

TEST(Captured, BatchModeIsCutOffFromOtherWidths) {
  using Sizes = std::vector<std::size_t>;
  const auto list = [](std::initializer_list<std::pair<int, bool>> vectors) {
    Build build = captured();
    for (const auto& [blocks, batch] : vectors) {
      build.kernel(KernelType::aiv_only, blocks, {});
      build.test_case.mix.sub_kernels.back().batch_mode = batch;
    }
    return build;
  };
  EXPECT_EQ(cuts(list({{4, false}, {8, false}, {2, false}})), (Sizes{3}));
  EXPECT_EQ(cuts(list({{4, false}, {8, true}})), (Sizes{2}));     // wider than all before
  EXPECT_EQ(cuts(list({{8, false}, {4, true}})), (Sizes{1, 1}));  // drops
  EXPECT_EQ(cuts(list({{4, true}, {8, false}})), (Sizes{1, 1}));  // rises
  EXPECT_EQ(cuts(list({{8, true}, {4, false}, {8, true}})), (Sizes{3}));
  Build told = list({{8, false}, {4, true}});
  told.sub(1).sk_bind = sk_bind::no_batch_check;
  EXPECT_EQ(cuts(told), (Sizes{2}));
  // A vector kernel in batch mode counts with half as many cubes.
  Build cubes = list({{4, true}});
  cubes.kernel(KernelType::aic_only, 2, {});
  EXPECT_EQ(cuts(cubes), (Sizes{2}));
  cubes.kernel(KernelType::aic_only, 3, {});
  EXPECT_EQ(cuts(cubes), (Sizes{2, 1}));
}

TEST(Captured, EachByItselfOnRequest) {
  Build build = captured("debug_per_op_max_core_num=1");
  build.kernel(KernelType::aiv_only, 3, {});
  build.kernel(KernelType::aiv_only, 5, {});
  build.sub(1).batch_mode = true;
  const Analysis analysis = analyse(build.test_case);
  ASSERT_EQ(analysis.launches.size(), 2u);
  EXPECT_EQ(analysis.launches[0].type, KernelType::mix_aic_1_2);
  EXPECT_EQ(analysis.launches[0].blocks, 24);
  EXPECT_EQ(analysis.launches[1].blocks, 3);
}

TEST(Captured, StreamsAreFusedWhateverTheOptionSays) {
  for (const char* options : {"", "stream_fusion=0"}) {
    Build build = captured(options);
    build.kernel(KernelType::aiv_only, 1, fill_out(0, word(0), 5));
    build.kernel(KernelType::aiv_only, 1, fill_out(0, word(32), 6));
    build.sub(1).stream = 1;
    EXPECT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
    EXPECT_EQ(cuts(build), std::vector<std::size_t>{2});
  }
}

TEST(Captured, DebugSyncJoinsAllCoresAndStandsInsteadOfTheOthers) {
  Build build = captured("debug_sync_all=1");
  build.kernel(KernelType::aiv_only, 2, fill_out(0, per_core(8), 5));
  build.kernel(KernelType::aiv_only, 2, {});
  const Analysis analysis = analyse(build.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::completes);
  ASSERT_EQ(analysis.allowed.counts.size(), 1u);
  EXPECT_EQ(analysis.allowed.counts[0].inserted[0].barrier_debug, 2);
  EXPECT_EQ(analysis.allowed.counts[0].inserted[1].barrier_before, 0);
}

}  // namespace
}  // namespace skcts::model
