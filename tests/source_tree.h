// The repository's own text files, and the two views of C++ text that the checks need.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace skcts::repository {

/// One text file: its path from the repository root with forward slashes, and its content.
struct SourceFile {
  std::string path;
  std::string text;
};

/// One #include of a file: what stands between the brackets, and where.
struct Include {
  std::string target;
  int line = 0;
};

/// All C++ files, CMake files and shell scripts below `root`, in the order of their paths.
/// Hidden folders other than .ci, and the folder build, are left out.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);

/// The text without comments; with `keep_strings` false also without the insides of string and
/// character literals. Line breaks stay, so that line numbers hold.
std::string code_only(std::string_view text, bool keep_strings);

/// The #include lines of a C++ text, in order, with lines from 1.
std::vector<Include> includes_of(std::string_view text);

/// The lines of a text, without their line breaks.
std::vector<std::string_view> lines_of(std::string_view text);

/// Whether the path names a C++ source or header.
bool is_cpp(std::string_view path);

}  // namespace skcts::repository
