// skcts bench: how fast each part is, beside what the project holds itself to.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "generators/generate.h"
#include "harness/campaign/engine.h"
#include "harness/campaign/strategies.h"
#include "harness/judge/judge.h"
#include "harness/skcts/bench_cases.h"
#include "harness/skcts/bench_shrink.h"
#include "harness/skcts/bench_wire.h"
#include "harness/skcts/clock.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "reference_model/explorer/explorer.h"
#include "suites/mixes.h"

namespace skcts::program {
namespace {

constexpr std::uint64_t bench_seed = 20240601;
constexpr int mix_count = 512;  ///< The fixed list of small mixes: indices 0 to 511.

/// How often work(i) can be done a second, i counting up; the clock is read every `block` times.
double rate(double seconds, const std::function<void(std::uint64_t)>& work, int block = 16) {
  const double start = seconds_now();
  std::uint64_t done = 0;
  double now = start;
  while (now - start < seconds) {
    for (int i = 0; i < block; ++i) work(done++);
    now = seconds_now();
  }
  return static_cast<double>(done) / (now - start);
}

/// 12,345,678
std::string thousands(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

void row(std::string_view what, double value, std::string_view unit, std::string_view goal) {
  fmt::print("{:<44} {:>14} {:<12} goal {}\n", what, thousands(value), unit, goal);
}

generators::Focus small_focus() {
  generators::Focus focus;
  focus.size = generators::Size::small;
  focus.min_sub_kernels = 2;
  focus.max_sub_kernels = 6;
  return focus;
}

RunRequest request_for(std::uint64_t index) {
  RunRequest request;
  request.strategy = campaign::strategies_for(bench_seed, index, 1).front();
  return request;
}

struct Material {
  std::vector<Case> fused;
  std::vector<Case> alone;
  double instructions = 0;  ///< A mix, in the mean.
};

Material material(const Profile& profile) {
  Material m;
  for (std::uint64_t i = 0; i < mix_count; ++i) {
    m.fused.push_back(generators::generate(bench_seed, i, small_focus(), profile));
    m.alone.push_back(suites::alone(m.fused.back()));
    m.instructions +=
        static_cast<double>(generators::features_of(m.fused.back()).executed_instructions);
  }
  m.instructions /= mix_count;
  return m;
}

void bench_parts(const BenchArguments& arguments, const Profile& profile, const Material& m,
                 campaign::Engine& engine) {
  const double s = arguments.seconds;
  Target& target = engine.target();
  row("generate",
      rate(s,
           [&](std::uint64_t i) { generators::generate(bench_seed, i, small_focus(), profile); }),
      "mixes/s", "100,000");
  row("model", rate(s, [&](std::uint64_t i) { engine.model().allowed(m.fused[i % mix_count]); }),
      "mixes/s", "25,000");
  std::int64_t steps = 0;
  const double start = seconds_now();
  row("emulate, fused and alone",
      rate(s,
           [&](std::uint64_t i) {
             steps += target.run(m.fused[i % mix_count], request_for(i)).steps;
             steps += target.run(m.alone[i % mix_count], request_for(i + 1)).steps;
           }),
      "mixes/s", "25,000");
  row("emulate, steps in these", static_cast<double>(steps) / (seconds_now() - start), "steps/s",
      "10,000,000");
  std::vector<Allowed> allowed;
  std::vector<Outcome> outcomes;
  for (std::uint64_t i = 0; i < mix_count; ++i) {
    allowed.push_back(engine.model().allowed(m.fused[i]));
    outcomes.push_back(target.run(m.fused[i], request_for(i)).outcome);
  }
  row("judge",
      rate(s,
           [&](std::uint64_t i) {
             const auto at = static_cast<std::size_t>(i % mix_count);
             judge::judge({m.fused[at], allowed[at], {true, true}}, outcomes[at]);
           }),
      "outcomes/s", "-");
}

void bench_whole(const BenchArguments& arguments, const Profile& profile,
                 campaign::Engine& engine) {
  const double s = arguments.seconds;
  std::int64_t bad = 0;
  row("generate, model, emulate fused and alone, judge",
      rate(s,
           [&](std::uint64_t i) {
             const Case fused = generators::generate(bench_seed, i, small_focus(), profile);
             for (const Case& each : {fused, suites::alone(fused)}) {
               const campaign::Answer answer = engine.ask(each, campaign::Claim::legal);
               RunResult result;
               const auto verdict = engine.try_once(each, answer, request_for(i), {}, result);
               bad += verdict.conforms() ? 0 : 1;
             }
           }),
      "mixes/s", "10,000");
  if (bad > 0) fmt::print("{} outcomes did not conform\n", bad);
  const Case mp = message_passing(profile, 1);
  RunRequest request;
  request.strategy.kind = StrategyKind::random;
  request.strategy.cache = CachePolicy::keep;
  row("two-core message passing",
      rate(s,
           [&](std::uint64_t i) {
             request.strategy.seed = i;
             engine.target().run(mp, request);
           }),
      "schedules/s", "500,000");
}

/// The model on a full chip, and how its time grows with the number of sub kernels.
void bench_growth(const BenchArguments& arguments, campaign::Engine& engine) {
  for (const int sub_kernels : {8, 16, 32, 64, 128, 256}) {
    const Case full = full_chip(sub_kernels);
    const double models = rate(
        arguments.seconds, [&](std::uint64_t) { engine.model().allowed(full); }, 1);
    fmt::print("{:<44} {:>14.2f} {:<12} goal {}\n",
               fmt::format("model, full chip, {} sub kernels", sub_kernels), 1000.0 / models,
               fmt::format("ms, {:.2f} each", 1000.0 / models / sub_kernels),
               sub_kernels == 8 ? "10" : "n log n");
  }
}

/// Distinct states a second, every interleaving walked, and what the reduction leaves of them.
void bench_explorer(const Profile& profile) {
  for (const std::int32_t pairs : {5, 7}) {
    const Case mp = message_passing(profile, pairs);
    explorer::Options options;
    options.reduction = explorer::Reduction::none;
    const double start = seconds_now();
    const explorer::Exploration plain = explorer::explore(mp, options);
    const double seconds = seconds_now() - start;
    options.reduction = explorer::Reduction::full;
    const explorer::Exploration reduced = explorer::explore(mp, options);
    row(fmt::format("explorer, {} pairs: {} states, {} reduced{}", pairs, plain.states,
                    reduced.states, plain.complete ? "" : ", bound"),
        static_cast<double>(plain.states) / seconds, "states/s",
        plain.states < 1'000'000 ? "3,000,000" : "1,000,000");
  }
}

}  // namespace

ExitCode run_benchmarks(const BenchArguments& arguments) {
  if (arguments.shrink > 0) {
    print_shrink_table(arguments.shrink);
    return ExitCode::pass;
  }
  const Result<const Profile*> profile = choose_profile(arguments.profile);
  if (!profile) {
    complain(profile.error());
    return ExitCode::usage;
  }
  auto target = open_target("emulator");
  campaign::Engine engine(**target);
  const Material m = material(**profile);
  fmt::print("small mixes: seed {}, indices 0 to {}, {:.1f} executed instructions in the mean\n",
             bench_seed, mix_count - 1, m.instructions);
  bench_parts(arguments, **profile, m, engine);
  bench_whole(arguments, **profile, engine);
  bench_wire(arguments.seconds, m.fused);
  bench_growth(arguments, engine);
  bench_explorer(**profile);
  return ExitCode::pass;
}

}  // namespace skcts::program
