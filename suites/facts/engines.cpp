// Both engines behind one view. The model is asked for its contract, the emulator for what its
// prologue emits; neither answer is made from the other.
#include "suites/facts/engines.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "harness/emulator/composition.h"
#include "reference_model/contract.h"
#include "reference_model/model.h"

namespace skcts::facts {
namespace {

std::vector<CoreId> cores_of(int aic_count, int aiv_count) {
  std::vector<CoreId> cores;
  for (int index = 0; index < aic_count; ++index) cores.push_back({CoreKind::aic, index});
  for (int index = 0; index < aiv_count; ++index) cores.push_back({CoreKind::aiv, index});
  return cores;
}

bool pinned(const Case& test_case, std::string_view pin) {
  return std::find(test_case.latitudes.begin(), test_case.latitudes.end(), pin) !=
         test_case.latitudes.end();
}

LaunchView refused(std::optional<RuleId> rule, std::string reason) {
  LaunchView view;
  view.rule = rule;
  view.reason = reason.empty() ? "refused without a reason" : std::move(reason);
  return view;
}

LaunchView model_launch(const Case& test_case) {
  const OptionParse parsed = parse_options(test_case.mix.options);
  if (!parsed.options) {
    const model::Analysis analysis = model::analyse(test_case);
    if (analysis.behaviour != Behaviour::refused) return {};
    return refused(analysis.rule, analysis.sentence);
  }
  const Options& options = *parsed.options;
  const std::vector<SubKernel>& subs = test_case.mix.sub_kernels;
  std::vector<std::int32_t> all;
  for (std::size_t i = 0; i < subs.size(); ++i) all.push_back(static_cast<std::int32_t>(i));
  const model::ShapeOrRefusal made =
      model::fused_shape(test_case.mix, all, options, *find_profile(test_case.profile));
  if (made.refusal) return refused(made.refusal->rule, made.refusal->text);
  const model::LaunchShape& shape = made.shape;

  LaunchView view;
  view.type = shape.type;
  view.blocks = shape.blocks;
  const bool lists_win = !pinned(test_case, "L-39=disable-wins");
  for (std::size_t i = 0; i < subs.size(); ++i) {
    SubKernelView sub;
    for (const CoreId core : cores_of(shape.aic_count, shape.aiv_count)) {
      if (model::runs(subs[i], shape, core)) sub.cores.push_back(core);
    }
    if (i + 1 < subs.size()) {
      sub.own_set = model::boundary_relation(subs[i], subs[i + 1], shape, options).own_signal;
    }
    if (i > 0) {
      sub.own_wait = model::boundary_relation(subs[i - 1], subs[i], shape, options).own_wait;
    }
    if (!sub.cores.empty()) {
      sub.block_num = static_cast<int>(
          model::query_value(subs[i], shape, sub.cores.front(), Op::get_block_num));
    }
    sub.fed = model::is_fed(subs[i], shape, options);
    const auto placement = model::refresh_placement(subs[i], options, lists_win);
    sub.refreshes = {placement.per_access, placement.before, placement.after};
    view.sub_kernels.push_back(std::move(sub));
  }
  return view;
}

/// True when the composed launch has a whole-cache refresh of that purpose around an op.
bool refreshes(const emulator::ComposedLaunch& launch, int op, emulator::Purpose purpose) {
  return std::ranges::any_of(launch.steps, [&](const emulator::ComposedStep& step) {
    return step.kind == emulator::ComposedKind::refresh_all && step.op == op &&
           step.purpose == purpose;
  });
}

LaunchView emulator_launch(const Case& test_case) {
  const emulator::ComposeResult result = emulator::compose(test_case, 0, {});
  if (!result.launch) return refused(result.refusal.rule, result.refusal.reason);
  const emulator::ComposedLaunch& launch = *result.launch;

  LaunchView view;
  view.type = launch.shape.type;
  view.blocks = launch.shape.blocks;
  for (std::size_t i = 0; i < launch.uses.size(); ++i) {
    const emulator::SubKernelUse& use = launch.uses[i];
    const int op = static_cast<int>(i);
    SubKernelView sub;
    for (const CoreId core : cores_of(launch.shape.aic_count(), launch.shape.aiv_count())) {
      if (emulator::runs_sub_kernel(test_case.mix, launch, op, core, emulator::DefectId::none)) {
        sub.cores.push_back(core);
      }
    }
    sub.own_set = use.own_set;
    sub.own_wait = use.own_wait;
    sub.fed = use.fed;
    sub.refreshes = {use.refreshes_accesses, refreshes(launch, op, emulator::Purpose::before),
                     refreshes(launch, op, emulator::Purpose::after)};
    view.sub_kernels.push_back(std::move(sub));
  }
  return view;
}

}  // namespace

void PrintTo(const Engine& engine, std::ostream* out) {
  *out << engine.name;
}

const std::vector<Engine>& engines() {
  static const std::vector<Engine> both{{"ReferenceModel", model_launch},
                                        {"Emulator", emulator_launch}};
  return both;
}

}  // namespace skcts::facts
