#include "generators/demand.h"

namespace skcts::generators {

namespace {

constexpr TypeMask only(KernelType t) {
  return type_bit(t);
}

/// Kernel types whose vector cores may use cross-core flags.
constexpr TypeMask flag_vectors = only(KernelType::mix_aiv_1_0) | mix_kinds;
constexpr TypeMask flag_types = flag_vectors | only(KernelType::mix_aic_1_0);

constexpr SchemeMask scheme_0_1 = 1;
constexpr SchemeMask scheme_1_0 = 2;
constexpr SchemeMask scheme_1_1 = 4;
constexpr SchemeMask scheme_1_2 = 8;

void add_hand_over(Demands& d, Placement writer, Placement reader) {
  d.subs.push_back({.types = any_type,
                    .width = Width::full,
                    .stage = Stage::scalar_store,
                    .placement = writer,
                    .own_set = false});
  d.subs.push_back({.types = any_type,
                    .width = Width::full,
                    .stage = Stage::scalar_copy,
                    .placement = reader,
                    .own_wait = false,
                    .joined = true,
                    .same_shape = true});
  d.prefer_recent = true;
  d.min_blocks = std::max(d.min_blocks, 2);
}

void add_pair(Demands& d, bool set, bool wait) {
  d.subs.push_back({.own_set = set});
  d.subs.push_back({.own_wait = wait, .joined = true});
}

/// A stage in a sub kernel of these types.
void add(Demands& d, Stage stage, TypeMask types, Width width = Width::any) {
  d.subs.push_back({.types = types, .width = width, .stage = stage});
}

bool add_shape(Demands& d, Feature f) {
  switch (f) {
    case Feature::aiv_only: add(d, Stage::none, only(KernelType::aiv_only)); return true;
    case Feature::aic_only: add(d, Stage::none, only(KernelType::aic_only)); return true;
    case Feature::mix_aiv_1_0: add(d, Stage::none, only(KernelType::mix_aiv_1_0)); return true;
    case Feature::mix_aic_1_0: add(d, Stage::none, only(KernelType::mix_aic_1_0)); return true;
    case Feature::mix_aic_1_1: add(d, Stage::none, only(KernelType::mix_aic_1_1)); return true;
    case Feature::mix_aic_1_2: add(d, Stage::none, only(KernelType::mix_aic_1_2)); return true;
    case Feature::equal_neighbours:
      d.subs.push_back({.width = Width::full});
      d.subs.push_back({.joined = true, .same_shape = true});
      return true;
    case Feature::narrower_neighbour:
      d.subs.push_back({.types = any_type, .width = Width::full});
      d.subs.push_back({.types = any_type, .width = Width::one, .joined = true});
      d.min_blocks = std::max(d.min_blocks, 3);
      return true;
    case Feature::wider_neighbour:
      d.subs.push_back({.types = any_type, .width = Width::one});
      d.subs.push_back({.types = any_type, .width = Width::full, .joined = true});
      d.min_blocks = std::max(d.min_blocks, 3);
      return true;
    case Feature::odd_blocks:
      d.subs.push_back({.width = Width::odd});
      d.min_blocks = std::max(d.min_blocks, 3);
      return true;
    case Feature::one_block: d.subs.push_back({.width = Width::one}); return true;
    case Feature::narrower_than_launch:
      d.subs.push_back({.width = Width::narrow});
      d.min_blocks = std::max(d.min_blocks, 2);
      return true;
    case Feature::launch_0_1: d.schemes &= scheme_0_1; return true;
    case Feature::launch_1_0: d.schemes &= scheme_1_0; return true;
    case Feature::launch_1_1: d.schemes &= scheme_1_1; return true;
    case Feature::launch_1_2: d.schemes &= scheme_1_2; return true;
    case Feature::rounded_launch:
      d.schemes &= scheme_1_2;
      d.rounded = true;
      d.min_blocks = std::max(d.min_blocks, 2);
      return true;
    case Feature::one_to_one_at_1_2:
      d.schemes &= scheme_1_2;
      add(d, Stage::none, only(KernelType::mix_aic_1_1));
      return true;
    default: return false;
  }
}

bool add_sync(Demands& d, Feature f) {
  const auto wide = [&d](int blocks) { d.min_blocks = std::max(d.min_blocks, blocks); };
  switch (f) {
    case Feature::sync_all_vector:
      add(d, Stage::sync_vector, flag_vectors, Width::full);
      return true;
    case Feature::sync_all_both: add(d, Stage::sync_both, mix_kinds, Width::full); return true;
    case Feature::sync_all_full_width:
      add(d, Stage::sync_vector, flag_vectors, Width::full);
      return true;
    case Feature::sync_all_fed:
      add(d, Stage::sync_vector, flag_vectors, Width::narrow);
      d.feed = true;
      wide(2);
      return true;
    case Feature::hand_made_full_core:
      add(d, Stage::hand_made, flag_types, Width::full);
      return true;
    case Feature::mode_1: add(d, Stage::mode_1, only(KernelType::mix_aic_1_2)); return true;
    case Feature::mode_2_from_cube: add(d, Stage::cube_to_vector, mix_kinds); return true;
    case Feature::mode_2_from_vector: add(d, Stage::vector_to_cube, mix_kinds); return true;
    case Feature::narrow_block_sync:
      add(d, Stage::cube_to_vector, mix_kinds, Width::narrow);
      wide(2);
      return true;
    case Feature::ring: add(d, Stage::ring, mix_kinds); return true;
    case Feature::run_ahead: add(d, Stage::run_ahead, mix_kinds); return true;
    case Feature::captured_direct:
      add(d, Stage::query, any_type, Width::narrow);
      wide(2);
      return true;
    case Feature::two_flags: add(d, Stage::two_flags, mix_kinds); return true;
    case Feature::mode_4: add(d, Stage::mode_4, only(KernelType::mix_aic_1_2)); return true;
    case Feature::wait_on_pipe: add(d, Stage::cube_to_vector, mix_kinds); return true;
    case Feature::waits_on_two_pipes: add(d, Stage::two_waits, mix_kinds); return true;
    case Feature::soft_sync_all: add(d, Stage::soft, vector_kinds); return true;
    case Feature::ib_sync:
      add(d, Stage::ib, vector_kinds, Width::many);
      wide(2);
      return true;
    case Feature::poll:
    case Feature::poll_through_cache: add(d, Stage::poll, any_type); return true;
    case Feature::poll_by_dma: add(d, Stage::poll, with_vectors); return true;
    case Feature::hand_over_within:
      add(d, Stage::sync_vector, flag_vectors, Width::full);
      wide(2);
      return true;
    case Feature::matmul: add(d, Stage::matmul, mix_kinds); return true;
    default: return false;
  }
}

bool add_scalar(Demands& d, Feature f) {
  switch (f) {
    case Feature::set_value:
    case Feature::operator_assign:
    case Feature::raw_access:
    case Feature::dcci_single:
    case Feature::dcci_entire:
    case Feature::tensor_end:
    case Feature::line_per_core: add(d, Stage::scalar_store, any_type); return true;
    case Feature::get_value:
    case Feature::const_tensor:
    case Feature::tensor_copy: add(d, Stage::scalar_copy, any_type); return true;
    case Feature::bypass_access: add(d, Stage::bypass_copy, any_type); return true;
    case Feature::hand_over_to_dma: add(d, Stage::scalar_to_dma, any_type); return true;
    case Feature::shared_line:
    case Feature::hand_over_across:
    case Feature::hand_over_default:
      add_hand_over(d, Placement::standard, Placement::standard);
      return true;
    case Feature::hand_over_before:
      add_hand_over(d, Placement::standard, Placement::before);
      return true;
    case Feature::hand_over_after:
      add_hand_over(d, Placement::after, Placement::standard);
      return true;
    case Feature::hand_over_disable:
      add_hand_over(d, Placement::disable, Placement::disable);
      return true;
    case Feature::hand_over_offload:
      add_hand_over(d, Placement::offload, Placement::offload);
      return true;
    case Feature::captured_refresh:
    case Feature::captured_disabled:
      add_hand_over(d, Placement::after, Placement::after);
      return true;
    case Feature::tiling_offload: d.subs.push_back({.placement = Placement::offload}); return true;
    case Feature::counted_wider: d.subs.push_back({.placement = Placement::offload}); return true;
    case Feature::counted_as_other:
      d.subs.push_back(
          {.types = any_type & ~only(KernelType::mix_aic_1_2), .placement = Placement::offload});
      return true;
    case Feature::option_dcci_before:
      d.subs.push_back({.placement = Placement::before});
      return true;
    case Feature::option_dcci_after: d.subs.push_back({.placement = Placement::after}); return true;
    case Feature::option_dcci_disable:
      d.subs.push_back({.placement = Placement::disable});
      return true;
    default: return false;
  }
}

bool add_data(Demands& d, Feature f) {
  const auto wide = [&d](int blocks) { d.min_blocks = std::max(d.min_blocks, blocks); };
  switch (f) {
    case Feature::tpipe_one:
    case Feature::tque_single: add(d, Stage::vector_queue, with_vectors); return true;
    case Feature::tque_double: add(d, Stage::vector_queue_double, with_vectors); return true;
    case Feature::tbuf: add(d, Stage::vector_tbuf, with_vectors); return true;
    case Feature::tpipe_several: add(d, Stage::vector_two_pipes, with_vectors); return true;
    case Feature::tpipe_on_cube: add(d, Stage::cube_queue, with_cubes); return true;
    case Feature::repeat:
    case Feature::hand_made_reuse: add(d, Stage::vector_tiles, with_vectors); return true;
    case Feature::event_flags: add(d, Stage::vector_copy, with_vectors); return true;
    case Feature::atomic_add: add(d, Stage::atomic, any_type); return true;
    case Feature::neighbour_shift:
      add(d, Stage::vector_copy, with_vectors, Width::many);
      wide(2);
      return true;
    case Feature::block_num_query: add(d, Stage::query, any_type); return true;
    case Feature::other_query: add(d, Stage::query, any_type); return true;
    case Feature::narrow_block_num_query:
      add(d, Stage::query, any_type, Width::narrow);
      wide(2);
      return true;
    case Feature::cube_compute: add(d, Stage::cube_short, with_cubes); return true;
    case Feature::l1_to_gm: add(d, Stage::cube_l1_out, with_cubes); return true;
    case Feature::false_sharing_by_dma:
      add(d, Stage::false_sharing, any_type, Width::many);
      wide(2);
      return true;
    case Feature::single_instruction: add(d, Stage::lone_query, any_type); return true;
    case Feature::communication_by_dma:
    case Feature::output_dependence:
    case Feature::anti_dependence:
      add(d, Stage::vector_copy, with_vectors, Width::many);
      d.subs.push_back({.types = with_vectors,
                        .width = Width::many,
                        .stage = Stage::vector_copy,
                        .joined = true});
      d.prefer_recent = true;
      wide(2);
      return true;
    default: return false;
  }
}

void add_tasks(Demands& d, Feature f) {
  switch (f) {
    case Feature::captured_streams: d.prefer_recent = true; break;
    case Feature::captured_plain_launch: d.schemes &= scheme_0_1 | scheme_1_0; break;
    case Feature::captured_early_call:
    case Feature::captured_idle_call: add_pair(d, true, true); break;
    case Feature::captured_batch_cut:
      d.subs.push_back({.width = Width::full});
      d.subs.push_back({.width = Width::one, .joined = true});
      d.min_blocks = std::max(d.min_blocks, 3);
      break;
    case Feature::early_none: add_pair(d, false, false); break;
    case Feature::early_set: add_pair(d, true, false); break;
    case Feature::early_wait: add_pair(d, false, true); break;
    case Feature::early_both: add_pair(d, true, true); break;
    case Feature::head_work: add_pair(d, false, true); break;
    case Feature::tail_work: add_pair(d, true, false); break;
    case Feature::option_feed_sync_all: d.feed = true; break;
    default: break;
  }
}

}  // namespace

TypeMask types_of_scheme(int scheme) {
  switch (scheme) {
    case 0: return vector_kinds;
    case 1: return cube_kinds;
    case 2: return static_cast<TypeMask>(any_type & ~only(KernelType::mix_aic_1_2));
    default: return any_type;
  }
}

Demands demands_of(const FeatureSet& required) {
  Demands demands;
  if (required.empty()) return demands;
  for (std::size_t i = 0; i < feature_count; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (!required.has(feature)) continue;
    if (add_shape(demands, feature) || add_sync(demands, feature) || add_scalar(demands, feature) ||
        add_data(demands, feature)) {
      continue;
    }
    add_tasks(demands, feature);
  }
  return demands;
}

}  // namespace skcts::generators
