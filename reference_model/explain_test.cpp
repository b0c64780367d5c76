// What explain says, word for word.
#include "reference_model/explain.h"

#include <gtest/gtest.h>

#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT

constexpr KernelType vectors = KernelType::mix_aiv_1_0;

std::string told(const Build& build) {
  Model model;
  const Analysis analysis = model.analyse(build.test_case);
  return explain_text(build.test_case, analysis, {model.one_way(build.test_case, analysis), {}});
}

TEST(Explain, AHealthyMix) {
  Build build;
  const int a = build.region("A", 16);
  build.kernel(vectors, 2, fill_out(a, per_core(8), 3));
  EXPECT_EQ(told(build),
            "completes: completes with the memory of the sub kernels launched one by one\n"
            "launch: MIX_AIV_1_0 x 2 (0 AIC, 2 AIV): k0\n");
}

TEST(Explain, ARaceAndOneWayToALostStore) {
  Build build;
  build.region("A", 16);
  build.kernel(vectors, 2,
               {where(IndexName::core, 0, 0, raw_store(gm(0), constant(1))),
                where(IndexName::core, 1, 1, raw_store(gm(0, word(1)), constant(2)))});
  EXPECT_EQ(told(build),
            "nondeterministic-data [CACHE-8]: k0 aiv:0 RawStore writes A[0]; k0 aiv:1 "
            "RawStore writes A[1]: the line is held dirty by one core while another writes "
            "to it [CACHE-8]\n"
            "launch: MIX_AIV_1_0 x 2 (0 AIC, 2 AIV): k0\n"
            "race: k0 aiv:0 RawStore writes A[0] against k0 aiv:1 RawStore writes A[1]: "
            "the line is held dirty by one core while another writes to it [CACHE-8, H5]\n"
            "also: [CACHE-11]: k0 aiv:0 stores a scalar whose line is not written back "
            "before the sub kernel ends\n"
            "one way:\n"
            "  launch 0, A[0], A[1]:\n"
            "  aiv:1 fetches unasked the line of A[0]\n"
            "  aiv:0 fetches unasked the line of A[0]\n"
            "  k0 aiv:1 #1 RawStore has its line and stores, in the cache, A[1] = 2\n"
            "  k0 aiv:1 (inserted) refreshes the line of A[0], which is dirty\n"
            "  k0 aiv:0 #0 RawStore has its line and stores, in the cache, A[0] = 1\n"
            "  k0 aiv:0 (inserted) refreshes the line of A[0], which is dirty\n"
            "  aiv:0: the refreshed line of A[0] reaches GM\n"
            "  aiv:1: the refreshed line of A[0] reaches GM\n");
}

TEST(Explain, AStallAndHowFarEachCoreComes) {
  Build build;
  build.kernel(KernelType::mix_aic_1_2, 1, {wait(3), wait(3)}, {raise(2, Pipe::fix, 3)});
  EXPECT_EQ(told(build),
            "stalls [SYNC-5]: AIV 0-1 wait for cross-core flag 3 (k0 #1); AIC 0 never comes: k0 "
            "aiv:0 waits twice for flag 3, which is raised once [SYNC-5]\n"
            "launch: MIX_AIC_1_2 x 1 (1 AIC, 2 AIV): k0\n"
            "waits: AIV 0-1 at k0 #1 CrossCoreWaitFlag: wait for cross-core flag 3; AIC 0 never "
            "comes [SYNC-5]\n"
            "one way:\n"
            "  launch 0: aic:0 comes to its end\n"
            "  launch 0: aiv:0 is through with k0 #0 CrossCoreWaitFlag and stands at k0 #1 "
            "CrossCoreWaitFlag\n"
            "  launch 0: 1 more stand alike\n");
}

TEST(Explain, AnInexactSetSaysWhy) {
  Build build;
  build.test_case.profile = "a3-24";
  build.kernel(vectors, 1, {set_flag(Pipe::v, Pipe::mte3), set_flag(Pipe::v, Pipe::mte3)});
  EXPECT_EQ(told(build),
            "error [PIPE-4]: k0 aiv:0 sets event V_MTE3 0 twice with no wait issued "
            "between [PIPE-4]\n"
            "launch: MIX_AIV_1_0 x 1 (0 AIC, 1 AIV): k0\n"
            "also: may-stall [PIPE-4] under L-4: k0 aiv:0 sets event V_MTE3 0 twice with no wait "
            "issued between\n"
            "also: nondeterministic-data [PIPE-4] under L-4: no word is judged from there on: k0 "
            "aiv:0 sets event V_MTE3 0 twice with no wait issued between\n"
            "leans on: L-4\n"
            "not exact (status): an event is set twice with no wait issued between (L-4)\n"
            "not exact (values): no word is judged from some point on\n");
}

}  // namespace
}  // namespace skcts::model
