// fork, exec, and both outputs through files.
#include "harness/skcts/tests/child.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace skcts::program {
namespace {

/// The folder of this process; it goes when the process ends.
struct TemporaryFolder {
  std::string path = name();
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  static std::string name();
};

std::string TemporaryFolder::name() {
  const char* const given = std::getenv("TMPDIR");
  const auto base = given == nullptr || *given == '\0' ? std::filesystem::path("/tmp")
                                                       : std::filesystem::path(given);
  return (base / ("skcts-tests-" + std::to_string(getpid()))).string();
}

const std::string& temporary_folder() {
  static const TemporaryFolder folder;
  return folder.path;
}

[[noreturn]] void become(const std::string& binary, const std::vector<std::string>& arguments,
                         const std::string& out, const std::string& err, const ChildSetup& setup) {
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  const int out_file = open(out.c_str(), flags, 0600);
  const int err_file = open(err.c_str(), flags, 0600);
  if (out_file < 0 || err_file < 0 || dup2(out_file, 1) < 0 || dup2(err_file, 2) < 0) _exit(126);
  for (const int stream : setup.closed) close(stream);
  for (const std::string& variable : setup.environment) {
    const std::size_t equals = variable.find('=');
    setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  }
  std::vector<std::string> words{binary};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(binary.c_str(), pointers.data());
  _exit(127);
}

}  // namespace

std::string empty_folder(const std::string& name) {
  const auto path = std::filesystem::path(temporary_folder()) / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path.string();
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

ChildResult run_child(const std::string& binary, const std::vector<std::string>& arguments,
                      const ChildSetup& setup) {
  const std::string folder = empty_folder("child");
  const std::string out = setup.out_file.empty() ? folder + "/out" : setup.out_file;
  const std::string err = folder + "/err";
  const pid_t child = fork();
  if (child == 0) become(binary, arguments, out, err, setup);
  ChildResult result;
  int status = 0;
  if (child > 0 && setup.signal != 0) {
    // A child that ends before it says so is waited for as ever.
    while (read_text(err).find(setup.signal_after) == std::string::npos &&
           waitpid(child, &status, WNOHANG) == 0) {
      usleep(1000);
    }
    kill(child, setup.signal);
    kill(child, setup.signal);  // as timeout(1) does
  }
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    result.exit_code = WEXITSTATUS(status);
  }
  if (setup.out_file.empty()) result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

}  // namespace skcts::program
