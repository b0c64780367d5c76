// Hash, growth, and large pages.
#include "reference_model/explorer/store.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace skcts::explorer {

void Pages::advise([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  // Only a wish: where it is refused the states are as right, and slower.
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
}

void Store::resize(std::size_t slots) {
  const std::size_t bytes = slots * sizeof(std::uint64_t);
  table_ = Pages(bytes, bytes >= 2 * Pages::page_bytes);
  slots_ = table_.as<std::uint64_t>();
  std::memset(slots_, 0, bytes);
  mask_ = slots - 1;
}

void Store::grow() {
  const Pages before = std::move(table_);
  const auto* const old = before.as<const std::uint64_t>();
  const std::size_t count = mask_ + 1;
  resize(count * 2);
  for (std::size_t k = 0; k < count; ++k) {
    if (old[k] == 0) continue;
    std::size_t at = (old[k] >> 32) & mask_;
    while (slots_[at] != 0) at = (at + 1) & mask_;
    slots_[at] = old[k];
  }
}

}  // namespace skcts::explorer
