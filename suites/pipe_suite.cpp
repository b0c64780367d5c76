// PIPE: TPipe and order inside a core.
#include <utility>

#include "generators/defects.h"
#include "harness/campaign/strategies.h"
#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {
namespace {

using enum Feature;

/// A sub kernel with two TPipes and no barrier of its own between them: broken in a SuperKernel
/// (PIPE-2), right where it is launched alone.
std::optional<Experiment> leaning_on_destroy(const Source& source, std::uint64_t index) {
  std::vector<const generators::OperatorDefect*> missing;
  for (const generators::OperatorDefect& defect : generators::operator_defects()) {
    if (defect.rule == RuleId::pipe_2) missing.push_back(&defect);
  }
  if (missing.empty()) return std::nullopt;
  auto pair = generators::inject(seed_of(RuleId::pipe_1, source.seed), index / missing.size(),
                                 *missing[index % missing.size()], *source.profile);
  if (!pair) return std::nullopt;
  Experiment experiment;
  experiment.parts.push_back({"alone", alone(pair->broken),
                              campaign::strategies_for(source.seed, index, 3), Claim::legal});
  return experiment;
}

}  // namespace

std::vector<Property> pipe_properties() {
  std::vector<Property> all;
  Property destroy;
  destroy.rule = RuleId::pipe_1;
  destroy.shows = "alone, TPipe::Destroy drains all pipes before the next TPipe uses the memory";
  destroy.make = leaning_on_destroy;
  destroy.exercises = has_all({tpipe_several});
  all.push_back(std::move(destroy));
  all.push_back(operator_property(RuleId::pipe_2, "two TPipes without PIPE_ALL between them"));
  all.push_back(legal_property(RuleId::pipe_3, "events and barriers order pipes, fused or not",
                               has_all({event_flags})));
  all.push_back(operator_property(RuleId::pipe_4, "event flags out of turn"));
  all.push_back(operator_property(RuleId::pipe_5, "pipe work left behind at the end"));
  all.push_back(operator_property(RuleId::pipe_6, "two pipes race for local words"));
  all.push_back(operator_property(RuleId::pipe_7, "local words read before they are written"));
  return all;
}

}  // namespace skcts::suites
