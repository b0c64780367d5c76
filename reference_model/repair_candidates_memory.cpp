// Candidates for pipes, events, caches and the calls of early start.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "reference_model/repair_candidates.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

Instruction barrier_of(Pipe pipe) {
  return {.op = Op::pipe_barrier, .pipe = pipe};
}
Instruction event_of(Op op, HardEvent event, std::int32_t id) {
  return {.op = op, .event = event, .id = id};
}

bool is_gm(const Operand& at) {
  return at.space == Space::gm || at.space == Space::tensor;
}
bool is_scalar_store(const Instruction& in) {
  return (in.op == Op::set_value || in.op == Op::assign || in.op == Op::raw_store) && is_gm(in.dst);
}
bool is_scalar_load(const Instruction& in) {
  return (in.op == Op::get_value || in.op == Op::raw_load) && is_gm(in.src);
}

/// A place in GM by its region, whatever object it is reached through.
Operand in_region(const SubKernel& owner, Operand at) {
  if (at.space != Space::tensor) return at;
  at.index = owner.tensors[static_cast<std::size_t>(at.index)].region;
  at.space = Space::gm;
  return at;
}

Instruction refresh_of(const SubKernel& owner, const Operand& at, const Where& where) {
  Instruction in{.op = Op::dcci, .where = where};
  in.dst = in_region(owner, at);
  return in;
}
Instruction refresh_all() {
  return {.op = Op::dcci, .line = CacheLine::entire};
}
Instruction data_barrier(Where where = {}) {
  Instruction in{.op = Op::dsb, .where = std::move(where)};
  in.dsb = Dsb::ddr;
  return in;
}

}  // namespace

/// A barrier between two accesses of one core, or before the sub kernel or its head ends.
void RepairCandidates::pipe_barriers() {
  std::set<std::pair<std::int32_t, CoreKind>> seen;
  for (const Spot& hot : hot_) {
    if (!seen.insert({hot.sub_kernel, hot.side}).second) continue;
    for (const Listed& one : program_of(hot.sub_kernel, hot.side)) {
      const Pipe pipe = pipe_of(*one.in);
      const bool barred = pipe != Pipe::s && pipe != Pipe::all;
      if (barred) add(10, {insert_at(one.spot, barrier_of(pipe))});
      add(11, {insert_at(one.spot, barrier_of(Pipe::all))});
    }
    const Spot end{hot.sub_kernel, hot.side, length(hot.sub_kernel, hot.side)};
    add(11, {insert_at(end, barrier_of(Pipe::all))});
  }
}

/// PIPE-5: all pipes drained behind the access, before its sub kernel ends.
void RepairCandidates::final_barriers() {
  for (const Pair& pair : pairs_) {
    if (pair.rule != RuleId::pipe_5 || pair.first.sub_kernel < 0) continue;
    for (const Listed& one : program_of(pair.first.sub_kernel, pair.first.side)) {
      const std::int32_t behind = one.spot.place - pair.first.place;
      if (behind >= 0) add(10, {insert_behind(one.spot, barrier_of(Pipe::all))}, behind);
    }
  }
}

/// PIPE-6: an event of its own from the first access to the second.
void RepairCandidates::event_pairs() {
  for (const Pair& pair : pairs_) {
    if (pair.first.sub_kernel < 0 || pair.first.sub_kernel != pair.second.sub_kernel ||
        pair.first.side != pair.second.side) {
      continue;
    }
    Spot from = pair.first;
    Spot to = pair.second;
    if (from.place > to.place) std::swap(from, to);
    const std::vector<Instruction>& program = sub(from).program(from.side);
    const Instruction* x = instruction_at(program, from.place);
    const Instruction* y = instruction_at(program, to.place);
    if (x == nullptr || y == nullptr || pipe_of(*x) == pipe_of(*y)) continue;
    const HardEvent event{pipe_of(*x), pipe_of(*y)};
    for (std::int32_t id = 0; id < 6; ++id) {
      const bool used = std::any_of(all_.begin(), all_.end(), [&](const Listed& one) {
        const bool flag = one.in->op == Op::set_flag || one.in->op == Op::wait_flag;
        return flag && one.in->event == event && (one.in->id & 7) == id;
      });
      if (used) continue;
      add(15, {insert_at(to, event_of(Op::wait_flag, event, id)),
               insert_behind(from, event_of(Op::set_flag, event, id))});
      break;
    }
  }
}

/// PIPE-4: the missing half of a pair.
void RepairCandidates::event_halves() {
  for (const Listed& one : all_) {
    const bool set = one.in->op == Op::set_flag;
    if (!set && one.in->op != Op::wait_flag) continue;
    Instruction half = event_of(set ? Op::wait_flag : Op::set_flag, one.in->event, one.in->id);
    half.where = one.in->where;
    for (const Listed& other : program_of(one.spot.sub_kernel, one.spot.side)) {
      if (other.depth != one.depth) continue;
      const bool later = other.spot.place > one.spot.place;
      if (set != later && other.spot != one.spot) continue;
      add(10, {set ? insert_behind(other.spot, half) : insert_at(other.spot, half)},
          std::abs(other.spot.place - one.spot.place));
    }
  }
}

/// CACHE-7, CACHE-11: refreshes and barriers of the writer, refreshes of the reader.
void RepairCandidates::refreshes() {
  for (const Listed& one : all_) {
    const Instruction& in = *one.in;
    if (in.op == Op::dcci) {
      add(10, {insert_behind(one.spot, data_barrier(in.where))});
      add(11, {insert_behind(one.spot, barrier_of(Pipe::all))});
    }
    if (in.op == Op::write_gm_bypass) add(10, {insert_behind(one.spot, data_barrier(in.where))});
    const bool store = is_scalar_store(in);
    if (!store && !is_scalar_load(in)) continue;
    const Operand& at = store ? in.dst : in.src;
    const Instruction line = refresh_of(sub(one.spot), at, in.where);
    add(10, {insert_at(one.spot, line)});
    if (!store) continue;
    Spot next = one.spot;
    ++next.place;
    add(10, {insert_behind(one.spot, line)});
    add(14, {insert_behind(one.spot, line), insert_behind(next, data_barrier(in.where))});
    // Behind the stores that follow it.
    for (const Listed& later : program_of(one.spot.sub_kernel, one.spot.side)) {
      if (later.spot.place <= one.spot.place || !is_scalar_store(*later.in)) continue;
      next = later.spot;
      ++next.place;
      add(15, {insert_behind(later.spot, line), insert_behind(next, data_barrier(in.where))});
    }
  }
  std::set<std::pair<std::int32_t, CoreKind>> seen;
  for (const Listed& one : all_) {
    if (!is_scalar_store(*one.in)) continue;
    if (!seen.insert({one.spot.sub_kernel, one.spot.side}).second) continue;
    const Spot end{one.spot.sub_kernel, one.spot.side, length(one.spot.sub_kernel, one.spot.side)};
    Spot behind = end;
    ++behind.place;
    add(16, {insert_at(end, refresh_all()), insert_at(behind, data_barrier())});
  }
}

/// CACHE-8: shares that are whole lines, of the size that others use for the region if there is
/// one.
void RepairCandidates::whole_lines() {
  std::set<std::tuple<std::int32_t, CoreKind, std::int16_t>> seen;
  for (const Listed& store : all_) {
    if (!is_scalar_store(*store.in)) continue;
    const std::int16_t region = in_region(sub(store.spot), store.in->dst).index;
    if (!seen.insert({store.spot.sub_kernel, store.spot.side, region}).second) continue;
    std::set<std::int32_t> strides = {16};
    for (const Listed& one : all_) {
      for (const Operand* at : {&one.in->dst, &one.in->src}) {
        if (!is_gm(*at) || in_region(sub(one.spot), *at).index != region) continue;
        for (const std::int32_t stride : {at->at.core, at->at.block}) {
          if (stride > 16 && stride % 16 == 0) strides.insert(stride);
        }
      }
    }
    for (const std::int32_t stride : strides) {
      spread(store.spot, region, stride, false);
      spread(store.spot, region, stride, true);
    }
  }
}

/// Shares below a line become `to` words: on one side of a sub kernel, or in the whole mix.
void RepairCandidates::spread(const Spot& spot, std::int16_t region, std::int32_t to,
                              bool everywhere) {
  std::vector<Edit> edits;
  for (const Listed& one : all_) {
    const bool here = one.spot.sub_kernel == spot.sub_kernel && one.spot.side == spot.side;
    if (!here && !everywhere) continue;
    Instruction wide = *one.in;
    for (Operand* at : {&wide.dst, &wide.src, &wide.src_b}) {
      if (!is_gm(*at) || in_region(sub(one.spot), *at).index != region) continue;
      for (std::int32_t* stride : {&at->at.core, &at->at.block}) {
        if (*stride != 0 && std::abs(*stride) < 16) *stride = to;
      }
    }
    if (wide != *one.in) edits.push_back(change_at(one.spot, wide));
  }
  if (edits.empty()) return;
  const auto cost = static_cast<std::int32_t>(7 + 2 * edits.size());
  add(cost, edits);
  Edit longer;
  longer.kind = EditKind::region;
  longer.region = region;
  const Region& known = mix_.regions[static_cast<std::size_t>(region)];
  longer.words = known.words * 16;
  longer.init = known.init;
  edits.push_back(longer);
  add(cost + 9, std::move(edits));
}

/// PIPE-7: what fills a buffer fills all that is read of it.
void RepairCandidates::longer_loads() {
  for (const Listed& reader : all_) {
    if (reader.in->count <= 0) continue;
    for (const Listed& writer : program_of(reader.spot.sub_kernel, reader.spot.side)) {
      const bool fills =
          is_local_memory(writer.in->dst.space) && (writer.in->dst.space == reader.in->src.space ||
                                                    writer.in->dst.space == reader.in->src_b.space);
      if (!fills || writer.in->count <= 0 || writer.in->count >= reader.in->count) continue;
      Instruction longer = *writer.in;
      longer.count = reader.in->count;
      change(9, writer.spot, longer);
    }
    for (const std::int32_t more : {8, 16}) {
      if (!is_local_memory(reader.in->dst.space)) break;
      Instruction longer = *reader.in;
      longer.count += more;
      change(10, reader.spot, longer);
      if (reader.in->count <= more) continue;
      Instruction shorter = *reader.in;
      shorter.count -= more;
      change(12, reader.spot, shorter);
    }
  }
}

/// TASK-4, TASK-5, TASK-7: a call that is missing on one side, or none on any.
void RepairCandidates::task_calls() {
  for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
    const auto number = static_cast<std::int32_t>(k);
    for (const Op op : {Op::set_next_task_start, Op::wait_pre_task_end}) {
      std::vector<Edit> all;
      const Listed* known = nullptr;
      bool on_side[2] = {false, false};
      for (auto one = all_.rbegin(); one != all_.rend(); ++one) {
        if (one->spot.sub_kernel != number || one->in->op != op) continue;
        all.push_back(remove_at(one->spot));
        known = &*one;
        on_side[static_cast<std::size_t>(one->spot.side)] = true;
      }
      if (known == nullptr) continue;
      const auto cost = static_cast<std::int32_t>(12 + 2 * all.size());
      add(cost, std::move(all));
      for (const CoreKind side : {CoreKind::aic, CoreKind::aiv}) {
        if (on_side[static_cast<std::size_t>(side)] || !runs_on(sub(known->spot).type, side)) {
          continue;
        }
        Instruction call = *known->in;
        call.where.all.clear();
        const std::int32_t place = op == Op::wait_pre_task_end ? 0 : length(number, side);
        add(10, {insert_at({number, side, place}, call)});
      }
    }
  }
}

}  // namespace skcts::model
