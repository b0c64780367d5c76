// TASK: order between sub kernels.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/strategies.h"
#include "reference_model/cost.h"
#include "spec/options.h"
#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {
namespace {

using enum Feature;

// TASK-6 --------------------------------------------------------------------------------------

/// A legal mix with early start, and the same with early-start=0, under the same strategies.
std::optional<Experiment> with_and_without_early_start(const Source& source, std::uint64_t index) {
  Case early =
      generators::generate(seed_of(RuleId::task_6, source.seed), index,
                           in_one_launch(generators::focus_for(RuleId::task_6)), *source.profile);
  const OptionParse parse = parse_options(early.mix.options);
  if (!parse.options) return std::nullopt;
  Options options = *parse.options;
  options.early_start = 1;
  early.mix.options = to_option_string(options);
  options.early_start = 0;
  Case late = early;
  late.mix.options = to_option_string(options);
  const auto strategies = campaign::strategies_for(source.seed, index, 1);
  Experiment experiment;
  experiment.parts.push_back({"early start", std::move(early), strategies, Claim::legal});
  experiment.parts.push_back({"early-start=0", std::move(late), strategies, Claim::legal});
  return experiment;
}

/// Instructions of a sub kernel that began before everything of the earlier ones had ended.
double overlapped(const RunResult& run) {
  std::map<int, std::int64_t> last_end;
  for (const TraceEvent& event : run.trace) {
    if (event.sub_kernel < 0 || event.instruction < 0) continue;
    std::int64_t& end = last_end[event.sub_kernel];
    end = std::max(end, event.end);
  }
  double count = 0;
  for (const TraceEvent& event : run.trace) {
    if (event.sub_kernel < 0 || event.instruction < 0) continue;
    const auto later = std::ranges::any_of(last_end, [&](const auto& other) {
      return other.first < event.sub_kernel && other.second > event.begin;
    });
    count += later ? 1 : 0;
  }
  return count;
}

void count_overlap(const Observation& observation, campaign::Measures& measures) {
  measures["mixes"] += 1;
  measures["with"] += overlapped(observation.parts[0].runs.front());
  measures["without"] += overlapped(observation.parts[1].runs.front());
  model::Model model(1);
  const model::PathCosts paths = model::path_costs(model, observation.first_case());
  measures["path"] += static_cast<double>(paths.as_given);
  measures["no starts"] += static_cast<double>(paths.without_starts);
  measures["no waits"] += static_cast<double>(paths.without_waits);
  measures["no calls"] += static_cast<double>(paths.without_both);
}

std::vector<Measurement> overlap_in_words(const campaign::Measures& measures) {
  const double mixes = measures.at("mixes");
  const auto mean = [&](const char* name) {
    return fmt::format("{:.1f}", measures.at(name) / mixes);
  };
  return {{"overlapped instructions a mix", mean("with")},
          {"with early-start=0", mean("without")},
          {"critical path, stand-in cycles a mix", mean("path")},
          {"without SetNextTaskStart", mean("no starts")},
          {"without WaitPreTaskEnd", mean("no waits")},
          {"without both", mean("no calls")}};
}

}  // namespace

std::vector<Property> task_properties() {
  std::vector<Property> all;
  all.push_back(legal_property(
      RuleId::task_1, "what a sub kernel stored is seen by the next, and nothing is disturbed",
      has_any({communication_by_dma, anti_dependence, output_dependence, hand_over_across})));
  all.push_back(legal_property(
      RuleId::task_2, "what came before SetNextTaskStart is complete for later sub kernels",
      has_any({early_set, early_both})));
  all.push_back(legal_property(
      RuleId::task_3, "what follows WaitPreTaskEnd sees the end of every earlier sub kernel",
      has_any({early_wait, early_both})));
  all.push_back(operator_property(RuleId::task_4, "an early-start call that not every core makes"));
  all.push_back(
      operator_property(RuleId::task_5, "a head or tail that touches a neighbour's data"));
  Property saved;
  saved.rule = RuleId::task_6;
  saved.shows = "work that early start lets overlap";
  saved.make = with_and_without_early_start;
  saved.exercises = has_any({early_set, early_wait, early_both});
  saved.measure = count_overlap;
  saved.summarize = overlap_in_words;
  saved.needs_trace = true;
  saved.most_cases = 100;
  all.push_back(std::move(saved));
  all.push_back(operator_property(RuleId::task_7, "full-core sync in a head or tail"));
  return all;
}

}  // namespace skcts::suites
