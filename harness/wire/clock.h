// The only place where talk with targets looks at a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace skcts::wire {

/// Milliseconds since some fixed moment.
inline std::int64_t now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// Waits.
inline void pause_ms(std::int64_t most) {
  std::this_thread::sleep_for(std::chrono::milliseconds(most));
}

}  // namespace skcts::wire
