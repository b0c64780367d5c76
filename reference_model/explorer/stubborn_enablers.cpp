// One of which steps must come before a step that cannot be taken now.
#include <algorithm>
#include <bit>

#include "reference_model/explorer/stubborn.h"

namespace skcts::explorer {

namespace {

Transition at(Move move, std::size_t core, std::size_t place = 0) {
  return {move, static_cast<std::uint8_t>(core), static_cast<std::uint16_t>(place)};
}

}  // namespace

/// The next step by which a pipe comes nearer to what is left in it.
void Stubborn::add_pipe(const Word* s, std::size_t c, std::size_t pipe) {
  const Machine::Core& core = m_.cores_[c];
  const Machine::PipeState& p = core.pipes[pipe];
  if (p.head.get(s) < p.issued[core.pc.get(s)]) {
    push(at(Move::head, c, pipe));
  } else {
    push(at(Move::scalar, c));
  }
}

/// One step without which the pipe does not come to rest.
void Stubborn::add_busy(const Word* s, std::size_t c, std::size_t pipe) {
  const Machine::Core& core = m_.cores_[c];
  const Machine::PipeState& p = core.pipes[pipe];
  if (m_.in_flight(s, p)) return push(first_in_flight(s, c, pipe));
  const Machine::Queued* first = nullptr;
  m_.for_each_reached(s, core, p, [&](const Machine::Queued& entry) {
    if (first == nullptr) first = &entry;
  });
  if (first != nullptr) return add_signal(s, c, *first);
  push(at(Move::head, c, pipe));
}

/// The next step of the piece that started first of those in a pipe.
Transition Stubborn::first_in_flight(const Word* s, std::size_t c, std::size_t pipe) const {
  const Machine::PipeState& p = m_.cores_[c].pipes[pipe];
  std::uint32_t w = 0;
  while ((s[p.first_flight + w] & p.data_bits[w]) == 0) ++w;
  const auto bit = static_cast<unsigned>(std::countr_zero(s[p.first_flight + w] & p.data_bits[w]));
  return next_of(s, c, p.items[w * 32 + bit]);
}

bool Stubborn::add_landing(const Word* s, std::size_t c) {
  const Machine::Core& core = m_.cores_[c];
  for (std::size_t l = 0; l < core.lines.size(); ++l) {
    if (core.lines[l].status.get(s) >= landing_later) {
      push(at(Move::land, c, l));
      return true;
    }
  }
  for (std::size_t b = 0; b < core.bypasses.size(); ++b) {
    if (core.bypasses[b].pending.get(s) != 0) {
      push(at(Move::bypass, c, b));
      return true;
    }
  }
  return false;
}

/// One step without which a set or raise that was reached does not fire.
void Stubborn::add_signal(const Word* s, std::size_t c, const Machine::Queued& entry) {
  const Machine::Core& core = m_.cores_[c];
  const Machine::PipeState& own = core.pipes[entry.pipe];
  if (m_.in_flight_before(s, own, entry.bit)) return push(first_in_flight(s, c, entry.pipe));
  if (entry.kind != EntryKind::raise) return;
  if (!m_.has_turn(s, core, entry)) {
    const int first = core.raise_entries[core.raised.get(s)];
    if (first < 0) return push(at(Move::scalar, c));
    const Machine::Queued& before = core.entries[static_cast<std::size_t>(first)];
    const Machine::PipeState& pipe = core.pipes[before.pipe];
    if (m_.reached(s, pipe, before)) return add_signal(s, c, before);
    return add_pipe(s, c, before.pipe);
  }
  if (entry.landing && m_.landing(s, core, true)) {
    for (std::size_t l = 0; l < core.lines.size(); ++l) {
      if (core.lines[l].status.get(s) == landing_marked) return push(at(Move::land, c, l));
    }
  }
}

void Stubborn::add_setter(const Word* s, std::size_t c, int event) {
  const int from = setters_[c][static_cast<std::size_t>(event)];
  if (from == pipe_count) return push(at(Move::scalar, c));
  const auto pipe = static_cast<std::size_t>(from);
  const Machine::Core& core = m_.cores_[c];
  const Machine::Queued* first = nullptr;
  m_.for_each_reached(s, core, core.pipes[pipe], [&](const Machine::Queued& entry) {
    if (first == nullptr && entry.event == event) first = &entry;
  });
  if (first != nullptr) return add_signal(s, c, *first);
  add_pipe(s, c, pipe);
}

void Stubborn::add_raisers(const Word* s, std::size_t c, int id) {
  for (const int j : feeds_[c][static_cast<std::size_t>(id)]) {
    add_missing(s, static_cast<std::size_t>(j));
  }
}

/// What brings one member of a join that has not arrived: one is enough.
void Stubborn::add_missing(const Word* s, std::size_t j) {
  const Machine::Join& join = m_.joins_[j];
  for (std::size_t k = 0; k < join.members.size(); ++k) {
    if (join.members.size() > 1 && join.arrived[k].get(s) != 0) continue;
    const bool under_way = join.pending[k].bits != 0 && join.pending[k].get(s) != 0;
    if (under_way) {
      return push(at(Move::deliver, static_cast<std::size_t>(join.members[k]), j << 6 | k));
    }
    const Raises& raises = raises_[j][k];
    const auto member = static_cast<std::size_t>(raises.core);
    const Machine::Core& core = m_.cores_[member];
    const int pc = static_cast<int>(core.pc.get(s));
    if (raises.last_op >= pc) push(at(Move::scalar, member));
    for (const auto& [pipe, last] : raises.pipes) {
      const auto p = static_cast<std::size_t>(pipe);
      m_.for_each_reached(s, core, core.pipes[p], [&](const Machine::Queued& entry) {
        if (entry.join == static_cast<int>(j)) add_signal(s, member, entry);
      });
      if (last >= static_cast<int>(core.pipes[p].head.get(s))) add_pipe(s, member, p);
    }
    return;
  }
}

void Stubborn::add_announcers(const Word* s, int event) {
  const Field& raised = m_.event_fields_[static_cast<std::size_t>(event)];
  for (const auto& [core, op] : announcers_[static_cast<std::size_t>(event)]) {
    const auto c = static_cast<std::size_t>(core);
    if (op >= static_cast<int>(m_.cores_[c].pc.get(s))) push(at(Move::scalar, c));
  }
  for (std::size_t j = 0; j < m_.joins_.size(); ++j) {
    const Field& own = m_.joins_[j].event;
    const bool same = own.bits != 0 && own.word == raised.word && own.shift == raised.shift;
    if (same) add_missing(s, j);
  }
}

void Stubborn::add_last(const Word* s) {
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    if (!core.outside.empty()) continue;
    const std::size_t pc = core.pc.get(s);
    if (pc != core.ops.size()) return push(at(Move::scalar, c));
    for (std::size_t p = 0; p < pipe_count; ++p) {
      if (!m_.pipe_idle(s, core, static_cast<int>(p), pc)) return add_busy(s, c, p);
    }
    if (add_landing(s, c)) return;
  }
  for (std::size_t j = 0; j < m_.joins_.size(); ++j) {
    const Machine::Join& join = m_.joins_[j];
    for (std::size_t k = 0; k < join.members.size(); ++k) {
      if (join.pending[k].bits == 0 || join.pending[k].get(s) == 0) continue;
      push(at(Move::deliver, static_cast<std::size_t>(join.members[k]), j << 6 | k));
    }
  }
}

/// A piece of a Matmul request of the core that is under way; other pieces of its pipe do not hold
/// up the answer.
bool Stubborn::add_request(const Word* s, std::size_t c) {
  const Machine::Core& core = m_.cores_[c];
  bool found = false;
  m_.for_each_in_flight(s, core.pipes[static_cast<std::size_t>(Pipe::mte3)], [&](std::size_t a) {
    if (found || core.entries[core.atoms[a].entry].kind != EntryKind::request) return;
    push(next_of(s, c, a));
    found = true;
  });
  return found;
}

void Stubborn::add_scalar_enablers(const Word* s, std::size_t c) {
  const Machine::Core& core = m_.cores_[c];
  const std::size_t pc = core.pc.get(s);
  if (pc == core.ops.size()) return;
  const Machine::Op& op = core.ops[pc];
  const auto line = static_cast<std::size_t>(std::max<std::int16_t>(op.line, 0));
  const auto any_pipe = [&] {
    for (std::size_t p = 0; p < pipe_count; ++p) {
      if (!m_.pipe_idle(s, core, static_cast<int>(p), pc)) return add_busy(s, c, p);
    }
  };
  switch (op.kind) {
    case MicroKind::issue:
      return push(at(Move::head, c, core.entries[static_cast<std::size_t>(op.entry)].pipe));
    case MicroKind::pipe_all:
      if (m_.all_idle(s, core, pc)) {
        add_landing(s, c);
        return;
      }
      return any_pipe();
    case MicroKind::settle:
    case MicroKind::dsb:
      if (!add_landing(s, c)) any_pipe();
      return;
    case MicroKind::load:
    case MicroKind::store: return push(at(Move::land, c, line));
    case MicroKind::poll_cached:
      push(at(Move::land, c, line));
      push(at(Move::write_back, c, line));
      return push(at(Move::drop, c, line));
    case MicroKind::poll_refresh:
      push(at(Move::land, c, line));
      push(at(Move::fill, c, line));
      return conflicts(s, {c, core.lines[line].mask, 0, 0, 0}, at(Move::scalar, c));
    case MicroKind::event_wait: return add_setter(s, c, op.event);
    case MicroKind::wait: return add_raisers(s, c, op.id);
    case MicroKind::await: return add_announcers(s, op.event);
    case MicroKind::poll: {
      const Machine::PipeState& mte2 = core.pipes[static_cast<std::size_t>(Pipe::mte2)];
      if (op.number != 0 && mte2.used && mte2.head.get(s) != mte2.issued[pc]) {
        return push(at(Move::head, c, static_cast<std::size_t>(Pipe::mte2)));
      }
      return conflicts(s, {c, op.gm_reads, 0, 0, 0}, at(Move::scalar, c));
    }
    case MicroKind::soft_poll: return conflicts(s, {c, op.gm_reads, 0, 0, 0}, at(Move::scalar, c));
    case MicroKind::feed: return push(at(Move::scalar, static_cast<std::size_t>(op.partner)));
    case MicroKind::enter:
      for (std::size_t other = 0; other < m_.cores_.size(); ++other) {
        if (m_.cores_[other].outside.empty() && m_.cores_[other].block < core.block &&
            m_.cores_[other].records.get(s) == 0) {
          push(at(Move::scalar, other));
        }
      }
      return;
    case MicroKind::serve:
      for (const int client : clients_[c]) {
        push(at(Move::scalar, static_cast<std::size_t>(client)));
      }
      return;
    case MicroKind::served: {
      const Machine::Queued& entry = core.entries[static_cast<std::size_t>(op.entry)];
      if (entry.server < 0 || add_request(s, c)) return;
      return push(at(Move::head, c, entry.pipe));
    }
    default: return;
  }
}

void Stubborn::add_head_enablers(const Word* s, std::size_t c, int pipe) {
  const Machine::Core& core = m_.cores_[c];
  const auto own = static_cast<std::size_t>(pipe);
  const Machine::PipeState& p = core.pipes[own];
  const std::size_t pc = core.pc.get(s);
  const Word head = p.head.get(s);
  if (head >= p.issued[pc]) return push(at(Move::scalar, c));
  const Machine::Queued& entry = core.entries[p.entries[head]];
  switch (entry.kind) {
    case EntryKind::event_wait: return add_setter(s, c, entry.event);
    case EntryKind::request: {
      if (entry.server < 0) return;
      const auto server = static_cast<std::size_t>(entry.server);
      const Machine::Core& aic = m_.cores_[server];
      if (aic.busy.get(s) != 0) {
        for (const int client : clients_[server]) {
          const auto other = static_cast<std::size_t>(client);
          if (add_request(s, other)) return;
        }
        return;
      }
      const std::size_t at_serve = aic.pc.get(s);
      for (std::size_t q = 0; q < pipe_count; ++q) {
        const Machine::PipeState& other = aic.pipes[q];
        if (other.used && other.head.get(s) != other.issued[at_serve]) {
          return push(at(Move::head, server, q));
        }
      }
      return push(at(Move::scalar, server));
    }
    default: return add_busy(s, c, own);  // It waits for the pipe's earlier pieces.
  }
}

void Stubborn::add_enablers(const Word* s, Transition t) {
  switch (t.move) {
    case Move::scalar: return add_scalar_enablers(s, t.core);
    case Move::head: return add_head_enablers(s, t.core, t.at);
    case Move::deliver: {  // In program order: those that come before it.
      const Machine::Core& core = m_.cores_[t.core];
      if (core.delivered.bits == 0) return;
      const Word first = core.delivered.get(s);
      if (first < core.raised.get(s) && core.raise_arrivals[first] != t.at) {
        push(at(Move::deliver, t.core, core.raise_arrivals[first]));
      }
      return;
    }
    case Move::stop: {  // The next record comes before the last.
      const Machine::Core& core = m_.cores_[t.core];
      if (!m_.near_stop(s, core)) return;
      const int publisher = core.ops[core.pc.get(s)].partner;
      return push(at(Move::scalar, static_cast<std::size_t>(publisher)));
    }
    case Move::rewrite: {  // Somebody must write the slot, or the core come there.
      const Machine::Core& core = m_.cores_[t.core];
      if (!m_.rewriting(s, core)) return;
      const Machine::Op& op = core.ops[core.pc.get(s)];
      return conflicts(s, {t.core, op.own_slot, 0, 0, 0}, t);
    }
    case Move::piece: {
      const Machine::Atom& atom = m_.cores_[t.core].atoms[t.at];
      if (atom.flight.get(s) != 0 && atom.waits_gather) {
        push(next_of(s, t.core, atom.gather));
      }
      return;
    }
    case Move::over: return add_last(s);
    case Move::drop:  // A dirty line must be written back first.
      return push(at(Move::write_back, t.core, t.at));
    default: return;
  }
}

}  // namespace skcts::explorer
