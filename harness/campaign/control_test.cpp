// Names of what a case may have, one by one and put together.
#include "harness/campaign/control.h"

#include <gtest/gtest.h>

namespace skcts::campaign {
namespace {

Case sample() {
  Case c;
  c.profile = "tiny";
  c.mix.options = "feed-sync-all=1";
  SubKernel cube{.name = "k0", .type = KernelType::aic_only, .blocks = 1};
  SubKernel vector{.name = "k1", .type = KernelType::aiv_only, .blocks = 2};
  vector.aiv.push_back({.op = Op::sync_all});
  c.mix.sub_kernels = {cube, vector};
  return c;
}

TEST(Control, LooksForEachKindOfName) {
  const Case c = sample();
  const Marks marks(c);
  for (const char* name : {"op:SyncAll", "option:feed-sync-all", "pair:aic-aiv", "boundary",
                           "fused", "unequal-widths", "aiv-only", "flags"}) {
    EXPECT_FALSE(check_control(name)) << name;
    EXPECT_TRUE(marks.has(name)) << name;
  }
  for (const char* name : {"op:SetValue", "option:early-start", "pair:aiv-aic", "alone", "aclgraph",
                           "tiling-key", "mix-aic-1-2", "matmul"}) {
    EXPECT_FALSE(check_control(name)) << name;
    EXPECT_FALSE(marks.has(name)) << name;
  }
}

TEST(Control, BothOrOneOfThem) {
  const Case c = sample();
  const Marks marks(c);
  EXPECT_TRUE(marks.hold("fused+op:SyncAll"));
  EXPECT_FALSE(marks.hold("fused+op:SetValue"));
  EXPECT_FALSE(marks.hold("op:SetValue+fused"));
  EXPECT_TRUE(marks.hold("op:SetValue+fused|boundary"));
  EXPECT_FALSE(marks.hold("op:SetValue|alone"));
}

TEST(Control, SaysWhatIsNoName) {
  EXPECT_FALSE(check_control("op:operator()=|pair:mix-mix+fused"));
  for (const char* wrong : {"", "fused+", "fused|nothing", "op:Nothing", "pair:aic", "pair:aic-xyz",
                            "boundary+no-such"}) {
    EXPECT_TRUE(check_control(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace skcts::campaign
