// From a plan to its launches: steps side by side, and lists that scope marks cut.
#include <algorithm>

#include "harness/emulator/composition.h"

namespace skcts::emulator {

namespace {

/// The mark None.
bool is_none(const std::string& mark) {
  return mark.empty();
}

/// The scopes that a sub kernel lies in, as the composer of a path sees them; none: launched alone.
std::vector<std::string> scopes_of(const SubKernel& sub, const std::string& path) {
  if (sub.scope.empty()) return {};
  if (path == "ge") {  // an inner mark overwrites the outer ones
    return is_none(sub.scope.back()) ? std::vector<std::string>{}
                                     : std::vector<std::string>{sub.scope.back()};
  }
  if (std::any_of(sub.scope.begin(), sub.scope.end(), is_none)) return {};
  std::vector<std::string> set = sub.scope;
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

class LaunchList {
 public:
  LaunchList(const Case& test_case, bool scopes_cut)
      : test_case_(test_case), scopes_cut_(scopes_cut) {}

  void add(const PlanStep& step, std::int32_t place, std::int32_t stream) {
    switch (step.kind) {
      case StepKind::host_write:
      case StepKind::fused:
        launches_.push_back({step.kind, step.sub_kernels, place, stream});
        break;
      case StepKind::alone:
        for (const std::int32_t sub : step.sub_kernels) {
          launches_.push_back({StepKind::alone, {sub}, place, stream});
        }
        break;
      case StepKind::marked: add_marked(step, place, stream); break;
      case StepKind::beside:
        for (std::size_t s = 0; s < step.beside.size(); ++s) {
          add(step.beside[s], place, static_cast<std::int32_t>(s));
        }
        break;
    }
  }
  std::vector<LaunchPlan> take() { return std::move(launches_); }

 private:
  void add_marked(const PlanStep& step, std::int32_t place, std::int32_t stream) {
    if (!scopes_cut_) {
      launches_.push_back({StepKind::fused, step.sub_kernels, place, stream});
      return;
    }
    std::vector<std::string> open;  // the scopes of the launch that may still grow
    for (const std::int32_t sub : step.sub_kernels) {
      std::vector<std::string> own =
          scopes_of(test_case_.mix.sub_kernels[static_cast<std::size_t>(sub)], test_case_.path);
      if (own.empty()) {
        launches_.push_back({StepKind::alone, {sub}, place, stream});
      } else if (own == open) {
        launches_.back().sub_kernels.push_back(sub);
      } else {
        launches_.push_back({StepKind::fused, {sub}, place, stream});
      }
      open = std::move(own);
    }
  }

  const Case& test_case_;
  bool scopes_cut_;
  std::vector<LaunchPlan> launches_;
};

}  // namespace

std::vector<LaunchPlan> launches_of(const Case& test_case, bool scopes_cut) {
  const Mix& mix = test_case.mix;
  const bool marked = std::any_of(mix.sub_kernels.begin(), mix.sub_kernels.end(),
                                  [](const SubKernel& sub) { return !sub.scope.empty(); });
  if (test_case.plan.steps.empty() && !marked) {  // what effective_plan says, without its copies
    std::vector<LaunchPlan> launches(1);
    for (std::size_t s = 0; s < mix.sub_kernels.size(); ++s) {
      launches[0].sub_kernels.push_back(static_cast<std::int32_t>(s));
    }
    return launches;
  }
  LaunchList list(test_case, scopes_cut);
  const Plan plan = effective_plan(mix, test_case.plan);
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    list.add(plan.steps[s], static_cast<std::int32_t>(s), -1);
  }
  return list.take();
}

}  // namespace skcts::emulator
