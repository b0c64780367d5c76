// Files and folders, with errors as values.
#include "harness/campaign/journal_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace skcts::campaign {
namespace {

Error cannot(std::string_view what, const std::string& path, const std::string& why,
             std::string hint = "name a folder that can be written to with --out") {
  return {
      .file = path, .message = fmt::format("cannot {}: {}", what, why), .hint = std::move(hint)};
}

/// The same for what errno says.
Error cannot(std::string_view what, const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  const std::string why = std::generic_category().message(error);
  if (!full) return cannot(what, path, why);
  return cannot(what, path, why, "make room there, or name a folder elsewhere with --out");
}

/// Opens a regular file and leaves what is in it. A pipe that stands there must not hold the
/// program up.
Result<std::FILE*> open_for_writing(const std::string& path) {
  const int flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  const int descriptor = open(path.c_str(), flags, 0666);
  if (descriptor < 0 && errno != ENXIO) return cannot("open it for writing", path, errno);
  struct stat status {};
  const bool regular =
      descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  std::FILE* const file = regular ? fdopen(descriptor, "wb") : nullptr;
  if (file != nullptr) return file;
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (regular) return cannot("open it for writing", path, why);
  return cannot("open it for writing", path, "it is no regular file");
}

}  // namespace

Result<void> make_folder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) return cannot("make the folder", path, code.message());
  if (!std::filesystem::is_directory(path, code)) {
    return cannot("use it as a folder", path, "something else stands there");
  }
  return {};
}

Result<void> write_file(const std::string& name, std::string_view text) {
  // A link keeps standing, and what is no file (a device, a pipe) is not replaced by one.
  std::error_code code;
  const std::filesystem::file_status there = std::filesystem::status(name, code);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    return cannot("replace it", name,
                  std::filesystem::is_directory(there) ? "a folder stands there"
                                                       : "it is no regular file");
  }
  std::string path = name;
  if (std::filesystem::exists(there)) {
    path = std::filesystem::canonical(name, code).string();
    if (code) return cannot("find it", name, code.message());
  }
  const std::string beside = path + ".new";
  const Result<std::FILE*> opened = open_for_writing(beside);
  if (!opened) return opened.error();
  std::FILE* const file = *opened;
  const bool written = ftruncate(fileno(file), 0) == 0 &&
                       std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int why = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) return cannot("write it", beside, why);
  if (!closed) return cannot("write it", beside, errno);
  std::filesystem::rename(beside, path, code);
  if (code) return cannot("rename it", path, code.message());
  return {};
}

Result<void> remove_file(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    return cannot("replace it", path, "a folder stands there");
  }
  std::filesystem::remove(path, code);
  if (code) return cannot("replace it", path, code.message());
  return {};
}

Result<std::unique_ptr<JournalFile>> JournalFile::create(const std::string& folder) {
  if (auto made = make_folder(folder); !made) return made.error();
  std::string path = folder + "/journal.jsonl";
  const Result<std::FILE*> opened = open_for_writing(path);
  if (!opened) return opened.error();
  std::unique_ptr<JournalFile> journal(new JournalFile(std::move(path), *opened));
  const int descriptor = fileno(*opened);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return cannot("lock it", journal->path_, errno);
    return cannot("write it", journal->path_, "another run is writing it",
                  "give each run a folder of its own with --out");
  }
  if (ftruncate(descriptor, 0) != 0) return cannot("empty it", journal->path_, errno);
  return journal;
}

void JournalFile::record(const JournalRecord& record) {
  const std::string line = to_line(record);
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                       std::fflush(file_.get()) == 0;
  if (!written && state_.ok()) state_ = cannot("write it", path_, errno);
}

}  // namespace skcts::campaign
