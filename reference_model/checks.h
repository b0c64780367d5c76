// Rules that a mix breaks by what it says, whatever a schedule does: the static half of charging a
// fault to its rule. The other half, blocked joins and racing pairs, is in stall.h and hazards.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference_model/stall.h"
#include "reference_model/steps.h"
#include "spec/case.h"
#include "spec/options.h"

namespace skcts::model {

/// Is the flag id one that SyncAll and the order between sub kernels use (SYNC-7)? Ids 16 apart are
/// those of the two vector cores of a block (3510).
bool is_reserved(std::int32_t id);

/// One place at which a restriction is broken.
struct BrokenRule {
  RuleId rule = RuleId::sync_5;
  std::int32_t sub_kernel = -1;  ///< Place in Mix::sub_kernels.
  CoreId core;
  std::int32_t instruction = -1;  ///< Place in the program of that side, or -1.
  std::string text;               ///< "k1 aiv:0 ...": what is wrong, for a kernel author.
  bool undefined_data = false;    ///< Nothing is said of memory from here on (semantics §7).
};

/// "End of step a before start of step b" over flat step numbers (StallResult::flat); both
/// executed.
using BeforeQuery = std::function<bool(std::int32_t, std::int32_t)>;

/// Adds what launch `program` of the case breaks, at most one entry a rule and sub kernel. Rules:
/// CORE-5, SYNC-3, SYNC-5, SYNC-7, SYNC-8, SYNC-9, SYNC-12 to SYNC-16, RATIO-2, RATIO-3, RATIO-4,
/// PIPE-4, CACHE-11, TASK-4, TASK-7.
void check_rules(const Case& test_case, const Options& options, const LaunchProgram& program,
                 const StallResult& stall, const BeforeQuery& before,
                 std::vector<BrokenRule>& broken);

}  // namespace skcts::model
