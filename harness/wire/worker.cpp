// Frames in, cases run, frames out; one at a time, waiting for each.
#include "harness/wire/worker.h"

#include <array>
#include <cerrno>
#include <string>
#include <variant>

#include "harness/wire/frame.h"
#include "harness/wire/message.h"

namespace skcts::wire {
namespace {

bool write_whole(System& system, int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = system.write(fd, bytes.data(), bytes.size());
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string answer_to(const Run& run, Target& target) {
  Answer answer{.id = run.id, .tag = run.tag};
  const std::string missing = missing_support(target.description(), run.test_case);
  if (!missing.empty()) {
    answer.result = unanswered(RunEnd::not_supported, missing);
  } else {
    RunRequest request;
    request.strategy = run.strategy;
    request.replay = run.replay ? &*run.replay : nullptr;
    request.want_trace = run.trace;
    request.deadline_ms = run.deadline_ms;
    if (run.step_limit > 0) request.step_limit = run.step_limit;
    answer.result = target.run(run.test_case, request);
  }
  std::string text = write_reply(answer);
  if (text.size() <= max_frame_bytes) return text;
  answer.result = unanswered(RunEnd::not_supported, "the result does not fit into a frame");
  return write_reply(answer);
}

}  // namespace

int work(Fd socket, Target& target, System& system) {
  FrameDecoder decoder;
  std::array<char, 1 << 16> buffer;
  std::string text;
  for (;;) {
    while (decoder.take(text)) {
      const Result<Request> request = read_request(text);
      if (!request) return 3;
      const Run* const run = std::get_if<Run>(&*request);
      if (run == nullptr) return 3;
      if (!write_whole(system, socket.get(), frame_of(answer_to(*run, target)))) return 0;
    }
    if (!decoder.broken().empty()) return 3;
    const ssize_t got = system.read(socket.get(), buffer.data(), buffer.size());
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) return 0;
    if (got > 0) decoder.add({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace skcts::wire
