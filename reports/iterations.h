// A run may go through its tests several times (--gtest_repeat); reports tell each of them once.
#pragma once

#include "spec/journal.h"

namespace skcts::reports {

/// The journal with one record a rule and one a written case, in the order they first ended: counts
/// are added up, status and reason are those of the first iteration that did not pass, and
/// measurements those of the first.
Journal without_iterations(Journal journal);

}  // namespace skcts::reports
