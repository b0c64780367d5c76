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

/// What is unusual about a run.
struct ChildSetup {
  std::vector<std::string> environment;  ///< "NAME=value", added to the test's own.
  std::vector<int> closed;               ///< Streams that are closed: 0, 1, 2.
  std::string out_file;                  ///< Where standard output goes instead; empty: as ever.
  int signal = 0;                        ///< Sent, twice, once `signal_after` is in standard error.
  std::string signal_after;
};

/// Runs `binary` with the arguments and waits for it.
ChildResult run_child(const std::string& binary, const std::vector<std::string>& arguments,
                      const ChildSetup& setup = {});

/// A new empty folder below the tests' temporary folder.
std::string empty_folder(const std::string& name);

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace skcts::program
