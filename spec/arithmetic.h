// What the computing instructions of a mix compute. The functions stand for arithmetic that a real
// operator would do: cheap, exact modulo 2^32, and different for different inputs, so that a wrong
// input word shows in the output.
#pragma once

#include <cstdint>
#include <span>

namespace skcts {

/// One word of Mmad.
constexpr std::uint32_t mmad_word(std::uint32_t a, std::uint32_t b) { return a * 31u + b; }

/// Folds one more read word into the state of an opaque Compute; start with opaque_start.
constexpr std::uint32_t opaque_start = 2166136261u;
constexpr std::uint32_t opaque_fold(std::uint32_t state, std::uint32_t word) {
  state ^= word + 0x9e3779b9u + (state << 6) + (state >> 2);
  return state * 16777619u;
}

/// Word `j` (counted over all written ranges in order) of an opaque Compute with this tag, after
/// all read words were folded in order.
constexpr std::uint32_t opaque_word(std::uint32_t state, std::uint32_t tag, std::uint32_t j) {
  return opaque_fold(opaque_fold(state, tag), j);
}

}  // namespace skcts
