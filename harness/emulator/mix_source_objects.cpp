// GlobalTensor objects with the lines they remember; TPipe, queues, and their events.
#include <algorithm>

#include <fmt/format.h>

#include "harness/emulator/mix_source.h"

namespace skcts::emulator {

namespace {

constexpr HardEvent no_event{Pipe::s, Pipe::s};

/// The event that EnQue sets.
HardEvent filled_event(Position position) {
  using enum Pipe;
  switch (position) {
    case Position::vecin: return {mte2, v};
    case Position::vecout: return {v, mte3};
    case Position::a1:
    case Position::b1: return {mte2, mte1};
    case Position::a2:
    case Position::b2: return {mte1, m};
    case Position::co1: return {m, fix};
    case Position::veccalc: return no_event;
  }
  return no_event;
}

/// The event that FreeTensor sets.
HardEvent freed_event(Position position) {
  const HardEvent filled = filled_event(position);
  return {filled.destination, filled.source};
}

std::size_t event_number(HardEvent event) {
  return static_cast<std::size_t>(event.source) * 7 + static_cast<std::size_t>(event.destination);
}

constexpr HardEvent m_mte1{Pipe::m, Pipe::mte1};

}  // namespace

MixSource::TensorState* MixSource::tensor(std::int16_t index) {
  TensorState& state = tensors_[static_cast<std::size_t>(index)];
  if (state.alive) return &state;
  fault(fmt::format("GlobalTensor '{}' is used outside its life",
                    sub_->tensors[static_cast<std::size_t>(index)].name));
  return nullptr;
}

void MixSource::push_inserted_refresh(std::int32_t word) {
  const bool behind = defect() == DefectId::refresh_of_next_line;
  push(DeviceOp::refresh_line).dst = behind ? word + 16 : word;
  ++counts().refresh_per_access;
}

void MixSource::refresh_for_read(TensorState& tensor, std::int32_t word) {
  if (!use_->refreshes_accesses || defect() == DefectId::load_refresh_missing) return;
  const std::int32_t line = word / 16;
  const bool remembers = !tensor.is_const || defect() == DefectId::const_object_remembers;
  if (remembers && tensor.read_line == line && !holds(latitude_pin(19, "refreshed"))) {
    return;
  }
  push_inserted_refresh(word);
  tensor.read_line = line;
}

void MixSource::refresh_for_write(TensorState& tensor, std::int32_t word) {
  if (!use_->refreshes_accesses || defect() == DefectId::store_refresh_missing) return;
  const std::int32_t line = word / 16;
  if (tensor.written_line >= 0 && tensor.written_line != line) {
    push_inserted_refresh(tensor.written_line * 16);
  }
  tensor.written_line = line;
}

void MixSource::end_tensor(TensorState& tensor) {
  if (!tensor.alive) return;
  tensor.alive = false;
  if (defect() == DefectId::refresh_at_death_missing) return;
  if (use_->refreshes_accesses && tensor.written_line >= 0) {
    push_inserted_refresh(tensor.written_line * 16);
  }
}

int MixSource::take_id(TPipeState& pipe, HardEvent event) {
  std::uint8_t& taken = pipe.taken_ids[event_number(event)];
  for (int id = 0; id < 8; ++id) {
    if ((taken >> id & 1) != 0) continue;
    taken = static_cast<std::uint8_t>(taken | 1u << id);
    return id;
  }
  fault(fmt::format("no free event id of {}", to_string(event)));
  return -1;
}

void MixSource::release_id(TPipeState& pipe, HardEvent event, int id) {
  std::uint8_t& taken = pipe.taken_ids[event_number(event)];
  taken = static_cast<std::uint8_t>(taken & ~(1u << id));
}

void MixSource::tpipe_init(std::int16_t name) {
  // Each would lay its buffers out from word 0 and take event ids from 0 on.
  const bool another = std::any_of(tpipes_.begin(), tpipes_.end(),
                                   [](const TPipeState& state) { return state.alive; });
  if (another) return fault("a TPipe while another one lives on this core");
  TPipeState& pipe = tpipes_[static_cast<std::size_t>(name)];
  pipe = {};
  pipe.alive = true;
  if (!cube()) return;
  pipe.primed = true;
  pipe.taken_ids[event_number(m_mte1)] = 0b111;
  for (std::uint8_t id = 0; id < 3; ++id) push_set(m_mte1, id, false);
}

void MixSource::init_buffer(const Instruction& in) {
  TPipeState& pipe = tpipes_[static_cast<std::size_t>(in.other)];
  if (!pipe.alive) return fault("InitBuffer of a TPipe that is not alive");
  Queue& queue = queues_[static_cast<std::size_t>(in.object)];
  const Space space = memory_of(in.position);
  if ((space == Space::ub) == cube()) {
    return fault(fmt::format("{} is not a memory of this core", to_string(space)));
  }
  const auto memory = static_cast<std::size_t>(space) - static_cast<std::size_t>(Space::ub);
  const Profile& profile = *context_->settings->profile;
  const std::array<std::int32_t, 5> sizes = {profile.ub_words, profile.l1_words, profile.l0a_words,
                                             profile.l0b_words, profile.l0c_words};
  const std::int64_t rounded = (std::int64_t{in.count} + 7) / 8 * 8;
  if (rounded * in.num > sizes[memory] - pipe.used[memory]) {
    return fault(
        fmt::format("InitBuffer: {} buffers of {} words do not fit into {}, {} words are "
                    "left",
                    in.num, in.count, to_string(space), sizes[memory] - pipe.used[memory]));
  }
  queue = {true,   in.position, in.other, in.count, static_cast<std::int32_t>(buffers_.size()),
           in.num, 0,           {}};
  for (std::int32_t b = 0; b < in.num; ++b) {
    buffers_.push_back({pipe.used[memory], false, -1});
    pipe.used[memory] += static_cast<std::int32_t>(rounded);
  }
}

MixSource::Queue* MixSource::queue_of(const Instruction& in) {
  Queue& queue = queues_[static_cast<std::size_t>(in.object)];
  if (queue.ready) return &queue;
  fault(fmt::format("'{}' has no buffer", sub_->names[static_cast<std::size_t>(in.object)]));
  return nullptr;
}

MixSource::LocalName* MixSource::local_of(const Instruction& in) {
  LocalName& local = locals_[static_cast<std::size_t>(in.other)];
  if (local.known && local.queue == in.object) return &local;
  fault(fmt::format("'{}' is no tensor of '{}'", sub_->names[static_cast<std::size_t>(in.other)],
                    sub_->names[static_cast<std::size_t>(in.object)]));
  return nullptr;
}

void MixSource::name_local(std::int16_t name, std::int16_t queue, std::int32_t buffer) {
  const Queue& state = queues_[static_cast<std::size_t>(queue)];
  locals_[static_cast<std::size_t>(name)] = {true,
                                             queue,
                                             buffer,
                                             memory_of(state.position),
                                             buffers_[static_cast<std::size_t>(buffer)].at,
                                             state.words};
}

void MixSource::alloc_tensor(const Instruction& in) {
  Queue* queue = queue_of(in);
  if (queue == nullptr) return;
  const std::int32_t number = queue->first_buffer + queue->turn;
  queue->turn = (queue->turn + 1) % queue->buffer_count;
  Buffer& buffer = buffers_[static_cast<std::size_t>(number)];
  if (buffer.taken) return fault("AllocTensor: the buffer in turn is not free");
  if (buffer.free_event >= 0) {
    const HardEvent event = freed_event(queue->position);
    push_wait(event, static_cast<std::uint8_t>(buffer.free_event), false);
    release_id(tpipes_[static_cast<std::size_t>(queue->pipe)], event, buffer.free_event);
    buffer.free_event = -1;
  }
  buffer.taken = true;
  name_local(in.other, in.object, number);
}

void MixSource::enque(const Instruction& in) {
  Queue* queue = queue_of(in);
  LocalName* local = queue == nullptr ? nullptr : local_of(in);
  if (local == nullptr) return;
  const HardEvent event = filled_event(queue->position);
  if (event == no_event) return fault("EnQue of a VECCALC buffer");
  const int id = take_id(tpipes_[static_cast<std::size_t>(queue->pipe)], event);
  if (id < 0) return;
  push_set(event, static_cast<std::uint8_t>(id), false);
  queue->filled.emplace_back(local->buffer, static_cast<std::int8_t>(id));
}

void MixSource::deque(const Instruction& in) {
  Queue* queue = queue_of(in);
  if (queue == nullptr) return;
  if (queue->filled.empty()) return fault("DeQue of an empty queue");
  const auto [number, id] = queue->filled.front();
  queue->filled.erase(queue->filled.begin());
  const HardEvent event = filled_event(queue->position);
  push_wait(event, static_cast<std::uint8_t>(id), false);
  release_id(tpipes_[static_cast<std::size_t>(queue->pipe)], event, id);
  name_local(in.other, in.object, number);
}

void MixSource::free_tensor(const Instruction& in) {
  Queue* queue = queue_of(in);
  LocalName* local = queue == nullptr ? nullptr : local_of(in);
  if (local == nullptr) return;
  Buffer& buffer = buffers_[static_cast<std::size_t>(local->buffer)];
  if (!buffer.taken) return fault("FreeTensor of a buffer that is free");
  const HardEvent event = freed_event(queue->position);
  if (event == no_event) return fault("FreeTensor of a VECCALC buffer");
  const int id = take_id(tpipes_[static_cast<std::size_t>(queue->pipe)], event);
  if (id < 0) return;
  push_set(event, static_cast<std::uint8_t>(id), false);
  buffer.taken = false;
  buffer.free_event = static_cast<std::int8_t>(id);
}

void MixSource::tbuf_get(const Instruction& in) {
  const Queue* queue = queue_of(in);
  if (queue != nullptr) name_local(in.other, in.object, queue->first_buffer);
}

void MixSource::tpipe_destroy(std::int16_t name, bool by_hand) {
  TPipeState& pipe = tpipes_[static_cast<std::size_t>(name)];
  if (!pipe.alive) {
    if (by_hand) fault("Destroy of a TPipe that is not alive");
    return;
  }
  pipe.alive = false;
  for (Queue& queue : queues_) {
    if (!queue.ready || queue.pipe != name) continue;
    for (std::int32_t b = 0; b < queue.buffer_count; ++b) {
      Buffer& buffer = buffers_[static_cast<std::size_t>(queue.first_buffer + b)];
      if (buffer.taken || buffer.free_event < 0) continue;
      if (defect() == DefectId::destroy_leaves_events) continue;
      push_wait(freed_event(queue.position), static_cast<std::uint8_t>(buffer.free_event), false);
      buffer.free_event = -1;
    }
    queue.ready = false;
  }
  if (pipe.primed) {
    for (std::uint8_t id = 0; id < 3; ++id) push_wait(m_mte1, id, false);
  }
  if (!composed().fused && defect() != DefectId::destroy_barrier_missing) {
    push(DeviceOp::pipe_all);
  }
}

void MixSource::lower_resource(const Instruction& in) {
  switch (in.op) {
    case Op::tpipe_init: tpipe_init(in.object); break;
    case Op::init_buffer: init_buffer(in); break;
    case Op::alloc_tensor: alloc_tensor(in); break;
    case Op::enque: enque(in); break;
    case Op::deque: deque(in); break;
    case Op::free_tensor: free_tensor(in); break;
    case Op::tbuf_get: tbuf_get(in); break;
    case Op::tpipe_destroy: tpipe_destroy(in.object, true); break;
    default: tpipe_destroy(in.object, false); break;
  }
  if (buffer_size_ == 0) push(DeviceOp::nothing);
}

}  // namespace skcts::emulator
