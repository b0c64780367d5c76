// Hazards of a launch (semantics §3): pairs of accesses that nothing orders as they must be, and
// the reads and writes that have no single value because of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "reference_model/cache_pieces.h"
#include "reference_model/footprint.h"
#include "reference_model/order.h"

namespace skcts::model {

enum class Hazard : std::uint8_t { h1, h2, h3, h4, h5, h6, local };
std::string_view to_string(Hazard hazard);  ///< "H1" ... "H6", "local"

/// Two accesses, the earlier in the linear order first, as flat step numbers.
struct Conflict {
  std::int32_t first = 0;
  std::int32_t second = 0;
  Hazard hazard = Hazard::h1;
  std::int32_t address = 0;       ///< Of the first common word (H3, H5: of the line).
  std::int32_t first_piece = -1;  ///< Of a cached access.
  std::int32_t second_piece = -1;
  auto operator<=>(const Conflict&) const = default;
};

/// Words that a step reads or writes without a single value.
struct Poison {
  std::int32_t step = 0;
  std::int32_t first = 0;  ///< Address
  std::int32_t count = 0;
  bool write = false;
  bool undefined = false;  ///< A local word that this sub kernel never wrote (PIPE-7): anything.
  auto operator<=>(const Poison&) const = default;
};

struct HazardResult {
  std::vector<Conflict> conflicts;  ///< Sorted, unique; at most max_conflicts.
  std::vector<Poison> poison;       ///< Sorted by step.
  /// Local words that may still be undefined when a poisoned access reads them (address ranges).
  std::vector<Poison> undefined_base;
  /// PIPE-7: steps that read local words which their sub kernel did not write.
  std::vector<Poison> undefined_reads;
  bool exact = true;  ///< False when poison was put on more than is known to race.
  static constexpr std::size_t max_conflicts = 1024;

  bool clean() const { return poison.empty(); }
};

/// Buffers are kept between launches.
class HazardAnalysis {
 public:
  /// `prefetch`: L-36 at any-time.
  void run(const LaunchProgram& program, const StallResult& stall, const Order& order,
           std::int64_t gm_words, HazardResult& result, bool prefetch = false);

  const Footprint& footprint() const { return footprint_; }
  const CachePieces& pieces() const { return pieces_; }

 private:
  enum class Class : std::uint8_t { read, cached_load, write, atomic, episode };
  static constexpr std::int32_t none = INT32_MIN;

  /// An access that is more than one step: [start, end], the end being any of two points.
  struct Access {
    std::int32_t step = 0;
    std::int32_t start = -1;  ///< -1: nothing is before it.
    std::int32_t end_step = -1;
    std::int32_t landing = -1;
    std::int32_t thread = 0;
    std::int32_t piece = -1;
    bool cached = false;
  };
  /// A step number, or ~place of an Access.
  using Ref = std::int32_t;
  struct Node {
    Ref ref = 0;
    std::int32_t next = -1;
  };
  struct Cell {
    Ref write = none;        ///< The last plain write, if it is alone.
    std::int32_t more = -1;  ///< Lists of nodes: episodes,
    std::int32_t atomics = -1;
    std::int32_t reads = -1;
    std::int32_t sub_kernel = -1;  ///< The last to write (local memory).
    bool racy = false;
  };
  struct LineCell {
    std::int32_t writes = -1;
    std::int32_t episodes = -1;
    bool racy = false;
  };
  struct Entry {
    std::int32_t segment = 0;  ///< Or cached line.
    Ref ref = 0;
    Class kind = Class::read;
    std::int32_t first = 0, count = 0;  ///< For lines: the words written there.
  };

  void sweep();
  void scalar_event(std::int32_t flat, std::int32_t event);
  void ranges(const Step& step, Ref ref, std::int32_t start);
  void touch(std::int32_t range, Ref ref, std::int32_t start, Class kind, std::int32_t sub_kernel);
  void segment(std::int32_t number, Ref ref, std::int32_t start, Class kind);
  void lines(std::int32_t range, Ref ref, std::int32_t start);
  void line(std::int32_t place, Ref ref, std::int32_t start, bool episode);
  bool ordered(Ref earlier, std::int32_t start);
  bool all_ordered(std::int32_t list, Ref ref, std::int32_t start);
  void push(std::int32_t& list, Ref ref);
  bool exempt(Ref a, Ref b) const;
  Ref make(const Access& access);
  std::int32_t step_of(Ref ref) const;
  std::int32_t piece_of(Ref ref) const;
  void find_undefined(std::int32_t range, const Step& step, std::int32_t flat);

  void judge_groups();
  void judge_segment(const Entry* first, const Entry* last);
  void judge_line(const Entry* first, const Entry* last);
  void poison(std::int32_t step, std::int32_t first, std::int32_t count, bool write);
  void poison_segment(const Entry& entry);
  void poison_piece(std::int32_t piece);
  void poison_stores(std::int32_t piece, std::int32_t first, std::int32_t count);
  void conflict(Ref first, Ref second, Hazard hazard, std::int32_t address);
  bool passed_by_poll(Ref earlier, std::int32_t start, std::int32_t segment) const;

  const LaunchProgram* program_ = nullptr;
  const StallResult* stall_ = nullptr;
  const Order* order_ = nullptr;
  HazardResult* result_ = nullptr;
  Footprint footprint_;
  CachePieces pieces_;
  std::vector<Cell> cells_;
  std::vector<LineCell> line_cells_;
  std::vector<Node> nodes_;
  std::vector<Access> accesses_;
  std::vector<std::int32_t> next_event_, next_bypass_;  ///< By thread.
  std::vector<Entry> entries_, line_entries_;
  std::vector<std::uint8_t> piece_poisoned_, marked_;
  bool gathering_ = false;
  bool found_ = false;
  Ref known_ = none;  ///< The last access that was found to be before the present one.
};

}  // namespace skcts::model
