// What of a launch has to be searched because something races: the accesses that poison reaches, as
// events with a partial order, cut into components that have nothing to do with each other.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "reference_model/hazards.h"
#include "spec/allowed.h"

namespace skcts::model {

/// What a platform may do in the search; each may be narrowed by a pin.
struct SearchFreedom {
  bool prefetch = false;       ///< L-36: lines are fetched at any time.
  bool overlap = true;         ///< L-1: instructions of one pipe overlap.
  bool own_kind = true;        ///< L-2: barriers wait for their own kind of access only.
  bool write_back_any = true;  ///< L-23: a dirty line reaches GM at any moment.
  bool drop_any = true;        ///< L-24: a clean line is dropped at any moment.
  bool land_late = true;       ///< L-25: a refresh lands up to the next DataSyncBarrier.
  bool torn = true;            ///< L-30: a DMA is seen word by word, else in blocks of 32 bytes.
  bool extra_read_refresh = true;   ///< L-19: GetValue may refresh although nothing asks for it.
  bool extra_write_refresh = true;  ///< L-34: so may SetValue.
  std::size_t states = 20'000;      ///< Most that a launch is searched for; 0: wide sets at once.
  bool operator==(const SearchFreedom&) const = default;
};

/// An input: a value, what an earlier event read, or anything.
struct Source {
  std::int32_t variable = -1;
  std::uint32_t value = 0;
  bool undefined = false;
};

/// How a written word comes from its inputs.
struct Formula {
  Function function = Function::fill;
  std::vector<Source> inputs;
  Source operand;
  std::uint32_t index = 0;  ///< opaque: which of the written words.
};

enum class EventKind : std::uint8_t {
  read,     ///< Of memory, into variables.
  write,    ///< Of memory, at one moment.
  poll,     ///< A read that waits for its value.
  load,     ///< Through a cache.
  store,    ///< Through a cache.
  refresh,  ///< Of one line of one cache.
  land,     ///< The write-back of a refresh reaches GM.
  flush,    ///< The end of the launch: what is still dirty reaches GM.
};

/// One word of an event.
struct WordAccess {
  std::int32_t word = -1;      ///< Of the component (RacyPart::words); load, store: of the line.
  std::int32_t variable = -1;  ///< read, load: where to (-1: nobody wants it).
  Formula formula;             ///< write, store.
};

struct RacyEvent {
  EventKind kind = EventKind::read;
  std::int32_t step = 0;   ///< Flat number of its step; of a land or flush: what it follows.
  std::int32_t start = 0;  ///< It begins after what is before this step,
  std::vector<std::int32_t> ends;  ///< and is over when any of these steps is
  std::int32_t landing = -1;       ///< or this boundary arrival of the thread is released.
  std::int32_t thread = 0;
  std::int32_t cache = -1;  ///< load ... flush: which of the part's caches.
  std::int32_t piece = -1;  ///< land, flush: whose.
  bool atomic_add = false;
  bool by_object = false;          ///< load, store: through a GlobalTensor (L-19, L-34).
  bool reads_first = false;        ///< write: all reads of its step come first.
  Compare until = Compare::equal;  ///< poll; the value is accesses[0].formula.operand
  std::vector<WordAccess> accesses;
};

/// One line as one core may hold it.
struct RacyCache {
  std::int32_t thread = 0;
  std::int64_t line = 0;            ///< GM line.
  std::vector<std::int32_t> words;  ///< Its words that are searched.
};

/// Events that hang together, with everything that a search needs.
struct RacyPart {
  std::vector<std::int32_t> words;                 ///< Addresses, sorted.
  std::int32_t gm_count = 0;                       ///< The first so many are GM.
  std::vector<std::uint8_t> undefined;             ///< By word: 1 if it may start as anything.
  std::vector<std::vector<std::uint32_t>> starts;  ///< What the words may hold at first.
  std::vector<RacyEvent> events;
  std::int32_t variables = 0;
  std::vector<RacyCache> caches;
  /// after[e]: bit f says that f is over before e begins. conflicts[e]: bit f says that nothing
  /// orders e and f and that their order may show.
  std::vector<std::vector<std::uint64_t>> after, conflicts;
  bool unknown = false;  ///< Something in it is not followed, or it is too large; not searched.
  bool too_large = false;
  bool racy = false;  ///< A hazard or an open start is in it; else only undefined words are.
};

/// Looks for everything that races in one launch. Buffers live as long as a call.
class RacyEvents {
 public:
  /// More events, words or variables than this are not searched.
  static constexpr std::size_t most_events = 448;
  static constexpr std::size_t most_starts = 1024;

  RacyEvents(const LaunchProgram& program, const StallResult& stall, const Order& order,
             const HazardAnalysis& analysis, const HazardResult& hazards,
             const SearchFreedom& freedom)
      : program_(program),
        stall_(stall),
        order_(order),
        footprint_(analysis.footprint()),
        pieces_(analysis.pieces()),
        hazards_(hazards),
        freedom_(freedom) {}

  /// What GM may hold at the start: `value`, but for words of `joint` (one word or more each),
  /// which hold one of their tuples, and words marked in `open`: 1 anything, 2 nothing exact is
  /// known of them.
  void build(const std::vector<std::uint32_t>& value, const std::vector<std::uint8_t>& open,
             const std::vector<JointWords>& joint);

  /// Parts by flow of values and shared lines.
  const std::vector<RacyPart>& parts() const { return parts_; }
  /// Sets of parts that order alone ties to each other: two or more parts each.
  const std::vector<std::vector<std::int32_t>>& tied() const { return tied_; }
  /// One part made of several.
  RacyPart merge(const std::vector<std::int32_t>& which) const;
  /// False when it was too much work to look for all ties.
  bool all_ties_known() const { return ties_known_; }
  /// Joint start words that nothing of the launch touches: places in the `joint` of build().
  const std::vector<std::int32_t>& untouched() const { return untouched_; }

 private:
  // Taints of a word: bits.
  static constexpr std::uint8_t racy = 1;
  static constexpr std::uint8_t undefined = 2;   ///< It may be anything.
  static constexpr std::uint8_t unfollowed = 4;  ///< It is something that no search tells.
  struct Part {
    std::vector<std::int32_t> words;   ///< Addresses, sorted.
    std::vector<std::int32_t> events;  ///< Into events_.
    std::vector<std::int32_t> groups;  ///< Of joint start words.
  };

  // racy_walk.cpp
  void walk(bool make);
  void walk_step(std::int32_t thread, std::int32_t flat, const Step& step, bool make);
  void scalar_read(std::int32_t thread, std::int32_t flat, const Step& step, bool make);
  void scalar_write(std::int32_t thread, std::int32_t flat, const Step& step, bool make);
  void poll(std::int32_t thread, std::int32_t flat, const Step& step, bool make);
  void data(std::int32_t thread, std::int32_t flat, const Step& step, bool make);
  bool is_plain(std::int32_t flat, const Step& step, std::uint8_t operand_taint) const;
  void plain(const Step& step, std::uint32_t operand);
  void read_data(std::int32_t thread, std::int32_t flat, const Step& step, bool make);
  void write_data(std::int32_t thread, std::int32_t flat, const Step& step, bool make);
  static constexpr std::size_t most_opaque_inputs = std::size_t{1} << 16;
  bool is_wide(const Step& step) const;
  std::int32_t block_of(const Step& step, std::int32_t address) const;
  Formula formula(const Step& step, const Source& operand, std::size_t index) const;
  std::uint8_t poison_of(std::int32_t flat, std::int32_t address, bool write) const;
  std::uint8_t read_taint(std::int32_t flat, std::int32_t address);
  void write_taint(std::int32_t flat, std::int32_t address, std::uint8_t taint, bool atomic);
  std::int32_t new_variable(std::int32_t address);
  Source register_source(std::int32_t thread, const Step& step) const;
  bool is_searched_line(std::int32_t address) const;
  std::int32_t cache_of(std::int32_t thread, std::int32_t address);
  RacyEvent& add_event(EventKind kind, std::int32_t thread, std::int32_t flat);
  void refreshes_and_landings();
  void refresh_events(std::int32_t thread, const std::vector<std::int32_t>& caches);
  void piece_events(const Piece& piece, std::int32_t cache);
  void add_pinned_ends();

  // racy_events.cpp
  void slice();
  bool drop_unused_variables();
  bool drop_dead_writes();
  bool is_dead(const RacyEvent& write, std::int32_t address,
               const std::vector<std::int32_t>& around) const;
  void cut(const std::vector<JointWords>& joint);
  RacyPart make_part(const Part& from) const;
  void localise(RacyPart& part) const;
  void give_starts(RacyPart& part, const std::vector<std::int32_t>& groups) const;
  void relate(RacyPart& part) const;
  void close_and_conflict(RacyPart& part) const;
  void find_ties();
  bool precedes(const RacyEvent& a, const RacyEvent& b) const;
  bool over_before(const RacyEvent& a, std::int32_t start) const;
  bool starts_after_poll(const RacyEvent& a, const RacyEvent& b) const;

  const Step& step_at(std::int32_t flat) const {
    const auto thread = static_cast<std::size_t>(order_.thread_of(flat));
    return program_.threads[thread]
        .steps[static_cast<std::size_t>(flat - stall_.first_step[thread])];
  }
  std::int32_t count(std::int32_t range) const {
    return program_.ranges[static_cast<std::size_t>(range)].count;
  }
  std::int32_t address(std::int32_t range) const { return footprint_.address(range); }

  const LaunchProgram& program_;
  const StallResult& stall_;
  const Order& order_;
  const Footprint& footprint_;
  const CachePieces& pieces_;
  const HazardResult& hazards_;
  const SearchFreedom freedom_;

  std::vector<std::uint32_t> start_;  ///< By address.
  std::vector<std::uint8_t> start_taint_;
  std::vector<std::uint32_t> memory_;  ///< By address, as one order of the steps leaves it,
  std::vector<std::uint8_t> taint_;    ///< and what of it is tainted.
  std::vector<std::uint8_t> hot_;      ///< By address: taints of all accesses to it.
  struct Register {
    std::uint8_t taint = 0;
    Source source;
  };
  std::vector<Register> registers_;
  std::vector<std::int32_t> first_poison_;
  std::vector<std::int32_t> next_bypass_;  ///< By thread.
  // The words that the present step reads.
  std::vector<Source> inputs_;
  std::vector<std::uint8_t> input_taints_;
  std::uint32_t wide_state_ = 0;  ///< Of an opaque step with many inputs.
  std::vector<std::int32_t> variable_address_;
  std::vector<RacyEvent> events_;  ///< Words are addresses here.
  std::vector<RacyCache> caches_;  ///< Here too.
  std::unordered_map<std::uint64_t, std::int32_t> cache_place_;
  std::vector<Part> cuts_;
  std::vector<RacyPart> parts_;
  const std::vector<JointWords>* joint_ = nullptr;
  std::vector<std::vector<std::int32_t>> tied_;
  std::vector<std::int32_t> untouched_;
  bool ties_known_ = true;
};

}  // namespace skcts::model
