#include "harness/skcts/terminal.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

namespace skcts::program {
namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0: it is none, or a control character.
std::size_t shown_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead < 0x20 || lead == 0x7f ? 0 : 1;
  const std::size_t length = lead < 0xc2   ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool control = code < 0xa0;                        // C1: some terminals obey them
  const bool turns = code >= 0x202a && code <= 0x202e;     // the order of what follows
  const bool isolates = code >= 0x2066 && code <= 0x2069;  // the same
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  return control || turns || isolates || overlong || code > 0x10ffff ? 0 : length;
}

std::string shown(std::string_view text, bool lines) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = lines && text.front() == '\n' ? 1 : shown_length(text);
    if (length == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 2000;
  std::string result = shown(text.substr(0, longest), false);
  if (text.size() > longest) result += fmt::format("... ({} bytes)", text.size());
  return result;
}

std::string printable_lines(std::string_view text) {
  return shown(text, true);
}

Result<void> print_out(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return {};
  return Error{.message = fmt::format("the output could not be written to its end: {}",
                                      std::generic_category().message(errno))};
}

void print_err(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace skcts::program
