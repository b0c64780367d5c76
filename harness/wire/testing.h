// Targets for tests of the talk with targets: one that behaves, and processes that do as they like.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/target/target.h"
#include "harness/wire/client.h"
#include "harness/wire/message.h"
#include "harness/wire/system.h"

namespace skcts::wire::testing_partners {

/// A case with a little memory, told apart by its name and its first word.
Case small_case(std::uint32_t first = 1);

/// Completes with the initial memory. A first word of 13 makes it die, 14 hang, 15 refuse.
class PlainTarget : public Target {
 public:
  const TargetDescription& description() const override { return description_; }
  RunResult run(const Case& test_case, const RunRequest& request) override;

 private:
  TargetDescription description_{.name = "plain", .honours_schedules = true};
};

/// One connection, seen from a partner who writes and reads as it likes, waiting for each.
class Wire {
 public:
  explicit Wire(int fd) : fd_(fd) {}
  bool raw(std::string_view bytes);
  bool say(const Reply& reply);
  bool say_text(std::string_view text);
  /// The next request; nothing: the suite hung up, or said what is no request.
  std::optional<Request> hear();
  /// Reads on until a case is asked for.
  std::optional<Run> hear_run();
  /// Answers as a good target would.
  bool answer(const Run& run);
  /// Hears hello and answers it.
  bool greet(bool answers_while_busy = true);
  void hang() const;

 private:
  int fd_;
  std::string buffer_;
};

/// A process that listens at a socket of its own and treats each connection as the script says;
/// the second argument counts connections from 0.
class Partner {
 public:
  explicit Partner(std::function<void(Wire&, int)> script);
  ~Partner();
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;

  [[nodiscard]] Address address() const;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  std::string path_;
  pid_t pid_ = -1;
};

/// Short deadlines and a probe of small_case().
ClientSettings quick(const Address& address);

}  // namespace skcts::wire::testing_partners
