// What each step of the machine does to a state.
#include <algorithm>
#include <bit>

#include "reference_model/explorer/machine.h"
#include "reference_model/explorer/machine_answers.h"
#include "spec/arithmetic.h"
#include "spec/check.h"

namespace skcts::explorer {

void Machine::start(Word* s) {
  for (const auto& [slots, at] : soft_slots_) {
    Word least = ~Word{0}, most = 0;
    for (std::uint32_t j = 0; j < slots.count; ++j) {
      const Word slot = read(s, refs_[slots.first + j]);
      least = std::min(least, slot);
      most = std::max(most, slot);
    }
    s[at] = least < most ? least + 1 : 0;
    if (least < most) irregular_ = true;
  }
  for (const auto& [field, value] : initial_fields_) field.set(s, value);
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
    } else if (entry.kind == EntryKind::event_set || entry.kind == EntryKind::raise) {
      // It fires after what is before it in the pipe, and holds up nothing behind it.
      if (!entry.doubled) s[p.first_flight + entry.bit / 32] |= Word{1} << entry.bit % 32;
    } else if (entry.kind != EntryKind::barrier) {
      break;
    }
    ++head;
  }
  if (head != before) p.head.set(s, head);
}

bool Machine::fires(const Word* s, const Core& core, const Queued& entry) const {
  const PipeState& own = core.pipes[entry.pipe];
  if (in_flight_before(s, own, entry.bit)) return false;
  if (entry.kind == EntryKind::event_set) return true;
  return has_turn(s, core, entry) && !(entry.landing && landing(s, core, true));
}

void Machine::settle(Word* s, const Core& core) const {
  for (bool again = true; again;) {
    again = false;
    for (const PipeState& p : core.pipes) {
      for (std::uint32_t w = 0; w < p.flight_words; ++w) {
        Word reached = s[p.first_flight + w] & ~p.data_bits[w];
        for (; reached != 0; reached &= reached - 1) {
          const auto bit = static_cast<unsigned>(std::countr_zero(reached));
          const Queued& entry = core.entries[p.items[w * 32 + bit]];
          if (!fires(s, core, entry)) continue;
          s[p.first_flight + w] &= ~(Word{1} << bit);
          if (entry.kind == EntryKind::event_set) {
            const Field& event = core.events[static_cast<std::size_t>(entry.event)];
            event.set(s, event.get(s) + 1);
            continue;
          }
          send(s, core, entry.join, entry.member);
          again = core.raised.bits != 0;  // Another pipe's raise may have its turn now.
        }
      }
    }
  }
}

Word Machine::next_turn(const Word* s, const Core& core, Word turn) const {
  for (const Core::Omitted& each : core.omitted) {
    if (turn == each.first && each.done.get(s) != 0) turn = each.end;
  }
  return turn;
}

void Machine::send(Word* s, const Core& core, int join, int member) const {
  const Join& to = joins_[static_cast<std::size_t>(join)];
  const auto own = static_cast<std::size_t>(member);
  ++sends_;
  const bool flag = to.event.bits == 0;
  if (flag && core.raised.bits != 0) {
    core.raised.set(s, next_turn(s, core, core.raised.get(s) + 1));
  }
  const Field& pending = to.pending[own];
  if (pending.bits == 0) return arrive(s, to, own);
  pending.set(s, pending.get(s) + 1);
}

void Machine::arrive(Word* s, const Join& join, std::size_t member) const {
  bool complete = true;
  for (std::size_t k = 0; k < join.members.size(); ++k) {
    if (k != member && join.arrived[k].get(s) == 0) complete = false;
  }
  if (!complete) {
    join.arrived[member].set(s, join.arrived[member].get(s) + 1);
    return;
  }
  for (std::size_t k = 0; k < join.members.size(); ++k) {
    if (k != member) join.arrived[k].set(s, join.arrived[k].get(s) - 1);
  }
  for (const Field& counter : join.receivers) counter.set(s, counter.get(s) + 1);
  if (join.event.bits != 0) join.event.set(s, 1);
}

Applied Machine::deliver(Word* s, Transition t, int choice) {
  const Core& core = cores_[t.core];
  const Join& join = joins_[t.at >> 6];
  const std::size_t member = t.at & 63U;
  bool completes = true, full = false;
  for (std::size_t k = 0; k < join.members.size(); ++k) {
    if (k != member && join.arrived[k].get(s) == 0) completes = false;
  }
  for (const Field& counter : join.receivers) full = full || counter.get(s) == 15;
  if (completes && full) {
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
    core.frozen.set(s, core_stopped);
    return Applied::done;
  }
  arrive(s, join, member);
  join.pending[member].set(s, join.pending[member].get(s) - 1);
  if (core.delivered.bits != 0) {
    core.delivered.set(s, next_turn(s, core, core.delivered.get(s) + 1));
  }
  return Applied::done;
}

/// A second set of an event with no wait issued between them.
Applied Machine::double_set(Word* s, const Core& core, int choice) {
  Word answer = double_set_answer.get(s);
  if (answer == 0) {
    if (choice < 0) return Applied::asks_double_set;
    answer = static_cast<Word>(choice) + 1;
    double_set_answer.set(s, answer);
  }
  if (answer == 1) {  // error
    error_rule_ = RuleId::pipe_4;
    return Applied::error;
  }
  // hang: what was issued goes on; lost: nothing is set.
  if (answer == 2) core.frozen.set(s, scalar_stopped);
  return Applied::done;
}

template <class Put>
void Machine::compute(const Word* s, const Atom& atom, const Put& put) const {
  const Ref* const a = &refs_[0] + atom.a;
  const Ref* const b = &refs_[0] + atom.b;
  const auto fold = [&] {
    Word all = opaque_start;
    for (std::uint32_t j = 0; j < atom.reads; ++j) all = opaque_fold(all, read(s, a[j]));
    return all;
  };
  const auto spread = [&](Word from) {
    const Word tag = read(s, atom.value);
    for (std::uint32_t j = 0; j < atom.count; ++j) {
      put(j, opaque_word(from, tag, atom.first + j));
    }
  };
  switch (atom.calculation) {
    case Calculation::fill:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, atom.value));
      return;
    case Calculation::copy:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, a[j]));
      return;
    case Calculation::adds:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, a[j]) + read(s, atom.value));
      return;
    case Calculation::add:
      for (std::uint32_t j = 0; j < atom.count; ++j) put(j, read(s, a[j]) + read(s, b[j]));
      return;
    case Calculation::mmad:
      for (std::uint32_t j = 0; j < atom.count; ++j) {
        put(j, mmad_word(read(s, a[j]), read(s, b[j])));
      }
      return;
    case Calculation::gather: return put(0, fold());
    case Calculation::opaque: return spread(fold());
    case Calculation::spread: return spread(s[atom.latch]);
  }
}

void Machine::apply_piece(Word* s, const Core& core, const Atom& atom) const {
  const Ref* const dst = &refs_[0] + atom.dst;
  const auto put = [&](std::uint32_t j, Word value) {
    if (dst[j].constant) return;
    s[dst[j].at] = atom.accumulate ? s[dst[j].at] + value : value;
  };
  if (atom.split) {
    for (std::uint32_t j = 0; j < atom.count; ++j) {
      put(j, s[atom.kept + j]);
      s[atom.kept + j] = 0;
    }
    atom.fetched.set(s, 0);
  } else if (atom.calculation == Calculation::gather) {
    compute(s, atom, [&](std::uint32_t, Word value) { s[atom.latch] = value; });
  } else {
    compute(s, atom, put);
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
  settle(s, core);
}

void Machine::apply_head(Word* s, std::size_t c, int pipe) const {
  const Core& core = cores_[c];
  const PipeState& p = core.pipes[static_cast<std::size_t>(pipe)];
  const Word head = p.head.get(s);
  const Queued& entry = core.entries[p.entries[head]];
  if (entry.kind == EntryKind::event_wait) {
    const Field& event = core.events[static_cast<std::size_t>(entry.event)];
    event.set(s, event.get(s) - 1);
  } else {
    for (std::uint16_t a = entry.first; a < entry.first + entry.count; ++a) {
      core.atoms[a].flight.set(s, 1);
    }
    cores_[static_cast<std::size_t>(entry.server)].busy.set(s, 1);
  }
  p.head.set(s, head + 1);
  advance(s, core, pipe);
  settle(s, core);
}

/// Scalar accesses to memory. False: the core tries again (a poll).
bool Machine::apply_access(Word* s, const Core& core, const Op& op) const {
  const Line* const line = op.line >= 0 ? &core.lines[static_cast<std::size_t>(op.line)] : nullptr;
  const auto give = [&](Word value) {
    if (op.reg >= 0) s[core.registers + static_cast<std::uint32_t>(op.reg)] = value;
  };
  switch (op.kind) {
    case MicroKind::load:
      if (line->status.get(s) == absent) fill(s, *line);
      give(read(s, op.address));
      return true;
    case MicroKind::store:
      if (line->status.get(s) == absent) fill(s, *line);
      if (op.target >= 0) s[op.target] = operand(s, core, op);
      line->status.set(s, dirty);
      return true;
    case MicroKind::refresh: refresh(s, *line); return true;
    case MicroKind::refresh_all:
      for (const Line& each : core.lines) refresh(s, each);
      return true;
    case MicroKind::bypass_load:
    case MicroKind::soft_enter:
    case MicroKind::local_load: give(read(s, op.address)); return true;
    case MicroKind::bypass_store: {
      const Bypass& slot = core.bypasses[static_cast<std::size_t>(op.slot)];
      slot.pending.set(s, 1);
      s[slot.value] = operand(s, core, op);
      return true;
    }
    case MicroKind::local_store:
    case MicroKind::store_direct:
      if (op.target >= 0) s[op.target] = operand(s, core, op);
      return true;
    case MicroKind::poll_cached:
      if (line->status.get(s) == absent) {
        fill(s, *line);
        return false;
      }
      give(read(s, op.address));
      return true;
    case MicroKind::poll_refresh:
      if (line->status.get(s) == absent) {
        fill(s, *line);
      } else if (!reached(read(s, op.address), op.until, operand(s, core, op))) {
        refresh(s, *line);
        return false;
      }
      give(read(s, op.address));
      return true;
    case MicroKind::poll:
      give(read(s, op.address));
      for (std::uint32_t j = 0; j < op.count; ++j) {
        s[refs_[op.first + 2 * j + 1].at] = read(s, refs_[op.first + 2 * j]);
      }
      return true;
    default: return true;
  }
}

Applied Machine::apply_scalar(Word* s, std::size_t c, int choice) {
  const Core& core = cores_[c];
  const std::size_t pc = core.pc.get(s);
  const Op& op = core.ops[pc];
  if (op.doubled) {
    const Applied result = double_set(s, core, choice);
    if (result != Applied::done || core.frozen.get(s) != runs) return result;
  }
  switch (op.kind) {
    case MicroKind::issue: {
      const Queued& entry = core.entries[static_cast<std::size_t>(op.entry)];
      if (entry.capture != 0) s[entry.capture] = operand(s, core, op);
      if (!entry.landing) break;
      for (const Line& each : core.lines) {
        if (each.status.get(s) == landing_later) each.status.set(s, landing_marked);
      }
      break;
    }
    case MicroKind::soft_enter:
      if (meets_unequal(s, op)) {
        if (slots_answer.get(s) == 0) {
          if (choice < 0) return Applied::asks_slots;
          slots_answer.set(s, static_cast<Word>(choice) + 1);
        }
        core.unequal.set(s, 1);
      }
      apply_access(s, core, op);
      break;
    case MicroKind::soft_poll: core.unequal.set(s, 0); break;
    case MicroKind::event_set: {
      const Field& event = core.events[static_cast<std::size_t>(op.event)];
      if (!op.doubled) event.set(s, event.get(s) + 1);
      break;
    }
    case MicroKind::event_wait: {
      const Field& event = core.events[static_cast<std::size_t>(op.event)];
      event.set(s, event.get(s) - 1);
      break;
    }
    case MicroKind::raise: send(s, core, op.join, op.member); break;
    case MicroKind::announce: event_fields_[static_cast<std::size_t>(op.event)].set(s, 1); break;
    case MicroKind::wait: {
      const Field& counter = core.counters[static_cast<std::size_t>(op.id)];
      counter.set(s, counter.get(s) - 1);
      break;
    }
    case MicroKind::publish:
    case MicroKind::leave: core.records.set(s, core.records.get(s) + 1); break;
    case MicroKind::end_client: {
      const Field& ended = cores_[static_cast<std::size_t>(op.partner)].ended;
      ended.set(s, ended.get(s) + 1);
      break;
    }
    case MicroKind::fail: error_rule_ = op.rule; return Applied::error;
    default:
      if (!apply_access(s, core, op)) return Applied::done;
      break;
  }
  for (unsigned registers = op.clear; registers != 0; registers &= registers - 1) {
    s[core.registers + static_cast<unsigned>(std::countr_zero(registers))] = 0;
  }
  for (std::uint32_t j = 0; j < op.scratch.count; ++j) {
    s[refs_[op.scratch.first + j].at] = undefined_word;
  }
  if (op.to != 0) {
    leap(s, core, op.to);
  } else {
    core.pc.set(s, static_cast<Word>(pc + 1));
  }
  if (op.kind == MicroKind::issue) {
    advance(s, core, core.entries[static_cast<std::size_t>(op.entry)].pipe);
    settle(s, core);
  }
  return Applied::done;
}

void Machine::leap(Word* s, const Core& core, int to) const {
  const std::size_t pc = core.pc.get(s);
  for (const Core::Omitted& each : core.omitted) {
    if (each.op == pc && each.to == static_cast<std::size_t>(to)) each.done.set(s, 1);
  }
  if (core.raised.bits != 0) core.raised.set(s, next_turn(s, core, core.raised.get(s)));
  if (core.delivered.bits != 0) core.delivered.set(s, next_turn(s, core, core.delivered.get(s)));
  core.pc.set(s, static_cast<Word>(to));
}

Applied Machine::apply(Word* s, Transition t, int choice) {
  const Core& core = cores_[t.core];
  switch (t.move) {
    case Move::scalar: return apply_scalar(s, t.core, choice);
    case Move::head: apply_head(s, t.core, t.at); break;
    case Move::fetch: {
      const Atom& atom = core.atoms[t.at];
      compute(s, atom, [&](std::uint32_t j, Word value) { s[atom.kept + j] = value; });
      atom.fetched.set(s, 1);
      break;
    }
    case Move::piece: apply_piece(s, core, core.atoms[t.at]); break;
    case Move::deliver: return deliver(s, t, choice);
    case Move::land:
      write_back(s, core.lines[t.at]);
      forget(s, core.lines[t.at]);
      settle(s, core);
      break;
    case Move::bypass: {
      const Bypass& slot = core.bypasses[t.at];
      s[slot.target] = s[slot.value];
      s[slot.value] = 0;
      slot.pending.set(s, 0);
      break;
    }
    case Move::stop: {
      const Op& op = core.ops[core.pc.get(s)];
      leap(s, core, t.at == 0 ? op.behind : op.over);
      break;
    }
    case Move::rewrite: s[core.ops[core.pc.get(s)].target] = 1; break;
    case Move::write_back:
      write_back(s, core.lines[t.at]);
      core.lines[t.at].status.set(s, clean);
      break;
    case Move::drop: forget(s, core.lines[t.at]); break;
    case Move::fill: fill(s, core.lines[t.at]); break;
    case Move::over: SKCTS_CHECK(false, "the end of a launch is no step");
  }
  return Applied::done;
}

}  // namespace skcts::explorer
