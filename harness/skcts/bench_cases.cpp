// Mixes of a known shape for skcts bench.
#include "harness/skcts/bench_cases.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "suites/mixes.h"

namespace skcts::program {
namespace {

/// Copies `rounds` times 8 words a core from one region to the next, by hand-made events.
void copy_through(std::vector<Instruction>& program, CoreKind kind, int rounds, int from, int to) {
  const Space local = kind == CoreKind::aiv ? Space::ub : Space::l1;
  const auto gm = [](int region, int round) {
    Operand operand{.space = Space::gm, .index = static_cast<std::int16_t>(region)};
    operand.at = {.base = 8 * round, .core = 32};
    return operand;
  };
  const auto flag = [&](Op op, Pipe source, Pipe destination) {
    program.push_back(suites::instruction(op, [&](Instruction& i) {
      i.event = {source, destination};
    }));
  };
  for (int round = 0; round < rounds; ++round) {
    program.push_back(suites::instruction(Op::data_copy, [&](Instruction& i) {
      i.src = gm(from, round);
      i.dst = {.space = local};
      i.count = 8;
    }));
    flag(Op::set_flag, Pipe::mte2, Pipe::mte3);
    flag(Op::wait_flag, Pipe::mte2, Pipe::mte3);
    program.push_back(suites::instruction(Op::data_copy, [&](Instruction& i) {
      i.dst = gm(to, round);
      i.src = {.space = local};
      i.count = 8;
    }));
    flag(Op::set_flag, Pipe::mte3, Pipe::mte2);
    flag(Op::wait_flag, Pipe::mte3, Pipe::mte2);
  }
  program.push_back(suites::instruction(Op::get_block_num, [](Instruction&) {}));
  program.push_back(
      suites::instruction(Op::pipe_barrier, [](Instruction& i) { i.pipe = Pipe::all; }));
}

}  // namespace

Case message_passing(const Profile& profile, std::int32_t pairs) {
  Case test_case;
  test_case.profile = profile.name;
  test_case.mix.regions = {{.name = "A", .words = 32 * pairs}};
  SubKernel k{.name = "k0", .type = KernelType::aiv_only, .blocks = 2 * pairs};
  const auto gm = [](std::int32_t word) {
    return Operand{.space = Space::gm, .index = 0, .at = {.base = word}};
  };
  for (std::int32_t pair = 0; pair < pairs; ++pair) {
    const std::int32_t data = 32 * pair;
    const std::int32_t flag = data + 16;
    const auto on = [&](std::int32_t core, Op op, const std::function<void(Instruction&)>& edit) {
      k.aiv.push_back(suites::instruction(op, edit));
      k.aiv.back().where = {{{.index = IndexName::core, .low = core, .high = core}}};
    };
    const auto store = [&](std::int32_t word) {
      on(2 * pair, Op::write_gm_bypass, [&](Instruction& i) {
        i.dst = gm(word);
        i.value.expr.base = 7;
      });
    };
    store(data);
    on(2 * pair, Op::dsb, [](Instruction&) {});
    store(flag);
    on(2 * pair + 1, Op::poll, [&](Instruction& i) {
      i.src = gm(flag);
      i.via = PollVia::bypass;
      i.value.expr.base = 7;
    });
    on(2 * pair + 1, Op::read_gm_bypass, [&](Instruction& i) {
      i.src = gm(data);
      i.reg = 0;
    });
  }
  test_case.mix.sub_kernels = {std::move(k)};
  return test_case;
}

Case full_chip(int sub_kernels) {
  constexpr int blocks = 24;
  Case test_case;
  test_case.profile = "a2-24";
  for (int i = 0; i <= sub_kernels; ++i) {
    const std::int32_t words = 2 * blocks * 32;
    const auto first = static_cast<std::uint32_t>(i) << 20;
    test_case.mix.regions.push_back(
        {.name = fmt::format("cube{}", i), .words = words, .init = {.first = first, .step = 1}});
    test_case.mix.regions.push_back(
        {.name = fmt::format("vec{}", i), .words = words, .init = {.first = first, .step = 3}});
  }
  for (int i = 0; i < sub_kernels; ++i) {
    SubKernel k{.name = fmt::format("k{}", i), .type = KernelType::mix_aic_1_2, .blocks = blocks};
    copy_through(k.aic, CoreKind::aic, 3, 2 * i, 2 * i + 2);
    copy_through(k.aiv, CoreKind::aiv, 3, 2 * i + 1, 2 * i + 3);
    test_case.mix.sub_kernels.push_back(std::move(k));
  }
  return test_case;
}

}  // namespace skcts::program
