// What goes to people: text from outside made harmless, and writes that may fail.
#pragma once

#include <string>
#include <string_view>

#include "spec/error.h"

namespace skcts::program {

/// Text from outside as it may go to a terminal: control characters and bytes that are no UTF-8 as
/// \xNN, cut where it is too long.
std::string printable(std::string_view text);

/// The same for a text of our own with words from outside in it: lines stay lines, nothing is cut.
std::string printable_lines(std::string_view text);

/// Writes to standard output and flushes it.
Result<void> print_out(std::string_view text);

/// Writes to standard error; that nobody can read it there is no error.
void print_err(std::string_view text);

}  // namespace skcts::program
