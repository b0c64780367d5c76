// Connecting, greeting, receiving.
#include "harness/wire/session.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "harness/wire/clock.h"
#include "harness/wire/socket.h"

namespace skcts::wire {
namespace {

constexpr std::int64_t process_end_ms = 500;

Error about(const Address& address, std::string message, std::string hint = {}) {
  return Error{.field = to_string(address), .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

Session::~Session() {
  if (link_ == nullptr || !link_->open()) return;
  link_->send(write_request(Goodbye{}));
  const std::int64_t until = now_ms() + process_end_ms;
  while (link_->open() && link_->queued() > 0 && now_ms() < until) loop_.pump(process_end_ms / 10);
  link_.reset();
  if (is_child_) child_.end(process_end_ms);
}

namespace {

Result<std::unique_ptr<Channel>> encrypted(const Address& address, const TlsFiles& files,
                                           Fd socket) {
  auto context = TlsContext::open(files, TlsContext::Side::client);
  if (!context) return context.error();
  return context->channel(std::move(socket), address.host);
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const Address& address, const TlsFiles& tls,
                                               std::int64_t most_ms, System& system) {
  std::unique_ptr<Session> session(new Session);
  Fd fd;
  if (address.kind == AddressKind::exec) {
    Result<Child> child = start_command(address.text, system);
    if (!child) return about(address, to_string(child.error()));
    session->child_ = std::move(*child);
    session->is_child_ = true;
    fd = session->child_.take_socket();
  } else {
    Result<Fd> connected = connect_to(address, system);
    if (!connected) return connected.error();
    fd = std::move(*connected);
  }
  std::unique_ptr<Channel> channel;
  if (address.kind == AddressKind::tls) {
    auto made = encrypted(address, tls, std::move(fd));
    if (!made) return made.error();
    channel = std::move(*made);
  } else {
    channel = plain_channel(system, std::move(fd));
  }
  session->link_ = std::make_unique<Link>(session->loop_, std::move(channel));
  session->send(Hello{.client = "skcts"});
  std::optional<Reply> reply = session->receive(most_ms);
  if (!reply && session->broken() == Break::none) {
    return about(address, fmt::format("no hello came within {} ms", most_ms),
                 "docs/protocol.md says what a target answers");
  }
  if (!reply) return about(address, session->why());
  Welcome* const welcome = std::get_if<Welcome>(&*reply);
  if (welcome == nullptr) return about(address, "something else than hello came first");
  if (welcome->protocol != protocol_version) {
    return about(address, fmt::format("the target speaks protocol {}, this build speaks {}",
                                      welcome->protocol, protocol_version));
  }
  session->welcome_ = std::move(*welcome);
  return session;
}

std::optional<Reply> Session::receive(std::int64_t most_ms) {
  const std::int64_t until = now_ms() + most_ms;
  std::string text;
  while (broken_ == Break::none) {
    if (link_->take(text)) {
      Result<Reply> reply = read_reply(text);
      if (!reply) {
        give_up(to_string(reply.error()));
        return std::nullopt;
      }
      if (const auto* const complaint = std::get_if<Complaint>(&*reply)) {
        give_up(fmt::format("the target complains: {}", complaint->message));
        return std::nullopt;
      }
      return std::move(*reply);
    }
    if (!link_->open()) {
      lost();
      return std::nullopt;
    }
    const std::int64_t left = until - now_ms();
    if (left <= 0) return std::nullopt;
    loop_.pump(left);
  }
  return std::nullopt;
}

void Session::give_up(std::string why) {
  broken_ = Break::nonsense;
  why_ = std::move(why);
}

void Session::lost() {
  broken_ = link_->torn() ? Break::nonsense : Break::gone;
  why_ = link_->problem();
  if (!is_child_) return;
  const std::string end = child_.end(process_end_ms);
  process_died_ = end != "killed here";
  if (process_died_) why_ = fmt::format("the target's process ended: {}", end);
}

}  // namespace skcts::wire
