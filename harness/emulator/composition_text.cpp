// Compositions in words: the recorded vocabulary, and one core's steps with their rules.
#include <fmt/format.h>

#include "harness/emulator/composition.h"

namespace skcts::emulator {

namespace {

std::string_view kind_name(const ComposedStep& step) {
  if (step.aic && step.aiv) return "both";
  return step.aic ? "AIC" : "AIV";
}

/// "all", "block_idx<4", "aiv_linear_idx>=6"
std::string guard_text(const Guard& guard) {
  if (guard.which == Guard::Which::all) return "all";
  return fmt::format("{}{}{}", guard.linear ? "aiv_linear_idx" : "block_idx",
                     guard.which == Guard::Which::below ? "<" : ">=", guard.bound);
}

/// "@all", "@AIC"; flags made by every core are not split by kind.
std::string at_text(const ComposedStep& step) {
  return step.aic && step.aiv ? "@all" : fmt::format("@{}", kind_name(step));
}

std::string sequence_line(const ComposedStep& step) {
  const std::string_view kind = kind_name(step);
  switch (step.kind) {
    case ComposedKind::feed_clear: return fmt::format("feed_ws_clear {}", kind);
    case ComposedKind::feed_switch: return step.on ? "feed on" : "feed off";
    case ComposedKind::feed_slot: return fmt::format("feed_slot {} base+{}", kind, step.id);
    case ComposedKind::run:
      return fmt::format("run op{} {} {}", step.op, kind, guard_text(step.guard));
    case ComposedKind::feed_end: return fmt::format("feed_end {} {}", kind, guard_text(step.guard));
    case ComposedKind::feed_complement: return fmt::format("feed_complement {} not-active", kind);
    case ComposedKind::refresh_all:
      if (step.aic && step.aiv) return "dcci_all @both";
      return fmt::format("dcci_all @{} {}", kind, guard_text(step.guard));
    case ComposedKind::pipe_all: return "pipe_all";
    case ComposedKind::early_set:
      return fmt::format("early_set {} {}", kind, guard_text(step.guard));
    case ComposedKind::early_config: return fmt::format("early_cfg {}", step.config);
    case ComposedKind::early_wait:
      return fmt::format("early_wait({}) {} {}", step.config, kind, guard_text(step.guard));
    case ComposedKind::flag_set:
      return fmt::format("flag_set {} mode{} pipe {} {}", step.id, step.mode, to_string(step.pipe),
                         at_text(step));
    case ComposedKind::flag_wait: return fmt::format("flag_wait {} {}", step.id, at_text(step));
    case ComposedKind::sync_all:
      return step.aiv_only ? "sync_all aiv_only @all" : "sync_all mix @all";
    case ComposedKind::watch: return fmt::format("wait_event {} idx0", kind);
    case ComposedKind::notify: return fmt::format("notify {} idx0", kind);
    case ComposedKind::hold: return "hold @all";
    case ComposedKind::pass_on: return fmt::format("edge {} pass_on {} idx0", step.id, kind);
    case ComposedKind::edge_set:
      return fmt::format("edge {} set {} {}", step.id, kind, guard_text(step.guard));
    case ComposedKind::edge_wait:
      return fmt::format("edge {} wait {} {}", step.id, kind, guard_text(step.guard));
    case ComposedKind::own_drain:
      return fmt::format("own_drain {} {}", kind, guard_text(step.guard));
    case ComposedKind::kernel_end: return {};
  }
  return {};
}

std::string set_text(int id, int mode, std::string_view pipe) {
  return fmt::format("set {} mode {} pipe {}", id, mode, pipe);
}

std::string early_text(const ComposedStep& step, CoreKind kind, DefectId defect) {
  std::string text;
  const EarlyActions actions = early_actions(step.config, kind, defect);
  for (int i = 0; i < actions.count; ++i) {
    const EarlyAction& action = actions.actions[i];
    if (!text.empty()) text += "; ";
    text += action.is_wait ? fmt::format("wait {}", action.id) : set_text(action.id, 2, "MTE3");
  }
  return text;
}

/// What one core does at a step; empty when the step is nothing for it.
std::string core_line(const Mix& mix, const ComposedStep& step, CoreId core, DefectId defect) {
  const bool cube = core.kind == CoreKind::aic;
  const auto name = [&] { return mix.sub_kernels[static_cast<std::size_t>(step.sub_kernel)].name; };
  switch (step.kind) {
    case ComposedKind::feed_clear: return "zero the feed records";
    case ComposedKind::feed_switch: return {};
    case ComposedKind::feed_slot: return fmt::format("feed record at base+{}", step.id);
    case ComposedKind::run: return fmt::format("run {}", name());
    case ComposedKind::feed_end:
      return core.index == 0 ? fmt::format("publish the end of {}", name()) : std::string{};
    case ComposedKind::feed_complement:
      return fmt::format("join the SyncAll calls of {} as an idle core", name());
    case ComposedKind::refresh_all: return "refresh the whole data cache";
    case ComposedKind::pipe_all: return "PipeBarrier ALL";
    case ComposedKind::early_set: return cube ? set_text(11, 0, "FIX") : set_text(14, 0, "MTE3");
    case ComposedKind::early_config: return {};
    case ComposedKind::early_wait: return early_text(step, core.kind, defect);
    case ComposedKind::flag_set: return set_text(step.id, step.mode, to_string(step.pipe));
    case ComposedKind::flag_wait: return fmt::format("wait {}", step.id);
    case ComposedKind::sync_all:
      if (step.aiv_only) return "PipeBarrier ALL; " + set_text(14, 0, "MTE3") + "; wait 14";
      return cube ? "PipeBarrier ALL; wait 12; set 11 mode 0 pipe FIX; wait 11; "
                    "set 13 mode 2 pipe MTE3"
                  : "PipeBarrier ALL; set 12 mode 2 pipe MTE3; wait 13";
    case ComposedKind::watch: return "wait for an event";
    case ComposedKind::notify: return "raise an event";
    case ComposedKind::hold: return "hold all cores behind the event";
    case ComposedKind::pass_on: return fmt::format("let the others of {} go on", name());
    case ComposedKind::edge_set: return fmt::format("tell that {} has ended here", name());
    case ComposedKind::edge_wait: return fmt::format("wait for what {} follows", name());
    case ComposedKind::own_drain: return cube ? "wait for FIX" : "wait for MTE3";
    case ComposedKind::kernel_end: return "end of the launch: write the data cache back";
  }
  return {};
}

std::string_view purpose_text(const ComposedStep& step) {
  const bool drains = step.kind == ComposedKind::pipe_all || step.kind == ComposedKind::refresh_all;
  switch (step.purpose) {
    case Purpose::none: return "";
    case Purpose::before: return "before the call";
    case Purpose::after: return "after the call";
    case Purpose::debug: return drains ? "debug-dcci-all" : "debug-sync-all";
    case Purpose::boundary: return "between sub kernels";
  }
  return "";
}

}  // namespace

std::vector<std::string> ComposedLaunch::sequence() const {
  std::vector<std::string> lines;
  for (const ComposedStep& step : steps) {
    std::string line = sequence_line(step);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> core_text(const Mix& mix, const ComposedLaunch& launch, CoreId core,
                                   DefectId defect) {
  std::vector<std::string> lines;
  for (const ComposedStep& step : launch.steps) {
    const bool makes = step.kind == ComposedKind::run
                           ? (core.kind == CoreKind::aic ? step.aic : step.aiv) &&
                                 runs_sub_kernel(mix, launch, step.op, core, defect)
                           : makes_step(launch, step, core);
    if (!makes) continue;
    std::string line = core_line(mix, step, core, defect);
    if (line.empty()) continue;
    const std::string_view purpose = purpose_text(step);
    if (!purpose.empty() || step.rule) {
      line += fmt::format("  [{}{}{}]", purpose, !purpose.empty() && step.rule ? ", " : "",
                          step.rule ? to_string(*step.rule) : std::string_view{});
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace skcts::emulator
