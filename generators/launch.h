// The launch of a mix: type and blocks, as CORE-1 and CORE-6 state them.
#pragma once

#include <span>

#include "spec/kernel_type.h"
#include "spec/options.h"
#include "spec/profile.h"

namespace skcts::generators {

/// Type and block count of one sub kernel.
struct Shape {
  KernelType type = KernelType::aiv_only;
  int blocks = 1;
  bool operator==(const Shape&) const = default;
};

/// Cores of both kinds that it needs.
constexpr int cores_of(const Shape& s) {
  return aic_cores(s.type, s.blocks) + aiv_cores(s.type, s.blocks);
}

/// A launch; its type is one of MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1, MIX_AIC_1_2.
struct Launch {
  KernelType type = KernelType::mix_aiv_1_0;
  int blocks = 1;

  [[nodiscard]] int ratio() const { return type == KernelType::mix_aic_1_2 ? 2 : 1; }
  [[nodiscard]] int cubes() const { return aic_cores(type, blocks); }
  [[nodiscard]] int vectors() const { return aiv_cores(type, blocks); }
  bool operator==(const Launch&) const = default;
};

/// CORE-1, then debug-aic-num and debug-aiv-num as CORE-6 has them (not checked against the need).
Launch launch_of(std::span<const Shape> shapes, const Options& options);

/// CORE-1 alone.
Launch natural_launch(std::span<const Shape> shapes);

/// Vector cores that run a sub kernel in a launch: both of a block for a MIX 1:1 at 1:2.
int running_vectors(const Shape& shape, const Launch& launch);

/// True when the sub kernel runs on every core of that kind that the launch has.
bool is_full_width(const Shape& shape, CoreKind kind, const Launch& launch);

/// The soft SyncAll of the 950 counts the blocks of the launch and takes their numbers for those of
/// its cores (machine §4.4): right in a launch of vector cores alone, all of which take part.
bool is_soft_width_of_3510(const Shape& shape, const Launch& launch);

/// The launch fits on the chip.
bool fits(const Launch& launch, const Profile& profile);

}  // namespace skcts::generators
