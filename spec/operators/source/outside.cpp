// The last core stores behind the end of y.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void outside(GM_ADDR y) {
  GlobalTensor<int32_t> out;
  out.SetGlobalBuffer((__gm__ int32_t*)y, 64);
  LocalTensor<int32_t> a(TPosition::VECOUT, 0, 32);
  Duplicate(a, 1, 32);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(out[GetBlockIdx() * 32], a, 32);
}
