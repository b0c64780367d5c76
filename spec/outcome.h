// What a target showed for a case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/kernel_type.h"
#include "spec/rule.h"

namespace skcts {

enum class OutcomeStatus : std::uint8_t { completed, stalled, error, refused };
std::string_view to_string(OutcomeStatus status);

/// What a core that does not go on is waiting for.
enum class WaitKind : std::uint8_t {
  cross_core_flag,  ///< A cross-core flag raised by hand.
  event_flag,       ///< WaitFlag of an in-core event.
  full_core,        ///< SyncAll, or the boundary between sub kernels (one class: semantics §1).
  poll,             ///< A GM word.
  soft_sync,        ///< Soft SyncAll.
  ib,               ///< IBSet / IBWait.
  matmul,           ///< The answer of a Matmul call.
  feed,             ///< An idle core waiting for the next feed record.
  queue_full,       ///< Room in the queue of a pipe.
  event,            ///< An event between sub kernels or with the outside world (Mix::outside).
  cores,            ///< A free core: a block of a launch that has not begun (L-22).
};
std::string_view to_string(WaitKind kind);  ///< "cross-core-flag", ...

/// One core (or one of its pipes) that is stuck.
struct Waiting {
  CoreId core;
  std::int32_t launch = 0;       ///< Launch of the plan, counted from 0.
  std::int32_t sub_kernel = -1;  ///< Place in Mix::sub_kernels; at a boundary: the later one.
  std::int32_t instruction = -1; ///< Place in its program; -1: something the SuperKernel inserted.
  WaitKind kind = WaitKind::cross_core_flag;
  std::int32_t id = -1;          ///< Flag or event id (as the hardware truncates it), or -1.
  bool operator==(const Waiting&) const = default;
};

/// One query, in program order of its core.
struct QueryRecord {
  CoreId core;
  std::int32_t launch = 0;
  std::int32_t sub_kernel = 0;
  std::int32_t instruction = 0;
  std::int64_t value = 0;
  auto operator<=>(const QueryRecord&) const = default;
};

/// What was inserted for one sub kernel of a launch, summed over cores.
struct InsertedCounts {
  std::int32_t sub_kernel = 0;
  std::int64_t refresh_per_access = 0;  ///< Lines refreshed by GetValue/SetValue and object ends.
  std::int64_t refresh_before = 0;      ///< Whole-cache refreshes before it (one a core).
  std::int64_t refresh_after = 0;
  std::int64_t refresh_debug = 0;       ///< Of debug-dcci-all.
  std::int64_t barrier_before = 0;      ///< Core arrivals at the boundary before it.
  std::int64_t barrier_debug = 0;       ///< Of debug-sync-all, after it.
  std::int64_t feed_joins = 0;          ///< SyncAll calls made by idle cores for it.
  bool operator==(const InsertedCounts&) const = default;
};

/// Declared counts of one launch.
struct LaunchCounts {
  KernelType type = KernelType::mix_aiv_1_0;
  std::int32_t blocks = 0;
  bool fused = true;
  std::vector<InsertedCounts> inserted;
  bool operator==(const LaunchCounts&) const = default;
};

struct Outcome {
  OutcomeStatus status = OutcomeStatus::completed;
  std::vector<Waiting> waiting;        ///< stalled: who waits for what.
  std::string reason;                  ///< error, refused: in words.
  std::optional<RuleId> rule;          ///< refused: the rule it cites, where known.
  std::vector<std::uint32_t> memory;   ///< Final GM, laid out as layout_of(mix) says.
  std::vector<QueryRecord> queries;    ///< Sorted by launch, core, then program order.
  std::vector<LaunchCounts> counts;    ///< Empty: the target declares none.
  bool operator==(const Outcome&) const = default;
};

}  // namespace skcts
