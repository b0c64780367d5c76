// What makes a case meaningless, as opposed to what a rule forbids.
//
// A case that breaks a rule (flag id above 15, a missing wait, a SyncAll in a narrow sub kernel,
// more cores than the chip has, an option that must be refused) is valid: judging it is the point.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/case.h"
#include "spec/error.h"

namespace skcts {

/// Most instructions that one core may execute in one sub kernel, Repeats multiplied out.
inline constexpr std::int64_t max_instructions_per_core = 1 << 20;
/// Most steps of work of a case (spec/case_work.h), so that what is accepted is analysed within
/// seconds. 72 cores with 20 instructions in each of 256 sub kernels need a fifth of it.
inline constexpr std::int64_t max_case_work = std::int64_t{1} << 22;
/// Most blocks of one sub kernel. Above every chip's cores, so that CORE-8 can be posed.
inline constexpr std::int32_t max_blocks = 4096;
/// Most launches and host writes of a plan; an engine may go one call deeper for each.
inline constexpr std::int64_t max_plan_launches = 1024;
/// Most words of GM of a mix, laid out (layout_of), and most sub kernels.
inline constexpr std::int64_t max_gm_words = std::int64_t{1} << 24;
inline constexpr std::size_t max_sub_kernels = 4096;

/// What no launch can hold or what has no meaning: unknown profile or path, indices that lead
/// nowhere, operands that an op cannot have, an op on a core kind without its pipe, unaligned DMA,
/// an address outside its region or local memory (for every core, repeat index and launch ratio
/// that the sub kernel can see), a dead GlobalTensor object, queue calls on names that are none.
/// Each error names the field; file and line stay empty. Empty: the case is valid. At most 50
/// errors are given.
std::vector<Error> validate(const Case& value);

}  // namespace skcts
