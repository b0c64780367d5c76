// Walking a program as one core executes it: conditions applied, repeats unrolled.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/instruction.h"

namespace skcts {

/// Number of instructions of a program counted in text order, bodies included. An instruction is
/// named by its place in this count ("k1 aiv[3]").
inline int instruction_count(const std::vector<Instruction>& program) {
  int count = 0;
  for (const Instruction& instruction : program) {
    count += 1 + (instruction.body.empty() ? 0 : instruction_count(instruction.body));
  }
  return count;
}

/// The instruction with this place in the count, or nullptr.
inline const Instruction* instruction_at(const std::vector<Instruction>& program,
                                         std::int32_t place) {
  for (const Instruction& instruction : program) {
    if (place == 0) return &instruction;
    const std::int32_t inside = instruction_count(instruction.body);
    if (place <= inside) return instruction_at(instruction.body, place - 1);
    place -= 1 + inside;
  }
  return nullptr;
}

namespace detail {

template <class Visit>
void walk(const std::vector<Instruction>& program, Indices& at, int depth, int& place,
          Visit& visit) {
  for (const Instruction& instruction : program) {
    const int own = place++;
    if (instruction.op != Op::repeat) {
      if (instruction.where.all.empty() || instruction.where.holds(at)) {
        visit(instruction, static_cast<const Indices&>(at), own);
      }
      continue;
    }
    const int first = place;
    if (instruction.where.holds(at) && depth < max_repeat_depth) {
      const std::size_t level = static_cast<std::size_t>(depth);
      for (int turn = 0; turn < instruction.times; ++turn) {
        at.repeat[level] = turn;
        place = first;
        walk(instruction.body, at, depth + 1, place, visit);
      }
      at.repeat[level] = 0;
    }
    place = first + instruction_count(instruction.body);
  }
}

}  // namespace detail

/// Calls visit(instruction, indices, place) for each instruction that the core with these indices
/// executes, in order; `place` is its number in text order.
template <class Visit>
void for_each_instruction(const std::vector<Instruction>& program, Indices at, Visit&& visit) {
  int place = 0;
  detail::walk(program, at, 0, place, visit);
}

}  // namespace skcts
