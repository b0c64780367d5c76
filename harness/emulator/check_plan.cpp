// Checks of the plan and of the outside actors.
#include <fmt/format.h>

#include "harness/emulator/check_case.h"

namespace skcts::emulator {

namespace {

/// What is wrong with a stretch of GM words, or empty.
std::string check_words(const Mix& mix, std::int16_t region, std::int32_t at, std::size_t count) {
  if (region < 0 || static_cast<std::size_t>(region) >= mix.regions.size()) return "to no region";
  const std::int64_t words = mix.regions[static_cast<std::size_t>(region)].words;
  if (at < 0 || at + static_cast<std::int64_t>(count) > words) return "outside its region";
  return {};
}

std::optional<Refusal> check_step(const Mix& mix, const PlanStep& step, bool inner) {
  for (const std::int32_t sub : step.sub_kernels) {
    if (sub < 0 || static_cast<std::size_t>(sub) >= mix.sub_kernels.size()) {
      return Refusal{fmt::format("the plan names sub kernel {} of {}", sub, mix.sub_kernels.size()),
                     {}};
    }
  }
  if (inner && (step.kind == StepKind::host_write || step.kind == StepKind::beside)) {
    return Refusal{"only launches stand beside each other", {}};
  }
  if (step.kind == StepKind::host_write) {
    const std::string wrong = check_words(mix, step.region, step.at, step.values.size());
    if (!wrong.empty()) return Refusal{"the host writes " + wrong, {}};
  } else if (step.kind == StepKind::beside) {
    if (step.beside.empty()) return Refusal{"nothing stands beside each other", {}};
    for (const PlanStep& each : step.beside) {
      if (auto refusal = check_step(mix, each, true)) return refusal;
    }
  } else if (step.sub_kernels.empty()) {
    return Refusal{"a launch of no sub kernel", {}};
  }
  return std::nullopt;
}

std::optional<Refusal> check_outside(const Mix& mix) {
  for (const OutsideActor& actor : mix.outside) {
    for (const OutsideStep& step : actor.steps) {
      if (step.kind == OutsideKind::wait || step.kind == OutsideKind::raise) {
        if (step.event.empty()) return Refusal{actor.name + ": an event without a name", {}};
        continue;
      }
      if (step.count < 0) return Refusal{actor.name + " copies a negative number of words", {}};
      const bool copies = step.kind == OutsideKind::copy;
      const std::size_t count = copies ? static_cast<std::size_t>(step.count) : step.values.size();
      std::string wrong = check_words(mix, step.region, step.at, count);
      if (copies && wrong.empty()) wrong = check_words(mix, step.to, step.to_at, count);
      if (!wrong.empty()) return Refusal{fmt::format("{} goes {}", actor.name, wrong), {}};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_plan(const Case& test_case) {
  if (test_case.mix.sub_kernels.empty()) return Refusal{"the mix has no sub kernel", {}};
  for (const PlanStep& step : test_case.plan.steps) {
    if (auto refusal = check_step(test_case.mix, step, false)) return refusal;
  }
  return check_outside(test_case.mix);
}

}  // namespace skcts::emulator
