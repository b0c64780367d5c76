// A set of fixed-size word strings, numbered in order of arrival.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "reference_model/explorer/budget.h"
#include "reference_model/explorer/machine.h"

namespace skcts::explorer {

/// Memory of a budget, in large pages where that is worth it: states are visited in no order.
class Pages {
 public:
  explicit Pages(Budget& budget) : claim_(budget) {}
  Pages(Pages&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), claim_(std::move(other.claim_)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(claim_, other.claim_);
    return *this;
  }
  ~Pages() { std::free(memory_); }

  /// False: there is no room. Once only. needed: goes on without room; the budget knows.
  bool allocate(std::size_t bytes, bool needed = false);

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  Claim claim_;
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
inline bool equal(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  for (std::size_t j = 0; j < words; ++j) {
    if (a[j] != b[j]) return false;
  }
  return true;
}

/// Strings of 32-bit words (memory, cores) or of 64-bit ones (keys).
template <class Unit>
class Store {
 public:
  /// `slots`: of the table at first, a power of two; more where many strings will come.
  Store(std::size_t words, Budget& budget, std::size_t slots = std::size_t{2} << first_bits)
      : words_(words), table_(budget), budget_(&budget) {
    static_cast<void>(resize(slots, true));
  }

  std::size_t size() const { return size_; }
  std::size_t words() const { return words_; }
  const Unit* operator[](std::size_t at) const { return place(at); }

  std::uint32_t hash(const Unit* s) const {
    std::uint64_t a = 0x9e3779b97f4a7c15u;
    constexpr std::size_t step = sizeof(std::uint64_t) / sizeof(Unit);
    std::size_t j = 0;
    for (; j + step <= words_; j += step) {
      std::uint64_t x;
      std::memcpy(&x, s + j, 8);
      a = (a ^ x) * 0xff51afd7ed558ccdu;
      a ^= a >> 32;
    }
    if (j < words_) {
      a = (a ^ s[j]) * 0xff51afd7ed558ccdu;
      a ^= a >> 32;
    }
    a *= 0x9fb21c651e98df25u;
    return static_cast<std::uint32_t>(a ^ a >> 32);
  }

  /// Where to look for a hash first. A place holds until the table grows: mask() tells.
  std::size_t first_place(std::uint32_t tag) const { return tag & mask_; }
  std::size_t mask() const { return mask_; }
  /// Fetches what a later insert() from that place looks at first.
  void prefetch_slot(std::size_t at) const { __builtin_prefetch(&slots_[at]); }
  /// Goes on from there to the first place that can be the right one, and fetches its string.
  std::size_t prefetch_state(std::size_t at, std::uint32_t tag) const {
    while (slots_[at] != 0) {
      if (static_cast<std::uint32_t>(slots_[at] >> 32) == tag) {
        const Unit* const state = place(static_cast<std::uint32_t>(slots_[at]) - 1);
        for (std::size_t w = 0; w < words_; w += 64 / sizeof(Unit)) __builtin_prefetch(state + w);
        return at;
      }
      at = (at + 1) & mask_;
    }
    return at;
  }

  std::pair<std::uint32_t, bool> insert(const Unit* s) {
    const std::uint32_t tag = hash(s);
    return insert(s, tag, first_place(tag));
  }

  /// The number of `s`, and whether it is new. Where the budget has no room, that of another one.
  std::pair<std::uint32_t, bool> insert(const Unit* s, std::uint32_t tag, std::size_t at) {
    while (slots_[at] != 0) {
      if (static_cast<std::uint32_t>(slots_[at] >> 32) == tag) {
        const auto found = static_cast<std::uint32_t>(slots_[at]) - 1;
        if (equal(place(found), s, words_)) return {found, false};
      }
      at = (at + 1) & mask_;
    }
    const auto fresh = static_cast<std::uint32_t>(size_);
    if (size_ == room_ && !make_room()) return {0, false};
    ++size_;
    Unit* const to = place(fresh);
    for (std::size_t w = 0; w < words_; ++w) to[w] = s[w];  // A call would cost more.
    slots_[at] = std::uint64_t{tag} << 32 | (fresh + 1);
    if (size_ * 2 > mask_ + 1) grow();
    return {fresh, true};
  }

 private:
  static constexpr std::size_t first_bits = 6;  ///< The first chunk, and the first table, hold 64.
  static constexpr std::size_t most_chunks = 25;  ///< Numbers have 31 bits.

  /// Chunk k holds 64 * 2^k strings.
  Unit* place(std::size_t at) const {
    const std::size_t from_first = at + (std::size_t{1} << first_bits);
    const auto top = static_cast<std::size_t>(std::bit_width(from_first)) - 1;
    return memory_[top - first_bits] + (from_first - (std::size_t{1} << top)) * words_;
  }
  bool make_room();
  bool resize(std::size_t slots, bool needed = false);
  void grow();

  std::size_t words_;
  std::size_t size_ = 0, room_ = 0;
  bool closed_ = false;  ///< The table cannot grow.
  std::array<Unit*, most_chunks> memory_{};
  std::vector<Pages> chunks_;
  Pages table_;
  std::uint64_t* slots_ = nullptr;  ///< Tag (upper half), number + 1; 0: free.
  std::size_t mask_ = 0;
  Budget* budget_;
};

using KeyWord = std::uint64_t;

/// The states of one launch. Memory and each core are kept apart: few of each are different, so
/// that a state is one small number for each of them, and a step looks up only the parts it
/// changed. The numbers of a state are its key: each has as many bits as its part needs so far.
class States {
 public:
  States(const std::vector<std::uint32_t>& bounds, Budget& budget);

  std::size_t parts() const { return parts_.size(); }
  std::size_t size() const { return whole_.size(); }
  std::size_t key_words() const { return whole_.words(); }

  const KeyWord* key(std::size_t at) const { return whole_[at]; }
  void numbers(const KeyWord* key, Word* numbers) const {
    for (std::size_t k = 0; k < places_.size(); ++k) numbers[k] = places_[k].get(key);
  }
  /// Puts another number into a key.
  void change(KeyWord* key, std::size_t part, Word before, Word after) const {
    const Place& place = places_[part];
    key[place.word] ^= KeyWord{before ^ after} << place.shift;
  }
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
      numbers[k] = same ? parent_numbers[k] : insert_part(k, s);
    }
  }
  void pack(const Word* s, Word* numbers) {
    for (std::size_t k = 0; k < parts(); ++k) numbers[k] = insert_part(k, s);
  }
  Word insert_part(std::size_t part, const Word* s) {
    const Word number = parts_[part].insert(s + bounds_[part]).first;
    if (number >> places_[part].bits != 0) narrow_ = true;
    return number;
  }
  bool same_part(std::size_t part, const Word* a, const Word* b) const {
    return equal(a + bounds_[part], b + bounds_[part], bounds_[part + 1] - bounds_[part]);
  }

  /// A number no longer fits its place. No key may be made before widen(), after which all earlier
  /// keys are void and have to be taken from key() again.
  bool narrow() const { return narrow_; }
  void widen();
  void make_key(const Word* numbers, KeyWord* key) const;

  /// Of keys.
  Store<KeyWord>& whole() { return whole_; }

 private:
  struct Place {
    Word mask = 0;
    std::uint16_t word = 0;
    std::uint8_t shift = 0, bits = 0;
    Word get(const KeyWord* key) const { return static_cast<Word>(key[word] >> shift) & mask; }
  };

  std::size_t lay_out();

  std::vector<std::uint32_t> bounds_;
  Budget* budget_;
  std::vector<Store<Word>> parts_;
  std::vector<Place> places_;  ///< By part, in a key.
  Store<KeyWord> whole_;
  bool narrow_ = false;
};

}  // namespace skcts::explorer
