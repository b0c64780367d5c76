// Just enough JSON for what the commands print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace skcts::program {

/// A JSON string with its quotes.
inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// A JSON object on one line, its fields in the order they were added.
class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) {
    return raw(name, json_string(value));
  }
  JsonObject& number(std::string_view name, std::int64_t value) {
    return raw(name, fmt::to_string(value));
  }
  JsonObject& flag(std::string_view name, bool value) {
    return raw(name, value ? "true" : "false");
  }
  JsonObject& texts(std::string_view name, const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) {
      list += (list.empty() ? "" : ", ") + json_string(value);
    }
    return raw(name, "[" + list + "]");
  }
  JsonObject& raw(std::string_view name, std::string_view json) {
    fields_ += fmt::format("{}{}: {}", fields_.empty() ? "" : ", ", json_string(name), json);
    return *this;
  }
  [[nodiscard]] std::string str() const { return "{" + fields_ + "}"; }

 private:
  std::string fields_;
};

}  // namespace skcts::program
