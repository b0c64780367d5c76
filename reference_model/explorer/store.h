// A set of fixed-size word strings, numbered in order of arrival.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "reference_model/explorer/machine.h"
#include "spec/check.h"

namespace skcts::explorer {

/// Memory in large pages where the system has them: the states are visited in no order.
class Pages {
 public:
  static constexpr std::size_t page_bytes = std::size_t{2} << 20;

  /// large: worth whole large pages, which the system clears at the first touch.
  Pages(std::size_t bytes, bool large) : bytes_(bytes) {
    const std::size_t unit = large ? page_bytes : 64;
    const std::size_t whole = (bytes + unit - 1) / unit * unit;
    memory_ = std::aligned_alloc(unit, whole);
    SKCTS_CHECK(memory_ != nullptr, "no memory for {} bytes of states", whole);
    if (large) advise(memory_, whole);
  }
  Pages(Pages&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Pages() { std::free(memory_); }

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  static void advise(void* memory, std::size_t bytes);

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Short strings: a call would cost more than the words.
inline bool equal(const Word* a, const Word* b, std::size_t words) {
  std::size_t j = 0;
  for (; j + 2 <= words; j += 2) {
    std::uint64_t x, y;
    std::memcpy(&x, a + j, 8);
    std::memcpy(&y, b + j, 8);
    if (x != y) return false;
  }
  return j == words || a[j] == b[j];
}

class Store {
 public:
  explicit Store(std::size_t words) : words_(words), table_(0, false) {
    const std::size_t state = words * sizeof(Word);
    while ((state << (chunk_bits_ + 1)) <= 2 * Pages::page_bytes) ++chunk_bits_;
    resize(1024);
  }

  std::size_t size() const { return size_; }
  std::uint64_t bytes() const {
    return chunks_.size() * (words_ << chunk_bits_) * sizeof(Word) + table_.bytes();
  }
  const Word* operator[](std::size_t at) const { return place(at); }

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

  /// Fetches what a later insert() of that hash looks at first, and then second.
  void prefetch_slot(std::uint32_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
  void prefetch_state(std::uint32_t hash) const {
    std::size_t at = hash & mask_;
    while (slots_[at] != 0) {
      if (static_cast<std::uint32_t>(slots_[at] >> 32) == hash) {
        const Word* const state = place(static_cast<std::uint32_t>(slots_[at]) - 1);
        for (std::size_t w = 0; w < words_; w += 16) __builtin_prefetch(state + w);
        return;
      }
      at = (at + 1) & mask_;
    }
  }

  std::pair<std::uint32_t, bool> insert(const Word* s) { return insert(s, hash(s)); }

  /// The number of `s`, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const Word* s, std::uint32_t tag) {
    std::size_t at = tag & mask_;
    while (slots_[at] != 0) {
      if (static_cast<std::uint32_t>(slots_[at] >> 32) == tag) {
        const auto found = static_cast<std::uint32_t>(slots_[at]) - 1;
        if (equal(place(found), s, words_)) return {found, false};
      }
      at = (at + 1) & mask_;
    }
    const auto fresh = static_cast<std::uint32_t>(size_);
    if ((size_ >> chunk_bits_) == chunks_.size()) {
      // A small case touches a part of the first chunk only.
      chunks_.emplace_back((words_ << chunk_bits_) * sizeof(Word), !chunks_.empty());
    }
    ++size_;
    std::memcpy(place(fresh), s, words_ * sizeof(Word));
    slots_[at] = std::uint64_t{tag} << 32 | (fresh + 1);
    if (size_ * 2 > mask_) grow();
    return {fresh, true};
  }

 private:
  Word* place(std::size_t at) const {
    return chunks_[at >> chunk_bits_].as<Word>() +
           (at & ((std::size_t{1} << chunk_bits_) - 1)) * words_;
  }
  void resize(std::size_t slots);
  void grow();

  std::size_t words_;
  std::size_t chunk_bits_ = 0;
  std::size_t size_ = 0;
  std::vector<Pages> chunks_;
  Pages table_;
  std::uint64_t* slots_ = nullptr;  ///< Tag (upper half), number + 1; 0: free.
  std::size_t mask_ = 0;
};

/// The states of one launch. Memory and each core are kept apart: few of each are different, so
/// that a state is one small number for each of them, and a step looks up only the parts it
/// changed.
class States {
 public:
  explicit States(const std::vector<std::uint32_t>& bounds) : bounds_(bounds), whole_(parts()) {
    for (std::size_t k = 0; k < parts(); ++k) parts_.emplace_back(bounds_[k + 1] - bounds_[k]);
  }

  std::size_t parts() const { return bounds_.size() - 1; }
  std::size_t size() const { return whole_.size(); }
  std::uint64_t bytes() const {
    std::uint64_t sum = whole_.bytes();
    for (const Store& part : parts_) sum += part.bytes();
    return sum;
  }

  const Word* numbers(std::size_t at) const { return whole_[at]; }
  void unpack(const Word* numbers, Word* s) const {
    for (std::size_t k = 0; k < parts(); ++k) {
      std::memcpy(s + bounds_[k], parts_[k][numbers[k]],
                  (bounds_[k + 1] - bounds_[k]) * sizeof(Word));
    }
  }
  /// The numbers of `s`, which came from `parent`. `only`: the one core that can differ, or -1.
  void pack(const Word* s, const Word* parent, const Word* parent_numbers, int only,
            Word* numbers) {
    for (std::size_t k = 0; k < parts(); ++k) {
      const bool other_core =
          only >= 0 && k != 0 && k + 1 != parts() && k != static_cast<std::size_t>(only) + 1;
      const bool same =
          other_core || equal(s + bounds_[k], parent + bounds_[k], bounds_[k + 1] - bounds_[k]);
      numbers[k] = same ? parent_numbers[k] : parts_[k].insert(s + bounds_[k]).first;
    }
  }
  void pack(const Word* s, Word* numbers) {
    for (std::size_t k = 0; k < parts(); ++k) numbers[k] = parts_[k].insert(s + bounds_[k]).first;
  }
  Store& whole() { return whole_; }
  Word insert_part(std::size_t part, const Word* s) {
    return parts_[part].insert(s + bounds_[part]).first;
  }
  bool same_part(std::size_t part, const Word* a, const Word* b) const {
    return equal(a + bounds_[part], b + bounds_[part], bounds_[part + 1] - bounds_[part]);
  }

  /// A whole state is hashed by the sum over its numbers, so that a step changes a few terms.
  static std::uint64_t term(std::size_t part, Word number) {
    std::uint64_t x = ((part + 1) << 32 | number) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 32) * 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 29;
  }
  std::uint64_t sum(const Word* numbers) const {
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < parts(); ++k) all += term(k, numbers[k]);
    return all;
  }
  static std::uint32_t tag(std::uint64_t sum) {
    return static_cast<std::uint32_t>(sum ^ sum >> 32);
  }

 private:
  std::vector<std::uint32_t> bounds_;
  std::vector<Store> parts_;
  Store whole_;
};

}  // namespace skcts::explorer
