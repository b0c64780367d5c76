// skcts compose: what the SuperKernel prologue makes of a case's launches.
#include <algorithm>

#include <fmt/format.h>

#include "harness/emulator/composition.h"
#include "harness/skcts/commands.h"
#include "harness/skcts/inputs.h"
#include "harness/skcts/terminal.h"

namespace skcts::program {
namespace {

void print_core(const Mix& mix, const emulator::ComposedLaunch& launch, CoreId core) {
  fmt::print("{}\n", to_string(core));
  for (const std::string& line : emulator::core_text(mix, launch, core)) {
    fmt::print("  {}\n", printable(line));
  }
}

bool has_core(const emulator::ComposedLaunch& launch, CoreId core) {
  const int count =
      core.kind == CoreKind::aic ? launch.shape.aic_count() : launch.shape.aiv_count();
  return core.index >= 0 && core.index < count;
}

/// Prints a launch; true when the wanted core, if any, is one of it.
bool print_launch(const Mix& mix, const emulator::ComposedLaunch& launch, int number,
                  const ComposeArguments& arguments, std::optional<CoreId> core) {
  fmt::print("launch {}: {}, {} x {}\n", number, launch.fused ? "fused" : "alone",
             to_string(launch.shape.type), launch.shape.blocks);
  if (arguments.sequence) {
    for (const std::string& line : launch.sequence()) fmt::print("  {}\n", printable(line));
    return true;
  }
  if (core) {
    if (has_core(launch, *core)) print_core(mix, launch, *core);
    return has_core(launch, *core);
  }
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    for (CoreId each{kind, 0}; has_core(launch, each); ++each.index) {
      print_core(mix, launch, each);
    }
  }
  return true;
}

}  // namespace

ExitCode compose_case(const ComposeArguments& arguments) {
  std::optional<CoreId> core;
  if (!arguments.core.empty()) {
    core = parse_core(arguments.core);
    if (!core) {
      complain(fmt::format("--core: '{}' is no core; write aic:3 or aiv:0", arguments.core));
      return ExitCode::usage;
    }
  }
  const std::optional<Case> test_case = load_case(arguments.file);
  if (!test_case) return ExitCode::usage;
  const auto launches = emulator::launches_of(*test_case);
  const auto count = std::ranges::count_if(launches, [](const emulator::LaunchPlan& launch) {
    return launch.kind != StepKind::host_write;
  });
  bool seen = false;
  for (int i = 0; i < count; ++i) {
    const emulator::ComposeResult result = emulator::compose(*test_case, i, {});
    if (!result.launch) {
      fmt::print("launch {}: refused{}{}{}: {}\n", i, result.refusal.rule ? " [" : "",
                 result.refusal.rule ? to_string(*result.refusal.rule) : "",
                 result.refusal.rule ? "]" : "", printable(result.refusal.reason));
      return ExitCode::pass;  // that is the composition; what is inserted is not known
    }
    seen = print_launch(test_case->mix, *result.launch, i, arguments, core) || seen;
  }
  if (count == 0) {
    complain(fmt::format("{}: the plan of this case has no launch", arguments.file));
    return ExitCode::usage;
  }
  if (!seen) {
    complain(fmt::format("--core: no launch of this case has core {}", arguments.core));
    return ExitCode::usage;
  }
  return ExitCode::pass;
}

}  // namespace skcts::program
