// Recorded compositions as programs: from the lines of a sequence to the steps of a launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/emulator/composition.h"

namespace skcts::emulator {

/// Appends the steps of `sequence` to the launch, whose shape and uses are there already, and notes
/// in the uses what the sequence says of them: whether a sub kernel's own early-start calls take
/// part, and whether idle cores join its SyncAll calls. A line that is not understood, or names
/// what is not there, is a refusal that quotes it.
std::optional<Refusal> read_sequence(const std::vector<std::string>& sequence,
                                     ComposedLaunch& launch);

}  // namespace skcts::emulator
