// The cube world: LoadData, Mmad, Fixpipe over fractals of 16 rows of 32 bytes.
#pragma once

#include "harness/ascendc/include/skcts_vector.h"

namespace AscendC {

struct LoadData2DParams {
  std::uint16_t startIndex = 0;
  std::uint8_t repeatTimes = 0;
  std::uint16_t srcStride = 0;
  std::uint8_t sid = 0;
  std::uint16_t dstGap = 0;
  bool ifTranspose = false;
  std::uint8_t addrMode = 0;
};
using LoadData2dParams = LoadData2DParams;
struct MmadParams {
  std::uint16_t m = 0, n = 0, k = 0;
  std::uint8_t unitFlag = 0;
  bool cmatrixInitVal = true, cmatrixSource = false, isBias = false;
  std::int32_t fmOffset = 0;
  bool enSsparse = false, enWinogradA = false, enWinogradB = false, kDirectionAlign = false;
  MmadParams() = default;
  MmadParams(std::uint16_t m_, std::uint16_t n_, std::uint16_t k_, std::uint8_t unit, bool source,
             bool init)
      : m(m_), n(n_), k(k_), unitFlag(unit), cmatrixInitVal(init), cmatrixSource(source) {}
};
enum class CO2Layout : std::uint8_t { NZ = 0, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ{CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR{CO2Layout::ROW_MAJOR};
struct FixpipeParamsV220 {
  std::uint16_t nSize = 0, mSize = 0, srcStride = 0;
  std::uint32_t dstStride = 0;
  QuantMode_t quantPre = NoQuant;
  std::uint64_t deqScalar = 0;
  std::uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  std::uint8_t unitFlag = 0;
  bool reluEn = false, isChannelSplit = false;
};

template <class T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& p) {
  skcts_facade::pipe_has_work(skcts_facade::DevicePipe::mte1);
  for (std::uint32_t i = 0; i < p.repeatTimes; ++i) {
    const auto from = src.bytes((p.startIndex + i * std::uint64_t{p.srcStride}) * 512, 512);
    const auto to = dst.bytes(i * (1 + std::uint64_t{p.dstGap}) * 512, 512);
    if (!p.ifTranspose) {
      skcts_facade::device().copy(to, from, skcts_facade::Combine::replace);
      continue;
    }
    static_assert(sizeof(T) == 2 || sizeof(T) == 4);
    skcts_facade::run_step(
        "LoadData", skcts_facade::DevicePipe::mte1, {from}, {to}, 0,
        [](const void*, const unsigned char* const* read, unsigned char* const* written) {
          for (std::uint64_t r = 0; r < 16; ++r)
            for (std::uint64_t c = 0; c < 16 && sizeof(T) == 2; ++c) {
              put<T>(written[0], c * 16 + r, element<T>(read[0], r * 16 + c));
            }
        });
  }
}
/// Global to L1, each row of a matrix cut into columns of 32 bytes.
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& p) {
  constexpr std::uint64_t c0 = 32 / sizeof(T);
  for (std::uint64_t nd = 0; nd < p.ndNum; ++nd)
    for (std::uint64_t n = 0; n < p.nValue; ++n)
      for (std::uint64_t d = 0; d < p.dValue; d += c0) {
        const std::uint64_t width = p.dValue - d < c0 ? p.dValue - d : c0;
        const auto from = src.stretch(nd * p.srcNdMatrixStride + n * p.srcDValue + d, width);
        const auto to = dst.bytes(nd * p.dstNzMatrixStride * sizeof(T) +
                                      (d / c0 * p.dstNzC0Stride + n * p.dstNzNStride) * 32,
                                  32);
        if (width == c0 && from.at % 4 == 0)
          load_block(to, from);
        else
          skcts_facade::run_step("DataCopy", skcts_facade::DevicePipe::mte2, {from}, {to},
                                 MoveWork{static_cast<std::uint32_t>(width * sizeof(T)),
                                          0,
                                          static_cast<std::uint32_t>((c0 - width) * sizeof(T)),
                                          {},
                                          1},
                                 do_move);
      }
}
/// C in fractals [n1][m1][16][16], A in [m1][k1][16][c0], B in [k1][n1][16][c0].
template <class C, class A, class B>
void Mmad(const LocalTensor<C>& dst, const LocalTensor<A>& a, const LocalTensor<B>& b,
          const MmadParams& p) {
  constexpr std::uint64_t c0 = 32 / sizeof(A);
  const std::uint64_t m1 = (p.m + 15u) / 16, n1 = (p.n + 15u) / 16, k1 = (p.k + c0 - 1) / c0;
  skcts_facade::run_step(
      "Mmad", skcts_facade::DevicePipe::m, {a.bytes(0, m1 * k1 * 512), b.bytes(0, n1 * k1 * 512)},
      {dst.stretch(0, m1 * n1 * 256)}, p,
      [](const void* w, const unsigned char* const* read, unsigned char* const* written) {
        const auto& q = *static_cast<const MmadParams*>(w);
        const std::uint64_t rows = (q.m + 15u) / 16, columns = (q.n + 15u) / 16,
                            depth = (q.k + c0 - 1) / c0;
        for (std::uint64_t m = 0; m < q.m; ++m)
          for (std::uint64_t n = 0; n < q.n; ++n) {
            const std::uint64_t at = (n / 16 * rows + m / 16) * 256 + m % 16 * 16 + n % 16;
            C sum = q.cmatrixInitVal ? C{} : element<C>(written[0], at);
            for (std::uint64_t k = 0; k < q.k; ++k) {
              const A x =
                  element<A>(read[0], ((m / 16 * depth + k / c0) * 16 + m % 16) * c0 + k % c0);
              const B y =
                  element<B>(read[1], ((k / c0 * columns + n / 16) * 16 + n % 16) * c0 + k % c0);
              sum = static_cast<C>(sum + static_cast<C>(x) * static_cast<C>(y));
            }
            put<C>(written[0], at, sum);
          }
      });
}
template <class T, const FixpipeConfig& config = CFG_ROW_MAJOR, class C = float>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<C>& src, const FixpipeParamsV220& p) {
  skcts_facade::pipe_has_work(skcts_facade::DevicePipe::fix);
  constexpr bool rows = config.format == CO2Layout::ROW_MAJOR;
  const std::uint64_t reach =
      ((p.nSize + 15u) / 16 - 1) * std::uint64_t{p.srcStride} * 16 + p.mSize * 16u;
  // A row of the result is stored by itself: what lies between rows belongs to others.
  for (std::uint64_t m = 0; m < p.mSize; ++m) {
    struct Row {
      FixpipeParamsV220 p;
      std::uint64_t m;
    };
    static_assert(rows, "Fixpipe to the layout NZ is not in the facade (see docs/ascendc.md)");
    if (std::is_same_v<T, C> && sizeof(C) == 4 && !p.reluEn && p.nSize % 8 == 0) {
      for (std::uint64_t n = 0; n < p.nSize; n += 16) {  // as it is: a transfer
        const std::uint64_t width = p.nSize - n < 16 ? p.nSize - n : 16;
        skcts_facade::device().copy(dst.stretch(m * p.dstStride + n, width),
                                    src.stretch(n * p.srcStride + m * 16, width),
                                    skcts_facade::Combine::replace);
      }
      continue;
    }
    skcts_facade::run_step(
        "Fixpipe", skcts_facade::DevicePipe::fix, {src.stretch(0, reach)},
        {dst.stretch(m * p.dstStride, p.nSize)}, Row{p, m},
        [](const void* w, const unsigned char* const* read, unsigned char* const* written) {
          const auto& q = *static_cast<const Row*>(w);
          for (std::uint64_t n = 0; n < q.p.nSize; ++n) {
            C v = element<C>(read[0], n / 16 * q.p.srcStride * 16 + q.m * 16 + n % 16);
            if (q.p.reluEn && v < C{}) v = C{};
            put<T>(written[0], n, static_cast<T>(v));
          }
        });
  }
}

}  // namespace AscendC
