// Writes the instructions of a mix: lanes, fresh memory and ids, and the history of GM regions that
// decides what a fragment may read and write.
//
// Two rules keep fragments independent. Inside a sub kernel a region that one fragment writes is
// touched by no other fragment, and local memory is taken fresh (PIPE_ALL separates a second use).
// Between sub kernels everything may be shared, because each sub kernel ends as PIPE-5 asks and
// scalar accesses keep the refresh discipline of semantics §4 and §5 (P5, P6).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "generators/edit.h"
#include "generators/plan.h"
#include "generators/site.h"
#include "spec/case.h"

namespace skcts::generators {

/// The cores of one kind that work on memory in a sub kernel, and how they share the work (P1):
/// by `core`, or by `block` with the effects on sub block 0 only (MIX 1:1).
struct Lane {
  CoreKind kind = CoreKind::aiv;
  int workers = 1;
  bool by_core = true;
  bool guarded = false;  ///< Only sub block 0 has effects on memory.
  int low = -1;          ///< With low >= 0 only workers low..high do anything.
  int high = -1;

  [[nodiscard]] bool is_vector() const { return kind == CoreKind::aiv; }
  /// The pipe that stores to GM.
  [[nodiscard]] Pipe store_pipe() const { return is_vector() ? Pipe::mte3 : Pipe::fix; }
};

/// How the words of a region may be touched.
enum class RegionClass : std::uint8_t {
  lines,   ///< Slots of whole cache lines: every kind of access.
  blocks,  ///< Slots of one 32-byte block: DMA only.
  packed,  ///< Slots of one word: accesses past the cache only.
};

/// A GM region and what has happened to it so far.
struct RegionUse {
  std::int16_t index = 0;
  RegionClass kind = RegionClass::lines;
  int slot_words = 16;
  int written_in = -1;      ///< Last sub kernel that writes it.
  int read_in = -1;         ///< Last sub kernel that reads it.
  bool scalar_out = false;  ///< Last written by cached scalar stores.
  int side = 0;             ///< Of the sub kernel that made it.
};

/// A cross-core flag and the pipe that waits for it.
struct Flag {
  int id = 0;
  Pipe waits = Pipe::s;
};

class Builder {
 public:
  Builder(Choice& choice, const Focus& focus, const Profile& profile, const MixPlan& plan, Mix& mix,
          std::vector<Site>* sites);

  /// Starts and ends sub kernel k: heads, tails, early-start calls, the drain at the end.
  void begin(int k);
  void end();

  // what is being built
  [[nodiscard]] const SubPlan& sub_plan() const { return *sub_plan_; }
  [[nodiscard]] const MixPlan& plan() const { return plan_; }
  [[nodiscard]] const Profile& profile() const { return profile_; }
  [[nodiscard]] int sub_index() const { return k_; }
  Choice& choice() { return choice_; }
  std::vector<Instruction>& sub_program(CoreKind kind) { return *target_[index(kind)]; }
  Lane lane(CoreKind kind) const;
  /// A lane of the sub kernel, drawn when it has two.
  Lane any_lane();

  /// A coin that the focus may have decided: required features come up, avoided ones do not.
  bool flip(Feature f, int percent);
  [[nodiscard]] bool wants(Feature f) const { return focus_.require.has(f); }

  // instructions
  /// One more instruction that every core of the kind executes.
  Instruction& put(CoreKind kind, Op op);
  /// One more instruction that the workers of the lane execute.
  Instruction& put(const Lane& lane, Op op);
  void copy(const Lane& lane, Operand dst, Operand src, int count);
  void barrier(CoreKind kind, Pipe pipe);
  /// SetFlag and WaitFlag of an event that is free again afterwards.
  void order(const Lane& lane, Pipe from, Pipe to);
  void event(const Lane& lane, Op op, Pipe from, Pipe to, int id);
  void sync_all(CoreKind kind, bool aiv_only);
  void raise(CoreKind kind, int mode, Pipe pipe, int id);
  void await(CoreKind kind, const Flag& flag);
  void dcci(const Lane& lane, Operand word, bool entire);
  void dsb(const Lane& lane);
  /// Everything up to end_repeat() for that kind goes into the body of a Repeat.
  void begin_repeat(CoreKind kind, int times);
  void end_repeat(CoreKind kind);

  // places and values
  /// base + stride * (index of the worker, shifted).
  static Expr at(const Lane& lane, int stride, int base = 0, int shift = 0);
  static Operand gm(const RegionUse& r, Expr at) { return {Space::gm, r.index, at}; }
  static Operand local(Space space, int word) { return {space, -1, {.base = word}}; }
  static Operand named(int name, int word = 0) {
    return {Space::local_tensor, static_cast<std::int16_t>(name), {.base = word}};
  }
  static Operand tensor(int object, Expr at) {
    return {Space::tensor, static_cast<std::int16_t>(object), at};
  }
  /// A value that no other instruction writes; differs from worker to worker.
  Value fresh_value(const Lane& lane);
  int fresh_register() { return register_turn_++ % register_count; }
  /// Fresh words of a local memory, in whole 32-byte blocks.
  int words(CoreKind kind, Space space, int count);
  Operand fresh_local(const Lane& lane, int count) {
    const Space space = lane.is_vector() ? Space::ub : Space::l1;
    return local(space, words(lane.kind, space, count));
  }
  int flag_id();
  /// A flag id, and the pipe of that kind's cores that waits for it: on the 950 sometimes the one
  /// that uses what the flag stands for, elsewhere the scalar unit. A core waits for an id from one
  /// pipe in the whole mix (SYNC-15), and where that is no scalar unit it is raised in one mode.
  Flag flag(CoreKind waiter, int mode, Pipe uses, bool by_scalar = false);
  /// The same, from that pipe for certain.
  Flag pipe_flag(CoreKind waiter, int mode, Pipe uses);
  int new_name(std::string_view prefix);
  int new_tensor(const RegionUse& r, bool is_const);

  // GM regions
  /// A new region of lines for one fragment of this sub kernel.
  RegionUse own_region(int slot_words);
  /// A region of zeros outside the pool: workspaces and flags.
  RegionUse private_region(RegionClass kind, int slot_words, int slots, bool zero);
  /// Something to read that this sub kernel does not write; recent stores are preferred.
  RegionUse input(RegionClass kind);
  /// The region that the sub kernel just before stored to by scalar, if it did.
  bool recent_scalar_output(RegionUse& found) const;
  /// Something to write that this sub kernel does not touch otherwise. `old` tells what was known
  /// of the region before.
  RegionUse output(RegionClass kind);
  void mark_scalar_output(const RegionUse& r);
  void mark_read(const RegionUse& r);
  /// Shift for a reader: another worker's slot, often.
  int shift(const Lane& lane);

  /// Pipe work of that kind is left that is not ordered before a store to GM (PIPE-5).
  void leave_open(CoreKind kind) { open_[index(kind)] = true; }
  void close(CoreKind kind) { open_[index(kind)] = false; }

  /// Remembers the instruction that comes next, or the last one, for an edit.
  void mark_next(SiteKind kind, CoreKind core, int extra = 0);
  void mark_last(SiteKind kind, CoreKind core, int extra = 0);

 private:
  static std::size_t index(CoreKind kind) { return static_cast<std::size_t>(kind); }
  /// A sub kernel that is apart takes regions of its own side only.
  [[nodiscard]] bool may_take(const RegionUse& r) const {
    return !sub_plan_->is_apart || r.side == sub_plan_->side;
  }
  /// The reference stays valid until the next region is made.
  RegionUse& new_region(RegionClass kind, int slot_words);
  [[nodiscard]] bool may_hold_pipes() const;
  void head(CoreKind kind);
  void after_head(CoreKind kind);
  void tail(CoreKind kind);
  void set_next_task_start(CoreKind kind);
  void dead_branch(CoreKind kind);

  Choice& choice_;
  const Focus& focus_;
  const Profile& profile_;
  const MixPlan& plan_;
  Mix& mix_;
  std::vector<Site>* sites_;

  int k_ = 0;
  SubKernel* sub_ = nullptr;
  const SubPlan* sub_plan_ = nullptr;
  std::vector<Instruction>* target_[2] = {};
  bool open_[2] = {};
  bool has_prefetch_[2] = {};
  Operand prefetch_[2];
  int base_[2] = {};
  int cursor_[2][8] = {};
  int event_turn_ = 0;
  int flag_turn_ = 0;
  int flag_first_ = 0;
  int flag_limit_ = 11;
  std::bitset<11> is_taken_;  ///< Flag ids of this sub kernel, on the 950.
  struct Waiting {
    Pipe pipe = Pipe::s;
    int mode = 0;
    bool operator==(const Waiting&) const = default;
  };
  std::array<std::array<std::optional<Waiting>, 11>, 2> waits_;  ///< By core kind and id.
  int register_turn_ = 0;
  std::uint32_t constant_ = 0;
  std::vector<RegionUse> pool_;
};

}  // namespace skcts::generators
