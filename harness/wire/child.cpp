// fork, kill, wait.
#include "harness/wire/child.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "harness/wire/clock.h"

namespace skcts::wire {
namespace {

std::string text_of_status(int status) {
  if (WIFEXITED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  return fmt::format("signal {} ({})", number, strsignal(number));
}

Error failed(std::string_view what) {
  return Error{.message = fmt::format("{}: {}", what, std::strerror(errno))};
}

/// What a new process sets right before it does its work.
void begin_child(pid_t parent, bool own_group) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died in between
  if (own_group) ::setpgid(0, 0);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);
}

}  // namespace

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      own_group_(other.own_group_),
      socket_(std::move(other.socket_)) {}

Child& Child::operator=(Child&& other) noexcept {
  kill();
  pid_ = std::exchange(other.pid_, -1);
  own_group_ = other.own_group_;
  socket_ = std::move(other.socket_);
  return *this;
}

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // its group may not exist yet
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::string Child::end(std::int64_t most_ms) {
  if (pid_ <= 0) return "no process";
  const std::int64_t until = now_ms() + most_ms;
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) break;
    if (now_ms() >= until) {
      kill();
      return "killed here";
    }
    ::usleep(1000);
  }
  if (own_group_) ::kill(-pid_, SIGKILL);  // what it left behind
  pid_ = -1;
  return text_of_status(status);
}

Result<Child> Child::start(const std::function<int(Fd)>& body, bool own_group, System& system) {
  int fds[2];
  if (system.socketpair(fds) != 0) return failed("socketpair");
  Fd ours(fds[0]);
  Fd theirs(fds[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = system.fork();
  if (pid < 0) return failed("fork");
  if (pid == 0) {
    begin_child(parent, own_group);
    { const Fd closed = std::move(ours); }
    ::_exit(body(std::move(theirs)));
  }
  if (own_group) ::setpgid(pid, pid);  // whoever comes first
  Child child;
  child.pid_ = pid;
  child.own_group_ = own_group;
  child.socket_ = std::move(ours);
  return child;
}

Result<Child> start_command(const std::string& command, System& system) {
  const std::string line = "exec " + command;
  return Child::start(
      [&](Fd socket) {
        ::dup2(socket.get(), STDIN_FILENO);
        ::dup2(socket.get(), STDOUT_FILENO);
        ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
        return 127;
      },
      true, system);
}

Result<Child> start_worker(const std::function<int(Fd)>& body, System& system) {
  return Child::start(body, false, system);
}

}  // namespace skcts::wire
