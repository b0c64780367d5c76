// A target in another process, behind the seam of the suite.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "harness/target/target.h"
#include "harness/wire/address.h"
#include "harness/wire/system.h"
#include "harness/wire/tls.h"
#include "spec/error.h"

namespace skcts::wire {

/// The layers of time: each must leave room for the one inside it.
struct Deadlines {
  std::int64_t case_ms = 10'000;      ///< An answer; ten times that for a case that is asked again.
  std::int64_t session_ms = 600'000;  ///< A case with all that follows it: kill, restart, probe.
  std::int64_t run_ms = 0;            ///< The whole run; 0: no end.
  std::int64_t grace_ms = 2'000;      ///< For what the target says after its deadline passed.
  bool operator==(const Deadlines&) const = default;
};

/// An error where a layer does not leave room for the one inside it.
Result<void> check_deadlines(const Deadlines& deadlines);

/// A known good case: it completes with one memory on every target.
struct ProbeCase {
  Case test_case;
  std::vector<std::uint32_t> memory;
};

struct ClientSettings {
  Address address;
  TlsFiles tls;  ///< For a tls address.
  Deadlines deadlines;
  int attempts = 3;  ///< Restarts with a probe before the target is given up.
  /// Makes the case that is asked when an answer did not come; nothing: none.
  std::function<std::optional<ProbeCase>(const TargetDescription&)> make_probe;
  System* system = &System::real();
};

/// What went on besides answers.
struct ClientCounts {
  std::int64_t answers = 0;
  std::int64_t connections = 0;
  std::int64_t probes = 0;
  std::int64_t kills = 0;
  bool operator==(const ClientCounts&) const = default;
};

/// A target that is hostile until proven otherwise: every answer is checked against the case that
/// was asked for, and a run comes to an end whatever the other side does.
class RemoteTarget : public Target {
 public:
  /// Connects and says hello. An error: there is no target that speaks the protocol.
  static Result<std::unique_ptr<RemoteTarget>> open(ClientSettings settings);
  ~RemoteTarget() override;

  const TargetDescription& description() const override;
  RunResult run(const Case& test_case, const RunRequest& request) override;

  [[nodiscard]] const ClientCounts& counts() const;

 private:
  struct State;
  explicit RemoteTarget(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace skcts::wire
