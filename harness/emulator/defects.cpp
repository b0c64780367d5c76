// The rows of the defect catalogue.
#include "harness/emulator/defects.h"

#include <array>

namespace skcts::emulator {

namespace {

constexpr std::array<Defect, 20> catalogue = {{
    {DefectId::launch_one_block_narrow, "launch-one-block-narrow", RuleId::core_1, "launch",
     "a fused launch has one block less than its widest sub kernel (never less than one)"},
    {DefectId::block_num_of_launch, "block-num-of-launch", RuleId::core_3, "queries",
     "GetBlockNum in a fused sub kernel gives the block number of the launch"},
    {DefectId::guard_one_wide, "guard-one-wide", RuleId::core_2, "memory",
     "the guard around a sub kernel lets in the core whose index is the sub kernel's core number"},
    {DefectId::feed_missing, "feed-missing", RuleId::sync_1, "stall",
     "feed-sync-all=1 makes no idle core join a SyncAll"},
    {DefectId::aiv1_of_1_1_left_out, "aiv1-of-1-1-left-out", RuleId::ratio_1, "stall",
     "in a 1:2 launch the second vector core of a block skips MIX 1:1 sub kernels"},
    {DefectId::per_access_refresh_missing, "per-access-refresh-missing", RuleId::cache_1, "memory",
     "GetValue and SetValue refresh no cache line"},
    {DefectId::dcci_before_ignored, "dcci-before-ignored", RuleId::cache_2, "memory",
     "dcci-before-kernel-start refreshes nothing (the accesses inside still refresh nothing)"},
    {DefectId::destroy_barrier_missing, "destroy-barrier-missing", RuleId::pipe_1, "memory",
     "TPipe::Destroy of a stand-alone sub kernel ends without PipeBarrier<PIPE_ALL>"},
    {DefectId::early_start_aiv_aic_edge_missing, "early-start-aiv-aic-edge-missing", RuleId::task_1,
     "memory",
     "with early start, a cube sub kernel behind a vector one does not wait for its block's vector "
     "cores"},
    {DefectId::inter_operator_barrier_missing, "inter-operator-barrier-missing", RuleId::task_1,
     "memory", "nothing is inserted between two sub kernels"},
    {DefectId::flags_carried_over, "flags-carried-over", RuleId::fuse_4, "memory",
     "flag counters that a launch left above zero are still there in the next launch"},
    {DefectId::unknown_option_accepted, "unknown-option-accepted", RuleId::fuse_3, "refusal",
     "an unknown key of the option string is passed over"},
    {DefectId::offload_block_num, "offload-block-num-of-launch", RuleId::core_3, "queries",
     "GetBlockNum in a tiling-offload sub kernel gives the block number of the launch"},
    {DefectId::event_holds_one_core, "event-holds-one-core", RuleId::fuse_5, "memory",
     "only the core that watches an outer event waits for it: nothing holds the others"},
    {DefectId::early_start_over_event, "early-start-over-event", RuleId::fuse_5, "memory",
     "early start is paired over the barrier of an event: what precedes WaitPreTaskEnd is not "
     "held"},
    {DefectId::notify_before_barrier, "notify-before-barrier", RuleId::fuse_5, "memory",
     "an event is raised before the boundary behind its sub kernel"},
    {DefectId::event_wait_dropped, "event-wait-dropped", RuleId::fuse_5, "memory",
     "nobody watches an outer event"},
    {DefectId::event_edge_missing, "event-edge-missing", RuleId::fuse_5, "memory",
     "with stream-fusion=1 the first event between two streams of a launch orders nothing"},
    {DefectId::scope_cut_ignored, "scope-cut-ignored", RuleId::fuse_2, "launch",
     "a list with scope marks becomes one SuperKernel"},
    {DefectId::dirty_lines_lost, "dirty-lines-lost", RuleId::fuse_1, "memory",
     "the end of a SuperKernel on the 950 drops dirty lines where it writes them back (L-37)"},
}};

}  // namespace

std::span<const Defect> defects() {
  return catalogue;
}

const Defect* find_defect(std::string_view name) {
  for (const Defect& defect : catalogue) {
    if (defect.name == name) return &defect;
  }
  return nullptr;
}

}  // namespace skcts::emulator
