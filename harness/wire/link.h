// A connection that frames go over, and the loop that moves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/wire/channel.h"

namespace skcts::wire {

/// Waits for what happens at links. Everything is done inside pump(): there are no threads.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Moves bytes until something happened at a link, at most that long.
  void pump(std::int64_t most_ms);

  struct State;

 private:
  friend class Link;
  std::unique_ptr<State> state_;
};

/// Both ends of a connection are one of these. Not thread-safe; `loop` must outlive it.
class Link {
 public:
  Link(Loop& loop, std::unique_ptr<Channel> channel);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Queues a frame; goes out inside pump().
  void send(std::string_view text);
  /// The next text that has come whole.
  bool take(std::string& text);

  /// False when the other side hung up, broke the frames, or cannot be reached. Texts that came
  /// before can still be taken.
  [[nodiscard]] bool open() const;
  /// Why it is not open, in words.
  [[nodiscard]] const std::string& problem() const;
  /// The bytes broke the rules of frames, or ended inside one.
  [[nodiscard]] bool torn() const;
  /// Bytes that are queued and not yet gone.
  [[nodiscard]] std::size_t queued() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace skcts::wire
