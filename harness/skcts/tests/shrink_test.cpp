// `skcts shrink` from outside.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"
#include "spec/case_text.h"

namespace skcts::program {
namespace {

using testing::HasSubstr;

constexpr const char* defect = "emulator:defect=feed-missing";
constexpr int most_mixes = 40;

ChildResult skcts(const std::vector<std::string>& arguments) {
  return run_child(SKCTS_BINARY, arguments);
}

/// The path of a generated mix that fails on the defective emulator; empty: there was none.
std::string failing_mix(const std::string& folder) {
  std::string path = folder + "/mix.json";
  for (int i = 0; i < most_mixes; ++i) {
    write_text(
        path,
        skcts({"generate", "--seed", "1", "--rule", "SYNC-1", "--index", std::to_string(i)}).out);
    if (skcts({"judge", path, "--target", defect}).exit_code == 1) return path;
  }
  return {};
}

TEST(ShrinkCommand, KeepsTheFailureAndSavesTheSmallestCase) {
  const std::string path = failing_mix(empty_folder("shrink"));
  ASSERT_FALSE(path.empty());
  const std::string large = read_text(path);
  const ChildResult result = skcts({"shrink", path, "--target", defect, "--budget", "10m"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("stall/SYNC-1/"));
  EXPECT_EQ(read_text(path), large) << "the original stays";
  const std::string small = path.substr(0, path.size() - 5) + ".small.json";
  EXPECT_THAT(result.out, HasSubstr(small));
  EXPECT_LT(read_text(small).size(), large.size() / 2);
  const ChildResult replay = skcts({"replay", small});
  EXPECT_EQ(replay.exit_code, 1) << replay.out << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("as recorded: stall/SYNC-1/"));
  EXPECT_EQ(skcts({"judge", small}).exit_code, 0) << "the healthy emulator passes it";
  // Nothing of the result can go.
  const ChildResult again = skcts({"shrink", small, "--budget", "10m"});
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  EXPECT_EQ(read_case_file(path.substr(0, path.size() - 5) + ".small.small.json")->mix,
            read_case_file(small)->mix);
}

TEST(ShrinkCommand, SavesTheBestSoFarWhereTheBudgetEnds) {
  const std::string folder = empty_folder("shrink_budget");
  const std::string path = failing_mix(folder);
  const std::string out = folder + "/out.json";
  const ChildResult result =
      skcts({"shrink", path, "--target", defect, "--runs", "3", "--out", out});
  EXPECT_EQ(result.exit_code, 6) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("smaller cases may exist"));
  EXPECT_EQ(skcts({"replay", out}).exit_code, 1);
}

TEST(ShrinkCommand, KeepsWhatTheModelFindsWhereTheTargetConforms) {
  const std::string out = empty_folder("shrink_model") + "/out.json";
  const ChildResult result =
      skcts({"shrink", SKCTS_SOURCE_DIR "/spec/cases/reports/skb-01.json", "--out", out});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(", by the model\n"));
  const std::string first_line = result.out.substr(0, result.out.find(','));
  EXPECT_THAT(skcts({"explain", out}).out, testing::StartsWith(first_line));
}

TEST(ShrinkCommand, SaysThatThereIsNothingToKeep) {
  const std::string folder = empty_folder("shrink_nothing");
  write_text(folder + "/a.json", skcts({"generate", "--seed", "1", "--index", "0"}).out);
  const ChildResult result = skcts({"shrink", folder + "/a.json"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("there is nothing to keep"));
  EXPECT_EQ(skcts({"shrink", folder + "/none.json"}).exit_code, 2);
  EXPECT_EQ(skcts({"shrink", folder + "/a.json", "--target", "moon"}).exit_code, 2);
  const ChildResult budget = skcts({"shrink", folder + "/a.json", "--budget", "1"});
  EXPECT_EQ(budget.exit_code, 2);
  EXPECT_THAT(budget.err, HasSubstr("expected a number with s, m or h behind it"));
}

}  // namespace
}  // namespace skcts::program
