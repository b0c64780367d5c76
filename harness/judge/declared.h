// Counts that a target does not tell are no reason for a verdict.
#pragma once

#include <cstdint>
#include <span>

#include "harness/target/target.h"
#include "spec/allowed.h"
#include "spec/outcome.h"

namespace skcts::judge {

/// The number of a kind among what was inserted for a sub kernel; nothing: the launch itself.
std::int64_t InsertedCounts::*count_of(CountKind kind);

/// The outcome with what the contract promises in place of the counts of these kinds.
Outcome with_undeclared(Outcome outcome, const Allowed& allowed, std::span<const CountKind> kinds);

}  // namespace skcts::judge
