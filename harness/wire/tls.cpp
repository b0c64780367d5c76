// OpenSSL over a socket that does not wait.
#include "harness/wire/tls.h"

#include <cerrno>
#include <cstring>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <utility>

#include <fmt/format.h>

namespace skcts::wire {
namespace {

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

/// What OpenSSL says, and nothing of it left for the next call.
std::string reason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "no reason given";
  const char* const text = ERR_reason_error_string(code);
  return text == nullptr ? fmt::format("error {:x}", code) : text;
}

class TlsChannel : public Channel {
 public:
  TlsChannel(std::unique_ptr<SSL, FreeSsl> ssl, Fd socket)
      : ssl_(std::move(ssl)), socket_(std::move(socket)) {
    set_nonblocking(socket_.get());
  }

  Io read(char* to, std::size_t most, std::size_t& count) override {
    count = 0;
    // A record holds less than a buffer: a short read has to mean that nothing is left.
    while (count < most) {
      std::size_t got = 0;
      ERR_clear_error();
      const int result = SSL_read_ex(ssl_.get(), to + count, most - count, &got);
      if (result == 1) {
        count += got;
        continue;
      }
      if (count > 0) return Io::done;  // what is wrong is told by the next call
      return told(result);
    }
    return Io::done;
  }

  Io write(const char* from, std::size_t size, std::size_t& count) override {
    ERR_clear_error();
    const int result = SSL_write_ex(ssl_.get(), from, size, &count);
    return result == 1 ? Io::done : told(result);
  }

  [[nodiscard]] int read_fd() const override { return socket_.get(); }
  [[nodiscard]] int write_fd() const override { return socket_.get(); }

 private:
  Io told(int result) {
    const int before = errno;
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: return Io::wait_read;
      case SSL_ERROR_WANT_WRITE: return Io::wait_write;
      case SSL_ERROR_ZERO_RETURN: return Io::ended;
      case SSL_ERROR_SYSCALL:
        if (before == 0 || before == EPIPE || before == ECONNRESET) return Io::ended;
        problem_ = fmt::format("TLS: {}", std::strerror(before));
        return Io::failed;
      default: break;
    }
    const long verified = SSL_get_verify_result(ssl_.get());
    std::string why = reason();
    if (verified != X509_V_OK) {
      why = fmt::format("{}: {}", why, X509_verify_cert_error_string(verified));
    }
    problem_ = "TLS: " + why;
    return Io::failed;
  }

  std::unique_ptr<SSL, FreeSsl> ssl_;
  Fd socket_;
};

Error unusable(const std::string& file, std::string_view what) {
  return Error{.file = file, .message = fmt::format("{}: {}", what, reason())};
}

}  // namespace

struct TlsContext::State {
  std::unique_ptr<SSL_CTX, FreeContext> context;
  Side side = Side::client;
};

TlsContext::TlsContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
TlsContext::TlsContext(TlsContext&&) noexcept = default;
TlsContext& TlsContext::operator=(TlsContext&&) noexcept = default;
TlsContext::~TlsContext() = default;

Result<TlsContext> TlsContext::open(const TlsFiles& files, Side side) {
  auto state = std::make_unique<State>();
  state->side = side;
  state->context.reset(
      SSL_CTX_new(side == Side::server ? TLS_server_method() : TLS_client_method()));
  SSL_CTX* const context = state->context.get();
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1) {
    return Error{.message = "TLS: " + reason()};
  }
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return unusable(files.certificate, "no certificate in PEM");
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return unusable(files.key, "no private key in PEM");
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return unusable(files.key, "it does not belong to the certificate");
  }
  if (SSL_CTX_load_verify_locations(context, files.authority.c_str(), nullptr) != 1) {
    return unusable(files.authority, "no certificate of an authority in PEM");
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return TlsContext(std::move(state));
}

std::unique_ptr<Channel> TlsContext::channel(Fd socket, const std::string& host) const {
  std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(state_->context.get()));
  SSL_set_fd(ssl.get(), socket.get());
  if (state_->side == Side::server) {
    SSL_set_accept_state(ssl.get());
  } else {
    SSL_set_connect_state(ssl.get());
    // Numbers and names are checked alike: X509_VERIFY_PARAM_set1_ip_asc fails for names.
    X509_VERIFY_PARAM* const checks = SSL_get0_param(ssl.get());
    if (X509_VERIFY_PARAM_set1_ip_asc(checks, host.c_str()) != 1) {
      SSL_set1_host(ssl.get(), host.c_str());
      std::string name = host;  // what SSL_set_tlsext_host_name() does, without its C cast
      SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
    }
    ERR_clear_error();
  }
  return std::make_unique<TlsChannel>(std::move(ssl), std::move(socket));
}

}  // namespace skcts::wire
