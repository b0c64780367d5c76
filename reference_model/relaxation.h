// Named weakenings of the guarantees, for one mix: what a target would do that breaks exactly one.
//
// Each is read off the text of its rule. A weakening that takes an order or a refresh away only
// adds outcomes, because what is no longer guaranteed may still happen; one that changes who runs
// what, or what a query tells, gives other outcomes. Rules without one:
//
// | rule | why | where it shows |
// |---|---|---|
// | CACHE-4, SYNC-10 | permissions: nothing to break | - |
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spec/case.h"
#include "spec/pipe.h"
#include "spec/rule.h"

namespace skcts::model {

/// What is weakened. `sub`, `kind`, `to`, `id`, ... name fields of Relaxation.
enum class Weakening : std::uint8_t {
  // launch
  launch_blocks,    ///< `amount` blocks more.
  launch_type,      ///< `type` instead.
  numbers_ignored,  ///< debug-aic-num and debug-aiv-num have no effect.
  refusal_missing,  ///< A launch that must be refused is made (CORE-6, CORE-8).
  refused,          ///< A legal case is refused.
  failed,           ///< A legal case ends with an error.
  // who runs what
  guard,              ///< `sub` on `kind`: `amount` cores more.
  guard_missing,      ///< `sub` on `kind`: all cores run it.
  guard_by_block,     ///< AIVs of the blocks below the number of `sub`, of an AIV kind, run it.
  guard_linear,       ///< AIVs of the MIX sub kernel `sub` run it by their linear index.
  sub_core_left_out,  ///< AIVs with sub block index `amount` do not run `sub`.
  core_left_out,      ///< Core `amount` of `kind` does not run `sub`.
  skipped,            ///< Nobody runs `sub`.
  run_twice,
  swapped,  ///< `sub` and the one after it.
  // indices and queries
  block_num_told,  ///< GetBlockNum in `sub` answers the launch's; nothing else changes.
  block_num_used,  ///< The same, and the sub kernel works by it.
  ratio_of_own,    ///< A 1:1 sub kernel sees at 1:2 the indices of 1:1.
  index_shifted,   ///< GetBlockIdx in `sub` counts from 1.
  index_of_block,  ///< GetBlockIdx tells AIVs of `sub` their block.
  sub_index_zero,  ///< GetSubBlockIdx tells AIVs of `sub` 0.
  // where lists are cut
  marks_ignored,     ///< All that a `marked` step lists is one SuperKernel.
  none_ignored,      ///< A mark None is as if it were not there.
  unmarked_ignored,  ///< A sub kernel without a mark goes with the one before it.
  // full-core sync
  sync_incomplete,    ///< SyncAll in `sub` lacks a member.
  sync_at_once,       ///< SyncAll in `sub` keeps nobody back.
  feed_missing,       ///< Idle cores (of `kind`, if given) make no SyncAll call for `sub`.
  feed_call_missing,  ///< They make one call fewer.
  feed_core_missing,  ///< The last idle core of `kind` makes none.
  feed_endless,       ///< Idle cores go on waiting for calls of `sub` when there are no more.
  // flags
  raise_lost,  ///< Raises of `id` by `kind` in `sub`; `amount`: of that core only, or -1.
  raise_twice,
  raise_early,   ///< Ahead of the earlier work of its pipe.
  wait_at_once,  ///< Waits for `id` on `kind` in `sub` keep nobody back.
  wait_keeps,    ///< They do not take the raise away: the later ones keep nobody back.
  raise_once,    ///< Of the raises of `id` by a core in `sub` one counts.
  residue,       ///< Raises that a launch leaves reach the next one.
  cube_to_first,     ///< What a cube signals in its block reaches AIV 0 alone.
  vectors_unjoined,  ///< A cube waits for AIV 0 of its block alone: at boundaries as `edge`.
  waits_keep,        ///< No wait takes anything away: every second one keeps nobody back.
  // order between sub kernels
  edge,           ///< The boundary after `sub` does not order `kind` before `to`.
  boundary,       ///< The boundary after `sub` orders nothing; `amount` boundaries from there.
  not_inserted,   ///< Nothing is inserted there: only own calls signal and wait.
  not_signalled,  ///< Cores of `kind` that do not signal themselves do not signal at all.
  drain,          ///< What `kind` did before its signal after `sub` need not be complete.
  own_signal_lost,  ///< SetNextTaskStart in `sub` on `kind` signals nothing.
  own_wait_open,    ///< WaitPreTaskEnd in the sub kernel after `sub` waits for nothing.
  signalled_twice,  ///< Who signals after `sub` signals again: later full-core waits are open.
  stream,           ///< Sub kernels of the stream of `sub` do not follow it.
  event_open,       ///< Events that `sub` receives keep nobody back (`amount`: but for one core).
  event_early,      ///< Events that `sub` sends are raised when it begins.
  event_drain,      ///< They are raised before what it started is over.
  event_lost,       ///< They are never raised.
  landing,        ///< A refresh need not have landed at the boundary after `sub`.
  // refreshes
  refresh_on_read,    ///< GetValue and operator() in `sub`, of `object` or any.
  refresh_on_store,   ///< SetValue in `sub`.
  refresh_on_access,  ///< Both.
  refresh_before,
  refresh_after,
  refresh_called,     ///< DataCacheCleanAndInvalid in `sub` does nothing.
  refresh_none,       ///< No refresh in `sub`, called or inserted, does anything.
  refresh_loses,      ///< A refresh drops what `sub` stored.
  refresh_next_line,  ///< A refresh of a line in `sub` takes the next one.
  end_flush,  ///< What `sub`, launched alone, leaves dirty is lost.
  // in-core order
  destroy_barrier,  ///< TPipe::Destroy in `sub`, launched alone.
  pipe_barrier,     ///< PipeBarrier<pipe> on `kind` in `sub`.
  event,            ///< Events of `event` on `kind` in `sub`.
  // library calls
  service_first,  ///< The Matmul service answers AIV 0 of a block alone.
  // options
  option_ignored,   ///< `option` as if not given.
  option_accepted,  ///< A bad option string is taken without its bad items.
};

/// One weakening of one rule.
struct Relaxation {
  RuleId rule = RuleId::fuse_1;
  Weakening weakening = Weakening::edge;
  /// How much is given up: 0 one access or call, 1 one order or refresh of one sub kernel, 2 one
  /// sub kernel, 3 a launch, 4 the case.
  int size = 0;
  std::int32_t sub_kernel = -1;  ///< Place in Mix::sub_kernels, or -1: all.
  std::optional<CoreKind> kind;
  std::optional<CoreKind> to;
  std::int32_t amount = 0;
  std::int32_t id = -1;      ///< Flag id modulo 16.
  std::int32_t object = -1;  ///< Place in SubKernel::tensors, or -1: any.
  std::optional<KernelType> type;
  /// Who runs what is weakened, but who takes part in inserted synchronisation goes by the rules.
  bool by_contract = false;
  Pipe pipe = Pipe::all;
  HardEvent event;
  std::string option;
  std::string name;      ///< "guard/k1/aiv+1": one word for tables.
  std::string sentence;  ///< "The target behaves as if ... [CORE-2]."

  /// Does it weaken this sub kernel (place in the mix) in this way?
  bool hits(Weakening what, std::int32_t place) const {
    return weakening == what && (sub_kernel < 0 || sub_kernel == place);
  }
  bool hits(Weakening what, std::int32_t place, CoreKind core_kind) const {
    return hits(what, place) && (!kind || *kind == core_kind);
  }
  bool operator==(const Relaxation&) const = default;
};

/// Those that can make a difference in the case, smallest first, then in the order of the rules.
std::vector<Relaxation> relaxations_of(const Case& test_case);

/// The rules that have a weakening in some case.
std::span<const RuleId> relaxable_rules();

}  // namespace skcts::model
