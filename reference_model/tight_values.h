// The exact values of words that race, and which of them go together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference_model/gm_state.h"
#include "reference_model/inexact.h"
#include "reference_model/racy_events.h"

namespace skcts::model {

/// A part that was searched to its end.
struct SearchedPart {
  RacyPart part;
  std::vector<std::vector<std::uint32_t>> tuples;  ///< Of its GM words; sorted.
  std::vector<std::uint8_t> anything;              ///< By GM word: it is not judged.
  /// It alone: what order ties it to was too much to search with it, so that there may be fewer.
  bool cut_off = false;
};

/// One launch at a time.
class TightValues {
 public:
  /// More words than this in all tuples of a part are not kept.
  static constexpr std::size_t most_tuple_words = 1 << 18;

  void clear();
  /// `gm`: as the launch finds it.
  void search(const LaunchProgram& program, const StallResult& stall, const Order& order,
              const HazardAnalysis& analysis, const HazardResult& hazards,
              const SearchFreedom& freedom, const GmState& gm);
  /// Puts what was found over wider sets: words, sets and groups of `gm` after the launch.
  void lay_over(GmState& gm) const;

  /// Everything that races was searched to its end.
  bool exact() const { return open_.none(); }
  /// Why not.
  InexactReasons open() const { return open_; }
  std::size_t states() const { return states_; }
  const std::vector<SearchedPart>& parts() const { return parts_; }
  const SearchFreedom& freedom() const { return freedom_; }
  /// Groups of words that the launch found tied and left as they were.
  const std::vector<JointWords>& untouched() const { return untouched_; }

 private:
  bool search_part(RacyPart part, bool cut_off, std::size_t limit);

  SearchFreedom freedom_;
  std::vector<SearchedPart> parts_;
  std::vector<JointWords> untouched_;
  std::size_t states_ = 0;
  InexactReasons open_;
};

}  // namespace skcts::model
