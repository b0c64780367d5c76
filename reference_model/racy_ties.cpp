// Ties: races in several parts that cannot be decided independently, because what follows one must
// come before another and back again.
#include <algorithm>
#include <map>
#include <tuple>

#include "reference_model/bits.h"
#include "reference_model/racy_events.h"

namespace skcts::model {
namespace {

constexpr std::size_t most_pairs = 1 << 22;  // of events that are held against each other
constexpr std::size_t most_classes = 1024;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// The races of a part that hang together, by where they begin and end.
struct RaceGroup {
  std::int32_t part = 0;
  std::vector<const RacyEvent*> events;
};

std::vector<RaceGroup> race_groups(const RacyPart& part, std::int32_t number) {
  const std::size_t count = part.events.size();
  Union sets(count);
  std::vector<std::uint8_t> races(count, 0);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!is_bit(part.conflicts[a], b)) continue;
      races[a] = races[b] = 1;
      sets.link(a, b);
    }
  }
  std::map<std::size_t, RaceGroup> groups;
  for (std::size_t e = 0; e < count; ++e) {
    if (races[e] == 0) continue;
    RaceGroup& group = groups[sets.find(e)];
    group.part = number;
    group.events.push_back(&part.events[e]);
  }
  std::vector<RaceGroup> result;
  for (auto& [root, group] : groups) result.push_back(std::move(group));
  return result;
}

}  // namespace

void RacyEvents::find_ties() {
  using Place = std::tuple<std::int32_t, std::int32_t, std::vector<std::int32_t>, std::int32_t>;
  std::map<std::vector<Place>, std::vector<RaceGroup>> classes;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].unknown || !parts_[p].racy) continue;
    for (RaceGroup& group : race_groups(parts_[p], static_cast<std::int32_t>(p))) {
      std::vector<Place> key;
      for (const RacyEvent* e : group.events) {
        key.emplace_back(e->start, e->thread, e->ends, e->landing);
      }
      std::sort(key.begin(), key.end());
      key.erase(std::unique(key.begin(), key.end()), key.end());
      classes[std::move(key)].push_back(std::move(group));
    }
  }
  std::vector<const std::vector<RaceGroup>*> list;
  for (const auto& [key, groups] : classes) list.push_back(&groups);
  const std::size_t count = list.size();
  std::size_t events = 0;
  for (const auto* groups : list) events += groups->front().events.size();
  if (count > most_classes || events * events > most_pairs) {
    ties_known_ = parts_.size() <= 1;
    return;
  }
  std::vector<std::vector<std::uint64_t>> leads(count,
                                                std::vector<std::uint64_t>((count + 63) / 64, 0));
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const bool found = std::any_of(
          list[a]->front().events.begin(), list[a]->front().events.end(), [&](const auto* x) {
            return std::any_of(list[b]->front().events.begin(), list[b]->front().events.end(),
                               [&](const auto* y) { return over_before(*x, y->start); });
          });
      if (found) set_bit(leads[a], b);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t a = 0; a < count; ++a) {
      if (!is_bit(leads[a], k)) continue;
      for (std::size_t w = 0; w < leads[a].size(); ++w) leads[a][w] |= leads[k][w];
    }
  }
  Union sets(parts_.size());
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (!is_bit(leads[a], b) || !is_bit(leads[b], a)) continue;
      for (const RaceGroup& x : *list[a]) {
        sets.link(at(x.part), at(list[b]->front().part));
      }
      for (const RaceGroup& y : *list[b]) {
        sets.link(at(y.part), at(list[a]->front().part));
      }
    }
  }
  std::map<std::size_t, std::vector<std::int32_t>> together;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    together[sets.find(p)].push_back(static_cast<std::int32_t>(p));
  }
  for (auto& [root, list_of] : together) {
    if (list_of.size() > 1) tied_.push_back(std::move(list_of));
  }
}

}  // namespace skcts::model
