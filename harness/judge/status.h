// What a case, a rule or a run came to, and the exit code that says so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace skcts::judge {

/// What one case (or the worst of many) came to.
enum class Status : std::uint8_t {
  pass,            ///< The outcome is one that the contract allows.
  lenient,         ///< A stall was owed; the target completed with the stand-alone memory.
  fail,            ///< An outcome that no schedule gives.
  not_supported,   ///< The target does not claim what the case needs.
  waived,          ///< A known failure that somebody answers for.
  flaky,           ///< The same schedule gave two outcomes.
  stall,           ///< Stalled where every schedule completes.
  timeout,         ///< No answer within ten times the deadline.
  crash,           ///< The target died.
  lost,            ///< The connection or the answer is gone.
  device_lost,     ///< A known good case fails too.
  protocol_error,  ///< The target's words make no sense.
  internal_error,  ///< The suite's own fault.
  not_run,         ///< Nothing was run.
};

inline constexpr int status_count = static_cast<int>(Status::not_run) + 1;

std::string_view to_string(Status status);  ///< "pass", ..., "not-supported", ...
std::optional<Status> find_status(std::string_view name);

/// Exit codes of the program.
enum class ExitCode : std::uint8_t {
  pass = 0,
  failure = 1,    ///< A conformance failure.
  usage = 2,      ///< Wrong arguments or bad input.
  own_error = 3,  ///< The suite's own error.
  target_lost = 4,
  nothing_ran = 5,   ///< No case ran, or a selected rule was not exercised.
  budget_ended = 6,  ///< The budget ended before the work, or somebody stopped it.
};

/// The exit code that a status alone leads to.
ExitCode exit_code_of(Status status);

/// Of several exit codes the one that is told: the first of 2, 3, 1, 4, 6, 5, 0 among them, so
/// that a finding is never hidden behind a lost target. No codes: pass.
ExitCode combine(std::span<const ExitCode> codes);

/// combine of two.
ExitCode combine(ExitCode a, ExitCode b);

/// The worse of two statuses: the one whose exit code wins; of equal ones the first in the order
/// fail, stall, crash, timeout, protocol-error, lost, device-lost, flaky, internal-error, not-run,
/// not-supported, waived, lenient, pass.
Status worse(Status a, Status b);

}  // namespace skcts::judge
