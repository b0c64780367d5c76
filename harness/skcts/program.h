// The program: arguments in, exit code out.
#pragma once

#include <string_view>

#include "harness/judge/status.h"

namespace skcts::program {

inline constexpr std::string_view version = "0.1.0";

/// Reads the arguments and carries out the command they name.
judge::ExitCode run_program(int argc, const char* const* argv);

}  // namespace skcts::program
