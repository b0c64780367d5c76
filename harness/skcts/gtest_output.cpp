#include "harness/skcts/gtest_output.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "harness/campaign/journal_file.h"

namespace skcts::program {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view field = "--gtest_output";

std::string path_of(const std::string& output) {
  const std::size_t colon = output.find(':');
  return colon == std::string::npos ? "test_detail." + output : output.substr(colon + 1);
}

Error wrong(const std::string& path, std::string message) {
  return {.field = std::string(field),
          .message = fmt::format("'{}': {}", path, message),
          .hint = "name a file that can be written, such as xml:tests.xml"};
}

fs::path resolved(const fs::path& path) {
  std::error_code code;
  const fs::path real = fs::weakly_canonical(path, code);
  return code ? path : real;
}

/// Does `run` write this file itself?
bool is_ours(const std::string& path, const std::string& out) {
  const fs::path real = resolved(path);
  const fs::path folder = resolved(out);
  return real == folder / "journal.jsonl" || real == folder / "junit.xml" ||
         real == folder / "junit.xml.new" || real.parent_path() == folder / "findings";
}

Result<void> check_folder(const std::string& path) {
  if (auto made = campaign::make_folder(path); !made) return wrong(path, made.error().message);
  if (access(path.c_str(), W_OK | X_OK) != 0) {
    return wrong(path, std::generic_category().message(errno));
  }
  return {};
}

}  // namespace

Result<void> check_gtest_output(const std::string& output, const std::string& out) {
  const std::string path = path_of(output);
  if (path.ends_with('/')) return check_folder(path);
  if (is_ours(path, out)) return wrong(path, "the run writes this file itself");
  const std::string folder = fs::path(path).parent_path().string();
  if (!folder.empty()) {
    if (auto made = campaign::make_folder(folder); !made) {
      return wrong(path, made.error().message);
    }
  }
  std::error_code code;
  const bool was_there = fs::exists(path, code);
  // A pipe without a reader must not hold the program up; what stands there stays as it is.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
  if (file < 0 && errno == ENXIO) return wrong(path, "it is no regular file");
  if (file < 0) return wrong(path, std::generic_category().message(errno));
  struct stat status {};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  close(file);
  if (!was_there) fs::remove(path, code);
  if (!regular) return wrong(path, "it is no regular file");
  return {};
}

Result<void> check_gtest_output_written(const std::string& output) {
  const std::string path = path_of(output);
  if (path.ends_with('/')) return {};
  std::error_code code;
  if (fs::file_size(path, code) > 0 && !code) return {};
  return wrong(path, "GoogleTest could not write it");
}

}  // namespace skcts::program
