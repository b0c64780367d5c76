// How much carrying a case out would be, counted before anything is carried out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/case.h"

namespace skcts {

/// What one step of work stands for, by cause. An engine needs about a microsecond a step.
inline constexpr std::int64_t work_of_instruction = 1;  ///< and of a turn of an empty Repeat
inline constexpr std::int64_t words_per_work = 16;      ///< words that operands name, a step
inline constexpr std::int64_t work_of_entry = 16;       ///< one core, one sub kernel of a launch
inline constexpr std::int64_t work_of_launch = 1000;
inline constexpr std::int64_t gm_words_per_work = 32;  ///< words of GM, for each launch

/// The work of a case by cause, in steps. Numbers stop growing at `most`.
struct CaseWork {
  static constexpr std::int64_t most = std::int64_t{1} << 50;
  std::int64_t instructions = 0;  ///< of all cores in all launches, with the words they name
  std::int64_t entries = 0;       ///< of cores into sub kernels
  std::int64_t launches = 0;      ///< with the words of GM
  std::int64_t total() const;
  bool operator==(const CaseWork&) const = default;
};

/// Counts each launch of the effective plan, and a sub kernel that no launch has once. Every core
/// counts all instructions of its program, Repeats multiplied out and conditions left aside; a MIX
/// sub kernel counts two AIVs a block. Precondition: the plan names sub kernels of the mix.
CaseWork work_of(const Case& value);

/// Launches and host writes of a plan: each sub kernel that is launched alone is one.
std::int64_t launch_count(const Plan& plan);

/// Instructions that a core executes at most, Repeats multiplied out, conditions left aside; a turn
/// of an empty Repeat counts as one. Stops growing at 2^31 - 1.
std::int64_t unrolled_length(const std::vector<Instruction>& program);

/// "N by instructions and their words, N by ...", the parts that are not 0.
std::string to_string(const CaseWork& work);

}  // namespace skcts
