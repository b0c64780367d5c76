#include "spec/kernel_type.h"

#include <charconv>

#include <fmt/format.h>

namespace skcts {

std::string_view to_string(KernelType type) {
  switch (type) {
    case KernelType::aiv_only: return "AIV_ONLY";
    case KernelType::aic_only: return "AIC_ONLY";
    case KernelType::mix_aiv_1_0: return "MIX_AIV_1_0";
    case KernelType::mix_aic_1_0: return "MIX_AIC_1_0";
    case KernelType::mix_aic_1_1: return "MIX_AIC_1_1";
    case KernelType::mix_aic_1_2: return "MIX_AIC_1_2";
  }
  return "?";
}

std::string_view to_string(CoreKind kind) {
  return kind == CoreKind::aic ? "aic" : "aiv";
}

std::optional<KernelType> find_kernel_type(std::string_view name) {
  for (const KernelType type : all_kernel_types) {
    if (to_string(type) == name) return type;
  }
  return std::nullopt;
}

std::string to_string(CoreId core) {
  return fmt::format("{}:{}", to_string(core.kind), core.index);
}

std::optional<CoreId> parse_core(std::string_view text) {
  CoreId core;
  if (text.starts_with("aic:")) {
    core.kind = CoreKind::aic;
  } else if (text.starts_with("aiv:")) {
    core.kind = CoreKind::aiv;
  } else {
    return std::nullopt;
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 4, end, core.index);
  if (error != std::errc{} || stop != end || core.index < 0) return std::nullopt;
  return core;
}

}  // namespace skcts
