// Planted failures to measure shrinking with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "spec/case.h"

namespace skcts::program {

/// A case that fails, and whether another one still fails in the same way: with the same rule and
/// behaviour by the model, or the same failure key on the emulator.
struct PlantedCase {
  Case start;
  std::function<bool(const Case&)> still_fails;
};

/// One way in which a mix can fail; start cases of it are drawn from a seed.
struct Plant {
  std::string name;
  /// Nothing: no case was found for this seed.
  std::function<std::optional<PlantedCase>(std::uint64_t seed)> make;
};

/// All of them, thirty: faults of operators that the model names, among them two at a time where
/// the other one shows first, linked flag ids, a full-chip stall, races that only some schedules
/// show, and faults of the emulator.
std::vector<Plant> shrink_plants();

}  // namespace skcts::program
