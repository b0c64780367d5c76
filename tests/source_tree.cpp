// Reads the repository's text files and strips C++ text of comments and literals.
#include "tests/source_tree.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace skcts::repository {
namespace {

bool is_text_of_interest(std::string_view path) {
  return is_cpp(path) || path.ends_with("CMakeLists.txt") || path.ends_with(".cmake") ||
         path.ends_with(".sh") || path == ".ci/run";
}

bool is_left_out(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name == "build" || (name.starts_with(".") && name != ".ci");
}

/// Walks a C++ text once and copies what is kept; a removed character becomes a blank.
class Stripper {
 public:
  Stripper(std::string_view text, bool keep_strings) : text_(text), keep_strings_(keep_strings) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        skip_until("\n", false);
      } else if (starts("/*")) {
        skip_until("*/", true);
      } else if (starts("R\"") && !follows_word()) {
        raw_string();
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !follows_word())) {
        literal(text_[at_]);
      } else {
        keep();
      }
    }
    return std::move(out_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  /// A quote after a letter or digit separates digits (1'000), and R after one is no prefix.
  bool follows_word() const {
    return at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
  }

  void keep() { out_ += text_[at_++]; }
  void drop() {
    out_ += text_[at_] == '\n' ? '\n' : ' ';
    ++at_;
  }
  void inside() { keep_strings_ ? keep() : drop(); }

  void skip_until(std::string_view end, bool with_end) {
    while (at_ < text_.size() && !starts(end)) drop();
    for (std::size_t i = 0; with_end && i < end.size() && at_ < text_.size(); ++i) drop();
  }

  void literal(char quote) {
    keep();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) inside();
      inside();
    }
    if (at_ < text_.size()) keep();
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return keep();
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    while (at_ < text_.size() && !starts(end)) inside();
    for (std::size_t i = 0; i < end.size() && at_ < text_.size(); ++i) inside();
  }

  std::string_view text_;
  bool keep_strings_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

bool is_cpp(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".cpp");
}

std::vector<SourceFile> read_tree(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  std::vector<SourceFile> files;
  for (fs::recursive_directory_iterator it(root), end; it != end; ++it) {
    if (it->is_directory() && is_left_out(it->path())) {
      it.disable_recursion_pending();
      continue;
    }
    const std::string path = it->path().lexically_relative(root).generic_string();
    if (!it->is_regular_file() || !is_text_of_interest(path)) continue;
    std::ifstream in(it->path(), std::ios::binary);
    files.push_back({path, std::string(std::istreambuf_iterator<char>(in), {})});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::string code_only(std::string_view text, bool keep_strings) {
  return Stripper(text, keep_strings).run();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  const std::string code = code_only(text, true);
  int number = 0;
  for (std::string_view line : lines_of(code)) {
    ++number;
    const auto skip = [&line](std::string_view word) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (!line.starts_with(word)) return false;
      line.remove_prefix(word.size());
      return true;
    };
    if (!skip("#") || !skip("include") || !(skip("\"") || skip("<"))) continue;
    includes.push_back({std::string(line.substr(0, line.find_first_of("\">"))), number});
  }
  return includes;
}

}  // namespace skcts::repository
