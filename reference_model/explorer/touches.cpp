// One pass over the programs of all cores.
#include "reference_model/explorer/touches.h"

#include <algorithm>

namespace skcts::explorer {

namespace {

constexpr Agent scalar_unit = 0xffffffffff, cache = 0xfffffffffe;

Agent agent(std::size_t core, Agent own) {
  return static_cast<Agent>(core) << 40 | own;
}

}  // namespace

Agent agent_of(std::size_t core, std::size_t entry, std::size_t piece) {
  return agent(core, static_cast<Agent>(entry << 20 | piece));
}

Agent scalar_agent(std::size_t core) {
  return agent(core, scalar_unit);
}

Touches::Touches(const LaunchProgram& program) {
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    const CoreProgram& core = program.cores[c];
    for (std::size_t e = 0; e < core.entries.size(); ++e) {
      for (std::size_t p = 0; p < core.entries[e].pieces.size(); ++p) {
        const Piece& piece = core.entries[e].pieces[p];
        // Of its own slot a soft SyncAll is one user, whoever stores.
        const Agent self = core.entries[e].own_slot ? scalar_agent(c) : agent_of(c, e, p);
        for (const Address a : piece.dst) note(c, a, self, true);
        for (const Address a : piece.a) note(c, a, self, false);
        for (const Address a : piece.b) note(c, a, self, false);
      }
    }
    for (const Step& step : core.steps) note_step(c, step);
  }
}

void Touches::note_step(std::size_t core, const Step& step) {
  const Agent self = scalar_agent(core);
  const Agent late = agent(core, cache);
  if (is_cached(step.kind)) {  // Whole lines are fetched and written back, at any time.
    const Address first = step.address / 16 * 16;
    for (Address a = first; a < first + 16; ++a) note(core, a, late, step.kind == MicroKind::store);
    return;
  }
  switch (step.kind) {
    case MicroKind::bypass_store: note(core, step.address, late, true); break;
    case MicroKind::bypass_load:
    case MicroKind::local_load:
    case MicroKind::soft_enter:
    case MicroKind::poll: note(core, step.address, self, false); break;
    case MicroKind::local_store:
    case MicroKind::store_direct: note(core, step.address, self, true); break;
    default: break;
  }
  for (const Address a : step.slots) note(core, a, self, false);
  for (const Address a : step.scratch) note(core, a, self, true);
  for (std::size_t j = 0; j < step.copy.size(); ++j) note(core, step.copy[j], self, j >= 8);
}

void Touches::note(std::size_t core, Address a, Agent by, bool writes) {
  Touch& touch = touches_[place(core, a)];
  const auto add = [by](Agent& who) { who = who == nobody || who == by ? by : several; };
  add(touch.user);
  if (writes) add(touch.writer);
}

const Touches::Touch* Touches::find(std::size_t core, Address a) const {
  const auto found = touches_.find(place(core, a));
  return found == touches_.end() ? nullptr : &found->second;
}

bool Touches::written_by_others(std::size_t core, Agent self, Address a) const {
  const Touch* const touch = find(core, a);
  return touch != nullptr && touch->writer != nobody && touch->writer != self;
}

bool Touches::read_and_written_by_others(std::size_t core, Agent self, const Piece& piece) const {
  const auto written = [&](Address a) { return written_by_others(core, self, a); };
  const auto touched = [&](Address a) {
    const Touch* const touch = find(core, a);
    return touch != nullptr && touch->user != self;
  };
  const bool reads = std::ranges::any_of(piece.a, written) || std::ranges::any_of(piece.b, written);
  return reads && std::ranges::any_of(piece.dst, touched);
}

}  // namespace skcts::explorer
