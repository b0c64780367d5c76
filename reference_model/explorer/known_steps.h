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
    std::size_t count = 0, asked = 0;
    bool environment = false;
    Hop hop;
    hop.count = 1;
    for (std::size_t c = 0; c < core_count_; ++c) {
      const Word own = numbers[c + 1];
      if (own >= known_[c].size() || known_[c][own].first == unknown) learn(c, own);
      const Known known = known_[c][own];
      environment = environment || known.end != known.progress_end;
      const std::uint32_t first = progress ? known.first : known.progress_end;
      const std::uint32_t own_end = progress ? known.own_end : known.environment_own_end;
      const std::uint32_t end = progress ? known.progress_end : known.end;
      hop.part[0] = static_cast<std::uint32_t>(c + 1);
      for (std::uint32_t k = first; k < own_end; ++k) {
        const Kept& kept = kept_[k];
        hop.transition = kept.transition;
        hop.number[0] = kept.number;
        ++count;
        visit(hop);
      }
      for (std::uint32_t k = own_end; k < end; ++k) ask(k, c, asked_[asked++]);
    }
    environment_ = environment;
    // Where the others lead was fetched meanwhile.
    for (std::size_t k = 0; k < asked; ++k) {
      hop.count = 0;
      if (!resolve(asked_[k], hop)) continue;
      ++count;
      visit(hop);
    }
    return count;
  }
  /// Whether the state whose progress was visited last has steps of the environment.
  bool environment() const { return environment_; }

 private:
  static constexpr std::uint32_t unknown = 0xffffffff;
  struct Known {
    // Steps of progress, then the environment's; of both those first that stay within the core.
    std::uint32_t first = unknown, own_end = 0, progress_end = 0, environment_own_end = 0, end = 0;
    std::uint32_t unused[3] = {0, 0, 0};  ///< Places are found by a shift.
  };
  struct Kept {
    Transition transition;
    std::uint8_t reach = 0;
    Word number = 0;  ///< own_part: of the core's part afterwards; else a name for the step.
  };
  struct Slot {
    Word name = unknown, memory = 0, flags = 0;       ///< What the step depends on.
    Word own = unknown, to_memory = 0, to_flags = 0;  ///< own: unknown if it cannot be taken.
    Word unused[2] = {0, 0};                          ///< Two in a line, none in two.
  };

  /// A step whose end depends on more than the core's own part.
  struct Asked {
    std::uint32_t kept = 0, core = 0;
    std::size_t hash = 0;
  };

  Word memory_of(const Kept& kept) const {
    return (kept.reach & memory_part) != 0 ? numbers_[0] : 0;
  }
  Word flags_of(const Kept& kept) const {
    return (kept.reach & flag_part) != 0 && flags_ != 0 ? numbers_[flags_] : 0;
  }
  void ask(std::uint32_t k, std::size_t c, Asked& asked) const {
    const Kept& kept = kept_[k];
    asked.kept = k;
    asked.core = static_cast<std::uint32_t>(c);
    asked.hash = hash(kept.number, memory_of(kept), flags_of(kept));
    __builtin_prefetch(&slots_[asked.hash & (slots_.size() - 1)]);
  }
  void learn(std::size_t c, Word own);
  bool keep(std::size_t c, Kept& kept);
  void add(const Kept& kept);
  bool resolve(const Asked& asked, Hop& hop);
  bool resolve_fresh(const Kept& kept, Hop& hop);
  Slot work_out(const Kept& kept, std::size_t c);
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
  bool unpacked_ = false, environment_ = false;
  std::vector<Word> state_, scratch_;
  std::vector<Transition> moves_;
  std::vector<Kept> later_;
  std::vector<Asked> asked_;  ///< Room for all steps of a state.
  std::size_t most_steps_ = 0;
};

}  // namespace skcts::explorer
