// GlobalTensor and LocalTensor.
#pragma once

#include "harness/ascendc/include/skcts_core.h"

namespace AscendC {

struct ShapeInfo {};

inline skcts_facade::Memory memory_of(TPosition position) {
  using skcts_facade::Memory;
  switch (position) {
    case TPosition::GM: return Memory::gm;
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM: return Memory::l1;
    case TPosition::A2: return Memory::l0a;
    case TPosition::B2: return Memory::l0b;
    case TPosition::CO1: return Memory::l0c;
    default: return Memory::ub;
  }
}

template <class T>
class LocalTensor {
 public:
  using PrimType = T;
  class Reference {
   public:
    Reference(const LocalTensor& tensor, std::uint32_t index) : tensor_(tensor), index_(index) {}
    operator T() const { return tensor_.GetValue(index_); }
    Reference& operator=(T value) {
      tensor_.SetValue(index_, value);
      return *this;
    }
    Reference& operator=(const Reference& o) { return *this = static_cast<T>(o); }

   private:
    const LocalTensor& tensor_;
    std::uint32_t index_;
  };

  LocalTensor() = default;
  LocalTensor(TPosition position, std::uint32_t address, std::uint32_t elements)
      : position_(position),
        memory_(memory_of(position)),
        at_(address),
        bytes_(elements * sizeof(T)) {}
  LocalTensor(std::uint32_t address) : at_(address) {}

  LocalTensor operator[](std::uint32_t offset) const {
    LocalTensor moved = *this;
    moved.at_ += offset * sizeof(T);
    moved.bytes_ -= moved.bytes_ < offset * sizeof(T) ? moved.bytes_ : offset * sizeof(T);
    return moved;
  }
  Reference operator()(std::uint32_t offset) const { return {*this, offset}; }
  T GetValue(std::uint32_t index) const {
    skcts_facade::before_local_scalar();
    const std::uint32_t at = at_ + index * sizeof(T);
    std::uint64_t word = skcts_facade::device().load_local(memory_, at);
    if constexpr (sizeof(T) == 8) {
      word |= std::uint64_t{skcts_facade::device().load_local(memory_, at + 4)} << 32;
    } else {
      word >>= at % 4 * 8;
    }
    return skcts_facade::bits_as<T>(word);
  }
  template <class V>
  void SetValue(std::uint32_t index, V given) const {
    const T value = static_cast<T>(given);
    skcts_facade::before_local_scalar();
    const std::uint32_t at = at_ + index * sizeof(T);
    auto& device = skcts_facade::device();
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    if constexpr (sizeof(T) < 4) {
      std::uint32_t old = device.load_local(memory_, at);
      std::memcpy(reinterpret_cast<unsigned char*>(&old) + at % 4, &value, sizeof(T));
      word = old;
    }
    device.store_local(memory_, at, static_cast<std::uint32_t>(word));
    if constexpr (sizeof(T) == 8)
      device.store_local(memory_, at + 4, static_cast<std::uint32_t>(word >> 32));
  }
  std::uint32_t GetSize() const { return bytes_ / sizeof(T); }
  std::uint32_t GetLength() const { return bytes_; }
  void SetSize(std::uint32_t elements) { bytes_ = elements * sizeof(T); }
  TPosition GetPosition() const { return position_; }
  std::uint64_t GetPhyAddr(std::uint32_t offset = 0) const { return at_ + offset * sizeof(T); }
  void SetUserTag(std::int32_t tag) { tag_ = tag; }
  std::int32_t GetUserTag() const { return tag_; }
  void SetShapeInfo(const ShapeInfo&) {}
  template <class U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> other;
    other.position_ = position_;
    other.memory_ = memory_;
    other.at_ = at_;
    other.bytes_ = bytes_;
    other.slot_ = slot_;
    return other;
  }
  template <class U>
  void SetAddrWithOffset(LocalTensor<U>& other, std::uint32_t offset) {
    *this = other.template ReinterpretCast<T>();
    at_ += offset * sizeof(U);
  }

  skcts_facade::Stretch stretch(std::uint64_t first, std::uint64_t elements) const {
    return {memory_, at_ + first * sizeof(T), static_cast<std::uint32_t>(elements * sizeof(T))};
  }
  skcts_facade::Stretch bytes(std::uint64_t first, std::uint64_t count) const {
    return {memory_, at_ + first, static_cast<std::uint32_t>(count)};
  }

  TPosition position_ = TPosition::VECCALC;
  skcts_facade::Memory memory_ = skcts_facade::Memory::ub;
  std::uint32_t at_ = 0;
  std::uint32_t bytes_ = 0;
  std::int32_t slot_ = -1;  ///< Its buffer in the queue that it came from.
  std::int32_t tag_ = 0;
};

template <class T>
class GlobalTensor {
 public:
  using PrimType = T;
  /// What operator() gives: reads like GetValue, and may be assigned to.
  class Reference {
   public:
    Reference(const GlobalTensor& tensor, std::uint64_t index) : tensor_(tensor), index_(index) {}
    operator T() const { return tensor_.GetValue(index_); }
    Reference& operator=(T value) {
      tensor_.store(index_, value, true);
      return *this;
    }
    Reference& operator=(const Reference& o) { return *this = static_cast<T>(o); }
    Reference& operator+=(T value) { return *this = static_cast<T>(static_cast<T>(*this) + value); }

   private:
    const GlobalTensor& tensor_;
    std::uint64_t index_;
  };

  GlobalTensor() = default;
  GlobalTensor(const GlobalTensor& other) { take(other); }
  GlobalTensor& operator=(const GlobalTensor& other) {
    if (this != &other) {
      end();
      take(other);
    }
    return *this;
  }
  ~GlobalTensor() noexcept(false) { end(); }

  void SetGlobalBuffer(__gm__ T* buffer, std::uint64_t elements) {
    end();
    address_ = buffer;
    size_ = elements;
  }
  void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }
  GlobalTensor operator[](std::uint64_t offset) const {
    GlobalTensor moved(*this);
    moved.address_ += offset;
    moved.size_ = size_ > offset ? size_ - offset : 0;
    return moved;
  }
  Reference operator()(std::uint64_t offset) const { return {*this, offset}; }
  const T* GetPhyAddr() const { return address_; }
  T* GetPhyAddr(std::uint64_t offset) const { return address_ + offset; }
  std::uint64_t GetSize() const { return size_; }
  void SetL2CacheHint(CacheMode) {}
  void SetShapeInfo(const ShapeInfo&) {}
  T GetValue(std::uint64_t index) const {
    const T* at = address_ + index;
    std::uint64_t word = skcts_facade::device().get_value(object(), at);
    if constexpr (sizeof(T) == 8) {
      word |= std::uint64_t{skcts_facade::device().get_value(object(),
                                                             reinterpret_cast<const char*>(at) + 4)}
              << 32;
    } else {
      word >>= reinterpret_cast<std::uint64_t>(at) % 4 * 8;
    }
    return skcts_facade::bits_as<T>(word);
  }
  template <class V>
  void SetValue(std::uint64_t index, V value) const {
    store(index, static_cast<T>(value), false);
  }

  skcts_facade::Stretch stretch(std::uint64_t first, std::uint64_t elements) const {
    return bytes(first * sizeof(T), elements * sizeof(T));
  }
  skcts_facade::Stretch bytes(std::uint64_t first, std::uint64_t count) const {
    return {skcts_facade::Memory::gm, reinterpret_cast<std::uint64_t>(address_) + first,
            static_cast<std::uint32_t>(count)};
  }

 private:
  std::uint32_t object() const {
    if (object_ == 0) object_ = skcts_facade::device().new_object(address_);
    return object_;
  }
  void store(std::uint64_t index, T value, bool assigned) const {
    auto& device = skcts_facade::device();
    const T* at = address_ + index;
    const auto write = [&](const void* to, std::uint32_t word) {
      if (assigned)
        device.assign(object(), to, word);
      else
        device.set_value(object(), to, word);
    };
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    if constexpr (sizeof(T) < 4) {
      // Part of a word: read, changed and written back.
      std::uint32_t old = device.raw_load(at);
      std::memcpy(reinterpret_cast<unsigned char*>(&old) + reinterpret_cast<std::uint64_t>(at) % 4,
                  &value, sizeof(T));
      word = old;
    }
    write(at, static_cast<std::uint32_t>(word));
    if constexpr (sizeof(T) == 8)
      write(reinterpret_cast<const char*>(at) + 4, static_cast<std::uint32_t>(word >> 32));
  }
  void take(const GlobalTensor& other) {
    address_ = other.address_;
    size_ = other.size_;
    if (other.object_ != 0) object_ = skcts_facade::device().copy_object(other.object_);
  }
  void end() {
    if (object_ != 0) skcts_facade::device().end_object(object_);
    object_ = 0;
  }

  T* address_ = nullptr;
  std::uint64_t size_ = 0;
  mutable std::uint32_t object_ = 0;  ///< Named at its first scalar access.
};

}  // namespace AscendC
