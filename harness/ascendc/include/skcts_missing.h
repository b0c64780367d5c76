// Public interfaces that are not there: a call of one fails to compile and says which it is.
#pragma once

#include "harness/ascendc/include/skcts_tiling.h"

namespace AscendC {
template <class...>
inline constexpr bool in_the_facade = false;
}
#define SKCTS_MISSING(Name)                                                      \
  template <class... A>                                                          \
  void Name(A&&...) {                                                            \
    static_assert(in_the_facade<A...>,                                           \
                  #Name " is not in the facade; docs/ascendc.md lists what is"); \
  }                                                                              \
  static_assert(true)
namespace AscendC {
SKCTS_MISSING(GatherMask);
SKCTS_MISSING(Gatherb);
SKCTS_MISSING(Scatter);
SKCTS_MISSING(Brcb);
SKCTS_MISSING(Sort);
SKCTS_MISSING(Sort32);
SKCTS_MISSING(MrgSort);
SKCTS_MISSING(TransDataTo5HD);
SKCTS_MISSING(PairReduceSum);
SKCTS_MISSING(WholeReduceMax);
SKCTS_MISSING(WholeReduceMin);
SKCTS_MISSING(AddDeqRelu);
SKCTS_MISSING(CastDeq);
SKCTS_MISSING(AddReluCast);
SKCTS_MISSING(SubReluCast);
SKCTS_MISSING(MulCast);
SKCTS_MISSING(BilinearInterpolation);
SKCTS_MISSING(LoadDataWithTranspose);
SKCTS_MISSING(LoadDataWithSparse);
SKCTS_MISSING(MmadWithSparse);
SKCTS_MISSING(LoadImageToLocal);
SKCTS_MISSING(SetFmatrix);
SKCTS_MISSING(InitConstValue);
SKCTS_MISSING(SetLoadDataPaddingValue);
SKCTS_MISSING(SetFixPipeConfig);
SKCTS_MISSING(SoftMax);
SKCTS_MISSING(LayerNorm);
SKCTS_MISSING(Gelu);
SKCTS_MISSING(InitDetermineComputeWorkspace);
SKCTS_MISSING(WaitPreBlock);
SKCTS_MISSING(NotifyNextBlock);
SKCTS_MISSING(GetReduceMaxMinCount);
SKCTS_MISSING(SetMaskCount);
SKCTS_MISSING(Sin);
SKCTS_MISSING(Cos);
}  // namespace AscendC
