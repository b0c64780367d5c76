// Files and folders, with errors as values.
#include "harness/campaign/journal_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace skcts::campaign {
namespace {

Error cannot(std::string_view what, const std::string& path, const std::string& why) {
  return {.file = path,
          .message = fmt::format("cannot {}: {}", what, why),
          .hint = "name a folder that can be written to with --out"};
}

std::string last_error() {
  return std::generic_category().message(errno);
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

Result<void> write_file(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  std::FILE* const file = std::fopen(beside.c_str(), "wb");
  if (file == nullptr) return cannot("open it for writing", beside, last_error());
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const std::string why = written ? "" : last_error();
  const bool closed = std::fclose(file) == 0;
  if (!written) return cannot("write it", beside, why);
  if (!closed) return cannot("write it", beside, last_error());
  std::error_code code;
  std::filesystem::rename(beside, path, code);
  if (code) return cannot("rename it", path, code.message());
  return {};
}

Result<std::unique_ptr<JournalFile>> JournalFile::create(const std::string& folder) {
  if (auto made = make_folder(folder); !made) return made.error();
  std::string path = folder + "/journal.jsonl";
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return cannot("open it for writing", path, last_error());
  return std::unique_ptr<JournalFile>(new JournalFile(std::move(path), file));
}

void JournalFile::record(const JournalRecord& record) {
  const std::string line = to_line(record);
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
                       std::fflush(file_.get()) == 0;
  if (!written && state_.ok()) state_ = cannot("write it", path_, last_error());
}

}  // namespace skcts::campaign
