// Requests into the worker, results out of it, and what happens when it dies or is late.
#include "harness/wire/connection.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "harness/wire/clock.h"
#include "harness/wire/worker.h"

namespace skcts::wire {
namespace {

constexpr std::int64_t idle_ms = 1000;
constexpr std::int64_t worker_end_ms = 200;
constexpr std::int64_t last_words_ms = 1000;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

Connection::Connection(std::unique_ptr<Channel> channel, const MakeTarget& make_target,
                       System& system)
    : client_(loop_, std::move(channel)), make_target_(make_target), system_(system) {}

void Connection::run() {
  std::string text;
  while (client_.open() && !leaving_) {
    while (!leaving_ && client_.take(text)) said(text);
    if (client_.torn()) break;
    drive_worker();
    if (client_.open() && !leaving_) loop_.pump(wait_ms());
  }
  const std::int64_t until = now_ms() + last_words_ms;
  while (client_.open() && client_.queued() > 0 && now_ms() < until) loop_.pump(idle_ms / 10);
}

std::int64_t Connection::wait_ms() const {
  if (queue_.empty() || queue_.front().deadline_ms <= 0) return idle_ms;
  const std::int64_t left = started_ms_ + queue_.front().deadline_ms - now_ms();
  return std::clamp<std::int64_t>(left, 0, idle_ms);
}

void Connection::said(const std::string& text) {
  Result<Request> request = read_request(text);
  if (!request) return complain(to_string(request.error()));
  if (!greeted_ && !std::holds_alternative<Hello>(*request)) return complain("hello comes first");
  std::visit(Overloaded{
                 [&](const Hello& message) { hello(message); },
                 [&](Run& message) { queue(std::move(message), text); },
                 [&](const Ask& message) { ask(message); },
                 [&](const Goodbye&) { leaving_ = true; },
             },
             *request);
}

void Connection::complain(std::string message) {
  reply(Complaint{std::move(message)});
  leaving_ = true;
}

void Connection::hello(const Hello& hello) {
  if (greeted_) return complain("hello came twice");
  if (hello.protocol != protocol_version) {
    return complain(
        fmt::format("protocol {} is spoken here, not {}", protocol_version, hello.protocol));
  }
  greeted_ = true;
  reply(Welcome{.target = make_target_()->description(),
                .answers_while_busy = true,
                .pipeline = server_pipeline});
}

void Connection::ask(const Ask& ask) {
  switch (ask.kind) {
    case AskKind::ping: return reply(Done{DoneKind::pong, ask.id});
    case AskKind::cancel: return cancel(ask.id);
    case AskKind::reset:
      stop_worker();
      queue_.clear();
      return reply(Done{DoneKind::reset, ask.id});
    case AskKind::state: break;
  }
  State state{.id = ask.id};
  const auto at = std::ranges::find(queue_, ask.id, &Pending::id);
  if (at == queue_.end()) {
    state.text = "no such case runs or waits";
  } else if (at != queue_.begin()) {
    state.text = fmt::format("waits behind {} other cases", at - queue_.begin());
  } else {
    state.text = fmt::format("runs for {} ms", now_ms() - started_ms_);
  }
  reply(state);
}

void Connection::queue(Run run, const std::string& text) {
  if (queue_.size() >= server_pipeline) {
    return complain(fmt::format("more than {} cases at a time", server_pipeline));
  }
  const bool known = std::ranges::find(queue_, run.id, &Pending::id) != queue_.end();
  if (known) return complain(fmt::format("case {} was asked for twice", run.id));
  if (queue_.empty()) started_ms_ = now_ms();
  queue_.push_back({run.id, std::move(run.tag), run.deadline_ms, text});
}

void Connection::cancel(std::uint64_t id) {
  const auto at = std::ranges::find(queue_, id, &Pending::id);
  if (at == queue_.end()) return;  // its result is on the way
  const Answer answer{.id = id, .tag = at->tag, .cancelled = true, .result = {}};
  stop_worker();
  queue_.erase(at);
  started_ms_ = now_ms();
  reply(answer);
}

void Connection::drive_worker() {
  if (queue_.empty()) return;
  if (work_ == nullptr && !start_worker()) return;
  std::string text;
  while (!queue_.empty() && work_->take(text)) {
    client_.send(text);
    queue_.pop_front();
    if (sent_ > 0) --sent_;
    started_ms_ = now_ms();
  }
  for (; sent_ < queue_.size() && work_->open(); ++sent_) work_->send(queue_[sent_].text);
  if (!work_->open()) return worker_died();
  if (!queue_.empty() && queue_.front().deadline_ms > 0 &&
      now_ms() - started_ms_ >= queue_.front().deadline_ms) {
    deadline_passed();
  }
}

bool Connection::start_worker() {
  Result<Child> child = wire::start_worker(
      [this](Fd socket) {
        const std::unique_ptr<Target> target = make_target_();
        return work(std::move(socket), *target, system_);
      },
      system_);
  if (!child) {
    give_up(0, RunEnd::crash,
            fmt::format("no worker could be started: {}", to_string(child.error())));
    return false;
  }
  worker_ = std::move(*child);
  work_ = std::make_unique<Link>(loop_, plain_channel(system_, worker_.take_socket()));
  sent_ = 0;
  started_ms_ = now_ms();
  return true;
}

void Connection::worker_died() {
  const std::string how = worker_.end(worker_end_ms);
  stop_worker();
  if (!queue_.empty()) give_up(0, RunEnd::crash, "the worker that ran the case died: " + how);
}

void Connection::deadline_passed() {
  const std::int64_t deadline = queue_.front().deadline_ms;
  stop_worker();
  give_up(0, RunEnd::timeout, fmt::format("the worker was stopped after {} ms", deadline));
}

void Connection::give_up(std::size_t place, RunEnd end, std::string detail) {
  const auto at = queue_.begin() + static_cast<std::ptrdiff_t>(place);
  reply(Answer{.id = at->id, .tag = at->tag, .result = unanswered(end, std::move(detail))});
  queue_.erase(at);
  started_ms_ = now_ms();
}

void Connection::stop_worker() {
  work_.reset();
  worker_.kill();
  sent_ = 0;
}

void serve_connection(std::unique_ptr<Channel> channel, const MakeTarget& make_target,
                      System& system) {
  Connection(std::move(channel), make_target, system).run();
}

}  // namespace skcts::wire
