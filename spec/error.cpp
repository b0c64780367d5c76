// Printing of errors and the search for the name that was meant.
#include "spec/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace skcts {

namespace {

/// Case and the kind of hyphen are not what makes two names different.
std::string fold(std::string_view word) {
  std::string folded(word);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return folded;
}

/// Insertions, deletions, replacements and exchanges of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(width);
  for (std::size_t j = 0; j < width; ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& now = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    now[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({above[j] + 1, now[j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) now[j] = std::min(now[j], two_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

/// Longer words are no names; they are not worth the time.
constexpr std::size_t longest_word = 128;

}  // namespace

std::string to_string(const Error& error) {
  std::string text;
  if (!error.file.empty()) text += error.file + ":";
  if (error.line > 0) text += fmt::format("{}:", error.line);
  if (error.line > 0 && error.column > 0) text += fmt::format("{}:", error.column);
  if (!text.empty()) text += " ";
  if (!error.field.empty()) text += error.field + ": ";
  text += error.message;
  if (!error.hint.empty()) text += fmt::format(" ({})", error.hint);
  return text;
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names) {
  if (word.empty() || word.size() > longest_word) return {};
  const std::string wanted = fold(word);
  std::string_view nearest;
  std::size_t nearest_distance = 0;
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    const std::size_t distance = edit_distance(wanted, fold(name));
    // A third of the letters may be wrong, and never all of them.
    const std::size_t longer = std::max(wanted.size(), name.size());
    const std::size_t allowed = std::min(std::max<std::size_t>(1, longer / 3), longer - 1);
    if (distance > allowed) continue;
    if (nearest.empty() || distance < nearest_distance) {
      nearest = name;
      nearest_distance = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const std::string_view name = nearest_name(word, names);
  return name.empty() ? std::string() : fmt::format("did you mean '{}'?", name);
}

std::string join_names(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace skcts
