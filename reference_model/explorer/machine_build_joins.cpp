// Raises, the counters they fill, and lines that two cores store to.
#include <algorithm>
#include <set>

#include "reference_model/explorer/machine_build.h"

namespace skcts::explorer {

int MachineBuilder::join_place(CoreKind kind, int block, int mode, int id) {
  const bool event = mode == event_mode;
  const int at_block = mode == 0 || event ? -1 : block;
  const auto key = std::tuple{event ? CoreKind::aiv : kind, at_block, mode, id};
  const auto found = join_places_.find(key);
  if (found != join_places_.end()) return found->second;
  const int place = static_cast<int>(m_.joins_.size());
  join_places_[key] = place;
  Machine::Join join;
  join.mode = mode;
  join.id = id;
  if (event) {
    join.members = arrivals_at(id);
    join.event = gm_.event(id);
  }
  for (std::size_t c = 0; c < program_.cores.size() && !event; ++c) {
    const CoreProgram& core = program_.cores[c];
    if (!core.outside.empty()) continue;
    const bool in_block = mode == 0 || core.block == block;
    if (core.core.kind == kind && in_block) join.members.push_back(static_cast<int>(c));
    const bool receives = mode == 2 ? core.core.kind != kind : core.core.kind == kind;
    if (receives && in_block && mode <= 2) join.receiver_cores.push_back(static_cast<int>(c));
  }
  if (mode == 2 && kind == CoreKind::aic) join.members = {join.members.front()};
  join.raises.assign(join.members.size(), 0);
  m_.joins_.push_back(std::move(join));
  return place;
}

std::vector<int> MachineBuilder::arrivals_at(int event) const {
  std::vector<int> members;
  for (std::size_t c = 0; c < program_.cores.size(); ++c) {
    const CoreProgram& core = program_.cores[c];
    const bool by_pipe = std::ranges::any_of(core.entries, [&](const Entry& entry) {
      return entry.kind == EntryKind::raise && entry.mode == event_mode && entry.id == event;
    });
    const bool by_scalar = std::ranges::any_of(core.steps, [&](const Step& step) {
      return step.kind == MicroKind::raise && step.mode == event_mode && step.id == event;
    });
    if (by_pipe || by_scalar) members.push_back(static_cast<int>(c));
  }
  return members;
}

void MachineBuilder::joins() {
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    Machine::Core& core = m_.cores_[c];
    for (std::size_t e = 0; e < core.entries.size(); ++e) {
      Machine::Queued& entry = core.entries[e];
      if (entry.kind == EntryKind::raise) join_of(c, entry, entry.mode, entry.id);
    }
    std::size_t raises = 0;
    std::vector<const Step*> steps;
    for (const Step& step : program_.cores[c].steps) {
      if (step.kind == MicroKind::raise) steps.push_back(&step);
    }
    for (Machine::Op& op : core.ops) {
      if (op.kind != MicroKind::raise) continue;
      join_of(c, op, steps[raises]->mode, steps[raises]->id);
      ++raises;
    }
  }
  counters();
  for (Machine::Core& core : m_.cores_) {
    if (core.raised.bits == 0) continue;
    for (const Machine::Op& op : core.ops) {
      const Machine::Queued* entry =
          op.kind == MicroKind::issue ? &core.entries[static_cast<std::size_t>(op.entry)] : nullptr;
      const bool raises =
          op.kind == MicroKind::raise || (entry != nullptr && entry->kind == EntryKind::raise);
      if (!raises) continue;
      const int join = entry != nullptr ? entry->join : op.join;
      const int member = entry != nullptr ? entry->member : op.member;
      if (m_.joins_[static_cast<std::size_t>(join)].event.bits != 0) continue;
      core.raise_arrivals.push_back(static_cast<std::uint16_t>(join << 6 | member));
    }
    if (m_.arrivals_) core.delivered = up_to(core.raise_arrivals.size());
  }
}

void MachineBuilder::counters() {
  std::map<std::pair<int, int>, int> most;  // (core, id)
  for (const Residue& left : before_) {
    for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
      if (!m_.cores_[c].outside.empty()) continue;
      if (m_.cores_[c].id == left.core) most[{static_cast<int>(c), left.id}] += left.count;
    }
  }
  const auto initial = most;
  for (const Machine::Join& join : m_.joins_) {
    const int fires = *std::ranges::min_element(join.raises);
    for (const int c : join.receiver_cores) most[{c, join.id}] += fires;
  }
  bool overflows = false;
  for (const auto& [at, count] : most) overflows = overflows || count > 15;
  if (overflows) m_.irregular_ = m_.arrivals_ = true;
  used_ = 32;
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    for (const Machine::Op& op : m_.cores_[c].ops) {
      if (op.kind == MicroKind::wait) most.try_emplace({static_cast<int>(c), op.id}, 0);
    }
  }
  m_.counter_count_ = most.size();
  for (const auto& [at, count] : most) {
    const Field field = bits(4);
    m_.cores_[static_cast<std::size_t>(at.first)].counters[static_cast<std::size_t>(at.second)] =
        field;
    const auto kept = initial.find(at);
    if (kept != initial.end()) {
      m_.initial_fields_.emplace_back(field, static_cast<Word>(kept->second));
    }
  }
  for (Machine::Join& join : m_.joins_) {
    for (const int c : join.receiver_cores) {
      join.receivers.push_back(
          m_.cores_[static_cast<std::size_t>(c)].counters[static_cast<std::size_t>(join.id)]);
    }
    for (std::size_t k = 0; k < join.members.size(); ++k) {
      const auto count = static_cast<std::size_t>(join.raises[k]);
      join.arrived.push_back(join.members.size() > 1 ? up_to(count) : Field{});
      const bool steps = overflows && join.event.bits == 0;
      join.pending.push_back(steps ? up_to(count) : Field{});
    }
  }
}

void MachineBuilder::overlaps() {
  std::set<std::int64_t> stored;
  for (const Machine::Core& core : m_.cores_) {
    for (const Machine::Line& line : core.lines) {
      if (line.stored && !stored.insert(line.line).second) m_.lines_overlap_ = true;
    }
  }
}

}  // namespace skcts::explorer
