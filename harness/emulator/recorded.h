// Recorded compositions as programs: from the lines of a sequence to the steps of a launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/emulator/composition.h"

namespace skcts::emulator {

/// The outer events of a launch, by position of the sub kernel: those that it raises, and those
/// that it waits for.
struct OuterEvents {
  std::vector<std::vector<std::int32_t>> raised;
  std::vector<std::vector<std::int32_t>> awaited;
};

/// Appends the steps of `sequence` to the launch, whose shape and uses are there already, and notes
/// in the uses what the sequence says of them: whether a sub kernel's own early-start calls take
/// part, and whether idle cores join its SyncAll calls. Lines of events name the `events` of their
/// sub kernel in order. A line that is not understood, or names
/// what is not there, is a refusal that quotes it.
std::optional<Refusal> read_sequence(const std::vector<std::string>& sequence,
                                     const OuterEvents& events, ComposedLaunch& launch);

}  // namespace skcts::emulator
