// What WaitPreTaskEnd and its complement do where two kinds of sub kernels meet, as recorded.
#pragma once

#include <utility>
#include <vector>

#include "spec/kernel_type.h"

namespace skcts::explorer {

/// `configuration`: 4 x the former + the latter; cube 0, vector 1, both 2. Waits (true) and raises.
std::vector<std::pair<bool, int>> recorded_pair(int configuration, CoreKind kind);

}  // namespace skcts::explorer
