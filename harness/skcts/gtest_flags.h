// GoogleTest's flags and environment variables, looked at before GoogleTest sees them: what it
// would stop the process for, or lose in silence, is an error in words here.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "spec/error.h"

namespace skcts::program {

/// Known flags with values that GoogleTest takes; --gtest_repeat is 0 or more (for ever is
/// refused).
Result<void> check_gtest_flags(std::span<const std::string> flags);

/// What getenv() gives: nullptr for a variable that is not set.
using Environment = std::function<const char*(const char*)>;

/// The variables that stand for flags hold what the flags may; GTEST_TOTAL_SHARDS and
/// GTEST_SHARD_INDEX fit; those that make GoogleTest do something else are not set.
Result<void> check_gtest_environment(const Environment& environment);

/// True when GoogleTest will list the tests instead of running them: what the last
/// --gtest_list_tests says.
bool lists_tests(std::span<const std::string> flags);

/// "xml:FILE" or "json:FILE" where GoogleTest will write a file: the last --gtest_output, or
/// GTEST_OUTPUT, or XML_OUTPUT_FILE. Flags and environment have been checked.
std::optional<std::string> gtest_output(std::span<const std::string> flags,
                                        const Environment& environment);

}  // namespace skcts::program
