// What suite and target say to each other (docs/protocol.md), as values and as JSON texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/target/target.h"
#include "spec/case.h"
#include "spec/error.h"
#include "spec/outcome.h"

namespace skcts::wire {

inline constexpr int protocol_version = 1;

// --- what the suite says ---

struct Hello {
  int protocol = protocol_version;
  std::string client;  ///< Who asks, for people.
  bool operator==(const Hello&) const = default;
};

struct Run {
  std::uint64_t id = 0;
  std::string tag;  ///< Comes back with the result.
  std::int64_t deadline_ms = 0;
  Strategy strategy;
  std::optional<Schedule> replay;  ///< Choices to follow instead of the strategy's.
  bool trace = false;
  std::int64_t step_limit = 0;
  Case test_case;
  bool operator==(const Run&) const = default;
};

/// Questions that are nothing but an id.
enum class AskKind : std::uint8_t {
  state,   ///< Which core of case `id` waits for what?
  cancel,  ///< Give case `id` up.
  reset,   ///< Forget everything; cases that run are given up without a result.
  ping,
};
struct Ask {
  AskKind kind = AskKind::ping;
  std::uint64_t id = 0;
  bool operator==(const Ask&) const = default;
};

struct Goodbye {
  bool operator==(const Goodbye&) const = default;
};

using Request = std::variant<Hello, Run, Ask, Goodbye>;

// --- what the target says ---

struct Welcome {
  int protocol = protocol_version;
  TargetDescription target;
  bool answers_while_busy = false;  ///< Questions are answered while a case runs.
  int pipeline = 1;                 ///< Most cases that may be asked for at a time.
  bool operator==(const Welcome&) const = default;
};

struct Answer {
  std::uint64_t id = 0;
  std::string tag;
  bool cancelled = false;  ///< Given up because the suite asked for it; `result` says nothing.
  RunResult result;
};

struct State {
  std::uint64_t id = 0;
  bool known = false;
  std::vector<Waiting> waiting;
  std::string text;  ///< Anything else, for people.
  bool operator==(const State&) const = default;
};

enum class DoneKind : std::uint8_t { reset, pong };
struct Done {
  DoneKind kind = DoneKind::pong;
  std::uint64_t id = 0;
  bool operator==(const Done&) const = default;
};

/// The target cannot make sense of what it was told; it hangs up.
struct Complaint {
  std::string message;
  bool operator==(const Complaint&) const = default;
};

using Reply = std::variant<Welcome, Answer, State, Done, Complaint>;

std::string write_request(const Request& request);
std::string write_reply(const Reply& reply);

/// Reads a text of the other side. The error says where it is wrong and what was expected.
Result<Request> read_request(std::string_view text);
Result<Reply> read_reply(std::string_view text);

/// Most runs of one message body that are read: waiting cores, queries, trace events.
inline constexpr std::size_t most_records = std::size_t{1} << 20;

}  // namespace skcts::wire
