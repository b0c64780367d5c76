// GM, the data caches, what is under way between them, and the environment's moves.
#include <algorithm>
#include <cstring>

#include "harness/emulator/machine.h"

namespace skcts::emulator {

void Machine::gm_read(std::int32_t at, std::uint32_t* to, std::int32_t count) const {
  if (at >= 0 && count <= setup_.gm_words && at <= setup_.gm_words - count) {
    std::memcpy(to, gm_.data() + at, static_cast<std::size_t>(count) * 4);
    return;
  }
  for (std::int32_t i = 0; i < count; ++i) {
    to[i] = in_gm(at + i) ? gm_[static_cast<std::size_t>(at + i)] : 0xdeaddeadu;
  }
}

void Machine::gm_write(std::int32_t at, const std::uint32_t* from, std::int32_t count) {
  if (at < 0) return;
  count = std::min(count, setup_.gm_words - at);
  if (count <= 0) return;
  std::uint32_t* to = gm_.data() + at;
  if (watchers_ > 0 && std::memcmp(to, from, static_cast<std::size_t>(count) * 4) != 0) {
    std::int32_t low = 0;
    while (to[low] == from[low]) ++low;
    std::int32_t high = count;
    while (to[high - 1] == from[high - 1]) --high;
    std::memcpy(to, from, static_cast<std::size_t>(count) * 4);
    gm_changed(at + low, at + high);
    return;
  }
  std::memcpy(to, from, static_cast<std::size_t>(count) * 4);
}

void Machine::gm_add(std::int32_t at, const std::uint32_t* from, std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    if (!in_gm(at + i)) continue;
    const std::uint32_t sum = gm_[static_cast<std::size_t>(at + i)] + from[i];
    gm_write(at + i, &sum, 1);
  }
}

/// Wakes the cores that watch one of the words.
void Machine::gm_changed(std::int32_t from, std::int32_t to) {
  for (std::uint32_t c = 0; c < core_count_; ++c) {
    Watch& watch = cores_[c].watch;
    if (!watch.active || watch.hit || watch.to <= from || watch.from >= to) continue;
    watch.hit = true;
    update_scalar(c);
  }
}

/// The line in the core's cache, fetched if it is not there. The core's own write-back of the line
/// lands first.
CachedLine& Machine::fetch(std::uint32_t c, std::int32_t line) {
  Core& core = cores_[c];
  const int place = core.cache.find(line);
  if (place >= 0) return core.cache.held(place);
  land_line(c, line);
  CachedLine& added = core.cache.add(line);
  ++cached_lines_;
  added.dirty = false;
  gm_read(line * line_words, added.words.data(), line_words);
  return added;
}

std::uint32_t Machine::cached_load(std::uint32_t c, std::int32_t at) {
  if (!in_gm(at)) return 0xdeaddeadu;
  return fetch(c, at / line_words).words[static_cast<std::size_t>(at % line_words)];
}

void Machine::cached_store(std::uint32_t c, std::int32_t at, std::uint32_t value) {
  if (!in_gm(at)) return;
  CachedLine& line = fetch(c, at / line_words);
  line.words[static_cast<std::size_t>(at % line_words)] = value;
  line.dirty = true;
}

/// A cache that drops at once lets go of the line right after the access.
void Machine::after_cached_access(std::uint32_t c, std::int32_t at) {
  if (chooser_->cache_policy() != CachePolicy::drop || !in_gm(at)) return;
  const int place = cores_[c].cache.find(at / line_words);
  if (place < 0) return;
  CachedLine& line = cores_[c].cache.held(place);
  if (line.dirty && holds(latitude_pin(23, "at-refresh"))) return;
  if (line.dirty) gm_write(line.line * line_words, line.words.data(), line_words);
  line.dirty = false;
  if (!holds(latitude_pin(24, "never"))) drop_place(c, place);
}

/// Takes a line out of the cache; a dirty one goes on its way to GM (or is lost: keep = false).
void Machine::refresh_place(std::uint32_t c, int place, bool keep) {
  const CachedLine& line = cores_[c].cache.held(place);
  if (line.dirty && keep) {
    if (broken(DefectId::refresh_keeps_line)) return write_back(c, place);
    const Landing landing{false, line.line, 0, line.words};
    drop_place(c, place);
    add_landing(c, landing);
    return;
  }
  if (keep && broken(DefectId::refresh_keeps_line)) return;
  drop_place(c, place);
}

/// A dirty line goes on its way to GM and stays in the cache.
void Machine::write_back(std::uint32_t c, int place) {
  CachedLine& line = cores_[c].cache.held(place);
  if (!line.dirty) return;
  line.dirty = false;
  add_landing(c, {false, line.line, 0, line.words});
}

/// Lets go of a line. A core that watches words of it looks again if GM has others there.
void Machine::drop_place(std::uint32_t c, int place) {
  Core& core = cores_[c];
  const CachedLine& held = core.cache.held(place);
  Watch& watch = core.watch;
  bool news = false;
  if (watch.active && !watch.hit) {
    const std::int32_t first = held.line * line_words;
    for (std::int32_t word = std::max(watch.from, first);
         word < std::min({watch.to, first + line_words, setup_.gm_words}); ++word) {
      news |=
          held.words[static_cast<std::size_t>(word - first)] != gm_[static_cast<std::size_t>(word)];
    }
  }
  core.cache.remove(place);
  --cached_lines_;
  if (news) {
    watch.hit = true;
    update_scalar(c);
  }
}

void Machine::add_landing(std::uint32_t c, Landing landing) {
  Core& core = cores_[c];
  landing.sequence = core.landing_sequence++;
  core.landings.push_back(landing);
  // L-25 speaks of refreshes: a store past the cache is under way until the next barrier.
  if (!landing.is_word && holds(latitude_pin(25, "at-once"))) {
    land(c, core.landings.size() - 1);
  } else {
    set_agent(c, part_land, true);
  }
}

void Machine::land(std::uint32_t c, std::size_t which) {
  Core& core = cores_[c];
  const Landing landing = core.landings[which];
  core.landings.erase(core.landings.begin() + static_cast<std::ptrdiff_t>(which));
  set_agent(c, part_land, !core.landings.empty());
  if (landing.is_word) {
    gm_write(landing.at, landing.words.data(), 1);
  } else {
    gm_write(landing.at * line_words, landing.words.data(), line_words);
  }
}

void Machine::land_line(std::uint32_t c, std::int32_t line) {
  const auto& landings = cores_[c].landings;
  for (std::size_t i = 0; i < landings.size();) {
    if (!landings[i].is_word && landings[i].at == line) {
      land(c, i);
    } else {
      ++i;
    }
  }
}

void Machine::land_all(std::uint32_t c) {
  Core& core = cores_[c];
  while (!core.landings.empty()) {
    land(c, chooser_->choose(static_cast<std::uint32_t>(core.landings.size())));
  }
}

/// What was refreshed before the landing number `sequence` was given has landed from here on.
void Machine::land_before(std::uint32_t c, std::uint32_t sequence) {
  const auto& landings = cores_[c].landings;
  for (std::size_t i = 0; i < landings.size();) {
    if (!landings[i].is_word && landings[i].sequence < sequence) {
      land(c, i);
    } else {
      ++i;
    }
  }
}

/// Now and then the environment does something to a line, riding on a step.
void Machine::environment_step() {
  if (environment_in_ > 0) {
    --environment_in_;
    return;
  }
  environment_in_ = chooser_->choose(16);
  environment_act();
}

void Machine::environment_act() {
  if (holds(latitude_pin(36, "any-time")) && chooser_->choose(4) == 0) return prefetch();
  std::uint32_t nth = chooser_->choose(static_cast<std::uint32_t>(cached_lines_));
  std::uint32_t c = 0;
  while (nth >= static_cast<std::uint32_t>(cores_[c].cache.size())) {
    nth -= static_cast<std::uint32_t>(cores_[c++].cache.size());
  }
  const int place = static_cast<int>(nth);
  CachedLine& line = cores_[c].cache.held(place);
  if (!line.dirty) {
    if (!holds(latitude_pin(24, "never"))) drop_place(c, place);
    return;
  }
  if (holds(latitude_pin(23, "at-refresh"))) return;
  line.dirty = false;
  const std::int32_t number = line.line;
  gm_write(number * line_words, line.words.data(), line_words);
  // Written back it is clean: it stays where clean lines stay.
  if (!holds(latitude_pin(24, "never")) && chooser_->choose(2) == 1) {
    drop_place(c, cores_[c].cache.find(number));
  }
}

/// A core fetches a line that it did not ask for (L-36), unless its own write-back is under way.
void Machine::prefetch() {
  const std::uint32_t c = chooser_->choose(core_count_);
  const auto line = static_cast<std::int32_t>(
      chooser_->choose(static_cast<std::uint32_t>(setup_.gm_words / line_words)));
  const auto& landings = cores_[c].landings;
  const bool under_way = std::any_of(landings.begin(), landings.end(), [line](const Landing& l) {
    return !l.is_word && l.at == line;
  });
  if (!under_way && cores_[c].started) (void)fetch(c, line);
}

/// Nothing can move. A line that a poll waits for may still be dropped, or written back by the
/// core that holds it dirty; whether it is, is a choice. False when nothing was done.
bool Machine::environment_when_idle() {
  if (chooser_->cache_policy() != CachePolicy::random || cached_lines_ == 0 || watchers_ == 0) {
    return false;
  }
  struct Offer {
    std::uint32_t core;
    std::int32_t line;
  };
  std::vector<Offer> offers;
  for (std::uint32_t w = 0; w < core_count_; ++w) {
    const Core& waiting = cores_[w];
    if (waiting.held == nullptr || waiting.held->op != DeviceOp::await_change) continue;
    // A wild address, of a core that a defect lets in; no cache holds it.
    if (waiting.watch.from < 0) continue;
    for (std::int32_t line = waiting.watch.from / line_words;
         line <= (waiting.watch.to - 1) / line_words && line * line_words < setup_.gm_words;
         ++line) {
      for (std::uint32_t c = 0; c < core_count_; ++c) {
        const int place = cores_[c].cache.find(line);
        if (place < 0) continue;
        const CachedLine& held = cores_[c].cache.held(place);
        const bool differs =
            std::memcmp(
                held.words.data(), gm_.data() + line * line_words,
                sizeof(std::uint32_t) * static_cast<std::size_t>(std::min(
                                            line_words, setup_.gm_words - line * line_words))) != 0;
        const bool writes = held.dirty && differs && !holds(latitude_pin(23, "at-refresh"));
        const bool drops = !held.dirty && differs && c == w && !holds(latitude_pin(24, "never"));
        if (writes || drops) offers.push_back({c, line});
      }
    }
  }
  const std::uint32_t taken = chooser_->choose(static_cast<std::uint32_t>(offers.size()) + 1);
  if (taken == 0) return false;
  const Offer offer = offers[taken - 1];
  const int place = cores_[offer.core].cache.find(offer.line);
  CachedLine& line = cores_[offer.core].cache.held(place);
  if (line.dirty) {
    line.dirty = false;
    gm_write(offer.line * line_words, line.words.data(), line_words);
  } else {
    drop_place(offer.core, place);
  }
  return true;
}

}  // namespace skcts::emulator
