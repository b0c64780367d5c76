// z = x + y over half, in tiles through queues with two buffers each.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFERS = 2;

class Adder {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tiles) {
    share_ = total / GetBlockNum();
    tiles_ = tiles;
    tile_ = share_ / tiles;
    x_.SetGlobalBuffer((__gm__ half*)x + share_ * GetBlockIdx(), share_);
    y_.SetGlobalBuffer((__gm__ half*)y + share_ * GetBlockIdx(), share_);
    z_.SetGlobalBuffer((__gm__ half*)z + share_ * GetBlockIdx(), share_);
    pipe_.InitBuffer(in_x_, BUFFERS, tile_ * sizeof(half));
    pipe_.InitBuffer(in_y_, BUFFERS, tile_ * sizeof(half));
    pipe_.InitBuffer(out_, BUFFERS, tile_ * sizeof(half));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = 0; i < tiles_; ++i) {
      LocalTensor<half> x = in_x_.AllocTensor<half>();
      LocalTensor<half> y = in_y_.AllocTensor<half>();
      DataCopy(x, x_[i * tile_], tile_);
      DataCopy(y, y_[i * tile_], tile_);
      in_x_.EnQue(x);
      in_y_.EnQue(y);
      Compute();
      LocalTensor<half> z = out_.DeQue<half>();
      DataCopy(z_[i * tile_], z, tile_);
      out_.FreeTensor(z);
    }
  }

 private:
  __aicore__ inline void Compute() {
    LocalTensor<half> x = in_x_.DeQue<half>();
    LocalTensor<half> y = in_y_.DeQue<half>();
    LocalTensor<half> z = out_.AllocTensor<half>();
    Add(z, x, y, tile_);
    out_.EnQue<half>(z);
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, BUFFERS> in_x_, in_y_;
  TQue<QuePosition::VECOUT, BUFFERS> out_;
  GlobalTensor<half> x_, y_, z_;
  uint32_t share_, tiles_, tile_;
};

extern "C" __global__ __aicore__ void add_tque(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  Adder op;
  op.Init(x, y, z, data.total, data.tiles);
  op.Process();
}
