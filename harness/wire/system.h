// The system calls of this folder behind one door; tests put failing ones in their place.
#pragma once

#include <cstddef>
#include <sys/socket.h>
#include <sys/types.h>
#include <utility>

namespace skcts::wire {

/// Each call is the system's own of that name, errno included.
class System {
 public:
  virtual ~System() = default;
  virtual ssize_t read(int fd, void* to, std::size_t most);
  /// Never raises SIGPIPE on a socket.
  virtual ssize_t write(int fd, const void* from, std::size_t count);
  virtual int socket(int domain, int type);
  virtual int connect(int fd, const sockaddr* address, socklen_t length);
  virtual int accept(int fd);
  virtual int socketpair(int (&fds)[2]);
  virtual pid_t fork();

  static System& real();
};

/// A file descriptor that is closed with its owner.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Fd();
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  [[nodiscard]] int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// Reads and writes without waiting from now on. False: errno says why.
bool set_nonblocking(int fd);

}  // namespace skcts::wire
