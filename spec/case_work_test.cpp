#include "spec/case_work.h"

#include <gtest/gtest.h>

#include "spec/validate.h"

namespace skcts {
namespace {

/// The first error, as "field: message (hint)"; "valid" when there is none.
std::string verdict(const Case& value) {
  const std::vector<Error> errors = validate(value);
  return errors.empty() ? "valid" : to_string(errors.front());
}

/// MIX sub kernels of 24 blocks, each core with that program.
Case wide_case(int kernels, const std::vector<Instruction>& program) {
  Case value;
  value.mix.regions = {{.name = "A", .words = 64}};
  for (int i = 0; i < kernels; ++i) {
    SubKernel& kernel = value.mix.sub_kernels.emplace_back();
    kernel.name = fmt::format("k{}", i);
    kernel.type = KernelType::mix_aic_1_2;
    kernel.blocks = 24;
    kernel.aic = program;
    kernel.aiv = program;
  }
  return value;
}

std::vector<Instruction> repeated(std::int32_t times, std::vector<Instruction> body) {
  Instruction repeat;
  repeat.op = Op::repeat;
  repeat.times = times;
  repeat.body = std::move(body);
  return {repeat};
}

TEST(CaseWork, TheLargestHonestCasesAreValid) {
  EXPECT_EQ(verdict(wide_case(256, std::vector<Instruction>(20))), "valid");
  EXPECT_EQ(verdict(wide_case(1, repeated(1'000'000 / 72, {Instruction()}))), "valid");
  Case one_core = wide_case(1, {});
  one_core.mix.sub_kernels[0].type = KernelType::aiv_only;
  one_core.mix.sub_kernels[0].blocks = 1;
  one_core.mix.sub_kernels[0].aiv = repeated(1'000'000, {Instruction()});
  EXPECT_EQ(verdict(one_core), "valid");
}

TEST(CaseWork, ARepeatCostsItsTurnsAlsoWhereItsBodyIsEmpty) {
  EXPECT_EQ(verdict(wide_case(1, repeated(2147483647, {}))),
            "mix.sub_kernels[0].aic: 2147483647 instructions a core, more than 1048576");
  Instruction nowhere;
  nowhere.where.all = {{.index = IndexName::core, .low = 9000, .high = 9000}};
  EXPECT_EQ(verdict(wide_case(1, repeated(2147483647, {nowhere}))),
            "mix.sub_kernels[0].aic: 2147483647 instructions a core, more than 1048576");
}

TEST(CaseWork, SaysWhatTheCaseNeedsAndWhatIsAllowed) {
  // 72 cores, a Repeat of 100000 turns each; 72 entries; one launch.
  EXPECT_EQ(verdict(wide_case(1, repeated(100'000, {Instruction()}))),
            "mix: 7202226 steps of work, 4194304 are allowed (7200072 by instructions and their "
            "words, 1152 by cores in sub kernels, 1002 by launches and their words of GM)");
  Instruction opaque;
  opaque.op = Op::compute;
  opaque.pipe = Pipe::v;
  opaque.writes = {{.from = {.space = Space::ub}, .count = 49152}};
  Case words = wide_case(1, {});
  words.mix.sub_kernels[0].aiv = repeated(100, {opaque});
  EXPECT_EQ(work_of(words).instructions, 48 * (1 + 100 * (1 + 1 + 49152 / 16)));
  EXPECT_TRUE(verdict(words).starts_with("mix: 14"));
  EXPECT_TRUE(verdict(wide_case(4096, {})).starts_with("mix: ")) << "72 cores in 4096 sub kernels";
  Case launches = wide_case(1, {});
  launches.mix.sub_kernels[0].type = KernelType::aiv_only;
  launches.mix.sub_kernels[0].blocks = 1;
  launches.mix.regions[0].words = 100'000;
  launches.plan.steps.assign(1024, {.kind = StepKind::fused, .sub_kernels = {0}});
  EXPECT_EQ(verdict(launches),
            "plan: 4240384 steps of work, 4194304 are allowed (16384 by cores in sub kernels, "
            "4224000 by launches and their words of GM)");
  Case memory = wide_case(1, {});
  memory.mix.regions[0].words = 1 << 24;
  EXPECT_EQ(verdict(memory), "valid");
  memory.plan.steps.assign(100, {.kind = StepKind::fused, .sub_kernels = {0}});
  EXPECT_TRUE(verdict(memory).starts_with("plan: ")) << verdict(memory);
}

TEST(CaseWork, WordsOfGmAreCountedAsTheyAreLaidOut) {
  Case value = wide_case(1, {});
  value.mix.regions = {{.name = "A", .words = 1}, {.name = "B", .words = (1 << 24) - 16}};
  EXPECT_EQ(verdict(value), "valid");
  value.mix.regions[0].words = 17;
  EXPECT_EQ(verdict(value),
            "mix.regions: 16777232 words of GM, more than 16777216 (each region begins on a "
            "64-byte line of its own)");
}

TEST(CaseWork, CountsEveryLaunchAndWhatNoLaunchHasOnce) {
  Case value = wide_case(2, {Instruction()});
  const std::int64_t once = work_of(value).instructions;
  EXPECT_EQ(once, 2 * 72);
  value.plan.steps = {{.kind = StepKind::fused, .sub_kernels = {0}},
                      {.kind = StepKind::alone, .sub_kernels = {0}}};
  EXPECT_EQ(work_of(value).instructions, 3 * 72);
  EXPECT_EQ(work_of(value).entries, 2 * 72 * 16);
  EXPECT_EQ(work_of(value).launches, 2 * (1000 + 64 / 32));
}

}  // namespace
}  // namespace skcts
