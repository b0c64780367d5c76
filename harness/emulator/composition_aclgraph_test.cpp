// The composer of captured graphs: launch, numbers, early start, refreshes, cuts (ACL-1 to ACL-9).
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;
using enum KernelType;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

constexpr auto vec = mix_aiv_1_0;
constexpr auto cube = mix_aic_1_0;

Case captured(std::vector<SubKernel> sub_kernels, std::string options = "") {
  Case result = fused({region("A", 64, 1, 1), region("B", 64), region("C", 64)},
                      std::move(sub_kernels), std::move(options));
  result.path = "aclgraph";
  return result;
}

ComposedLaunch composed(const Case& test_case) {
  ComposeResult result = compose(test_case, 0, {});
  EXPECT_TRUE(result.launch.has_value()) << result.refusal.reason;
  return result.launch.value_or(ComposedLaunch{});
}

std::string shape_of(std::vector<SubKernel> sub_kernels, std::string options = "") {
  const LaunchShape shape = composed(captured(std::move(sub_kernels), std::move(options))).shape;
  return fmt::format("{} x {}", to_string(shape.type), shape.blocks);
}

SubKernel plain(KernelType type, int blocks) {
  return kernel("k", type, blocks, {});
}

TEST(CapturedGraph, ALaunchOfOneKindIsAPlainOne) {
  EXPECT_EQ(shape_of({plain(vec, 2), plain(vec, 3)}), "AIV_ONLY x 3");
  EXPECT_EQ(shape_of({plain(aic_only, 2)}), "AIC_ONLY x 2");
  EXPECT_EQ(shape_of({plain(aic_only, 2), plain(vec, 2)}), "MIX_AIC_1_1 x 2");
  EXPECT_EQ(shape_of({plain(aic_only, 1), plain(vec, 3)}), "MIX_AIC_1_2 x 2");
  EXPECT_EQ(shape_of({plain(aic_only, 2), plain(mix_aic_1_2, 1)}), "MIX_AIC_1_2 x 2");
}

TEST(CapturedGraph, NoOptionIsRefused) {
  for (const char* options : {"early_start=7", "no_such_key=1", "early-start=1", "split_mode=9",
                              "early_start=1:early_start=0"}) {
    EXPECT_TRUE(compose(captured({plain(vec, 2)}, options), 0, {}).launch.has_value()) << options;
  }
}

TEST(CapturedGraph, GetBlockNumIsTheLaunchsInADirectlyLaunchedKernel) {
  for (const bool direct : {false, true}) {
    Case test_case = captured({kernel("k0", vec, 2, {make(Op::get_block_num)}), plain(vec, 4)});
    test_case.mix.sub_kernels[0].direct_launch = direct;
    Emulator emulator({});
    const Outcome outcome = emulator.run(test_case, {}).outcome;
    ASSERT_EQ(outcome.queries.size(), 2u) << outcome.reason;
    for (const QueryRecord& query : outcome.queries) EXPECT_EQ(query.value, direct ? 4 : 2);
    emulator.run(alone(test_case), {});
    EXPECT_EQ(emulator.run(alone(test_case), {}).outcome.queries.front().value, 2);
  }
}

/// Both cores of k1 read in front of WaitPreTaskEnd what the other core of k0 stores.
Case early(std::int32_t former, std::int32_t latter, std::string options) {
  const Program head = Program{copy(ub(0), gm(1, shifted_core(8, 1)))} + handed(mte2, mte3) +
                       Program{copy(gm(2, by_core(8)), ub(0)), make(Op::wait_pre_task_end)};
  Instruction set = make(Op::set_next_task_start);
  set.pipe = mte3;
  set.aic_pipe = fix;
  Case test_case = captured(
      {kernel("k0", vec, 2, put(gm(1, by_core(8)), 5) + Program{set}), kernel("k1", vec, 2, head)},
      std::move(options));
  test_case.mix.sub_kernels[0].sk_bind = former;
  test_case.mix.sub_kernels[1].sk_bind = latter;
  return test_case;
}

std::set<std::uint32_t> seen_by_the_head(const Case& test_case) {
  std::set<std::uint32_t> seen;
  Emulator emulator({});
  run_all(emulator, test_case, 10, [&](const Outcome& outcome, const std::string& how) {
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << outcome.reason;
    for (const std::uint32_t word : words_of(test_case, outcome, 2, 0, 16)) seen.insert(word);
  });
  return seen;
}

TEST(CapturedGraph, AHeadRunsEarlyWithOptionAndCapabilityOnly) {
  constexpr auto waits = sk_bind::early_start_wait;
  constexpr auto sets = sk_bind::early_start_set;
  EXPECT_THAT(seen_by_the_head(early(0, 0, "early_start=1")), ElementsAre(5u));
  EXPECT_THAT(seen_by_the_head(early(sets, waits, "")), ElementsAre(5u));
  EXPECT_THAT(seen_by_the_head(early(sets, waits, "early_start=1:debug_sync_all=1")),
              ElementsAre(5u));
  EXPECT_THAT(seen_by_the_head(early(sets, sets, "early_start=1")), ElementsAre(5u));
  EXPECT_THAT(seen_by_the_head(early(sets, waits, "early_start=1")), IsSupersetOf({0u, 5u}));
}

/// "before" and "after", as the launch refreshes around k.
std::string refreshes(std::int32_t told, std::string options) {
  Case test_case = captured({plain(vec, 2), plain(vec, 3)}, std::move(options));
  test_case.mix.sub_kernels[0].sk_bind = told;
  test_case.mix.sub_kernels[1].name = "other";
  const ComposedLaunch launch = composed(test_case);
  std::string text;
  for (const ComposedStep& step : launch.steps) {
    if (step.kind != ComposedKind::refresh_all || step.op != 0) continue;
    EXPECT_EQ(step.guard.bound, 2) << "its own cores only";
    text += step.purpose == Purpose::before ? "before " : "after ";
  }
  EXPECT_FALSE(launch.uses[0].refreshes_accesses);
  return text;
}

TEST(CapturedGraph, ARefreshFollowsEachSubKernelThatDoesNotDoWithout) {
  constexpr auto told = sk_bind::disable_dcci;
  EXPECT_EQ(refreshes(0, ""), "after ");
  EXPECT_EQ(refreshes(told, ""), "");
  EXPECT_EQ(refreshes(told, "dcci_after_kernel_end=k"), "after ");
  EXPECT_EQ(refreshes(0, "dcci_disable_on_kernel=k"), "after ");
  EXPECT_EQ(refreshes(told, "dcci_disable_on_kernel=k"), "");
  EXPECT_EQ(refreshes(0, "dcci_disable_on_kernel=k:dcci_before_kernel_start=k"), "before ");
  EXPECT_EQ(refreshes(0, "dcci_before_kernel_start=k"), "before after ");
  EXPECT_EQ(refreshes(told, "dcci_before_kernel_start=..*:dcci_after_kernel_end=kk*"),
            "before after ");
  EXPECT_EQ(refreshes(told, "dcci_before_kernel_start=*k:dcci_after_kernel_end=kk"), "");
}

TEST(CapturedGraph, BatchModeCutsWhereCoresFallOrRise) {
  Case test_case = captured({plain(vec, 2), plain(vec, 4), plain(vec, 4), plain(vec, 2)});
  EXPECT_THAT(cut(test_case), ElementsAre("fused 0 1 2 3"));
  test_case.mix.sub_kernels[3].batch_mode = true;
  EXPECT_THAT(cut(test_case), ElementsAre("fused 0 1 2", "fused 3"));
  test_case.mix.sub_kernels[0].batch_mode = true;
  EXPECT_THAT(cut(test_case), ElementsAre("fused 0", "fused 1 2", "fused 3"));
  test_case.mix.sub_kernels[0].sk_bind = sk_bind::no_batch_check;
  EXPECT_THAT(cut(test_case), ElementsAre("fused 0 1 2", "fused 3"));
  // One cube core counts with two vector cores.
  Case mixed = captured({plain(vec, 2), plain(cube, 1)});
  mixed.mix.sub_kernels[1].batch_mode = true;
  EXPECT_THAT(cut(mixed), ElementsAre("fused 0 1"));
  mixed.mix.sub_kernels[0].blocks = 3;
  EXPECT_THAT(cut(mixed), ElementsAre("fused 0", "fused 1"));
}

TEST(CapturedGraph, WithoutAnyNameOneScopeHoldsAllThatMayBeFused) {
  Case test_case = captured({plain(vec, 2), plain(vec, 2), plain(vec, 2), plain(vec, 2)});
  test_case.mix.sub_kernels[2].scope = {""};
  EXPECT_THAT(cut(test_case), ElementsAre("fused 0 1", "alone 2", "fused 3"));
  test_case.mix.sub_kernels[1].scope = {"a"};
  EXPECT_THAT(cut(test_case), ElementsAre("alone 0", "fused 1", "alone 2", "alone 3"));
}

TEST(CapturedGraph, EachByItselfIsLaunchedOnTheWholeChip) {
  Case test_case = captured({plain(vec, 3), plain(vec, 3)}, "debug_per_op_max_core_num=1");
  test_case.mix.sub_kernels[1].batch_mode = true;
  EXPECT_THAT(cut(test_case), ElementsAre("fused 0", "fused 1"));
  const Profile& profile = *find_profile(test_case.profile);
  const LaunchShape whole = compose(test_case, 0, {}).launch->shape;
  EXPECT_EQ(whole, (LaunchShape{mix_aic_1_2, profile.aic_count}));
  EXPECT_EQ(compose(test_case, 1, {}).launch->shape, (LaunchShape{mix_aic_1_2, 2}));
  test_case.mix.sub_kernels[1].sk_bind = sk_bind::no_batch_check;
  EXPECT_EQ(compose(test_case, 1, {}).launch->shape, whole) << "no longer in batch mode";
}

/// The core that comes next reads what each core stored; k2 sees what k0 stored in `B`.
TEST(CapturedGraph, OneAfterTheOtherInEveryPairAndUnderEveryOption) {
  const auto cube_put = Program{produce(3)} + handed(m, fix) + Program{fixpipe(gm(1, by_block(8)))};
  const auto cube_get = Program{copy(in(Space::l1), gm(1, Expr{.block = 8, .shift = 1}))} +
                        handed(mte2, mte3) + Program{copy(gm(2, by_block(8)), in(Space::l1))};
  const auto side_put = put(gm(1, by_block(8)), 6);
  const auto side_get = move(gm(2, by_block(8)), gm(1, Expr{.block = 8, .shift = 1}));
  for (const char* options : {"", "debug_sync_all=1", "early_start=1", "stream_fusion=0"}) {
    for (const KernelType first : {vec, cube, mix_aic_1_1}) {
      for (const KernelType second : {vec, cube}) {
        Case test_case = captured({kernel("k0", first, 2, is_aiv_kind(first) ? side_put : Program{},
                                          is_aiv_kind(first) ? Program{} : cube_put),
                                   kernel("k1", second, 2, side_get, cube_get)},
                                  options);
        Emulator emulator({});
        std::set<std::vector<std::uint32_t>> results;
        run_all(emulator, test_case, 6, [&](const Outcome& outcome, const std::string& how) {
          EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << outcome.reason;
          results.insert(words_of(test_case, outcome, 2, 0, 16));
        });
        EXPECT_EQ(results.size(), 1u) << options << to_string(first) << to_string(second);
        EXPECT_THAT(*results.begin(), Not(Contains(0u)));
      }
    }
  }
}

TEST(CapturedGraph, StreamsAreFusedWhateverTheOptionSays) {
  for (const char* options : {"", "stream_fusion=0"}) {
    for (const bool event : {false, true}) {
      Case test_case = captured({kernel("k0", vec, 2, put(gm(1, by_core(8)), 5)),
                                 kernel("k1", vec, 2, move(gm(2, by_core(8)), gm(1)))},
                                options);
      test_case.mix.sub_kernels[1].stream = 1;
      if (event) {
        test_case.mix.sub_kernels[0].send = {"e"};
        test_case.mix.sub_kernels[1].recv = {"e"};
      }
      ASSERT_EQ(cut(test_case).size(), 1u);
      std::set<std::uint32_t> seen;
      Emulator emulator({});
      run_all(emulator, test_case, 10, [&](const Outcome& outcome, const std::string& how) {
        EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << outcome.reason;
        seen.insert(words_of(test_case, outcome, 2, 8, 1).front());
      });
      if (event) {
        EXPECT_THAT(seen, ElementsAre(5u));
      } else {
        EXPECT_THAT(seen, IsSupersetOf({0u, 5u})) << "nothing orders them";
      }
    }
  }
}

}  // namespace
}  // namespace skcts::emulator
