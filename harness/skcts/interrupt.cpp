#include "harness/skcts/interrupt.h"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace skcts::program {
namespace {

struct Known {
  int number;
  std::string_view name;
};
constexpr std::array<Known, 3> signals{
    {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}}};

/// A handler can reach nothing else.
volatile std::sig_atomic_t first_signal = 0;
std::atomic<std::int64_t> first_at = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

/// timeout(1) and service managers tell a process and its group, so that one request comes twice.
constexpr std::int64_t one_request_ms = 500;

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void note_signal(int number) {
  if (first_signal == 0) {
    first_at = now_ms();
    first_signal = number;
    return;
  }
  if (now_ms() - first_at < one_request_ms) return;
  std::signal(number, SIG_DFL);  // whoever asks twice does not want to wait
  std::raise(number);
}

}  // namespace

Interrupt::Interrupt() {
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;  // writes go on where they were
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i].number, nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(signals[i].number, &action, nullptr);
  }
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before_.back());
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i].number, &before_[i], nullptr);
  }
  sigaction(SIGPIPE, &before_.back(), nullptr);
}

std::string_view Interrupt::noted() {
  const int number = first_signal;
  for (const Known& known : signals) {
    if (known.number == number) return known.name;
  }
  return {};
}

}  // namespace skcts::program
