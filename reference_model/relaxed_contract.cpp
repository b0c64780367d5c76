#include "reference_model/relaxed_contract.h"

#include <algorithm>

namespace skcts::model {
namespace {

LaunchShape with_cores(LaunchShape shape, KernelType type, std::int32_t blocks) {
  shape.type = type;
  shape.blocks = std::max(blocks, 1);
  shape.aic_count = aic_cores(type, shape.blocks);
  shape.aiv_count = aiv_cores(type, shape.blocks);
  shape.ratio = type == KernelType::mix_aic_1_2 ? 2 : 1;
  return shape;
}

void append_item(std::string& text, std::string_view item) {
  if (!text.empty()) text += ':';
  text += item;
}

std::string without_key(std::string_view text, std::string_view key) {
  std::string kept;
  for (const OptionItem& item : split_option_items(text)) {
    if (item.key != key) append_item(kept, item.text);
  }
  return kept;
}

/// Item by item: what makes the string a refused one is left out.
std::string without_bad_items(std::string_view text) {
  std::string kept;
  for (const OptionItem& item : split_option_items(text)) {
    std::string longer = kept;
    append_item(longer, item.text);
    if (parse_options(longer).options) kept = std::move(longer);
  }
  return kept;
}

std::int32_t own_cores(const SubKernel& sub, const LaunchShape& shape, CoreKind kind) {
  if (kind == CoreKind::aic || is_aiv_kind(sub.type)) return sub.blocks;
  return sub.blocks * shape.ratio;
}

}  // namespace

std::string relaxed_options(std::string_view text, const Relaxation& relaxed) {
  if (relaxed.weakening == Weakening::option_ignored) return without_key(text, relaxed.option);
  if (relaxed.weakening == Weakening::option_accepted) return without_bad_items(text);
  return std::string(text);
}

Case relaxed_case(const Case& test_case, const Relaxation& relaxed) {
  Case result = test_case;
  std::vector<SubKernel>& kernels = result.mix.sub_kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::vector<std::string>& scope = kernels[k].scope;
    switch (relaxed.weakening) {
      case Weakening::marks_ignored: scope = {"all"}; break;
      case Weakening::none_ignored:
        std::erase_if(scope, [](const std::string& mark) { return mark.empty(); });
        break;
      case Weakening::unmarked_ignored:
        if (scope.empty() && k > 0) scope = kernels[k - 1].scope;
        break;
      default: return result;
    }
  }
  return result;
}

std::vector<std::int32_t> relaxed_list(std::vector<std::int32_t> list, const Relaxation& relaxed) {
  const auto at = std::find(list.begin(), list.end(), relaxed.sub_kernel);
  if (at == list.end()) return list;
  if (relaxed.weakening == Weakening::run_twice) list.insert(at, relaxed.sub_kernel);
  if (relaxed.weakening == Weakening::swapped && at + 1 != list.end()) std::iter_swap(at, at + 1);
  return list;
}

ShapeOrRefusal relaxed_shape(const Case& test_case, const std::vector<std::int32_t>& sub_kernels,
                             const Options& options, const Profile& profile,
                             const Relaxation& relaxed) {
  if (relaxed.weakening == Weakening::numbers_ignored) {
    Options plain = options;
    plain.debug_aic_num = plain.debug_aiv_num = 0;
    return fused_shape(test_case, sub_kernels, plain, profile);
  }
  ShapeOrRefusal result = fused_shape(test_case, sub_kernels, options, profile);
  LaunchShape& shape = result.shape;
  switch (relaxed.weakening) {
    case Weakening::refusal_missing: result.refusal.reset(); break;
    case Weakening::launch_blocks:
      shape = with_cores(shape, shape.type, shape.blocks + relaxed.amount);
      break;
    case Weakening::launch_type: shape = with_cores(shape, *relaxed.type, shape.blocks); break;
    default: break;
  }
  return result;
}

bool relaxed_runs(const SubKernel& sub, std::int32_t place, const LaunchShape& shape, CoreId core,
                  const Relaxation& relaxed) {
  const bool normal = runs(sub, shape, core);
  if (!shape.fused) return normal;
  if (relaxed.hits(Weakening::guard, place, core.kind)) {
    // Of a MIX sub kernel the guard counts blocks, unless `object` says cores.
    const bool by_block = core.kind == CoreKind::aiv && is_mix_kind(sub.type) && relaxed.object < 0;
    const std::int32_t a_block = by_block ? shape.ratio : 1;
    const std::int32_t end = own_cores(sub, shape, core.kind) + relaxed.amount * a_block;
    return runs_on(sub.type, core.kind) && core.index < end;
  }
  if (relaxed.hits(Weakening::guard_missing, place, core.kind)) {
    return runs_on(sub.type, core.kind);
  }
  if (relaxed.hits(Weakening::guard_by_block, place)) {
    return runs_on(sub.type, core.kind) && core.index / shape.ratio < sub.blocks;
  }
  if (relaxed.hits(Weakening::guard_linear, place) && core.kind == CoreKind::aiv) {
    return runs_on(sub.type, core.kind) && core.index < sub.blocks;
  }
  if (relaxed.hits(Weakening::skipped, place)) return false;
  if (relaxed.hits(Weakening::sub_core_left_out, place) && core.kind == CoreKind::aiv) {
    return normal && core.index % shape.ratio != relaxed.amount;
  }
  if (relaxed.hits(Weakening::core_left_out, place, core.kind)) {
    return normal && core.index != relaxed.amount;
  }
  return normal;
}

std::int32_t relaxed_blocks(const SubKernel& sub, std::int32_t place, const LaunchShape& shape,
                            CoreKind kind, const Relaxation& relaxed) {
  const bool of_launch = shape.fused && (relaxed.hits(Weakening::block_num_told, place) ||
                                         relaxed.hits(Weakening::block_num_used, place));
  if (!of_launch) return own_block_num(sub, shape);
  // `amount`: the launch's vector cores instead of its blocks.
  return relaxed.amount != 0 && kind == CoreKind::aiv ? shape.aiv_count : shape.blocks;
}

Indices relaxed_indices(const SubKernel& sub, std::int32_t place, const LaunchShape& shape,
                        CoreId core, const Relaxation& relaxed) {
  Indices at = indices_of(sub, shape, core);
  if (relaxed.hits(Weakening::block_num_used, place)) {
    const std::int32_t number = relaxed_blocks(sub, place, shape, core.kind, relaxed);
    at.block_count = number;
    // A sub kernel may count its cores by that number or not (`to` is given: not).
    const bool pairs = core.kind == CoreKind::aiv && is_mix_kind(sub.type);
    if (!relaxed.to) at.core_count = pairs ? number * shape.ratio : number;
  }
  if (relaxed.hits(Weakening::ratio_of_own, place) && core.kind == CoreKind::aiv) {
    at.core = at.block = core.index;
    at.sub = 0;
  }
  if (relaxed.hits(Weakening::index_shifted, place, core.kind)) ++at.core;
  if (core.kind == CoreKind::aiv) {
    if (relaxed.hits(Weakening::index_of_block, place)) at.core = core.index / shape.ratio;
    if (relaxed.hits(Weakening::sub_index_zero, place)) at.sub = 0;
  }
  return at;
}

std::int64_t relaxed_query(const SubKernel& sub, std::int32_t place, const LaunchShape& shape,
                           CoreId core, Op query, const Relaxation& relaxed) {
  const Indices at = relaxed_indices(sub, place, shape, core, relaxed);
  switch (query) {
    case Op::get_block_num: return relaxed_blocks(sub, place, shape, core.kind, relaxed);
    case Op::get_block_idx: return at.core;
    case Op::get_sub_block_idx: return at.sub;
    default:
      if (relaxed.hits(Weakening::ratio_of_own, place)) return 1;
      break;
  }
  return query_value(sub, shape, core, query);
}

}  // namespace skcts::model
