// The process that runs the cases of a connection.
#pragma once

#include "harness/target/target.h"
#include "harness/wire/system.h"

namespace skcts::wire {

/// Reads `run` frames, runs them one after the other and writes their results, until the other side
/// closes. Gives the exit code of the process.
int work(Fd socket, Target& target, System& system);

}  // namespace skcts::wire
