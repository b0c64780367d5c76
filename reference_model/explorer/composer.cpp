// What each core does around its sub kernels, by the contract.
#include "reference_model/explorer/composer.h"

#include <algorithm>

#include "reference_model/explorer/recorded_pair.h"
#include "spec/program.h"

namespace skcts::explorer {

namespace {

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

}  // namespace

Composer::Composer(const Settings& settings, const skcts::Options& options, LaunchProgram& launch,
                   std::span<const std::int32_t> sub_kernels)
    : settings_(settings), options_(options), launch_(launch) {
  cores_ = cores_of(launch.type, launch.blocks, std::max(1, launch.ratio));
  for (const std::int32_t k : sub_kernels) members_.push_back(member(k));
  number_records();
  const bool calls =
      options.early_start == 1 &&
      !(settings.profile->architecture == Architecture::a2 && holds(latitude_pin(21, "no-effect")));
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Member& each = members_[m];
    const bool may = calls && each.kernel->tiling == Tiling::fixed;
    each.own_set =
        may && m + 1 < members_.size() && contains_op(*each.kernel, Op::set_next_task_start);
    each.own_wait = may && m > 0 && contains_op(*each.kernel, Op::wait_pre_task_end);
  }
  for (const LaunchCore& core : cores_) {
    builders_.emplace_back(settings, core.id, core.block, core.sub);
  }
}

void Composer::number_records() {
  int aic_records = 0, aiv_records = 0;
  for (Member& each : members_) {
    each.aic_base = aic_records;
    each.aiv_base = aiv_records;
    if (!each.fed) continue;
    if (runs_on(each.kernel->type, CoreKind::aic)) {
      aic_records += static_cast<int>(each.aic_records.size()) + 1;
    }
    if (runs_on(each.kernel->type, CoreKind::aiv)) {
      aiv_records += static_cast<int>(each.aiv_records.size()) + 1;
    }
  }
}

void Composer::compose() {
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (m > 0) boundary(c, members_[m - 1], members_[m]);
      gates(c, members_[m]);
      around(c, m);
      const bool last = m + 1 == members_.size() && !members_[m].send.empty();
      if (last && settings_.border_behind) full_barrier(c, members_[m].place, true);
      arrivals(c, members_[m]);
    }
  }
  for (CoreBuilder& builder : builders_) launch_.cores.push_back(builder.take());
}

Member Composer::member(int place) const {
  Member made;
  made.place = place;
  made.kernel = &settings_.mix->sub_kernels[static_cast<std::size_t>(place)];
  const SubKernel& kernel = *made.kernel;
  made.recv = settings_.places_of(kernel.recv);
  made.send = settings_.places_of(kernel.send);
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

std::vector<bool> Composer::records(const SubKernel& kernel, CoreKind kind) const {
  std::vector<bool> all;
  if (!runs_on(kernel.type, kind)) return all;
  for_each_instruction(kernel.program(kind), indices(kernel, {{kind, 0}, 0, 0}),
                       [&](const Instruction& in, const Indices&, int) {
                         if (in.op != Op::sync_all) return;
                         if (kind == CoreKind::aiv || !in.aiv_only) all.push_back(in.aiv_only);
                       });
  return all;
}

bool Composer::runs(const SubKernel& kernel, const LaunchCore& core) const {
  if (!runs_on(kernel.type, core.id.kind)) return false;
  return is_aiv_kind(kernel.type) ? core.id.index < kernel.blocks : core.block < kernel.blocks;
}

Indices Composer::indices(const SubKernel& kernel, const LaunchCore& core) const {
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

void Composer::boundary(std::size_t c, const Member& before, const Member& after) {
  CoreBuilder& builder = builders_[c];
  const LaunchCore& core = cores_[c];
  if (options_.early_start == 0) return full_barrier(c, after.place, true);
  const KernelType from = before.kernel->type, to = after.kernel->type;
  const CoreKind kind = core.id.kind;
  if (runs_on(from, kind) && (!before.own_set || !runs(*before.kernel, core))) {
    const bool aic = kind == CoreKind::aic;
    builder.boundary_raise(aic ? Pipe::fix : Pipe::mte3, aic ? 11 : 14, after.place, -1);
  }
  if (!after.own_wait || !runs(*after.kernel, core)) {
    builder.boundary_list(pair_list(from, to, kind), after.place, -1);
  }
}

void Composer::gates(std::size_t c, const Member& member) {
  if (!runs(*member.kernel, cores_[c])) return;
  for (const int event : member.recv) builders_[c].await(event, member.place);
}

/// Every core of its kinds arrives as it does at a boundary behind it.
void Composer::arrivals(std::size_t c, const Member& member) {
  const LaunchCore& core = cores_[c];
  if (member.send.empty() || !runs_on(member.kernel->type, core.id.kind)) return;
  if (member.own_set && runs(*member.kernel, core)) return;
  CoreBuilder& builder = builders_[c];
  const bool drains = options_.early_start == 0 && is_mix_kind(launch_.type);
  if (drains) {
    builder.settle();
    builder.pipe_all();
  }
  for (const int event : member.send) {
    if (drains) {
      builder.scalar_raise(event_mode, event);
    } else {
      const Pipe pipe = core.id.kind == CoreKind::aic ? Pipe::fix : Pipe::mte3;
      builder.event_raise(pipe, event, member.place, -1);
    }
  }
}

void Composer::full_barrier(std::size_t c, int place, bool lands) {
  CoreBuilder& builder = builders_[c];
  if (is_mix_kind(launch_.type)) {
    if (lands) builder.settle();
    return builder.sync_all(false, place, -1);
  }
  const bool aic = cores_[c].id.kind == CoreKind::aic;
  builder.boundary_raise(aic ? Pipe::fix : Pipe::mte3, aic ? 11 : 14, place, -1);
  builder.wait(aic ? 11 : 14, WaitKind::full_core, place, -1);
}

void Composer::around(std::size_t c, std::size_t m) {
  CoreBuilder& builder = builders_[c];
  const LaunchCore& core = cores_[c];
  const Member& member = members_[m];
  const bool own = runs_on(member.kernel->type, core.id.kind);
  const bool here = runs(*member.kernel, core);
  const bool refreshed = here || (own && holds(latitude_pin(38, "all-of-kind")));
  if (member.refresh_before && refreshed) builder.refresh_all();
  if (here) {
    call(c, m, true);
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

void Composer::call(std::size_t c, std::size_t m, bool ends) {
  const LaunchCore& core = cores_[c];
  const Member& member = members_[m];
  const SubKernel& kernel = *member.kernel;
  Run run;
  run.kernel = &kernel;
  run.place = member.place;
  run.refreshes = member.refreshes;
  run.tells_next = member.own_set;
  run.raises = member.send;
  run.publishes = member.fed && core.id.index == 0;
  if (member.own_wait) {
    run.wait_list = member.pair >= 0
                        ? recorded_pair(member.pair, core.id.kind)
                        : pair_list(members_[m - 1].kernel->type, kernel.type, core.id.kind);
  }
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
  if (run.publishes && ends) builders_[c].publish();
}

void Composer::service(Run& run, std::size_t c) const {
  const LaunchCore& core = cores_[c];
  if (core.id.kind == CoreKind::aic || !is_mix_kind(run.kernel->type)) return;
  if (!contains_op(run.kernel->aiv, Op::matmul)) return;
  const int clients = run.kernel->type == KernelType::mix_aic_1_2 ? 2 : 1;
  if (core.sub >= clients) return;
  run.server = core.block;  // AIC cores come first.
  run.client = true;
}

void Composer::complement(std::size_t c, const Member& member) {
  CoreBuilder& builder = builders_[c];
  const CoreKind kind = cores_[c].id.kind;
  const auto& all = kind == CoreKind::aic ? member.aic_records : member.aiv_records;
  std::size_t publisher = 0;
  while (cores_[publisher].id.kind != kind) ++publisher;
  // Records count on from sub kernel to sub kernel; the end of each is one too.
  int seen = kind == CoreKind::aic ? member.aic_base : member.aiv_base;
  const int last = seen + static_cast<int>(all.size()) + 1;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (!settings_.claim->budget().within()) return;
    builder.feed(static_cast<int>(publisher), ++seen, last, member.place);
    // A record is seen as long as no later one stands in its place.
    std::size_t later = r;
    while (later < all.size() && all[later] == all[r]) ++later;
    const int other = later < all.size() ? seen + static_cast<int>(later - r) : 0;
    builder.fed_sync(all[r], other, member.place);
  }
  builder.feed(static_cast<int>(publisher), last, last, member.place);
}

}  // namespace skcts::explorer
