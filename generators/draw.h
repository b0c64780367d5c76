// generate() with the places of the mix where an edit can break a rule.
#pragma once

#include <vector>

#include "generators/fragments.h"

namespace skcts::generators {

Case generate_with_sites(std::uint64_t campaign_seed, std::uint64_t index, const Focus& focus,
                         const Profile& profile, std::vector<Site>* sites);

}  // namespace skcts::generators
