// Steps between states, remembered by the parts of a state that they depend on.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference_model/explorer/machine.h"
#include "reference_model/explorer/store.h"

namespace skcts::explorer {

/// Where one step leads: which parts of the state have another number afterwards.
struct Hop {
  Transition transition;
  int count = 0;
  std::array<std::uint32_t, 4> part;
  std::array<Word, 4> number;
};

/// A core's own part decides which steps it has and which other parts each of them depends on; a
/// step is worked out once for each combination of these parts. For machines in which nothing is
/// asked (L-4, L-9, L-15).
class KnownSteps {
 public:
  KnownSteps(Machine& machine, States& states, Budget& budget);

  /// Visits the steps of progress of a state, or those of the environment; gives how many.
  template <class Visit>
  std::size_t expand(const Word* numbers, bool progress, const Visit& visit) {
    numbers_ = numbers;
    unpacked_ = false;
    std::size_t count = 0;
    asked_.clear();
    Hop hop;
    hop.count = 1;
    for (std::size_t c = 0; c < core_count_; ++c) {
      const Word own = numbers[c + 1];
      if (own >= known_[c].size() || known_[c][own].first == unknown) learn(c, own);
      const Known known = known_[c][own];
      const std::uint32_t last = progress ? known.middle : known.last;
      for (std::uint32_t k = progress ? known.first : known.middle; k < last; ++k) {
        const Kept& kept = kept_[k];
        if (kept.reach != own_part) {
          ask(kept, c);
          continue;
        }
        hop.transition = kept.transition;
        hop.part[0] = static_cast<std::uint32_t>(c + 1);
        hop.number[0] = kept.number;
        ++count;
        visit(hop);
      }
    }
    // Where the others lead was fetched meanwhile.
    for (const Asked& asked : asked_) {
      hop.count = 0;
      hop.transition = asked.kept.transition;
      if (!resolve(asked, hop)) continue;
      ++count;
      visit(hop);
    }
    return count;
  }

 private:
  static constexpr std::uint32_t unknown = 0xffffffff;
  struct Known {
    std::uint32_t first = unknown, middle = 0, last = 0;  ///< middle: the environment's
  };
  struct Kept {
    Transition transition;
    std::uint8_t reach = 0;
    Word number = 0;  ///< own_part: of the core's part afterwards; else a name for the step.
  };
  struct Slot {
    Word name = unknown, memory = 0, flags = 0;       ///< What the step depends on.
    Word own = unknown, to_memory = 0, to_flags = 0;  ///< own: unknown if it cannot be taken.
  };

  /// A step whose end depends on more than the core's own part.
  struct Asked {
    Kept kept;
    std::uint32_t core = 0;
    Word memory = 0, flags = 0;
    std::size_t hash = 0;
  };

  void ask(const Kept& kept, std::size_t c) {
    Asked asked{kept, static_cast<std::uint32_t>(c)};
    if ((kept.reach & memory_part) != 0) asked.memory = numbers_[0];
    if ((kept.reach & flag_part) != 0 && flags_ != 0) asked.flags = numbers_[flags_];
    asked.hash = hash(kept.number, asked.memory, asked.flags);
    __builtin_prefetch(&slots_[asked.hash & (slots_.size() - 1)]);
    asked_.push_back(asked);
  }
  void learn(std::size_t c, Word own);
  bool resolve(const Asked& asked, Hop& hop);
  bool resolve_fresh(const Kept& kept, Hop& hop);
  Slot work_out(const Asked& asked);
  void unpack();
  bool grow();
  static std::size_t hash(Word name, Word memory, Word flags) {
    std::uint64_t x = (std::uint64_t{name} << 32 | memory) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 29 ^ flags) * 0xc4ceb9fe1a85ec53u;
    return static_cast<std::size_t>(x ^ x >> 32);
  }
  Word pack(std::size_t part) { return states_.insert_part(part, scratch_.data()); }

  Machine& machine_;
  States& states_;
  std::size_t core_count_, flags_;  ///< flags_: number of their part; 0: there is none
  Claim claim_;
  std::vector<std::vector<Known>> known_;
  std::vector<Kept> kept_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  Word names_ = 0;
  const Word* numbers_ = nullptr;
  bool unpacked_ = false;
  std::vector<Word> state_, scratch_;
  std::vector<Transition> moves_;
  std::vector<Asked> asked_;
};

}  // namespace skcts::explorer
