// Services and waits that loop: Matmul, the soft barrier, IBSet/IBWait, polls; blocks in waves.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;

constexpr auto vec = KernelType::mix_aiv_1_0;
constexpr auto mix11 = KernelType::mix_aic_1_1;
constexpr auto mix12 = KernelType::mix_aic_1_2;

/// Every strategy completes and leaves these words at the start of the region.
void expect_words(const Case& test_case, int region, std::vector<std::uint32_t> expected,
                  int seeds = 20) {
  Emulator emulator({});
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::completed) << how << " " << outcome.reason;
    EXPECT_EQ(words_of(test_case, outcome, region, 0, static_cast<std::int32_t>(expected.size())),
              expected)
        << how;
  });
}

std::set<OutcomeStatus> statuses(const Case& test_case, int seeds = 20) {
  Emulator emulator({});
  std::set<OutcomeStatus> seen;
  run_all(emulator, test_case, seeds,
          [&](const Outcome& outcome, const std::string&) { seen.insert(outcome.status); });
  return seen;
}

const std::set<OutcomeStatus> only_completed = {OutcomeStatus::completed};
const std::set<OutcomeStatus> only_stalled = {OutcomeStatus::stalled};
std::vector<std::uint32_t> times(std::size_t count, std::uint32_t value) {
  return std::vector<std::uint32_t>(count, value);
}

TEST(Services, MatmulIsServedByTheCubeCore) {
  for (const KernelType type : {mix11, mix12}) {
    Instruction call = make(Op::matmul);
    call.src = gm(0, Expr{.block = 16, .sub = 8});
    call.src_b = gm(1, Expr{.block = 16, .sub = 8});
    call.dst = gm(2, Expr{.block = 16, .sub = 8});
    call.count = 8;
    // The call's request may overlap an earlier store of MTE3.
    Program body = put(gm(1, Expr{.block = 16, .sub = 8}), 3) + Program{barrier(Pipe::mte3), call} +
                   move(gm(3, Expr{.block = 16, .sub = 8}), gm(2, Expr{.block = 16, .sub = 8}));
    if (type == mix11) {
      for (Instruction& in : body) in = on(IndexName::sub, 0, 0, in);
    }
    const Case test_case =
        fused({region("A", 32, 2), region("B", 32), region("C", 32), region("D", 32)},
              {kernel("k0", type, 2, body), kernel("k1", mix12, 1, {})});
    expect_words(test_case, 3, times(8, 2 * 31 + 3));
    expect_words(alone(test_case), 3, times(8, 2 * 31 + 3));
    if (type == mix12) continue;
    Case from_second = test_case;
    for (Instruction& in : from_second.mix.sub_kernels[0].aiv) in.where.all.clear();
    Emulator emulator({});
    run_all(emulator, from_second, 3, [&](const Outcome& outcome, const std::string& how) {
      ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
      EXPECT_TRUE(std::any_of(outcome.waiting.begin(), outcome.waiting.end(), [](const Waiting& w) {
        return w.kind == WaitKind::matmul && w.core.kind == CoreKind::aiv &&
               w.core.index % 2 == 1 && w.instruction == 5;
      })) << how;
    });
    EXPECT_EQ(statuses(alone(from_second), 3), only_completed);
  }
}

TEST(Services, TheSoftBarrierWaitsForItsCores) {
  Instruction barrier_call = make(Op::soft_sync_all);
  barrier_call.src = gm(2);
  barrier_call.dst = ub(512);
  const Program body = put(gm(0, by_core(8)), 5) + Program{barrier_call} +
                       move(gm(1, by_core(8)), gm(0, shifted_core(8, 1))) + Program{barrier_call};
  const Case test_case =
      fused({region("A", 32), region("B", 32), region("W", 32)}, {kernel("k", vec, 3, body)});
  expect_words(test_case, 1, times(24, 5));
  expect_words(alone(test_case), 1, times(24, 5));
  Case one_missing = test_case;
  for (Instruction& in : one_missing.mix.sub_kernels[0].aiv) {
    if (in.op == Op::soft_sync_all) in = on(IndexName::core, 0, 1, in);
  }
  Emulator emulator({});
  run_all(emulator, one_missing, 5, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
    ASSERT_EQ(outcome.waiting.size(), 2u) << how;
    EXPECT_EQ(outcome.waiting[0].kind, WaitKind::soft_sync);
  });
}

TEST(Services, OverUnequalSlotsTheSoftBarrierLetsGoInEveryRound) {
  // Slots 1 and 0, and core 1 comes to neither round: released early is never held back.
  Instruction barrier_call = make(Op::soft_sync_all);
  barrier_call.src = gm(0);
  barrier_call.dst = ub(512);
  Case test_case = fused(
      {region("W", 16)},
      {kernel("k", vec, 2, {on_core(1, wait(Pipe::mte2, Pipe::v)), barrier_call, barrier_call})});
  test_case.mix.regions[0].init.values = {1};
  const auto see = [&](const char* pin, std::vector<WaitKind> waits, std::uint32_t slot) {
    test_case.latitudes = {pin};
    Emulator emulator({});
    run_all(emulator, test_case, 20, [&](const Outcome& outcome, const std::string& how) {
      ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << pin << " " << how;
      std::vector<WaitKind> seen;
      for (const Waiting& waiting : outcome.waiting) seen.push_back(waiting.kind);
      EXPECT_EQ(seen, waits) << pin << " " << how;
      EXPECT_EQ(words_of(test_case, outcome, 0, 0, 1)[0], slot) << pin << " " << how;
    });
  };
  see("L-15=early-release", {WaitKind::event_flag}, 3);
  see("L-15=hang", {WaitKind::soft_sync, WaitKind::event_flag}, 2);
}

TEST(Services, ACoreOfTheSoftBarriersFirstRoundCountsItselfAsOne) {
  // Launched alone, both vector cores of the block have slot 0, and nobody has slot 1.
  Instruction barrier_call = make(Op::soft_sync_all);
  barrier_call.src = gm(0);
  barrier_call.dst = ub(512);
  barrier_call.aiv_only = true;
  barrier_call.count = 2;
  const Case shared = alone(fused({region("W", 16)}, {kernel("k", mix12, 1, {barrier_call})}));
  Emulator emulator({});
  run_all(emulator, shared, 40, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::stalled) << how;
    EXPECT_EQ(outcome.waiting.size(), 2u) << how;
  });
}

TEST(Services, BlocksBeyondTheChipStartInWaves) {
  const Case independent =
      alone(fused({region("A", 64)}, {kernel("k", vec, 8, put(gm(0, by_core(8)), 5))}));
  expect_words(independent, 0, times(64, 5), 3);
  Instruction barrier_call = make(Op::soft_sync_all);
  barrier_call.src = gm(0);
  barrier_call.dst = ub(512);
  EXPECT_EQ(statuses(alone(fused({region("W", 64)}, {kernel("k", vec, 8, {barrier_call})})), 3),
            only_stalled);
  EXPECT_EQ(statuses(alone(fused({region("W", 64)}, {kernel("k", vec, 4, {barrier_call})})), 3),
            only_completed);
}

TEST(Services, IbSetAndIbWaitHandOver) {
  const auto call = [](Op op, int block) {
    Instruction in = make(op);
    in.src = gm(2);
    in.dst = ub(512);
    in.value.expr = words(block);
    in.id = 0;
    return in;
  };
  const Program body = {on_core(0, put(gm(0), 5)[0]),      on_core(0, put(gm(0), 5)[1]),
                        on_core(0, put(gm(0), 5)[2]),      on_core(0, put(gm(0), 5)[3]),
                        on_core(0, call(Op::ib_set, 0)),   on_core(1, call(Op::ib_wait, 0)),
                        on_core(1, move(gm(1), gm(0))[0]), on_core(1, move(gm(1), gm(0))[1]),
                        on_core(1, move(gm(1), gm(0))[2]), on_core(1, move(gm(1), gm(0))[3])};
  const Case test_case =
      fused({region("A", 8), region("B", 8), region("W", 64)}, {kernel("k", vec, 2, body)});
  expect_words(test_case, 1, times(8, 5));
  Case no_partner = test_case;
  no_partner.mix.sub_kernels[0].aiv[4] = on_core(0, barrier());
  Emulator emulator({});
  const Outcome outcome = emulator.run(no_partner, {}).outcome;
  ASSERT_EQ(outcome.status, OutcomeStatus::stalled);
  EXPECT_EQ(outcome.waiting[0].kind, WaitKind::ib);
}

TEST(Services, APollSeesWhatArrives) {
  for (const PollVia via : {PollVia::bypass, PollVia::data_copy, PollVia::raw_load}) {
    Instruction ask = poll(gm(0), 1, via, via == PollVia::raw_load);
    ask.dst = ub(512);
    Program body;
    for (Instruction in : put(gm(1), 5)) body.push_back(on_core(0, in));
    body.push_back(on_core(0, barrier()));
    for (Instruction in : put(gm(0), 1, 128)) body.push_back(on_core(0, in));
    body.push_back(on_core(1, ask));
    for (Instruction in : move(gm(2), gm(1))) body.push_back(on_core(1, in));
    // The two events of core 0 need ids of their own.
    for (std::size_t i = 5; i < 9; ++i) body[i].id = 2;
    const Case test_case =
        fused({region("F", 8), region("D", 8), region("Y", 8)}, {kernel("k", vec, 2, body)});
    expect_words(test_case, 2, times(8, 5));
  }
}

TEST(Services, ACachedPollMayWaitForEver) {
  const Program body = {on_core(1, poll(object(0), 1, PollVia::get_value)),
                        on_core(0, duplicate(ub(0), 1)), on_core(0, set(v, mte3)),
                        on_core(0, wait(v, mte3)), on_core(0, copy(gm(0), ub(0)))};
  Case test_case = fused({region("F", 8)}, {kernel("k", vec, 2, body)});
  test_case.mix.sub_kernels[0].tensors = {{"f", 0, false, ""}};
  EXPECT_EQ(statuses(test_case),
            (std::set<OutcomeStatus>{OutcomeStatus::completed, OutcomeStatus::stalled}));
  Case const_object = test_case;
  const_object.mix.sub_kernels[0].tensors[0].is_const = true;
  EXPECT_EQ(statuses(const_object), only_completed);
  Case refreshed = test_case;
  refreshed.mix.sub_kernels[0].aiv[0].refresh = true;
  EXPECT_EQ(statuses(refreshed), only_completed);
}

}  // namespace
}  // namespace skcts::emulator
