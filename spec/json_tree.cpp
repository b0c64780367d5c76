// The events of nlohmann's parser, turned into a tree that knows places and refuses duplicates.
#include "spec/json_tree.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace skcts {
namespace {

using Kind = JsonNode::Kind;

/// Reads through a pointer and leaves how far it came where the receiver of events sees it.
class TrackingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  TrackingIterator& operator++() {
    ++at_;
    *furthest_ = at_;
    return *this;
  }
  TrackingIterator operator++(int) {
    TrackingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const TrackingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// The syntax error of the parser without its own idea of place, cut to a printable length.
std::string short_message(std::string_view what) {
  const std::size_t column = what.find("column ");
  const std::size_t colon = column == std::string_view::npos ? column : what.find(": ", column);
  if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
  constexpr std::size_t longest = 160;
  std::string text;
  for (const char c : what.substr(0, longest)) text += (c >= ' ' && c <= '~') ? c : '?';
  if (what.size() > longest) text += "...";
  return text;
}

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, std::string_view file, const JsonLimits& limits)
      : text_(text), file_(file), limits_(limits), at_(text.data()) {}

  const char** tracker() { return &at_; }
  JsonTree take_tree() { return std::move(tree_); }
  std::optional<Error>& error() { return error_; }
  bool complete() const { return open_.empty() && !tree_.nodes.empty(); }

  bool null() { return add({.kind = Kind::null, .offset = start_of_word()}); }
  bool boolean(bool value) {
    return add({.kind = Kind::boolean, .negative = value, .offset = start_of_word()});
  }
  bool number_integer(std::int64_t value) {
    const bool negative = value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    return add({.kind = Kind::integer,
                .negative = negative,
                .offset = start_of_word(),
                .magnitude = negative ? 0 - bits : bits});
  }
  bool number_unsigned(std::uint64_t value) {
    return add({.kind = Kind::integer, .offset = start_of_word(), .magnitude = value});
  }
  bool number_float(double /*value*/, const std::string& /*text*/) {
    return add({.kind = Kind::real, .offset = start_of_word()});
  }
  bool string(std::string& value) {
    const std::uint32_t offset = start_of_string();
    return add({.kind = Kind::string, .offset = offset, .string = keep(value)});
  }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }  // no such thing in text
  bool start_object(std::size_t /*count*/) { return open(Kind::object); }
  bool start_array(std::size_t /*count*/) { return open(Kind::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& value) {
    const std::uint32_t offset = start_of_string();
    Open& parent = open_.back();
    for (std::uint32_t child = tree_.nodes[parent.node].first_child; child != JsonNode::none;
         child = tree_.nodes[child].next) {
      const JsonNode& node = tree_.nodes[child];
      if (tree_.strings[node.key] != value) continue;
      const TextPlace first = place_in(text_, node.key_offset);
      return fail(offset, fmt::format("duplicate key {}", json_quoted(value)),
                  fmt::format("first given in line {}", first.line));
    }
    if (tree_.nodes[parent.node].child_count >= limits_.keys) {
      return fail(offset, fmt::format("more than {} keys in one object", limits_.keys), "");
    }
    parent.key = keep(value);
    parent.key_offset = offset;
    return true;
  }

  template <class Exception>
  bool parse_error(std::size_t position, const std::string& /*token*/, const Exception& what) {
    std::size_t offset = std::min(position, text_.size());
    if (offset > 0) --offset;
    std::string message = short_message(what.what());
    if (message.find("number overflow") != std::string::npos) {
      const bool failed = fail(start_of_word(), "a number too large for any field", "");
      error_->field = path();
      return failed;
    }
    if (position > text_.size()) {
      offset = text_.size();
      message = "the text ends too early: " + message;
    }
    return fail(offset, message, "");
  }

 private:
  struct Open {
    std::uint32_t node = 0;
    std::uint32_t last_child = JsonNode::none;
    std::uint32_t key = JsonNode::none;
    std::uint32_t key_offset = 0;
  };

  bool fail(std::size_t offset, std::string message, std::string hint) {
    const TextPlace place = place_in(text_, offset);
    error_ = Error{.file = std::string(file_),
                   .line = place.line,
                   .column = place.column,
                   .field = {},
                   .message = std::move(message),
                   .hint = std::move(hint)};
    return false;
  }

  /// The path of the value that would be added next.
  std::string path() const {
    std::string text;
    for (const Open& open : open_) {
      const JsonNode& node = tree_.nodes[open.node];
      if (node.kind == Kind::list) {
        // The child that is open, or the one that comes next.
        const bool last = &open == &open_.back();
        text += fmt::format("[{}]", node.child_count - (last ? 0 : 1));
      } else if (open.key != JsonNode::none) {
        text += fmt::format("{}{}", text.empty() ? "" : ".", tree_.strings[open.key]);
      }
    }
    return text;
  }

  std::uint32_t keep(std::string& value) {
    tree_.strings.push_back(std::move(value));
    return static_cast<std::uint32_t>(tree_.strings.size() - 1);
  }

  std::size_t end_offset() const { return static_cast<std::size_t>(at_ - text_.data()); }

  /// The opening quote of the string that was just read: the nearest one that is not escaped.
  std::uint32_t start_of_string() const {
    std::size_t quote = end_offset() - 1;  // the closing one
    while (quote > 0) {
      --quote;
      if (text_[quote] != '"') continue;
      std::size_t slashes = 0;
      while (slashes < quote && text_[quote - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) break;
    }
    return static_cast<std::uint32_t>(quote);
  }

  /// The start of the number or the literal that was just read. The parser reads one character
  /// beyond a number.
  std::uint32_t start_of_word() const {
    const auto in_word = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == 'E' || c == '+' || c == '-' ||
             c == '.';
    };
    std::size_t start = end_offset();
    if (start > 0 && !in_word(text_[start - 1])) --start;
    while (start > 0 && in_word(text_[start - 1])) --start;
    return static_cast<std::uint32_t>(start);
  }

  bool add(JsonNode node) {
    if (tree_.nodes.size() >= limits_.values) {
      return fail(node.offset, fmt::format("more than {} values in one text", limits_.values), "");
    }
    const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    if (!open_.empty()) {
      Open& parent = open_.back();
      node.key = parent.key;
      node.key_offset = parent.key_offset;
      if (parent.last_child == JsonNode::none) {
        tree_.nodes[parent.node].first_child = index;
      } else {
        tree_.nodes[parent.last_child].next = index;
      }
      parent.last_child = index;
      ++tree_.nodes[parent.node].child_count;
    }
    tree_.nodes.push_back(node);
    return true;
  }

  bool open(Kind kind) {
    const auto offset = static_cast<std::uint32_t>(end_offset() - 1);
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      return fail(offset, fmt::format("objects and lists nested more than {} deep", limits_.depth),
                  "");
    }
    const auto index = static_cast<std::uint32_t>(tree_.nodes.size());
    if (!add({.kind = kind, .offset = offset})) return false;
    open_.push_back({.node = index});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  std::string_view file_;
  JsonLimits limits_;
  const char* at_;
  JsonTree tree_;
  std::vector<Open> open_;
  std::optional<Error> error_;
};

/// The SAX interface that nlohmann::json asks for, over a builder that needs none of its types.
struct Events {
  TreeBuilder& to;
  bool null() { return to.null(); }
  bool boolean(bool value) { return to.boolean(value); }
  bool number_integer(std::int64_t value) { return to.number_integer(value); }
  bool number_unsigned(std::uint64_t value) { return to.number_unsigned(value); }
  bool number_float(double value, const std::string& text) { return to.number_float(value, text); }
  bool string(std::string& value) { return to.string(value); }
  bool binary(nlohmann::json::binary_t& value) { return to.binary(value); }
  bool start_object(std::size_t count) { return to.start_object(count); }
  bool start_array(std::size_t count) { return to.start_array(count); }
  bool end_object() { return to.end_object(); }
  bool end_array() { return to.end_array(); }
  bool key(std::string& value) { return to.key(value); }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::json::exception& what) {
    return to.parse_error(position, token, what);
  }
};

/// Length of the UTF-8 character at the start of `text`; 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

std::optional<Error> nul_error(std::string_view text, std::string_view file) {
  const std::size_t offset = text.find('\0');
  if (offset == std::string_view::npos) return std::nullopt;
  const TextPlace place = place_in(text, offset);
  return Error{.file = std::string(file),
               .line = place.line,
               .column = place.column,
               .field = {},
               .message = "a NUL byte, which no JSON text has",
               .hint = {}};
}

}  // namespace

TextPlace place_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_end = before.rfind('\n');
  const std::size_t start = line_end == std::string_view::npos ? 0 : line_end + 1;
  return {.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          .column = static_cast<int>(before.size() - start) + 1};
}

std::string_view to_string(JsonNode::Kind kind) {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "true or false";
    case Kind::integer: return "a whole number";
    case Kind::real: return "a number that is not whole, or too large";
    case Kind::string: return "a string";
    case Kind::list: return "a list";
    case Kind::object: return "an object";
  }
  return "?";
}

Result<JsonTree> parse_json(std::string_view text, std::string_view file,
                            const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return Error{
        .file = std::string(file),
        .line = 1,
        .column = 1,
        .field = {},
        .message = fmt::format("the text has {} bytes, more than {}", text.size(), limits.bytes),
        .hint = {}};
  }
  TreeBuilder builder(text, file, limits);
  Events events{builder};
  const TrackingIterator first(text.data(), builder.tracker());
  const TrackingIterator last(text.data() + text.size(), builder.tracker());
  const bool parsed = nlohmann::json::sax_parse(first, last, &events);
  if (std::optional<Error> nul = nul_error(text, file)) {
    // The parser takes a NUL for the end of the text; what it found before stands first.
    const std::optional<Error>& found = builder.error();
    const auto place = [](const Error& error) { return std::pair(error.line, error.column); };
    if (!found || place(*found) >= place(*nul)) return std::move(*nul);
  }
  if (builder.error()) return std::move(*builder.error());
  SKCTS_CHECK(parsed && builder.complete(), "the JSON parser stopped without an error");
  return builder.take_tree();
}

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      quoted += "\xef\xbf\xbd";
    } else if (length > 1) {
      quoted += text.substr(0, length);
    } else if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  quoted += '"';
  return quoted;
}

}  // namespace skcts
