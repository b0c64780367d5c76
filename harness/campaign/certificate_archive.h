// Many small texts in one zip archive, and back: an archive from outside is believed nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "spec/error.h"

namespace skcts::campaign {

/// Files by name; names are relative, with forward slashes.
using ArchiveFiles = std::map<std::string, std::string>;

/// What an archive may hold before it is refused.
struct ArchiveLimits {
  std::size_t entries = 20'000;
  std::size_t file_bytes = std::size_t{32} << 20;
  std::size_t all_bytes = std::size_t{256} << 20;
};

/// The bytes of a zip archive: equal files give equal bytes. Precondition: names are safe.
std::string packed(const ArchiveFiles& files);

/// The files of an archive. An error, which names the archive and the entry, where it is no zip
/// archive or a torn one; where an entry is no regular file, leads out of the archive, comes twice
/// or has an odd name; where there is more than the limits allow, whatever its headers say.
Result<ArchiveFiles> unpacked(std::string_view bytes, std::string_view file,
                              const ArchiveLimits& limits = {});

/// Letters, digits, '.', '_' and '-' in parts between single slashes, no part "." or "..".
bool is_safe_name(std::string_view name);

}  // namespace skcts::campaign
