// A step is worked out on the state that first asks for it.
#include "reference_model/explorer/known_steps.h"

namespace skcts::explorer {

KnownSteps::KnownSteps(Machine& machine, States& states, Budget& budget)
    : machine_(machine),
      states_(states),
      core_count_(machine.core_count()),
      flags_(states.parts() > core_count_ + 1 ? core_count_ + 1 : 0),
      claim_(budget),
      known_(core_count_),
      slots_(1024),
      state_(machine.state_words()),
      scratch_(machine.state_words()) {}

void KnownSteps::unpack() {
  if (unpacked_) return;
  states_.unpack(numbers_, state_.data());
  claim_.budget().work(state_.size());
  unpacked_ = true;
}

void KnownSteps::learn(std::size_t c, Word own) {
  if (own >= known_[c].size()) {
    const std::size_t before = known_[c].size();
    known_[c].resize(own + own / 2 + 16);
    claim_.add((known_[c].size() - before) * sizeof(Known));
  }
  unpack();
  moves_.clear();
  const std::size_t progress = machine_.steps_of_core(state_.data(), c, moves_);
  Known known;
  known.first = static_cast<std::uint32_t>(kept_.size());
  for (std::size_t k = 0; k < moves_.size(); ++k) {
    if (k == progress) known.middle = static_cast<std::uint32_t>(kept_.size());
    Kept kept;
    kept.transition = moves_[k];
    unsigned reach = machine_.reach_of(state_.data(), moves_[k]);
    // A scalar step that looks beyond its core sends nothing but a raise of its own.
    const bool decided = reach == own_part || moves_[k].move != Move::scalar;
    if (decided && (reach & other_cores) == 0) {
      if (!machine_.enabled(state_.data(), moves_[k])) {
        if (reach == own_part || moves_[k].move != Move::rewrite) continue;
      } else {
        scratch_ = state_;
        claim_.budget().work(state_.size());
        const std::uint64_t sent = machine_.sends();
        machine_.apply(scratch_.data(), moves_[k], -1);
        if (machine_.sends() != sent) reach |= flag_part;
        if (reach == own_part) kept.number = pack(c + 1);
      }
    }
    kept.reach = static_cast<std::uint8_t>(reach);
    if (reach != own_part) kept.number = names_++;
    if (kept_.size() == kept_.capacity()) claim_.add((kept_.size() + 1) * sizeof(Kept));
    kept_.push_back(kept);
  }
  known.last = static_cast<std::uint32_t>(kept_.size());
  if (progress == moves_.size()) known.middle = known.last;
  known_[c][own] = known;
}

/// Steps that look at other cores are worked out each time.
bool KnownSteps::resolve_fresh(const Kept& kept, Hop& hop) {
  unpack();
  if (!machine_.enabled(state_.data(), kept.transition)) return false;
  scratch_ = state_;
  claim_.budget().work(state_.size());
  machine_.apply(scratch_.data(), kept.transition, -1);
  for (std::size_t part = 0; part < states_.parts(); ++part) {
    if (states_.same_part(part, scratch_.data(), state_.data())) continue;
    const auto at = static_cast<std::size_t>(hop.count++);
    SKCTS_CHECK(at < hop.part.size(), "a step changes more than {} parts", hop.part.size());
    hop.part[at] = static_cast<std::uint32_t>(part);
    hop.number[at] = pack(part);
  }
  return true;
}

KnownSteps::Slot KnownSteps::work_out(const Asked& asked) {
  Slot made;
  made.name = asked.kept.number;
  made.memory = asked.memory;
  made.flags = asked.flags;
  unpack();
  if (!machine_.enabled(state_.data(), asked.kept.transition)) return made;
  scratch_ = state_;
  claim_.budget().work(state_.size());
  machine_.apply(scratch_.data(), asked.kept.transition, -1);
  made.own = pack(asked.core + 1);
  if ((asked.kept.reach & memory_part) != 0) made.to_memory = pack(0);
  if ((asked.kept.reach & flag_part) != 0 && flags_ != 0) made.to_flags = pack(flags_);
  return made;
}

bool KnownSteps::resolve(const Asked& asked, Hop& hop) {
  const unsigned reach = asked.kept.reach;
  if ((reach & other_cores) != 0) return resolve_fresh(asked.kept, hop);
  std::size_t at = asked.hash & (slots_.size() - 1);
  while (slots_[at].name != unknown) {
    const Slot& slot = slots_[at];
    if (slot.name == asked.kept.number && slot.memory == asked.memory &&
        slot.flags == asked.flags) {
      break;
    }
    at = (at + 1) & (slots_.size() - 1);
  }
  Slot slot = slots_[at];
  if (slot.name == unknown) {
    slot = work_out(asked);
    // Where there is no room for more of them, steps are worked out each time.
    if ((used_ + 1) * 2 <= slots_.size() || grow()) {
      at = asked.hash & (slots_.size() - 1);
      while (slots_[at].name != unknown) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
      ++used_;
    }
  }
  if (slot.own == unknown) return false;
  const auto change = [&](std::size_t part, Word number) {
    hop.part[static_cast<std::size_t>(hop.count)] = static_cast<std::uint32_t>(part);
    hop.number[static_cast<std::size_t>(hop.count)] = number;
    ++hop.count;
  };
  change(asked.core + 1, slot.own);
  if ((reach & memory_part) != 0) change(0, slot.to_memory);
  if ((reach & flag_part) != 0 && flags_ != 0) change(flags_, slot.to_flags);
  return true;
}

bool KnownSteps::grow() {
  if (!claim_.add(slots_.size() * 2 * sizeof(Slot))) return false;
  std::vector<Slot> before(slots_.size() * 2);
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.name == unknown) continue;
    std::size_t at = hash(slot.name, slot.memory, slot.flags) & (slots_.size() - 1);
    while (slots_[at].name != unknown) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
  claim_.drop(before.size() * sizeof(Slot));
  return true;
}

}  // namespace skcts::explorer
