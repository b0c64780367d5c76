// From a plan to its launches: steps side by side, and lists that scope marks cut.
#include <algorithm>

#include "harness/emulator/composition.h"
#include "harness/emulator/launch.h"

namespace skcts::emulator {

namespace {

/// How many cores a sub kernel counts with where batch mode is looked at.
BatchNeed batch_need(const SubKernel& sub) {
  return {aic_cores(sub.counted_type(), sub.counted_blocks()),
          aiv_cores(sub.counted_type(), sub.counted_blocks()), in_batch_mode(sub)};
}

/// The mark None.
bool is_none(const std::string& mark) {
  return mark.empty();
}

/// The scopes that a sub kernel lies in, as the composer of a path sees them; none: launched alone.
std::vector<std::string> scopes_of(const SubKernel& sub, const std::string& path, DefectId defect) {
  std::vector<std::string> marks = sub.scope;
  const bool blind =
      defect == (path == "ge" ? DefectId::scope_none_ignored : DefectId::captured_none_ignored);
  if (blind) std::erase_if(marks, is_none);
  if (marks.empty()) return {};
  if (path == "ge") {  // an inner mark overwrites the outer ones
    return is_none(marks.back()) ? std::vector<std::string>{}
                                 : std::vector<std::string>{marks.back()};
  }
  if (std::any_of(marks.begin(), marks.end(), is_none)) return {};
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  return marks;
}

class LaunchList {
 public:
  LaunchList(const Case& test_case, DefectId defect)
      : test_case_(test_case), defect_(defect), aclgraph_(test_case.path == "aclgraph") {
    if (aclgraph_) each_by_itself_ = options_of(test_case).options->per_op_max_core_num;
  }

  void add(const PlanStep& step, std::int32_t place, std::int32_t stream) {
    switch (step.kind) {
      case StepKind::host_write:
        launches_.push_back({step.kind, step.sub_kernels, place, stream});
        break;
      case StepKind::fused: add_fused(step.sub_kernels, place, stream); break;
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
  /// A SuperKernel, or those that the composer of captured graphs makes of it.
  void add_fused(const std::vector<std::int32_t>& list, std::int32_t place, std::int32_t stream) {
    if (!aclgraph_) {
      launches_.push_back({StepKind::fused, list, place, stream});
      return;
    }
    std::vector<BatchNeed> needs;
    for (const std::int32_t sub : list) {
      needs.push_back(batch_need(kernel(sub)));
      if (defect_ == DefectId::captured_batch_bit_ignored) {
        needs.back().batch = kernel(sub).batch_mode;
      }
    }
    std::vector<std::size_t> cuts;
    if (defect_ != DefectId::batch_cut_missing) cuts = batch_cuts(needs);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool begins =
          i == 0 || each_by_itself_ || std::find(cuts.begin(), cuts.end(), i) != cuts.end();
      if (begins) launches_.push_back({StepKind::fused, {}, place, stream});
      launches_.back().sub_kernels.push_back(list[i]);
    }
  }

  void add_marked(const PlanStep& step, std::int32_t place, std::int32_t stream) {
    if (defect_ == DefectId::scope_cut_ignored) return add_fused(step.sub_kernels, place, stream);
    // On the path aclgraph a list without any name is one scope.
    const bool nameless =
        aclgraph_ &&
        std::all_of(step.sub_kernels.begin(), step.sub_kernels.end(), [&](std::int32_t sub) {
          const auto& marks = kernel(sub).scope;
          return std::all_of(marks.begin(), marks.end(), is_none);
        });
    const bool by_innermost = defect_ == DefectId::scope_by_innermost;
    std::vector<std::string> open;       // the scopes of the launch that may still grow
    std::vector<std::int32_t> together;  // its sub kernels
    const auto close = [&] {
      if (!together.empty()) add_fused(together, place, stream);
      together.clear();
    };
    for (const std::int32_t sub : step.sub_kernels) {
      std::vector<std::string> own =
          scopes_of(kernel(sub), by_innermost ? "ge" : test_case_.path, defect_);
      if (nameless && kernel(sub).scope.empty()) own = {"all"};
      const bool joins = defect_ == DefectId::unmarked_joins && kernel(sub).scope.empty();
      if (joins && !together.empty()) own = open;
      if (own.empty() || own != open) close();
      if (own.empty()) {
        launches_.push_back({StepKind::alone, {sub}, place, stream});
      } else {
        together.push_back(sub);
      }
      open = std::move(own);
    }
    close();
  }

  const SubKernel& kernel(std::int32_t sub) const {
    return test_case_.mix.sub_kernels[static_cast<std::size_t>(sub)];
  }

  const Case& test_case_;
  DefectId defect_;
  bool aclgraph_;
  bool each_by_itself_ = false;  ///< ACL-9
  std::vector<LaunchPlan> launches_;
};

}  // namespace

std::vector<std::size_t> batch_cuts(const std::vector<BatchNeed>& list) {
  std::vector<std::size_t> cuts;
  BatchNeed merged;  // the largest counts, and whether one was in batch mode
  for (std::size_t i = 0; i < list.size(); ++i) {
    BatchNeed own = list[i];
    if (own.batch && own.aiv == 0) own.aiv = 2 * own.aic;
    if (own.batch && own.aic == 0) own.aic = (own.aiv + 1) / 2;
    const bool drops = own.batch && (own.aic < merged.aic || own.aiv < merged.aiv);
    const bool rises = merged.batch && (own.aic > merged.aic || own.aiv > merged.aiv);
    if (i > 0 && (drops || rises)) {
      cuts.push_back(i);
      merged = {};
    }
    merged = {std::max(merged.aic, own.aic), std::max(merged.aiv, own.aiv),
              merged.batch || own.batch};
  }
  return cuts;
}

std::vector<LaunchPlan> launches_of(const Case& test_case, DefectId defect) {
  const Mix& mix = test_case.mix;
  const bool marked = std::any_of(mix.sub_kernels.begin(), mix.sub_kernels.end(),
                                  [](const SubKernel& sub) { return !sub.scope.empty(); });
  if (test_case.plan.steps.empty() && !marked &&
      test_case.path == "ge") {  // what effective_plan says, without its copies
    std::vector<LaunchPlan> launches(1);
    for (std::size_t s = 0; s < mix.sub_kernels.size(); ++s) {
      launches[0].sub_kernels.push_back(static_cast<std::int32_t>(s));
    }
    return launches;
  }
  LaunchList list(test_case, defect);
  const Plan plan = effective_plan(mix, test_case.plan);
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    list.add(plan.steps[s], static_cast<std::int32_t>(s), -1);
  }
  return list.take();
}

}  // namespace skcts::emulator
