// Asio waits for readiness; channels move the bytes.
#include "harness/wire/link.h"

#include <array>
#include <chrono>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fmt/format.h>

#include "harness/wire/frame.h"

namespace skcts::wire {

namespace asio = boost::asio;
using asio::posix::stream_descriptor;

struct Loop::State {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> stays{io.get_executor()};
};

Loop::Loop() : state_(std::make_unique<State>()) {}
Loop::~Loop() = default;

void Loop::pump(std::int64_t most_ms) {
  if (most_ms < 0) most_ms = 0;
  if (state_->io.run_one_for(std::chrono::milliseconds(most_ms)) > 0) state_->io.poll();
}

/// Kept alive by its own waits, which end when it is closed.
struct Link::State : std::enable_shared_from_this<Link::State> {
  State(asio::io_context& io, std::unique_ptr<Channel> the_channel)
      : channel(std::move(the_channel)), in(io, channel->read_fd()), out(io) {
    if (channel->write_fd() != channel->read_fd()) out.assign(channel->write_fd());
  }
  ~State() { detach(); }

  stream_descriptor& writer() { return out.is_open() ? out : in; }

  /// The channel owns the descriptors.
  void detach() {
    if (in.is_open()) in.release();
    if (out.is_open()) out.release();
  }

  void close(std::string why, bool was_torn) {
    if (!is_open) return;
    is_open = false;
    problem = std::move(why);
    torn = was_torn;
    detach();
  }

  void wait(stream_descriptor& where, stream_descriptor::wait_type what, bool& waits) {
    if (waits || !is_open) return;
    waits = true;
    where.async_wait(what, [self = shared_from_this(), &waits](const auto& error) {
      waits = false;
      if (error || !self->is_open) return;
      self->move();
    });
  }

  /// Reads and writes what can be moved now, then waits for more.
  void move() {
    read_all();
    write_all();
    if (!is_open) return;
    wait(in, stream_descriptor::wait_read, waits_to_read);
    if (wants_to_write) wait(writer(), stream_descriptor::wait_write, waits_to_write);
  }

  void read_all() {
    std::array<char, 1 << 16> buffer;
    // Bounded, so that one that never stops talking does not keep the loop.
    for (int round = 0; is_open && round < 16; ++round) {
      std::size_t count = 0;
      switch (channel->read(buffer.data(), buffer.size(), count)) {
        case Io::done: decoder.add({buffer.data(), count}); break;
        case Io::wait_read: return;
        case Io::wait_write: wants_to_write = true; return;
        case Io::ended: return ended();
        case Io::failed: return close(channel->problem(), false);
      }
      if (count < buffer.size()) return;
    }
  }

  void ended() {
    if (decoder.pending() == 0) return close("the other side closed the connection", false);
    ended_inside = true;  // whole frames may stand before the torn one
    close("the other side closed the connection", false);
  }

  void write_all() {
    wants_to_write = false;
    while (is_open && start < output.size()) {
      std::size_t count = 0;
      switch (channel->write(output.data() + start, output.size() - start, count)) {
        case Io::done: start += count; break;
        case Io::wait_write: wants_to_write = true; return;
        case Io::wait_read: return;
        case Io::ended: read_all(); return ended();  // what it said before it went counts
        case Io::failed: return close(channel->problem(), false);
      }
    }
    output.clear();
    start = 0;
  }

  std::unique_ptr<Channel> channel;
  stream_descriptor in;
  stream_descriptor out;
  FrameDecoder decoder;
  std::string output;
  std::size_t start = 0;
  std::string problem;
  bool is_open = true;
  bool torn = false;
  bool ended_inside = false;
  bool wants_to_write = false;
  bool waits_to_read = false;
  bool waits_to_write = false;
};

Link::Link(Loop& loop, std::unique_ptr<Channel> channel)
    : state_(std::make_shared<State>(loop.state_->io, std::move(channel))) {
  state_->move();
}

Link::~Link() {
  state_->close("closed here", false);
  state_->channel.reset();  // waits that were cancelled hold the state a little longer
}

void Link::send(std::string_view text) {
  if (!state_->is_open) return;
  state_->output += frame_of(text);
  state_->move();
}

bool Link::take(std::string& text) {
  if (state_->decoder.take(text)) return true;
  if (!state_->decoder.broken().empty() && !state_->torn) {
    state_->close(state_->decoder.broken(), true);
    state_->torn = true;
    state_->problem = state_->decoder.broken();
  }
  if (state_->ended_inside && !state_->torn && state_->decoder.pending() > 0) {
    state_->torn = true;
    state_->problem = fmt::format("the connection ended inside a frame, after {} bytes of it",
                                  state_->decoder.pending());
  }
  return false;
}

bool Link::open() const {
  return state_->is_open;
}
const std::string& Link::problem() const {
  return state_->problem;
}
bool Link::torn() const {
  return state_->torn;
}
std::size_t Link::queued() const {
  return state_->output.size() - state_->start;
}

}  // namespace skcts::wire
