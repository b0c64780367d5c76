// What becomes of a run that was not answered: one table.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/judge/judge.h"
#include "harness/judge/status.h"
#include "harness/target/target.h"

namespace skcts::judge {

/// What is done about a run that was not answered.
enum class Next : std::uint8_t {
  settle,            ///< It has its status.
  ask_again,         ///< The case runs once more.
  ask_again_longer,  ///< The case runs once more with ten times the deadline.
};

inline constexpr int longer_times = 10;  ///< Of the deadline, for Next::ask_again_longer.

struct Ending {
  Next next = Next::settle;
  Status status = Status::not_run;  ///< Of Next::settle.
  bool operator==(const Ending&) const = default;
};

/// The table. `stall_allowed`: the case may stall. `again`: it was asked again already. `end` is
/// none of RunEnd::answered. Everything has its row.
/// - deadline passed where a stall is allowed, and the probe case passes: pass, by deadline;
/// - deadline passed otherwise: once more with ten times the deadline, then timeout;
/// - died: crash;
/// - connection or answer gone: once more, and crash where that is lost too;
/// - the probe case failed each time, or the target is given up: device-lost.
Ending ending_of(RunEnd end, bool stall_allowed, Probe probe, bool again);

/// The verdict of a run that came to `status` without an answer. Its rule is the property's.
Verdict verdict_of(const Question& question, const RunResult& run, Status status);

}  // namespace skcts::judge
