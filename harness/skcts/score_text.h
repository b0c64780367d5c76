// A mutation score as people read it, and as JSON.
#pragma once

#include <string>

#include "harness/campaign/score.h"

namespace skcts::program {

/// The kill matrix, what is to be said beside it, and the summary in the last lines.
std::string score_table(const campaign::Score& score);

/// One JSON object, with LF at the end.
std::string score_json(const campaign::Score& score);

}  // namespace skcts::program
