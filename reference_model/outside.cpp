#include "reference_model/outside.h"

#include <algorithm>
#include <optional>

#include "reference_model/contract.h"
#include "spec/options.h"

namespace skcts::model {

namespace {

/// What the 950 has and this model has not.
std::string undecided_on_3510(const std::vector<Instruction>& program) {
  for (const Instruction& in : program) {
    std::string inside = undecided_on_3510(in.body);
    if (!inside.empty()) return inside;
    switch (in.op) {
      case Op::cross_core_wait_flag:
        if (in.pipe != Pipe::s) return "a wait that holds one pipe only is not decided";
        if ((in.id & 31) > 15) return "flag ids above 15 are not decided";
        break;
      case Op::cross_core_set_flag:
        if (in.mode == 4) return "flags of mode 4 are not decided";
        if ((in.id & 31) > 15) return "flag ids above 15 are not decided";
        break;
      case Op::soft_sync_all: return "soft SyncAll of the 950 is not decided";
      default: break;
    }
  }
  return {};
}

std::string undecided_on_3510(const Mix& mix) {
  for (const SubKernel& sub : mix.sub_kernels) {
    for (const std::vector<Instruction>* program : {&sub.aic, &sub.aiv}) {
      std::string found = undecided_on_3510(*program);
      if (!found.empty()) return found;
    }
  }
  return {};
}

}  // namespace

std::string undecided(const Case& test_case, const Plan& plan, const Profile& profile) {
  const auto streams = [&](const PlanStep& step) {
    return step.kind == skcts::StepKind::fused && has_two_streams(test_case.mix, step.sub_kernels);
  };
  if (std::ranges::any_of(plan.steps, streams)) {
    const std::optional<Options> options = parse_options(test_case.mix.options).options;
    if (options && options->stream_fusion && options->feed_sync_all) {
      return "idle cores that take part in SyncAll in a launch of several streams are not decided";
    }
  }
  if (profile.is_3510()) return undecided_on_3510(test_case.mix);
  return {};
}

}  // namespace skcts::model
