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
#include "harness/skcts/clock.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "suites/mixes.h"

namespace skcts::program {
namespace {

constexpr std::uint64_t bench_seed = 20240601;
constexpr int mix_count = 512;  ///< The fixed list of small mixes: indices 0 to 511.

/// How often work(i) can be done a second, i counting up.
double rate(double seconds, const std::function<void(std::uint64_t)>& work) {
  const double start = seconds_now();
  std::uint64_t done = 0;
  double now = start;
  while (now - start < seconds) {
    for (int i = 0; i < 16; ++i) work(done++);
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

/// Two cores, one word of data, one word that says it is there: both past the cache.
Case message_passing(const Profile& profile) {
  Case test_case;
  test_case.profile = profile.name;
  test_case.mix.regions = {{.name = "A", .words = 32}};
  SubKernel k{.name = "k0", .type = KernelType::aiv_only, .blocks = 2};
  const auto gm = [](std::int32_t word) {
    return Operand{.space = Space::gm, .index = 0, .at = {.base = word}};
  };
  const auto on = [](std::int32_t core) {
    return Where{{{.index = IndexName::core, .low = core, .high = core}}};
  };
  const auto store = [&](std::int32_t word) {
    return suites::instruction(Op::write_gm_bypass, [&](Instruction& i) {
      i.dst = gm(word);
      i.value.expr.base = 7;
      i.where = on(0);
    });
  };
  k.aiv.push_back(store(0));
  k.aiv.push_back(suites::instruction(Op::dsb, [&](Instruction& i) { i.where = on(0); }));
  k.aiv.push_back(store(16));
  k.aiv.push_back(suites::instruction(Op::poll, [&](Instruction& i) {
    i.src = gm(16);
    i.via = PollVia::bypass;
    i.value.expr.base = 7;
    i.where = on(1);
  }));
  k.aiv.push_back(suites::instruction(Op::read_gm_bypass, [&](Instruction& i) {
    i.src = gm(0);
    i.reg = 0;
    i.where = on(1);
  }));
  test_case.mix.sub_kernels = {std::move(k)};
  return test_case;
}

/// Copies `rounds` times 8 words a core from one region to the next, by hand-made events.
void copy_through(std::vector<Instruction>& program, CoreKind kind, int rounds, int from, int to) {
  const Space local = kind == CoreKind::aiv ? Space::ub : Space::l1;
  const auto gm = [](int region, int round) {
    Operand operand{.space = Space::gm, .index = static_cast<std::int16_t>(region)};
    operand.at = {.base = 8 * round, .core = 32};
    return operand;
  };
  const auto flag = [&](Op op, Pipe source, Pipe destination) {
    program.push_back(suites::instruction(op, [&](Instruction& i) {
      i.event = {source, destination};
    }));
  };
  for (int round = 0; round < rounds; ++round) {
    program.push_back(suites::instruction(Op::data_copy, [&](Instruction& i) {
      i.src = gm(from, round);
      i.dst = {.space = local};
      i.count = 8;
    }));
    flag(Op::set_flag, Pipe::mte2, Pipe::mte3);
    flag(Op::wait_flag, Pipe::mte2, Pipe::mte3);
    program.push_back(suites::instruction(Op::data_copy, [&](Instruction& i) {
      i.dst = gm(to, round);
      i.src = {.space = local};
      i.count = 8;
    }));
    flag(Op::set_flag, Pipe::mte3, Pipe::mte2);
    flag(Op::wait_flag, Pipe::mte3, Pipe::mte2);
  }
  program.push_back(suites::instruction(Op::get_block_num, [](Instruction&) {}));
  program.push_back(
      suites::instruction(Op::pipe_barrier, [](Instruction& i) { i.pipe = Pipe::all; }));
}

/// 24 AIC and 48 AIV cores, 8 sub kernels, 20 instructions a core in each; every sub kernel reads
/// what the one before wrote.
Case full_chip() {
  constexpr int sub_kernels = 8;
  constexpr int blocks = 24;
  Case test_case;
  test_case.profile = "a2-24";
  for (int i = 0; i <= sub_kernels; ++i) {
    const std::int32_t words = 2 * blocks * 32;
    const auto first = static_cast<std::uint32_t>(i) << 20;
    test_case.mix.regions.push_back(
        {.name = fmt::format("cube{}", i), .words = words, .init = {.first = first, .step = 1}});
    test_case.mix.regions.push_back(
        {.name = fmt::format("vec{}", i), .words = words, .init = {.first = first, .step = 3}});
  }
  for (int i = 0; i < sub_kernels; ++i) {
    SubKernel k{.name = fmt::format("k{}", i), .type = KernelType::mix_aic_1_2, .blocks = blocks};
    copy_through(k.aic, CoreKind::aic, 3, 2 * i, 2 * i + 2);
    copy_through(k.aiv, CoreKind::aiv, 3, 2 * i + 1, 2 * i + 3);
    test_case.mix.sub_kernels.push_back(std::move(k));
  }
  return test_case;
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
  const Case mp = message_passing(profile);
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
  const Case full = full_chip();
  const double models = rate(s, [&](std::uint64_t) { engine.model().allowed(full); });
  fmt::print("{:<52} {:>9.2f} ms            goal at most 10\n",
             fmt::format("model, full chip ({} instructions)",
                         generators::features_of(full).executed_instructions),
             1000.0 / models);
}

}  // namespace

ExitCode run_benchmarks(const BenchArguments& arguments) {
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
  return ExitCode::pass;
}

}  // namespace skcts::program
