// What checks of a target need: a connection that is opened again when it broke, and cases asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/skcts/probe.h"
#include "harness/wire/session.h"

namespace skcts::program {

/// One conversation after the other with the target under check.
class Talk {
 public:
  Talk(wire::Address address, wire::TlsFiles tls, std::int64_t deadline_ms)
      : address_(std::move(address)), tls_(std::move(tls)), deadline_ms_(deadline_ms) {}

  /// Opens a connection unless one is open. Says why not; empty: it is open.
  std::string open();
  /// Closes the connection, with a goodbye.
  void close() { session_.reset(); }
  [[nodiscard]] wire::Session& session() { return *session_; }
  [[nodiscard]] const wire::Welcome& welcome() const { return welcome_; }
  [[nodiscard]] std::int64_t deadline_ms() const { return deadline_ms_; }

  /// A run of the case with an id and a tag of its own.
  wire::Run request(const Case& test_case);
  /// Asks and waits a little longer than the deadline. On trouble: nothing, and problem().
  std::optional<wire::Answer> ask(const wire::Run& run);
  std::optional<wire::Answer> ask(const Case& test_case) { return ask(request(test_case)); }
  /// The next answer to `id`; other kinds of messages are skipped.
  std::optional<wire::Answer> answer_to(const wire::Run& run, std::int64_t most_ms);
  /// Waits for the reply with this id that `fits`.
  bool wait_for(const std::function<bool(const wire::Reply&)>& fits, std::int64_t most_ms);
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  wire::Address address_;
  wire::TlsFiles tls_;
  std::int64_t deadline_ms_;
  std::unique_ptr<wire::Session> session_;
  wire::Welcome welcome_;
  std::uint64_t next_id_ = 1;
  std::string problem_;
};

/// One check: what it shows, and the check itself. It gives what is wrong; empty: nothing is;
/// `skipped` where the target does not claim what would be checked.
struct TargetCheck {
  std::string_view name;
  std::string (*run)(Talk&);
};
inline constexpr std::string_view skipped = "skipped: ";

/// Of hello, words and frames.
std::vector<TargetCheck> checks_of_protocol();
/// Of cases whose end is known.
std::vector<TargetCheck> checks_of_cases();

}  // namespace skcts::program
