// Kernel types, core kinds and the cores that a type occupies.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace skcts {

/// The two kinds of core of a split AI Core (machine §1.2).
enum class CoreKind : std::uint8_t { aic, aiv };

/// The six kernel types that a sub kernel may have (composition §1.1). The last four also name the
/// type of a launch (its ratio): 0:1, 1:0, 1:1, 1:2.
enum class KernelType : std::uint8_t {
  aiv_only,
  aic_only,
  mix_aiv_1_0,
  mix_aic_1_0,
  mix_aic_1_1,
  mix_aic_1_2,
};

inline constexpr KernelType all_kernel_types[] = {
    KernelType::aiv_only,    KernelType::aic_only,    KernelType::mix_aiv_1_0,
    KernelType::mix_aic_1_0, KernelType::mix_aic_1_1, KernelType::mix_aic_1_2,
};

/// The name used in case text, e.g. "MIX_AIC_1_2".
std::string_view to_string(KernelType type);
/// "aic" or "aiv".
std::string_view to_string(CoreKind kind);
/// The type with this name, in the spelling of to_string; nothing for any other text.
std::optional<KernelType> find_kernel_type(std::string_view name);

/// AIV_ONLY and MIX_AIV_1_0.
constexpr bool is_aiv_kind(KernelType t) {
  return t == KernelType::aiv_only || t == KernelType::mix_aiv_1_0;
}
/// AIC_ONLY and MIX_AIC_1_0.
constexpr bool is_aic_kind(KernelType t) {
  return t == KernelType::aic_only || t == KernelType::mix_aic_1_0;
}
/// MIX 1:1 and MIX 1:2: the types that run on both core kinds.
constexpr bool is_mix_kind(KernelType t) { return !is_aiv_kind(t) && !is_aic_kind(t); }

/// True when the type has a program for that core kind.
constexpr bool runs_on(KernelType t, CoreKind kind) {
  return kind == CoreKind::aic ? !is_aiv_kind(t) : !is_aic_kind(t);
}

/// Cores that `blocks` blocks of the type occupy when launched alone (CORE-1).
constexpr int aic_cores(KernelType t, int blocks) { return is_aiv_kind(t) ? 0 : blocks; }
constexpr int aiv_cores(KernelType t, int blocks) {
  if (is_aic_kind(t)) return 0;
  return t == KernelType::mix_aic_1_2 ? 2 * blocks : blocks;
}

/// One physical core of a launch: an AIC by its block, an AIV by its linear index
/// block * ratio + sub block, where ratio is that of the launch (machine §1.3). Text: "aic:3".
struct CoreId {
  CoreKind kind = CoreKind::aiv;
  int index = 0;
  auto operator<=>(const CoreId&) const = default;
};

std::string to_string(CoreId core);
/// Reads "aic:3" / "aiv:0"; nothing for any other text.
std::optional<CoreId> parse_core(std::string_view text);

}  // namespace skcts

template <>
struct std::hash<skcts::CoreId> {
  std::size_t operator()(const skcts::CoreId& c) const noexcept {
    return static_cast<std::size_t>(c.index) * 2 + static_cast<std::size_t>(c.kind);
  }
};
