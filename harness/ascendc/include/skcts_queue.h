// TPipe, TQue, TQueBind, TBuf: local memory handed out from address 0, and the events of buffers.
#pragma once

#include "harness/ascendc/include/skcts_sync.h"

namespace AscendC {

constexpr int most_buffers = 16;  ///< Of one queue.

/// A buffer of a queue and the event that its last user still owes.
struct TBuffer {
  std::uint32_t at = 0;
  bool taken = false;
  std::int8_t free_event = -1;
  std::int8_t full_event = -1;
};

class TPipe;
/// A queue, as its TPipe knows it.
struct QueueCore {
  TBuffer buffers[most_buffers];
  int buffer_count = 0;
  std::uint32_t bytes = 0;
  int next = 0;
  int filled[most_buffers] = {};
  int filled_count = 0;
  TPosition position = TPosition::VECIN;
  HardEvent full = HardEvent::MAX;
  HardEvent free = HardEvent::MAX;
  TPipe* pipe = nullptr;
};

class TPipe {
 public:
  TPipe() { Init(); }
  ~TPipe() noexcept(false) {
    if (alive_) Destroy();
  }
  TPipe(const TPipe&) = delete;
  TPipe& operator=(const TPipe&) = delete;

  void Init() {
    auto& s = skcts_facade::state();
    InitSocState();
    s.pipe = this;
    std::memset(s.event_taken, 0, sizeof s.event_taken);
    std::memset(used_, 0, sizeof used_);
    queue_count_ = 0;
    alive_ = true;
    if (skcts_facade::device().is_cube()) {
      for (int id = 0; id < 3; ++id) {
        (void)AllocEventID<HardEvent::M_MTE1>();
        SetFlag<HardEvent::M_MTE1>(id);
      }
    }
  }
  void Destroy() {
    DestroyWithoutPipeAll();
#ifndef __ASCENDC_ENABLE_SUPER_KERNEL__
    PipeBarrier<PIPE_ALL>();
#endif
  }
  void DestroyWithoutPipeAll() {
    if (!alive_) return;
    alive_ = false;
    wait_free_events();
    if (skcts_facade::device().is_cube())
      for (int id = 0; id < 3; ++id) WaitFlag<HardEvent::M_MTE1>(id);
  }
  void Reset() {
    wait_free_events();
    InitSocState();
    std::memset(used_, 0, sizeof used_);
    std::memset(skcts_facade::state().event_taken, 0, sizeof skcts_facade::state().event_taken);
    queue_count_ = 0;
  }

  template <class Queue>
  bool InitBuffer(Queue& queue, std::uint8_t buffers, std::uint32_t bytes) {
    QueueCore& core = queue.core_;
    core = {};
    core.position = Queue::position;
    core.full = Queue::full_event;
    core.free = Queue::free_event;
    core.bytes = (bytes + 31) / 32 * 32;
    core.buffer_count = buffers;
    core.pipe = this;
    if (buffers > most_buffers || queue_count_ == 64)
      skcts_facade::device().fault("InitBuffer: more than 64 queues, or 16 buffers in one");
    for (int i = 0; i < buffers; ++i) core.buffers[i].at = take(core.position, core.bytes);
    queues_[queue_count_++] = &core;
    return true;
  }
  template <class Buffer>
  bool InitBuffer(Buffer& buffer, std::uint32_t bytes) {
    buffer.bytes_ = (bytes + 31) / 32 * 32;
    buffer.at_ = take(Buffer::position, buffer.bytes_);
    return true;
  }

  template <HardEvent event>
  TEventID AllocEventID() {
    return alloc(event);
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id) {
    release(event, id);
  }
  TEventID FetchEventID(HardEvent event) {
    return lowest(event);
  }
  template <HardEvent event>
  TEventID FetchEventID() {
    return lowest(event);
  }
  template <TPosition position>
  std::uint64_t GetQueueEndAddress() {
    return used_[static_cast<int>(memory_of(position))];
  }

  TEventID alloc(HardEvent event) {
    const TEventID id = lowest(event);
    if (id < 0) skcts_facade::device().fault("AllocEventID: all eight ids are taken");
    skcts_facade::state().event_taken[static_cast<int>(event)] |=
        static_cast<std::uint8_t>(1u << id);
    return id;
  }
  void release(HardEvent event, TEventID id) {
    skcts_facade::state().event_taken[static_cast<int>(event)] &=
        static_cast<std::uint8_t>(~(1u << id));
  }
  void forget(const QueueCore* queue) {
    for (int i = 0; i < queue_count_; ++i)
      if (queues_[i] == queue) queues_[i] = nullptr;
  }

 private:
  static TEventID lowest(HardEvent event) {
    const unsigned taken = skcts_facade::state().event_taken[static_cast<int>(event)];
    for (TEventID id = 0; id < 8; ++id)
      if ((taken >> id & 1u) == 0) return id;
    return -1;
  }
  std::uint32_t take(TPosition position, std::uint32_t bytes) {
    std::uint32_t& used = used_[static_cast<int>(memory_of(position))];
    const std::uint32_t at = used;
    used += bytes;
    if (used > skcts_facade::device().memory_bytes(memory_of(position)) &&
        skcts_facade::device().is_cube() == (memory_of(position) != skcts_facade::Memory::ub)) {
      skcts_facade::device().fault("InitBuffer: the buffers are larger than the local memory");
    }
    return at;
  }
  void wait_free_events() {
    for (int i = 0; i < queue_count_; ++i) {
      QueueCore* const queue = queues_[i];
      if (queue == nullptr) continue;
      for (int b = 0; b < queue->buffer_count; ++b) {
        TBuffer& buffer = queue->buffers[b];
        if (buffer.taken || buffer.free_event < 0) continue;
        wait_event(queue->free, buffer.free_event);
        release(queue->free, buffer.free_event);
        buffer.free_event = -1;
      }
    }
  }

  std::uint32_t used_[8] = {};
  QueueCore* queues_[64] = {};
  int queue_count_ = 0;
  bool alive_ = false;
};

inline TPipe* GetTPipePtr() {
  return static_cast<TPipe*>(skcts_facade::state().pipe);
}

constexpr HardEvent full_event_of(TPosition from, TPosition to) {
  if (from == TPosition::VECIN && to == TPosition::VECOUT) return HardEvent::MTE2_MTE3;
  if (from == TPosition::GM || to == TPosition::VECIN) return HardEvent::MTE2_V;
  switch (from) {
    case TPosition::VECIN: return HardEvent::MTE2_V;
    case TPosition::VECOUT:
    case TPosition::VECCALC: return HardEvent::V_MTE3;
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1: return HardEvent::MTE2_MTE1;
    case TPosition::A2:
    case TPosition::B2:
    case TPosition::C2: return HardEvent::MTE1_M;
    case TPosition::CO1: return HardEvent::M_FIX;
    default: return HardEvent::MTE2_V;
  }
}
constexpr HardEvent opposite(HardEvent event) {
  switch (event) {
    case HardEvent::MTE2_MTE3: return HardEvent::MTE3_MTE2;
    case HardEvent::MTE2_V: return HardEvent::V_MTE2;
    case HardEvent::V_MTE3: return HardEvent::MTE3_V;
    case HardEvent::MTE2_MTE1: return HardEvent::MTE1_MTE2;
    case HardEvent::MTE1_M: return HardEvent::M_MTE1;
    case HardEvent::M_FIX: return HardEvent::FIX_M;
    default: return HardEvent::MAX;
  }
}

template <TPosition from, TPosition to, std::int32_t depth, auto mask = 0>
class TQueBind {
 public:
  static constexpr TPosition position = from == TPosition::GM ? to : from;
  static constexpr HardEvent full_event = full_event_of(from, to);
  static constexpr HardEvent free_event = opposite(full_event);

  TQueBind() = default;
  TQueBind(const TQueBind&) = delete;
  TQueBind& operator=(const TQueBind&) = delete;
  /// A queue that dies before its TPipe: what it owes is waited for by nobody.
  ~TQueBind() {
    if (core_.pipe != nullptr && GetTPipePtr() == core_.pipe) core_.pipe->forget(&core_);
  }

  template <class T>
  LocalTensor<T> AllocTensor() {
    for (int tried = 0; tried < core_.buffer_count; ++tried) {
      const int slot = core_.next;
      core_.next = (core_.next + 1) % core_.buffer_count;
      TBuffer& buffer = core_.buffers[slot];
      if (buffer.taken) continue;
      if (buffer.free_event >= 0) {
        wait_event(core_.free, buffer.free_event);
        core_.pipe->release(core_.free, buffer.free_event);
        buffer.free_event = -1;
      }
      buffer.taken = true;
      LocalTensor<T> tensor(position, buffer.at, core_.bytes / sizeof(T));
      tensor.slot_ = slot;
      return tensor;
    }
    skcts_facade::device().fault("AllocTensor: every buffer of the queue is taken");
  }
  template <class T>
  void AllocTensor(LocalTensor<T>& tensor) {
    tensor = AllocTensor<T>();
  }
  template <class T>
  bool EnQue(const LocalTensor<T>& tensor) {
    TBuffer& buffer = of(tensor.slot_);
    buffer.full_event = core_.pipe->alloc(core_.full);
    set_event(core_.full, buffer.full_event);
    core_.filled[core_.filled_count++] = tensor.slot_;
    return true;
  }
  template <TPosition, TPosition, class T>
  bool EnQue(const LocalTensor<T>& tensor) {
    return EnQue(tensor);
  }
  template <class T>
  LocalTensor<T> DeQue() {
    if (core_.filled_count == 0) skcts_facade::device().fault("DeQue: the queue is empty");
    const int slot = core_.filled[0];
    --core_.filled_count;
    for (int i = 0; i < core_.filled_count; ++i) core_.filled[i] = core_.filled[i + 1];
    TBuffer& buffer = core_.buffers[slot];
    wait_event(core_.full, buffer.full_event);
    core_.pipe->release(core_.full, buffer.full_event);
    buffer.full_event = -1;
    LocalTensor<T> tensor(position, buffer.at, core_.bytes / sizeof(T));
    tensor.slot_ = slot;
    return tensor;
  }
  template <class T>
  void DeQue(LocalTensor<T>& tensor) {
    tensor = DeQue<T>();
  }
  template <TPosition, TPosition, class T>
  LocalTensor<T> DeQue() {
    return DeQue<T>();
  }
  template <class T>
  void FreeTensor(const LocalTensor<T>& tensor) {
    TBuffer& buffer = of(tensor.slot_);
    buffer.taken = false;
    buffer.free_event = core_.pipe->alloc(core_.free);
    set_event(core_.free, buffer.free_event);
  }
  template <class T>
  void FreeAllEvent() {}
  bool HasTensorInQue() const { return core_.filled_count > 0; }
  bool HasIdleBuffer() const {
    for (int i = 0; i < core_.buffer_count; ++i)
      if (!core_.buffers[i].taken) return true;
    return false;
  }
  std::int32_t GetTensorCountInQue() const { return core_.filled_count; }
  bool VacantInQue() const { return core_.filled_count < (depth > 0 ? depth : 1); }

  QueueCore core_;

 private:
  TBuffer& of(std::int32_t slot) {
    if (slot < 0 || slot >= core_.buffer_count || !core_.buffers[slot].taken) {
      skcts_facade::device().fault(
          "a tensor that was not taken from this queue, or was given back");
    }
    return core_.buffers[slot];
  }
};

constexpr TPosition destination_of(TPosition position) {
  switch (position) {
    case TPosition::VECIN: return TPosition::VECCALC;
    case TPosition::VECOUT:
    case TPosition::CO1:
    case TPosition::VECCALC: return TPosition::GM;
    case TPosition::A1: return TPosition::A2;
    case TPosition::B1: return TPosition::B2;
    default: return TPosition::CO1;
  }
}
template <TPosition position, std::int32_t depth = 1, auto mask = 0>
class TQue : public TQueBind<position, destination_of(position), depth, mask> {};

template <TPosition where = TPosition::VECCALC>
class TBuf {
 public:
  static constexpr TPosition position = where;
  template <class T>
  LocalTensor<T> Get() {
    return LocalTensor<T>(where, at_, bytes_ / sizeof(T));
  }
  template <class T>
  LocalTensor<T> Get(std::uint32_t elements) {
    return LocalTensor<T>(where, at_, elements);
  }
  template <class T>
  LocalTensor<T> GetWithOffset(std::uint32_t elements, std::uint32_t offset) {
    return LocalTensor<T>(where, at_ + offset, elements);
  }
  template <class T>
  LocalTensor<T> AllocTensor() {
    return Get<T>();
  }
  template <class T>
  void FreeTensor(const LocalTensor<T>&) {}
  std::uint32_t at_ = 0;
  std::uint32_t bytes_ = 0;
};

}  // namespace AscendC
