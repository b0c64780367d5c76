// What the tests of mixes share. Tests only.
#pragma once

#include <string_view>

#include "spec/check.h"
#include "spec/profile.h"

namespace skcts::generators {

/// The machine of a name that is one.
inline const Profile& machine(std::string_view name) {
  const Profile* profile = find_profile(name);
  SKCTS_CHECK(profile != nullptr, "no profile {}", name);
  return *profile;
}

}  // namespace skcts::generators
