// Exchanges over all cores: SyncAll in both forms, and mode 0 by hand at the width of the launch.
#include <algorithm>

#include "generators/fragments_exchange.h"

namespace skcts::generators {

namespace {

/// A neighbour's slot; in a sub kernel of one worker its own.
Slot neighbour(Builder& b, const Lane& l, const RegionUse& r) {
  return shifted_slot(l, r, l.workers > 1 ? 1 + b.choice().below(l.workers - 1) : 0);
}

/// Writes the region again after another full synchronisation: the readers must be done first.
void second_round(Builder& b, const Lane& l, const Exchange& x, bool aiv_only) {
  b.sync_all(l.kind, aiv_only);
  if (x.is_scalar()) {
    // The line was read by others and may be held: uncached stores do not mind.
    Instruction& in = b.put(l, Op::write_gm_bypass);
    in.dst = Builder::gm(x.region(), Builder::at(l, x.slot_words()));
    in.value = b.fresh_value(l);
    b.dsb(l);
  } else {
    produce(b, l, own_slot(l, x.region()), 16);
  }
}

/// Loads what a neighbour writes over behind the SyncAll, which drains all pipes: what was loaded
/// is kept.
void read_before(Builder& b, const Lane& l) {
  const RegionUse z = b.own_region(16);
  const RegionUse out = b.output(RegionClass::lines);
  const Slot other = neighbour(b, l, z);
  const Operand kept = b.fresh_local(l, 16);
  b.copy(l, kept, Builder::gm(z, other.at), 16);
  b.sync_all(CoreKind::aiv, true);
  produce(b, l, own_slot(l, z), 16);
  b.copy(l, Builder::gm(out, Builder::at(l, out.slot_words)), kept, 16);
}

void sync_vector(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  Exchange x(b, l, l, Exchange::draw_scalar(b));
  const Slot other = neighbour(b, l, x.region());
  x.touch(other);
  x.write(own_slot(l, x.region()));
  if (!x.is_scalar()) b.mark_next(SiteKind::exchange_sync, CoreKind::aiv);
  b.sync_all(CoreKind::aiv, true);
  x.read(other);
  if (b.choice().chance(25)) second_round(b, l, x, true);
  if (b.choice().chance(20)) read_before(b, l);
}

/// Vector slot that a cube core reads, or cube slot that a vector core reads.
Slot across(const Lane& writer, const Lane& reader, const RegionUse& r) {
  const bool pairs = writer.is_vector() && writer.by_core;  // two vector cores a block
  if (reader.is_vector()) {
    Expr e{.base = 0, .block = r.slot_words};
    return {r, e};
  }
  return {r, Builder::at(reader, pairs ? 2 * r.slot_words : r.slot_words)};
}

void sync_both(Builder& b) {
  const Lane cube = b.lane(CoreKind::aic);
  const Lane vector = b.lane(CoreKind::aiv);
  const bool from_cube = b.choice().chance(50);
  const Lane& writer = from_cube ? cube : vector;
  const Lane& reader = from_cube ? vector : cube;
  Exchange x(b, writer, reader, Exchange::draw_scalar(b));
  const Slot other = across(writer, reader, x.region());
  x.touch(other);
  x.write(own_slot(writer, x.region()));
  const bool marks = from_cube && !x.is_scalar();
  if (marks) b.mark_next(SiteKind::exchange_sync, CoreKind::aic);
  b.sync_all(CoreKind::aic, false);
  if (marks) b.mark_next(SiteKind::exchange_sync, CoreKind::aiv);
  b.sync_all(CoreKind::aiv, false);
  x.read(other);
}

/// Mode 0 by hand: all cores of one kind.
void hand_made(Builder& b) {
  const SubPlan& sub = b.sub_plan();
  const bool has_server =
      std::find(sub.stages.begin(), sub.stages.end(), Stage::matmul) != sub.stages.end();
  const bool vectors = is_full_width(sub.shape, CoreKind::aiv, b.plan().launch);
  const bool cubes = is_full_width(sub.shape, CoreKind::aic, b.plan().launch) && !has_server;
  if (!vectors && !cubes) return;
  const bool cube = cubes && (!vectors || b.choice().chance(40));
  const Lane l = b.lane(cube ? CoreKind::aic : CoreKind::aiv);
  Exchange x(b, l, l, Exchange::draw_scalar(b));
  const Slot other = neighbour(b, l, x.region());
  x.touch(other);
  x.write(own_slot(l, x.region()));
  const Flag flag = b.flag(l.kind, 0, Pipe::mte2, x.is_scalar());
  b.raise(l.kind, 0, l.store_pipe(), flag.id);
  b.await(l.kind, flag);
  x.read(other);
}

}  // namespace

void write_full_core_stage(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::sync_vector: return sync_vector(b);
    case Stage::sync_both: return sync_both(b);
    default: return hand_made(b);
  }
}

}  // namespace skcts::generators
