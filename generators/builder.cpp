#include "generators/builder.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace skcts::generators {

namespace {

constexpr int first_regions = 14;  ///< Above this many, regions are used again.

std::string numbered(std::string_view prefix, int number) {
  char digits[12];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  std::string text(prefix);
  text.append(digits, end);
  return text;
}

bool has_stage(const SubPlan& plan, std::initializer_list<Stage> stages) {
  return std::any_of(plan.stages.begin(), plan.stages.end(), [stages](Stage s) {
    return std::find(stages.begin(), stages.end(), s) != stages.end();
  });
}

/// Something in it takes GetBlockNum for its own number of blocks: a shift, slots of a workspace.
bool counts_own_blocks(const SubKernel& sub) {
  bool found = false;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    for_each_in(sub.program(kind), [&](const Instruction& in) {
      found |= in.op == Op::soft_sync_all || in.op == Op::ib_set || in.op == Op::ib_wait;
      for (const Operand* o : {&in.src, &in.src_b, &in.dst}) found |= o->at.shift != 0;
      for (const Range& r : in.reads) found |= r.from.at.shift != 0;
      found |= in.value.expr.shift != 0;
    });
  }
  return found;
}

}  // namespace

Builder::Builder(Choice& choice, const Focus& focus, const Profile& profile, const MixPlan& plan,
                 Mix& mix, std::vector<Site>* sites)
    : choice_(choice), focus_(focus), profile_(profile), plan_(plan), mix_(mix), sites_(sites) {
  mix_.regions.reserve(16);
  pool_.reserve(16);
  mix_.sub_kernels.reserve(plan.subs.size());
}

bool Builder::flip(Feature f, int percent) {
  const bool coin = choice_.chance(percent);
  return focus_.require.has(f) || (coin && !focus_.avoid.has(f));
}

Lane Builder::lane(CoreKind kind) const {
  const Shape& shape = sub_plan_->shape;
  Lane lane{.kind = kind};
  if (kind == CoreKind::aic) {
    lane.workers = shape.blocks;
    lane.by_core = false;
  } else if (shape.type == KernelType::mix_aic_1_1) {
    lane.workers = shape.blocks;
    lane.by_core = false;
    lane.guarded = true;
  } else {
    lane.workers = aiv_cores(shape.type, shape.blocks);
  }
  return lane;
}

Lane Builder::any_lane() {
  const Shape& shape = sub_plan_->shape;
  if (is_aiv_kind(shape.type)) return lane(CoreKind::aiv);
  if (is_aic_kind(shape.type)) return lane(CoreKind::aic);
  const bool cube = choice_.chance(45) && !has_stage(*sub_plan_, {Stage::matmul});
  return lane(cube ? CoreKind::aic : CoreKind::aiv);
}

Instruction& Builder::put(CoreKind kind, Op op) {
  Instruction& in = target_[index(kind)]->emplace_back();
  in.op = op;
  return in;
}

Instruction& Builder::put(const Lane& lane, Op op) {
  Instruction& in = put(lane.kind, op);
  if (lane.guarded) in.where.all.push_back({IndexName::sub, 0, 0});
  if (lane.low >= 0) {
    in.where.all.push_back(
        {lane.by_core ? IndexName::core : IndexName::block, lane.low, lane.high});
  }
  return in;
}

void Builder::copy(const Lane& lane, Operand dst, Operand src, int count) {
  Instruction& in = put(lane, Op::data_copy);
  in.dst = dst;
  in.src = src;
  in.count = count;
}

void Builder::barrier(CoreKind kind, Pipe pipe) {
  put(kind, Op::pipe_barrier).pipe = pipe;
}

void Builder::event(const Lane& lane, Op op, Pipe from, Pipe to, int id) {
  Instruction& in = put(lane, op);
  in.event = {from, to};
  in.id = id;
}

void Builder::order(const Lane& lane, Pipe from, Pipe to) {
  const int id = event_turn_++ % 6;  // ids 6 and 7 are not every machine's (L-3)
  event(lane, Op::set_flag, from, to, id);
  event(lane, Op::wait_flag, from, to, id);
}

void Builder::sync_all(CoreKind kind, bool aiv_only) {
  put(kind, Op::sync_all).aiv_only = aiv_only;
  close(kind);
}

void Builder::raise(CoreKind kind, int mode, Pipe pipe, int id) {
  Instruction& in = put(kind, Op::cross_core_set_flag);
  in.mode = mode;
  in.pipe = pipe;
  in.id = id;
}

void Builder::await(CoreKind kind, const Flag& flag) {
  Instruction& in = put(kind, Op::cross_core_wait_flag);
  in.id = flag.id;
  in.pipe = flag.waits;
  // Where vector core 1 only takes part in the flags, no store comes behind its wait.
  if (flag.waits != Pipe::s && lane(kind).guarded) leave_open(kind);
}

void Builder::dcci(const Lane& lane, Operand word, bool entire) {
  Instruction& in = put(lane, Op::dcci);
  in.line = entire ? CacheLine::entire : CacheLine::single;
  if (!entire) in.dst = word;
}

void Builder::dsb(const Lane& lane) {
  put(lane, Op::dsb).dsb = choice_.chance(50) ? Dsb::all : Dsb::ddr;
}

void Builder::begin_repeat(CoreKind kind, int times) {
  Instruction& in = put(kind, Op::repeat);
  in.times = times;
  target_[index(kind)] = &in.body;
}

void Builder::end_repeat(CoreKind kind) {
  target_[index(kind)] = &sub_->program(kind);
}

Expr Builder::at(const Lane& lane, int stride, int base, int shift) {
  Expr e{.base = base};
  (lane.by_core ? e.core : e.block) = stride;
  if (stride != 0) e.shift = shift;
  return e;
}

Value Builder::fresh_value(const Lane& lane) {
  constant_ += 0x1000;
  const auto base = static_cast<std::int32_t>(constant_ + (static_cast<std::uint32_t>(k_) << 20));
  return {.expr = at(lane, 1, base)};
}

int Builder::words(CoreKind kind, Space space, int count) {
  const std::size_t kind_index = index(kind);
  const int size = (count + 7) / 8 * 8;
  int& cursor = cursor_[kind_index][static_cast<std::size_t>(space) - 3];
  if (cursor + size > words_of_memory(profile_, space)) {
    barrier(kind, Pipe::all);
    cursor = base_[kind_index];
  }
  SKCTS_CHECK(cursor + size <= words_of_memory(profile_, space), "{} words of {}", count,
              to_string(space));
  const int start = cursor;
  cursor += size;
  return start;
}

int Builder::new_name(std::string_view prefix) {
  const auto name = static_cast<int>(sub_->names.size());
  sub_->names.push_back(numbered(prefix, name));
  return name;
}

int Builder::new_tensor(const RegionUse& r, bool is_const) {
  const auto object = static_cast<int>(sub_->tensors.size());
  Tensor& t = sub_->tensors.emplace_back();
  t.name = numbered("t", object);
  t.region = r.index;
  t.is_const = is_const;
  return object;
}

RegionUse Builder::private_region(RegionClass kind, int slot_words, int slots, bool zero) {
  RegionUse use{.index = static_cast<std::int16_t>(mix_.regions.size()),
                .kind = kind,
                .slot_words = slot_words};
  Region& r = mix_.regions.emplace_back();
  r.name = numbered("r", use.index);
  r.words = slot_words * slots;
  r.words = (r.words + 7) / 8 * 8;
  if (!zero) {
    r.init.first = (static_cast<std::uint32_t>(use.index) + 1) * 0x01010000u;
    r.init.step = static_cast<std::uint32_t>(choice_.range(0, 2)) * 2 + 1;
  }
  return use;
}

RegionUse& Builder::new_region(RegionClass kind, int slot_words) {
  RegionUse use = private_region(kind, slot_words, plan_.slots, choice_.chance(10));
  // Whole blocks, but not whole lines: only what never meets a cache may start there.
  if (kind == RegionClass::blocks && choice_.chance(30)) {
    mix_.regions[static_cast<std::size_t>(use.index)].offset_bytes = 32;
  }
  use.side = sub_plan_->side;
  return pool_.emplace_back(use);
}

RegionUse Builder::own_region(int slot_words) {
  RegionUse& use = new_region(RegionClass::lines, slot_words);
  const RegionUse before = use;
  use.written_in = use.read_in = k_;
  return before;
}

RegionUse Builder::input(RegionClass kind) {
  int weights[32];
  int sum = 0;
  const std::size_t count = std::min<std::size_t>(pool_.size(), 32);
  for (std::size_t i = 0; i < count; ++i) {
    const RegionUse& r = pool_[i];
    const bool fits =
        may_take(r) && r.written_in != k_ &&
        (r.kind == kind || (kind == RegionClass::blocks && r.kind == RegionClass::lines));
    const bool recent = r.written_in >= 0 && r.written_in == k_ - 1;
    weights[i] = !fits ? 0 : recent ? (plan_.prefer_recent ? 200 : 12) : r.written_in >= 0 ? 4 : 1;
    sum += weights[i];
  }
  if (sum == 0 || (sum < 4 && choice_.chance(50))) {
    RegionUse& r = new_region(kind, kind == RegionClass::packed   ? 1
                                    : kind == RegionClass::blocks ? 8
                                                                  : 16);
    r.read_in = k_;
    return r;
  }
  RegionUse& r =
      pool_[static_cast<std::size_t>(choice_.weighted(std::span<const int>(weights, count)))];
  r.read_in = k_;
  return r;
}

bool Builder::recent_scalar_output(RegionUse& found) const {
  for (const RegionUse& r : pool_) {
    const bool fits = may_take(r) && r.kind == RegionClass::lines;
    if (fits && r.scalar_out && r.written_in == k_ - 1) {
      found = r;
      return true;
    }
  }
  return false;
}

RegionUse Builder::output(RegionClass kind) {
  int candidates[32];
  int count = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(pool_.size(), 32); ++i) {
    const RegionUse& r = pool_[i];
    if (may_take(r) && r.written_in != k_ && r.read_in != k_ && r.kind == kind) {
      candidates[count++] = static_cast<int>(i);
    }
  }
  const bool full = mix_.regions.size() >= first_regions;
  RegionUse* use = nullptr;
  if (count > 0 && (full || choice_.chance(plan_.prefer_recent ? 60 : 45))) {
    use = &pool_[static_cast<std::size_t>(candidates[choice_.below(count)])];
  } else {
    const int words = kind == RegionClass::packed   ? 1
                      : kind == RegionClass::blocks ? 8
                      : choice_.chance(20)          ? 32
                                                    : 16;
    use = &new_region(kind, words);
  }
  const RegionUse before = *use;
  use->written_in = k_;
  use->scalar_out = false;
  return before;
}

void Builder::mark_scalar_output(const RegionUse& r) {
  for (RegionUse& use : pool_) {
    if (use.index == r.index) use.scalar_out = true;
  }
}

void Builder::mark_read(const RegionUse& r) {
  for (RegionUse& use : pool_) {
    if (use.index == r.index) use.read_in = k_;
  }
}

int Builder::shift(const Lane& lane) {
  const int coin = choice_.below(100);
  const int by = choice_.below(std::max(1, lane.workers - 1)) + 1;
  const bool wanted = wants(Feature::neighbour_shift) || plan_.prefer_recent;
  return lane.workers > 1 && (coin < 60 || wanted) ? by : 0;
}

void Builder::mark_next(SiteKind kind, CoreKind core, int extra) {
  if (sites_ == nullptr) return;
  sites_->push_back({kind, k_, core, static_cast<std::int32_t>(sub_->program(core).size()), extra});
}

void Builder::mark_last(SiteKind kind, CoreKind core, int extra) {
  if (sites_ == nullptr) return;
  const auto size = static_cast<std::int32_t>(sub_->program(core).size());
  sites_->push_back({kind, k_, core, size - 1, extra});
}

void Builder::begin(int k) {
  k_ = k;
  sub_plan_ = &plan_.subs[static_cast<std::size_t>(k)];
  sub_ = &mix_.sub_kernels.emplace_back();
  sub_->name = sub_kernel_name(k);
  sub_->type = sub_plan_->shape.type;
  sub_->blocks = sub_plan_->shape.blocks;
  sub_->tiling = sub_plan_->placement == Placement::offload ? Tiling::offload : Tiling::fixed;
  const Shape& counted = sub_plan_->counted;
  if (counted.blocks != sub_->blocks && !sub_plan_->is_wave) sub_->launch_blocks = counted.blocks;
  if (counted.type != sub_->type) sub_->launch_type = counted.type;
  sub_->sk_bind = sub_plan_->sk_bind;
  sub_->batch_mode = sub_plan_->batch_mode;
  if (sub_plan_->named_by_op_type) sub_->op_type = op_type_name(sub_plan_->op_type);
  // A TPipe allocates from word 0 on; what is placed by hand beside one starts above it.
  base_[index(CoreKind::aiv)] =
      has_stage(*sub_plan_, {Stage::vector_queue, Stage::vector_queue_double, Stage::vector_tbuf,
                             Stage::vector_two_pipes})
          ? 512
          : 0;
  base_[index(CoreKind::aic)] = has_stage(*sub_plan_, {Stage::cube_queue}) ? 256 : 0;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    for (int& cursor : cursor_[kind]) cursor = base_[kind];
    open_[kind] = false;
    has_prefetch_[kind] = false;
  }
  event_turn_ = choice_.below(6);
  flag_turn_ = choice_.below(11);
  is_taken_.reset();
  // The Matmul service has ids 0 to 2N-1, N at most 4 (SYNC-7).
  flag_first_ = has_stage(*sub_plan_, {Stage::matmul}) ? 8 : 0;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    target_[index(kind)] = &sub_->program(kind);
    if (!runs_on(sub_->type, kind)) continue;
    sub_->program(kind).reserve(24);
    if (sub_plan_->idle_set) set_next_task_start(kind);
    if (!sub_plan_->own_wait) continue;
    head(kind);
    put(kind, Op::wait_pre_task_end);
    after_head(kind);
  }
}

/// What runs beside earlier sub kernels: private data only, and local memory only after PIPE_ALL,
/// because the pipes of the sub kernel before may still use it (P7).
void Builder::head(CoreKind kind) {
  const Lane l = lane(kind);
  const int what = choice_.below(100);
  const bool work = flip(Feature::head_work, 45);
  const bool can_prefetch = l.is_vector() || !profile_.is_3510();  // else nothing takes L1 out
  if (!work) {
    if (what < 40) put(kind, what < 20 ? Op::get_block_num : Op::get_block_idx);
    return;
  }
  if (what < 25) {
    const RegionUse r = private_region(RegionClass::lines, 16, l.workers, false);
    Instruction& in = put(l, Op::raw_load);
    in.src = gm(r, at(l, 16));
    in.reg = static_cast<std::int8_t>(fresh_register());
  } else if (what < 45 || !can_prefetch) {
    const RegionUse r = private_region(RegionClass::lines, 16, l.workers, false);
    Instruction& in = put(l, Op::write_gm_bypass);
    in.dst = gm(r, at(l, 16));
    in.value = fresh_value(l);
    dsb(l);
  } else {
    const RegionUse r = private_region(RegionClass::lines, 16, l.workers, false);
    barrier(kind, Pipe::all);
    prefetch_[index(kind)] = fresh_local(l, 16);
    copy(l, prefetch_[index(kind)], gm(r, at(l, 16)), 16);
    has_prefetch_[index(kind)] = true;
  }
}

/// What was prefetched leaves by MTE3.
void Builder::after_head(CoreKind kind) {
  if (!has_prefetch_[index(kind)]) return;
  const Lane l = lane(kind);
  const RegionUse out = output(RegionClass::lines);
  order(l, Pipe::mte2, Pipe::mte3);
  copy(l, gm(out, at(l, out.slot_words)), prefetch_[index(kind)], 16);
  if (kind == CoreKind::aic) leave_open(kind);
}

void Builder::end() {
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(sub_->type, kind)) continue;
    const bool is_lone = sub_plan_->stages.empty() || sub_plan_->stages[0] == Stage::lone_query;
    const bool has_server = kind == CoreKind::aic && has_stage(*sub_plan_, {Stage::matmul});
    if (choice_.chance(4) && !is_lone && !has_server) dead_branch(kind);
    const bool extra = choice_.chance(8) && !is_lone && !has_server;
    if (open_[index(kind)] || extra) {
      if (open_[index(kind)]) mark_next(SiteKind::final_barrier, kind);
      barrier(kind, Pipe::all);
      open_[index(kind)] = false;
    }
    if (sub_plan_->idle_wait) put(kind, Op::wait_pre_task_end);
    if (!sub_plan_->own_set) continue;
    set_next_task_start(kind);
    tail(kind);
  }
  sub_->direct_launch = sub_plan_->direct_launch && !counts_own_blocks(*sub_);
  if (!sub_->names.empty() && !sub_->aic.empty() && !sub_->aiv.empty()) renumber_names(*sub_);
}

/// What another tiling key would do: it is never executed.
void Builder::dead_branch(CoreKind kind) {
  if (sub_->tiling_key == 0) sub_->tiling_key = choice_.range(1, 3);
  const Lane l = lane(kind);
  Instruction& in = put(kind, Op::set_flag);
  in.where.all.push_back({IndexName::key, 0, sub_->tiling_key - 1});
  in.event = l.is_vector() ? HardEvent{Pipe::mte2, Pipe::v} : HardEvent{Pipe::mte2, Pipe::mte1};
  in.id = choice_.below(6);
}

void Builder::set_next_task_start(CoreKind kind) {
  const std::vector<Instruction>& program = sub_->program(kind);
  const bool drained =
      !program.empty() && program.back().op == Op::pipe_barrier && program.back().pipe == Pipe::all;
  const bool other = choice_.chance(15) && drained;
  constexpr Pipe vector_pipes[] = {Pipe::v, Pipe::mte2};
  constexpr Pipe cube_pipes[] = {Pipe::m, Pipe::mte1, Pipe::mte2, Pipe::mte3};
  const auto cube_count = std::size(cube_pipes) - (profile_.is_3510() ? 1 : 0);
  Instruction& in = put(kind, Op::set_next_task_start);
  in.pipe = Pipe::mte3;
  in.aic_pipe = Pipe::fix;
  if (!other) return;
  if (kind == CoreKind::aiv) {
    in.pipe = choice_.pick(vector_pipes);
  } else {
    in.aic_pipe = choice_.pick(std::span(cube_pipes).first(cube_count));
  }
}

/// What runs beside later sub kernels: private data, and PIPE_ALL before the next sub kernel can
/// use the same local memory (P7).
void Builder::tail(CoreKind kind) {
  const Lane l = lane(kind);
  const int what = choice_.below(100);
  const bool work = flip(Feature::tail_work, 40);
  if (!work) {
    if (what < 35) put(kind, what < 20 ? Op::get_block_num : Op::get_sub_block_idx);
    return;
  }
  const RegionUse r = private_region(RegionClass::lines, 16, l.workers, false);
  if (what < 40) {
    Instruction& in = put(l, Op::write_gm_bypass);
    in.dst = gm(r, at(l, 16));
    in.value = fresh_value(l);
    dsb(l);
  } else if (what < 60) {
    Instruction& in = put(l, Op::raw_store);
    in.dst = gm(r, at(l, 16));
    in.value = fresh_value(l);
    dcci(l, gm(r, at(l, 16)), false);
    dsb(l);
  } else if (kind == CoreKind::aiv) {
    const Operand ub = fresh_local(l, 16);
    Instruction& in = put(l, Op::duplicate);
    in.dst = ub;
    in.count = 16;
    in.value = fresh_value(l);
    order(l, Pipe::v, Pipe::mte3);
    copy(l, gm(r, at(l, 16)), ub, 16);
    barrier(kind, Pipe::all);
  } else {
    const Operand l0c = local(Space::l0c, words(kind, Space::l0c, 16));
    Instruction& in = put(l, Op::compute);
    in.pipe = Pipe::m;
    in.writes.push_back({l0c, 16});
    in.value.expr.base = fresh_value(l).expr.base;
    order(l, Pipe::m, Pipe::fix);
    Instruction& out = put(l, Op::fixpipe);
    out.dst = gm(r, at(l, 16));
    out.src = l0c;
    out.count = 16;
    barrier(kind, Pipe::all);
  }
}

}  // namespace skcts::generators
