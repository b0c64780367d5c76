#include "generators/launch.h"

#include <algorithm>

namespace skcts::generators {

Launch natural_launch(std::span<const Shape> shapes) {
  int cubes = 0;
  int vectors = 0;
  bool has_1_2 = false;
  for (const Shape& s : shapes) {
    cubes = std::max(cubes, aic_cores(s.type, s.blocks));
    vectors = std::max(vectors, aiv_cores(s.type, s.blocks));
    has_1_2 = has_1_2 || s.type == KernelType::mix_aic_1_2;
  }
  if (cubes == 0) return {KernelType::mix_aiv_1_0, vectors};
  if (vectors == 0) return {KernelType::mix_aic_1_0, cubes};
  if (has_1_2 || vectors > cubes) {
    return {KernelType::mix_aic_1_2, std::max(cubes, (vectors + 1) / 2)};
  }
  return {KernelType::mix_aic_1_1, cubes};
}

Launch launch_of(std::span<const Shape> shapes, const Options& options) {
  const int cubes = options.debug_aic_num;
  const int vectors = options.debug_aiv_num;
  if (cubes == 0 && vectors == 0) return natural_launch(shapes);
  if (vectors == 0) return {KernelType::mix_aic_1_0, cubes};
  if (cubes == 0) return {KernelType::mix_aiv_1_0, vectors};
  return {cubes == vectors ? KernelType::mix_aic_1_1 : KernelType::mix_aic_1_2, cubes};
}

int running_vectors(const Shape& shape, const Launch& launch) {
  if (is_mix_kind(shape.type)) return shape.blocks * launch.ratio();
  return aiv_cores(shape.type, shape.blocks);
}

bool is_full_width(const Shape& shape, CoreKind kind, const Launch& launch) {
  if (!runs_on(shape.type, kind)) return false;
  if (kind == CoreKind::aic) return aic_cores(shape.type, shape.blocks) == launch.cubes();
  return running_vectors(shape, launch) == launch.vectors();
}

bool is_soft_width_of_3510(const Shape& shape, const Launch& launch) {
  return launch.type == KernelType::mix_aiv_1_0 && is_full_width(shape, CoreKind::aiv, launch);
}

bool fits(const Launch& launch, const Profile& profile) {
  return launch.cubes() <= profile.aic_count && launch.vectors() <= profile.aiv_count;
}

}  // namespace skcts::generators
