// TPipe, TQue and TBuf. A TPipe allocates from word 0 of every local memory on; all its tensors are
// freed before it ends, and PIPE_ALL stands between it and whatever else the sub kernel does.
#include <algorithm>

#include "generators/fragments.h"

namespace skcts::generators {

namespace {

Instruction& on_name(Builder& b, const Lane& l, Op op, int object, int other = -1) {
  Instruction& in = b.put(l, op);
  in.object = static_cast<std::int16_t>(object);
  in.other = static_cast<std::int16_t>(other);
  return in;
}

int init_buffer(Builder& b, const Lane& l, int pipe, Position position, int num, int count) {
  const int queue = b.new_name("q");
  Instruction& in = on_name(b, l, Op::init_buffer, queue, pipe);
  in.position = position;
  in.num = num;
  in.count = count;
  return queue;
}

int begin_pipe(Builder& b, const Lane& l) {
  const int pipe = b.new_name("p");
  on_name(b, l, Op::tpipe_init, pipe);
  return pipe;
}

/// Alloc, load, EnQue, DeQue.
int load_through(Builder& b, const Lane& l, int queue, Operand from, int count) {
  const int x = b.new_name("x");
  on_name(b, l, Op::alloc_tensor, queue, x);
  b.copy(l, Builder::named(x), from, count);
  on_name(b, l, Op::enque, queue, x);
  on_name(b, l, Op::deque, queue, x);
  return x;
}

struct Tile {
  Operand from;
  Operand to;
  int count;
};

/// One tile through VECIN, compute, VECOUT.
void tile_through_queues(Builder& b, const Lane& l, int in_queue, int out_queue, const Tile& t) {
  const int x = load_through(b, l, in_queue, t.from, t.count);
  const int y = b.new_name("y");
  on_name(b, l, Op::alloc_tensor, out_queue, y);
  Instruction& in = b.put(l, Op::adds);
  in.dst = Builder::named(y);
  in.src = Builder::named(x);
  in.count = t.count;
  in.value = b.fresh_value(l);
  on_name(b, l, Op::enque, out_queue, y);
  on_name(b, l, Op::free_tensor, in_queue, x);
  on_name(b, l, Op::deque, out_queue, y);
  b.copy(l, t.to, Builder::named(y), t.count);
  on_name(b, l, Op::free_tensor, out_queue, y);
}

Tile tile_of(const Lane& l, const RegionUse& in, const RegionUse& out, int shift, int turn,
             int count) {
  return {Builder::gm(in, Builder::at(l, in.slot_words, turn * count, shift)),
          Builder::gm(out, Builder::at(l, out.slot_words, turn * count)), count};
}

/// Ends the TPipe by its scope, or by hand with the barrier that PIPE-2 asks for.
void end_pipe(Builder& b, const Lane& l, int pipe) {
  if (b.choice().chance(75)) {
    on_name(b, l, Op::tpipe_end, pipe);
  } else {
    on_name(b, l, Op::tpipe_destroy, pipe);
    b.barrier(l.kind, Pipe::all);
    on_name(b, l, Op::tpipe_end, pipe);
  }
}

void through_queues(Builder& b, int buffers) {
  const Lane l = b.lane(CoreKind::aiv);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const int shift = b.shift(l);
  const int count = 8;
  const int most = std::min(in.slot_words, out.slot_words) / count;
  const int tiles = buffers == 1 && b.choice().chance(60) ? 1 : std::min(most, 3);
  const int pipe = begin_pipe(b, l);
  const int in_queue = init_buffer(b, l, pipe, Position::vecin, buffers, count);
  const int out_queue = init_buffer(b, l, pipe, Position::vecout, buffers, count);
  for (int t = 0; t < tiles; ++t) {
    tile_through_queues(b, l, in_queue, out_queue, tile_of(l, in, out, shift, t, count));
  }
  end_pipe(b, l, pipe);
}

/// A TBuf has no events: its order is made by hand.
void through_tbuf(Builder& b, const Lane& l, int pipe, const Tile& t) {
  const int buffer = init_buffer(b, l, pipe, Position::veccalc, 1, t.count);
  const int x = b.new_name("x");
  on_name(b, l, Op::tbuf_get, buffer, x);
  b.copy(l, Builder::named(x), t.from, t.count);
  b.order(l, Pipe::mte2, Pipe::v);
  Instruction& in = b.put(l, Op::adds);
  in.dst = Builder::named(x);
  in.src = Builder::named(x);
  in.count = t.count;
  in.value = b.fresh_value(l);
  b.order(l, Pipe::v, Pipe::mte3);
  b.copy(l, t.to, Builder::named(x), t.count);
}

void vector_tbuf(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const int pipe = begin_pipe(b, l);
  through_tbuf(b, l, pipe, tile_of(l, in, out, b.shift(l), 0, 16));
  end_pipe(b, l, pipe);
}

/// Two TPipes lay their buffers over each other. What lies where decides whether the PIPE_ALL
/// between them is needed: a TBuf over a VECOUT buffer, or a VECIN buffer over one.
void two_pipes(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const RegionUse out2 = b.output(RegionClass::lines);
  const int shift = b.shift(l);
  const int first = begin_pipe(b, l);
  const int layout = b.choice().below(3);
  if (layout == 0) {
    through_tbuf(b, l, first, tile_of(l, in, out, shift, 0, 16));
  } else {
    const int out_queue = init_buffer(b, l, first, Position::vecout, 1, 16);
    const int in_queue = init_buffer(b, l, first, Position::vecin, 1, 16);
    tile_through_queues(b, l, in_queue, out_queue, tile_of(l, in, out, shift, 0, 16));
  }
  on_name(b, l, Op::tpipe_end, first);
  b.mark_next(SiteKind::pipes_barrier, l.kind);
  b.barrier(l.kind, Pipe::all);
  const int second = begin_pipe(b, l);
  const Tile tile = tile_of(l, in, out2, shift, 0, 16);
  if (layout == 1) {
    through_tbuf(b, l, second, tile);
  } else {
    const int in_queue = init_buffer(b, l, second, Position::vecin, 1, 16);
    const int out_queue = init_buffer(b, l, second, Position::vecout, 1, 16);
    tile_through_queues(b, l, in_queue, out_queue, tile);
  }
  on_name(b, l, Op::tpipe_end, second);
}

/// The cube chain through A1, A2, B2 and CO1. The TPipe holds M_MTE1 0, 1 and 2 (machine §6).
void cube_queue(Builder& b) {
  const Lane l = b.lane(CoreKind::aic);
  const RegionUse in = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  const int pipe = begin_pipe(b, l);
  const int a1 = init_buffer(b, l, pipe, Position::a1, 1, 16);
  const int a2 = init_buffer(b, l, pipe, Position::a2, 1, 16);
  const int b2 = init_buffer(b, l, pipe, Position::b2, 1, 16);
  const int co1 = init_buffer(b, l, pipe, Position::co1, 1, 16);
  const Operand from = Builder::gm(in, Builder::at(l, in.slot_words, 0, b.shift(l)));
  const int x = load_through(b, l, a1, from, 16);
  int parts[2];
  const int queues[] = {a2, b2};
  for (int i = 0; i < 2; ++i) {
    parts[i] = b.new_name("m");
    on_name(b, l, Op::alloc_tensor, queues[i], parts[i]);
    Instruction& load = b.put(l, Op::load_data);
    load.dst = Builder::named(parts[i]);
    load.src = Builder::named(x);
    load.count = 16;
    on_name(b, l, Op::enque, queues[i], parts[i]);
  }
  on_name(b, l, Op::free_tensor, a1, x);
  for (int i = 0; i < 2; ++i) on_name(b, l, Op::deque, queues[i], parts[i]);
  const int c = b.new_name("c");
  on_name(b, l, Op::alloc_tensor, co1, c);
  Instruction& mmad = b.put(l, Op::mmad);
  mmad.dst = Builder::named(c);
  mmad.src = Builder::named(parts[0]);
  mmad.src_b = Builder::named(parts[1]);
  mmad.count = 16;
  on_name(b, l, Op::enque, co1, c);
  for (int i = 0; i < 2; ++i) on_name(b, l, Op::free_tensor, queues[i], parts[i]);
  on_name(b, l, Op::deque, co1, c);
  Instruction& fix = b.put(l, Op::fixpipe);
  fix.dst = Builder::gm(out, Builder::at(l, out.slot_words));
  fix.src = Builder::named(c);
  fix.count = 16;
  on_name(b, l, Op::free_tensor, co1, c);
  on_name(b, l, Op::tpipe_end, pipe);
}

}  // namespace

void write_queue_stage(Builder& b, Stage stage) {
  const CoreKind kind = stage == Stage::cube_queue ? CoreKind::aic : CoreKind::aiv;
  // Other TPipes and buffers of this sub kernel may lie at the same words.
  if (b.sub_plan().stages.size() > 1) b.barrier(kind, Pipe::all);
  switch (stage) {
    case Stage::vector_queue: through_queues(b, 1); break;
    case Stage::vector_queue_double: through_queues(b, 2); break;
    case Stage::vector_tbuf: vector_tbuf(b); break;
    case Stage::vector_two_pipes: two_pipes(b); break;
    default: cube_queue(b); break;
  }
  if (b.sub_plan().stages.size() > 1) b.barrier(kind, Pipe::all);
}

}  // namespace skcts::generators
