// FUSE: what fusion may change.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "generators/coverage.h"
#include "generators/defects.h"
#include "harness/campaign/engine.h"
#include "harness/campaign/strategies.h"
#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {
namespace {

using enum Feature;

// FUSE-3 --------------------------------------------------------------------------------------

/// Option strings at the edges of the grammar and of each domain. Which of them must be refused is
/// the model's to say.
constexpr std::array<std::string_view, 65> option_strings{
    "debug-aic-num=0",
    "debug-aic-num=2:debug-aiv-num=3",
    "debug-aic-num=0:debug-aiv-num=0",
    "early_start=1",
    "link-mode=1",
    "preload-data=1",
    "no-such-option=1",
    "FEED-SYNC-ALL=1",
    "feed-sync-al=1",
    "early-start=3",
    "early-start=-1",
    "early-start=on",
    "early-start=01",
    "early-start=",
    "=1",
    "early-start=1:early-start=1",
    "early-start=1:early-start=2",
    "stream-fusion=2",
    "stream-fusion=true",
    "debug-dcci-all=2",
    "debug-sync-all=x",
    "feed-sync-all=2",
    "profiling=2",
    "preload-code=all",
    "preload-code=per_func",
    "func-align=1",
    "func-align=3",
    "func-align=-512",
    "func-align=1000",
    "split-mode=0",
    "split-mode=65",
    "split-mode=1.5",
    "compile-options=",
    "strict-scope-check=",
    "dcci-before-kernel-start=",
    "dcci-after-kernel-end=",
    "dcci-after-kernel-start=Add",
    "dcci-disable-on-kernel=",
    "debug-aic-num=-1",
    "debug-aiv-num=x",
    "debug-aic-num=1.0",
    "early-start=1=2",
    ":::no-such-option=1",
    "\"no-such-option=1\"",
    " unknown = 1 ",
    "feed-sync-all=1:unknown=0:early-start=1",
    "early-start=1;unknown=1",
    "early-start=1,unknown=1",
    "early-start =1",
    " early-start=1 ",
    "\"early-start=1\"",
    "early-start=1:",
    "::early-start=1",
    "early-start",
    "unknown",
    "early-start=0:stream-fusion",
    "func-align=0",
    "func-align=2",
    "func-align=4096",
    "split-mode=1",
    "split-mode=64",
    "preload-code=max",
    "preload-code=none:profiling=1",
    "strict-scope-check=bypass",
    "compile-options=-O2,-g",
};

std::optional<Experiment> option_string(const Source& source, std::uint64_t index) {
  Focus focus;
  focus.size = generators::Size::tiny;
  Case mix = generators::generate(seed_of(RuleId::fuse_3, source.seed), index, in_one_launch(focus),
                                  *source.profile);
  // The mix was made for its own options; only the string under test counts here.
  mix.mix.options = option_strings[index % option_strings.size()];
  Experiment experiment;
  experiment.parts.push_back(
      {"fused", std::move(mix), campaign::strategies_for(source.seed, index, 1), Claim::judged});
  return experiment;
}

// FUSE-4 --------------------------------------------------------------------------------------

/// The program's cross-core raises, once each, and nothing else.
std::vector<Instruction> raises_of(const std::vector<Instruction>& program) {
  std::vector<Instruction> raises;
  for (const Instruction& i : program) {
    if (i.op == Op::cross_core_set_flag) raises.push_back(i);
    if (i.op != Op::repeat) continue;
    for (Instruction raise : raises_of(i.body)) {
      // Outside its loop a raise has no loop index to look at.
      std::erase_if(raise.where.all, [](const Condition& c) { return c.index >= IndexName::i; });
      raises.push_back(std::move(raise));
    }
  }
  return raises;
}

/// A first launch leaves raises behind that a second one, which is legal, would take for its own.
std::optional<Experiment> after_residue(const Source& source, std::uint64_t index) {
  Case mix =
      generators::generate(seed_of(RuleId::fuse_4, source.seed), index,
                           in_one_launch(generators::focus_for(RuleId::fuse_4)), *source.profile);
  const auto count = static_cast<std::int32_t>(mix.mix.sub_kernels.size());
  SubKernel residue;
  for (const SubKernel& k : mix.mix.sub_kernels) {
    if (!is_mix_kind(k.type)) continue;
    residue = SubKernel{.name = "residue", .type = k.type, .blocks = k.blocks};
    residue.aic = raises_of(k.aic);
    residue.aiv = raises_of(k.aiv);
    if (!residue.aic.empty() || !residue.aiv.empty()) break;
  }
  if (residue.aic.empty() && residue.aiv.empty()) return std::nullopt;
  mix.mix.sub_kernels.push_back(std::move(residue));
  PlanStep first;
  first.sub_kernels = {count};
  PlanStep second;
  for (std::int32_t i = 0; i < count; ++i) second.sub_kernels.push_back(i);
  mix.plan.steps = {std::move(first), std::move(second)};
  Experiment experiment;
  experiment.parts.push_back({"after residue", std::move(mix),
                              campaign::strategies_for(source.seed, index, 3), Claim::broken});
  return experiment;
}

/// A launch that stalls, then a legal one on the same target object.
std::optional<Experiment> after_stall(const Source& source, std::uint64_t index) {
  static constexpr std::array rules{RuleId::core_5, RuleId::sync_3, RuleId::sync_5,
                                    RuleId::ratio_2};
  const RuleId wanted = rules[index % rules.size()];
  for (const generators::OperatorDefect& defect : generators::operator_defects()) {
    if (defect.rule != wanted) continue;
    auto pair =
        generators::inject(seed_of(RuleId::fuse_4, source.seed), index, defect, *source.profile);
    if (!pair) return std::nullopt;
    Experiment experiment;
    experiment.parts.push_back({"stalled", std::move(pair->broken),
                                campaign::strategies_for(source.seed, index, 1), Claim::broken});
    experiment.parts.push_back({"after it", std::move(pair->healthy),
                                campaign::strategies_for(source.seed, index, 2), Claim::legal});
    return experiment;
  }
  return std::nullopt;
}

std::optional<Experiment> after_trouble(const Source& source, std::uint64_t index) {
  return index % 3 == 2 ? after_stall(source, index) : after_residue(source, index);
}

/// The launch after the trouble has one memory and most of it is judged, so that anything carried
/// over can show.
bool later_launch_is_judged(const Observation& observation) {
  const Allowed& allowed = observation.parts.back().allowed;
  const auto judged = std::ranges::count_if(
      allowed.memory, [](const WordAllowed& word) { return word.kind == WordKind::exact; });
  return campaign::is_single_memory(allowed) &&
         2 * judged > static_cast<std::ptrdiff_t>(allowed.memory.size());
}

// FUSE-1 --------------------------------------------------------------------------------------

/// One table a machine, made when the first mix is asked for.
const generators::CoverageTable& coverage_of(const Profile& profile) {
  static const std::vector<generators::CoverageTable> tables = [] {
    std::vector<generators::CoverageTable> made;
    for (const Profile& p : profiles()) made.emplace_back(p);
    return made;
  }();
  const auto place = std::ranges::find(profiles(), profile.name, &Profile::name);
  return tables.at(static_cast<std::size_t>(place - profiles().begin()));
}

// FUSE-2, FUSE-5 ------------------------------------------------------------------------------

/// Every second mix has scope marks, or launches side by side or again.
std::optional<Experiment> option_set(const Source& source, std::uint64_t index) {
  static constexpr std::array wanted{scope_marks,  scope_nested,  scope_none,   scope_unmarked,
                                     beside_batch, beside_normal, launch_again, host_write};
  Focus focus = generators::focus_for(RuleId::fuse_2);
  if (index % 2 == 1) focus.require.add(wanted[index / 2 % wanted.size()]);
  Case mix =
      generators::generate(seed_of(RuleId::fuse_2, source.seed), index, focus, *source.profile);
  return fused_and_alone(std::move(mix), source, index);
}

/// Streams of one launch, streams in line, actors outside, in turn.
std::optional<Experiment> ordered_by_events(const Source& source, std::uint64_t index) {
  static const std::array<FeatureSet, 6> wanted{
      FeatureSet{two_streams, event_within}, FeatureSet{event_from_outside},
      FeatureSet{event_to_outside},          FeatureSet{event_from_outside, early_wait},
      FeatureSet{streams_in_line},           FeatureSet{event_to_outside, early_set}};
  Focus focus = generators::focus_for(RuleId::fuse_5);
  focus.require = wanted[index % wanted.size()];
  Case mix =
      generators::generate(seed_of(RuleId::fuse_5, source.seed), index, focus, *source.profile);
  return fused_and_alone(std::move(mix), source, index);
}

}  // namespace

std::vector<Property> fuse_properties() {
  std::vector<Property> all;
  Property transparency = legal_property(
      RuleId::fuse_1, "fused and alone give the same memory",
      has_any({communication_by_dma, anti_dependence, output_dependence, hand_over_across}));
  transparency.make = [](const Source& source, std::uint64_t index) {
    const generators::CoverageTable& table = coverage_of(*source.profile);
    return std::optional(fused_and_alone(table.make(seed_of(RuleId::fuse_1, source.seed), index),
                                         source, index));
  };
  all.push_back(std::move(transparency));
  Property options =
      legal_property(RuleId::fuse_2, "every legal option set gives the same memory", nullptr);
  options.make = option_set;
  options.exercises = [](const Observation& observation) {
    return !observation.first_case().mix.options.empty() || observation.features.has(scope_marks);
  };
  all.push_back(std::move(options));
  Property strings;
  strings.rule = RuleId::fuse_3;
  strings.shows = "an option string is accepted or refused as documented";
  strings.make = option_string;
  strings.exercises = [](const Observation&) { return true; };
  strings.most_cases = 4 * static_cast<std::int64_t>(option_strings.size());
  all.push_back(std::move(strings));
  Property residue;
  residue.rule = RuleId::fuse_4;
  residue.shows = "nothing of a failed launch, or one with flags left over, reaches the next";
  residue.make = after_trouble;
  residue.exercises = later_launch_is_judged;
  all.push_back(std::move(residue));
  Property events =
      legal_property(RuleId::fuse_5, "what an event orders is ordered, in streams and outside",
                     has_any({two_streams, streams_in_line, event_from_outside, event_to_outside}));
  events.make = ordered_by_events;
  all.push_back(std::move(events));
  return all;
}

}  // namespace skcts::suites
