// A small builder of mixes for the emulator's own tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/emulator/composition.h"
#include "harness/emulator/emulator.h"
#include "spec/case.h"

namespace skcts::emulator::testing {

inline Expr words(std::int32_t base) {
  return Expr{.base = base};
}
/// base + step * GetBlockIdx()
inline Expr by_core(std::int32_t step, std::int32_t base = 0) {
  return Expr{.base = base, .core = step};
}
inline Expr by_block(std::int32_t step, std::int32_t base = 0) {
  return Expr{.base = base, .block = step};
}
inline Expr shifted_core(std::int32_t step, std::int32_t shift) {
  return Expr{.core = step, .shift = shift};
}
inline Operand gm(int region, Expr at = {}) {
  return {Space::gm, static_cast<std::int16_t>(region), at};
}
inline Operand object(int tensor, Expr at = {}) {
  return {Space::tensor, static_cast<std::int16_t>(tensor), at};
}
inline Operand ub(std::int32_t at = 0) {
  return {Space::ub, -1, words(at)};
}
inline Operand in(Space space, std::int32_t at = 0) {
  return {space, -1, words(at)};
}
inline Operand named(int name, std::int32_t at = 0) {
  return {Space::local_tensor, static_cast<std::int16_t>(name), words(at)};
}

inline Instruction make(Op op) {
  Instruction result;
  result.op = op;
  return result;
}
inline Instruction copy(Operand dst, Operand src, std::int32_t count = 8) {
  Instruction result = make(Op::data_copy);
  result.dst = dst;
  result.src = src;
  result.count = count;
  return result;
}
inline Instruction fixpipe(Operand dst, std::int32_t l0c = 0, std::int32_t count = 8) {
  Instruction result = make(Op::fixpipe);
  result.dst = dst;
  result.src = in(Space::l0c, l0c);
  result.count = count;
  return result;
}
inline Instruction duplicate(Operand dst, std::uint32_t value, std::int32_t count = 8) {
  Instruction result = make(Op::duplicate);
  result.dst = dst;
  result.value.expr = words(static_cast<std::int32_t>(value));
  result.count = count;
  return result;
}
inline Instruction adds(Operand dst, Operand src, std::int32_t value, std::int32_t count = 8) {
  Instruction result = duplicate(dst, static_cast<std::uint32_t>(value), count);
  result.op = Op::adds;
  result.src = src;
  return result;
}
/// An M step of a cube core that writes `count` words of L0C from nothing but its tag.
inline Instruction produce(std::uint32_t tag, std::int32_t l0c = 0, std::int32_t count = 8) {
  Instruction result = make(Op::compute);
  result.pipe = Pipe::m;
  result.value.expr = words(static_cast<std::int32_t>(tag));
  result.writes = {{in(Space::l0c, l0c), count}};
  return result;
}
inline Instruction flag(Op op, Pipe from, Pipe to, int id) {
  Instruction result = make(op);
  result.event = {from, to};
  result.id = id;
  return result;
}
inline Instruction set(Pipe from, Pipe to, int id = 0) {
  return flag(Op::set_flag, from, to, id);
}
inline Instruction wait(Pipe from, Pipe to, int id = 0) {
  return flag(Op::wait_flag, from, to, id);
}
inline Instruction barrier(Pipe pipe = Pipe::all) {
  Instruction result = make(Op::pipe_barrier);
  result.pipe = pipe;
  return result;
}
inline Instruction raise(int id, int mode, Pipe pipe) {
  Instruction result = make(Op::cross_core_set_flag);
  result.id = id;
  result.mode = mode;
  result.pipe = pipe;
  return result;
}
inline Instruction wait_raise(int id) {
  Instruction result = make(Op::cross_core_wait_flag);
  result.id = id;
  result.pipe = Pipe::s;
  return result;
}
inline Instruction sync_all(bool aiv_only = true) {
  Instruction result = make(Op::sync_all);
  result.aiv_only = aiv_only;
  return result;
}
inline Instruction load(Operand src, int reg = 0) {
  Instruction result = make(src.space == Space::gm ? Op::raw_load : Op::get_value);
  result.src = src;
  result.reg = static_cast<std::int8_t>(reg);
  return result;
}
inline Instruction store(Operand dst, std::uint32_t value) {
  Instruction result = make(dst.space == Space::gm ? Op::raw_store : Op::set_value);
  result.dst = dst;
  result.value.expr = words(static_cast<std::int32_t>(value));
  return result;
}
inline Instruction store_reg(Operand dst, int reg) {
  Instruction result = store(dst, 0);
  result.value.reg = static_cast<std::int8_t>(reg);
  return result;
}
inline Instruction refresh(Operand line) {
  Instruction result = make(Op::dcci);
  result.dst = line;
  return result;
}
inline Instruction data_sync() {
  return make(Op::dsb);
}
inline Instruction poll(Operand src, std::uint32_t value, PollVia via, bool refreshes = false) {
  Instruction result = make(Op::poll);
  result.src = src;
  result.via = via;
  result.refresh = refreshes;
  result.value.expr = words(static_cast<std::int32_t>(value));
  return result;
}
inline Instruction on(IndexName index, int low, int high, Instruction instruction) {
  instruction.where.all.push_back({index, low, high});
  return instruction;
}
inline Instruction on_core(int core, Instruction instruction) {
  return on(IndexName::core, core, core, std::move(instruction));
}
inline Instruction repeat(int times, std::vector<Instruction> body) {
  Instruction result = make(Op::repeat);
  result.times = times;
  result.body = std::move(body);
  return result;
}
/// The set and the wait of one event.
inline void hand(std::vector<Instruction>& program, Pipe from, Pipe to, int id = 0) {
  program.push_back(set(from, to, id));
  program.push_back(wait(from, to, id));
}
using Program = std::vector<Instruction>;
inline Program operator+(Program a, const Program& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Program handed(Pipe from, Pipe to, int id = 0) {
  return {set(from, to, id), wait(from, to, id)};
}

/// Vector code that stores `value` to 8 words of GM.
inline Program put(Operand dst, std::uint32_t value, std::int32_t at = 0) {
  return Program{duplicate(ub(at), value)} + handed(Pipe::v, Pipe::mte3) +
         Program{copy(dst, ub(at))};
}
/// Vector code that copies 8 words from GM to GM.
inline Program move(Operand dst, Operand src, std::int32_t at = 64, int id = 1) {
  return Program{copy(ub(at), src)} + handed(Pipe::mte2, Pipe::mte3, id) +
         Program{copy(dst, ub(at))};
}

inline SubKernel kernel(std::string name, KernelType type, int blocks, Program aiv,
                        Program aic = {}) {
  SubKernel result;
  result.name = std::move(name);
  result.type = type;
  result.blocks = blocks;
  result.aiv = std::move(aiv);
  result.aic = std::move(aic);
  return result;
}
inline Region region(std::string name, std::int32_t word_count, std::uint32_t first = 0,
                     std::uint32_t step = 0) {
  Region result;
  result.name = std::move(name);
  result.words = word_count;
  result.init.first = first;
  result.init.step = step;
  return result;
}
inline Case fused(std::vector<Region> regions, std::vector<SubKernel> sub_kernels,
                  std::string options = "") {
  Case result;
  result.profile = "tiny";
  result.mix.regions = std::move(regions);
  result.mix.sub_kernels = std::move(sub_kernels);
  result.mix.options = std::move(options);
  return result;
}
/// The same sub kernels, each launched alone, in order.
inline Case alone(Case test_case) {
  PlanStep step;
  step.kind = StepKind::alone;
  for (std::size_t s = 0; s < test_case.mix.sub_kernels.size(); ++s) {
    step.sub_kernels.push_back(static_cast<std::int32_t>(s));
  }
  test_case.plan.steps = {step};
  return test_case;
}

/// Words [at, at + count) of a region in an outcome.
inline std::vector<std::uint32_t> words_of(const Case& test_case, const Outcome& outcome,
                                           int region, std::int32_t at, std::int32_t count) {
  const GmLayout layout = layout_of(test_case.mix);
  const std::int64_t first = layout.base[static_cast<std::size_t>(region)] + at;
  std::vector<std::uint32_t> result;
  for (std::int64_t w = first; w < first + count; ++w) {
    result.push_back(outcome.memory.at(static_cast<std::size_t>(w)));
  }
  return result;
}

inline Strategy strategy(const char* text, std::uint64_t seed) {
  Strategy result = parse_strategy(text).value();
  result.seed = seed;
  return result;
}
inline constexpr const char* all_strategies[] = {
    "round-robin/keep", "round-robin/drop", "random/keep", "random/random", "random/drop",
    "pct:2/random",     "pct:3/keep",       "pct:4/drop",  "starve/random", "starve/keep",
};

/// Runs with every strategy and `seeds` seeds each; calls see(outcome, strategy text).
template <class See>
void run_all(Target& target, const Case& test_case, int seeds, See&& see) {
  for (const char* text : all_strategies) {
    for (int seed = 0; seed < seeds; ++seed) {
      RunRequest request;
      request.strategy = strategy(text, static_cast<std::uint64_t>(seed));
      request.step_limit = 2'000'000;
      const RunResult result = target.run(test_case, request);
      see(result.outcome, std::string(text) + " seed " + std::to_string(seed));
    }
  }
}

/// The launches of a plan, each such as "fused 0 1" or "alone 2".
inline std::vector<std::string> cut(const Case& test_case) {
  std::vector<std::string> result;
  for (const LaunchPlan& launch : launches_of(test_case)) {
    std::string text = launch.kind == StepKind::alone ? "alone" : "fused";
    for (const std::int32_t sub : launch.sub_kernels) text += " " + std::to_string(sub);
    result.push_back(text);
  }
  return result;
}

}  // namespace skcts::emulator::testing
