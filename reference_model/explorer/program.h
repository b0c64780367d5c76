// What each core of one launch executes, as flat steps with addresses still by memory and word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/instruction.h"
#include "spec/kernel_type.h"
#include "spec/outcome.h"
#include "spec/pipe.h"
#include "spec/rule.h"

namespace skcts::explorer {

/// A word of GM (its number in the layout) or of a local memory of the core.
using Address = std::int64_t;
inline constexpr Address local_base = Address{1} << 40;
constexpr Address local_address(int space, std::int64_t word) {
  return local_base * (space + 1) + word;
}
constexpr bool is_gm(Address a) {
  return a < local_base;
}
/// A word that is read and stands nowhere: the value itself.
inline constexpr Address literal_base = Address{1} << 50;
constexpr Address literal(std::uint32_t value) {
  return literal_base + value;
}

/// Mode of a raise that goes to an event of the case and no counter. Its id is the event's place.
inline constexpr int event_mode = 7;

/// What local words hold of which nothing is promised: far from what small cases write.
inline constexpr std::uint32_t undefined_word = 0xa5a5a5a5;

/// A value: a constant, or a register read when the step is executed (issued).
struct Source {
  std::uint32_t constant = 0;
  int reg = -1;
};

enum class Calculation : std::uint8_t {
  fill,    ///< dst[j] := value
  copy,    ///< dst[j] := a[j]
  adds,    ///< dst[j] := a[j] + value
  add,     ///< dst[j] := a[j] + b[j]
  mmad,    ///< dst[j] := mmad_word(a[j], b[j])
  gather,  ///< latch := fold of all a
  spread,  ///< dst[j] := opaque_word(latch, tag, first + j)
  opaque,  ///< gather and spread at one instant
};

/// A part of an instruction's effect that takes place at one instant.
struct Piece {
  Calculation calculation = Calculation::copy;
  bool accumulate = false;  ///< dst[j] += ... (atomic add)
  std::uint32_t first = 0;  ///< spread: number of its first word
  std::vector<Address> dst, a, b;
};

enum class EntryKind : std::uint8_t {
  data,
  barrier,    ///< waits for the pipe's earlier work
  event_set,  ///< after the pipe's earlier work, holding up nothing behind it
  event_wait,
  raise,    ///< cross-core raise, in the same way
  request,  ///< a Matmul call at the head of MTE3: its pieces are the server's
};

/// One element of a pipe's queue.
struct Entry {
  EntryKind kind = EntryKind::data;
  Pipe pipe = Pipe::v;
  std::vector<Piece> pieces;
  Source value;           ///< fill, adds, spread's tag
  bool in_turn = false;   ///< data: starts only when the pipe's earlier work is done
  int event = -1;         ///< Place in CoreProgram::events.
  bool doubled = false;   ///< event_set: the second set without a wait between; has no effect
  int mode = 0, id = 0;   ///< raise
  bool landing = false;   ///< raise: after refreshes that were pending when it was issued
  bool own_slot = false;  ///< data: the store of a soft SyncAll
  int server = -1;        ///< request: core that serves it; -1: nobody
  int sub_kernel = -1, place = -1;
};

enum class MicroKind : std::uint8_t {
  issue,  ///< entry
  pipe_all,
  may_drain,  ///< pipe_all or nothing: differs only for pipes that are never empty
  settle,     ///< until refreshes have landed
  load,       ///< cached, line
  store,
  refresh,  ///< dcci of a line
  refresh_all,
  bypass_load,
  bypass_store,  ///< lands later
  dsb,
  local_load,
  local_store,
  event_set,     ///< source S
  event_wait,    ///< destination S
  raise,         ///< by the scalar unit when all pipes are empty
  await,         ///< until an event of the case was raised
  announce,      ///< raises an event of the case
  wait,          ///< cross-core counter
  poll,          ///< uncached word reaches a value
  poll_cached,   ///< reads through the line until the value is reached
  poll_refresh,  ///< the same with a refresh before each read
  store_direct,  ///< DMA store of one word, complete before the core goes on
  soft_enter,    ///< soft SyncAll: own slot + 1
  soft_poll,     ///< ... until the sum is reached
  publish,       ///< feed record
  feed,          ///< until the record is there; or leaves, where the last one is
  served,        ///< Matmul call returns
  serve,         ///< Matmul server, until its clients have ended
  end_client,
  enter,  ///< waves: until a core is free for this block
  leave,  ///< waves: the block has ended on this core
  clear,  ///< all registers := 0
  query,
  fail,   ///< the machine stops with an error
  never,  ///< waits for ever
};

/// A load, store or poll through the cache.
constexpr bool is_cached(MicroKind kind) {
  return kind == MicroKind::load || kind == MicroKind::store || kind == MicroKind::poll_cached ||
         kind == MicroKind::poll_refresh;
}

struct Step {
  MicroKind kind = MicroKind::pipe_all;
  int entry = -1;  ///< issue: place in CoreProgram::entries
  Address address = -1;
  Source value;
  int reg = -1;  ///< Receives a value.
  Compare until = Compare::equal;
  int event = -1;        ///< Place in CoreProgram::events; await, announce: among the case's.
  bool doubled = false;  ///< event_set, issue: asks L-4
  int mode = 0, id = 0;
  int last = 0;                  ///< feed: record of the end, if another one
  int other = 0;                 ///< feed: the next record that asks for the other SyncAll; 0: none
  int skip = 0;                  ///< Steps left out behind this one; feed: if it sees the other one
  int number = 0;                ///< publish, feed: which record; soft: slots; serve: clients
  std::vector<Address> copy;     ///< poll by DMA: block read, then the local words it goes to
  std::vector<Address> slots;    ///< soft SyncAll: first words of all slots
  std::vector<Address> scratch;  ///< Local words that are undefined afterwards.
  bool both_kinds = false;       ///< pipe_all, dsb at L-2 both-kinds
  bool error_instead = false;
  std::int64_t logged = 0;  ///< query
  RuleId rule = RuleId::sync_13;
  int partner = -1;  ///< feed: publisher; serve: unused
  int sub_kernel = -1, place = -1;
  WaitKind wait = WaitKind::cross_core_flag;
};

struct CoreProgram {
  CoreId core;
  int block = 0;
  int sub = 0;
  std::vector<Step> steps;
  std::vector<Entry> entries;
  std::vector<std::string> events;  ///< Names of the event identities used.
  bool wait_first = false;          ///< Some event is waited for before its set is issued.
  std::string outside;  ///< Name of an outside actor: no core of the launch. Empty: it is one.
  int gates = 0;        ///< So many first steps come before the launch has begun.
};

/// One launch, composed.
struct LaunchProgram {
  int launch = 0;
  bool fused = true;
  KernelType type = KernelType::mix_aiv_1_0;
  int blocks = 0;
  int ratio = 0;                   ///< AIV cores of a block; 0: none
  std::vector<CoreProgram> cores;  ///< Outside actors stand last.
  std::vector<int> raised_by_end;  ///< Events that its end raises.
  std::optional<RuleId> refused_rule;
  bool refused = false;
  bool refused_first = false;  ///< Refused for what the case says, before any launch runs.
  std::string reason;
  std::string not_understood;  ///< Of a recording: the step.
};

}  // namespace skcts::explorer
