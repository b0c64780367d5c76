// RapidCheck's own shrinking of a case, to be measured against: it knows lists and numbers only.
#pragma once

#include <functional>

#include "generators/shrink.h"
#include "spec/case.h"

namespace skcts::generators {

/// As shrink(), by rc::shrink::removeChunks on the lists of a case and rc::shrink::integral on its
/// numbers, each place by itself. What refers to something that is gone makes a candidate invalid.
Case shrink_plain(const Case& failing, const std::function<bool(const Case&)>& still_fails,
                  const ShrinkBudget& budget = {}, ShrinkStats* stats = nullptr);

}  // namespace skcts::generators
