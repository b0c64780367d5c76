#include "harness/campaign/crosscheck.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skcts::campaign {
namespace {

/// Two vector cores store to one word without order: 1 or 2 at the end.
Case racing_case() {
  Case mix;
  mix.name = "racing";
  mix.profile = "tiny";
  mix.mix.regions.push_back({.name = "X", .words = 16, .init = {}, .note = {}});
  SubKernel sub;
  sub.name = "k";
  sub.blocks = 2;
  for (int core = 0; core < 2; ++core) {
    Instruction store;
    store.op = Op::write_gm_bypass;
    store.where.all.push_back({IndexName::core, core, core});
    store.dst.space = Space::gm;
    store.dst.index = 0;
    store.value.expr.base = core + 1;
    sub.aiv.push_back(store);
  }
  mix.mix.sub_kernels.push_back(sub);
  return mix;
}

/// What the engines say of it, each made by hand: none of them is asked.
struct Answers {
  model::Analysis analysis;
  std::vector<Outcome> explored;
  std::vector<Outcome> shown;
};

Outcome ends_with(std::uint32_t word) {
  Outcome outcome;
  outcome.memory.assign(16, 0);
  outcome.memory[0] = word;
  return outcome;
}

Answers agreeing() {
  Answers answers;
  Allowed& allowed = answers.analysis.allowed;
  allowed.memory.resize(16);
  allowed.memory[0] = {.kind = WordKind::one_of, .value = 0, .set = 0};
  allowed.sets = {{1, 2}};
  answers.explored = {ends_with(1), ends_with(2)};
  answers.shown = {ends_with(2), ends_with(2)};
  return answers;
}

CrossResult compare(const Answers& answers) {
  return campaign::compare(racing_case(), answers.analysis, answers.explored, answers.shown);
}

std::vector<std::string> keys(const CrossResult& result) {
  std::vector<std::string> all;
  for (const Difference& difference : result.differences) all.push_back(difference.key());
  return all;
}
using Keys = std::vector<std::string>;

TEST(CrossCheck, EnginesThatAgreeDoNotDiffer) {
  const CrossResult result = compare(agreeing());
  EXPECT_EQ(keys(result), Keys{});
  EXPECT_EQ(result.explored, 2);
  EXPECT_EQ(result.reached, 1);
  EXPECT_EQ(result.unreached, std::vector<Outcome>{ends_with(1)});
  EXPECT_EQ(result.occurring_memories, 2);
  EXPECT_EQ(result.allowed_memories, 2);
}

TEST(CrossCheck, AnOutcomeThatTheAnalysisExcludes) {
  Answers answers = agreeing();
  answers.explored.push_back(ends_with(3));
  EXPECT_EQ(keys(compare(answers)), Keys{"not-allowed-completed-memory"});
}

TEST(CrossCheck, AStatusThatTheAnalysisExcludes) {
  Answers answers = agreeing();
  Outcome stalled = ends_with(1);
  stalled.status = OutcomeStatus::stalled;
  answers.explored.push_back(stalled);
  EXPECT_EQ(keys(compare(answers)), Keys{"not-allowed-stalled"});
}

TEST(CrossCheck, AnExactStatusThatNeverOccurs) {
  Answers answers = agreeing();
  answers.analysis.allowed.error = true;
  EXPECT_EQ(keys(compare(answers)), Keys{"status-missing-error"});
  answers.analysis.allowed.exact_stall = false;
  EXPECT_EQ(keys(compare(answers)), Keys{});
}

TEST(CrossCheck, AnExactValueThatNeverOccurs) {
  Answers answers = agreeing();
  answers.analysis.allowed.sets = {{1, 2, 7}};
  EXPECT_EQ(keys(compare(answers)), Keys{"value-missing-completed"});
  answers.analysis.allowed.exact_data = false;
  EXPECT_EQ(keys(compare(answers)), Keys{});
}

TEST(CrossCheck, ATupleThatNeverOccurs) {
  Answers answers = agreeing();
  Allowed& allowed = answers.analysis.allowed;
  allowed.memory[1] = {.kind = WordKind::one_of, .value = 0, .set = 1};
  allowed.sets = {{1, 2}, {0}};
  allowed.joint = {{.words = {0, 1}, .tuples = {{1, 0}, {2, 0}}}};
  EXPECT_EQ(keys(compare(answers)), Keys{});
  allowed.joint[0].tuples.push_back({2, 5});
  EXPECT_EQ(keys(compare(answers)), Keys{"tuple-missing-completed"});
}

TEST(CrossCheck, APortableMixHasOneMemoryTheOneOfItsSubKernelsAlone) {
  Answers answers = agreeing();
  answers.analysis.portable = true;
  answers.analysis.alone_memory = ends_with(1).memory;
  EXPECT_EQ(keys(compare(answers)), Keys{"not-one-several"});
  answers.analysis.allowed.memory[0] = {.kind = WordKind::exact, .value = 2, .set = -1};
  answers.explored = {ends_with(2)};
  EXPECT_EQ(keys(compare(answers)), Keys{"not-one-alone"});
  answers.analysis.alone_memory = ends_with(2).memory;
  EXPECT_EQ(keys(compare(answers)), Keys{});
}

TEST(CrossCheck, AnOutcomeOfTheTargetThatIsNotExplored) {
  Answers answers = agreeing();
  answers.shown.push_back(ends_with(3));
  EXPECT_EQ(keys(compare(answers)), Keys{"not-explored-completed-memory"});
  Outcome error;
  error.status = OutcomeStatus::error;
  answers.shown = {error};
  EXPECT_EQ(keys(compare(answers)), Keys{"not-explored-error"});
}

TEST(CrossCheck, AnUndefinedWordOfTheTargetIsNoDifferenceWhereNothingIsJudged) {
  Answers answers = agreeing();
  answers.shown = {ends_with(0xdead'beef)};
  EXPECT_EQ(keys(compare(answers)), Keys{"not-explored-completed-memory"});
  answers.analysis.allowed.memory[0] = {.kind = WordKind::unjudged, .value = 0, .set = -1};
  EXPECT_EQ(keys(compare(answers)), Keys{});
  // Nobody judges the word in which the two explored outcomes differ: it shows them both.
  EXPECT_EQ(compare(answers).reached, 2);
}

TEST(CrossCheck, AnUndefinedWordOfTheExplorerIsNoDifferenceWhereNothingIsJudged) {
  Answers answers = agreeing();
  answers.explored = {ends_with(0xa5a5'a5a5)};
  answers.analysis.allowed.memory[0] = {.kind = WordKind::unjudged, .value = 0, .set = -1};
  EXPECT_EQ(keys(compare(answers)), Keys{});
  EXPECT_EQ(compare(answers).reached, 1);
  EXPECT_TRUE(compare(answers).unreached.empty());
  answers.shown[0].memory[1] = 7;  // A word that is judged.
  EXPECT_EQ(keys(compare(answers)), Keys{"not-explored-completed-memory"});
}

TEST(CrossCheck, CountsReasonsAndInsertedWaitsAreNoMatterOfTheComparison) {
  Outcome one = ends_with(1);
  one.status = OutcomeStatus::stalled;
  one.waiting = {{.core = {CoreKind::aiv, 1}, .sub_kernel = 0, .instruction = 3, .id = 2},
                 {.core = {CoreKind::aiv, 0}, .sub_kernel = 1, .kind = WaitKind::full_core}};
  one.reason = "in other words";
  one.counts.resize(1);
  Outcome other = ends_with(1);
  other.status = OutcomeStatus::stalled;
  other.waiting = {{.core = {CoreKind::aiv, 1}, .sub_kernel = 0, .instruction = 3, .id = 18}};
  EXPECT_EQ(bare(one), bare(other));
  other.waiting[0].instruction = 4;
  EXPECT_NE(bare(one), bare(other));
}

/// A target that always shows the same word.
class Stubborn : public Target {
 public:
  explicit Stubborn(std::uint32_t word) : word_(word) { description_.name = "stubborn"; }
  const TargetDescription& description() const override { return description_; }
  RunResult run(const Case&, const RunRequest&) override {
    RunResult result;
    result.outcome = ends_with(word_);
    return result;
  }

 private:
  TargetDescription description_;
  std::uint32_t word_;
};

TEST(CrossCheck, TheEnginesAgreeOnARaceAndFindAWrongTarget) {
  Stubborn right(2);
  CrossCheck fine({}, {&right});
  const CrossResult result = fine.check(racing_case(), 1);
  EXPECT_EQ(result.skipped, "");
  EXPECT_EQ(keys(result), Keys{});
  EXPECT_EQ(result.explored, 2);
  EXPECT_EQ(result.reached, 1);
  Stubborn wrong(9);
  CrossCheck bad({}, {&wrong});
  const Keys found = keys(bad.check(racing_case(), 1));
  ASSERT_EQ(found, Keys{"not-explored-completed-memory"});
  const Case small = bad.shrink(racing_case(), 1, found.front(), 100);
  EXPECT_LT(small.mix.sub_kernels[0].aiv.size(), 2u);
}

/// Shows 1 only on a schedule in which three choices of a row are odd and the fourth is 2.
class Shy : public Target {
 public:
  Shy() {
    description_.name = "shy";
    description_.honours_schedules = true;
  }
  const TargetDescription& description() const override { return description_; }
  RunResult run(const Case&, const RunRequest& request) override {
    std::vector<std::uint32_t> choices{0, 0, 0, 0};
    for (std::size_t i = 0; request.replay != nullptr && i < choices.size(); ++i) {
      if (i < request.replay->choices.size()) choices[i] = request.replay->choices[i] % 16;
    }
    const bool met = choices[0] % 2 + choices[1] % 2 + choices[2] % 2 == 3 && choices[3] == 2;
    RunResult result;
    result.schedule.choices = choices;
    result.outcome = ends_with(met ? 1 : 2);
    return result;
  }

 private:
  TargetDescription description_;
};

TEST(CrossCheck, FurtherRunsSearchSchedulesUntilAllThatIsExploredWasShown) {
  Shy shy;
  const CrossResult few = CrossCheck({.runs = 24}, {&shy}).check(racing_case(), 1);
  EXPECT_EQ(few.reached, 1);
  EXPECT_EQ(few.runs, 24);
  const CrossResult all =
      CrossCheck({.runs = 24, .reach_runs = 20'000}, {&shy}).check(racing_case(), 1);
  EXPECT_EQ(all.reached, 2);
  EXPECT_TRUE(all.unreached.empty());
  EXPECT_LT(all.runs, 20'024);  // No run behind the one that shows the last.
  Stubborn stubborn(2);
  const CrossResult bounded =
      CrossCheck({.runs = 24, .reach_runs = 100}, {&stubborn}).check(racing_case(), 1);
  EXPECT_EQ(bounded.reached, 1);
  EXPECT_EQ(bounded.runs, 124);
}

TEST(CrossCheck, WhatTheExplorerDoesNotSupportIsSkipped) {
  CrossCheck check({}, {});
  Case other = racing_case();
  other.path = "aclgraph";
  const CrossResult result = check.check(other, 1);
  EXPECT_NE(result.skipped, "");
  EXPECT_TRUE(result.differences.empty());
}

}  // namespace
}  // namespace skcts::campaign
