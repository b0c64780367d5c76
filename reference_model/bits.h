// Sets of small numbers: as bits, and as sets that grow together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace skcts::model {

inline bool is_bit(const std::vector<std::uint64_t>& bits, std::size_t bit) {
  return (bits[bit / 64] >> (bit % 64) & 1u) != 0;
}
inline void set_bit(std::vector<std::uint64_t>& bits, std::size_t bit) {
  bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
}
/// Calls f with each number in the set, upwards.
template <class F>
void for_bits(const std::vector<std::uint64_t>& bits, F&& f) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
      f(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
    }
  }
}

/// Sets that grow together.
class Union {
 public:
  explicit Union(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void link(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace skcts::model
