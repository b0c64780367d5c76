// Lowering with one guarantee weakened. Without a relaxation every function here gives what the
// contract says.
#include <algorithm>
#include <vector>

#include "reference_model/lower.h"
#include "reference_model/relaxed_contract.h"

namespace skcts::model {
namespace {

/// Of a store: it writes nothing.
void come_to_nothing(Step& step) {
  step.kind = StepKind::mark;
  step.mark = MarkKind::none;
  step.writes_end = step.writes_begin;
}

}  // namespace

bool Lowering::runs_here(std::int32_t place) const {
  if (in_->relaxed == nullptr) return runs(sub(place), in_->shape, core_);
  return relaxed_runs(sub(place), in_mix(place), in_->shape, core_, *in_->relaxed);
}

/// Does the core take part in what is inserted as one that runs the sub kernel?
bool Lowering::syncs_as_own(std::int32_t place, bool runs_it) const {
  if (in_->relaxed == nullptr || !in_->relaxed->by_contract) return runs_it;
  return runs(sub(place), in_->shape, core_);
}

Indices Lowering::indices_here() const {
  if (in_->relaxed == nullptr) return indices_of(sub(place_), in_->shape, core_);
  return relaxed_indices(sub(place_), in_mix(place_), in_->shape, core_, *in_->relaxed);
}

std::int64_t Lowering::query_here(Op query) const {
  if (in_->relaxed == nullptr) return query_value(sub(place_), in_->shape, core_, query);
  return relaxed_query(sub(place_), in_mix(place_), in_->shape, core_, query, *in_->relaxed);
}

/// How many SyncAll calls this idle core makes for the sub kernel.
std::size_t Lowering::fed_call_count(std::size_t calls) const {
  if (weak_here(Weakening::feed_missing)) return 0;
  if (weak_here(Weakening::feed_call_missing) && calls > 0) return calls - 1;
  if (weak_here(Weakening::feed_core_missing)) {
    const std::int32_t there =
        core_.kind == CoreKind::aic ? in_->shape.aic_count : in_->shape.aiv_count;
    if (core_.index == there - 1) return 0;
  }
  return calls;
}

bool Lowering::weak_flag(Weakening what, std::int32_t id) const {
  return weak_here(what) && in_->relaxed->id == id &&
         (in_->relaxed->amount < 0 || in_->relaxed->amount == core_.index);
}

/// Does a CrossCoreWaitFlag keep nobody back?
bool Lowering::weak_wait(std::int32_t id) {
  if (in_->relaxed == nullptr) return false;
  if (weak_anywhere(Weakening::waits_keep)) return flag_waits_[{thread_, id}]++ > 0;
  if (weak_flag(Weakening::wait_at_once, id)) return true;
  std::int32_t& before = flag_waits_[{thread_, id}];
  if (weak_flag(Weakening::wait_keeps, id)) return before++ > 0;
  std::int32_t left = 0;
  for (const LeftOver& one : in_->residue) {
    if (one.core == core_ && one.id == id) left += one.count;
  }
  return left > 0 && before++ < left;
}

void Lowering::raise(const Instruction& in) {
  const std::int32_t id = flag_id(in.id);
  if (weak_flag(Weakening::raise_lost, id)) return;
  if (weak_flag(Weakening::raise_once, id) && flag_raises_[{thread_, place_, id}]++ > 0) return;
  const int times = weak_flag(Weakening::raise_twice, id) ? 2 : 1;
  for (int turn = 0; turn < times; ++turn) {
    Step& step = add(StepKind::raise, weak_flag(Weakening::raise_early, id) ? Pipe::s : in.pipe);
    step.id = id;
    step.mode = in_->is_3510 && in.mode == 4 ? 4 : weak_raise_mode(in.mode & 3);
  }
}

/// Mode 4 from a cube goes to AIV 0 of its block, and from AIV 0 to the cube without asking AIV 1.
std::int32_t Lowering::weak_raise_mode(std::int32_t mode) const {
  const bool cube = core_.kind == CoreKind::aic;
  const bool weak =
      mode == 2 && weak_anywhere(cube ? Weakening::cube_to_first : Weakening::vectors_unjoined);
  return weak ? 4 : mode;
}

/// Does what a cube signals inside its block not reach this core?
bool Lowering::is_kept_from_cube(bool from_cube) const {
  return from_cube && core_.kind == CoreKind::aiv && core_.index % in_->shape.ratio > 0 &&
         weak_anywhere(Weakening::cube_to_first);
}

/// Does SetNextTaskStart signal nothing, or WaitPreTaskEnd wait for nothing, here?
bool Lowering::is_own_call_weak(bool sets) const {
  if (in_->relaxed == nullptr) return false;
  const std::int32_t border = in_mix(sets ? place_ : place_ - 1);
  return in_->relaxed->hits(sets ? Weakening::own_signal_lost : Weakening::own_wait_open, border,
                            core_.kind);
}

/// Do the events of the sub kernel keep this core not back?
bool Lowering::is_event_open() const {
  return weak_here(Weakening::event_open) && (in_->relaxed->amount == 0 || core_.index > 0);
}

/// Is a full-core wait at this boundary served by a signal too many, or by one that was kept?
bool Lowering::is_later_wait_open(std::int32_t border) const {
  if (weak_anywhere(Weakening::waits_keep)) return border > 0;
  if (!weak_anywhere(Weakening::signalled_twice)) return false;
  for (std::int32_t earlier = 0; earlier < border; ++earlier) {
    if (in_->relaxed->hits(Weakening::signalled_twice, in_mix(earlier))) return true;
  }
  return false;
}

/// A core that does not run the sub kernel by the rules may reach beyond GM: nothing happens then.
bool Lowering::is_outside(const WordRange& range) const {
  return in_->relaxed != nullptr && range.space == Space::gm &&
         (range.first < 0 || range.first + range.count > in_->layout.words);
}

/// Under a relaxation: does an access leave its region? In a valid mix none does. It then meets
/// whatever lies there; beyond GM nothing happens.
bool Lowering::leaves_region(std::int32_t region, std::int64_t first, std::int64_t count) {
  if (in_->relaxed == nullptr) return false;
  const bool leaves =
      first < 0 || first + count > in_->mix.regions[static_cast<std::size_t>(region)].words;
  left_region_ = left_region_ || leaves;
  return leaves;
}

/// The same for a slot (its word in GM) of the workspace at an operand.
bool Lowering::is_beyond(const Operand& at, std::int64_t word) {
  constexpr std::int64_t slot_words = 8;
  const std::int64_t base = in_->layout.base[static_cast<std::size_t>(at.index)];
  return leaves_region(at.index, word - base, slot_words);
}

/// Beyond GM lies anything: words of a local memory that this kind of core never writes.
WordRange Lowering::read_garbage(Step& step, const WordRange& range) const {
  if (step.kind == StepKind::load || step.kind == StepKind::load_bypass) {
    step.kind = StepKind::local_load;
  }
  if (step.kind == StepKind::poll || step.kind == StepKind::mark) {
    step.kind = StepKind::mark;
    return {Space::gm, 0, 0};
  }
  return {core_.kind == CoreKind::aiv ? Space::l0c : Space::ub, 0, range.count};
}

std::int32_t Lowering::blocks_here() const {
  if (in_->relaxed == nullptr) return own_block_num(sub(place_), in_->shape);
  return relaxed_blocks(sub(place_), in_mix(place_), in_->shape, core_.kind, *in_->relaxed);
}

bool Lowering::weak_object(Weakening what, std::int16_t object) const {
  if (!weak_here(what) && !weak_here(Weakening::refresh_on_access)) return false;
  return in_->relaxed->object < 0 || in_->relaxed->object == object;
}

bool Lowering::weak_event(HardEvent event) const {
  return weak_here(Weakening::event) && in_->relaxed->event == event;
}

bool Lowering::weak_barrier(Pipe pipe) const {
  return weak_here(Weakening::pipe_barrier) && in_->relaxed->pipe == pipe;
}

/// Does the boundary order nothing?
bool Lowering::is_boundary_open(std::int32_t border) const {
  const Relaxation* relaxed = in_->relaxed;
  if (is_later_wait_open(border)) return true;
  if (relaxed == nullptr || relaxed->weakening != Weakening::boundary) return false;
  for (std::int32_t back = 0; back < std::max(relaxed->amount, 1) && border >= back; ++back) {
    if (relaxed->hits(Weakening::boundary, in_mix(border - back))) return true;
  }
  return false;
}

/// Does a core wait at the boundary that has no own call there?
bool Lowering::is_inserted(std::int32_t border) const {
  return in_->relaxed == nullptr || !in_->relaxed->hits(Weakening::not_inserted, in_mix(border));
}

/// Does it signal?
bool Lowering::is_signalled(std::int32_t border) const {
  return is_inserted(border) &&
         (in_->relaxed == nullptr ||
          !in_->relaxed->hits(Weakening::not_signalled, in_mix(border), core_.kind));
}

/// After the join of the boundary was made. A boundary that does not order `kind` before `to` has a
/// second join, which `to` cores pass instead.
void Lowering::weaken_boundary(std::int32_t border) {
  weak_join_.push_back(-1);
  const Relaxation* relaxed = in_->relaxed;
  if (relaxed == nullptr) return;
  const std::int32_t owner = in_mix(border);
  // Refreshes land at joins of boundaries; with another kind the join only orders.
  if (relaxed->hits(Weakening::landing, owner)) out_->joins.back().kind = JoinKind::debug_sync;
  if (!relaxed->hits(Weakening::edge, owner) && !weak_anywhere(Weakening::vectors_unjoined)) return;
  const BoundaryRelation& relation = out_->boundaries.back();
  weak_join_.back() = static_cast<std::int32_t>(out_->joins.size());
  Join join{.kind = JoinKind::boundary, .full_core = true, .sub_kernel = border + 1};
  all_members(join, relation.from_aic && relaxed->kind != CoreKind::aic,
              relation.from_aiv && relaxed->kind != CoreKind::aiv);
  out_->joins.push_back(std::move(join));
}

/// The join that this core passes at a boundary; -1: none.
std::int32_t Lowering::boundary_to_pass(std::int32_t border) const {
  const auto place = static_cast<std::size_t>(border);
  if (in_->relaxed == nullptr) return boundary_join_[place];
  if (is_boundary_open(border)) return -1;
  const bool weaker = weak_join_[place] >= 0 && in_->relaxed->to.value_or(core_.kind) == core_.kind;
  if (!weaker) return boundary_join_[place];
  const Join& join = out_->joins[static_cast<std::size_t>(weak_join_[place])];
  return join.members.empty() ? -1 : weak_join_[place];
}

void Lowering::arrive_at_boundary(std::int32_t border, Pipe pipe) {
  const auto place = static_cast<std::size_t>(border);
  const Relaxation* relaxed = in_->relaxed;
  if (relaxed != nullptr && relaxed->hits(Weakening::drain, in_mix(border), core_.kind)) {
    pipe = Pipe::s;
  }
  add_arrive(boundary_join_[place], pipe, Origin::boundary);
  if (relaxed != nullptr && weak_join_[place] >= 0 && relaxed->kind != core_.kind) {
    add_arrive(weak_join_[place], pipe, Origin::boundary);
  }
}

/// Stores that a refresh follows come to nothing.
void Lowering::lose_refreshed_stores() {
  std::vector<Step>& steps = out_->threads[static_cast<std::size_t>(thread_)].steps;
  std::vector<std::int64_t> refreshed;
  bool whole = false;
  for (std::size_t i = steps.size(); i-- > 0;) {
    Step& step = steps[i];
    if (step.kind == StepKind::refresh && step.origin != Origin::end_of_launch) {
      whole = whole || step.line < 0;
      refreshed.push_back(step.line);
    }
    const bool hit = step.kind == StepKind::store &&
                     in_->relaxed->hits(Weakening::refresh_loses, in_mix(step.sub_kernel));
    if (!hit) continue;
    const std::int64_t line =
        out_->ranges[static_cast<std::size_t>(step.writes_begin)].first / line_words;
    if (!whole && std::find(refreshed.begin(), refreshed.end(), line) == refreshed.end()) continue;
    come_to_nothing(step);
  }
}

/// CACHE-6: stores that no refresh follows come to nothing.
void Lowering::lose_dirty_lines() {
  std::vector<Step>& steps = out_->threads[static_cast<std::size_t>(thread_)].steps;
  std::vector<std::int64_t> refreshed;
  for (std::size_t i = steps.size(); i-- > 0;) {
    Step& step = steps[i];
    if (step.kind == StepKind::refresh) {
      if (step.line < 0) return;
      refreshed.push_back(step.line);
    }
    if (step.kind != StepKind::store) continue;
    const WordRange& word = out_->ranges[static_cast<std::size_t>(step.writes_begin)];
    const std::int64_t line = word.first / line_words;
    if (std::find(refreshed.begin(), refreshed.end(), line) != refreshed.end()) continue;
    come_to_nothing(step);
  }
}

}  // namespace skcts::model
