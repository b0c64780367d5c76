// Stops the program, with its text, when one of its own invariants is broken.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace skcts {

/// Prints "file:line: check failed: condition: text" to stderr and aborts. Use SKCTS_CHECK.
[[noreturn]] inline void check_failed(const char* file, int line, const char* condition,
                                      const std::string& text) {
  std::fprintf(stderr, "%s:%d: check failed: %s: %s\n", file, line, condition, text.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace skcts

/// SKCTS_CHECK(condition, format, ...): an invariant of the program itself. What a user can
/// cause is an Error, never a check. The text is formatted only when the condition is false.
#define SKCTS_CHECK(condition, ...)                                                      \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      ::skcts::check_failed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    }                                                                                    \
  } while (false)
