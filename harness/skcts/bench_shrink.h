// How small planted failures become, in how many runs, beside RapidCheck's own shrinking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/skcts/shrink_plants.h"

namespace skcts::program {

/// What became of the cases of one plant.
struct ShrinkTally {
  std::string name;
  int cases = 0;
  int kept = 0;     ///< Still fail in the same way.
  int minimal = 0;  ///< Not one of the single reductions still fails.
  std::vector<std::int64_t> runs;
  std::int64_t instructions = 0;  ///< That are left, summed up.
};

/// Shrinks planted cases of the first so many of the seeds 0, 1, ... that have one, by our passes
/// or, `plain`, by RapidCheck's own.
ShrinkTally shrink_planted(const Plant& plant, int seeds, bool plain);

/// Prints the table: all plants, both ways.
void print_shrink_table(int seeds);

}  // namespace skcts::program
