// The contract of a launch on the path aclgraph, where it differs (rules ACL-1 to ACL-9).
#include <algorithm>

#include "reference_model/batch_cuts.h"
#include "reference_model/contract.h"
#include "spec/aclgraph_options.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int32_t value) {
  return static_cast<std::size_t>(value);
}

bool asks_for_batch(const SubKernel& sub) {
  return sub.batch_mode && (sub.sk_bind & sk_bind::no_batch_check) == 0;
}

BatchKernel batch_kernel(const SubKernel& sub) {
  const KernelType type = sub.counted_type();
  const std::int32_t blocks = sub.counted_blocks();
  return {aic_cores(type, blocks), aiv_cores(type, blocks), asks_for_batch(sub)};
}

/// What a kernel counts with.
BatchKernel counted(BatchKernel kernel) {
  if (!kernel.batch) return kernel;
  if (kernel.vectors == 0) kernel.vectors = 2 * kernel.cubes;
  if (kernel.cubes == 0) kernel.cubes = (kernel.vectors + 1) / 2;
  return kernel;
}

bool matches_any(const std::vector<std::string>& patterns, const SubKernel& sub) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return matches_kernel_pattern(pattern, sub.matched_op_type());
  });
}

}  // namespace

bool is_captured(const Case& test_case) {
  return test_case.path == "aclgraph";
}

std::vector<std::size_t> batch_cuts(std::span<const BatchKernel> kernels) {
  std::vector<std::size_t> cuts;
  BatchKernel most;  // of what is merged; batch: one of them is
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const BatchKernel own = counted(kernels[k]);
    const bool drops = own.batch && (own.cubes < most.cubes || own.vectors < most.vectors);
    const bool rises = most.batch && (own.cubes > most.cubes || own.vectors > most.vectors);
    if (cuts.empty() || drops || rises) {
      cuts.push_back(k);
      most = {};
    }
    most.cubes = std::max(most.cubes, own.cubes);
    most.vectors = std::max(most.vectors, own.vectors);
    most.batch = most.batch || own.batch;
  }
  return cuts;
}

/// ACL-7, ACL-9.
std::vector<std::vector<std::int32_t>> super_kernels(const Case& test_case,
                                                     const std::vector<std::int32_t>& list,
                                                     const Options& options) {
  if (!is_captured(test_case)) return {list};
  std::vector<std::vector<std::int32_t>> made;
  if (options.per_op_max_core_num) {
    for (const std::int32_t place : list) made.push_back({place});
    return made;
  }
  std::vector<BatchKernel> kernels;
  for (const std::int32_t place : list) {
    kernels.push_back(batch_kernel(test_case.mix.sub_kernels[to_size(place)]));
  }
  std::vector<std::size_t> cuts = batch_cuts(kernels);
  cuts.push_back(list.size());
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    made.emplace_back(list.begin() + static_cast<std::ptrdiff_t>(cuts[c]),
                      list.begin() + static_cast<std::ptrdiff_t>(cuts[c + 1]));
  }
  return made;
}

/// ACL-1, ACL-9.
void compose_captured(LaunchShape& shape, const Mix& mix, const Options& options,
                      const Profile& profile) {
  shape.captured = true;
  if (options.per_op_max_core_num) {
    const SubKernel& sub = mix.sub_kernels[to_size(shape.sub_kernels.front())];
    shape.type = KernelType::mix_aic_1_2;
    shape.ratio = 2;
    shape.blocks = asks_for_batch(sub) ? counted(batch_kernel(sub)).cubes : profile.aic_count;
    shape.aic_count = shape.blocks;
    shape.aiv_count = 2 * shape.blocks;
  } else if (shape.aic_count == 0) {
    shape.type = KernelType::aiv_only;
  } else if (shape.aiv_count == 0) {
    shape.type = KernelType::aic_only;
  }
}

/// ACL-5.
RefreshPlacement captured_refresh(const SubKernel& sub, const Options& options) {
  const bool before = matches_any(options.dcci_before_kernel_start, sub);
  const bool after = matches_any(options.dcci_after_kernel_end, sub);
  const bool told = (sub.sk_bind & sk_bind::disable_dcci) != 0;
  const bool listed = matches_any(options.dcci_disable_on_kernel, sub);
  const bool alone_listed = listed && !told && !before && !after;
  const bool disabled = told || listed;
  return {.per_access = false, .before = before, .after = after || !disabled || alone_listed};
}

/// ACL-3, ACL-4. With debug_sync_all everything else is left out.
BoundaryRelation captured_boundary(const SubKernel& earlier, const SubKernel& later,
                                   const Options& options) {
  BoundaryRelation relation;
  relation.from_aic = runs_on(earlier.type, CoreKind::aic);
  relation.from_aiv = runs_on(earlier.type, CoreKind::aiv);
  relation.to_aic = runs_on(later.type, CoreKind::aic);
  relation.to_aiv = runs_on(later.type, CoreKind::aiv);
  const bool take_part = options.early_start != 0 && !options.debug_sync_all;
  const auto may = [&](const SubKernel& sub, std::int32_t bit, Op call) {
    return take_part && sub.tiling == Tiling::fixed && (sub.sk_bind & bit) != 0 && calls(sub, call);
  };
  relation.own_signal = may(earlier, sk_bind::early_start_set, Op::set_next_task_start);
  relation.own_wait = may(later, sk_bind::early_start_wait, Op::wait_pre_task_end);
  return relation;
}

}  // namespace skcts::model
