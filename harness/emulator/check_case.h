// Whether a case can be launched at all: what is wrong with it comes back as a refusal, so that
// the interpreter and the machine meet only programs that they can carry out.
#pragma once

#include <optional>
#include <vector>

#include "harness/emulator/composition.h"

namespace skcts::emulator {

/// Places that the plan and the outside actors name.
std::optional<Refusal> check_plan(const Case& test_case);

/// Names, places, counts, memories and pipes of everything that the plan launches, and all GM
/// addresses where their bounds show without walking the program.
/// `layout` is set when nothing is wrong with the regions. `exact` is set when some address has to
/// be looked at core by core (check_addresses). The plan has passed check_plan.
std::optional<Refusal> check_case(const Case& test_case, const Settings& settings,
                                  const std::vector<LaunchPlan>& launches,
                                  std::optional<GmLayout>& layout, bool& exact);

/// Every GM and local address of a launch, core by core.
std::optional<Refusal> check_addresses(const Mix& mix, const GmLayout& layout,
                                       const Profile& profile, const ComposedLaunch& launch);

}  // namespace skcts::emulator
