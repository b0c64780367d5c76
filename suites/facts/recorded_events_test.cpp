// (e) The recorded sequences with events as programs. An actor outside writes what the receiver
// reads before it raises the event; another copies what the sender stored after its event. The
// composition keeps the contract if every core reads and every store is copied (FUSE-5).
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  return fact.expect.has_sequence && !fact.expect.double_stream && fact.path == "ge" &&
         classify(fact).reason == Reason::events;
}

/// What the composer does against the contract in a pair of sub kernels, from their kinds alone; or
/// nothing. A vector core watches and notifies where one of the two is MIX. Behind a cube sub
/// kernel only the vectors are held by it; in front of one it has not waited for the cubes.
std::string defect_of(const Fact& fact) {
  const KernelType former = *fact.ops.front().type;
  const KernelType latter = *fact.ops.back().type;
  const bool sends = !fact.ops.front().sends.empty();
  const bool receives = !fact.ops.back().receives.empty();
  if (sends && is_mix_kind(former) && is_aic_kind(latter)) return "notifies before its cubes end";
  if (receives && !sends && is_aic_kind(former) && is_mix_kind(latter)) return "holds no cube";
  return {};
}

TEST(RecordedEvents, AreKeptButForTheDefectsOfTheComposer) {
  std::map<std::string, int> counted;
  for (const Fact& recorded : all_facts()) {
    if (!is_event_fact(recorded)) continue;
    const std::string defect = defect_of(recorded);
    EXPECT_EQ(verdict_of(fit_to_chip(recorded)), defect.empty() ? "kept" : "broken")
        << recorded.name;
    ++counted[defect.empty() ? "kept" : defect];
  }
  EXPECT_EQ(counted,
            (std::map<std::string, int>{
                {"kept", 35}, {"notifies before its cubes end", 6}, {"holds no cube", 3}}));
}

/// The composer of the emulator makes the same pairs without these defects.
TEST(RecordedEvents, TheOwnPrologueKeepsThemAll) {
  for (const Fact& recorded : all_facts()) {
    if (!is_event_fact(recorded)) continue;
    const Fact fact = fit_to_chip(recorded);
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
