#include "reference_model/outside.h"

#include <algorithm>

namespace skcts::model {

bool has_events(const Mix& mix) {
  return std::ranges::any_of(
      mix.sub_kernels, [](const SubKernel& sub) { return !sub.recv.empty() || !sub.send.empty(); });
}

std::string undecided(const Case& test_case, const Plan& plan, const Profile& profile) {
  const bool beside = std::ranges::any_of(
      plan.steps, [](const PlanStep& step) { return step.kind == skcts::StepKind::beside; });
  if (beside) return "launches side by side are not decided";
  if (!test_case.mix.outside.empty()) return "outside actors are not decided";
  if (has_events(test_case.mix)) return "events are not decided";
  const auto streams = [&](const PlanStep& step) {
    return std::ranges::any_of(step.sub_kernels, [&](std::int32_t place) {
      const std::vector<SubKernel>& all = test_case.mix.sub_kernels;
      return all[static_cast<std::size_t>(place)].stream !=
             all[static_cast<std::size_t>(step.sub_kernels.front())].stream;
    });
  };
  if (std::ranges::any_of(plan.steps, streams)) return "several streams are not decided";
  if (profile.is_3510()) return "the 950 is not decided";
  return {};
}

}  // namespace skcts::model
