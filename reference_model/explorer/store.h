// A set of fixed-size word strings, numbered in order of arrival.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "reference_model/explorer/machine.h"

namespace skcts::explorer {

class Store {
 public:
  explicit Store(std::size_t words) : words_(words), table_(1024, 0) {
    std::size_t per_chunk = (std::size_t{1} << 20) / (words * sizeof(Word)) + 1;
    while ((std::size_t{1} << (chunk_bits_ + 1)) <= per_chunk) ++chunk_bits_;
  }

  std::size_t size() const { return size_; }
  std::uint64_t bytes() const {
    return chunks_.size() * (words_ << chunk_bits_) * sizeof(Word) + table_.size() * 8;
  }
  const Word* operator[](std::size_t at) const {
    return chunks_[at >> chunk_bits_].get() + (at & ((std::size_t{1} << chunk_bits_) - 1)) * words_;
  }

  /// The number of `s`, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const Word* s) {
    const std::uint32_t tag = hash(s);
    std::size_t at = tag & (table_.size() - 1);
    while (table_[at] != 0) {
      if (static_cast<std::uint32_t>(table_[at] >> 32) == tag) {
        const auto place = static_cast<std::uint32_t>(table_[at]) - 1;
        if (std::memcmp((*this)[place], s, words_ * sizeof(Word)) == 0) return {place, false};
      }
      at = (at + 1) & (table_.size() - 1);
    }
    const auto place = static_cast<std::uint32_t>(size_);
    if ((size_ >> chunk_bits_) == chunks_.size()) {
      chunks_.push_back(std::make_unique_for_overwrite<Word[]>(words_ << chunk_bits_));
    }
    ++size_;
    std::memcpy(const_cast<Word*>((*this)[place]), s, words_ * sizeof(Word));
    table_[at] = std::uint64_t{tag} << 32 | (place + 1);
    if (size_ * 2 > table_.size()) grow();
    return {place, true};
  }

 private:
  std::uint32_t hash(const Word* s) const {
    std::uint64_t a = 0x9e3779b97f4a7c15u, b = 0xc2b2ae3d27d4eb4fu;
    std::size_t j = 0;
    for (; j + 4 <= words_; j += 4) {
      std::uint64_t x, y;
      std::memcpy(&x, s + j, 8);
      std::memcpy(&y, s + j + 2, 8);
      a = (a ^ x) * 0xff51afd7ed558ccdu;
      b = (b ^ y) * 0xc4ceb9fe1a85ec53u;
      a ^= a >> 29;
      b ^= b >> 31;
    }
    for (; j < words_; ++j) {
      a = (a ^ s[j]) * 0x2545f4914f6cdd1du;
      a ^= a >> 32;
    }
    a = (a ^ (b << 1 | b >> 63)) * 0x9fb21c651e98df25u;
    return static_cast<std::uint32_t>(a ^ a >> 32);
  }

  void grow() {
    std::vector<std::uint64_t> wider(table_.size() * 2, 0);
    for (const std::uint64_t entry : table_) {
      if (entry == 0) continue;
      std::size_t at = (entry >> 32) & (wider.size() - 1);
      while (wider[at] != 0) at = (at + 1) & (wider.size() - 1);
      wider[at] = entry;
    }
    table_ = std::move(wider);
  }

  std::size_t words_;
  std::size_t chunk_bits_ = 0;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Word[]>> chunks_;
  std::vector<std::uint64_t> table_;  ///< Tag (upper half), number + 1.
};

}  // namespace skcts::explorer
