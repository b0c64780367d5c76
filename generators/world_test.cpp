#include "generators/world.h"

#include <gtest/gtest.h>

#include "generators/captured.h"
#include "generators/edit.h"
#include "generators/generate.h"
#include "generators/groups.h"
#include "generators/testing.h"
#include "generators/touches.h"
#include "spec/options.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

Case marked(std::vector<std::vector<std::string>> scopes) {
  Case c;
  for (std::vector<std::string>& scope : scopes) {
    SubKernel& s = c.mix.sub_kernels.emplace_back();
    s.name = "k" + std::to_string(c.mix.sub_kernels.size() - 1);
    s.scope = std::move(scope);
  }
  return c;
}

std::vector<std::vector<int>> subs_of(const Case& c) {
  std::vector<std::vector<int>> all;
  for (const LaunchGroup& group : launch_groups(c)) all.push_back(group.subs);
  return all;
}

using Lists = std::vector<std::vector<int>>;

TEST(Groups, TheInnermostMarkCutsTheList) {
  EXPECT_EQ(subs_of(marked({{}, {}})), (Lists{{0, 1}})) << "no mark at all: one launch";
  EXPECT_EQ(subs_of(marked({{"a"}, {"a"}, {"b"}})), (Lists{{0, 1}, {2}}));
  EXPECT_EQ(subs_of(marked({{"a"}, {}, {"a"}})), (Lists{{0}, {1}, {2}}));
  EXPECT_EQ(subs_of(marked({{"a"}, {"a", ""}, {"a"}})), (Lists{{0}, {1}, {2}}));
  EXPECT_EQ(subs_of(marked({{"a", "x"}, {"b", "x"}})), (Lists{{0, 1}}));
  EXPECT_EQ(subs_of(marked({{"a"}, {"a", "x"}})), (Lists{{0}, {1}}));
  const std::vector<LaunchGroup> groups = launch_groups(marked({{"a"}, {}}));
  EXPECT_FALSE(groups[0].alone) << "a SuperKernel of one";
  EXPECT_TRUE(groups[1].alone);
}

TEST(Groups, StepsAndThoseInsideABeside) {
  Case c = marked({{}, {}, {}});
  PlanStep first;
  first.kind = StepKind::alone;
  first.sub_kernels = {0, 1};
  PlanStep both;
  both.kind = StepKind::beside;
  PlanStep inner;
  inner.sub_kernels = {2};
  both.beside = {inner, first};
  c.plan.steps = {first, both};
  EXPECT_EQ(subs_of(c), (Lists{{0}, {1}, {2}, {0}, {1}}));
  EXPECT_FALSE(launch_groups(c)[1].beside);
  EXPECT_TRUE(launch_groups(c)[2].beside);
}

Case captured(std::vector<std::vector<std::string>> scopes) {
  Case c = marked(std::move(scopes));
  c.path = "aclgraph";
  return c;
}

TEST(Groups, NamesOfACapturedListAreASet) {
  EXPECT_EQ(subs_of(captured({{"a", "x"}, {"x", "a"}, {"x"}})), (Lists{{0, 1}, {2}}));
  EXPECT_EQ(subs_of(captured({{"a", "x"}, {"b", "x"}})), (Lists{{0}, {1}}));
  EXPECT_EQ(subs_of(captured({{"a"}, {"a", ""}, {"a"}})), (Lists{{0}, {1}, {2}}));
  EXPECT_TRUE(launch_groups(captured({{"a"}, {"a", ""}}))[1].alone);
  EXPECT_TRUE(launch_groups(captured({{"a"}, {}}))[1].alone) << "there is a name elsewhere";
  const std::vector<LaunchGroup> unnamed = launch_groups(captured({{}, {""}, {}, {}}));
  ASSERT_EQ(unnamed.size(), 3u) << "no name at all: what is fusible forms one scope";
  EXPECT_FALSE(unnamed[0].alone);
  EXPECT_TRUE(unnamed[1].alone);
  EXPECT_EQ(unnamed[2].subs, (std::vector<int>{2, 3}));
}

TEST(Groups, ACapturedListIsCutForBatchMode) {
  Case c = captured({{}, {}, {}});
  const auto shape = [&c](std::size_t k, KernelType type, int blocks, bool batch) {
    SubKernel& s = c.mix.sub_kernels[k];
    s.type = type;
    s.blocks = blocks;
    s.batch_mode = batch;
  };
  shape(0, KernelType::aiv_only, 8, false);
  shape(1, KernelType::aiv_only, 4, true);
  shape(2, KernelType::aiv_only, 4, false);
  EXPECT_EQ(subs_of(c), (Lists{{0}, {1, 2}})) << "fewer cores than what is merged";
  shape(2, KernelType::aiv_only, 5, false);
  EXPECT_EQ(subs_of(c), (Lists{{0}, {1}, {2}})) << "more cores than one in batch mode";
  shape(0, KernelType::aic_only, 2, false);
  shape(2, KernelType::aic_only, 2, false);
  EXPECT_EQ(subs_of(c), (Lists{{0, 1, 2}})) << "half its vector cores count as cube cores";
  shape(0, KernelType::aic_only, 3, false);
  EXPECT_EQ(subs_of(c), (Lists{{0}, {1, 2}}));
  c.mix.sub_kernels[1].sk_bind = sk_bind::no_batch_check;
  EXPECT_EQ(subs_of(c), (Lists{{0, 1, 2}}));
  c.path = "ge";
  c.mix.sub_kernels[1].sk_bind = 0;
  EXPECT_EQ(subs_of(c), (Lists{{0, 1, 2}})) << "the other path knows no batch mode";
}

TEST(Groups, EachByItselfTakesTheWholeChip) {
  Case c = captured({{}, {}});
  c.profile = "a2-20";
  c.mix.options = "debug_per_op_max_core_num=1";
  c.mix.sub_kernels[1].blocks = 5;
  c.mix.sub_kernels[1].batch_mode = true;
  const std::vector<LaunchGroup> groups = launch_groups(c);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].launch, (Launch{KernelType::mix_aic_1_2, 20}));
  EXPECT_EQ(groups[1].launch, (Launch{KernelType::mix_aic_1_2, 3})) << "half of 5 vector cores";
}

/// Full-core sync is complete in each launch that a captured list becomes.
TEST(World, CapturedListsKeepFullCoreSyncComplete) {
  for (std::uint64_t i = 0; i < 1500; ++i) {
    Focus focus;
    focus.path = PathWish::aclgraph;
    const Case c = generate(34, i, focus, machine("tiny"));
    const Options options = options_of(c).options.value();
    for (const LaunchGroup& group : launch_groups(c)) {
      if (group.alone) continue;
      const Launch launch = launch_of_group(c.mix, options, group);
      for (const int k : group.subs) {
        const SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(k)];
        for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
          for_each_in(s.program(kind), [&](const Instruction& in) {
            if (in.op != Op::sync_all) return;
            EXPECT_TRUE(is_full_width({s.type, s.blocks}, kind, launch)) << i << ": " << s.name;
          });
        }
      }
    }
  }
}

/// What sub kernels of two streams share, an event or their stream orders.
TEST(World, EventsOrderWhatTwoStreamsShare) {
  Focus focus;
  focus.require = {Feature::two_streams};
  int pairs = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Case c = generate(31, i, focus, machine("a2-20"));
    const Touches touches(c.mix);
    const Options options = parse_options(c.mix.options).options.value();
    for (const LaunchGroup& group : launch_groups(c)) {
      if (!is_two_stream(c.mix, options, group)) continue;
      std::vector<std::vector<bool>> before(group.subs.size(),
                                            std::vector<bool>(group.subs.size(), false));
      for (std::size_t b = 0; b < group.subs.size(); ++b) {
        const SubKernel& to = c.mix.sub_kernels[static_cast<std::size_t>(group.subs[b])];
        for (std::size_t a = b; a-- > 0;) {
          const SubKernel& from = c.mix.sub_kernels[static_cast<std::size_t>(group.subs[a])];
          bool ordered = from.stream == to.stream;
          for (const std::string& event : from.send) {
            ordered = ordered || std::count(to.recv.begin(), to.recv.end(), event) > 0;
          }
          for (std::size_t via = a + 1; via < b; ++via) {
            ordered = ordered || (before[a][via] && before[via][b]);
          }
          before[a][b] = ordered;
          if (!touches.share_data(group.subs[a], group.subs[b])) continue;
          ++pairs;
          EXPECT_TRUE(ordered) << i << ": " << from.name << " " << to.name;
        }
      }
    }
  }
  EXPECT_GT(pairs, 100);
}

TEST(Captured, RefreshesFollowUnlessTheyAreDisabled) {
  const auto around = [](std::string_view options, std::int32_t told) {
    Case c;
    c.path = "aclgraph";
    c.mix.options = options;
    const Around found = captured_refreshes("k1", told, options_of(c).options.value());
    return std::string(found.before ? "before" : "") + (found.after ? "after" : "");
  };
  EXPECT_EQ(around("", 0), "after");
  EXPECT_EQ(around("", sk_bind::disable_dcci), "");
  EXPECT_EQ(around("dcci_disable_on_kernel=k1", 0), "after") << "that list alone does nothing";
  EXPECT_EQ(around("dcci_disable_on_kernel=k1", sk_bind::disable_dcci), "");
  EXPECT_EQ(around("dcci_disable_on_kernel=k.:dcci_before_kernel_start=k1", 0), "before");
  EXPECT_EQ(around("dcci_before_kernel_start=.*", 0), "beforeafter");
  EXPECT_EQ(around("dcci_after_kernel_end=k1", sk_bind::disable_dcci), "after");
  EXPECT_EQ(around("dcci_after_kernel_end=k2", sk_bind::disable_dcci), "");
}

TEST(Captured, CallsNeedOptionAndCapability) {
  Options options;
  options.early_start = 1;
  EXPECT_TRUE(captured_call_works(Op::set_next_task_start, 2, options));
  EXPECT_FALSE(captured_call_works(Op::set_next_task_start, 1, options));
  EXPECT_TRUE(captured_call_works(Op::wait_pre_task_end, 1, options));
  options.debug_sync_all = true;
  EXPECT_FALSE(captured_call_works(Op::wait_pre_task_end, 1, options));
  options = {};
  options.early_start = 0;
  EXPECT_FALSE(captured_call_works(Op::wait_pre_task_end, 3, options));
}

TEST(World, LaunchesSideBySideShareNothing) {
  for (const Feature f : {Feature::beside_batch, Feature::beside_normal}) {
    Focus focus;
    focus.require = {f};
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Case c = generate(32, i, focus, machine("tiny"));
      const Touches touches(c.mix);
      const PlanStep& both = c.plan.steps.front();
      ASSERT_EQ(both.beside.size(), 2u) << i;
      for (const std::int32_t a : both.beside[0].sub_kernels) {
        for (const std::int32_t b : both.beside[1].sub_kernels) {
          EXPECT_FALSE(touches.share_data(a, b)) << i << ": " << a << " " << b;
        }
      }
    }
  }
}

TEST(World, StaysAwayWhereItIsAvoided) {
  Focus focus;
  focus.avoid = world_features();
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Case c = generate(33, i, focus, machine("tiny"));
    const Features found = features_of(c);
    for (std::size_t n = 0; n < feature_count; ++n) {
      const auto f = static_cast<Feature>(n);
      EXPECT_FALSE(focus.avoid.has(f) && found.has(f)) << to_string(f) << " " << i;
    }
    EXPECT_TRUE(c.plan.steps.empty() && c.mix.outside.empty());
  }
}

/// Neighbouring seeds make mixes of their own: hashed apart, none comes up twice.
TEST(World, NeighbouringSeedsShareNoMix) {
  const auto texts = [](std::uint64_t seed) {
    std::vector<Mix> all;
    for (std::uint64_t i = 0; i < 64; ++i)
      all.push_back(generate(seed, i, {}, machine("a2-20")).mix);
    return all;
  };
  const std::vector<Mix> one = texts(1);
  for (const std::uint64_t seed : {0u, 2u, 3u, 5u}) {
    for (const Mix& mix : texts(seed)) {
      EXPECT_EQ(std::count(one.begin(), one.end(), mix), 0) << seed;
    }
  }
}

}  // namespace
}  // namespace skcts::generators
