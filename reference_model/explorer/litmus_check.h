// The explorer held against the litmus table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/litmus.h"

namespace skcts::explorer {

/// What is not as the row says, in words: number of outcomes, statuses, values of words, and the
/// numbers with latitudes pinned. Empty: the row holds. `states` grows by the states explored.
std::vector<std::string> litmus_differences(const Litmus& litmus, std::uint64_t& states);

}  // namespace skcts::explorer
