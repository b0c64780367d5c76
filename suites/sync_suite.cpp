// SYNC: full-core and cross-core synchronisation.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/campaign/strategies.h"
#include "spec/options.h"
#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {
namespace {

using enum Feature;

/// A mix that completes without feeding, with the option and without it.
std::optional<Experiment> with_and_without_feed(const Source& source, std::uint64_t index) {
  Focus focus;
  if (index % 4 != 3) focus.require = {sync_all_full_width};
  Case with = generators::generate(seed_of(RuleId::sync_2, source.seed), index,
                                   in_one_launch(focus), *source.profile);
  const OptionParse parse = parse_options(with.mix.options);
  if (!parse.options) return std::nullopt;
  Options options = *parse.options;
  options.feed_sync_all = true;
  with.mix.options = to_option_string(options);
  if (generators::features_of(with).has(sync_all_fed)) return std::nullopt;
  Case without = with;
  options.feed_sync_all = false;
  without.mix.options = to_option_string(options);
  Experiment experiment = fused_and_alone(std::move(with), source, index);
  experiment.parts.push_back({"without feeding", std::move(without),
                              campaign::strategies_for(source.seed, index, 1), Claim::legal});
  return experiment;
}

bool overtakes(const TraceEvent& later, const TraceEvent& earlier) {
  return later.core == earlier.core && earlier.begin < later.begin && later.end < earlier.end;
}

/// A raise of some core arrived before one that the same core had made earlier. A raise's trace
/// event begins where it is made and ends where it arrives.
bool shows_overtaking_raises(const Observation& observation) {
  for (const Observed& part : observation.parts) {
    for (const RunResult& run : part.runs) {
      std::vector<const TraceEvent*> raises;
      for (const TraceEvent& event : run.trace) {
        if (event.instruction < 0 || !event.text.starts_with("raise")) continue;
        for (const TraceEvent* const other : raises) {
          if (overtakes(event, *other) || overtakes(*other, event)) return true;
        }
        raises.push_back(&event);
      }
    }
  }
  return false;
}

}  // namespace

std::vector<Property> sync_properties() {
  std::vector<Property> all;
  all.push_back(legal_property(RuleId::sync_1,
                               "SyncAll in a narrower sub kernel completes with feed-sync-all=1",
                               has_all({sync_all_fed})));
  Property feed;
  feed.rule = RuleId::sync_2;
  feed.shows = "feed-sync-all changes no result of a mix that completes without it";
  feed.make = with_and_without_feed;
  feed.exercises = has_any({sync_all_full_width, narrower_than_launch});
  all.push_back(std::move(feed));
  all.push_back(operator_property(RuleId::sync_3,
                                  "hand-made full-core sync in a narrower sub kernel stalls"));
  all.push_back(legal_property(RuleId::sync_4, "modes 1 and 2 work in a sub kernel of any width",
                               has_any({narrow_block_sync})));
  all.push_back(
      operator_property(RuleId::sync_5, "a set without its wait, or a wait without a set"));
  all.push_back(operator_property(RuleId::sync_6, "a flag counter that passes 15"));
  all.push_back(operator_property(RuleId::sync_7, "a user flag with a reserved id"));
  all.push_back(operator_property(RuleId::sync_8, "SyncAll<false> without both core kinds"));
  all.push_back(operator_property(RuleId::sync_9, "a soft SyncAll without its workspace"));
  Property overtaking = legal_property(
      RuleId::sync_10, "two raises of one core arrive in the other order", shows_overtaking_raises);
  overtaking.needs_trace = true;
  overtaking.most_cases = 200;
  all.push_back(std::move(overtaking));
  all.push_back(operator_property(RuleId::sync_11, "two cores race for one word"));
  all.push_back(operator_property(RuleId::sync_12, "one flag id in two modes or from two pipes"));
  all.push_back(operator_property(RuleId::sync_13, "cross-core flags outside MIX types"));
  all.push_back(
      operator_property(RuleId::sync_14, "cores of a kind differ in their SyncAll calls"));
  Property one_pipe = operator_property(RuleId::sync_15, "two pipes of one core wait for one id");
  one_pipe.not_on = [](const Profile& profile) -> std::string {
    if (profile.is_3510()) return {};
    return fmt::format("on {}, NPU architecture 2201, a wait holds its core and no single pipe",
                       profile.name);
  };
  all.push_back(std::move(one_pipe));
  all.push_back(operator_property(RuleId::sync_16, "a poll through the data cache"));
  return all;
}

}  // namespace skcts::suites
