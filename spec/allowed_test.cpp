#include "spec/allowed.h"

#include <gtest/gtest.h>

namespace skcts {
namespace {

Mix one_region() {
  Mix mix;
  mix.regions.push_back({.name = "A", .words = 16});
  mix.sub_kernels.push_back({.name = "k0", .blocks = 2});
  return mix;
}

Allowed all_zero() {
  Allowed allowed;
  allowed.memory.assign(16, WordAllowed{});
  return allowed;
}

Outcome completed() {
  Outcome outcome;
  outcome.memory.assign(16, 0);
  return outcome;
}

TEST(Contains, TheOneMemoryIsInTheSetAndAnyOtherIsNot) {
  EXPECT_TRUE(contains(all_zero(), one_region(), completed()));
  Outcome wrong = completed();
  wrong.memory[3] = 7;
  wrong.memory[5] = 9;
  const Containment result = contains(all_zero(), one_region(), wrong);
  EXPECT_EQ(result.misfit, Misfit::memory);
  EXPECT_EQ(result.words, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(result.text, "A[3] is 7, allowed is 0 (1 more words differ)");
}

TEST(Contains, AWordOfASetIsHeldToTheSet) {
  Allowed allowed = all_zero();
  allowed.sets = {{1, 5}};
  allowed.memory[2] = {.kind = WordKind::one_of, .set = 0};
  Outcome outcome = completed();
  outcome.memory[2] = 5;
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.memory[2] = 4;
  EXPECT_EQ(contains(allowed, one_region(), outcome).text, "A[2] is 4, allowed is one of 1, 5");
  allowed.memory[2].kind = WordKind::unjudged;
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
}

TEST(Contains, TiedWordsMustHoldOneOfTheirTuples) {
  Allowed allowed = all_zero();
  allowed.sets = {{0, 5}};
  allowed.memory[2] = allowed.memory[4] = {.kind = WordKind::one_of, .set = 0};
  allowed.joint = {{{2, 4}, {{0, 0}, {0, 5}, {5, 5}}}};
  Outcome outcome = completed();
  outcome.memory[4] = 5;
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.memory[4] = 0;
  outcome.memory[2] = 5;
  const Containment result = contains(allowed, one_region(), outcome);
  EXPECT_EQ(result.misfit, Misfit::memory);
  EXPECT_EQ(result.words, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(result.text, "A[2] is 5, A[4] is 0: each value alone occurs, but not together");
  outcome.memory[4] = 6;  // a value that never occurs is said first
  EXPECT_EQ(contains(allowed, one_region(), outcome).words, (std::vector<std::int64_t>{4}));
}

TEST(Contains, TruncatedMemoryIsRefused) {
  Outcome outcome = completed();
  outcome.memory.pop_back();
  EXPECT_EQ(contains(all_zero(), one_region(), outcome).misfit, Misfit::memory);
}

TEST(Contains, EachStatusOnlyWhereAllowed) {
  for (const OutcomeStatus status : {OutcomeStatus::completed, OutcomeStatus::stalled,
                                     OutcomeStatus::error, OutcomeStatus::refused}) {
    Outcome outcome = completed();
    outcome.status = status;
    Allowed allowed = all_zero();
    allowed.completed = status == OutcomeStatus::completed;
    allowed.stalled = status == OutcomeStatus::stalled;
    allowed.error = status == OutcomeStatus::error;
    allowed.refused = status == OutcomeStatus::refused;
    EXPECT_TRUE(contains(allowed, one_region(), outcome)) << to_string(status);
    Allowed other = all_zero();
    other.completed = status != OutcomeStatus::completed;
    EXPECT_EQ(contains(other, one_region(), outcome).misfit, Misfit::status);
  }
}

TEST(Contains, AStuckCoreMustBeStuckWhereItIsSaid) {
  Allowed allowed = all_zero();
  allowed.stalled = true;
  allowed.completed = false;
  const Waiting wait{.core = {CoreKind::aiv, 1}, .sub_kernel = 0, .instruction = 2,
                     .kind = WaitKind::cross_core_flag, .id = 3};
  allowed.stuck = {{.waiting = wait}};
  allowed.stuck_complete = true;
  Outcome outcome = completed();
  outcome.status = OutcomeStatus::stalled;
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::waiting);
  outcome.waiting = {wait};
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.waiting[0].instruction = 1;
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::waiting);
  outcome.waiting[0] = wait;
  Waiting stranger = wait;
  stranger.core.index = 0;
  outcome.waiting.push_back(stranger);
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::waiting);
  allowed.stuck_complete = false;
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
}

TEST(Contains, AtOrAfterTakesAnyWaitOfThatCore) {
  Allowed allowed = all_zero();
  allowed.stalled = true;
  const Waiting wait{.core = {CoreKind::aiv, 0}, .sub_kernel = 0, .instruction = 1,
                     .kind = WaitKind::full_core};
  allowed.stuck = {{.waiting = wait, .at_or_after = true}};
  Outcome outcome = completed();
  outcome.status = OutcomeStatus::stalled;
  outcome.waiting = {{.core = {CoreKind::aiv, 0}, .sub_kernel = 1, .kind = WaitKind::full_core}};
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.waiting[0].kind = WaitKind::poll;
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.waiting[0].core.index = 1;
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::waiting);
}

TEST(Contains, WhoStandsAtABoundaryBehindAStuckCoreIsNotJudged) {
  Allowed allowed = all_zero();
  allowed.stalled = true;
  allowed.stuck_complete = true;
  Outcome outcome = completed();
  outcome.status = OutcomeStatus::stalled;
  outcome.waiting = {{.core = {CoreKind::aic, 0}, .sub_kernel = 1, .kind = WaitKind::full_core}};
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.waiting[0].instruction = 3;
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::waiting);
}

TEST(Contains, QueriesAreHeldToPlaceAndValue) {
  Allowed allowed = all_zero();
  const QueryRecord record{.core = {CoreKind::aiv, 1}, .instruction = 4, .value = 2};
  allowed.queries = {{.record = record}};
  Outcome outcome = completed();
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::query);
  outcome.queries = {record};
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.queries[0].value = 3;
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::query);
  allowed.queries[0].judged = false;
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
}

TEST(Contains, CountsAreJudgedOnlyWhereDeclaredAndMoreIsNoFault) {
  Allowed allowed = all_zero();
  LaunchCounts owed{.type = KernelType::mix_aiv_1_0, .blocks = 2};
  owed.inserted = {{.sub_kernel = 0, .refresh_before = 2}};
  allowed.counts = {owed};
  Outcome outcome = completed();
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.counts = {owed};
  outcome.counts[0].inserted[0].refresh_before = 5;
  EXPECT_TRUE(contains(allowed, one_region(), outcome));
  outcome.counts[0].inserted[0].refresh_before = 1;
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::counts);
  outcome.counts[0].inserted.clear();
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::counts);
  outcome.counts = {owed};
  outcome.counts[0].blocks = 1;
  EXPECT_EQ(contains(allowed, one_region(), outcome).misfit, Misfit::launch);
}

}  // namespace
}  // namespace skcts
