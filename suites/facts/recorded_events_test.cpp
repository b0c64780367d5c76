// (e) The recorded sequences with events as programs. An actor outside writes what the receiver
// reads before it raises the event; another copies what the sender stored after its event. The
// composition keeps the contract if every core reads and every store is copied (FUSE-5).
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "harness/emulator/testing.h"
#include "suites/facts/classification.h"
#include "suites/facts/facts.h"

namespace skcts::facts {
namespace {

using emulator::testing::Program;
namespace testing = ::testing;

constexpr int region_written = 0;  ///< by the actor, in front of the awaited event
constexpr int region_read = 1;     ///< by the receiver, from there
constexpr int region_stored = 2;   ///< by the sender
constexpr int region_copied = 3;   ///< by the actor, behind the raised event
constexpr int side_words = 48 * 8;
constexpr std::uint32_t before = 1;
constexpr std::uint32_t after = 7;

/// Words of a side: a slot of 8 for each core, the cubes behind the vectors.
Expr own_slot(CoreKind kind) {
  return emulator::testing::by_core(8, kind == CoreKind::aic ? side_words : 0);
}

Program store_work(CoreKind kind) {
  using namespace emulator::testing;
  using enum Pipe;
  if (kind == CoreKind::aiv) return put(gm(region_stored, own_slot(kind)), after);
  return Program{produce(after)} + handed(m, fix) +
         Program{fixpipe(gm(region_stored, own_slot(kind)))};
}

Program read_work(CoreKind kind) {
  using namespace emulator::testing;
  using enum Pipe;
  const Operand to = gm(region_read, own_slot(kind));
  if (kind == CoreKind::aiv) return move(to, gm(region_written));
  return Program{copy(in(Space::l1), gm(region_written))} + handed(mte2, mte3) +
         Program{copy(to, in(Space::l1)), barrier()};
}

/// Behind WaitPreTaskEnd, in front of SetNextTaskStart.
void add_work(SubKernel& sub, CoreKind kind, const Program& work) {
  if (!runs_on(sub.type, kind)) return;
  std::vector<Instruction>& program = sub.program(kind);
  const auto end = std::ranges::find(program, Op::set_next_task_start, &Instruction::op);
  program.insert(end, work.begin(), work.end());
}

OutsideStep on_event(OutsideKind kind) {
  OutsideStep step;
  step.kind = kind;
  step.event = kind == OutsideKind::wait ? "sent" : "awaited";
  return step;
}

/// A fact of a sender and a receiver (one of them may have no event) made to work on data.
Case case_with_events(const Fact& fact) {
  Case out = case_of(fact);
  using emulator::testing::region;
  out.mix.regions = {region("written", 8, before), region("read", 2 * side_words),
                     region("stored", 2 * side_words), region("copied", 2 * side_words)};
  SubKernel& sender = out.mix.sub_kernels.front();
  SubKernel& receiver = out.mix.sub_kernels.back();
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    add_work(sender, kind, store_work(kind));
    add_work(receiver, kind, read_work(kind));
  }
  if (!fact.ops.front().sends.empty()) {
    sender.send = {"sent"};
    OutsideStep copy;
    copy.kind = OutsideKind::copy;
    copy.region = region_stored;
    copy.to = region_copied;
    copy.count = 2 * side_words;
    out.mix.outside.push_back({"behind", {on_event(OutsideKind::wait), copy}, ""});
  }
  if (!fact.ops.back().receives.empty()) {
    receiver.recv = {"awaited"};
    OutsideStep write;
    write.kind = OutsideKind::write;
    write.region = region_written;
    write.values.assign(8, after);
    out.mix.outside.push_back({"in front", {write, on_event(OutsideKind::raise)}, ""});
  }
  return out;
}

/// Every store was copied, and nobody read what was there before the event.
bool as_promised(const Case& test_case, const Fact& fact, const Outcome& outcome) {
  const auto words = [&](int region) {
    return emulator::testing::words_of(test_case, outcome, region, 0, 2 * side_words);
  };
  const bool copied =
      fact.ops.front().sends.empty() || words(region_copied) == words(region_stored);
  const bool read =
      fact.ops.back().receives.empty() || std::ranges::count(words(region_read), before) == 0;
  return copied && read;
}

/// "kept", "broken" (a core was not held, or a store not copied), or what else came out.
std::string verdict_of(const Fact& fact) {
  const Case test_case = case_with_events(fact);
  SKCTS_CHECK(fact.expect.launch && fact.expect.blocks, "{} has no launch", fact.name);
  emulator::Emulator target({.recorded = emulator::RecordedLaunch{
                                 *fact.expect.launch, *fact.expect.blocks, fact.expect.sequence}});
  std::string verdict = "kept";
  for (const char* text : {"random/random", "pct:3/keep", "starve/random", "round-robin/keep"}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      RunRequest request;
      request.strategy = emulator::testing::strategy(text, seed);
      const Outcome outcome = target.run(test_case, request).outcome;
      if (outcome.status != OutcomeStatus::completed) {
        return std::string(to_string(outcome.status)) + " " + outcome.reason;
      }
      if (!as_promised(test_case, fact, outcome)) verdict = "broken";
    }
  }
  return verdict;
}

/// One list, one sub kernel with the event on either side of the boundary.
bool is_event_fact(const Fact& fact) {
  const auto on_one_stream = [](const FactOp& op) { return op.stream == 0 && !op.offload; };
  return fact.path == "ge" && fact.expect.has_sequence &&
         std::ranges::any_of(fact.ops, &FactOp::events) &&
         std::ranges::all_of(fact.ops, on_one_stream);
}

TEST(RecordedEvents, AreKeptButForTheDefectsOfTheComposer) {
  std::map<std::string, int> counted;
  for (const Fact& recorded : all_facts()) {
    if (!is_event_fact(recorded)) continue;
    const Reason defect = event_defect(recorded);
    EXPECT_EQ(verdict_of(fit_to_chip(recorded)), defect == Reason::none ? "kept" : "broken")
        << recorded.name;
    ++counted[std::string(to_string(defect))];
  }
  EXPECT_EQ(counted,
            (std::map<std::string, int>{{std::string(to_string(Reason::none)), 37},
                                        {std::string(to_string(Reason::defect_notify)), 6},
                                        {std::string(to_string(Reason::defect_hold)), 3}}));
}

/// The list of a pair whose second sub kernel awaits an event: as the emulator composes it without
/// the event, with the wait and the recorded sync behind it put in.
Fact with_extra_sync(const Fact& fact) {
  Fact made = fact;
  for (FactOp& op : made.ops) op.blocks = 4;
  const auto composed = emulator::compose(case_of(made), 0, {});
  SKCTS_CHECK(composed.launch, "{} is refused", fact.name);
  made.expect.launch = composed.launch->shape.type;
  made.expect.blocks = composed.launch->shape.blocks;
  std::vector<std::string>& steps = made.expect.sequence = composed.launch->sequence();
  const auto is_call = [](const std::string& step) { return step.starts_with("run op0"); };
  std::vector<std::string> added = {is_aic_kind(*made.ops.back().type)
                                        ? "wait_event AIC idx0 param 3"
                                        : "wait_event AIV idx0 param 3"};
  if (fact.expect.extra_sync == "sync_all aiv_only") {
    added.push_back("sync_all aiv_only @all");
  } else if (!fact.expect.extra_sync.empty()) {
    SKCTS_CHECK(fact.expect.extra_sync == "flag 11 mode0 FIX set+wait", "{}",
                fact.expect.extra_sync);
    added.push_back("flag_set 11 mode0 pipe FIX @all");
    added.push_back("flag_wait 11 @all");
  }
  steps.insert(std::ranges::find_if_not(steps, is_call), added.begin(), added.end());
  return made;
}

TEST(RecordedEvents, TheSyncBehindAWaitHoldsTheOthersButForOneKindOfPair) {
  int checked = 0;
  for (const Fact& recorded : all_facts()) {
    if (!recorded.is("event_extra_sync")) continue;
    ++checked;
    EXPECT_EQ(verdict_of(with_extra_sync(recorded)),
              event_defect(recorded) == Reason::none ? "kept" : "broken")
        << recorded.name;
  }
  EXPECT_EQ(checked, 13);
}

/// The composer of the emulator makes the same pairs without these defects.
TEST(RecordedEvents, TheOwnPrologueKeepsThemAll) {
  for (const Fact& recorded : all_facts()) {
    if (!is_event_fact(recorded)) continue;
    const Fact fact = fit_to_chip(recorded);
    SCOPED_TRACE(fact.name);
    const Case test_case = case_with_events(fact);
    emulator::Emulator target({});
    emulator::testing::run_all(
        target, test_case, 4, [&](const Outcome& outcome, const std::string&) {
          EXPECT_EQ(outcome.status, OutcomeStatus::completed) << fact.name << outcome.reason;
          EXPECT_TRUE(as_promised(test_case, fact, outcome)) << fact.name;
        });
  }
}

}  // namespace
}  // namespace skcts::facts
