// Which parts of a state a step looks at and changes.
#include "reference_model/explorer/machine.h"

namespace skcts::explorer {

std::size_t Machine::steps_of_core(const Word* s, std::size_t c,
                                   std::vector<Transition>& moves) const {
  const Core& core = cores_[c];
  const auto offer = [&](Move move, std::size_t at) {
    moves.push_back({move, static_cast<std::uint8_t>(c), static_cast<std::uint16_t>(at)});
  };
  const auto offer_if_enabled = [&](Move move, std::size_t at) {
    offer(move, at);
    if (!enabled(s, moves.back())) moves.pop_back();
  };
  const std::size_t pc = core.pc.get(s);
  if (pc != core.ops.size() && core.frozen.get(s) == runs) {
    offer(Move::scalar, 0);
    if (core.ops[pc].rewrites) offer(Move::rewrite, 0);
    if (core.ops[pc].last != 0) offer(Move::stop, 0);
    if (core.ops[pc].other != 0) offer(Move::stop, 1);
  }
  for (std::size_t p = 0; p < pipe_count; ++p) {
    const PipeState& pipe = core.pipes[p];
    if (!pipe.used) continue;
    const Word head = pipe.head.get(s);
    if (head < pipe.issued[pc]) {
      const EntryKind kind = core.entries[pipe.entries[head]].kind;
      if (kind == EntryKind::event_wait || kind == EntryKind::request) offer(Move::head, p);
    }
    for_each_in_flight(s, pipe, [&](std::size_t a) {
      offer_if_enabled(Move::fetch, a);
      offer_if_enabled(Move::piece, a);
    });
  }
  for (std::size_t l = 0; l < core.lines.size(); ++l) offer_if_enabled(Move::land, l);
  for (std::size_t b = 0; b < core.bypasses.size(); ++b) offer_if_enabled(Move::bypass, b);
  const std::size_t progress = moves.size();
  for (std::size_t l = 0; l < core.lines.size(); ++l) {
    offer_if_enabled(Move::write_back, l);
    offer_if_enabled(Move::drop, l);
    offer_if_enabled(Move::fill, l);
  }
  return progress;
}

unsigned Machine::reach_of(const Word* s, Transition t) const {
  const Core& core = cores_[t.core];
  switch (t.move) {
    case Move::fetch:
    case Move::piece: {
      const Atom& atom = core.atoms[t.at];
      if (core.entries[atom.entry].kind == EntryKind::request) return other_cores;
      return (atom.gm_reads | atom.gm_writes) != 0 ? memory_part : own_part;
    }
    case Move::head: {
      const PipeState& pipe = core.pipes[t.at];
      const Queued& entry = core.entries[pipe.entries[pipe.head.get(s)]];
      return entry.kind == EntryKind::request ? other_cores : own_part;
    }
    case Move::drop: return own_part;
    case Move::stop: return other_cores;
    case Move::deliver: return flag_part;
    case Move::scalar: break;
    default: return memory_part;
  }
  const Op& op = core.ops[core.pc.get(s)];
  switch (op.kind) {
    case MicroKind::load:
    case MicroKind::store:
    case MicroKind::poll_cached:
    case MicroKind::poll_refresh: {
      const bool there = core.lines[static_cast<std::size_t>(op.line)].status.get(s) != absent;
      return there && !freedom_.lands_at_once ? own_part : memory_part;
    }
    case MicroKind::refresh:
    case MicroKind::refresh_all: return freedom_.lands_at_once ? memory_part : own_part;
    case MicroKind::bypass_load:
    case MicroKind::store_direct:
    case MicroKind::poll:
    case MicroKind::soft_enter:
    case MicroKind::soft_poll: return memory_part;
    case MicroKind::raise:
    case MicroKind::wait: return flag_part;
    case MicroKind::await:
    case MicroKind::announce: return memory_part;
    case MicroKind::feed:
    case MicroKind::enter:
    case MicroKind::serve:
    case MicroKind::end_client: return other_cores;
    default: return own_part;
  }
}

}  // namespace skcts::explorer
