// How allowed outcomes of racing words are told, and refused ones named.
#include "reference_model/witness.h"

#include <gtest/gtest.h>

#include "reference_model/model.h"
#include "reference_model/testing.h"

namespace skcts::model {
namespace {

using namespace testing;  // NOLINT

constexpr KernelType vectors = KernelType::mix_aiv_1_0;

/// Two cores store into one line.
Build false_sharing() {
  Build build;
  build.region("A", 16);
  build.kernel(vectors, 2,
               {where(IndexName::core, 0, 0, raw_store(gm(0), constant(1))),
                where(IndexName::core, 1, 1, raw_store(gm(0, word(1)), constant(2)))});
  return build;
}

Outcome holds(const Case& test_case, std::uint32_t first, std::uint32_t second) {
  Outcome outcome;
  outcome.memory = initial_memory(test_case.mix, layout_of(test_case.mix));
  outcome.memory[0] = first;
  outcome.memory[1] = second;
  return outcome;
}

TEST(Witness, ALostHalfIsTold) {
  const Build build = false_sharing();
  const Witness witness = Model().witness(build.test_case, holds(build.test_case, 0, 2),
                                          {latitude_pin(36, "own-accesses")});
  ASSERT_TRUE(witness.allowed);
  ASSERT_FALSE(witness.steps.empty());
  EXPECT_EQ(witness.steps[0], "launch 0, A[0], A[1]:");
  const auto place = [&](const std::string& text) {
    for (std::size_t i = 0; i < witness.steps.size(); ++i) {
      if (witness.steps[i].find(text) != std::string::npos) return static_cast<int>(i);
    }
    return -1;
  };
  const int fetched =
      place("aiv:1 #1 RawStore fetches its line and stores, in the cache, A[1] = 2");
  const int lost = place("aiv:0: the refreshed line of A[0] reaches GM");
  const int won = place("aiv:1: the refreshed line of A[0] reaches GM");
  EXPECT_GE(fetched, 1);
  EXPECT_GT(lost, fetched);  // the second core had the old word before the first one's arrived,
  EXPECT_GT(won, lost);      // and puts it over it
}

TEST(Witness, NeitherHalfIsRefused) {
  const Build build = false_sharing();
  const Witness witness = Model().witness(build.test_case, holds(build.test_case, 0, 0));
  EXPECT_FALSE(witness.allowed);
  EXPECT_EQ(witness.words, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(witness.text, "A[0] is 0, A[1] is 0: each value alone occurs, but not together");
  EXPECT_TRUE(witness.steps.empty());
  EXPECT_FALSE(Model().witness(build.test_case, holds(build.test_case, 7, 2)).allowed);
}

TEST(Witness, PinsNarrowTheSet) {
  // Written back at the refresh only and in one order of the ends, the same three remain; without
  // the racing core there is one.
  const Build build = false_sharing();
  Model model;
  const Allowed allowed = model.allowed(build.test_case, {latitude_pin(23, "at-refresh")});
  ASSERT_EQ(allowed.joint.size(), 1u);
  EXPECT_EQ(allowed.joint[0].tuples.size(), 3u);
  EXPECT_TRUE(allowed.exact_data);
  Build late;
  late.region("A", 32);
  const auto side = [](int core, const std::vector<Instruction>& what) {
    std::vector<Instruction> program;
    for (const Instruction& in : what) program.push_back(where(IndexName::core, core, core, in));
    return program;
  };
  late.kernel(
      vectors, 2,
      side(0, {raw_store(gm(0), constant(5)), dcci(gm(0)), raise(0, Pipe::mte3, 3), wait(3)}) +
          side(1, {raise(0, Pipe::mte3, 3), wait(3), read_bypass(gm(0), 1),
                   write_bypass(gm(0, word(16)), in_register(1)), dsb()}));
  EXPECT_EQ(model.allowed(late.test_case).memory[16].kind, WordKind::one_of);
  const Allowed at_once = model.allowed(late.test_case, {latitude_pin(25, "at-once")});
  EXPECT_EQ(at_once.memory[16], (WordAllowed{WordKind::exact, 5, -1}));
  const Analysis analysis = model.analyse(late.test_case);
  EXPECT_EQ(analysis.behaviour, Behaviour::nondeterministic_data);
  EXPECT_EQ(analysis.latitudes, (std::vector<LatitudeId>{25}));
}

TEST(Witness, TheLastLaunchThatTouchesAWordIsTold) {
  Build build = false_sharing();
  build.kernel(vectors, 1,
               {data_copy(ub(0), gm(0)), barrier(), adds(ub(8), ub(0), 10), barrier(),
                data_copy(gm(0), ub(8)), barrier()});
  build.test_case.plan.steps = {{.sub_kernels = {0}}, {.sub_kernels = {1}}};
  Model model;
  const Allowed allowed = model.allowed(build.test_case);
  EXPECT_TRUE(allowed.exact_data);
  ASSERT_EQ(allowed.joint.size(), 1u);
  EXPECT_EQ(allowed.joint[0].tuples,
            (std::vector<std::vector<std::uint32_t>>{{10, 12}, {11, 10}, {11, 12}}));
  const Witness witness = model.witness(build.test_case, [&] {
    Outcome outcome = holds(build.test_case, 11, 10);
    for (std::size_t w = 2; w < 8; ++w) outcome.memory[w] += 10;
    return outcome;
  }());
  ASSERT_TRUE(witness.allowed) << witness.text;
  ASSERT_GT(witness.steps.size(), 2u);
  EXPECT_EQ(witness.steps[0], "launch 1, A[0], A[1]:");
  EXPECT_EQ(witness.steps[1], "they start as 1, 0");
}

}  // namespace
}  // namespace skcts::model
