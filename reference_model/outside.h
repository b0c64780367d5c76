// What a case says of the world outside a launch, and what of it is not decided here.
#pragma once

#include <string>

#include "spec/case.h"
#include "spec/profile.h"

namespace skcts::model {

/// What of the case is left open, in words; empty: nothing. The answer is then everything that a
/// target may show.
std::string undecided(const Case& test_case, const Profile& profile);

}  // namespace skcts::model
