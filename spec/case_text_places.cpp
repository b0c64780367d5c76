// From the path of a field back to its place in the text.
#include <charconv>

#include "spec/case_text.h"
#include "spec/json_tree.h"

namespace skcts {
namespace {

/// One part of a path: a key, or an index where the key is empty.
struct PathPart {
  std::string_view key;
  std::size_t index = 0;
};

/// Takes the first part off a path; false at its end or at something that is no path.
bool take_part(std::string_view& path, PathPart& part) {
  if (path.empty()) return false;
  if (path.front() == '[') {
    const auto [end, error] =
        std::from_chars(path.data() + 1, path.data() + path.size(), part.index);
    if (error != std::errc() || end == path.data() + path.size() || *end != ']') return false;
    part.key = {};
    path.remove_prefix(static_cast<std::size_t>(end - path.data()) + 1);
    return true;
  }
  if (path.front() == '.') path.remove_prefix(1);
  part.key = path.substr(0, path.find_first_of(".["));
  path.remove_prefix(part.key.size());
  return !part.key.empty();
}

const JsonNode* child_of(const JsonTree& tree, const JsonNode& parent, const PathPart& part) {
  const bool by_key = !part.key.empty();
  if (parent.kind != (by_key ? JsonNode::Kind::object : JsonNode::Kind::list)) return nullptr;
  std::size_t index = 0;
  for (std::uint32_t child = parent.first_child; child != JsonNode::none;
       child = tree.nodes[child].next, ++index) {
    const JsonNode& node = tree.nodes[child];
    if (by_key ? tree.strings[node.key] == part.key : index == part.index) return &node;
  }
  return nullptr;
}

std::size_t offset_of(const JsonTree& tree, std::string_view path) {
  const JsonNode* node = &tree.nodes.front();
  PathPart part;
  while (take_part(path, part)) {
    const JsonNode* child = child_of(tree, *node, part);
    if (child == nullptr) break;
    node = child;
  }
  return node->offset;
}

}  // namespace

void place_errors(std::string_view text, std::string_view file, std::vector<Error>& errors) {
  if (errors.empty()) return;
  const JsonLimits limits{.bytes = max_case_bytes, .depth = max_case_depth};
  const Result<JsonTree> tree = parse_json(text, file, limits);
  for (Error& error : errors) {
    error.file = file;
    if (!tree) continue;
    const TextPlace place = place_in(text, offset_of(*tree, error.field));
    error.line = place.line;
    error.column = place.column;
  }
}

}  // namespace skcts
