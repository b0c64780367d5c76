// Scalar access to GM. Which refresh is inserted depends on where the dcci lists put the sub
// kernel; what is not inserted is written out (semantics §4, P5 and P6 of §5).
#include <algorithm>

#include "generators/fragments.h"

namespace skcts::generators {

namespace {

bool is_touched(const RegionUse& r) {
  return r.written_in >= 0;
}

Expr plus(Expr e, int words) {
  e.base += words;
  return e;
}

/// A GlobalTensor object for one access: its first touch refreshes the line (CACHE-1). A copy made
/// before any access starts without a line, as its source does.
int object_for(Builder& b, const Lane& lane, const RegionUse& r, bool is_const) {
  const int object = b.new_tensor(r, is_const);
  if (is_const || !b.flip(Feature::tensor_copy, 8)) return object;
  const int copy = b.new_tensor(r, false);
  Instruction& in = b.put(lane, Op::tensor_copy);
  in.object = static_cast<std::int16_t>(copy);
  in.other = static_cast<std::int16_t>(object);
  return copy;
}

enum class Via : std::uint8_t { tensor, const_tensor, assign, raw, bypass };

Via draw_load_via(Builder& b) {
  if (b.wants(Feature::const_tensor)) return Via::const_tensor;
  if (b.wants(Feature::get_value) || b.wants(Feature::tensor_copy)) return Via::tensor;
  if (b.wants(Feature::raw_access)) return Via::raw;
  constexpr int weights[] = {44, 12, 0, 32, 12};
  return static_cast<Via>(b.choice().weighted(weights));
}

Via draw_store_via(Builder& b) {
  if (b.wants(Feature::set_value) && b.wants(Feature::operator_assign)) {
    return b.choice().chance(50) ? Via::tensor : Via::assign;
  }
  if (b.wants(Feature::set_value) || b.wants(Feature::tensor_end)) return Via::tensor;
  if (b.wants(Feature::operator_assign)) return Via::assign;
  if (b.wants(Feature::raw_access)) return Via::raw;
  const bool cached = b.wants(Feature::line_per_core) || b.wants(Feature::dcci_single) ||
                      b.wants(Feature::dcci_entire) || b.plan().prefer_recent;
  const int weights[] = {40, 0, 24, 28, cached ? 0 : 8};
  return static_cast<Via>(b.choice().weighted(weights));
}

/// A required kind of refresh must be written out.
bool must_write_refresh(Builder& b) {
  return b.wants(Feature::dcci_single) || b.wants(Feature::dcci_entire);
}

bool draw_entire(Builder& b) {
  return b.flip(Feature::dcci_entire, 22) && !b.wants(Feature::dcci_single);
}

/// The store itself.
void put_store(Builder& b, const Lane& lane, const Slot& to, const Value& value, Via via,
               int object) {
  constexpr Op ops[] = {Op::set_value, Op::set_value, Op::assign, Op::raw_store,
                        Op::write_gm_bypass};
  Instruction& in = b.put(lane, ops[static_cast<int>(via)]);
  in.value = value;
  in.dst = object >= 0 ? Builder::tensor(object, to.at) : Builder::gm(to.region, to.at);
}

}  // namespace

int scalar_load(Builder& b, const Lane& lane, const Slot& from, bool in_this_sub) {
  const Via via = draw_load_via(b);
  const int reg = b.fresh_register();
  const bool by_object = via == Via::tensor || via == Via::const_tensor;
  const SubPlan& sub = b.sub_plan();
  // What this sub kernel itself stored may have been fetched too early (L-36), and launched alone
  // nothing is refreshed unasked: then only a refresh that is written out will do.
  const bool is_fresh =
      !in_this_sub && ((by_object && sub.per_access()) || sub.opens() || !is_touched(from.region));
  const int object = by_object ? object_for(b, lane, from.region, via == Via::const_tensor) : -1;
  const bool lazy = is_fresh && b.choice().chance(75) && !must_write_refresh(b);
  if (via != Via::bypass && !lazy) {
    b.dcci(lane, Builder::gm(from.region, from.at), draw_entire(b));
  }
  const Op op = by_object ? Op::get_value : via == Via::raw ? Op::raw_load : Op::read_gm_bypass;
  Instruction& in = b.put(lane, op);
  in.src = by_object ? Builder::tensor(object, from.at) : Builder::gm(from.region, from.at);
  in.reg = static_cast<std::int8_t>(reg);
  return reg;
}

void scalar_store(Builder& b, const Lane& lane, const Slot& to, const Value& value,
                  bool hand_over) {
  const Via via = draw_store_via(b);
  const SubPlan& sub = b.sub_plan();
  if (via == Via::bypass) {
    put_store(b, lane, to, value, via, -1);
    if (hand_over) b.mark_next(SiteKind::handed_over_barrier, lane.kind);
    b.dsb(lane);
    return;
  }
  b.mark_scalar_output(to.region);
  const int object = via == Via::raw ? -1 : object_for(b, lane, to.region, false);
  const bool is_open =
      !is_touched(to.region) || sub.opens() || (via == Via::assign && sub.per_access());
  if (!is_open || b.choice().chance(15)) {
    b.dcci(lane, Builder::gm(to.region, to.at), draw_entire(b));
  }
  b.mark_next(SiteKind::line_store, lane.kind, hand_over ? 1 : 0);
  put_store(b, lane, to, value, via, object);
  if (b.choice().chance(20)) {
    Slot more = to;
    more.at = plus(to.at, 1);
    put_store(b, lane, more, b.fresh_value(lane), via, object);
  }
  const bool closes = sub.closes() || (via == Via::tensor && sub.per_access());
  const bool lazy = closes && !hand_over && b.choice().chance(75) && !must_write_refresh(b);
  // The object's death refreshes its line; after SetNextTaskStart that comes too late.
  const bool ends = via == Via::tensor &&
                    ((lazy && !sub.closes() && sub.own_set) || b.flip(Feature::tensor_end, 25));
  if (lazy) {
    if (ends) b.put(lane, Op::tensor_end).object = static_cast<std::int16_t>(object);
    return;
  }
  const bool entire = draw_entire(b);
  if (!hand_over && !sub.closes() && via != Via::tensor && !entire) {
    b.mark_next(SiteKind::closing_refresh, lane.kind);
  }
  b.dcci(lane, Builder::gm(to.region, to.at), entire);
  if (hand_over) b.mark_next(SiteKind::handed_over_barrier, lane.kind, 1);
  b.dsb(lane);
  if (ends) b.put(lane, Op::tensor_end).object = static_cast<std::int16_t>(object);
}

void keep_register(Builder& b, const Lane& lane, int reg) {
  const RegionUse out = b.output(RegionClass::lines);
  Value value;
  value.reg = static_cast<std::int8_t>(reg);
  scalar_store(b, lane, own_slot(lane, out), value, false);
}

namespace {

void scalar_copy(Builder& b) {
  const Lane l = b.any_lane();
  RegionUse in;
  const bool recent = b.plan().prefer_recent || b.choice().chance(70);
  if (!recent || !b.recent_scalar_output(in)) in = b.input(RegionClass::lines);
  b.mark_read(in);
  Slot from = shifted_slot(l, in, b.shift(l));
  if (!in.scalar_out) from.at = plus(from.at, b.choice().below(8));
  keep_register(b, l, scalar_load(b, l, from, false));
}

void scalar_store_stage(Builder& b) {
  const Lane l = b.any_lane();
  const RegionUse out = b.output(RegionClass::lines);
  scalar_store(b, l, own_slot(l, out), b.fresh_value(l), false);
}

void bypass_copy(Builder& b) {
  const Lane l = b.any_lane();
  const RegionUse in = b.input(b.choice().chance(50) ? RegionClass::packed : RegionClass::lines);
  const RegionUse out = b.output(b.choice().chance(60) ? RegionClass::packed : RegionClass::lines);
  const int reg = b.fresh_register();
  Instruction& load = b.put(l, Op::read_gm_bypass);
  load.src = Builder::gm(in, Builder::at(l, in.slot_words, 0, b.shift(l)));
  load.reg = static_cast<std::int8_t>(reg);
  Instruction& store = b.put(l, Op::write_gm_bypass);
  store.dst = Builder::gm(out, Builder::at(l, out.slot_words));
  if (b.choice().chance(70)) {
    store.value.reg = static_cast<std::int8_t>(reg);
  } else {
    store.value = b.fresh_value(l);
  }
  b.dsb(l);
}

/// The scalar unit hands a word to DMA of the same core. On AIC the events with S are not every
/// machine's (L-6), so PIPE_ALL stands in.
void scalar_to_dma(Builder& b) {
  const Lane l = b.any_lane();
  const RegionUse r = b.output(RegionClass::lines);
  scalar_store(b, l, own_slot(l, r), b.fresh_value(l), true);
  if (l.is_vector() && b.choice().chance(70)) {
    b.order(l, Pipe::s, Pipe::mte2);
  } else {
    b.barrier(l.kind, Pipe::all);
  }
  consume(b, l, own_slot(l, r), 16);
}

void dma_to_scalar(Builder& b) {
  const Lane l = b.any_lane();
  const RegionUse r = b.output(RegionClass::lines);
  produce(b, l, own_slot(l, r), 16);
  if (l.is_vector() && b.choice().chance(70)) {
    b.order(l, Pipe::mte3, Pipe::s);
  } else {
    b.barrier(l.kind, Pipe::all);
  }
  keep_register(b, l, scalar_load(b, l, own_slot(l, r), true));
}

/// All workers add to the same words, or each to its own.
void atomic(Builder& b) {
  const Lane l = b.any_lane();
  const RegionUse r = b.output(RegionClass::lines);
  const bool shared = b.choice().chance(70);
  const Slot to = {r, Builder::at(l, shared ? 0 : r.slot_words)};
  produce(b, l, to, 16, true);
  if (shared) b.mark_last(SiteKind::shared_add, l.kind);
}

void query(Builder& b) {
  const Lane l = b.any_lane();
  constexpr Op ops[] = {Op::get_block_num, Op::get_block_idx, Op::get_sub_block_idx,
                        Op::get_task_ratio};
  const int count = b.choice().range(1, 3);
  for (int i = 0; i < count; ++i) b.put(l.kind, ops[b.choice().below(4)]);
  if (b.wants(Feature::block_num_query) || b.wants(Feature::narrow_block_num_query)) {
    b.put(l.kind, Op::get_block_num);
  }
  if (b.wants(Feature::other_query)) b.put(l.kind, Op::get_block_idx);
}

/// Neighbours store to different 32-byte blocks of one line: right by DMA, never by scalar.
void false_sharing(Builder& b) {
  const Lane l = b.any_lane();
  const RegionUse out = b.output(RegionClass::blocks);
  produce(b, l, own_slot(l, out), 8);
}

}  // namespace

void write_scalar_stage(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::scalar_copy: return scalar_copy(b);
    case Stage::scalar_store: return scalar_store_stage(b);
    case Stage::bypass_copy: return bypass_copy(b);
    case Stage::scalar_to_dma: return scalar_to_dma(b);
    case Stage::dma_to_scalar: return dma_to_scalar(b);
    case Stage::atomic: return atomic(b);
    case Stage::query: return query(b);
    case Stage::false_sharing: return false_sharing(b);
    case Stage::lone_query: b.put(b.any_lane().kind, Op::get_block_num); return;
    default: SKCTS_CHECK(false, "no scalar stage: {}", static_cast<int>(stage));
  }
}

}  // namespace skcts::generators
