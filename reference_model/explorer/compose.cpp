// Launch shape, guards, boundaries, refreshes around sub kernels, feeding of idle cores.
#include "reference_model/explorer/compose.h"

#include <algorithm>
#include <map>

#include "spec/options.h"
#include "spec/program.h"

namespace skcts::explorer {

namespace {

bool contains_op(const std::vector<Instruction>& program, Op op) {
  return std::ranges::any_of(
      program, [op](const Instruction& in) { return in.op == op || contains_op(in.body, op); });
}

bool contains_op(const SubKernel& kernel, Op op) {
  return contains_op(kernel.aic, op) || contains_op(kernel.aiv, op);
}

bool listed(const std::vector<std::string>& list, const SubKernel& kernel) {
  return std::ranges::find(list, kernel.matched_op_type()) != list.end();
}

struct Core {
  CoreId id;
  int block = 0;
  int sub = 0;
};

std::vector<Core> cores_of(KernelType type, int blocks, int ratio) {
  std::vector<Core> cores;
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

void any_instruction(const std::vector<Instruction>& program, const auto& visit) {
  for (const Instruction& in : program) {
    visit(in);
    any_instruction(in.body, visit);
  }
}

/// Ids and calls that a machine may refuse: L-3, L-6, L-11, L-13.
void refuse_calls(LaunchProgram& launch, const Settings& settings, const SubKernel& kernel) {
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
}

/// Type and blocks of the SuperKernel by CORE-1, CORE-6, CORE-7 and CORE-8.
void shape(LaunchProgram& launch, const Settings& settings, const skcts::Options& options,
           std::span<const std::int32_t> sub_kernels) {
  int aic = 0, aiv = 0;
  bool any_aic = false, any_aiv = false, two = false;
  for (const std::int32_t k : sub_kernels) {
    const SubKernel& kernel = settings.mix->sub_kernels[static_cast<std::size_t>(k)];
    aic = std::max(aic, aic_cores(kernel.type, kernel.blocks));
    aiv = std::max(aiv, aiv_cores(kernel.type, kernel.blocks));
    any_aic = any_aic || !is_aiv_kind(kernel.type);
    any_aiv = any_aiv || !is_aic_kind(kernel.type);
    two = two || kernel.type == KernelType::mix_aic_1_2;
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

using WaitList = std::vector<std::pair<bool, int>>;

/// What one core does at a boundary with early start, after the raises of 11 and 14.
WaitList pair_list(KernelType before, KernelType after, CoreKind kind) {
  const bool from_aic = !is_aiv_kind(before), from_aiv = !is_aic_kind(before);
  const bool to_aic = !is_aiv_kind(after), to_aiv = !is_aic_kind(after);
  WaitList list;
  const bool cross_to_aiv = from_aic && to_aiv, cross_to_aic = from_aiv && to_aic;
  if (kind == CoreKind::aic) {
    if (from_aic) list.emplace_back(true, 11);
    if (cross_to_aiv) list.emplace_back(false, 13);
    if (cross_to_aic) list.emplace_back(true, 12);
  } else {
    if (from_aiv) list.emplace_back(true, 14);
    if (cross_to_aic) list.emplace_back(false, 12);
    if (cross_to_aiv) list.emplace_back(true, 13);
  }
  return list;
}

/// How one sub kernel of a SuperKernel is treated.
struct Member {
  const SubKernel* kernel = nullptr;
  int place = 0;
  bool own_set = false, own_wait = false;
  bool refreshes = false, refresh_before = false, refresh_after = false;
  bool fed = false;
  std::vector<bool> aic_records, aiv_records;  ///< aiv_only of each record of block 0.
  int aic_base = 0, aiv_base = 0;              ///< Records of earlier sub kernels.
};

class Composer {
 public:
  Composer(const Settings& settings, const skcts::Options& options, LaunchProgram& launch,
           std::span<const std::int32_t> sub_kernels)
      : settings_(settings), options_(options), launch_(launch) {
    cores_ = cores_of(launch.type, launch.blocks, std::max(1, launch.ratio));
    int aic_records = 0, aiv_records = 0;
    for (const std::int32_t k : sub_kernels) {
      members_.push_back(member(k));
      Member& last = members_.back();
      last.aic_base = aic_records;
      last.aiv_base = aiv_records;
      if (!last.fed) continue;
      if (runs_on(last.kernel->type, CoreKind::aic)) {
        aic_records += static_cast<int>(last.aic_records.size()) + 1;
      }
      if (runs_on(last.kernel->type, CoreKind::aiv)) {
        aiv_records += static_cast<int>(last.aiv_records.size()) + 1;
      }
    }
    const bool calls =
        options.early_start == 1 && !(settings.profile->architecture == Architecture::a2 &&
                                      holds(latitude_pin(21, "no-effect")));
    for (std::size_t m = 0; m < members_.size(); ++m) {
      Member& each = members_[m];
      const bool may = calls && each.kernel->tiling == Tiling::fixed;
      each.own_set =
          may && m + 1 < members_.size() && contains_op(*each.kernel, Op::set_next_task_start);
      each.own_wait = may && m > 0 && contains_op(*each.kernel, Op::wait_pre_task_end);
    }
    for (const Core& core : cores_) {
      builders_.emplace_back(settings, core.id, core.block, core.sub);
    }
  }

  void compose() {
    for (std::size_t c = 0; c < cores_.size(); ++c) {
      for (std::size_t m = 0; m < members_.size(); ++m) {
        if (m > 0) boundary(c, members_[m - 1], members_[m]);
        around(c, m);
      }
    }
    for (CoreBuilder& builder : builders_) launch_.cores.push_back(builder.take());
  }

 private:
  bool holds(LatitudePin pin) const { return settings_.at.holds(pin); }

  Member member(int place) const {
    Member made;
    made.place = place;
    made.kernel = &settings_.mix->sub_kernels[static_cast<std::size_t>(place)];
    const SubKernel& kernel = *made.kernel;
    if (kernel.tiling == Tiling::offload) {
      made.refresh_before = made.refresh_after = true;
    } else {
      const bool disabled = listed(options_.dcci_disable_on_kernel, kernel);
      const bool wins = disabled && holds(latitude_pin(39, "disable-wins"));
      const bool before = listed(options_.dcci_before_kernel_start, kernel);
      const bool after = listed(options_.dcci_after_kernel_end, kernel);
      made.refresh_before = before && !wins;
      made.refresh_after = after && !wins;
      made.refreshes = !before && !after && !disabled;
    }
    if (options_.feed_sync_all && contains_op(kernel, Op::sync_all)) {
      made.fed = true;
      made.aic_records = records(kernel, CoreKind::aic);
      made.aiv_records = records(kernel, CoreKind::aiv);
    }
    return made;
  }

  /// What block 0 publishes, in order.
  std::vector<bool> records(const SubKernel& kernel, CoreKind kind) const {
    std::vector<bool> all;
    if (!runs_on(kernel.type, kind)) return all;
    for_each_instruction(kernel.program(kind), indices(kernel, {{kind, 0}, 0, 0}),
                         [&](const Instruction& in, const Indices&, int) {
                           if (in.op != Op::sync_all) return;
                           if (kind == CoreKind::aiv || !in.aiv_only) all.push_back(in.aiv_only);
                         });
    return all;
  }

  bool runs(const SubKernel& kernel, const Core& core) const {
    if (!runs_on(kernel.type, core.id.kind)) return false;
    return is_aiv_kind(kernel.type) ? core.id.index < kernel.blocks : core.block < kernel.blocks;
  }

  Indices indices(const SubKernel& kernel, const Core& core) const {
    Indices at;
    at.block = core.block;
    at.sub = core.sub;
    at.core = core.id.index;
    at.block_count = kernel.blocks;
    at.core_count = core.id.kind == CoreKind::aic || is_aiv_kind(kernel.type)
                        ? kernel.blocks
                        : kernel.blocks * launch_.ratio;
    at.key = kernel.tiling_key;
    return at;
  }

  void boundary(std::size_t c, const Member& before, const Member& after) {
    CoreBuilder& builder = builders_[c];
    const Core& core = cores_[c];
    if (options_.early_start == 0) return full_barrier(c, after.place, true);
    const KernelType from = before.kernel->type, to = after.kernel->type;
    const CoreKind kind = core.id.kind;
    const auto index_in = [&](KernelType type) {
      return is_aiv_kind(type) ? core.id.index : core.block;
    };
    if (runs_on(from, kind) && (!before.own_set || index_in(from) >= before.kernel->blocks)) {
      const bool aic = kind == CoreKind::aic;
      builder.boundary_raise(aic ? Pipe::fix : Pipe::mte3, aic ? 11 : 14, after.place, -1);
    }
    if (!after.own_wait || !runs_on(to, kind) || index_in(to) >= after.kernel->blocks) {
      builder.boundary_list(pair_list(from, to, kind), after.place, -1);
    }
  }

  /// The barrier by the launch's type. `lands`: refreshes have landed when it releases.
  void full_barrier(std::size_t c, int place, bool lands) {
    CoreBuilder& builder = builders_[c];
    if (is_mix_kind(launch_.type)) {
      if (lands) builder.settle();
      return builder.sync_all(false, place, -1);
    }
    const bool aic = cores_[c].id.kind == CoreKind::aic;
    builder.boundary_raise(aic ? Pipe::fix : Pipe::mte3, aic ? 11 : 14, place, -1);
    builder.wait(aic ? 11 : 14, WaitKind::full_core, place, -1);
  }

  /// A sub kernel on one core, with what stands before and after its call.
  void around(std::size_t c, std::size_t m) {
    CoreBuilder& builder = builders_[c];
    const Core& core = cores_[c];
    const Member& member = members_[m];
    const bool own = runs_on(member.kernel->type, core.id.kind);
    const bool here = runs(*member.kernel, core);
    const bool refreshed = here || (own && holds(latitude_pin(38, "all-of-kind")));
    if (member.refresh_before && refreshed) builder.refresh_all();
    if (here) {
      call(c, m);
    } else if (own && member.fed) {
      complement(c, member);
    }
    if (member.refresh_after && refreshed) builder.refresh_all();
    if (options_.debug_dcci_all) {
      builder.pipe_all();
      builder.refresh_all();
    }
    if (options_.debug_sync_all) full_barrier(c, member.place, false);
  }

  void call(std::size_t c, std::size_t m) {
    const Core& core = cores_[c];
    const Member& member = members_[m];
    const SubKernel& kernel = *member.kernel;
    Run run;
    run.kernel = &kernel;
    run.place = member.place;
    run.refreshes = member.refreshes;
    run.tells_next = member.own_set;
    run.publishes = member.fed && core.id.index == 0;
    if (member.own_wait)
      run.wait_list = pair_list(members_[m - 1].kernel->type, kernel.type, core.id.kind);
    run.indices = indices(kernel, core);
    const int launch_ratio = core.id.kind == CoreKind::aic ? 1 : launch_.ratio;
    const int own_ratio = core.id.kind == CoreKind::aic ? 1 : ratio_of(kernel.type);
    run.task_ratio = holds(latitude_pin(31, "own-ratio")) ? own_ratio : launch_ratio;
    service(run, c);
    if (core.id.kind == CoreKind::aic && contains_op(kernel.aiv, Op::matmul)) {
      builders_[c].serve(kernel.type == KernelType::mix_aic_1_2 ? 2 : 1, member.place);
    } else {
      builders_[c].run(run);
    }
    if (run.publishes) builders_[c].publish();  // The end record.
  }

  /// Who serves the Matmul calls of this core.
  void service(Run& run, std::size_t c) const {
    const Core& core = cores_[c];
    if (core.id.kind == CoreKind::aic || !is_mix_kind(run.kernel->type)) return;
    if (!contains_op(run.kernel->aiv, Op::matmul)) return;
    const int clients = run.kernel->type == KernelType::mix_aic_1_2 ? 2 : 1;
    if (core.sub >= clients) return;
    run.server = core.block;  // AIC cores come first.
    run.client = true;
  }

  /// An idle core of a fed sub kernel: joins once for each record of block 0.
  void complement(std::size_t c, const Member& member) {
    CoreBuilder& builder = builders_[c];
    const CoreKind kind = cores_[c].id.kind;
    const auto& all = kind == CoreKind::aic ? member.aic_records : member.aiv_records;
    std::size_t publisher = 0;
    while (cores_[publisher].id.kind != kind) ++publisher;
    // Records count on from sub kernel to sub kernel; the end of each is one too.
    int seen = kind == CoreKind::aic ? member.aic_base : member.aiv_base;
    for (const bool aiv_only : all) {
      builder.feed(static_cast<int>(publisher), ++seen, member.place);
      builder.sync_all(aiv_only, member.place, -1);
    }
    builder.feed(static_cast<int>(publisher), ++seen, member.place);
  }

  const Settings& settings_;
  const skcts::Options& options_;
  LaunchProgram& launch_;
  std::vector<Core> cores_;
  std::vector<Member> members_;
  std::vector<CoreBuilder> builders_;
};

}  // namespace

LaunchProgram compose_fused(const Settings& settings, std::span<const std::int32_t> sub_kernels,
                            int launch) {
  LaunchProgram made;
  made.launch = launch;
  made.fused = true;
  const OptionParse parse = parse_options(settings.mix->options);
  if (!parse.options) {
    refuse(made, RuleId::fuse_3, "option string");
    return made;
  }
  for (const std::int32_t k : sub_kernels) {
    refuse_calls(made, settings, settings.mix->sub_kernels[static_cast<std::size_t>(k)]);
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
  const bool hard_sync = contains_op(kernel, Op::sync_all);
  const bool promoted = kernel.type == KernelType::aiv_only && hard_sync;
  const bool only = kernel.type == KernelType::aiv_only || kernel.type == KernelType::aic_only;
  const int resident = blocks_at_once(made, *settings.profile);
  for (const Core& core : cores_of(made.type, made.blocks, std::max(1, made.ratio))) {
    CoreBuilder builder(settings, core.id, core.block, core.sub);
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

int blocks_at_once(const LaunchProgram& launch, const Profile& profile) {
  int most = launch.blocks;
  if (!is_aiv_kind(launch.type)) most = std::min(most, profile.aic_count);
  if (launch.ratio > 0) most = std::min(most, profile.aiv_count / launch.ratio);
  return std::max(1, most);
}

std::vector<LatitudeId> questions_of(const Case& value, const Profile& profile) {
  std::map<LatitudeId, bool> asked;
  const OptionParse parse = parse_options(value.mix.options);
  const skcts::Options options = parse.options.value_or(skcts::Options{});
  const Plan plan = effective_plan(value.mix, value.plan);
  for (const PlanStep& step : plan.steps) {
    if (step.kind != StepKind::host_write) {
      const bool fused = step.kind == StepKind::fused;
      for (const std::int32_t k : step.sub_kernels) {
        const SubKernel& kernel = value.mix.sub_kernels[static_cast<std::size_t>(k)];
        const bool only =
            kernel.type == KernelType::aiv_only || kernel.type == KernelType::aic_only;
        const bool before = listed(options.dcci_before_kernel_start, kernel);
        const bool after = listed(options.dcci_after_kernel_end, kernel);
        if (fused && (before || after || kernel.tiling == Tiling::offload)) asked[38] = true;
        if (fused && (before || after) && listed(options.dcci_disable_on_kernel, kernel)) {
          asked[39] = true;
        }
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
            if ((in.op == Op::set_next_task_start || in.op == Op::wait_pre_task_end) && fused &&
                profile.architecture == Architecture::a2 && options.early_start == 1) {
              asked[21] = true;
            }
          });
        }
      }
    }
  }
  std::vector<LatitudeId> ids;
  for (const auto& [id, asks] : asked) {
    if (asks) ids.push_back(id);
  }
  return ids;
}

}  // namespace skcts::explorer
