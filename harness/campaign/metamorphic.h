// Changes of a case that change nothing of what it shows: checks that need no oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "spec/case.h"

namespace skcts::campaign {

enum class Relation : std::uint8_t {
  renamed,           ///< All names changed, and the regions in reverse order.
  cores_permuted,    ///< Two cores that nothing tells apart change places.
  empty_sub_kernel,  ///< One more sub kernel at the end that does nothing.
  unused_options,    ///< Options that concern nothing in the mix.
};
inline constexpr Relation all_relations[] = {Relation::renamed, Relation::cores_permuted,
                                             Relation::empty_sub_kernel, Relation::unused_options};
std::string_view to_string(Relation relation);  ///< "renamed", ...

struct Related {
  Case test_case;
  /// Where the words of the original's regions, one after the other, lie in this case's memory.
  std::vector<std::size_t> word;
};

/// The case after the change; nothing where the relation does not speak of it: cores are told apart
/// by an affine address or a query, an empty sub kernel would end the reach of an early start.
std::optional<Related> related(const Case& value, Relation relation);

/// The case itself, to be compared with.
Related unchanged(const Case& value);

/// The words of a memory of the case, in the order of the original's regions.
std::vector<std::uint32_t> words_in_order(const Related& related,
                                          std::span<const std::uint32_t> memory);

}  // namespace skcts::campaign
