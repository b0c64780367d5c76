// The model's analysis in words and as JSON.
#pragma once

#include <string>

#include "reference_model/model.h"

namespace skcts::model {

/// For people: one sentence first, then launch, waits, races, latitudes.
std::string explain_text(const Case& test_case, const Analysis& analysis);

/// One JSON object: behaviour, rule, also, latitudes, waiting, races, launch, exact,
/// inexact (why not), sentence.
std::string explain_json(const Case& test_case, const Analysis& analysis);

}  // namespace skcts::model
