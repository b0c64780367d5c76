// Ask, wait, doubt, recover.
#include "harness/wire/client.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "harness/wire/answer_check.h"
#include "harness/wire/clock.h"
#include "harness/wire/frame.h"
#include "harness/wire/message.h"
#include "harness/wire/session.h"

namespace skcts::wire {
namespace {

constexpr std::int64_t hello_ms = 10'000;
constexpr std::int64_t keepalive_ms = 5'000;  ///< Silence after which a busy target is pinged.
constexpr std::int64_t dead_ms = 30'000;      ///< Silence after which it is gone.
constexpr std::int64_t longest_state_ms = 1'000;
constexpr int restart_pause_ms = 50;  ///< Before the second restart; twice that before the third.

}  // namespace

Result<void> check_deadlines(const Deadlines& deadlines) {
  constexpr std::int64_t longer = 10;
  const auto error = [](std::string_view inner, std::string_view outer, std::string hint) {
    return Error{.field = "deadlines",
                 .message = fmt::format("{} leaves no room for {}", outer, inner),
                 .hint = std::move(hint)};
  };
  if (deadlines.case_ms < 1) {
    return Error{.field = "deadlines", .message = "a case needs at least 1 ms"};
  }
  const std::int64_t inner = longer * deadlines.case_ms + 2 * deadlines.grace_ms;
  if (deadlines.session_ms <= inner) {
    return error("a case asked again with ten times its deadline",
                 fmt::format("the session's {} ms", deadlines.session_ms),
                 fmt::format("more than {} ms, or a smaller case deadline", inner));
  }
  if (deadlines.run_ms != 0 && deadlines.run_ms <= deadlines.session_ms) {
    return error(fmt::format("the session's {} ms", deadlines.session_ms),
                 fmt::format("the run's {} ms", deadlines.run_ms),
                 "a longer run, or a smaller session deadline");
  }
  return {};
}

struct RemoteTarget::State {
  explicit State(ClientSettings the_settings) : settings(std::move(the_settings)) {}

  Result<void> connect();
  RunResult ask(const Case& test_case, const RunRequest& request, std::int64_t deadline_ms);
  RunResult wait_for(const Run& run, std::int64_t deadline_ms);
  RunResult late(const Run& run, std::int64_t deadline_ms);
  std::vector<Waiting> state_of(const Run& run);
  RunResult broken_off();
  RunResult checked(const Run& run, Answer answer);
  bool probe_passes();
  Probe recover();
  /// The answer to this request: others that were given up may still come in.
  std::optional<Answer> take(const Reply& reply, const Run& run);

  ClientSettings settings;
  std::optional<ProbeCase> probe;
  TargetDescription description;
  Welcome welcome;
  std::unique_ptr<Session> session;
  std::uint64_t next_id = 1;
  std::int64_t session_until_ms = 0;  ///< Of the case that runs.
  bool lost = false;
  std::string lost_why;
  ClientCounts counts;
};

Result<void> RemoteTarget::State::connect() {
  session.reset();
  auto opened = Session::open(settings.address, settings.tls, hello_ms, *settings.system);
  if (!opened) return opened.error();
  session = std::move(*opened);
  ++counts.connections;
  return {};
}

RunResult RemoteTarget::State::ask(const Case& test_case, const RunRequest& request,
                                   std::int64_t deadline_ms) {
  Run run{.id = next_id++, .deadline_ms = deadline_ms, .strategy = request.strategy};
  run.tag = fmt::format("case-{}", run.id);
  run.trace = request.want_trace;
  run.step_limit = request.step_limit;
  run.test_case = test_case;
  run.test_case.schedule.reset();
  run.test_case.expect.reset();
  run.test_case.provenance.reset();
  if (request.replay != nullptr) run.replay = *request.replay;
  const std::string text = write_request(run);
  if (text.size() > max_frame_bytes) {
    return unanswered(RunEnd::not_supported, "the case does not fit into a frame");
  }
  session->send_text(text);
  return wait_for(run, deadline_ms);
}

RunResult RemoteTarget::State::wait_for(const Run& run, std::int64_t deadline_ms) {
  // The target's own deadline comes first: it can say more than we can.
  const std::int64_t until = now_ms() + deadline_ms + settings.deadlines.grace_ms;
  std::int64_t heard = now_ms();
  std::int64_t pinged = heard;
  for (std::int64_t left = until - now_ms(); left > 0; left = until - now_ms()) {
    const auto reply = session->receive(std::min(left, keepalive_ms));
    if (session->broken() != Break::none) return broken_off();
    const std::int64_t now = now_ms();
    if (reply) {
      heard = now;
      if (auto answer = take(*reply, run)) return checked(run, std::move(*answer));
      if (session->broken() != Break::none) return broken_off();
    }
    if (!session->welcome().answers_while_busy) continue;
    if (now - heard > dead_ms) {
      return unanswered(RunEnd::lost, fmt::format("No word from the target for {} ms.", dead_ms));
    }
    if (now - heard >= keepalive_ms && now - pinged >= keepalive_ms) {
      session->send(Ask{AskKind::ping, run.id});
      pinged = now;
    }
  }
  return late(run, deadline_ms);
}

std::optional<Answer> RemoteTarget::State::take(const Reply& reply, const Run& run) {
  if (std::holds_alternative<Done>(reply) || std::holds_alternative<wire::State>(reply)) {
    return std::nullopt;
  }
  const Answer* const answer = std::get_if<Answer>(&reply);
  if (answer == nullptr) {
    session->give_up("a second hello came");
    return std::nullopt;
  }
  if (answer->id == run.id && answer->tag == run.tag) return *answer;
  if (answer->id == run.id) {
    session->give_up(fmt::format("the answer to case {} carries the tag '{}' instead of '{}'",
                                 run.id, answer->tag, run.tag));
  } else {
    session->give_up(fmt::format("an answer came to case {}, which was not asked for{}", answer->id,
                                 answer->id < run.id ? " any more" : ""));
  }
  return std::nullopt;
}

RunResult RemoteTarget::State::checked(const Run& run, Answer answer) {
  if (answer.cancelled) {
    session->give_up(fmt::format("case {} was given up, which nobody asked for", run.id));
    return broken_off();
  }
  std::string misfit = misfit_of(run.test_case, answer.result);
  if (misfit.empty() && answer.result.end == RunEnd::not_supported &&
      missing_support(description, run.test_case).empty()) {
    // Claimed in the hello, refused now: that is an outcome, and the judge's to decide.
    answer.result.end = RunEnd::answered;
    answer.result.outcome.status = OutcomeStatus::refused;
  }
  if (misfit.empty()) return std::move(answer.result);
  session->give_up(fmt::format("the answer does not fit the case: {}", misfit));
  return broken_off();
}

RunResult RemoteTarget::State::broken_off() {
  const std::string why = session->why() + ".";
  if (session->broken() == Break::nonsense) return unanswered(RunEnd::protocol_error, why);
  return unanswered(session->process_died() ? RunEnd::crash : RunEnd::lost, why);
}

std::vector<Waiting> RemoteTarget::State::state_of(const Run& run) {
  if (!session->welcome().answers_while_busy) return {};
  session->send(Ask{AskKind::state, run.id});
  const std::int64_t until = now_ms() + std::min(settings.deadlines.grace_ms, longest_state_ms);
  for (std::int64_t left = until - now_ms(); left > 0; left = until - now_ms()) {
    const auto reply = session->receive(left);
    if (!reply) return {};
    const wire::State* const state = std::get_if<wire::State>(&*reply);
    if (state == nullptr || state->id != run.id) continue;
    RunResult said;
    said.end = RunEnd::timeout;
    said.waiting = state->waiting;
    return misfit_of(run.test_case, said).empty() ? state->waiting : std::vector<Waiting>();
  }
  return {};
}

RunResult RemoteTarget::State::late(const Run& run, std::int64_t deadline_ms) {
  RunResult result =
      unanswered(RunEnd::timeout, fmt::format("No answer within {} ms.", deadline_ms));
  result.waiting = state_of(run);
  return result;
}

bool RemoteTarget::State::probe_passes() {
  if (!probe) return true;
  ++counts.probes;
  RunRequest request;
  request.strategy.kind = StrategyKind::round_robin;
  const RunResult result = ask(probe->test_case, request, settings.deadlines.case_ms);
  return result.end == RunEnd::answered && result.outcome.status == OutcomeStatus::completed &&
         result.outcome.memory == probe->memory;
}

Probe RemoteTarget::State::recover() {
  for (int attempt = 0; attempt < settings.attempts; ++attempt) {
    if (now_ms() >= session_until_ms) {
      lost_why = "the session's time is up";
      break;
    }
    if (attempt > 0) pause_ms(restart_pause_ms << attempt);
    if (session != nullptr) ++counts.kills;
    if (const Result<void> connected = connect(); !connected) {
      lost_why = to_string(connected.error());
      continue;
    }
    if (!(session->welcome() == welcome)) {
      lost_why = "the target says another hello than before";
      continue;
    }
    if (probe_passes()) return probe ? Probe::passed : Probe::not_run;
    lost_why = "a known good case fails";
  }
  session.reset();
  lost = true;
  return Probe::failed;
}

RemoteTarget::RemoteTarget(std::unique_ptr<State> state) : state_(std::move(state)) {}
RemoteTarget::~RemoteTarget() = default;

Result<std::unique_ptr<RemoteTarget>> RemoteTarget::open(ClientSettings settings) {
  if (const auto sane = check_deadlines(settings.deadlines); !sane) return sane.error();
  auto state = std::make_unique<State>(std::move(settings));
  if (const auto connected = state->connect(); !connected) return connected.error();
  state->welcome = state->session->welcome();
  state->description = state->welcome.target;
  if (state->settings.make_probe) state->probe = state->settings.make_probe(state->description);
  return std::unique_ptr<RemoteTarget>(new RemoteTarget(std::move(state)));
}

const TargetDescription& RemoteTarget::description() const {
  return state_->description;
}
const ClientCounts& RemoteTarget::counts() const {
  return state_->counts;
}

RunResult RemoteTarget::run(const Case& test_case, const RunRequest& request) {
  State& state = *state_;
  if (state.lost) {
    return unanswered(RunEnd::device_lost,
                      fmt::format("The target was given up: {}.", state.lost_why));
  }
  const std::string missing = missing_support(state.description, test_case);
  if (!missing.empty()) return unanswered(RunEnd::not_supported, missing);
  const std::int64_t own =
      request.deadline_ms > 0 ? request.deadline_ms : state.settings.deadlines.case_ms;
  state.session_until_ms = now_ms() + state.settings.deadlines.session_ms;
  RunResult result = state.ask(test_case, request, own * request.deadline_times);
  if (result.end == RunEnd::answered || result.end == RunEnd::not_supported) {
    ++state.counts.answers;
    return result;
  }
  result.probe = state.recover();
  return result;
}

}  // namespace skcts::wire
