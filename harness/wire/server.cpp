// Accepting, forking, turning away.
#include "harness/wire/server.h"

#include <cerrno>
#include <csignal>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "harness/wire/frame.h"
#include "harness/wire/message.h"
#include "harness/wire/socket.h"

namespace skcts::wire {
namespace {

constexpr int look_around_ms = 200;  ///< How often stop() is asked and children are reaped.
constexpr int no_room_ms = 50;       ///< Rest after an accept that found no free descriptor.

class Server {
 public:
  Server(const ServerSettings& settings, Listener listener, std::optional<TlsContext> tls)
      : settings_(settings), listener_(std::move(listener)), tls_(std::move(tls)) {}

  void run() {
    while (!settings_.stop || !settings_.stop()) {
      reap();
      pollfd waits{.fd = listener_.fd(), .events = POLLIN, .revents = 0};
      if (::poll(&waits, 1, look_around_ms) > 0) accept_one();
    }
    for (const pid_t child : children_) ::kill(child, SIGKILL);
    for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
  }

 private:
  void reap() {
    for (auto at = children_.begin(); at != children_.end();) {
      const bool ended = ::waitpid(*at, nullptr, WNOHANG) == *at;
      at = ended ? children_.erase(at) : std::next(at);
    }
  }

  void accept_one() {
    Fd fd(settings_.system->accept(listener_.fd()));
    if (!fd) {
      // The connection stays in the queue of the socket until there is a descriptor for it.
      if (errno == EMFILE || errno == ENFILE) ::usleep(no_room_ms * 1000);
      return;
    }
    if (children_.size() >= most_connections) return turn_away(fd.get());
    const pid_t parent = ::getpid();
    const pid_t child = settings_.system->fork();
    if (child > 0) children_.insert(child);
    if (child != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
    listener_.forget();
    tune(fd.get());
    serve_connection(
        tls_ ? tls_->channel(std::move(fd), "") : plain_channel(*settings_.system, std::move(fd)),
        settings_.make_target, *settings_.system);
    ::_exit(0);
  }

  void turn_away(int fd) {
    if (tls_) return;  // a word in clear would only puzzle
    const std::string bytes = frame_of(
        write_reply(Complaint{fmt::format("{} connections are open already", most_connections)}));
    if (settings_.system->write(fd, bytes.data(), bytes.size()) < 0) return;
  }

  const ServerSettings& settings_;
  Listener listener_;
  std::optional<TlsContext> tls_;
  std::set<pid_t> children_;
};

}  // namespace

Result<void> serve(const ServerSettings& settings) {
  std::signal(SIGPIPE, SIG_IGN);
  if (settings.listen.kind == AddressKind::stdio) {
    serve_connection(plain_channel(*settings.system, Fd(STDIN_FILENO), Fd(STDOUT_FILENO)),
                     settings.make_target, *settings.system);
    return {};
  }
  std::optional<TlsContext> tls;
  if (settings.listen.kind == AddressKind::tls) {
    auto context = TlsContext::open(settings.tls, TlsContext::Side::server);
    if (!context) return context.error();
    tls = std::move(*context);
  }
  Result<Listener> listener = Listener::open(settings.listen, *settings.system);
  if (!listener) return listener.error();
  if (settings.listening) settings.listening(listener->address());
  Server(settings, std::move(*listener), std::move(tls)).run();
  return {};
}

}  // namespace skcts::wire
