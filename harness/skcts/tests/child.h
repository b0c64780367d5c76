// Running the program as a child process, for tests.
#pragma once

#include <string>
#include <vector>

namespace skcts::program {

struct ChildResult {
  int exit_code = -1;  ///< -1: it did not end by itself.
  std::string out;     ///< Standard output.
  std::string err;     ///< Standard error.
};

/// Runs `binary` with the arguments and waits for it.
ChildResult run_child(const std::string& binary, const std::vector<std::string>& arguments);

/// A new empty folder below the tests' temporary folder.
std::string empty_folder(const std::string& name);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace skcts::program
