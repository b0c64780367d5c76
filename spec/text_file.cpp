#include "spec/text_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace skcts {
namespace {

/// Closes the descriptor at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// At most `most` + 1 bytes; errno tells why where it is false.
bool read_all(int from, std::size_t most, std::string& text) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  while (text.size() <= most) {
    const std::size_t had = text.size();
    text.resize(had + piece);
    const ssize_t got = read(from, text.data() + had, piece);
    if (got < 0 && errno != EINTR) return false;
    text.resize(had + static_cast<std::size_t>(got < 0 ? 0 : got));
    if (got == 0) return true;
  }
  return true;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t most) {
  const auto fail = [&](std::string message, std::string hint) {
    const std::string name = path.empty() ? "''" : path;
    return Error{.file = name, .message = std::move(message), .hint = std::move(hint)};
  };
  const auto cannot = [&](std::string_view what) {
    const int why = errno;
    const std::string hint = why == ENOENT || why == ENOTDIR ? "check the path"
                             : why == EACCES                 ? "check its permissions"
                                                             : "";
    return fail(
        fmt::format("the file cannot be {}: {}", what, std::generic_category().message(why)), hint);
  };
  if (path.empty()) return fail("this names no file", "");
  // O_NONBLOCK: a pipe without a writer must not hold the program up.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (file.number() < 0) return cannot("opened");
  struct stat status {};
  if (fstat(file.number(), &status) != 0) return cannot("looked at");
  if (S_ISDIR(status.st_mode)) return fail("this is a folder", "name a file in it");
  if (!S_ISREG(status.st_mode)) {
    return fail("this is no regular file", "pipes and devices are not read; write it to a file");
  }
  std::string text;
  if (!read_all(file.number(), most, text)) return cannot("read");
  if (text.size() > most) return fail(fmt::format("the file has more than {} bytes", most), "");
  return text;
}

}  // namespace skcts
