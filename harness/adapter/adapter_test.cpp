// The adapters of this folder, spoken with as the suite does.
#include <string>

#include <gtest/gtest.h>

#include "harness/wire/client.h"

namespace skcts::adapter {
namespace {

Instruction copy(Operand dst, Operand src) {
  return {.op = Op::data_copy, .dst = dst, .src = src, .count = 16};
}

/// Two blocks copy 16 words each from A to B.
Case copying() {
  Case value;
  value.mix.regions = {{.name = "A", .words = 32, .init = {.first = 100, .step = 1}},
                       {.name = "B", .words = 32}};
  const Expr own{.core = 16};
  SubKernel k{.name = "k0", .type = KernelType::aiv_only, .blocks = 2};
  k.aiv = {copy({.space = Space::ub}, {.space = Space::gm, .index = 0, .at = own}),
           copy({.space = Space::gm, .index = 1, .at = own}, {.space = Space::ub})};
  value.mix.sub_kernels = {k};
  return value;
}

class Adapter : public testing::TestWithParam<const char*> {};

TEST_P(Adapter, RunsACase) {
  wire::ClientSettings settings;
  settings.address = {.kind = wire::AddressKind::exec, .text = GetParam()};
  auto target = wire::RemoteTarget::open(settings);
  ASSERT_TRUE(target.ok()) << to_string(target.error());
  EXPECT_FALSE((*target)->description().honours_schedules);
  for (int i = 0; i < 3; ++i) {
    const RunResult result = (*target)->run(copying(), {});
    ASSERT_EQ(result.end, RunEnd::answered) << result.detail;
    ASSERT_EQ(result.outcome.memory.size(), 64u);
    EXPECT_EQ(result.outcome.memory[32], 100u);
    EXPECT_EQ(result.outcome.memory[63], 131u);
  }
  Case unclaimed = copying();
  unclaimed.mix.sub_kernels[0].aiv.push_back({.op = Op::sync_all});
  EXPECT_EQ((*target)->run(unclaimed, {}).end, RunEnd::not_supported);
}

INSTANTIATE_TEST_SUITE_P(Both, Adapter,
                         testing::Values(SKCTS_ADAPTER_EXAMPLE,
                                         "python3 " SKCTS_SOURCE_DIR
                                         "/harness/adapter/python_target.py"),
                         [](const auto& row) {
                           return std::string(row.index == 0 ? "Cpp" : "Python");
                         });

}  // namespace
}  // namespace skcts::adapter
