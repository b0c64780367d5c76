// Work of the cube cores: loads, Mmad, Fixpipe, and L1 to GM by MTE3, which no boundary drains.
#include <algorithm>

#include "generators/fragments.h"

namespace skcts::generators {

namespace {

Operand fresh(Builder& b, Space space, int count) {
  return Builder::local(space, b.words(CoreKind::aic, space, count));
}

void load_data(Builder& b, const Lane& l, Operand dst, Operand src, int count) {
  Instruction& in = b.put(l, Op::load_data);
  in.dst = dst;
  in.src = src;
  in.count = count;
}

/// Mmad of two operands in L0, then Fixpipe to GM.
void multiply_and_fix(Builder& b, const Lane& l, Operand a, Operand w, Operand to, int count) {
  const Operand c = fresh(b, Space::l0c, count);
  Instruction& in = b.put(l, Op::mmad);
  in.dst = c;
  in.src = a;
  in.src_b = w;
  in.count = count;
  b.order(l, Pipe::m, Pipe::fix);
  Instruction& fix = b.put(l, Op::fixpipe);
  fix.dst = to;
  fix.src = c;
  fix.count = count;
  b.mark_last(SiteKind::result_store, CoreKind::aic);
}

/// GM to L1, to L0A and L0B, Mmad, to GM.
void chain(Builder& b, const Lane& l, Operand from, Operand to, int count) {
  const Operand x = fresh(b, Space::l1, count);
  b.copy(l, x, from, count);
  b.mark_next(SiteKind::event_pair, CoreKind::aic);
  b.order(l, Pipe::mte2, Pipe::mte1);
  const Operand a = fresh(b, Space::l0a, count);
  const Operand w = fresh(b, Space::l0b, count);
  load_data(b, l, a, x, count);
  load_data(b, l, w, x, count);
  b.mark_next(SiteKind::event_pair, CoreKind::aic);
  b.order(l, Pipe::mte1, Pipe::m);
  multiply_and_fix(b, l, a, w, to, count);
}

/// GM straight to L0A and L0B.
void straight(Builder& b, const Lane& l, Operand from, Operand to, int count) {
  const Operand a = fresh(b, Space::l0a, count);
  const Operand w = fresh(b, Space::l0b, count);
  b.copy(l, a, from, count);
  b.copy(l, w, from, count);
  b.mark_next(SiteKind::event_pair, CoreKind::aic);
  b.order(l, Pipe::mte2, Pipe::m);
  multiply_and_fix(b, l, a, w, to, count);
}

void through_l1(Builder& b, const Lane& l, Operand from, Operand to, int count) {
  const Operand x = fresh(b, Space::l1, count);
  b.copy(l, x, from, count);
  b.order(l, Pipe::mte2, Pipe::mte3);
  b.copy(l, to, x, count);
  b.leave_open(CoreKind::aic);
}

void cube_short(Builder& b) {
  const Lane l = b.lane(CoreKind::aic);
  const RegionUse out = b.output(RegionClass::lines);
  if (!b.wants(Feature::cube_compute) && b.choice().chance(25)) {
    produce(b, l, own_slot(l, out), 16);
    return;
  }
  const RegionUse in = b.input(RegionClass::lines);
  const Operand from = Builder::gm(in, Builder::at(l, in.slot_words, 0, b.shift(l)));
  const Operand to = Builder::gm(out, Builder::at(l, out.slot_words));
  if (b.profile().is_3510()) return chain(b, l, from, to, 16);
  straight(b, l, from, to, 16);
}

void cube_chain(Builder& b) {
  const Lane l = b.lane(CoreKind::aic);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const int count = std::min(in.slot_words, out.slot_words);
  const Operand from = Builder::gm(in, Builder::at(l, in.slot_words, 0, b.shift(l)));
  chain(b, l, from, Builder::gm(out, Builder::at(l, out.slot_words)), count);
}

void cube_l1_out(Builder& b) {
  const Lane l = b.lane(CoreKind::aic);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const Operand from = Builder::gm(in, Builder::at(l, in.slot_words, 0, b.shift(l)));
  through_l1(b, l, from, Builder::gm(out, Builder::at(l, out.slot_words)), 16);
}

}  // namespace

void consume_on_cube(Builder& b, const Lane& lane, Operand from, Operand to, int count) {
  const int how = b.profile().is_3510() ? 100 : b.choice().below(100);  // by L1 alone
  if (how < 45) {
    through_l1(b, lane, from, to, count);
  } else if (how < 85) {
    straight(b, lane, from, to, count);
  } else {
    chain(b, lane, from, to, count);
  }
}

void write_cube_stage(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::cube_chain: return cube_chain(b);
    case Stage::cube_short: return cube_short(b);
    case Stage::cube_l1_out: return cube_l1_out(b);
    default: SKCTS_CHECK(false, "no cube stage: {}", static_cast<int>(stage));
  }
}

}  // namespace skcts::generators
