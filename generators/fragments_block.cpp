// Flags inside a block: mode 1 between its vector cores, mode 2 between cube and vector. Every
// vector core of the block waits and raises; in a MIX 1:1 sub kernel sub block 0 does the work, and
// a second vector core of a 1:2 launch only takes part in the flags (RATIO-2).
#include <algorithm>

#include "generators/fragments_exchange.h"

namespace skcts::generators {

namespace {

/// The slot of the other vector core of the block, in slots by `core`.
Slot partner(const RegionUse& r) {
  const int w = r.slot_words;
  return {r, {.base = w, .block = 2 * w, .sub = -w}};
}

void mode_1(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  Exchange x(b, l, l, Exchange::draw_scalar(b));
  const Slot other = partner(x.region());
  x.touch(other);
  x.write(own_slot(l, x.region()));
  const Flag flag = b.flag(CoreKind::aiv, 1, Pipe::mte2, x.is_scalar());
  b.mark_next(SiteKind::first_flag, CoreKind::aiv, flag.id);
  b.raise(CoreKind::aiv, 1, Pipe::mte3, flag.id);
  b.await(CoreKind::aiv, flag);
  x.read(other);
}

void cube_to_vector(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  Exchange x(b, cube, vector, Exchange::draw_scalar(b));
  const Slot from = cube_slot(x.region());
  x.touch(from);
  x.write(own_slot(cube, x.region()));
  const Flag flag = b.flag(CoreKind::aiv, 2, Pipe::mte2, x.is_scalar());
  if (!x.is_scalar()) b.mark_next(SiteKind::data_raise, CoreKind::aic, 1);
  b.raise(CoreKind::aic, 2, Pipe::fix, flag.id);
  b.await(CoreKind::aiv, flag);
  x.read(from);
}

void vector_to_cube(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  Exchange x(b, vector, cube, Exchange::draw_scalar(b));
  const bool pairs = vector.by_core;
  const Slot from = {x.region(), Builder::at(cube, pairs ? 2 * x.slot_words() : x.slot_words(),
                                             pairs && b.choice().chance(50) ? x.slot_words() : 0)};
  x.touch(from);
  x.write(own_slot(vector, x.region()));
  const Flag flag = b.flag(CoreKind::aic, 2, Pipe::mte2, x.is_scalar());
  if (!x.is_scalar()) b.mark_next(SiteKind::data_raise, CoreKind::aiv, 1);
  b.raise(CoreKind::aiv, 2, Pipe::mte3, flag.id);
  b.await(CoreKind::aic, flag);
  x.read(from);
}

/// A result of the cube core in L0C, made once.
Operand made_on_cube(Builder& b, const Lane& cube, int count) {
  const Operand c = Builder::local(Space::l0c, b.words(CoreKind::aic, Space::l0c, count));
  Instruction& in = b.put(cube, Op::compute);
  in.pipe = Pipe::m;
  in.writes.push_back({c, count});
  in.value.expr.base = b.fresh_value(cube).expr.base;
  b.order(cube, Pipe::m, Pipe::fix);
  return c;
}

void fix_out(Builder& b, const Lane& cube, Operand to, Operand from, int count) {
  Instruction& in = b.put(cube, Op::fixpipe);
  in.dst = to;
  in.src = from;
  in.count = count;
}

/// Cube and vector take turns over a slot or two: the vector side raises the flag back as soon as
/// it has loaded, so that the cube core is never more than `depth` rounds ahead.
void ring(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  const int rounds = b.choice().range(2, 3);
  const int depth = b.choice().range(1, rounds - 1);
  const RegionUse x = b.own_region(32);
  const RegionUse out = b.own_region(16 * rounds);
  const Flag forth = b.flag(CoreKind::aiv, 2, Pipe::mte2);
  const Flag back = b.flag(CoreKind::aic, 2, Pipe::fix);
  for (int r = 0; r < rounds; ++r) {
    const int base = r % depth * 16;
    if (r >= depth) b.await(CoreKind::aic, back);
    const Operand c = made_on_cube(b, cube, 16);
    fix_out(b, cube, Builder::gm(x, Builder::at(cube, 32, base)), c, 16);
    b.raise(CoreKind::aic, 2, Pipe::fix, forth.id);
    b.await(CoreKind::aiv, forth);
    const Operand u = b.fresh_local(vector, 16);
    b.copy(vector, u, Builder::gm(x, {.base = base, .block = 32}), 16);
    if (r + depth < rounds) b.raise(CoreKind::aiv, 2, Pipe::mte2, back.id);
    b.order(vector, Pipe::mte2, Pipe::mte3);
    b.copy(vector, Builder::gm(out, Builder::at(vector, 16 * rounds, 16 * r)), u, 16);
  }
}

inline constexpr int unpaced_slots = 20;  ///< More than the 15 raises that a counter holds.

/// The cube core runs ahead: as many raises as a counter holds, with no flag back.
void run_ahead(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  const int times = b.choice().chance(25) ? 15 : b.choice().range(2, 6);
  const int stride = unpaced_slots * 8;
  const RegionUse x = b.own_region(stride);
  const RegionUse out = b.own_region(stride);
  const Flag flag = b.flag(CoreKind::aiv, 2, Pipe::mte2);
  const auto turn = [](Expr e) {
    e.repeat[0] = 8;
    return e;
  };
  const Operand c = made_on_cube(b, cube, 8);
  b.mark_next(SiteKind::unpaced_loop, CoreKind::aic);
  b.begin_repeat(CoreKind::aic, times);
  fix_out(b, cube, Builder::gm(x, turn(Builder::at(cube, stride))), c, 8);
  b.raise(CoreKind::aic, 2, Pipe::fix, flag.id);
  b.end_repeat(CoreKind::aic);
  Operand u = b.fresh_local(vector, unpaced_slots * 8);
  u.at.repeat[0] = 8;
  b.mark_next(SiteKind::unpaced_loop, CoreKind::aiv);
  b.begin_repeat(CoreKind::aiv, times);
  b.await(CoreKind::aiv, flag);
  b.copy(vector, u, Builder::gm(x, turn({.block = stride})), 8);
  b.order(vector, Pipe::mte2, Pipe::mte3);
  b.copy(vector, Builder::gm(out, turn(Builder::at(vector, stride))), u, 8);
  b.end_repeat(CoreKind::aiv);
}

/// Fixpipe and MTE3 of the cube core each raise a flag of their own.
void two_flags(Builder& b) {
  if (b.profile().is_3510()) return write_stage_of_3510(b, Stage::two_flags);
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse x = b.own_region(16);
  const RegionUse y = b.own_region(16);
  const int first = b.flag_id();
  const int second = b.flag_id();
  const Operand a = b.fresh_local(cube, 16);
  b.copy(cube, a, Builder::gm(in, Builder::at(cube, in.slot_words)), 16);
  produce(b, cube, own_slot(cube, x), 16);
  b.mark_next(SiteKind::first_flag, CoreKind::aic, first);
  b.raise(CoreKind::aic, 2, Pipe::fix, first);
  b.order(cube, Pipe::mte2, Pipe::mte3);
  b.copy(cube, Builder::gm(y, Builder::at(cube, 16)), a, 16);
  b.mark_next(SiteKind::second_flag, CoreKind::aic, second);
  b.raise(CoreKind::aic, 2, Pipe::mte3, second);
  b.leave_open(CoreKind::aic);
  b.await(CoreKind::aiv, {first});
  consume(b, vector, cube_slot(x), 16);
  b.await(CoreKind::aiv, {second});
  consume(b, vector, cube_slot(y), 16);
}

}  // namespace

void write_block_stage(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::mode_1: return mode_1(b);
    case Stage::cube_to_vector: return cube_to_vector(b);
    case Stage::vector_to_cube: return vector_to_cube(b);
    case Stage::ring: return ring(b);
    case Stage::run_ahead: return run_ahead(b);
    case Stage::mode_4:
    case Stage::two_waits: return write_stage_of_3510(b, stage);
    default: return two_flags(b);
  }
}

}  // namespace skcts::generators
