#include "harness/skcts/bench_shrink.h"

#include <algorithm>

#include <fmt/format.h>

#include "generators/edit.h"
#include "generators/reductions.h"
#include "generators/shrink.h"
#include "generators/shrink_plain.h"
#include "harness/skcts/clock.h"

namespace skcts::program {
namespace {

constexpr generators::ShrinkBudget budget{.max_runs = 5000};

std::int64_t instructions_of(const Case& c) {
  std::int64_t count = 0;
  for (const SubKernel& sub : c.mix.sub_kernels) {
    for (const auto* program : {&sub.aic, &sub.aiv}) {
      generators::for_each_in(*program, [&](const Instruction&) { ++count; });
    }
  }
  return count;
}

std::int64_t quantile(std::vector<std::int64_t> runs, double part) {
  if (runs.empty()) return 0;
  std::ranges::sort(runs);
  const auto last = static_cast<double>(runs.size() - 1);
  return runs[static_cast<std::size_t>(last * part)];
}

void print_row(const ShrinkTally& ours, const ShrinkTally& plain) {
  const auto mean = [](const ShrinkTally& t) {
    return t.cases == 0 ? 0.0 : static_cast<double>(t.instructions) / t.cases;
  };
  fmt::print("{:<38} {:>5} {:>5} {:>7} {:>6} {:>6} {:>6.1f}   {:>7} {:>6} {:>6.1f}\n", ours.name,
             ours.cases, ours.kept, ours.minimal, quantile(ours.runs, 0.5), quantile(ours.runs, 1),
             mean(ours), plain.minimal, quantile(plain.runs, 0.5), mean(plain));
}

void add(ShrinkTally& sum, const ShrinkTally& one) {
  sum.cases += one.cases;
  sum.kept += one.kept;
  sum.minimal += one.minimal;
  sum.instructions += one.instructions;
  sum.runs.insert(sum.runs.end(), one.runs.begin(), one.runs.end());
}

}  // namespace

ShrinkTally shrink_planted(const Plant& plant, int seeds, bool plain) {
  ShrinkTally tally{.name = plant.name};
  // Some seeds have no case of a plant; others stand in for them.
  for (int seed = 0; tally.cases < seeds && seed < 4 * seeds; ++seed) {
    const auto planted = plant.make(static_cast<std::uint64_t>(seed));
    if (!planted) continue;
    generators::ShrinkStats stats;
    const auto way = plain ? &generators::shrink_plain : &generators::shrink;
    const Case small = way(planted->start, planted->still_fails, budget, &stats);
    ++tally.cases;
    tally.kept += planted->still_fails(small) ? 1 : 0;
    tally.minimal +=
        std::ranges::none_of(generators::single_reductions(small), planted->still_fails) ? 1 : 0;
    tally.runs.push_back(stats.runs);
    tally.instructions += instructions_of(small);
  }
  return tally;
}

void print_shrink_table(int seeds) {
  fmt::print("{:<38} {:>5} {:>5} {:>7} {:>6} {:>6} {:>6}   {:>7} {:>6} {:>6}\n", "planted", "cases",
             "kept", "minimal", "median", "most", "left", "plain:m", "median", "left");
  ShrinkTally ours{.name = "all"}, plain{.name = "all"};
  double seconds[2] = {0, 0};
  for (const Plant& plant : shrink_plants()) {
    ShrinkTally each[2];
    for (const bool way : {false, true}) {
      const double start = seconds_now();
      each[way ? 1 : 0] = shrink_planted(plant, seeds, way);
      seconds[way ? 1 : 0] += seconds_now() - start;
    }
    print_row(each[0], each[1]);
    add(ours, each[0]);
    add(plain, each[1]);
  }
  print_row(ours, plain);
  fmt::print("{:.0f} s, RapidCheck's own {:.0f} s; runs at most {}\n", seconds[0], seconds[1],
             budget.max_runs);
}

}  // namespace skcts::program
