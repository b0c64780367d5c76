// From the events of a launch to parts that can be searched one by one.
#include "reference_model/racy_events.h"

#include <algorithm>
#include <map>

#include "reference_model/bits.h"
#include "spec/check.h"

namespace skcts::model {
namespace {

constexpr int most_slices = 16;
constexpr std::size_t most_around = 48;  // accesses to a word that is sliced

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

template <class F>
void for_sources(const RacyEvent& event, F&& f) {
  for (const WordAccess& access : event.accesses) {
    for (const Source& input : access.formula.inputs) f(input, access.word);
    f(access.formula.operand, access.word);
  }
}

bool is_cached(EventKind kind) {
  return kind >= EventKind::load;
}

}  // namespace

void RacyEvents::build(const std::vector<std::uint32_t>& value,
                       const std::vector<std::uint8_t>& open,
                       const std::vector<JointWords>& joint) {
  joint_ = &joint;
  const auto words = at(footprint_.words());
  start_ = value;
  start_.resize(words, 0);
  start_taint_.assign(words, 0);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i] != 0) start_taint_[i] = open[i] == 1 ? undefined : unfollowed;
  }
  for (const JointWords& group : joint) {
    for (const std::int64_t word : group.words) start_taint_[at(word)] = racy;
  }
  first_poison_.assign(stall_.executed.size(), -1);
  for (std::size_t i = hazards_.poison.size(); i-- > 0;) {
    first_poison_[at(hazards_.poison[i].step)] = static_cast<std::int32_t>(i);
  }
  hot_.assign(words, 0);
  walk(false);
  // Words that started together stay together.
  for (std::size_t g = 0; g < joint.size(); ++g) {
    const std::vector<std::int64_t>& group = joint[g].words;
    if (std::none_of(group.begin(), group.end(), [&](auto w) { return hot_[at(w)] != 0; })) {
      untouched_.push_back(static_cast<std::int32_t>(g));
      continue;
    }
    for (const std::int64_t word : group) hot_[at(word)] |= racy;
  }
  walk(true);
  refreshes_and_landings();
  add_pinned_ends();
  slice();
  cut(joint);
  find_ties();
}

// Order.

bool RacyEvents::over_before(const RacyEvent& a, std::int32_t start) const {
  for (const std::int32_t end : a.ends) {
    if (order_.before(end, start)) return true;
  }
  return a.landing >= 0 && order_.landed(a.thread, a.landing, start);
}

/// Has a poll before the start of b seen what a writes?
bool RacyEvents::starts_after_poll(const RacyEvent& a, const RacyEvent& b) const {
  if (a.kind != EventKind::write || a.accesses.empty()) return false;
  return std::all_of(a.accesses.begin(), a.accesses.end(), [&](const WordAccess& access) {
    return access.word < footprint_.gm_words() && order_.block_polled(a.step, access.word, b.start);
  });
}

/// Words are addresses here.
bool RacyEvents::precedes(const RacyEvent& a, const RacyEvent& b) const {
  // A write-back under way holds up the core's next fetch of the line, not another refresh of it.
  const bool passes_landing = a.kind == EventKind::land && b.kind == EventKind::refresh;
  if (is_cached(a.kind) && is_cached(b.kind) && a.cache == b.cache && !passes_landing) {
    if (a.step != b.step) return a.step < b.step;
    return a.kind < b.kind;  // an access before the flush, a refresh before its landing
  }
  if (!freedom_.overlap && a.thread == b.thread && a.step < b.step) {
    const Step& x = step_at(a.step);
    const Step& y = step_at(b.step);
    if (x.kind == StepKind::data && y.kind == StepKind::data && x.pipe == y.pipe) return true;
  }
  if (a.step == b.step) {
    if (a.kind != EventKind::read || b.kind != EventKind::write) return false;
    if (b.reads_first) return true;
    bool uses = false;
    for (const WordAccess& access : a.accesses) {
      for_sources(b, [&](const Source& s, std::int32_t) {
        uses = uses || (s.variable >= 0 && s.variable == access.variable);
      });
    }
    return uses;
  }
  return over_before(a, b.start) || starts_after_poll(a, b);
}

// What nobody can see is left out.

void RacyEvents::slice() {
  for (int turn = 0; turn < most_slices; ++turn) {
    const bool variables = drop_unused_variables();
    if (!drop_dead_writes() && !variables) break;
  }
}

bool RacyEvents::drop_unused_variables() {
  std::vector<std::uint8_t> used(variable_address_.size(), 0);
  for (const RacyEvent& event : events_) {
    for_sources(event, [&](const Source& s, std::int32_t) {
      if (s.variable >= 0) used[at(s.variable)] = 1;
    });
  }
  bool dropped = false;
  for (RacyEvent& event : events_) {
    if (event.kind != EventKind::read && event.kind != EventKind::load) continue;
    dropped = std::erase_if(
                  event.accesses,
                  [&](const WordAccess& access) { return used[at(access.variable)] == 0; }) > 0 ||
              dropped;
  }
  std::erase_if(events_, [](const RacyEvent& event) {
    return event.kind == EventKind::read && event.accesses.empty();
  });
  return dropped;
}

bool RacyEvents::drop_dead_writes() {
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> by_word;
  for (std::size_t e = 0; e < events_.size(); ++e) {
    if (is_cached(events_[e].kind)) continue;
    for (const WordAccess& access : events_[e].accesses) {
      by_word[access.word].push_back(static_cast<std::int32_t>(e));
    }
  }
  std::vector<std::pair<std::size_t, std::int32_t>> dead;
  for (std::size_t e = 0; e < events_.size(); ++e) {
    if (events_[e].kind != EventKind::write) continue;
    for (const WordAccess& access : events_[e].accesses) {
      const std::vector<std::int32_t>& around = by_word[access.word];
      if (around.size() > most_around || is_searched_line(access.word)) continue;
      if (is_dead(events_[e], access.word, around)) dead.push_back({e, access.word});
    }
  }
  for (const auto& [e, word] : dead) {
    const std::int32_t gone = word;
    std::erase_if(events_[e].accesses, [&](const WordAccess& a) { return a.word == gone; });
  }
  std::erase_if(events_, [](const RacyEvent& event) {
    return event.kind == EventKind::write && event.accesses.empty();
  });
  return !dead.empty();
}

/// Is what it writes never read, and is it surely replaced, or local?
bool RacyEvents::is_dead(const RacyEvent& write, std::int32_t address,
                         const std::vector<std::int32_t>& around) const {
  const auto reads = [&](const RacyEvent& event) {
    return event.kind != EventKind::write || event.atomic_add;
  };
  const auto unseen_if = [&](const RacyEvent* later) {
    return std::all_of(around.begin(), around.end(), [&](std::int32_t e) {
      const RacyEvent& other = events_[at(e)];
      if (&other == &write || !reads(other) || precedes(other, write)) return true;
      return later != nullptr && precedes(*later, other);
    });
  };
  if (footprint_.is_local(address) && unseen_if(nullptr)) return true;
  return std::any_of(around.begin(), around.end(), [&](std::int32_t e) {
    const RacyEvent& later = events_[at(e)];
    return &later != &write && !later.atomic_add && later.kind == EventKind::write &&
           precedes(write, later) && unseen_if(&later);
  });
}

// Parts.

void RacyEvents::cut(const std::vector<JointWords>& joint) {
  Union sets(at(footprint_.words()));
  const auto one_of_line = [&](std::int32_t cache) { return caches_[at(cache)].words.front(); };
  for (const RacyCache& cache : caches_) {
    for (const std::int32_t word : cache.words) sets.link(at(word), at(cache.words.front()));
  }
  for (const RacyEvent& event : events_) {
    for (const WordAccess& access : event.accesses) {
      sets.link(at(access.word), at(event.accesses.front().word));
    }
    for_sources(event, [&](const Source& s, std::int32_t word) {
      if (s.variable >= 0) sets.link(at(variable_address_[at(s.variable)]), at(word));
    });
  }
  for (const JointWords& group : joint) {
    for (const std::int64_t word : group.words) sets.link(at(word), at(group.words.front()));
  }
  std::map<std::size_t, std::size_t> number;
  const auto part_of = [&](std::int32_t word) -> Part& {
    const auto [place, fresh] = number.emplace(sets.find(at(word)), cuts_.size());
    if (fresh) cuts_.emplace_back();
    return cuts_[place->second];
  };
  std::vector<std::uint8_t> seen(at(footprint_.words()), 0);
  const auto note = [&](std::int32_t word) {
    if (seen[at(word)]++ == 0) part_of(word).words.push_back(word);
  };
  for (std::size_t e = 0; e < events_.size(); ++e) {
    const RacyEvent& event = events_[e];
    if (event.cache >= 0) {
      for (const std::int32_t word : caches_[at(event.cache)].words) note(word);
    }
    for (const WordAccess& access : event.accesses) note(access.word);
    Part& part = part_of(event.cache >= 0 ? one_of_line(event.cache) : event.accesses.front().word);
    part.events.push_back(static_cast<std::int32_t>(e));
  }
  for (std::size_t g = 0; g < joint.size(); ++g) {
    if (std::find(untouched_.begin(), untouched_.end(), static_cast<std::int32_t>(g)) !=
        untouched_.end()) {
      continue;
    }
    for (const std::int64_t word : joint[g].words) note(static_cast<std::int32_t>(word));
    part_of(static_cast<std::int32_t>(joint[g].words.front()))
        .groups.push_back(static_cast<std::int32_t>(g));
  }
  for (Part& part : cuts_) {
    std::sort(part.words.begin(), part.words.end());
    parts_.push_back(make_part(part));
  }
}

RacyPart RacyEvents::make_part(const Part& from) const {
  RacyPart part;
  part.words = from.words;
  const auto local = std::lower_bound(part.words.begin(), part.words.end(), footprint_.gm_words());
  part.gm_count = static_cast<std::int32_t>(local - part.words.begin());
  for (const std::int32_t word : part.words) {
    part.unknown = part.unknown || (hot_[at(word)] & unfollowed) != 0;
    const bool anything = footprint_.is_local(word) || (start_taint_[at(word)] & undefined) != 0;
    part.undefined.push_back(anything ? 1 : 0);
    part.racy = part.racy || (hot_[at(word)] & racy) != 0;
  }
  for (const std::int32_t e : from.events) part.events.push_back(events_[at(e)]);
  if (part.events.size() > most_events) {
    part.unknown = part.too_large = true;
    part.events.clear();
  }
  if (part.unknown) return part;
  relate(part);
  localise(part);
  give_starts(part, from.groups);
  if (part.starts.size() > most_starts) part.unknown = part.too_large = true;
  if (!part.unknown) close_and_conflict(part);
  return part;
}

/// Pairs that Order puts one after the other; words are addresses still.
void RacyEvents::relate(RacyPart& part) const {
  const std::size_t count = part.events.size();
  part.after.assign(count, std::vector<std::uint64_t>((count + 63) / 64, 0));
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t a = 0; a < count; ++a) {
      if (a != b && precedes(part.events[a], part.events[b])) set_bit(part.after[b], a);
    }
  }
}

/// Numbers of words, variables and caches become those of the part.
void RacyEvents::localise(RacyPart& part) const {
  std::unordered_map<std::int32_t, std::int32_t> variables, caches;
  const auto place = [&](std::int32_t word) {
    const auto found = std::lower_bound(part.words.begin(), part.words.end(), word);
    return static_cast<std::int32_t>(found - part.words.begin());
  };
  const auto variable = [&](std::int32_t& number) {
    if (number < 0) return;
    number = variables.emplace(number, static_cast<std::int32_t>(variables.size())).first->second;
  };
  for (RacyEvent& event : part.events) {
    if (event.cache >= 0) {
      const auto [found, fresh] =
          caches.emplace(event.cache, static_cast<std::int32_t>(part.caches.size()));
      if (fresh) {
        RacyCache& cache = part.caches.emplace_back(caches_[at(event.cache)]);
        for (std::int32_t& word : cache.words) word = place(word);
      }
      event.cache = found->second;
    }
    for (WordAccess& access : event.accesses) {
      access.word = place(access.word);
      variable(access.variable);
      for (Source& input : access.formula.inputs) variable(input.variable);
      variable(access.formula.operand.variable);
      if (event.cache < 0) continue;
      const std::vector<std::int32_t>& line = part.caches[at(event.cache)].words;
      const auto found = std::find(line.begin(), line.end(), access.word);
      access.word = static_cast<std::int32_t>(found - line.begin());
    }
  }
  part.variables = static_cast<std::int32_t>(variables.size());
}

void RacyEvents::give_starts(RacyPart& part, const std::vector<std::int32_t>& groups) const {
  std::vector<std::uint32_t> start;
  for (const std::int32_t word : part.words) start.push_back(start_[at(word)]);
  part.starts = {start};
  for (const std::int32_t g : groups) {
    const JointWords& group = (*joint_)[at(g)];
    std::vector<std::vector<std::uint32_t>> longer;
    if (part.starts.size() * group.tuples.size() > most_starts) {
      part.unknown = part.too_large = true;
      return;
    }
    for (const std::vector<std::uint32_t>& known : part.starts) {
      for (const std::vector<std::uint32_t>& tuple : group.tuples) {
        longer.push_back(known);
        for (std::size_t i = 0; i < tuple.size(); ++i) {
          const auto found = std::lower_bound(part.words.begin(), part.words.end(),
                                              static_cast<std::int32_t>(group.words[i]));
          longer.back()[at(found - part.words.begin())] = tuple[i];
        }
      }
    }
    part.starts = std::move(longer);
  }
}

/// What an event may do to the words of GM and local memory, and to caches.
struct Touches {
  std::vector<std::uint64_t> reads, writes, adds;
};

void RacyEvents::close_and_conflict(RacyPart& part) const {
  const std::size_t count = part.events.size();
  // Steps of one thread are in issue order, but threads are not in the order of their steps.
  bool grew = true;
  while (grew) {
    grew = false;
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t a = 0; a < count; ++a) {
        if (!is_bit(part.after[b], a)) continue;
        for (std::size_t w = 0; w < part.after[b].size(); ++w) {
          const std::uint64_t more = part.after[a][w] & ~part.after[b][w];
          part.after[b][w] |= more;
          grew = grew || more != 0;
        }
      }
    }
  }
  const std::size_t words = (part.words.size() + 63) / 64;
  std::vector<Touches> touches(count);
  for (std::size_t e = 0; e < count; ++e) {
    const RacyEvent& event = part.events[e];
    SKCTS_CHECK(!is_bit(part.after[e], e), "step {} comes before itself", event.step);
    Touches& touch = touches[e];
    touch.reads.assign(words, 0);
    touch.writes = touch.adds = touch.reads;
    std::vector<std::uint64_t>& set = event.kind == EventKind::write
                                          ? (event.atomic_add ? touch.adds : touch.writes)
                                          : touch.reads;
    if (event.cache < 0) {
      for (const WordAccess& access : event.accesses) set_bit(set, at(access.word));
      continue;
    }
    const bool writes = event.kind == EventKind::land || event.kind == EventKind::flush ||
                        (event.kind == EventKind::refresh && !freedom_.land_late);
    for (const std::int32_t word : part.caches[at(event.cache)].words) {
      set_bit(writes ? touch.writes : touch.reads, at(word));
    }
  }
  part.conflicts.assign(count, std::vector<std::uint64_t>((count + 63) / 64, 0));
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (is_bit(part.after[a], b) || is_bit(part.after[b], a)) continue;
      bool conflict = false;
      for (std::size_t w = 0; w < words; ++w) {
        const Touches& x = touches[a];
        const Touches& y = touches[b];
        const std::uint64_t all_x = x.reads[w] | x.writes[w] | x.adds[w];
        const std::uint64_t all_y = y.reads[w] | y.writes[w] | y.adds[w];
        conflict = conflict || (x.writes[w] & all_y) != 0 || (y.writes[w] & all_x) != 0 ||
                   (x.adds[w] & y.reads[w]) != 0 || (y.adds[w] & x.reads[w]) != 0;
      }
      if (!conflict) continue;
      set_bit(part.conflicts[a], b);
      set_bit(part.conflicts[b], a);
    }
  }
}

RacyPart RacyEvents::merge(const std::vector<std::int32_t>& which) const {
  Part all;
  for (const std::int32_t p : which) {
    const Part& part = cuts_[at(p)];
    all.words.insert(all.words.end(), part.words.begin(), part.words.end());
    all.events.insert(all.events.end(), part.events.begin(), part.events.end());
    all.groups.insert(all.groups.end(), part.groups.begin(), part.groups.end());
  }
  std::sort(all.words.begin(), all.words.end());
  return make_part(all);
}

}  // namespace skcts::model
