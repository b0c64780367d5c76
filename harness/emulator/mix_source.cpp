// One core's way through a composed launch: its steps, its programs, and their plain instructions.
#include "harness/emulator/mix_source.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/emulator/check_case.h"

namespace skcts::emulator {

namespace {

constexpr int skip_budget = 4096;  ///< Instructions passed over before the core makes a step.
constexpr std::int32_t matmul_block_words = 64;  ///< Two requests and two answers, a line each.

}  // namespace

WorkspaceSize workspace_of(const ComposedLaunch& launch) {
  WorkspaceSize size;
  if (launch.fused && launch.options.feed_sync_all) {
    size.feed_words = static_cast<std::int32_t>(launch.uses.size()) * 2 * 16;
  }
  const bool matmul = std::any_of(launch.uses.begin(), launch.uses.end(),
                                  [](const SubKernelUse& use) { return use.uses_matmul; });
  if (matmul) size.matmul_words = launch.shape.blocks * matmul_block_words;
  return size;
}

void MixSource::begin(LaunchContext& context, CoreId core) {
  context_ = &context;
  core_ = core;
  step_at_ = 0;
  buffer_at_ = buffer_size_ = 0;
  fault_.clear();
  queries_.clear();
  in_program_ = false;
  sub_ = nullptr;
  pending_reg_ = -1;
  routine_ = Routine::none;
  served_[0] = served_[1] = calls_ = 0;
  feed_slot_ = -1;
  counted_boundary_ = -1;
}

const DeviceInstruction* MixSource::next(std::uint64_t loaded) {
  if (pending_reg_ >= 0 && buffer_at_ == buffer_size_) {  // the load was the last one
    registers_[static_cast<std::size_t>(pending_reg_)] = static_cast<std::uint32_t>(loaded);
    pending_reg_ = -1;
  }
  for (;;) {
    if (buffer_at_ < buffer_size_) return &buffer_[buffer_at_++];
    buffer_at_ = buffer_size_ = 0;
    if (!fault_.empty()) {
      push(DeviceOp::fault);
    } else if (routine_ != Routine::none) {
      routine_step(loaded);
    } else if (in_program_) {
      program_step();
    } else {
      if (step_at_ == composed().steps.size()) return nullptr;
      composed_step(composed().steps[step_at_++]);
    }
  }
}

DeviceInstruction& MixSource::push(DeviceOp op) {
  if (buffer_size_ == buffer_.size()) buffer_.resize(buffer_.size() + 16);
  static constexpr DeviceInstruction blank;
  DeviceInstruction& in = buffer_[buffer_size_++];
  in = blank;
  in.op = op;
  in.sub_kernel = report_sub_kernel_;
  in.place = place_;
  in.inserted = inserted_;
  return in;
}

DeviceInstruction& MixSource::push_on(DeviceOp op, Pipe pipe) {
  DeviceInstruction& in = push(op);
  in.pipe = pipe;
  return in;
}

/// The program cannot go on: the core's next instruction stops the run with this text.
void MixSource::fault(std::string text) {
  const std::string where = fmt::format("{}: {} {}[{}]", to_string(core_),
                                        sub_ != nullptr ? sub_->name : std::string("launch"),
                                        to_string(core_.kind), place_);
  fault_ = fmt::format("{}: {}", where, text);
  buffer_size_ = buffer_at_ = 0;
  push(DeviceOp::fault);
  in_program_ = false;
  routine_ = Routine::none;
}

void MixSource::composed_step(const ComposedStep& step) {
  if (step.kind == ComposedKind::run) {
    const bool runs = composed().recorded ? makes_step(composed(), step, core_)
                                          : (cube() ? step.aic : step.aiv) &&
                                                runs_sub_kernel(*context_->mix, composed(), step.op,
                                                                core_, defect());
    if (runs) enter_sub_kernel(step.op);
    return;
  }
  if (!makes_step(composed(), step, core_)) return;
  inserted_ = true;
  place_ = -1;
  op_ = std::max(step.op, 0);
  report_sub_kernel_ = composed().uses[static_cast<std::size_t>(op_)].sub_kernel;
  inserted_step(step);
  count_inserted(step);
}

/// What the launch's prologue inserted for this core.
void MixSource::inserted_step(const ComposedStep& step) {
  const bool lands = step.purpose != Purpose::none;
  switch (step.kind) {
    case ComposedKind::feed_clear: clear_feed_share(); break;
    case ComposedKind::feed_slot:
      feed_slot_ = context_->feed_base + step.id / 4;
      feed_index_ = 0;
      break;
    case ComposedKind::feed_end:
      if (core_.index == 0) publish(false, true);
      break;
    case ComposedKind::feed_complement: start_routine(Routine::feed_join, nullptr); break;
    case ComposedKind::refresh_all: {
      const bool loses = defect() == DefectId::debug_dcci_loses && step.purpose == Purpose::debug;
      push(loses ? DeviceOp::discard_all : DeviceOp::refresh_all);
      break;
    }
    case ComposedKind::pipe_all: push(DeviceOp::pipe_all); break;
    case ComposedKind::early_set: {
      const Pipe own = cube() ? Pipe::fix : Pipe::mte3;
      const bool wrong = defect() == DefectId::boundary_on_wrong_pipe;
      push_raise(cube() ? 11 : 14, 0, wrong ? Pipe::mte2 : own, true);
      break;
    }
    case ComposedKind::early_wait: push_early_actions(step.config); break;
    case ComposedKind::flag_set: push_raise(step.id, step.mode, step.pipe, lands); break;
    case ComposedKind::flag_wait: push_wait_raise(step.id, WaitKind::full_core); break;
    case ComposedKind::sync_all: push_sync_all(step.aiv_only, lands); break;
    case ComposedKind::hold: push_all_cores(composed().shape.type, true); break;
    case ComposedKind::watch: push_wait_signal(signal_of(step), WaitKind::event); break;
    case ComposedKind::edge_wait: push_wait_signal(signal_of(step), WaitKind::full_core); break;
    case ComposedKind::notify:
    case ComposedKind::pass_on: push(DeviceOp::give_signal).dst = signal_of(step); break;
    case ComposedKind::edge_set: {
      const bool early = defect() == DefectId::edge_overtakes_pipe;
      push_raise(0, 0, early ? Pipe::mte2 : own_store_pipe(), true);
      buffer_[buffer_size_ - 1].mode = signal_mode;
      buffer_[buffer_size_ - 1].dst = signal_of(step);
      break;
    }
    case ComposedKind::own_drain:
      push_private({own_store_pipe(), Pipe::s}, WaitKind::full_core);
      break;
    case ComposedKind::kernel_end:
      push(loses_dirty_lines() ? DeviceOp::discard_all : DeviceOp::refresh_all).value =
          composed().fused ? at_sk_end : at_end_alone;
      push(DeviceOp::data_sync);
      push(DeviceOp::pipe_all);
      if (defect() == DefectId::profiling_overwrites && composed().options.profiling &&
          !context_->layout->base.empty()) {
        push(DeviceOp::store_bypass).dst = static_cast<std::int32_t>(context_->layout->base[0]);
        push(DeviceOp::data_sync);
      }
      break;
    default: break;
  }
}

/// The end of a SuperKernel drops what the core has not written back (L-37).
bool MixSource::loses_dirty_lines() const {
  if (!composed().fused) return defect() == DefectId::alone_leaves_dirty;
  return holds(latitude_pin(37, "lost")) || defect() == DefectId::dirty_lines_lost;
}

/// This core's share of zeroing the feed records.
void MixSource::clear_feed_share() {
  const std::int32_t cores = cube() ? composed().shape.aic_count() : composed().shape.aiv_count();
  const std::int32_t lines = context_->feed_words / 16;
  const std::int32_t share = (lines + cores - 1) / cores;
  const std::int32_t first = core_.index * share;
  const std::int32_t count = std::min(share, lines - first);
  if (count <= 0) return;
  DeviceInstruction& in = push_on(DeviceOp::fill_gm, cube() ? Pipe::fix : Pipe::mte3);
  in.dst_space = Space::gm;
  in.dst = context_->feed_base + first * 16;
  in.count = count * 16;
}

void MixSource::count_inserted(const ComposedStep& step) {
  if (step.kind == ComposedKind::refresh_all) {
    if (step.purpose == Purpose::before) ++counts().refresh_before;
    if (step.purpose == Purpose::after) ++counts().refresh_after;
    if (step.purpose == Purpose::debug) ++counts().refresh_debug;
    return;
  }
  const bool arrives = buffer_size_ > 0 && step.kind != ComposedKind::pipe_all;
  if (step.purpose == Purpose::boundary && arrives && counted_boundary_ != step.op) {
    counted_boundary_ = step.op;
    ++counts().barrier_before;
  }
  if (step.purpose == Purpose::debug &&
      (step.kind == ComposedKind::flag_wait || step.kind == ComposedKind::sync_all ||
       step.kind == ComposedKind::early_wait)) {
    ++counts().barrier_debug;
  }
}

void MixSource::enter_sub_kernel(int op) {
  op_ = op;
  use_ = &composed().uses[static_cast<std::size_t>(op)];
  sub_ = &context_->mix->sub_kernels[static_cast<std::size_t>(use_->sub_kernel)];
  report_sub_kernel_ = use_->sub_kernel;
  inserted_ = false;
  place_ = -1;
  const int per_block = cube() ? 1 : composed().shape.aiv_per_block();
  const bool wrong_number =
      composed().fused &&
      (defect() == DefectId::block_num_of_launch ||
       (defect() == DefectId::offload_block_num && sub_->tiling == Tiling::offload));
  indices_ = {};
  indices_.block = core_.index / per_block;
  indices_.sub = core_.index % per_block;
  indices_.core = core_.index;
  if (composed().fused && defect() == DefectId::block_idx_of_block) indices_.core = indices_.block;
  indices_.block_count = wrong_number ? composed().shape.blocks : sub_->blocks;
  indices_.core_count = indices_.block_count * (is_mix_kind(sub_->type) ? per_block : 1);
  if (use_->counts_launch && defect() != DefectId::captured_block_num_own) {
    indices_.block_count = composed().shape.blocks;
    indices_.core_count = cube() ? composed().shape.aic_count() : composed().shape.aiv_count();
  }
  if (defect() == DefectId::block_num_doubled && composed().fused && is_mix_kind(sub_->type)) {
    indices_.block_count *= per_block;
  }
  indices_.key = defect() == DefectId::tiling_key_zero ? 0 : sub_->tiling_key;
  calls_of_sync_all_ = 0;
  registers_.fill(0);
  tensors_.clear();
  for (const Tensor& tensor : sub_->tensors) {
    tensors_.push_back({tensor.region, true, tensor.is_const, -1, -1});
  }
  for (const std::int16_t object : use_->born_later) {
    if (object >= 0 && static_cast<std::size_t>(object) < tensors_.size()) {
      tensors_[static_cast<std::size_t>(object)].alive = false;
    }
  }
  queues_.clear();
  buffers_.clear();
  locals_.clear();
  tpipes_.clear();
  if (!sub_->names.empty()) {
    queues_.resize(sub_->names.size());
    locals_.resize(sub_->names.size());
    tpipes_.resize(sub_->names.size());
  }
  if (cube() && use_->uses_matmul) {
    inserted_ = true;
    start_routine(Routine::matmul_serve, nullptr);
    return;
  }
  code_ = context_->code == nullptr
              ? nullptr
              : context_->code->enter({context_->mix, context_->settings->profile, use_->sub_kernel,
                                       core_, context_->launch});
  levels_[0] = {&sub_->program(core_.kind), 0, 1, 0, 0};
  depth_ = 0;
  next_place_ = 0;
  in_program_ = true;
}

void MixSource::leave_sub_kernel() {
  in_program_ = false;
  for (std::size_t t = tensors_.size(); t-- > 0;) end_tensor(tensors_[t]);
  const int clients = sub_->type == KernelType::mix_aic_1_2 ? 2 : 1;
  if (use_->uses_matmul && !cube() && indices_.sub < clients) {
    inserted_ = true;
    place_ = -1;
    start_routine(Routine::matmul_end, nullptr);
  }
}

/// Finds the next instruction that this core executes; nullptr when the skip budget is used up.
/// False at the end of the program.
bool MixSource::advance(const Instruction*& found, int& place) {
  found = nullptr;
  for (int skipped = 0; skipped < skip_budget; ++skipped) {
    Level& level = levels_[static_cast<std::size_t>(depth_)];
    if (level.at == level.program->size()) {
      if (depth_ == 0) return false;
      std::int32_t& index = indices_.repeat[static_cast<std::size_t>(depth_ - 1)];
      if (++level.turn < level.turns) {
        level.at = 0;
        next_place_ = level.first_place;
        index = level.turn;
      } else {
        index = 0;
        --depth_;
      }
      continue;
    }
    const Instruction& in = (*level.program)[level.at++];
    const int own = next_place_++;
    const bool executed = in.where.all.empty() || in.where.holds(indices_);
    if (in.op != Op::repeat) {
      if (!executed) continue;
      found = &in;
      place = own;
      return true;
    }
    if (executed && depth_ < max_repeat_depth && in.times > 0 && !in.body.empty()) {
      ++depth_;
      levels_[static_cast<std::size_t>(depth_)] = {&in.body, 0, in.times, 0, next_place_};
    } else {
      next_place_ += instruction_count(in.body);
    }
  }
  return true;
}

/// As program_step(), with compiled code in place of the program.
void MixSource::code_step() {
  const Instruction* in = code_->next(registers_[0]);
  place_ = code_->place();
  if (in == nullptr) {
    if (!code_->fault_text().empty()) return fault(code_->fault_text());
    leave_sub_kernel();
    return;
  }
  lower(*in);
}

void MixSource::program_step() {
  if (code_ != nullptr) return code_step();
  const Instruction* in = nullptr;
  int place = -1;
  if (!advance(in, place)) {
    leave_sub_kernel();
    return;
  }
  if (in == nullptr) {
    push(DeviceOp::nothing);
    return;
  }
  place_ = place;
  lower(*in);
}

void MixSource::lower(const Instruction& in) {
  switch (in.op) {
    case Op::data_copy:
    case Op::load_data:
    case Op::fixpipe:
    case Op::duplicate:
    case Op::adds:
    case Op::add:
    case Op::mmad: return lower_data(in);
    case Op::compute: return lower_opaque(in);
    case Op::get_value:
    case Op::set_value:
    case Op::assign:
    case Op::raw_load:
    case Op::raw_store:
    case Op::read_gm_bypass:
    case Op::write_gm_bypass:
    case Op::dcci:
    case Op::dsb:
    case Op::tensor_copy:
    case Op::tensor_end: return lower_scalar(in);
    case Op::get_block_num:
    case Op::get_block_idx:
    case Op::get_sub_block_idx:
    case Op::get_task_ratio: return lower_query(in);
    case Op::set_flag:
    case Op::wait_flag:
    case Op::pipe_barrier:
    case Op::cross_core_set_flag:
    case Op::cross_core_wait_flag:
    case Op::sync_all:
    case Op::set_next_task_start:
    case Op::wait_pre_task_end: return lower_sync(in);
    case Op::soft_sync_all: return start_routine(Routine::soft_sync, &in);
    case Op::ib_set:
    case Op::ib_wait: return start_routine(Routine::ib, &in);
    case Op::poll: return start_routine(Routine::poll, &in);
    case Op::matmul: return start_routine(Routine::matmul_call, &in);
    case Op::tpipe_init:
    case Op::init_buffer:
    case Op::alloc_tensor:
    case Op::enque:
    case Op::deque:
    case Op::free_tensor:
    case Op::tbuf_get:
    case Op::tpipe_destroy:
    case Op::tpipe_end: return lower_resource(in);
    case Op::repeat: return;
  }
}

std::int32_t MixSource::gm_word(const Operand& operand) const {
  const std::int16_t region = operand.space == Space::tensor
                                  ? tensors_[static_cast<std::size_t>(operand.index)].region
                                  : operand.index;
  const std::int64_t word =
      context_->layout->base[static_cast<std::size_t>(region)] + operand.at.eval(indices_);
  // Outside GM altogether: any such address will do, the machine drops the access.
  return word < 0 || word > context_->layout->words ? -1 - private_words
                                                    : static_cast<std::int32_t>(word);
}

bool MixSource::local_place(const Operand& operand, std::int32_t count, Space& space,
                            std::int32_t& at) {
  std::int64_t word = operand.at.eval(indices_);
  space = operand.space;
  if (operand.space == Space::local_tensor) {
    const LocalName& name = locals_[static_cast<std::size_t>(operand.index)];
    if (!name.known) {
      fault(fmt::format("'{}' is no tensor here",
                        sub_->names[static_cast<std::size_t>(operand.index)]));
      return false;
    }
    space = name.space;
    word += name.at;
  }
  if ((space == Space::ub) == cube()) {
    fault(fmt::format("{} is not a memory of this core", to_string(space)));
    return false;
  }
  const std::int32_t size = words_of_memory(*context_->settings->profile, space);
  if (word < 0 || word + count > size) {
    fault(fmt::format("{}[{}..{}) is outside its {} words", to_string(space), word, word + count,
                      size));
    return false;
  }
  at = static_cast<std::int32_t>(word);
  return true;
}

std::uint32_t MixSource::value_of(const Value& value) const {
  if (value.reg >= 0) return registers_[static_cast<std::size_t>(value.reg)];
  return static_cast<std::uint32_t>(value.expr.eval(indices_));
}

void MixSource::lower_data(const Instruction& in) {
  const bool to_gm = in.dst.space == Space::gm || in.dst.space == Space::tensor;
  const bool from_gm =
      uses(in.op, Field::src) && (in.src.space == Space::gm || in.src.space == Space::tensor);
  DeviceInstruction out;
  out.count = in.count;
  out.value = value_of(in.value);
  out.atomic_add = in.atomic_add && to_gm && defect() != DefectId::atomic_add_overwrites;
  if (to_gm) {
    out.dst_space = Space::gm;
    out.dst = gm_word(in.dst);
  } else if (!local_place(in.dst, in.count, out.dst_space, out.dst)) {
    return;
  }
  if (from_gm) {
    out.src_space = Space::gm;
    out.src = gm_word(in.src);
  } else if (uses(in.op, Field::src) && !local_place(in.src, in.count, out.src_space, out.src)) {
    return;
  }
  if (uses(in.op, Field::src_b) && !local_place(in.src_b, in.count, out.src_b_space, out.src_b)) {
    return;
  }
  switch (in.op) {
    case Op::data_copy:
    case Op::fixpipe: out.op = to_gm ? DeviceOp::copy_out : DeviceOp::copy_in; break;
    case Op::load_data: out.op = DeviceOp::copy_local; break;
    case Op::duplicate: out.op = DeviceOp::duplicate; break;
    case Op::adds: out.op = DeviceOp::adds; break;
    case Op::add: out.op = DeviceOp::add; break;
    default: out.op = DeviceOp::mmad; break;
  }
  const bool moves = in.op == Op::data_copy || in.op == Op::load_data || in.op == Op::fixpipe;
  if (moves && ((!to_gm && out.dst % 8 != 0) || (!from_gm && out.src % 8 != 0))) {
    return fault("a local address that is not 32-byte aligned");
  }
  if (out.op == DeviceOp::copy_out && out.count > 8 && composed().fused &&
      defect() == DefectId::copy_one_block_short) {
    out.count -= 8;
  }
  out.pipe = pipe_of(in);
  out.sub_kernel = report_sub_kernel_;
  out.place = place_;
  push(out.op) = out;
}

void MixSource::lower_opaque(const Instruction& in) {
  ranges_.clear();
  for (const auto* list : {&in.reads, &in.writes}) {
    for (const Range& range : *list) {
      MemoryRange& out = ranges_.emplace_back();
      out.count = range.count;
      if (range.from.space == Space::gm || range.from.space == Space::tensor) {
        out.space = Space::gm;
        out.at = gm_word(range.from);
      } else if (!local_place(range.from, range.count, out.space, out.at)) {
        return;
      }
    }
  }
  DeviceInstruction& out = push_on(DeviceOp::opaque, in.pipe);
  out.value = value_of(in.value);
  out.ranges = ranges_.data();
  out.read_count = static_cast<std::uint16_t>(in.reads.size());
  out.write_count = static_cast<std::uint16_t>(in.writes.size());
  if (code_ != nullptr) out.computation = code_->computation();
}

}  // namespace skcts::emulator
