// What does not commute with a step.
#include <algorithm>
#include <bit>

#include "reference_model/explorer/stubborn.h"

namespace skcts::explorer {

namespace {

Transition at(Move move, std::size_t core, std::size_t place = 0) {
  return {move, static_cast<std::uint8_t>(core), static_cast<std::uint16_t>(place)};
}

bool touch(Mask reads, Mask writes, Mask other_reads, Mask other_writes) {
  return (writes & (other_reads | other_writes)) != 0 || (reads & other_writes) != 0;
}

}  // namespace

void Stubborn::conflicts(const Word* s, const Access& x, Transition self) {
  budget_->work(m_.looks());
  const bool own = self.move == Move::fetch || self.move == Move::piece;
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    const Mask local_reads = c == x.core ? x.local_reads : 0;
    const Mask local_writes = c == x.core ? x.local_writes : 0;
    const auto meets = [&](const auto& o) {
      return touch(x.gm_reads, x.gm_writes, o.gm_reads, o.gm_writes) ||
             touch(local_reads, local_writes, o.local_reads, o.local_writes);
    };
    if (!meets(core.all)) continue;
    if (meets(core.future[core.pc.get(s)])) {
      push(at(Move::scalar, c));
      if (m_.rewriting(s, core)) push(at(Move::rewrite, c));
    }
    for (std::size_t p = 0; p < pipe_count; ++p) {
      const Machine::PipeState& pipe = core.pipes[p];
      if (!pipe.used || !meets(pipe.future[0])) continue;
      if (meets(pipe.future[pipe.head.get(s)])) add_pipe(s, c, p);
      for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
        Word left = s[pipe.first_flight + w] & pipe.data_bits[w];
        if (left == 0) continue;
        Word met = pipe.gm.meeting(w, x.gm_reads, x.gm_writes);
        if (c == x.core) met |= pipe.local.meeting(w, x.local_reads, x.local_writes);
        for (left &= met; left != 0; left &= left - 1) {
          const std::size_t a = pipe.items[w * 32 + static_cast<unsigned>(std::countr_zero(left))];
          if (own && self.core == c && self.at == a) continue;
          // What has read already writes only.
          const Machine::Atom& atom = core.atoms[a];
          if (!atom.split || meets(m_.left_of(s, atom))) push(next_of(s, c, a));
        }
      }
    }
    line_conflicts(s, c, x.gm_reads, x.gm_writes);
    for (std::size_t b = 0; b < core.bypasses.size(); ++b) {
      const Machine::Bypass& slot = core.bypasses[b];
      if (slot.pending.get(s) != 0 && ((x.gm_reads | x.gm_writes) & slot.mask) != 0) {
        push(at(Move::bypass, c, b));
      }
    }
  }
}

/// Write-backs write the whole line; a fetch in advance reads it, and a drop makes one possible.
void Stubborn::line_conflicts(const Word* s, std::size_t c, Mask reads, Mask writes) {
  const Machine::Core& core = m_.cores_[c];
  for (std::size_t l = 0; l < core.lines.size(); ++l) {
    const Machine::Line& line = core.lines[l];
    if (((reads | writes) & line.mask) == 0) continue;
    const Word status = line.status.get(s);
    if (status == dirty) {
      push(at(Move::write_back, c, l));
    } else if (status >= landing_later) {
      push(at(Move::land, c, l));
    } else if ((writes & line.mask) != 0 && m_.freedom_.prefetches && used_again(s, c, l)) {
      push(at(status == clean ? Move::drop : Move::fill, c, l));
    }
  }
}

/// Whether a line that is there could be fetched again with other words than it has now.
bool Stubborn::may_change(const Word* s, std::size_t own, std::size_t place) const {
  const Machine::Line& line = m_.cores_[own].lines[place];
  if (line.status.get(s) == clean) {
    for (std::uint32_t j = 0; j < line.count; ++j) {
      const auto& [gm, word] = m_.pairs_[line.first + j];
      if (s[gm] != s[word]) return true;
    }
  }
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    // The core's own scalar unit stands at the access itself.
    if (c != own && (core.future[core.pc.get(s)].gm_writes & line.mask) != 0) return true;
    for (const Machine::PipeState& pipe : core.pipes) {
      if (!pipe.used) continue;
      if ((pipe.future[pipe.head.get(s)].gm_writes & line.mask) != 0) return true;
      bool writes = false;
      m_.for_each_in_flight(s, pipe, [&](std::size_t a) {
        writes = writes || (core.atoms[a].gm_writes & line.mask) != 0;
      });
      if (writes) return true;
    }
    for (const Machine::Line& other : core.lines) {
      if (&other != &line && (other.mask & line.mask) != 0 && other.status.get(s) >= dirty) {
        return true;
      }
    }
    for (const Machine::Bypass& slot : core.bypasses) {
      if (slot.pending.get(s) != 0 && (slot.mask & line.mask) != 0) return true;
    }
  }
  return false;
}

void Stubborn::add_scalar_dependents(const Word* s, std::size_t c) {
  const Machine::Core& core = m_.cores_[c];
  const Machine::Op& op = core.ops[core.pc.get(s)];
  const Transition self = at(Move::scalar, c);
  const auto line_status = [&] {
    return core.lines[static_cast<std::size_t>(op.line)].status.get(s);
  };
  const auto line = static_cast<std::size_t>(std::max<std::int16_t>(op.line, 0));
  switch (op.kind) {
    case MicroKind::load:
    case MicroKind::store:
    case MicroKind::poll_cached:
    case MicroKind::poll_refresh: {
      const Word status = line_status();
      if (status == absent) {  // It reads GM. (A fetch just before comes to the same.)
        conflicts(s, {c, core.lines[line].mask, 0, 0, 0}, self);
      } else if (op.kind == MicroKind::store && status == dirty) {
        push(at(Move::write_back, c, line));
      } else if (may_change(s, c, line)) {
        push(at(Move::drop, c, line));
      }
      return;
    }
    case MicroKind::refresh:
    case MicroKind::refresh_all:
      // A write-back or drop just before comes to the same as the refresh and its landing.
      if (!m_.freedom_.lands_at_once) return;
      for (std::size_t l = 0; l < core.lines.size(); ++l) {
        if (op.kind == MicroKind::refresh && l != line) continue;
        if (core.lines[l].status.get(s) != dirty) continue;
        push(at(Move::write_back, c, l));
        conflicts(s, {c, 0, core.lines[l].mask, 0, 0}, self);
      }
      return;
    case MicroKind::soft_poll:  // A rewriting comes before it leaves, or not at all.
      push(at(Move::rewrite, c));
      return conflicts(s, {c, op.gm_reads, 0, 0, 0}, self);
    case MicroKind::feed:  // It joins, or stops: now, or before somebody lets it join.
      if (op.last != 0) push(at(Move::stop, c));
      if (op.other != 0) push(at(Move::stop, c, 1));
      return;
    case MicroKind::bypass_load:
    case MicroKind::soft_enter:
    case MicroKind::poll:
    case MicroKind::store_direct:
    case MicroKind::local_load:
    case MicroKind::local_store:
      return conflicts(s, {c, op.gm_reads, op.gm_writes, op.local_reads, op.local_writes}, self);
    default: return;  // Own registers, queues, and counters that only rise or that it alone lowers.
  }
}

void Stubborn::add_dependents(const Word* s, Transition t) {
  const std::size_t c = t.core;
  const Machine::Core& core = m_.cores_[c];
  // What an outside actor does may meet what the launches behind this one do.
  if (m_.freedom_.goes_on && !core.outside.empty() && t.move != Move::over) {
    push(at(Move::over, c));
  }
  switch (t.move) {
    case Move::over: return;  // The search takes all steps of a launch that has ended.
    case Move::scalar: return add_scalar_dependents(s, c);
    case Move::stop: push(at(Move::scalar, c)); return add_scalar_dependents(s, c);
    case Move::head: {
      const Machine::PipeState& pipe = core.pipes[t.at];
      const Machine::Queued& entry = core.entries[pipe.entries[pipe.head.get(s)]];
      if (entry.kind != EntryKind::request) return;
      for (const int other : clients_[static_cast<std::size_t>(entry.server)]) {
        if (other != static_cast<int>(c)) {
          add_pipe(s, static_cast<std::size_t>(other), static_cast<std::size_t>(Pipe::mte3));
        }
      }
      return;
    }
    case Move::fetch: {
      const Machine::Atom& atom = core.atoms[t.at];
      return conflicts(s, {c, atom.gm_reads, 0, atom.local_reads, 0}, t);
    }
    case Move::piece: {
      const Machine::Future left = m_.left_of(s, core.atoms[t.at]);
      return conflicts(s, {c, left.gm_reads, left.gm_writes, left.local_reads, left.local_writes},
                       t);
    }
    case Move::rewrite: {
      const Machine::Op& op = core.ops[core.pc.get(s)];
      push(at(Move::scalar, c));
      return conflicts(s, {c, 0, op.own_slot, 0, 0}, t);
    }
    case Move::deliver: return;
    case Move::land: return conflicts(s, {c, 0, core.lines[t.at].mask, 0, 0}, t);
    case Move::bypass: return conflicts(s, {c, 0, core.bypasses[t.at].mask, 0, 0}, t);
    case Move::write_back:
      conflicts(s, {c, 0, core.lines[t.at].mask, 0, 0}, t);
      if (used_again(s, c, t.at)) push(at(Move::scalar, c));
      return;
    case Move::drop:
      if (used_again(s, c, t.at)) push(at(Move::scalar, c));
      return;
    case Move::fill:
      conflicts(s, {c, core.lines[t.at].mask, 0, 0, 0}, t);
      if (used_again(s, c, t.at)) push(at(Move::scalar, c));
      return;
  }
}

}  // namespace skcts::explorer
