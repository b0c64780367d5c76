// A launch of sub kernels, composed into one program for each core.
#pragma once

#include <span>
#include <vector>

#include "reference_model/explorer/builder.h"
#include "reference_model/explorer/parts.h"
#include "reference_model/explorer/program.h"
#include "spec/case.h"

namespace skcts::explorer {

/// The SuperKernel of these sub kernels (places in the mix, in order).
LaunchProgram compose_fused(const Settings& settings, std::span<const std::int32_t> sub_kernels,
                            int launch);

/// One sub kernel launched by itself.
LaunchProgram compose_alone(const Settings& settings, std::int32_t sub_kernel, int launch);

/// The outside actors of the case, each as a program beside those of the cores.
std::vector<CoreProgram> outside_programs(const Settings& settings);

/// Takes part in full-core waits by itself: SyncAll, early start, flags of their ids.
bool uses_full_core(const SubKernel& kernel);

/// Blocks of a launch that have cores at the same time; the others start in order of their index
/// when earlier ones have ended.
int blocks_at_once(const LaunchProgram& launch, const Profile& profile);

/// The fixed latitudes that the composition of this case asks about, with default positions left
/// out: each returned id has an effect on what is composed.
std::vector<LatitudeId> questions_of(const Case& value, std::span<const Part> parts,
                                     const Profile& profile);

}  // namespace skcts::explorer
