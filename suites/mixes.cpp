// Experiments out of generated mixes.
#include "suites/mixes.h"

#include <algorithm>
#include <utility>

#include "generators/defects.h"
#include "generators/world.h"
#include "harness/campaign/strategies.h"

namespace skcts::suites {
namespace {

constexpr std::uint64_t swarm_every = 4;
constexpr int fused_runs = 2;

/// The defects of a rule that the machine can have, in the catalogue's order.
std::vector<const generators::OperatorDefect*> defects_of(RuleId rule, const Profile& profile) {
  std::vector<const generators::OperatorDefect*> found;
  for (const generators::OperatorDefect& defect : generators::operator_defects()) {
    const bool counts = defect.rule == rule && generators::exists_on(defect, profile);
    if (counts) found.push_back(&defect);
  }
  return found;
}

/// What is inserted for scalars, and counted, belongs to the path ge.
generators::PathWish path_of(RuleId rule) {
  const Rule& row = skcts::rule(rule);
  if (row.path == RulePath::aclgraph) return generators::PathWish::aclgraph;
  if (row.path == RulePath::ge || row.chapter == Chapter::cache) return generators::PathWish::ge;
  return generators::PathWish::any;
}

std::optional<Experiment> defect_experiment(RuleId rule, const Source& source,
                                            std::uint64_t index) {
  const auto defects = defects_of(rule, *source.profile);
  if (defects.empty()) return std::nullopt;
  const generators::OperatorDefect& defect = *defects[index % defects.size()];
  auto pair = generators::inject(seed_of(rule, source.seed), index / defects.size(), defect,
                                 *source.profile);
  if (!pair) return std::nullopt;
  Experiment experiment;
  const std::uint64_t seed = seed_of(rule, source.seed);
  experiment.parts.push_back({"broken", std::move(pair->broken),
                              campaign::strategies_for(seed, index, fused_runs), Claim::broken});
  Case by_itself = alone(pair->healthy);
  experiment.parts.push_back({"healthy", std::move(pair->healthy),
                              campaign::strategies_for(seed, index + 1, 1), Claim::legal});
  experiment.parts.push_back(
      {"alone", std::move(by_itself), campaign::strategies_for(seed, index + 2, 1), Claim::legal});
  return experiment;
}

}  // namespace

Case alone(const Case& fused) {
  Case result = fused;
  result.plan.steps.clear();
  const auto add = [&result](PlanStep step) {
    if (step.kind != StepKind::host_write) step.kind = StepKind::alone;
    result.plan.steps.push_back(std::move(step));
  };
  for (PlanStep& step : effective_plan(fused.mix, fused.plan).steps) {
    if (step.kind == StepKind::beside) {
      for (PlanStep& inner : step.beside) add(std::move(inner));
    } else {
      add(std::move(step));
    }
  }
  return result;
}

Experiment fused_and_alone(Case mix, const Source& source, std::uint64_t index, Claim claim) {
  Experiment experiment;
  Case by_itself = alone(mix);
  experiment.parts.push_back({"fused", std::move(mix),
                              campaign::strategies_for(source.seed, 2 * index, fused_runs), claim});
  experiment.parts.push_back({"alone", std::move(by_itself),
                              campaign::strategies_for(source.seed, 2 * index + 1, 1), claim});
  return experiment;
}

std::uint64_t seed_of(RuleId rule, std::uint64_t seed) {
  return campaign::mix_seeds(seed, static_cast<std::uint64_t>(rule) + 1);
}

Focus in_one_launch(Focus focus) {
  focus.avoid = focus.avoid | generators::world_features();
  focus.path = generators::PathWish::ge;
  return focus;
}

Case focused_mix(RuleId rule, const Source& source, std::uint64_t index) {
  const bool swarm = index % swarm_every == swarm_every - 1;
  Focus focus = swarm ? Focus{} : generators::focus_for(rule);
  focus.path = path_of(rule);
  return generators::generate(seed_of(rule, source.seed), index, focus, *source.profile);
}

Exercises has_any(std::initializer_list<Feature> features) {
  return [list = std::vector<Feature>(features)](const Observation& observation) {
    return std::ranges::any_of(list, [&](Feature f) { return observation.features.has(f); });
  };
}

Exercises has_all(std::initializer_list<Feature> features) {
  return [wanted = FeatureSet(features)](const Observation& observation) {
    return observation.features.set.contains(wanted);
  };
}

Property legal_property(RuleId rule, std::string shows, Exercises exercises) {
  Property property;
  property.rule = rule;
  property.shows = std::move(shows);
  property.make = [rule](const Source& source, std::uint64_t index) {
    return std::optional(fused_and_alone(focused_mix(rule, source, index), source, index));
  };
  property.exercises = std::move(exercises);
  return property;
}

Property operator_property(RuleId rule, std::string shows) {
  Property property;
  property.rule = rule;
  property.shows = std::move(shows);
  property.make = [rule](const Source& source, std::uint64_t index) {
    return defect_experiment(rule, source, index);
  };
  property.exercises = [rule](const Observation& observation) {
    const auto& analysis = observation.parts.front().analysis;
    return analysis && analysis->rule == rule;
  };
  return property;
}

}  // namespace skcts::suites
