// The contract with one guarantee weakened: launch, options and who runs what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference_model/contract.h"
#include "reference_model/relaxation.h"

namespace skcts::model {

/// The option string as a target that breaks the rule takes it; the same for other weakenings.
std::string relaxed_options(std::string_view text, const Relaxation& relaxed);

/// The case with its scope marks as a target that breaks FUSE-2 takes them; else the same.
Case relaxed_case(const Case& test_case, const Relaxation& relaxed);

/// The sub kernels of a fused launch as they are called (run_twice, swapped).
std::vector<std::int32_t> relaxed_list(std::vector<std::int32_t> sub_kernels,
                                       const Relaxation& relaxed);

/// The shape of a fused launch. A refusal that stays is kept.
ShapeOrRefusal relaxed_shape(const Case& test_case, const std::vector<std::int32_t>& sub_kernels,
                             const Options& options, const Profile& profile,
                             const Relaxation& relaxed);

/// As runs(), for the sub kernel at this place in the mix, in a fused launch.
bool relaxed_runs(const SubKernel& sub, std::int32_t place, const LaunchShape& shape, CoreId core,
                  const Relaxation& relaxed);

/// As indices_of().
Indices relaxed_indices(const SubKernel& sub, std::int32_t place, const LaunchShape& shape,
                        CoreId core, const Relaxation& relaxed);

/// The block number that the sub kernel works with (GetBlockNum, soft barriers, IB slots).
std::int32_t relaxed_blocks(const SubKernel& sub, std::int32_t place, const LaunchShape& shape,
                            CoreKind kind, const Relaxation& relaxed);

/// As query_value().
std::int64_t relaxed_query(const SubKernel& sub, std::int32_t place, const LaunchShape& shape,
                           CoreId core, Op query, const Relaxation& relaxed);

}  // namespace skcts::model
