// TLS with certificates on both sides.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/wire/channel.h"
#include "spec/error.h"

namespace skcts::wire {

/// Files in PEM: who we are, and who may sign the other side's certificate.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::string authority;
  bool operator==(const TlsFiles&) const = default;
  [[nodiscard]] bool given() const {
    return !certificate.empty() && !key.empty() && !authority.empty();
  }
};

/// Keys and certificates, read and checked once.
class TlsContext {
 public:
  enum class Side : std::uint8_t { client, server };
  /// An error names the file that cannot be used.
  static Result<TlsContext> open(const TlsFiles& files, Side side);
  TlsContext(TlsContext&&) noexcept;
  TlsContext& operator=(TlsContext&&) noexcept;
  ~TlsContext();

  /// Encrypts over a connected socket. The handshake happens with the first bytes; a side without
  /// a certificate that our authority signed, or, for a client, of another host, ends it.
  std::unique_ptr<Channel> channel(Fd socket, const std::string& host) const;

 private:
  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skcts::wire
