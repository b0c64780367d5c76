#include "generators/launch.h"

#include <vector>

#include <gtest/gtest.h>

namespace skcts::generators {
namespace {

using enum KernelType;

TEST(Launch, OneKindKeepsItsKind) {
  EXPECT_EQ(natural_launch(std::vector<Shape>{{aiv_only, 3}, {mix_aiv_1_0, 5}}),
            (Launch{mix_aiv_1_0, 5}));
  EXPECT_EQ(natural_launch(std::vector<Shape>{{aic_only, 4}, {mix_aic_1_0, 2}}),
            (Launch{mix_aic_1_0, 4}));
}

TEST(Launch, VectorWorkWithinTheCubesIsOneToOne) {
  EXPECT_EQ(natural_launch(std::vector<Shape>{{aic_only, 4}, {aiv_only, 4}}),
            (Launch{mix_aic_1_1, 4}));
  EXPECT_EQ(natural_launch(std::vector<Shape>{{mix_aic_1_1, 3}}), (Launch{mix_aic_1_1, 3}));
}

TEST(Launch, MoreVectorWorkRoundsUpToPairs) {
  EXPECT_EQ(natural_launch(std::vector<Shape>{{aic_only, 1}, {aiv_only, 3}}),
            (Launch{mix_aic_1_2, 2}));
  EXPECT_EQ(natural_launch(std::vector<Shape>{{aic_only, 1}, {aiv_only, 32}}),
            (Launch{mix_aic_1_2, 16}));
}

TEST(Launch, AMixOneTwoGetsItsVectorCores) {
  EXPECT_EQ(natural_launch(std::vector<Shape>{{mix_aic_1_2, 1}, {aic_only, 8}}),
            (Launch{mix_aic_1_2, 8}));
}

TEST(Launch, DebugNumbersReplaceIt) {
  Options o;
  o.debug_aic_num = 6;
  o.debug_aiv_num = 12;
  EXPECT_EQ(launch_of(std::vector<Shape>{{mix_aic_1_1, 3}}, o), (Launch{mix_aic_1_2, 6}));
  o.debug_aiv_num = 6;
  EXPECT_EQ(launch_of(std::vector<Shape>{{mix_aic_1_1, 3}}, o), (Launch{mix_aic_1_1, 6}));
  o.debug_aiv_num = 0;
  EXPECT_EQ(launch_of(std::vector<Shape>{{aic_only, 3}}, o), (Launch{mix_aic_1_0, 6}));
}

TEST(Launch, FullWidthCountsTheRounding) {
  const Launch four_vectors{mix_aic_1_2, 2};
  EXPECT_FALSE(is_full_width({mix_aiv_1_0, 3}, CoreKind::aiv, four_vectors));
  EXPECT_TRUE(is_full_width({mix_aiv_1_0, 4}, CoreKind::aiv, four_vectors));
  EXPECT_TRUE(is_full_width({mix_aic_1_1, 2}, CoreKind::aiv, four_vectors));
  EXPECT_FALSE(is_full_width({mix_aic_1_1, 1}, CoreKind::aic, four_vectors));
  EXPECT_FALSE(is_full_width({aiv_only, 4}, CoreKind::aic, four_vectors));
}

}  // namespace
}  // namespace skcts::generators
