#include "generators/reductions.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::generators {
namespace {

Case parsed(const std::string& sub_kernels, const std::string& plan = "") {
  const auto read = read_case(R"({"format": 1, "profile": "tiny", "mix": {
    "regions": [{"name": "X", "words": 16}], "sub_kernels": [)" +
                                  sub_kernels + "]}" + plan + "}",
                              "test");
  return *read;
}

constexpr const char* pair_of_flags = R"({"name": "k0", "type": "MIX_AIV_1_0", "blocks": 2, "aiv": [
  {"op": "CrossCoreSetFlag", "mode": 0, "pipe": "MTE3", "id": 1},
  {"op": "CrossCoreWaitFlag", "pipe": "S", "id": 1},
  {"op": "Repeat", "times": 2, "body": [
    {"op": "DataCopy", "dst": {"UB": 0}, "src": {"gm": "X"}, "count": 16}]}]})";

TEST(Reductions, AreEachOneThingSmallerAndValid) {
  const Case value = parsed(pair_of_flags);
  const std::vector<Case> all = single_reductions(value);
  const auto some = [&](const auto& test) { return std::ranges::any_of(all, test); };
  const auto kernel = [](const Case& c) -> const SubKernel& { return c.mix.sub_kernels[0]; };
  EXPECT_TRUE(some([&](const Case& c) { return kernel(c).blocks == 1; }));
  EXPECT_TRUE(some([&](const Case& c) { return kernel(c).aiv.size() == 1; }));  // The flag.
  EXPECT_TRUE(some([&](const Case& c) { return kernel(c).aiv.size() == 2; }));
  EXPECT_TRUE(some([&](const Case& c) {
    return kernel(c).aiv.size() == 3 && kernel(c).aiv[0].id == 0 && kernel(c).aiv[1].id == 0;
  }));
  EXPECT_TRUE(some([&](const Case& c) { return kernel(c).aiv.back().times == 1; }));
  EXPECT_TRUE(some([&](const Case& c) {
    const auto& body = kernel(c).aiv.back().body;
    return !body.empty() && body[0].count == 8;
  }));
  EXPECT_TRUE(some([&](const Case& c) { return kernel(c).aiv.back().body.empty(); }));
  for (const Case& c : all) {
    EXPECT_TRUE(validate(c).empty()) << write_case(c);
    EXPECT_NE(c, value);
  }
}

TEST(Reductions, ASubKernelLeavesThePlan) {
  const Case value = parsed(R"({"name": "a", "type": "AIV_ONLY", "blocks": 1},
                               {"name": "b", "type": "AIV_ONLY", "blocks": 1})",
                            R"(, "plan": [{"alone": ["a"]}, {"fused": ["b"]}])");
  bool found = false;
  for (const Case& c : single_reductions(value)) {
    if (c.mix.sub_kernels.size() != 1 || c.mix.sub_kernels[0].name != "b") continue;
    found = true;
    ASSERT_EQ(c.plan.steps.size(), 1u);
    EXPECT_EQ(c.plan.steps[0].sub_kernels, std::vector<std::int32_t>{0});
  }
  EXPECT_TRUE(found);
}

TEST(Reductions, TheSmallestCaseHasNone) {
  Case value = parsed(R"({"name": "a", "type": "AIV_ONLY", "blocks": 1})");
  value.mix.regions.clear();
  EXPECT_TRUE(single_reductions(value).empty());
}

}  // namespace
}  // namespace skcts::generators
