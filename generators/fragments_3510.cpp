// Flags as the 950 has them: mode 4 between a cube core and one vector core of its block, and waits
// that hold one pipe.
#include "generators/fragments_exchange.h"

namespace skcts::generators {

namespace {

constexpr int raised_by_mte2 = 20;  ///< A mode of its own for those who wait: mode 2 from MTE2.
constexpr int second_vector = 16;  ///< What vector core 1 raises or waits for as n is n + 16 there.

/// One flag for each vector core of the block.
void mode_4(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  const bool from_cube = b.choice().chance(50);
  const Lane& writer = from_cube ? cube : vector;
  const Lane& reader = from_cube ? vector : cube;
  Exchange x(b, writer, reader, Exchange::draw_scalar(b));
  Slot from = cube_slot(x.region());
  if (!from_cube) {
    const int one = x.slot_words();
    from.at = Builder::at(cube, 2 * one, b.choice().chance(50) ? one : 0);
  }
  x.touch(from);
  x.write(own_slot(writer, x.region()));
  const Flag flag = b.flag(reader.kind, 4, Pipe::mte2, x.is_scalar());
  // What scalars stored has landed: then the scalar unit may raise the flag itself.
  const Pipe pipe = x.is_scalar() && b.choice().chance(50) ? Pipe::s : writer.store_pipe();
  if (!x.is_scalar()) b.mark_next(SiteKind::data_raise, writer.kind, 1);
  b.raise(writer.kind, 4, pipe, flag.id);
  if (from_cube) {
    b.raise(CoreKind::aic, 4, pipe, flag.id + second_vector);
    b.await(CoreKind::aiv, flag);
  } else {
    b.await(CoreKind::aic, flag);
    b.await(CoreKind::aic, {flag.id + second_vector, flag.waits});
  }
  x.read(from);
}

/// Words of a block's slot that all its vector cores share.
int shared_words(const Lane& vector) {
  return vector.by_core ? 32 : 16;
}

/// Two results of the cube core, a flag each: the vector cores read the first and write over the
/// second, and the pipe that does it waits. The write does not come behind the read.
void two_waits(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  const int shared = shared_words(vector);
  const RegionUse x = b.own_region(16);
  const RegionUse y = b.own_region(shared);
  const Flag read = b.pipe_flag(CoreKind::aiv, 2, Pipe::mte2);
  const Flag write = b.pipe_flag(CoreKind::aiv, 2, Pipe::mte3);
  produce(b, cube, own_slot(cube, x), 16);
  b.mark_next(SiteKind::first_wait, CoreKind::aic, read.id);
  b.raise(CoreKind::aic, 2, Pipe::fix, read.id);
  produce(b, cube, own_slot(cube, y), shared);
  b.mark_next(SiteKind::second_wait, CoreKind::aic, write.id);
  b.raise(CoreKind::aic, 2, Pipe::fix, write.id);
  const Operand u = b.fresh_local(vector, 16);
  Instruction& fill = b.put(vector, Op::duplicate);
  fill.dst = u;
  fill.count = 16;
  fill.value = b.fresh_value(vector);
  b.order(vector, Pipe::v, Pipe::mte3);
  b.await(CoreKind::aiv, write);
  b.copy(vector, Builder::gm(y, Builder::at(vector, 16)), u, 16);
  b.await(CoreKind::aiv, read);
  consume(b, vector, cube_slot(x), 16);
}

/// Fixpipe raises a flag for what it stored, MTE2 one for words that it has read and that the
/// vector cores then write over.
void two_flags(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  const int shared = shared_words(vector);
  const RegionUse x = b.own_region(16);
  const RegionUse y = b.own_region(shared);
  const Flag first = b.flag(CoreKind::aiv, 2, Pipe::mte2);
  const Flag second = b.flag(CoreKind::aiv, raised_by_mte2, Pipe::mte3);
  produce(b, cube, own_slot(cube, x), 16);
  b.mark_next(SiteKind::first_flag, CoreKind::aic, first.id);
  b.raise(CoreKind::aic, 2, Pipe::fix, first.id);
  const RegionUse out = b.output(RegionClass::lines);
  consume_on_cube(b, cube, Builder::gm(y, Builder::at(cube, shared)),
                  Builder::gm(out, Builder::at(cube, out.slot_words)), 16);
  b.mark_next(SiteKind::second_flag, CoreKind::aic, second.id);
  b.raise(CoreKind::aic, 2, Pipe::mte2, second.id);
  b.await(CoreKind::aiv, first);
  consume(b, vector, cube_slot(x), 16);
  b.await(CoreKind::aiv, second);
  produce(b, vector, own_slot(vector, {.index = y.index, .slot_words = 16}), 16);
}

}  // namespace

void write_stage_of_3510(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::mode_4: return mode_4(b);
    case Stage::two_waits: return two_waits(b);
    default: return two_flags(b);
  }
}

}  // namespace skcts::generators
