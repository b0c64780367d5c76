// The data cache: what schedules, refreshes and the environment can make of scalar accesses.
#include <functional>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/emulator/memory.h"
#include "harness/emulator/testing.h"

namespace skcts::emulator {
namespace {

using namespace testing;  // NOLINT: the builder's words
using enum Pipe;

constexpr auto vec = KernelType::mix_aiv_1_0;

std::set<std::uint32_t> values(const Case& test_case, int region, std::int32_t at, int seeds = 60) {
  Emulator emulator({});
  std::set<std::uint32_t> seen;
  run_all(emulator, test_case, seeds, [&](const Outcome& outcome, const std::string& how) {
    EXPECT_EQ(outcome.status, OutcomeStatus::completed) << how << " " << outcome.reason;
    if (outcome.status != OutcomeStatus::completed) return;
    seen.insert(words_of(test_case, outcome, region, at, 1)[0]);
  });
  return seen;
}

using Values = std::set<std::uint32_t>;

Case with_tensor(Case test_case, int region = 0) {
  for (SubKernel& sub : test_case.mix.sub_kernels) {
    sub.tensors = {{"t", static_cast<std::int16_t>(region), false, ""}};
  }
  return test_case;
}

/// k0 stores on core 0, k1 on core 1 reads into Y[0] past the cache.
Case handed_over(Program writer, Program reader, std::string options = "") {
  for (Instruction& in : writer) in = on_core(0, in);
  reader.push_back([] {
    Instruction in = make(Op::write_gm_bypass);
    in.dst = gm(1);
    in.value.reg = 0;
    return in;
  }());
  for (Instruction& in : reader) in = on_core(1, in);
  return with_tensor(fused({region("X", 16, 1), region("Y", 16)},
                           {kernel("k0", vec, 2, writer), kernel("k1", vec, 2, reader)},
                           std::move(options)));
}

TEST(Cache, SetValueReachesTheNextSubKernelByDefault) {
  EXPECT_EQ(values(handed_over({store(object(0), 7)}, {load(object(0))}), 1, 0), Values{7});
  EXPECT_EQ(values(alone(handed_over({store(object(0), 7)}, {load(object(0))})), 1, 0), Values{7});
}

TEST(Cache, ARawStoreNeedsARefresh) {
  EXPECT_EQ(values(handed_over({store(gm(0), 7)}, {load(gm(0))}), 1, 0), (Values{1, 7}));
  EXPECT_EQ(values(handed_over({store(gm(0), 7), refresh(gm(0))}, {load(gm(0))}), 1, 0), Values{7});
}

TEST(Cache, AnAssignmentThroughTheElementOperatorIsNotRefreshed) {
  Instruction assign = store(object(0), 7);
  assign.op = Op::assign;
  EXPECT_EQ(values(handed_over({assign}, {load(object(0))}), 1, 0), (Values{1, 7}));
}

TEST(Cache, TheListsPlaceAWholeRefresh) {
  const Program writer = {store(object(0), 7)};
  const Program reader = {load(object(0))};
  EXPECT_EQ(values(handed_over(writer, reader, "dcci-before-kernel-start=k0"), 1, 0),
            (Values{1, 7}));
  EXPECT_EQ(values(handed_over(writer, reader, "dcci-after-kernel-end=k0"), 1, 0), Values{7});
  EXPECT_EQ(values(handed_over(writer, reader, "dcci-disable-on-kernel=k0"), 1, 0), (Values{1, 7}));
  EXPECT_EQ(
      values(handed_over(writer, reader, "dcci-disable-on-kernel=k0:dcci-after-kernel-end=k0"), 1,
             0),
      (Values{1, 7}));
  Case lists_win =
      handed_over(writer, reader, "dcci-disable-on-kernel=k0:dcci-after-kernel-end=k0");
  lists_win.latitudes = {"L-39=lists-win"};
  EXPECT_EQ(values(lists_win, 1, 0), Values{7});
  Case offload = handed_over({store(gm(0), 7)}, {load(gm(0))});
  for (SubKernel& sub : offload.mix.sub_kernels) sub.tiling = Tiling::offload;
  EXPECT_EQ(values(offload, 1, 0), Values{7});
}

/// Core 0 holds X in its cache since k0; k1 stores X by DMA; k2 reads it on core 0.
Case stale_line(std::string options) {
  Program read_first = {on_core(0, load(object(0)))};
  Program write;
  for (const Instruction& in : put(gm(0), 9)) write.push_back(on_core(1, in));
  Instruction out = make(Op::write_gm_bypass);
  out.dst = gm(1);
  out.value.reg = 0;
  Program read_again = {on_core(0, load(object(0))), on_core(0, out)};
  return with_tensor(fused({region("X", 16, 1), region("Y", 16)},
                           {kernel("k0", vec, 2, read_first), kernel("k1", vec, 2, write),
                            kernel("k2", vec, 2, read_again)},
                           std::move(options)));
}

TEST(Cache, AStaleLineIsRefreshedBeforeTheSubKernelThatIsListed) {
  EXPECT_EQ(values(stale_line(""), 1, 0), Values{9});
  EXPECT_EQ(values(stale_line("dcci-disable-on-kernel=k0,k2"), 1, 0), (Values{1, 9}));
  EXPECT_EQ(values(stale_line("dcci-disable-on-kernel=k0:dcci-before-kernel-start=k2"), 1, 0),
            Values{9});
  EXPECT_EQ(values(stale_line("dcci-disable-on-kernel=k0,k2:debug-dcci-all=1"), 1, 0), Values{9});
}

TEST(Cache, TwoCoresOnOneLineLoseAStore) {
  const Program writes = {on_core(0, store(object(0, words(0)), 7)),
                          on_core(1, store(object(0, words(1)), 8))};
  Case test_case = with_tensor(fused({region("X", 16, 1)}, {kernel("k0", vec, 2, writes)}));
  EXPECT_EQ(values(test_case, 0, 0), (Values{1, 7}));
  EXPECT_EQ(values(test_case, 0, 1), (Values{1, 8}));
  test_case.mix.sub_kernels[0].aiv[1].dst.at.base = 16;
  test_case.mix.regions[0].words = 32;
  EXPECT_EQ(values(test_case, 0, 0), Values{7});
}

TEST(Cache, ALateWriteBackUndoesADmaStoreInTheLine) {
  Program body = {store(gm(0), 7)};
  body = body + put(gm(0, words(8)), 9);
  EXPECT_EQ(values(fused({region("X", 16, 1)}, {kernel("k0", vec, 1, body)}), 0, 8),
            (Values{1, 9}));
  Program repaired =
      Program{store(gm(0), 7), refresh(gm(0)), data_sync(), set(s, mte3, 5), wait(s, mte3, 5)} +
      put(gm(0, words(8)), 9);
  EXPECT_EQ(values(fused({region("X", 16, 1)}, {kernel("k0", vec, 1, repaired)}), 0, 8), Values{9});
}

/// SetValue, then what stands between, SyncAll, and a read on the other core.
Case inside_one_sub_kernel(Program between, Program before_read) {
  Program body = {on_core(0, store(gm(0), 7))};
  for (const Instruction& in : between) body.push_back(on_core(0, in));
  body.push_back(sync_all());
  for (const Instruction& in : before_read) body.push_back(on_core(1, in));
  body.push_back(on_core(1, load(gm(0))));
  Instruction out = make(Op::write_gm_bypass);
  out.dst = gm(1);
  out.value.reg = 0;
  body.push_back(on_core(1, out));
  return fused({region("X", 16, 1), region("Y", 16)}, {kernel("k0", vec, 2, body)});
}

TEST(Cache, ARefreshLandsByTheDataSyncBarrierOnly) {
  EXPECT_EQ(values(inside_one_sub_kernel({}, {}), 1, 0), (Values{1, 7}));
  EXPECT_EQ(values(inside_one_sub_kernel({refresh(gm(0))}, {}), 1, 0), (Values{1, 7}));
  EXPECT_EQ(values(inside_one_sub_kernel({refresh(gm(0)), data_sync()}, {}), 1, 0), Values{7});
  EXPECT_EQ(values(inside_one_sub_kernel({refresh(gm(0)), barrier()}, {}), 1, 0), (Values{1, 7}));
  Case at_once = inside_one_sub_kernel({refresh(gm(0))}, {});
  at_once.latitudes = {"L-25=at-once"};
  EXPECT_EQ(values(at_once, 1, 0), Values{7});
}

TEST(Cache, UncachedStoresOfOneCoreMayLandInAnyOrder) {
  const auto bypass = [](std::uint32_t value) {
    Instruction in = make(Op::write_gm_bypass);
    in.dst = gm(0);
    in.value.expr = words(static_cast<std::int32_t>(value));
    return in;
  };
  EXPECT_EQ(
      values(fused({region("X", 16, 1)}, {kernel("k0", vec, 1, {bypass(5), bypass(6)})}), 0, 0),
      (Values{5, 6}));
  EXPECT_EQ(values(fused({region("X", 16, 1)},
                         {kernel("k0", vec, 1, {bypass(5), data_sync(), bypass(6)})}),
                   0, 0),
            Values{6});
}

TEST(Cache, OneObjectReadsItsLineOnceAndAConstOneEachTime) {
  const Program body = {on_core(1, load(object(0))),
                        sync_all(),
                        on_core(0, put(gm(0), 9)[0]),
                        on_core(0, put(gm(0), 9)[1]),
                        on_core(0, put(gm(0), 9)[2]),
                        on_core(0, put(gm(0), 9)[3]),
                        sync_all(),
                        on_core(1, load(object(0))),
                        on_core(1, [] {
                          Instruction in = make(Op::write_gm_bypass);
                          in.dst = gm(1);
                          in.value.reg = 0;
                          return in;
                        }())};
  Case test_case =
      with_tensor(fused({region("X", 16, 1), region("Y", 16)}, {kernel("k0", vec, 2, body)}));
  EXPECT_EQ(values(test_case, 1, 0), (Values{1, 9}));
  test_case.mix.sub_kernels[0].tensors[0].is_const = true;
  EXPECT_EQ(values(test_case, 1, 0), Values{9});
}

TEST(Cache, TheEndOfAnObjectRefreshesItsLastWrittenLine) {
  Instruction end = make(Op::tensor_end);
  end.object = 0;
  Instruction start = make(Op::set_next_task_start);
  start.pipe = mte3;
  // Dead before SetNextTaskStart: the next sub kernel sees it. Alive: the refresh comes too late.
  Case dead = handed_over({store(object(0), 7), end}, {load(object(0))});
  dead.mix.sub_kernels[0].aiv.push_back(start);
  EXPECT_EQ(values(dead, 1, 0), Values{7});
  Case alive = handed_over({store(object(0), 7)}, {load(object(0))});
  alive.mix.sub_kernels[0].aiv.push_back(start);
  EXPECT_EQ(values(alive, 1, 0), (Values{1, 7}));
}

/// The public silicon table: four cores store four words of one line, in turn by a published word,
/// with or without a refresh behind the store and a publication behind the refresh's landing.
Case silicon(bool refreshes, bool publishes_after) {
  Program body;
  for (int core = 0; core < 4; ++core) {
    Program turn;
    const auto publish = [&] {
      Instruction in = make(Op::write_gm_bypass);
      in.dst = gm(1, words(16 * core));
      in.value.expr = words(1);
      return in;
    };
    if (core > 0) {
      turn.push_back(poll(gm(1, words(16 * (core - 1))), 1, PollVia::bypass));
    }
    if (!publishes_after) turn.push_back(publish());
    turn.push_back(store(gm(0, words(core)), static_cast<std::uint32_t>(10 + core)));
    if (refreshes) turn.push_back(refresh(gm(0)));
    if (refreshes) turn.push_back(data_sync());
    if (publishes_after) turn.push_back(publish());
    for (Instruction& in : turn) body.push_back(on_core(core, in));
  }
  return fused({region("T", 16, 1), region("P", 64)}, {kernel("k", vec, 4, body)});
}

/// How many of the four stores are in GM at the end.
std::set<int> kept_stores(const Case& test_case) {
  Emulator emulator({});
  std::set<int> seen;
  run_all(emulator, test_case, 150, [&](const Outcome& outcome, const std::string& how) {
    ASSERT_EQ(outcome.status, OutcomeStatus::completed) << how;
    const auto found = words_of(test_case, outcome, 0, 0, 4);
    int kept = 0;
    for (std::uint32_t core = 0; core < 4; ++core) {
      EXPECT_TRUE(found[core] == 10 + core || found[core] == 1) << how;
      kept += found[core] == 10 + core ? 1 : 0;
    }
    seen.insert(kept);
  });
  return seen;
}

TEST(Cache, TheSiliconTableIsShown) {
  EXPECT_EQ(kept_stores(silicon(true, true)), std::set<int>{4});
  EXPECT_THAT(kept_stores(silicon(false, true)), ::testing::Contains(1));  // three of four lost
  EXPECT_THAT(kept_stores(silicon(true, false)), ::testing::Contains(2));  // two of four lost
  EXPECT_THAT(kept_stores(silicon(false, false)), ::testing::Contains(1));
}

TEST(Cache, LinesAreFoundAfterOthersWereRemoved) {
  DataCache cache;
  cache.reset(8);
  for (const int line : {5, 2, 7}) cache.add(line);
  cache.remove(cache.find(5));
  EXPECT_EQ(cache.find(5), -1);
  EXPECT_EQ(cache.held(cache.find(2)).line, 2);
  EXPECT_EQ(cache.held(cache.find(7)).line, 7);
  cache.reset(4);
  EXPECT_EQ(cache.size(), 0);
  EXPECT_EQ(cache.find(2), -1);
}

TEST(LocalMemory, JunkIsNewForEveryLaunchAndStaysWithinOne) {
  LocalMemory memory;
  memory.reset(256, 1);
  const std::uint32_t junk = *memory.at(200, 1);
  *memory.at(10, 1) = 5;
  EXPECT_EQ(*memory.at(10, 1), 5u);
  EXPECT_EQ(*memory.at(200, 1), junk);
  memory.reset(256, 2);
  EXPECT_NE(*memory.at(10, 1), 5u);
  EXPECT_NE(*memory.at(200, 1), junk);
  EXPECT_EQ(memory.at(250, 7), nullptr);
  EXPECT_EQ(memory.at(-1, 1), nullptr);
  EXPECT_NE(memory.at(250, 6), nullptr);
}

}  // namespace
}  // namespace skcts::emulator
