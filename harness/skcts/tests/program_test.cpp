// The program from outside: exit codes, messages, and one whole report.
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <regex>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/skcts/tests/child.h"

namespace skcts::program {
namespace {

using testing::HasSubstr;
using testing::Not;

ChildResult skcts(const std::vector<std::string>& arguments, const ChildSetup& setup = {}) {
  return run_child(SKCTS_BINARY, arguments, setup);
}

/// A case that completes, with words of the caller's behind the mix.
std::string small_case(const std::string& more = "") {
  return R"({"format": 1, "mix": {"regions": [{"name": "X", "words": 8}],
    "sub_kernels": [{"name": "k", "type": "AIV_ONLY", "blocks": 1,
      "aiv": [{"op": "PipeBarrier", "pipe": "ALL"}]}]})" +
         more + "}";
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
  ASSERT_EQ(mkfifo((folder + "/pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder + "/held");
  ASSERT_EQ(mkfifo((folder + "/held/journal.jsonl").c_str(), 0600), 0);
  std::string steps;
  for (int i = 0; i < 1200; ++i) steps += i == 0 ? R"({"fused": ["k"]})" : R"(, {"fused": ["k"]})";
  write_text(folder + "/long.json", small_case(", \"plan\": [" + steps + "]"));
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
      {{"list", "rule"}, "did you mean 'rules'?"},
      {{"run", "--cases", "abc"}, "skcts: run: --cases: 'abc': expected a whole number from 1 to"},
      {{"run", "--targte", "x"}, "skcts: run: '--targte' is no option (did you mean '--target'?)"},
      {{"--versoin"}, "did you mean '--version'?"},
      {{"run", "--profile", ""}, "--profile: ''"},
      {{"compose", "x.json", "--core", ""}, "--core: ''"},
      {{"generate", "--seed", "1", "--index", "1", "--rule", ""}, "--rule: ''"},
      {{"generate", "--seed", "1", "--index", "1", "--rule", "x"}, "('skcts list rules' prints"},
      {{"run", "--gtest_help"}, "'--gtest_help' is not taken here (taken: --gtest_filter"},
      {{"explain", ""}, "'': this names no file"},
      {{"explain", folder + "/pipe"}, "this is no regular file"},
      {{"explain", folder + "/none\x1b[31m.json"}, "none\\x1b[31m.json"},
      {{"crosscheck", "--latitude", "L-14=wet", folder + "/torn.json"}, "--latitude 'L-14=wet'"},
      {{"crosscheck", "--latitude", "L-14=drained", folder + "/torn.json"}, "torn.json:1"},
      {{"explain", "--latitude", "L-14=drained", folder + "/torn.json"}, "torn.json:1"},
      {{"crosscheck", "--first", "18446744073709551615"}, "--first"},
      {{"crosscheck", "--group", "flag"}, "did you mean 'flags'?"},
      {{"crosscheck", folder + "/long.json"}, "plan: 1200 launches and host writes"},
      {{"run", "--gtest_output=xml:/dev/full", "--out", folder}, "no regular file"},
      {{"run", "--gtest_output=xml:" + folder + "/pipe", "--out", folder}, "no regular file"},
      {{"run", "--gtest_output=xml:" + folder + "/file/x", "--out", folder}, "--gtest_output"},
      {{"run", "--gtest_output=xml:" + folder + "/junit.xml", "--out", folder}, "itself"},
      {{"run", "--out", folder + "/held"}, "journal.jsonl: cannot open it for writing"},
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

TEST(Program, WritesTheRepairedCase) {
  const std::string folder = empty_folder("repair");
  const std::string file = folder + "/case.json";
  const std::string out = folder + "/repaired.json";
  const ChildResult made =
      skcts({"generate", "--seed", "7", "--index", "0", "--operator-defect", "feed-missing"});
  write_text(file, made.out);
  const ChildResult told = skcts({"explain", file, "--repair", out});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr("repair: set option feed-sync-all=1"));
  EXPECT_THAT(skcts({"explain", file, "--json"}).out, HasSubstr("feed-sync-all=1"));
  EXPECT_THAT(skcts({"explain", out}).out, HasSubstr("completes: "));
  // The mended case needs nothing, and nothing is written.
  const std::string again = folder + "/again.json";
  EXPECT_EQ(skcts({"explain", out, "--repair", again}).exit_code, 5);
  EXPECT_FALSE(std::filesystem::exists(again));
  EXPECT_EQ(skcts({"explain", file, "--repair", folder + "/none/x.json"}).exit_code, 2);
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

TEST(Program, HoldsAnExpectationAtTheDefaultPositionsOnly) {
  const std::string folder = empty_folder("positions");
  const auto save = [&](const std::string& name, const std::string& expect, int id) {
    const std::string file = folder + "/" + name + ".json";
    write_text(file,
               "{\"format\": 1, \"name\": \"flags\", \"profile\": \"a2-24\", \"mix\": {"
               "\"sub_kernels\": [{\"name\": \"K\", \"type\": \"MIX_AIV_1_0\", \"blocks\": 1, "
               "\"aiv\": [{\"op\": \"CrossCoreSetFlag\", \"mode\": 0, \"pipe\": \"MTE3\", "
               "\"id\": " +
                   std::to_string(id) + "}, {\"op\": \"CrossCoreWaitFlag\", \"id\": " +
                   std::to_string(id) + "}]}]}, \"expect\": {" + expect + "}}");
    return file;
  };
  const std::string good = save("good", "\"behaviour\": \"completes\"", 15);
  const std::string bad = save("bad", "\"behaviour\": \"wrong-data\"", 15);
  EXPECT_THAT(skcts({"judge", good}).out, Not(HasSubstr("skipped")));
  const ChildResult skipped = skcts({"judge", "--target", "emulator:L-11=up-to-10", good});
  EXPECT_EQ(skipped.exit_code, 0) << skipped.out << skipped.err;
  EXPECT_THAT(skipped.out, HasSubstr("expectation skipped: completes at the default positions, "
                                     "refused at L-11=up-to-10 of the target"));
  const ChildResult wrong = skcts({"judge", "--target", "emulator:L-11=up-to-10", bad});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("expected wrong-data, the model says refused"));
}

TEST(Program, TellsHowAnOutcomeComesAbout) {
  // Two cores store into one line.
  const std::string file = empty_folder("witness") + "/case.json";
  const auto store = [](int core) {
    return "{\"op\": \"RawStore\", \"dst\": {\"gm\": \"A\", \"at\": " + std::to_string(core) +
           "}, \"value\": 7, \"where\": {\"core\": " + std::to_string(core) + "}}";
  };
  write_text(file,
             "{\"format\": 1, \"name\": \"line\", \"mix\": {\"regions\": [{\"name\": \"A\", "
             "\"words\": 16}], \"sub_kernels\": [{\"name\": \"K\", \"type\": \"MIX_AIV_1_0\", "
             "\"blocks\": 2, \"aiv\": [" +
                 store(0) + ", " + store(1) + "]}]}}");
  const std::string healthy = skcts({"judge", "--witness", file}).out;
  EXPECT_THAT(healthy, HasSubstr(": allowed"));
  EXPECT_THAT(healthy, HasSubstr("launch 0, A[0], A[1]:"));
  EXPECT_THAT(healthy, HasSubstr("stores, in the cache, A[0] = 7"));
  EXPECT_THAT(healthy, HasSubstr("the refreshed line of A[0] reaches GM"));
  EXPECT_THAT(skcts({"judge", "--witness", "--json", file}).out,
              HasSubstr("\"witness\": [\"outcome"));
  // A launch of one block less leaves a word as it was.
  const ChildResult narrow =
      skcts({"judge", "--witness", "--target", "emulator:defect=launch-one-block-narrow", file});
  EXPECT_EQ(narrow.exit_code, 1);
  EXPECT_THAT(narrow.out, HasSubstr("no schedule gives it: "));
}

/// Every public report whose fault is the platform's names the seeded defect that has it.
TEST(Program, ReportsOfPlatformsAreSeededDefects) {
  const std::string folder = std::string(SKCTS_SOURCE_DIR) + "/spec/cases/reports/";
  const std::string index = read_text(folder + "index.json");
  const std::regex row(R"re("id": "(SKB-[0-9]+)", "status": "platform", "reason": "([^"]*)")re");
  const std::regex seeded("seeded as the defect ([a-z0-9-]+)");
  int reports = 0;
  for (std::sregex_iterator at(index.begin(), index.end(), row), end; at != end; ++at) {
    std::string report = (*at)[1].str();
    report.replace(0, 3, "skb");
    const std::string reason = (*at)[2].str();
    std::smatch defect;
    ASSERT_TRUE(std::regex_search(reason, defect, seeded)) << report;
    const std::string file = folder + report + ".json";
    EXPECT_EQ(skcts({"judge", file}).exit_code, 0) << report;
    EXPECT_EQ(
        skcts({"judge", "--target", "emulator:defect=" + defect[1].str(), "--runs", "400", file})
            .exit_code,
        1)
        << report << ' ' << defect[1];
    ++reports;
  }
  EXPECT_EQ(reports, 9);
}

TEST(Program, RunsAChapterGreen) {
  const std::string out = empty_folder("green");
  const ChildResult result =
      skcts({"run", "--profile", "a2-24", "--cases", "12", "--out", out, "--gtest_filter=Ratio.*"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("RATIO-1"));
  EXPECT_THAT(result.out, HasSubstr("4 of 67 rules exercised, no failure"));
  EXPECT_THAT(read_text(out + "/junit.xml"), HasSubstr("<testcase classname=\"a2-24.Ratio\""));
  EXPECT_THAT(read_text(out + "/journal.jsonl"), HasSubstr("\"record\":\"end\""));
}

TEST(Program, CountsWhatMixesMeetInPairs) {
  const ChildResult all = skcts({"coverage"});
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
  EXPECT_THAT(all.out, HasSubstr("rule x types"));
  EXPECT_THAT(all.out, HasSubstr("5000 mixes, seed 1, a2-20: "));
  EXPECT_THAT(all.out, Not(HasSubstr("not met: ")));
  const ChildResult few = skcts({"coverage", "--cases", "40"});
  EXPECT_EQ(few.exit_code, 5);
  EXPECT_THAT(few.out, HasSubstr("not met: "));
  const ChildResult listed = skcts({"coverage", "--cases", "40", "--infeasible"});
  EXPECT_THAT(listed.out, HasSubstr("\n  ACL-9 with AIV_ONLY > AIV_ONLY\n"));
  const ChildResult json = skcts({"coverage", "--cases", "40", "--json", "--profile", "950-28"});
  EXPECT_THAT(json.out, HasSubstr("\"profile\": \"950-28\""));
  EXPECT_EQ(skcts({"coverage", "--profile", "nowhere"}).exit_code, 2);
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

TEST(Program, ListsTestsOnlyWhereGoogleTestDoes) {
  const std::string out = empty_folder("lists");
  for (const char* flag : {"--gtest_list_tests=1", "--gtest_list_tests=true"}) {
    const ChildResult result = skcts({"run", flag, "--out", out});
    EXPECT_EQ(result.exit_code, 0) << flag;
    EXPECT_THAT(result.out, HasSubstr("  CORE_3\n"));
    EXPECT_FALSE(std::filesystem::exists(out + "/journal.jsonl"));
  }
  const ChildResult result = skcts({"run", "--gtest_list_tests", "--gtest_list_tests=0", "--out",
                                    out, "--gtest_filter=Nothing.*"});
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
}

TEST(Program, ReadsTheEnvironmentAsTheFlags) {
  const std::string out = empty_folder("environment");
  for (const char* variable : {"GTEST_REPEAT=-1", "GTEST_OUTPUT=foo", "GTEST_RANDOM_SEED=zzz",
                               "TEST_PREMATURE_EXIT_FILE=/none/x", "XML_OUTPUT_FILE=/dev/full"}) {
    const ChildResult result =
        skcts({"run", "--out", out, "--gtest_filter=Nothing.*"}, {.environment = {variable}});
    EXPECT_EQ(result.exit_code, 2) << variable << result.err;
    EXPECT_FALSE(std::filesystem::exists(out + "/journal.jsonl")) << variable;
  }
}

TEST(Program, TellsARepeatedRunOnce) {
  const std::string out = empty_folder("repeat");
  const ChildResult result = skcts(
      {"run", "--cases", "2", "--out", out, "--gtest_filter=Core.CORE_7", "--gtest_repeat=2"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.err, HasSubstr("[ 1/1]"));
  EXPECT_THAT(result.err, Not(HasSubstr("[ 2/1]")));
  const std::size_t first = result.out.find("\nCORE-7 ");
  ASSERT_NE(first, std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("\nCORE-7 ", first + 1), std::string::npos) << result.out;
}

TEST(Program, EndsWholeWhenItIsStopped) {
  const std::string out = empty_folder("stopped");
  write_text(out + "/junit.xml", "of an earlier run");
  // Without the signal it would go on for days.
  const ChildResult result = skcts({"run", "--cases", "2", "--out", out,
                                    "--gtest_filter=Core.CORE_1", "--gtest_repeat=1000000000"},
                                   {.signal = SIGTERM, .signal_after = "cases exercised it"});
  EXPECT_EQ(result.exit_code, 6) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("exit code 6 (stopped by SIGTERM)"));
  EXPECT_THAT(read_text(out + "/journal.jsonl"),
              HasSubstr(R"({"record":"end","exit_code":6,"reason":"stopped by SIGTERM"})"));
  EXPECT_THAT(read_text(out + "/junit.xml"), HasSubstr("</testsuites>"));
}

TEST(Program, TwoRunsDoNotShareAFolder) {
  const std::string out = empty_folder("shared");
  const std::string journal = out + "/journal.jsonl";
  write_text(journal, "another run's\n");
  const int file = open(journal.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
  const ChildResult result = skcts({"run", "--out", out, "--gtest_filter=Nothing.*"});
  close(file);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("another run is writing it"));
  EXPECT_EQ(read_text(journal), "another run's\n");
}

TEST(Program, SaysEverywhereTheExitCodeThatItHas) {
  const std::string out = empty_folder("code");
  const std::vector<std::string> arguments{"run",   "--cases", "1",
                                           "--out", out,       "--gtest_filter=Core.CORE_7"};
  const std::string end = R"("record":"end","exit_code":3)";
  std::filesystem::create_directory(out + "/junit.xml.new");
  const ChildResult unsaved = skcts(arguments);
  EXPECT_EQ(unsaved.exit_code, 3) << unsaved.err;
  EXPECT_THAT(unsaved.out, HasSubstr("exit code 3 (not everything could be saved)"));
  EXPECT_THAT(read_text(out + "/journal.jsonl"), HasSubstr(end));
  std::filesystem::remove(out + "/junit.xml.new");
  EXPECT_EQ(skcts(arguments, {.out_file = "/dev/full"}).exit_code, 3);
  EXPECT_THAT(read_text(out + "/journal.jsonl"), HasSubstr(end));
  EXPECT_EQ(skcts(arguments, {.closed = {1}}).exit_code, 3);
  EXPECT_THAT(read_text(out + "/journal.jsonl"), HasSubstr(end));
}

TEST(Program, KeepsItsFilesCleanWhereStreamsAreClosed) {
  const std::string out = empty_folder("closed");
  const ChildResult result = skcts(
      {"run", "--cases", "1", "--out", out, "--gtest_filter=Core.CORE_7"}, {.closed = {0, 2}});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  const std::string journal = read_text(out + "/journal.jsonl");
  EXPECT_TRUE(journal.starts_with("{\"record\":\"run\"")) << journal;
  EXPECT_EQ(journal.find("exercised it"), std::string::npos) << journal;
}

TEST(Program, ComposesARefusalAsWell) {
  const std::string file = empty_folder("refused") + "/case.json";
  write_text(file, R"({"format": 1, "mix": {"options": "no-such-option=1",
    "sub_kernels": [{"name": "k", "type": "AIV_ONLY", "blocks": 1}]}})");
  const ChildResult result = skcts({"compose", file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("launch 0: refused"));
}

TEST(Program, SkipsWhatIsTooLargeToExplore) {
  const std::string file = empty_folder("large") + "/case.json";
  std::string steps = R"({"fused": ["k"]})";
  for (int i = 0; i < 64; ++i) steps += R"(, {"fused": ["k"]})";
  write_text(file, small_case(", \"plan\": [" + steps + "]"));
  const ChildResult result = skcts({"crosscheck", file});
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("skipped        1  more than 64 launches and host writes"));
}

TEST(Program, ReplaysOnlyWhatWasSaved) {
  const std::string out = empty_folder("replay");
  const std::string target = "emulator:defect=block-num-of-launch";
  const ChildResult run = skcts(
      {"run", "--target", target, "--cases", "40", "--out", out, "--gtest_filter=Core.CORE_3"});
  ASSERT_EQ(run.exit_code, 1) << run.err;
  std::string saved;
  for (const auto& entry : std::filesystem::directory_iterator(out + "/findings")) {
    saved = entry.path().string();
    break;
  }
  const std::string text = read_text(saved);
  EXPECT_EQ(skcts({"replay", saved}).exit_code, 1);
  const ChildResult healthy = skcts({"replay", saved, "--target", "emulator"});
  EXPECT_EQ(healthy.exit_code, 0) << healthy.out << healthy.err;
  EXPECT_THAT(healthy.out, HasSubstr("allowed; not reproduced on emulator: "));

  const auto changed = [&](const std::string& pattern, const std::string& with) {
    const std::string edited = out + "/edited.json";
    write_text(edited, std::regex_replace(text, std::regex(pattern), with,
                                          std::regex_constants::format_first_only));
    EXPECT_NE(read_text(edited), text) << pattern;
    return skcts({"replay", edited});
  };
  const ChildResult unfit = changed(R"("choices": \[[^\]]*\])", R"("choices": [4000000000])");
  EXPECT_EQ(unfit.exit_code, 2) << unfit.out;
  EXPECT_THAT(unfit.err, HasSubstr("schedule: it does not fit " + target));
  const ChildResult renamed = changed("-[0-9a-f]{16}", "-0123456789abcdef");
  EXPECT_EQ(renamed.exit_code, 2) << renamed.out;
  EXPECT_THAT(renamed.err, HasSubstr("is not this case"));
  EXPECT_EQ(changed("CORE-3-[0-9a-f]{16}", std::string(300'000, 'A')).exit_code, 1);
  const ChildResult unknown = changed(R"("rule": "CORE-3")", R"("rule": "NOPE-1")");
  EXPECT_EQ(unknown.exit_code, 2) << unknown.out;
  EXPECT_THAT(unknown.err, HasSubstr("provenance.rule: no rule NOPE-1"));
  // Saved from the healthy emulator, it says, which does not fail like that.
  const ChildResult gone =
      changed(R"("target": "emulator:defect=block-num-of-launch")", R"("target": "emulator")");
  EXPECT_EQ(gone.exit_code, 1) << gone.out;
  EXPECT_THAT(gone.out, HasSubstr("not reproduced on emulator"));
}

/// What differs from machine to machine or with every change of the generator.
std::string without_changing_parts(std::string text, const std::string& out) {
  for (std::size_t at = text.find(out); at != std::string::npos; at = text.find(out)) {
    text.replace(at, out.size(), "OUT");
  }
  text = std::regex_replace(text, std::regex("[0-9a-f]{16}"), "CASE");
  text = std::regex_replace(text, std::regex("[0-9]+ runs to shrink"), "N runs to shrink");
  text = std::regex_replace(text, std::regex("after [0-9]+ cases?"), "after N cases");
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
