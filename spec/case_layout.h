// Parts of case text as they are written, for other texts that hold the same parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/json_tree.h"
#include "spec/mix.h"

namespace skcts {

/// Lays out objects and lists over several lines, two blanks a level.
class Layout {
 public:
  void open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!first_) new_line();
    out_ += bracket;
    first_ = false;
  }
  void item() {
    if (!first_) out_ += ',';
    new_line();
    first_ = false;
  }
  void key(std::string_view name) {
    item();
    out_ += json_quoted(name);
    out_ += ": ";
  }
  void raw(std::string_view json) { out_ += json; }
  void text(std::string_view name, std::string_view value) {
    key(name);
    raw(json_quoted(value));
  }
  void note(std::string_view value) {
    if (!value.empty()) text("note", value);
  }
  /// A list of numbers, as many in a line as fit.
  void words(const std::vector<std::uint32_t>& values) {
    constexpr std::size_t width = 100;
    open('[');
    std::size_t column = width;
    for (const std::uint32_t value : values) {
      const std::string word = std::to_string(value);
      if (column + 2 + word.size() > width - 1) {
        item();
        column = 2 * static_cast<std::size_t>(depth_) + word.size();
      } else {
        out_ += ", ";
        column += 2 + word.size();
      }
      out_ += word;
    }
    close(']');
  }
  std::string done() && {
    out_ += '\n';
    return std::move(out_);
  }

 private:
  void new_line() {
    out_ += '\n';
    out_.append(2 * static_cast<std::size_t>(depth_), ' ');
  }

  std::string out_;
  int depth_ = 0;
  bool first_ = true;
};

/// A list of regions, one a line.
void write_regions(Layout& out, const std::vector<Region>& regions);
/// A sub kernel whose regions are those of the mix.
void write_sub_kernel(Layout& out, const Mix& mix, const SubKernel& kernel);
/// "[\"a\", \"b\"]"
std::string inline_names(const std::vector<std::string>& names);

}  // namespace skcts
