// Sockets to connect with and to listen at.
#pragma once

#include <cstdint>
#include <string>

#include "harness/wire/address.h"
#include "harness/wire/system.h"
#include "spec/error.h"

namespace skcts::wire {

/// A socket that is connected to a unix, tcp or tls address.
Result<Fd> connect_to(const Address& address, System& system);

/// A socket that listens. A unix socket that nobody listens at any more is replaced.
class Listener {
 public:
  static Result<Listener> open(const Address& address, System& system);
  Listener(Listener&&) = default;
  Listener& operator=(Listener&&) = default;
  /// The path of a unix socket goes with it, unless a fork did that (forget()).
  ~Listener();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Where it really listens: with the port that was free.
  [[nodiscard]] const Address& address() const { return address_; }
  /// For a forked process: closes the socket and leaves the path alone.
  void forget();

 private:
  Listener(Address address, Fd fd) : address_(std::move(address)), fd_(std::move(fd)) {}
  Address address_;
  Fd fd_;
};

/// Waits for nobody in writing, and notices a peer that went without a word.
void tune(int fd);

}  // namespace skcts::wire
