// Words of the language and plain types: modifiers, half, bfloat16, enumerations.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

#define __global__
#define __aicore__
#define __vector__
#define __cube__
#define __mix__(...)
#define __schedmode__(...)
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __sync_noalias__
#define __sync_alias__
#define __inout_pipe__(...)
#define GM_ADDR __gm__ std::uint8_t*
#define KERNEL_TASK_TYPE_DEFAULT(...) static_cast<void>(0)
#define KERNEL_TASK_TYPE(...) static_cast<void>(0)

using std::int16_t, std::int32_t, std::int64_t, std::int8_t;
using std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;

using half = _Float16;
using float16_t = half;
using float32_t = float;

/// The upper half of a float, rounded to nearest even.
struct bfloat16_t {
  std::uint16_t bits = 0;
  bfloat16_t() = default;
  template <class T, class = std::enable_if_t<std::is_convertible_v<T, float>>>
  bfloat16_t(T value) {
    const float as_float = static_cast<float>(value);
    std::uint32_t word;
    std::memcpy(&word, &as_float, 4);
    const bool nan = (word & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<std::uint16_t>(nan ? (word >> 16) | 0x40u
                                          : (word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
  operator float() const {
    const std::uint32_t word = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &word, 4);
    return value;
  }
};

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };
enum event_t {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7
};

namespace AscendC {

using TEventID = std::int8_t;
constexpr std::uint32_t ONE_BLK_SIZE = 32;
constexpr std::uint32_t DEFAULT_C0_SIZE = 32;
constexpr std::uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr std::uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr std::uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr std::uint8_t DEFAULT_BLK_NUM = 8;
constexpr std::int32_t BLOCK_CUBE = 16;
constexpr std::uint64_t MASK_PLACEHOLDER = 0;
#define MASK_PLACEHOLDER_LIST \
  { 0, 0 }

enum class TPosition : std::uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX
};
using QuePosition = TPosition;

enum class HardEvent : std::uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  V_V,
  MTE3_MTE1,
  MTE1_MTE3,
  MTE1_V,
  MTE2_M,
  M_MTE2,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE2,
  MTE2_MTE3,
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  S_FIX,
  M_S,
  S_M,
  FIX_MTE3,
  MTE3_FIX,
  MTE1_FIX,
  FIX_MTE1,
  FIX_FIX,
  MAX
};

enum class CacheLine : std::uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : std::uint64_t {
  CACHELINE_ALL = 0,
  CACHELINE_UB,
  CACHELINE_OUT,
  CACHELINE_ATOMIC
};
enum class MemDsbT : std::uint64_t { ALL = 0, DDR, UB, SEQ };
enum class CMPMODE : std::uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : std::uint8_t {
  VSEL_CMPMASK_SPR = 0,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE
};
enum class RoundMode : std::uint8_t {
  CAST_NONE = 0,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD
};
enum class MaskMode : std::uint8_t { NORMAL = 0, COUNTER };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2 };
enum class AtomicDtype {
  ATOMIC_NONE = 0,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16
};
enum class ReduceOrder {
  ORDER_VALUE_INDEX = 0,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX
};
enum class pad_t : std::uint8_t { PAD_NONE = 0 };
enum QuantMode_t { NoQuant = 0, F322F16 = 1, F322BF16 = 16 };

template <class T, class U>
constexpr auto CeilDivision(T a, U b) {
  return b == 0 ? a : (a + b - 1) / b;
}
template <class T, class U>
constexpr auto AlignUp(T a, U b) {
  return (a + b - 1) / b * b;
}

}  // namespace AscendC
