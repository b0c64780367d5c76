#include "harness/skcts/interrupt.h"

#include <atomic>

#include "harness/skcts/clock.h"

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
std::atomic<double> first_at = 0;
static_assert(std::atomic<double>::is_always_lock_free);

/// timeout(1) and service managers tell a process and its group, so that one request comes twice.
constexpr double one_request_seconds = 0.5;

extern "C" void note_signal(int number) {
  if (first_signal == 0) {
    first_at = seconds_now();
    first_signal = number;
    return;
  }
  if (seconds_now() - first_at < one_request_seconds) return;
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
