// The shape of a launch and the options that rule it.
#pragma once

#include <optional>
#include <vector>

#include "harness/emulator/composition.h"

namespace skcts::emulator {

/// A position of each latitude of that class, drawn from a seed.
std::vector<LatitudePin> drawn_positions(std::uint64_t seed, LatitudeClass kind);

/// Reads the mix's option string (FUSE-3).
std::optional<Refusal> read_options(const Mix& mix, const Settings& settings, Options& options);

/// True when it is in batch mode and SK_BIND does not take that away (ACL-7).
bool in_batch_mode(const SubKernel& sub);

/// True when the sub kernels were issued on more than one stream.
bool has_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels);

/// Neighbours of different streams with no event from the former to the latter need
/// stream-fusion=1 (FUSE-3), but not on the path aclgraph.
std::optional<Refusal> check_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels,
                                     const Settings& settings, const Options& options);

/// Launch type and blocks of a SuperKernel (CORE-1, CORE-6, CORE-7, CORE-8).
std::optional<Refusal> shape_fused(const Mix& mix, const std::vector<std::int32_t>& sub_kernels,
                                   const Options& options, const Settings& settings,
                                   LaunchShape& shape);

}  // namespace skcts::emulator
