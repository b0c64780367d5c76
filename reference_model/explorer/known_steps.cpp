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

void KnownSteps::add(const Kept& kept) {
  if (kept_.size() == kept_.capacity()) claim_.add((kept_.size() + 1) * sizeof(Kept));
  kept_.push_back(kept);
}

/// What a step reaches, and where it leads if that is the core's own part. False: it is none.
bool KnownSteps::keep(std::size_t c, Kept& kept) {
  const Transition t = kept.transition;
  unsigned reach = machine_.reach_of(state_.data(), t);
  // A scalar step that looks beyond its core sends nothing but a raise of its own.
  const bool decided = reach == own_part || t.move != Move::scalar;
  if (decided && (reach & other_cores) == 0) {
    if (!machine_.enabled(state_.data(), t)) {
      if (reach == own_part || t.move != Move::rewrite) return false;
    } else {
      scratch_ = state_;
      claim_.budget().work(state_.size());
      const std::uint64_t sent = machine_.sends();
      machine_.apply(scratch_.data(), t, -1);
      if (machine_.sends() != sent) reach |= flag_part;
      if (reach == own_part) kept.number = pack(c + 1);
    }
  }
  kept.reach = static_cast<std::uint8_t>(reach);
  if (reach != own_part) kept.number = names_++;
  return true;
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
  if (moves_.size() > most_steps_) {
    most_steps_ = moves_.size();
    asked_.resize(core_count_ * most_steps_);
  }
  const auto now = [&] { return static_cast<std::uint32_t>(kept_.size()); };
  const auto add_all = [&](std::size_t first, std::size_t last) {
    later_.clear();
    for (std::size_t k = first; k < last; ++k) {
      Kept kept;
      kept.transition = moves_[k];
      if (!keep(c, kept)) continue;
      if (kept.reach == own_part) {
        add(kept);
      } else {
        later_.push_back(kept);
      }
    }
    const std::uint32_t own_end = now();
    for (const Kept& kept : later_) add(kept);
    return own_end;
  };
  Known known;
  known.first = now();
  known.own_end = add_all(0, progress);
  known.progress_end = now();
  known.environment_own_end = add_all(progress, moves_.size());
  known.end = now();
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

KnownSteps::Slot KnownSteps::work_out(const Kept& kept, std::size_t c) {
  Slot made;
  made.name = kept.number;
  made.memory = memory_of(kept);
  made.flags = flags_of(kept);
  unpack();
  if (!machine_.enabled(state_.data(), kept.transition)) return made;
  scratch_ = state_;
  claim_.budget().work(state_.size());
  machine_.apply(scratch_.data(), kept.transition, -1);
  made.own = pack(c + 1);
  if ((kept.reach & memory_part) != 0) made.to_memory = pack(0);
  if ((kept.reach & flag_part) != 0 && flags_ != 0) made.to_flags = pack(flags_);
  return made;
}

bool KnownSteps::resolve(const Asked& asked, Hop& hop) {
  const Kept& kept = kept_[asked.kept];
  const unsigned reach = kept.reach;
  hop.transition = kept.transition;
  if ((reach & other_cores) != 0) return resolve_fresh(kept, hop);
  const Word memory = memory_of(kept), flags = flags_of(kept);
  std::size_t at = asked.hash & (slots_.size() - 1);
  while (slots_[at].name != unknown) {
    const Slot& slot = slots_[at];
    if (slot.name == kept.number && slot.memory == memory && slot.flags == flags) break;
    at = (at + 1) & (slots_.size() - 1);
  }
  Slot fresh;
  if (slots_[at].name == unknown) {
    fresh = work_out(kept, asked.core);
    // Where there is no room for more of them, steps are worked out each time.
    if ((used_ + 1) * 2 <= slots_.size() || grow()) {
      at = asked.hash & (slots_.size() - 1);
      while (slots_[at].name != unknown) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = fresh;
      ++used_;
    }
  }
  const Slot& slot = fresh.name != unknown ? fresh : slots_[at];
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
