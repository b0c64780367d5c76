// The one door to RapidCheck: a stream of choices on rc::Random, and lazy shrink trees.
//
// gen::exec, *gen, rc::check, RC_ASSERT and RC_PRE keep implicit state and are not used anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rapidcheck/Random.h>
#include <rapidcheck/Seq.h>
#include <rapidcheck/Shrinkable.h>
#include <rapidcheck/seq/Operations.h>
#include <rapidcheck/shrink/Shrink.h>
#include <rapidcheck/shrinkable/Create.h>
#include <rapidcheck/shrinkable/Operations.h>

#include "spec/check.h"

namespace skcts::generators {

/// Mixes a word into a hash (the finaliser of splitmix64).
constexpr std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t z = (hash ^ word) + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// The hash that mix `index` of a seed starts from. The seed is mixed before the index comes in:
/// else both would meet in one XOR, and neighbouring seeds would have the same mixes in another
/// order.
constexpr std::uint64_t case_hash(std::uint64_t seed, std::uint64_t index) {
  return mix_hash(mix_hash(0, seed), index);
}

/// A stream of choices. Integer arithmetic only, so that every compiler draws the same.
class Choice {
 public:
  explicit Choice(std::uint64_t seed) : random_(seed) {}

  /// 0..count-1, count in 1..65536. One 64-bit number serves four choices.
  int below(int count) {
    SKCTS_CHECK(count >= 1 && count <= 65536, "a choice among {}", count);
    if (left_ == 0) {
      bits_ = random_.next();
      left_ = 4;
    }
    const std::uint64_t part = bits_ & 0xffff;
    bits_ >>= 16;
    --left_;
    return static_cast<int>((part * static_cast<std::uint64_t>(count)) >> 16);
  }

  int range(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }

  template <class T>
  const T& pick(std::span<const T> items) {
    return items[static_cast<std::size_t>(below(static_cast<int>(items.size())))];
  }
  template <class T, std::size_t n>
  const T& pick(const T (&items)[n]) {
    return items[static_cast<std::size_t>(below(static_cast<int>(n)))];
  }

  /// An index with a probability proportional to its weight; the sum lies in 1..65536.
  int weighted(std::span<const int> weights) {
    int sum = 0;
    for (const int w : weights) sum += w;
    int ball = below(sum);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      ball -= weights[i];
      if (ball < 0) return static_cast<int>(i);
    }
    SKCTS_CHECK(false, "weights of a choice changed");
  }

 private:
  rc::Random random_;
  std::uint64_t bits_ = 0;
  int left_ = 0;
};

}  // namespace skcts::generators
