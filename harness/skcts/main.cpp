// skcts: the conformance test suite for SuperKernel.
#include <cstdio>
#include <exception>

#include "harness/judge/status.h"
#include "harness/skcts/program.h"

namespace {

int own_error(const char* text) {
  std::fprintf(stderr, "skcts: %s\n", text);
  return static_cast<int>(skcts::judge::ExitCode::own_error);
}

}  // namespace

int main(int argc, char** argv) {
  int result = 0;
  try {
    result = static_cast<int>(skcts::program::run_program(argc, argv));
  } catch (const std::exception& error) {  // a full disk, or no memory left
    return own_error(error.what());
  }
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return written ? result : own_error("the output could not be written to its end");
}
