// Local memories with junk in them, and the data cache of a core.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace skcts::emulator {

/// A local memory. At the start of a launch every word is junk; pages are filled with it when they
/// are first touched, so that a launch costs what it uses.
class LocalMemory {
 public:
  /// `words` is the size; `seed` names the junk.
  void reset(std::int32_t words, std::uint64_t seed);

  /// The words from `from` on; nullptr when [from, from + count) is not inside.
  std::uint32_t* at(std::int32_t from, std::int32_t count) {
    if (from < 0 || count < 0 || count > words_ || from > words_ - count) return nullptr;
    const std::int32_t last = from + count;
    if (last > filled_below_ || from < filled_from_) fill(from, last);
    return data_.data() + from;
  }

 private:
  static constexpr std::int32_t page_words = 32;
  void fill(std::int32_t from, std::int32_t to);

  std::vector<std::uint32_t> data_;
  std::vector<std::uint32_t> page_epoch_;
  std::uint32_t epoch_ = 0;
  std::int32_t words_ = 0;
  std::uint64_t seed_ = 0;
  // Everything in [filled_from_, filled_below_) is filled: the usual case needs no look at pages.
  std::int32_t filled_from_ = 0;
  std::int32_t filled_below_ = 0;
};

inline constexpr std::int32_t line_words = 16;

struct CachedLine {
  std::int32_t line = 0;
  bool dirty = false;
  std::array<std::uint32_t, line_words> words{};
};

/// The lines that one core holds. It never decides to let go of one: refreshes and the
/// environment do.
class DataCache {
 public:
  /// Empty, unless the lines of the last launch stay.
  void reset(std::int32_t gm_lines, bool keep = false);
  int size() const { return static_cast<int>(held_.size()); }
  CachedLine& held(int i) { return held_[static_cast<std::size_t>(i)]; }
  const CachedLine& held(int i) const { return held_[static_cast<std::size_t>(i)]; }
  /// Place of a line in held(), or -1.
  int find(std::int32_t line) const { return place_of_[static_cast<std::size_t>(line)]; }
  CachedLine& add(std::int32_t line);
  void remove(int place);

 private:
  std::vector<CachedLine> held_;
  std::vector<std::int32_t> place_of_;
};

}  // namespace skcts::emulator
