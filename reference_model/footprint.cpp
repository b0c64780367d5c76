#include "reference_model/footprint.h"

#include <algorithm>
#include <bit>

#include "spec/check.h"

namespace skcts::model {
namespace {

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// Bits set; std::popcount is a library call on the plain x86-64.
std::int32_t bits_set(std::uint64_t bits) {
  bits -= (bits >> 1) & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<std::int32_t>((bits * 0x0101010101010101u) >> 56);
}

/// The local memories of a thread: its core's, or behind all cores an actor's own.
std::int32_t core_place(const LaunchProgram& program, const Thread& thread) {
  const CoreId core = thread.core;
  if (thread.outside >= 0) {
    return program.shape.aic_count + program.shape.aiv_count + thread.outside;
  }
  const std::int32_t first = program.first_core(thread);
  const bool cube = core.kind == CoreKind::aic;
  return first + core.index + (cube ? 0 : program.shape_of(thread).aic_count);
}

}  // namespace

void Footprint::mark(std::int64_t address) {
  chunks_[at(address >> 6)].bits |= std::uint64_t{1} << (address & 63);
}

/// Borders at or below the address.
std::int32_t Footprint::rank(std::int32_t address) const {
  const Chunk& chunk = chunks_[at(address >> 6)];
  const std::uint64_t upto = ~std::uint64_t{0} >> (63 - (address & 63));
  return chunk.before + bits_set(chunk.bits & upto);
}

void Footprint::build(const LaunchProgram& program, std::int64_t gm_words) {
  auto cores = at(program.shape.aic_count + program.shape.aiv_count);
  for (const Thread& thread : program.threads) {
    cores = std::max(cores, at(core_place(program, thread)) + 1);
  }
  windows_.assign(cores * spaces, Window());
  places_.assign(program.ranges.size(), Place());
  for (const Thread& thread : program.threads) {
    const auto row = static_cast<std::int32_t>(at(core_place(program, thread)) * spaces);
    for (const Step& step : thread.steps) {
      for (std::int32_t r = step.reads_begin; r < step.writes_end; ++r) {
        const WordRange& range = program.ranges[at(r)];
        if (range.space == Space::gm) continue;
        const std::int32_t window = row + static_cast<std::int32_t>(range.space);
        places_[at(r)].window = window;
        Window& used = windows_[at(window)];
        used.first = std::min(used.first, range.first);
        used.last = std::max(used.last, range.first + range.count);
      }
    }
  }
  std::int64_t next = gm_words;
  for (Window& window : windows_) {
    if (window.first >= window.last) continue;
    window.base = next - window.first;
    next += window.last - window.first;
  }
  SKCTS_CHECK(next < INT32_MAX, "{} words of memory in one launch", next);
  gm_words_ = static_cast<std::int32_t>(gm_words);
  words_ = static_cast<std::int32_t>(next);

  chunks_.assign(at(next / 64) + 1, Chunk());
  mark(0);
  mark(gm_words);
  for (std::size_t r = 0; r < places_.size(); ++r) {
    const WordRange& range = program.ranges[r];
    Place& place = places_[r];
    const std::int64_t base = place.window < 0 ? 0 : windows_[at(place.window)].base;
    place.address = static_cast<std::int32_t>(base + range.first);
    SKCTS_CHECK(place.address >= 0 && std::int64_t{place.address} + range.count <= next,
                "access to word {} outside memory", range.first);
    mark(place.address);
    mark(std::int64_t{place.address} + range.count);
  }
  std::int32_t total = 0;
  for (Chunk& chunk : chunks_) {
    chunk.before = total;
    total += bits_set(chunk.bits);
  }
  segment_count_ = total;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    Place& place = places_[r];
    place.first_segment = rank(place.address) - 1;
    place.last_segment = rank(place.address + program.ranges[r].count) - 1;
  }
}

std::int32_t Footprint::segment_of(std::int32_t address) const {
  return rank(address) - 1;
}

std::int32_t Footprint::segment_start(std::int32_t segment) const {
  if (segment >= segment_count_) return words_;
  // The last chunk with at most `segment` borders before it holds this one.
  const auto found = std::upper_bound(
      chunks_.begin(), chunks_.end(), segment,
      [](std::int32_t wanted, const Chunk& chunk) { return wanted < chunk.before; });
  const auto place = static_cast<std::int32_t>(found - chunks_.begin()) - 1;
  std::uint64_t bits = chunks_[at(place)].bits;
  for (std::int32_t skip = segment - chunks_[at(place)].before; skip > 0; --skip) bits &= bits - 1;
  return place * 64 + std::countr_zero(bits);
}

Footprint::LocalPlace Footprint::local_place(std::int32_t address) const {
  for (std::size_t w = 0; w < windows_.size(); ++w) {
    const Window& window = windows_[w];
    const std::int64_t word = address - window.base;
    if (window.first <= word && word < window.last) {
      return {static_cast<std::int32_t>(w / spaces), static_cast<Space>(w % spaces), word};
    }
  }
  return {};
}

}  // namespace skcts::model
