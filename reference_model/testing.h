// Small mixes for tests, written in few words. Tests only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "spec/case.h"

namespace skcts::model::testing {

// Index expressions: per_core(8) is 8*core, per_core(8, 4, 1) is 4 + 8*((core+1) mod cores).
inline Expr word(std::int32_t base) {
  return Expr{.base = base};
}
inline Expr per_core(std::int32_t scale, std::int32_t base = 0, std::int32_t shift = 0) {
  return Expr{.base = base, .core = scale, .shift = shift};
}
inline Expr per_block(std::int32_t scale, std::int32_t base = 0, std::int32_t shift = 0) {
  return Expr{.base = base, .block = scale, .shift = shift};
}

inline Operand gm(int region, Expr at = {}) {
  return {Space::gm, static_cast<std::int16_t>(region), at};
}
inline Operand tensor(int object, Expr at = {}) {
  return {Space::tensor, static_cast<std::int16_t>(object), at};
}
inline Operand ub(int at = 0) {
  return {Space::ub, -1, word(at)};
}
inline Operand local(Space space, int at = 0) {
  return {space, -1, word(at)};
}
inline Operand taken(int name) {
  return {Space::local_tensor, static_cast<std::int16_t>(name), {}};
}
inline Value constant(std::int64_t value) {
  return Value{.expr = word(static_cast<std::int32_t>(value))};
}
inline Value in_register(int reg) {
  return Value{.reg = static_cast<std::int8_t>(reg)};
}

inline Instruction data_copy(Operand dst, Operand src, int count = 8, bool atomic = false) {
  return {.op = Op::data_copy, .dst = dst, .src = src, .count = count, .atomic_add = atomic};
}
inline Instruction fixpipe(Operand dst, Operand src, int count = 8) {
  return {.op = Op::fixpipe, .dst = dst, .src = src, .count = count};
}
inline Instruction load_data(Operand dst, Operand src, int count = 8) {
  return {.op = Op::load_data, .dst = dst, .src = src, .count = count};
}
inline Instruction mmad(Operand dst, Operand a, Operand b, int count = 8) {
  return {.op = Op::mmad, .dst = dst, .src = a, .src_b = b, .count = count};
}
inline Instruction duplicate(Operand dst, Value value, int count = 8) {
  return {.op = Op::duplicate, .dst = dst, .count = count, .value = value};
}
inline Instruction adds(Operand dst, Operand src, std::int64_t by, int count = 8) {
  return {.op = Op::adds, .dst = dst, .src = src, .count = count, .value = constant(by)};
}
inline Instruction add(Operand dst, Operand a, Operand b, int count = 8) {
  return {.op = Op::add, .dst = dst, .src = a, .src_b = b, .count = count};
}
inline Instruction compute(Pipe pipe, std::vector<Range> reads, std::vector<Range> writes,
                           std::int64_t tag = 1) {
  return {.op = Op::compute,
          .value = constant(tag),
          .pipe = pipe,
          .reads = std::move(reads),
          .writes = std::move(writes)};
}

inline Instruction get_value(Operand src, int reg = 0) {
  return {.op = Op::get_value, .src = src, .reg = static_cast<std::int8_t>(reg)};
}
inline Instruction set_value(Operand dst, Value value) {
  return {.op = Op::set_value, .dst = dst, .value = value};
}
inline Instruction assign(Operand dst, Value value) {
  return {.op = Op::assign, .dst = dst, .value = value};
}
inline Instruction raw_load(Operand src, int reg = 0) {
  return {.op = Op::raw_load, .src = src, .reg = static_cast<std::int8_t>(reg)};
}
inline Instruction raw_store(Operand dst, Value value) {
  return {.op = Op::raw_store, .dst = dst, .value = value};
}
inline Instruction read_bypass(Operand src, int reg = 0) {
  return {.op = Op::read_gm_bypass, .src = src, .reg = static_cast<std::int8_t>(reg)};
}
inline Instruction write_bypass(Operand dst, Value value) {
  return {.op = Op::write_gm_bypass, .dst = dst, .value = value};
}
inline Instruction dcci(Operand line) {
  return {.op = Op::dcci, .dst = line};
}
inline Instruction dcci_all() {
  return {.op = Op::dcci, .line = CacheLine::entire};
}
inline Instruction dsb() {
  return {.op = Op::dsb, .dsb = Dsb::ddr};
}
inline Instruction tensor_copy(int to, int from) {
  return {.op = Op::tensor_copy,
          .object = static_cast<std::int16_t>(to),
          .other = static_cast<std::int16_t>(from)};
}
inline Instruction tensor_end(int object) {
  return {.op = Op::tensor_end, .object = static_cast<std::int16_t>(object)};
}

inline Instruction set_flag(Pipe from, Pipe to, int id = 0) {
  return {.op = Op::set_flag, .event = {from, to}, .id = id};
}
inline Instruction wait_flag(Pipe from, Pipe to, int id = 0) {
  return {.op = Op::wait_flag, .event = {from, to}, .id = id};
}
inline Instruction barrier(Pipe pipe = Pipe::all) {
  return {.op = Op::pipe_barrier, .pipe = pipe};
}
inline Instruction raise(int mode, Pipe pipe, int id) {
  return {.op = Op::cross_core_set_flag, .pipe = pipe, .id = id, .mode = mode};
}
inline Instruction wait(int id) {
  return {.op = Op::cross_core_wait_flag, .pipe = Pipe::s, .id = id};
}
inline Instruction sync_all(bool aiv_only = true) {
  return {.op = Op::sync_all, .aiv_only = aiv_only};
}
inline Instruction soft_sync(int region, int scratch_at = 0, int cores = 0) {
  return {.op = Op::soft_sync_all, .dst = ub(scratch_at), .src = gm(region), .count = cores};
}
inline Instruction ib(Op op, int region, int scratch_at, std::int64_t block, int id = 0) {
  return {.op = op, .dst = ub(scratch_at), .src = gm(region), .value = constant(block), .id = id};
}
inline Instruction poll(Operand src, std::int64_t value, PollVia via = PollVia::bypass,
                        bool refresh = false) {
  return {.op = Op::poll, .src = src, .value = constant(value), .via = via, .refresh = refresh};
}
inline Instruction set_next(Pipe aiv_pipe = Pipe::mte3, Pipe aic_pipe = Pipe::fix) {
  return {.op = Op::set_next_task_start, .pipe = aiv_pipe, .aic_pipe = aic_pipe};
}
inline Instruction wait_pre() {
  return {.op = Op::wait_pre_task_end};
}
inline Instruction query(Op op) {
  return {.op = op};
}
inline Instruction matmul(Operand c, Operand a, Operand b, int count = 8) {
  return {.op = Op::matmul, .dst = c, .src = a, .src_b = b, .count = count};
}
inline Instruction named(Op op, int object, int other = -1) {
  return {.op = op,
          .object = static_cast<std::int16_t>(object),
          .other = static_cast<std::int16_t>(other)};
}
inline Instruction init_buffer(int object, int pipe, Position position, int num, int words) {
  return {.op = Op::init_buffer,
          .count = words,
          .position = position,
          .object = static_cast<std::int16_t>(object),
          .other = static_cast<std::int16_t>(pipe),
          .num = num};
}
/// The instruction on cores whose index lies in low..high.
inline Instruction where(IndexName index, int low, int high, Instruction instruction) {
  instruction.where.all.push_back({index, low, high});
  return instruction;
}
inline Instruction repeat(int times, std::vector<Instruction> body) {
  return {.op = Op::repeat, .times = times, .body = std::move(body)};
}

/// The last step of a healthy vector sub kernel: everything before it is complete at its end.
inline std::vector<Instruction> operator+(std::vector<Instruction> first,
                                          const std::vector<Instruction>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Copies `words` of a region to another by UB, in order: in, compute (+by), out, all drained.
inline std::vector<Instruction> copy_compute_copy(int to, int from, Expr at, int by = 1,
                                                  int words = 8) {
  return {data_copy(ub(0), gm(from, at), words),  set_flag(Pipe::mte2, Pipe::v),
          wait_flag(Pipe::mte2, Pipe::v),         adds(ub(1024), ub(0), by, words),
          set_flag(Pipe::v, Pipe::mte3),          wait_flag(Pipe::v, Pipe::mte3),
          data_copy(gm(to, at), ub(1024), words), barrier()};
}
/// A constant to a region.
inline std::vector<Instruction> fill_out(int to, Expr at, std::int64_t value, int words = 8) {
  return {duplicate(ub(512), constant(value), words), set_flag(Pipe::v, Pipe::mte3, 1),
          wait_flag(Pipe::v, Pipe::mte3, 1), data_copy(gm(to, at), ub(512), words), barrier()};
}

/// A case in the making.
struct Build {
  Case test_case;

  explicit Build(std::string options = {}) { test_case.mix.options = std::move(options); }

  /// A region; gives its place. Words count from `first` up by `step`.
  int region(std::string name, int words, std::uint32_t first = 0, std::uint32_t step = 0) {
    Region made;
    made.name = std::move(name);
    made.words = words;
    made.init.first = first;
    made.init.step = step;
    test_case.mix.regions.push_back(std::move(made));
    return static_cast<int>(test_case.mix.regions.size()) - 1;
  }
  /// A sub kernel with a program for its AIV and its AIC side; gives its place.
  int kernel(KernelType type, int blocks, std::vector<Instruction> aiv,
             std::vector<Instruction> aic = {}) {
    SubKernel made;
    made.name = "k" + std::to_string(test_case.mix.sub_kernels.size());
    made.type = type;
    made.blocks = blocks;
    made.aiv = std::move(aiv);
    made.aic = std::move(aic);
    test_case.mix.sub_kernels.push_back(std::move(made));
    return static_cast<int>(test_case.mix.sub_kernels.size()) - 1;
  }
  SubKernel& sub(int place) { return test_case.mix.sub_kernels[static_cast<std::size_t>(place)]; }
  /// A GlobalTensor object of a sub kernel; gives its place.
  int tensor_of(int sub_kernel, int region, bool is_const = false) {
    SubKernel& owner = sub(sub_kernel);
    Tensor made;
    made.name = "t" + std::to_string(owner.tensors.size());
    made.region = static_cast<std::int16_t>(region);
    made.is_const = is_const;
    owner.tensors.push_back(std::move(made));
    return static_cast<int>(owner.tensors.size()) - 1;
  }
  void names(int sub_kernel, std::initializer_list<const char*> list) {
    for (const char* name : list) sub(sub_kernel).names.emplace_back(name);
  }
};

/// Numbers for random programs.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int upto(int last) { return static_cast<int>(random_() % static_cast<std::uint64_t>(last + 1)); }
  bool chance(int percent) { return upto(99) < percent; }

 private:
  std::mt19937_64 random_;
};

}  // namespace skcts::model::testing
