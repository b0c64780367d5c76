// Which steps a state allows, and what each does.
#include "reference_model/explorer/machine.h"

#include <algorithm>
#include <bit>

#include "spec/arithmetic.h"
#include "spec/check.h"

namespace skcts::explorer {

namespace {

enum LineStatus : Word { absent = 0, clean = 1, dirty = 2, landing_later = 3, landing_marked = 4 };

constexpr Word frozen_scalar = 8;
constexpr Word frozen_arrival = 9;

// Word 0 of a state: two bits a question, 0 while open, else position + 1.
constexpr Field double_set_answer{0, 0, 2};
constexpr Field overflow_answer{0, 2, 2};
constexpr Field slots_answer{0, 4, 2};
constexpr Field slots_unequal{0, 6, 1};  // Of this launch, when it started.

}  // namespace

void Machine::start(Word* s) {
  slots_unequal.set(s, 0);
  for (const Words& run : soft_slots_) {
    for (std::uint32_t j = 1; j < run.count; ++j) {
      if (read(s, refs_[run.first + j]) != read(s, refs_[run.first])) slots_unequal.set(s, 1);
    }
  }
  if (slots_unequal.get(s) != 0) irregular_ = true;
  for (const auto& [field, value] : initial_fields_) field.set(s, value);
}

bool Machine::pipe_idle(const Word* s, const Core& core, int pipe, std::size_t pc) const {
  const PipeState& p = core.pipes[static_cast<std::size_t>(pipe)];
  return !p.used || (p.head.get(s) == p.issued[pc] && !in_flight(s, p));
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
    const auto block = static_cast<std::size_t>(core.block);
    if (stays.size() <= block) stays.resize(block + 1, false);
    if (core.records.bits == 0 || core.records.get(s) == 0) stays[block] = true;
  }
  return static_cast<int>(std::ranges::count(stays, false));
}

bool Machine::bypass_pending(const Word* s, const Core& core) const {
  for (const Bypass& slot : core.bypasses) {
    if (slot.pending.get(s) != 0) return true;
  }
  return false;
}

bool Machine::scalar_enabled(const Word* s, const Core& core) const {
  const std::size_t pc = core.pc.get(s);
  if (pc == core.ops.size() || core.frozen.get(s) != 0) return false;
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
    case MicroKind::wait: return core.counters[static_cast<std::size_t>(op.id)].get(s) != 0;
    case MicroKind::poll: {
      if (op.number != 0) {
        const PipeState& mte2 = core.pipes[static_cast<std::size_t>(Pipe::mte2)];
        if (mte2.used && mte2.head.get(s) != mte2.issued[pc]) return false;
      }
      return reached(read(s, op.address), op.until, operand(s, core, op));
    }
    case MicroKind::enter: return blocks_left(s) >= op.number;
    case MicroKind::soft_poll: {
      if (slots_answer.get(s) == 1 && slots_unequal.get(s) != 0) return true;  // early release
      const Word round = s[core.registers + static_cast<std::uint32_t>(op.reg)];
      std::uint64_t sum = 0;
      for (std::uint32_t j = 0; j < op.count; ++j) sum += read(s, refs_[op.first + j]);
      return sum >= static_cast<std::uint64_t>(op.number) * (std::uint64_t{round} + 1);
    }
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
  if (head >= p.issued[pc] || core.frozen.get(s) != 0) return false;
  const Queued& entry = core.entries[p.entries[head]];
  switch (entry.kind) {
    case EntryKind::data:
    case EntryKind::barrier: return false;  // They start by themselves: advance().
    case EntryKind::event_set: return !in_flight(s, p);
    case EntryKind::event_wait:
      return core.events[static_cast<std::size_t>(entry.event)].get(s) != 0;
    case EntryKind::raise:
      if (!has_turn(s, core, entry.turn)) return false;
      if (in_flight(s, p) || (entry.landing && landing(s, core, true))) return false;
      if (!entry.drains) return true;
      for (const PipeState& other : core.pipes) {
        if (&other != &p && other.used &&
            (in_flight(s, other) || other.head.get(s) != other.issued[pc])) {
          return false;
        }
      }
      return true;
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
    case Move::piece: {
      const Atom& atom = core.atoms[t.at];
      return atom.flight.get(s) != 0 &&
             !(atom.waits_gather && core.atoms[atom.gather].flight.get(s) != 0);
    }
    case Move::deliver: {
      const Join& join = joins_[t.at >> 6];
      const Field& pending = join.pending[t.at & 63U];
      return pending.bits != 0 && pending.get(s) != 0 && core.frozen.get(s) == 0;
    }
    case Move::land: return core.lines[t.at].status.get(s) >= landing_later;
    case Move::bypass: return core.bypasses[t.at].pending.get(s) != 0;
    case Move::write_back: return freedom_.write_backs && core.lines[t.at].status.get(s) == dirty;
    case Move::drop:
      return freedom_.drops && core.lines[t.at].status.get(s) == clean &&
             core.pc.get(s) != core.ops.size();
    case Move::fill:
      return freedom_.prefetches && core.lines[t.at].status.get(s) == absent &&
             core.pc.get(s) != core.ops.size();
  }
  return false;
}

void Machine::fill(Word* s, const Line& line) const {
  for (std::uint32_t j = 0; j < line.count; ++j) {
    const auto& [gm, own] = pairs_[line.first + j];
    s[own] = s[gm];
  }
  line.status.set(s, clean);
}

void Machine::forget(Word* s, const Line& line) const {
  for (std::uint32_t j = 0; j < line.count; ++j) s[pairs_[line.first + j].second] = 0;
  line.status.set(s, absent);
}

void Machine::write_back(Word* s, const Line& line) const {
  for (std::uint32_t j = 0; j < line.count; ++j) {
    const auto& [gm, own] = pairs_[line.first + j];
    s[gm] = s[own];
  }
}

void Machine::refresh(Word* s, const Line& line) const {
  const Word status = line.status.get(s);
  if (status == clean) return forget(s, line);
  if (status != dirty) return;
  if (freedom_.lands_at_once) {
    write_back(s, line);
    return forget(s, line);
  }
  line.status.set(s, landing_later);
}

void Machine::advance(Word* s, const Core& core, int pipe) const {
  const PipeState& p = core.pipes[static_cast<std::size_t>(pipe)];
  const Word issued = p.issued[core.pc.get(s)];
  Word head = p.head.get(s);
  const Word before = head;
  while (head < issued) {
    const Queued& entry = core.entries[p.entries[head]];
    if (entry.kind == EntryKind::barrier || (entry.kind == EntryKind::data && entry.in_turn)) {
      if (in_flight(s, p)) break;
    }
    if (entry.kind == EntryKind::data) {
      for (std::uint16_t a = entry.first; a < entry.first + entry.count; ++a) {
        core.atoms[a].flight.set(s, 1);
      }
    } else if (entry.kind != EntryKind::barrier) {
      break;
    }
    ++head;
  }
  if (head != before) p.head.set(s, head);
}

void Machine::apply_piece(Word* s, const Core& core, const Atom& atom) const {
  const Ref* const dst = &refs_[0] + atom.dst;
  const Ref* const a = &refs_[0] + atom.a;
  const Ref* const b = &refs_[0] + atom.b;
  const auto put = [&](std::uint32_t j, Word value) {
    if (dst[j].constant) return;
    s[dst[j].at] = atom.accumulate ? s[dst[j].at] + value : value;
  };
  Word fold = opaque_start;
  switch (atom.calculation) {
    case Calculation::fill:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, atom.value));
      break;
    case Calculation::copy:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, a[j]));
      break;
    case Calculation::adds:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, a[j]) + read(s, atom.value));
      break;
    case Calculation::add:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, a[j]) + read(s, b[j]));
      break;
    case Calculation::mmad:
      for (std::uint32_t j = 0; j < atom.count; ++j) {
        put(j, mmad_word(read(s, a[j]), read(s, b[j])));
      }
      break;
    case Calculation::gather:
      for (std::uint32_t j = 0; j < atom.reads; ++j) fold = opaque_fold(fold, read(s, a[j]));
      s[atom.latch] = fold;
      break;
    case Calculation::opaque:
      for (std::uint32_t j = 0; j < atom.reads; ++j) fold = opaque_fold(fold, read(s, a[j]));
      for (std::uint32_t j = 0; j < atom.count; ++j) {
        put(j, opaque_word(fold, read(s, atom.value), atom.first + j));
      }
      break;
    case Calculation::spread:
      for (std::uint32_t j = 0; j < atom.count; ++j) {
        put(j, opaque_word(s[atom.latch], read(s, atom.value), atom.first + j));
      }
      break;
  }
  atom.flight.set(s, 0);
  const Queued& entry = core.entries[atom.entry];
  if (entry.kind == EntryKind::request) {
    bool last = true;
    for (std::uint16_t k = entry.first; k < entry.first + entry.count; ++k) {
      last = last && core.atoms[k].flight.get(s) == 0;
    }
    if (last) cores_[static_cast<std::size_t>(entry.server)].busy.set(s, 0);
  }
  advance(s, core, entry.pipe);
}

Applied Machine::double_set(Word* s, std::size_t c, int event, int frozen, int choice,
                            bool& passes) {
  passes = true;
  Word answer = double_set_answer.get(s);
  if (answer == 0) {
    if (choice < 0) return Applied::asks_double_set;
    answer = static_cast<Word>(choice) + 1;
    double_set_answer.set(s, answer);
  }
  const Core& core = cores_[c];
  static_cast<void>(event);
  if (answer == 1) {  // error
    error_rule_ = RuleId::pipe_4;
    return Applied::error;
  }
  if (answer == 2) {  // hang
    core.frozen.set(s, static_cast<Word>(frozen));
    passes = false;
  }
  return Applied::done;  // lost: nothing is set
}

Applied Machine::arrive(Word* s, std::size_t c, int place, int member, int frozen, int choice) {
  const Join& join = joins_[static_cast<std::size_t>(place)];
  const auto own = static_cast<std::size_t>(member);
  bool fires = true;
  for (std::size_t k = 0; k < join.members.size(); ++k) {
    if (k != own && join.arrived[k].get(s) == 0) fires = false;
  }
  if (!fires) {
    join.arrived[own].set(s, join.arrived[own].get(s) + 1);
    return Applied::done;
  }
  if (irregular_) {
    for (const Field& counter : join.receivers) {
      if (counter.get(s) < 15) continue;
      Word answer = overflow_answer.get(s);
      if (answer == 0) {
        if (choice < 0) return Applied::asks_overflow;
        answer = static_cast<Word>(choice) + 1;
        overflow_answer.set(s, answer);
      }
      if (answer == 1) {
        error_rule_ = RuleId::sync_6;
        return Applied::error;
      }
      cores_[c].frozen.set(s, static_cast<Word>(frozen));
      return Applied::done;
    }
  }
  for (std::size_t k = 0; k < join.members.size(); ++k) {
    if (k != own) join.arrived[k].set(s, join.arrived[k].get(s) - 1);
  }
  for (const Field& counter : join.receivers) counter.set(s, counter.get(s) + 1);
  return Applied::done;
}

Applied Machine::raise(Word* s, std::size_t c, int place, int member, int frozen, int choice) {
  const Field& pending =
      joins_[static_cast<std::size_t>(place)].pending[static_cast<std::size_t>(member)];
  if (pending.bits == 0) return arrive(s, c, place, member, frozen, choice);
  pending.set(s, pending.get(s) + 1);
  return Applied::done;
}

Applied Machine::apply_head(Word* s, std::size_t c, int pipe, int choice) {
  const Core& core = cores_[c];
  const PipeState& p = core.pipes[static_cast<std::size_t>(pipe)];
  const Word head = p.head.get(s);
  const Queued& entry = core.entries[p.entries[head]];
  Applied result = Applied::done;
  bool passes = true;
  switch (entry.kind) {
    case EntryKind::event_set:
      if (entry.doubled) {
        result = double_set(s, c, entry.event, pipe + 1, choice, passes);
      } else {
        const Field& event = core.events[static_cast<std::size_t>(entry.event)];
        event.set(s, event.get(s) + 1);
      }
      break;
    case EntryKind::event_wait: {
      const Field& event = core.events[static_cast<std::size_t>(entry.event)];
      event.set(s, event.get(s) - 1);
      break;
    }
    case EntryKind::raise:
      result = raise(s, c, entry.join, entry.member, pipe + 1, choice);
      passes = core.frozen.get(s) == 0;
      if (result == Applied::done && passes && core.raised.bits != 0) {
        core.raised.set(s, core.raised.get(s) + 1);
      }
      break;
    case EntryKind::request:
      for (std::uint16_t a = entry.first; a < entry.first + entry.count; ++a) {
        core.atoms[a].flight.set(s, 1);
      }
      cores_[static_cast<std::size_t>(entry.server)].busy.set(s, 1);
      break;
    default: break;
  }
  if (result != Applied::done || !passes) return result;
  p.head.set(s, head + 1);
  advance(s, core, pipe);
  return result;
}

Applied Machine::apply_scalar(Word* s, std::size_t c, int choice) {
  const Core& core = cores_[c];
  const std::size_t pc = core.pc.get(s);
  const Op& op = core.ops[pc];
  const Line* const line = op.line >= 0 ? &core.lines[static_cast<std::size_t>(op.line)] : nullptr;
  const auto give = [&](Word value) {
    if (op.reg >= 0) s[core.registers + static_cast<std::uint32_t>(op.reg)] = value;
  };
  switch (op.kind) {
    case MicroKind::issue: {
      const Queued& entry = core.entries[static_cast<std::size_t>(op.entry)];
      if (entry.capture != 0) s[entry.capture] = operand(s, core, op);
      if (entry.landing) {
        for (const Line& each : core.lines) {
          if (each.status.get(s) == landing_later) each.status.set(s, landing_marked);
        }
      }
      break;
    }
    case MicroKind::load:
      if (line->status.get(s) == absent) fill(s, *line);
      give(read(s, op.address));
      break;
    case MicroKind::store:
      if (line->status.get(s) == absent) fill(s, *line);
      if (op.target >= 0) s[op.target] = operand(s, core, op);
      line->status.set(s, dirty);
      break;
    case MicroKind::refresh: refresh(s, *line); break;
    case MicroKind::refresh_all:
      for (const Line& each : core.lines) refresh(s, each);
      break;
    case MicroKind::bypass_load:
    case MicroKind::local_load: give(read(s, op.address)); break;
    case MicroKind::soft_enter:
      if (slots_unequal.get(s) != 0 && slots_answer.get(s) == 0) {
        if (choice < 0) return Applied::asks_slots;
        slots_answer.set(s, static_cast<Word>(choice) + 1);
      }
      give(read(s, op.address));
      break;
    case MicroKind::bypass_store: {
      const Bypass& slot = core.bypasses[static_cast<std::size_t>(op.slot)];
      slot.pending.set(s, 1);
      s[slot.value] = operand(s, core, op);
      break;
    }
    case MicroKind::local_store:
    case MicroKind::store_direct:
      if (op.target >= 0) s[op.target] = operand(s, core, op);
      break;
    case MicroKind::event_set:
      if (op.doubled) {
        bool passes = true;
        const Applied result = double_set(s, c, op.event, frozen_scalar, choice, passes);
        if (result != Applied::done || !passes) return result;
      } else {
        const Field& event = core.events[static_cast<std::size_t>(op.event)];
        event.set(s, event.get(s) + 1);
      }
      break;
    case MicroKind::event_wait: {
      const Field& event = core.events[static_cast<std::size_t>(op.event)];
      event.set(s, event.get(s) - 1);
      break;
    }
    case MicroKind::raise: {
      const Applied result = raise(s, c, op.join, op.member, frozen_scalar, choice);
      if (result != Applied::done || core.frozen.get(s) != 0) return result;
      if (core.raised.bits != 0) core.raised.set(s, core.raised.get(s) + 1);
      break;
    }
    case MicroKind::wait: {
      const Field& counter = core.counters[static_cast<std::size_t>(op.id)];
      counter.set(s, counter.get(s) - 1);
      break;
    }
    case MicroKind::poll_cached:
      if (line->status.get(s) == absent) {
        fill(s, *line);
        return Applied::done;
      }
      give(read(s, op.address));
      break;
    case MicroKind::poll_refresh:
      if (line->status.get(s) == absent) {
        fill(s, *line);
      } else if (!reached(read(s, op.address), op.until, operand(s, core, op))) {
        refresh(s, *line);
        return Applied::done;
      }
      give(read(s, op.address));
      break;
    case MicroKind::poll:
      give(read(s, op.address));
      for (std::uint32_t j = 0; j < op.count; ++j) {
        s[refs_[op.first + 2 * j + 1].at] = read(s, refs_[op.first + 2 * j]);
      }
      break;
    case MicroKind::publish:
    case MicroKind::leave: core.records.set(s, core.records.get(s) + 1); break;
    case MicroKind::end_client: {
      const Field& ended = cores_[static_cast<std::size_t>(op.partner)].ended;
      ended.set(s, ended.get(s) + 1);
      break;
    }
    case MicroKind::fail: error_rule_ = op.rule; return Applied::error;
    default: break;
  }
  for (unsigned registers = op.clear; registers != 0; registers &= registers - 1) {
    s[core.registers + static_cast<unsigned>(std::countr_zero(registers))] = 0;
  }
  core.pc.set(s, static_cast<Word>(pc + 1));
  if (op.kind == MicroKind::issue) {
    advance(s, core, core.entries[static_cast<std::size_t>(op.entry)].pipe);
  }
  return Applied::done;
}

Applied Machine::apply(Word* s, Transition t, int choice) {
  const Core& core = cores_[t.core];
  switch (t.move) {
    case Move::scalar: return apply_scalar(s, t.core, choice);
    case Move::head: return apply_head(s, t.core, t.at, choice);
    case Move::piece: apply_piece(s, core, core.atoms[t.at]); return Applied::done;
    case Move::deliver: {
      const Field& pending = joins_[t.at >> 6].pending[t.at & 63U];
      const Applied result =
          arrive(s, t.core, t.at >> 6, static_cast<int>(t.at & 63U), frozen_arrival, choice);
      if (result == Applied::done && core.frozen.get(s) == 0) pending.set(s, pending.get(s) - 1);
      return result;
    }
    case Move::land:
      write_back(s, core.lines[t.at]);
      forget(s, core.lines[t.at]);
      return Applied::done;
    case Move::bypass: {
      const Bypass& slot = core.bypasses[t.at];
      s[slot.target] = s[slot.value];
      s[slot.value] = 0;
      slot.pending.set(s, 0);
      return Applied::done;
    }
    case Move::write_back:
      write_back(s, core.lines[t.at]);
      core.lines[t.at].status.set(s, clean);
      return Applied::done;
    case Move::drop: forget(s, core.lines[t.at]); return Applied::done;
    case Move::fill: fill(s, core.lines[t.at]); return Applied::done;
  }
  return Applied::done;
}

std::size_t Machine::all_moves(const Word* s, std::vector<Transition>& moves) const {
  const auto offer = [&](Move move, std::size_t c, std::size_t at) {
    const Transition t{move, static_cast<std::uint8_t>(c), static_cast<std::uint16_t>(at)};
    if (enabled(s, t)) moves.push_back(t);
  };
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    const Core& core = cores_[c];
    offer(Move::scalar, c, 0);
    for (std::size_t p = 0; p < pipe_count; ++p) {
      const PipeState& pipe = core.pipes[p];
      if (!pipe.used) continue;
      offer(Move::head, c, p);
      for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
        for (Word left = s[pipe.first_flight + w]; left != 0; left &= left - 1) {
          offer(Move::piece, c,
                pipe.flight_atoms[w * 32 + static_cast<unsigned>(std::countr_zero(left))]);
        }
      }
    }
    for (std::size_t l = 0; l < core.lines.size(); ++l) offer(Move::land, c, l);
    for (std::size_t b = 0; b < core.bypasses.size(); ++b) offer(Move::bypass, c, b);
  }
  if (irregular_) {
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
    const std::size_t pc = core.pc.get(s);
    if (pc != core.ops.size() || core.frozen.get(s) != 0) return false;
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
