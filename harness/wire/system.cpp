// The real system calls.
#include "harness/wire/system.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace skcts::wire {

ssize_t System::read(int fd, void* to, std::size_t most) {
  return ::read(fd, to, most);
}

ssize_t System::write(int fd, const void* from, std::size_t count) {
  const ssize_t sent = ::send(fd, from, count, MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  return ::write(fd, from, count);
}

int System::socket(int domain, int type) {
  return ::socket(domain, type | SOCK_CLOEXEC, 0);
}

int System::connect(int fd, const sockaddr* address, socklen_t length) {
  return ::connect(fd, address, length);
}

int System::accept(int fd) {
  return ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
}

int System::socketpair(int (&fds)[2]) {
  return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
}

pid_t System::fork() {
  return ::fork();
}

System& System::real() {
  static System system;
  return system;
}

Fd::~Fd() {
  if (number_ >= 0) ::close(number_);
}

bool set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

}  // namespace skcts::wire
