// Copy, compute, copy on the vector cores, ordered by hand.
#include <algorithm>

#include "generators/fragments.h"

namespace skcts::generators {

namespace {

Instruction& compute_v(Builder& b, const Lane& l, Op op, Operand dst, Operand src, int count) {
  Instruction& in = b.put(l, op);
  in.dst = dst;
  in.src = src;
  in.count = count;
  return in;
}

/// One vector instruction that reads all of `from` and writes all of `to`.
void some_compute(Builder& b, const Lane& l, Operand to, Operand from, int count) {
  if (b.choice().chance(25)) {
    Instruction& in = b.put(l, Op::compute);
    in.pipe = Pipe::v;
    in.reads.push_back({from, count});
    in.writes.push_back({to, count});
    in.value.expr.base = b.fresh_value(l).expr.base;
    return;
  }
  Instruction& in = compute_v(b, l, Op::adds, to, from, count);
  in.value = b.fresh_value(l);
}

/// Orders two pipes by an event, or by stopping everything.
void order_or_stop(Builder& b, const Lane& l, Pipe from, Pipe to, bool stop) {
  if (stop) {
    b.barrier(l.kind, Pipe::all);
  } else {
    b.mark_next(SiteKind::event_pair, l.kind);
    b.order(l, from, to);
  }
}

/// Some workers only, now and then.
Lane maybe_some(Builder& b, Lane l) {
  if (l.workers < 2 || !b.choice().chance(12)) return l;
  l.low = b.choice().below(l.workers);
  l.high = b.choice().range(l.low, l.workers - 1);
  return l;
}

void store_result(Builder& b, const Lane& l, Operand to, Operand from, int count) {
  b.copy(l, to, from, count);
  b.mark_last(SiteKind::result_store, l.kind);
}

void vector_copy(Builder& b) {
  const Lane l = maybe_some(b, b.lane(CoreKind::aiv));
  const RegionUse in = b.input(b.choice().chance(80) ? RegionClass::lines : RegionClass::blocks);
  const RegionUse out = b.output(b.choice().chance(80) ? RegionClass::lines : RegionClass::blocks);
  int count = std::min(in.slot_words, out.slot_words);
  const Operand from = b.gm(in, Builder::at(l, in.slot_words, 0, b.shift(l)));
  const Operand to = b.gm(out, Builder::at(l, out.slot_words));
  const bool events = b.flip(Feature::event_flags, 85);
  const Operand x = b.fresh_local(l, count);
  b.copy(l, x, from, count);
  const int how = b.choice().below(100);
  if (how < 15) {
    order_or_stop(b, l, Pipe::mte2, Pipe::mte3, !events);
    store_result(b, l, to, x, count);
    return;
  }
  Operand y = x;
  if (how >= 30) b.mark_last(SiteKind::load_for_compute, l.kind);
  if (how < 30) {
    const RegionUse more = b.input(RegionClass::lines);
    count = std::min(count, more.slot_words);
    const Operand x2 = b.fresh_local(l, count);
    b.copy(l, x2, b.gm(more, Builder::at(l, more.slot_words)), count);
    y = b.fresh_local(l, count);
    order_or_stop(b, l, Pipe::mte2, Pipe::v, !events);
    compute_v(b, l, Op::add, y, x, count).src_b = x2;
  } else {
    if (how < 75) y = b.fresh_local(l, count);
    order_or_stop(b, l, Pipe::mte2, Pipe::v, !events);
    some_compute(b, l, y, x, count);
  }
  if (how >= 45 && how < 60) {
    b.mark_next(SiteKind::vector_barrier, l.kind);
    b.barrier(l.kind, Pipe::v);
    const Operand z = b.fresh_local(l, count);
    some_compute(b, l, z, y, count);
    y = z;
  }
  order_or_stop(b, l, Pipe::v, Pipe::mte3, !events);
  store_result(b, l, to, y, count);
}

/// Tiles through the same buffers: the way back has events too, set in one turn and waited for in
/// the next, so that sets and waits alternate.
void tiles_through_one_buffer(Builder& b, const Lane& l, const RegionUse& in,
                              const RegionUse& out) {
  const int tiles = std::min(in.slot_words, out.slot_words) / 8;
  const Operand x = b.fresh_local(l, 8);
  const Operand y = b.fresh_local(l, 8);
  const int id = b.choice().below(6);
  for (int t = 0; t < tiles; ++t) {
    if (t > 0) b.event(l, Op::wait_flag, Pipe::v, Pipe::mte2, id);
    b.copy(l, x, b.gm(in, Builder::at(l, in.slot_words, 8 * t)), 8);
    b.order(l, Pipe::mte2, Pipe::v);
    if (t > 0) b.event(l, Op::wait_flag, Pipe::mte3, Pipe::v, id);
    some_compute(b, l, y, x, 8);
    if (t + 1 < tiles) b.event(l, Op::set_flag, Pipe::v, Pipe::mte2, id);
    b.order(l, Pipe::v, Pipe::mte3);
    b.copy(l, b.gm(out, Builder::at(l, out.slot_words, 8 * t)), y, 8);
    if (t + 1 < tiles) b.event(l, Op::set_flag, Pipe::mte3, Pipe::v, id);
  }
}

/// A loop over tiles with a buffer each.
void tiles_in_a_loop(Builder& b, const Lane& l, const RegionUse& in, const RegionUse& out) {
  const int tiles = std::min(in.slot_words, out.slot_words) / 8;
  Operand x = b.fresh_local(l, 8 * tiles);
  x.at.repeat[0] = 8;
  const auto tile = [&l](const RegionUse& r) {
    Expr e = Builder::at(l, r.slot_words);
    e.repeat[0] = 8;
    return Builder::gm(r, e);
  };
  b.begin_repeat(l.kind, tiles);
  b.copy(l, x, tile(in), 8);
  b.order(l, Pipe::mte2, Pipe::v);
  some_compute(b, l, x, x, 8);
  b.order(l, Pipe::v, Pipe::mte3);
  b.copy(l, tile(out), x, 8);
  b.end_repeat(l.kind);
}

void vector_tiles(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const bool loop = b.flip(Feature::repeat, 50) && !b.wants(Feature::hand_made_reuse);
  if (loop) {
    tiles_in_a_loop(b, l, in, out);
  } else {
    tiles_through_one_buffer(b, l, in, out);
  }
}

/// One core reads whole regions, or as much as fits.
void vector_gather(Builder& b) {
  Lane l = b.lane(CoreKind::aiv);
  if (l.workers > 1) l.low = l.high = b.choice().below(l.workers);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const int room = b.profile().ub_words / 4;
  const int slots = b.plan().slots;
  const int count = std::min({slots * std::min(in.slot_words, out.slot_words), room / 8 * 8, 256});
  const Operand x = b.fresh_local(l, count);
  b.copy(l, x, b.gm(in, {}), count);
  if (b.choice().chance(50)) {
    b.order(l, Pipe::mte2, Pipe::v);
    some_compute(b, l, x, x, count);
    b.order(l, Pipe::v, Pipe::mte3);
  } else {
    b.order(l, Pipe::mte2, Pipe::mte3);
  }
  b.copy(l, b.gm(out, {}), x, count);
}

void vector_reload(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  const RegionUse r = b.output(RegionClass::lines);
  produce(b, l, own_slot(l, r), r.slot_words);
  b.order(l, Pipe::mte3, Pipe::mte2);
  consume(b, l, own_slot(l, r), r.slot_words);
}

/// Scalar access to UB words: the scalar unit is a pipe like the others.
void ub_scalar(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const Operand x = b.fresh_local(l, 8);
  const int reg = b.fresh_register();
  b.copy(l, x, b.gm(in, Builder::at(l, in.slot_words, 0, b.shift(l))), 8);
  b.order(l, Pipe::mte2, Pipe::s);
  Operand word = x;
  word.at.base += b.choice().below(8);
  Instruction& get = b.put(l, Op::get_value);
  get.src = word;
  get.reg = static_cast<std::int8_t>(reg);
  Operand other = x;
  other.at.base += b.choice().below(8);
  Instruction& set = b.put(l, Op::set_value);
  set.dst = other;
  if (b.choice().chance(50)) {
    set.value = b.fresh_value(l);
  } else {
    set.value.reg = static_cast<std::int8_t>(reg);
  }
  b.order(l, Pipe::s, Pipe::mte3);
  b.copy(l, b.gm(out, Builder::at(l, out.slot_words)), x, 8);
}

}  // namespace

void write_vector_stage(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::vector_copy: return vector_copy(b);
    case Stage::vector_tiles: return vector_tiles(b);
    case Stage::vector_gather: return vector_gather(b);
    case Stage::vector_reload: return vector_reload(b);
    case Stage::ub_scalar: return ub_scalar(b);
    default: SKCTS_CHECK(false, "no vector stage: {}", static_cast<int>(stage));
  }
}

}  // namespace skcts::generators
