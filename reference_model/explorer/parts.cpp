// Launches of a plan, scope marks cut by the innermost name.
#include "reference_model/explorer/parts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "spec/options.h"

namespace skcts::explorer {

namespace {

const SubKernel& kernel_at(const Mix& mix, std::int32_t place) {
  return mix.sub_kernels[static_cast<std::size_t>(place)];
}

/// The name in force around a sub kernel: the innermost mark alone counts, None is no name.
std::string name_in_force(const SubKernel& kernel) {
  return kernel.scope.empty() ? std::string() : kernel.scope.back();
}

void cut_by_marks(const Mix& mix, const PlanStep& step, std::vector<Part>& parts) {
  std::string open;  // Name of the SuperKernel that the next sub kernel may join.
  for (const std::int32_t k : step.sub_kernels) {
    const std::string name = name_in_force(kernel_at(mix, k));
    if (!name.empty() && name == open) {
      parts.back().sub_kernels.push_back(k);
    } else {
      parts.push_back({nullptr, !name.empty(), {k}});
    }
    open = name;
  }
}

}  // namespace

std::vector<Part> parts_of(const Mix& mix, const Plan& plan) {
  const bool actors = !mix.outside.empty();
  std::vector<Part> parts;
  for (const PlanStep& step : plan.steps) {
    switch (step.kind) {
      case StepKind::host_write:
        if (actors) parts.push_back({.fused = false, .pause = true});
        parts.push_back({&step, false, {}});
        break;
      case StepKind::fused:
        if (!step.sub_kernels.empty()) parts.push_back({nullptr, true, step.sub_kernels});
        break;
      case StepKind::alone:
        for (const std::int32_t k : step.sub_kernels) parts.push_back({nullptr, false, {k}});
        break;
      case StepKind::marked: cut_by_marks(mix, step, parts); break;
      case StepKind::beside: break;
    }
  }
  if (actors) parts.push_back({.fused = false, .pause = true});
  return parts;
}

std::vector<std::string> events_of(const Mix& mix) {
  std::set<std::string> names;
  for (const SubKernel& kernel : mix.sub_kernels) {
    names.insert(kernel.recv.begin(), kernel.recv.end());
    names.insert(kernel.send.begin(), kernel.send.end());
  }
  for (const OutsideActor& actor : mix.outside) {
    for (const OutsideStep& step : actor.steps) {
      const bool event = step.kind == OutsideKind::wait || step.kind == OutsideKind::raise;
      if (event) names.insert(step.event);
    }
  }
  return {names.begin(), names.end()};
}

bool several_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels) {
  return std::ranges::any_of(sub_kernels, [&](std::int32_t k) {
    return kernel_at(mix, k).stream != kernel_at(mix, sub_kernels.front()).stream;
  });
}

std::string unsupported_in(const Case& value, const Profile& profile) {
  if (value.path != "ge") return fmt::format("not supported: the path {}", value.path);
  if (profile.is_3510()) return "not supported: the 950";
  const Plan plan = effective_plan(value.mix, value.plan);
  const bool beside = std::ranges::any_of(
      plan.steps, [](const PlanStep& step) { return step.kind == StepKind::beside; });
  if (beside) return "not supported: launches side by side";
  const OptionParse parse = parse_options(value.mix.options);
  if (!parse.options || !parse.options->stream_fusion) return {};
  for (const Part& part : parts_of(value.mix, plan)) {
    if (part.fused && several_streams(value.mix, part.sub_kernels)) {
      return "not supported: several streams in one launch";
    }
  }
  return {};
}

}  // namespace skcts::explorer
