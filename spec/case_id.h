// The id of a case: a hash of what it means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spec/case.h"

namespace skcts {

/// 16 lower-case hex digits: the 64-bit XXH3 of the canonical text of profile, path, latitudes, mix
/// and plan, without name, notes, expectation, provenance and schedule. Two files with equal ids
/// pose the same question; where a case came from and what is expected of it do not change the id.
std::string case_id(const Case& value);

/// The 64-bit XXH3 of a text, for everything else that names texts.
std::uint64_t text_hash(std::string_view text);

}  // namespace skcts
