// What readers of both directions share: members of messages, and the parts of an outcome.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "harness/target/target.h"
#include "spec/json_reader.h"
#include "spec/outcome.h"

namespace skcts::wire {

class MessageReader : public JsonReader {
 public:
  using JsonReader::JsonReader;

 protected:
  static constexpr std::int64_t most_int = std::numeric_limits<std::int32_t>::max();
  static constexpr std::int64_t most_long = std::numeric_limits<std::int64_t>::max();

  /// Each element of a list; `read_it(element)` under its path.
  template <class Read>
  bool each_of(const JsonNode& list, std::string_view plural, std::size_t most, Read&& read_it) {
    if (!expect_list(list, plural, most)) return false;
    return each(list, [&](const JsonNode& child, std::size_t index) {
      Scope scope(*this, index);
      return read_it(child);
    });
  }
  template <class Int>
  bool optional_int(const JsonNode& object, std::string_view key, std::int64_t low,
                    std::int64_t high, Int& to) {
    return optional(object, key,
                    [&](const JsonNode& node) { return read_int(node, low, high, to); });
  }
  bool optional_flag(const JsonNode& object, std::string_view key, bool& to) {
    return optional(object, key, [&](const JsonNode& node) { return read_bool(node, to); });
  }
  /// Which of the messages the text is, as its place among them.
  bool read_type(Keys types, std::size_t& to) {
    return expect_object(root(), "a message") &&
           required(root(), "type", "a message", [&](const JsonNode& node) {
             return read_name(node, "a message", types, to);
           });
  }
  /// Of a hello, before all else: another version may have other members.
  bool read_protocol(const JsonNode& hello, int& to) {
    return required(hello, "protocol", "hello",
                    [&](const JsonNode& node) { return read_int(node, 0, most_int, to); });
  }
  bool id_of(const JsonNode& object, std::string_view what, std::uint64_t& to) {
    return required(object, "id", what,
                    [&](const JsonNode& node) { return read_uint64(node, to); });
  }

  bool read_texts(const JsonNode& list, std::string_view plural, std::vector<std::string>& to);
  bool read_words(const JsonNode& list, std::vector<std::uint32_t>& to);
  bool read_core(const JsonNode& node, CoreId& to);
  bool read_waiting(const JsonNode& list, std::vector<Waiting>& to);
  bool read_query(const JsonNode& node, QueryRecord& to);
  bool read_inserted(const JsonNode& node, InsertedCounts& to);
  bool read_launch(const JsonNode& node, LaunchCounts& to);
  bool read_outcome(const JsonNode& node, Outcome& to);
  bool read_schedule(const JsonNode& node, Schedule& to);
  bool read_event(const JsonNode& node, TraceEvent& to);
  /// The numbers (and names, given by `read_it(element, place)`) of a list of fixed length.
  template <class Read>
  bool read_tuple(const JsonNode& node, std::string_view what, std::size_t length, Read&& read_it) {
    if (!expect_list(node, what, length)) return false;
    if (node.child_count != length) {
      return fail(
          node, fmt::format("expected {} ({} elements), found {}", what, length, node.child_count));
    }
    return each(node, [&](const JsonNode& child, std::size_t index) {
      Scope scope(*this, index);
      return read_it(child, index);
    });
  }
};

}  // namespace skcts::wire
