// Steps of the scalar units, and what they reach.
#include <algorithm>
#include <set>
#include <vector>

#include "reference_model/explorer/machine_build.h"
#include "spec/instruction.h"

namespace skcts::explorer {

std::pair<unsigned, unsigned> registers_of(const Step& step) {
  unsigned reads = 0, writes = 0;
  if (step.value.reg >= 0) reads |= 1U << step.value.reg;
  if (step.kind == MicroKind::soft_poll) {
    reads |= 1U << step.reg;
  } else if (step.reg >= 0) {
    writes |= 1U << step.reg;
  }
  if (step.kind == MicroKind::clear) writes = (1U << register_count) - 1;
  return {reads, writes};
}

void MachineBuilder::ops(const CoreProgram& from, Machine::Core& to) {
  std::vector<unsigned> live(from.steps.size() + 1, 0);
  for (std::size_t i = from.steps.size(); i-- > 0;) {
    const auto [reads, writes] = registers_of(from.steps[i]);
    live[i] = (live[i + 1] & ~writes) | reads;
  }
  int clients = 0;
  for (std::size_t i = 0; i < from.steps.size(); ++i) {
    const Step& step = from.steps[i];
    Machine::Op made;
    const auto [reads, writes] = registers_of(step);
    if (to.registers != 0) {
      made.clear = static_cast<std::uint16_t>((live[i] | writes) & ~live[i + 1]);
    }
    const bool keeps = step.reg >= 0 && to.registers != 0 &&
                       ((live[i + 1] >> step.reg & 1U) != 0 || step.kind == MicroKind::soft_poll);
    made.kind = step.kind;
    made.reg = keeps ? static_cast<std::int16_t>(step.reg) : std::int16_t{-1};
    made.value = step.value.constant;
    made.value_reg = static_cast<std::int16_t>(step.value.reg);
    made.until = step.until;
    made.doubled = step.doubled;
    made.both_kinds = step.both_kinds;
    made.entry = step.entry;
    made.event = step.event;
    made.number = step.number;
    made.last = step.last;
    made.other = step.other;
    if (step.skip != 0) {  // What is left out is never dropped here.
      const int to_step = static_cast<int>(to.ops.size()) + 1 + step.skip;
      (step.kind == MicroKind::feed ? made.over : made.to) = to_step;
    }
    made.partner = step.partner;
    made.rule = step.rule;
    made.logged = step.logged;
    made.wait = step.wait;
    made.id = step.id;
    made.mode = step.mode;
    made.sub_kernel = step.sub_kernel;
    made.place = step.place;
    if (step.kind == MicroKind::serve) made.number = clients += step.number;
    memory(step, made, to);
    if (step.kind == MicroKind::refresh && made.line < 0) continue;
    if (step.kind == MicroKind::refresh_all && to.lines.empty()) continue;
    // A register that nobody reads any more is 0 already: there is nothing left to clear.
    if (step.kind == MicroKind::clear) continue;
    to.ops.push_back(made);
  }
  stops(to);
  issue_table(to);
  if (!m_.freedom_.delays) raise_turns(to);
}

void MachineBuilder::memory(const Step& step, Machine::Op& op, Machine::Core& to) {
  if (step.address >= 0 && is_gm(step.address)) {
    op.line = static_cast<std::int16_t>(line_place(to, step.address / 16));
  }
  const Mask block = step.address >= 0 ? mask_of(step.address) : 0;
  switch (step.kind) {
    case MicroKind::load:
    case MicroKind::poll_cached:
    case MicroKind::poll_refresh:
    case MicroKind::store: {
      const Machine::Line& line = to.lines[static_cast<std::size_t>(op.line)];
      op.address = content(line, step.address);
      op.target = op.address.constant ? -1 : static_cast<int>(op.address.at);
      op.gm_reads = line.mask;
      if (step.kind == MicroKind::store) op.gm_writes = line.mask;
      if (step.kind == MicroKind::poll_refresh) {  // Looks at GM itself.
        op.first = static_cast<std::uint32_t>(m_.refs_.size());
        m_.refs_.push_back(gm_ref(step.address));
      }
      break;
    }
    case MicroKind::refresh:
      if (op.line >= 0 && to.lines[static_cast<std::size_t>(op.line)].stored) {
        op.gm_writes = to.lines[static_cast<std::size_t>(op.line)].mask;
      }
      break;
    case MicroKind::refresh_all:
      for (const Machine::Line& line : to.lines) {
        if (line.stored) op.gm_writes |= line.mask;
      }
      break;
    case MicroKind::soft_enter:
      least_ = whole_word();
      ++rounds_[step.address];
      slots(step, op);
      op.address = ref(step.address);
      if (!m_.slots_may_part_) op.gm_reads = 0;  // The others are not looked at.
      op.gm_reads |= block;
      m_.soft_slots_.push_back({{op.first, op.count}, least_});
      break;
    case MicroKind::bypass_load:
      op.address = ref(step.address);
      op.gm_reads = block;
      break;
    case MicroKind::local_load:
      op.address = ref(step.address);
      op.local_reads = block;
      break;
    case MicroKind::local_store:
      op.target = state_word(step.address);
      op.local_writes = block;
      break;
    case MicroKind::bypass_store: {
      op.slot = static_cast<int>(to.bypasses.size());
      Machine::Bypass slot{bits(1), whole_word(), state_word(step.address), block};
      to.bypasses.push_back(slot);
      op.gm_writes = block;
      break;
    }
    case MicroKind::store_direct:
      op.target = state_word(step.address);
      op.gm_writes = block;
      break;
    case MicroKind::poll:
      op.address = ref(step.address);
      op.gm_reads = block;
      copies(step, op);
      break;
    case MicroKind::soft_poll:
      slots(step, op);
      op.target = state_word(step.address);
      op.own_slot = block;
      // Alone on its slot, a core finds there what it wrote.
      op.rewrites = touches_->written_by_others(core_, scalar_agent(core_), step.address);
      if (op.rewrites) op.gm_writes |= op.own_slot;
      break;
    default: break;
  }
  scratch(step, op);
}

void MachineBuilder::slots(const Step& step, Machine::Op& op) {
  op.first = run(step.slots);
  op.count = static_cast<std::uint32_t>(step.slots.size());
  for (std::size_t j = 0; j < step.slots.size(); ++j) {
    op.gm_reads |= mask_of(step.slots[j]);
    if (step.slots[j] == step.address) op.slot = static_cast<int>(j);
  }
  op.least = least_;
  op.round = static_cast<Word>(rounds_[step.address]);
}

void MachineBuilder::scratch(const Step& step, Machine::Op& op) {
  op.scratch.first = static_cast<std::uint32_t>(m_.refs_.size());
  for (const Address a : step.scratch) {
    if (!noticed(a)) continue;
    m_.refs_.push_back(ref(a));
    op.local_writes |= mask_of(a);
    ++op.scratch.count;
  }
}

bool slots_may_part(const LaunchProgram& program) {
  std::set<std::vector<Address>> barriers;
  for (const CoreProgram& core : program.cores) {
    for (const Step& step : core.steps) {
      if (step.kind == MicroKind::soft_enter) barriers.insert(step.slots);
    }
  }
  std::set<Address> slots;
  for (const std::vector<Address>& each : barriers) {
    for (const Address a : each) {
      if (!slots.insert(a).second) return true;
    }
  }
  const auto in = [&](Address first, Address end) {
    const auto at = slots.lower_bound(first);
    return at != slots.end() && *at < end;
  };
  for (const CoreProgram& core : program.cores) {
    for (const Entry& entry : core.entries) {
      if (entry.own_slot) continue;
      for (const Piece& piece : entry.pieces) {
        if (std::ranges::any_of(piece.dst, [&](Address a) { return slots.contains(a); })) {
          return true;
        }
      }
    }
    for (const Step& step : core.steps) {
      const Address line = step.address / 16 * 16;
      const bool direct = step.kind == MicroKind::store_direct;
      if ((direct || step.kind == MicroKind::bypass_store) && slots.contains(step.address)) {
        return true;
      }
      if (step.kind == MicroKind::store && in(line, line + 16)) return true;
    }
  }
  return false;
}

void MachineBuilder::copies(const Step& step, Machine::Op& op) {
  op.first = static_cast<std::uint32_t>(m_.refs_.size());
  for (std::size_t j = 0; j + 8 < step.copy.size(); ++j) {
    const int to = state_word(step.copy[j + 8]);
    if (to < 0) continue;
    m_.refs_.push_back(ref(step.copy[j]));
    op.gm_reads |= mask_of(step.copy[j]);
    m_.refs_.push_back(Ref{static_cast<std::uint32_t>(to), false});
    op.local_writes |= mask_of(step.copy[j + 8]);
    ++op.count;
  }
  if (!step.copy.empty()) op.number = 1;  // Takes its turn on MTE2.
}

/// An idle core that stops early goes on behind the last record of its sub kernel.
void MachineBuilder::stops(Machine::Core& to) {
  std::size_t behind = 0;
  for (std::size_t i = to.ops.size(); i-- > 0;) {
    Machine::Op& op = to.ops[i];
    if (op.kind != MicroKind::feed) continue;
    if (op.last == 0) {
      behind = i + 1;
    } else {
      op.behind = static_cast<int>(behind);
      m_.stops_early_ = true;
    }
  }
}

void MachineBuilder::issue_table(Machine::Core& to) {
  std::array<std::uint16_t, pipe_count> count{};
  for (int p = 0; p < pipe_count; ++p) to.pipes[static_cast<std::size_t>(p)].issued.push_back(0);
  for (const Machine::Op& op : to.ops) {
    if (op.kind == MicroKind::issue) ++count[to.entries[static_cast<std::size_t>(op.entry)].pipe];
    for (std::size_t p = 0; p < pipe_count; ++p) to.pipes[p].issued.push_back(count[p]);
  }
}

void MachineBuilder::raise_turns(Machine::Core& to) {
  std::vector<Word> before;  // By step: raises that come before it.
  for (const Machine::Op& op : to.ops) {
    before.push_back(static_cast<Word>(to.raise_entries.size()));
    const bool flag = op.kind == MicroKind::raise && op.mode != event_mode;
    if (flag) to.raise_entries.push_back(-1);
    if (op.kind != MicroKind::issue) continue;
    Machine::Queued& entry = to.entries[static_cast<std::size_t>(op.entry)];
    if (entry.kind != EntryKind::raise || entry.to_event) continue;
    entry.turn = static_cast<int>(to.raise_entries.size());
    to.raise_entries.push_back(op.entry);
  }
  if (to.raise_entries.empty()) return;
  to.raised = up_to(to.raise_entries.size());
  before.push_back(static_cast<Word>(to.raise_entries.size()));
  for (std::size_t i = 0; i < to.ops.size(); ++i) {
    const Machine::Op& op = to.ops[i];
    for (const int end : {op.last != 0 ? op.behind : 0, op.over, op.to}) {
      const auto at = static_cast<std::size_t>(end);
      if (end != 0) to.omitted.push_back({i, at, before[i], before[at], bits(1)});
    }
  }
}

void MachineBuilder::futures(std::size_t c) {
  Machine::Core& core = m_.cores_[c];
  core.future.assign(core.ops.size() + 1, {});
  core.line_future.assign(core.ops.size() + 1, 0);
  for (std::size_t i = core.ops.size(); i-- > 0;) {
    const Machine::Op& op = core.ops[i];
    core.future[i] = core.future[i + 1];
    core.future[i].add({op.gm_reads, op.gm_writes, op.local_reads, op.local_writes});
    core.line_future[i] = core.line_future[i + 1];
    if (op.kind == MicroKind::refresh_all) {
      core.line_future[i] = ~Mask{0};
    } else if (op.line >= 0 && (is_cached(op.kind) || op.kind == MicroKind::refresh)) {
      core.line_future[i] |= Mask{1} << (op.line % 64);
    }
  }
  for (Machine::PipeState& pipe : core.pipes) {
    pipe.gm.prepare(pipe.flight_words);
    pipe.local.prepare(pipe.flight_words);
    for (std::uint32_t bit = 0; bit < pipe.items.size(); ++bit) {
      if ((pipe.data_bits[bit / 32] >> bit % 32 & 1U) == 0) continue;
      const Machine::Atom& atom = core.atoms[pipe.items[bit]];
      pipe.gm.note(bit, atom.gm_reads, atom.gm_writes);
      pipe.local.note(bit, atom.local_reads, atom.local_writes);
    }
    pipe.future.assign(pipe.entries.size() + 1, {});
    for (std::size_t h = pipe.entries.size(); h-- > 0;) {
      const Machine::Queued& entry = core.entries[pipe.entries[h]];
      pipe.future[h] = pipe.future[h + 1];
      for (std::uint16_t a = entry.first; a < entry.first + entry.count; ++a) {
        const Machine::Atom& atom = core.atoms[a];
        pipe.future[h].add({atom.gm_reads, atom.gm_writes, atom.local_reads, atom.local_writes});
      }
    }
  }
  core.all = core.future[0];
  for (const Machine::PipeState& pipe : core.pipes) core.all.add(pipe.future[0]);
  for (const Machine::Line& line : core.lines) {
    core.all.add({line.mask, line.stored ? line.mask : 0, 0, 0});
  }
  for (const Machine::Bypass& slot : core.bypasses) core.all.add({0, slot.mask, 0, 0});
}

}  // namespace skcts::explorer
