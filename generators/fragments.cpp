// The pieces that fragments share, and which file writes which stage.
#include "generators/fragments.h"

#include <algorithm>

namespace skcts::generators {

Slot own_slot(const Lane& lane, const RegionUse& r) {
  return {r, Builder::at(lane, r.slot_words)};
}

Slot shifted_slot(const Lane& lane, const RegionUse& r, int shift) {
  return {r, Builder::at(lane, r.slot_words, 0, shift)};
}

void produce(Builder& b, const Lane& lane, const Slot& to, int count, bool add) {
  if (lane.is_vector()) {
    const Operand x = b.fresh_local(lane, count);
    Instruction& in = b.put(lane, Op::duplicate);
    in.dst = x;
    in.count = count;
    in.value = b.fresh_value(lane);
    b.order(lane, Pipe::v, Pipe::mte3);
    b.copy(lane, Builder::gm(to.region, to.at), x, count);
    b.sub_program(lane.kind).back().atomic_add = add;
    return;
  }
  const Operand c = Builder::local(Space::l0c, b.words(lane.kind, Space::l0c, count));
  Instruction& in = b.put(lane, Op::compute);
  in.pipe = Pipe::m;
  in.writes.push_back({c, count});
  in.value.expr.base = b.fresh_value(lane).expr.base;
  b.order(lane, Pipe::m, Pipe::fix);
  Instruction& fix = b.put(lane, Op::fixpipe);
  fix.dst = Builder::gm(to.region, to.at);
  fix.src = c;
  fix.count = count;
  fix.atomic_add = add;
}

void consume(Builder& b, const Lane& lane, const Slot& from, int count) {
  const RegionUse out = b.output(RegionClass::lines);
  count = std::min(count, out.slot_words);
  const Operand source = Builder::gm(from.region, from.at);
  const Operand to = Builder::gm(out, Builder::at(lane, out.slot_words));
  if (!lane.is_vector()) {
    consume_on_cube(b, lane, source, to, count);
    return;
  }
  const Operand x = b.fresh_local(lane, count);
  b.copy(lane, x, source, count);
  if (b.choice().chance(60)) {
    b.order(lane, Pipe::mte2, Pipe::mte3);
    b.copy(lane, to, x, count);
    return;
  }
  const Operand y = b.fresh_local(lane, count);
  b.order(lane, Pipe::mte2, Pipe::v);
  Instruction& in = b.put(lane, Op::adds);
  in.dst = y;
  in.src = x;
  in.count = count;
  in.value = b.fresh_value(lane);
  b.order(lane, Pipe::v, Pipe::mte3);
  b.copy(lane, to, y, count);
}

void write_stage(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::none: return;
    case Stage::vector_queue:
    case Stage::vector_queue_double:
    case Stage::vector_tbuf:
    case Stage::vector_two_pipes:
    case Stage::cube_queue: return write_queue_stage(b, stage);
    case Stage::sync_vector:
    case Stage::sync_both:
    case Stage::hand_made: return write_full_core_stage(b, stage);
    case Stage::mode_1:
    case Stage::cube_to_vector:
    case Stage::vector_to_cube:
    case Stage::ring:
    case Stage::run_ahead:
    case Stage::two_flags:
    case Stage::mode_4:
    case Stage::two_waits: return write_block_stage(b, stage);
    case Stage::poll:
    case Stage::soft:
    case Stage::ib:
    case Stage::matmul: return write_gm_sync_stage(b, stage);
    default: break;
  }
  if (stage <= Stage::ub_scalar) return write_vector_stage(b, stage);
  if (stage <= Stage::cube_l1_out) return write_cube_stage(b, stage);
  write_scalar_stage(b, stage);
}

}  // namespace skcts::generators
