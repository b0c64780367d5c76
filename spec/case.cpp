#include "spec/case.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "spec/aclgraph_options.h"

namespace skcts {
namespace {

constexpr std::array<std::string_view, 7> behaviour_names = {
    "refused", "error", "stalls", "may-stall", "nondeterministic-data", "wrong-data", "completes"};

}  // namespace

std::string_view to_string(Behaviour behaviour) {
  return behaviour_names[static_cast<std::size_t>(behaviour)];
}

std::optional<Behaviour> find_behaviour(std::string_view name) {
  for (std::size_t i = 0; i < behaviour_names.size(); ++i) {
    if (behaviour_names[i] == name) return static_cast<Behaviour>(i);
  }
  return std::nullopt;
}

std::string_view to_string(StepKind kind) {
  constexpr std::array<std::string_view, 5> names = {"fused", "alone", "host_write", "marked",
                                                     "beside"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(CoreSharing sharing) {
  return sharing == CoreSharing::batch ? "batch" : "normal";
}

Plan effective_plan(const Mix& mix, const Plan& plan) {
  if (!plan.steps.empty()) return plan;
  PlanStep all;
  all.sub_kernels.resize(mix.sub_kernels.size());
  std::iota(all.sub_kernels.begin(), all.sub_kernels.end(), 0);
  const bool marked = std::any_of(mix.sub_kernels.begin(), mix.sub_kernels.end(),
                                  [](const SubKernel& sub) { return !sub.scope.empty(); });
  if (marked) all.kind = StepKind::marked;
  Plan written;
  written.steps.push_back(std::move(all));
  return written;
}

OptionParse options_of(const Case& value) {
  return parse_options_on(value.path, value.mix.options);
}

std::vector<LatitudePin> pins_of(const Case& value) {
  std::vector<LatitudePin> pins;
  for (const std::string& text : value.latitudes) {
    if (const Result<LatitudePin> pin = parse_latitude_pin(text)) pins.push_back(*pin);
  }
  return pins;
}

}  // namespace skcts
