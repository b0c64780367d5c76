// Events, cross-core flags, SyncAll and the early-start calls, as the headers have them.
#include <fmt/format.h>

#include "harness/emulator/mix_source.h"

namespace skcts::emulator {

namespace {

constexpr bool is_one_of(HardEvent event, std::initializer_list<HardEvent> list) {
  for (const HardEvent other : list) {
    if (event == other) return true;
  }
  return false;
}

/// Events that the headers compile to nothing on a core kind.
bool is_no_event(CoreKind kind, HardEvent event) {
  using enum Pipe;
  if (kind == CoreKind::aic) {
    return is_one_of(event, {{mte2, v}, {v, mte2}, {mte3, v}, {v, mte3}, {v, v}, {s, v}, {v, s}});
  }
  return is_one_of(event, {{mte2, mte1}, {mte1, mte2}, {mte1, m}, {m, mte1}, {m, fix}, {fix, m}});
}

}  // namespace

void MixSource::push_set(HardEvent event, std::uint8_t id, bool inserted) {
  DeviceInstruction& out = push_on(DeviceOp::set_flag, event.source);
  out.event = event;
  out.id = id;
  out.inserted = inserted;
}

void MixSource::push_wait(HardEvent event, std::uint8_t id, bool inserted) {
  DeviceInstruction& out = push_on(DeviceOp::wait_flag, event.destination);
  out.event = event;
  out.id = id;
  out.waits_for = WaitKind::event_flag;
  out.inserted = inserted;
}

/// A set and a wait of the event that only inserted code uses.
void MixSource::push_private(HardEvent event, WaitKind waits_for) {
  push_set(event, private_event_id, inserted_);
  push_wait(event, private_event_id, inserted_);
  buffer_[buffer_size_ - 1].waits_for = waits_for;
}

void MixSource::push_raise(int id, int mode, Pipe pipe, bool lands) {
  if (defect() == DefectId::flag_ids_modulo_8) id &= 7;
  DeviceInstruction& out = push_on(DeviceOp::raise, pipe);
  out.id = static_cast<std::uint8_t>(id & (is_3510() ? 31 : 15));
  out.mode = static_cast<std::uint8_t>(mode == block_mode && is_3510() ? mode : mode & 3);
  out.lands = lands;
}

void MixSource::push_wait_raise(int id, WaitKind kind) {
  if (defect() == DefectId::flag_ids_modulo_8) id &= 7;
  DeviceInstruction& out = push(DeviceOp::wait_raise);
  out.id = static_cast<std::uint8_t>(id & (is_3510() ? 31 : 15));
  out.waits_for = kind;
}

void MixSource::push_wait_signal(std::int32_t signal, WaitKind kind) {
  DeviceInstruction& out = push(DeviceOp::wait_signal);
  out.src = signal;
  out.waits_for = kind;
}

/// CrossCoreWaitFlag of the 950: its pipe alone waits; S and ALL hold the core.
void MixSource::push_pipe_wait(const Instruction& in) {
  if (in.pipe == Pipe::s || in.pipe == Pipe::all) {
    push_wait_raise(in.id, WaitKind::cross_core_flag);
  } else if (!context_->settings->profile->has_pipe(core_.kind, in.pipe)) {
    push(DeviceOp::nothing);
  } else {
    push_wait_raise(in.id, WaitKind::cross_core_flag);
    buffer_[buffer_size_ - 1].op = DeviceOp::pipe_wait_raise;
    buffer_[buffer_size_ - 1].pipe = in.pipe;
  }
}

void MixSource::push_event(const Instruction& in) {
  const bool two_bits = defect() == DefectId::event_ids_modulo_4;
  const auto id = static_cast<std::uint8_t>(in.id & (two_bits ? 3 : 7));
  const bool sets = in.op == Op::set_flag;
  if (is_no_event(core_.kind, in.event)) {
    push(DeviceOp::nothing);
  } else if (in.event == HardEvent{Pipe::v, Pipe::v}) {
    // The vector pipe orders itself: the set is a barrier, the wait is nothing.
    push_on(sets ? DeviceOp::barrier : DeviceOp::nothing, sets ? Pipe::v : Pipe::s);
  } else if (in.event == HardEvent{Pipe::fix, Pipe::fix}) {
    push_on(DeviceOp::barrier, Pipe::fix);
  } else if (sets) {
    push_set(in.event, id, false);
  } else if (defect() == DefectId::wait_flag_passes) {
    push(DeviceOp::nothing);
  } else {
    push_wait(in.event, id, false);
  }
}

/// SyncAll as the headers have it; `lands` where it is the boundary between two sub kernels.
void MixSource::push_sync_all(bool aiv_only, bool lands) {
  if (defect() != DefectId::sync_all_without_drain || lands) push(DeviceOp::pipe_all);
  if (defect() == DefectId::sync_all_own_kind && !aiv_only && !lands) {
    return push_all_cores(cube() ? KernelType::mix_aic_1_0 : KernelType::mix_aiv_1_0, lands);
  }
  push_all_cores(aiv_only ? KernelType::mix_aiv_1_0 : KernelType::mix_aic_1_2, lands);
}

/// A barrier of all cores that a launch of that type has. That of the vector cores alone is called
/// by whoever calls it: a cube core then joins the cubes.
void MixSource::push_all_cores(KernelType launch, bool lands) {
  if (!is_mix_kind(launch)) {
    const bool cubes = is_aic_kind(launch);
    const int id = cubes ? 11 : 14;
    push_raise(id, 0, cubes ? Pipe::fix : cube() && is_3510() ? Pipe::fix : Pipe::mte3, lands);
    push_wait_raise(id, WaitKind::full_core);
  } else if (!cube()) {
    push_to_cube(lands);
    push_wait_raise(13, WaitKind::full_core);
  } else {
    push_wait_for_vectors(WaitKind::full_core);
    push_raise(11, 0, Pipe::fix, lands);
    push_wait_raise(11, WaitKind::full_core);
    push_to_vectors(lands);
  }
}

/// Flags 12 and 13 inside a block. Mode 2 joins its cores; the 950 at 1:2 has a flag for each pair
/// instead, sixteen apart on the cube (machine §4.1, §7.2).
void MixSource::push_to_cube(bool lands) {
  const bool pairs = is_3510() && composed().shape.aiv_per_block() == 2;
  push_raise(12, pairs ? block_mode : 2, Pipe::mte3, lands);
}

void MixSource::push_wait_for_vectors(WaitKind kind) {
  push_wait_raise(12, kind);
  if (is_3510() && composed().shape.aiv_per_block() == 2) push_wait_raise(28, kind);
}

void MixSource::push_to_vectors(bool lands) {
  if (!is_3510()) {
    push_raise(13, 2, context_->settings->aclgraph ? Pipe::fix : Pipe::mte3, lands);
  } else if (composed().shape.aiv_per_block() == 2) {
    push_raise(13, block_mode, Pipe::s, lands);
    push_raise(29, block_mode, Pipe::s, lands);
  } else {
    push_raise(13, 2, Pipe::fix, lands);  // a cube core has no MTE3 there
  }
}

void MixSource::push_early_actions(int config) {
  const EarlyActions actions = early_actions(config, core_.kind, defect());
  for (int i = 0; i < actions.count; ++i) {
    const EarlyAction& action = actions.actions[i];
    if (!action.is_wait) {
      cube() ? push_to_vectors(false) : push_to_cube(false);
    } else if (action.id == 12) {
      push_wait_for_vectors(WaitKind::full_core);
    } else {
      push_wait_raise(action.id, WaitKind::full_core);
    }
  }
}

/// False where cross-core flags do not work (L-10); then what they do has been pushed.
bool MixSource::flags_work() {
  // An AIV_ONLY sub kernel with a SyncAll counts as MIX_AIV_1_0 as a whole (L-13=promoted; refused
  // ones are not run), whether or not a core comes to the call.
  const bool plain_vector = sub_->type == KernelType::aiv_only && !use_->syncs_all;
  if (composed().fused || (!plain_vector && sub_->type != KernelType::aic_only)) return true;
  if (holds(latitude_pin(10, "error"))) {
    fault(fmt::format("cross-core flags do not work in {} (SYNC-13)", to_string(sub_->type)));
  } else {
    push(DeviceOp::nothing);
  }
  return false;
}

void MixSource::call_sync_all(const Instruction& in) {
  if (cube() && in.aiv_only) {
    if (holds(latitude_pin(12, "error"))) return fault("SyncAll<true> on a cube core");
    if (holds(latitude_pin(12, "no-effect"))) {
      push(DeviceOp::nothing);
      return;
    }
  }
  if (!flags_work()) {
    if (holds(latitude_pin(10, "error"))) return;
    push(DeviceOp::pipe_all);
    if (holds(latitude_pin(10, "hang"))) {
      push_wait_raise(in.aiv_only ? 14 : 12, WaitKind::full_core);
    }
    return;
  }
  if (++calls_of_sync_all_ == 2 && defect() == DefectId::second_sync_all_passes) {
    push(DeviceOp::nothing);
    return;
  }
  if (use_->fed && core_.index == 0) publish(in.aiv_only, false);
  push_sync_all(in.aiv_only, false);
}

void MixSource::call_set_next_task_start(const Instruction& in) {
  if (!use_->own_set) {
    push(DeviceOp::nothing);
    return;
  }
  if (defect() == DefectId::set_next_ignored) {
    push(DeviceOp::nothing);
    return;
  }
  if (defect() == DefectId::set_next_on_wrong_pipe) {
    return push_raise(cube() ? 11 : 14, 0, Pipe::mte2, true);
  }
  // A border that drains all pipes does so here too, for what came before the call.
  if (holds(latitude_pin(14, "drained"))) push(DeviceOp::pipe_all);
  push_raise(cube() ? 11 : 14, 0, cube() ? in.aic_pipe : in.pipe, true);
}

void MixSource::call_wait_pre_task_end() {
  if (!use_->own_wait || defect() == DefectId::wait_pre_ignored) {
    push(DeviceOp::nothing);
    return;
  }
  push_early_actions(use_->own_config);
  if (core_ == CoreId{use_->raised_by, 0}) {
    for (const std::int32_t event : use_->raised_at_wait) push(DeviceOp::give_signal).dst = event;
  }
  if (buffer_size_ == 0) push(DeviceOp::nothing);
}

void MixSource::lower_sync(const Instruction& in) {
  switch (in.op) {
    case Op::set_flag:
    case Op::wait_flag: push_event(in); break;
    case Op::pipe_barrier:
      if (in.pipe == Pipe::all) {
        push(defect() == DefectId::pipe_all_ignored ? DeviceOp::nothing : DeviceOp::pipe_all);
      } else if (is_3510() && in.pipe == Pipe::v) {
        push(DeviceOp::nothing);  // the hardware orders V by data
      } else if (has_pipe(core_.kind, in.pipe) && defect() != DefectId::pipe_barrier_ignored) {
        push_on(DeviceOp::barrier, in.pipe);
      } else {
        push(DeviceOp::nothing);
      }
      break;
    case Op::cross_core_set_flag:
    case Op::cross_core_wait_flag: {
      const bool sets = in.op == Op::cross_core_set_flag;
      if (!flags_work()) {
        if (!sets && holds(latitude_pin(10, "hang"))) {
          buffer_size_ = 0;
          push_wait_raise(in.id, WaitKind::cross_core_flag);
        }
        break;
      }
      if (sets && (in.mode & 3) == 1 && cube()) return fault("mode 1 is for vector cores");
      if (sets) {
        const bool by_hand = use_->fed && defect() == DefectId::feed_joins_hand_made;
        if (by_hand && (in.mode & 3) == 0 && core_.index == 0) publish_raise(in.id);
        push_raise(in.id, in.mode, in.pipe, false);
      } else if (is_3510()) {
        push_pipe_wait(in);
      } else {
        push_wait_raise(in.id, WaitKind::cross_core_flag);
      }
      break;
    }
    case Op::sync_all: call_sync_all(in); break;
    case Op::set_next_task_start: call_set_next_task_start(in); break;
    default: call_wait_pre_task_end(); break;
  }
}

}  // namespace skcts::emulator
