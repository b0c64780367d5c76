// Who writes a word of GM, in words.
#pragma once

#include <cstdint>
#include <string>

#include "spec/case.h"

namespace skcts::model {

/// ", which k1 aiv:0 DataCopy and k2 aiv:1 SetValue write", in the order of the plan, at most
/// three; ", which nobody writes"; empty where nothing is launched.
std::string writers_of(const Case& test_case, std::int64_t word);

}  // namespace skcts::model
