// Junk, and the bookkeeping of cached lines.
#include "harness/emulator/memory.h"

#include <algorithm>

namespace skcts::emulator {

namespace {

std::uint32_t junk_word(std::uint64_t seed, std::uint32_t word) {
  std::uint32_t x = word * 0x9e3779b9u ^ static_cast<std::uint32_t>(seed ^ (seed >> 32));
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;
  return x ^ (x >> 16);
}

}  // namespace

void LocalMemory::reset(std::int32_t words, std::uint64_t seed) {
  words_ = words;
  seed_ = seed;
  filled_from_ = filled_below_ = 0;
  if (++epoch_ == 0) {
    std::fill(page_epoch_.begin(), page_epoch_.end(), 0u);
    epoch_ = 1;
  }
}

void LocalMemory::fill(std::int32_t from, std::int32_t to) {
  const std::int32_t first = from / page_words;
  const std::int32_t last = (to + page_words - 1) / page_words;
  if (static_cast<std::size_t>(last) > page_epoch_.size()) {
    page_epoch_.resize(static_cast<std::size_t>(last), 0u);
    data_.resize(static_cast<std::size_t>(last) * page_words);
  }
  for (std::int32_t page = first; page < last; ++page) {
    std::uint32_t& epoch = page_epoch_[static_cast<std::size_t>(page)];
    if (epoch == epoch_) continue;
    epoch = epoch_;
    const auto begin = static_cast<std::uint32_t>(page * page_words);
    std::uint32_t* words = data_.data() + begin;
    for (std::uint32_t i = 0; i < page_words; ++i) words[i] = junk_word(seed_, begin + i);
  }
  // Grow the known stretch where the new one touches it.
  const std::int32_t low = first * page_words;
  const std::int32_t high = last * page_words;
  if (filled_below_ == filled_from_) {
    filled_from_ = low;
    filled_below_ = high;
  } else if (low <= filled_below_ && high >= filled_from_) {
    filled_from_ = std::min(filled_from_, low);
    filled_below_ = std::max(filled_below_, high);
  }
}

void DataCache::reset(std::int32_t gm_lines, bool keep) {
  if (static_cast<std::size_t>(gm_lines) > place_of_.size()) {
    place_of_.resize(static_cast<std::size_t>(gm_lines), -1);
  }
  if (keep) {
    // Workspaces of inserted code may be gone.
    for (int i = size() - 1; i >= 0; --i) {
      if (held(i).line >= gm_lines) remove(i);
    }
    return;
  }
  for (const CachedLine& line : held_) place_of_[static_cast<std::size_t>(line.line)] = -1;
  held_.clear();
}

CachedLine& DataCache::add(std::int32_t line) {
  place_of_[static_cast<std::size_t>(line)] = static_cast<std::int32_t>(held_.size());
  CachedLine& added = held_.emplace_back();
  added.line = line;
  return added;
}

void DataCache::remove(int place) {
  const auto at = static_cast<std::size_t>(place);
  place_of_[static_cast<std::size_t>(held_[at].line)] = -1;
  if (at + 1 != held_.size()) {
    held_[at] = held_.back();
    place_of_[static_cast<std::size_t>(held_[at].line)] = place;
  }
  held_.pop_back();
}

}  // namespace skcts::emulator
