// (f) The recorded lists of two streams, and of tiling offload, as programs. Every sub kernel reads
// all that the sub kernels stored which it follows, in its stream or by an event, and stores a
// number of its own; actors outside stand for the events that other launches raise or await. The
// composition keeps the order (TASK-1, FUSE-5) if nobody reads what was there before.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/composition.h"
#include "harness/emulator/testing.h"
#include "suites/facts/classification.h"
#include "suites/facts/facts.h"
#include "suites/facts/replay.h"

namespace skcts::facts {
namespace {

using emulator::testing::operator+;
using emulator::testing::Program;
namespace testing = ::testing;

constexpr int vectors = 48;
constexpr int side_words = (vectors + 24) * 8;  ///< a slot of 8 words for each core
constexpr std::uint32_t event_mark = 7;
constexpr std::uint32_t op_mark = 100;

int slot_of(CoreId core) {
  return core.kind == CoreKind::aic ? vectors + core.index : core.index;
}

/// "op0 before op2", or an event between a sub kernel and the world outside.
struct Order {
  int former = -1;  ///< -1: an actor outside
  int latter = -1;
  int read_region = -1;  ///< where each core of the latter puts what it read
  int event = -1;
};

struct Subject {
  Case test_case;
  std::vector<std::vector<CoreId>> cores;  ///< of each op
  std::vector<Order> orders;
};

bool shares_event(const FactOp& sender, const FactOp& receiver) {
  return std::ranges::any_of(
      sender.sends, [&](int event) { return std::ranges::count(receiver.receives, event) > 0; });
}

/// The sub kernels that each one directly follows: the one before it in its stream, and those whose
/// events it waits for, wherever they stand in the list.
std::vector<Order> orders_of(const Fact& fact) {
  std::vector<Order> orders;
  const int count = static_cast<int>(fact.ops.size());
  for (int latter = 0; latter < count; ++latter) {
    const FactOp& own = fact.ops[static_cast<std::size_t>(latter)];
    bool stream_found = false;
    for (int former = count - 1; former >= 0; --former) {
      if (former == latter) continue;
      const FactOp& other = fact.ops[static_cast<std::size_t>(former)];
      const bool in_stream = !stream_found && former < latter && other.stream == own.stream;
      stream_found = stream_found || in_stream;
      if (in_stream || shares_event(other, own)) orders.push_back({former, latter});
    }
    for (const int event : own.receives) {
      const bool inside = std::ranges::any_of(fact.ops, [&](const FactOp& other) {
        return std::ranges::count(other.sends, event) > 0;
      });
      if (!inside) orders.push_back({-1, latter, -1, event});
    }
    for (const int event : own.sends) {
      const bool inside = std::ranges::any_of(fact.ops, [&](const FactOp& other) {
        return std::ranges::count(other.receives, event) > 0;
      });
      if (!inside) orders.push_back({latter, -1, -1, event});
    }
  }
  return orders;
}

int add_region(Case& out, std::string name, int words) {
  out.mix.regions.push_back(emulator::testing::region(std::move(name), words));
  return static_cast<int>(out.mix.regions.size()) - 1;
}

/// Copies `words` of a region to where a core keeps what it reads.
Program read_all(CoreKind kind, int from, int to, int words) {
  using namespace emulator::testing;
  using enum Pipe;
  const Operand target = gm(to, by_core(words, kind == CoreKind::aic ? vectors * words : 0));
  const Operand local = in(kind == CoreKind::aic ? Space::l1 : Space::ub);
  return Program{copy(local, gm(from), words)} + handed(mte2, mte3) +
         Program{copy(target, local, words), barrier()};
}

Program store_own(CoreKind kind, int region, std::uint32_t mark) {
  using namespace emulator::testing;
  using enum Pipe;
  if (kind == CoreKind::aiv) return put(gm(region, by_core(8)), mark);
  return Program{produce(mark)} + handed(m, fix) +
         Program{fixpipe(gm(region, by_core(8, vectors * 8)))};
}

OutsideStep on_event(OutsideKind kind, int event) {
  OutsideStep step;
  step.kind = kind;
  step.event = fmt::format("e{}", event);
  return step;
}

/// The actor on the other side of an event, and the region that shows whether it was kept.
void add_actor(Case& out, Order& order, int stored) {
  const std::string name = fmt::format("actor {}", order.event);
  if (order.latter < 0) {
    order.read_region = add_region(out, fmt::format("copied {}", order.event), side_words);
    OutsideStep copy;
    copy.kind = OutsideKind::copy;
    copy.region = static_cast<std::int16_t>(stored);
    copy.to = static_cast<std::int16_t>(order.read_region);
    copy.count = side_words;
    out.mix.outside.push_back({name, {on_event(OutsideKind::wait, order.event), copy}, ""});
    return;
  }
  OutsideStep write;
  write.kind = OutsideKind::write;
  write.region = static_cast<std::int16_t>(stored);
  write.values.assign(8, event_mark);
  out.mix.outside.push_back({name, {write, on_event(OutsideKind::raise, order.event)}, ""});
}

/// Work goes behind a SyncAll of the first sub kernel and in front of those of the others: it must
/// not be what orders them.
void add_work(SubKernel& sub, CoreKind kind, const Program& work, bool first) {
  std::vector<Instruction>& program = sub.program(kind);
  const auto found = std::ranges::find(program, Op::sync_all, &Instruction::op);
  program.insert(first ? program.end() : found, work.begin(), work.end());
}

std::vector<CoreId> cores_of(const ReplayLaunch& launch, int op) {
  std::vector<CoreId> cores;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    for (int index = 0; index < launch.cores(kind); ++index) {
      if (launch.runs(op, {kind, index})) cores.push_back({kind, index});
    }
  }
  return cores;
}

/// The mix of a fact with its streams and events.
Case case_with_streams(const Fact& fact) {
  Case out = case_of(fact);
  for (std::size_t op = 0; op < fact.ops.size(); ++op) {
    SubKernel& sub = out.mix.sub_kernels[op];
    sub.stream = fact.ops[op].stream;
    for (const int event : fact.ops[op].sends) sub.send.push_back(fmt::format("e{}", event));
    for (const int event : fact.ops[op].receives) sub.recv.push_back(fmt::format("e{}", event));
  }
  return out;
}

Subject subject_of(const Fact& fact) {
  Subject subject;
  Case& out = subject.test_case = case_with_streams(fact);
  ReplayLaunch launch{*fact.expect.launch, *fact.expect.blocks, {}};
  std::vector<int> stored;
  for (std::size_t op = 0; op < fact.ops.size(); ++op) {
    const SubKernel& sub = out.mix.sub_kernels[op];
    launch.ops.push_back({sub.type, sub.blocks});
    stored.push_back(add_region(out, fmt::format("stored {}", op), side_words));
  }
  subject.orders = orders_of(fact);
  for (std::size_t op = 0; op < fact.ops.size(); ++op) {
    subject.cores.push_back(cores_of(launch, static_cast<int>(op)));
    Program work[2];
    for (Order& order : subject.orders) {
      const bool inside = order.former >= 0;
      if (order.latter != static_cast<int>(op)) continue;
      const int from = inside ? stored[static_cast<std::size_t>(order.former)]
                              : add_region(out, fmt::format("written {}", order.event), 8);
      const int words = inside ? side_words : 8;
      order.read_region =
          add_region(out, fmt::format("read {} {}", op, from), (vectors + 24) * words);
      if (!inside) add_actor(out, order, from);
      for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
        Program& own = work[static_cast<int>(kind)];
        own = own + read_all(kind, from, order.read_region, words);
      }
    }
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      if (!runs_on(out.mix.sub_kernels[op].type, kind)) continue;
      add_work(out.mix.sub_kernels[op], kind,
               work[static_cast<int>(kind)] +
                   store_own(kind, stored[op], op_mark + static_cast<std::uint32_t>(op)),
               op == 0);
    }
  }
  for (Order& order : subject.orders) {
    if (order.latter < 0) add_actor(out, order, stored[static_cast<std::size_t>(order.former)]);
  }
  return subject;
}

/// Whether a run shows that the order was kept: what was read is what the former sub kernel stored
/// in the end, and that is not what was there before.
bool kept(const Subject& subject, const Order& order, const Outcome& outcome) {
  const auto cores = [&](int op) -> const std::vector<CoreId>& {
    return subject.cores[static_cast<std::size_t>(op)];
  };
  const auto words = [&](int region, int at, int count) {
    return emulator::testing::words_of(subject.test_case, outcome, region, at, count);
  };
  if (order.former < 0) {
    return std::ranges::all_of(cores(order.latter), [&](CoreId to) {
      return std::ranges::count(words(order.read_region, slot_of(to) * 8, 8), event_mark) == 8;
    });
  }
  const std::vector<std::uint32_t> stored = words(order.former, 0, side_words);
  const auto all_read = [&](int at) {
    const std::vector<std::uint32_t> read = words(order.read_region, at, side_words);
    return std::ranges::all_of(cores(order.former), [&](CoreId from) {
      const auto first = static_cast<std::size_t>(slot_of(from)) * 8;
      return stored[first] != 0 &&
             std::equal(read.begin() + slot_of(from) * 8, read.begin() + slot_of(from) * 8 + 8,
                        stored.begin() + slot_of(from) * 8);
    });
  };
  if (order.latter < 0) return all_read(0);
  return std::ranges::all_of(cores(order.latter),
                             [&](CoreId to) { return all_read(slot_of(to) * side_words); });
}

std::string name_of(const Order& order) {
  if (order.former < 0) return fmt::format("event {} -> op{}", order.event, order.latter);
  if (order.latter < 0) return fmt::format("op{} -> event {}", order.former, order.event);
  return fmt::format("op{} -> op{}", order.former, order.latter);
}

/// "kept", the orders that some run broke, or how else a run ended.
std::string verdict_of(const Subject& subject, const emulator::EmulatorConfig& config, int seeds) {
  emulator::Emulator target(config);
  std::set<std::string> broken;
  for (const char* text : {"random/random", "pct:3/keep", "starve/random", "round-robin/keep"}) {
    for (int seed = 0; seed < seeds; ++seed) {
      RunRequest request;
      request.strategy = emulator::testing::strategy(text, static_cast<std::uint64_t>(seed));
      const Outcome outcome = target.run(subject.test_case, request).outcome;
      if (outcome.status == OutcomeStatus::stalled) return "stalls";
      if (outcome.status != OutcomeStatus::completed) {
        return std::string(to_string(outcome.status)) + " " + outcome.reason;
      }
      for (const Order& order : subject.orders) {
        if (!kept(subject, order, outcome)) broken.insert(name_of(order));
      }
    }
  }
  return broken.empty() ? "kept" : fmt::format("{}", fmt::join(broken, ", "));
}

emulator::EmulatorConfig recorded(const Fact& fact) {
  emulator::EmulatorConfig config;
  config.recorded = {*fact.expect.launch, *fact.expect.blocks, fact.expect.sequence,
                     fact.expect.aic_list, fact.expect.aiv_list};
  return config;
}

/// Facts whose lists have two streams or tiling offload.
bool is_stream_fact(const Fact& fact) {
  const auto streams_or_offload = [](const FactOp& op) { return op.stream != 0 || op.offload; };
  return fact.path == "ge" && (fact.expect.has_sequence || fact.expect.has_lists) &&
         std::ranges::any_of(fact.ops, streams_or_offload);
}

/// The fact on a chip, without the calls of a SyncAll that never ends (SYNC-8), and with a launch.
Fact prepared(const Fact& recorded) {
  Fact fact = fit_to_chip(recorded);
  for (FactOp& op : fact.ops) op.sync_all = op.sync_all && !is_aic_kind(*op.type);
  if (!fact.expect.launch) {
    const auto composed = emulator::compose(case_with_streams(fact), 0, {});
    SKCTS_CHECK(composed.launch, "{}: {}", fact.name, composed.refusal.reason);
    fact.expect.launch = composed.launch->shape.type;
    fact.expect.blocks = composed.launch->shape.blocks;
  }
  const int most = is_aiv_kind(*fact.expect.launch) ? 48 : 24;
  fact.expect.blocks = std::min(*fact.expect.blocks, most);
  return fact;
}

TEST(RecordedStreams, AreKeptButForTheDefectsOfTheComposer) {
  std::map<std::string, int> counted;
  for (const Fact& each : all_facts()) {
    if (!is_stream_fact(each) || !classify(each).followed) continue;
    const Fact fact = prepared(each);
    const Reason reason = classify(each).reason;
    const std::string verdict = verdict_of(subject_of(fact), recorded(fact), 50);
    ++counted[std::string(to_string(reason))];
    const bool of_another_kind =
        reason == Reason::defect_cache_5 || reason == Reason::defect_core_8;
    if (reason == Reason::none || of_another_kind) {
      EXPECT_EQ(verdict, "kept") << fact.name;
    } else if (reason == Reason::defect_barrier) {
      EXPECT_EQ(verdict, "stalls") << fact.name;
    } else {
      EXPECT_THAT(verdict, testing::HasSubstr("->")) << fact.name;
    }
  }
  const auto name = [](Reason reason) { return std::string(to_string(reason)); };
  EXPECT_EQ(counted, (std::map<std::string, int>{{name(Reason::none), 32},
                                                 {name(Reason::defect_cache_5), 3},
                                                 {name(Reason::defect_core_8), 8},
                                                 {name(Reason::defect_barrier), 5},
                                                 {name(Reason::defect_hold), 1},
                                                 {name(Reason::defect_streams), 3}}));
}

/// Which orders the defects break, as the composition tells beforehand.
TEST(RecordedStreams, TheDefectsOfTheListsAreTheKnownOnes) {
  const std::pair<const char*, const char*> known[] = {
      {"exec_two_stream_wait_on_first_of_list_lost", "event 5 -> op1"},
      {"exec_hazard_two_stream_lost_self_sync_vv", "op0 -> op2"},
      {"exec_hazard_two_stream_lost_self_sync_cc", "op0 -> op2"},
      {"exec_hazard_two_stream_mix_mix_double_removal", "op1 -> op2"}};
  for (const auto& [name, broken] : known) {
    const Fact fact = prepared(facts::fact(name));
    EXPECT_EQ(verdict_of(subject_of(fact), recorded(fact), 50), broken) << name;
  }
}

/// The calls that feeding needs are there, but not the sub kernel.
TEST(RecordedStreams, AFedSubKernelOfTilingOffloadIsNeverCalled) {
  int checked = 0;
  for (const Fact& each : all_facts()) {
    if (!is_stream_fact(each) || classify(each).reason != Reason::defect_feed) continue;
    ++checked;
    const FactExpect& expect = each.expect;
    ASSERT_TRUE(each.ops.front().offload && each.ops.front().sync_all) << each.name;
    for (const auto* steps : {&expect.sequence, &expect.aic_list, &expect.aiv_list}) {
      for (const std::string& step : *steps) {
        EXPECT_FALSE(step.starts_with("run op0") || step.starts_with("run_dynamic op0")) << step;
      }
    }
  }
  EXPECT_EQ(checked, 2);
}

/// The emulator composes them all, and what the recorded composer refuses or fails at.
TEST(RecordedStreams, TheOwnPrologueKeepsThemAll) {
  int composed = 0;
  for (const Fact& each : all_facts()) {
    const Reason reason = classify(each).reason;
    const bool given_up = reason == Reason::defect_refuses || reason == Reason::defect_crash;
    const bool whole = each.is("composition") || each.is("codegen");
    if (!is_stream_fact(each) && !(given_up && whole)) continue;
    ++composed;
    EXPECT_EQ(verdict_of(subject_of(prepared(each)), {}, 5), "kept") << each.name;
  }
  EXPECT_EQ(composed, 62);
}

}  // namespace
}  // namespace skcts::facts
