// A target from one function: the talking, the workers and the deadlines are done here.
#pragma once

#include <functional>

#include "harness/target/target.h"

namespace skcts::adapter {

/// Runs the launches of a case's plan and tells what was seen. May take its time, may hang or die:
/// that costs the case alone, since each connection's cases run in a worker process.
using RunCase = std::function<RunResult(const Case&, const RunRequest&)>;

/// The main() of an adapter: `--listen unix:PATH` or `tcp:HOST:PORT` serves there until it is
/// killed; without arguments it serves its stdin and stdout, as `exec:` wants it. Gives the exit
/// code: 0, or 2 with a line on stderr for wrong arguments.
int adapter_main(int argc, const char* const* argv, const TargetDescription& description,
                 const RunCase& run_case);

}  // namespace skcts::adapter
