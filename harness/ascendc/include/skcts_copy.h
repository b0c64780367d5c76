// DataCopy and DataCopyPad in their forms, and atomic modes.
#pragma once

#include "harness/ascendc/include/skcts_queue.h"

namespace AscendC {

struct DataCopyParams {
  std::uint16_t blockCount = 1, blockLen = 0, srcStride = 0, dstStride = 0;
  DataCopyParams() = default;
  DataCopyParams(std::uint16_t c, std::uint16_t l, std::uint16_t s, std::uint16_t d)
      : blockCount(c), blockLen(l), srcStride(s), dstStride(d) {}
};
struct DataCopyExtParams {
  std::uint16_t blockCount = 1;
  std::uint32_t blockLen = 0;
  std::int64_t srcStride = 0, dstStride = 0;
  std::uint32_t rsv = 0;
  DataCopyExtParams() = default;
  DataCopyExtParams(std::uint16_t c, std::uint32_t l, std::int64_t s, std::int64_t d,
                    std::uint32_t r)
      : blockCount(c), blockLen(l), srcStride(s), dstStride(d), rsv(r) {}
};
struct DataCopyPadParams {
  bool isPad = false;
  std::uint8_t leftPadding = 0, rightPadding = 0;
  std::uint64_t paddingValue = 0;
};
template <class T>
struct DataCopyPadExtParams {
  bool isPad = false;
  std::uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue{};
  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool p, std::uint8_t l, std::uint8_t r, T v)
      : isPad(p), leftPadding(l), rightPadding(r), paddingValue(v) {}
};
struct DataCopyEnhancedParams {};
struct Nd2NzParams {
  std::uint16_t ndNum = 1, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcDValue = 0,
                dstNzC0Stride = 0, dstNzNStride = 1, dstNzMatrixStride = 0;
  Nd2NzParams() = default;
  Nd2NzParams(std::uint16_t a, std::uint16_t b, std::uint16_t c, std::uint16_t d, std::uint16_t e,
              std::uint16_t f, std::uint16_t g, std::uint16_t h)
      : ndNum(a),
        nValue(b),
        dValue(c),
        srcNdMatrixStride(d),
        srcDValue(e),
        dstNzC0Stride(f),
        dstNzNStride(g),
        dstNzMatrixStride(h) {}
};

/// One block of bytes between GM or a local memory and another; padding around it.
struct MoveWork {
  std::uint32_t bytes, left, right;
  unsigned char pad[8];
  std::uint8_t pad_bytes;
};
inline void do_move(const void* a, const unsigned char* const* read,
                    unsigned char* const* written) {
  const auto& work = *static_cast<const MoveWork*>(a);
  std::memcpy(written[0] + work.left, read[0], work.bytes);
  for (std::uint32_t i = 0; i < work.left; ++i) written[0][i] = work.pad[i % work.pad_bytes];
  for (std::uint32_t i = 0; i < work.right; ++i)
    written[0][work.left + work.bytes + i] = work.pad[i % work.pad_bytes];
}
template <class T, skcts_facade::Atomic atomic>
void do_combine(const void* a, const unsigned char* const* read, unsigned char* const* written) {
  const std::uint32_t bytes = *static_cast<const std::uint32_t*>(a);
  for (std::uint32_t at = 0; at < bytes; at += sizeof(T)) {
    T old, with;
    std::memcpy(&old, written[0] + at, sizeof(T));
    std::memcpy(&with, read[0] + at, sizeof(T));
    if constexpr (atomic == skcts_facade::Atomic::add) old = static_cast<T>(old + with);
    if constexpr (atomic == skcts_facade::Atomic::max) old = with > old ? with : old;
    if constexpr (atomic == skcts_facade::Atomic::min) old = with < old ? with : old;
    std::memcpy(written[0] + at, &old, sizeof(T));
  }
}

/// One block to GM, in the atomic mode as it stands.
template <class T>
void store_block(skcts_facade::Stretch to, skcts_facade::Stretch from,
                 skcts_facade::DevicePipe pipe) {
  using skcts_facade::Atomic, skcts_facade::Combine;
  auto& device = skcts_facade::device();
  const Atomic atomic = skcts_facade::state().atomic;
  const bool whole = from.bytes % 32 == 0 && to.at % 4 == 0 && from.at % 32 == 0;
  skcts_facade::pipe_has_work(pipe);
  if (atomic == Atomic::none && whole) return device.copy(to, from, Combine::replace);
  if (atomic == Atomic::add && whole && std::is_integral_v<T> && sizeof(T) == 4) {
    return device.copy(to, from, Combine::add_int32);
  }
  if (atomic == Atomic::none) {
    return skcts_facade::run_step("DataCopyPad", pipe, {from}, {to},
                                  MoveWork{from.bytes, 0, 0, {}, 1}, do_move);
  }
  const auto function = atomic == Atomic::add   ? do_combine<T, Atomic::add>
                        : atomic == Atomic::max ? do_combine<T, Atomic::max>
                                                : do_combine<T, Atomic::min>;
  skcts_facade::run_step("DataCopy with an atomic mode", pipe, {from}, {to}, from.bytes, function);
}
inline void load_block(skcts_facade::Stretch to, skcts_facade::Stretch from) {
  const bool whole = from.bytes % 32 == 0 && from.at % 4 == 0 && to.at % 32 == 0;
  skcts_facade::pipe_has_work(skcts_facade::DevicePipe::mte2);
  if (whole) return skcts_facade::device().copy(to, from, skcts_facade::Combine::replace);
  skcts_facade::run_step("DataCopyPad", skcts_facade::DevicePipe::mte2, {from}, {to},
                         MoveWork{from.bytes, 0, 0, {}, 1}, do_move);
}
inline skcts_facade::DevicePipe store_pipe(skcts_facade::Memory memory) {
  return memory == skcts_facade::Memory::l0c ? skcts_facade::DevicePipe::fix
                                             : skcts_facade::DevicePipe::mte3;
}
template <class T>
constexpr std::uint32_t whole_blocks(std::uint32_t count) {
  return static_cast<std::uint32_t>(count * sizeof(T)) / 32 * 32;
}

template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const std::uint32_t count) {
  load_block(dst.bytes(0, whole_blocks<T>(count)), src.bytes(0, whole_blocks<T>(count)));
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count) {
  store_block<T>(dst.bytes(0, whole_blocks<T>(count)), src.bytes(0, whole_blocks<T>(count)),
                 store_pipe(src.memory_));
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t count) {
  const std::uint32_t bytes = whole_blocks<T>(count);
  skcts_facade::run_step("DataCopy", skcts_facade::DevicePipe::v, {src.bytes(0, bytes)},
                         {dst.bytes(0, bytes)}, MoveWork{bytes, 0, 0, {}, 1}, do_move);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p) {
  for (std::uint32_t i = 0; i < p.blockCount; ++i) {
    load_block(dst.bytes(i * 32u * (p.blockLen + p.dstStride), p.blockLen * 32u),
               src.bytes(i * 32u * (p.blockLen + p.srcStride), p.blockLen * 32u));
  }
}
template <class T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p) {
  for (std::uint32_t i = 0; i < p.blockCount; ++i) {
    store_block<T>(dst.bytes(i * 32u * (p.blockLen + p.dstStride), p.blockLen * 32u),
                   src.bytes(i * 32u * (p.blockLen + p.srcStride), p.blockLen * 32u),
                   store_pipe(src.memory_));
  }
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p) {
  for (std::uint32_t i = 0; i < p.blockCount; ++i) {
    skcts_facade::run_step("DataCopy", skcts_facade::DevicePipe::v,
                           {src.bytes(i * 32u * (p.blockLen + p.srcStride), p.blockLen * 32u)},
                           {dst.bytes(i * 32u * (p.blockLen + p.dstStride), p.blockLen * 32u)},
                           MoveWork{p.blockLen * 32u, 0, 0, {}, 1}, do_move);
  }
}

template <class T, class Pad>
void load_padded(const LocalTensor<T>& dst, const GlobalTensor<T>& src, std::uint32_t count,
                 std::uint32_t bytes, std::int64_t src_gap, std::int64_t dst_gap, const Pad& pad) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t left =
        pad.isPad ? pad.leftPadding * static_cast<std::uint32_t>(sizeof(T)) : 0;
    const std::uint32_t filled = (left + bytes + 31) / 32 * 32;
    const std::uint64_t to = i * (filled + static_cast<std::uint64_t>(dst_gap) * 32);
    const skcts_facade::Stretch from =
        src.bytes(i * (bytes + static_cast<std::uint64_t>(src_gap)), bytes);
    if (left == 0 && filled == bytes && from.at % 4 == 0) {
      load_block(dst.bytes(to, bytes), from);
      continue;
    }
    MoveWork work{bytes, left, filled - left - bytes, {}, sizeof(T)};
    const T value = static_cast<T>(pad.paddingValue);
    if (pad.isPad) std::memcpy(work.pad, &value, sizeof(T));
    skcts_facade::run_step("DataCopyPad", skcts_facade::DevicePipe::mte2, {from},
                           {dst.bytes(to, filled)}, work, do_move);
  }
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& p,
                 const DataCopyPadExtParams<T>& pad) {
  load_padded(dst, src, p.blockCount, p.blockLen, p.srcStride, p.dstStride, pad);
}
template <class T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p,
                 const DataCopyPadParams& pad) {
  load_padded(dst, src, p.blockCount, p.blockLen, p.srcStride, p.dstStride, pad);
}
template <class T, class Params>
void store_padded(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Params& p) {
  for (std::uint32_t i = 0; i < p.blockCount; ++i) {
    const std::uint64_t filled = (p.blockLen + 31) / 32 * 32;
    store_block<T>(
        dst.bytes(i * (p.blockLen + static_cast<std::uint64_t>(p.dstStride)), p.blockLen),
        src.bytes(i * (filled + static_cast<std::uint64_t>(p.srcStride) * 32), p.blockLen),
        skcts_facade::DevicePipe::mte3);
  }
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
                 const DataCopyExtParams& p) {
  store_padded(dst, src, p);
}
template <class T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p) {
  store_padded(dst, src, p);
}

}  // namespace AscendC
