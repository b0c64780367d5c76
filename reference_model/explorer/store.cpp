// Chunks, growth, large pages, and keys that become wider.
#include "reference_model/explorer/store.h"

#include <algorithm>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace skcts::explorer {

namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;
constexpr int first_key_bits = 4;
constexpr std::size_t small_table = 32'768;

}  // namespace

bool Pages::allocate(std::size_t bytes, bool needed) {
  // Whole large pages are cleared by the system at the first touch: worth it from a few on.
  const bool large = bytes >= 2 * page_bytes;
  const std::size_t unit = large ? page_bytes : 64;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  if (!claim_.add(whole) && !needed) return false;
  memory_ = std::aligned_alloc(unit, whole);
  if (memory_ == nullptr) {
    SKCTS_CHECK(!needed, "no memory for {} bytes", whole);
    claim_.budget().stop(fmt::format("no memory for {} bytes of states", whole));
    return false;
  }
#if defined(__linux__)
  // Only a wish: where it is refused the states are as right, and slower.
  if (large) static_cast<void>(madvise(memory_, whole, MADV_HUGEPAGE));
#endif
  return true;
}

template <class Unit>
bool Store<Unit>::make_room() {
  if (closed_) return false;
  if (chunks_.size() == most_chunks) {
    budget_->stop("more states than numbers");
    return false;
  }
  const std::size_t count = std::size_t{1} << (first_bits + chunks_.size());
  Pages chunk(*budget_);
  if (!chunk.allocate(count * words_ * sizeof(Unit))) return false;
  memory_[chunks_.size()] = chunk.as<Unit>();
  chunks_.push_back(std::move(chunk));
  room_ += count;
  return true;
}

template <class Unit>
bool Store<Unit>::resize(std::size_t slots, bool needed) {
  const std::size_t bytes = slots * sizeof(std::uint64_t);
  Pages table(*budget_);
  if (!table.allocate(bytes, needed)) return false;
  std::swap(table_, table);
  auto* const old = slots_;
  slots_ = table_.as<std::uint64_t>();
  std::memset(slots_, 0, bytes);
  const std::size_t before = old == nullptr ? 0 : mask_ + 1;
  mask_ = slots - 1;
  for (std::size_t k = 0; k < before; ++k) {
    if (old[k] == 0) continue;
    std::size_t at = (old[k] >> 32) & mask_;
    while (slots_[at] != 0) at = (at + 1) & mask_;
    slots_[at] = old[k];
  }
  return true;
}

template <class Unit>
void Store<Unit>::grow() {
  // Small tables grow by more: what is moved each time is little, but often.
  const std::size_t times = mask_ < small_table ? 4 : 2;
  if (resize((mask_ + 1) * times)) return;
  closed_ = true;
  room_ = size_;
}

template class Store<Word>;
template class Store<KeyWord>;

States::States(const std::vector<std::uint32_t>& bounds, Budget& budget)
    : bounds_(bounds), budget_(&budget), places_(bounds.size() - 1), whole_(lay_out(), budget) {
  parts_.reserve(places_.size());
  for (std::size_t k = 0; k < places_.size(); ++k) {
    parts_.emplace_back(bounds_[k + 1] - bounds_[k], budget);
  }
}

/// Gives a part that has most of its numbers room for four times as many; the words of a key.
std::size_t States::lay_out() {
  std::size_t word = 0;
  int used = 0;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const std::size_t count = k < parts_.size() ? parts_[k].size() : 0;
    int bits = std::max<int>(first_key_bits, places_[k].bits);
    if (count * 4 > std::size_t{3} << bits)
      bits = std::min(31, static_cast<int>(std::bit_width(count)) + 2);
    if (used + bits > 64) {
      ++word;
      used = 0;
    }
    places_[k] = Place{(Word{1} << bits) - 1, static_cast<std::uint16_t>(word),
                       static_cast<std::uint8_t>(used), static_cast<std::uint8_t>(bits)};
    used += bits;
  }
  return word + 1;
}

void States::make_key(const Word* numbers, KeyWord* key) const {
  std::fill_n(key, key_words(), 0);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    key[places_[k].word] |= KeyWord{numbers[k]} << places_[k].shift;
  }
}

void States::widen() {
  narrow_ = false;
  const std::vector<Place> before = places_;
  Store<KeyWord> wider(lay_out(), *budget_, whole_.mask() + 1);
  std::swap(whole_, wider);
  std::vector<KeyWord> key(key_words());
  for (std::size_t at = 0; at < wider.size(); ++at) {
    std::fill(key.begin(), key.end(), 0);
    for (std::size_t k = 0; k < places_.size(); ++k) {
      key[places_[k].word] |= KeyWord{before[k].get(wider[at])} << places_[k].shift;
    }
    whole_.insert(key.data());
  }
  budget_->work(wider.size() * places_.size() / 8);
}

}  // namespace skcts::explorer
