// The trace and the graph of waits: what is in them, for cases that complete and that stall.
#include "reference_model/trace.h"

#include <gtest/gtest.h>

#include "reference_model/testing.h"
#include "reference_model/wait_chain.h"
#include "spec/json_tree.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT

constexpr KernelType vectors = KernelType::mix_aiv_1_0;

std::string trace_of(const Build& build) {
  Model model;
  const Analysis analysis = model.analyse(build.test_case);
  return trace_json(model, build.test_case, {}, analysis);
}

std::size_t count(const std::string& text, const std::string& words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++found;
  }
  return found;
}

/// A cube core raises behind its store, both vector cores of the block wait.
Build message() {
  Build build;
  const int x = build.region("X", 16);
  build.kernel(
      KernelType::mix_aic_1_2, 1, {wait(3), data_copy(ub(0), gm(x))},
      {compute(Pipe::m, {}, {{local(Space::l0c), 8}}), set_flag(Pipe::m, Pipe::fix),
       wait_flag(Pipe::m, Pipe::fix), fixpipe(gm(x), local(Space::l0c)), raise(2, Pipe::fix, 3)});
  return build;
}

TEST(Trace, SlicesAndArrowsOfACaseThatCompletes) {
  const std::string text = trace_of(message());
  EXPECT_TRUE(parse_json(text, "trace").ok());
  EXPECT_NE(text.find("Logical time, no measurement"), std::string::npos);
  EXPECT_EQ(count(text, "\"name\":\"process_name\""), 3u);
  // M, SetFlag on M, WaitFlag, Fixpipe, CrossCoreSetFlag on FIX: units 0, 1, 2, 3, 4.
  EXPECT_EQ(count(text, R"({"name":"Fixpipe","cat":"step","ph":"X","ts":30,"dur":10,"pid":0,)"),
            1u);
  // Both vector cores wait from the start until the raise is over, then load.
  EXPECT_EQ(count(text, R"({"name":"waits: CrossCoreWaitFlag","cat":"waiting","ph":"X","ts":0,)"
                        R"("dur":50,"pid":1000)"),
            2u);
  EXPECT_EQ(count(text, R"({"name":"DataCopy","cat":"step","ph":"X","ts":60,"dur":10,)"), 2u);
  // One event and two raises lead on.
  EXPECT_EQ(count(text, "\"ph\":\"s\""), 3u);
  EXPECT_EQ(count(text, "\"ph\":\"f\""), 3u);
  EXPECT_EQ(count(text, "STUCK"), 0u);
}

TEST(Trace, AStalledCoreIsMarked) {
  Build build = message();
  build.sub(0).aic.pop_back();
  const std::string text = trace_of(build);
  EXPECT_TRUE(parse_json(text, "trace").ok());
  EXPECT_EQ(count(text, "\"name\":\"STUCK: CrossCoreWaitFlag\""), 2u);
  EXPECT_EQ(count(text, "\"reason\":"), 2u);
  EXPECT_EQ(count(text, "\"name\":\"DataCopy\""), 0u);
}

TEST(Trace, ACaseThatIsRefusedHasNoEvents) {
  Build build("feed-sync-all=2");
  build.kernel(vectors, 1, {barrier()});
  EXPECT_NE(trace_of(build).find("\"traceEvents\":[]"), std::string::npos);
}

TEST(Trace, OneLaunchBehindTheOther) {
  Build build;
  for (int k = 0; k < 2; ++k) build.kernel(vectors, 1, {barrier()});
  build.test_case.plan.steps = {{.kind = skcts::StepKind::alone, .sub_kernels = {0, 1}}};
  const std::string text = trace_of(build);
  EXPECT_EQ(count(text, "launch 0 aiv:0"), 1u);
  EXPECT_EQ(count(text, "launch 1 aiv:0"), 1u);
}

TEST(WaitGraph, RootsAndEdges) {
  Build build;
  const int a = build.region("A", 64);
  build.kernel(vectors, 2, {sync_all()});
  build.kernel(vectors, 4, fill_out(a, per_core(16), 9));
  const std::string dot = wait_graph_dot(build.test_case, analyse(build.test_case));
  EXPECT_EQ(dot,
            "// Who waits for whom: an edge leads from a core to the one it waits for; roots are "
            "red.\n"
            "digraph waits {\n"
            "  rankdir=LR;\n"
            "  node [shape=box, fontname=\"sans-serif\"];\n"
            "  edge [fontname=\"sans-serif\"];\n"
            "  w0 [label=\"AIV 0-1\\nwait in SyncAll (k0 #0)\\nroot: AIV 2-3 never come "
            "[CORE-5]\", color=red, penwidth=2];\n"
            "  w1 [label=\"AIV 2-3\\nwait at the boundary before k1\"];\n"
            "  w0 -> w1 [label=\"waits for\"];\n"
            "  w1 -> w0 [label=\"waits for\"];\n"
            "}\n");
}

TEST(WaitGraph, NobodyIsStuck) {
  const Build build = message();
  EXPECT_NE(wait_graph_dot(build.test_case, analyse(build.test_case)).find("nobody is stuck"),
            std::string::npos);
}

std::string sentence_of(const Build& build) {
  return analyse(build.test_case).sentence;
}

TEST(WaitChain, FromTheLastCoreToTheRoot) {
  Build build;
  const int a = build.region("A", 64);
  build.kernel(vectors, 2, {sync_all()});
  build.kernel(vectors, 4, fill_out(a, per_core(16), 9));
  EXPECT_EQ(sentence_of(build),
            "AIV 2-3 wait at the boundary before k1 for AIV 0-1, which wait in SyncAll (k0 #0); "
            "root: AIV 2-3 never come: k0 aiv:0 calls SyncAll on 2 of the 4 AIV cores that the "
            "SuperKernel launches and feed-sync-all is 0 [CORE-5]");
}

TEST(WaitChain, ARing) {
  Build build;
  build.kernel(KernelType::mix_aic_1_2, 1, {wait(3), raise(2, Pipe::mte3, 4)},
               {wait(4), raise(2, Pipe::fix, 3)});
  EXPECT_EQ(sentence_of(build),
            "AIC 0 waits for cross-core flag 4 (k0 #0) of AIV 0-1, which wait for cross-core "
            "flag 3 (k0 #0) of AIC 0: a ring of waits [SYNC-5]");
}

TEST(WaitChain, AcrossSubKernels) {
  Build build;
  build.kernel(KernelType::mix_aic_1_2, 2, {wait(3)},
               {where(IndexName::block, 0, 0, raise(2, Pipe::fix, 3))});
  build.kernel(KernelType::mix_aic_1_2, 2, {wait(4)}, {raise(2, Pipe::fix, 4)});
  const std::string told = sentence_of(build);
  EXPECT_EQ(told.find("AIC 0-1 wait at the boundary before k1 for AIV 2-3, which wait for "
                      "cross-core flag 3 (k0 #0); root: nobody raises it: k0 aiv:2 waits once"),
            0u)
      << told;
}

TEST(WaitGraph, LaunchesThatShareCoresAreARing) {
  Build build;
  build.test_case.profile = "tiny";
  PlanStep step{.kind = skcts::StepKind::beside};
  step.sharing = CoreSharing::normal;
  for (const int k : {0, 1}) {
    build.kernel(KernelType::mix_aiv_1_0, 3, {sync_all()});
    step.beside.push_back({.kind = skcts::StepKind::fused, .sub_kernels = {k}});
  }
  build.test_case.plan.steps = {step};
  const std::string dot = wait_graph_dot(build.test_case, analyse(build.test_case));
  EXPECT_EQ(dot.find("nobody is stuck"), std::string::npos);
  EXPECT_NE(dot.find("(L-22)\", color=red"), std::string::npos) << dot;
  EXPECT_NE(dot.find("l0 [label=\"launch 0: k0 (0 AIC, 3 AIV)\"]"), std::string::npos) << dot;
  EXPECT_NE(dot.find("l1 -> l0 [label=\"may wait for cores of\""), std::string::npos) << dot;
}

}  // namespace
}  // namespace skcts::model
