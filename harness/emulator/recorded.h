// Recorded compositions as programs: from the lines of a sequence to the steps of a launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/emulator/composition.h"

namespace skcts::emulator {

/// What the lines of a sequence do not say of a sub kernel.
struct RecordedOp {
  KernelType type = KernelType::aiv_only;  ///< decides who runs it where only the run time knows
  std::vector<std::int32_t> raised;        ///< its outer events
  std::vector<std::int32_t> awaited;
};

/// Appends the steps of a recorded launch to `launch`, whose shape and uses are there already, and
/// notes in the uses what the lines say of them: whether a sub kernel's own early-start calls take
/// part, and whether idle cores join its SyncAll calls. Lines of events name the events of their
/// sub kernel in order. A line that is not understood, or names what is not there, is a refusal
/// that quotes it.
std::optional<Refusal> read_sequence(const RecordedLaunch& recorded,
                                     const std::vector<RecordedOp>& ops, ComposedLaunch& launch);

}  // namespace skcts::emulator
