// socket, connect, bind, listen.
#include "harness/wire/socket.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

namespace skcts::wire {
namespace {

Error failed(const Address& address, std::string_view what) {
  return Error{.field = to_string(address),
               .message = fmt::format("{}: {}", what, std::strerror(errno))};
}

struct FreeInfo {
  void operator()(addrinfo* info) const { ::freeaddrinfo(info); }
};
using Info = std::unique_ptr<addrinfo, FreeInfo>;

Result<Info> resolve(const Address& address, bool listens) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV | (listens ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const std::string port = fmt::format("{}", address.port);
  const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found);
  if (error == 0) return Info(found);
  return Error{.field = to_string(address),
               .message = fmt::format("no such host: {}", ::gai_strerror(error))};
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  path.copy(to.sun_path, sizeof(to.sun_path) - 1);
  return to;
}

const sockaddr* generic(const sockaddr_un& address) {
  return static_cast<const sockaddr*>(static_cast<const void*>(&address));
}

int connect_patiently(System& system, int fd, const sockaddr* to, socklen_t length) {
  int result = system.connect(fd, to, length);
  while (result != 0 && errno == EINTR) result = system.connect(fd, to, length);
  return result != 0 && errno == EISCONN ? 0 : result;  // it went on behind the interruption
}

/// True when the path is a socket at which nobody listens.
bool is_stale(const std::string& path, System& system) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0 || !S_ISSOCK(there.st_mode)) return false;
  const Fd fd(system.socket(AF_UNIX, SOCK_STREAM));
  const sockaddr_un to = unix_address(path);
  if (!fd) return false;
  return connect_patiently(system, fd.get(), generic(to), sizeof(to)) != 0 && errno == ECONNREFUSED;
}

std::uint16_t port_of(int fd) {
  sockaddr_storage own{};
  socklen_t length = sizeof(own);
  if (::getsockname(fd, static_cast<sockaddr*>(static_cast<void*>(&own)), &length) != 0) return 0;
  if (own.ss_family == AF_INET6) {
    return ntohs(static_cast<const sockaddr_in6*>(static_cast<const void*>(&own))->sin6_port);
  }
  return ntohs(static_cast<const sockaddr_in*>(static_cast<const void*>(&own))->sin_port);
}

Result<Fd> bind_unix(const Address& address, System& system) {
  if (is_stale(address.text, system)) ::unlink(address.text.c_str());
  Fd fd(system.socket(AF_UNIX, SOCK_STREAM));
  if (!fd) return failed(address, "socket");
  const sockaddr_un to = unix_address(address.text);
  // Whoever may write to the folder may connect; nobody else.
  const mode_t before = ::umask(0077);
  const int bound = ::bind(fd.get(), generic(to), sizeof(to));
  ::umask(before);
  if (bound != 0) {
    Error error = failed(address, "bind");
    if (errno == EADDRINUSE) error.hint = "another process listens there, or a file is in the way";
    return error;
  }
  return fd;
}

Result<Fd> bind_tcp(const Address& address, System& system) {
  auto info = resolve(address, true);
  if (!info) return info.error();
  Fd fd(system.socket((*info)->ai_family, SOCK_STREAM));
  if (!fd) return failed(address, "socket");
  const int yes = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (::bind(fd.get(), (*info)->ai_addr, (*info)->ai_addrlen) != 0) return failed(address, "bind");
  return fd;
}

}  // namespace

void tune(int fd) {
  const int yes = 1;
  const int seconds = 10;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
}

Result<Fd> connect_to(const Address& address, System& system) {
  if (address.kind == AddressKind::unix_socket) {
    Fd fd(system.socket(AF_UNIX, SOCK_STREAM));
    if (!fd) return failed(address, "socket");
    const sockaddr_un to = unix_address(address.text);
    if (connect_patiently(system, fd.get(), generic(to), sizeof(to)) == 0) return fd;
    Error error = failed(address, "connect");
    error.hint = "is the target running? 'skcts serve --listen unix:PATH' starts one";
    return error;
  }
  auto info = resolve(address, false);
  if (!info) return info.error();
  for (const addrinfo* at = info->get(); at != nullptr; at = at->ai_next) {
    Fd fd(system.socket(at->ai_family, SOCK_STREAM));
    if (!fd) return failed(address, "socket");
    const timeval most{.tv_sec = 10, .tv_usec = 0};  // connect() keeps it, too
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
    if (connect_patiently(system, fd.get(), at->ai_addr, at->ai_addrlen) != 0) continue;
    tune(fd.get());
    return fd;
  }
  Error error = failed(address, "connect");
  error.hint = "is the target running?";
  return error;
}

Result<Listener> Listener::open(const Address& address, System& system) {
  const bool local = address.kind == AddressKind::unix_socket;
  Result<Fd> fd = local ? bind_unix(address, system) : bind_tcp(address, system);
  if (!fd) return fd.error();
  constexpr int backlog = 64;
  if (::listen(fd->get(), backlog) != 0) return failed(address, "listen");
  Address real = address;
  if (!local) real.port = port_of(fd->get());
  return Listener(std::move(real), std::move(*fd));
}

Listener::~Listener() {
  if (fd_ && address_.kind == AddressKind::unix_socket) ::unlink(address_.text.c_str());
}

void Listener::forget() {
  const Fd closed = std::move(fd_);
}

}  // namespace skcts::wire
