// The program from outside: exit codes, messages, and one whole report.
#include <filesystem>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"

namespace skcts::program {
namespace {

using testing::HasSubstr;

ChildResult skcts(const std::vector<std::string>& arguments) {
  return run_child(SKCTS_BINARY, arguments);
}

struct Usage {
  std::vector<std::string> arguments;
  std::string says;  ///< In standard error.
};

TEST(Program, TellsWrongArgumentsWithExitCode2) {
  const std::string folder = empty_folder("usage");
  write_text(folder + "/broken.json", "{\"format\": 1,\n \"nam\": \"x\"}\n");
  write_text(folder + "/torn.json", "{\"format\": 1,");
  write_text(folder + "/empty.json", "");
  const std::string kernel = R"("sub_kernels": [{"name": "k", "type": "AIV_ONLY", "blocks": 1}]})";
  write_text(folder + "/invalid.json",
             "{\"format\": 1, \"mix\": {\n  \"sub_kernels\": [\n    {\"name\": \"k\", \"type\": "
             "\"AIV_ONLY\", \"blocks\": 0}]}}");
  write_text(folder + "/strategy.json",
             R"({"format": 1, "mix": {)" + kernel + ",\n\"schedule\": {\"strategy\": \"luck\"}}");
  write_text(folder + "/file", "x");
  const std::vector<Usage> table{
      {{}, "subcommand"},
      {{"fly"}, "fly"},
      {{"run", "--target", "moon"}, "known: emulator"},
      {{"run", "--target", "emulator:defect=feed-mising"}, "feed-missing"},
      {{"run", "--target", "emulator:speed=9"}, "defect="},
      {{"run", "--profile", "a2-25"}, "a2-24"},
      {{"run", "--cases", "0"}, "--cases"},
      {{"run", "--cases", "many"}, "--cases"},
      {{"run", "--seed", "-1"}, "--seed"},
      {{"run", "--out", folder + "/file"}, folder + "/file"},
      {{"run", "--out", ""}, "--out"},
      {{"run", "--gtest_nonsense"}, "--gtest_nonsense"},
      {{"run", "extra"}, "extra"},
      {{"judge"}, "FILE"},
      {{"judge", folder + "/none.json"}, "none.json"},
      {{"judge", folder}, folder},
      {{"judge", folder + "/broken.json"}, "broken.json:2"},
      {{"judge", folder + "/torn.json"}, "torn.json:1"},
      {{"judge", folder + "/empty.json"}, "empty.json"},
      {{"judge", folder + "/invalid.json"}, "invalid.json:3:49: mix.sub_kernels[0].blocks"},
      {{"explain", folder + "/invalid.json"}, "invalid.json:3:49: mix.sub_kernels[0].blocks"},
      {{"compose", folder + "/invalid.json"}, "invalid.json:3:49: mix.sub_kernels[0].blocks"},
      {{"replay", folder + "/invalid.json"}, "invalid.json:3:49: mix.sub_kernels[0].blocks"},
      {{"replay", folder + "/strategy.json"}, "strategy.json:2:26: schedule.strategy: \"luck\""},
      {{"explain", folder + "/broken.json"}, "did you mean"},
      {{"explain", folder + "/torn.json", "--latitude", "L-14=wet"}, "L-14"},
      {{"compose", folder + "/torn.json", "--core", "gpu:1"}, "aic:3"},
      {{"compose", folder + "/torn.json"}, "torn.json"},
      {{"replay", folder + "/none.json"}, "none.json"},
      {{"generate", "--seed", "1"}, "--index"},
      {{"generate", "--seed", "1", "--index", "1", "--rule", "CORE-99"}, "CORE-9"},
      {{"generate", "--seed", "1", "--index", "1", "--operator-defect", "x"}, "list defects"},
      {{"list", "cats"}, "cats"},
      {{"bench", "--seconds", "0"}, "--seconds"},
  };
  for (const Usage& usage : table) {
    const ChildResult result = skcts(usage.arguments);
    const std::string words = testing::PrintToString(usage.arguments);
    EXPECT_EQ(result.exit_code, 2) << words << result.out << result.err;
    EXPECT_THAT(result.err + result.out, HasSubstr(usage.says)) << words;
  }
}

TEST(Program, WarnsOnceOfAnOptionItemWithoutItsValue) {
  const std::string file = empty_folder("warn") + "/case.json";
  write_text(file, R"({"format": 1, "mix": {"options": "early-start",
    "sub_kernels": [{"name": "k", "type": "AIV_ONLY", "blocks": 1}]}})");
  for (const std::string command : {"explain", "judge", "compose"}) {
    const ChildResult result = skcts({command, file});
    EXPECT_EQ(result.exit_code, 0) << command;
    const std::size_t first = result.err.find("warning: ");
    EXPECT_NE(first, std::string::npos) << command << ": " << result.err;
    EXPECT_EQ(result.err.find("warning: ", first + 1), std::string::npos) << result.err;
  }
}

TEST(Program, HelpsForEveryCommand) {
  EXPECT_EQ(skcts({"--help"}).exit_code, 0);
  for (const char* command :
       {"run", "judge", "explain", "compose", "replay", "generate", "list", "bench"}) {
    const ChildResult result = skcts({command, "--help"});
    EXPECT_EQ(result.exit_code, 0) << command;
    EXPECT_THAT(result.out, HasSubstr(command));
  }
  EXPECT_THAT(skcts({"--version"}).out, HasSubstr("skcts "));
}

TEST(Program, ListsWhatIsCompiledIn) {
  EXPECT_THAT(skcts({"list", "rules"}).out, HasSubstr("SYNC-15"));
  EXPECT_THAT(skcts({"list", "latitudes"}).out, HasSubstr("L-39"));
  EXPECT_THAT(skcts({"list", "profiles"}).out, HasSubstr("a2-24"));
  EXPECT_THAT(skcts({"list", "suites"}).out, HasSubstr("Core.CORE_3"));
  EXPECT_THAT(skcts({"list", "defects"}).out, HasSubstr("feed-missing"));
  for (const char* what : {"rules", "latitudes", "profiles", "suites", "defects"}) {
    const ChildResult result = skcts({"list", what, "--json"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_TRUE(result.out.starts_with("[\n") && result.out.ends_with("]\n")) << what;
  }
}

TEST(Program, GeneratesTheSameCaseEachTime) {
  const ChildResult first = skcts({"generate", "--seed", "3", "--index", "11"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(first.out, skcts({"generate", "--seed", "3", "--index", "11"}).out);
  EXPECT_NE(first.out, skcts({"generate", "--seed", "3", "--index", "12"}).out);
}

TEST(Program, CarriesOneCaseThroughEveryCommand) {
  const std::string file = empty_folder("case") + "/case.json";
  write_text(file, skcts({"generate", "--seed", "3", "--index", "11"}).out);
  const ChildResult judged = skcts({"judge", file});
  EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
  EXPECT_THAT(judged.out, HasSubstr("ok"));
  EXPECT_THAT(skcts({"judge", "--json", file}).out, HasSubstr("\"as_it_must_be\": true"));
  EXPECT_EQ(skcts({"explain", file}).exit_code, 0);
  EXPECT_THAT(skcts({"explain", "--json", file}).out, HasSubstr("\"behaviour\""));
  EXPECT_THAT(skcts({"compose", file}).out, HasSubstr("launch 0"));
  const ChildResult replayed = skcts({"replay", file});
  EXPECT_EQ(replayed.exit_code, 2);
  EXPECT_THAT(replayed.err, HasSubstr("no schedule"));
}

TEST(Program, JudgesAgainstTheExpectation) {
  const std::string file = empty_folder("expect") + "/case.json";
  std::string text = skcts({"generate", "--seed", "3", "--index", "11"}).out;
  const auto place = text.find("\"mix\"");
  ASSERT_NE(place, std::string::npos);
  text.insert(place, "\"expect\": {\"behaviour\": \"stalls\", \"rule\": \"CORE-5\"},\n  ");
  write_text(file, text);
  const ChildResult judged = skcts({"judge", file});
  EXPECT_EQ(judged.exit_code, 1) << judged.out << judged.err;
  EXPECT_THAT(judged.out, HasSubstr("expected stalls [CORE-5]"));
}

TEST(Program, RunsAChapterGreen) {
  const std::string out = empty_folder("green");
  const ChildResult result =
      skcts({"run", "--profile", "a2-24", "--cases", "12", "--out", out, "--gtest_filter=Ratio.*"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("RATIO-1"));
  EXPECT_THAT(result.out, HasSubstr("4 of 56 rules exercised, no failure"));
  EXPECT_THAT(read_text(out + "/junit.xml"), HasSubstr("<testcase classname=\"a2-24.Ratio\""));
  EXPECT_THAT(read_text(out + "/journal.jsonl"), HasSubstr("\"record\":\"end\""));
}

TEST(Program, EndsWith5WhenNothingRan) {
  const std::string out = empty_folder("nothing");
  const ChildResult result = skcts({"run", "--out", out, "--gtest_filter=Nothing.*"});
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("no test was selected"));
}

TEST(Program, ListsTestsForGoogleTest) {
  const ChildResult result = skcts({"run", "--gtest_list_tests"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Core.\n"));
  EXPECT_THAT(result.out, HasSubstr("  CORE_3\n"));
}

/// What differs from machine to machine or with every change of the generator.
std::string without_changing_parts(std::string text, const std::string& out) {
  for (std::size_t at = text.find(out); at != std::string::npos; at = text.find(out)) {
    text.replace(at, out.size(), "OUT");
  }
  text = std::regex_replace(text, std::regex("[0-9a-f]{16}"), "CASE");
  text = std::regex_replace(text, std::regex("[0-9]+ runs to shrink"), "N runs to shrink");
  text = std::regex_replace(text, std::regex("after [0-9]+ cases"), "after N cases");
  text = std::regex_replace(text, std::regex("(exercised|generated) +"), "$1 ");
  return std::regex_replace(text, std::regex("( +[0-9]+){3}"), " N N N");
}

TEST(Program, TellsAFailureInFull) {
  const std::string out = empty_folder("golden");
  const ChildResult result = skcts({"run", "--target", "emulator:defect=block-num-of-launch",
                                    "--cases", "40", "--out", out, "--gtest_filter=Core.CORE_3"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(
      without_changing_parts(result.out, out),
      read_text(std::string(SKCTS_SOURCE_DIR) + "/harness/skcts/tests/golden/failing_run.txt"));
}

}  // namespace
}  // namespace skcts::program
