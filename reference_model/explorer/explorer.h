// The exhaustive explorer: every outcome that a small case can have on some legal machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "spec/case.h"
#include "spec/kernel_type.h"
#include "spec/latitude.h"
#include "spec/outcome.h"

namespace skcts::explorer {

/// none: every interleaving is walked, to hold `full` against it. full: stubborn sets.
enum class Reduction : std::uint8_t { none, full };

/// Bounds of an exploration, for all positions and launches of a case together. One that is reached
/// ends it: what was found until then stands, Exploration::complete is false, and `why` names the
/// bound ("too large: ..."). Bounds are looked at before every state, and bytes before they are
/// allocated; a composed program and its machine are counted by what they hold at most.
struct Limits {
  std::uint64_t max_states = 4'000'000;
  std::uint64_t max_bytes = std::uint64_t{2} << 30;
  /// Looks at a part of a state or of a program, each some nanoseconds; with it time is bounded
  /// where one state takes many. 0: 1024 for each state that may be kept.
  std::uint64_t max_work = 0;
  std::uint64_t work() const {
    if (max_work != 0) return max_work;
    return max_states >> 54 != 0 ? ~std::uint64_t{0} : max_states * 1024;
  }
};

/// A composition that somebody else made of the one fused launch of a case: what its cores do
/// around the calls of its sub kernels, in the words of spec/facts.
struct Recording {
  KernelType type = KernelType::mix_aiv_1_0;
  int blocks = 1;
  std::vector<std::string> steps;
  std::vector<bool> own_set, own_wait;  ///< By sub kernel: its own calls take part.
};

struct Options {
  Limits limits;
  Reduction reduction = Reduction::full;
  /// Latitudes held at one position. A fixed latitude that is neither pinned here, nor in the case,
  /// nor settled by the profile is explored at every position.
  std::vector<LatitudePin> pins;
  /// Smallest piece, in words, in which an instruction on a pipe reads and writes memory. 0: what
  /// L-30 says, 1 unless it is pinned to whole-blocks, then 8. Larger pieces show fewer results of
  /// a race, and never one that is impossible.
  std::int32_t piece_words = 0;
  /// Run in place of the composition that the explorer makes itself.
  std::optional<Recording> recording;
};

struct Exploration {
  bool complete = false;  ///< False: a bound was reached or a thing is not supported; then `why`.
  std::string why;
  /// Distinct outcomes, sorted by status, rule, waiting cores, memory, queries; Outcome::counts is
  /// empty. Of an error or a refusal there is one outcome for each rule, without memory or queries.
  std::vector<Outcome> outcomes;
  std::uint64_t states = 0;       ///< Distinct machine states, summed over launches.
  std::uint64_t transitions = 0;  ///< Steps taken between them.
  std::uint64_t peak_bytes = 0;   ///< Most memory held at one time.
  std::uint64_t work = 0;         ///< Looks, as Limits::max_work counts them.
};

/// All outcomes of a valid case (validate()), within the limits.
Exploration explore(const Case& value, const Options& options = {});

/// One run: its steps in words, and how it ends.
struct Witness {
  std::vector<std::string> steps;
  Outcome outcome;
};

/// A run with few steps that ends in an outcome for which `wanted` holds; nothing if there is none
/// within the limits.
std::optional<Witness> find(const Case& value, const std::function<bool(const Outcome&)>& wanted,
                            const Options& options = {});

/// The order in which Exploration::outcomes stand.
bool before(const Outcome& a, const Outcome& b);

}  // namespace skcts::explorer
