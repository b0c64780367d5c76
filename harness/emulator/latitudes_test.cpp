// Every latitude that changes what the machine does: both positions, side by side.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;

constexpr auto vec = KernelType::mix_aiv_1_0;
constexpr auto mix11 = KernelType::mix_aic_1_1;
using Values = std::set<std::uint32_t>;
using Statuses = std::set<OutcomeStatus>;

Case at(Case test_case, const char* pin) {
  test_case.latitudes = {pin};
  return test_case;
}

Statuses statuses(const Case& test_case) {
  Emulator emulator({});
  Statuses seen;
  run_all(emulator, test_case, 10,
          [&](const Outcome& outcome, const std::string&) { seen.insert(outcome.status); });
  return seen;
}

/// Word 0 of a region over the strategies; every run must complete.
Values values(const Case& test_case, int region) {
  Emulator emulator({});
  Values seen;
  run_all(emulator, test_case, 80, [&](const Outcome& outcome, const std::string& how) {
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << " " << outcome.reason;
    if (outcome.status == OutcomeStatus::completed) {
      seen.insert(words_of(test_case, outcome, region, 0, 1)[0]);
    }
  });
  return seen;
}

Instruction bypass_store(Operand dst, int reg = 0) {
  Instruction in = make(Op::write_gm_bypass);
  in.dst = dst;
  in.value.reg = static_cast<std::int8_t>(reg);
  return in;
}
Program core_only(int core, Program program) {
  for (Instruction& in : program) in = on_core(core, in);
  return program;
}
const Statuses completed = {OutcomeStatus::completed};
const Statuses refused = {OutcomeStatus::refused};

TEST(Latitudes, L2WhetherABarrierWaitsForTheOtherKind) {
  const Program refreshed = {on_core(0, store(gm(0), 7)), on_core(0, refresh(gm(0))), sync_all(),
                             on_core(1, load(gm(0))), on_core(1, bypass_store(gm(1)))};
  const Case test_case =
      fused({region("X", 16, 1), region("Y", 16)}, {kernel("k", vec, 2, refreshed)});
  EXPECT_EQ(values(test_case, 1), (Values{1, 7}));
  EXPECT_EQ(values(at(test_case, "L-2=both-kinds"), 1), Values{7});
  const Case dma_then_scalar =
      fused({region("X", 16, 1), region("Y", 16)},
            {kernel("k", vec, 1,
                    put(gm(0), 7) + Program{data_sync(), load(gm(0)), bypass_store(gm(1))})});
  EXPECT_EQ(values(dma_then_scalar, 1), (Values{1, 7}));
  EXPECT_EQ(values(at(dma_then_scalar, "L-2=both-kinds"), 1), Values{7});
}

TEST(Latitudes, L3AndL6EventsThatMayBeRefused) {
  const Case high_id = fused({region("A", 8)}, {kernel("k", vec, 1, handed(mte2, v, 7))});
  EXPECT_EQ(statuses(high_id), completed);
  EXPECT_EQ(statuses(at(high_id, "L-3=refused")), refused);
  const Case scalar_pair = fused({region("A", 8)}, {kernel("k", mix11, 1, {}, handed(mte2, s, 1))});
  EXPECT_EQ(statuses(scalar_pair), completed);
  EXPECT_EQ(statuses(at(scalar_pair, "L-6=refused")), refused);
}

TEST(Latitudes, L5WhetherCountersOutliveALaunch) {
  Case test_case = fused({region("A", 8)}, {kernel("k0", mix11, 1, {}, {raise(3, 2, fix)}),
                                            kernel("k1", mix11, 1, {wait_raise(3)}, {})});
  PlanStep first;
  first.sub_kernels = {0};
  PlanStep second;
  second.sub_kernels = {1};
  test_case.plan.steps = {first, second};
  EXPECT_EQ(statuses(test_case), Statuses{OutcomeStatus::stalled});
  EXPECT_EQ(statuses(at(test_case, "L-5=kept")), completed);
}

TEST(Latitudes, L8RaisesNeverOvertakeTheirOwnPipe) {
  // Flag 4 may arrive before flag 3, but never before the store that stands in front of it.
  const Program aic = Program{produce(7)} + handed(m, fix) +
                      Program{fixpipe(gm(0)), raise(3, 2, fix), barrier(fix), raise(4, 2, fix)};
  const Program aiv = Program{wait_raise(4), wait_raise(3)} + move(gm(1), gm(0));
  const Case ordered_by_data =
      fused({region("X", 8, 5), region("Y", 8)}, {kernel("k", mix11, 1, aiv, aic)});
  EXPECT_EQ(values(ordered_by_data, 1).size(), 1u);
  EXPECT_EQ(values(at(ordered_by_data, "L-8=program-order"), 1), values(ordered_by_data, 1));
}

TEST(Latitudes, L11ReservedIds) {
  const Case test_case =
      fused({region("A", 8)}, {kernel("k", mix11, 1, {wait_raise(15)}, {raise(15, 2, fix)})});
  EXPECT_EQ(statuses(test_case), completed);
  EXPECT_EQ(statuses(at(test_case, "L-11=up-to-10")), Statuses{OutcomeStatus::error});
}

TEST(Latitudes, L13SyncAllInAPlainVectorType) {
  const Case test_case =
      alone(fused({region("A", 8)}, {kernel("k", KernelType::aiv_only, 2, {sync_all()})}));
  EXPECT_EQ(statuses(test_case), completed);
  EXPECT_EQ(statuses(at(test_case, "L-13=refused")), refused);
}

TEST(Latitudes, L14WorkLeftBehindOnOtherPipes) {
  // The vector step of k0 is nothing that MTE3 waits for.
  const Program left = {duplicate(ub(0), 1)};
  const Program next =
      Program{copy(ub(0), gm(0))} + handed(mte2, mte3) + Program{copy(gm(1), ub(0))};
  const Case test_case = fused({region("A", 8, 5), region("B", 8)},
                               {kernel("k0", vec, 1, left), kernel("k1", vec, 1, next)});
  EXPECT_EQ(values(test_case, 1), (Values{1, 5}));
  EXPECT_EQ(values(at(test_case, "L-14=drained"), 1), Values{5});
}

TEST(Latitudes, L19RepeatedGetValue) {
  Program body = {on_core(1, load(object(0))), sync_all()};
  body = body + core_only(0, put(gm(0), 9)) + Program{sync_all()} +
         core_only(1, {load(object(0)), bypass_store(gm(1))});
  Case test_case = fused({region("X", 16, 1), region("Y", 16)}, {kernel("k", vec, 2, body)});
  test_case.mix.sub_kernels[0].tensors = {{"t", 0, false, ""}};
  EXPECT_EQ(values(test_case, 1), (Values{1, 9}));
  EXPECT_EQ(values(at(test_case, "L-19=refreshed"), 1), Values{9});
}

TEST(Latitudes, L21EarlyStartOnA2) {
  Instruction start = make(Op::set_next_task_start);
  start.pipe = mte3;
  // Raised before the store: early only where the call has an effect.
  Program body = put(gm(0), 5);
  body.insert(body.end() - 1, start);
  const Case test_case =
      fused({region("A", 8), region("Y", 8)},
            {kernel("k0", vec, 2, core_only(0, body) + Program{on_core(1, start)}),
             kernel("k1", vec, 2, core_only(1, move(gm(1), gm(0))))});
  EXPECT_EQ(values(test_case, 1), (Values{0, 5}));
  EXPECT_EQ(values(at(test_case, "L-21=no-effect"), 1), Values{5});
}

TEST(Latitudes, L31TaskRatio) {
  Case test_case = fused({region("A", 8)}, {kernel("k0", mix11, 1, {make(Op::get_task_ratio)}),
                                            kernel("k1", KernelType::mix_aic_1_2, 1, {})});
  Emulator emulator({});
  EXPECT_EQ(emulator.run(test_case, {}).outcome.queries[0].value, 2);
  EXPECT_EQ(emulator.run(at(test_case, "L-31=own-ratio"), {}).outcome.queries[0].value, 1);
}

TEST(Latitudes, L34WhenSetValueRefreshes) {
  // The object lives on over the barrier; only a refresh at the access is on its way by then.
  Program body = {on_core(0, store(object(0), 7)), on_core(0, data_sync()), sync_all(),
                  on_core(1, load(gm(0))), on_core(1, bypass_store(gm(1)))};
  Case test_case = fused({region("X", 16, 1), region("Y", 16)}, {kernel("k", vec, 2, body)});
  test_case.mix.sub_kernels[0].tensors = {{"t", 0, false, ""}};
  EXPECT_EQ(values(test_case, 1), (Values{1, 7}));
  EXPECT_EQ(values(at(test_case, "L-34=at-once"), 1), Values{7});
}

TEST(Latitudes, L36Prefetch) {
  // Core 1's first touch of X comes after core 0's store; a prefetch may have come before it.
  Program body = {on_core(1, load(gm(1, words(16)))), sync_all()};
  body = body + core_only(0, put(gm(0), 9)) + Program{sync_all()} +
         core_only(1, {load(gm(0)), bypass_store(gm(1))});
  const Case test_case = fused({region("X", 16, 1), region("Y", 32)}, {kernel("k", vec, 2, body)});
  EXPECT_EQ(values(test_case, 1), Values{9});
  EXPECT_EQ(values(at(test_case, "L-36=any-time"), 1), (Values{1, 9}));
}

TEST(Latitudes, L37WhatIsDirtyAtTheEnd) {
  const Case test_case = fused({region("X", 16, 1)}, {kernel("k", vec, 1, {store(gm(0), 7)})});
  EXPECT_EQ(values(test_case, 0), Values{7});
  EXPECT_EQ(values(at(test_case, "L-37=lost"), 0), (Values{1, 7}));
  EXPECT_EQ(values(at(alone(test_case), "L-37=lost"), 0), Values{7});
}

TEST(Latitudes, L38WhichCoresRefreshAroundAListedSubKernel) {
  // k2 runs on core 0 only; core 1 holds a stale line that k3 reads.
  const auto test_case =
      fused({region("X", 16, 1), region("Y", 16)},
            {kernel("k0", vec, 2, core_only(1, {load(gm(0))})), kernel("k1", vec, 1, put(gm(0), 9)),
             kernel("k2", vec, 1, {}),
             kernel("k3", vec, 2, core_only(1, {load(gm(0)), bypass_store(gm(1))}))},
            "dcci-before-kernel-start=k2");
  EXPECT_EQ(values(test_case, 1), (Values{1, 9}));
  EXPECT_EQ(values(at(test_case, "L-38=all-of-kind"), 1), Values{9});
}

TEST(Latitudes, PinsOfTheEmulatorStandBehindThoseOfTheCase) {
  const Case test_case = fused({region("X", 16, 1)}, {kernel("k", vec, 1, {store(gm(0), 7)})});
  Emulator loses({"", {latitude_pin(37, "lost")}});
  RunRequest request;
  request.strategy = strategy("round-robin/keep", 0);
  EXPECT_EQ(words_of(test_case, loses.run(test_case, request).outcome, 0, 0, 1)[0], 1u);
  const Case pinned = at(test_case, "L-37=written-back");
  EXPECT_EQ(words_of(pinned, loses.run(pinned, request).outcome, 0, 0, 1)[0], 7u);
}

}  // namespace
}  // namespace skcts::emulator
