// What steps cost, in cycles, for the critical path that advice is measured by (TASK-6).
#pragma once

#include <array>

#include "spec/profile.h"

namespace skcts {

/// What a pipe takes for an instruction: `start`, and `block` for each DMA block (32 bytes) of its
/// longest operand.
struct PipeCost {
  int start = 0;
  int block = 0;
};

/// Unit: cycles. No public source gives these numbers: all of them are stand-ins of this suite,
/// chosen so that a transfer outweighs a computation and either outweighs a scalar step. They
/// compare variants of one mix and predict no time of a device. Synchronisation counts what the
/// call itself takes; the time that a core waits comes on top.
struct CostTable {
  int scalar = 1;             ///< a scalar step on registers or local memory
  int cached_access = 4;      ///< a scalar load or store through the data cache
  int uncached_access = 100;  ///< one past it; a poll's last read
  int refresh_line = 50;      ///< DataCacheCleanAndInvalid of a line
  int refresh_all = 200;      ///< and of the whole data cache
  int data_barrier = 50;      ///< DataSyncBarrier
  int event = 2;              ///< SetFlag, WaitFlag, PipeBarrier
  int flag = 20;              ///< CrossCoreSetFlag, CrossCoreWaitFlag
  int join = 40;              ///< to arrive at a full-core wait, and to leave it
  /// By Pipe: S, V, M, MTE1, MTE2, MTE3, FIX.
  std::array<PipeCost, 7> pipes{{{1, 0}, {20, 1}, {40, 2}, {30, 1}, {100, 4}, {100, 4}, {80, 4}}};
};

/// The table of a machine. Stand-ins do not tell machines apart: all have the same.
inline CostTable cost_table_of(const Profile& /*profile*/) {
  return {};
}

}  // namespace skcts
