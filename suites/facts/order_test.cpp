// (c) Does the mechanism order neighbouring sub kernels exactly as the contract says?
//
// The emulator's sequence, and each recorded one, is replayed by the calculator of replay.h; what
// it orders is held against the model's relation. What the relation promises and the sequence does
// not order is a failure. What the sequence orders beyond the relation must be of a known sort: a
// platform may order more (L-14), but each sort is written down here, with its reason.
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "reference_model/contract.h"
#include "suites/facts/classification.h"
#include "suites/facts/facts.h"
#include "suites/facts/replay.h"

namespace skcts::facts {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Sorts of order that a sequence gives although the relation does not promise it.
enum class Extra {
  in_block,    ///< To the other kind inside a block: the raise of flag 12 or 13 carries what
               ///< its core did on MTE3 and the scalar unit so far, tails included.
  relay,       ///< A core kind on its way to the other one waits too, though it is not named.
  head,        ///< A head's MTE3 on an AIC: the raise inside its own WaitPreTaskEnd carries it.
  whole_core,  ///< PIPE_ALL of debug-dcci-all drains every pipe before the raise.
  unknown,
};

void PrintTo(Extra extra, std::ostream* out) {
  constexpr std::string_view names[] = {"in block", "relay", "head", "whole core", "unknown"};
  *out << names[static_cast<std::size_t>(extra)];
}

struct Findings {
  std::vector<std::string> missing;
  std::map<Extra, int> extra;
  std::string first_unknown;
  long compared = 0;
};

/// A fused pair (or more) for both sides of the comparison.
struct Subject {
  Case test_case;
  Options options;
  model::LaunchShape shape;
  ReplayLaunch launch;
};

Subject subject_of(Case test_case) {
  Subject subject;
  subject.options = *parse_options(test_case.mix.options).options;
  std::vector<std::int32_t> all;
  for (std::size_t i = 0; i < test_case.mix.sub_kernels.size(); ++i) {
    all.push_back(static_cast<std::int32_t>(i));
  }
  const auto made =
      model::fused_shape(test_case.mix, all, subject.options, *find_profile(test_case.profile));
  SKCTS_CHECK(!made.refusal, "{}: {}", test_case.name, made.refusal ? made.refusal->text : "");
  subject.shape = made.shape;
  subject.launch = {made.shape.type, made.shape.blocks, {}};
  // Only early-start=1 lets the calls of a sub kernel take part, and never the first wait nor the
  // last signal (semantics §2).
  const bool own = subject.options.early_start == 1;
  const std::size_t count = test_case.mix.sub_kernels.size();
  for (std::size_t i = 0; i < count; ++i) {
    const SubKernel& sub = test_case.mix.sub_kernels[i];
    subject.launch.ops.push_back(
        {sub.type, sub.blocks, own && i + 1 < count && model::calls(sub, Op::set_next_task_start),
         own && i > 0 && model::calls(sub, Op::wait_pre_task_end)});
  }
  subject.test_case = std::move(test_case);
  return subject;
}

constexpr Pipe carrying_pipe(CoreKind kind) {
  return kind == CoreKind::aic ? Pipe::fix : Pipe::mte3;
}

std::vector<CoreId> cores_of(const ReplayLaunch& launch) {
  std::vector<CoreId> cores;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    for (int index = 0; index < launch.cores(kind); ++index) cores.push_back({kind, index});
  }
  return cores;
}

/// Does the relation promise that this work is complete when `to` passes its wait point?
bool promises(const model::BoundaryRelation& relation, Part part, CoreId from, Pipe pipe,
              CoreId to) {
  if (!relation.from(from.kind) || !relation.to(to.kind)) return false;
  if (part == Part::tail && relation.own_signal) return false;
  // The scalar unit raises after its own earlier steps.
  return relation.drains_all || pipe == Pipe::s || pipe == carrying_pipe(from.kind);
}

Extra sort_of(const Subject& subject, const ReplayOp& latter, Part part, CoreId from, Pipe pipe,
              CoreId to) {
  if (!runs_on(latter.type, to.kind)) return Extra::relay;
  const auto block = [&](CoreId core) {
    return core.kind == CoreKind::aiv ? core.index / subject.launch.ratio() : core.index;
  };
  const bool across = from.kind != to.kind && block(from) == block(to);
  if (across && (pipe == Pipe::mte3 || pipe == Pipe::s)) return Extra::in_block;
  if (part == Part::head && pipe == Pipe::mte3) return Extra::head;
  // PIPE_ALL stands behind the op: the raises of the op itself do not carry it.
  const bool behind = across || from == to;
  if (subject.options.debug_dcci_all && (part != Part::tail || behind)) return Extra::whole_core;
  return Extra::unknown;
}

/// Does the barrier of debug-sync-all count for a core? Behind a sub kernel that signalled itself
/// its waits are answered by those signals (all full-core waits are one class), and its own raises
/// answer the waits of the boundary. Who has a part in the next sub kernel passes both; a core
/// that has none passes the first only.
bool debug_counts(const Subject& subject, const ReplayOp& former, const ReplayOp& latter,
                  CoreId to) {
  if (!subject.options.debug_sync_all) return false;
  return !former.own_set || runs_on(latter.type, to.kind);
}

/// Compares pair (k, k + 1) of a replayed sequence with the relation; adds to `findings`.
void compare_pair(const Subject& subject, const Replay& replay, int k, Findings& findings) {
  const std::vector<SubKernel>& subs = subject.test_case.mix.sub_kernels;
  const std::size_t at = static_cast<std::size_t>(k);
  const auto boundary =
      model::boundary_relation(subs[at], subs[at + 1], subject.shape, subject.options);
  const auto debug = model::debug_sync_relation(subject.shape);
  const ReplayOp& former = subject.launch.ops[at];
  for (const CoreId from : cores_of(subject.launch)) {
    if (!subject.launch.runs(k, from)) continue;
    for (const Part part : {Part::head, Part::body, Part::tail}) {
      if (part == Part::head && !former.own_wait) continue;
      if (part == Part::tail && !former.own_set) continue;
      for (int number = 0; number < pipe_count; ++number) {
        const Pipe pipe = static_cast<Pipe>(number);
        if (!has_pipe(from.kind, pipe)) continue;
        for (const CoreId to : cores_of(subject.launch)) {
          ++findings.compared;
          bool promised =
              promises(boundary, part, from, pipe, to) || (from == to && pipe == Pipe::s);
          if (debug_counts(subject, former, subject.launch.ops[at + 1], to)) {
            promised = promised || promises(debug, Part::body, from, pipe, to);
          }
          const bool ordered = replay.complete_before(k, part, from, pipe, k + 1, to);
          if (promised == ordered) continue;
          const std::string what = fmt::format(
              "{}: op{} {} {} part {} before op{} on {}", subject.test_case.name, k,
              to_string(from), to_string(pipe), static_cast<int>(part), k + 1, to_string(to));
          if (promised) {
            findings.missing.push_back(what);
            continue;
          }
          const Extra sort = sort_of(subject, subject.launch.ops[at + 1], part, from, pipe, to);
          ++findings.extra[sort];
          if (sort == Extra::unknown && findings.first_unknown.empty()) {
            findings.first_unknown = what;
          }
        }
      }
    }
  }
}

void expect_as_promised(const Findings& findings) {
  EXPECT_EQ(findings.missing.size(), 0u) << findings.missing.front();
  EXPECT_EQ(findings.extra.count(Extra::unknown), 0u) << findings.first_unknown;
}

struct Widths {
  int former;
  int latter;
};

Case pair_case(KernelType former, KernelType latter, Widths widths, const std::string& options,
               bool own_set, bool own_wait) {
  Case made;
  made.name = fmt::format("{} {} -> {} {}, {}{}{}", to_string(former), widths.former,
                          to_string(latter), widths.latter, options, own_set ? ", own signal" : "",
                          own_wait ? ", own wait" : "");
  made.profile = "a2-24";
  made.mix.options = options;
  made.mix.sub_kernels.push_back(
      sub_kernel("op0", {.type = former, .blocks = widths.former, .set = own_set}));
  made.mix.sub_kernels.push_back(
      sub_kernel("op1", {.type = latter, .blocks = widths.latter, .wait = own_wait}));
  return made;
}

/// Composes the case in the emulator, replays it and compares every neighbouring pair.
void replay_emitted(const Case& test_case, Findings& findings,
                    const emulator::EmulatorConfig& config = {}) {
  const emulator::ComposeResult result = emulator::compose(test_case, 0, config);
  ASSERT_TRUE(result.launch.has_value()) << result.refusal.reason;
  const Subject subject = subject_of(test_case);
  const Replay replay(subject.launch, result.launch->sequence());
  EXPECT_THAT(replay.problems(), IsEmpty()) << test_case.name;
  for (std::size_t k = 0; k + 1 < subject.launch.ops.size(); ++k) {
    compare_pair(subject, replay, static_cast<int>(k), findings);
  }
}

/// All pairs of types, widths and own calls under one option string.
Findings all_pairs(const std::string& options) {
  Findings findings;
  int pairs = 0;
  for (const KernelType former : all_kernel_types) {
    for (const KernelType latter : all_kernel_types) {
      for (const Widths widths :
           {Widths{4, 4}, Widths{5, 2}, Widths{2, 5}, Widths{8, 4}, Widths{4, 8}, Widths{1, 3}}) {
        for (const bool own_set : {false, true}) {
          for (const bool own_wait : {false, true}) {
            replay_emitted(pair_case(former, latter, widths, options, own_set, own_wait), findings);
            ++pairs;
          }
        }
      }
    }
  }
  EXPECT_EQ(pairs, 36 * 6 * 4);
  return findings;
}

struct Setting {
  const char* name;
  const char* options;
  std::set<Extra> extra;  ///< The sorts of order beyond the contract that show up.
};

const Setting settings[] = {
    {"EarlyStart0", "early-start=0", {}},
    {"EarlyStart1", "early-start=1", {Extra::in_block, Extra::relay}},
    {"EarlyStart2", "early-start=2", {Extra::in_block, Extra::relay}},
    {"EarlyStart0DebugSync", "early-start=0:debug-sync-all=1", {}},
    {"EarlyStart1DebugSync", "early-start=1:debug-sync-all=1", {Extra::relay}},
    {"EarlyStart2DebugSync", "early-start=2:debug-sync-all=1", {}},
    {"EarlyStart1DebugRefresh",
     "early-start=1:debug-dcci-all=1",
     {Extra::in_block, Extra::relay, Extra::whole_core}},
};

std::set<Extra> sorts_of(const Findings& findings) {
  std::set<Extra> sorts;
  for (const auto& [sort, count] : findings.extra) sorts.insert(sort);
  return sorts;
}

void PrintTo(const Setting& setting, std::ostream* out) {
  *out << setting.options;
}

class OrderOfAllPairs : public testing::TestWithParam<Setting> {};

TEST_P(OrderOfAllPairs, IsTheContracts) {
  const Findings findings = all_pairs(GetParam().options);
  expect_as_promised(findings);
  EXPECT_GT(findings.compared, 300'000);
  EXPECT_EQ(sorts_of(findings), GetParam().extra);
}

INSTANTIATE_TEST_SUITE_P(, OrderOfAllPairs, testing::ValuesIn(settings),
                         [](const auto& setting) { return std::string(setting.param.name); });

/// A sub kernel in the middle: signals, waits, has a head and a tail at once.
TEST(OrderOfTriples, IsTheContracts) {
  Findings findings;
  for (const KernelType first : all_kernel_types) {
    for (const KernelType second : all_kernel_types) {
      for (const KernelType third : all_kernel_types) {
        for (const int own : {0, 1, 2, 3}) {
          const bool set = (own & 1) != 0;
          const bool wait = (own & 2) != 0;
          Case made = pair_case(first, second, {3, 2}, "early-start=1", set, wait);
          made.mix.sub_kernels[1] =
              sub_kernel("op1", {.type = second, .blocks = 2, .set = set, .wait = wait});
          made.mix.sub_kernels.push_back(
              sub_kernel("op2", {.type = third, .blocks = 4, .wait = wait}));
          made.name += fmt::format(" -> {} 4", to_string(third));
          replay_emitted(made, findings);
        }
      }
    }
  }
  expect_as_promised(findings);
  EXPECT_EQ(sorts_of(findings), (std::set{Extra::in_block, Extra::relay, Extra::head}));
}

/// What a core does where a pair of kinds meets stands in no sequence, only the call does.
TEST(OrderFacts, EarlyWaitsOfTheEmulatorAreThoseOfTheReplay) {
  for (const int config : {0, 1, 2, 4, 5, 6, 8, 9, 10}) {
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const emulator::EarlyActions actions =
          emulator::early_actions(config, kind, emulator::DefectId::none);
      std::vector<std::string> steps;
      for (int i = 0; i < actions.count; ++i) {
        const emulator::EarlyAction& action = actions.actions[i];
        steps.push_back(fmt::format("{} {}", action.is_wait ? "wait" : "set", action.id));
      }
      EXPECT_EQ(steps, early_wait_steps(config, kind)) << config << " " << to_string(kind);
    }
  }
}

TEST(OrderFacts, ABarrierOfDebugSyncIsReleasedEarlyByOwnSignals) {
  for (const bool own_set : {false, true}) {
    const Case made = pair_case(KernelType::mix_aic_1_1, KernelType::aic_only, {4, 4},
                                "early-start=1:debug-sync-all=1", own_set, false);
    const auto result = emulator::compose(made, 0, {});
    ASSERT_TRUE(result.launch.has_value());
    const Replay replay(subject_of(made).launch, result.launch->sequence());
    const CoreId cube{CoreKind::aic, 0};
    // AIV 1 has no part in op1: it passes when its own block and all signals are there.
    EXPECT_EQ(replay.complete_before(0, Part::body, cube, Pipe::m, 1, {CoreKind::aiv, 1}),
              !own_set);
    EXPECT_TRUE(replay.complete_before(0, Part::body, cube, Pipe::m, 1, {CoreKind::aic, 1}));
  }
}

TEST(OrderFacts, AMissingBarrierIsFound) {
  Findings findings;
  replay_emitted(pair_case(KernelType::aiv_only, KernelType::aiv_only, {4, 4}, "", false, false),
                 findings, {.defect = "inter-operator-barrier-missing"});
  EXPECT_EQ(findings.missing.size(), 4u * 4u + 4u * 3u) << "MTE3 before all, scalar before others";
}

TEST(OrderFacts, RecordedSequencesOrderAsTheContractSays) {
  int checked = 0;
  Findings findings;
  for (const Fact& recorded : all_facts()) {
    if (!classify(recorded).order) continue;
    SCOPED_TRACE(fmt::format("{} ({})", recorded.name, recorded.origin));
    ++checked;
    const Fact fact = fit_to_chip(recorded);
    const Subject subject = subject_of(case_of(fact));
    const Replay replay(subject.launch, fact.expect.sequence);
    EXPECT_THAT(replay.problems(), IsEmpty());
    for (std::size_t k = 0; k + 1 < fact.ops.size(); ++k) {
      compare_pair(subject, replay, static_cast<int>(k), findings);
    }
  }
  EXPECT_EQ(checked, 148);
  expect_as_promised(findings);
  EXPECT_EQ(sorts_of(findings),
            (std::set{Extra::in_block, Extra::relay, Extra::head, Extra::whole_core}));
}

}  // namespace
}  // namespace skcts::facts
