// Operator defects: single edits of a legal mix, each breaking one restriction of the contract.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "spec/case.h"
#include "spec/profile.h"
#include "spec/rule.h"

namespace skcts::generators {

/// An edit that an operator's author could have made by mistake.
struct OperatorDefect {
  std::string_view name;  ///< "feed-missing"
  RuleId rule;            ///< The rule that it breaks, primary by the table of the contract.
  std::string_view text;  ///< One sentence.
};

/// All edits; at least one for each R rule.
std::span<const OperatorDefect> operator_defects();

/// The defect of a name; nullptr for a name that is none.
const OperatorDefect* find_operator_defect(std::string_view name);

/// The edit breaks its rule on this machine: there is a mix with a place for it.
bool exists_on(const OperatorDefect& defect, const Profile& profile);

/// A legal case and the same case with one edit. Neither says which edit it was.
struct DefectiveCase {
  Case healthy;
  Case broken;
};

/// Pair `index` for a defect: a function of its arguments alone. Nothing when the machine does not
/// have it (exists_on), has no room for it (a profile with too few cores), or the drawn mix has no
/// place for the edit; that happens for less than one index in a hundred.
std::optional<DefectiveCase> inject(std::uint64_t seed, std::uint64_t index,
                                    const OperatorDefect& defect, const Profile& profile);

}  // namespace skcts::generators
