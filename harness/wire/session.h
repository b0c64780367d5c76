// One conversation with a target: from hello to its end, every word of it checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/wire/address.h"
#include "harness/wire/child.h"
#include "harness/wire/link.h"
#include "harness/wire/message.h"
#include "harness/wire/tls.h"

namespace skcts::wire {

/// Why a conversation is over.
enum class Break : std::uint8_t {
  none,
  gone,      ///< The other side closed, or its process ended.
  nonsense,  ///< It broke the protocol.
};

/// Keeps no case: what is asked for is the caller's matter, what may be said is this one's.
class Session {
 public:
  /// Connects, or starts the command, and exchanges hellos.
  static Result<std::unique_ptr<Session>> open(const Address& address, const TlsFiles& tls,
                                               std::int64_t most_ms, System& system);
  ~Session();

  [[nodiscard]] const Welcome& welcome() const { return welcome_; }

  void send(const Request& request) { send_text(write_request(request)); }
  /// A request that is written already.
  void send_text(std::string_view text) { link_->send(text); }
  /// The next message, waiting for it at most that long. Nothing: the time passed, or broken().
  std::optional<Reply> receive(std::int64_t most_ms);
  [[nodiscard]] Break broken() const { return broken_; }
  /// In words, with the end of the process where there was one.
  [[nodiscard]] const std::string& why() const { return why_; }
  /// Ends the conversation as nonsense.
  void give_up(std::string why);
  /// The process that was started died by itself.
  [[nodiscard]] bool process_died() const { return process_died_; }

 private:
  Session() = default;
  void lost();

  Loop loop_;
  Child child_;
  std::unique_ptr<Link> link_;
  Welcome welcome_;
  Break broken_ = Break::none;
  std::string why_;
  bool process_died_ = false;
  bool is_child_ = false;
};

}  // namespace skcts::wire
