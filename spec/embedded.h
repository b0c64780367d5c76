// Text files that are compiled into the program (cmake/SkctsEmbed.cmake writes their tables).
#pragma once

#include <string_view>

namespace skcts {

/// One embedded text file.
struct EmbeddedFile {
  std::string_view name;  ///< Path relative to the repository root, with forward slashes.
  std::string_view text;  ///< The whole content.

  bool operator==(const EmbeddedFile&) const = default;
};

}  // namespace skcts
