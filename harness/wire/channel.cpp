// The plain channel: what the system calls say, told apart.
#include "harness/wire/channel.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace skcts::wire {
namespace {

class PlainChannel : public Channel {
 public:
  PlainChannel(System& system, Fd in, Fd out)
      : system_(system), in_(std::move(in)), out_(std::move(out)) {
    set_nonblocking(in_.get());
    if (out_) set_nonblocking(out_.get());
  }

  Io read(char* to, std::size_t most, std::size_t& count) override {
    const ssize_t got = retry([&] { return system_.read(in_.get(), to, most); });
    if (got == 0) return Io::ended;
    return told(got, Io::wait_read, "read", count);
  }

  Io write(const char* from, std::size_t size, std::size_t& count) override {
    const ssize_t sent = retry([&] { return system_.write(write_fd(), from, size); });
    return told(sent, Io::wait_write, "write", count);
  }

  [[nodiscard]] int read_fd() const override { return in_.get(); }
  [[nodiscard]] int write_fd() const override { return out_ ? out_.get() : in_.get(); }

 private:
  template <class Call>
  static ssize_t retry(Call&& call) {
    ssize_t result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
  }

  Io told(ssize_t result, Io wait, std::string_view what, std::size_t& count) {
    if (result > 0) {
      count = static_cast<std::size_t>(result);
      return Io::done;
    }
    if (result == 0 || errno == EAGAIN || errno == EWOULDBLOCK) return wait;
    if (errno == EPIPE || errno == ECONNRESET) return Io::ended;
    problem_ = fmt::format("{}: {}", what, std::strerror(errno));
    return Io::failed;
  }

  System& system_;
  Fd in_;
  Fd out_;
};

}  // namespace

std::unique_ptr<Channel> plain_channel(System& system, Fd in, Fd out) {
  return std::make_unique<PlainChannel>(system, std::move(in), std::move(out));
}

}  // namespace skcts::wire
