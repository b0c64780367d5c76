// A plan as a list of launches, and what of a case the explorer does not step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/case.h"
#include "spec/profile.h"

namespace skcts::explorer {

/// One launch of a plan, or words written by the host.
struct Part {
  const PlanStep* host = nullptr;
  bool fused = true;
  std::vector<std::int32_t> sub_kernels;
  bool pause = false;  ///< No launch: only outside actors go on.
};

/// The parts of a plan, in order; a list with scope marks is cut into its launches (FUSE-2). With
/// outside actors there is a pause before each write of the host, and one at the end.
/// Steps side by side have no order: unsupported_in() says so before anybody asks for parts.
std::vector<Part> parts_of(const Mix& mix, const Plan& plan);

/// The names of all events of a case, sorted.
std::vector<std::string> events_of(const Mix& mix);

/// What a valid case uses that the explorer does not step, in a few words; empty: it steps all.
std::string unsupported_in(const Case& value, const Profile& profile);

/// The sub kernels of a launch were issued on more than one stream.
bool several_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels);

}  // namespace skcts::explorer
