// Public bug reports (SKB-nn, D-nn) that fit one fused launch: the fault shows within a bounded
// search, the healthy twin never shows it.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;

constexpr auto vec = KernelType::mix_aiv_1_0;
constexpr auto mix11 = KernelType::mix_aic_1_1;
constexpr auto mix12 = KernelType::mix_aic_1_2;

struct Seen {
  std::set<OutcomeStatus> statuses;
  std::set<std::vector<std::uint32_t>> memories;  ///< of completed runs
};

Seen look(const Case& test_case, int seeds = 80) {
  Emulator emulator({});
  Seen seen;
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string& how) {
    EXPECT_NE(outcome.status, OutcomeStatus::refused) << how << outcome.reason;
    seen.statuses.insert(outcome.status);
    if (outcome.status == OutcomeStatus::completed) seen.memories.insert(outcome.memory);
  });
  return seen;
}

void expect_stalls(const Case& test_case) {
  EXPECT_EQ(look(test_case, 10).statuses, std::set<OutcomeStatus>{OutcomeStatus::stalled});
}

void expect_nondeterministic(const Case& test_case) {
  const Seen seen = look(test_case);
  EXPECT_TRUE(seen.statuses.count(OutcomeStatus::completed));
  EXPECT_GT(seen.memories.size(), 1u);
}

/// One memory under every strategy.
void expect_healthy(const Case& test_case) {
  const Seen seen = look(test_case);
  EXPECT_EQ(seen.statuses, std::set<OutcomeStatus>{OutcomeStatus::completed});
  EXPECT_EQ(seen.memories.size(), 1u);
}

Program all_on(IndexName index, int low, Program program) {
  for (Instruction& in : program) in = on(index, low, low, in);
  return program;
}
Program core_only(int core, Program program) {
  return all_on(IndexName::core, core, std::move(program));
}
Instruction start(Pipe aiv = mte3, Pipe aic = fix) {
  Instruction in = make(Op::set_next_task_start);
  in.pipe = aiv;
  in.aic_pipe = aic;
  return in;
}
Instruction bypass_store(Operand dst, int reg) {
  Instruction in = make(Op::write_gm_bypass);
  in.dst = dst;
  in.value.reg = static_cast<std::int8_t>(reg);
  return in;
}
Program cube_put(Operand dst, std::uint32_t tag, int l0c = 0, int id = 0) {
  return Program{produce(tag, l0c)} + handed(m, fix, id) + Program{fixpipe(dst, l0c)};
}
const Expr by_sub = Expr{.sub = 8};

TEST(Reports, Skb09ResidueReleasesTheNextUserOfAFlag) {
  const auto test_case = [](int sets, int waits) {
    Program aic;
    Program aiv;
    for (int i = 0; i < sets; ++i) aic.push_back(raise(3, 2, fix));
    for (int i = 0; i < waits; ++i) aiv.push_back(wait_raise(3));
    return fused({region("X", 8, 1), region("Y", 16)},
                 {kernel("k0", mix12, 1, aiv, aic),
                  kernel("k1", mix12, 1, Program{wait_raise(3)} + move(gm(1, by_sub), gm(0)),
                         cube_put(gm(0), 5) + Program{raise(3, 2, fix)})});
  };
  expect_nondeterministic(test_case(2, 1));
  expect_healthy(test_case(1, 1));
  expect_stalls(test_case(1, 2));
}

TEST(Reports, Skb07TheCallStandsInOneBranchOnly) {
  Instruction branch = on(IndexName::key, 1, 1, start());
  Case test_case = fused({region("A", 16), region("Y", 16)},
                         {kernel("k0", vec, 2, put(gm(0, by_core(8)), 5) + Program{branch}),
                          kernel("k1", vec, 2,
                                 Program{make(Op::wait_pre_task_end)} +
                                     move(gm(1, by_core(8)), gm(0, shifted_core(8, 1))))});
  expect_stalls(test_case);
  test_case.mix.sub_kernels[0].tiling_key = 1;
  expect_healthy(test_case);
}

TEST(Reports, Skb17ScalarsAcrossSyncAllWithoutRefresh) {
  const auto test_case = [](Program write, Program read) {
    Program body = core_only(1, {load(gm(0))}) + core_only(0, write) + Program{sync_all()} +
                   core_only(1, read) + core_only(1, {bypass_store(gm(1), 0)});
    return fused({region("X", 16, 1), region("Y", 16)}, {kernel("k0", vec, 2, body)});
  };
  expect_nondeterministic(test_case({store(gm(0), 7)}, {load(gm(0))}));
  // The earlier read of core 1 races with the store, but its value is dropped.
  expect_healthy(
      test_case({store(gm(0), 7), refresh(gm(0)), data_sync()}, {refresh(gm(0)), load(gm(0))}));
}

TEST(Reports, Skb22ATableOffTheLine) {
  const auto store_refreshed = [](Expr at, std::uint32_t value) {
    return Program{store(gm(0, at), value), refresh(gm(0, at))};
  };
  const Program body = store_refreshed(by_core(16), 7) + store_refreshed(by_core(16, 12), 8);
  Case test_case = fused({region("T", 32, 1)}, {kernel("k0", vec, 2, body)});
  expect_healthy(test_case);
  test_case.mix.regions[0].offset_bytes = 32;
  expect_nondeterministic(test_case);
}

TEST(Reports, Skb25AndSkb46FullSyncInANarrowSubKernel) {
  const Case narrow_mix = fused(
      {region("A", 64)},
      {kernel("k0", mix12, 1, {sync_all(false)}, {sync_all(false)}), kernel("k1", mix12, 2, {})});
  expect_stalls(narrow_mix);
  const auto three_of_four = [](std::string options) {
    return fused({region("A", 32), region("B", 32)},
                 {kernel("k0", KernelType::aiv_only, 3,
                         put(gm(0, by_core(8)), 5) + Program{sync_all()} +
                             move(gm(1, by_core(8)), gm(0, shifted_core(8, 1)))),
                  kernel("k1", mix12, 2, {})},
                 std::move(options));
  };
  expect_stalls(three_of_four(""));
  expect_healthy(three_of_four("feed-sync-all=1"));
}

TEST(Reports, Skb29TheDrainOfARingWaitsOnceTooOften) {
  const auto ring = [](int transfers, int drains) {
    Program aic;
    Program aiv;
    for (int i = 0; i < transfers; ++i) {
      if (i >= 2) aic.push_back(wait_raise(4));
      aic = aic + cube_put(gm(0, words(8 * (i % 2))), static_cast<std::uint32_t>(i), 8 * i, i % 4) +
            Program{raise(3, 2, fix)};
      aiv = aiv + Program{wait_raise(3)} +
            move(gm(1, Expr{.base = 16 * i, .sub = 8}), gm(0, words(8 * (i % 2))), 16 * i, i % 4) +
            Program{raise(4, 2, mte2)};
    }
    for (int i = 0; i < drains; ++i) aic.push_back(wait_raise(4));
    return fused({region("S", 16), region("Y", 64)}, {kernel("k0", mix12, 1, aiv, aic)});
  };
  expect_stalls(ring(4, 3));
  expect_healthy(ring(4, 2));
  expect_healthy(ring(3, 2));
}

TEST(Reports, Skb31RaisesAndWaitsInDifferentLoops) {
  const auto loops = [](int raises, int waits) {
    return fused({region("X", 8)},
                 {kernel("k0", mix12, 1, {repeat(2, {repeat(waits, {wait_raise(0)})})},
                         {repeat(2, {repeat(raises, {raise(0, 2, fix)})})})});
  };
  expect_stalls(loops(2, 4));
  expect_healthy(loops(4, 4));
}

TEST(Reports, Skb32TwoProtocolsOnOneId) {
  const auto test_case = [](int second) {
    const Program aic = cube_put(gm(0), 5) + Program{raise(0, 2, fix)} + cube_put(gm(1), 6, 8, 1) +
                        Program{raise(second, 2, fix)};
    const Program aiv = Program{wait_raise(second)} + move(gm(2, by_sub), gm(1), 64, 1) +
                        Program{wait_raise(0)} + move(gm(3, by_sub), gm(0), 128, 2);
    return fused({region("X", 8), region("Z", 8), region("P", 16), region("Q", 16)},
                 {kernel("k0", mix12, 1, aiv, aic)});
  };
  expect_nondeterministic(test_case(0));
  expect_healthy(test_case(1));
}

TEST(Reports, Skb33APipeBarrierIsNoWriteBack) {
  const auto test_case = [](Program after) {
    return fused({region("N", 16, 1), region("Y", 16)},
                 {kernel("k0", vec, 2, core_only(0, Program{store(gm(0), 42), barrier()} + after)),
                  kernel("k1", vec, 2, core_only(1, {load(gm(0)), bypass_store(gm(1), 0)}))},
                 "dcci-disable-on-kernel=k0,k1");
  };
  expect_nondeterministic(test_case({}));
  expect_healthy(test_case({refresh(gm(0))}));
}

TEST(Reports, Skb36AHandshakeWordStillInTheCache) {
  const auto test_case = [](bool refreshed) {
    const Program first =
        core_only(0, put(gm(0), 1)) + core_only(1, {poll(gm(0), 1, PollVia::raw_load, true)});
    const Program again = core_only(0, put(gm(1), 9)) + core_only(0, {barrier()}) +
                          core_only(0, put(gm(0), 1, 64)) +
                          core_only(1, {poll(gm(0), 1, PollVia::raw_load, refreshed)}) +
                          core_only(1, move(gm(2), gm(1)));
    Program second = again;
    // Two events of core 0 in one program need two ids.
    second[6].id = second[7].id = 2;
    return fused({region("F", 16), region("D", 16, 4), region("Y", 16)},
                 {kernel("k0", vec, 2, first), kernel("k1", vec, 2, core_only(0, put(gm(0), 0))),
                  kernel("k2", vec, 2, second)});
  };
  expect_nondeterministic(test_case(false));
  expect_healthy(test_case(true));
}

TEST(Reports, Skb38TheDrainLeavesOutThePipeOfTheData) {
  const auto test_case = [](Program drain) {
    const Program aic = cube_put(gm(0), 5) + drain + Program{store(gm(1), 1), refresh(gm(1))};
    const Program aiv = Program{poll(gm(1), 1, PollVia::raw_load, true)} + move(gm(2), gm(0));
    return fused({region("X", 8, 2), region("S", 16), region("Y", 8)},
                 {kernel("k0", mix11, 1, aiv, aic)});
  };
  const Program two_pipes = handed(mte2, s) + handed(mte3, s);
  expect_nondeterministic(test_case(two_pipes));
  expect_healthy(test_case({barrier()}));
}

TEST(Reports, Skb44TheAnnouncementStandsBeforeTheStore) {
  const auto test_case = [](bool before) {
    Program body = put(gm(0), 5);
    if (before) {
      body.insert(body.end() - 1, start());
    } else {
      body.push_back(start());
    }
    // Announced on every core of the launch exactly once.
    return fused({region("A", 8), region("Y", 8)},
                 {kernel("k0", vec, 1, body),
                  kernel("k1", vec, 2,
                         Program{make(Op::wait_pre_task_end)} + core_only(1, move(gm(1), gm(0))))});
  };
  expect_nondeterministic(test_case(true));
  expect_healthy(test_case(false));
}

TEST(Reports, Skb45IdsAboveFifteenMeet) {
  expect_healthy(fused({region("X", 8), region("Y", 16)},
                       {kernel("k0", mix12, 1, Program{wait_raise(0)} + move(gm(1, by_sub), gm(0)),
                               cube_put(gm(0), 5) + Program{raise(16, 2, fix)})}));
}

TEST(Reports, Skb48OneCounterForTwoSignals) {
  const auto add = [](std::uint32_t value, int at, int id) {
    Instruction out = copy(gm(0), ub(at));
    out.atomic_add = true;
    return Program{duplicate(ub(at), 0), barrier(v), duplicate(ub(at), value, 1)} +
           handed(v, mte3, id) + Program{out, barrier(mte3)};
  };
  const auto wait_for = [](std::uint32_t value) {
    return Program{poll(gm(0), value, PollVia::bypass)};
  };
  const Program worker = add(1, 0, 0) + add(1, 8, 1) + add(1, 16, 2) + add(1, 24, 3);
  Program coordinator;
  for (int i = 0; i < 4; ++i) {
    coordinator = coordinator + wait_for(2) + add(static_cast<std::uint32_t>(-2), 8 * i, i);
  }
  Program body = core_only(0, coordinator);
  body = body + core_only(1, worker) + core_only(2, worker);
  const Seen seen = look(fused({region("S", 8)}, {kernel("k0", vec, 3, body)}));
  EXPECT_TRUE(seen.statuses.count(OutcomeStatus::stalled));
}

TEST(Reports, D2AnObjectThatLivesOnKeepsItsLine) {
  Instruction end = make(Op::tensor_end);
  end.object = 0;
  const auto test_case = [&](Program after) {
    Program body = core_only(0, Program{store(object(0), 7)} + after) + Program{sync_all()} +
                   core_only(1, {refresh(gm(0)), load(gm(0)), bypass_store(gm(1), 0)});
    Case result = fused({region("X", 16, 1), region("Y", 16)}, {kernel("k0", vec, 2, body)});
    result.mix.sub_kernels[0].tensors = {{"x", 0, false, ""}};
    return result;
  };
  expect_nondeterministic(test_case({}));
  expect_nondeterministic(test_case({end}));  // the refresh may land later
  expect_healthy(test_case({end, data_sync()}));
}

TEST(Reports, D5FeedSyncAllDoesNotHelpHandMadeBarriers) {
  const auto test_case = [](Program sync) {
    return fused({region("A", 32)},
                 {kernel("k0", vec, 2, put(gm(0, by_core(8)), 5) + sync), kernel("k1", vec, 4, {})},
                 "feed-sync-all=1");
  };
  expect_stalls(test_case({raise(3, 0, mte3), wait_raise(3)}));
  expect_healthy(test_case({sync_all()}));
}

TEST(Reports, D6VectorSyncDoesNotOrderTheCube) {
  const auto test_case = [](bool vector_only) {
    const Program aic = cube_put(gm(0), 5) + (vector_only ? Program{} : Program{sync_all(false)});
    return fused(
        {region("X", 8, 1), region("Y", 16)},
        {kernel("k0", mix12, 1, Program{sync_all(vector_only)} + move(gm(1, by_sub), gm(0)), aic)});
  };
  expect_nondeterministic(test_case(true));
  expect_healthy(test_case(false));
}

}  // namespace
}  // namespace skcts::emulator
