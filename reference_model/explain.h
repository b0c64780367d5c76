// The model's analysis in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "reference_model/model.h"

namespace skcts::model {

/// For people: one sentence first, then launch, waits, races, latitudes.
/// `way`: of Model::one_way, told at the end.
std::string explain_text(const Case& test_case, const Analysis& analysis,
                         const std::vector<std::string>& way = {});

/// One JSON object: behaviour, rule, also, latitudes, waiting, races, launch, exact,
/// inexact (why not), way, sentence.
std::string explain_json(const Case& test_case, const Analysis& analysis,
                         const std::vector<std::string>& way = {});

}  // namespace skcts::model
