// A launch written out: straight-line steps of each issuing thread, with what the contract inserts.
//
// Everything that stands for several machine steps (queues, TPipe, SyncAll, Matmul, polls, the
// boundaries between sub kernels) is lowered to the few kinds below. Stall analysis, order and
// values read nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "reference_model/contract.h"
#include "spec/pipe.h"

namespace skcts::model {

inline constexpr std::int32_t line_words = 16;  ///< Of a line of a data cache.

enum class StepKind : std::uint8_t {
  data,          ///< An interval on `pipe`: reads its read ranges, writes its write ranges.
  load,          ///< Cached scalar load of one GM word.
  store,         ///< Cached scalar store of one GM word.
  load_bypass,   ///< Uncached scalar load.
  store_bypass,  ///< Uncached scalar store.
  local_load,    ///< Scalar load of one local word.
  local_store,   ///< Scalar store of one local word.
  refresh,       ///< DataCacheCleanAndInvalid, called or inserted: one line, or all (line < 0).
  dsb,           ///< DataSyncBarrier<DDR|ALL> (others are left out).
  set_event,     ///< On `pipe` (the source pipe).
  wait_event,    ///< On `pipe` (the destination pipe).
  barrier,       ///< PipeBarrier<pipe>, or of all pipes.
  raise,         ///< CrossCoreSetFlag: on `pipe`.
  wait,          ///< CrossCoreWaitFlag: blocks issue.
  arrive,        ///< Arrival at joins[join], after the earlier work of `pipe` (all: of every pipe).
  pass,          ///< Issue blocked until every member of joins[join] has arrived.
  poll,          ///< Issue blocked until the GM word reads[0] fulfils until/value.
  mark,          ///< No effect: start or end of a sub kernel on this core, query.
};

enum class MarkKind : std::uint8_t {
  none,
  sub_kernel_begin,
  sub_kernel_end,
  query,       ///< `value` is the answer, `id` the Op.
  head_end,    ///< WaitPreTaskEnd.
  tail_begin,  ///< SetNextTaskStart.
  tpipe_begin,
  tpipe_end,
  /// `value`: the round; reads[0]: the core's slot of the workspace, reads[1]: all of them.
  soft_sync,
};

/// Words of one memory: GM by flat word address, or local memory of the step's core.
struct WordRange {
  Space space = Space::gm;
  std::int64_t first = 0;
  std::int32_t count = 0;
};

/// How the written words of a `data` step come from the read ones.
enum class Function : std::uint8_t {
  none,    ///< What is written is not known (scratch memory of a library call).
  copy,    ///< writes[0][j] := reads[0][j]
  fill,    ///< writes[0][j] := value
  adds,    ///< reads[0][j] + value
  add,     ///< reads[0][j] + reads[1][j]
  mmad,    ///< mmad_word(reads[0][j], reads[1][j])
  opaque,  ///< opaque_word over all reads, tag `value`
};

/// Why a step is there.
enum class Origin : std::uint8_t {
  program,         ///< Written in the mix.
  access_refresh,  ///< CACHE-1.
  before_refresh,  ///< CACHE-2, CACHE-5.
  after_refresh,   ///< CACHE-3, CACHE-5.
  debug_refresh,   ///< debug-dcci-all.
  boundary,        ///< TASK-1.
  debug_sync,      ///< debug-sync-all.
  feed,            ///< SYNC-1.
  end_of_launch,   ///< CACHE-6.
};

struct Step {
  StepKind kind = StepKind::mark;
  MarkKind mark = MarkKind::none;
  Pipe pipe = Pipe::s;
  Origin origin = Origin::program;
  Function function = Function::none;
  bool atomic_add = false;
  std::int32_t sub_kernel = -1;   ///< Place in LaunchProgram::shape.sub_kernels (not in the mix).
  std::int32_t instruction = -1;  ///< Place in the program of that side, or -1.
  std::int32_t reads_begin = 0, reads_end = 0;  ///< Into LaunchProgram::ranges.
  std::int32_t writes_begin = 0, writes_end = 0;
  std::uint32_t value = 0;         ///< Constant operand, stored value, or what a poll waits for.
  std::int8_t reg_in = -1;         ///< >= 0: the value comes from this register at issue.
  std::int8_t reg_out = -1;        ///< >= 0: register that receives the loaded value.
  Compare until = Compare::equal;  ///< poll
  PollVia via = PollVia::bypass;   ///< poll: how it reads
  bool refresh_each_read = false;  ///< poll
  std::int16_t object = -1;        ///< load/store: GlobalTensor of the sub kernel, or -1.
  std::int64_t line = -1;          ///< refresh: GM line (word / 16), or -1 for the whole cache.
  std::int32_t id = -1;            ///< Event id (modulo 8) or flag id (modulo 16).
  std::int32_t mode = 0;           ///< raise
  HardEvent event;
  std::int32_t join = -1;  ///< Into LaunchProgram::joins.
  /// arrive: in its turn on the pipe, but not after what the pipe has still under way.
  bool in_turn_only = false;
};

/// Who must arrive before anybody passes.
enum class JoinKind : std::uint8_t {
  sync_all,
  boundary,
  debug_sync,
  soft_sync,
  matmul_call,
  matmul_done,
  ib,
  event,      ///< Between sub kernels, or with an outside actor.
  own_order,  ///< What a core leaves on its signalling pipe, before its next sub kernel.
  launch_end,  ///< Of a launch beside others: before the next one on its stream or its cores.
};
struct Join {
  JoinKind kind = JoinKind::sync_all;
  bool full_core = false;         ///< Of the one class of full-core waits (semantics §1).
  bool aiv = false, aic = false;  ///< Which core kinds it joins (sync_all, boundary, debug_sync).
  std::int32_t sub_kernel = -1;   ///< As in Step; of a boundary: the later one.
  /// Threads that must arrive (once each); -1: somebody who does not exist (nobody ever passes).
  std::vector<std::int32_t> members;
};

/// Have refreshes that stand before the arrival landed when the join is passed (CACHE-1)?
inline bool lands_at(JoinKind kind) {
  return kind == JoinKind::boundary || kind == JoinKind::event || kind == JoinKind::launch_end;
}

/// A sequence of issues. A core has one; the Matmul service of an AIC has one for each client, with
/// no order between them (its steps still carry that core's id).
struct Thread {
  CoreId core;
  std::vector<Step> steps;
  /// Place in Mix::outside of the actor that goes through these steps, or -1. They are those of a
  /// DMA, with a local memory of its own; `core` then stands for nothing that exists.
  std::int32_t outside = -1;
  std::int32_t part = 0;  ///< Into LaunchProgram::parts, where there are any.
};

/// One of several launches that are written into one program because they run side by side. Its
/// cores are threads [first_thread, ...), cubes first; flags and full-core waits are its own.
struct LaunchPart {
  LaunchShape shape;
  std::int32_t stream = 0;
  std::int32_t first_thread = 0;
  std::int32_t first_place = 0;  ///< Of its sub kernels in LaunchProgram::shape.sub_kernels.
  std::int32_t end_join = -1;    ///< All its cores have ended.
  /// Each of its cores starts with so many passes, of launches that have to end before.
  std::int32_t after_count = 0;
  bool flags_off = false;        ///< As LaunchProgram::flags_off.
  std::int32_t core_count() const { return shape.aic_count + shape.aiv_count; }
};

/// Whole-GM address space of the case; host writes and memory between launches are the caller's.
struct LaunchProgram {
  /// With parts: all their sub kernels, and so many cores; else means nothing.
  LaunchShape shape;
  std::vector<LaunchPart> parts;  ///< Launches side by side, as numbered in the plan; else none.
  std::vector<Thread> threads;
  std::vector<WordRange> ranges;
  std::vector<Join> joins;
  std::vector<BoundaryRelation> boundaries;  ///< [k]: between sub kernels k and k+1.
  bool flags_off = false;                    ///< Raises reach nobody, waits never end (L-10=hang).
  bool raises_in_order = false;              ///< Raises of a core, in program order (L-8).
  bool dies_at_end_of_cache = true;          ///< Whole-cache refresh at the end (CACHE-6, §4).

  /// Of the launch that the thread belongs to: its shape, its first core, its number from `first`.
  const LaunchShape& shape_of(const Thread& thread) const {
    return parts.empty() ? shape : parts[static_cast<std::size_t>(thread.part)].shape;
  }
  std::int32_t first_core(const Thread& thread) const {
    return parts.empty() ? 0 : parts[static_cast<std::size_t>(thread.part)].first_thread;
  }
  std::int32_t number_of(const Thread& thread, std::int32_t first) const {
    return parts.empty() ? first : first + thread.part;
  }
  /// Part of a sub kernel (place in `shape`); 0 without parts.
  std::int32_t part_of_place(std::int32_t place) const {
    std::int32_t part = 0;
    for (std::size_t p = 1; p < parts.size() && parts[p].first_place <= place; ++p) ++part;
    return part;
  }
};

}  // namespace skcts::model
