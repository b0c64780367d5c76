// The closure, step by step. What commutes is said where a rule is used.
#include "reference_model/explorer/stubborn.h"

#include <algorithm>
#include <bit>

namespace skcts::explorer {

namespace {

constexpr Word absent = 0, clean = 1, dirty = 2, landing_later = 3, landing_marked = 4;

Transition at(Move move, std::size_t core, std::size_t place = 0) {
  return {move, static_cast<std::uint8_t>(core), static_cast<std::uint16_t>(place)};
}

bool touch(Mask reads, Mask writes, Mask other_reads, Mask other_writes) {
  return (writes & (other_reads | other_writes)) != 0 || (reads & other_writes) != 0;
}

}  // namespace

Stubborn::Stubborn(const Machine& machine) : m_(machine) {
  std::size_t next = 0;
  clients_.resize(m_.cores_.size());
  feeds_.resize(m_.cores_.size());
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    base_.push_back(next);
    next += 1 + pipe_count + core.atoms.size() + 4 * core.lines.size() + core.bypasses.size();
    std::vector<int> setters(core.events.size(), pipe_count);
    for (const Machine::Queued& entry : core.entries) {
      if (entry.kind == EntryKind::event_set) {
        setters[static_cast<std::size_t>(entry.event)] = entry.pipe;
      }
    }
    setters_.push_back(std::move(setters));
    for (const Machine::Queued& entry : core.entries) {
      if (entry.kind != EntryKind::request || entry.server < 0) continue;
      auto& list = clients_[static_cast<std::size_t>(entry.server)];
      if (std::ranges::find(list, static_cast<int>(c)) == list.end()) {
        list.push_back(static_cast<int>(c));
      }
    }
    for (const Machine::Op& op : core.ops) {
      if (op.kind != MicroKind::end_client || op.partner < 0) continue;
      auto& list = clients_[static_cast<std::size_t>(op.partner)];
      if (std::ranges::find(list, static_cast<int>(c)) == list.end()) {
        list.push_back(static_cast<int>(c));
      }
    }
  }
  stamps_.assign(next, 0);
  for (std::size_t j = 0; j < m_.joins_.size(); ++j) {
    const Machine::Join& join = m_.joins_[j];
    std::vector<Raises> by_member;
    for (const int c : join.members) {
      const Machine::Core& core = m_.cores_[static_cast<std::size_t>(c)];
      Raises raises;
      raises.core = c;
      for (std::size_t i = 0; i < core.ops.size(); ++i) {
        const Machine::Op& op = core.ops[i];
        if (op.kind == MicroKind::raise && op.join == static_cast<int>(j)) {
          raises.last_op = static_cast<int>(i);
        }
      }
      for (int p = 0; p < pipe_count; ++p) {
        const Machine::PipeState& pipe = core.pipes[static_cast<std::size_t>(p)];
        int last = -1;
        for (std::size_t e = 0; e < pipe.entries.size(); ++e) {
          const Machine::Queued& entry = core.entries[pipe.entries[e]];
          if (entry.kind == EntryKind::raise && entry.join == static_cast<int>(j)) {
            last = static_cast<int>(e);
          }
        }
        if (last >= 0) raises.pipes.emplace_back(p, last);
      }
      by_member.push_back(std::move(raises));
    }
    raises_.push_back(std::move(by_member));
    for (const int c : join.receiver_cores) {
      feeds_[static_cast<std::size_t>(c)][static_cast<std::size_t>(join.id)].push_back(
          static_cast<int>(j));
    }
  }
}

std::size_t Stubborn::number(Transition t) const {
  const Machine::Core& core = m_.cores_[t.core];
  const std::size_t first = base_[t.core];
  const std::size_t lines = first + 1 + pipe_count + core.atoms.size();
  switch (t.move) {
    case Move::scalar:
    case Move::deliver: return first;
    case Move::head: return first + 1 + t.at;
    case Move::piece: return first + 1 + pipe_count + t.at;
    case Move::land: return lines + std::size_t{t.at} * 4;
    case Move::write_back: return lines + std::size_t{t.at} * 4 + 1;
    case Move::drop: return lines + std::size_t{t.at} * 4 + 2;
    case Move::fill: return lines + std::size_t{t.at} * 4 + 3;
    case Move::bypass: return lines + core.lines.size() * 4 + t.at;
  }
  return first;
}

void Stubborn::push(Transition t) {
  std::uint32_t& stamp = stamps_[number(t)];
  if (stamp == stamp_) return;
  stamp = stamp_;
  work_.push_back(t);
}

bool Stubborn::used_again(const Word* s, std::size_t c, std::size_t line) const {
  const Machine::Core& core = m_.cores_[c];
  return (core.line_future[core.pc.get(s)] >> (line % 64) & 1U) != 0;
}

bool Stubborn::close(const Word* s, Transition from, std::size_t most) {
  ++stamp_;
  work_.clear();
  enabled_.clear();
  push(from);
  for (std::size_t k = 0; k < work_.size(); ++k) {
    const Transition t = work_[k];
    if (m_.enabled(s, t)) {
      enabled_.push_back(t);
      if (enabled_.size() > most) return false;
      add_dependents(s, t);
    } else {
      add_enablers(s, t);
    }
  }
  return true;
}

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
  for (std::uint32_t w = 0; w < p.flight_words; ++w) {
    const Word left = s[p.first_flight + w];
    if (left == 0) continue;
    const std::uint16_t first =
        p.flight_atoms[w * 32 + static_cast<unsigned>(std::countr_zero(left))];
    return push(at(Move::piece, c, first));
  }
  push(at(Move::head, c, pipe));
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

void Stubborn::conflicts(const Word* s, const Access& x, Transition self) {
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    const Mask local_reads = c == x.core ? x.local_reads : 0;
    const Mask local_writes = c == x.core ? x.local_writes : 0;
    const auto meets = [&](const auto& o) {
      return touch(x.gm_reads, x.gm_writes, o.gm_reads, o.gm_writes) ||
             touch(local_reads, local_writes, o.local_reads, o.local_writes);
    };
    if (meets(core.future[core.pc.get(s)])) push(at(Move::scalar, c));
    for (std::size_t p = 0; p < pipe_count; ++p) {
      const Machine::PipeState& pipe = core.pipes[p];
      if (!pipe.used) continue;
      if (meets(pipe.future[pipe.head.get(s)])) add_pipe(s, c, p);
      for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
        for (Word left = s[pipe.first_flight + w]; left != 0; left &= left - 1) {
          const std::uint16_t a =
              pipe.flight_atoms[w * 32 + static_cast<unsigned>(std::countr_zero(left))];
          if (self.move == Move::piece && self.core == c && self.at == a) continue;
          if (meets(core.atoms[a])) push(at(Move::piece, c, a));
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
      for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
        for (Word left = s[pipe.first_flight + w]; left != 0; left &= left - 1) {
          const std::uint16_t a =
              pipe.flight_atoms[w * 32 + static_cast<unsigned>(std::countr_zero(left))];
          if ((core.atoms[a].gm_writes & line.mask) != 0) return true;
        }
      }
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
    case MicroKind::bypass_load:
    case MicroKind::soft_enter:
    case MicroKind::soft_poll:
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
  switch (t.move) {
    case Move::scalar: return add_scalar_dependents(s, c);
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
    case Move::piece: {
      const Machine::Atom& atom = core.atoms[t.at];
      return conflicts(s, {c, atom.gm_reads, atom.gm_writes, atom.local_reads, atom.local_writes},
                       t);
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

void Stubborn::add_setter(const Word* s, std::size_t c, int event) {
  const int pipe = setters_[c][static_cast<std::size_t>(event)];
  if (pipe == pipe_count) return push(at(Move::scalar, c));
  add_pipe(s, c, static_cast<std::size_t>(pipe));
}

void Stubborn::add_raisers(const Word* s, std::size_t c, int id) {
  for (const int j : feeds_[c][static_cast<std::size_t>(id)]) {
    const Machine::Join& join = m_.joins_[static_cast<std::size_t>(j)];
    for (std::size_t k = 0; k < join.members.size(); ++k) {
      if (join.members.size() > 1 && join.arrived[k].get(s) != 0) continue;
      const Raises& raises = raises_[static_cast<std::size_t>(j)][k];
      const auto member = static_cast<std::size_t>(raises.core);
      const Machine::Core& core = m_.cores_[member];
      const int pc = static_cast<int>(core.pc.get(s));
      if (raises.last_op >= pc) push(at(Move::scalar, member));
      for (const auto& [pipe, last] : raises.pipes) {
        const auto p = static_cast<std::size_t>(pipe);
        if (last >= static_cast<int>(core.pipes[p].head.get(s))) add_pipe(s, member, p);
      }
      break;  // One missing member is enough.
    }
  }
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
        if (m_.cores_[other].block < core.block && m_.cores_[other].records.get(s) == 0) {
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
      if (entry.server < 0) return;
      return add_busy(s, c, entry.pipe);
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
          if (m_.in_flight(s, m_.cores_[other].pipes[own])) add_busy(s, other, own);
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
    default: break;
  }
  if (m_.in_flight(s, p)) return add_busy(s, c, own);
  if (entry.kind == EntryKind::raise && !m_.has_turn(s, core, entry.turn)) {
    const int first = core.raise_pipes[core.raised.get(s)];
    return push(first < 0 ? at(Move::scalar, c)
                          : at(Move::head, c, static_cast<std::size_t>(first)));
  }
  if (entry.landing && m_.landing(s, core, true)) {
    for (std::size_t l = 0; l < core.lines.size(); ++l) {
      if (core.lines[l].status.get(s) == landing_marked) return push(at(Move::land, c, l));
    }
  }
  for (std::size_t q = 0; q < pipe_count; ++q) {
    if (q != own && !m_.pipe_idle(s, core, static_cast<int>(q), pc)) return add_busy(s, c, q);
  }
}

void Stubborn::add_enablers(const Word* s, Transition t) {
  switch (t.move) {
    case Move::scalar: return add_scalar_enablers(s, t.core);
    case Move::head: return add_head_enablers(s, t.core, t.at);
    case Move::piece: {
      const Machine::Atom& atom = m_.cores_[t.core].atoms[t.at];
      if (atom.flight.get(s) != 0 && atom.waits_gather) {
        push(at(Move::piece, t.core, atom.gather));
      }
      return;
    }
    case Move::drop:  // A dirty line must be written back first.
      return push(at(Move::write_back, t.core, t.at));
    default: return;
  }
}

/// All steps of progress, those that are most likely enough alone first.
void Stubborn::progress(const Word* s, std::vector<Transition>& all) const {
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    if (m_.scalar_enabled(s, core)) all.push_back(at(Move::scalar, c));
    for (std::size_t p = 0; p < pipe_count; ++p) {
      const Machine::PipeState& pipe = core.pipes[p];
      if (!pipe.used) continue;
      if (m_.head_enabled(s, core, static_cast<int>(p))) all.push_back(at(Move::head, c, p));
      for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
        for (Word left = s[pipe.first_flight + w]; left != 0; left &= left - 1) {
          const Transition piece =
              at(Move::piece, c,
                 pipe.flight_atoms[w * 32 + static_cast<unsigned>(std::countr_zero(left))]);
          if (m_.enabled(s, piece)) all.push_back(piece);
        }
      }
    }
    for (std::size_t l = 0; l < core.lines.size(); ++l) {
      if (core.lines[l].status.get(s) >= landing_later) all.push_back(at(Move::land, c, l));
    }
    for (std::size_t b = 0; b < core.bypasses.size(); ++b) {
      if (core.bypasses[b].pending.get(s) != 0) all.push_back(at(Move::bypass, c, b));
    }
  }
}

bool Stubborn::single(const Word* s, Transition& only) {
  starts_.clear();
  progress(s, starts_);
  for (const Transition start : starts_) {
    // A core may stop for good (L-4, L-9) before its own next step.
    if (m_.irregular_ && (start.move == Move::scalar || start.move == Move::head)) continue;
    if (close(s, start, 1)) {
      only = start;
      return true;
    }
  }
  return false;
}

std::size_t Stubborn::moves(const Word* s, std::vector<Transition>& moves) {
  starts_.clear();
  progress(s, starts_);
  if (m_.irregular_) {
    for (const Transition start : starts_) {
      if (start.move == Move::scalar || start.move == Move::head) continue;
      if (close(s, start, 1)) {
        moves.push_back(start);
        return 1;
      }
    }
    return m_.all_moves(s, moves);
  }
  if (!starts_.empty()) {
    std::size_t most = static_cast<std::size_t>(-1);
    for (const Transition start : starts_) {
      if (!close(s, start, most - 1)) continue;
      best_ = enabled_;
      most = best_.size();
      if (most == 1) break;
    }
    moves.insert(moves.end(), best_.begin(), best_.end());
    return starts_.size();
  }
  // An end, unless the environment opens it: write-backs show, a drop may free a poll.
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    const std::size_t pc = core.pc.get(s);
    const bool polls = pc < core.ops.size() && core.ops[pc].kind == MicroKind::poll_cached;
    for (std::size_t l = 0; l < core.lines.size(); ++l) {
      if (m_.enabled(s, at(Move::write_back, c, l))) moves.push_back(at(Move::write_back, c, l));
      if (polls && core.ops[pc].line == static_cast<int>(l) &&
          m_.enabled(s, at(Move::drop, c, l))) {
        moves.push_back(at(Move::drop, c, l));
      }
    }
  }
  return 0;
}

}  // namespace skcts::explorer
