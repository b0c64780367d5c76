// Does an answer fit the case that was asked for?
#pragma once

#include <string>

#include "harness/target/target.h"

namespace skcts::wire {

/// What of the result cannot be about this case, in words; empty: nothing. What the contract says
/// of it is the judge's question, not this one's.
std::string misfit_of(const Case& test_case, const RunResult& result);

}  // namespace skcts::wire
