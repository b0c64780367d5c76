// A view into a parsed JSON text, for readers of trusted data: what does not fit stops the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "spec/check.h"
#include "spec/json_tree.h"

namespace skcts::facts {

class JsonView {
 public:
  using Kind = JsonNode::Kind;

  /// The root of a tree; the tree outlives the view.
  explicit JsonView(const JsonTree& tree) : JsonView(tree, tree.nodes.front()) {}

  bool is(Kind kind) const { return node_->kind == kind; }

  /// The member of that name, or nothing; null counts as nothing.
  std::optional<JsonView> find(std::string_view key) const {
    for (const JsonView& member : children()) {
      if (member.key() == key && !member.is(Kind::null)) return member;
    }
    return std::nullopt;
  }

  /// A whole number without its sign, however large.
  std::uint64_t magnitude() const {
    SKCTS_CHECK(is(Kind::integer), "expected a whole number");
    return node_->magnitude;
  }

  std::string_view key() const { return tree_->strings[node_->key]; }

  std::vector<JsonView> children() const {
    std::vector<JsonView> out;
    if (!is(Kind::list) && !is(Kind::object)) return out;
    for (std::uint32_t at = node_->first_child; at != JsonNode::none; at = tree_->nodes[at].next) {
      out.push_back(JsonView(*tree_, tree_->nodes[at]));
    }
    return out;
  }

  /// The value as bool, int or std::string, or a vector of such.
  template <class T>
  T as() const {
    if constexpr (std::is_same_v<T, bool>) {
      SKCTS_CHECK(is(Kind::boolean), "expected true or false");
      return node_->negative;
    } else if constexpr (std::is_same_v<T, int>) {
      SKCTS_CHECK(is(Kind::integer), "expected a whole number");
      const int magnitude = static_cast<int>(node_->magnitude);
      return node_->negative ? -magnitude : magnitude;
    } else if constexpr (std::is_same_v<T, std::string>) {
      SKCTS_CHECK(is(Kind::string), "expected a string");
      return tree_->strings[node_->string];
    } else {
      T out;
      for (const JsonView& child : children()) {
        out.push_back(child.as<typename T::value_type>());
      }
      return out;
    }
  }

  /// The member as a value, or nothing.
  template <class T>
  std::optional<T> get(std::string_view key) const {
    const auto member = find(key);
    if (!member) return std::nullopt;
    return member->as<T>();
  }

  template <class T>
  T get_or(std::string_view key, T otherwise) const {
    return get<T>(key).value_or(std::move(otherwise));
  }

 private:
  JsonView(const JsonTree& tree, const JsonNode& node) : tree_(&tree), node_(&node) {}

  const JsonTree* tree_;
  const JsonNode* node_;
};

}  // namespace skcts::facts
