// Mixes of a known shape for skcts bench.
#pragma once

#include <cstdint>

#include "spec/case.h"
#include "spec/profile.h"

namespace skcts::program {

/// Neighbouring cores in pairs; each pair has one word of data and one that says it is there, both
/// past the cache. Pairs have nothing to do with each other, so states multiply.
Case message_passing(const Profile& profile, std::int32_t pairs);

/// 24 AIC and 48 AIV cores, 20 instructions a core in each sub kernel; every sub kernel reads what
/// the one before wrote.
Case full_chip(int sub_kernels);

}  // namespace skcts::program
