// Parsed JSON with the place of every value, for readers that must say where an error is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace skcts {

/// What a text may hold before it is refused.
struct JsonLimits {
  std::size_t bytes = std::size_t{16} << 20;
  int depth = 32;                             ///< Objects and lists inside one another.
  std::size_t values = std::size_t{1} << 21;  ///< Values of all kinds together.
  std::uint32_t keys = 64;                    ///< Keys of one object; each is compared with all.
};

/// A line and a column, both from 1; columns count bytes.
struct TextPlace {
  int line = 0;
  int column = 0;
  bool operator==(const TextPlace&) const = default;
};

TextPlace place_in(std::string_view text, std::size_t offset);

/// One JSON value of a tree. Values are stored in text order; a value's children form a chain.
struct JsonNode {
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, list, object };
  static constexpr std::uint32_t none = 0xffffffffu;

  Kind kind = Kind::null;
  bool negative = false;             ///< Integers: the value is -magnitude. Booleans: true.
  std::uint32_t offset = 0;          ///< Where the value starts in the text.
  std::uint32_t key_offset = 0;      ///< Where its key starts, in an object.
  std::uint32_t key = none;          ///< The key, as an index into the tree's strings.
  std::uint32_t string = none;       ///< Strings: an index into the tree's strings.
  std::uint32_t first_child = none;  ///< Lists and objects.
  std::uint32_t next = none;         ///< The next child of the same parent.
  std::uint32_t child_count = 0;
  std::uint64_t magnitude = 0;  ///< Integers.
};

/// The name of a kind as a message says it: "a list", "a whole number", ...
std::string_view to_string(JsonNode::Kind kind);

/// A whole text. Node 0 is the root.
struct JsonTree {
  std::vector<JsonNode> nodes;
  std::vector<std::string> strings;
};

/// Parses `text`. Errors (syntax, invalid UTF-8, a key given twice in one object, something after
/// the end, a limit exceeded) carry `file`, line and column. Numbers that no 64-bit integer holds
/// become `real`; what they are worth is not kept.
Result<JsonTree> parse_json(std::string_view text, std::string_view file,
                            const JsonLimits& limits = {});

/// `text` as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace skcts
