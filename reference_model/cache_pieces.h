// Cached accesses of a launch, cut into pieces at refreshes (semantics §3): what a core may hold
// of a line between two refreshes, and when its stores have reached GM for certain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference_model/footprint.h"
#include "reference_model/stall.h"
#include "reference_model/steps.h"

namespace skcts::model {

/// The accesses of one core to one line between two guaranteed refreshes of it.
struct Piece {
  std::int32_t thread = 0;
  std::int32_t line = -1;  ///< Place among the cached lines.
  std::int32_t first_access =
      -1;                         ///< Step whose start is the earliest fill; -1: nothing is before.
  std::int32_t first_event = -1;  ///< Into events; chained by next.
  std::int32_t last_event = -1;
  std::uint32_t stored = 0;     ///< W(E): bit a word of the line; 0: no episode.
  std::int32_t close = -1;      ///< The refresh that ends it, or -1.
  std::int32_t land_step = -1;  ///< The DataSyncBarrier after the closing refresh, or -1.
  std::int32_t landing = -1;    ///< The boundary arrival of the thread after it, or -1.
};

/// One cached access.
struct CacheEvent {
  enum class Kind : std::uint8_t { load, store, touch };  ///< touch: a poll's, judged elsewhere.
  std::int32_t step = 0;
  std::int32_t piece = 0;
  std::int32_t word = 0;  ///< GM word.
  Kind kind = Kind::load;
  bool first_store = false;  ///< The first store of this word in the piece.
  std::int32_t next = -1;    ///< Next event of the piece.
};

/// An uncached store lasts until the next DataSyncBarrier (-1: none).
struct BypassStore {
  std::int32_t step = 0;
  std::int32_t end = -1;
};

/// Buffers are kept between launches.
class CachePieces {
 public:
  /// `prefetch`: lines may be fetched at any time (L-36), so that a piece begins at the refresh
  /// before it.
  void build(const LaunchProgram& program, const StallResult& stall, std::int64_t gm_words,
             bool prefetch = false);

  bool empty() const { return events_.empty(); }
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// In order of flat step numbers.
  const std::vector<CacheEvent>& events() const { return events_; }
  /// In order of flat step numbers.
  const std::vector<BypassStore>& bypass_stores() const { return bypass_; }
  /// Events of a thread: [first_event(t), first_event(t + 1)).
  std::int32_t first_event(std::int32_t thread) const {
    return first_event_[static_cast<std::size_t>(thread)];
  }
  std::int32_t first_bypass(std::int32_t thread) const {
    return first_bypass_[static_cast<std::size_t>(thread)];
  }

  std::int32_t line_count() const { return line_count_; }
  /// Place of a GM line (word / 16) among the lines with cached accesses, or -1.
  std::int32_t line_place(std::int64_t line) const {
    return line_place_.empty() ? -1 : line_place_[static_cast<std::size_t>(line)];
  }
  std::int64_t line_of(std::int32_t place) const { return lines_[static_cast<std::size_t>(place)]; }
  /// Does somebody store in the line through a cache?
  bool is_stored(std::int32_t place) const { return stored_[static_cast<std::size_t>(place)] != 0; }

 private:
  void thread(const LaunchProgram& program, const StallResult& stall, std::int32_t number);
  void access(std::int32_t flat, std::int64_t word, CacheEvent::Kind kind, std::int32_t fill);
  void close(std::int32_t place, std::int32_t flat);
  void find_refreshed_lines(const LaunchProgram& program);
  void close_line(std::int32_t place, std::int32_t flat);
  std::int32_t place_line(std::int64_t line, std::int64_t gm_words);

  std::vector<Piece> pieces_;
  std::vector<CacheEvent> events_;
  std::vector<BypassStore> bypass_;
  std::vector<std::int32_t> first_event_, first_bypass_;
  std::vector<std::int32_t> line_place_;
  std::vector<std::int64_t> lines_;
  std::vector<std::uint8_t> stored_;
  std::vector<std::int32_t> refreshed_;   ///< By cached line: its last own refresh, or -1.
  std::vector<std::int32_t> open_;        ///< By cached line: the open piece of this thread, or -1.
  std::vector<std::int32_t> open_lines_;  ///< Cached lines with an open piece.
  std::vector<std::int32_t> closed_;      ///< Pieces that wait for a DataSyncBarrier.
  std::size_t first_closed_unlanded_ = 0;
  std::int32_t thread_ = 0;
  std::int32_t refreshed_all_ = -1;  ///< The last refresh of the whole cache.
  bool prefetch_ = false;
  std::int32_t line_count_ = 0;
  std::int64_t gm_words_ = 0;
};

}  // namespace skcts::model
