// The pipes of a core: instructions start in order, may overlap, and finish in any order.
#include <algorithm>
#include <bit>
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
  torn = 2,  ///< each piece is read at the start or in between, and written then or at the end
};
constexpr std::int32_t max_pieces = 16;
constexpr std::int32_t block_words = 8;  ///< What moves as a whole at L-30=whole-blocks.

}  // namespace

void Machine::start(std::uint32_t c, int pipe) {
  Core& core = cores_[c];
  PipeState& state = core.pipes[static_cast<std::size_t>(pipe)];
  Running& entry = state.running[static_cast<std::size_t>(state.running_count++)];
  entry.instruction = head_of(state);
  ++state.head;
  --state.queued;
  entry.turn = state.turn++;
  entry.began = steps_;
  entry.phase = 0;
  choose_manner(entry);
  const std::int32_t count = entry.instruction.count;
  if (entry.manner == early_read) {
    read_part(core, entry, 0, count);
  } else if (entry.manner == torn) {
    move_pieces(entry, entry.pieces.read_first,
                [&](std::int32_t from, std::int32_t to) { read_part(core, entry, from, to); });
  }
  set_agent(c, part_finish + static_cast<std::uint32_t>(pipe), true);
  settle(c, 1u << pipe);
}

/// Of sixteen, thirteen are the plain manner: the others cost a step more, and pieces cost time.
void Machine::choose_manner(Running& entry) {
  const DeviceInstruction& in = entry.instruction;
  const std::uint32_t drawn = in.whole ? 0 : chooser_->choose(16);
  entry.manner = drawn < 13 ? early_read : drawn < 15 ? late_read : torn;
  if (entry.manner != torn) return;
  // Computing instructions too work on blocks of this size.
  const std::int32_t least = holds(latitude_pin(30, "whole-blocks")) ? block_words : 1;
  if (in.op == DeviceOp::opaque || in.count <= least) {
    entry.manner = late_read;
    return;
  }
  const std::int32_t wanted = (in.count + max_pieces - 1) / max_pieces;
  entry.pieces.piece = (wanted + least - 1) / least * least;
  const std::int32_t pieces = (in.count + entry.pieces.piece - 1) / entry.pieces.piece;
  entry.pieces.read_first = chooser_->choose(1u << pieces);
  entry.pieces.written_first = chooser_->choose(1u << pieces);
}

/// Calls move(from, to) for each stretch of pieces in `which`.
template <class Move>
void Machine::move_pieces(const Running& entry, std::uint32_t which, Move&& move) {
  const std::int32_t piece = entry.pieces.piece;
  const std::int32_t count = entry.instruction.count;
  for (std::int32_t from = 0; from < count; from += piece, which >>= 1) {
    if ((which & 1u) != 0) move(from, std::min(from + piece, count));
  }
}

/// What stands at the head of a pipe's queue, no data instruction: may it leave it?
bool Machine::has_turn(const Core& core, const PipeState& state,
                       const DeviceInstruction& in) const {
  if (in.op == DeviceOp::wait_flag) return core.event_count[event_index(in.event, in.id)] > 0;
  if (in.op == DeviceOp::pipe_wait_raise) return core.counters[in.id] > 0;
  return in.op != DeviceOp::barrier || state.running_count == 0;
}

/// Flags, barriers and raises take no step of their own: they leave the queue when their turn has
/// come, and nothing that a schedule could put in between would show. A set or raise does not hold
/// back what stands behind it, but fires only after all work in front of it.
/// `pipes` is the set of pipes (a bit each) where something may have changed.
void Machine::settle(std::uint32_t c, unsigned pipes) {
  Core& core = cores_[c];
  while (pipes != 0) {
    const int pipe = std::countr_zero(pipes);
    pipes &= pipes - 1;
    PipeState& state = core.pipes[static_cast<std::size_t>(pipe)];
    while (state.queued > 0) {
      const DeviceInstruction& in = head_of(state);
      if (is_data(in.op) || !has_turn(core, state, in)) break;
      ++state.head;
      --state.queued;
      const bool sets = in.op == DeviceOp::set_flag || in.op == DeviceOp::raise;
      const bool early = broken(in.op == DeviceOp::set_flag ? DefectId::set_flag_overtakes_pipe
                                                            : DefectId::raise_overtakes_pipe);
      if (sets && state.running_count > 0 && !early) {
        state.pending.push_back({in, state.turn});
      } else {
        pipes |= carry_out(c, in);
      }
    }
    update_start(c, pipe);
  }
  wake_scalar(c);
}

/// A flag, barrier or raise takes effect. Returns the pipes that it may let go on.
unsigned Machine::carry_out(std::uint32_t c, const DeviceInstruction& in) {
  Core& core = cores_[c];
  if (in.pipe != Pipe::s) {
    --core.outstanding;
    if (trace_ != nullptr) trace_step(core, in, steps_);
  }
  switch (in.op) {
    case DeviceOp::set_flag:
      ++core.event_count[event_index(in.event, in.id)];
      if (in.event.destination == Pipe::s) return 0;
      return 1u << (static_cast<unsigned>(in.event.destination) - 1);
    case DeviceOp::wait_flag: --core.event_count[event_index(in.event, in.id)]; return 0;
    case DeviceOp::pipe_wait_raise: --core.counters[in.id]; return 0;
    case DeviceOp::raise:
      core.raises.push_back({in.id, in.mode, in.lands, in.value, in.value_high, -1, in.dst});
      if (trace_ != nullptr && in.pipe != Pipe::s) {
        core.raises.back().traced = static_cast<std::int32_t>(trace_->size()) - 1;
      }
      update_deliver(c);
      return 0;
    default: return 0;
  }
}

void Machine::finish(std::uint32_t c, int pipe) {
  Core& core = cores_[c];
  PipeState& state = core.pipes[static_cast<std::size_t>(pipe)];
  const std::uint32_t which = chooser_->choose(static_cast<std::uint32_t>(state.running_count));
  Running& entry = state.running[which];
  const std::int32_t count = entry.instruction.count;
  const auto read = [&](std::int32_t from, std::int32_t to) { read_part(core, entry, from, to); };
  const auto write = [&](std::int32_t from, std::int32_t to) { write_part(core, entry, from, to); };
  if (entry.manner != early_read && entry.phase == 0) {
    entry.phase = 1;
    if (entry.manner == late_read) {
      read(0, count);
    } else {
      move_pieces(entry, ~entry.pieces.read_first, read);
      move_pieces(entry, entry.pieces.written_first, write);
    }
    return;
  }
  if (entry.manner == torn) {
    move_pieces(entry, ~entry.pieces.written_first, write);
  } else {
    write(0, count);
  }
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
  unsigned changed = 1u << pipe;
  while (!state.pending.empty() &&
         (state.running_count == 0 || state.running[0].turn >= state.pending.front().turn)) {
    changed |= carry_out(c, state.pending.front().instruction);
    state.pending.erase(state.pending.begin());
  }
  settle(c, changed);
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

/// Appends the words of a range as they are; what is outside of memory reads as 0.
void Machine::append_range(Core& core, const MemoryRange& range, std::vector<std::uint32_t>& out) {
  const std::size_t first = out.size();
  out.resize(first + static_cast<std::size_t>(range.count));
  if (range.space == Space::gm) {
    gm_read(range.at, out.data() + first, range.count);
  } else if (const std::uint32_t* at = local(core, range.space, range.at, range.count)) {
    std::copy_n(at, range.count, out.data() + first);
  }
}

/// A Compute with real data finishes: it may look at what it writes over.
void Machine::finish_computation(Core& core, Running& entry) {
  const DeviceInstruction& in = entry.instruction;
  const auto& ranges = core.range_slots[static_cast<std::size_t>(in.count)];
  std::vector<std::uint32_t> words;
  for (std::size_t r = in.read_count; r < ranges.size(); ++r) append_range(core, ranges[r], words);
  in.computation->finish(entry.staged, words);
  const std::uint32_t* from = words.data();
  for (std::size_t r = in.read_count; r < ranges.size(); ++r) {
    const MemoryRange& range = ranges[r];
    if (range.space == Space::gm) {
      gm_write(range.at, from, range.count);
    } else if (std::uint32_t* at = local(core, range.space, range.at, range.count)) {
      std::copy_n(from, range.count, at);
    }
    from += range.count;
  }
  core.free_range_slots.push_back(in.count);
}

void Machine::read_opaque(Core& core, Running& entry) {
  const DeviceInstruction& in = entry.instruction;
  const auto& ranges = core.range_slots[static_cast<std::size_t>(in.count)];
  if (in.computation != nullptr) {
    entry.staged.clear();
    for (std::size_t r = 0; r < in.read_count; ++r) append_range(core, ranges[r], entry.staged);
    return;
  }
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
  if (in.computation != nullptr) return finish_computation(core, entry);
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
