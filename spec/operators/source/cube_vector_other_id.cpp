// The cube multiplies ones by twos; its vectors, told by mode-2 flags, add one; they wait for
// another id.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void cube_vector_other_id(GM_ADDR a, GM_ADDR b, GM_ADDR w,
                                                           GM_ADDR c) {
  GlobalTensor<float> work, out;
  work.SetGlobalBuffer((__gm__ float*)w + 256 * (GetBlockIdx() / GetTaskRatio()), 256);
  if ASCEND_IS_AIC {
    GlobalTensor<half> left, right;
    left.SetGlobalBuffer((__gm__ half*)a, 256);
    right.SetGlobalBuffer((__gm__ half*)b, 256);
    LocalTensor<half> a1(TPosition::A1, 0, 256), b1(TPosition::B1, 512, 256);
    LocalTensor<half> a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
    LocalTensor<float> c1(TPosition::CO1, 0, 256);
    Nd2NzParams nz{1, 16, 16, 0, 16, 16, 1, 0};
    DataCopy(a1, left, nz);
    DataCopy(b1, right, nz);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    LoadData2DParams load;
    load.repeatTimes = 1;
    LoadData(a2, a1, load);
    load.ifTranspose = true;
    LoadData(b2, b1, load);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams mmad;
    mmad.m = mmad.n = mmad.k = 16;
    Mmad(c1, a2, b2, mmad);
    SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsV220 fix;
    fix.nSize = fix.mSize = fix.srcStride = 16;
    fix.dstStride = 16;
    Fixpipe(work, c1, fix);
    CrossCoreSetFlag<2, PIPE_FIX>(3);
  }
  if ASCEND_IS_AIV {
    out.SetGlobalBuffer((__gm__ float*)c + 128 * GetBlockIdx(), 128);
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 512);
    LocalTensor<float> x = buffer.Get<float>();
    CrossCoreWaitFlag(4);
    DataCopy(x, work[128 * GetSubBlockIdx()], 128);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(x, x, 1.0f, 128);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, x, 128);
  }
}
