// The names of an enumeration, for texts that are read by name.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace skcts {

/// The names of an enumeration's first `count` values, in order.
template <class Enum, std::size_t count>
std::span<const std::string_view> names_of() {
  static const std::array<std::string_view, count> names = [] {
    std::array<std::string_view, count> made;
    for (std::size_t i = 0; i < count; ++i) made[i] = to_string(static_cast<Enum>(i));
    return made;
  }();
  return names;
}

}  // namespace skcts
