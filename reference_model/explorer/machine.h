// The machine of one launch: packed states and the steps between them.
#pragma once

#include <array>
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
  static constexpr std::size_t first = 1;  ///< State word of words[0]; word 0: latitudes.
  std::size_t state_words() const { return first + words.size(); }
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
  int queue_depth = 0;         ///< L-35; 0: unbounded
  unsigned double_set = 7;     ///< L-4: positions allowed, as bits
  unsigned overflow = 3;       ///< L-9
  unsigned unequal_slots = 3;  ///< L-15
};

/// Kinds of transition.
enum class Move : std::uint8_t {
  scalar,
  head,
  piece,
  deliver,
  land,
  bypass,
  write_back,
  drop,
  fill
};
constexpr bool is_environment(Move m) {
  return m >= Move::write_back;
}

struct Transition {
  Move move = Move::scalar;
  std::uint8_t core = 0;
  std::uint16_t at = 0;  ///< pipe, piece, line, bypass slot, or arrival
};

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

  std::size_t state_words() const { return state_words_; }
  /// Where the parts of a state begin (memory, each core, flags between cores), and its end.
  const std::vector<std::uint32_t>& bounds() const { return bounds_; }
  /// Completes a state whose front (latitudes, GM) is set.
  void start(Word* s);

  bool enabled(const Word* s, Transition t) const;
  /// Takes an enabled step. `choice` answers a question about L-4 or L-9 that the state has not
  /// settled; -1: ask. A state that asks is unchanged.
  Applied apply(Word* s, Transition t, int choice);
  RuleId error_rule() const { return error_rule_; }

  /// Appends all enabled steps: progress first, then the environment's; gives the number of the
  /// first.
  std::size_t all_moves(const Word* s, std::vector<Transition>& moves) const;
  /// Every core has run its program and nothing is under way.
  bool finished(const Word* s) const;
  /// Writes dirty lines back that no other core's dirty line overlaps. False: some are left.
  bool flush(Word* s) const;
  bool has_dirty(const Word* s) const;
  bool lost_at_end() const { return freedom_.lost_at_end; }

  std::vector<Waiting> waiting(const Word* s) const;
  std::vector<QueryRecord> queries(const Word* s) const;
  /// The whole log of a completed launch.
  std::vector<QueryRecord> all_queries() const;
  std::vector<Residue> residue() const;
  /// Write-backs that are left when every core has ended: each is a step.
  void last_moves(const Word* s, std::vector<Transition>& moves) const;
  std::string describe(const Word* s, Transition t) const;
  /// Whether some step changes the state of another core (services; flags have their own part).
  bool cores_meet() const { return cores_meet_; }
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
    std::uint16_t entry = 0;
    Field flight;
    std::uint32_t dst = 0, a = 0, b = 0;  ///< Runs in refs_.
    std::uint32_t count = 0, reads = 0;   ///< reads: of gather, opaque
    std::uint32_t first = 0;
    Ref value;
    std::uint32_t latch = 0;  ///< State word.
    bool waits_gather = false;
    std::uint16_t gather = 0;  ///< Atom that must be done first.
    Mask gm_reads = 0, gm_writes = 0, local_reads = 0, local_writes = 0;
  };
  struct Queued {
    EntryKind kind = EntryKind::data;
    std::uint8_t pipe = 0;
    bool in_turn = false, doubled = false, landing = false, drains = false;
    std::uint16_t first = 0, count = 0;  ///< Atoms (of the core).
    int event = -1, join = -1, member = 0, server = -1;
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
    int entry = -1, event = -1, join = -1, member = 0, number = 0, partner = -1, slot = -1;
    Ref address;      ///< Word read: GM, line content or local.
    int target = -1;  ///< State word written; -1: nobody would see it.
    Word value = 0;
    std::uint32_t first = 0, count = 0;  ///< Run in refs_: soft slots, poll copies (from, to).
    RuleId rule = RuleId::sync_13;
    std::int64_t logged = 0;
    WaitKind wait = WaitKind::cross_core_flag;
    int id = -1, sub_kernel = -1, place = -1;
    Mask gm_reads = 0, gm_writes = 0, local_reads = 0, local_writes = 0;
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
  struct PipeState {
    bool used = false;
    Field head;
    std::vector<std::uint16_t> entries;  ///< Places in Core::entries, in order.
    std::uint32_t first_flight = 0, flight_words = 0;
    std::vector<std::uint16_t> flight_atoms;  ///< Atom by flight bit.
    std::vector<std::uint16_t> issued;        ///< By pc: entries issued before it.
    std::vector<Future> future;               ///< By head: entries from it on.
  };
  struct Core {
    CoreId id;
    Field pc, frozen, records, ended, busy, raised;
    int block = 0;
    std::vector<int> raise_pipes;  ///< L-8 program-order: pipe of each raise, -1 scalar.
    std::vector<Op> ops;
    std::vector<Queued> entries;
    std::vector<Atom> atoms;
    std::vector<Line> lines;
    std::vector<Bypass> bypasses;
    std::vector<Field> events;
    std::array<Field, 16> counters;
    std::array<PipeState, pipe_count> pipes;
    std::uint32_t registers = 0;    ///< First register's state word; 0: none
    std::vector<Future> future;     ///< By pc: steps from it on, scalar accesses only.
    std::vector<Mask> line_future;  ///< By pc: lines touched from it on (bit = line mod 64).
  };
  struct Join {
    int mode = 0, id = 0;
    std::vector<int> members;      ///< Cores.
    std::vector<Field> arrived;    ///< By member; absent if there is one member.
    std::vector<Field> pending;    ///< By member; absent if raises are not delayed.
    std::vector<Field> receivers;  ///< Counters.
    std::vector<int> receiver_cores;
    std::vector<int> raises;  ///< By member: raises in its program.
  };

  Word read(const Word* s, Ref r) const { return r.constant ? constants_[r.at] : s[r.at]; }
  bool pipe_idle(const Word* s, const Core& core, int pipe, std::size_t pc) const;
  bool all_idle(const Word* s, const Core& core, std::size_t pc) const;
  bool all_started(const Word* s, const Core& core, std::size_t pc) const;
  bool in_flight(const Word* s, const PipeState& pipe) const {
    for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
      if (s[pipe.first_flight + w] != 0) return true;
    }
    return false;
  }
  bool has_turn(const Word* s, const Core& core, int turn) const {
    return core.raised.bits == 0 || core.raised.get(s) == static_cast<Word>(turn);
  }
  int blocks_left(const Word* s) const;
  bool landing(const Word* s, const Core& core, bool marked_only) const;
  bool bypass_pending(const Word* s, const Core& core) const;
  bool scalar_enabled(const Word* s, const Core& core) const;
  bool head_enabled(const Word* s, const Core& core, int pipe) const;
  void advance(Word* s, const Core& core, int pipe) const;
  void fill(Word* s, const Line& line) const;
  void forget(Word* s, const Line& line) const;
  void write_back(Word* s, const Line& line) const;
  void refresh(Word* s, const Line& line) const;
  Applied apply_scalar(Word* s, std::size_t c, int choice);
  Applied apply_head(Word* s, std::size_t c, int pipe, int choice);
  void apply_piece(Word* s, const Core& core, const Atom& atom) const;
  Applied raise(Word* s, std::size_t c, int join, int member, int frozen, int choice);
  Applied arrive(Word* s, std::size_t c, int join, int member, int frozen, int choice);
  Applied double_set(Word* s, std::size_t c, int event, int frozen, int choice, bool& passes);
  Word operand(const Word* s, const Core& core, const Op& op) const {
    return op.value_reg >= 0
               ? s[core.registers + static_cast<std::uint32_t>(op.value_reg)] + op.value
               : op.value;
  }
  bool reached(Word value, Compare until, Word wanted) const {
    return until == Compare::equal ? value == wanted : value >= wanted;
  }

  Freedom freedom_;
  int launch_ = 0;
  bool irregular_ = false;
  std::size_t state_words_ = 0;
  std::vector<std::uint32_t> bounds_;
  std::vector<Core> cores_;
  std::vector<Join> joins_;
  std::vector<Word> constants_;
  std::vector<Ref> refs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::vector<std::pair<Field, Word>> initial_fields_;
  RuleId error_rule_ = RuleId::sync_6;
  bool lines_overlap_ = false;
  bool cores_meet_ = false;
  std::vector<Words> soft_slots_;  ///< Runs in refs_: the slots of each soft SyncAll.
};

}  // namespace skcts::explorer
