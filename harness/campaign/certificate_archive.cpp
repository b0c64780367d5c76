// Zip archives by libarchive.
#include "harness/campaign/certificate_archive.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "spec/check.h"

namespace skcts::campaign {
namespace {

struct FreeRead {
  void operator()(archive* a) const { archive_read_free(a); }
};
struct FreeWrite {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

/// The earliest time that a zip entry can have: nothing of it depends on when it was made.
constexpr std::int64_t zip_epoch = 315'532'800;

la_ssize_t append(archive*, void* to, const void* bytes, std::size_t count) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), count);
  return static_cast<la_ssize_t>(count);
}

Error bad(std::string_view file, std::string_view entry, std::string message) {
  return {.file = std::string(file),
          .field = entry.empty() ? std::string() : fmt::format("entry '{}'", entry),
          .message = std::move(message)};
}

std::string reason_of(archive* a) {
  const char* const text = archive_error_string(a);
  return text == nullptr ? "damaged" : text;
}

/// The content of the present entry, however long its header says that it is.
Result<std::string> content(archive* a, std::string_view file, std::string_view name,
                            std::size_t most) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const la_ssize_t count = archive_read_data(a, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count < 0) return bad(file, name, fmt::format("cannot be read: {}", reason_of(a)));
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > most) {
      return bad(file, name, fmt::format("holds more than {} bytes, which is refused", most));
    }
  }
}

}  // namespace

bool is_safe_name(std::string_view name) {
  if (name.empty() || name.size() > 200) return false;
  std::string_view rest = name;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    const bool plain = std::ranges::all_of(part, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '_' || c == '-';
    });
    if (part.empty() || part == "." || part == ".." || !plain) return false;
    if (slash == std::string_view::npos) return true;
    rest.remove_prefix(slash + 1);
  }
}

std::string packed(const ArchiveFiles& files) {
  std::string bytes;
  const std::unique_ptr<archive, FreeWrite> a(archive_write_new());
  SKCTS_CHECK(archive_write_set_format_zip(a.get()) == ARCHIVE_OK &&
                  archive_write_set_bytes_in_last_block(a.get(), 1) == ARCHIVE_OK &&
                  archive_write_open(a.get(), &bytes, nullptr, append, nullptr) == ARCHIVE_OK,
              "no archive: {}", reason_of(a.get()));
  for (const auto& [name, text] : files) {
    SKCTS_CHECK(is_safe_name(name), "an archive entry '{}'", name);
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(text.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), zip_epoch, 0);
    const bool done = archive_write_header(a.get(), entry.get()) == ARCHIVE_OK &&
                      archive_write_data(a.get(), text.data(), text.size()) ==
                          static_cast<la_ssize_t>(text.size());
    SKCTS_CHECK(done, "archive entry {}: {}", name, reason_of(a.get()));
  }
  SKCTS_CHECK(archive_write_close(a.get()) == ARCHIVE_OK, "archive: {}", reason_of(a.get()));
  return bytes;
}

Result<ArchiveFiles> unpacked(std::string_view bytes, std::string_view file,
                              const ArchiveLimits& limits) {
  const std::unique_ptr<archive, FreeRead> a(archive_read_new());
  archive_read_support_format_zip(a.get());
  if (archive_read_open_memory(a.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return bad(file, "", fmt::format("is no zip archive: {}", reason_of(a.get())));
  }
  ArchiveFiles files;
  std::size_t all = 0;
  while (true) {
    archive_entry* entry = nullptr;
    const int read = archive_read_next_header(a.get(), &entry);
    if (read == ARCHIVE_EOF) break;
    if (read != ARCHIVE_OK) {
      return bad(file, "", fmt::format("is no zip archive, or a torn one: {}", reason_of(a.get())));
    }
    const char* const path = archive_entry_pathname(entry);
    const std::string name = path == nullptr ? "" : path;
    if (archive_entry_filetype(entry) != AE_IFREG) {
      return bad(file, name, "is no regular file: nothing else belongs into a certificate");
    }
    if (!is_safe_name(name)) {
      return bad(file, name,
                 "has a name that may lead out of the archive; expected letters, digits, '.', "
                 "'_', '-' and '/'");
    }
    if (files.contains(name)) return bad(file, name, "comes twice");
    if (files.size() == limits.entries) {
      return bad(file, name, fmt::format("is one more than {}, which is refused", limits.entries));
    }
    Result<std::string> text = content(a.get(), file, name, limits.file_bytes);
    if (!text) return text.error();
    all += text->size();
    if (all > limits.all_bytes) {
      return bad(file, name, fmt::format("makes more than {} bytes of all, which is refused",
                                         limits.all_bytes));
    }
    files.emplace(name, std::move(*text));
  }
  return files;
}

}  // namespace skcts::campaign
