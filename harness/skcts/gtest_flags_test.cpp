// What of GoogleTest's flags reaches GoogleTest.
#include "harness/skcts/gtest_flags.h"

#include <vector>

#include <gtest/gtest.h>

namespace skcts::program {
namespace {

std::string error_of(const std::string& flag) {
  const Result<void> result = check_gtest_flags(std::vector{flag});
  return result ? "" : to_string(result.error());
}

TEST(GtestFlags, UsualOnesPass) {
  for (const char* flag :
       {"--gtest_filter=Core.*:-Core.CORE_1", "--gtest_list_tests", "--gtest_repeat=2",
        "--gtest_shuffle", "--gtest_random_seed=0", "--gtest_color=no", "--gtest_output=json:a/b",
        "--gtest_brief=1", "--gtest_fail_fast"}) {
    EXPECT_EQ(error_of(flag), "") << flag;
  }
}

TEST(GtestFlags, WhatWouldStopTheProcessIsAnError) {
  for (const char* flag :
       {"--gtest_flagfile=none", "--gtest_stream_result_to=localhost:1",
        "--gtest_internal_run_death_test=1", "--gtest_repeat=-1", "--gtest_repeat=x",
        "--gtest_repeat", "--gtest_output=bogus:x", "--gtest_color=bogus", "--gtest_filter",
        "--gtest_brief=maybe", "--gtest_random_seed=99999999999"}) {
    EXPECT_NE(error_of(flag), "") << flag;
  }
  EXPECT_EQ(error_of("--gtest_filer=A"),
            "run: '--gtest_filer=A' is no flag of GoogleTest that run takes (did you mean "
            "'--gtest_filter'?)");
}

TEST(GtestFlags, AShardIsBelowTheirNumber) {
  EXPECT_TRUE(check_shard(nullptr, nullptr));
  EXPECT_TRUE(check_shard("4", "3"));
  EXPECT_FALSE(check_shard("4", "4"));
  EXPECT_FALSE(check_shard("4", nullptr));
  EXPECT_FALSE(check_shard(nullptr, "0"));
  EXPECT_FALSE(check_shard("x", "0"));
  EXPECT_FALSE(check_shard("0", "0"));
}

}  // namespace
}  // namespace skcts::program
