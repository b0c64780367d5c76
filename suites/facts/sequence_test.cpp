// (b) The recorded sequences of set, wait, refresh and feeding steps, against what the emulator's
// prologue emits, in the same words.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "suites/facts/classification.h"
#include "suites/facts/engines.h"
#include "suites/facts/facts.h"

namespace skcts::facts {
namespace {

using Steps = std::vector<std::string>;
using testing::Contains;
using testing::ElementsAreArray;

Steps emitted(const Case& test_case, const emulator::EmulatorConfig& config = {}) {
  const emulator::ComposeResult result = emulator::compose(test_case, 0, config);
  if (!result.launch) return {"refused: " + result.refusal.reason};
  return result.launch->sequence();
}

/// What the composer would have recorded, had it no defect and written no time records.
Steps expected(const Fact& fact) {
  Steps steps = fact.expect.sequence;
  std::erase_if(steps, [](const std::string& step) { return step.starts_with("prof "); });
  if (fact.name == "exec_feed_split1_no_end") {
    const auto run = std::ranges::find(steps, "run op0 AIV aiv_linear_idx<4");
    if (run != steps.end()) steps.insert(std::next(run), "feed_end AIV aiv_linear_idx<4");
  }
  return steps;
}

TEST(SequenceFacts, WholeCompositions) {
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (!classify(recorded).sequence || !recorded.expect.has_sequence) continue;
    SCOPED_TRACE(fmt::format("{} ({})", recorded.name, recorded.origin));
    ++checked;
    const Fact fact = fit_to_chip(recorded);
    EXPECT_THAT(emitted(case_of(fact)), ElementsAreArray(expected(fact)));
  }
  EXPECT_EQ(checked, 160);
}

/// Each fact says how large the workspace of feed-sync-all is; how large is the composer's own
/// business, whether there is one is not.
TEST(SequenceFacts, AWorkspaceIsClearedWhereTheComposerHasOne) {
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (!classify(recorded).launch || recorded.ops.empty()) continue;
    if (!recorded.expect.workspace_bytes || recorded.expect.double_stream) continue;
    SCOPED_TRACE(recorded.name);
    ++checked;
    const Steps steps = emitted(case_of(fit_to_chip(recorded)));
    const bool clears = std::ranges::any_of(
        steps, [](const std::string& step) { return step.starts_with("feed_ws_clear"); });
    EXPECT_EQ(clears, *recorded.expect.workspace_bytes > 0);
  }
  EXPECT_EQ(checked, 328);
}

TEST(SequenceFacts, PairConfigurations) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("early_start_config")) continue;
    SCOPED_TRACE(fact.name);
    ++checked;
    Fact made = fact;
    for (FactOp& op : made.ops) op.blocks = 4;
    EXPECT_THAT(emitted(case_of(made)),
                Contains(fmt::format("early_cfg {}", *fact.expect.early_config)));
  }
  EXPECT_EQ(checked, 13);
}

TEST(SequenceFacts, BarriersWithoutEarlyStart) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("inter_op_sync_when_early_start_off")) continue;
    SCOPED_TRACE(fact.name);
    ++checked;
    Fact made = fact;
    made.ops.assign(2, {.type = fact.expect.launch, .blocks = 4});
    const bool cube = fact.expect.launch == KernelType::aic_only;
    ASSERT_EQ(fact.expect.inter_op_sync, cube ? "flag 11 mode0 FIX set+wait" : "sync_all mix");
    const Steps between = cube ? Steps{"flag_set 11 mode0 pipe FIX @all", "flag_wait 11 @all"}
                               : Steps{"sync_all mix @all"};
    Steps steps = emitted(case_of(made));
    std::erase_if(steps, [](const std::string& step) { return step.starts_with("run "); });
    EXPECT_EQ(steps, between);
  }
  EXPECT_EQ(checked, 3);
}

/// How many recorded compositions a defect of the emulator makes it miss.
int missed(const char* defect) {
  int count = 0;
  for (const Fact& recorded : all_facts()) {
    if (!classify(recorded).sequence || !recorded.expect.has_sequence) continue;
    const Fact fact = fit_to_chip(recorded);
    count += emitted(case_of(fact), {.defect = defect}) != expected(fact) ? 1 : 0;
  }
  return count;
}

TEST(SequenceFacts, DefectsOfTheEmulatorShow) {
  EXPECT_EQ(missed(""), 0);
  EXPECT_EQ(missed("feed-missing"), 17);
  EXPECT_EQ(missed("dcci-before-ignored"), 2);
  EXPECT_EQ(missed("inter-operator-barrier-missing"), 153);
}

/// A fact that names a defect must differ from what the contract asks for: were the composer
/// mended, the list of defects would be wrong.
TEST(SequenceFacts, TheForgottenEndMarkerIsForgotten) {
  const Fact& recorded = fact("exec_feed_split1_no_end");
  EXPECT_THAT(recorded.expect.sequence, testing::Not(Contains(testing::StartsWith("feed_end"))));
  EXPECT_THAT(expected(recorded), Contains("feed_end AIV aiv_linear_idx<4"));
}

}  // namespace
}  // namespace skcts::facts
