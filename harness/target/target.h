// The seam between the suite and whatever turns a case into an outcome.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/error.h"
#include "spec/latitude.h"
#include "spec/outcome.h"

namespace skcts {

/// How a scheduler makes its choices.
enum class StrategyKind : std::uint8_t { round_robin, random, pct, starve };
/// What the environment does to cache lines.
enum class CachePolicy : std::uint8_t {
  keep,    ///< Lines stay until an instruction refreshes them.
  random,  ///< Lines are dropped or written back now and then.
  drop,    ///< Clean lines are dropped and dirty ones written back at once.
};

/// One way of running. Text: "random", "pct:3", "starve", "round-robin", with "/keep", "/random" or
/// "/drop" behind it.
struct Strategy {
  StrategyKind kind = StrategyKind::random;
  int depth = 3;  ///< pct: number of priority changes + 1.
  CachePolicy cache = CachePolicy::random;
  std::uint64_t seed = 0;
  bool operator==(const Strategy&) const = default;
};
std::string to_string(const Strategy& strategy);  ///< Without the seed.
std::optional<Strategy> parse_strategy(std::string_view text);

/// One thing that happened, for timelines. Times are step numbers of the run.
struct TraceEvent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  CoreId core;
  Pipe pipe = Pipe::s;
  std::int32_t sub_kernel = -1;
  std::int32_t instruction = -1;
  std::string text;
  bool operator==(const TraceEvent&) const = default;
};

struct RunRequest {
  Strategy strategy;
  const Schedule* replay = nullptr;  ///< Follow these choices instead of the strategy's.
  bool want_trace = false;
  std::int64_t step_limit = 50'000'000;  ///< More steps than this: error "step limit".
};

struct RunResult {
  Outcome outcome;
  Schedule schedule;          ///< What was chosen; replaying it gives the same outcome.
  bool replay_fitted = true;  ///< false: the given schedule did not fit this target.
  std::vector<TraceEvent> trace;
  std::int64_t steps = 0;
};

/// What a target says of itself.
struct TargetDescription {
  std::string name;
  bool declares_counts = false;
  bool honours_schedules = false;
  /// Positions of latitudes that it says it stands at: it is held to them.
  std::vector<LatitudePin> latitudes;
  bool exact_consequences = false;  ///< A documented consequence (a stall) must be shown.
};

/// Anything that turns a case into an outcome. Not thread-safe: one object a thread.
class Target {
 public:
  virtual ~Target() = default;
  virtual const TargetDescription& description() const = 0;
  /// Runs all launches of the case's plan. Never throws; bad input is a `refused` outcome.
  virtual RunResult run(const Case& test_case, const RunRequest& request) = 0;
};

}  // namespace skcts
