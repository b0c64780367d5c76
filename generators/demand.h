// What a required feature asks of the plan of a mix.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "generators/plan.h"

namespace skcts::generators {

/// Bit t: kernel type t is possible.
using TypeMask = std::uint8_t;
constexpr TypeMask type_bit(KernelType t) {
  return static_cast<TypeMask>(1u << static_cast<unsigned>(t));
}
inline constexpr TypeMask any_type = 0x3f;
inline constexpr TypeMask vector_kinds =
    type_bit(KernelType::aiv_only) | type_bit(KernelType::mix_aiv_1_0);
inline constexpr TypeMask cube_kinds =
    type_bit(KernelType::aic_only) | type_bit(KernelType::mix_aic_1_0);
inline constexpr TypeMask mix_kinds =
    type_bit(KernelType::mix_aic_1_1) | type_bit(KernelType::mix_aic_1_2);
inline constexpr TypeMask with_vectors = vector_kinds | mix_kinds;
inline constexpr TypeMask with_cubes = cube_kinds | mix_kinds;

enum class Width : std::uint8_t { any, full, narrow, one, odd, many };

/// One sub kernel that a feature needs.
struct Demand {
  TypeMask types = any_type;
  Width width = Width::any;
  Stage stage = Stage::none;
  std::optional<Placement> placement;
  std::optional<bool> own_set;
  std::optional<bool> own_wait;
  int blocks = 0;           ///< Exactly so many; 0: as the width says.
  bool joined = false;      ///< Stands right after the demand before it.
  bool same_shape = false;  ///< Has the type and blocks of the sub kernel before it.
};

/// The launches of CORE-1 as a bit set: 1 = 0:1, 2 = 1:0, 4 = 1:1, 8 = 1:2.
using SchemeMask = std::uint8_t;

/// All that a set of required features asks for.
struct Demands {
  std::vector<Demand> subs;
  SchemeMask schemes = 0xf;
  bool feed = false;
  bool fixed = false;    ///< Neighbours are asked for: nothing is rounded without a demand.
  bool rounded = false;  ///< An odd number of vector cores decides a 1:2 launch.
  bool prefer_recent = false;
  int min_blocks = 1;  ///< Of the widest sub kernel.
};

Demands demands_of(const FeatureSet& required);

/// Kernel types that a launch of one scheme (0 = 0:1 … 3 = 1:2) may hold.
TypeMask types_of_scheme(int scheme);

}  // namespace skcts::generators
