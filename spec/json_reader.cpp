#include "spec/json_reader.h"

#include <algorithm>
#include <limits>

namespace skcts {
namespace {

/// Names that a user gave are shown whole up to a length.
std::string shown(std::string_view word) {
  constexpr std::size_t longest = 60;
  if (word.size() <= longest) return json_quoted(word);
  return json_quoted(word.substr(0, longest)) + "...";
}

}  // namespace

JsonReader::Scope::Scope(JsonReader& reader, std::string_view key)
    : reader_(reader), length_(reader.path_.size()) {
  if (length_ > 0) reader.path_ += '.';
  reader.path_ += key;
}

JsonReader::Scope::Scope(JsonReader& reader, std::size_t index)
    : reader_(reader), length_(reader.path_.size()) {
  reader.path_ += fmt::format("[{}]", index);
}

const JsonNode* JsonReader::find(const JsonNode& object, std::string_view key) const {
  for (std::uint32_t child = object.first_child; child != JsonNode::none;
       child = tree_.nodes[child].next) {
    if (key_of(tree_.nodes[child]) == key) return &tree_.nodes[child];
  }
  return nullptr;
}

bool JsonReader::fail(const JsonNode& node, std::string message, std::string hint) {
  const TextPlace place = place_in(text_, node.offset);
  error_ = Error{.file = std::string(file_),
                 .line = place.line,
                 .column = place.column,
                 .field = path_,
                 .message = std::move(message),
                 .hint = std::move(hint)};
  return false;
}

void JsonReader::warn(const JsonNode& node, std::string message) {
  const TextPlace place = place_in(text_, node.offset);
  warnings_.push_back(Error{.file = std::string(file_),
                            .line = place.line,
                            .column = place.column,
                            .field = path_,
                            .message = std::move(message),
                            .hint = {}});
}

bool JsonReader::fail_type(const JsonNode& node, std::string_view expected) {
  std::string found(to_string(node.kind));
  if (node.kind == JsonNode::Kind::string) found = shown(string_of(node));
  return fail(node, fmt::format("expected {}, found {}", expected, found));
}

bool JsonReader::fail_missing(const JsonNode& object, std::string_view key, std::string_view what) {
  return fail(object, fmt::format("{} needs the key \"{}\"", what, key));
}

bool JsonReader::expect_object(const JsonNode& node, std::string_view what) {
  if (node.kind == JsonNode::Kind::object) return true;
  return fail_type(node, fmt::format("an object ({})", what));
}

bool JsonReader::expect_list(const JsonNode& node, std::string_view what, std::size_t longest) {
  if (node.kind != JsonNode::Kind::list) return fail_type(node, fmt::format("a list of {}", what));
  if (node.child_count <= longest) return true;
  return fail(node,
              fmt::format("expected at most {} {}, found {}", longest, what, node.child_count));
}

bool JsonReader::check_keys(const JsonNode& object, Keys known, std::string_view what) {
  return each(object, [&](const JsonNode& child, std::size_t) {
    const std::string_view key = key_of(child);
    if (std::find(known.begin(), known.end(), key) != known.end()) return true;
    JsonNode at_key = child;
    at_key.offset = child.key_offset;
    std::string hint = did_you_mean(key, known);
    if (hint.empty()) hint = fmt::format("known keys: {}", join_names(known));
    return fail(at_key, fmt::format("unknown key {} in {}", shown(key), what), std::move(hint));
  });
}

bool JsonReader::read_integer(const JsonNode& node, std::int64_t low, std::int64_t high,
                              std::int64_t& to) {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  if (node.kind != JsonNode::Kind::integer) return fail_type(node, expected);
  const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = node.magnitude <= largest + (node.negative ? 1 : 0);
  const auto value = static_cast<std::int64_t>(node.negative ? 0 - node.magnitude : node.magnitude);
  if (!fits || value < low || value > high) {
    return fail(node, fmt::format("expected {}, found {}{}", expected, node.negative ? "-" : "",
                                  node.magnitude));
  }
  to = value;
  return true;
}

bool JsonReader::read_uint64(const JsonNode& node, std::uint64_t& to) {
  if (node.kind == JsonNode::Kind::integer && node.negative) {
    return fail(node, fmt::format("expected a whole number from 0, found -{}", node.magnitude));
  }
  if (node.kind != JsonNode::Kind::integer) {
    return fail_type(node, "a whole number from 0 to 18446744073709551615");
  }
  to = node.magnitude;
  return true;
}

bool JsonReader::read_bool(const JsonNode& node, bool& to) {
  if (node.kind != JsonNode::Kind::boolean) return fail_type(node, "true or false");
  to = node.negative;
  return true;
}

bool JsonReader::read_string(const JsonNode& node, std::string& to) {
  if (node.kind != JsonNode::Kind::string) return fail_type(node, "a string");
  to = string_of(node);
  return true;
}

bool JsonReader::read_name(const JsonNode& node, std::string_view what, Keys names,
                           std::size_t& to) {
  if (node.kind != JsonNode::Kind::string) {
    return fail_type(node, fmt::format("the name of {} (a string)", what));
  }
  const auto found = std::find(names.begin(), names.end(), string_of(node));
  if (found != names.end()) {
    to = static_cast<std::size_t>(found - names.begin());
    return true;
  }
  std::string hint = did_you_mean(string_of(node), names);
  if (hint.empty()) {
    constexpr std::size_t many = 24;
    const bool cut = names.size() > many;
    hint = names.empty()
               ? "there is none"
               : fmt::format("known: {}{}", join_names(names.first(cut ? many : names.size())),
                             cut ? ", ..." : "");
  }
  return fail(node, fmt::format("{} is not the name of {}", shown(string_of(node)), what),
              std::move(hint));
}

}  // namespace skcts
