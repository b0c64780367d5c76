// CACHE: scalar access to GM.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/engine.h"
#include "harness/campaign/strategies.h"
#include "reference_model/cost.h"
#include "spec/options.h"
#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {
namespace {

using enum Feature;

// CACHE-4 -------------------------------------------------------------------------------------

bool listed(const std::vector<std::string>& list, const SubKernel& sub_kernel) {
  return std::ranges::find(list, sub_kernel.matched_op_type()) != list.end();
}

/// A disabled sub kernel for which the target inserted no refresh at all.
bool shows_nothing_inserted(const Observation& observation) {
  const Mix& mix = observation.first_case().mix;
  const OptionParse parse = parse_options(mix.options);
  if (!parse.options) return false;
  for (const RunResult& run : observation.parts.front().runs) {
    for (const LaunchCounts& launch : run.outcome.counts) {
      for (const InsertedCounts& counts : launch.inserted) {
        const SubKernel& k = mix.sub_kernels[static_cast<std::size_t>(counts.sub_kernel)];
        if (launch.fused && k.tiling == Tiling::fixed &&
            listed(parse.options->dcci_disable_on_kernel, k) &&
            counts.refresh_per_access + counts.refresh_before + counts.refresh_after == 0) {
          return true;
        }
      }
    }
  }
  return false;
}

// CACHE-9 -------------------------------------------------------------------------------------

/// The name of an option set as far as refreshes go.
std::string option_set(const Options& options, const SubKernel& k) {
  if (k.tiling == Tiling::offload) return "tiling offload";
  const bool before = listed(options.dcci_before_kernel_start, k);
  const bool after = listed(options.dcci_after_kernel_end, k);
  if (listed(options.dcci_disable_on_kernel, k)) return "disabled";
  if (before && after) return "before and after";
  if (before) return "before";
  if (after) return "after";
  return "default";
}

void count_refreshes(const Observation& observation, campaign::Measures& measures) {
  const Mix& mix = observation.first_case().mix;
  const OptionParse parse = parse_options(mix.options);
  if (!parse.options || observation.parts.front().runs.empty()) return;
  for (const LaunchCounts& launch : observation.parts.front().runs.front().outcome.counts) {
    if (!launch.fused) continue;
    for (const InsertedCounts& counts : launch.inserted) {
      const auto& k = mix.sub_kernels[static_cast<std::size_t>(counts.sub_kernel)];
      const std::string name = option_set(*parse.options, k);
      measures[name + "/lines"] += static_cast<double>(counts.refresh_per_access);
      measures[name + "/caches"] +=
          static_cast<double>(counts.refresh_before + counts.refresh_after);
      measures[name + "/sub kernels"] += 1;
    }
  }
  // The same mix under each option set, by the model.
  model::Model model(1);
  measures["mixes"] += 1;
  for (const model::RefreshCount& one : model::refresh_counts(model, observation.first_case())) {
    measures["set " + std::string(one.name)] += static_cast<double>(one.total());
  }
}

std::vector<Measurement> refreshes_in_words(const campaign::Measures& measures) {
  std::vector<Measurement> all;
  for (const std::string name :
       {"default", "before", "after", "before and after", "disabled", "tiling offload"}) {
    const auto found = measures.find(name + "/sub kernels");
    if (found == measures.end()) continue;
    all.push_back({name, fmt::format("{:.1f} lines + {:.1f} caches",
                                     measures.at(name + "/lines") / found->second,
                                     measures.at(name + "/caches") / found->second)});
  }
  const auto mixes = measures.find("mixes");
  if (mixes == measures.end()) return all;
  for (const std::string name :
       {"default", "before", "after", "before, after", "disable", "offload"}) {
    const auto found = measures.find("set " + name);
    if (found == measures.end()) continue;
    all.push_back(
        {"refreshes a mix, all " + name, fmt::format("{:.1f}", found->second / mixes->second)});
  }
  return all;
}

// CACHE-10 ------------------------------------------------------------------------------------

/// A legal mix, and the same with one sub kernel under binary reuse.
std::optional<Experiment> with_binary_reuse(const Source& source, std::uint64_t index) {
  Focus focus;
  if (index % 4 != 3) focus = generators::focus_for(RuleId::cache_10);
  Case mix = generators::generate(seed_of(RuleId::cache_10, source.seed), index,
                                  in_one_launch(focus), *source.profile);
  Case reused = mix;
  SubKernel& k = reused.mix.sub_kernels[index % reused.mix.sub_kernels.size()];
  k.tiling = k.tiling == Tiling::fixed ? Tiling::offload : Tiling::fixed;
  Experiment experiment;
  experiment.parts.push_back(
      {"fused", std::move(mix), campaign::strategies_for(source.seed, index, 1), Claim::legal});
  // A store that leans on an object's death before SetNextTaskStart is not legal both ways: the
  // model decides.
  experiment.parts.push_back({"binary reuse", std::move(reused),
                              campaign::strategies_for(source.seed, index + 1, 1), Claim::judged});
  return experiment;
}

bool reuse_is_legal(const Observation& observation) {
  if (observation.parts.size() < 2) return false;
  const Observed& reused = observation.parts[1];
  return reused.analysis && reused.analysis->portable &&
         reused.allowed.memory == observation.parts[0].allowed.memory;
}

void count_reuse(const Observation& observation, campaign::Measures& measures) {
  measures["same"] += observation.parts[1].runs.front().outcome.memory ==
                              observation.parts[0].runs.front().outcome.memory
                          ? 1
                          : 0;
  measures["all"] += 1;
}

std::vector<Measurement> reuse_in_words(const campaign::Measures& measures) {
  return {{"same memory", fmt::format("{} of {} mixes", measures.at("same"), measures.at("all"))}};
}

}  // namespace

std::vector<Property> cache_properties() {
  std::vector<Property> all;
  all.push_back(legal_property(
      RuleId::cache_1, "scalars handed over by the refreshes of GetValue and SetValue arrive",
      has_all({hand_over_default})));
  all.push_back(legal_property(
      RuleId::cache_2, "dcci-before-kernel-start gives fresh scalars to a listed sub kernel",
      has_all({hand_over_before})));
  all.push_back(legal_property(RuleId::cache_3,
                               "dcci-after-kernel-end publishes the scalars of a listed sub kernel",
                               has_all({hand_over_after})));
  Property disabled = legal_property(
      RuleId::cache_4, "nothing is inserted for a sub kernel under dcci-disable-on-kernel",
      shows_nothing_inserted);
  disabled.needs_counts = true;
  all.push_back(std::move(disabled));
  all.push_back(legal_property(RuleId::cache_5,
                               "tiling offload refreshes before and after, whatever the lists say",
                               has_all({hand_over_offload})));
  all.push_back(legal_property(RuleId::cache_6,
                               "stores that nothing refreshes are in GM at the end, alone too",
                               has_all({line_per_core})));
  all.push_back(operator_property(RuleId::cache_7, "a scalar access without its refresh"));
  all.push_back(operator_property(RuleId::cache_8, "two writers of one cache line"));
  Property cost = legal_property(RuleId::cache_9, "refreshes inserted, by option set",
                                 has_any({get_value, set_value}));
  cost.needs_counts = true;
  cost.measure = count_refreshes;
  cost.summarize = refreshes_in_words;
  all.push_back(std::move(cost));
  Property reuse;
  reuse.rule = RuleId::cache_10;
  reuse.shows = "binary reuse changes no outcome beyond CACHE-5";
  reuse.make = with_binary_reuse;
  reuse.exercises = reuse_is_legal;
  reuse.measure = count_reuse;
  reuse.summarize = reuse_in_words;
  all.push_back(std::move(reuse));
  all.push_back(operator_property(RuleId::cache_11, "a result left dirty at the end"));
  return all;
}

}  // namespace skcts::suites
