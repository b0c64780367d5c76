// Walks a JSON tree and turns it into values; keeps the path and the first error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spec/check.h"
#include "spec/error.h"
#include "spec/json_tree.h"

namespace skcts {

/// Base of readers of one text. Every read_* gives false after recording an error; the first one
/// counts, callers stop there.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view file, const JsonTree& tree)
      : text_(text), file_(file), tree_(tree) {}

  /// The error that made a read_* give false.
  const Error& error() const {
    SKCTS_CHECK(error_.has_value(), "the reader of {} stopped without an error", file_);
    return *error_;
  }
  const std::vector<Error>& warnings() const { return warnings_; }

 protected:
  using Keys = std::span<const std::string_view>;

  /// Appends to the path of the fields while it lives.
  class Scope {
   public:
    Scope(JsonReader& reader, std::string_view key);
    Scope(JsonReader& reader, std::size_t index);
    ~Scope() { reader_.path_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    JsonReader& reader_;
    std::size_t length_;
  };

  std::string_view text() const { return text_; }
  const JsonNode& root() const { return tree_.nodes.front(); }
  std::string_view key_of(const JsonNode& node) const { return tree_.strings[node.key]; }
  std::string_view string_of(const JsonNode& node) const { return tree_.strings[node.string]; }
  /// The child with that key, or nullptr.
  const JsonNode* find(const JsonNode& object, std::string_view key) const;
  /// Calls visit(child, index) for each child in text order until it gives false.
  template <class Visit>
  bool each(const JsonNode& parent, Visit&& visit) const {
    std::size_t index = 0;
    for (std::uint32_t child = parent.first_child; child != JsonNode::none;
         child = tree_.nodes[child].next) {
      if (!visit(tree_.nodes[child], index++)) return false;
    }
    return true;
  }

  bool fail(const JsonNode& node, std::string message, std::string hint = {});
  void warn(const JsonNode& node, std::string message);
  /// "expected EXPECTED, found FOUND".
  bool fail_type(const JsonNode& node, std::string_view expected);
  bool fail_missing(const JsonNode& object, std::string_view key, std::string_view what);

  /// Calls read_it(child) under the path of the key, if the key is there.
  template <class Read>
  bool optional(const JsonNode& object, std::string_view key, Read&& read_it) {
    const JsonNode* child = find(object, key);
    if (child == nullptr) return true;
    Scope scope(*this, key);
    return read_it(*child);
  }
  template <class Read>
  bool required(const JsonNode& object, std::string_view key, std::string_view what,
                Read&& read_it) {
    if (find(object, key) == nullptr) return fail_missing(object, key, what);
    return optional(object, key, read_it);
  }
  bool optional_text(const JsonNode& object, std::string_view key, std::string& to) {
    return optional(object, key, [&](const JsonNode& node) { return read_string(node, to); });
  }

  bool expect_object(const JsonNode& node, std::string_view what);
  bool expect_list(const JsonNode& node, std::string_view what, std::size_t longest);
  /// Every key of the object is one of `known`. `what` names the object in the message.
  bool check_keys(const JsonNode& object, Keys known, std::string_view what);

  bool read_integer(const JsonNode& node, std::int64_t low, std::int64_t high, std::int64_t& to);
  template <class Int>
  bool read_int(const JsonNode& node, std::int64_t low, std::int64_t high, Int& to) {
    std::int64_t value = 0;
    if (!read_integer(node, low, high, value)) return false;
    to = static_cast<Int>(value);
    return true;
  }
  bool read_uint64(const JsonNode& node, std::uint64_t& to);
  bool read_bool(const JsonNode& node, bool& to);
  bool read_string(const JsonNode& node, std::string& to);
  /// A string that is one of `names`; `to` becomes its place there.
  bool read_name(const JsonNode& node, std::string_view what, Keys names, std::size_t& to);
  /// The same; `to` becomes the enumerator with that number.
  template <class Enum>
  bool read_enum(const JsonNode& node, std::string_view what, Keys names, Enum& to) {
    std::size_t place = 0;
    if (!read_name(node, what, names, place)) return false;
    to = static_cast<Enum>(place);
    return true;
  }

  const std::string& path() const { return path_; }

 private:
  std::string_view text_;
  std::string_view file_;
  const JsonTree& tree_;
  std::string path_;
  std::optional<Error> error_;
  std::vector<Error> warnings_;
};

/// Parses the text and has a Reader read the whole of it.
template <class Reader, class Value>
Result<Value> read_json(std::string_view text, std::string_view file,
                        const JsonLimits& limits = {}) {
  const Result<JsonTree> tree = parse_json(text, file, limits);
  if (!tree) return tree.error();
  Reader reader(text, file, *tree);
  Value value;
  if (!reader.read(value)) return reader.error();
  return value;
}

}  // namespace skcts
