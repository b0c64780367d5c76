// Candidates for cross-core flags, soft barriers, polls and the ratio of a launch.
#include <algorithm>
#include <array>
#include <set>

#include "reference_model/repair_candidates.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

bool is_raise(const Instruction& in) {
  return in.op == Op::cross_core_set_flag;
}
bool is_wait(const Instruction& in) {
  return in.op == Op::cross_core_wait_flag;
}
bool is_flag(const Instruction& in) {
  return is_raise(in) || is_wait(in);
}

Instruction raise_of(std::int32_t mode, Pipe pipe, std::int32_t id) {
  return {.op = Op::cross_core_set_flag, .pipe = pipe, .id = id, .mode = mode};
}
Instruction wait_of(std::int32_t id) {
  return {.op = Op::cross_core_wait_flag, .pipe = Pipe::s, .id = id};
}

CoreKind other_side(CoreKind side) {
  return side == CoreKind::aic ? CoreKind::aiv : CoreKind::aic;
}

/// Pipes that a flag of a core kind may be raised on, the likely ones first.
std::vector<Pipe> raise_pipes_of(CoreKind side) {
  return side == CoreKind::aic
             ? std::vector<Pipe>{Pipe::fix, Pipe::mte3, Pipe::mte1, Pipe::mte2, Pipe::m}
             : std::vector<Pipe>{Pipe::mte3, Pipe::v, Pipe::mte2};
}

}  // namespace

/// SYNC-5: a raise that nobody waits for gets its wait.
void RepairCandidates::insert_flag_waits() {
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (const Listed& raise : all_) {
    const std::int32_t k = raise.spot.sub_kernel;
    if (!is_raise(*raise.in) || !seen.insert({k, raise.in->id & 15}).second) continue;
    for (const CoreKind side : {CoreKind::aiv, CoreKind::aic}) {
      if (!runs_on(sub(raise.spot).type, side)) continue;
      for (std::int32_t place = 0; place <= length(k, side); ++place) {
        add(10, {insert_at({k, side, place}, wait_of(raise.in->id))});
      }
    }
  }
}

/// SYNC-5: a wait gets its raise, behind the work of the pipe that it is raised on.
void RepairCandidates::insert_flag_raises() {
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (const Listed& wait : all_) {
    const std::int32_t k = wait.spot.sub_kernel;
    if (!is_wait(*wait.in) || !seen.insert({k, wait.in->id & 15}).second) continue;
    std::set<std::int32_t> modes = {2};
    for (const Listed& other : all_) {
      if (other.spot.sub_kernel == k && is_raise(*other.in)) modes.insert(other.in->mode);
    }
    for (const CoreKind side : {CoreKind::aic, CoreKind::aiv}) {
      if (!runs_on(sub(wait.spot).type, side)) continue;
      const std::vector<Listed> program = program_of(k, side);
      for (const std::int32_t mode : modes) {
        for (auto one = program.rbegin(); one != program.rend(); ++one) {
          const Pipe pipe = pipe_of(*one->in);
          if (pipe == Pipe::s || pipe == Pipe::all || is_flag(*one->in)) continue;
          add(10, {insert_behind(one->spot, raise_of(mode, pipe, wait.in->id))});
        }
        if (program.empty()) {
          add(10,
              {insert_at({k, side, 0}, raise_of(mode, raise_pipes_of(side).front(), wait.in->id))});
        }
      }
    }
  }
}

/// SYNC-11: cube and vector cores of a block get a flag of their own.
void RepairCandidates::insert_flag_pairs() {
  for (const Pair& pair : pairs_) {
    const std::int32_t k = pair.first.sub_kernel;
    if (k < 0 || k != pair.second.sub_kernel || pair.first.side == pair.second.side) continue;
    if (!is_mix_kind(sub(pair.first).type)) continue;
    const std::int32_t id = free_flag(2);
    if (id < 0) continue;
    for (const auto& [from, to] :
         {std::pair{pair.first, pair.second}, std::pair{pair.second, pair.first}}) {
      const Instruction* data = instruction_at(sub(from).program(from.side), from.place);
      if (data == nullptr) continue;
      const Pipe own = pipe_of(*data);
      const Pipe pipe = own == Pipe::s ? raise_pipes_of(from.side).front() : own;
      add(20, {insert_behind(from, raise_of(2, pipe, id)), insert_at(to, wait_of(id))});
    }
  }
}

/// SYNC-11: a raise on the pipe that carries the data.
void RepairCandidates::raise_pipes() {
  for (const Listed& one : all_) {
    if (!is_raise(*one.in) || !is_hot(one.spot.sub_kernel)) continue;
    for (const Pipe pipe : raise_pipes_of(one.spot.side)) {
      if (pipe == one.in->pipe) continue;
      Instruction moved = *one.in;
      moved.pipe = pipe;
      change(9, one.spot, moved);
    }
    add(10, {insert_at(one.spot, {.op = Op::pipe_barrier, .pipe = Pipe::all})});
  }
}

/// SYNC-7: another id for all sets and waits of a sub kernel.
void RepairCandidates::new_ids() {
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (const Listed& one : all_) {
    const std::int32_t id = one.in->id & 15;
    const std::int32_t k = one.spot.sub_kernel;
    const bool reserved = id >= 11 || id < 2;
    if (!is_flag(*one.in) || !reserved || !seen.insert({k, id}).second) continue;
    const std::int32_t free = free_flag(2);
    if (free < 0) continue;
    std::vector<Edit> edits;
    for (const Listed& other : all_) {
      if (other.spot.sub_kernel != k || !is_flag(*other.in) || (other.in->id & 15) != id) continue;
      Instruction renamed = *other.in;
      renamed.id = free;
      edits.push_back(change_at(other.spot, renamed));
    }
    const auto cost = static_cast<std::int32_t>(7 + 2 * edits.size());
    add(cost, std::move(edits));
  }
}

/// SYNC-12: of the raises of one id those on one pipe get an id of their own, with a wait each.
void RepairCandidates::split_ids() {
  for (const Listed& raise : all_) {
    if (!is_raise(*raise.in)) continue;
    const std::int32_t k = raise.spot.sub_kernel;
    const std::int32_t free = free_flag(2);
    if (free < 0) return;
    for (const Listed& wait : all_) {
      const bool pair = wait.spot.sub_kernel == k && is_wait(*wait.in) &&
                        (wait.in->id & 15) == (raise.in->id & 15);
      if (!pair) continue;
      Instruction set = *raise.in;
      Instruction got = *wait.in;
      set.id = got.id = free;
      add(18, {change_at(raise.spot, set), change_at(wait.spot, got)});
    }
  }
}

/// SYNC-6: who waits in a loop tells who raises in a loop that it may go on.
void RepairCandidates::pace_loops() {
  std::vector<Edit> all;
  std::int32_t id = free_flag(2);
  std::size_t pairs = 0;
  for (const Listed& raise : all_) {
    if (!is_raise(*raise.in) || raise.depth == 0) continue;
    const std::int32_t k = raise.spot.sub_kernel;
    if (id < 0) break;
    for (const Listed& wait : program_of(k, other_side(raise.spot.side))) {
      const bool pair = is_wait(*wait.in) && wait.depth == raise.depth &&
                        (wait.in->id & 15) == (raise.in->id & 15);
      if (!pair) continue;
      const std::vector<Pipe> pipes = raise_pipes_of(wait.spot.side);
      const auto edits = [&](Pipe pipe, std::int32_t with) {
        return std::vector{insert_behind(raise.spot, wait_of(with)),
                           insert_behind(wait.spot, raise_of(2, pipe, with))};
      };
      for (const Pipe pipe : pipes) add(20, edits(pipe, free_flag(2)));
      ++pairs;
      for (Edit& edit : edits(pipes.front(), id)) all.push_back(std::move(edit));
      id = free_flag(id + 1);
      break;
    }
  }
  if (pairs < 2) return;
  // From the back, so that the places of the others stay.
  std::stable_sort(all.begin(), all.end(),
                   [](const Edit& a, const Edit& b) { return a.at.place > b.at.place; });
  const auto cost = static_cast<std::int32_t>(20 * pairs);
  add(cost, std::move(all));
}

/// SYNC-9: a workspace that starts at zero, and as many cores as there are.
void RepairCandidates::soft_sync() {
  for (const Listed& one : all_) {
    if (one.in->op != Op::soft_sync_all) continue;
    if (one.in->count != 0) {
      Instruction all = *one.in;
      all.count = 0;
      change(9, one.spot, all);
    }
    if (one.in->src.index < 0) continue;
    const Region& region = mix_.regions[static_cast<std::size_t>(one.in->src.index)];
    if (region.init == RegionInit{.note = region.init.note}) continue;
    Edit edit;
    edit.kind = EditKind::region;
    edit.region = one.in->src.index;
    edit.words = region.words;
    add(9, {edit}, 0);
  }
}

/// RATIO-3, RATIO-4: sub block 0 does it alone.
void RepairCandidates::on_one_vector() {
  for (const Listed& one : all_) {
    if (one.spot.side != CoreKind::aiv || sub(one.spot).type != KernelType::mix_aic_1_1) continue;
    const bool writes = one.in->dst.space == Space::gm || one.in->dst.space == Space::tensor;
    if (one.in->op != Op::matmul && !writes) continue;
    Instruction alone = *one.in;
    alone.where.all.push_back({IndexName::sub, 0, 0});
    change(9, one.spot, alone);
  }
}

/// RATIO-4: a share by block instead of one by core.
void RepairCandidates::by_block() {
  for (const Listed& one : all_) {
    if (sub(one.spot).type != KernelType::mix_aic_1_1) continue;
    Instruction shared = *one.in;
    const auto turn = [](Expr& at) {
      at.block += at.core;
      at.core = 0;
    };
    turn(shared.dst.at);
    turn(shared.src.at);
    turn(shared.src_b.at);
    if (shared == *one.in) continue;
    change(9, one.spot, shared);
    shared.where.all.push_back({IndexName::sub, 0, 0});
    change(11, one.spot, shared);
  }
}

/// SYNC-16: a poll that sees GM, and a word that gets there.
void RepairCandidates::polls() {
  for (const Listed& one : all_) {
    if (one.in->op != Op::poll) continue;
    const bool cached = one.in->via == PollVia::raw_load || one.in->via == PollVia::get_value;
    if (cached && !one.in->refresh) {
      Instruction fresh = *one.in;
      fresh.refresh = true;
      change(9, one.spot, fresh);
    }
    if (one.in->via == PollVia::raw_load) {
      Instruction past = *one.in;
      past.via = PollVia::bypass;
      past.refresh = false;
      change(9, one.spot, past);
    }
    // A cached store to the word goes past the cache, too.
    for (const Listed& store : all_) {
      const bool same = store.in->op == Op::raw_store && store.in->dst.index == one.in->src.index;
      if (!same) continue;
      Instruction through = *store.in;
      through.op = Op::write_gm_bypass;
      change(10, store.spot, through);
      for (const PollVia via : {PollVia::bypass}) {
        if (one.in->via != PollVia::raw_load) continue;
        Instruction past = *one.in;
        past.via = via;
        past.refresh = false;
        add(18, {change_at(store.spot, through), change_at(one.spot, past)});
      }
    }
  }
  refreshes();
}

}  // namespace skcts::model
