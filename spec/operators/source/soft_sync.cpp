// Each core writes its block of w and reads that of its neighbour, behind the barrier over GM.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void soft_sync(GM_ADDR w, GM_ADDR slots, GM_ADDR y) {
  const int32_t me = GetBlockIdx(), next = (me + 1) % GetBlockNum();
  GlobalTensor<int32_t> work, barrier, out;
  work.SetGlobalBuffer((__gm__ int32_t*)w, 32);
  barrier.SetGlobalBuffer((__gm__ int32_t*)slots, 32);
  out.SetGlobalBuffer((__gm__ int32_t*)y, 32);
  TPipe pipe;
  TBuf<TPosition::VECIN> scratch;
  TBuf<TPosition::VECCALC> buffer;
  pipe.InitBuffer(scratch, 4 * 32);
  pipe.InitBuffer(buffer, 32);
  LocalTensor<int32_t> a = buffer.Get<int32_t>();
  Duplicate(a, 9, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(work[next * 8], a, 8);
  LocalTensor<int32_t> polled = scratch.Get<int32_t>();
  SyncAll(barrier, polled);
  DataCopy(a, work[me * 8], 8);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(out[me * 8], a, 8);
}
