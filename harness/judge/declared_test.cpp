#include "harness/judge/declared.h"

#include <array>

#include <gtest/gtest.h>

namespace skcts::judge {
namespace {

Allowed owed() {
  Allowed allowed;
  allowed.counts = {{KernelType::mix_aic_1_2, 8, true, {{0, 1, 2, 3, 4, 5, 6, 7}}}};
  return allowed;
}

TEST(Declared, EachKindIsFilledInAlone) {
  for (int i = 0; i < count_kind_count; ++i) {
    const std::array kinds{static_cast<CountKind>(i)};
    Outcome told;
    told.counts = {{KernelType::mix_aiv_1_0, 1, false, {}}};
    const LaunchCounts filled = with_undeclared(told, owed(), kinds).counts.front();
    if (i == 0) {
      EXPECT_EQ(filled.type, KernelType::mix_aic_1_2);
      EXPECT_EQ(filled.blocks, 8);
      EXPECT_TRUE(filled.fused);
      EXPECT_TRUE(filled.inserted.empty());
      continue;
    }
    EXPECT_EQ(filled.type, KernelType::mix_aiv_1_0);
    ASSERT_EQ(filled.inserted.size(), 1u);
    const InsertedCounts& c = filled.inserted.front();
    const std::array numbers{c.refresh_per_access, c.refresh_before, c.refresh_after,
                             c.refresh_debug,      c.barrier_before, c.barrier_debug,
                             c.feed_joins};
    for (int other = 1; other < count_kind_count; ++other) {
      EXPECT_EQ(numbers[static_cast<std::size_t>(other - 1)], other == i ? other : 0);
    }
  }
}

TEST(Declared, WhatIsToldStays) {
  Outcome told;
  told.counts = {{KernelType::mix_aic_1_2, 8, true, {{0, 9, 9, 9, 9, 9, 9, 9}}}};
  EXPECT_EQ(with_undeclared(told, owed(), {}), told);
  const std::array kinds{CountKind::feed_joins};
  told = with_undeclared(told, owed(), kinds);
  EXPECT_EQ(told.counts[0].inserted[0].feed_joins, 7);
  EXPECT_EQ(told.counts[0].inserted[0].refresh_after, 9);
}

TEST(Declared, NoCountsAreMadeUp) {
  const std::array kinds{CountKind::launch};
  EXPECT_TRUE(with_undeclared({}, owed(), kinds).counts.empty());
}

}  // namespace
}  // namespace skcts::judge
