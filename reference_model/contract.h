// The contract of a launch, as the rules state it: its shape, who runs what, where refreshes stand,
// and what orders neighbouring sub kernels. Nothing here speaks of how a composer does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/latitude.h"
#include "spec/options.h"
#include "spec/profile.h"
#include "spec/rule.h"

namespace skcts::model {

/// The cores of a launch (CORE-1, CORE-7). `ratio` is AIVs a block as GetSubBlockNum tells on AIV:
/// 2 in a 1:2 launch, else 1.
struct LaunchShape {
  bool fused = true;
  std::vector<std::int32_t> sub_kernels;  ///< Places in Mix::sub_kernels.
  KernelType type = KernelType::mix_aiv_1_0;
  std::int32_t blocks = 0;
  std::int32_t aic_count = 0;
  std::int32_t aiv_count = 0;
  std::int32_t ratio = 1;
  /// Launched alone with more blocks than the chip holds: so many run at a time, the others start
  /// in index order when one has ended. 0: all run.
  std::int32_t resident = 0;
  bool captured = false;  ///< Composed by the path aclgraph.
  bool operator==(const LaunchShape&) const = default;
  bool is_mix() const { return aic_count > 0 && aiv_count > 0; }
};

/// Why nothing is launched.
struct Refusal {
  RuleId rule;
  std::string text;
};

/// The shape of a fused launch before debug-aic-num / debug-aiv-num (CORE-1).
LaunchShape natural_shape(const Mix& mix, const std::vector<std::int32_t>& sub_kernels);

/// The shape with the debug numbers applied, or the refusal (CORE-6, CORE-8).
struct ShapeOrRefusal {
  LaunchShape shape;
  std::optional<Refusal> refusal;
};
ShapeOrRefusal fused_shape(const Mix& mix, const std::vector<std::int32_t>& sub_kernels,
                           const Options& options, const Profile& profile);
/// The same on the path of the case.
ShapeOrRefusal fused_shape(const Case& test_case, const std::vector<std::int32_t>& sub_kernels,
                           const Options& options, const Profile& profile);

// The path aclgraph (contract_captured.cpp).
bool is_captured(const Case& test_case);
/// The SuperKernels that a list comes to: one, or where ACL-7 and ACL-9 cut it several.
std::vector<std::vector<std::int32_t>> super_kernels(const Case& test_case,
                                                     const std::vector<std::int32_t>& list,
                                                     const Options& options);
/// The launch of CORE-1 as that path makes it (ACL-1, ACL-9).
void compose_captured(LaunchShape& shape, const Mix& mix, const Options& options,
                      const Profile& profile);
/// The launch of one sub kernel alone, as its own type (machine §1.4); in waves where it has more
/// blocks than the chip holds (CORE-8 speaks of mixes).
ShapeOrRefusal alone_shape(const Mix& mix, std::int32_t sub_kernel, const Profile& profile);

/// The launches that a `marked` step comes to (FUSE-2). On `ge` the innermost mark decides, else
/// the set of them; sub kernels without one are launched alone.
std::vector<PlanStep> cut_by_marks(const Mix& mix, const PlanStep& marked, std::string_view path);

/// The plan of a case with `marked` steps cut into launches, but for those inside `beside`.
Plan written_plan(const Case& test_case);

/// Does one of the steps launch a SuperKernel?
bool has_fused_step(const Mix& mix, std::string_view path, const std::vector<PlanStep>& steps);

/// Are the sub kernels of more than one stream?
bool has_two_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels);
/// FUSE-3: neighbours of different streams without an event from the former to the latter, and no
/// stream-fusion, on the path ge.
std::optional<Refusal> refuse_streams(const Case& test_case,
                                      const std::vector<std::int32_t>& sub_kernels,
                                      const Options& options);

/// CORE-2: does this core of the launch run the sub kernel? (RATIO-1: both AIVs of a block run a
/// MIX 1:1 sub kernel in a 1:2 launch.)
bool runs(const SubKernel& sub, const LaunchShape& shape, CoreId core);
/// How many cores of the kind run it in this launch.
std::int32_t running_cores(const SubKernel& sub, const LaunchShape& shape, CoreKind kind);
/// The indices that a core of the launch sees in the sub kernel (machine §1.3, §8).
Indices indices_of(const SubKernel& sub, const LaunchShape& shape, CoreId core);
/// GetBlockNum (CORE-3, ACL-2).
std::int32_t own_block_num(const SubKernel& sub, const LaunchShape& shape);
/// Value of a query (GetBlockNum, GetBlockIdx, GetSubBlockIdx, GetTaskRatio) on a core (CORE-3).
std::int64_t query_value(const SubKernel& sub, const LaunchShape& shape, CoreId core, Op query);

/// True when idle cores have to take part in the SyncAll calls of the sub kernel (SYNC-1): it has
/// a SyncAll, runs on fewer cores of a kind that it runs on than the launch has, and
/// feed-sync-all is on.
bool is_fed(const SubKernel& sub, const LaunchShape& shape, const Options& options);
bool has_sync_all(const SubKernel& sub);

/// Where refreshes are inserted for a sub kernel (CACHE-1..5, L-39). Fused launches only.
struct RefreshPlacement {
  bool per_access = false;
  bool before = false;
  bool after = false;
  bool operator==(const RefreshPlacement&) const = default;
};
/// With disable and before/after both listed: `lists_win` is the position of L-39.
RefreshPlacement refresh_placement(const SubKernel& sub, const Options& options, bool lists_win);
/// The same on the path aclgraph (ACL-5).
RefreshPlacement captured_refresh(const SubKernel& sub, const Options& options);

/// Does the sub kernel call the task function on any core?
bool calls(const SubKernel& sub, Op task_call);

/// What orders sub kernel k before its neighbour k+1 (PIPE-5, TASK-1..3, semantics §2).
/// "What core c of a `from` kind did before its signal point, on the pipe `from_pipe` of its kind
/// (or on all pipes), is complete before core d of a `to` kind passes its wait point." It holds for
/// every c and every d of those kinds in the launch, running the sub kernels or not.
struct BoundaryRelation {
  bool from_aic = false;
  bool from_aiv = false;
  bool to_aic = false;
  bool to_aiv = false;
  bool drains_all = false;  ///< All pipes of the `from` cores; else FIX on AIC, MTE3 on AIV.
  bool own_signal = false;  ///< Cores that run k signal at SetNextTaskStart, on its pipe.
  bool own_wait = false;    ///< Cores that run k+1 wait at WaitPreTaskEnd.
  bool operator==(const BoundaryRelation&) const = default;
  bool from(CoreKind kind) const { return kind == CoreKind::aic ? from_aic : from_aiv; }
  bool to(CoreKind kind) const { return kind == CoreKind::aic ? to_aic : to_aiv; }
};
/// `earlier` and `later` are neighbours of the launch.
BoundaryRelation boundary_relation(const SubKernel& earlier, const SubKernel& later,
                                   const LaunchShape& shape, const Options& options);
/// The same on the path aclgraph (ACL-3, ACL-4).
BoundaryRelation captured_boundary(const SubKernel& earlier, const SubKernel& later,
                                   const Options& options);
/// The full synchronisation that debug-sync-all adds after a sub kernel; from = to = all kinds.
BoundaryRelation debug_sync_relation(const LaunchShape& shape);

}  // namespace skcts::model
