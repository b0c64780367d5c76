// All memories of a launch in one row of addresses, cut into segments at the borders of its
// accesses: within a segment every word has the same accesses, so a segment is looked at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference_model/steps.h"

namespace skcts::model {

/// GM takes the addresses [0, gm_words) of this row; the local memories of the cores follow, as
/// much of each as is touched. Buffers are kept between launches.
class Footprint {
 public:
  void build(const LaunchProgram& program, std::int64_t gm_words);

  /// Address of the first word of LaunchProgram::ranges[range].
  std::int32_t address(std::int32_t range) const {
    return places_[static_cast<std::size_t>(range)].address;
  }
  /// Segments of a range: [first_segment, last_segment).
  std::int32_t first_segment(std::int32_t range) const {
    return places_[static_cast<std::size_t>(range)].first_segment;
  }
  std::int32_t last_segment(std::int32_t range) const {
    return places_[static_cast<std::size_t>(range)].last_segment;
  }
  /// The segment that holds an address.
  std::int32_t segment_of(std::int32_t address) const;
  std::int32_t segment_count() const { return segment_count_; }
  /// Addresses of a segment: [segment_start(s), segment_start(s + 1)).
  std::int32_t segment_start(std::int32_t segment) const;

  std::int32_t words() const { return words_; }
  std::int32_t gm_words() const { return gm_words_; }
  bool is_local(std::int32_t address) const { return address >= gm_words_; }
  /// The place that a local address stands for.
  struct LocalPlace {
    std::int32_t core = 0;  ///< AICs first, then AIVs.
    Space space = Space::ub;
    std::int64_t word = 0;
  };
  LocalPlace local_place(std::int32_t address) const;

 private:
  static constexpr std::size_t spaces = 8;
  struct Window {
    std::int64_t first = INT64_MAX, last = 0;
    std::int64_t base = 0;  ///< Address of word 0 of that memory (may be negative).
  };
  struct Place {
    std::int32_t address = 0, first_segment = 0, last_segment = 0, window = -1;
  };
  struct Chunk {
    std::uint64_t bits = 0;
    std::int32_t before = 0;  ///< Borders in earlier chunks.
  };
  void mark(std::int64_t address);
  std::int32_t rank(std::int32_t address) const;

  std::vector<Window> windows_;  ///< By core and space.
  std::vector<Place> places_;    ///< By range.
  std::vector<Chunk> chunks_;    ///< 64 addresses each: a bit where a segment starts.
  std::int32_t segment_count_ = 0;
  std::int32_t words_ = 0;
  std::int32_t gm_words_ = 0;
};

}  // namespace skcts::model
