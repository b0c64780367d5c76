#include "reference_model/contract.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace skcts::model {
namespace {

bool is_listed(const std::vector<std::string>& list, const SubKernel& sub) {
  return std::find(list.begin(), list.end(), sub.matched_op_type()) != list.end();
}

bool any_instruction(const std::vector<Instruction>& program, Op op) {
  for (const Instruction& instruction : program) {
    if (instruction.op == op || any_instruction(instruction.body, op)) return true;
  }
  return false;
}

/// Cores of a launch of this type (1:2 has two AIVs a block).
LaunchShape with_cores(KernelType type, std::int32_t blocks) {
  LaunchShape shape;
  shape.type = type;
  shape.blocks = blocks;
  shape.aic_count = aic_cores(type, blocks);
  shape.aiv_count = aiv_cores(type, blocks);
  shape.ratio = type == KernelType::mix_aic_1_2 ? 2 : 1;
  return shape;
}

std::optional<Refusal> too_wide(const LaunchShape& shape, const Profile& profile) {
  if (shape.aic_count <= profile.aic_count && shape.aiv_count <= profile.aiv_count) {
    return std::nullopt;
  }
  return Refusal{RuleId::core_8,
                 fmt::format("the launch needs {} AIC and {} AIV cores, {} has {} and {} [CORE-8]",
                             shape.aic_count, shape.aiv_count, profile.name, profile.aic_count,
                             profile.aiv_count)};
}

/// The launch that the debug numbers ask for. Precondition: at least one is not 0.
LaunchShape asked_shape(int aic, int aiv) {
  if (aic == 0) return with_cores(KernelType::mix_aiv_1_0, aiv);
  if (aiv == 0) return with_cores(KernelType::mix_aic_1_0, aic);
  return with_cores(aic == aiv ? KernelType::mix_aic_1_1 : KernelType::mix_aic_1_2, aic);
}

std::optional<Refusal> refuse_debug_numbers(const LaunchShape& natural, bool one_to_two, int aic,
                                            int aiv, const Profile& profile) {
  const auto refuse = [&](std::string_view why) {
    return Refusal{RuleId::core_6, fmt::format("debug-aic-num={} and debug-aiv-num={}: {} [CORE-6]",
                                               aic, aiv, why)};
  };
  if (aic != 0 && aiv != 0 && aic != aiv && std::int64_t{aic} * 2 != aiv) {
    return refuse("the ratio must be 1:0, 0:1, 1:1 or 1:2");
  }
  if (aic > profile.aic_count || aiv > profile.aiv_count) {
    return refuse(fmt::format("{} has only {} AIC and {} AIV cores", profile.name,
                              profile.aic_count, profile.aiv_count));
  }
  if (aic < natural.aic_count || aiv < natural.aiv_count) {
    return refuse(
        fmt::format("the mix needs {} AIC and {} AIV cores", natural.aic_count, natural.aiv_count));
  }
  if (one_to_two && aic == aiv) {
    return refuse("a MIX 1:2 sub kernel needs two vector cores in each of its blocks (CORE-7)");
  }
  return std::nullopt;
}

bool has_1_2(const Mix& mix, const std::vector<std::int32_t>& sub_kernels) {
  return std::any_of(sub_kernels.begin(), sub_kernels.end(), [&](std::int32_t place) {
    const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(place)];
    return sub.type == KernelType::mix_aic_1_2 || sub.counted_type() == KernelType::mix_aic_1_2;
  });
}

int linear_index_limit(const SubKernel& sub, const LaunchShape& shape, CoreKind kind) {
  if (kind == CoreKind::aic) return sub.blocks;
  return is_aiv_kind(sub.type) ? sub.blocks : sub.blocks * shape.ratio;
}

}  // namespace

LaunchShape natural_shape(const Mix& mix, const std::vector<std::int32_t>& sub_kernels) {
  std::int32_t aic = 0;
  std::int32_t aiv = 0;
  for (const std::int32_t place : sub_kernels) {
    const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(place)];
    aic = std::max(aic, aic_cores(sub.counted_type(), sub.counted_blocks()));
    aiv = std::max(aiv, aiv_cores(sub.counted_type(), sub.counted_blocks()));
  }
  LaunchShape shape;
  if (aic == 0) {
    shape = with_cores(KernelType::mix_aiv_1_0, aiv);
  } else if (aiv == 0) {
    shape = with_cores(KernelType::mix_aic_1_0, aic);
  } else if (has_1_2(mix, sub_kernels) || aiv > aic) {
    shape = with_cores(KernelType::mix_aic_1_2, std::max(aic, (aiv + 1) / 2));
  } else {
    shape = with_cores(KernelType::mix_aic_1_1, aic);
  }
  shape.sub_kernels = sub_kernels;
  return shape;
}

ShapeOrRefusal fused_shape(const Mix& mix, const std::vector<std::int32_t>& sub_kernels,
                           const Options& options, const Profile& profile) {
  ShapeOrRefusal result;
  result.shape = natural_shape(mix, sub_kernels);
  const int aic = options.debug_aic_num;
  const int aiv = options.debug_aiv_num;
  if (aic != 0 || aiv != 0) {
    result.refusal =
        refuse_debug_numbers(result.shape, has_1_2(mix, sub_kernels), aic, aiv, profile);
    if (!result.refusal) {
      result.shape = asked_shape(aic, aiv);
      result.shape.sub_kernels = sub_kernels;
    }
  }
  if (!result.refusal) result.refusal = too_wide(result.shape, profile);
  return result;
}

ShapeOrRefusal fused_shape(const Case& test_case, const std::vector<std::int32_t>& sub_kernels,
                           const Options& options, const Profile& profile) {
  if (!is_captured(test_case)) return fused_shape(test_case.mix, sub_kernels, options, profile);
  ShapeOrRefusal result;
  result.shape = natural_shape(test_case.mix, sub_kernels);
  compose_captured(result.shape, test_case.mix, options, profile);
  result.refusal = too_wide(result.shape, profile);
  return result;
}

ShapeOrRefusal alone_shape(const Mix& mix, std::int32_t sub_kernel, const Profile& profile) {
  const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(sub_kernel)];
  ShapeOrRefusal result;
  result.shape = with_cores(sub.type, sub.blocks);
  result.shape.fused = false;
  result.shape.sub_kernels = {sub_kernel};
  if (!too_wide(result.shape, profile)) return result;
  // Waves: whole blocks, as many as the chip holds.
  const auto held = [](std::int32_t there, std::int32_t a_block) {
    return a_block == 0 ? INT32_MAX : there / a_block;
  };
  result.shape.resident = std::min(held(profile.aic_count, aic_cores(sub.type, 1)),
                                   held(profile.aiv_count, aiv_cores(sub.type, 1)));
  return result;
}

namespace {

/// The marks in force around a sub kernel, as the composer of the path reads them; empty: none.
std::vector<std::string> marks_in_force(const SubKernel& sub, bool innermost_only) {
  if (sub.scope.empty()) return {};
  if (innermost_only) {
    return sub.scope.back().empty() ? std::vector<std::string>{} : std::vector{sub.scope.back()};
  }
  std::vector<std::string> names = sub.scope;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.front().empty()) names.clear();  // a None anywhere
  return names;
}

}  // namespace

std::vector<PlanStep> cut_by_marks(const Mix& mix, const PlanStep& marked, std::string_view path) {
  std::vector<PlanStep> steps;
  std::vector<std::string> before;
  const auto owner = [&](std::int32_t place) -> const SubKernel& {
    return mix.sub_kernels[static_cast<std::size_t>(place)];
  };
  // ACL-8: without a named mark in the list all that is fusible is one scope.
  const bool one_scope =
      path != "ge" && std::ranges::none_of(marked.sub_kernels, [&](std::int32_t place) {
        return std::ranges::any_of(owner(place).scope,
                                   [](const std::string& mark) { return !mark.empty(); });
      });
  for (const std::int32_t place : marked.sub_kernels) {
    std::vector<std::string> here = marks_in_force(owner(place), path == "ge");
    if (one_scope && owner(place).scope.empty()) here = {"the whole list"};
    const bool goes_on = !steps.empty() && !here.empty() && here == before;
    if (!goes_on) {
      PlanStep& step = steps.emplace_back();
      step.kind = here.empty() ? skcts::StepKind::alone : skcts::StepKind::fused;
    }
    steps.back().sub_kernels.push_back(place);
    before = std::move(here);
  }
  return steps;
}

Plan written_plan(const Case& test_case) {
  Plan written;
  for (PlanStep& step : effective_plan(test_case.mix, test_case.plan).steps) {
    if (step.kind == skcts::StepKind::marked) {
      std::ranges::move(cut_by_marks(test_case.mix, step, test_case.path),
                        std::back_inserter(written.steps));
    } else {
      written.steps.push_back(std::move(step));
    }
  }
  return written;
}

bool has_fused_step(const Mix& mix, std::string_view path, const std::vector<PlanStep>& steps) {
  return std::ranges::any_of(steps, [&](const PlanStep& step) {
    switch (step.kind) {
      case skcts::StepKind::fused: return true;
      case skcts::StepKind::marked: return has_fused_step(mix, path, cut_by_marks(mix, step, path));
      case skcts::StepKind::beside: return has_fused_step(mix, path, step.beside);
      default: return false;
    }
  });
}

bool has_two_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels) {
  return std::ranges::any_of(sub_kernels, [&](std::int32_t place) {
    return mix.sub_kernels[static_cast<std::size_t>(place)].stream !=
           mix.sub_kernels[static_cast<std::size_t>(sub_kernels.front())].stream;
  });
}

std::optional<Refusal> refuse_streams(const Case& test_case,
                                      const std::vector<std::int32_t>& sub_kernels,
                                      const Options& options) {
  const Mix& mix = test_case.mix;
  if (options.stream_fusion || is_captured(test_case)) return std::nullopt;
  for (std::size_t k = 1; k < sub_kernels.size(); ++k) {
    const SubKernel& former = mix.sub_kernels[static_cast<std::size_t>(sub_kernels[k - 1])];
    const SubKernel& latter = mix.sub_kernels[static_cast<std::size_t>(sub_kernels[k])];
    const bool joined = std::ranges::any_of(former.send, [&](const std::string& event) {
      return std::ranges::find(latter.recv, event) != latter.recv.end();
    });
    if (former.stream == latter.stream || joined) continue;
    return Refusal{RuleId::fuse_3,
                   fmt::format("{} and {} are of different streams and no event leads from the one "
                               "to the other: stream-fusion=1 is needed [FUSE-3]",
                               former.name, latter.name)};
  }
  return std::nullopt;
}

bool runs(const SubKernel& sub, const LaunchShape& shape, CoreId core) {
  return runs_on(sub.type, core.kind) && core.index < linear_index_limit(sub, shape, core.kind);
}

std::int32_t running_cores(const SubKernel& sub, const LaunchShape& shape, CoreKind kind) {
  if (!runs_on(sub.type, kind)) return 0;
  const std::int32_t there = kind == CoreKind::aic ? shape.aic_count : shape.aiv_count;
  return std::min(there, linear_index_limit(sub, shape, kind));
}

Indices indices_of(const SubKernel& sub, const LaunchShape& shape, CoreId core) {
  Indices at;
  at.core = core.index;
  at.block = core.kind == CoreKind::aic ? core.index : core.index / shape.ratio;
  at.sub = core.kind == CoreKind::aic ? 0 : core.index % shape.ratio;
  at.block_count = sub.blocks;
  at.core_count = std::max<std::int32_t>(1, running_cores(sub, shape, core.kind));
  at.key = sub.tiling_key;
  if (shape.captured && sub.direct_launch) {  // ACL-2
    at.block_count = shape.blocks;
    at.core_count = core.kind == CoreKind::aic ? shape.aic_count : shape.aiv_count;
  }
  return at;
}

std::int32_t own_block_num(const SubKernel& sub, const LaunchShape& shape) {
  return shape.captured && sub.direct_launch ? shape.blocks : sub.blocks;
}

std::int64_t query_value(const SubKernel& sub, const LaunchShape& shape, CoreId core, Op query) {
  const Indices at = indices_of(sub, shape, core);
  switch (query) {
    case Op::get_block_num: return own_block_num(sub, shape);
    case Op::get_block_idx: return at.core;
    case Op::get_sub_block_idx: return at.sub;
    default: return core.kind == CoreKind::aic ? 1 : shape.ratio;
  }
}

bool has_sync_all(const SubKernel& sub) {
  return calls(sub, Op::sync_all);
}

bool calls(const SubKernel& sub, Op op) {
  return any_instruction(sub.aic, op) || any_instruction(sub.aiv, op);
}

bool is_fed(const SubKernel& sub, const LaunchShape& shape, const Options& options) {
  if (!options.feed_sync_all || !shape.fused || !has_sync_all(sub)) return false;
  const bool narrow_aic = runs_on(sub.type, CoreKind::aic) &&
                          running_cores(sub, shape, CoreKind::aic) < shape.aic_count;
  const bool narrow_aiv = runs_on(sub.type, CoreKind::aiv) &&
                          running_cores(sub, shape, CoreKind::aiv) < shape.aiv_count;
  return narrow_aic || narrow_aiv;
}

RefreshPlacement refresh_placement(const SubKernel& sub, const Options& options, bool lists_win) {
  if (sub.tiling == Tiling::offload) return {.per_access = false, .before = true, .after = true};
  const bool before = is_listed(options.dcci_before_kernel_start, sub);
  const bool after = is_listed(options.dcci_after_kernel_end, sub);
  const bool disabled = is_listed(options.dcci_disable_on_kernel, sub);
  if (!before && !after && !disabled) return {.per_access = true};
  if (disabled && !lists_win) return {};
  return {.per_access = false, .before = before, .after = after};
}

BoundaryRelation boundary_relation(const SubKernel& earlier, const SubKernel& later,
                                   const LaunchShape& shape, const Options& options) {
  if (shape.captured) return captured_boundary(earlier, later, options);
  BoundaryRelation relation;
  if (options.early_start == 0) {
    // One full synchronisation of the launch, whatever the two sub kernels are.
    relation = debug_sync_relation(shape);
    return relation;
  }
  relation.from_aic = runs_on(earlier.type, CoreKind::aic);
  relation.from_aiv = runs_on(earlier.type, CoreKind::aiv);
  relation.to_aic = runs_on(later.type, CoreKind::aic);
  relation.to_aiv = runs_on(later.type, CoreKind::aiv);
  const bool take_part = options.early_start == 1;
  relation.own_signal =
      take_part && earlier.tiling == Tiling::fixed && calls(earlier, Op::set_next_task_start);
  relation.own_wait =
      take_part && later.tiling == Tiling::fixed && calls(later, Op::wait_pre_task_end);
  return relation;
}

BoundaryRelation debug_sync_relation(const LaunchShape& shape) {
  BoundaryRelation relation;
  relation.from_aic = relation.to_aic = shape.aic_count > 0;
  relation.from_aiv = relation.to_aiv = shape.aiv_count > 0;
  relation.drains_all = shape.is_mix() && !shape.captured;
  return relation;
}

}  // namespace skcts::model
