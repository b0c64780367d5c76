// How plans become launches, what a launch is counted with, and what is not stepped.
#include "reference_model/explorer/parts.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer_testing.h"

namespace skcts::explorer {
namespace {

using ::testing::ElementsAre;

const std::string block_num = R"({"op": "GetBlockNum"})";

std::string vector_kernel(const std::string& name, const std::string& program, int blocks = 1) {
  return kernel(name, "MIX_AIV_1_0", blocks, "", program);
}
Case three_kernels() {
  return mix(vector_kernel("k0", block_num) + "," + vector_kernel("k1", block_num) + "," +
             vector_kernel("k2", block_num));
}
std::string why(const Case& value) {
  SKCTS_CHECK(validate(value).empty(), "the case of a test is not valid");
  const Exploration found = explore(value);
  EXPECT_FALSE(found.complete);
  EXPECT_THAT(found.outcomes, testing::IsEmpty());
  return found.why;
}
/// The launch in which each sub kernel ran.
std::vector<int> launches(const Case& value) {
  SKCTS_CHECK(validate(value).empty(), "the case of a test is not valid");
  const Exploration found = all(value);
  SKCTS_CHECK(found.outcomes.size() == 1, "{} outcomes", found.outcomes.size());
  std::vector<int> seen;
  for (const QueryRecord& record : found.outcomes[0].queries) seen.push_back(record.launch);
  return seen;
}

TEST(Parts, NamesWhatItDoesNotStep) {
  Case chip = three_kernels();
  chip.profile = "tiny-950";
  EXPECT_EQ(why(chip), "not supported: the 950");
  Case beside = three_kernels();
  beside.plan.steps.resize(1);
  beside.plan.steps[0].kind = StepKind::beside;
  beside.plan.steps[0].beside.resize(2);
  beside.plan.steps[0].beside[0].sub_kernels = {0, 1};
  beside.plan.steps[0].beside[1].sub_kernels = {2};
  EXPECT_EQ(why(beside), "not supported: launches side by side");
  Case streams = three_kernels();
  streams.mix.options = "stream-fusion=1";
  streams.mix.sub_kernels[1].stream = 1;
  EXPECT_EQ(why(streams), "not supported: several streams in one launch");
  streams.mix.sub_kernels[1].stream = 0;
  EXPECT_TRUE(explore(streams).complete);
}

TEST(Parts, RefusesNeighboursOfTwoStreams) {
  Case value = three_kernels();
  value.mix.sub_kernels[1].stream = value.mix.sub_kernels[2].stream = 1;
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::refused));
  EXPECT_EQ(all(value).outcomes[0].rule, RuleId::fuse_3);
  value.mix.sub_kernels[0].stream = 1;
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::completed));
}

TEST(Parts, CutsAListByTheInnermostMark) {
  Case value = three_kernels();
  const auto marks = [&](std::vector<std::string> a, std::vector<std::string> b,
                         std::vector<std::string> c) {
    value.mix.sub_kernels[0].scope = std::move(a);
    value.mix.sub_kernels[1].scope = std::move(b);
    value.mix.sub_kernels[2].scope = std::move(c);
    return launches(value);
  };
  EXPECT_THAT(marks({"a"}, {"a"}, {"a"}), ElementsAre(0, 0, 0));
  EXPECT_THAT(marks({"a"}, {"a"}, {"b"}), ElementsAre(0, 0, 1));
  EXPECT_THAT(marks({"a"}, {}, {"a"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(marks({"a"}, {"a", ""}, {"a"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(marks({"a"}, {"a", "b"}, {"a"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(marks({"c", "b"}, {"a", "b"}, {"b"}), ElementsAre(0, 0, 0));
  EXPECT_THAT(marks({}, {}, {"a"}), ElementsAre(0, 1, 2));
}

// A store left dirty reaches GM at the end of a launch, and need not before.
TEST(Parts, AMarkEndsALaunch) {
  Case value = mix(vector_kernel("k0", R"({"op": "RawStore", "dst": {"gm": "X"}, "value": 1,
                                          "where": {"core": 0}})",
                                 2) +
                   "," +
                   vector_kernel("k1", R"(
    {"op": "ReadGmByPassDCache", "src": {"gm": "X"}, "reg": "r0", "where": {"core": 1}},
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": "r0", "where": {"core": 1}})",
                                 2));
  value.mix.sub_kernels[0].scope = {"a"};
  value.mix.sub_kernels[1].scope = {"a"};
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{1, 0}, {1, 1}}));
  value.mix.sub_kernels[1].scope = {"b"};
  EXPECT_EQ(pairs(value, 1, 2), (Pairs{{1, 1}}));
}

// SyncAll needs every core of the launch; the launch is as wide as the composer counts.
TEST(Parts, CountsTilingOffloadWithWhatTheComposerKnew) {
  Case value = mix(vector_kernel("k", R"({"op": "SyncAll"}, {"op": "GetBlockNum"})"));
  SubKernel& k = value.mix.sub_kernels[0];
  k.tiling = Tiling::offload;
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::completed));
  k.launch_blocks = 2;
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::stalled));
  value.mix.options = "feed-sync-all=1";
  const Exploration fed = all(value);
  EXPECT_THAT(statuses(fed), ElementsAre(OutcomeStatus::completed));
  EXPECT_EQ(fed.outcomes[0].queries[0].value, 1);  // GetBlockNum: its own blocks.
  value.mix.options = "";
  value.plan.steps.resize(1);
  value.plan.steps[0].kind = StepKind::alone;
  value.plan.steps[0].sub_kernels = {0};
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::completed));
}

// One vector core would do for it, but the chip's launch type is 1:2.
TEST(Parts, SeesTheIndicesOfTheCountedLaunch) {
  Case value = mix(kernel("k", "MIX_AIC_1_1", 1, "", R"({"op": "GetTaskRatio"})"));
  SubKernel& k = value.mix.sub_kernels[0];
  k.tiling = Tiling::offload;
  k.launch_type = KernelType::mix_aic_1_2;
  const Exploration found = all(value, {latitude_pin(31, "launch-ratio")});
  ASSERT_EQ(found.outcomes.size(), 1U);
  ASSERT_EQ(found.outcomes[0].queries.size(), 2U);  // Both vectors of the block.
  EXPECT_EQ(found.outcomes[0].queries[1].value, 2);
  value.profile = "a2-24";
  k.launch_blocks = 25;
  EXPECT_EQ(all(value).outcomes[0].rule, RuleId::core_8);
}

}  // namespace
}  // namespace skcts::explorer
