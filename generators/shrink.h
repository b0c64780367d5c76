// Makes a failing case small, with passes that know what a mix is.
//
// A candidate is one step smaller than the case: a sub kernel less (with its plan entries), an
// instruction less, fewer blocks, a lower flag id everywhere it is used, and so on. Candidates come
// as a lazy tree; the first that is valid and still fails becomes the case, until none is left. No
// case is tried twice. What "still fails" means is the caller's: to stay on one fault, it compares
// the failure key and not just the failing.
#pragma once

#include <cstdint>
#include <functional>

#include "spec/case.h"

namespace skcts::generators {

/// Where shrinking stops even if it could go on.
struct ShrinkBudget {
  std::int64_t max_runs = 2000;  ///< Calls of the predicate.
};

struct ShrinkStats {
  std::int64_t runs = 0;      ///< Calls of the predicate.
  std::int64_t accepted = 0;  ///< Candidates that still failed.
  std::int64_t invalid = 0;   ///< Candidates refused by validate(), not counted as runs.
  std::int64_t repeated = 0;  ///< Candidates that had been tried before, not run again.
  bool budget_ended = false;  ///< Smaller cases may exist.
  bool operator==(const ShrinkStats&) const = default;
};

/// The smallest case found for which `still_fails` holds; `failing` itself if no smaller one does.
/// `still_fails` must answer the same for equal cases. `failing` is taken to fail; it is not run.
Case shrink(const Case& failing, const std::function<bool(const Case&)>& still_fails,
            const ShrinkBudget& budget = {}, ShrinkStats* stats = nullptr);

}  // namespace skcts::generators
