// Cases that are valid and far too large end with a reason, in bounded time and memory.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer_testing.h"

namespace skcts::explorer {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

std::string times(int count, const std::string& body) {
  return R"({"op": "Repeat", "times": )" + std::to_string(count) + R"(, "body": [)" + body + "]}";
}

std::string launches(int count) {
  std::string steps;
  for (int i = 0; i < count; ++i)
    steps += (i > 0 ? R"(, {"alone": ["k"]})" : R"({"alone": ["k"]})");
  return "[" + steps + "]";
}

std::string why(const Case& value, const Limits& limits = {}) {
  Options options;
  options.limits = limits;
  const Exploration found = explore(value, options);
  EXPECT_EQ(found.complete, found.why.empty());
  EXPECT_LE(found.peak_bytes, limits.max_bytes);
  return found.why;
}

TEST(Bounds, AThousandLaunchesAreWalked) {
  const Case value = mix(kernel("k", "AIV_ONLY", 1, "", store_one), "", launches(1000));
  const Exploration found = all(value);
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(word(value, found.outcomes[0], 1), 1U);
}

TEST(Bounds, LaunchesThatEachDoubleWhatIsLeftAreGivenUp) {
  // A flag that is left over may be there in the next launch or not (L-5): 2^999 ways.
  const Case value = mix(kernel("k", "MIX_AIC_1_1", 1, "", raise(3, "MTE3")), "", launches(10));
  EXPECT_EQ(why(value), "");
  const Case many = mix(kernel("k", "MIX_AIC_1_1", 1, "", raise(3, "MTE3")), "", launches(1000));
  EXPECT_EQ(why(many, {.max_states = 5000}), "too large: more than 5000 states");
}

TEST(Bounds, EachOutcomeTakesAllOfGm) {
  Case value =
      mix(kernel("k", "MIX_AIC_1_1", 1, wait(3) + "," + read_x, store_one + "," + raise(3, "V")));
  value.mix.regions[0].words = 1 << 22;
  ASSERT_TRUE(validate(value).empty());
  EXPECT_EQ(why(value), "");
  // Two copies while it walks, and one for each of two outcomes.
  EXPECT_EQ(why(value, {.max_bytes = std::uint64_t{60} << 20}),
            "too large: more than 62914560 bytes");
  EXPECT_EQ(why(value, {.max_bytes = std::uint64_t{16} << 20}),
            "too large: more than 16777216 bytes");
}

TEST(Bounds, MoreWordsThanAStateHasPlacesFor) {
  Case value = mix(kernel("k", "MIX_AIV_1_0", 1, "", store_one), "",
                   R"([{"host_write": "X", "values": [1]}, {"fused": ["k"]}])");
  value.mix.regions[1].words = 1 << 17;
  value.plan.steps[0].values.assign(70'000, 1);
  ASSERT_TRUE(validate(value).empty());
  EXPECT_EQ(why(value), "too large: more than 60000 words of GM that are written");
}

TEST(Bounds, MoreLocalWordsThanAStateHasPlacesFor) {
  // Every UB word that is written and read has a place on each core.
  Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "", R"(
    {"op": "Adds", "dst": {"UB": 0}, "src": {"UB": 0}, "count": 8, "value": 1})"));
  value.profile = "a3-24";
  value.mix.sub_kernels[0].aiv[0].count = 40'000;
  ASSERT_TRUE(validate(value).empty());
  EXPECT_EQ(why(value), "too large: a state of more than 60000 words");
}

TEST(Bounds, MorePiecesThanACoreHasPlacesFor) {
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "", times(20'000, store_one)));
  EXPECT_EQ(why(value), "too large: more than 60000 pieces on a core");
  EXPECT_THAT(why(value, {.max_bytes = 1 << 24}),
              StartsWith("too large: more than 16777216 bytes"));
}

TEST(Bounds, AProgramIsRefusedWhileItIsComposed) {
  // A million steps on each of two cores; the program alone would take a gigabyte.
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 2, "",
                                times(1000, times(1000, R"({"op": "PipeBarrier", "pipe": "V"})"))));
  EXPECT_THAT(why(value, {.max_bytes = 1 << 26}),
              StartsWith("too large: more than 67108864 bytes"));
}

TEST(Bounds, OneStateWithALongWayIsGivenUp) {
  // Alone on its core everything is one way, and no state of it is kept.
  const std::string all_done = R"({"op": "PipeBarrier", "pipe": "ALL"})";
  const Case value =
      mix(kernel("k", "MIX_AIV_1_0", 1, "", times(2000, store_one + "," + all_done)));
  EXPECT_EQ(why(value), "");
  EXPECT_EQ(why(value, {.max_work = 100'000}), "too large: more than 100000 steps of work");
}

TEST(Bounds, OneStateWithVeryManyStepsIsGivenUp) {
  // Two thousand copies to the same words are under way at a time: 16,000 steps that do not
  // commute.
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 1, "", times(2000, store_one)));
  EXPECT_EQ(why(value, {.max_work = 50'000'000}), "too large: more than 50000000 steps of work");
}

TEST(Bounds, BytesAreNotPassedInPlainEnumeration) {
  std::string stores;
  for (const char* const x : {"X", "Y"}) {
    stores += std::string(stores.empty() ? "" : ",") + R"({"op": "RawStore", "dst": {"gm": ")" + x +
              R"(", "at": {"core": 1}}, "value": {"core": 1, "base": 1}})";
  }
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 4, "", stores));
  Options options;
  options.reduction = Reduction::none;
  options.limits.max_bytes = 1 << 20;
  const Exploration found = explore(value, options);
  EXPECT_EQ(found.why, "too large: more than 1048576 bytes");
  EXPECT_LE(found.peak_bytes, options.limits.max_bytes);
  EXPECT_GT(found.peak_bytes, options.limits.max_bytes / 4);
  EXPECT_GT(found.states, 1000U);
}

TEST(Bounds, APipeMayRunFarAheadOfTheOneThatWaits) {
  const std::string pair = R"({"op": "SetFlag", "event": "MTE2_V", "id": 0},
                              {"op": "WaitFlag", "event": "MTE2_V", "id": 0})";
  const Case value = mix(kernel("k", "MIX_AIV_1_0", 1, "", times(600, pair)));
  EXPECT_THAT(statuses(all(value)), ElementsAre(OutcomeStatus::completed));
}

}  // namespace
}  // namespace skcts::explorer
