#include "harness/campaign/straighten.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace skcts::campaign {
namespace {

using Choices = std::vector<std::uint32_t>;

/// What is easier to follow comes first: by context switches, choices that are not the first one
/// open, and choices.
using Rank = std::tuple<std::int64_t, std::ptrdiff_t, std::size_t>;

Rank rank_of(const RunResult& run) {
  const Choices& choices = run.schedule.choices;
  const auto drawn = std::ranges::count_if(choices, [](std::uint32_t c) { return c != 0; });
  return {context_switches(run.trace), drawn, choices.size()};
}

class Straightening {
 public:
  Straightening(const Schedule& schedule, const RunSchedule& shows, std::int64_t max_runs)
      : shows_(shows), max_runs_(max_runs), tried_(schedule) {}

  Straightened search() {
    RunResult first;
    if (!run(tried_.choices, first)) return {.runs = runs_};
    const Rank rank = rank_of(first);
    take(std::move(first), rank);
    while (pass()) {
    }
    Straightened found{.run = std::move(best_),
                       .switches = std::get<0>(best_rank_),
                       .runs = runs_,
                       .improved = improved_};
    found.run.trace.clear();
    return found;
  }

 private:
  bool run(const Choices& choices, RunResult& result) {
    tried_.choices = choices;
    ++runs_;
    return shows_(tried_, result);
  }

  bool better(Choices choices) {
    if (runs_ >= max_runs_ || choices == best_.schedule.choices) return false;
    RunResult result;
    if (!run(choices, result)) return false;
    const Rank rank = rank_of(result);
    if (rank >= best_rank_) return false;
    take(std::move(result), rank);
    return improved_ = true;
  }

  void take(RunResult&& result, Rank rank) {
    best_ = std::move(result);
    best_rank_ = rank;
  }

  /// One way through all parts; true: some of it helped.
  bool pass() {
    bool helped = false;
    for (std::size_t size = best_.schedule.choices.size(); size > 0;
         size = size == 1 ? 0 : (size + 1) / 2) {
      for (std::size_t first = 0; first < best_.schedule.choices.size(); first += size) {
        Choices zeros = best_.schedule.choices;
        const std::size_t end = std::min(first + size, zeros.size());
        std::fill(zeros.begin() + static_cast<std::ptrdiff_t>(first),
                  zeros.begin() + static_cast<std::ptrdiff_t>(end), 0U);
        Choices fewer = best_.schedule.choices;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(first),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
        Choices later(best_.schedule.choices.begin() + static_cast<std::ptrdiff_t>(end),
                      best_.schedule.choices.end());
        if (better(std::move(zeros)) || better(std::move(fewer)) || better(std::move(later))) {
          helped = true;
        }
      }
    }
    return helped;
  }

  const RunSchedule& shows_;
  std::int64_t max_runs_;
  Schedule tried_;
  RunResult best_;
  Rank best_rank_;
  std::int64_t runs_ = 0;
  bool improved_ = false;
};

}  // namespace

std::int64_t context_switches(const std::vector<TraceEvent>& trace) {
  std::vector<std::pair<std::int64_t, std::size_t>> begun;
  for (std::size_t i = 0; i < trace.size(); ++i) begun.emplace_back(trace[i].begin, i);
  std::ranges::sort(begun);
  std::int64_t switches = 0;
  for (std::size_t i = 1; i < begun.size(); ++i) {
    switches += trace[begun[i].second].core != trace[begun[i - 1].second].core;
  }
  return switches;
}

Straightened straighten(const Schedule& schedule, const RunSchedule& shows, std::int64_t max_runs) {
  return Straightening(schedule, shows, max_runs).search();
}

}  // namespace skcts::campaign
