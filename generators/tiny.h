// Random tiny mixes, small enough that all their schedules can be walked. They are valid, and not
// legal on purpose: half of them are synchronised as they should be and many of those have lost or
// gained an instruction since.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/latitude.h"

namespace skcts::generators {

/// What a tiny mix is about: the instructions that its cores mostly use.
enum class TinyGroup : std::uint8_t {
  dma,           ///< DataCopy and Fixpipe of two cores on shared blocks.
  scalar,        ///< Cached accesses: objects, raw pointers, copies, ends, dcci, DataSyncBarrier.
  bypass,        ///< ReadGmByPassDCache, WriteGmByPassDCache beside DMA and cached accesses.
  events,        ///< Pipes of one core and the events and barriers between them.
  flags,         ///< Cross-core flags, modes 0, 1 and 2.
  sync_all,      ///< SyncAll of both kinds, in narrow sub kernels, fed and not.
  soft_barrier,  ///< Soft SyncAll.
  ib,            ///< IBSet and IBWait.
  early_start,   ///< SetNextTaskStart and WaitPreTaskEnd, one, both or none.
  queues,        ///< TPipe, TQue, TBuf.
  matmul,        ///< The Matmul service.
  atomic_adds,   ///< Atomic adds by DMA.
  placement,     ///< Where whole-cache refreshes stand, and what is handed over across them.
  polls,         ///< Loops that read a GM word.
  plans,         ///< Several launches, and words that the host writes between them.
};

inline constexpr TinyGroup all_tiny_groups[] = {
    TinyGroup::dma,         TinyGroup::scalar,   TinyGroup::bypass,       TinyGroup::events,
    TinyGroup::flags,       TinyGroup::sync_all, TinyGroup::soft_barrier, TinyGroup::ib,
    TinyGroup::early_start, TinyGroup::queues,   TinyGroup::matmul,       TinyGroup::atomic_adds,
    TinyGroup::placement,   TinyGroup::polls,    TinyGroup::plans,
};

/// "dma", "sync-all", ...
std::string_view to_string(TinyGroup group);
std::optional<TinyGroup> find_tiny_group(std::string_view name);

/// Mix `index` of a group: a function of its arguments alone, the same for every compiler and
/// machine. validate() finds nothing wrong with it; rules may be broken. Its provenance names seed
/// and index, its name the group.
Case tiny_mix(std::uint64_t seed, std::uint64_t index, TinyGroup group);

/// Positions for the fixed latitudes of target `number`: 0 stands at the defaults, the others at
/// drawn ones, more often than not the default (a refusal hides everything else).
std::vector<LatitudePin> drawn_positions(std::uint64_t seed, std::uint64_t number);

}  // namespace skcts::generators
