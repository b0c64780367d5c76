// What people write to name several things, and to say how long.
#pragma once

#include <string_view>

#include "spec/error.h"

namespace skcts::program {

/// True when the whole name fits the pattern: '*' stands for any letters, '?' for one.
bool matches(std::string_view pattern, std::string_view name);

/// Seconds of a text such as "60s", "1.5m" or "10h": more than none, at most 1000 hours. An error
/// says what was expected.
Result<double> parse_duration(std::string_view text);

}  // namespace skcts::program
