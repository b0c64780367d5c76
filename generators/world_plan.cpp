// What is wanted of the world of a mix.
#include <algorithm>

#include "generators/generate.h"
#include "generators/random.h"
#include "generators/world.h"

namespace skcts::generators {

namespace {

using enum Feature;

constexpr int worlds_percent = 50;  ///< The other mixes are one fused launch and nothing else.

bool has_any(const FeatureSet& set, std::initializer_list<Feature> features) {
  return std::any_of(features.begin(), features.end(), [&](Feature f) { return set.has(f); });
}

Launching draw_launching(Choice& choice, const Focus& focus, bool is_plain) {
  const FeatureSet& r = focus.require;
  if (has_any(r, {beside_batch, beside_normal})) return Launching::beside;
  if (has_any(r, {scope_marks, scope_nested, scope_none, scope_unmarked})) return Launching::marked;
  if (has_any(r, {host_write, several_launches, launch_again, event_across, second_wave})) {
    return Launching::split;
  }
  constexpr int weights[] = {30, 28, 22, 20};
  const auto drawn = static_cast<Launching>(choice.weighted(weights));
  const FeatureSet& a = focus.avoid;
  const bool avoided =
      (drawn == Launching::beside && (a.has(beside_batch) || a.has(beside_normal))) ||
      (drawn == Launching::marked && has_any(a, {scope_marks, several_launches})) ||
      (drawn == Launching::split && has_any(a, {several_launches, host_write}));
  return is_plain || avoided ? Launching::fused : drawn;
}

}  // namespace

FeatureSet world_features() {
  FeatureSet set;
  for (auto f = static_cast<std::size_t>(scope_marks);
       f <= static_cast<std::size_t>(counted_as_other); ++f) {
    set.add(static_cast<Feature>(f));
  }
  return set;
}

WorldPlan draw_world(Choice& choice, const Focus& focus, const Profile& profile) {
  const FeatureSet& r = focus.require;
  const FeatureSet& a = focus.avoid;
  const bool is_plain = !choice.chance(worlds_percent);
  const auto coin = [&](int percent, std::initializer_list<Feature> features) {
    const bool drawn = choice.chance(percent) && !is_plain;
    return has_any(r, features) || (drawn && !has_any(a, features));
  };
  WorldPlan world;
  world.launching = draw_launching(choice, focus, is_plain);
  world.streams = coin(40, {two_streams, streams_in_line});
  world.fusion = choice.chance(65) || r.has(two_streams);
  if (r.has(streams_in_line) && !r.has(two_streams)) world.fusion = false;
  world.events = coin(25, {event_within, event_across});
  world.outside = coin(40, {event_from_outside, event_to_outside, outside_write, outside_copy});
  world.counted = coin(75, {counted_wider, counted_as_other});
  // On a chip of many cores such a sub kernel is a large one.
  const int waves = profile.aiv_count <= 8 ? 25 : focus.size == Size::swarm ? 6 : 0;
  const bool wave = coin(waves, {second_wave});
  world.wave = wave && world.launching == Launching::split;
  // One side cannot be both a stream and a launch; what happens between launches side by side by
  // way of events is open.
  if (world.launching == Launching::beside) {
    world.streams = world.events = world.outside = false;
  }
  return world;
}

}  // namespace skcts::generators
