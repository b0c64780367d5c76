// Which steps a state allows, and when a launch is over.
#include "reference_model/explorer/machine.h"

#include <algorithm>
#include <bit>

#include "reference_model/explorer/machine_answers.h"

namespace skcts::explorer {

bool Machine::pipe_idle(const Word* s, const Core& core, int pipe, std::size_t pc) const {
  const PipeState& p = core.pipes[static_cast<std::size_t>(pipe)];
  return !p.used || (p.head.get(s) == p.issued[pc] && !busy(s, p));
}

bool Machine::all_idle(const Word* s, const Core& core, std::size_t pc) const {
  for (int p = 0; p < pipe_count; ++p) {
    if (!pipe_idle(s, core, p, pc)) return false;
  }
  return true;
}

bool Machine::all_started(const Word* s, const Core& core, std::size_t pc) const {
  for (const PipeState& p : core.pipes) {
    if (p.used && p.head.get(s) != p.issued[pc]) return false;
  }
  return true;
}

bool Machine::landing(const Word* s, const Core& core, bool marked_only) const {
  for (const Line& line : core.lines) {
    if (line.stored && line.status.get(s) >= (marked_only ? landing_marked : landing_later)) {
      return true;
    }
  }
  return false;
}

int Machine::blocks_left(const Word* s) const {
  std::vector<bool> stays;
  for (const Core& core : cores_) {
    if (!core.outside.empty()) continue;
    const auto block = static_cast<std::size_t>(core.block);
    if (stays.size() <= block) stays.resize(block + 1, false);
    if (core.records.bits == 0 || core.records.get(s) == 0) stays[block] = true;
  }
  return static_cast<int>(std::ranges::count(stays, false));
}

bool Machine::may_stop(const Word* s, const Core& core, int which) const {
  if (!near_stop(s, core) || core.frozen.get(s) != runs) return false;
  const Op& op = core.ops[core.pc.get(s)];
  const int record = which == 0 ? op.last : op.other;
  const Core& publisher = cores_[static_cast<std::size_t>(op.partner)];
  return record != 0 && publisher.records.get(s) >= static_cast<Word>(record);
}

bool Machine::bypass_pending(const Word* s, const Core& core) const {
  for (const Bypass& slot : core.bypasses) {
    if (slot.pending.get(s) != 0) return true;
  }
  return false;
}

/// All started equal and each adds 1 a round: whoever enters one finds nobody behind itself, and
/// nobody further than one ahead.
bool Machine::meets_unequal(const Word* s, const Op& op) const {
  if (s[op.least] != 0) return true;
  const Word own = read(s, op.address);
  for (std::uint32_t j = 0; slots_may_part_ && j < op.count; ++j) {
    const Word ahead = read(s, refs_[op.first + j]) - own;
    if (ahead > 1) return true;
  }
  return false;
}

bool Machine::released_early(const Word* s, const Core& core) const {
  return core.unequal.bits != 0 && core.unequal.get(s) != 0 && slots_answer.get(s) == 1;
}

bool Machine::slots_reached(const Word* s, const Core& core, const Op& op) const {
  const Word round = s[core.registers + static_cast<std::uint32_t>(op.reg)];
  std::uint64_t sum = 0;
  for (std::uint32_t j = 0; j < op.count; ++j) {
    // In its first round a core counts its own slot as 1, whatever it holds.
    const bool own = round == 0 && static_cast<int>(j) == op.slot;
    sum += own ? 1 : read(s, refs_[op.first + j]);
  }
  const std::uint64_t members = op.count;
  if (sum >= members * (std::uint64_t{round} + 1)) return true;
  // The sum is this far at the latest when all have come to the round.
  const std::uint64_t least = s[op.least];
  return released_early(s, core) && least != 0 && sum >= members * (least - 1 + op.round);
}

bool Machine::may_never_come(const Word* s, Transition t) const {
  if (t.move != Move::scalar) return false;
  const Core& core = cores_[t.core];
  const std::size_t pc = core.pc.get(s);
  const Op& op = core.ops[pc];
  if (op.kind == MicroKind::may_drain) return !all_idle(s, core, pc);
  return op.kind == MicroKind::soft_poll && !slots_reached(s, core, op);
}

bool Machine::scalar_enabled(const Word* s, const Core& core) const {
  const std::size_t pc = core.pc.get(s);
  if (pc == core.ops.size() || core.frozen.get(s) != runs) return false;
  const Op& op = core.ops[pc];
  switch (op.kind) {
    case MicroKind::issue: {
      if (freedom_.queue_depth == 0) return true;
      const Queued& entry = core.entries[static_cast<std::size_t>(op.entry)];
      const PipeState& pipe = core.pipes[entry.pipe];
      return pipe.issued[pc] - pipe.head.get(s) < static_cast<Word>(freedom_.queue_depth);
    }
    case MicroKind::pipe_all:
      return all_idle(s, core, pc) &&
             (!op.both_kinds || (!landing(s, core, false) && !bypass_pending(s, core)));
    case MicroKind::settle: return !landing(s, core, false);
    case MicroKind::dsb:
      return !landing(s, core, false) && !bypass_pending(s, core) &&
             (!op.both_kinds || all_idle(s, core, pc));
    case MicroKind::load:
    case MicroKind::store:
      return core.lines[static_cast<std::size_t>(op.line)].status.get(s) < landing_later;
    case MicroKind::poll_cached: {
      const Word status = core.lines[static_cast<std::size_t>(op.line)].status.get(s);
      if (status == absent) return true;
      return status < landing_later && reached(read(s, op.address), op.until, operand(s, core, op));
    }
    case MicroKind::poll_refresh: {
      const Word status = core.lines[static_cast<std::size_t>(op.line)].status.get(s);
      if (status == absent) {
        return reached(read(s, refs_[op.first]), op.until, operand(s, core, op));
      }
      return status < landing_later;
    }
    case MicroKind::event_wait: return core.events[static_cast<std::size_t>(op.event)].get(s) != 0;
    case MicroKind::await: return event_fields_[static_cast<std::size_t>(op.event)].get(s) != 0;
    case MicroKind::wait: return core.counters[static_cast<std::size_t>(op.id)].get(s) != 0;
    case MicroKind::poll: {
      if (op.number != 0) {
        const PipeState& mte2 = core.pipes[static_cast<std::size_t>(Pipe::mte2)];
        if (mte2.used && mte2.head.get(s) != mte2.issued[pc]) return false;
      }
      return reached(read(s, op.address), op.until, operand(s, core, op));
    }
    case MicroKind::enter: return blocks_left(s) >= op.number;
    case MicroKind::soft_poll: return released_early(s, core) || slots_reached(s, core, op);
    case MicroKind::feed:
      return cores_[static_cast<std::size_t>(op.partner)].records.get(s) >=
             static_cast<Word>(op.number);
    case MicroKind::serve: return core.ended.get(s) >= static_cast<Word>(op.number);
    case MicroKind::served: {
      const Queued& entry = core.entries[static_cast<std::size_t>(op.entry)];
      if (entry.server < 0) return false;
      const PipeState& pipe = core.pipes[entry.pipe];
      if (pipe.head.get(s) != pipe.issued[pc]) return false;
      for (std::uint16_t a = entry.first; a < entry.first + entry.count; ++a) {
        if (core.atoms[a].flight.get(s) != 0) return false;
      }
      return true;
    }
    case MicroKind::never: return false;
    default: return true;
  }
}

bool Machine::head_enabled(const Word* s, const Core& core, int pipe) const {
  const PipeState& p = core.pipes[static_cast<std::size_t>(pipe)];
  if (!p.used) return false;
  const Word head = p.head.get(s);
  const std::size_t pc = core.pc.get(s);
  if (head >= p.issued[pc] || core.frozen.get(s) == core_stopped) return false;
  const Queued& entry = core.entries[p.entries[head]];
  switch (entry.kind) {
    case EntryKind::data:
    case EntryKind::barrier:
    case EntryKind::event_set:
    case EntryKind::raise: return false;  // They start by themselves: advance().
    case EntryKind::event_wait:
      return core.events[static_cast<std::size_t>(entry.event)].get(s) != 0;
    case EntryKind::request: {
      if (entry.server < 0) return false;
      const Core& server = cores_[static_cast<std::size_t>(entry.server)];
      const std::size_t at = server.pc.get(s);
      return at < server.ops.size() && server.ops[at].kind == MicroKind::serve &&
             server.ops[at].sub_kernel == entry.sub_kernel && server.busy.get(s) == 0 &&
             all_started(s, server, at);
    }
  }
  return false;
}

bool Machine::enabled(const Word* s, Transition t) const {
  const Core& core = cores_[t.core];
  switch (t.move) {
    case Move::scalar: return scalar_enabled(s, core);
    case Move::head: return head_enabled(s, core, t.at);
    case Move::fetch: {
      const Atom& atom = core.atoms[t.at];
      return atom.split && atom.flight.get(s) != 0 && atom.fetched.get(s) == 0;
    }
    case Move::piece: {
      const Atom& atom = core.atoms[t.at];
      return atom.flight.get(s) != 0 && (!atom.split || atom.fetched.get(s) != 0) &&
             !(atom.waits_gather && core.atoms[atom.gather].flight.get(s) != 0);
    }
    case Move::deliver: {
      const Join& join = joins_[t.at >> 6];
      const Field& pending = join.pending[t.at & 63U];
      if (pending.bits == 0 || pending.get(s) == 0) return false;
      if (core.delivered.bits != 0 && core.raise_arrivals[core.delivered.get(s)] != t.at) {
        return false;
      }
      return core.frozen.get(s) != core_stopped;
    }
    case Move::stop: return may_stop(s, core, t.at);
    case Move::rewrite: return rewriting(s, core) && s[core.ops[core.pc.get(s)].target] != 1;
    case Move::land: return core.lines[t.at].status.get(s) >= landing_later;
    case Move::bypass: return core.bypasses[t.at].pending.get(s) != 0;
    case Move::write_back: return freedom_.write_backs && core.lines[t.at].status.get(s) == dirty;
    case Move::drop:
      return freedom_.drops && core.lines[t.at].status.get(s) == clean &&
             core.pc.get(s) != core.ops.size();
    case Move::fill:
      return freedom_.prefetches && core.lines[t.at].status.get(s) == absent &&
             core.pc.get(s) != core.ops.size() && core.pc.get(s) >= core.gates;
    case Move::over: return finished(s);
  }
  return false;
}

std::size_t Machine::all_moves(const Word* s, std::vector<Transition>& moves) const {
  const auto offer = [&](Move move, std::size_t c, std::size_t at) {
    const Transition t{move, static_cast<std::uint8_t>(c), static_cast<std::uint16_t>(at)};
    if (enabled(s, t)) moves.push_back(t);
  };
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    const Core& core = cores_[c];
    offer(Move::scalar, c, 0);
    offer(Move::rewrite, c, 0);
    offer(Move::stop, c, 0);
    offer(Move::stop, c, 1);
    for (std::size_t p = 0; p < pipe_count; ++p) {
      const PipeState& pipe = core.pipes[p];
      if (!pipe.used) continue;
      offer(Move::head, c, p);
      for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
        Word left = s[pipe.first_flight + w] & pipe.data_bits[w];
        for (; left != 0; left &= left - 1) {
          const auto bit = static_cast<unsigned>(std::countr_zero(left));
          offer(Move::fetch, c, pipe.items[w * 32 + bit]);
          offer(Move::piece, c, pipe.items[w * 32 + bit]);
        }
      }
    }
    for (std::size_t l = 0; l < core.lines.size(); ++l) offer(Move::land, c, l);
    for (std::size_t b = 0; b < core.bypasses.size(); ++b) offer(Move::bypass, c, b);
  }
  if (arrivals_) {
    for (std::size_t j = 0; j < joins_.size(); ++j) {
      for (std::size_t k = 0; k < joins_[j].members.size(); ++k) {
        offer(Move::deliver, static_cast<std::size_t>(joins_[j].members[k]), j << 6 | k);
      }
    }
  }
  const std::size_t environment = moves.size();
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    for (std::size_t l = 0; l < cores_[c].lines.size(); ++l) {
      offer(Move::write_back, c, l);
      offer(Move::drop, c, l);
      offer(Move::fill, c, l);
    }
  }
  return environment;
}

bool Machine::finished(const Word* s) const {
  for (const Core& core : cores_) {
    if (!core.outside.empty()) continue;
    const std::size_t pc = core.pc.get(s);
    if (pc != core.ops.size() || core.frozen.get(s) != runs) return false;
    if (!all_idle(s, core, pc) || landing(s, core, false) || bypass_pending(s, core)) return false;
  }
  for (const Join& join : joins_) {
    for (const Field& pending : join.pending) {
      if (pending.bits != 0 && pending.get(s) != 0) return false;
    }
  }
  return true;
}

bool Machine::has_dirty(const Word* s) const {
  for (const Core& core : cores_) {
    for (const Line& line : core.lines) {
      if (line.status.get(s) == dirty) return true;
    }
  }
  return false;
}

void Machine::last_moves(const Word* s, std::vector<Transition>& moves) const {
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    for (std::size_t l = 0; l < cores_[c].lines.size(); ++l) {
      if (cores_[c].lines[l].status.get(s) != dirty) continue;
      moves.push_back(
          {Move::write_back, static_cast<std::uint8_t>(c), static_cast<std::uint16_t>(l)});
    }
  }
}

bool Machine::flush(Word* s) const {
  if (freedom_.lost_at_end) return true;
  if (lines_overlap_) return !has_dirty(s);
  for (const Core& core : cores_) {
    for (const Line& line : core.lines) {
      if (line.status.get(s) == dirty) write_back(s, line);
    }
  }
  return true;
}

}  // namespace skcts::explorer
