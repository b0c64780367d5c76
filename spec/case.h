// A case: what is run, in which launches, and where it came from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/latitude.h"
#include "spec/mix.h"
#include "spec/options.h"

namespace skcts {

/// One step of a plan.
enum class StepKind : std::uint8_t {
  fused,       ///< One launch of the listed sub kernels as a SuperKernel.
  alone,       ///< One launch for each of the listed sub kernels, in order.
  host_write,  ///< The host writes GM words between launches.
  marked,      ///< The listed sub kernels, launched as their scope marks cut the list (FUSE-2).
  beside,      ///< Several steps at a time, each on a stream of its own, competing for the cores.
};

std::string_view to_string(StepKind kind);  ///< Its key in case text: "fused", "host_write", ...

/// How the launches of a `beside` step get their cores (L-22).
enum class CoreSharing : std::uint8_t {
  batch,   ///< A launch starts when all its cores are free, and has them until it ends.
  normal,  ///< A block starts as soon as it has a core, in index order; others wait.
};
std::string_view to_string(CoreSharing sharing);  ///< "batch", "normal"

struct PlanStep {
  StepKind kind = StepKind::fused;
  std::vector<std::int32_t> sub_kernels;  ///< Places in Mix::sub_kernels; may repeat over steps.
  std::int16_t region = -1;               ///< host_write
  std::int32_t at = 0;                    ///< host_write: first word
  std::vector<std::uint32_t> values;      ///< host_write
  std::string note;
  std::vector<PlanStep> beside;              ///< beside: fused, alone and marked steps
  CoreSharing sharing = CoreSharing::batch;  ///< beside
  bool operator==(const PlanStep&) const = default;
};

/// The launches of a case. Empty: one fused launch of all sub kernels, or, where a sub kernel has
/// scope marks, one `marked` step of them all.
struct Plan {
  std::vector<PlanStep> steps;
  bool operator==(const Plan&) const = default;
};

/// The plan written out: an empty one becomes one step of everything.
Plan effective_plan(const Mix& mix, const Plan& plan);

/// The choices of one run, as the scheduler of a target recorded them.
struct Schedule {
  std::string strategy;  ///< Text of the strategy that made it (harness/target).
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> choices;  ///< In order; meaningful to the target that wrote it.
  std::string note;
  bool operator==(const Schedule&) const = default;
};

/// Behaviours, the first that applies names a case (see `explain`).
enum class Behaviour : std::uint8_t {
  refused,
  error,
  stalls,
  may_stall,
  nondeterministic_data,
  wrong_data,
  completes,
};
std::string_view to_string(Behaviour behaviour);  ///< "refused", ..., "nondeterministic-data", ...
std::optional<Behaviour> find_behaviour(std::string_view name);

/// What a written case is known to be; `judge` holds model and target against it.
struct Expectation {
  Behaviour behaviour = Behaviour::completes;
  std::string rule;  ///< Primary rule, e.g. "SYNC-5"; empty if none is broken.
  std::string note;
  bool operator==(const Expectation&) const = default;
};

/// Where a case came from; no part of its meaning.
struct Provenance {
  std::string source;  ///< "SKB-09", "generated", a file, ...
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
  std::string target;  ///< Target that failed, as given on the command line.
  std::string rule;    ///< Rule that the finding cites.
  std::string key;     ///< Failure key.
  std::string note;
  bool operator==(const Provenance&) const = default;
};

inline constexpr int case_format = 1;  ///< Format number of the case text written by this build.

struct Case {
  std::string name;
  std::string profile = "a2-24";
  std::string path = "ge";  ///< Composer: "ge" or "aclgraph".
  Mix mix;
  Plan plan;
  std::optional<Schedule> schedule;
  std::optional<Expectation> expect;
  std::optional<Provenance> provenance;
  std::vector<std::string> latitudes;  ///< Pins, e.g. "L-14=drained".
  std::string note;
  bool operator==(const Case&) const = default;
};

/// The options of a case, read as its path reads them.
OptionParse options_of(const Case& value);

/// The pins of a case; texts that are none, which validate() tells, are left out.
std::vector<LatitudePin> pins_of(const Case& value);

}  // namespace skcts
