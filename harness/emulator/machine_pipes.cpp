// The pipes of a core: instructions start in order, may overlap, and finish in any order.
#include <algorithm>
#include <cstring>

#include "harness/emulator/machine.h"
#include "spec/arithmetic.h"

namespace skcts::emulator {

namespace {

/// When the words of an instruction move. Its start, one step in between, and its finish are
/// separate steps of the schedule.
enum Manner : std::uint8_t {
  early_read = 0,  ///< reads all at its start, writes all at its finish; no step in between
  late_read = 1,   ///< reads all in between
  torn = 2,        ///< reads one half, then the other and writes one half, then writes the other
};

constexpr std::size_t event_index(HardEvent event, std::uint8_t id) {
  return (static_cast<std::size_t>(event.source) * 7 +
          static_cast<std::size_t>(event.destination)) *
             event_ids +
         id;
}

}  // namespace

bool Machine::can_start(const Core& core, int pipe) const {
  const PipeState& state = core.pipes[static_cast<std::size_t>(pipe)];
  if (state.queued == 0) return false;
  const DeviceInstruction& in = state.ring[state.head & (state.ring.size() - 1)];
  if (is_data(in.op)) return state.running_count < overlap_;
  if (in.op == DeviceOp::wait_flag) return core.event_count[event_index(in.event, in.id)] > 0;
  return state.running_count == 0;
}

void Machine::update_start(std::uint32_t c, int pipe) {
  set_agent(c, part_start + static_cast<std::uint32_t>(pipe), can_start(cores_[c], pipe));
}

void Machine::start(std::uint32_t c, int pipe) {
  Core& core = cores_[c];
  PipeState& state = core.pipes[static_cast<std::size_t>(pipe)];
  const DeviceInstruction& in = state.ring[state.head & (state.ring.size() - 1)];
  ++state.head;
  --state.queued;
  if (!is_data(in.op)) {
    start_sync(c, pipe, in);
  } else {
    Running& entry = state.running[static_cast<std::size_t>(state.running_count++)];
    entry.instruction = in;
    entry.began = steps_;
    entry.phase = 0;
    // Of eight, six are the plain manner: the others cost a step more.
    const std::uint32_t drawn = in.whole ? 0 : chooser_->choose(8);
    entry.manner = drawn == 6 ? late_read : drawn == 7 ? torn : early_read;
    if (entry.manner == torn &&
        (in.op == DeviceOp::opaque || in.count < 16 || holds(latitude_pin(30, "whole-blocks")))) {
      entry.manner = late_read;
    }
    const std::int32_t now = entry.manner == early_read ? in.count : in.count / 2;
    if (entry.manner != late_read) read_part(core, entry, 0, now);
    set_agent(c, part_finish + static_cast<std::uint32_t>(pipe), true);
  }
  update_start(c, pipe);
  if (core.held != nullptr && !enabled_.contains(c * agents_per_core + part_scalar)) {
    update_scalar(c);
  }
}

/// A flag, barrier or raise whose turn has come.
void Machine::start_sync(std::uint32_t c, int pipe, const DeviceInstruction& in) {
  (void)pipe;
  Core& core = cores_[c];
  --core.outstanding;
  switch (in.op) {
    case DeviceOp::set_flag: event_set(c, in.event, in.id); break;
    case DeviceOp::wait_flag: --core.event_count[event_index(in.event, in.id)]; break;
    case DeviceOp::raise:
      core.raises.push_back({in.id, in.mode, in.lands, core.landing_sequence});
      if (trace_ != nullptr) core.raises.back().traced = static_cast<std::int32_t>(trace_->size());
      set_agent(c, part_deliver, true);
      break;
    default: break;
  }
  if (trace_ != nullptr) trace_step(core, in, steps_);
}

void Machine::event_set(std::uint32_t c, HardEvent event, std::uint8_t id) {
  ++cores_[c].event_count[event_index(event, id)];
  if (event.destination == Pipe::s) {
    update_scalar(c);
  } else {
    update_start(c, static_cast<int>(event.destination) - 1);
  }
}

void Machine::finish(std::uint32_t c, int pipe) {
  Core& core = cores_[c];
  PipeState& state = core.pipes[static_cast<std::size_t>(pipe)];
  const std::uint32_t which = chooser_->choose(static_cast<std::uint32_t>(state.running_count));
  Running& entry = state.running[which];
  const std::int32_t count = entry.instruction.count;
  if (entry.manner != early_read && entry.phase == 0) {
    entry.phase = 1;
    if (entry.manner == late_read) {
      read_part(core, entry, 0, count);
    } else {
      read_part(core, entry, count / 2, count);
      write_part(core, entry, 0, count / 2);
    }
    return;
  }
  write_part(core, entry, entry.manner == torn ? count / 2 : 0, count);
  if (trace_ != nullptr) trace_step(core, entry.instruction, entry.began);
  // Keep the others in the order of their starts.
  for (int i = static_cast<int>(which); i + 1 < state.running_count; ++i) {
    std::swap(state.running[static_cast<std::size_t>(i)],
              state.running[static_cast<std::size_t>(i) + 1]);
  }
  --state.running_count;
  --core.outstanding;
  if (state.running_count == 0) {
    set_agent(c, part_finish + static_cast<std::uint32_t>(pipe), false);
  }
  update_start(c, pipe);
  if (core.outstanding == 0) update_scalar(c);
}

/// Reads words [from, to) of the sources and leaves the results in `staged`.
void Machine::read_part(Core& core, Running& entry, std::int32_t from, std::int32_t to) {
  const DeviceInstruction& in = entry.instruction;
  if (in.op == DeviceOp::opaque) return read_opaque(core, entry);
  const std::int32_t n = to - from;
  if (entry.staged.size() < static_cast<std::size_t>(in.count)) {
    entry.staged.resize(static_cast<std::size_t>(in.count));
  }
  std::uint32_t* out = entry.staged.data() + from;
  if (in.op == DeviceOp::duplicate || in.op == DeviceOp::fill_gm) {
    std::fill_n(out, n, in.value);
    return;
  }
  if (in.op == DeviceOp::copy_in) return gm_read(in.src + from, out, n);
  // Touch both sources before taking their addresses: a first touch may move the memory.
  const bool two = in.op == DeviceOp::add || in.op == DeviceOp::mmad;
  if (two) (void)local(core, in.src_b_space, in.src_b + from, n);
  const std::uint32_t* a = local(core, in.src_space, in.src + from, n);
  const std::uint32_t* b = two ? local(core, in.src_b_space, in.src_b + from, n) : nullptr;
  if (a == nullptr || (two && b == nullptr)) {
    std::fill_n(out, n, 0xdeaddeadu);
    return;
  }
  switch (in.op) {
    case DeviceOp::adds:
      for (std::int32_t i = 0; i < n; ++i) out[i] = a[i] + in.value;
      break;
    case DeviceOp::add:
      for (std::int32_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
      break;
    case DeviceOp::mmad:
      for (std::int32_t i = 0; i < n; ++i) out[i] = mmad_word(a[i], b[i]);
      break;
    default: std::memcpy(out, a, static_cast<std::size_t>(n) * 4); break;
  }
}

void Machine::write_part(Core& core, Running& entry, std::int32_t from, std::int32_t to) {
  const DeviceInstruction& in = entry.instruction;
  if (in.op == DeviceOp::opaque) return write_opaque(core, entry);
  const std::uint32_t* words = entry.staged.data() + from;
  if (in.op == DeviceOp::copy_out || in.op == DeviceOp::fill_gm) {
    if (in.atomic_add) {
      gm_add(in.dst + from, words, to - from);
    } else {
      gm_write(in.dst + from, words, to - from);
    }
    return;
  }
  std::uint32_t* out = local(core, in.dst_space, in.dst + from, to - from);
  if (out != nullptr) std::memcpy(out, words, static_cast<std::size_t>(to - from) * 4);
}

void Machine::read_opaque(Core& core, Running& entry) {
  const DeviceInstruction& in = entry.instruction;
  const auto& ranges = core.range_slots[static_cast<std::size_t>(in.count)];
  std::uint32_t state = opaque_start;
  for (std::size_t r = 0; r < in.read_count; ++r) {
    const MemoryRange& range = ranges[r];
    for (std::int32_t i = 0; i < range.count; ++i) {
      std::uint32_t word = 0;
      if (range.space == Space::gm) {
        gm_read(range.at + i, &word, 1);
      } else if (const std::uint32_t* at = local(core, range.space, range.at + i, 1)) {
        word = *at;
      }
      state = opaque_fold(state, word);
    }
  }
  if (entry.staged.empty()) entry.staged.resize(1);
  entry.staged[0] = state;
}

void Machine::write_opaque(Core& core, Running& entry) {
  const DeviceInstruction& in = entry.instruction;
  const auto& ranges = core.range_slots[static_cast<std::size_t>(in.count)];
  std::uint32_t j = 0;
  for (std::size_t r = in.read_count; r < ranges.size(); ++r) {
    const MemoryRange& range = ranges[r];
    for (std::int32_t i = 0; i < range.count; ++i) {
      const std::uint32_t word = opaque_word(entry.staged[0], in.value, j++);
      if (range.space == Space::gm) {
        gm_write(range.at + i, &word, 1);
      } else if (std::uint32_t* at = local(core, range.space, range.at + i, 1)) {
        *at = word;
      }
    }
  }
  core.free_range_slots.push_back(in.count);
}

}  // namespace skcts::emulator
