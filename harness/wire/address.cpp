// Addresses out of texts; plain TCP stays on this machine.
#include "harness/wire/address.h"

#include <array>
#include <charconv>
#include <sys/un.h>

namespace skcts::wire {
namespace {

constexpr std::array<std::string_view, 4> prefixes = {"unix:", "tcp:", "tls:", "exec:"};

Error wrong(std::string_view text, std::string message, std::string hint) {
  return Error{
      .field = fmt::format("'{}'", text), .message = std::move(message), .hint = std::move(hint)};
}

/// 127.a.b.c in digits: a name such as 127.example.org may be anywhere.
bool is_127(std::string_view host) {
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || is_127(host);
}

Result<Address> host_and_port(std::string_view text, AddressKind kind, std::string_view rest) {
  Address address{.kind = kind};
  constexpr std::string_view form = "HOST:PORT, for example 127.0.0.1:7400 or [::1]:7400";
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    return wrong(text, "a port is missing", fmt::format("expected {}", form));
  }
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string_view port = rest.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || end != port.data() + port.size() || host.empty()) {
    return wrong(text, fmt::format("'{}' is no port", port), fmt::format("expected {}", form));
  }
  address.host = host;
  if (kind == AddressKind::tcp && !is_loopback(host)) {
    return wrong(text, "plain TCP stays on this machine",
                 fmt::format("tls:{} with certificates goes anywhere; tcp:127.0.0.1:{} stays here",
                             rest, port));
  }
  return address;
}

Result<Address> unix_path(std::string_view text, std::string_view path) {
  constexpr std::size_t most = sizeof(sockaddr_un::sun_path) - 1;
  if (path.empty()) return wrong(text, "a path is missing", "for example unix:/tmp/skcts.sock");
  if (path.size() > most) {
    return wrong(text, fmt::format("the path has {} bytes", path.size()),
                 fmt::format("a socket's path has at most {}: put it nearer to the root", most));
  }
  return Address{.kind = AddressKind::unix_socket, .text = std::string(path)};
}

Result<Address> parse(std::string_view text, bool listens) {
  if (listens && text == "stdio") return Address{.kind = AddressKind::stdio};
  if (text.starts_with("unix:")) return unix_path(text, text.substr(5));
  if (text.starts_with("tcp:")) return host_and_port(text, AddressKind::tcp, text.substr(4));
  if (text.starts_with("tls:")) return host_and_port(text, AddressKind::tls, text.substr(4));
  if (!listens && text.starts_with("exec:")) {
    if (text.size() == 5) return wrong(text, "a command is missing", "for example exec:./adapter");
    return Address{.kind = AddressKind::exec, .text = std::string(text.substr(5))};
  }
  return wrong(text, "no address",
               listens ? "unix:PATH, tcp:HOST:PORT, tls:HOST:PORT or stdio"
                       : "unix:PATH, tcp:HOST:PORT, tls:HOST:PORT or exec:COMMAND");
}

}  // namespace

std::string to_string(const Address& address) {
  const std::string host =
      address.host.find(':') == std::string::npos ? address.host : '[' + address.host + ']';
  switch (address.kind) {
    case AddressKind::unix_socket: return "unix:" + address.text;
    case AddressKind::tcp: return fmt::format("tcp:{}:{}", host, address.port);
    case AddressKind::tls: return fmt::format("tls:{}:{}", host, address.port);
    case AddressKind::exec: return "exec:" + address.text;
    case AddressKind::stdio: return "stdio";
  }
  return {};
}

bool is_address(std::string_view text) {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

Result<Address> parse_target_address(std::string_view text) {
  return parse(text, false);
}
Result<Address> parse_listen_address(std::string_view text) {
  return parse(text, true);
}

}  // namespace skcts::wire
