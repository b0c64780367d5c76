// Vector computation: element by element, by count, or by mask and repeats.
#pragma once

#include "harness/ascendc/include/skcts_copy.h"

namespace AscendC {

struct UnaryRepeatParams {
  std::uint16_t dstBlkStride = 1, srcBlkStride = 1, dstRepStride = 8, srcRepStride = 8;
  UnaryRepeatParams() = default;
  UnaryRepeatParams(std::uint16_t a, std::uint16_t b, std::uint8_t c, std::uint8_t d)
      : dstBlkStride(a), srcBlkStride(b), dstRepStride(c), srcRepStride(d) {}
};
struct BinaryRepeatParams {
  std::uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1, dstRepStride = 8,
               src0RepStride = 8, src1RepStride = 8;
  BinaryRepeatParams() = default;
  BinaryRepeatParams(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d, std::uint8_t e,
                     std::uint8_t f)
      : dstBlkStride(a),
        src0BlkStride(b),
        src1BlkStride(c),
        dstRepStride(d),
        src0RepStride(e),
        src1RepStride(f) {}
};
struct CopyRepeatParams {
  std::uint16_t dstStride = 1, srcStride = 1, dstRepeatSize = 8, srcRepeatSize = 8;
  CopyRepeatParams() = default;
  CopyRepeatParams(std::uint16_t a, std::uint16_t b, std::uint16_t c, std::uint16_t d)
      : dstStride(a), srcStride(b), dstRepeatSize(c), srcRepeatSize(d) {}
};

/// Which elements a vector step works on. `lane_bytes` is the widest of its types.
struct Lanes {
  std::uint32_t count = 0;  ///< By count, when there are no repeats.
  std::uint32_t repeats = 0, lanes = 0, per_block = 0;
  std::uint64_t low = ~std::uint64_t{0}, high = ~std::uint64_t{0};
  std::uint16_t block[3] = {1, 1, 1}, repeat[3] = {8, 8, 8};

  template <class T>
  std::uint64_t place(int operand, std::uint32_t r, std::uint32_t lane) const {
    const std::uint64_t elements = 32 / sizeof(T);
    return r * std::uint64_t{repeat[operand]} * elements +
           lane / per_block * std::uint64_t{block[operand]} * elements + lane % per_block;
  }
  bool on(std::uint32_t lane) const {
    return ((lane < 64 ? low >> lane : high >> (lane - 64)) & 1u) != 0;
  }
  template <class T>
  skcts_facade::Stretch reach(const LocalTensor<T>& tensor, int operand) const {
    if (repeats == 0) return tensor.stretch(0, count);
    std::uint32_t last = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
      if (on(lane)) last = lane;
    return tensor.stretch(0, place<T>(operand, repeats - 1, last) + 1);
  }
};
inline Lanes by_count(std::uint32_t count) {
  Lanes l;
  l.count = count;
  return l;
}
template <class T>
Lanes by_mask(std::uint64_t low, std::uint64_t high, std::uint8_t repeats) {
  Lanes l;
  l.repeats = repeats;
  l.per_block = 32 / sizeof(T);
  l.lanes = 8 * l.per_block > 128 ? 128 : 8 * l.per_block;
  l.low = low;
  l.high = high;
  return l;
}
/// The mask of the first lanes, so many: its lower and its upper half.
inline std::uint64_t low_of(std::uint64_t lanes) {
  return lanes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
}
inline std::uint64_t high_of(std::uint64_t lanes) {
  return lanes > 64 ? low_of(lanes - 64) : 0;
}
template <class T>
Lanes by_mask(std::uint64_t mask, std::uint8_t repeats) {
  if (mask == 0)
    return by_mask<T>(skcts_facade::state().mask_low, skcts_facade::state().mask_high, repeats);
  return by_mask<T>(low_of(mask), high_of(mask), repeats);
}
inline Lanes strided(Lanes l, const UnaryRepeatParams& p) {
  l.block[0] = p.dstBlkStride;
  l.block[1] = p.srcBlkStride;
  l.repeat[0] = p.dstRepStride;
  l.repeat[1] = p.srcRepStride;
  return l;
}
inline Lanes strided(Lanes l, const BinaryRepeatParams& p) {
  l.block[0] = p.dstBlkStride;
  l.block[1] = p.src0BlkStride;
  l.block[2] = p.src1BlkStride;
  l.repeat[0] = p.dstRepStride;
  l.repeat[1] = p.src0RepStride;
  l.repeat[2] = p.src1RepStride;
  return l;
}
/// Calls f(dst, a, b) with the places of each element that the step works on.
template <class D, class A, class B, class F>
void for_lanes(const Lanes& l, F f) {
  if (l.repeats == 0) {
    for (std::uint32_t i = 0; i < l.count; ++i) f(i, i, i);
    return;
  }
  for (std::uint32_t r = 0; r < l.repeats; ++r) {
    for (std::uint32_t lane = 0; lane < l.lanes; ++lane) {
      if (l.on(lane)) f(l.place<D>(0, r, lane), l.place<A>(1, r, lane), l.place<B>(2, r, lane));
    }
  }
}
template <class T>
T element(const unsigned char* bytes, std::uint64_t i) {
  T v;
  std::memcpy(&v, bytes + i * sizeof(T), sizeof(T));
  return v;
}
template <class T>
void put(unsigned char* bytes, std::uint64_t i, T v) {
  std::memcpy(bytes + i * sizeof(T), &v, sizeof(T));
}
/// Arithmetic of half is that of float, rounded once; integers wrap.
template <class T>
auto wide(T v) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(v);
  else
    return static_cast<float>(v);
}

template <class T, class Scalar>
struct ScalarWork {
  Lanes lanes;
  Scalar scalar;
};

template <class D, class A, class F>
void unary(const char* name, const LocalTensor<D>& dst, const LocalTensor<A>& src,
           const Lanes& lanes, F) {
  skcts_facade::run_step(
      name, skcts_facade::DevicePipe::v, {lanes.reach(src, 1)}, {lanes.reach(dst, 0)}, lanes,
      [](const void* a, const unsigned char* const* read, unsigned char* const* written) {
        for_lanes<D, A, A>(*static_cast<const Lanes*>(a), [&](auto d, auto s, auto) {
          put<D>(written[0], d, static_cast<D>(F()(element<A>(read[0], s))));
        });
      });
}
template <class D, class T, class F>
void binary(const char* name, const LocalTensor<D>& dst, const LocalTensor<T>& a0,
            const LocalTensor<T>& a1, const Lanes& lanes, F) {
  skcts_facade::run_step(
      name, skcts_facade::DevicePipe::v, {lanes.reach(a0, 1), lanes.reach(a1, 2)},
      {lanes.reach(dst, 0)}, lanes,
      [](const void* a, const unsigned char* const* read, unsigned char* const* written) {
        for_lanes<D, T, T>(*static_cast<const Lanes*>(a), [&](auto d, auto x, auto y) {
          put<D>(written[0], d,
                 static_cast<D>(F()(element<T>(read[0], x), element<T>(read[1], y),
                                    element<D>(written[0], d))));
        });
      });
}
template <class T, class F>
void with_scalar(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src, T scalar,
                 const Lanes& lanes, F) {
  using Work = ScalarWork<T, T>;
  skcts_facade::run_step(
      name, skcts_facade::DevicePipe::v, {lanes.reach(src, 1)}, {lanes.reach(dst, 0)},
      Work{lanes, scalar},
      [](const void* a, const unsigned char* const* read, unsigned char* const* written) {
        const auto& work = *static_cast<const Work*>(a);
        for_lanes<T, T, T>(work.lanes, [&](auto d, auto s, auto) {
          put<T>(
              written[0], d,
              static_cast<T>(F()(element<T>(read[0], s), work.scalar, element<T>(written[0], d))));
        });
      });
}

#define SKCTS_BINARY(Name, expression)                                                         \
  struct Name##Work {                                                                          \
    template <class T, class D>                                                                \
    auto operator()(T a, T b, D old) const {                                                   \
      (void)old;                                                                               \
      return expression;                                                                       \
    }                                                                                          \
  };                                                                                           \
  template <class D, class T>                                                                  \
  void Name(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            const std::int32_t& count) {                                                       \
    binary(#Name, dst, src0, src1, by_count(static_cast<std::uint32_t>(count)), Name##Work{}); \
  }                                                                                            \
  template <class D, class T, bool isSetMask = true>                                           \
  void Name(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            std::uint64_t mask, const std::uint8_t repeat, const BinaryRepeatParams& p) {      \
    binary(#Name, dst, src0, src1, strided(by_mask<T>(mask, repeat), p), Name##Work{});        \
  }                                                                                            \
  template <class D, class T, bool isSetMask = true>                                           \
  void Name(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
            std::uint64_t mask[], const std::uint8_t repeat, const BinaryRepeatParams& p) {    \
    binary(#Name, dst, src0, src1, strided(by_mask<T>(mask[0], mask[1], repeat), p),           \
           Name##Work{});                                                                      \
  }
#define SKCTS_UNARY(Name, expression)                                                          \
  struct Name##Work {                                                                          \
    template <class T>                                                                         \
    auto operator()(T a) const {                                                               \
      return expression;                                                                       \
    }                                                                                          \
  };                                                                                           \
  template <class T>                                                                           \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t& count) { \
    unary(#Name, dst, src, by_count(static_cast<std::uint32_t>(count)), Name##Work{});         \
  }                                                                                            \
  template <class T, bool isSetMask = true>                                                    \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint64_t mask,          \
            const std::uint8_t repeat, const UnaryRepeatParams& p) {                           \
    unary(#Name, dst, src, strided(by_mask<T>(mask, repeat), p), Name##Work{});                \
  }                                                                                            \
  template <class T, bool isSetMask = true>                                                    \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint64_t mask[],        \
            const std::uint8_t repeat, const UnaryRepeatParams& p) {                           \
    unary(#Name, dst, src, strided(by_mask<T>(mask[0], mask[1], repeat), p), Name##Work{});    \
  }
#define SKCTS_SCALAR_MASKED(Name)                                                              \
  template <class T, class U, bool isSetMask = true>                                           \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar,             \
            std::uint64_t mask, const std::uint8_t repeat, const UnaryRepeatParams& p) {       \
    with_scalar(#Name, dst, src, static_cast<T>(scalar), strided(by_mask<T>(mask, repeat), p), \
                Name##Work{});                                                                 \
  }                                                                                            \
  template <class T, class U, bool isSetMask = true>                                           \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar,             \
            std::uint64_t mask[], const std::uint8_t repeat, const UnaryRepeatParams& p) {     \
    with_scalar(#Name, dst, src, static_cast<T>(scalar),                                       \
                strided(by_mask<T>(mask[0], mask[1], repeat), p), Name##Work{});               \
  }
#define SKCTS_SCALAR(Name, expression)                                             \
  struct Name##Work {                                                              \
    template <class T>                                                             \
    auto operator()(T a, T b, T old) const {                                       \
      (void)old;                                                                   \
      return expression;                                                           \
    }                                                                              \
  };                                                                               \
  template <class T, class U, bool isSetMask = true>                               \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar, \
            const std::int32_t& count) {                                           \
    with_scalar(#Name, dst, src, static_cast<T>(scalar),                           \
                by_count(static_cast<std::uint32_t>(count)), Name##Work{});        \
  }                                                                                \
  SKCTS_SCALAR_MASKED(Name)

template <class T>
constexpr bool is_word = std::is_integral_v<T> && sizeof(T) == 4;

struct AddWork {
  template <class T, class D>
  auto operator()(T a, T b, D) const {
    return wide(a) + wide(b);
  }
};
template <class T>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const std::int32_t& count) {
  if constexpr (is_word<T>) {
    const auto n = static_cast<std::uint64_t>(count);
    const skcts_facade::Stretch reads[] = {src0.stretch(0, n), src1.stretch(0, n)},
                                writes[] = {dst.stretch(0, n)};
    skcts_facade::before_vector(reads, 2, writes, 1);
    skcts_facade::device().add(writes[0], reads[0], reads[1]);
  } else {
    binary("Add", dst, src0, src1, by_count(static_cast<std::uint32_t>(count)), AddWork{});
  }
}
template <class T, bool isSetMask = true>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         std::uint64_t mask, const std::uint8_t repeat, const BinaryRepeatParams& p) {
  binary("Add", dst, src0, src1, strided(by_mask<T>(mask, repeat), p), AddWork{});
}
template <class T, bool isSetMask = true>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         std::uint64_t mask[], const std::uint8_t repeat, const BinaryRepeatParams& p) {
  binary("Add", dst, src0, src1, strided(by_mask<T>(mask[0], mask[1], repeat), p), AddWork{});
}
SKCTS_BINARY(Sub, wide(a) - wide(b))
SKCTS_BINARY(Mul, wide(a) * wide(b))
SKCTS_BINARY(Div, wide(a) / wide(b))
SKCTS_BINARY(Max, (a > b ? a : b))
SKCTS_BINARY(Min, (a < b ? a : b))
SKCTS_BINARY(And, static_cast<T>(a& b))
SKCTS_BINARY(Or, static_cast<T>(a | b))
SKCTS_BINARY(AddRelu,
             (static_cast<T>(wide(a) + wide(b)) > T(0) ? static_cast<T>(wide(a) + wide(b)) : T(0)))
SKCTS_BINARY(SubRelu,
             (static_cast<T>(wide(a) - wide(b)) > T(0) ? static_cast<T>(wide(a) - wide(b)) : T(0)))
SKCTS_BINARY(MulAddDst, wide(a) * wide(b) + wide(old))
SKCTS_BINARY(FusedMulAdd, wide(a) * wide(old) + wide(b))
SKCTS_UNARY(Exp, std::exp(static_cast<float>(a)))
SKCTS_UNARY(Ln, std::log(static_cast<float>(a)))
SKCTS_UNARY(Abs, (a < T(0) ? static_cast<T>(T(0) - a) : a))
SKCTS_UNARY(Reciprocal, 1.0f / static_cast<float>(a))
SKCTS_UNARY(Sqrt, std::sqrt(static_cast<float>(a)))
SKCTS_UNARY(Rsqrt, 1.0f / std::sqrt(static_cast<float>(a)))
SKCTS_UNARY(Relu, (a > T(0) ? a : T(0)))
SKCTS_UNARY(Not, static_cast<T>(~a))
SKCTS_UNARY(Neg, static_cast<T>(T(0) - a))
SKCTS_UNARY(Tanh, std::tanh(static_cast<float>(a)))
SKCTS_UNARY(Sigmoid, 1.0f / (1.0f + std::exp(-static_cast<float>(a))))
SKCTS_SCALAR(Muls, wide(a) * wide(b))
SKCTS_SCALAR(Maxs, (a > b ? a : b))
SKCTS_SCALAR(Mins, (a < b ? a : b))
SKCTS_SCALAR(LeakyRelu, (a > T(0) ? wide(a) : wide(a) * wide(b)))
SKCTS_SCALAR(ShiftLeft, static_cast<T>(a << b))
SKCTS_SCALAR(ShiftRight, static_cast<T>(a >> b))
SKCTS_SCALAR(Axpy, wide(a) * wide(b) + wide(old))

struct AddsWork {
  template <class T>
  auto operator()(T a, T b, T) const {
    return wide(a) + wide(b);
  }
};
template <class T, class U, bool isSetMask = true>
void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalar,
          const std::int32_t& count) {
  if constexpr (is_word<T>) {
    const skcts_facade::Stretch read = src.stretch(0, static_cast<std::uint64_t>(count)),
                                write = dst.stretch(0, static_cast<std::uint64_t>(count));
    skcts_facade::before_vector(&read, 1, &write, 1);
    skcts_facade::device().adds(write, read, static_cast<std::uint32_t>(static_cast<T>(scalar)));
  } else {
    with_scalar("Adds", dst, src, static_cast<T>(scalar),
                by_count(static_cast<std::uint32_t>(count)), AddsWork{});
  }
}
SKCTS_SCALAR_MASKED(Adds)

template <class T>
void fill(const LocalTensor<T>& dst, T scalar, const Lanes& lanes) {
  using Work = ScalarWork<T, T>;
  skcts_facade::run_step(
      "Duplicate", skcts_facade::DevicePipe::v, {}, {lanes.reach(dst, 0)}, Work{lanes, scalar},
      [](const void* a, const unsigned char* const*, unsigned char* const* written) {
        const auto& work = *static_cast<const Work*>(a);
        for_lanes<T, T, T>(work.lanes,
                           [&](auto d, auto, auto) { put<T>(written[0], d, work.scalar); });
      });
}
template <class T>
void Duplicate(const LocalTensor<T>& dst, const std::type_identity_t<T>& scalar,
               const std::int32_t& count) {
  if constexpr (sizeof(T) == 4) {
    const skcts_facade::Stretch write = dst.stretch(0, static_cast<std::uint64_t>(count));
    skcts_facade::before_vector(nullptr, 0, &write, 1);
    skcts_facade::device().duplicate(write,
                                     skcts_facade::bits_as<std::uint32_t>(static_cast<T>(scalar)));
  } else {
    fill(dst, static_cast<T>(scalar), by_count(static_cast<std::uint32_t>(count)));
  }
}
template <class T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const std::type_identity_t<T>& scalar, std::uint64_t mask,
               const std::uint8_t repeat, const std::uint16_t block, const std::uint8_t rep) {
  fill(dst, static_cast<T>(scalar),
       strided(by_mask<T>(mask, repeat), UnaryRepeatParams(block, block, rep, rep)));
}
template <class T, bool isSetMask = true>
void Duplicate(const LocalTensor<T>& dst, const std::type_identity_t<T>& scalar,
               std::uint64_t mask[], const std::uint8_t repeat, const std::uint16_t block,
               const std::uint8_t rep) {
  fill(dst, static_cast<T>(scalar),
       strided(by_mask<T>(mask[0], mask[1], repeat), UnaryRepeatParams(block, block, rep, rep)));
}
template <class T, bool isSetMask = true>
void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint64_t mask,
          const std::uint8_t repeat, const CopyRepeatParams& p) {
  UnaryRepeatParams u;
  u.dstBlkStride = p.dstStride;
  u.srcBlkStride = p.srcStride;
  u.dstRepStride = p.dstRepeatSize;
  u.srcRepStride = p.srcRepeatSize;
  struct Same {
    T operator()(T a) const { return a; }
  };
  unary("Copy", dst, src, strided(by_mask<T>(mask, repeat), u), Same{});
}

/// Rounds as the mode says and keeps inside the range of an integer type.
template <class D, class S>
D converted(S from, RoundMode mode) {
  if constexpr (!std::is_integral_v<D>) {
    return static_cast<D>(static_cast<float>(from));
  } else if constexpr (std::is_integral_v<S>) {
    return static_cast<D>(from);
  } else {
    double v = static_cast<double>(static_cast<float>(from));
    switch (mode) {
      case RoundMode::CAST_FLOOR: v = std::floor(v); break;
      case RoundMode::CAST_CEIL: v = std::ceil(v); break;
      case RoundMode::CAST_ROUND: v = std::round(v); break;
      case RoundMode::CAST_TRUNC: v = std::trunc(v); break;
      default: v = std::nearbyint(v); break;
    }
    constexpr double low = static_cast<double>(std::numeric_limits<D>::min()),
                     high = static_cast<double>(std::numeric_limits<D>::max());
    return v != v      ? D(0)
           : v <= low  ? std::numeric_limits<D>::min()
           : v >= high ? std::numeric_limits<D>::max()
                       : static_cast<D>(v);
  }
}
template <class D, class S>
void cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, RoundMode mode,
          const Lanes& lanes) {
  using Work = ScalarWork<D, RoundMode>;
  skcts_facade::run_step(
      "Cast", skcts_facade::DevicePipe::v, {lanes.reach(src, 1)}, {lanes.reach(dst, 0)},
      Work{lanes, mode},
      [](const void* a, const unsigned char* const* read, unsigned char* const* written) {
        const auto& work = *static_cast<const Work*>(a);
        for_lanes<D, S, S>(work.lanes, [&](auto d, auto s, auto) {
          put<D>(written[0], d, converted<D>(element<S>(read[0], s), work.scalar));
        });
      });
}
template <class D, class S>
void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, const RoundMode& mode,
          const std::uint32_t count) {
  cast(dst, src, mode, by_count(count));
}
template <class D, class S, bool isSetMask = true>
void Cast(const LocalTensor<D>& dst, const LocalTensor<S>& src, const RoundMode& mode,
          const std::uint64_t mask, const std::uint8_t repeat, const UnaryRepeatParams& p) {
  using Wide = std::conditional_t<(sizeof(D) > sizeof(S)), D, S>;
  cast(dst, src, mode, strided(by_mask<Wide>(mask, repeat), p));
}

/// A fold of `count` elements into one (and the place of the winner behind it).
template <int kind>
struct FoldWork {
  std::uint32_t count;
  bool index;
};
template <class T, int kind>
void do_fold(const void* a, const unsigned char* const* read, unsigned char* const* written) {
  const auto& work = *static_cast<const FoldWork<kind>*>(a);
  std::uint32_t at = 0;
  T best = element<T>(read[0], 0);
  float sum = 0;
  for (std::uint32_t i = 0; i < work.count; ++i) {
    const T v = element<T>(read[0], i);
    sum += static_cast<float>(v);
    if ((kind == 1 && v > best) || (kind == 2 && v < best)) {
      best = v;
      at = i;
    }
  }
  put<T>(written[0], 0, kind == 0 ? static_cast<T>(sum) : best);
  if (work.index) {
    if constexpr (sizeof(T) == 2)
      put<std::uint16_t>(written[0], 1, static_cast<std::uint16_t>(at));
    else
      put<std::uint32_t>(written[0], 1, at);
  }
}
template <int kind, class T>
void fold(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
          std::uint32_t count, bool index) {
  skcts_facade::run_step(name, skcts_facade::DevicePipe::v, {src.stretch(0, count)},
                         {dst.stretch(0, index ? 2 : 1)}, FoldWork<kind>{count, index},
                         do_fold<T, kind>);
}
template <class T>
void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work,
               const std::int32_t count) {
  (void)work;
  fold<0>("ReduceSum", dst, src, static_cast<std::uint32_t>(count), false);
}
template <class T>
void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work,
               const std::int32_t count, bool index = false) {
  (void)work;
  fold<1>("ReduceMax", dst, src, static_cast<std::uint32_t>(count), index);
}
template <class T>
void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work,
               const std::int32_t count, bool index = false) {
  (void)work;
  fold<2>("ReduceMin", dst, src, static_cast<std::uint32_t>(count), index);
}

/// Each repeat (or each block of it) folded into one element. `step`: results between repeats, or
/// blocks of results.
template <class T, int kind, bool by_block>
void fold_repeats(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                  std::int32_t mask, std::int32_t repeat, std::int32_t dst_step,
                  std::int32_t src_block, std::int32_t src_repeat) {
  struct Work {
    Lanes lanes;
    std::uint32_t step;
  };
  constexpr std::uint32_t blocks = by_block ? 8 : 1;
  const Lanes lanes =
      strided(by_mask<T>(static_cast<std::uint64_t>(mask), static_cast<std::uint8_t>(repeat)),
              UnaryRepeatParams(1, static_cast<std::uint16_t>(src_block), 8,
                                static_cast<std::uint8_t>(src_repeat)));
  const std::uint32_t step = static_cast<std::uint32_t>(dst_step) * blocks;
  const std::uint64_t last = (lanes.repeats - 1) * std::uint64_t{step} + blocks;
  skcts_facade::run_step(
      name, skcts_facade::DevicePipe::v, {lanes.reach(src, 1)}, {dst.stretch(0, last)},
      Work{lanes, step},
      [](const void* a, const unsigned char* const* read, unsigned char* const* written) {
        const auto& w = *static_cast<const Work*>(a);
        for (std::uint32_t r = 0; r < w.lanes.repeats; ++r) {
          for (std::uint32_t b = 0; b < blocks; ++b) {
            bool any = false;
            float result = 0;
            const std::uint32_t from = by_block ? b * w.lanes.per_block : 0,
                                to = by_block ? from + w.lanes.per_block : w.lanes.lanes;
            for (std::uint32_t lane = from; lane < to && lane < w.lanes.lanes; ++lane) {
              if (!w.lanes.on(lane)) continue;
              const auto v =
                  static_cast<float>(element<T>(read[0], w.lanes.template place<T>(1, r, lane)));
              result = !any        ? v
                       : kind == 0 ? result + v
                       : kind == 1 ? (v > result ? v : result)
                                   : (v < result ? v : result);
              any = true;
            }
            if (any) put<T>(written[0], r * std::uint64_t{w.step} + b, static_cast<T>(result));
          }
        }
      });
}
/// The order of the mask and the number of repeats is not the same in both.
#define SKCTS_FOLD_REPEATS(Name, kind)                                                      \
  template <class T, bool isSetMask = true>                                                 \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t mask,  \
            const std::int32_t repeat, const std::int32_t dstRepStride,                     \
            const std::int32_t srcBlkStride, const std::int32_t srcRepStride) {             \
    fold_repeats<T, kind, false>(#Name, dst, src, mask, repeat, dstRepStride, srcBlkStride, \
                                 srcRepStride);                                             \
  }
#define SKCTS_FOLD_BLOCKS(Name, kind)                                                        \
  template <class T, bool isSetMask = true>                                                  \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::int32_t repeat, \
            const std::int32_t mask, const std::int32_t dstRepStride,                        \
            const std::int32_t srcBlkStride, const std::int32_t srcRepStride) {              \
    fold_repeats<T, kind, true>(#Name, dst, src, mask, repeat, dstRepStride, srcBlkStride,   \
                                srcRepStride);                                               \
  }
SKCTS_FOLD_REPEATS(WholeReduceSum, 0)
SKCTS_FOLD_REPEATS(RepeatReduceSum, 0)
SKCTS_FOLD_BLOCKS(BlockReduceSum, 0)
SKCTS_FOLD_BLOCKS(BlockReduceMax, 1)
SKCTS_FOLD_BLOCKS(BlockReduceMin, 2)

template <class T>
bool holds(T a, T b, CMPMODE mode) {
  switch (mode) {
    case CMPMODE::LT: return a < b;
    case CMPMODE::GT: return a > b;
    case CMPMODE::EQ: return a == b;
    case CMPMODE::LE: return a <= b;
    case CMPMODE::GE: return a >= b;
    default: return a != b;
  }
}
template <class T>
struct CompareSpec {
  std::uint32_t count;
  CMPMODE mode;
  bool with_scalar;
  T scalar;
};
template <class T>
void do_compare(const void* a, const unsigned char* const* read, unsigned char* const* written) {
  const auto& w = *static_cast<const CompareSpec<T>*>(a);
  for (std::uint32_t i = 0; i < w.count; ++i) {
    const bool yes =
        holds(element<T>(read[0], i), w.with_scalar ? w.scalar : element<T>(read[1], i), w.mode);
    const auto bit = static_cast<unsigned char>(1u << (i % 8));
    written[0][i / 8] =
        static_cast<unsigned char>(yes ? written[0][i / 8] | bit : written[0][i / 8] & ~bit);
  }
}
template <class T, class U>
void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
             CMPMODE mode, std::uint32_t count) {
  skcts_facade::run_step(
      "Compare", skcts_facade::DevicePipe::v, {src0.stretch(0, count), src1.stretch(0, count)},
      {dst.bytes(0, (count + 7) / 8)}, CompareSpec<T>{count, mode, false, T{}}, do_compare<T>);
}
template <class T, class U>
void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src, const T scalar,
                   CMPMODE mode, std::uint32_t count) {
  skcts_facade::run_step("CompareScalar", skcts_facade::DevicePipe::v, {src.stretch(0, count)},
                         {dst.bytes(0, (count + 7) / 8)}, CompareSpec<T>{count, mode, true, scalar},
                         do_compare<T>);
}
template <class T, class U>
void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src, const T scalar, CMPMODE mode,
              std::uint32_t count) {
  CompareScalar(dst, src, scalar, mode, count);
}
template <class T>
struct SelectSpec {
  std::uint32_t count;
  bool with_scalar;
  T scalar;
};
template <class T>
void do_select(const void* a, const unsigned char* const* read, unsigned char* const* written) {
  const auto& w = *static_cast<const SelectSpec<T>*>(a);
  for (std::uint32_t i = 0; i < w.count; ++i) {
    const bool first = (read[0][i / 8] >> (i % 8) & 1) != 0;
    put<T>(written[0], i,
           first           ? element<T>(read[1], i)
           : w.with_scalar ? w.scalar
                           : element<T>(read[2], i));
  }
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& mask, const LocalTensor<T>& src0,
            const LocalTensor<T>& src1, SELMODE, std::uint32_t count) {
  skcts_facade::run_step(
      "Select", skcts_facade::DevicePipe::v,
      {mask.bytes(0, (count + 7) / 8), src0.stretch(0, count), src1.stretch(0, count)},
      {dst.stretch(0, count)}, SelectSpec<T>{count, false, T{}}, do_select<T>);
}
template <class T, class U>
void Select(const LocalTensor<T>& dst, const LocalTensor<U>& mask, const LocalTensor<T>& src0,
            T src1, SELMODE, std::uint32_t count) {
  skcts_facade::run_step("Select", skcts_facade::DevicePipe::v,
                         {mask.bytes(0, (count + 7) / 8), src0.stretch(0, count)},
                         {dst.stretch(0, count)}, SelectSpec<T>{count, true, src1}, do_select<T>);
}

template <class T>
struct RampSpec {
  T first, step;
  std::uint32_t count;
};
template <class T>
void ArithProgression(const LocalTensor<T>& dst, const std::type_identity_t<T> first,
                      const std::type_identity_t<T> step, const std::int32_t count) {
  using Work = RampSpec<T>;
  skcts_facade::run_step(
      "ArithProgression", skcts_facade::DevicePipe::v, {},
      {dst.stretch(0, static_cast<std::uint64_t>(count))},
      Work{first, step, static_cast<std::uint32_t>(count)},
      [](const void* a, const unsigned char* const*, unsigned char* const* written) {
        const auto& w = *static_cast<const Work*>(a);
        for (std::uint32_t i = 0; i < w.count; ++i)
          put<T>(written[0], i, static_cast<T>(w.first + w.step * static_cast<T>(i)));
      });
}
template <class T>
void CreateVecIndex(const LocalTensor<T>& dst, const std::type_identity_t<T>& first,
                    std::uint32_t count) {
  ArithProgression(dst, first, T(1), static_cast<std::int32_t>(count));
}
template <class T>
void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
            const LocalTensor<std::uint32_t>& offset, const std::uint32_t base,
            const std::uint32_t count) {
  struct Work {
    std::uint32_t base, count, bytes;
  };
  skcts_facade::run_step(
      "Gather", skcts_facade::DevicePipe::v, {src.bytes(0, src.bytes_), offset.stretch(0, count)},
      {dst.stretch(0, count)}, Work{base, count, src.bytes_},
      [](const void* a, const unsigned char* const* read, unsigned char* const* written) {
        const auto& w = *static_cast<const Work*>(a);
        for (std::uint32_t i = 0; i < w.count; ++i) {
          const std::uint64_t at = w.base + element<std::uint32_t>(read[1], i);
          T v{};
          if (at + sizeof(T) <= w.bytes) std::memcpy(&v, read[0] + at, sizeof(T));
          put<T>(written[0], i, v);
        }
      });
}
template <class T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src) {
  static_assert(
      sizeof(T) == 2,
      "Transpose of other than 16-bit elements is not in the facade (see docs/ascendc.md)");
  skcts_facade::run_step(
      "Transpose", skcts_facade::DevicePipe::v, {src.stretch(0, 256)}, {dst.stretch(0, 256)}, 0,
      [](const void*, const unsigned char* const* read, unsigned char* const* written) {
        for (int i = 0; i < 256; ++i)
          put<T>(written[0], static_cast<std::uint64_t>(i % 16 * 16 + i / 16),
                 element<T>(read[0], static_cast<std::uint64_t>(i)));
      });
}

template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(const std::uint64_t high, const std::uint64_t low) {
  skcts_facade::state().mask_high = high;
  skcts_facade::state().mask_low = low;
}
template <class T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(std::int32_t length) {
  const auto lanes = static_cast<std::uint64_t>(length < 0 ? 0 : length);
  skcts_facade::state().mask_low = low_of(lanes);
  skcts_facade::state().mask_high = high_of(lanes);
}
inline void ResetMask() {
  skcts_facade::state().mask_low = skcts_facade::state().mask_high = ~std::uint64_t{0};
}
inline void SetMaskNorm() {}  // SetMaskCount is not in the facade

}  // namespace AscendC
