// Globs and durations.
#include "harness/skcts/pattern.h"

#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace skcts::program {
namespace {

constexpr double longest_seconds = 1000.0 * 3600;

/// Seconds of a unit; 0: it is none.
double unit_seconds(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "m") return 60;
  return unit == "h" ? 3600 : 0;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t tried = 0;  // letters that the last star takes
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<double> parse_duration(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const double seconds = number * unit_seconds(std::string_view(stop, end));
  if (error == std::errc() && seconds > 0 && seconds <= longest_seconds) return seconds;
  return Error{
      .message = fmt::format(
          "'{}': expected a number with s, m or h behind it, at most 1000h, e.g. 60s", text)};
}

}  // namespace skcts::program
