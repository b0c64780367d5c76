// A target behind the protocol: a process a connection, and a worker process for its cases.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "harness/target/target.h"
#include "harness/wire/address.h"
#include "harness/wire/channel.h"
#include "harness/wire/system.h"
#include "harness/wire/tls.h"
#include "spec/error.h"

namespace skcts::wire {

/// Makes the target that runs the cases. Called in each process that needs one.
using MakeTarget = std::function<std::unique_ptr<Target>()>;

inline constexpr int most_connections = 64;  ///< One more is told so and turned away.
inline constexpr int server_pipeline = 64;   ///< Cases of one connection asked for at a time.

struct ServerSettings {
  Address listen;
  TlsFiles tls;  ///< For a tls address.
  MakeTarget make_target;
  /// Told where it listens, once it does.
  std::function<void(const Address&)> listening;
  /// Asked now and then: true ends the server.
  std::function<bool()> stop;
  System* system = &System::real();
};

/// Serves until it is stopped, or, on stdio, until the other side has gone. An error: it could not
/// begin.
Result<void> serve(const ServerSettings& settings);

/// One connection, to its end: frames of the other side are answered, cases run in a worker.
void serve_connection(std::unique_ptr<Channel> channel, const MakeTarget& make_target,
                      System& system);

}  // namespace skcts::wire
