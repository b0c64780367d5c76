// Launch shape, refusals, and which open points a composition asks about.
#include "reference_model/explorer/compose_parts.h"

#include <map>

#include "reference_model/explorer/compose.h"
#include "spec/program.h"

namespace skcts::explorer {

bool contains_op(const std::vector<Instruction>& program, Op op) {
  return std::ranges::any_of(
      program, [op](const Instruction& in) { return in.op == op || contains_op(in.body, op); });
}

bool contains_op(const SubKernel& kernel, Op op) {
  return contains_op(kernel.aic, op) || contains_op(kernel.aiv, op);
}

bool uses_full_core(const SubKernel& kernel) {
  bool found = false;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    any_instruction(kernel.program(kind), [&](const Instruction& in) {
      const bool flag = in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
      const int id = in.id & 15;
      found = found || in.op == Op::sync_all || in.op == Op::set_next_task_start ||
              in.op == Op::wait_pre_task_end || (flag && id >= 11 && id <= 14);
    });
  }
  return found;
}

bool listed(const std::vector<std::string>& list, const SubKernel& kernel) {
  return std::ranges::find(list, kernel.matched_op_type()) != list.end();
}

std::vector<LaunchCore> cores_of(KernelType type, int blocks, int ratio) {
  std::vector<LaunchCore> cores;
  if (!is_aiv_kind(type)) {
    for (int b = 0; b < blocks; ++b) cores.push_back({{CoreKind::aic, b}, b, 0});
  }
  if (!is_aic_kind(type)) {
    for (int c = 0; c < blocks * ratio; ++c) {
      cores.push_back({{CoreKind::aiv, c}, c / ratio, c % ratio});
    }
  }
  return cores;
}

int ratio_of(KernelType type) {
  if (is_aic_kind(type)) return 0;
  return type == KernelType::mix_aic_1_2 ? 2 : 1;
}

void refuse(LaunchProgram& launch, std::optional<RuleId> rule, std::string reason) {
  launch.refused = true;
  launch.refused_rule = rule;
  launch.reason = std::move(reason);
}

/// An operator is refused when it is compiled: before anything runs.
void refuse_calls(LaunchProgram& launch, const Settings& settings, const SubKernel& kernel) {
  if (launch.refused) return;
  const auto holds = [&](LatitudePin pin) { return settings.at.holds(pin); };
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(kernel.type, kind)) continue;
    any_instruction(kernel.program(kind), [&](const Instruction& in) {
      if (launch.refused) return;
      const bool event = in.op == Op::set_flag || in.op == Op::wait_flag;
      const bool flag = in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
      if (event && (in.id & 7) >= 6 && holds(latitude_pin(3, "refused"))) {
        refuse(launch, std::nullopt, "event ids 6 and 7 are refused (L-3)");
      } else if (event && kind == CoreKind::aic && holds(latitude_pin(6, "refused")) &&
                 (in.event.source == Pipe::s || in.event.destination == Pipe::s)) {
        refuse(launch, std::nullopt, "events of the scalar unit of a cube core are refused (L-6)");
      } else if (flag && (in.id & 15) > 10 && holds(latitude_pin(11, "up-to-10"))) {
        refuse(launch, RuleId::sync_7, "flag ids above 10 are refused (L-11)");
      } else if (in.op == Op::sync_all && kernel.type == KernelType::aiv_only &&
                 holds(latitude_pin(13, "refused"))) {
        refuse(launch, RuleId::sync_13, "SyncAll in AIV_ONLY is refused (L-13)");
      }
    });
  }
  launch.refused_first = launch.refused;
}

void refuse_streams(LaunchProgram& launch, const Settings& settings, const skcts::Options& options,
                    std::span<const std::int32_t> sub_kernels) {
  if (launch.refused || options.stream_fusion) return;
  for (std::size_t m = 1; m < sub_kernels.size(); ++m) {
    const auto at = [&](std::size_t n) -> const SubKernel& {
      return settings.mix->sub_kernels[static_cast<std::size_t>(sub_kernels[n])];
    };
    const SubKernel &before = at(m - 1), &after = at(m);
    const bool joined = std::ranges::find_first_of(before.send, after.recv) != before.send.end();
    if (before.stream == after.stream || joined) continue;
    return refuse(launch, RuleId::fuse_3, "several streams without stream-fusion");
  }
}

void shape(LaunchProgram& launch, const Settings& settings, const skcts::Options& options,
           std::span<const std::int32_t> sub_kernels) {
  int aic = 0, aiv = 0;
  bool any_aic = false, any_aiv = false, two = false;
  for (const std::int32_t k : sub_kernels) {
    const SubKernel& kernel = settings.mix->sub_kernels[static_cast<std::size_t>(k)];
    // Of tiling offload the composer knows only what it counts with.
    const KernelType type = kernel.counted_type();
    aic = std::max(aic, aic_cores(type, kernel.counted_blocks()));
    aiv = std::max(aiv, aiv_cores(type, kernel.counted_blocks()));
    any_aic = any_aic || !is_aiv_kind(type);
    any_aiv = any_aiv || !is_aic_kind(type);
    two = two || type == KernelType::mix_aic_1_2;
  }
  if (!any_aic) {
    launch.type = KernelType::mix_aiv_1_0;
    launch.blocks = aiv;
  } else if (!any_aiv) {
    launch.type = KernelType::mix_aic_1_0;
    launch.blocks = aic;
  } else if (two || aiv > aic) {
    launch.type = KernelType::mix_aic_1_2;
    launch.blocks = std::max(aic, (aiv + 1) / 2);
  } else {
    launch.type = KernelType::mix_aic_1_1;
    launch.blocks = aic;
  }
  const Profile& profile = *settings.profile;
  const int need_aic = aic_cores(launch.type, launch.blocks);
  const int need_aiv = aiv_cores(launch.type, launch.blocks);
  if (need_aic > profile.aic_count || need_aiv > profile.aiv_count) {
    return refuse(launch, RuleId::core_8, "more cores than the chip has");
  }
  const int given_aic = options.debug_aic_num, given_aiv = options.debug_aiv_num;
  if (given_aic != 0 || given_aiv != 0) {
    const bool ratio =
        given_aic == 0 || given_aiv == 0 || given_aic == given_aiv || given_aiv == 2 * given_aic;
    const bool fits = given_aic <= profile.aic_count && given_aiv <= profile.aiv_count;
    if (!ratio || !fits || given_aic < need_aic || given_aiv < need_aiv) {
      return refuse(launch, RuleId::core_6, "debug-aic-num and debug-aiv-num");
    }
    launch.blocks = given_aic != 0 ? given_aic : given_aiv;
    launch.type = given_aiv == 0           ? KernelType::mix_aic_1_0
                  : given_aic == 0         ? KernelType::mix_aiv_1_0
                  : given_aic == given_aiv ? KernelType::mix_aic_1_1
                                           : KernelType::mix_aic_1_2;
  }
  launch.ratio = ratio_of(launch.type);
}

namespace {

/// What the instructions of one sub kernel ask.
void ask_program(const SubKernel& kernel, bool fused, bool early_calls,
                 std::map<LatitudeId, bool>& asked) {
  const bool only = kernel.type == KernelType::aiv_only || kernel.type == KernelType::aic_only;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(kernel.type, kind)) continue;
    any_instruction(kernel.program(kind), [&](const Instruction& in) {
      const bool event = in.op == Op::set_flag || in.op == Op::wait_flag;
      const bool flag = in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
      if (event && (in.id & 7) >= 6) asked[3] = true;
      if (event && kind == CoreKind::aic &&
          (in.event.source == Pipe::s || in.event.destination == Pipe::s)) {
        asked[6] = true;
      }
      if (flag && (in.id & 15) > 10) asked[11] = true;
      if (!fused && only && (flag || in.op == Op::sync_all)) asked[10] = true;
      if (in.op == Op::sync_all && kind == CoreKind::aic && in.aiv_only) asked[12] = true;
      if (in.op == Op::sync_all && kernel.type == KernelType::aiv_only) asked[13] = true;
      if (in.op == Op::get_task_ratio && fused && kind == CoreKind::aiv &&
          kernel.type != KernelType::mix_aic_1_2) {
        asked[31] = true;
      }
      if ((in.op == Op::set_next_task_start || in.op == Op::wait_pre_task_end) && early_calls) {
        asked[21] = true;
      }
    });
  }
}

}  // namespace

std::vector<LatitudeId> questions_of(const Case& value, std::span<const Part> parts,
                                     const Profile& profile) {
  std::map<LatitudeId, bool> asked;
  const OptionParse parse = parse_options(value.mix.options);
  const skcts::Options options = parse.options.value_or(skcts::Options{});
  for (const Part& part : parts) {
    const bool early_calls =
        part.fused && profile.architecture == Architecture::a2 && options.early_start == 1;
    for (const std::int32_t k : part.sub_kernels) {
      const SubKernel& kernel = value.mix.sub_kernels[static_cast<std::size_t>(k)];
      const bool before = listed(options.dcci_before_kernel_start, kernel);
      const bool after = listed(options.dcci_after_kernel_end, kernel);
      if (part.fused && (before || after || kernel.tiling == Tiling::offload)) asked[38] = true;
      if (part.fused && (before || after) && listed(options.dcci_disable_on_kernel, kernel)) {
        asked[39] = true;
      }
      ask_program(kernel, part.fused, early_calls, asked);
    }
  }
  std::vector<LatitudeId> ids;
  for (const auto& [id, asks] : asked) ids.push_back(id);
  return ids;
}

}  // namespace skcts::explorer
