// What loops until some word in GM has changed: polls, the soft barrier, IBSet/IBWait, the Matmul
// service, and idle cores that follow a feed record. Each round starts a watch before it reads, so
// that no change is missed, and ends by waiting for one.
#include <algorithm>

#include <fmt/format.h>

#include "harness/emulator/mix_source.h"

namespace skcts::emulator {

namespace {

constexpr HardEvent mte2_s{Pipe::mte2, Pipe::s};
constexpr HardEvent s_mte3{Pipe::s, Pipe::mte3};

// A Matmul request, 8 words, DMA as a whole.
enum RequestWord : std::int32_t {
  request_what = 0,
  request_a,
  request_b,
  request_c,
  request_count,
  request_number = 7
};
constexpr std::uint32_t what_call = 1;
constexpr std::uint32_t what_end = 2;

constexpr std::int32_t slots_a_chunk = 240;  ///< Soft barrier slots copied at a time.
constexpr std::int32_t slots_offset = 64;    ///< Where they go behind the end of UB.

// A feed record: the low word holds flags, the high word the number of the SyncAll call.
constexpr std::uint32_t record_magic_mask = 0xff;
constexpr std::uint32_t record_end = 1u << 8;
constexpr std::uint32_t record_aiv_only = 1u << 16;
constexpr std::uint32_t record_raise = 1u << 17;  ///< of a defect: a flag by hand, its id above
constexpr unsigned record_id_at = 24;

}  // namespace

void MixSource::start_routine(Routine routine, const Instruction* in) {
  routine_ = routine;
  routine_in_ = in;
  state_ = 0;
  ended_clients_ = 0;
  if (in == nullptr) return;
  const bool vector_only = routine == Routine::soft_sync || routine == Routine::ib;
  if (vector_only && cube()) {  // they return at once there
    routine_ = Routine::none;
    push(DeviceOp::nothing);
    return;
  }
  target_ = value_of(in->value);
  if (routine == Routine::poll && in->via != PollVia::data_copy) return;
  if (routine == Routine::matmul_call) return;
  // A scratch block in UB and a workspace (or the polled word) in GM.
  if (!local_place(in->dst, 8, local_space_, local_at_)) return;
  if (routine == Routine::poll) return;
  const std::int64_t region_words =
      context_->mix->regions[static_cast<std::size_t>(in->src.index)].words -
      in->src.at.eval(indices_);
  std::int64_t slot = indices_.core;
  if (routine == Routine::soft_sync) {
    // On the 950 the numbers are those of the launch, in a SuperKernel too.
    const bool raw = (!composed().fused || is_3510()) && in->aiv_only;
    if (raw) slot = indices_.block;
    const int ratio = composed().shape.aiv_per_block();
    const bool of_launch = is_3510() || defect() == DefectId::soft_sync_of_launch;
    const int blocks = of_launch ? composed().shape.blocks : indices_.block_count;
    total_ = in->count > 0 ? in->count : blocks * (in->aiv_only ? 1 : ratio);
    if (std::int64_t{total_} * 8 > region_words) slot = -1;
  } else {
    const std::int64_t cores = std::int64_t{indices_.block_count} * (in->aiv_only ? 1 : 2);
    slot = cores * in->id + static_cast<std::int32_t>(target_);
  }
  if (slot < 0 || slot * 8 + 8 > region_words) {
    fault(fmt::format("slot {} is outside the workspace of {} words", slot, region_words));
    return;
  }
  word_ = gm_word(in->src) + static_cast<std::int32_t>(slot) * 8;
}

void MixSource::routine_step(std::uint64_t loaded) {
  const auto word = static_cast<std::uint32_t>(loaded);
  switch (routine_) {
    case Routine::poll: return poll_step(word);
    case Routine::soft_sync: return soft_sync_step(word);
    case Routine::ib: return ib_step(word);
    case Routine::matmul_call:
    case Routine::matmul_end: return matmul_call_step(word);
    case Routine::matmul_serve: return matmul_serve_step(word);
    case Routine::feed_join: return feed_join_step(loaded);
    case Routine::none: return;
  }
}

void MixSource::push_watch(std::int32_t at, std::int32_t count) {
  DeviceInstruction& out = push(DeviceOp::watch);
  out.src = at;
  out.count = count;
}

void MixSource::push_await(WaitKind kind) {
  push(DeviceOp::await_change).waits_for = kind;
}

void MixSource::poll_read() {
  const Instruction& in = *routine_in_;
  TensorState* object = nullptr;
  if (in.via == PollVia::get_value) {
    object = tensor(in.src.index);
    if (object == nullptr) return;
  }
  word_ = gm_word(in.src);
  // The core's own refresh is no change: the watch starts behind it.
  if (in.refresh) push(DeviceOp::refresh_line).dst = word_;
  if (object != nullptr) refresh_for_read(*object, word_);
  push_watch(word_, 1);
  switch (in.via) {
    case PollVia::get_value:
    case PollVia::raw_load: push(DeviceOp::load).src = word_; break;
    case PollVia::bypass: push(DeviceOp::load_bypass).src = word_; break;
    case PollVia::data_copy: {
      DeviceInstruction& copy = push_on(DeviceOp::copy_in, Pipe::mte2);
      copy.src_space = Space::gm;
      copy.src = word_ / 8 * 8;
      copy.dst_space = local_space_;
      copy.dst = local_at_;
      copy.count = 8;
      push_private(mte2_s, WaitKind::poll);
      DeviceInstruction& load = push(DeviceOp::load_local);
      load.src_space = local_space_;
      load.src = local_at_ + word_ % 8;
      break;
    }
  }
}

void MixSource::poll_step(std::uint32_t loaded) {
  const Instruction& in = *routine_in_;
  if (state_ == 0) {
    state_ = 1;
    return poll_read();
  }
  const bool reached = in.until == Compare::equal ? loaded == target_ : loaded >= target_;
  if (!reached) {
    push_await(WaitKind::poll);
    state_ = 0;
    return;
  }
  if (in.reg >= 0) registers_[static_cast<std::size_t>(in.reg)] = loaded;
  end_routine();
}

void MixSource::copy_slots(std::int32_t from, std::int32_t slots, std::int32_t to,
                           std::int32_t taken_as_one) {
  DeviceInstruction& copy = push_on(DeviceOp::copy_in, Pipe::mte2);
  copy.src_space = Space::gm;
  copy.src = from;
  copy.dst_space = Space::ub;
  copy.dst = to;
  copy.count = slots * 8;
  push_private(mte2_s, WaitKind::soft_sync);
  if (taken_as_one >= 0 && taken_as_one < slots) {
    DeviceInstruction& own = push(DeviceOp::store_local);
    own.dst_space = Space::ub;
    own.dst = to + taken_as_one * 8;
    own.value = 1;
  }
  DeviceInstruction& load = push(DeviceOp::load_local);
  load.src_space = Space::ub;
  load.src = to;
  load.count = slots;
}

void MixSource::write_own_slot(std::uint32_t value, WaitKind kind) {
  DeviceInstruction& store = push(DeviceOp::store_local);
  store.dst_space = local_space_;
  store.dst = local_at_;
  store.value = value;
  push_private(s_mte3, kind);
  DeviceInstruction& copy = push_on(DeviceOp::copy_out, Pipe::mte3);
  copy.src_space = local_space_;
  copy.src = local_at_;
  copy.dst_space = Space::gm;
  copy.dst = word_;
  copy.count = 8;
}

/// What the slots have to add up to before this core goes on: one round more than its own slot
/// says for every core. Over unequal slots the core with the largest waits for ever (L-15=hang),
/// or none waits, in this round and in those to come (L-15=early-release).
/// Called when the core has read its own slot, hence by the first one before any is rewritten.
std::uint32_t MixSource::soft_sync_target(std::int32_t workspace) {
  auto& starts = context_->soft_starts;
  auto start = std::find_if(starts.begin(), starts.end(), [&](const auto& entry) {
    return entry.workspace == workspace && entry.op == op_;
  });
  if (start == starts.end()) {
    start = starts.insert(start, {workspace, op_, true});
    std::uint32_t first = 0;
    for (std::int32_t slot = 0; slot < total_; ++slot) {
      const std::int32_t at = workspace + slot * 8;
      const bool inside = at >= 0 && at < static_cast<std::int32_t>(context_->memory->size());
      const std::uint32_t word = inside ? (*context_->memory)[static_cast<std::size_t>(at)] : 0;
      if (slot == 0) first = word;
      start->equal = start->equal && word == first;
    }
  }
  if (defect() == DefectId::soft_sync_one_short) {
    return static_cast<std::uint32_t>(total_) * (round_ + 1) - 1;
  }
  if (!start->equal && holds(latitude_pin(15, "early-release"))) return 0;
  return static_cast<std::uint32_t>(total_) * (round_ + 1);
}

void MixSource::soft_sync_step(std::uint32_t loaded) {
  const std::int32_t workspace = gm_word(routine_in_->src);
  const std::int32_t scratch = context_->settings->profile->ub_words + slots_offset;
  switch (state_) {
    case 0:
      if (defect() != DefectId::soft_sync_without_drain) push(DeviceOp::pipe_all);
      copy_slots(word_, 1, local_at_);
      state_ = 1;
      return;
    case 1:
      round_ = loaded;
      needed_ = soft_sync_target(workspace);
      write_own_slot(round_ + 1, WaitKind::soft_sync);
      state_ = 2;
      return;
    case 2:  // a round of the poll: the slots, as many at a time as fit
      push_watch(workspace, total_ * 8);
      if (round_ == 0) write_own_slot(1, WaitKind::soft_sync);
      sum_ = 0;
      chunk_ = 0;
      state_ = 3;
      [[fallthrough]];
    case 3:
      // In its first round a core counts itself as 1, whatever its slot holds (machine §4.4).
      copy_slots(workspace + chunk_ * 8, std::min(slots_a_chunk, total_ - chunk_), scratch,
                 round_ == 0 ? (word_ - workspace) / 8 - chunk_ : -1);
      state_ = 4;
      return;
    default: {
      sum_ += loaded;
      chunk_ += slots_a_chunk;
      if (chunk_ < total_) {
        state_ = 3;
        return;
      }
      // The 950 looks for exactly the sum in its first round: one that goes past it goes unseen.
      if (is_3510() && round_ == 0 ? sum_ == needed_ : sum_ >= needed_) return end_routine();
      push_await(WaitKind::soft_sync);
      state_ = 2;
    }
  }
}

void MixSource::ib_step(std::uint32_t loaded) {
  const bool sets = routine_in_->op == Op::ib_set;
  switch (state_) {
    case 0:
      if (defect() != DefectId::ib_set_without_drain) push(DeviceOp::pipe_all);
      [[fallthrough]];
    case 1: {
      push_watch(word_, 1);
      DeviceInstruction& copy = push_on(DeviceOp::copy_in, Pipe::mte2);
      copy.src_space = Space::gm;
      copy.src = word_;
      copy.dst_space = local_space_;
      copy.dst = local_at_;
      copy.count = 8;
      push_private(mte2_s, WaitKind::ib);
      DeviceInstruction& load = push(DeviceOp::load_local);
      load.src_space = local_space_;
      load.src = local_at_;
      state_ = 2;
      return;
    }
    default: {
      const bool passes = !sets && defect() == DefectId::ib_wait_passes;
      if (loaded != (sets ? 0u : 1u) && !passes) {
        push_await(WaitKind::ib);
        state_ = 1;
        return;
      }
      write_own_slot(sets ? 1 : 0, WaitKind::ib);
      push(DeviceOp::pipe_all);
      end_routine();
    }
  }
}

/// GM word of request `sub` of this core's block; its answer lies 32 words behind.
std::int32_t MixSource::matmul_slot(int sub) const {
  return context_->matmul_base + indices_.block * 64 + sub * 16;
}

/// Stores a request into this vector core's slot. MTE3 may overlap it with what it has under way.
void MixSource::push_request(std::uint32_t what) {
  const std::int32_t scratch = context_->settings->profile->ub_words;
  const auto word = [&](std::int32_t at, std::uint32_t value) {
    DeviceInstruction& store = push(DeviceOp::store_local);
    store.dst_space = Space::ub;
    store.dst = scratch + at;
    store.value = value;
  };
  word(request_what, what);
  if (what == what_call) {
    word(request_a, static_cast<std::uint32_t>(gm_word(routine_in_->src)));
    word(request_b, static_cast<std::uint32_t>(gm_word(routine_in_->src_b)));
    word(request_c, static_cast<std::uint32_t>(gm_word(routine_in_->dst)));
    word(request_count, static_cast<std::uint32_t>(routine_in_->count));
  }
  word(request_number, ++calls_);
  push_private(s_mte3, WaitKind::matmul);
  DeviceInstruction& copy = push_on(DeviceOp::copy_out, Pipe::mte3);
  copy.src_space = Space::ub;
  copy.src = scratch;
  copy.dst_space = Space::gm;
  copy.dst = matmul_slot(indices_.sub);
  copy.count = 8;
  copy.whole = true;
}

void MixSource::matmul_call_step(std::uint32_t loaded) {
  const std::int32_t answer = matmul_slot(indices_.sub) + 32;
  switch (state_) {
    case 0:
      if (routine_ == Routine::matmul_call && !use_->uses_matmul) {
        // No cube core serves this kernel type: the answer never comes.
        push_watch(-1, 0);
        push_await(WaitKind::matmul);
        return;
      }
      if (routine_ == Routine::matmul_end) {
        push_request(what_end);
        push_private({Pipe::mte3, Pipe::s}, WaitKind::matmul);
        return end_routine();
      }
      push_request(what_call);
      state_ = 1;
      return;
    case 1:
      push_watch(answer, 1);
      push(DeviceOp::load_bypass).src = answer;
      state_ = 2;
      return;
    default:
      if (loaded == calls_) return end_routine();
      push_await(WaitKind::matmul);
      state_ = 1;
  }
}

/// One piece of a product, as large as the private memory behind L0A, L0B and L0C.
void MixSource::matmul_chunk() {
  const Profile& profile = *context_->settings->profile;
  const auto total = static_cast<std::int32_t>(request_[3]);
  const std::int32_t count = std::min(private_words, total - chunk_);
  const auto load = [&](std::uint32_t from, Space space, std::int32_t to) {
    DeviceInstruction& copy = push_on(DeviceOp::copy_in, Pipe::mte2);
    copy.src_space = Space::gm;
    copy.src = static_cast<std::int32_t>(from) + chunk_;
    copy.dst_space = space;
    copy.dst = to;
    copy.count = count;
  };
  load(request_[0], Space::l0a, profile.l0a_words);
  load(request_[1], Space::l0b, profile.l0b_words);
  push_private({Pipe::mte2, Pipe::m}, WaitKind::matmul);
  DeviceInstruction& product = push_on(DeviceOp::mmad, Pipe::m);
  product.dst_space = Space::l0c;
  product.dst = profile.l0c_words;
  product.src_space = Space::l0a;
  product.src = profile.l0a_words;
  product.src_b_space = Space::l0b;
  product.src_b = profile.l0b_words;
  product.count = count;
  push_private({Pipe::m, Pipe::fix}, WaitKind::matmul);
  DeviceInstruction& out = push_on(DeviceOp::copy_out, Pipe::fix);
  out.src_space = Space::l0c;
  out.src = profile.l0c_words;
  out.dst_space = Space::gm;
  out.dst = static_cast<std::int32_t>(request_[2]) + chunk_;
  out.count = count;
  if (defect() != DefectId::matmul_answers_early) {
    push_private({Pipe::fix, Pipe::s}, WaitKind::matmul);
  }
  chunk_ += count;
}

/// The server: looks at its slots in turn, answers each request, and goes when every client has
/// sent its end.
void MixSource::matmul_serve_step(std::uint32_t loaded) {
  const bool first_only = defect() == DefectId::matmul_serves_first_slot;
  const int slots = sub_->type == KernelType::mix_aic_1_2 && !first_only ? 2 : 1;
  const auto read = [this](std::int32_t at) {
    push(DeviceOp::load_bypass).src = matmul_slot(slot_) + at;
  };
  switch (state_) {
    case 0:
      push_watch(matmul_slot(0), slots * 16);
      slot_ = 0;
      read(request_number);
      state_ = 1;
      return;
    case 1:  // the number in slot_
      if (loaded == served_[slot_] + 1) {
        read(request_what);
        state_ = 2;
      } else if (++slot_ < slots) {
        read(request_number);
      } else {
        push_await(WaitKind::matmul);
        state_ = 0;
      }
      return;
    case 2:
      ++served_[slot_];
      state_ = 0;
      if (loaded == what_end) {
        ended_clients_ |= 1u << slot_;
        if (ended_clients_ == (1u << slots) - 1) end_routine();
        return;
      }
      read(request_a);
      state_ = 3;
      return;
    case 3:
    case 4:
    case 5:
    case 6:
      request_[state_ - 3] = loaded;
      if (state_ < 6) {
        read(request_a + state_ - 2);
        ++state_;
        return;
      }
      chunk_ = 0;
      state_ = 7;
      [[fallthrough]];
    default: {
      if (chunk_ < static_cast<std::int32_t>(request_[3])) return matmul_chunk();
      // A cube core of the 950 has no MTE3.
      DeviceInstruction& answer = push_on(DeviceOp::fill_gm, is_3510() ? Pipe::fix : Pipe::mte3);
      answer.dst_space = Space::gm;
      answer.dst = matmul_slot(slot_) + 32;
      answer.value = served_[slot_];
      answer.count = 8;
      answer.whole = true;
      state_ = 0;
    }
  }
}

/// Stores the record of a SyncAll call (or of the end) and refreshes its line; no barrier follows.
void MixSource::publish(bool aiv_only, bool end) {
  if (!end) ++feed_index_;
  push_record((aiv_only ? record_aiv_only : 0) | (end ? record_end : 0));
}

/// A record of a flag raised by hand, which only a defect makes.
void MixSource::publish_raise(int id) {
  ++feed_index_;
  push_record(record_raise | static_cast<std::uint32_t>(id) << record_id_at);
}

void MixSource::push_record(std::uint32_t flags) {
  DeviceInstruction& store = push(DeviceOp::store);
  store.dst = feed_slot_;
  store.pair = true;
  store.value = flags;
  store.value_high = feed_index_;
  push(DeviceOp::refresh_line).dst = feed_slot_;
}

/// An idle core: makes one SyncAll for each call that the record shows, until its end.
void MixSource::feed_join_step(std::uint64_t loaded) {
  if (state_ == 0) {
    push(DeviceOp::refresh_line).dst = feed_slot_;
    push_watch(feed_slot_, 2);
    DeviceInstruction& load = push(DeviceOp::load);
    load.src = feed_slot_;
    load.pair = true;
    state_ = 1;
    return;
  }
  const auto flags = static_cast<std::uint32_t>(loaded);
  const auto index = static_cast<std::uint32_t>(loaded >> 32);
  state_ = 0;
  if ((flags & record_magic_mask) != 0) return fault("a feed record is damaged");
  if ((flags & record_end) != 0) return end_routine();
  if (index > feed_index_) {
    ++feed_index_;
    if (defect() == DefectId::feed_first_call_missed && feed_index_ == 1) return;
    ++counts().feed_joins;
    if ((flags & record_raise) != 0) {
      const auto id = static_cast<int>(flags >> record_id_at);
      push_raise(id, 0, own_store_pipe(), false);
      return push_wait_raise(id, WaitKind::full_core);
    }
    const bool vectors = (flags & record_aiv_only) != 0;
    push_sync_all(vectors || defect() == DefectId::feed_kind_ignored, false);
  } else {
    push_await(WaitKind::feed);
  }
}

}  // namespace skcts::emulator
