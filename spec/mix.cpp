#include "spec/mix.h"

#include <array>

#include <fmt/format.h>

namespace skcts {

std::string_view to_string(Tiling tiling) {
  return tiling == Tiling::fixed ? "static" : "offload";
}

std::string_view to_string(OutsideKind kind) {
  constexpr std::array<std::string_view, 4> names = {"wait", "write", "copy", "raise"};
  return names[static_cast<std::size_t>(kind)];
}

GmLayout layout_of(const Mix& mix) {
  constexpr std::int64_t line_words = 16;
  GmLayout layout;
  layout.base.reserve(mix.regions.size());
  for (const Region& region : mix.regions) {
    const std::int64_t start = layout.words + region.offset_bytes / 4;
    layout.base.push_back(start);
    layout.words = (start + region.words + line_words - 1) / line_words * line_words;
  }
  return layout;
}

std::vector<std::uint32_t> initial_memory(const Mix& mix, const GmLayout& layout) {
  std::vector<std::uint32_t> memory(static_cast<std::size_t>(layout.words), 0);
  for (std::size_t r = 0; r < mix.regions.size(); ++r) {
    const Region& region = mix.regions[r];
    for (std::int64_t j = 0; j < region.words; ++j) {
      memory[static_cast<std::size_t>(layout.base[r] + j)] = region.init.word(j);
    }
  }
  return memory;
}

std::string word_name(const Mix& mix, const GmLayout& layout, std::int64_t word) {
  for (std::size_t r = 0; r < mix.regions.size() && r < layout.base.size(); ++r) {
    if (word >= layout.base[r] && word < layout.base[r] + mix.regions[r].words) {
      return fmt::format("{}[{}]", mix.regions[r].name, word - layout.base[r]);
    }
  }
  return fmt::format("gm+{:#x}", word * 4);
}

}  // namespace skcts
