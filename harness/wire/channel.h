// Bytes in and out without waiting, plain or encrypted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "harness/wire/system.h"

namespace skcts::wire {

/// What came of a call.
enum class Io : std::uint8_t {
  done,        ///< `count` bytes were moved, at least one.
  wait_read,   ///< Again when there is something to read.
  wait_write,  ///< Again when there is room to write.
  ended,       ///< The other side closed, or is gone.
  failed,      ///< problem() says why.
};

class Channel {
 public:
  virtual ~Channel() = default;
  virtual Io read(char* to, std::size_t most, std::size_t& count) = 0;
  virtual Io write(const char* from, std::size_t size, std::size_t& count) = 0;
  [[nodiscard]] virtual int read_fd() const = 0;
  [[nodiscard]] virtual int write_fd() const = 0;
  [[nodiscard]] const std::string& problem() const { return problem_; }

 protected:
  std::string problem_;
};

/// Over a socket, or over two pipes. The descriptors become nonblocking.
std::unique_ptr<Channel> plain_channel(System& system, Fd in, Fd out = Fd());

}  // namespace skcts::wire
