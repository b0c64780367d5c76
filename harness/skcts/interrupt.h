// Ending a run early, but whole, when somebody asks for it.
#pragma once

#include <array>
#include <csignal>
#include <string_view>

namespace skcts::program {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is only noted; a second one, half a
/// second later or more, ends the process as ever. A signal that was ignored before stays ignored.
/// SIGPIPE becomes an error of the write. One object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// "SIGINT", ..., or empty: nobody asked.
  static std::string_view noted();

 private:
  std::array<struct sigaction, 4> before_{};
};

}  // namespace skcts::program
