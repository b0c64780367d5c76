// An outcome in words, and its digest.
#pragma once

#include <string>

#include "spec/case.h"
#include "spec/outcome.h"

namespace skcts::campaign {

/// Status, waiting cores or reason, and the GM words that differ from their initial value, a few
/// lines.
std::string outcome_text(const Case& test_case, const Outcome& outcome);

/// 16 hex digits over everything in the outcome: equal digests mean bit for bit the same.
std::string outcome_digest(const Outcome& outcome);

}  // namespace skcts::campaign
