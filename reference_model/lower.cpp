#include "reference_model/lower.h"

#include <algorithm>

#include "spec/check.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

/// Is the object made by a copy somewhere in the program? Such ones are not alive at the start.
bool is_copy_target(const std::vector<Instruction>& program, std::int16_t object) {
  for (const Instruction& in : program) {
    if (in.op == Op::tensor_copy && in.object == object) return true;
    if (!in.body.empty() && is_copy_target(in.body, object)) return true;
  }
  return false;
}

}  // namespace

Pipe signal_pipe(CoreKind kind) {
  return kind == CoreKind::aic ? Pipe::fix : Pipe::mte3;
}

const SubKernel& Lowering::sub(std::int32_t place) const {
  const std::int32_t in_mix = in_->shape.sub_kernels[static_cast<std::size_t>(place)];
  return in_->mix.sub_kernels[static_cast<std::size_t>(in_mix)];
}

void Lowering::run(const LaunchInput& input, LaunchProgram& program) {
  in_ = &input;
  out_ = &program;
  doubts_.clear();
  private_words_.clear();
  left_region_ = false;
  joins_.clear();
  soft_rounds_.clear();
  soft_total_.clear();
  ib_rounds_.clear();
  ib_owner_.clear();
  service_.clear();
  flag_waits_.clear();
  flag_raises_.clear();
  event_joins_.clear();
  two_streams_ = input.shape.fused && has_two_streams(input.mix, input.shape.sub_kernels) &&
                 (input.options.stream_fusion || input.shape.captured);
  program.shape = input.shape;
  program.flags_off = input.flags != FlagService::on;
  program.raises_in_order = input.raises_in_order;
  program.ranges.clear();
  program.joins.clear();
  program.boundaries.clear();
  const auto cores = static_cast<std::size_t>(input.shape.aic_count + input.shape.aiv_count);
  program.threads.resize(cores);
  for (Thread& thread : program.threads) {
    thread.steps.clear();
    thread.outside = -1;
    thread.part = 0;
  }
  program.parts.clear();
  fixed_joins();
  if (two_streams_) stream_joins();
  actors();
  for (std::int32_t i = 0; i < input.shape.aic_count; ++i) core({CoreKind::aic, i});
  for (std::int32_t i = 0; i < input.shape.aiv_count; ++i) core({CoreKind::aiv, i});
  in_ = nullptr;
  out_ = nullptr;
}

/// Joins that every launch has, whatever its programs: boundaries and debug synchronisation.
void Lowering::fixed_joins() {
  const auto count = static_cast<std::int32_t>(in_->shape.sub_kernels.size());
  boundary_join_.clear();
  debug_join_.clear();
  weak_join_.clear();
  fed_.assign(static_cast<std::size_t>(count), 0);
  fed_calls_.assign(2 * static_cast<std::size_t>(count), {});
  for (std::int32_t k = 0; k < count; ++k) {
    fed_[static_cast<std::size_t>(k)] = is_fed(sub(k), in_->shape, in_->options) ? 1 : 0;
    if (!in_->shape.fused) continue;
    if (k + 1 < count) {
      if (two_streams_) {
        // Neighbours in the list are not ordered: see stream_joins().
        out_->boundaries.emplace_back();
        boundary_join_.push_back(-1);
        weak_join_.push_back(-1);
        continue;
      }
      const BoundaryRelation relation =
          boundary_relation(sub(k), sub(k + 1), in_->shape, in_->options);
      out_->boundaries.push_back(relation);
      boundary_join_.push_back(static_cast<std::int32_t>(out_->joins.size()));
      Join join{.kind = JoinKind::boundary, .full_core = true, .sub_kernel = k + 1};
      all_members(join, relation.from_aic, relation.from_aiv);
      out_->joins.push_back(std::move(join));
      weaken_boundary(k);
    }
    if (in_->options.debug_sync_all && !two_streams_) {
      // Full-core waits are one class: after an own SetNextTaskStart its raises answer this
      // barrier, and the barrier's answer the boundary. Nothing is promised of it then.
      if (k + 1 < count && out_->boundaries.back().own_signal) {
        debug_join_.push_back(-1);
        continue;
      }
      debug_join_.push_back(static_cast<std::int32_t>(out_->joins.size()));
      const BoundaryRelation all = debug_sync_relation(in_->shape);
      Join join{.kind = JoinKind::debug_sync, .full_core = true, .sub_kernel = k};
      all_members(join, all.from_aic, all.from_aiv);
      out_->joins.push_back(std::move(join));
    }
  }
}

void Lowering::all_members(Join& join, bool aic, bool aiv) {
  join.aic = aic;
  join.aiv = aiv;
  if (aic) {
    for (std::int32_t i = 0; i < in_->shape.aic_count; ++i) join.members.push_back(i);
    if (in_->shape.aic_count == 0) join.members.push_back(-1);
  }
  if (aiv) {
    for (std::int32_t i = 0; i < in_->shape.aiv_count; ++i) {
      join.members.push_back(in_->shape.aic_count + i);
    }
    if (in_->shape.aiv_count == 0) join.members.push_back(-1);
  }
}

void Lowering::core(CoreId core_id) {
  core_ = core_id;
  thread_ = core_id.index + (core_id.kind == CoreKind::aiv ? in_->shape.aic_count : 0);
  out_->threads[static_cast<std::size_t>(thread_)].core = core_id;
  const auto count = static_cast<std::int32_t>(in_->shape.sub_kernels.size());
  early_by_ = 0;
  own_order_ = -1;
  for (place_ = 0; place_ < count; ++place_) {
    instruction_ = -1;
    const bool runs_it = runs_here(place_);
    const bool own = syncs_as_own(place_, runs_it);
    enter(place_, runs_it, own);
    if (runs_it) body(place_);
    if (!own && fed_[static_cast<std::size_t>(place_)] != 0) feed(place_, runs_it);
    instruction_ = -1;
    leave(place_, runs_it, own);
  }
  place_ = count - 1;
  instruction_ = -1;
  if (!in_->shape.fused && weak_here(Weakening::end_flush)) lose_dirty_lines();
  if (weak_anywhere(Weakening::refresh_loses)) lose_refreshed_stores();
  // CACHE-6 alone; in a SuperKernel the machine's own flush (L-37).
  add_refresh(-1, Origin::end_of_launch);
}

/// The boundary before sub kernel `place` as this core sees it, and what is refreshed there. `own`:
/// the core waits and signals by itself where the sub kernel does.
void Lowering::enter(std::int32_t place, bool runs_it, bool own) {
  signalled_ = waited_ = events_raised_ = false;
  hard_calls_[0] = hard_calls_[1] = 0;
  refresh_ = {};
  if (in_->shape.fused) {
    refresh_ = in_->shape.captured ? captured_refresh(sub(place), in_->options)
                                   : refresh_placement(sub(place), in_->options, in_->lists_win);
    if (place > 0) {
      const BoundaryRelation& relation = out_->boundaries[static_cast<std::size_t>(place) - 1];
      if (relation.to(core_.kind) && !(relation.own_wait && own) && is_inserted(place - 1)) {
        const std::int32_t join = boundary_to_pass(place - 1);
        if (join >= 0) add_pass(join, Origin::boundary);
        if (is_kept_from_cube(relation.from_aic)) wait_in_vain(JoinKind::boundary);
        waited_ = relation.own_wait && runs_it;
      }
    }
    if (runs_it && two_streams_) {
      const std::int32_t join = after_stream_[static_cast<std::size_t>(place)];
      if (join >= 0 && !weak_here(Weakening::stream)) add_pass(join, Origin::program);
      if (own_order_ >= 0) add_pass(own_order_, Origin::program);
      own_order_ = -1;
    }
    if (weak_here(Weakening::refresh_before)) refresh_.before = false;
    if (weak_here(Weakening::refresh_after)) refresh_.after = false;
  }
  if (!runs_it) {
    // TASK-4: a core that leaves its own call out.
    const bool owes =
        own && place > 0 && out_->boundaries[static_cast<std::size_t>(place) - 1].own_wait;
    if (owes) doubt(DoubtKind::early_start, RuleId::task_4, true, true);
    return;
  }
  pass_events(place);
  if (weak_here(Weakening::event_early)) raise_events(place, Pipe::s);
  add_mark(MarkKind::sub_kernel_begin);
  if (refresh_.before) add_refresh(-1, Origin::before_refresh);
}

void Lowering::body(std::int32_t place) {
  const SubKernel& owner = sub(place);
  at_ = indices_here();
  const std::vector<Instruction>& program = owner.program(core_.kind);
  objects_.assign(owner.tensors.size(), ObjectState());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    objects_[i].alive = !is_copy_target(program, static_cast<std::int16_t>(i));
  }
  resources_.reset();
  const Indices entry = at_;
  for_each_instruction(program, entry, [&](const Instruction& in, const Indices& now, int number) {
    at_ = now;
    instruction_ = number;
    instruction(in);
  });
  instruction_ = -1;
  for (std::size_t i = objects_.size(); i-- > 0;) {
    if (objects_[i].alive) end_object(static_cast<std::int16_t>(i));
  }
}

void Lowering::leave(std::int32_t place, bool runs_it, bool own) {
  if (runs_it) {
    if (refresh_.after) add_refresh(-1, Origin::after_refresh);
    if (in_->shape.fused && in_->options.debug_dcci_all) {
      add_barrier(Pipe::all);
      add_refresh(-1, Origin::debug_refresh);
    }
    add_mark(MarkKind::sub_kernel_end);
  }
  if (!in_->shape.fused) return;
  if (runs_it) {
    raise_events(place, weak_here(Weakening::event_drain) ? Pipe::s : pipe_at_end());
    if (two_streams_) {
      const std::int32_t next = before_stream_[static_cast<std::size_t>(place)];
      if (next >= 0) add_arrive(next, pipe_at_end(), Origin::program);
      own_order_ = static_cast<std::int32_t>(out_->joins.size());
      out_->joins.push_back(
          Join{.kind = JoinKind::own_order, .sub_kernel = place, .members = {thread_}});
      add_arrive(own_order_, signal_pipe(core_.kind), Origin::program);
    }
  }
  if (runs_it && place > 0) {
    const BoundaryRelation& relation = out_->boundaries[static_cast<std::size_t>(place) - 1];
    if (relation.own_wait && relation.to(core_.kind) && !waited_) early_by_ = 1;
  }
  const std::int32_t join = in_->options.debug_sync_all && !two_streams_
                                ? debug_join_[static_cast<std::size_t>(place)]
                                : -1;
  if (join >= 0) {
    add_arrive(join,
               in_->shape.is_mix() && !in_->shape.captured ? Pipe::all : signal_pipe(core_.kind),
               Origin::debug_sync);
    add_pass(join, Origin::debug_sync);
  }
  if (static_cast<std::size_t>(place) >= out_->boundaries.size()) return;
  const BoundaryRelation& relation = out_->boundaries[static_cast<std::size_t>(place)];
  if (relation.from(core_.kind) && !(relation.own_signal && own) && is_signalled(place)) {
    if (signalled_) return called_again(true);
    arrive_at_boundary(place,
                       relation.drains_all || in_->drained ? Pipe::all : signal_pipe(core_.kind));
  }
}

/// SYNC-1: an idle core takes part once for each SyncAll call of the first core of its kind.
/// A core that has made the calls itself (`again`) waits in vain.
void Lowering::feed(std::int32_t place, bool again) {
  const auto slot = static_cast<std::size_t>(2 * place + static_cast<int>(core_.kind));
  const std::size_t calls = fed_call_count(fed_calls_[slot].size());
  for (std::size_t call = 0; call < calls; ++call) {
    if (again) return wait_in_vain(JoinKind::sync_all);
    add_arrive(fed_calls_[slot][call], Pipe::all, Origin::feed);
    add_pass(fed_calls_[slot][call], Origin::feed);
  }
  if (weak_here(Weakening::feed_endless)) wait_in_vain(JoinKind::sync_all);
}

void Lowering::instruction(const Instruction& in) {
  switch (in.op) {
    case Op::data_copy:
    case Op::load_data:
    case Op::fixpipe:
    case Op::duplicate:
    case Op::adds:
    case Op::add:
    case Op::mmad:
    case Op::compute: return moves_and_computes(in);
    case Op::get_value:
    case Op::set_value:
    case Op::assign:
    case Op::raw_load:
    case Op::raw_store:
    case Op::read_gm_bypass:
    case Op::write_gm_bypass:
    case Op::dcci:
    case Op::dsb: return scalars(in);
    case Op::tensor_copy:
    case Op::tensor_end: return objects(in);
    case Op::get_block_num:
    case Op::get_block_idx:
    case Op::get_sub_block_idx:
    case Op::get_task_ratio:
      add_mark(MarkKind::query, static_cast<std::int32_t>(in.op));
      out_->threads[static_cast<std::size_t>(thread_)].steps.back().value =
          static_cast<std::uint32_t>(query_here(in.op));
      return;
    case Op::set_flag:
    case Op::wait_flag:
    case Op::pipe_barrier: return in_core_sync(in);
    case Op::cross_core_set_flag:
      if (in_->flags != FlagService::falls_through) raise(in);
      return;
    case Op::cross_core_wait_flag:
      if (in_->flags == FlagService::falls_through || weak_wait(flag_id(in.id))) return;
      // A pipe that the core does not have waits for nothing. Without a pipe all of the core waits.
      if (in_->is_3510 && in.pipe != Pipe::all &&
          (!has_pipe(core_.kind, in.pipe) ||
           (core_.kind == CoreKind::aic && in.pipe == Pipe::mte3))) {
        return;
      }
      add(StepKind::wait, in_->is_3510 && in.pipe != Pipe::all ? in.pipe : Pipe::s).id =
          flag_id(in.id);
      return;
    case Op::sync_all: return sync_all(in);
    case Op::soft_sync_all: return soft_sync_all(in);
    case Op::ib_set:
    case Op::ib_wait: return ib(in);
    case Op::poll: return poll(in);
    case Op::set_next_task_start:
    case Op::wait_pre_task_end: return early_start(in);
    case Op::matmul: return matmul(in);
    case Op::repeat: return;
    default: return resources(in);
  }
}

void Lowering::moves_and_computes(const Instruction& in) {
  // Whether work on other data is in turn, too, nobody can see.
  if (in_->is_3510 && pipe_of(in) == Pipe::v) add_barrier(Pipe::v);
  Step& step = add(StepKind::data, pipe_of(in));
  switch (in.op) {
    case Op::duplicate: step.function = Function::fill; break;
    case Op::adds: step.function = Function::adds; break;
    case Op::add: step.function = Function::add; break;
    case Op::mmad: step.function = Function::mmad; break;
    case Op::compute: step.function = Function::opaque; break;
    default: step.function = Function::copy; break;
  }
  step.atomic_add = in.atomic_add;
  if (uses(in.op, Field::value)) take_value(step, in.value);
  if (in.op == Op::compute) {
    for (const Range& range : in.reads) read(step, range.from, range.count);
    for (const Range& range : in.writes) write(step, range.from, range.count);
    return;
  }
  if (uses(in.op, Field::src)) read(step, in.src, in.count);
  if (uses(in.op, Field::src_b)) read(step, in.src_b, in.count);
  write(step, in.dst, in.count);
}

void Lowering::scalars(const Instruction& in) {
  const bool loads = uses(in.op, Field::src);
  if (in.op == Op::dsb) {
    if (in.dsb == Dsb::all || in.dsb == Dsb::ddr) add(StepKind::dsb, Pipe::s);
    return;
  }
  if (in.op == Op::dcci) {
    const bool entire = in.line == CacheLine::entire;
    return add_refresh(entire ? -1 : resolve(in.dst, 1).first / line_words, Origin::program);
  }
  const Operand& at = loads ? in.src : in.dst;
  const WordRange range = resolve(at, 1);
  if (range.space != Space::gm) {
    Step& step = add(loads ? StepKind::local_load : StepKind::local_store, Pipe::s);
    if (loads) {
      read_words(step, range);
      step.reg_out = in.reg;
    } else {
      write_words(step, range);
      take_value(step, in.value);
    }
    return;
  }
  const std::int16_t object = at.space == Space::tensor ? at.index : std::int16_t{-1};
  const std::int64_t line = range.first / line_words;
  if (object >= 0 && refresh_.per_access) {
    if (in.op == Op::get_value || in.op == Op::assign) {
      refresh_for_read(object, line);
    } else if (in.op == Op::set_value) {
      ObjectState& state = objects_[static_cast<std::size_t>(object)];
      if (state.last_written >= 0 && state.last_written != line &&
          !weak_object(Weakening::refresh_on_store, object)) {
        add_refresh(state.last_written, Origin::access_refresh);
      }
      state.last_written = line;
    }
  }
  StepKind kind = loads ? StepKind::load : StepKind::store;
  if (in.op == Op::read_gm_bypass) kind = StepKind::load_bypass;
  if (in.op == Op::write_gm_bypass) kind = StepKind::store_bypass;
  Step& step = add(kind, Pipe::s);
  step.object = object;
  if (loads) {
    read_words(step, range);
    step.reg_out = in.reg;
  } else {
    write_words(step, range);
    take_value(step, in.value);
  }
}

/// GetValue and operator(): on a change of the object's line, on a const object always.
void Lowering::refresh_for_read(std::int16_t object, std::int64_t line) {
  ObjectState& state = objects_[static_cast<std::size_t>(object)];
  const bool is_const = sub(place_).tensors[static_cast<std::size_t>(object)].is_const;
  if ((is_const || state.last_read != line) && !weak_object(Weakening::refresh_on_read, object)) {
    add_refresh(line, Origin::access_refresh);
  }
  state.last_read = line;
}

void Lowering::end_object(std::int16_t object) {
  ObjectState& state = objects_[static_cast<std::size_t>(object)];
  if (refresh_.per_access && state.last_written >= 0 &&
      !weak_object(Weakening::refresh_on_store, object)) {
    add_refresh(state.last_written, Origin::access_refresh);
  }
  state = {};
}

void Lowering::objects(const Instruction& in) {
  if (in.op == Op::tensor_end) return end_object(in.object);
  ObjectState& made = objects_[static_cast<std::size_t>(in.object)];
  made = objects_[static_cast<std::size_t>(in.other)];
  made.alive = true;
}

void Lowering::in_core_sync(const Instruction& in) {
  if (in.op == Op::pipe_barrier) {
    if (weak_barrier(in.pipe)) return;
    if (in.pipe == Pipe::all || has_pipe(core_.kind, in.pipe)) add_barrier(in.pipe);
    return;
  }
  if (!has_pipe(core_.kind, in.event.source) || !has_pipe(core_.kind, in.event.destination)) return;
  const bool sets = in.op == Op::set_flag;
  if (in.event.source == in.event.destination) {
    // The set (and on FIX the wait too) is a barrier of that pipe.
    if (sets || in.event.source == Pipe::fix) add_barrier(in.event.source);
    return;
  }
  if (sets) {
    set_event(in.event, in.id);
  } else {
    wait_event(in.event, in.id);
  }
}

void Lowering::early_start(const Instruction& in) {
  if (!in_->shape.fused) return;
  const bool sets = in.op == Op::set_next_task_start;
  const std::int32_t border = sets ? place_ : place_ - 1;
  if (border < 0 || static_cast<std::size_t>(border) >= out_->boundaries.size()) return;
  const BoundaryRelation& relation = out_->boundaries[static_cast<std::size_t>(border)];
  if (sets ? !relation.own_signal : !relation.own_wait) return;
  bool& done = sets ? signalled_ : waited_;
  if (done) return called_again(sets);
  done = true;
  if (sets) {
    if (relation.from(core_.kind) && !is_own_call_weak(true)) {
      const Pipe named = core_.kind == CoreKind::aic ? in.aic_pipe : in.pipe;
      arrive_at_boundary(border, in_->drained ? Pipe::all : named);
      raise_events(place_, in_->drained ? Pipe::all : named);
    }
    add_mark(MarkKind::tail_begin);
  } else {
    const std::int32_t join = boundary_to_pass(border);
    if (relation.to(core_.kind) && join >= 0 && !is_own_call_weak(false)) {
      add_pass(join, Origin::boundary);
      if (is_kept_from_cube(relation.from_aic)) wait_in_vain(JoinKind::boundary);
    }
    add_mark(MarkKind::head_end);
  }
}

/// A second SetNextTaskStart leaves a raise too many; a second WaitPreTaskEnd waits for one that
/// the others make only after this core made its own.
void Lowering::called_again(bool sets) {
  if (sets) {
    early_by_ = 2;  // the border of this sub kernel is still right
    // At a later border cores that are no part of it may hand the early release on.
    if (static_cast<std::size_t>(place_) + 1 < out_->boundaries.size()) {
      doubt(DoubtKind::early_start, RuleId::task_4, false, true);
    }
    return;
  }
  wait_in_vain(JoinKind::boundary);
}

/// A full-core wait for a raise that nobody makes.
void Lowering::wait_in_vain(JoinKind kind) {
  const auto join = static_cast<std::int32_t>(out_->joins.size());
  out_->joins.push_back(
      Join{.kind = kind, .full_core = true, .sub_kernel = place_, .members = {-1}});
  // One arrival more than the others have: this core is stuck for certain.
  if (in_->relaxed != nullptr) add_arrive(join, Pipe::s, Origin::program);
  add_pass(join, Origin::program);
}

}  // namespace skcts::model
