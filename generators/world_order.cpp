// Streams, events and outside actors of a world.
#include <algorithm>

#include "generators/world_layer.h"

namespace skcts::generators {

namespace {
constexpr std::uint32_t outside_values = 0x7a000000u;  ///< Values that no instruction writes.
}

// Order ---------------------------------------------------------------------------------------

void World::order(int a, int b) {
  for (int x = 0; x < count_; ++x) {
    for (int y = 0; y < count_; ++y) {
      if ((x == a || before(x, a)) && (y == b || before(b, y))) {
        order_[static_cast<std::size_t>(x * count_ + y)] = true;
      }
    }
  }
}

void World::add_event(int from, int to) {
  const std::string name = event_name();
  sub(from).send.push_back(name);
  sub(to).recv.push_back(name);
  order(from, to);
}

/// What launches and lists order, before any event.
void World::find_order() {
  order_.assign(static_cast<std::size_t>(count_ * count_), false);
  std::vector<int> group_of(static_cast<std::size_t>(count_), -1);
  const std::vector<LaunchGroup> groups = launch_groups(case_);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int k : groups[g].subs) group_of[static_cast<std::size_t>(k)] = static_cast<int>(g);
  }
  for (int a = 0; a < count_; ++a) {
    for (int b = a + 1; b < count_; ++b) {
      const int of = group_of[static_cast<std::size_t>(a)];
      if (of < 0 || of != group_of[static_cast<std::size_t>(b)]) {
        order(a, b);
        continue;
      }
      const LaunchGroup& group = groups[static_cast<std::size_t>(of)];
      const bool in_line = !is_two_stream(mix_, plan_.options, group);
      if (in_line || sub(a).stream == sub(b).stream) order(a, b);
    }
  }
}

/// Two streams of one launch: an event along each dependence that nothing else orders. In line: an
/// event between neighbours of different streams.
void World::connect(const LaunchGroup& group) {
  const bool free = is_two_stream(mix_, plan_.options, group);
  for (std::size_t j = 1; j < group.subs.size(); ++j) {
    const int b = group.subs[j];
    if (!free) {
      const int a = group.subs[j - 1];
      if (sub(a).stream != sub(b).stream) add_event(a, b);
      continue;
    }
    for (std::size_t i = j; i-- > 0;) {
      const int a = group.subs[i];
      const bool depends = touches_.share_data(a, b) || touches_.share_flags(a, b);
      if (depends && !before(a, b)) add_event(a, b);
    }
  }
}

void World::lay_streams() {
  std::vector<LaunchGroup> groups = launch_groups(case_);
  for (int k = 0; k < count_; ++k) sub(k).stream = planned(k).side;
  for (const LaunchGroup& group : groups) {
    if (group.alone || holds(group, plan_.options.feed_sync_all && !plan_.options.stream_fusion)) {
      continue;
    }
    for (const int k : group.subs) sub(k).stream = 0;
  }
  find_order();
  for (const LaunchGroup& group : groups) {
    if (!group.alone) connect(group);
  }
}

/// Events along an order that is there without them.
void World::lay_events() {
  const int wanted = choice_.range(1, 2);
  for (int i = 0, tries = 0; i < wanted && tries < 12 && count_ > 1; ++tries) {
    const int b = choice_.range(1, count_ - 1);
    const int a = choice_.below(b);
    if (!before(a, b)) continue;
    add_event(a, b);
    ++i;
  }
}

// Outside -------------------------------------------------------------------------------------

/// Regions that sub kernel k touches and no actor does, if `may` holds for each sub kernel that
/// touches them and how.
template <class May>
std::vector<int> World::regions_of(int k, May&& may) const {
  std::vector<int> found;
  for (int r = 0; r < touches_.regions(); ++r) {
    if (!touches_.of(k, r).any() || is_outside_[static_cast<std::size_t>(r)]) continue;
    bool possible = true;
    for (int other = 0; other < count_; ++other) {
      const Touch& t = touches_.of(other, r);
      if (t.any()) possible = possible && !t.waits && may(other, t);
    }
    if (possible) found.push_back(r);
  }
  return found;
}

/// Regions that sub kernel k alone touches, and not through a cache.
std::vector<int> World::regions_touched_by(int k) const {
  return regions_of(k, [k](int other, const Touch& t) { return !t.cached && other == k; });
}

/// Regions that only sub kernel k and those before it touch.
std::vector<int> World::regions_done_by(int k) const {
  return regions_of(k, [&](int other, const Touch& t) {
    return !t.late && (other == k || before(other, k));
  });
}

void World::put_write(OutsideActor& actor, int region) {
  const int words = mix_.regions[static_cast<std::size_t>(region)].words;
  OutsideStep& step = actor.steps.emplace_back();
  step.kind = OutsideKind::write;
  step.region = static_cast<std::int16_t>(region);
  const int count = std::min(words, choice_.chance(50) ? 8 : 16);
  step.at = words > count ? choice_.below((words - count) / 8 + 1) * 8 : 0;
  for (int i = 0; i < count; ++i) step.values.push_back(outside_values + ++written_);
}

std::int16_t World::fresh_region() {
  Region& r = mix_.regions.emplace_back();
  r.name = "o" + std::to_string(mix_.regions.size() - 1);
  r.words = 16;
  r.init.first = 0x7b000000u;
  r.init.step = 1;
  is_outside_.push_back(true);
  return static_cast<std::int16_t>(mix_.regions.size() - 1);
}

/// An event from outside to one of several sub kernels of one of several launches is open for the
/// model.
bool World::may_be_fed(int k) const {
  const std::vector<LaunchGroup> groups = launch_groups(case_);
  return groups.size() == 1 || std::any_of(groups.begin(), groups.end(), [k](const auto& group) {
           return group.subs.size() == 1 && group.subs.front() == k;
         });
}

/// Words that a sub kernel then reads or writes over: written, or copied from what the actor took
/// before. The sub kernel comes after `after`, if that is one.
bool World::feed_from_outside(OutsideActor& actor, int after) {
  std::vector<std::pair<int, int>> possible;
  for (int k = 0; k < count_; ++k) {
    if ((after >= 0 && !before(after, k)) || !may_be_fed(k)) continue;
    for (const int r : regions_touched_by(k)) possible.emplace_back(k, r);
  }
  if (possible.empty()) return false;
  const auto [k, r] = choice_.pick(std::span<const std::pair<int, int>>(possible));
  is_outside_[static_cast<std::size_t>(r)] = true;
  put_write(actor, r);
  if (after >= 0 && flip(Feature::outside_copy, 60)) {
    OutsideStep& step = actor.steps.back();
    const OutsideStep from = actor.steps[actor.steps.size() - 2];
    if (from.kind == OutsideKind::copy) {
      step.kind = OutsideKind::copy;
      step.to = step.region;
      step.to_at = step.at;
      step.region = from.to;
      step.at = 0;
      step.count = 8;
      step.values.clear();
    }
  }
  OutsideStep& raise = actor.steps.emplace_back();
  raise.kind = OutsideKind::raise;
  raise.event = event_name();
  sub(k).recv.push_back(raise.event);
  return true;
}

/// Waits for a sub kernel and copies or writes over what it left.
bool World::take_outside(OutsideActor& actor, int& waited) {
  std::vector<std::pair<int, int>> possible;
  for (int k = 0; k < count_; ++k) {
    for (const int r : regions_done_by(k)) possible.emplace_back(k, r);
  }
  if (possible.empty()) return false;
  const auto [k, r] = choice_.pick(std::span<const std::pair<int, int>>(possible));
  waited = k;
  is_outside_[static_cast<std::size_t>(r)] = true;
  OutsideStep& wait = actor.steps.emplace_back();
  wait.kind = OutsideKind::wait;
  wait.event = event_name();
  sub(k).send.push_back(wait.event);
  if (!flip(Feature::outside_copy, 65)) {
    put_write(actor, r);
    return true;
  }
  const int words = mix_.regions[static_cast<std::size_t>(r)].words;
  const std::int16_t to = fresh_region();
  OutsideStep& copy = actor.steps.emplace_back();
  copy.kind = OutsideKind::copy;
  copy.region = static_cast<std::int16_t>(r);
  copy.at = words > 8 ? choice_.below((words - 8) / 8 + 1) * 8 : 0;
  copy.to = to;
  copy.to_at = choice_.below(2) * 8;
  copy.count = std::min(words, 8);
  return true;
}

bool World::lay_actor(OutsideActor& actor) {
  const int what = choice_.below(100);
  const bool takes = what < 60 || wants(Feature::event_to_outside) || wants(Feature::outside_copy);
  const bool feeds = what >= 35 || wants(Feature::event_from_outside);
  int waited = -1;
  const bool took = takes && take_outside(actor, waited);
  // A copy that is handed on starts at the word that was copied to.
  if (took && feeds && actor.steps.back().kind == OutsideKind::copy) actor.steps.back().to_at = 0;
  const bool fed = feeds && feed_from_outside(actor, took ? waited : -1);
  if (!took && !fed && choice_.chance(50)) put_write(actor, fresh_region());
  return !actor.steps.empty();
}

void World::lay_outside() {
  const int wanted = choice_.chance(30) ? 2 : 1;
  for (int i = 0; i < wanted; ++i) {
    OutsideActor actor;
    actor.name = "actor" + std::to_string(i);
    if (lay_actor(actor)) mix_.outside.push_back(std::move(actor));
  }
}

}  // namespace skcts::generators
