// Reading whole files from outside, whatever stands under their name.
#pragma once

#include <cstddef>
#include <string>

#include "spec/error.h"

namespace skcts {

/// The bytes of a file, at most `most` of them. Only regular files are read: opening a pipe or a
/// device may wait for ever. An error names the file, what is wrong with it and what would help.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

}  // namespace skcts
