// What a case has in it, found by looking at it: for shares, coverage and what a property asks for.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "spec/case.h"
#include "spec/profile.h"

namespace skcts::generators {

/// One thing a mix may have. A generator can be asked for each of them (Focus).
// clang-format off
enum class Feature : std::uint8_t {
  // kernel types present
  aiv_only, aic_only, mix_aiv_1_0, mix_aic_1_0, mix_aic_1_1, mix_aic_1_2,
  // core counts: neighbours compared by the cores they occupy, then single sub kernels
  equal_neighbours, narrower_neighbour, wider_neighbour, odd_blocks, one_block,
  narrower_than_launch,   ///< A sub kernel leaves a core of one of its kinds idle.
  // launches (CORE-1)
  launch_0_1, launch_1_0, launch_1_1, launch_1_2,
  rounded_launch,         ///< One AIV more than any sub kernel has: odd AIV work beside cube work.
  one_to_one_at_1_2,      ///< A MIX 1:1 sub kernel in a 1:2 launch.
  // synchronisation between cores of one sub kernel
  sync_all_vector, sync_all_both,   ///< SyncAll<true>, SyncAll<false>
  sync_all_fed,           ///< A SyncAll in a sub kernel narrower than the launch, feed-sync-all=1.
  sync_all_full_width,    ///< A SyncAll at the width of the launch.
  hand_made_full_core,    ///< Mode 0 by hand.
  mode_1, mode_2_from_cube, mode_2_from_vector,
  narrow_block_sync,      ///< Mode 1 or 2 in a sub kernel narrower than the launch.
  ring,                   ///< Mode 2 both ways in one sub kernel, more than one round.
  run_ahead,              ///< A loop of raises with no flag back.
  two_flags,              ///< Mode 2 from two pipes of one core.
  soft_sync_all, ib_sync, poll, poll_through_cache, poll_by_dma,
  // scalar access to GM
  get_value, set_value, operator_assign, raw_access, bypass_access,
  dcci_single, dcci_entire, const_tensor, tensor_copy, tensor_end,
  line_per_core,          ///< A cached store to a line that no other core touches.
  shared_line,            ///< A line that scalar accesses of two or more sub kernels touch.
  hand_over_within,       ///< A scalar load of a word that another core stored in this sub kernel.
  hand_over_across,       ///< The same from an earlier sub kernel, cached on one side at least.
  hand_over_default, hand_over_before, hand_over_after, hand_over_disable, hand_over_offload,
                          ///< hand_over_across by the placement of the storing or loading side.
  hand_over_to_dma,       ///< A word stored by scalar and read by DMA.
  // TPipe
  tpipe_none, tpipe_one, tpipe_several, tque_single, tque_double, tbuf, tpipe_on_cube,
  // tasks
  early_none, early_set, early_wait, early_both,  ///< On the two sides of a neighbouring pair.
  head_work, tail_work,   ///< More than queries before WaitPreTaskEnd, after SetNextTaskStart.
  // services
  matmul,
  // data
  communication_by_dma,   ///< A later sub kernel reads by DMA what another core stored before.
  anti_dependence,        ///< A later sub kernel overwrites what an earlier one read.
  output_dependence,      ///< A later sub kernel overwrites what an earlier one wrote.
  atomic_add, neighbour_shift, repeat, block_num_query, narrow_block_num_query, other_query,
  cube_compute, l1_to_gm, event_flags, hand_made_reuse,
  false_sharing_by_dma,   ///< Two cores write different 32-byte blocks of one line by DMA.
  // options
  option_func_align, option_preload_code, option_early_start_0, option_early_start_2,
  option_stream_fusion, option_debug_dcci_all, option_debug_sync_all, option_feed_sync_all,
  option_profiling, option_compile_options, option_strict_scope_check,
  option_dcci_before, option_dcci_after, option_dcci_disable, option_split_mode,
  option_debug_aic_num, option_debug_aiv_num,
  tiling_offload,
  // the world around the sub kernels
  scope_marks,            ///< A mark that names a SuperKernel.
  scope_nested,           ///< A mark inside another one.
  scope_none,             ///< The mark None inside a named one.
  scope_unmarked,         ///< A sub kernel without a mark between marked ones.
  several_launches, host_write,
  launch_again,           ///< A sub kernel that two launches run.
  beside_batch, beside_normal,
  second_wave,            ///< More blocks than the chip has cores for.
  two_streams,            ///< One launch of two streams that only events order.
  streams_in_line,        ///< Neighbours of two streams with an event from one to the other.
  event_within, event_across,  ///< From sub kernel to sub kernel: of one launch, of two.
  event_from_outside, event_to_outside, outside_write, outside_copy,
  counted_wider,          ///< Tiling offload: the launch counts more blocks than it runs on.
  counted_as_other,       ///< Tiling offload: the launch counts another type.
  // sizes
  single_instruction,     ///< A core executes exactly one instruction in a sub kernel.
  full_chip,              ///< The launch takes all cores of one kind.
  // the 950 alone
  mode_4,                 ///< A flag between a cube core and one vector core of its block.
  wait_on_pipe,           ///< A CrossCoreWaitFlag that holds one pipe of its core.
  waits_on_two_pipes,     ///< Two pipes of one core wait, each for an id of its own.
  // the path aclgraph alone
  aclgraph,
  captured_plain_launch,  ///< A SuperKernel of one core kind (ACL-1).
  captured_direct,        ///< A directly launched sub kernel that asks for the launch's blocks.
  captured_streams,       ///< Two streams in one launch.
  captured_early_call,    ///< A call of early start that takes part (ACL-4),
  captured_idle_call,     ///< one that lacks the capability, and with it would let work overlap.
  captured_refresh,       ///< A dirty line that only the refresh behind the sub kernel takes out.
  captured_disabled,      ///< A sub kernel without a refresh behind it.
  captured_bad_option,    ///< An option that cannot be used (ACL-6).
  captured_batch_cut,     ///< A list that is cut for a sub kernel in batch mode (ACL-7).
  captured_scope_set,     ///< Marks that fuse, or do not, otherwise than the innermost (ACL-8).
  captured_by_itself,     ///< debug_per_op_max_core_num=1 (ACL-9).
};
// clang-format on

inline constexpr std::size_t feature_count =
    static_cast<std::size_t>(Feature::captured_by_itself) + 1;

std::string_view to_string(Feature feature);  ///< "sync-all-vector"

/// Only the path aclgraph has it.
constexpr bool is_captured(Feature f) {
  return f >= Feature::aclgraph;
}

/// A mix for the machine can have it.
bool exists_on(Feature feature, const Profile& profile);

std::optional<Feature> find_feature(std::string_view name);

/// A set of features.
class FeatureSet {
 public:
  FeatureSet() = default;
  FeatureSet(std::initializer_list<Feature> features) {
    for (const Feature f : features) add(f);
  }
  void add(Feature f) { bits_.set(static_cast<std::size_t>(f)); }
  void remove(Feature f) { bits_.reset(static_cast<std::size_t>(f)); }
  [[nodiscard]] bool has(Feature f) const { return bits_.test(static_cast<std::size_t>(f)); }
  [[nodiscard]] bool empty() const { return bits_.none(); }
  [[nodiscard]] bool contains(const FeatureSet& other) const {
    return (other.bits_ & ~bits_).none();
  }
  /// A feature is in both.
  [[nodiscard]] bool meets(const FeatureSet& other) const { return (bits_ & other.bits_).any(); }
  [[nodiscard]] std::uint64_t hash() const;
  /// The features of either.
  friend FeatureSet operator|(FeatureSet a, const FeatureSet& b) {
    a.bits_ |= b.bits_;
    return a;
  }
  bool operator==(const FeatureSet&) const = default;

 private:
  std::bitset<feature_count> bits_;
};

/// What only the path aclgraph has.
FeatureSet captured_features();

/// A mix for the machine can have each of them.
bool all_exist_on(const FeatureSet& features, const Profile& profile);

/// What a case has, and its size.
struct Features {
  FeatureSet set;
  int sub_kernels = 0;
  std::int64_t executed_instructions = 0;  ///< All cores, each sub kernel once, repeats unrolled.
  int launch_blocks = 0;                   ///< Of the widest launch.
  int launch_cores = 0;
  [[nodiscard]] bool has(Feature f) const { return set.has(f); }
  bool operator==(const Features&) const = default;
};

/// Looks at each sub kernel in the first launch that runs it, at the data as if all launches came
/// one after the other. The case must be valid (spec/validate.h).
Features features_of(const Case& value);

}  // namespace skcts::generators
