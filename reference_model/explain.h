// The model's analysis in words and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference_model/model.h"
#include "reference_model/repair.h"

namespace skcts::model {

/// What is told besides the analysis.
struct MoreToTell {
  std::vector<std::string> way;  ///< Of Model::one_way.
  std::optional<Repair> repair;  ///< Of Repairer::find.
};

/// For people: one sentence first, then launch, waits, races, repair, latitudes, the way.
std::string explain_text(const Case& test_case, const Analysis& analysis,
                         const MoreToTell& more = {});

/// One JSON object: behaviour, rule, also, latitudes, waiting, races, repair, launch, exact,
/// inexact (why not), way, sentence.
std::string explain_json(const Case& test_case, const Analysis& analysis,
                         const MoreToTell& more = {});

}  // namespace skcts::model
