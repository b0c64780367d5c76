// How properties get their experiments: legal mixes, operator defects, small mixes made by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

#include "generators/features.h"
#include "generators/generate.h"
#include "harness/campaign/property.h"

namespace skcts::suites {

using campaign::Claim;
using campaign::Experiment;
using campaign::Observation;
using campaign::Observed;
using campaign::Part;
using campaign::Property;
using campaign::Source;
using generators::Feature;
using generators::Features;
using generators::FeatureSet;
using generators::Focus;

/// The same case with each sub kernel launched alone, in order, and host writes where they were.
Case alone(const Case& fused);

/// A mix fused under two strategies and alone under one.
Experiment fused_and_alone(Case mix, const Source& source, std::uint64_t index,
                           Claim claim = Claim::legal);

/// The same focus without the features of what lies around the sub kernels (launches, events,
/// actors, ...), for the path ge: for mixes that are edited afterwards.
Focus in_one_launch(Focus focus);

/// A legal mix of the rule's focus, except that every fourth index is a swarm over everything.
Case focused_mix(RuleId rule, const Source& source, std::uint64_t index);

/// A generator seed of its own for each rule, so that properties do not repeat each other's mixes.
std::uint64_t seed_of(RuleId rule, std::uint64_t seed);

using Exercises = std::function<bool(const Observation&)>;

/// The first part's mix has one of these features.
Exercises has_any(std::initializer_list<Feature> features);
/// The first part's mix has all of these features.
Exercises has_all(std::initializer_list<Feature> features);

/// FUSE-1 on legal mixes of the rule's focus: fused, alone and model agree, whatever the strategy.
Property legal_property(RuleId rule, std::string shows, Exercises exercises);

/// The operator defects of an R rule: the broken mix shows an outcome of the model's set, a
/// guaranteed stall among them, and its healthy twin passes. A case exercises the rule if the
/// model finds it broken as the primary rule.
Property operator_property(RuleId rule, std::string shows);

/// An instruction with one field set after the other by `edit`.
template <class Edit>
Instruction instruction(Op op, Edit&& edit) {
  Instruction made;
  made.op = op;
  edit(made);
  return made;
}

}  // namespace skcts::suites
