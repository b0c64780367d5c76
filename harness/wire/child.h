// Children: adapters that are started as commands, and workers that are forked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

#include "harness/wire/system.h"
#include "spec/error.h"

namespace skcts::wire {

/// A child process with a socket to it. Killed with its process group and reaped with its owner; it
/// is killed too when we die.
class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child() { kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] bool running() const { return pid_ > 0; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Our end of the socket; the caller's from then on.
  Fd take_socket() { return std::move(socket_); }
  /// Kills it and its group, and waits for its end.
  void kill();
  /// How it ended: "exit code 3", "signal 11 (Segmentation fault)". Waits `most_ms` for that; kills
  /// what has not ended by then ("killed here").
  std::string end(std::int64_t most_ms);

 private:
  friend Result<Child> start_command(const std::string&, System&);
  friend Result<Child> start_worker(const std::function<int(Fd)>&, System&);
  static Result<Child> start(const std::function<int(Fd)>& body, bool own_group, System& system);

  pid_t pid_ = -1;
  bool own_group_ = false;
  Fd socket_;
};

/// Runs `exec COMMAND` in a shell, in a process group of its own, its stdin and stdout one socket.
Result<Child> start_command(const std::string& command, System& system);

/// Forks; the child runs the body with its end of the socket and exits with what it returns.
Result<Child> start_worker(const std::function<int(Fd)>& body, System& system);

}  // namespace skcts::wire
