// Synchronisation through GM words: soft SyncAll, IBSet/IBWait, polls, and the Matmul service.
#include <algorithm>

#include "generators/fragments_exchange.h"

namespace skcts::generators {

namespace {

/// A zeroed workspace of a block a core, used once (SYNC-9).
void soft(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  Exchange x(b, l, l, Exchange::draw_scalar(b));
  const Slot other = shifted_slot(l, x.region(), b.shift(l));
  x.touch(other);
  x.write(own_slot(l, x.region()));
  const RegionUse workspace = b.private_region(RegionClass::blocks, 8, l.workers + 1, true);
  const Operand scratch = b.fresh_local(l, 8 * (l.workers + 1));
  Instruction& in = b.put(CoreKind::aiv, Op::soft_sync_all);
  in.src = Builder::gm(workspace, {});
  in.dst = scratch;
  in.count = b.choice().chance(50) ? 0 : l.workers;
  in.aiv_only = true;
  x.read(other);
  b.leave_open(CoreKind::aiv);
}

/// A chain from core to core: core c sets slot c, core c+1 waits for it.
void ib(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  Exchange x(b, l, l, false);
  x.write(own_slot(l, x.region()));
  const int id = b.choice().below(2);
  const RegionUse workspace = b.private_region(RegionClass::blocks, 8, l.workers * (id + 1), true);
  const Operand scratch = b.fresh_local(l, 8);
  const auto put = [&](Op op, int from, int low, int high) {
    Lane some = l;
    some.low = low;
    some.high = high;
    Instruction& in = b.put(some, op);
    in.src = Builder::gm(workspace, {});
    in.dst = scratch;
    in.value.expr = Builder::at(l, 1, from);
    in.id = id;
    in.aiv_only = true;
  };
  put(Op::ib_set, 0, 0, l.workers - 2);
  put(Op::ib_wait, -1, 1, l.workers - 1);
  Lane readers = l;
  readers.low = 1;
  readers.high = l.workers - 1;
  const Exchange& e = x;
  consume(b, readers, {e.region(), Builder::at(l, e.slot_words(), -e.slot_words())}, 16);
  b.leave_open(CoreKind::aiv);
}

enum class FlagStyle : std::uint8_t { bypass, cached, dma };

/// The loop over the flag word, in one of the ways that end for sure (semantics §1, S6).
void put_poll(Builder& b, const Lane& l, const Slot& flag, FlagStyle style) {
  const bool by_object = style == FlagStyle::cached && b.choice().chance(40);
  const Operand scratch = style == FlagStyle::dma ? b.fresh_local(l, 8) : Operand{};
  const int object = by_object ? b.new_tensor(flag.region, false) : -1;
  Instruction& in = b.put(l, Op::poll);
  in.src = by_object ? Builder::tensor(object, flag.at) : Builder::gm(flag.region, flag.at);
  in.dst = scratch;
  in.via = style == FlagStyle::bypass ? PollVia::bypass
           : style == FlagStyle::dma  ? PollVia::data_copy
           : by_object                ? PollVia::get_value
                                      : PollVia::raw_load;
  in.refresh = style == FlagStyle::cached;
  in.until = b.choice().chance(50) ? Compare::equal : Compare::at_least;
  in.value.expr.base = 1;
}

/// Data by DMA, then a flag word past the cache; the reader polls the flag.
void poll(Builder& b) {
  const Lane l = b.any_lane();
  const int draw = b.choice().below(100);
  FlagStyle style = draw < 28 ? FlagStyle::bypass : draw < 54 ? FlagStyle::cached : FlagStyle::dma;
  if (b.wants(Feature::poll_through_cache)) style = FlagStyle::cached;
  if (b.wants(Feature::poll_by_dma)) style = FlagStyle::dma;
  if (!l.is_vector() && style == FlagStyle::dma) style = FlagStyle::bypass;
  Exchange x(b, l, l, Exchange::draw_scalar(b));
  const int shift = b.shift(l);
  x.write(own_slot(l, x.region()));
  if (!x.is_scalar()) {
    if (l.is_vector()) {
      b.order(l, Pipe::mte3, Pipe::s);
    } else {
      b.barrier(l.kind, Pipe::all);
    }
  }
  const RegionUse flags = b.private_region(RegionClass::lines, 16, l.workers, true);
  Instruction& store = b.put(l, Op::write_gm_bypass);
  store.dst = Builder::gm(flags, Builder::at(l, 16));
  store.value.expr.base = 1;
  b.dsb(l);
  put_poll(b, l, shifted_slot(l, flags, shift), style);
  x.read(shifted_slot(l, x.region(), shift));
}

/// C = A x B by the service of the block; in a MIX 1:1 sub kernel from sub block 0 (RATIO-3).
void matmul(Builder& b) {
  const Lane l = b.lane(CoreKind::aiv);
  const RegionUse left = b.input(RegionClass::lines);
  const RegionUse right = b.input(RegionClass::lines);
  const RegionUse out = b.output(RegionClass::lines);
  Instruction& in = b.put(l, Op::matmul);
  in.dst = Builder::gm(out, Builder::at(l, out.slot_words));
  in.src = Builder::gm(left, Builder::at(l, left.slot_words));
  in.src_b = Builder::gm(right, Builder::at(l, right.slot_words));
  in.count = 16;
  if (b.choice().chance(70)) consume(b, l, own_slot(l, out), 16);
  b.leave_open(CoreKind::aiv);
}

}  // namespace

void write_gm_sync_stage(Builder& b, Stage stage) {
  switch (stage) {
    case Stage::soft: return soft(b);
    case Stage::ib: return ib(b);
    case Stage::poll: return poll(b);
    default: return matmul(b);
  }
}

}  // namespace skcts::generators
