// A launch of sub kernels, fused or one alone.
#include "reference_model/explorer/compose.h"

#include <algorithm>

#include "reference_model/explorer/composer.h"

namespace skcts::explorer {

LaunchProgram compose_fused(const Settings& settings, std::span<const std::int32_t> sub_kernels,
                            int launch) {
  LaunchProgram made;
  made.launch = launch;
  made.fused = true;
  const OptionParse parse = parse_options(settings.mix->options);
  if (!parse.options) {
    refuse(made, RuleId::fuse_3, "option string");
    made.refused_first = true;  // It is the mix's, and launches nothing.
    return made;
  }
  for (const std::int32_t k : sub_kernels) {
    refuse_calls(made, settings, settings.mix->sub_kernels[static_cast<std::size_t>(k)]);
  }
  refuse_streams(made, settings, *parse.options, sub_kernels);
  if (!made.refused && settings.recording != nullptr) {
    made.type = settings.recording->type;
    made.blocks = settings.recording->blocks;
    made.ratio = ratio_of(made.type);
    Composer(settings, *parse.options, made, sub_kernels).replay(*settings.recording);
    return made;
  }
  if (!made.refused) shape(made, settings, *parse.options, sub_kernels);
  if (!made.refused) Composer(settings, *parse.options, made, sub_kernels).compose();
  return made;
}

LaunchProgram compose_alone(const Settings& settings, std::int32_t sub_kernel, int launch) {
  const SubKernel& kernel = settings.mix->sub_kernels[static_cast<std::size_t>(sub_kernel)];
  LaunchProgram made;
  made.launch = launch;
  made.fused = false;
  made.type = kernel.type;
  made.blocks = kernel.blocks;
  made.ratio = ratio_of(kernel.type);
  refuse_calls(made, settings, kernel);
  if (made.refused) return made;
  made.raised_by_end = settings.places_of(kernel.send);
  const bool hard_sync = contains_op(kernel, Op::sync_all);
  const bool promoted = kernel.type == KernelType::aiv_only && hard_sync;
  const bool only = kernel.type == KernelType::aiv_only || kernel.type == KernelType::aic_only;
  const int resident = blocks_at_once(made, *settings.profile);
  for (const LaunchCore& core : cores_of(made.type, made.blocks, std::max(1, made.ratio))) {
    CoreBuilder builder(settings, core.id, core.block, core.sub);
    for (const int event : settings.places_of(kernel.recv)) builder.await(event, sub_kernel);
    builder.begin();
    if (core.block >= resident) builder.enter(core.block - resident + 1);
    Run run;
    run.kernel = &kernel;
    run.place = sub_kernel;
    run.fused = false;
    run.flags_off = only && !promoted;
    run.indices.block = core.block;
    run.indices.sub = core.sub;
    run.indices.core = core.id.index;
    run.indices.block_count = kernel.blocks;
    run.indices.core_count = kernel.blocks * (core.id.kind == CoreKind::aiv ? made.ratio : 1);
    run.indices.key = kernel.tiling_key;
    run.task_ratio = core.id.kind == CoreKind::aic ? 1 : made.ratio;
    const bool matmul = contains_op(kernel.aiv, Op::matmul) && is_mix_kind(kernel.type);
    if (matmul && core.id.kind == CoreKind::aic) {
      builder.serve(made.ratio, sub_kernel);
    } else {
      if (matmul) {
        run.server = core.block;
        run.client = true;
      }
      builder.run(run);
    }
    if (made.blocks > resident) builder.leave();
    made.cores.push_back(builder.take());
  }
  return made;
}

std::vector<CoreProgram> outside_programs(const Settings& settings) {
  std::vector<CoreProgram> made;
  for (const OutsideActor& actor : settings.mix->outside) {
    CoreBuilder builder(settings, {CoreKind::aiv, static_cast<int>(made.size())}, 0, 0);
    builder.outside(actor);
    made.push_back(builder.take());
  }
  return made;
}

int blocks_at_once(const LaunchProgram& launch, const Profile& profile) {
  int most = launch.blocks;
  if (!is_aiv_kind(launch.type)) most = std::min(most, profile.aic_count);
  if (launch.ratio > 0) most = std::min(most, profile.aiv_count / launch.ratio);
  return std::max(1, most);
}

}  // namespace skcts::explorer
