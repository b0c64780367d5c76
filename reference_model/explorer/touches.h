// Who touches which word of a launch, told apart as far as they may be under way together.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "reference_model/explorer/program.h"

namespace skcts::explorer {

/// A piece of an instruction on a pipe, the scalar unit of a core, or its cache.
using Agent = std::int64_t;

Agent agent_of(std::size_t core, std::size_t entry, std::size_t piece);
Agent scalar_agent(std::size_t core);

class Touches {
 public:
  explicit Touches(const LaunchProgram& program);

  /// Somebody else writes what the piece reads, and somebody else touches what it writes: it makes
  /// a difference that it reads before it writes.
  bool read_and_written_by_others(std::size_t core, Agent self, const Piece& piece) const;
  bool written_by_others(std::size_t core, Agent self, Address a) const;

 private:
  static constexpr Agent nobody = -1, several = -2;
  struct Touch {
    Agent writer = nobody, user = nobody;
  };
  using Place = std::pair<std::size_t, Address>;  ///< Core (0 for GM) and word.

  static Place place(std::size_t core, Address a) { return {is_gm(a) ? 0 : core, a}; }
  void note(std::size_t core, Address a, Agent by, bool writes);
  void note_step(std::size_t core, const Step& step);
  const Touch* find(std::size_t core, Address a) const;

  std::map<Place, Touch> touches_;
};

}  // namespace skcts::explorer
