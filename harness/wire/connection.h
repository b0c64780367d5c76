// The server's side of one connection.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "harness/wire/child.h"
#include "harness/wire/link.h"
#include "harness/wire/message.h"
#include "harness/wire/server.h"

namespace skcts::wire {

/// Talks with the suite; the cases run in a worker process, so that one that dies or hangs costs
/// one case.
class Connection {
 public:
  Connection(std::unique_ptr<Channel> channel, const MakeTarget& make_target, System& system);
  /// Until the other side has gone.
  void run();

 private:
  struct Pending {
    std::uint64_t id = 0;
    std::string tag;
    std::int64_t deadline_ms = 0;
    std::string text;  ///< As it came.
  };

  void said(const std::string& text);
  void hello(const Hello& hello);
  void ask(const Ask& ask);
  void queue(Run run, const std::string& text);
  void cancel(std::uint64_t id);
  void complain(std::string message);
  void reply(const Reply& reply) { client_.send(write_reply(reply)); }

  void drive_worker();
  bool start_worker();
  void worker_died();
  void deadline_passed();
  /// Ends the case that runs, or a queued one, with words instead of an outcome.
  void give_up(std::size_t place, RunEnd end, std::string detail);
  void stop_worker();
  [[nodiscard]] std::int64_t wait_ms() const;

  Loop loop_;
  Link client_;
  const MakeTarget& make_target_;
  System& system_;
  bool greeted_ = false;
  bool leaving_ = false;
  std::deque<Pending> queue_;  ///< The first one runs.
  std::size_t sent_ = 0;       ///< Of the queue, how many the worker has got.
  std::int64_t started_ms_ = 0;
  Child worker_;
  std::unique_ptr<Link> work_;
};

}  // namespace skcts::wire
