// The campaign loop on a toy target that answers from the model's set, with planted lies.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "generators/generate.h"
#include "harness/campaign/journal_file.h"
#include "harness/campaign/session.h"
#include "harness/campaign/strategies.h"
#include "harness/campaign/testing.h"
#include "spec/case_text.h"
#include "spec/validate.h"

namespace skcts::campaign {
namespace {

using testing_toys::Lie;
using testing_toys::ToyTarget;

Property toy_property() {
  Property property = testing_toys::plain_property(2);
  property.make = [make = property.make](const Source& source, std::uint64_t index) {
    return index % 5 == 4 ? std::nullopt : make(source, index);
  };
  property.exercises = [](const Observation& observation) {
    return observation.features.has(generators::Feature::narrow_block_num_query);
  };
  return property;
}

struct Bench {
  explicit Bench(Lie lie, std::string folder = {}) : target(lie) {
    settings.profile = &default_profile();
    settings.cases = 20;
    settings.out_folder = std::move(folder);
    settings.target_name = "toy";
  }
  PropertyResult run(const Property& property) {
    Session session(settings, target, keeper);
    return session.run(property);
  }
  Settings settings;
  ToyTarget target;
  JournalKeeper keeper;
};

std::string fresh_folder(const std::string& name) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("skcts_campaign_" + name);
  std::filesystem::remove_all(path);
  return path.string();
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Campaign, EndsBeforeTheNextCaseWhenItIsStopped) {
  Bench bench(Lie::none);
  bench.settings.stop = [&] { return bench.target.runs() >= 4; };
  Session session(bench.settings, bench.target, bench.keeper);
  const PropertyResult result = session.run(toy_property());
  EXPECT_EQ(result.record.generated, 2);
  EXPECT_EQ(result.record.reason, "the run was stopped");
  ASSERT_EQ(bench.keeper.journal().rules.size(), 1u);
  EXPECT_EQ(session.run(toy_property()).status, judge::Status::not_run);
  EXPECT_EQ(session.run_case(Case(), "a.json", "a").status, "not-run");
  EXPECT_EQ(bench.keeper.journal().rules.size(), 1u);
  EXPECT_TRUE(bench.keeper.journal().cases.empty());
}

TEST(Campaign, AFolderHoldsOneJournalAtATime) {
  const std::string folder = fresh_folder("one_journal");
  auto first = JournalFile::create(folder);
  ASSERT_TRUE(first.ok());
  const auto second = JournalFile::create(folder);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(to_string(second.error()).find("another run is writing it"), std::string::npos);
  first.value().reset();
  EXPECT_TRUE(JournalFile::create(folder).ok());
}

TEST(Campaign, CountsWhatItGeneratesAndExercises) {
  Bench bench(Lie::none);
  const PropertyResult result = bench.run(toy_property());
  EXPECT_EQ(result.record.status, "pass");
  EXPECT_EQ(result.record.generated, 16);
  EXPECT_GT(result.record.exercised, 0);
  EXPECT_EQ(result.record.passed, result.record.exercised);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(bench.target.runs(), 32);
  ASSERT_EQ(bench.keeper.journal().rules.size(), 1u);
  EXPECT_EQ(bench.keeper.journal().rules[0], result.record);
}

TEST(Campaign, ShrinksALieAndSavesItOnce) {
  const std::string folder = fresh_folder("lie");
  Bench bench(Lie::block_num, folder);
  const PropertyResult result = bench.run(toy_property());
  EXPECT_EQ(result.record.status, "fail");
  EXPECT_EQ(result.record.passed, 0);
  ASSERT_EQ(result.findings.size(), 1u);
  const FindingRecord& finding = result.findings[0];
  EXPECT_EQ(finding.key, "fail/CORE-3/GetBlockNum-value");
  EXPECT_EQ(finding.rule, "CORE-3");
  EXPECT_EQ(finding.cases_to_find, 1);
  EXPECT_EQ(finding.replay, "skcts replay " + finding.path + " --target toy");
  const auto saved = read_case_file(finding.path);
  ASSERT_TRUE(saved.ok()) << to_string(saved.error());
  EXPECT_TRUE(validate(*saved).empty());
  EXPECT_EQ(saved->mix.sub_kernels.size(), 1u);
  EXPECT_EQ(saved->mix.sub_kernels[0].blocks, 1);
  ASSERT_TRUE(saved->provenance.has_value());
  EXPECT_EQ(saved->provenance->key, finding.key);
  EXPECT_EQ(saved->provenance->target, "toy");
  EXPECT_TRUE(saved->schedule.has_value());
}

TEST(Campaign, TellsAKeyOnceOverAllProperties) {
  Bench bench(Lie::block_num);
  Session session(bench.settings, bench.target, bench.keeper);
  EXPECT_EQ(session.run(toy_property()).findings.size(), 1u);
  const PropertyResult again = session.run(toy_property());
  EXPECT_EQ(again.record.status, "fail");
  EXPECT_TRUE(again.findings.empty());
}

TEST(Campaign, CallsATargetFlakyThatDoesNotRepeatItself) {
  Bench bench(Lie::never_the_same);
  const PropertyResult result = bench.run(toy_property());
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].status, "flaky");
  EXPECT_NE(result.status, judge::Status::pass);
}

TEST(Campaign, IsNotRunWhereNothingExercises) {
  Bench bench(Lie::none);
  Property property = toy_property();
  property.exercises = [](const Observation&) { return false; };
  const PropertyResult result = bench.run(property);
  EXPECT_EQ(result.record.status, "not-run");
  EXPECT_EQ(result.record.reason, "none of 16 cases exercised it");
  property.make = [](const Source&, std::uint64_t) { return std::optional<Experiment>(); };
  EXPECT_EQ(bench.run(property).record.reason,
            "no case could be made on profile " + std::string(default_profile().name));
}

TEST(Campaign, BlamesItselfForAMixThatIsNotLegal) {
  Bench bench(Lie::none);
  Property property = toy_property();
  property.make = [](const Source& source, std::uint64_t index) {
    Experiment experiment;
    Case mix = generators::generate(source.seed, index, {}, *source.profile);
    mix.path = "ge";  // the other composer ignores what it does not know
    mix.mix.options = "no-such-option=1";
    experiment.parts.push_back({"fused", mix, strategies_for(1, index, 1), Claim::legal});
    return std::optional(experiment);
  };
  const PropertyResult result = bench.run(property);
  EXPECT_EQ(result.status, judge::Status::internal_error);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].status, "internal-error");
  EXPECT_EQ(bench.target.runs(), 0);
}

TEST(Campaign, IsNotSupportedWithoutTheCountsItNeeds) {
  Bench bench(Lie::none);
  Property property = toy_property();
  property.needs_counts = true;
  EXPECT_EQ(bench.run(property).record.status, "not-supported");
  EXPECT_EQ(bench.target.runs(), 0);
}

TEST(Campaign, MeasuresExercisedCases) {
  Bench bench(Lie::none);
  Property property = toy_property();
  property.measure = [](const Observation&, Measures& sums) { sums["n"] += 1; };
  property.summarize = [](const Measures& sums) {
    return std::vector<Measurement>{{"n", fmt::format("{:.0f}", sums.at("n"))}};
  };
  const PropertyResult result = bench.run(property);
  ASSERT_EQ(result.record.measured.size(), 1u);
  EXPECT_EQ(result.record.measured[0].value, std::to_string(result.record.exercised));
}

TEST(JournalFile, HoldsWhatWasRecorded) {
  const std::string folder = fresh_folder("journal");
  auto file = JournalFile::create(folder);
  ASSERT_TRUE(file.ok());
  (*file)->record(RunRecord{.version = "1", .target = "toy"});
  (*file)->record(EndRecord{5, "no case ran"});
  ASSERT_TRUE((*file)->state().ok());
  const auto journal = read_journal(text_of(folder + "/journal.jsonl"), "journal");
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ(journal->run.target, "toy");
  EXPECT_EQ(journal->end.exit_code, 5);
}

TEST(JournalFile, CannotStandWhereAFileIs) {
  const std::string folder = fresh_folder("file");
  ASSERT_TRUE(write_file(folder, "a file").ok());
  const auto file = JournalFile::create(folder);
  ASSERT_FALSE(file.ok());
  EXPECT_NE(to_string(file.error()).find(folder), std::string::npos);
  EXPECT_FALSE(write_file(folder + "/below", "x").ok());
}

TEST(WriteFile, ReplacesNothingButAFile) {
  const std::string folder = fresh_folder("special");
  ASSERT_TRUE(make_folder(folder).ok());
  const std::string pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(write_file(pipe, "x").ok());
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_FALSE(write_file(folder, "x").ok());
  const std::string file = folder + "/file", link = folder + "/link";
  ASSERT_TRUE(write_file(file, "old").ok());
  std::filesystem::create_symlink("file", link);
  ASSERT_TRUE(write_file(link, "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(text_of(file), "new");
}

TEST(Strategies, AreAFunctionOfTheirArguments) {
  EXPECT_EQ(strategies_for(1, 7, 3), strategies_for(1, 7, 3));
  EXPECT_NE(strategies_for(1, 7, 3), strategies_for(2, 7, 3));
}

TEST(Strategies, MeetEverySchedulerAndCachePolicySoon) {
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (const Strategy& strategy : strategies_for(1, i, 2)) seen.insert(to_string(strategy));
  }
  EXPECT_GE(seen.size(), 12u);
}

TEST(Strategies, SearchBeginsWithTheOneThatFailed) {
  const Strategy first = strategies_for(3, 3, 1).front();
  EXPECT_EQ(search_strategies(first).front(), first);
}

}  // namespace
}  // namespace skcts::campaign
