// Every core adds its values to the same words, in half.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void atomic_half(GM_ADDR y) {
  GlobalTensor<half> out;
  out.SetGlobalBuffer((__gm__ half*)y, 64);
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 64 * sizeof(half));
  LocalTensor<half> a = queue.AllocTensor<half>();
  Duplicate(a, half(2), 64);
  queue.EnQue(a);
  a = queue.DeQue<half>();
  SetAtomicAdd<half>();
  DataCopy(out, a, 64);
  SetAtomicNone();
  queue.FreeTensor(a);
}
