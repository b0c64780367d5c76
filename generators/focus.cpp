// Which features a mix needs to exercise a rule.
#include "generators/generate.h"

namespace skcts::generators {

namespace {

FeatureSet core_or_sync(RuleId rule) {
  switch (rule) {
    case RuleId::core_2: return {Feature::narrower_than_launch};
    case RuleId::core_3: return {Feature::narrow_block_num_query};
    case RuleId::core_4:
    case RuleId::core_5:
    case RuleId::sync_14: return {Feature::sync_all_full_width};
    case RuleId::core_6: return {Feature::option_debug_aiv_num};
    case RuleId::core_7: return {Feature::mix_aic_1_2};
    case RuleId::sync_1:
    case RuleId::sync_2: return {Feature::sync_all_fed};
    case RuleId::sync_3: return {Feature::hand_made_full_core};
    case RuleId::sync_4: return {Feature::narrow_block_sync};
    case RuleId::sync_5:
    case RuleId::sync_7:
    case RuleId::sync_10:
    case RuleId::sync_11: return {Feature::mode_2_from_cube};
    case RuleId::sync_6: return {Feature::ring};
    case RuleId::sync_8: return {Feature::sync_all_both};
    case RuleId::sync_9: return {Feature::soft_sync_all};
    case RuleId::sync_12: return {Feature::hand_made_full_core};
    case RuleId::sync_15: return {Feature::waits_on_two_pipes};
    case RuleId::sync_13: return {Feature::hand_made_full_core};
    case RuleId::sync_16: return {Feature::poll};
    default: return {};
  }
}

FeatureSet ratio_or_cache(RuleId rule) {
  switch (rule) {
    case RuleId::ratio_1:
    case RuleId::ratio_4: return {Feature::one_to_one_at_1_2};
    case RuleId::ratio_2: return {Feature::mode_2_from_vector};
    case RuleId::ratio_3: return {Feature::matmul};
    case RuleId::cache_1: return {Feature::hand_over_default};
    case RuleId::cache_2: return {Feature::hand_over_before};
    case RuleId::cache_3: return {Feature::hand_over_after};
    case RuleId::cache_4: return {Feature::hand_over_disable};
    case RuleId::cache_5:
    case RuleId::cache_10: return {Feature::hand_over_offload};
    case RuleId::cache_6: return {Feature::set_value};
    case RuleId::cache_7: return {Feature::hand_over_across};
    case RuleId::cache_8: return {Feature::line_per_core};
    case RuleId::cache_9: return {Feature::get_value};
    case RuleId::cache_11: return {Feature::raw_access};
    default: return {};
  }
}

FeatureSet of_captured(RuleId rule) {
  switch (rule) {
    case RuleId::acl_1: return {Feature::captured_plain_launch};
    case RuleId::acl_2: return {Feature::captured_direct};
    case RuleId::acl_3:
      return {Feature::captured_streams, Feature::event_within, Feature::communication_by_dma};
    case RuleId::acl_4: return {Feature::captured_early_call};
    case RuleId::acl_5: return {Feature::captured_refresh};
    case RuleId::acl_6: return {Feature::captured_bad_option};
    case RuleId::acl_7: return {Feature::captured_batch_cut};
    case RuleId::acl_8: return {Feature::captured_scope_set};
    default: return {Feature::captured_by_itself};
  }
}

FeatureSet pipe_or_task(RuleId rule) {
  switch (rule) {
    case RuleId::pipe_1: return {Feature::tpipe_one};
    case RuleId::pipe_2: return {Feature::tpipe_several};
    case RuleId::pipe_3:
    case RuleId::pipe_4:
    case RuleId::pipe_6:
    case RuleId::pipe_7: return {Feature::event_flags};
    case RuleId::pipe_5: return {Feature::l1_to_gm};
    case RuleId::task_1: return {Feature::communication_by_dma};
    case RuleId::task_2: return {Feature::early_set};
    case RuleId::task_3: return {Feature::early_wait};
    case RuleId::task_4:
    case RuleId::task_6:
    case RuleId::task_7: return {Feature::early_both};
    case RuleId::task_5: return {Feature::tail_work};
    default: return {};
  }
}

}  // namespace

Focus focus_for(RuleId rule) {
  Focus focus;
  switch (skcts::rule(rule).chapter) {
    case Chapter::core:
    case Chapter::sync: focus.require = core_or_sync(rule); break;
    case Chapter::ratio:
    case Chapter::cache: focus.require = ratio_or_cache(rule); break;
    case Chapter::pipe:
    case Chapter::task: focus.require = pipe_or_task(rule); break;
    case Chapter::acl:
      focus.min_sub_kernels = 2;
      focus.require = of_captured(rule);
      break;
    case Chapter::fuse:
      focus.min_sub_kernels = 2;
      if (rule == RuleId::fuse_5) focus.require = {Feature::two_streams};
      break;
  }
  return focus;
}

}  // namespace skcts::generators
