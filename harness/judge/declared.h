// Counts that a target does not tell are no reason for a verdict.
#pragma once

#include <span>

#include "harness/target/target.h"
#include "spec/allowed.h"
#include "spec/outcome.h"

namespace skcts::judge {

/// The outcome with what the contract promises in place of the counts of these kinds.
Outcome with_undeclared(Outcome outcome, const Allowed& allowed, std::span<const CountKind> kinds);

}  // namespace skcts::judge
