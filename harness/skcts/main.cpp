// skcts: the conformance test suite for SuperKernel.
#include <cerrno>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

#include "harness/judge/status.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/program.h"

namespace {

int own_error(const char* text) {
  skcts::program::complain(text);
  return static_cast<int>(skcts::judge::ExitCode::own_error);
}

/// A file opened later must not get the number of a standard stream that was closed, or what goes
/// to people lands in it. Nothing can be written to what stands in for them: that is told.
void fill_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) == -1 && errno == EBADF) open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_streams();
  int result = 0;
  try {
    result = static_cast<int>(skcts::program::run_program(argc, argv));
  } catch (const std::exception& error) {  // a full disk, or no memory left
    return own_error(error.what());
  }
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  return written ? result : own_error("the output could not be written to its end");
}
