// Scalar accesses, refreshes and queries, as the scalar unit carries them out.
#include "harness/emulator/mix_source.h"

namespace skcts::emulator {

void MixSource::lower_scalar(const Instruction& in) {
  switch (in.op) {
    case Op::get_value:
    case Op::set_value:
    case Op::assign: {
      const bool reads = in.op == Op::get_value;
      const Operand& operand = reads ? in.src : in.dst;
      if (operand.space != Space::tensor) {
        Space space = Space::none;
        std::int32_t at = 0;
        if (!local_place(operand, 1, space, at)) return;
        DeviceInstruction& out = push(reads ? DeviceOp::load_local : DeviceOp::store_local);
        out.src_space = out.dst_space = space;
        out.src = out.dst = at;
        out.value = value_of(in.value);
        break;
      }
      TensorState* object = tensor(operand.index);
      if (object == nullptr) return;
      const std::int32_t word = gm_word(operand);
      if (in.op == Op::set_value) {
        refresh_for_write(*object, word);
      } else {
        refresh_for_read(*object, word);
      }
      DeviceInstruction& out = push(reads ? DeviceOp::load : DeviceOp::store);
      out.src = out.dst = word;
      out.value = value_of(in.value);
      if (in.op == Op::set_value && use_->refreshes_accesses &&
          holds(latitude_pin(34, "at-once"))) {
        push_inserted_refresh(word);
        object->written_line = -1;
      }
      break;
    }
    case Op::raw_load: push(DeviceOp::load).src = gm_word(in.src); break;
    case Op::read_gm_bypass: push(DeviceOp::load_bypass).src = gm_word(in.src); break;
    case Op::raw_store:
    case Op::write_gm_bypass: {
      DeviceInstruction& out =
          push(in.op == Op::raw_store ? DeviceOp::store : DeviceOp::store_bypass);
      out.dst = gm_word(in.dst);
      out.value = value_of(in.value);
      break;
    }
    case Op::dcci:
      if (composed().fused && defect() == DefectId::dcci_call_ignored) {
        push(DeviceOp::nothing);
      } else if (in.line == CacheLine::entire) {
        push(DeviceOp::refresh_all);
      } else {
        push(DeviceOp::refresh_line).dst = gm_word(in.dst);
      }
      break;
    case Op::dsb:
      push((in.dsb == Dsb::all || in.dsb == Dsb::ddr) && defect() != DefectId::data_sync_ignored
               ? DeviceOp::data_sync
               : DeviceOp::nothing);
      break;
    case Op::tensor_copy: {
      TensorState* other = tensor(in.other);
      if (other == nullptr) return;
      TensorState& object = tensors_[static_cast<std::size_t>(in.object)];
      const bool is_const = object.is_const;
      object = *other;
      object.is_const = is_const;
      push(DeviceOp::nothing);
      break;
    }
    case Op::tensor_end:
      if (TensorState* object = tensor(in.object)) end_tensor(*object);
      if (buffer_size_ == 0) push(DeviceOp::nothing);
      break;
    default: break;
  }
  const bool loads = in.op == Op::get_value || in.op == Op::raw_load || in.op == Op::read_gm_bypass;
  if (loads && fault_.empty()) take_loaded_into(in.reg);
}

void MixSource::lower_query(const Instruction& in) {
  std::int64_t value = 0;
  switch (in.op) {
    case Op::get_block_num: value = indices_.block_count; break;
    case Op::get_block_idx: value = indices_.core; break;
    case Op::get_sub_block_idx:
      value = defect() == DefectId::sub_block_idx_zero ? 0 : indices_.sub;
      break;
    default:
      value = cube() ? 1 : composed().shape.aiv_per_block();
      if (holds(latitude_pin(31, "own-ratio"))) {
        value = !cube() && sub_->type == KernelType::mix_aic_1_2 ? 2 : 1;
      }
      if (defect() == DefectId::task_ratio_one) value = 1;
      break;
  }
  queries_.push_back({core_, context_->launch, report_sub_kernel_, place_, value});
  push(DeviceOp::nothing);
  if (code_ != nullptr) registers_[0] = static_cast<std::uint32_t>(value);
}

}  // namespace skcts::emulator
