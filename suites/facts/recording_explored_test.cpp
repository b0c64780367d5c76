// (d) The recorded sequences as programs: the explorer runs them as they stand, beside the
// composition that it makes itself, and each pair of cores must be ordered alike.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer.h"
#include "spec/program.h"
#include "suites/facts/classification.h"
#include "suites/facts/facts.h"

namespace skcts::facts {
namespace {

constexpr std::int16_t x = 0, y = 1;  ///< Regions: 1 until it is stored to; 7 until X was read.

Region region(std::string name, std::uint32_t value) {
  Region made;
  made.name = std::move(name);
  made.words = 16;
  made.init.values = {value};
  return made;
}

Operand word(Space space, std::int16_t index, std::int64_t at = 0) {
  Operand made;
  made.space = space;
  made.index = index;
  made.at.base = at;
  return made;
}

/// A store by the pipe that a boundary promises, before SetNextTaskStart.
void store_before_the_set(std::vector<Instruction>& program, CoreId core) {
  Instruction in;
  const bool aic = core.kind == CoreKind::aic;
  in.op = aic ? Op::fixpipe : Op::data_copy;
  in.dst = word(Space::gm, x);
  in.src = word(aic ? Space::l0c : Space::ub, -1, 128);  // Undefined there: the explorer reads 0.
  in.count = 8;
  in.where.all.push_back({IndexName::core, core.index, core.index});
  const auto set = std::ranges::find(program, Op::set_next_task_start, &Instruction::op);
  program.insert(set, in);
}

/// A load of the same word after WaitPreTaskEnd, and what it gave.
void load_after_the_wait(std::vector<Instruction>& program, CoreId core) {
  Instruction load, show;
  load.op = Op::read_gm_bypass;
  load.src = word(Space::gm, x);
  load.reg = 0;
  load.where.all.push_back({IndexName::core, core.index, core.index});
  show.op = Op::write_gm_bypass;
  show.dst = word(Space::gm, y);
  show.value.reg = 0;
  show.where = load.where;
  const auto wait = std::ranges::find(program, Op::wait_pre_task_end, &Instruction::op);
  const auto at = wait == program.end() ? program.begin() : std::next(wait);
  program.insert(program.insert(at, show), load);
}

/// First and last of the cores that run it, by kind.
std::vector<CoreId> ends_of(const FactOp& op, int ratio) {
  std::vector<CoreId> cores;
  const auto add = [&](CoreKind kind, int count) {
    cores.push_back({kind, 0});
    if (count > 1) cores.push_back({kind, count - 1});
  };
  if (!is_aiv_kind(*op.type)) add(CoreKind::aic, op.blocks);
  if (!is_aic_kind(*op.type)) {
    add(CoreKind::aiv, is_aiv_kind(*op.type) ? op.blocks : op.blocks * ratio);
  }
  return cores;
}

using Seen = std::set<std::pair<OutcomeStatus, std::uint32_t>>;

Seen outcomes_of(const Case& value, const explorer::Options& options) {
  const explorer::Exploration found = explorer::explore(value, options);
  EXPECT_TRUE(found.complete) << found.why;
  Seen seen;
  const GmLayout layout = layout_of(value.mix);
  for (const Outcome& outcome : found.outcomes) {
    const bool ended = outcome.status == OutcomeStatus::completed;
    seen.emplace(outcome.status,
                 ended ? outcome.memory[static_cast<std::size_t>(layout.base[y])] : 0);
  }
  return seen;
}

explorer::Recording recording_of(const Fact& fact) {
  explorer::Recording made;
  made.type = *fact.expect.launch;
  made.blocks = *fact.expect.blocks;
  made.steps = fact.expect.sequence;
  for (std::size_t k = 0; k < fact.ops.size(); ++k) {
    const Built built = k < fact.expect.built.size() ? fact.expect.built[k] : Built{};
    made.own_set.push_back(fact.ops[k].set || built.set);
    made.own_wait.push_back(fact.ops[k].wait || built.wait);
  }
  return made;
}

/// Pairs compared, and how many of them are ordered.
struct Compared {
  int pairs = 0, ordered = 0;
};

/// without_end: the recording has the composer's defect of no end record (feed-sync-all).
void compare(const Fact& fact, bool without_end, Compared& compared) {
  const explorer::Recording recording = recording_of(fact);
  const int ratio = recording.type == KernelType::mix_aic_1_2 ? 2 : 1;
  explorer::Options own;
  own.piece_words = 8;
  // The composers do not ask which chip it is, and take SyncAll in AIV_ONLY.
  own.pins = {latitude_pin(21, "takes-effect"), latitude_pin(13, "promoted")};
  explorer::Options recorded = own;
  recorded.recording = recording;
  for (std::size_t k = 0; k + 1 < fact.ops.size(); ++k) {
    for (const CoreId from : ends_of(fact.ops[k], ratio)) {
      for (const CoreId to : ends_of(fact.ops[k + 1], ratio)) {
        Case value = case_of(fact);
        value.mix.regions = {region("X", 1), region("Y", 7)};
        std::vector<SubKernel>& kernels = value.mix.sub_kernels;
        store_before_the_set(from.kind == CoreKind::aic ? kernels[k].aic : kernels[k].aiv, from);
        load_after_the_wait(to.kind == CoreKind::aic ? kernels[k + 1].aic : kernels[k + 1].aiv, to);
        const Seen expected = outcomes_of(value, own);
        ++compared.pairs;
        if (expected == Seen{{OutcomeStatus::completed, 0}}) ++compared.ordered;
        if (without_end) {  // The idle cores wait for a record that nobody writes.
          EXPECT_EQ(outcomes_of(value, recorded), (Seen{{OutcomeStatus::stalled, 0}}));
          continue;
        }
        EXPECT_EQ(outcomes_of(value, recorded), expected)
            << fmt::format("op{} {} to op{} {}", k, to_string(from), k + 1, to_string(to));
      }
    }
  }
}

TEST(Recordings, OrderEachPairAsTheExplorersOwnComposition) {
  Compared compared;
  int ran = 0;
  std::map<std::string_view, int> left_out;
  for (const Fact& recorded : all_facts()) {
    if (!recorded.expect.has_sequence && !recorded.expect.double_stream) continue;
    const Classification how = classify(recorded);
    const bool whole = recorded.expect.has_sequence && (how.sequence || how.order);
    if (!whole || !recorded.machine.empty()) {
      ++left_out[whole ? "3510 machine" : "events, streams or tiling offload"];
      continue;
    }
    SCOPED_TRACE(fmt::format("{} ({})", recorded.name, recorded.origin));
    ++ran;
    compare(fit_to_chip(recorded), how.reason == Reason::defect_feed, compared);
  }
  EXPECT_EQ(ran, 155);
  EXPECT_EQ(left_out, (std::map<std::string_view, int>{
                          {"3510 machine", 5},
                          {"events, streams or tiling offload", 93},
                      }));
  EXPECT_EQ(compared.pairs, 1186);
  EXPECT_GT(compared.ordered, 1150);
}

}  // namespace
}  // namespace skcts::facts
