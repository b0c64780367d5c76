// (a) What the facts say about the launch, against the reference model and the emulator: type and
// block count, guards, numbers of the debug options, feeding, refreshes, own calls.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/emulator.h"
#include "spec/options.h"
#include "suites/facts/classification.h"
#include "suites/facts/engines.h"
#include "suites/facts/facts.h"
#include "suites/facts/replay.h"

namespace skcts::facts {

void PrintTo(const Refreshes& refreshes, std::ostream* out) {
  *out << fmt::format("per access {}, before {}, after {}", refreshes.per_access, refreshes.before,
                      refreshes.after);
}

namespace {

using testing::ElementsAreArray;

class LaunchFacts : public testing::TestWithParam<Engine> {
 protected:
  static LaunchView launch(const Case& test_case) { return GetParam().launch(test_case); }
};

std::string trace_of(const Fact& fact) {
  return fmt::format("{} ({})", fact.name, fact.origin);
}

void expect_launch(const LaunchView& view, KernelType type, int blocks) {
  EXPECT_FALSE(view.refused()) << view.reason;
  EXPECT_EQ(to_string(view.type), to_string(type));
  EXPECT_EQ(view.blocks, blocks);
}

void expect_refused_by(const LaunchView& view, RuleId rule) {
  ASSERT_TRUE(view.refused()) << to_string(view.type) << " x " << view.blocks;
  ASSERT_TRUE(view.rule.has_value()) << view.reason;
  EXPECT_EQ(to_string(*view.rule), to_string(rule)) << view.reason;
}

/// A case of one sub kernel of that type with the fact's options.
Case case_of_one(const Fact& fact, KernelType type, int blocks) {
  Fact made = fact;
  made.ops = {FactOp{.type = type, .blocks = blocks}};
  return case_of(made);
}

std::string_view ratio_of(KernelType type) {
  switch (type) {
    case KernelType::mix_aiv_1_0: return "0:1";
    case KernelType::mix_aic_1_0: return "1:0";
    case KernelType::mix_aic_1_1: return "1:1";
    case KernelType::mix_aic_1_2: return "1:2";
    default: return "no launch";
  }
}

bool states_a_launch(const Fact& fact) {
  return classify(fact).launch && !fact.ops.empty() && fact.ops.front().type &&
         fact.expect.launch && !fact.expect.need_feed;
}

TEST_P(LaunchFacts, TypeAndBlockCount) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!states_a_launch(fact)) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    KernelType type = *fact.expect.launch;
    int blocks = 0;
    if (exceeds_chip(fact)) {
      // The composer has no look at the chip.
      expect_refused_by(launch(case_of(fact)), RuleId::core_8);
      blocks = std::min(*fact.expect.blocks, type == KernelType::mix_aiv_1_0 ? 48 : 24);
    } else {
      blocks = fact.expect.blocks.value_or(fact.ops.front().blocks);
    }
    if (classify(fact).reason == Reason::defect_core_7) {
      ASSERT_EQ(type, KernelType::mix_aic_1_1);
      type = KernelType::mix_aic_1_2;
    }
    const LaunchView view = launch(case_of(fit_to_chip(fact)));
    expect_launch(view, type, blocks);
    if (!fact.expect.ratio.empty()) {
      EXPECT_EQ(ratio_of(view.type), fact.expect.ratio);
    }
    if (fact.expect.aic_cores && !exceeds_chip(fact)) {
      EXPECT_EQ(aic_cores(view.type, view.blocks), *fact.expect.aic_cores);
    }
    if (fact.expect.aiv_cores && !exceeds_chip(fact) && type == fact.expect.launch) {
      EXPECT_EQ(aiv_cores(view.type, view.blocks), *fact.expect.aiv_cores);
    }
  }
  EXPECT_EQ(checked, 366);
}

TEST_P(LaunchFacts, TheDecisionByTypesAndMaxima) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("type_decision_function")) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    for (std::size_t bit = 0; bit < std::size(all_kernel_types); ++bit) {
      if (*fact.expect.type_mask != 1 << bit) continue;
      const KernelType type = all_kernel_types[bit];
      const int blocks = is_aiv_kind(type) ? *fact.expect.max_aiv : *fact.expect.max_aic;
      expect_launch(launch(case_of_one(fact, type, blocks)), *fact.expect.launch,
                    *fact.expect.blocks);
    }
  }
  EXPECT_EQ(checked, 6);
}

TEST_P(LaunchFacts, RefusedDebugNumbersOfWholeMixes) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    const bool number = fact.is("debug_num_update") || fact.is("codegen");
    if (!number || fact.expect.error.empty() || !classify(fact).launch) continue;
    if (fact.options.find("debug-ai") == std::string::npos) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    const Case made = fact.ops.empty() ? case_of_one(fact, *fact.expect.natural_launch,
                                                     *fact.expect.natural_blocks)
                                       : case_of(fact);
    expect_refused_by(launch(made), RuleId::core_6);
  }
  EXPECT_EQ(checked, 24);
}

TEST_P(LaunchFacts, DebugNumbersAgainstWhatTheMixNeeds) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("debug_num_subop")) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    const LaunchView view =
        launch(case_of_one(fact, *fact.expect.natural_launch, *fact.expect.natural_blocks));
    if (*fact.expect.accepted) {
      EXPECT_FALSE(view.refused()) << view.reason;
    } else {
      expect_refused_by(view, RuleId::core_6);
    }
  }
  EXPECT_EQ(checked, 16);
}

/// A sub kernel type that needs no more than these numbers, each alone.
KernelType type_within(const Options& options) {
  if (options.debug_aic_num == 0) return KernelType::aiv_only;
  return KernelType::aic_only;
}

TEST_P(LaunchFacts, DebugNumbersAgainstRatiosAndTheChip) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("debug_num_ratio") && !fact.is("debug_num_platform")) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    const Options options = *parse_options(fact.options).options;
    const LaunchView view = launch(case_of_one(fact, type_within(options), 1));
    if (*fact.expect.accepted && classify(fact).reason == Reason::none) {
      EXPECT_FALSE(view.refused()) << view.reason;
    } else {
      expect_refused_by(view, RuleId::core_6);
    }
  }
  EXPECT_EQ(checked, 13);
}

/// The cores that a "run" step names, in a launch.
std::vector<CoreId> cores_named(const std::vector<std::string>& sequence, int op,
                                const LaunchView& view) {
  std::vector<CoreId> cores;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const int count = kind == CoreKind::aic ? aic_cores(view.type, view.blocks)
                                            : aiv_cores(view.type, view.blocks);
    const std::string run = fmt::format("run op{} {} ", op, kind == CoreKind::aic ? "AIC" : "AIV");
    for (const std::string& step : sequence) {
      if (!step.starts_with(run)) continue;
      for (int index = 0; index < count; ++index) {
        const int ratio = view.type == KernelType::mix_aic_1_2 ? 2 : 1;
        if (guard_holds(step.substr(run.size()), {kind, index}, ratio)) {
          cores.push_back({kind, index});
        }
      }
    }
  }
  return cores;
}

TEST_P(LaunchFacts, Guards) {
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (!classify(recorded).sequence || !recorded.expect.has_sequence) continue;
    SCOPED_TRACE(trace_of(recorded));
    ++checked;
    const Fact fact = fit_to_chip(recorded);
    const LaunchView view = launch(case_of(fact));
    ASSERT_EQ(view.sub_kernels.size(), fact.ops.size()) << view.reason;
    for (std::size_t i = 0; i < fact.ops.size(); ++i) {
      EXPECT_THAT(view.sub_kernels[i].cores,
                  ElementsAreArray(cores_named(fact.expect.sequence, static_cast<int>(i), view)))
          << "op" << i;
    }
  }
  EXPECT_EQ(checked, 160);
}

TEST_P(LaunchFacts, NeedOfFeeding) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (!fact.is("feed_sync_all_decision")) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    Fact made = fact;
    made.ops.push_back({.type = fact.expect.launch, .blocks = *fact.expect.blocks});
    const LaunchView view = launch(case_of(made));
    expect_launch(view, *fact.expect.launch, *fact.expect.blocks);
    ASSERT_EQ(view.sub_kernels.size(), 2u);
    EXPECT_EQ(view.sub_kernels[0].fed, *fact.expect.need_feed);
  }
  EXPECT_EQ(checked, 9);
}

TEST_P(LaunchFacts, FedSubKernelsOfWholeCompositions) {
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (!classify(recorded).sequence || !recorded.expect.has_sequence) continue;
    SCOPED_TRACE(trace_of(recorded));
    const Fact fact = fit_to_chip(recorded);
    std::vector<bool> fed;
    for (const std::string& step : fact.expect.sequence) {
      if (step == "feed on" || step == "feed off") fed.push_back(step == "feed on");
    }
    if (fed.empty()) fed.assign(fact.ops.size(), false);
    checked += std::ranges::count(fed, true) > 0 ? 1 : 0;
    const LaunchView view = launch(case_of(fact));
    ASSERT_EQ(view.sub_kernels.size(), fed.size()) << view.reason;
    for (std::size_t i = 0; i < fed.size(); ++i) {
      EXPECT_EQ(view.sub_kernels[i].fed, fed[i]) << "op" << i;
    }
  }
  EXPECT_EQ(checked, 17);
}

TEST_P(LaunchFacts, RefreshesAndOwnCallsAsCompiled) {
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (recorded.expect.built.empty() || !classify(recorded).launch) continue;
    // The facts of two streams and events are about the lists between sub kernels.
    const Fact fact = fit_to_chip(recorded);
    if (fact.expect.double_stream) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    const LaunchView view = launch(case_of(fact));
    ASSERT_EQ(view.sub_kernels.size(), fact.expect.built.size()) << view.reason;
    for (std::size_t i = 0; i < fact.expect.built.size(); ++i) {
      const Built& built = fact.expect.built[i];
      EXPECT_EQ(view.sub_kernels[i].refreshes,
                (Refreshes{built.per_access, built.before, built.after}))
          << "op" << i;
      if (view.sub_kernels[i].block_num && built.block_num) {
        EXPECT_EQ(view.sub_kernels[i].block_num, built.block_num) << "op" << i;
      }
      EXPECT_EQ(view.sub_kernels[i].own_set, built.set) << "op" << i;
      EXPECT_EQ(view.sub_kernels[i].own_wait, built.wait) << "op" << i;
    }
  }
  EXPECT_EQ(checked, 97);
}

TEST_P(LaunchFacts, RefreshesWhereTheDisableListWins) {
  const LaunchView view = launch(case_of(fact("exec_dcci_disable_wins")));
  ASSERT_EQ(view.sub_kernels.size(), 2u) << view.reason;
  EXPECT_EQ(view.sub_kernels[0].refreshes, (Refreshes{false, false, false}));
}

TEST_P(LaunchFacts, TilingOffloadRefreshesWhateverTheListsSay) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    if (classify(fact).reason != Reason::defect_cache_5) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    Fact made = fact;
    for (FactOp& op : made.ops) op.blocks = std::max(op.blocks, 4);
    const LaunchView view = launch(case_of(made));
    ASSERT_EQ(view.sub_kernels.size(), made.ops.size()) << view.reason;
    for (std::size_t i = 0; i < made.ops.size(); ++i) {
      if (!made.ops[i].offload) continue;
      EXPECT_EQ(view.sub_kernels[i].refreshes, (Refreshes{false, true, true})) << "op" << i;
    }
  }
  EXPECT_EQ(checked, 7);
}

TEST_P(LaunchFacts, FeedingWithARefreshAfterIsNoReasonToRefuse) {
  const LaunchView view = launch(case_of(fact("exec_feed_plus_dcci_after")));
  expect_launch(view, KernelType::mix_aiv_1_0, 6);
  ASSERT_EQ(view.sub_kernels.size(), 2u);
  EXPECT_TRUE(view.sub_kernels[0].fed);
  EXPECT_EQ(view.sub_kernels[0].refreshes, (Refreshes{false, false, true}));
}

/// Only a run shows what GetBlockNum returns in the emulator: every core asks.
TEST(EmulatorFacts, BlockNumbersAsCompiled) {
  emulator::Emulator npu({});
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (recorded.expect.built.empty() || !classify(recorded).sequence) continue;
    Fact fact = fit_to_chip(recorded);
    // The facts count SyncAll calls of cube sub kernels too; such a call never ends (SYNC-8).
    for (FactOp& op : fact.ops) op.sync_all = false;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    Case made = case_of(fact);
    std::size_t askers = 0;
    const LaunchView view = engines()[1].launch(made);
    for (std::size_t i = 0; i < fact.ops.size(); ++i) {
      SubKernel& sub = made.mix.sub_kernels[i];
      askers += view.sub_kernels[i].cores.size();
      Instruction query;
      query.op = Op::get_block_num;
      query.reg = 0;
      for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
        if (runs_on(sub.type, kind)) sub.program(kind).push_back(query);
      }
    }
    const RunResult run = npu.run(made, {});
    ASSERT_EQ(to_string(run.outcome.status), to_string(OutcomeStatus::completed))
        << run.outcome.reason;
    EXPECT_EQ(run.outcome.queries.size(), askers);
    for (const QueryRecord& record : run.outcome.queries) {
      const auto op = static_cast<std::size_t>(record.sub_kernel);
      ASSERT_EQ(record.value, fact.expect.built[op].block_num) << "op" << op;
    }
  }
  EXPECT_EQ(checked, 80);
}

TEST_P(LaunchFacts, RefusedOptionStringsLaunchNothing) {
  int checked = 0;
  for (const Fact& fact : all_facts()) {
    const bool refused = fact.is("option_parse") ? !*fact.expect.accepted
                                                 : fact.is("codegen") && !fact.expect.error.empty();
    if (!refused || parse_options(fact.options).options) continue;
    SCOPED_TRACE(trace_of(fact));
    ++checked;
    Case made = case_of_one(fact, KernelType::aiv_only, 1);
    made.mix.options = fact.options;
    expect_refused_by(launch(made), RuleId::fuse_3);
  }
  EXPECT_EQ(checked, 24);
}

INSTANTIATE_TEST_SUITE_P(, LaunchFacts, testing::ValuesIn(engines()),
                         [](const auto& engine) { return std::string(engine.param.name); });

}  // namespace
}  // namespace skcts::facts
