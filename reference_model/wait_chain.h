// The cores of a stall, those that stand alike as one, and who waits for whom down to the root.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference_model/model.h"

namespace skcts::model {

/// "AIV 0-7", "AIC 2, AIV 0-1, 5"; "nobody that exists" where there is none.
std::string core_names(std::vector<CoreId> cores);

/// "waits in SyncAll" of "wait in SyncAll".
std::string third_person(const std::string& what);

/// Cores that stand at the same place for the same reason.
struct WaitGroup {
  std::vector<CoreId> cores;    ///< Sorted.
  std::vector<CoreId> missing;  ///< Whom they wait for, sorted.
  StuckWait wait;               ///< One of them.
};

/// Of the first launch that has stuck cores, in the order of their first cores.
std::vector<WaitGroup> wait_groups(const std::vector<StuckWait>& waiting);

/// "wait for cross-core flag 3; AIC 0-1 never come", "wait in SyncAll for AIV 2-3".
std::string group_text(const WaitGroup& group);

/// The group that another one waits for first, and its place in `groups`; `groups.size()`: none.
std::size_t next_group(const std::vector<WaitGroup>& groups, const WaitGroup& from);

/// The longest way of waits to a root that is charged to the rule, from whom nobody waits for; a
/// ring of waits where nothing is a root. Places in `groups`; never empty unless these are.
std::vector<std::size_t> chain_to_root(const std::vector<WaitGroup>& groups, RuleId rule);

/// "AIV 4-7 wait at the boundary before k1 for AIV 0-3, which wait in SyncAll (k0 #4); root: AIV
/// 4-7 never come". `why`: what the root's program breaks, or empty.
std::string chain_sentence(const Mix& mix, const std::vector<StuckWait>& waiting, RuleId rule,
                           const std::string& why);

}  // namespace skcts::model
