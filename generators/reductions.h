// What "minimal" means, said without the shrinker: every case that is one single thing smaller.
#pragma once

#include <vector>

#include "spec/case.h"

namespace skcts::generators {

/// The valid cases that have one sub kernel, core block, instruction, flag, event or unused region
/// less than `value`, or one number in them smaller: a flag or event id, a count, the times of a
/// loop, the words of a region. A case is minimal if none of them shows what it shows. Written
/// apart from the shrinker's passes, to hold them against it; plans are left as they are, but for
/// sub kernels that are gone.
std::vector<Case> single_reductions(const Case& value);

}  // namespace skcts::generators
