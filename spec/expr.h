// Affine index expressions and the conditions under which an instruction is executed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace skcts {

inline constexpr int max_repeat_depth = 3;  ///< Nesting of `Repeat`; their indices are i, j, k.

/// The indices that one core sees at one point of its program. Which values they have for a kernel
/// type in a launch is machine semantics (machine §1.3, §8) and is decided by each engine itself.
struct Indices {
  int block = 0;          ///< Block: GetBlockIdx() on AIC, GetBlockIdx() / GetSubBlockNum() on AIV.
  int sub = 0;            ///< GetSubBlockIdx().
  int core = 0;           ///< GetBlockIdx().
  int block_count = 1;    ///< What a shift of `block` wraps at: the sub kernel's own block number.
  int core_count = 1;     ///< What a shift of `core` wraps at: the cores of this kind that run it.
  int key = 0;            ///< Tiling key of the sub kernel.
  std::array<int, max_repeat_depth> repeat{};  ///< i, j, k of the enclosing Repeat instructions.
};

/// base + block*B + sub*S + core*C + i*I + j*J + k*K. With a shift, B counts in
/// (B + shift) mod block_count and C in (C + shift) mod core_count.
struct Expr {
  std::int32_t base = 0;
  std::int32_t block = 0;
  std::int32_t sub = 0;
  std::int32_t core = 0;
  std::array<std::int32_t, max_repeat_depth> repeat{};
  std::int32_t shift = 0;

  bool operator==(const Expr&) const = default;

  bool is_constant() const { return *this == Expr{.base = base}; }

  std::int64_t eval(const Indices& at) const {
    const auto wrap = [](std::int64_t index, std::int64_t by, std::int64_t count) {
      if (by == 0 || count <= 0) return index;
      return ((index + by) % count + count) % count;
    };
    std::int64_t value = base;
    value += block * wrap(at.block, shift, at.block_count);
    value += std::int64_t{sub} * at.sub;
    value += core * wrap(at.core, shift, at.core_count);
    for (std::size_t d = 0; d < repeat.size(); ++d) {
      value += std::int64_t{repeat[d]} * at.repeat[d];
    }
    return value;
  }
};

/// The index that a condition looks at.
enum class IndexName : std::uint8_t { block, sub, core, key, i, j, k };

/// low <= index <= high.
struct Condition {
  IndexName index = IndexName::core;
  std::int32_t low = 0;
  std::int32_t high = 0;
  bool operator==(const Condition&) const = default;
  bool holds(const Indices& at) const {
    const int value = value_of(at);
    return low <= value && value <= high;
  }
  int value_of(const Indices& at) const {
    switch (index) {
      case IndexName::block: return at.block;
      case IndexName::sub: return at.sub;
      case IndexName::core: return at.core;
      case IndexName::key: return at.key;
      case IndexName::i: return at.repeat[0];
      case IndexName::j: return at.repeat[1];
      case IndexName::k: return at.repeat[2];
    }
    return 0;
  }
};

/// All conditions must hold; an empty list always holds.
struct Where {
  std::vector<Condition> all;
  bool operator==(const Where&) const = default;
  bool holds(const Indices& at) const {
    for (const Condition& c : all) {
      if (!c.holds(at)) return false;
    }
    return true;
  }
};

}  // namespace skcts
