#include "generators/world.h"

#include <gtest/gtest.h>

#include "generators/generate.h"
#include "generators/groups.h"
#include "generators/touches.h"
#include "spec/options.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

const Profile& machine(std::string_view name) {
  const Profile* profile = find_profile(name);
  SKCTS_CHECK(profile != nullptr, "no profile {}", name);
  return *profile;
}

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
