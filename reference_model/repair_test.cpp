// Repairs of small mixes, word for word, and what an edit does to a mix.
#include "reference_model/repair.h"

#include <gtest/gtest.h>

#include "reference_model/repair_candidates.h"
#include "reference_model/testing.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT

constexpr KernelType vectors = KernelType::mix_aiv_1_0;

std::string repair_of(const Build& build) {
  const auto repair = Repairer().find(build.test_case, analyse(build.test_case));
  return repair ? sentence_of(build.test_case, *repair) : "none";
}

/// k0 stores, a neighbour reads; `between` stands between the two.
Build exchange(std::vector<Instruction> between, std::string options = {}) {
  Build build(std::move(options));
  const int a = build.region("A", 64);
  const int b = build.region("B", 64);
  std::vector<Instruction> program = {duplicate(ub(0), constant(3)), set_flag(Pipe::v, Pipe::mte3),
                                      wait_flag(Pipe::v, Pipe::mte3),
                                      data_copy(gm(a, per_core(16)), ub(0))};
  program.insert(program.end(), between.begin(), between.end());
  const std::vector<Instruction> rest = {
      data_copy(ub(64), gm(a, per_core(16, 0, 1))), set_flag(Pipe::mte2, Pipe::mte3, 1),
      wait_flag(Pipe::mte2, Pipe::mte3, 1), data_copy(gm(b, per_core(16)), ub(64))};
  program.insert(program.end(), rest.begin(), rest.end());
  build.kernel(vectors, 2, program);
  return build;
}

TEST(Repair, NothingToMend) {
  const Build build = exchange({sync_all()});
  ASSERT_EQ(analyse(build.test_case).behaviour, Behaviour::completes);
  EXPECT_EQ(repair_of(build), "none");
}

TEST(Repair, ASyncAllThatIsMissing) {
  EXPECT_EQ(repair_of(exchange({barrier()})), "insert SyncAll<true> before k0 aiv #5 DataCopy");
}

TEST(Repair, WhereTheSubKernelIsNarrowItIsFedToo) {
  Build build = exchange({});
  const int c = build.region("C", 64);
  build.kernel(vectors, 4, fill_out(c, per_core(16), 9));
  EXPECT_EQ(repair_of(build),
            "insert SyncAll<true> before k0 aiv #4 DataCopy; then set option feed-sync-all=1");
}

TEST(Repair, AnOption) {
  Build build = exchange({sync_all()}, "early-start=0");
  const int c = build.region("C", 64);
  build.kernel(vectors, 4, fill_out(c, per_core(16), 9));
  EXPECT_EQ(repair_of(build), "set option feed-sync-all=1");
}

TEST(Repair, ARaiseOnAnotherPipe) {
  Build build;
  const int x = build.region("X", 16);
  const int y = build.region("Y", 16);
  build.kernel(
      KernelType::mix_aic_1_2, 1,
      {wait(3), where(IndexName::sub, 0, 0, data_copy(ub(0), gm(x))),
       where(IndexName::sub, 0, 0, set_flag(Pipe::mte2, Pipe::mte3)),
       where(IndexName::sub, 0, 0, wait_flag(Pipe::mte2, Pipe::mte3)),
       where(IndexName::sub, 0, 0, data_copy(gm(y), ub(0)))},
      {compute(Pipe::m, {}, {{local(Space::l0c), 8}}), set_flag(Pipe::m, Pipe::fix),
       wait_flag(Pipe::m, Pipe::fix), fixpipe(gm(x), local(Space::l0c)), raise(2, Pipe::mte2, 3)});
  EXPECT_EQ(repair_of(build),
            "make k0 aic #4 CrossCoreSetFlag a CrossCoreSetFlag<2, FIX>(3) instead of "
            "CrossCoreSetFlag<2, MTE2>(3)");
}

TEST(Repair, ARefreshAndItsBarrier) {
  Build build;
  const int a = build.region("A", 16);
  build.kernel(vectors, 1, {raw_store(gm(a, word(3)), constant(1))});
  EXPECT_EQ(repair_of(build), "insert DataCacheCleanAndInvalid(A[3]) behind k0 aiv #0 RawStore");
}

TEST(Repair, ALoopThatRunsAhead) {
  Build build;
  build.kernel(KernelType::mix_aic_1_2, 1, {repeat(20, {wait(3)})},
               {repeat(20, {raise(2, Pipe::fix, 3)})});
  EXPECT_EQ(repair_of(build),
            "insert CrossCoreWaitFlag(2) behind k0 aic #1 CrossCoreSetFlag; then insert "
            "CrossCoreSetFlag<2, MTE3>(2) behind k0 aiv #1 CrossCoreWaitFlag");
}

TEST(Repair, ARingOfWaits) {
  Build build;
  build.kernel(KernelType::mix_aic_1_2, 1, {wait(3), raise(2, Pipe::mte3, 4)},
               {wait(4), raise(2, Pipe::fix, 3)});
  EXPECT_EQ(repair_of(build), "move k0 aic #0 CrossCoreWaitFlag to the end");
}

TEST(Repair, OfARefusal) {
  Build build("debug-aic-num=1:debug-aiv-num=3");
  const int a = build.region("A", 16);
  build.kernel(vectors, 1, fill_out(a, per_core(8), 3));
  EXPECT_EQ(repair_of(build),
            "leave out option debug-aic-num=1 and leave out option debug-aiv-num=3");
}

TEST(Repair, PlacesInsideRepeats) {
  std::vector<Instruction> program = {wait(1), repeat(2, {wait(2), wait(3)}), wait(4)};
  EXPECT_EQ(find_place(program, 3).instruction().id, 3);
  EXPECT_EQ(find_place(program, 4).instruction().id, 4);
  EXPECT_EQ(find_place(program, 5).list, nullptr);
  Build build;
  build.kernel(vectors, 1, program);
  const Spot last{0, CoreKind::aiv, 3};
  const auto ids = [&](const Edit& edit) {
    std::vector<int> list;
    const Case made = repaired(build.test_case, {{edit}});
    for_each_instruction(
        made.mix.sub_kernels[0].aiv, {},
        [&](const Instruction& in, const Indices&, int) { list.push_back(in.id); });
    return list;
  };
  EXPECT_EQ(ids(insert_at(last, wait(9))), (std::vector<int>{1, 2, 9, 3, 2, 9, 3, 4}));
  EXPECT_EQ(ids(insert_behind(last, wait(9))), (std::vector<int>{1, 2, 3, 9, 2, 3, 9, 4}));
  EXPECT_EQ(ids(remove_at(last)), (std::vector<int>{1, 2, 2, 4}));
  EXPECT_EQ(ids(change_at(last, wait(9))), (std::vector<int>{1, 2, 9, 2, 9, 4}));
  EXPECT_EQ(ids(insert_at({0, CoreKind::aiv, 5}, wait(9))),
            (std::vector<int>{1, 2, 3, 2, 3, 4, 9}));
}

TEST(Repair, ASubKernelThatIsLaunchedAlone) {
  Build build;
  for (int k = 0; k < 3; ++k) build.kernel(vectors, 1, {barrier()});
  Edit edit;
  edit.kind = EditKind::split;
  edit.at.sub_kernel = 1;
  const Plan plan = repaired(build.test_case, {{edit}}).plan;
  ASSERT_EQ(plan.steps.size(), 3u);
  EXPECT_EQ(plan.steps[0].kind, skcts::StepKind::fused);
  EXPECT_EQ(plan.steps[1].kind, skcts::StepKind::alone);
  EXPECT_EQ(plan.steps[1].sub_kernels, std::vector<std::int32_t>{1});
  EXPECT_EQ(plan.steps[2].sub_kernels, std::vector<std::int32_t>{2});
}

}  // namespace
}  // namespace skcts::model
