// How fast cases go to a target in another process and back.
#pragma once

#include <vector>

#include "spec/case.h"

namespace skcts::program {

/// Prints a row for each way to the embedded emulator (in process, a child's stdio, a Unix socket,
/// TCP), and what the way costs where the target itself needs 10 ms a case.
void bench_wire(double seconds, const std::vector<Case>& cases);

}  // namespace skcts::program
