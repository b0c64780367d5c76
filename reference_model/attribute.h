// Which rule a target broke: the smallest weakening of a guarantee that admits what it showed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference_model/model.h"
#include "spec/case.h"
#include "spec/outcome.h"
#include "spec/rule.h"

namespace skcts::model {

struct Attribution {
  RuleId rule = RuleId::fuse_1;
  std::string relaxation;  ///< Its name; empty: none admits the outcome.
  std::string sentence;    ///< For people, with the rule behind it.
  int runs = 0;            ///< Of the model.
  bool operator==(const Attribution&) const = default;
};

/// Most runs of the model that one attribution may take.
inline constexpr int attribution_runs_max = 600;

/// Explains an outcome that is not in the set of the case; nothing if it is.
///
/// Weakenings are tried smallest first. Of those that admit the outcome the one wins that gives up
/// least, where a set with many other outcomes counts as more given up if the same one was seen
/// again and again; then the first in the order of the rules. One that gives up judging the words
/// at fault wins only if no other does. Where none admits it the rule is that of the declared count
/// or query which does not fit, else FUSE-1, and the sentence names who writes the first wrong
/// word.
/// `pins`: positions at which the target says it stands.
std::optional<Attribution> attribute(Model& model, const Case& test_case, const Outcome& outcome,
                                     const std::vector<LatitudePin>& pins = {});

/// The same for several runs of one case, of which at least one does not fit: all of them must be
/// admitted. Runs that do fit help, because what is broken for good does not come and go.
std::optional<Attribution> attribute(Model& model, const Case& test_case,
                                     std::span<const Outcome> outcomes,
                                     const std::vector<LatitudePin>& pins = {});

}  // namespace skcts::model
