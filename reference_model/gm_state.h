// GM between launches, as words and sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/allowed.h"

namespace skcts::model {

/// A word: one value, one of a set, or anything.
struct Val {
  static constexpr std::int32_t exact = -1;
  static constexpr std::int32_t unjudged = -2;
  std::uint32_t value = 0;
  std::int32_t set = exact;  ///< Or a place in GmState::sets.
  bool operator==(const Val&) const = default;
};

/// GM between launches.
struct GmState {
  std::vector<std::uint32_t> value;
  std::vector<std::int32_t> set;                 ///< As Val::set; empty while every word is exact.
  std::vector<std::vector<std::uint32_t>> sets;  ///< Sorted, two values or more.
  /// Words of which the exact set of values is known, one or more together. A group one of whose
  /// words is not in a set any more (Val::set) counts for nothing.
  std::vector<JointWords> joint;

  void reset(std::span<const std::uint32_t> initial);
  bool all_exact() const { return set.empty(); }
  Val word(std::int64_t index) const;
  void host_write(std::int64_t index, std::uint32_t word);
  /// 1 where the word is exact; empty when all are.
  std::vector<std::uint8_t> known() const;
  /// Does each word of the group still hold one of several values?
  bool counts(const JointWords& group) const;
  /// Becomes what either of the two may be. False if that had to be said word by word, so that
  /// words that are tied in both no longer are.
  bool unite(const GmState& other);
  /// The groups of two words or more.
  std::vector<JointWords> report_joint() const;
  /// As Allowed has it; `used` gets the sets that words refer to.
  void report(std::vector<WordAllowed>& words, std::vector<std::vector<std::uint32_t>>& used) const;
};

}  // namespace skcts::model
