// Asking a target that is being checked.
#include "harness/skcts/check_target_talk.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "harness/wire/clock.h"

namespace skcts::program {
namespace {

constexpr std::int64_t hello_ms = 10'000;
constexpr std::int64_t longest_grace_ms = 2'000;

}  // namespace

std::string Talk::open() {
  if (session_ != nullptr && session_->broken() == wire::Break::none) return {};
  session_.reset();
  auto opened = wire::Session::open(address_, tls_, hello_ms, wire::System::real());
  if (!opened) return to_string(opened.error());
  session_ = std::move(*opened);
  welcome_ = session_->welcome();
  return {};
}

wire::Run Talk::request(const Case& test_case) {
  wire::Run run{.id = next_id_++, .deadline_ms = deadline_ms_, .test_case = test_case};
  run.tag = fmt::format("check-{}", run.id);
  run.strategy.seed = 1;
  run.step_limit = RunRequest{}.step_limit;
  return run;
}

std::optional<wire::Answer> Talk::ask(const wire::Run& run) {
  problem_ = open();
  if (!problem_.empty()) return std::nullopt;
  session_->send(run);
  return answer_to(run, run.deadline_ms + std::min(run.deadline_ms, longest_grace_ms));
}

std::optional<wire::Answer> Talk::answer_to(const wire::Run& run, std::int64_t most_ms) {
  std::optional<wire::Answer> found;
  const auto fits = [&](const wire::Reply& reply) {
    const auto* const answer = std::get_if<wire::Answer>(&reply);
    if (answer == nullptr || answer->id != run.id) return false;
    found = *answer;
    return true;
  };
  if (!wait_for(fits, most_ms)) return std::nullopt;
  return found;
}

bool Talk::wait_for(const std::function<bool(const wire::Reply&)>& fits, std::int64_t most_ms) {
  const std::int64_t until = wire::now_ms() + most_ms;
  for (std::int64_t left = most_ms; left > 0; left = until - wire::now_ms()) {
    const auto reply = session_->receive(left);
    if (reply && fits(*reply)) return true;
    if (!reply && session_->broken() != wire::Break::none) {
      problem_ = session_->why();
      return false;
    }
  }
  problem_ = fmt::format("no answer within {} ms", most_ms);
  return false;
}

}  // namespace skcts::program
