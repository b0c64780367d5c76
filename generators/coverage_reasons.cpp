// Pairs of the coverage table that no mix has, and why.
#include <utility>
#include <vector>

#include "generators/coverage.h"
#include "generators/neighbours.h"

namespace skcts::generators {

namespace {

using enum Feature;

/// One of these, beside one of those, in either order.
struct Exclusion {
  FeatureSet these;
  FeatureSet those;
  std::string_view reason;
};

const FeatureSet options_of_ge = {
    option_func_align,    option_preload_code,    option_early_start_0, option_early_start_2,
    option_stream_fusion, option_debug_dcci_all,  option_debug_sync_all, option_feed_sync_all,
    option_profiling,     option_compile_options, option_strict_scope_check, option_dcci_before,
    option_dcci_after,    option_dcci_disable,    option_split_mode,    option_debug_aic_num,
    option_debug_aiv_num, tiling_offload,         sync_all_fed,         hand_over_default,
    hand_over_offload};
const FeatureSet early_calls = {early_set, early_wait, early_both, head_work, tail_work};

std::vector<Exclusion> make_exclusions() {
  return {
      {captured_features(), options_of_ge, "the path aclgraph has options of its own"},
      {{captured_by_itself},
       {sync_all_vector, sync_all_both, sync_all_full_width, hand_made_full_core},
       "by itself a sub kernel is launched on the whole chip, and no full-core sync is laid there"},
      {{two_streams, captured_streams, event_within, event_from_outside, event_to_outside},
       {wait_on_pipe},
       "beside streams and events it is open what a held pipe does not hold back"},
      {early_calls,
       {option_early_start_0, option_early_start_2},
       "no call of early start takes part without early-start=1"},
  };
}

/// What needs cube cores.
const FeatureSet cube_features = {
    aic_only,     mix_aic_1_0,        mix_aic_1_1,        mix_aic_1_2,   one_to_one_at_1_2,
    mode_1,       mode_2_from_cube,   mode_2_from_vector, mode_4,        option_debug_aic_num,
    ring,         run_ahead,          two_flags,          matmul,        sync_all_both,
    cube_compute, narrow_block_sync,  l1_to_gm,           waits_on_two_pipes};

bool has_cubes(const CoveragePoint& p) {
  return p.types && (runs_on(p.types->first, CoreKind::aic) ||
                     runs_on(p.types->second, CoreKind::aic));
}

}  // namespace

std::string_view reason_against(const CoveragePoint& a, const CoveragePoint& b,
                                const Profile& profile) {
  static const std::vector<Exclusion> exclusions = make_exclusions();
  for (const Exclusion& e : exclusions) {
    const bool excluded = (a.features.meets(e.these) && b.features.meets(e.those)) ||
                          (a.features.meets(e.those) && b.features.meets(e.these));
    if (excluded) return e.reason;
  }
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (x->types && y->axis == Axis::relation) {
      Neighbours wanted = *x->types;
      wanted.relation = relation_of(y->features);
      if (!fits(wanted, profile)) return "the chip has too few cores";
    }
    if (x->features.has(captured_by_itself) && y->types) {
      return "each sub kernel is a launch of its own";
    }
    const bool soft = profile.is_3510() && x->features.has(soft_sync_all);
    if (soft && (y->features.has(captured_by_itself) || y->features.meets(cube_features) ||
                 has_cubes(*y))) {
      return "a soft SyncAll of the 950 counts a launch of vector cores alone";
    }
  }
  return {};
}

}  // namespace skcts::generators
