// y = x + 5 over int32, with events by hand; nobody sets what the store waits for.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void add_flags_unset(GM_ADDR x, GM_ADDR y) {
  constexpr uint32_t n = 64;
  GlobalTensor<int32_t> in, out;
  in.SetGlobalBuffer((__gm__ int32_t*)x + n * GetBlockIdx(), n);
  out.SetGlobalBuffer((__gm__ int32_t*)y + n * GetBlockIdx(), n);
  LocalTensor<int32_t> a(TPosition::VECIN, 0, n);
  LocalTensor<int32_t> b(TPosition::VECOUT, 1024, n);
  DataCopy(a, in, n);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Adds(b, a, 5, n);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(out, b, n);
  PipeBarrier<PIPE_ALL>();
}
