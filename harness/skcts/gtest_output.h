// The file that GoogleTest writes beside our own: looked at before the first test runs, since
// GoogleTest itself notices after the last one, and stops the process.
#pragma once

#include <string>

#include "spec/error.h"

namespace skcts::program {

/// `output` is "xml", "json", "xml:FILE" or "json:FILE"; a FILE that ends with '/' is a folder. An
/// error where the file cannot be made, is no regular file, or is one that `run` writes into the
/// folder `out` itself.
Result<void> check_gtest_output(const std::string& output, const std::string& out);

/// After the run: an error where GoogleTest left the file empty.
Result<void> check_gtest_output_written(const std::string& output);

}  // namespace skcts::program
