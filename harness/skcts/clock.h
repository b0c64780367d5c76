// The only place where the program looks at a clock: progress display, benchmarks, and
// whether two signals are one request.
#pragma once

#include <chrono>

namespace skcts::program {

/// Seconds since some fixed moment. Nothing that a run finds or prints in its reports depends on
/// it.
inline double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace skcts::program
