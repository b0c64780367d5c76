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
  /// Most time for the answer, for targets that have a clock. 0: the target's own deadline.
  std::int64_t deadline_ms = 0;
  std::int64_t deadline_times = 1;  ///< How often that time, for a case that is asked again.
};

/// How a run ended.
enum class RunEnd : std::uint8_t {
  answered,        ///< `outcome` is what the target showed.
  timeout,         ///< No answer within the deadline.
  crash,           ///< The target, or the process that ran the case, died.
  lost,            ///< The connection or the answer is gone.
  protocol_error,  ///< The target's words make no sense.
  not_supported,   ///< The target does not claim what the case needs.
  device_lost,     ///< A known good case failed again and again: nothing is asked any more.
};
inline constexpr int run_end_count = static_cast<int>(RunEnd::device_lost) + 1;
std::string_view to_string(RunEnd end);  ///< "answered", "timeout", ...
std::optional<RunEnd> find_run_end(std::string_view name);

/// What a known good case said of the target after a run without an answer.
enum class Probe : std::uint8_t {
  not_run,
  passed,
  failed,  ///< Each of the attempts, with a reset before it.
};

struct RunResult {
  /// Where the run was not answered: an error with `detail` as its reason.
  Outcome outcome;
  RunEnd end = RunEnd::answered;
  std::string detail;            ///< Not answered: what happened, in words.
  std::vector<Waiting> waiting;  ///< Not answered: who waited for what when it was last asked.
  Probe probe = Probe::not_run;
  Schedule schedule;          ///< What was chosen; replaying it gives the same outcome.
  bool replay_fitted = true;  ///< false: the given schedule did not fit this target.
  std::vector<TraceEvent> trace;
  std::int64_t steps = 0;
};

/// A result without an answer: `detail` is the reason of its outcome too.
RunResult unanswered(RunEnd end, std::string detail);

/// What a target that declares counts may tell.
enum class CountKind : std::uint8_t {
  launch,  ///< Type and blocks of each launch.
  refresh_per_access,
  refresh_before,
  refresh_after,
  refresh_debug,
  barrier_before,
  barrier_debug,
  feed_joins,
};
inline constexpr int count_kind_count = static_cast<int>(CountKind::feed_joins) + 1;
std::string_view to_string(CountKind kind);  ///< "launch", "refresh-per-access", ...
std::optional<CountKind> find_count_kind(std::string_view name);

/// What a target says of itself. Where a list of names is empty, it takes everything.
struct TargetDescription {
  std::string name;
  std::string profile;                    ///< The only machine that it is; empty: any.
  std::vector<std::string> paths;         ///< Composers: "ge", "aclgraph".
  std::vector<std::string> instructions;  ///< As case text names them.
  std::vector<std::string> options;       ///< Keys of SuperKernel options.
  bool declares_counts = false;
  std::vector<CountKind> undeclared_counts;  ///< Sorted; of the counts, those it cannot tell.
  bool honours_schedules = false;
  /// Positions of latitudes that it says it stands at: it is held to them.
  std::vector<LatitudePin> latitudes;
  bool exact_consequences = false;  ///< A documented consequence (a stall) must be shown.
  bool operator==(const TargetDescription&) const = default;
};

/// What the case needs and the target does not claim, in words; empty: it claims all of it.
std::string missing_support(const TargetDescription& target, const Case& test_case);

/// Anything that turns a case into an outcome. Not thread-safe: one object a thread.
class Target {
 public:
  virtual ~Target() = default;
  virtual const TargetDescription& description() const = 0;
  /// Runs all launches of the case's plan. Never throws; bad input is a `refused` outcome.
  /// A target that may die, stop or lie says so with RunResult::end.
  virtual RunResult run(const Case& test_case, const RunRequest& request) = 0;
};

}  // namespace skcts
