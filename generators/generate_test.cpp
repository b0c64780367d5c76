#include "generators/generate.h"

#include <map>

#include <gtest/gtest.h>

#include "generators/edit.h"
#include "generators/shares.h"
#include "generators/testing.h"
#include "generators/world.h"
#include "spec/case_id.h"
#include "spec/case_text.h"
#include "spec/options.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

std::string first_error(const Case& c) {
  const auto errors = validate(c);
  return errors.empty() ? "" : to_string(errors.front());
}

// The cases of a campaign are known by seed and index only: a change of the generator is a change
// of all stored campaigns, and this digest is how one notices.
TEST(Generate, TheFirstThousandCasesArePinned) {
  std::string ids;
  for (std::uint64_t i = 0; i < 1000; ++i) ids += case_id(generate(1, i, {}, machine("a2-24")));
  EXPECT_EQ(text_hash(ids), 3852904035978798029ull);
}

TEST(Generate, ACaseDependsOnItsArgumentsAlone) {
  const Profile& p = machine("a2-24");
  const Case alone = generate(7, 5, {}, p);
  for (std::uint64_t i = 0; i < 10; ++i) (void)generate(7, i, {}, p);
  EXPECT_EQ(generate(7, 5, {}, p), alone);
  EXPECT_NE(case_id(generate(8, 5, {}, p)), case_id(alone));
  EXPECT_NE(case_id(generate(7, 6, {}, p)), case_id(alone));
  EXPECT_NE(case_id(generate(7, 5, {.require = {Feature::poll}}, p)), case_id(alone));
}

TEST(Generate, ProvenanceNamesSeedAndIndex) {
  const Case c = generate(3, 14, {}, machine("tiny"));
  ASSERT_TRUE(c.provenance.has_value());
  EXPECT_EQ(c.provenance->seed, 3u);
  EXPECT_EQ(c.provenance->index, 14u);
  EXPECT_EQ(c.profile, "tiny");
}

TEST(Generate, EveryCaseIsValidOnEveryMachine) {
  for (const Profile& p : profiles()) {
    for (std::uint64_t i = 0; i < 1500; ++i) {
      const Case c = generate(11, i, {}, p);
      ASSERT_EQ(first_error(c), "") << p.name << " " << i;
      ASSERT_TRUE(options_of(c).options.has_value()) << c.mix.options;
    }
  }
}

TEST(Generate, EveryCaseComesBackFromItsText) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Case c = generate(12, i, {}, machine("a2-24"));
    const Result<Case> again = read_case(write_case(c), "case.json");
    ASSERT_TRUE(again.ok()) << to_string(again.error());
    ASSERT_EQ(*again, c) << i;
  }
}

TEST(Generate, EverySizeKeepsItsBounds) {
  const Profile& p = machine("a2-24");
  for (std::uint64_t i = 0; i < 300; ++i) {
    Focus f;
    f.size = Size::tiny;
    EXPECT_LE(features_of(generate(1, i, f, p)).launch_cores, 3);
    f.size = Size::small;
    EXPECT_LE(features_of(generate(1, i, f, p)).launch_cores, 20);
    f.min_sub_kernels = 4;
    f.max_sub_kernels = 5;
    const Features some = features_of(generate(1, i, f, p));
    EXPECT_GE(some.sub_kernels, 4);
    EXPECT_LE(some.sub_kernels, 7);  // an anchor of the launch may be added
  }
}

/// A machine that has the feature.
const Profile& machine_with(Feature feature) {
  const Profile& usual = machine("a2-24");
  return exists_on(feature, usual) ? usual : machine("950-28");
}

class EveryFeature : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryFeature, CanBeAskedFor) {
  const auto feature = static_cast<Feature>(GetParam());
  Focus f;
  f.require = {feature};
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Case c = generate(2, i, f, machine_with(feature));
    EXPECT_TRUE(features_of(c).set.contains(f.require)) << i;
    EXPECT_EQ(first_error(c), "") << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryFeature, testing::Range(std::size_t{0}, feature_count),
                         [](const testing::TestParamInfo<std::size_t>& which) {
                           std::string name(to_string(static_cast<Feature>(which.param)));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(Focus, EveryRuleHasMixesThatExerciseIt) {
  for (const Rule& r : rules()) {
    const Focus f = focus_for(r.id);
    for (std::uint64_t i = 0; i < 20; ++i) {
      const bool is_3510 = r.id == RuleId::sync_15;
      const Case c = generate(4, i, f, machine(is_3510 ? "950-28" : "a2-24"));
      EXPECT_TRUE(features_of(c).set.contains(f.require)) << r.name << " " << i;
    }
  }
}

/// Of the mixes without a required feature some are for the path aclgraph; those for the path ge
/// are the same whether the other one is wanted or not.
TEST(Focus, ThePathIsAWish) {
  Focus ge;
  ge.path = PathWish::ge;
  Focus captured;
  captured.path = PathWish::aclgraph;
  int both = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Case any = generate(8, i, {}, machine("a2-24"));
    EXPECT_EQ(generate(8, i, ge, machine("a2-24")).path, "ge");
    EXPECT_EQ(generate(8, i, captured, machine("a2-24")).path, "aclgraph");
    EXPECT_EQ(any, generate(8, i, any.path == "ge" ? ge : captured, machine("a2-24"))) << i;
    both += any.path == "ge" ? 0 : 1;
    EXPECT_EQ(generate(8, i, {.require = {Feature::poll}}, machine("a2-24")).path, "ge");
  }
  EXPECT_GT(both, 20);
}

TEST(Focus, SeveralFeaturesComeTogether) {
  Focus f;
  f.require = {Feature::sync_all_fed,          Feature::early_both,
               Feature::option_debug_sync_all, Feature::hand_over_before,
               Feature::one_to_one_at_1_2,     Feature::atomic_add};
  for (std::uint64_t i = 0; i < 30; ++i) {
    EXPECT_TRUE(features_of(generate(6, i, f, machine("a2-24"))).set.contains(f.require)) << i;
  }
}

TEST(Focus, AvoidedStagesStayAway) {
  Focus f;
  f.avoid = {Feature::sync_all_vector, Feature::sync_all_both, Feature::hand_made_full_core,
             Feature::matmul,          Feature::poll,          Feature::tiling_offload};
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Features found = features_of(generate(6, i, f, machine("a2-24")));
    for (std::size_t n = 0; n < feature_count; ++n) {
      const auto feature = static_cast<Feature>(n);
      EXPECT_FALSE(f.avoid.has(feature) && found.has(feature)) << to_string(feature) << " " << i;
    }
  }
}

TEST(Shares, EveryKindOfThingIsCommonEnough) {
  const Shares s = shares_of(1, 20000, {}, machine("a2-24"));
  EXPECT_GE(s.median_sub_kernels(), 3);
  EXPECT_GE(s.median_instructions(), 60);
  for (auto f = Feature::aiv_only; f <= Feature::mix_aic_1_2;
       f = static_cast<Feature>(static_cast<int>(f) + 1)) {
    EXPECT_GE(s.share(f), 0.20) << to_string(f);
  }
  const FeatureSet large = {Feature::full_chip, Feature::second_wave};
  const FeatureSet world = world_features();
  EXPECT_GE(s.share(Feature::aclgraph), 0.1);
  for (std::size_t n = 0; n < feature_count; ++n) {
    const auto f = static_cast<Feature>(n);
    if (!exists_on(f, machine("a2-24"))) continue;
    const double least = large.has(f)      ? 0.002
                         : is_captured(f) ? 0.003
                         : world.has(f)   ? 0.012
                                          : 0.03;
    EXPECT_GE(s.share(f), least) << to_string(f);
  }
}

TEST(Shares, WhatThe950AddsIsCommonEnough) {
  const Shares s = shares_of(1, 5000, {}, machine("950-28"));
  for (const Feature f : {Feature::mode_4, Feature::wait_on_pipe, Feature::waits_on_two_pipes,
                          Feature::two_flags, Feature::soft_sync_all}) {
    EXPECT_GE(s.share(f), 0.01) << to_string(f);
  }
}

/// A core of the 950 waits for an id from one pipe, in the whole mix (SYNC-15).
TEST(WaitsOnAPipe, AreOneForACoreKindAndAnId) {
  for (std::uint64_t i = 0; i < 500; ++i) {
    Focus focus;
    focus.require = {Feature::wait_on_pipe};
    const Case c = generate(13, i, focus, machine("950-28"));
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      std::map<int, Pipe> waits;
      for (const SubKernel& sub : c.mix.sub_kernels) {
        for_each_in(sub.program(kind), [&](const Instruction& in) {
          if (in.op != Op::cross_core_wait_flag) return;
          EXPECT_EQ(waits.try_emplace(in.id, in.pipe).first->second, in.pipe) << i;
        });
      }
    }
  }
}

TEST(FeatureNames, AreUniqueAndFound) {
  for (std::size_t n = 0; n < feature_count; ++n) {
    const auto f = static_cast<Feature>(n);
    EXPECT_EQ(find_feature(to_string(f)), f);
  }
  EXPECT_FALSE(find_feature("no-such-feature").has_value());
}

}  // namespace
}  // namespace skcts::generators
