// Where targets are, as people write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spec/error.h"

namespace skcts::wire {

enum class AddressKind : std::uint8_t {
  unix_socket,  ///< unix:PATH
  tcp,          ///< tcp:HOST:PORT, on loopback only
  tls,          ///< tls:HOST:PORT, with certificates on both sides
  exec,         ///< exec:COMMAND, spoken with over its stdin and stdout
  stdio,        ///< stdio: the other side started us
};

struct Address {
  AddressKind kind = AddressKind::unix_socket;
  std::string text;  ///< unix: the path. exec: the command.
  std::string host;  ///< tcp, tls
  std::uint16_t port = 0;
  bool operator==(const Address&) const = default;
};
std::string to_string(const Address& address);

/// True for the prefixes "unix:", "tcp:", "tls:" and "exec:".
bool is_address(std::string_view text);

/// Reads where a target is: unix:, tcp:, tls: or exec:.
Result<Address> parse_target_address(std::string_view text);
/// Reads where to listen: unix:, tcp:, tls: or stdio. Port 0: any free one.
Result<Address> parse_listen_address(std::string_view text);

}  // namespace skcts::wire
