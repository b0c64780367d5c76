// What of GoogleTest's flags reaches GoogleTest.
#include "harness/skcts/gtest_flags.h"

#include <map>
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
            "run: '--gtest_filer=A' is no flag of GoogleTest (did you mean '--gtest_filter'?)");
  EXPECT_TRUE(error_of("--gtest_help")
                  .starts_with("run: '--gtest_help' is not taken here (taken: --gtest_filter, "));
}

/// What the check says where only these variables are set.
std::string error_with(const std::map<std::string, std::string>& variables) {
  const Result<void> result = check_gtest_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  return result ? "" : to_string(result.error());
}

TEST(GtestFlags, AShardIsBelowTheirNumber) {
  const auto good = [](std::map<std::string, std::string> set) { return error_with(set).empty(); };
  EXPECT_TRUE(good({}));
  EXPECT_TRUE(good({{"GTEST_TOTAL_SHARDS", "4"}, {"GTEST_SHARD_INDEX", "3"}}));
  EXPECT_FALSE(good({{"GTEST_TOTAL_SHARDS", "4"}, {"GTEST_SHARD_INDEX", "4"}}));
  EXPECT_FALSE(good({{"GTEST_TOTAL_SHARDS", "4"}}));
  EXPECT_FALSE(good({{"GTEST_SHARD_INDEX", "0"}}));
  EXPECT_FALSE(good({{"GTEST_TOTAL_SHARDS", "x"}, {"GTEST_SHARD_INDEX", "0"}}));
  EXPECT_FALSE(good({{"GTEST_TOTAL_SHARDS", "0"}, {"GTEST_SHARD_INDEX", "0"}}));
}

TEST(GtestFlags, VariablesHoldWhatTheFlagsMay) {
  EXPECT_EQ(error_with({{"GTEST_FILTER", "Core.*"},
                        {"GTEST_REPEAT", "2"},
                        {"GTEST_OUTPUT", ""},
                        {"GTEST_SHUFFLE", "1"}}),
            "");
  EXPECT_EQ(error_with({{"GTEST_REPEAT", "-1"}}),
            "run: the environment's GTEST_REPEAT='-1' needs a whole number from 0 (unset it, or "
            "use --gtest_repeat)");
  EXPECT_EQ(error_with({{"TEST_PREMATURE_EXIT_FILE", "/none/x"}}),
            "run: the environment's TEST_PREMATURE_EXIT_FILE='/none/x' is not taken here (unset "
            "it)");
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"GTEST_REPEAT", "x"},
                                          {"GTEST_OUTPUT", "foo"},
                                          {"GTEST_RANDOM_SEED", "zzz"},
                                          {"GTEST_COLOR", "red"},
                                          {"GTEST_SHUFFLE", "false"},  // GoogleTest reads it as yes
                                          {"GTEST_STREAM_RESULT_TO", "localhost:1"},
                                          {"GTEST_SHARD_STATUS_FILE", "/none/x"},
                                          {"GTEST_FLAGFILE", "x"}}) {
    EXPECT_NE(error_with({{name, value}}), "") << name;
  }
}

TEST(GtestFlags, TheLastFlagDecidesWhetherTestsAreListed) {
  const auto lists = [](std::vector<std::string> flags) { return lists_tests(flags); };
  EXPECT_FALSE(lists({"--gtest_shuffle"}));
  EXPECT_TRUE(lists({"--gtest_list_tests"}));
  EXPECT_TRUE(lists({"--gtest_list_tests=1"}));
  EXPECT_TRUE(lists({"--gtest_list_tests=0", "--gtest_list_tests=true"}));
  EXPECT_FALSE(lists({"--gtest_list_tests", "--gtest_list_tests=0"}));
  EXPECT_FALSE(lists({"--gtest_list_tests=false"}));
}

TEST(GtestFlags, TheOutputIsTheFlagsElseTheVariables) {
  const std::map<std::string, std::string> both{{"GTEST_OUTPUT", "json:b"},
                                                {"XML_OUTPUT_FILE", "c"}};
  const auto from = [](const std::map<std::string, std::string>& set) -> Environment {
    return [&set](const char* name) {
      const auto found = set.find(name);
      return found == set.end() ? nullptr : found->second.c_str();
    };
  };
  const std::vector<std::string> flags{"--gtest_output=xml:x", "--gtest_output=xml:a"};
  EXPECT_EQ(gtest_output(flags, from(both)), "xml:a");
  EXPECT_EQ(gtest_output({}, from(both)), "json:b");
  const std::map<std::string, std::string> one{{"XML_OUTPUT_FILE", "c"}};
  EXPECT_EQ(gtest_output({}, from(one)), "xml:c");
  const std::map<std::string, std::string> none;
  EXPECT_EQ(gtest_output({}, from(none)), std::nullopt);
}

}  // namespace
}  // namespace skcts::program
