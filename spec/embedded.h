// Text files that are compiled into the program (cmake/SkctsEmbed.cmake writes their tables).
#pragma once

#include <span>
#include <string_view>

namespace skcts {

/// One embedded text file.
struct EmbeddedFile {
  std::string_view name;  ///< Path relative to the repository root, with forward slashes.
  std::string_view text;  ///< The whole content.

  bool operator==(const EmbeddedFile&) const = default;
};

/// The case files of spec/cases, in the order of their names.
std::span<const EmbeddedFile> embedded_cases();

/// The files of spec/litmus: table.json and the case files that it names.
std::span<const EmbeddedFile> embedded_litmus();

/// The operators of spec/operators, in the order of their names.
std::span<const EmbeddedFile> embedded_operators();

/// The JSON Schemas of spec/schema, in the order of their names.
std::span<const EmbeddedFile> embedded_schemas();

}  // namespace skcts
