#include "spec/outcome.h"

#include <array>

namespace skcts {

std::string_view to_string(OutcomeStatus status) {
  constexpr std::array<std::string_view, 4> names = {"completed", "stalled", "error", "refused"};
  return names[static_cast<std::size_t>(status)];
}

std::string_view to_string(WaitKind kind) {
  constexpr std::array<std::string_view, 11> names = {
      "cross-core-flag", "event-flag", "full-core", "poll",      "soft-sync",
      "ib",              "matmul",     "feed",      "queue-full", "event",
      "cores"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace skcts
