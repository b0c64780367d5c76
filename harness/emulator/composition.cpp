// The steps that a launch's prologue emits around and between its sub kernels.
#include "harness/emulator/composition.h"

#include <algorithm>

#include "harness/emulator/composer.h"
#include "harness/emulator/launch.h"
#include "spec/check.h"

namespace skcts::emulator {

namespace {

/// What a program consists of, found in one pass.
struct Contents {
  std::uint64_t ops = 0;  ///< a bit an Op
  std::int32_t places = 0;
  std::vector<std::int16_t>* copied = nullptr;  ///< gets the targets of GlobalTensor copies

  bool has(Op op) const { return (ops >> static_cast<unsigned>(op) & 1u) != 0; }
  void add(const std::vector<Instruction>& program) {
    for (const Instruction& in : program) {
      ops |= std::uint64_t{1} << static_cast<unsigned>(in.op);
      ++places;
      if (in.op == Op::tensor_copy && copied != nullptr) copied->push_back(in.object);
      if (!in.body.empty()) add(in.body);
    }
  }
};
static_assert(static_cast<unsigned>(Op::repeat) < 64);

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool linear_guard(KernelType type, DefectId defect = DefectId::none) {
  if (defect == DefectId::guard_linear_for_mix) return !is_aic_kind(type);
  return is_aiv_kind(type) && defect != DefectId::guard_by_block_for_vectors;
}

}  // namespace

ComposedStep& Composer::add(ComposedKind kind, int op) {
  ComposedStep& step = launch_.steps.emplace_back();
  step.kind = kind;
  step.op = op;
  if (op >= 0) step.sub_kernel = plan_.sub_kernels[static_cast<std::size_t>(op)];
  return step;
}

ComposedStep& Composer::add_for(ComposedKind kind, int op, CoreKind core_kind) {
  ComposedStep& step = add(kind, op);
  step.aic = core_kind == CoreKind::aic;
  step.aiv = !step.aic;
  return step;
}

ComposedStep& Composer::add_for_all(ComposedKind kind, int op) {
  ComposedStep& step = add(kind, op);
  step.aic = step.aiv = true;
  return step;
}

bool Composer::needs_feed(int op, const SubKernelUse& use) const {
  const bool by_hand = use.raises_by_hand && settings_.defect == DefectId::feed_joins_hand_made;
  if (!options().feed_sync_all || (!use.syncs_all && !by_hand)) return false;
  if (settings_.defect == DefectId::feed_missing) return false;
  const SubKernel& k = sub(op);
  const bool counts_vectors = is_aiv_kind(k.type) && type() == KernelType::mix_aic_1_2 &&
                              settings_.defect != DefectId::feed_counts_blocks;
  return k.blocks < (counts_vectors ? 2 : 1) * launch_.shape.blocks;
}

SubKernelUse Composer::make_use(int op) const {
  const SubKernel& k = sub(op);
  SubKernelUse result;
  result.sub_kernel = plan_.sub_kernels[static_cast<std::size_t>(op)];
  Contents cube;
  Contents vector;
  if (k.tensors.size() > 1) cube.copied = vector.copied = &result.born_later;
  cube.add(k.aic);
  vector.add(k.aiv);
  result.aic_places = cube.places;
  result.aiv_places = vector.places;
  const auto either_side = [&](Op what) {
    return (runs_on(k.type, CoreKind::aic) && cube.has(what)) ||
           (runs_on(k.type, CoreKind::aiv) && vector.has(what));
  };
  result.syncs_all = either_side(Op::sync_all);
  result.raises_by_hand = either_side(Op::cross_core_set_flag);
  result.uses_matmul = is_mix_kind(k.type) && vector.has(Op::matmul);
  if (!launch_.fused) return result;
  const bool effect = settings_.profile->architecture != Architecture::a2 ||
                      settings_.latitudes.holds(latitude_pin(21, "takes-effect"));
  const bool known =
      k.tiling == Tiling::fixed || settings_.defect == DefectId::offload_calls_take_part;
  const bool takes_part = options().early_start == 1 && known && effect && !two_lists_;
  const bool may_wait = op > 0 || settings_.defect == DefectId::first_wait_waits;
  result.own_set = takes_part && op + 1 < op_count() && either_side(Op::set_next_task_start) &&
                   !raise_missing(early_config(k.counted_type(), sub(op + 1).counted_type()));
  result.own_wait = takes_part && may_wait && either_side(Op::wait_pre_task_end);
  if (settings_.aclgraph) restrict_to_capabilities(k, result);
  // The event holds the head too: where one is awaited the launch waits for all of it.
  if (result.own_wait && settings_.defect != DefectId::early_start_over_event) {
    result.own_wait = awaited_by(op).empty();
  }
  result.own_config = early_config(sub(std::max(op - 1, 0)).counted_type(), k.counted_type());
  result.fed = needs_feed(op, result);
  if (settings_.aclgraph) return result;
  const std::string& name = k.matched_op_type();
  const bool disabled = contains(options().dcci_disable_on_kernel, name) &&
                        settings_.defect != DefectId::refresh_of_disabled;
  const bool offload =
      k.tiling == Tiling::offload && settings_.defect != DefectId::offload_refreshes_accesses;
  result.refreshes_accesses = !offload && !contains(options().dcci_before_kernel_start, name) &&
                              !contains(options().dcci_after_kernel_end, name) && !disabled;
  if (settings_.defect == DefectId::per_access_refresh_missing) result.refreshes_accesses = false;
  return result;
}

/// Is the sub kernel in a refresh list?
bool Composer::listed(const std::vector<std::string>& list, const std::string& name) const {
  if (settings_.defect != DefectId::dcci_list_first_only) return contains(list, name);
  return !list.empty() && list.front() == name;
}

void Composer::refresh_places(int op, bool& before, bool& after) const {
  const SubKernel& k = sub(op);
  if (settings_.aclgraph) return refresh_places_aclgraph(k, before, after);
  if (k.tiling == Tiling::offload && settings_.defect != DefectId::offload_follows_lists) {
    // CACHE-5: the lists have no effect
    before = settings_.defect != DefectId::offload_before_missing;
    after = settings_.defect != DefectId::offload_after_missing;
    return;
  }
  const std::string& name =
      settings_.defect == DefectId::dcci_matches_name ? k.name : k.matched_op_type();
  before = listed(options().dcci_before_kernel_start, name);
  after = listed(options().dcci_after_kernel_end, name);
  if (contains(options().dcci_disable_on_kernel, name) &&
      settings_.latitudes.holds(latitude_pin(39, "disable-wins"))) {
    before = after = false;
  }
  switch (settings_.defect) {
    case DefectId::dcci_before_ignored: before = false; break;
    case DefectId::dcci_lists_swapped: std::swap(before, after); break;
    case DefectId::dcci_after_ignored: after = false; break;
    case DefectId::dcci_before_behind:
      after = after || before;
      before = false;
      break;
    case DefectId::dcci_after_in_front:
      before = before || after;
      after = false;
      break;
    default: break;
  }
}

Guard Composer::guard_of(int op) const {
  return {Guard::Which::below, linear_guard(sub(op).type), sub(op).blocks};
}

Guard Composer::outside_of(int op) const {
  return {Guard::Which::from, linear_guard(sub(op).type), sub(op).blocks};
}

void Composer::feed_clear() {
  const bool cube_only = is_aic_kind(type());
  const CoreKind kind = cube_only ? CoreKind::aic : CoreKind::aiv;
  add_for(ComposedKind::feed_clear, -1, kind).rule = RuleId::sync_1;
  const auto flag = [this](ComposedKind what, CoreKind who, int id, int mode, Pipe pipe) {
    ComposedStep& step = add_for(what, -1, who);
    step.id = id;
    step.mode = mode;
    step.pipe = pipe;
    step.rule = RuleId::sync_1;
  };
  const int id = cube_only ? 11 : 14;
  flag(ComposedKind::flag_set, kind, id, 0, cube_only ? Pipe::fix : Pipe::mte3);
  flag(ComposedKind::flag_wait, kind, id, 0, Pipe::s);
  if (is_mix_kind(type())) {
    flag(ComposedKind::flag_set, CoreKind::aiv, 12, 2, Pipe::mte3);
    flag(ComposedKind::flag_wait, CoreKind::aic, 12, 2, Pipe::s);
  }
}

void Composer::whole_refresh(int op, CoreKind kind, Purpose purpose, RuleId rule) {
  ComposedStep& step = add_for(ComposedKind::refresh_all, op, kind);
  const bool running_cores =
      settings_.aclgraph || settings_.latitudes.holds(latitude_pin(38, "running-cores"));
  if (running_cores) step.guard = guard_of(op);
  if (settings_.defect == DefectId::dcci_on_first_core) step.guard = {Guard::Which::below, true, 1};
  step.purpose = purpose;
  step.rule = rule;
}

void Composer::call_side(int op, CoreKind kind, bool refresh_before, bool refresh_after) {
  const bool offload = sub(op).tiling == Tiling::offload;
  const auto rule = [&](RuleId listed) {
    if (settings_.aclgraph) return RuleId::acl_5;
    return offload ? RuleId::cache_5 : listed;
  };
  if (refresh_before) whole_refresh(op, kind, Purpose::before, rule(RuleId::cache_2));
  add_for(ComposedKind::run, op, kind).guard = guard_of(op);
  if (refresh_after) whole_refresh(op, kind, Purpose::after, rule(RuleId::cache_3));
  if (!use(op).fed) return;
  feed_behind(op, kind);
}

/// Those that skipped the sub kernel join its SyncAll calls until they are told that it has ended.
void Composer::feed_behind(int op, CoreKind kind) {
  if (settings_.defect != DefectId::feed_without_end) {
    ComposedStep& end = add_for(ComposedKind::feed_end, op, kind);
    end.guard = guard_of(op);
    end.rule = RuleId::sync_1;
  }
  if (settings_.defect == DefectId::feed_vectors_only && kind == CoreKind::aic) return;
  ComposedStep& complement = add_for(ComposedKind::feed_complement, op, kind);
  complement.guard =
      settings_.defect == DefectId::feed_by_running_cores ? guard_of(op) : outside_of(op);
  complement.rule = RuleId::sync_1;
}

void Composer::call(int op) {
  const auto slot = [&](CoreKind kind, int id) {
    ComposedStep& step = add_for(ComposedKind::feed_slot, op, kind);
    step.id = id;
    step.rule = RuleId::sync_1;
  };
  if (options().feed_sync_all) {
    add_for_all(ComposedKind::feed_switch, op).on = use(op).fed;
    if (use(op).fed) {
      slot(CoreKind::aic, 64 * op);
      slot(CoreKind::aiv, 64 * (op_count() + op));
    }
  }
  bool before = false;
  bool after = false;
  refresh_places(op, before, after);
  const KernelType kernel_type = sub(op).type;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (runs_on(kernel_type, kind)) call_side(op, kind, before, after);
  }
}

void Composer::drain(int op) {
  add_for_all(ComposedKind::pipe_all, op).rule = RuleId::task_1;
}

/// The barrier that the launch's kind has between two sub kernels without early start.
void Composer::kind_barrier(int op, Purpose purpose, std::optional<RuleId> rule) {
  const bool always_both =
      purpose == Purpose::boundary && settings_.defect == DefectId::boundary_always_mixed;
  if (is_mix_kind(type()) || always_both) {
    ComposedStep& step = add_for_all(ComposedKind::sync_all, op);
    step.aiv_only = settings_.defect == DefectId::barrier_without_cubes;
    step.aic = !step.aiv_only;
    step.purpose = purpose;
    step.rule = rule;
    return;
  }
  const bool cube = is_aic_kind(type());
  const bool raises_only =
      purpose == Purpose::debug && settings_.defect == DefectId::debug_sync_does_not_wait;
  for (const ComposedKind kind : {ComposedKind::flag_set, ComposedKind::flag_wait}) {
    if (raises_only && kind == ComposedKind::flag_wait) break;
    ComposedStep& step = add_for_all(kind, op);
    step.id = cube ? 11 : 14;
    step.pipe = cube ? Pipe::fix : Pipe::mte3;
    step.purpose = purpose;
    step.rule = rule;
  }
}

void Composer::early_boundary(int op) {
  // All that the composer knows of an offload sub kernel is what it is counted with.
  const KernelType earlier = sub(op - 1).counted_type();
  const KernelType later = sub(op).counted_type();
  const int config = early_config(earlier, later);
  const auto mark = [&](ComposedStep& step) {
    step.config = config;
    step.purpose = Purpose::boundary;
    step.rule = RuleId::task_1;
  };
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(earlier, kind) || raise_missing(config)) continue;
    ComposedStep& step = add_for(ComposedKind::early_set, op, kind);
    const DefectId defect = settings_.defect;
    if (defect == DefectId::early_set_own_cores_only) step.guard = guard_of(op - 1);
    if (use(op - 1).own_set && defect != DefectId::set_complement_by_all) {
      step.guard = outside_of(op - 1);
    }
    mark(step);
  }
  mark(add_for_all(ComposedKind::early_config, op));
  const CoreKind first = is_aiv_kind(later) ? CoreKind::aiv : CoreKind::aic;
  for (const CoreKind kind : {first, first == CoreKind::aiv ? CoreKind::aic : CoreKind::aiv}) {
    const bool waits_itself = runs_on(later, kind) && use(op).own_wait;
    if (waits_itself && settings_.defect == DefectId::wait_complement_missing) continue;
    ComposedStep& step = add_for(ComposedKind::early_wait, op, kind);
    if (waits_itself) step.guard = outside_of(op);
    mark(step);
  }
}

void Composer::boundary(int op) {
  const bool too_early = settings_.defect == DefectId::notify_before_barrier;
  if (too_early) notify_at_boundary(op);
  const bool left_out =
      settings_.defect == DefectId::inter_operator_barrier_missing ||
      (settings_.defect == DefectId::feed_replaces_boundary && options().feed_sync_all);
  if (!left_out) inter_operator(op);
  if (!too_early) notify_at_boundary(op);
  watch(op);
}

void Composer::inter_operator(int op) {
  if (settings_.latitudes.holds(latitude_pin(14, "drained"))) drain(op);
  if (settings_.aclgraph) {
    // debug_sync_all has put a barrier behind every sub kernel in place of all others.
    if (!options().debug_sync_all) early_boundary(op);
  } else if (options().early_start == 0) {
    kind_barrier(op, Purpose::boundary, RuleId::task_1);
  } else {
    early_boundary(op);
  }
}

void Composer::debug_steps(int op) {
  self_check(op);
  if (options().debug_dcci_all) {
    for (const ComposedKind kind : {ComposedKind::pipe_all, ComposedKind::refresh_all}) {
      ComposedStep& step = add_for_all(kind, op);
      step.purpose = Purpose::debug;
      step.rule = RuleId::fuse_2;
    }
  }
  if (!options().debug_sync_all) return;
  if (settings_.aclgraph && is_mix_kind(type())) return all_sync(op);
  kind_barrier(op, Purpose::debug, RuleId::fuse_2);
}

void Composer::compose_fused() {
  for (int op = 0; op < op_count(); ++op) launch_.uses.push_back(make_use(op));
  if (options().feed_sync_all && settings_.defect != DefectId::stale_workspace) feed_clear();
  watch(0);
  for (int op = 0; op < op_count(); ++op) {
    if (op > 0) boundary(op);
    const bool skipped = settings_.defect == DefectId::last_sub_kernel_skipped && op > 0;
    if (!skipped || op + 1 < op_count()) call(op);
    if (settings_.defect == DefectId::first_sub_kernel_twice && op == 0) call(op);
    debug_steps(op);
  }
  notify_at_end();
  add_for_all(ComposedKind::kernel_end, -1).rule = RuleId::cache_11;
}

/// The launch as somebody else composed it.
std::optional<Refusal> Composer::compose_recorded(const RecordedLaunch& recorded) {
  launch_.shape = {recorded.type, recorded.blocks};
  launch_.recorded = true;
  for (int op = 0; op < op_count(); ++op) {
    SubKernelUse& use = launch_.uses.emplace_back(make_use(op));
    // Whether these take part shows in the sequence.
    use.own_set = use.own_wait = use.fed = false;
  }
  std::vector<RecordedOp> ops;
  for (int op = 0; op < op_count(); ++op) {
    ops.push_back({sub(op).type, raised_by(op), awaited_by(op)});
  }
  if (auto refusal = read_sequence(recorded, ops, launch_)) return refusal;
  add_for_all(ComposedKind::kernel_end, -1).rule = RuleId::cache_11;
  return std::nullopt;
}

void Composer::compose_alone() {
  launch_.uses.push_back(make_use(0));
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (runs_on(sub(0).type, kind)) {
      add_for(ComposedKind::run, 0, kind).guard = guard_of(0);
    }
  }
  add_for_all(ComposedKind::kernel_end, -1).rule = RuleId::cache_6;
}

bool makes_step(const ComposedLaunch& launch, const ComposedStep& step, CoreId core) {
  if (core.kind == CoreKind::aic ? !step.aic : !step.aiv) return false;
  if (step.guard.which == Guard::Which::all) return true;
  const bool divides = core.kind == CoreKind::aiv && !step.guard.linear;
  const int index = divides ? core.index / launch.shape.aiv_per_block() : core.index;
  return (index < step.guard.bound) == (step.guard.which == Guard::Which::below);
}

bool runs_sub_kernel(const Mix& mix, const ComposedLaunch& launch, int op, CoreId core,
                     DefectId defect) {
  const SubKernelUse& use = launch.uses[static_cast<std::size_t>(op)];
  const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(use.sub_kernel)];
  if (!runs_on(sub.type, core.kind)) return false;
  const int per_block = core.kind == CoreKind::aiv ? launch.shape.aiv_per_block() : 1;
  const DefectId at_guard = launch.fused ? defect : DefectId::none;
  const int index = linear_guard(sub.type, at_guard) ? core.index : core.index / per_block;
  if (at_guard == DefectId::guard_one_narrow) return index < sub.blocks - 1;
  if (defect == DefectId::guard_one_wide && launch.fused) return index <= sub.blocks;
  if (defect == DefectId::aiv1_of_1_1_left_out && launch.fused && per_block == 2 &&
      sub.type == KernelType::mix_aic_1_1 && core.index % 2 == 1) {
    return false;
  }
  return index < sub.blocks;
}

namespace {

/// The plan with its last two sub kernels called in the wrong order.
LaunchPlan swapped(LaunchPlan plan) {
  const std::size_t count = plan.sub_kernels.size();
  if (count > 1) std::swap(plan.sub_kernels[count - 2], plan.sub_kernels[count - 1]);
  return plan;
}

}  // namespace

std::optional<Refusal> compose_into(const Mix& mix, const LaunchPlan& plan,
                                    const Settings& settings, ComposedLaunch& launch) {
  launch.fused = plan.kind == StepKind::fused;
  launch.recorded = false;
  launch.edges.clear();
  launch.shared_events.clear();
  launch.uses.clear();
  launch.steps.clear();
  if (launch.fused) {
    if (auto refusal = read_options(mix, settings, launch.options)) return refusal;
    if (auto refusal = check_streams(mix, plan.sub_kernels, settings, launch.options))
      return refusal;
    if (settings.recorded != nullptr) {
      return Composer(mix, plan, settings, launch).compose_recorded(*settings.recorded);
    }
    if (auto refusal = shape_fused(mix, plan.sub_kernels, launch.options, settings, launch.shape)) {
      return refusal;
    }
    const bool cube_barrier = is_aic_kind(launch.shape.type) && launch.options.early_start == 0 &&
                              plan.sub_kernels.size() > 1;
    if (cube_barrier && settings.defect == DefectId::cube_barrier_does_not_compile) {
      return Refusal{"the source of the launch does not compile", {}};
    }
  } else {
    const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(plan.sub_kernels.front())];
    launch.shape = {sub.type, sub.blocks};
    launch.options = {};
  }
  LaunchPlan other;
  const bool wrong_order = settings.defect == DefectId::sub_kernels_swapped;
  if (wrong_order) other = swapped(plan);
  Composer composer(mix, wrong_order ? other : plan, settings, launch);
  const bool fuses_streams = launch.options.stream_fusion || settings.aclgraph;
  if (launch.fused && fuses_streams && has_streams(mix, plan.sub_kernels)) {
    composer.compose_two_lists();
  } else if (launch.fused) {
    composer.compose_fused();
  } else {
    composer.compose_alone();
  }
  return std::nullopt;
}

ComposeResult compose(const Mix& mix, const LaunchPlan& plan, const Settings& settings) {
  ComposeResult result;
  ComposedLaunch launch;
  if (auto refusal = compose_into(mix, plan, settings, launch)) {
    result.refusal = std::move(*refusal);
  } else {
    result.launch = std::move(launch);
  }
  return result;
}

ComposeResult compose(const Case& test_case, int launch_index, const EmulatorConfig& config) {
  Settings settings;
  if (auto refusal = resolve_settings(test_case, config, 0, settings)) {
    return {std::nullopt, std::move(*refusal)};
  }
  int index = 0;
  for (const LaunchPlan& plan : launches_of(test_case, settings.defect)) {
    if (plan.kind == StepKind::host_write) continue;
    if (index++ == launch_index) return compose(test_case.mix, plan, settings);
  }
  return {std::nullopt, {"the plan has no such launch", {}}};
}

}  // namespace skcts::emulator
