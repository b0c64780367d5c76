// Places of a generated mix where an author could have made a mistake.
#pragma once

#include <cstdint>

#include "spec/kernel_type.h"

namespace skcts::generators {

/// What stands at a place, as far as it cannot be read off the instruction.
enum class SiteKind : std::uint8_t {
  closing_refresh,      ///< DCCI that takes a dirty line out before the sub kernel ends.
  handed_over_barrier,  ///< DataSyncBarrier between a store and the raise that hands it over;
                        ///< extra: 1 = a cached store.
  handed_over_refresh,  ///< DCCI of a reader that touched the line before it was stored.
  line_store,           ///< Cached store to a line of this core; extra: 1 = handed over here.
  pipes_barrier,        ///< PIPE_ALL between two TPipes whose buffers need it.
  final_barrier,        ///< PIPE_ALL at the end of a sub kernel that needs it.
  event_pair,           ///< SetFlag, with its WaitFlag next, that orders data.
  vector_barrier,       ///< PipeBarrier<V> between two dependent computes.
  load_for_compute,     ///< DMA load all of whose words a compute reads.
  result_store,         ///< The store of a result by DMA in the body.
  shared_add,           ///< Atomic add to words that all workers add to.
  exchange_sync,        ///< SyncAll that alone separates two cores' DMA accesses.
  data_raise,    ///< CrossCoreSetFlag on the pipe that carries the data; extra: 1 = only one.
  first_flag,    ///< Raise under the first of two ids; extra: the id.
  second_flag,   ///< Raise under the second; extra: the id.
  first_wait,    ///< Raise that one pipe of the waiting cores waits for; extra: the id.
  second_wait,   ///< Raise that another one waits for; extra: the id.
  unpaced_loop,  ///< Repeat of raises without reverse flag.
};

struct Site {
  SiteKind kind = SiteKind::closing_refresh;
  std::int32_t sub_kernel = 0;
  CoreKind core = CoreKind::aiv;
  std::int32_t place = 0;  ///< In the program, its top level.
  std::int32_t extra = 0;
};

}  // namespace skcts::generators
