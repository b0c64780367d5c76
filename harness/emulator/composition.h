// What the prologue of a launch makes of its sub kernels: the launch shape, and what each core
// executes around and between the sub kernels.
//
// The steps are those of the composer behind GE graphs (docs: composition facts), or of the one of
// captured graphs; where a launch table, notifications or lists for two streams break the contract,
// the contract is followed. `sequence()` prints them in the vocabulary of the recorded
// compositions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/emulator/defects.h"
#include "harness/emulator/emulator.h"
#include "spec/case.h"
#include "spec/latitude.h"
#include "spec/options.h"
#include "spec/profile.h"

namespace skcts::emulator {

/// Why nothing is launched.
struct Refusal {
  std::string reason;
  std::optional<RuleId> rule;
  bool operator==(const Refusal&) const = default;
};

/// A case's machine and the emulator's positions, resolved once a run.
struct Settings {
  const Profile* profile = nullptr;
  bool aclgraph = false;  ///< the composer of captured graphs, else the one behind GE graphs
  LatitudeAssignment latitudes;
  std::int32_t queue_depth = 0;  ///< of every pipe; 0: as L-35 says
  bool self_check = false;       ///< debug_cross_core_sync_check of the composer of captured graphs
  DefectId defect = DefectId::none;
  const RecordedLaunch* recorded = nullptr;  ///< of the configuration, which must outlive this
};

/// Profile, latitude pins and defect of a case on this emulator, in a run of this seed.
std::optional<Refusal> resolve_settings(const Case& test_case, const EmulatorConfig& config,
                                        std::uint64_t run_seed, Settings& settings);

/// One launch of a plan, or the words that the host writes in its place.
struct LaunchPlan {
  StepKind kind = StepKind::fused;        ///< alone: exactly one sub kernel
  std::vector<std::int32_t> sub_kernels;  ///< places in Mix::sub_kernels
  std::int32_t plan_step = 0;             ///< place in the effective plan
  std::int32_t stream = -1;               ///< place in its `beside` step; -1: not in one
  bool operator==(const LaunchPlan&) const = default;
};

/// The launches (and host writes) of a plan, in order; those of one `beside` step stand together.
std::vector<LaunchPlan> launches_of(const Case& test_case, DefectId defect = DefectId::none);

/// Cores of a sub kernel that is about to be merged, for batch_cuts.
struct BatchNeed {
  std::int32_t aic = 0;
  std::int32_t aiv = 0;
  bool batch = false;  ///< in batch mode, and SK_BIND does not take that away
};
/// Places in the list before which a new SuperKernel begins, for sub kernels in batch mode (ACL-7).
std::vector<std::size_t> batch_cuts(const std::vector<BatchNeed>& list);

/// The names of all events of a mix; an event is known by its place here.
std::vector<std::string> events_of(const Mix& mix);
/// The place of an event, which must be there.
std::int32_t event_index(const std::vector<std::string>& events, const std::string& name);

/// Cores of a launch.
struct LaunchShape {
  KernelType type = KernelType::mix_aiv_1_0;
  std::int32_t blocks = 0;
  bool operator==(const LaunchShape&) const = default;
  int aic_count() const { return aic_cores(type, blocks); }
  int aiv_count() const { return aiv_cores(type, blocks); }
  int aiv_per_block() const { return type == KernelType::mix_aic_1_2 ? 2 : 1; }
};

enum class ComposedKind : std::uint8_t {
  feed_clear,       ///< zeroes the feed records
  feed_switch,      ///< SyncAll calls of the next sub kernel are published, or not (`on`)
  feed_slot,        ///< which record (`id`) the next sub kernel uses
  run,              ///< calls the sub kernel
  feed_end,         ///< publishes that the sub kernel makes no further SyncAll call
  feed_complement,  ///< cores that skipped the sub kernel join its SyncAll calls
  refresh_all,      ///< refresh of the whole data cache
  pipe_all,
  early_set,     ///< the early-start raise of the earlier sub kernel
  early_config,  ///< which pair of kinds meets (`config`)
  early_wait,    ///< the early-start waits (and relays) of pair `config`
  flag_set,
  flag_wait,
  sync_all,    ///< SyncAll of all cores, or of each kind (`aiv_only`)
  watch,       ///< waits for event `id`
  hold,        ///< a barrier of all cores behind a watch, which drains no more than a boundary
  notify,      ///< raises event `id`
  pass_on,     ///< completes edge `id`: what stands behind it may go on
  edge_set,    ///< gives edge or event `id` after the core's MTE3 or FIX work
  edge_wait,   ///< waits until edge `id` is complete
  own_drain,   ///< the core's own MTE3 or FIX work ends
  kernel_end,  ///< end of the launch: the core's cache is written back
};

/// Which cores of its kinds make a step.
struct Guard {
  enum class Which : std::uint8_t { all, below, from };
  Which which = Which::all;
  bool linear = false;  ///< the index is GetBlockIdx() of a vector core, else the block index
  std::int32_t bound = 0;
  bool operator==(const Guard&) const = default;
};

/// Why a refresh or barrier was inserted; the declared counts are kept by this.
enum class Purpose : std::uint8_t { none, before, after, debug, boundary };

struct ComposedStep {
  ComposedKind kind = ComposedKind::run;
  bool aic = false;  ///< made by cube cores
  bool aiv = false;  ///< made by vector cores
  Guard guard;
  std::int32_t op = -1;          ///< position in the launch; at a boundary: the later one
  std::int32_t sub_kernel = -1;  ///< its place in Mix::sub_kernels
  std::int32_t id = 0;
  std::int32_t mode = 0;
  Pipe pipe = Pipe::mte3;
  std::int32_t config = 0;
  bool on = false;
  bool aiv_only = false;  ///< sync_all: SyncAll<true>, which lets cubes sync among themselves
  Purpose purpose = Purpose::none;
  std::optional<RuleId> rule;  ///< the rule behind an inserted step
  bool operator==(const ComposedStep&) const = default;
};

/// One set (mode 2, MTE3) or wait of an early-start pair on one core kind.
struct EarlyAction {
  bool is_wait = false;
  std::uint8_t id = 0;
};
struct EarlyActions {
  EarlyAction actions[3] = {};
  int count = 0;
};
/// What a core of `kind` does where pair `config` meets.
EarlyActions early_actions(int config, CoreKind kind, DefectId defect);

/// The raises of pair `config` are missing along with their waits: those of a pair of one kind.
bool early_raise_missing(int config, DefectId defect);

/// The pair of two kernel types: 4 * code(earlier) + code(later), codes AIC 0, AIV 1, MIX 2.
int early_config(KernelType earlier, KernelType later);

/// What is known of one sub kernel's text in a launch.
struct SubKernelUse {
  std::int32_t sub_kernel = 0;
  bool syncs_all = false;       ///< has a hard SyncAll
  bool raises_by_hand = false;  ///< has a CrossCoreSetFlag
  bool own_set = false;         ///< its SetNextTaskStart takes part
  bool own_wait = false;        ///< its WaitPreTaskEnd takes part
  std::int32_t own_config = 0;  ///< and this is the pair that meets there
  bool uses_matmul = false;
  std::int32_t aic_places = 0;  ///< instructions of the cube program, bodies of Repeats included
  std::int32_t aiv_places = 0;
  bool fed = false;                      ///< idle cores join its SyncAll calls
  bool refreshes_accesses = false;       ///< GetValue/SetValue refresh their line (CACHE-1)
  std::vector<std::int16_t> born_later;  ///< GlobalTensors that a copy makes
  bool counts_launch = false;            ///< GetBlockNum is the launch's (ACL-2)
  /// Events of the sub kernel before it, which core 0 raises in its own WaitPreTaskEnd.
  std::vector<std::int32_t> raised_at_wait;
  CoreKind raised_by = CoreKind::aiv;
  bool operator==(const SubKernelUse&) const = default;
};

struct ComposedLaunch {
  bool fused = true;
  bool recorded = false;  ///< composed elsewhere: the guards of the steps alone say who runs what
  LaunchShape shape;
  Options options;
  /// How many cores give each edge; edge i is signal events + i of the machine.
  std::vector<std::int32_t> edges;
  /// Events that more than one core has to give before they are raised.
  struct SharedEvent {
    std::int32_t event = 0;
    std::int32_t cores = 1;
    bool operator==(const SharedEvent&) const = default;
  };
  std::vector<SharedEvent> shared_events;
  std::vector<SubKernelUse> uses;   ///< in launch order
  std::vector<ComposedStep> steps;  ///< in program order, for all cores
  /// The whole launch, one line a step, in the vocabulary of the recorded compositions.
  std::vector<std::string> sequence() const;
};

/// True when the core makes the step.
bool makes_step(const ComposedLaunch& launch, const ComposedStep& step, CoreId core);

/// True when the core is inside the guard of the sub kernel at position `op`.
bool runs_sub_kernel(const Mix& mix, const ComposedLaunch& launch, int op, CoreId core,
                     DefectId defect);

struct ComposeResult {
  std::optional<ComposedLaunch> launch;
  Refusal refusal;  ///< set when there is no launch
};

/// Composes launch `launch_index` (counted over fused and alone launches) of a case. The case's
/// indices must be in range (check_case).
ComposeResult compose(const Case& test_case, int launch_index, const EmulatorConfig& config);
ComposeResult compose(const Mix& mix, const LaunchPlan& plan, const Settings& settings);
/// The same into an object that is used again and again.
std::optional<Refusal> compose_into(const Mix& mix, const LaunchPlan& plan,
                                    const Settings& settings, ComposedLaunch& launch);

/// What one core executes, one line a step: calls, and what was inserted with the rule behind it.
std::vector<std::string> core_text(const Mix& mix, const ComposedLaunch& launch, CoreId core,
                                   DefectId defect = DefectId::none);

}  // namespace skcts::emulator
