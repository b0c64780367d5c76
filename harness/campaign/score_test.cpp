// The score on toy platforms: one that lies about block numbers, honest ones, one that never
// repeats itself.
#include "harness/campaign/score.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "generators/generate.h"
#include "harness/campaign/strategies.h"
#include "harness/campaign/testing.h"
#include "reference_model/model.h"
#include "spec/case_text.h"

namespace skcts::campaign {
namespace {

using testing_toys::Lie;
using testing_toys::ToyTarget;

bool asks_block_num(const std::vector<Instruction>& program) {
  return std::ranges::any_of(program, [](const Instruction& instruction) {
    return instruction.op == Op::get_block_num || asks_block_num(instruction.body);
  });
}

bool asks_block_num(const Case& test_case) {
  return std::ranges::any_of(test_case.mix.sub_kernels, [](const SubKernel& k) {
    return asks_block_num(k.aic) || asks_block_num(k.aiv);
  });
}

/// Mixes that ask for a block number, of the rule's focus, or mixes that do not, of any.
Property mixes(RuleId rule, bool asking) {
  Property property;
  property.rule = rule;
  const generators::Focus focus = asking ? generators::focus_for(rule) : generators::Focus{};
  property.make = [asking, focus](const Source& source,
                                  std::uint64_t index) -> std::optional<Experiment> {
    Case mix = generators::generate(source.seed, index, focus, *source.profile);
    if (asks_block_num(mix) != asking) return std::nullopt;
    Experiment experiment;
    experiment.parts.push_back(
        {"fused", std::move(mix), strategies_for(source.seed, index, 2), Claim::legal});
    return experiment;
  };
  property.exercises = [](const Observation&) { return true; };
  return property;
}

struct Bench {
  Bench() {
    settings.profiles = {&default_profile()};
    settings.search = 20;
    settings.matrix_cases = 5;
  }
  void add(std::string name, Lie lie) {
    mutants.push_back({.name = std::move(name),
                       .rule = RuleId::core_3,
                       .channel = "queries",
                       .target_name = "toy",
                       .target = std::make_unique<ToyTarget>(lie)});
  }
  Score run() { return measure_score(settings, properties, *healthy, mutants); }

  ScoreSettings settings;
  std::unique_ptr<ToyTarget> healthy = std::make_unique<ToyTarget>(Lie::none);
  std::vector<Mutant> mutants;
  std::vector<Property> properties{mixes(RuleId::sync_1, false), mixes(RuleId::core_3, true)};
};

TEST(Score, KillsTheLiarAndNotItsHonestTwin) {
  Bench bench;
  bench.settings.out_folder = testing::TempDir() + "skcts_score";
  std::filesystem::remove_all(bench.settings.out_folder);
  bench.add("liar", Lie::block_num);
  bench.add("honest", Lie::none);
  const Score score = bench.run();
  ASSERT_EQ(score.mutants.size(), 2U);
  const MutantScore& liar = score.mutants[0];
  ASSERT_EQ(liar.fate, Fate::killed);
  EXPECT_EQ(liar.kill->found_by, RuleId::core_3);
  EXPECT_EQ(liar.kill->cases, liar.tried);
  EXPECT_TRUE(liar.own_rule());
  EXPECT_TRUE(liar.own_channel());
  EXPECT_EQ(liar.kill->sub_kernels, 1);
  EXPECT_TRUE(read_case_file(liar.kill->path).ok()) << liar.kill->path;
  EXPECT_EQ(score.mutants[1].fate, Fate::survived);
  EXPECT_EQ(score.mutants[1].tried, 20);
  EXPECT_FALSE(score.mutants[1].kill);
  EXPECT_EQ(score.killed(), 1);
  EXPECT_FALSE(score.clean());
  EXPECT_TRUE(score.false_kills.empty());
  EXPECT_FALSE(score.stopped);
}

TEST(Score, IsCleanWhenAllAreKilled) {
  Bench bench;
  bench.add("liar", Lie::block_num);
  EXPECT_TRUE(bench.run().clean());
}

TEST(Score, FillsTheMatrixBySuite) {
  Bench bench;
  bench.add("liar", Lie::block_num);
  const Score score = bench.run();
  EXPECT_EQ(score.suites, (std::vector<std::string>{"Sync", "Core"}));
  const Cell& sync = score.mutants[0].cells[0];
  EXPECT_EQ(sync.killed, 0);
  EXPECT_EQ(sync.tried, 5);
  EXPECT_TRUE(sync.ended);
  EXPECT_EQ(score.mutants[0].cells[1].killed, 1);
  EXPECT_EQ(score.mutants[0].cells[1].tried, 1);
  // The healthy platform meets each case once: that of the kill, those of Sync.
  EXPECT_EQ(score.cases, 1 + 5);
}

TEST(Score, AHealthyPlatformThatFailsMakesNoKill) {
  Bench bench;
  bench.healthy = std::make_unique<ToyTarget>(Lie::block_num);
  bench.add("liar", Lie::block_num);
  const Score score = bench.run();
  EXPECT_FALSE(score.false_kills.empty());
  EXPECT_EQ(score.mutants[0].fate, Fate::survived);
  ASSERT_EQ(score.mutants[0].doubts.size(), 3U);
  EXPECT_NE(score.mutants[0].doubts[0].find("the healthy platform fails it too"),
            std::string::npos);
  EXPECT_FALSE(score.clean());
}

TEST(Score, WhatDoesNotRepeatIsNoEvidence) {
  Bench bench;
  bench.add("flaky", Lie::never_the_same);
  const Score score = bench.run();
  EXPECT_EQ(score.mutants[0].fate, Fate::survived);
  ASSERT_FALSE(score.mutants[0].doubts.empty());
  EXPECT_NE(score.mutants[0].doubts[0].find("gives another outcome"), std::string::npos);
}

TEST(Score, SaysWhatItDidNotTry) {
  Bench bench;
  bench.add("honest", Lie::none);
  bench.settings.stop = [asked = 0]() mutable { return ++asked > 8; };
  const Score score = bench.run();
  EXPECT_TRUE(score.stopped);
  EXPECT_EQ(score.mutants[0].fate, Fate::not_tried);
  EXPECT_GT(score.mutants[0].tried, 0);
  EXPECT_LT(score.mutants[0].tried, 20);
  EXPECT_FALSE(score.clean());
}

TEST(Score, SurvivesAllCasesThatThereAre) {
  Bench bench;
  bench.add("honest", Lie::none);
  for (Property& property : bench.properties) property.most_cases = 3;
  const Score score = bench.run();
  EXPECT_EQ(score.mutants[0].fate, Fate::survived);
  EXPECT_LE(score.mutants[0].tried, 6);
}

TEST(Score, EachMachineHasItsExperimentsInOrder) {
  Bench bench;
  bench.add("honest", Lie::none);
  const Profile* const second = find_profile("tiny");
  ASSERT_NE(second, nullptr);
  bench.settings.profiles = {&default_profile(), &default_profile(), second};
  std::vector<std::pair<std::string, std::uint64_t>> made;
  Property property = mixes(RuleId::core_3, true);
  property.make = [&made](const Source& source, std::uint64_t index) {
    made.emplace_back(source.profile->name, index);
    return made.size() < 8 ? mixes(RuleId::core_3, true).make(source, index)
                           : std::optional<Experiment>();
  };
  bench.properties = {property};
  bench.run();
  made.resize(7);
  const std::string first(default_profile().name);
  EXPECT_EQ(
      made,
      (std::vector<std::pair<std::string, std::uint64_t>>{
          {first, 0}, {first, 1}, {"tiny", 0}, {first, 2}, {first, 3}, {"tiny", 1}, {first, 4}}));
}

TEST(Score, BlamesTheSuiteForAMixThatIsNotLegal) {
  Bench bench;
  bench.add("liar", Lie::block_num);
  bench.properties = {mixes(RuleId::core_3, true)};
  bench.properties[0].make = [](const Source& source, std::uint64_t index) {
    Experiment experiment;
    Case mix = generators::generate(source.seed, index, {}, *source.profile);
    mix.mix.options = "no-such-option=1";
    experiment.parts.push_back({"fused", mix, strategies_for(1, index, 1), Claim::legal});
    return index < 3 ? std::optional(experiment) : std::nullopt;
  };
  const Score score = bench.run();
  EXPECT_EQ(score.own_faults.size(), 3U);
  EXPECT_EQ(score.cases, 0);
  EXPECT_FALSE(score.clean());
}

TEST(Score, CasesToKillAreOfTheNearestRank) {
  Score score;
  EXPECT_EQ(score.cases_to_kill(50), 0);
  for (const std::int64_t cases : {40, 10, 20, 30}) {
    score.mutants.emplace_back().kill = Kill{.cases = cases};
  }
  score.mutants.emplace_back();
  EXPECT_EQ(score.cases_to_kill(50), 20);
  EXPECT_EQ(score.cases_to_kill(51), 30);
  EXPECT_EQ(score.cases_to_kill(90), 40);
  EXPECT_EQ(score.cases_to_kill(1), 10);
}

TEST(Channels, AreThoseThatTheOutcomeShows) {
  const Case mix =
      generators::generate(1, 0, generators::focus_for(RuleId::core_3), default_profile());
  model::Model model;
  const Allowed allowed = model.allowed(mix);
  ToyTarget honest(Lie::none);
  const Outcome good = honest.run(mix, {}).outcome;
  const auto shown = [&](const Outcome& outcome) {
    const judge::Verdict verdict =
        judge::judge(judge::Question{mix, allowed, {false, true}}, outcome);
    EXPECT_FALSE(verdict.conforms());
    return channels_of(mix, allowed, outcome, verdict);
  };
  Outcome stalled = good;
  stalled.status = OutcomeStatus::stalled;
  EXPECT_EQ(shown(stalled), std::vector{Channel::stall});
  Outcome refused = good;
  refused.status = OutcomeStatus::refused;
  EXPECT_EQ(shown(refused), std::vector{Channel::refusal});
  Outcome other = good;
  const auto exact = std::ranges::find(allowed.memory, WordKind::exact, &WordAllowed::kind);
  ASSERT_NE(exact, allowed.memory.end());
  ++other.memory[static_cast<std::size_t>(exact - allowed.memory.begin())];
  EXPECT_EQ(shown(other), std::vector{Channel::memory});
  ASSERT_FALSE(other.queries.empty());
  ++other.queries.front().value;
  EXPECT_EQ(shown(other), (std::vector{Channel::queries, Channel::memory}));
}

}  // namespace
}  // namespace skcts::campaign
