// The machine of one launch: packed states and the steps between them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference_model/explorer/program.h"
#include "spec/latitude.h"

namespace skcts::explorer {

using Word = std::uint32_t;
using Mask = std::uint64_t;  ///< Bit set over words that somebody writes, modulo 64.

/// Some bits of one word of a state.
struct Field {
  std::uint16_t word = 0;
  std::uint8_t shift = 0;
  std::uint8_t bits = 0;  ///< 0: not there
  Word mask() const { return (Word{1} << bits) - 1; }
  Word get(const Word* s) const { return (s[word] >> shift) & mask(); }
  void set(Word* s, Word value) const {
    s[word] = (s[word] & ~(mask() << shift)) | (value << shift);
  }
};

/// A readable word: of the state, or a constant.
struct Ref {
  std::uint32_t at = 0;
  bool constant = true;
};

/// GM words that the case writes: the front of every state of every launch.
struct GmWords {
  std::vector<std::int64_t> words;         ///< Sorted.
  std::vector<std::uint32_t> initial;      ///< All of GM before the case.
  std::size_t events = 0;                  ///< Of the case: a bit each, behind the words.
  static constexpr std::size_t first = 1;  ///< State word of words[0]; word 0: latitudes.
  std::size_t state_words() const { return first + words.size() + (events + 31) / 32; }
  Field event(int place) const {
    const auto at = static_cast<std::size_t>(place);
    return {static_cast<std::uint16_t>(first + words.size() + at / 32),
            static_cast<std::uint8_t>(at % 32), 1};
  }
  int find(std::int64_t word) const;  ///< State word, or -1.
};

/// What the machine may do where the sources leave a choice.
struct Freedom {
  bool write_backs = true;     ///< L-23 any moment
  bool drops = true;           ///< L-24 any
  bool prefetches = true;      ///< L-36 any time
  bool lands_at_once = false;  ///< L-25
  bool delays = true;          ///< L-8 any order
  bool lost_at_end = false;    ///< L-37
  bool goes_on = false;        ///< Outside actors have steps to take behind this launch.
  int queue_depth = 0;         ///< L-35; 0: unbounded
  unsigned double_set = 7;     ///< L-4: positions allowed, as bits
  unsigned overflow = 3;       ///< L-9
  unsigned unequal_slots = 3;  ///< L-15
};

/// Kinds of transition.
enum class Move : std::uint8_t {
  scalar,
  head,     ///< A wait or a request at the head of a queue.
  fetch,    ///< A piece reads; it writes later.
  piece,    ///< A piece writes; it reads at the same instant unless it has read before.
  deliver,  ///< A raise that was sent arrives.
  land,
  bypass,
  rewrite,  ///< A soft SyncAll writes 1 to its own slot once more.
  stop,     ///< An idle core sees a later feed record than the next one. at: 0 the last, 1 other
  write_back,
  drop,
  fill,
  over  ///< Where actors go on: the launch has ended. Never taken; others must come before it.
};
constexpr bool is_environment(Move m) {
  return m >= Move::write_back;
}

/// Parts of a state, besides the core's own, that a step looks at or changes; as bits.
enum Reach : unsigned { own_part = 0, memory_part = 1, flag_part = 2, other_cores = 4 };

struct Transition {
  Move move = Move::scalar;
  std::uint8_t core = 0;
  std::uint16_t at = 0;  ///< pipe, piece, line, bypass slot, or join and member (join * 64 + k)
};

enum LineStatus : Word { absent = 0, clean = 1, dirty = 2, landing_later = 3, landing_marked = 4 };

/// What stopped for good. scalar: an event was set twice (L-4); core: a counter was full (L-9).
enum Frozen : Word { runs = 0, scalar_stopped = 1, core_stopped = 2 };

enum class Applied : std::uint8_t { done, error, asks_double_set, asks_overflow, asks_slots };

/// Counters left above zero when a launch completes: (core, id) -> count.
struct Residue {
  CoreId core;
  int id = 0;
  int count = 0;
};

class Machine {
 public:
  Machine(const LaunchProgram& program, const GmWords& gm, const Freedom& freedom,
          std::span<const Residue> before);

  /// Why a launch has no machine: it has more of something than a state has places for. Empty: it
  /// has one. Nothing else may be asked of a machine that is too large.
  const std::string& too_large() const { return too_large_; }
  std::size_t state_words() const { return state_words_; }
  /// Pipes, words of pieces, lines and the like: what a look at everything looks at.
  std::uint64_t looks() const { return looks_; }
  /// Where the parts of a state begin (memory, each core, flags between cores), and its end.
  const std::vector<std::uint32_t>& bounds() const { return bounds_; }
  /// Completes a state whose front (latitudes, GM) is set.
  void start(Word* s);

  bool enabled(const Word* s, Transition t) const;
  /// An enabled step that need not ever be taken: a release that comes early (L-15), or going on
  /// from a border that may drain pipes which are not empty (L-14).
  bool may_never_come(const Word* s, Transition t) const;
  /// Takes an enabled step. `choice` answers a question about L-4 or L-9 that the state has not
  /// settled; -1: ask. A state that asks is unchanged.
  Applied apply(Word* s, Transition t, int choice);
  RuleId error_rule() const { return error_rule_; }

  /// Appends all enabled steps: progress first, then the environment's; gives the number of the
  /// first.
  std::size_t all_moves(const Word* s, std::vector<Transition>& moves) const;
  /// Every core has run its program and nothing of it is under way; outside actors are not asked.
  bool finished(const Word* s) const;
  /// A finished launch is over, whatever outside actors still do.
  bool actors_go_on() const { return freedom_.goes_on; }
  bool only_actors() const { return actors_ == cores_.size(); }
  /// The state of the outside actors, which goes from launch to launch.
  std::size_t actors_first() const { return actors_first_; }
  std::size_t actors_words() const { return actors_words_; }
  /// Events of the case can be raised or waited for: steps reach more than is told of them.
  bool has_outside() const { return actors_ != 0 || events_ != 0; }
  /// Writes dirty lines back that no other core's dirty line overlaps. False: some are left.
  bool flush(Word* s) const;
  bool has_dirty(const Word* s) const;
  bool lost_at_end() const { return freedom_.lost_at_end; }

  std::vector<Waiting> waiting(const Word* s) const;
  std::vector<QueryRecord> queries(const Word* s) const;
  /// The whole log of a completed launch.
  std::vector<QueryRecord> all_queries() const;
  std::vector<Residue> residue() const;
  /// Where cores may stop early, ends differ in what they leave: words that tell it.
  std::size_t residue_words() const { return stops_early_ ? counter_count_ : 0; }
  void append_residue(const Word* s, std::vector<Word>& to) const;
  std::vector<Residue> residue_of(const Word* counts) const;
  /// Write-backs that are left when every core has ended: each is a step.
  void last_moves(const Word* s, std::vector<Transition>& moves) const;
  std::string describe(const Word* s, Transition t) const;
  /// Whether some step changes the state of another core (services; flags have their own part).
  bool cores_meet() const { return cores_meet_; }
  std::size_t core_count() const { return cores_.size(); }
  /// Every step of a core that might be taken now, and perhaps more: progress first; gives the
  /// number of those. It depends on the core's own part of the state only.
  std::size_t steps_of_core(const Word* s, std::size_t c, std::vector<Transition>& moves) const;
  /// What a step reaches, but for raises that it sends: of the core's own part of the state only.
  unsigned reach_of(const Word* s, Transition t) const;
  /// Raises sent so far in all calls of apply(): tells whether a step reaches the flags.
  std::uint64_t sends() const { return sends_; }
  bool irregular() const { return irregular_; }
  unsigned allowed_double_set() const { return freedom_.double_set; }
  unsigned allowed_overflow() const { return freedom_.overflow; }
  unsigned allowed_slots() const { return freedom_.unequal_slots; }

 private:
  friend class Stubborn;
  friend class MachineBuilder;

  struct Words {  ///< A run in refs_ or a stretch of the state.
    std::uint32_t first = 0, count = 0;
  };
  /// One piece, resolved.
  struct Atom {
    Calculation calculation = Calculation::copy;
    bool accumulate = false;
    bool split = false;  ///< Reads at one instant and writes at another.
    std::uint16_t entry = 0;
    Field flight, fetched;
    std::uint32_t kept = 0;               ///< split: first state word of what was read
    std::uint32_t dst = 0, a = 0, b = 0;  ///< Runs in refs_.
    std::uint32_t count = 0, reads = 0;   ///< reads: of gather, opaque
    std::uint32_t first = 0;
    Ref value;
    std::uint32_t latch = 0;  ///< State word.
    bool waits_gather = false;
    std::uint16_t gather = 0;  ///< Atom that must be done first.
    /// Reads: of the sources. (What an atomic add reads is what it writes.)
    Mask gm_reads = 0, gm_writes = 0, local_reads = 0, local_writes = 0;
  };
  struct Queued {
    EntryKind kind = EntryKind::data;
    std::uint8_t pipe = 0;
    bool in_turn = false, doubled = false, landing = false;
    std::uint16_t first = 0, count = 0;  ///< Atoms (of the core).
    std::uint16_t bit = 0;               ///< First of its flight bits; set, raise: its own.
    int event = -1, join = -1, member = 0, server = -1;
    bool to_event = false;      ///< raise: goes to an event of the case
    std::uint32_t capture = 0;  ///< State word that holds a register's value; 0: none
    int id = -1, mode = 0;
    int sub_kernel = -1, place = -1;
    int turn = 0;  ///< raise: its number among the core's raises
  };
  struct Line {
    std::int64_t line = 0;
    Field status;
    std::uint32_t first = 0, count = 0;  ///< Pairs in pairs_: GM word, content word.
    Mask mask = 0;
    bool stored = false;  ///< Some step stores to it.
  };
  struct Op {
    MicroKind kind = MicroKind::pipe_all;
    Compare until = Compare::equal;
    bool doubled = false, both_kinds = false;
    std::int16_t reg = -1, value_reg = -1, line = -1;
    std::uint16_t clear = 0;  ///< Registers to forget afterwards.
    int entry = -1, event = -1, join = -1, member = 0, number = 0, partner = -1;
    int last = 0, behind = 0;  ///< feed: the record that ends it, and the step after that one
    int other = 0, over = 0;   ///< feed: the next record of the other kind, and the step for it
    int to = 0;                ///< The step that comes next, if not the one behind it.
    int slot = -1;  ///< bypass_store: its place; soft_poll: own slot among those read, or -1
    bool rewrites = false;    ///< soft_poll: somebody else writes the own slot
    std::uint32_t least = 0;  ///< soft: state word; 0, or smallest slot at the start + 1 (unequal)
    Word round = 0;           ///< soft: how many it makes of the core on its slot
    Words scratch;            ///< A run in refs_.
    Ref address;              ///< Word read: GM, line content or local.
    int target = -1;          ///< State word written; -1: nobody would see it.
    Word value = 0;
    std::uint32_t first = 0, count = 0;  ///< Run in refs_: soft slots, poll copies (from, to).
    RuleId rule = RuleId::sync_13;
    std::int64_t logged = 0;
    WaitKind wait = WaitKind::cross_core_flag;
    int id = -1, mode = 0, sub_kernel = -1, place = -1;
    Mask gm_reads = 0, gm_writes = 0, local_reads = 0, local_writes = 0;
    Mask own_slot = 0;  ///< soft_poll
  };
  struct Bypass {
    Field pending;
    std::uint32_t value = 0;
    int target = -1;
    Mask mask = 0;
  };
  /// What remains of a program, for the reduction.
  struct Future {
    Mask gm_reads = 0, gm_writes = 0, local_reads = 0, local_writes = 0;
    void add(const Future& o) {
      gm_reads |= o.gm_reads;
      gm_writes |= o.gm_writes;
      local_reads |= o.local_reads;
      local_writes |= o.local_writes;
    }
  };
  /// Which pieces of a pipe touch a word, and which write it: by its bit in a mask, flight bits.
  struct Finder {
    std::uint32_t words = 0;  ///< Flight words of the pipe.
    std::vector<Word> touching, writing;
    void prepare(std::uint32_t flight_words) {
      words = flight_words;
      touching.assign(64 * std::size_t{words}, 0);
      writing.assign(64 * std::size_t{words}, 0);
    }
    void note(std::uint32_t bit, Mask reads, Mask writes) {
      for (Mask left = reads | writes; left != 0; left &= left - 1) {
        const auto word = static_cast<std::size_t>(std::countr_zero(left));
        const std::size_t at = word * words + bit / 32;
        touching[at] |= Word{1} << bit % 32;
        if ((writes >> word & 1U) != 0) writing[at] |= Word{1} << bit % 32;
      }
    }
    /// Those of one flight word that do not commute with such an access.
    Word meeting(std::uint32_t at, Mask reads, Mask writes) const {
      Word found = 0;
      for (Mask left = writes; left != 0; left &= left - 1) {
        found |= touching[static_cast<std::size_t>(std::countr_zero(left)) * words + at];
      }
      for (Mask left = reads & ~writes; left != 0; left &= left - 1) {
        found |= writing[static_cast<std::size_t>(std::countr_zero(left)) * words + at];
      }
      return found;
    }
  };
  struct PipeState {
    bool used = false;
    Finder gm, local;
    Field head;
    std::vector<std::uint16_t> entries;  ///< Places in Core::entries, in order.
    /// A bit for each piece that has started and is not done, and for each set or raise that was
    /// reached and has not fired, in the order of the queue.
    std::uint32_t first_flight = 0, flight_words = 0;
    std::vector<Word> data_bits;        ///< Which of them are pieces.
    std::vector<std::uint16_t> items;   ///< By flight bit: atom, or place in Core::entries.
    std::vector<std::uint16_t> issued;  ///< By pc: entries issued before it.
    std::vector<Future> future;         ///< By head: entries from it on.
  };
  struct Core {
    CoreId id;
    std::string outside;    ///< Name of an outside actor; empty: a core of the launch.
    std::size_t gates = 0;  ///< Before this step the launch has not begun.
    Field pc, frozen, records, ended, busy;
    Field unequal;            ///< The soft SyncAll that it stands in met unequal slots.
    Field raised, delivered;  ///< L-8 program-order: raises sent, and arrived if that is a step.
    int block = 0;
    std::vector<int> raise_entries;  ///< L-8 program-order: entry of each raise, -1 scalar.
    std::vector<std::uint16_t> raise_arrivals;  ///< The same: join * 64 + member.
    struct Omitted {                            ///< L-8 program-order: raises that are left out.
      std::size_t op = 0, to = 0;               ///< From step to step.
      Word first = 0, end = 0;
      Field done;
    };
    std::vector<Omitted> omitted;
    std::vector<Op> ops;
    std::vector<Queued> entries;
    std::vector<Atom> atoms;
    std::vector<Line> lines;
    std::vector<Bypass> bypasses;
    std::vector<Field> events;
    std::array<Field, 16> counters;
    std::array<PipeState, pipe_count> pipes;
    std::uint32_t registers = 0;  ///< First register's state word; 0: none
    std::vector<Future> future;   ///< By pc: steps from it on, scalar accesses only.
    Future all;  ///< Whatever any step of the core, its pipes or its cache touches.
    std::vector<Mask> line_future;  ///< By pc: lines touched from it on (bit = line mod 64).
  };
  struct Join {
    int mode = 0, id = 0;
    std::vector<int> members;      ///< Cores.
    std::vector<Field> arrived;    ///< By member; absent if there is one member.
    std::vector<Field> pending;    ///< By member; absent unless arrivals are steps.
    std::vector<Field> receivers;  ///< Counters.
    std::vector<int> receiver_cores;
    std::vector<int> raises;  ///< By member: raises in its program.
    Field event;              ///< Raised in place of counters.
  };

  Word read(const Word* s, Ref r) const { return r.constant ? constants_[r.at] : s[r.at]; }
  bool pipe_idle(const Word* s, const Core& core, int pipe, std::size_t pc) const;
  bool all_idle(const Word* s, const Core& core, std::size_t pc) const;
  bool all_started(const Word* s, const Core& core, std::size_t pc) const;
  /// Pieces that have started and are not done.
  bool in_flight(const Word* s, const PipeState& pipe) const {
    for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
      if ((s[pipe.first_flight + w] & pipe.data_bits[w]) != 0) return true;
    }
    return false;
  }
  /// The same for the pieces before a flight bit.
  bool in_flight_before(const Word* s, const PipeState& pipe, unsigned bit) const {
    for (unsigned w = 0; w < bit / 32; ++w) {
      if ((s[pipe.first_flight + w] & pipe.data_bits[w]) != 0) return true;
    }
    const Word below = (Word{1} << bit % 32) - 1;
    return below != 0 && (s[pipe.first_flight + bit / 32] & pipe.data_bits[bit / 32] & below) != 0;
  }
  /// By atom.
  template <class Visit>
  void for_each_in_flight(const Word* s, const PipeState& pipe, const Visit& visit) const {
    for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
      Word left = s[pipe.first_flight + w] & pipe.data_bits[w];
      for (; left != 0; left &= left - 1) {
        visit(std::size_t{pipe.items[w * 32 + static_cast<unsigned>(std::countr_zero(left))]});
      }
    }
  }
  /// Sets and raises that were reached and have not fired.
  template <class Visit>
  void for_each_reached(const Word* s, const Core& core, const PipeState& pipe,
                        const Visit& visit) const {
    for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
      Word left = s[pipe.first_flight + w] & ~pipe.data_bits[w];
      for (; left != 0; left &= left - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(left));
        visit(core.entries[pipe.items[w * 32 + bit]]);
      }
    }
  }
  bool reached(const Word* s, const PipeState& pipe, const Queued& entry) const {
    return (s[pipe.first_flight + entry.bit / 32] >> entry.bit % 32 & 1U) != 0;
  }
  /// What a piece that has started will still read and write.
  Future left_of(const Word* s, const Atom& atom) const {
    const bool reads = !atom.split || atom.fetched.get(s) == 0;
    return {reads ? atom.gm_reads : 0, atom.gm_writes, reads ? atom.local_reads : 0,
            atom.local_writes};
  }
  /// An idle core that may see a later record than the next one.
  bool may_stop(const Word* s, const Core& core, int which) const;
  /// Stands where it may stop now or later, instead of its next step.
  bool near_stop(const Word* s, const Core& core) const {
    const std::size_t pc = core.pc.get(s);
    return pc != core.ops.size() && core.ops[pc].last != 0;
  }
  /// The turn that comes next in program order, if it is not left out.
  Word next_turn(const Word* s, const Core& core, Word turn) const;
  void leap(Word* s, const Core& core, int to) const;
  /// A soft SyncAll in its first round that looks at a slot which others write too.
  bool rewriting(const Word* s, const Core& core) const {
    const std::size_t pc = core.pc.get(s);
    if (pc == core.ops.size() || core.frozen.get(s) != runs) return false;
    const Op& op = core.ops[pc];
    return op.rewrites && s[core.registers + static_cast<std::uint32_t>(op.reg)] == 0;
  }
  /// Pieces, and sets and raises that have not fired.
  bool busy(const Word* s, const PipeState& pipe) const {
    for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
      if (s[pipe.first_flight + w] != 0) return true;
    }
    return false;
  }
  /// Events of the case are no flags: L-8 does not speak of them.
  bool has_turn(const Word* s, const Core& core, const Queued& entry) const {
    return core.raised.bits == 0 || entry.to_event ||
           core.raised.get(s) == static_cast<Word>(entry.turn);
  }
  bool fires(const Word* s, const Core& core, const Queued& entry) const;
  int blocks_left(const Word* s) const;
  bool landing(const Word* s, const Core& core, bool marked_only) const;
  bool bypass_pending(const Word* s, const Core& core) const;
  bool meets_unequal(const Word* s, const Op& op) const;
  /// The core stands in a soft SyncAll that may release it early.
  bool released_early(const Word* s, const Core& core) const;
  /// ... that must release it.
  bool slots_reached(const Word* s, const Core& core, const Op& op) const;
  bool scalar_enabled(const Word* s, const Core& core) const;
  bool head_enabled(const Word* s, const Core& core, int pipe) const;
  void advance(Word* s, const Core& core, int pipe) const;
  void fill(Word* s, const Line& line) const;
  void forget(Word* s, const Line& line) const;
  void write_back(Word* s, const Line& line) const;
  void refresh(Word* s, const Line& line) const;
  Applied apply_scalar(Word* s, std::size_t c, int choice);
  bool apply_access(Word* s, const Core& core, const Op& op) const;
  void apply_head(Word* s, std::size_t c, int pipe) const;
  void apply_piece(Word* s, const Core& core, const Atom& atom) const;
  template <class Put>
  void compute(const Word* s, const Atom& atom, const Put& put) const;
  /// Fires sets and raises of a core that were reached and hold for nothing any more.
  void settle(Word* s, const Core& core) const;
  void send(Word* s, const Core& core, int join, int member) const;
  void arrive(Word* s, const Join& join, std::size_t member) const;
  Applied deliver(Word* s, Transition t, int choice);
  Applied double_set(Word* s, const Core& core, int choice);
  Word operand(const Word* s, const Core& core, const Op& op) const {
    return op.value_reg >= 0
               ? s[core.registers + static_cast<std::uint32_t>(op.value_reg)] + op.value
               : op.value;
  }
  bool reached(Word value, Compare until, Word wanted) const {
    return until == Compare::equal ? value == wanted : value >= wanted;
  }

  std::string too_large_;
  Freedom freedom_;
  int launch_ = 0;
  std::uint64_t looks_ = 0;
  bool irregular_ = false;
  std::size_t state_words_ = 0;
  std::vector<std::uint32_t> bounds_;
  std::vector<Core> cores_;  ///< Outside actors last.
  std::size_t actors_ = 0, actors_first_ = 0, actors_words_ = 0, events_ = 0;
  std::vector<Field> event_fields_;
  std::vector<Join> joins_;
  std::vector<Word> constants_;
  std::vector<Ref> refs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::vector<std::pair<Field, Word>> initial_fields_;
  RuleId error_rule_ = RuleId::sync_6;
  mutable std::uint64_t sends_ = 0;
  bool arrivals_ = false;  ///< A counter may pass 15: each arrival of a raise is a step.
  bool lines_overlap_ = false;
  bool cores_meet_ = false;
  bool stops_early_ = false;
  std::size_t counter_count_ = 0;
  bool slots_may_part_ = false;  ///< Slots that are equal at the start may meet a core unequal.
  struct SoftSlots {
    Words slots;  ///< A run in refs_.
    std::uint32_t least = 0;
  };
  std::vector<SoftSlots> soft_slots_;  ///< Of each soft SyncAll.
};

}  // namespace skcts::explorer
