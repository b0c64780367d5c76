// A counter of each core, by SetValue on a line of its own; core 0 adds them up; the lines are not
// written back.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void counters_dirty(GM_ADDR counters, GM_ADDR sum) {
  GlobalTensor<int32_t> slots, out;
  slots.SetGlobalBuffer((__gm__ int32_t*)counters);
  out.SetGlobalBuffer((__gm__ int32_t*)sum);
  slots.SetValue(GetBlockIdx() * 16, 10 + static_cast<int32_t>(GetBlockIdx()));
  SyncAll();
  if (GetBlockIdx() != 0) return;
  int32_t total = 0;
  for (int32_t i = 0; i < GetBlockNum(); ++i) total += slots.GetValue(i * 16);
  out.SetValue(0, total);
}
