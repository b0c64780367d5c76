// GoogleTest's flags and sharding variables, looked at before GoogleTest sees them: what it would
// stop the process for is an error in words here.
#pragma once

#include <span>
#include <string>

#include "spec/error.h"

namespace skcts::program {

/// Known flags with values that GoogleTest takes; --gtest_repeat is 0 or more (for ever is
/// refused).
Result<void> check_gtest_flags(std::span<const std::string> flags);

/// GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX, as getenv() gives them (nullptr: not set).
Result<void> check_shard(const char* total, const char* index);

}  // namespace skcts::program
