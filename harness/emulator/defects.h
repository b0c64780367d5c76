// The catalogue of platform defects that the emulator can be given.
//
// A defect breaks one guarantee at one named point of the mechanism: the code there asks
// `defect == DefectId::...` and looks at nothing else. A new defect is an enumerator, a row of the
// table in defects.cpp, and one such question.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "spec/rule.h"

namespace skcts::emulator {

enum class DefectId : std::uint8_t {
  none,
  launch_one_block_narrow,
  block_num_of_launch,
  guard_one_wide,
  feed_missing,
  aiv1_of_1_1_left_out,
  per_access_refresh_missing,
  dcci_before_ignored,
  destroy_barrier_missing,
  early_start_aiv_aic_edge_missing,
  inter_operator_barrier_missing,
  flags_carried_over,
  unknown_option_accepted,
  offload_block_num,
  event_holds_one_core,
  early_start_over_event,
  notify_before_barrier,
  event_wait_dropped,
  event_edge_missing,
  scope_cut_ignored,
  dirty_lines_lost,
  launch_one_block_wide,
  launch_counts_first,
  mix_1_2_launched_1_1,
  odd_vector_rounded_down,
  guard_one_narrow,
  guard_linear_for_mix,
  guard_by_block_for_vectors,
  last_sub_kernel_skipped,
  first_sub_kernel_twice,
  sub_kernels_swapped,
  block_num_doubled,
  soft_sync_of_launch,
  debug_numbers_ignored,
  debug_numbers_below_need,
  debug_ratio_unchecked,
  large_mix_clipped,
  full_chip_refused,
  feed_without_end,
  feed_vectors_only,
  feed_kind_ignored,
  feed_first_call_missed,
  feed_counts_blocks,
  feed_replaces_boundary,
  load_refresh_missing,
  store_refresh_missing,
  refresh_of_next_line,
  dcci_before_behind,
  dcci_after_ignored,
  dcci_after_in_front,
  dcci_matches_name,
  dcci_on_first_core,
  offload_before_missing,
  offload_after_missing,
  alone_leaves_dirty,
  early_aic_aic,
  early_aic_aiv,
  early_aic_mix,
  early_aiv_aiv,
  early_aiv_mix,
  early_mix_aic,
  early_mix_aiv,
  early_mix_mix,
  barrier_without_cubes,
  boundary_on_wrong_pipe,
  set_next_ignored,
  set_next_on_wrong_pipe,
  wait_pre_ignored,
  debug_dcci_loses,
  bad_value_accepted,
  mode_2_first_vector,
  mode_2_no_join,
  mode_1_no_join,
  raise_overtakes_pipe,
  wait_takes_nothing,
  counter_is_binary,
  sync_all_own_kind,
  sync_all_without_drain,
  pipe_barrier_ignored,
  set_flag_overtakes_pipe,
  edge_overtakes_pipe,
  mode_2_next_block,
  mode_1_joins_launch,
  wait_flag_passes,
  pipe_all_ignored,
  atomic_add_overwrites,
  block_idx_of_block,
  sub_block_idx_zero,
  refresh_at_death_missing,
  boundary_lands_nothing,
  refresh_keeps_line,
  refresh_drops_dirty,
  debug_sync_does_not_wait,
  set_complement_by_all,
  wait_complement_missing,
  early_set_own_cores_only,
  early_start_off_ignored,
  option_twice_accepted,
  matmul_serves_first_slot,
  soft_sync_one_short,
  ib_wait_passes,
  captured_launch_mixed,
  captured_block_num_own,
  captured_streams_unordered,
  capability_ignored,
  captured_refresh_missing,
  captured_option_refused,
  batch_cut_missing,
  scope_by_innermost,
  by_itself_natural,
};

/// One row of the catalogue.
struct Defect {
  DefectId id = DefectId::none;
  std::string_view name;     ///< kebab-case, as written behind `defect=`
  RuleId rule;               ///< the guarantee that it breaks
  std::string_view channel;  ///< what shows it: memory, stall, refusal, launch, queries or counts
  std::string_view feature;  ///< a mix without it shows nothing
  std::string_view text;     ///< what the platform does wrong
};

/// All defects, the healthy state not among them.
std::span<const Defect> defects();

/// The defect of a name; nullptr for any other text.
const Defect* find_defect(std::string_view name);

}  // namespace skcts::emulator
