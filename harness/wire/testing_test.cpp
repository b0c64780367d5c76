// What tests talk with.
#include "harness/wire/testing.h"

#include <csignal>
#include <cstdlib>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "harness/wire/frame.h"
#include "harness/wire/socket.h"
#include "spec/check.h"

namespace skcts::wire::testing_partners {

Case small_case(std::uint32_t first) {
  Case value;
  value.name = fmt::format("small-{}", first);
  value.mix.regions = {{.name = "A", .words = 16, .init = {.first = first, .step = 3}}};
  value.mix.sub_kernels = {{.name = "k0", .blocks = 1}};
  return value;
}

RunResult PlainTarget::run(const Case& test_case, const RunRequest& request) {
  RunResult result;
  result.outcome.memory = initial_memory(test_case.mix, layout_of(test_case.mix));
  result.schedule = {to_string(request.strategy), request.strategy.seed, {}, ""};
  switch (result.outcome.memory.front()) {
    case 13: std::raise(SIGKILL); break;
    case 14: ::pause(); break;
    case 15: result.outcome = {.status = OutcomeStatus::refused, .reason = "not this one"}; break;
    default: break;
  }
  return result;
}

bool Wire::raw(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = System::real().write(fd_, bytes.data(), bytes.size());
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Wire::say_text(std::string_view text) {
  return raw(frame_of(text));
}
bool Wire::say(const Reply& reply) {
  return say_text(write_reply(reply));
}

std::optional<Request> Wire::hear() {
  for (;;) {
    FrameDecoder decoder;
    decoder.add(buffer_);
    std::string text;
    if (decoder.take(text)) {
      buffer_.erase(0, text.size() + 4);
      auto request = read_request(text);
      if (!request) return std::nullopt;
      return std::move(*request);
    }
    char more[4096];
    const ssize_t got = ::read(fd_, more, sizeof(more));
    if (got <= 0) return std::nullopt;
    buffer_.append(more, static_cast<std::size_t>(got));
  }
}

std::optional<Run> Wire::hear_run() {
  for (;;) {
    auto request = hear();
    if (!request) return std::nullopt;
    if (auto* const run = std::get_if<Run>(&*request)) return std::move(*run);
  }
}

bool Wire::answer(const Run& run) {
  PlainTarget target;
  return say(Answer{.id = run.id, .tag = run.tag, .result = target.run(run.test_case, {})});
}

bool Wire::greet(bool answers_while_busy) {
  const auto request = hear();
  if (!request || !std::holds_alternative<Hello>(*request)) return false;
  Welcome welcome{.answers_while_busy = answers_while_busy, .pipeline = 4};
  welcome.target.name = "partner";
  return say(welcome);
}

void Wire::hang() const {
  for (;;) ::pause();
}

Partner::Partner(std::function<void(Wire&, int)> script) {
  char folder[] = "/tmp/skcts-wire-XXXXXX";
  SKCTS_CHECK(::mkdtemp(folder) != nullptr, "no temporary folder");
  path_ = std::string(folder) + "/s";
  auto listener = Listener::open(address(), System::real());
  SKCTS_CHECK(listener.ok(), "cannot listen at {}", path_);
  pid_ = ::fork();
  if (pid_ != 0) {
    listener->forget();
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  for (int number = 0;; ++number) {
    const Fd fd(System::real().accept(listener->fd()));
    if (!fd) ::_exit(1);
    // A script that hangs must not keep the next connection waiting.
    if (::fork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      Wire wire(fd.get());
      script(wire, number);
      ::_exit(0);
    }
  }
}

Partner::~Partner() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::unlink(path_.c_str());
  ::rmdir(path_.substr(0, path_.size() - 2).c_str());
}

Address Partner::address() const {
  return {.kind = AddressKind::unix_socket, .text = path_};
}

ClientSettings quick(const Address& address) {
  ClientSettings settings;
  settings.address = address;
  settings.deadlines = {.case_ms = 200, .session_ms = 20'000, .run_ms = 0, .grace_ms = 100};
  settings.make_probe = [](const TargetDescription&) {
    ProbeCase probe{.test_case = small_case(), .memory = {}};
    probe.memory = initial_memory(probe.test_case.mix, layout_of(probe.test_case.mix));
    return std::optional(std::move(probe));
  };
  return settings;
}

}  // namespace skcts::wire::testing_partners
