#include "generators/fragments_exchange.h"

namespace skcts::generators {

Exchange::Exchange(Builder& b, const Lane& writer, const Lane& reader, bool scalar)
    : b_(b), writer_(writer), reader_(reader), scalar_(scalar) {
  region_ = b.own_region(16);
}

bool Exchange::draw_scalar(Builder& b) {
  return b.flip(Feature::hand_over_within, 30);
}

void Exchange::touch(const Slot& from) {
  if (!scalar_ || !b_.choice().chance(40)) return;
  Instruction& in = b_.put(reader_, Op::raw_load);
  in.src = Builder::gm(from.region, from.at);
  in.src.at.base += 8;  // a word of the line that nobody stores
  in.reg = static_cast<std::int8_t>(b_.fresh_register());
  touched_ = true;
}

void Exchange::write(const Slot& to) {
  if (scalar_) {
    scalar_store(b_, writer_, to, b_.fresh_value(writer_), true);
  } else {
    produce(b_, writer_, to, 16);
  }
}

void Exchange::read(const Slot& from) {
  if (!scalar_) {
    consume(b_, reader_, from, 16);
    return;
  }
  if (touched_) {
    b_.mark_next(SiteKind::handed_over_refresh, reader_.kind);
    b_.dcci(reader_, Builder::gm(from.region, from.at), false);
    const int reg = b_.fresh_register();
    Instruction& in = b_.put(reader_, Op::raw_load);
    in.src = Builder::gm(from.region, from.at);
    in.reg = static_cast<std::int8_t>(reg);
    keep_register(b_, reader_, reg);
    return;
  }
  keep_register(b_, reader_, scalar_load(b_, reader_, from, true));
}

}  // namespace skcts::generators
