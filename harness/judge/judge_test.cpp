// The table allowed × shown -> status, the rules that clues point at, and the exit codes.
#include "harness/judge/judge.h"

#include <array>

#include <gtest/gtest.h>

namespace skcts::judge {
namespace {

Instruction instruction(Op op) {
  Instruction i;
  i.op = op;
  return i;
}

/// Two sub kernels: a narrow one with queries and a SyncAll, and a wide one.
Case sample() {
  Case c;
  c.mix.regions.push_back({.name = "A", .words = 16, .init = {.first = 5}});
  SubKernel narrow{.name = "k0", .type = KernelType::aiv_only, .blocks = 2};
  narrow.aiv = {instruction(Op::get_block_num), instruction(Op::sync_all)};
  SubKernel wide{.name = "k1", .type = KernelType::mix_aic_1_1, .blocks = 4};
  c.mix.sub_kernels = {narrow, wide};
  c.mix.options = "feed-sync-all=1";
  return c;
}

LaunchCounts launch() {
  LaunchCounts counts{.type = KernelType::mix_aic_1_1, .blocks = 4};
  counts.inserted.push_back({.sub_kernel = 0, .refresh_per_access = 3, .feed_joins = 2});
  counts.inserted.push_back({.sub_kernel = 1, .refresh_before = 8, .barrier_before = 8});
  return counts;
}

QueryRecord query(int core, std::int64_t value) {
  return {.core = {CoreKind::aiv, core}, .value = value};
}

Allowed allowed_of(bool completed, bool stalled, bool error, bool refused) {
  Allowed a;
  a.completed = completed;
  a.stalled = stalled;
  a.error = error;
  a.refused = refused;
  if (!completed) a.rule = RuleId::core_5;
  if (completed) a.memory.assign(16, {WordKind::exact, 5});
  return a;
}

Outcome outcome_of(OutcomeStatus status) {
  Outcome o;
  o.status = status;
  if (status == OutcomeStatus::completed) o.memory.assign(16, 5);
  return o;
}

Verdict ask(const Case& c, const Allowed& a, const Outcome& o, TargetTraits t = {},
            std::span<const std::uint32_t> alone = {}) {
  return judge({c, a, t, alone, RuleId::fuse_1}, o);
}

struct Row {
  bool completed, stalled, error, refused;  ///< Allowed.
  OutcomeStatus shown;
  bool alone;  ///< Completed with the stand-alone memory.
  bool exact;  ///< The target claims exact consequences.
  Status status;
};

TEST(Judge, FollowsItsTable) {
  using enum OutcomeStatus;
  constexpr std::array<Row, 21> table{{
      {true, false, false, false, completed, true, true, Status::pass},
      {true, false, false, false, stalled, false, true, Status::stall},
      {true, false, false, false, stalled, false, false, Status::stall},
      {true, false, false, false, error, false, true, Status::fail},
      {true, false, false, false, refused, false, true, Status::fail},
      {false, true, false, false, stalled, false, true, Status::pass},
      {false, true, false, false, completed, true, false, Status::lenient},
      {false, true, false, false, completed, true, true, Status::fail},
      {false, true, false, false, completed, false, false, Status::fail},
      {false, true, false, false, completed, false, true, Status::fail},
      {false, true, false, false, refused, false, false, Status::fail},
      {false, true, false, false, error, false, false, Status::fail},
      {false, false, true, false, error, false, true, Status::pass},
      {false, false, true, false, completed, true, false, Status::lenient},
      {false, false, true, false, stalled, false, false, Status::fail},
      {false, false, false, true, refused, false, true, Status::pass},
      {false, false, false, true, completed, true, false, Status::fail},
      {false, false, false, true, stalled, false, false, Status::fail},
      {true, true, false, false, completed, true, true, Status::pass},
      {true, true, false, false, stalled, false, true, Status::pass},
      {true, true, true, false, refused, false, true, Status::fail},
  }};
  const Case c = sample();
  for (const Row& row : table) {
    const Allowed a = allowed_of(row.completed, row.stalled, row.error, row.refused);
    const std::vector<std::uint32_t> alone(16, row.alone ? 5u : 6u);
    const Verdict v = ask(c, a, outcome_of(row.shown), {false, row.exact}, alone);
    const auto place = &row - table.data();
    EXPECT_EQ(to_string(v.status), to_string(row.status)) << "row " << place;
    EXPECT_EQ(v.key.empty(), v.conforms()) << "row " << place;
    EXPECT_EQ(v.sentence.empty(), v.status == Status::pass) << "row " << place;
    EXPECT_EQ(v.rule.has_value(), v.status != Status::pass) << "row " << place;
  }
}

TEST(Judge, ChargesALaunchToCore1) {
  const Case c = sample();
  Allowed a = allowed_of(true, false, false, false);
  a.counts = {launch()};
  Outcome o = outcome_of(OutcomeStatus::completed);
  o.counts = {launch()};
  EXPECT_EQ(ask(c, a, o, {true, true}).status, Status::pass);
  o.counts[0].blocks = 3;
  const Verdict v = ask(c, a, o, {true, true});
  EXPECT_EQ(v.key, "fail/CORE-1/launch");
  EXPECT_FALSE(v.rule_is_propertys);
  o.memory[3] = 9;
  EXPECT_EQ(ask(c, a, o, {true, true}).key, "fail/CORE-1/launch");
}

TEST(Judge, ChargesCountsToTheirPlacement) {
  const Case c = sample();
  Allowed a = allowed_of(true, false, false, false);
  a.counts = {launch()};
  const auto rule_without = [&](int k, std::int64_t InsertedCounts::*count) {
    Outcome o = outcome_of(OutcomeStatus::completed);
    o.counts = {launch()};
    o.counts[0].inserted[static_cast<std::size_t>(k)].*count -= 1;
    return ask(c, a, o, {true, true}).rule;
  };
  EXPECT_EQ(rule_without(0, &InsertedCounts::refresh_per_access), RuleId::cache_1);
  EXPECT_EQ(rule_without(0, &InsertedCounts::feed_joins), RuleId::sync_1);
  EXPECT_EQ(rule_without(1, &InsertedCounts::refresh_before), RuleId::cache_2);
  EXPECT_EQ(rule_without(1, &InsertedCounts::barrier_before), RuleId::task_1);
}

TEST(Judge, ChargesQueries) {
  const Case c = sample();
  Allowed a = allowed_of(true, false, false, false);
  a.queries = {{query(0, 2), true}, {query(1, 2), true}};
  Outcome o = outcome_of(OutcomeStatus::completed);
  o.queries = {query(0, 2), query(1, 2)};
  EXPECT_EQ(ask(c, a, o).status, Status::pass);
  o.queries[1].value = 4;
  EXPECT_EQ(ask(c, a, o).key, "fail/CORE-3/GetBlockNum-value");
  o.queries = {query(0, 2), query(1, 2), query(2, 2)};
  EXPECT_EQ(ask(c, a, o).key, "fail/CORE-2/query-extra");
  o.queries = {query(0, 2)};
  EXPECT_EQ(ask(c, a, o).key, "fail/CORE-2/query-missing");
}

TEST(Judge, ChargesAHangingFullCoreSyncUnderFeedingToSync1) {
  const Case c = sample();
  Allowed a = allowed_of(true, false, false, false);
  a.counts = {launch()};
  Outcome o = outcome_of(OutcomeStatus::stalled);
  o.waiting = {{.core = {CoreKind::aiv, 0},
                .sub_kernel = 0,
                .instruction = 1,
                .kind = WaitKind::full_core,
                .id = 14},
               {.core = {CoreKind::aiv, 3}, .sub_kernel = 0, .kind = WaitKind::feed}};
  EXPECT_EQ(ask(c, a, o).key, "stall/SYNC-1/aiv-full-core");
  o.waiting[0].kind = WaitKind::event_flag;
  EXPECT_EQ(ask(c, a, o).key, "stall/FUSE-1/aiv-event-flag");
}

TEST(Judge, ChargesARefusalToWhatTheTargetCites) {
  const Case c = sample();
  const Allowed a = allowed_of(true, false, false, false);
  Outcome o = outcome_of(OutcomeStatus::refused);
  EXPECT_EQ(ask(c, a, o).key, "fail/FUSE-3/refused");
  o.rule = RuleId::core_8;
  EXPECT_EQ(ask(c, a, o).key, "fail/CORE-8/refused");
}

TEST(Judge, TellsWordsThatKeptTheirInitialValue) {
  const Case c = sample();
  Allowed a = allowed_of(true, false, false, false);
  a.memory[2].value = 77;
  Outcome o = outcome_of(OutcomeStatus::completed);
  const Verdict v = ask(c, a, o);
  EXPECT_EQ(v.key, "fail/FUSE-1/memory-kept-initial");
  EXPECT_EQ(v.words, std::vector<std::int64_t>{2});
  EXPECT_TRUE(v.rule_is_propertys);
  o.memory[2] = 78;
  EXPECT_EQ(ask(c, a, o).key, "fail/FUSE-1/memory-other-value");
}

TEST(Status, HasANameThatIsFoundAgain) {
  for (int i = 0; i < status_count; ++i) {
    const auto status = static_cast<Status>(i);
    EXPECT_EQ(find_status(to_string(status)), status);
  }
  EXPECT_EQ(find_status("passed"), std::nullopt);
}

TEST(Status, LeadsToTheDocumentedExitCode) {
  const auto code = [](Status status) { return static_cast<int>(exit_code_of(status)); };
  for (const Status s : {Status::pass, Status::lenient, Status::waived, Status::not_supported}) {
    EXPECT_EQ(code(s), 0) << to_string(s);
  }
  for (const Status s : {Status::fail, Status::stall, Status::timeout, Status::crash, Status::flaky,
                         Status::protocol_error}) {
    EXPECT_EQ(code(s), 1) << to_string(s);
  }
  EXPECT_EQ(code(Status::internal_error), 3);
  EXPECT_EQ(code(Status::lost), 4);
  EXPECT_EQ(code(Status::device_lost), 4);
  EXPECT_EQ(code(Status::not_run), 5);
}

TEST(ExitCodes, CombineByPrecedence) {
  const std::array order{ExitCode::usage,       ExitCode::own_error,    ExitCode::failure,
                         ExitCode::target_lost, ExitCode::budget_ended, ExitCode::nothing_ran,
                         ExitCode::pass};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(combine(order[i], order[j]), order[std::min(i, j)]);
    }
  }
  EXPECT_EQ(combine(std::span<const ExitCode>{}), ExitCode::pass);
}

TEST(Status, WorseIsSymmetricAndKeepsTheExitCode) {
  for (int i = 0; i < status_count; ++i) {
    for (int j = 0; j < status_count; ++j) {
      const auto a = static_cast<Status>(i);
      const auto b = static_cast<Status>(j);
      EXPECT_EQ(worse(a, b), worse(b, a));
      EXPECT_EQ(exit_code_of(worse(a, b)), combine(exit_code_of(a), exit_code_of(b)));
    }
  }
}

}  // namespace
}  // namespace skcts::judge
