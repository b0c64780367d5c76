// The catalogue of operator defects.
#include "generators/defects.h"

#include <array>

#include "generators/defect_edits.h"
#include "generators/draw.h"
#include "generators/world.h"

namespace skcts::generators {

namespace {

using enum Feature;

/// The focus of a defect: small mixes with these features, without those.
Focus needs(FeatureSet require, FeatureSet avoid = {}, int min_sub_kernels = 1) {
  Focus f;
  f.require = require;
  // One launch, so that an edit has the effect that its rule says.
  f.avoid = avoid | world_features();
  f.size = Size::small;
  f.min_sub_kernels = min_sub_kernels;
  return f;
}

const FeatureSet more_order = {option_debug_sync_all, option_debug_dcci_all, option_early_start_0,
                               option_early_start_2};

using R = RuleId;

// A function and not a constant: FeatureSet is no literal type.
std::vector<DefectRow> make_rows() {
  using namespace edits;
  std::vector<DefectRow> rows;
  const auto add = [&rows](std::string_view name, RuleId rule, std::string_view text,
                           const Focus& focus, EditFunction edit,
                           Machines machines = Machines::all) {
    rows.push_back({{name, rule, text}, focus, edit, machines});
  };
  add("feed-missing", R::core_5,
      "feed-sync-all is off although a sub kernel narrower than the launch calls SyncAll.",
      needs({sync_all_fed}, {hand_made_full_core}), drop_feed);
  add("launch-wider-than-sync-all", R::core_5,
      "debug-aic-num and debug-aiv-num raise the launch above a sub kernel that calls SyncAll.",
      needs({sync_all_full_width}, {hand_made_full_core, option_feed_sync_all, option_debug_aic_num,
                                    option_debug_aiv_num}),
      raise_launch);
  add("narrow-sync-all", R::core_5,
      "A sub kernel that calls SyncAll runs on one block less than the SuperKernel.",
      needs({sync_all_full_width}, {hand_made_full_core, option_feed_sync_all}, 3),
      narrow_sync_all);
  add("counted-wider-than-sync-all", R::core_5,
      "The launch counts a sub kernel of tiling offload with more blocks than one with SyncAll "
      "has.",
      needs({sync_all_full_width, tiling_offload}, {hand_made_full_core, option_feed_sync_all,
                                                    option_debug_aic_num, option_debug_aiv_num}),
      count_wider_than_sync);
  add("launch-wider-than-hand-made-sync", R::sync_3,
      "debug-aic-num and debug-aiv-num raise the launch above a sub kernel with mode 0 by hand.",
      needs({hand_made_full_core},
            {sync_all_vector, sync_all_both, option_debug_aic_num, option_debug_aiv_num}),
      raise_launch);
  add("narrow-hand-made-sync", R::sync_3,
      "A sub kernel with mode 0 by hand runs on one block less than the SuperKernel.",
      needs({hand_made_full_core}, {sync_all_vector, sync_all_both}, 3), narrow_hand_made);
  add("counted-wider-than-hand-made-sync", R::sync_3,
      "The launch counts a sub kernel of tiling offload with more blocks than one with mode 0 has.",
      needs({hand_made_full_core, tiling_offload},
            {sync_all_vector, sync_all_both, option_debug_aic_num, option_debug_aiv_num}),
      count_wider_than_sync);
  add("raise-missing", R::sync_5, "A CrossCoreSetFlag that a wait counts on is missing.",
      needs({mode_2_from_cube}), drop_raise);
  add("raise-skipped", R::sync_5,
      "One cube core does not call a CrossCoreSetFlag that the others call.",
      needs({mode_2_from_cube}), skip_raise);
  add("raise-twice", R::sync_5, "A CrossCoreSetFlag is called once more than it is waited for.",
      needs({mode_2_from_cube}, {run_ahead}), double_raise);
  add("flag-wait-missing", R::sync_5, "A CrossCoreWaitFlag is missing: its raise stays behind.",
      needs({mode_2_from_cube}, {run_ahead}), drop_flag_wait);
  add("flag-wait-twice", R::sync_5,
      "A CrossCoreWaitFlag is called once more than there are raises.",
      needs({mode_2_from_cube}, {run_ahead}), double_flag_wait);
  add("raise-of-another-id", R::sync_5, "A flag is raised under an id that nobody waits for.",
      needs({mode_2_from_cube}, {run_ahead}), wrong_raise_id);
  add("sixteenth-raise", R::sync_6,
      "A loop raises a flag 16 times or more before anybody need have waited.", needs({run_ahead}),
      raise_too_often);
  add("reserved-flag-id", R::sync_7, "A flag has an id that the SuperKernel's own sync uses.",
      needs({mode_2_from_cube}, {}, 2), reserved_id);
  add("reserved-flag-id-modulo-16", R::sync_7,
      "A flag has an id that is one of the SuperKernel's own sync in its low four bits.",
      needs({mode_2_from_cube}, {}, 2), reserved_id_modulo, Machines::only_2201);
  add("vector-sync-for-cube-data", R::sync_8,
      "SyncAll<true> on the vector cores alone stands between a cube core's store and its reader.",
      needs({sync_all_both}), vector_sync_for_cube);
  add("cube-sync-without-cubes", R::sync_8, "A vector sub kernel calls SyncAll<false>.",
      needs({sync_all_vector, mix_aiv_1_0}), cube_sync_without_cubes);
  add("workspace-not-zero", R::sync_9, "The workspace of a soft SyncAll is not zero.",
      needs({soft_sync_all}), dirty_workspace);
  add("soft-sync-of-too-many", R::sync_9, "A soft SyncAll counts on one core more than there is.",
      needs({soft_sync_all}), too_many_cores);
  add("raise-on-wrong-pipe", R::sync_11,
      "A flag is raised on MTE2 although another pipe carries the data.",
      needs({mode_2_from_cube, mode_2_from_vector}, {sync_all_both}), wrong_raise_pipe);
  add("sync-all-missing", R::sync_11, "The SyncAll between a store and its reader is missing.",
      needs({sync_all_vector}), drop_exchange_sync);
  add("raise-before-store", R::sync_11,
      "A flag is raised before the store of the data that it hands over.",
      needs({mode_2_from_cube, mode_2_from_vector}, {sync_all_both, sync_all_vector}),
      raise_before_store);
  add("load-before-flag-wait", R::sync_11,
      "A load of what a cube core stored stands before the wait for its flag.",
      needs({mode_2_from_cube}, {sync_all_both, sync_all_vector}), wait_after_load);
  add("event-from-outside-missing", R::sync_11,
      "A sub kernel uses words of an outside actor without an event from it.",
      needs({event_from_outside}, {early_set, early_wait, early_both}), drop_outside_raise);
  add("event-to-outside-missing", R::sync_11,
      "An outside actor uses words of a sub kernel without an event from it.",
      needs({event_to_outside}, {early_set, early_wait, early_both}), drop_outside_wait);
  add("one-id-for-two-flags", R::sync_12, "Two pipes of one core raise the same id.",
      needs({two_flags}), one_id);
  add("one-id-for-two-waiting-pipes", R::sync_15,
      "Two pipes of one core wait for the same id.", needs({waits_on_two_pipes}),
      one_id_for_two_pipes, Machines::only_3510);
  add("flags-in-plain-kernel", R::sync_13, "A sub kernel with cross-core flags is no MIX type.",
      needs({hand_made_full_core}, {sync_all_vector, sync_all_both}), flags_without_type);
  add("sync-all-skipped", R::sync_14, "One vector core leaves out a SyncAll that the others call.",
      needs({sync_all_full_width}), skip_sync_on_one_core);
  add("sync-all-once-more", R::sync_14, "One vector core calls a SyncAll more than the others.",
      needs({sync_all_full_width}, {sync_all_both}), one_more_sync);
  add("cached-poll", R::sync_16, "A poll reads through the cache and refreshes nothing.",
      needs({poll}), cached_poll);
  add("raise-by-one-vector-core", R::ratio_2,
      "Of the two vector cores of a block only sub block 0 raises a mode-2 flag.",
      needs({mode_2_from_vector, launch_1_2}), raise_on_one_vector);
  add("matmul-on-both", R::ratio_3,
      "In a MIX 1:1 sub kernel both vector cores of a 1:2 launch call Matmul.",
      needs({matmul, one_to_one_at_1_2}), matmul_on_both);
  add("split-by-core", R::ratio_4,
      "A MIX 1:1 sub kernel splits its work by GetBlockIdx without GetSubBlockNum.",
      needs({one_to_one_at_1_2}), split_by_core);
  add("add-on-both", R::ratio_4,
      "In a MIX 1:1 sub kernel both vector cores of a 1:2 launch add atomically.",
      needs({atomic_add, one_to_one_at_1_2}), add_on_both);
  add("hand-over-without-barrier", R::cache_7,
      "No DataSyncBarrier stands between a refreshed store and the raise that hands it over.",
      needs({hand_over_within}), drop_hand_over_barrier);
  add("stored-line-refreshed-late", R::cache_7,
      "A store that is handed over inside the sub kernel is refreshed at its end only.",
      needs({hand_over_within, raw_access}, {early_set, early_both}), late_writer_refresh);
  add("stale-line-read", R::cache_7,
      "A core reads a word again that another core stored meanwhile, and refreshes nothing.",
      needs({hand_over_within}), drop_reader_refresh);
  add("counters-in-one-line", R::cache_8, "Scalar results of several cores lie in one cache line.",
      needs({line_per_core}), share_line);
  add("result-left-dirty", R::cache_11, "A scalar result is stored and never refreshed.",
      needs({raw_access}, {option_debug_dcci_all, option_dcci_after, tiling_offload}), leave_dirty);
  add("barrier-between-pipes-missing", R::pipe_2,
      "No PIPE_ALL stands between two TPipe objects whose buffers overlap.", needs({tpipe_several}),
      drop_pipes_barrier);
  add("event-set-missing", R::pipe_4, "A SetFlag is missing: its WaitFlag never ends.",
      needs({event_flags}), drop_event_set);
  add("event-set-skipped", R::pipe_4, "One core leaves out a SetFlag whose WaitFlag all call.",
      needs({event_flags}), skip_event_set);
  add("event-set-twice", R::pipe_4, "A SetFlag is called twice before its WaitFlag.",
      needs({event_flags}), double_event_set);
  add("event-wait-missing", R::pipe_4, "A WaitFlag is missing: the event stays set.",
      needs({event_flags}), drop_event_wait);
  add("event-id-differs", R::pipe_4, "SetFlag and WaitFlag of an event name different ids.",
      needs({event_flags}), other_event_id);
  add("final-barrier-missing", R::pipe_5,
      "An L1 to GM copy is not finished by PIPE_ALL before the sub kernel ends.",
      needs({l1_to_gm}, more_order, 3), drop_final_barrier, Machines::only_2201);
  add("vector-work-left-behind", R::pipe_5,
      "A vector instruction that no store waits for ends a sub kernel whose local memory the next "
      "one fills.",
      needs({event_flags, early_none}, more_order, 3), leave_vector_work);
  add("event-pair-missing", R::pipe_6, "Nothing orders two pipes that share a local buffer.",
      needs({event_flags}), drop_event_pair);
  add("event-wait-late", R::pipe_6,
      "The WaitFlag of an event stands behind the use that it guards.", needs({event_flags}),
      late_event_wait);
  add("vector-barrier-missing", R::pipe_6,
      "No PipeBarrier<V> stands between two dependent vector instructions.", needs({event_flags}),
      drop_vector_barrier, Machines::only_2201);
  add("short-load", R::pipe_7, "A compute reads words of a buffer that no load filled.",
      needs({event_flags}), short_load);
  add("set-next-skipped", R::task_4, "One core does not call SetNextTaskStart.", needs({early_set}),
      skip_set_next);
  add("set-next-twice", R::task_4, "SetNextTaskStart is called twice.", needs({early_set}),
      double_set_next);
  add("wait-pre-skipped", R::task_4, "One core does not call WaitPreTaskEnd.", needs({early_wait}),
      skip_wait_pre);
  add("wait-pre-twice", R::task_4, "WaitPreTaskEnd is called twice.", needs({early_wait}),
      double_wait_pre);
  add("store-after-set-next", R::task_5,
      "The store of a result that the next sub kernel uses stands after SetNextTaskStart.",
      needs({early_set, communication_by_dma}, more_order, 3), store_after_set_next);
  add("load-before-wait-pre", R::task_5,
      "A load of what the sub kernel before stored stands before WaitPreTaskEnd.",
      needs({early_wait, communication_by_dma}, more_order, 3), load_before_wait_pre);
  add("sync-all-after-set-next", R::task_7, "SyncAll is called after SetNextTaskStart.",
      needs({sync_all_full_width, early_set}, {sync_all_both, hand_made_full_core}),
      sync_after_set_next);
  add("sync-all-before-wait-pre", R::task_7, "SyncAll is called before WaitPreTaskEnd.",
      needs({sync_all_full_width, early_wait}, {sync_all_both, hand_made_full_core}),
      sync_before_wait_pre);
  return rows;
}

/// The row of a defect for this machine; nullptr: there is none.
const DefectRow* row_on(const OperatorDefect& defect, const Profile& profile) {
  const Machines there = profile.is_3510() ? Machines::only_3510 : Machines::only_2201;
  for (const DefectRow& row : defect_rows()) {
    if (row.defect.name != defect.name) continue;
    return row.machines == Machines::all || row.machines == there ? &row : nullptr;
  }
  return nullptr;
}

/// Healthy mixes to look at before an index is given up.
constexpr int max_attempts = 200;

}  // namespace

std::span<const DefectRow> defect_rows() {
  static const std::vector<DefectRow> rows = make_rows();
  return rows;
}

std::span<const OperatorDefect> operator_defects() {
  static const std::vector<OperatorDefect> defects = [] {
    std::vector<OperatorDefect> list;
    for (const DefectRow& row : defect_rows()) list.push_back(row.defect);
    return list;
  }();
  return defects;
}

const OperatorDefect* find_operator_defect(std::string_view name) {
  for (const OperatorDefect& d : operator_defects()) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

bool exists_on(const OperatorDefect& defect, const Profile& profile) {
  return row_on(defect, profile) != nullptr;
}

std::optional<DefectiveCase> inject(std::uint64_t seed, std::uint64_t index,
                                    const OperatorDefect& defect, const Profile& profile) {
  const DefectRow* const row = row_on(defect, profile);
  if (row == nullptr) return std::nullopt;
  Focus focus = row->focus;
  // A wait on a pipe would make some edits faults of SYNC-15 besides.
  if (profile.is_3510() && !focus.require.has(waits_on_two_pipes)) focus.avoid.add(wait_on_pipe);
  std::vector<Site> sites;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const std::uint64_t from =
        mix_hash(case_hash(seed, index), static_cast<std::uint64_t>(attempt));
    DefectiveCase pair;
    pair.healthy = generate_with_sites(seed, from, focus, profile, &sites);
    pair.broken = pair.healthy;
    Choice choice(mix_hash(from, 1));
    if (!row->edit(pair.broken, {sites, profile, choice})) continue;
    for (SubKernel& s : pair.broken.mix.sub_kernels) {
      renumber_names(s);
      drop_unused_tensors(s);
    }
    return pair;
  }
  return std::nullopt;
}

}  // namespace skcts::generators
