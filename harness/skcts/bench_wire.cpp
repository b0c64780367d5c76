// The same cases, the same target, four ways.
#include "harness/skcts/bench_wire.h"

#include <functional>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/strategies.h"
#include "harness/skcts/clock.h"
#include "harness/skcts/inputs.h"
#include "harness/wire/child.h"
#include "harness/wire/clock.h"
#include "harness/wire/server.h"

namespace skcts::program {
namespace {

constexpr std::int64_t slow_ms = 10;

/// Needs its time, and gives what every case may give that has no words.
class Slow : public Target {
 public:
  const TargetDescription& description() const override { return description_; }
  RunResult run(const Case& test_case, const RunRequest&) override {
    wire::pause_ms(slow_ms);
    RunResult result;
    result.outcome.memory = initial_memory(test_case.mix, layout_of(test_case.mix));
    return result;
  }

 private:
  TargetDescription description_{.name = "slow"};
};

double cases_a_second(Target& target, double seconds, const std::vector<Case>& cases) {
  const double start = seconds_now();
  std::uint64_t done = 0;
  double now = start;
  for (; now - start < seconds; now = seconds_now()) {
    RunRequest request;
    request.strategy = campaign::strategies_for(1, done, 1).front();
    const RunResult result = target.run(cases[done % cases.size()], request);
    if (result.end != RunEnd::answered) {
      fmt::print("{}\n", result.detail);
      return 0;
    }
    ++done;
  }
  return static_cast<double>(done) / (now - start);
}

/// A server in a child of ours; the address it listens at comes back over the child's socket.
struct Served {
  wire::Child child;
  std::string address;
};

Result<Served> serve_beside(const std::string& listen, const wire::MakeTarget& make_target) {
  wire::System& system = wire::System::real();
  const auto body = [&](wire::Fd socket) {
    wire::ServerSettings settings;
    settings.listen = *wire::parse_listen_address(listen);
    settings.make_target = make_target;
    settings.listening = [&](const wire::Address& where) {
      const std::string text = to_string(where);
      if (system.write(socket.get(), text.data(), text.size()) < 0) return;
    };
    return wire::serve(settings).ok() ? 0 : 1;
  };
  Result<wire::Child> child = wire::start_worker(body, system);
  if (!child) return child.error();
  const wire::Fd socket = child->take_socket();
  std::string address(256, '\0');
  const auto count = system.read(socket.get(), address.data(), address.size());
  if (count <= 0) return Error{.message = fmt::format("nobody listens at {}", listen)};
  address.resize(static_cast<std::size_t>(count));
  return Served{std::move(*child), std::move(address)};
}

void row(std::string_view way, double rate, double direct) {
  fmt::print("{:<44} {:>14.0f} cases/s      {:.0f} us more than in process\n",
             fmt::format("emulator, {}", way), rate, 1e6 / rate - 1e6 / direct);
}

void bench_way(std::string_view way, const std::string& listen, double seconds,
               const std::vector<Case>& cases, double direct) {
  const auto emulator = [] { return std::move(open_target("emulator")).value(); };
  for (const bool slow : {false, true}) {
    const auto served = serve_beside(
        listen, slow ? wire::MakeTarget([] { return std::make_unique<Slow>(); }) : emulator);
    if (!served) return complain(served.error());
    auto target = open_target(served->address);
    if (!target) return complain(target.error());
    const double rate = cases_a_second(**target, seconds, cases);
    if (rate <= 0) return;
    if (!slow) {
      row(way, rate, direct);
    } else {
      fmt::print("{:<44} {:>14.1f} %            goal 5 at most\n",
                 fmt::format("share of the way, {} ms a case, {}", slow_ms, way),
                 100.0 * (1.0 - rate * slow_ms / 1000.0));
    }
  }
}

}  // namespace

void bench_wire(double seconds, const std::vector<Case>& cases) {
  auto emulator = open_target("emulator");
  const double direct = cases_a_second(**emulator, seconds, cases);
  row("in process", direct, direct);
  auto child =
      open_target("exec:/proc/" + std::to_string(::getpid()) + "/exe serve --listen stdio");
  if (!child) return complain(child.error());
  row("child on stdio", cases_a_second(**child, seconds, cases), direct);
  const std::string path = fmt::format("unix:/tmp/skcts-bench-{}.sock", ::getpid());
  bench_way("Unix socket", path, seconds, cases, direct);
  bench_way("TCP on loopback", "tcp:127.0.0.1:0", seconds, cases, direct);
}

}  // namespace skcts::program
