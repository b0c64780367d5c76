// Draws the stages of a plan, by weights over what each sub kernel can host.
#include "generators/stage_plan.h"

#include <algorithm>
#include <array>

namespace skcts::generators {

namespace {

constexpr bool is_vector_stage(Stage s) {
  return s >= Stage::vector_copy && s <= Stage::ub_scalar;
}
constexpr bool is_cube_stage(Stage s) {
  return s >= Stage::cube_chain && s <= Stage::cube_l1_out;
}
constexpr bool is_either_stage(Stage s) {
  return s >= Stage::scalar_copy && s <= Stage::false_sharing;
}

constexpr bool is_3510_stage(Stage s) {
  return s == Stage::mode_4 || s == Stage::two_waits;
}

/// The 950 has no L1 to GM.
bool exists_on(Stage s, const Profile& profile) {
  return profile.is_3510() ? s != Stage::cube_l1_out : !is_3510_stage(s);
}

int weight_of(Stage s) {
  switch (s) {
    case Stage::none:
    case Stage::lone_query: return 0;
    case Stage::vector_copy: return 22;
    case Stage::vector_tiles:
    case Stage::vector_gather:
    case Stage::vector_reload:
    case Stage::query: return 6;
    case Stage::vector_queue: return 8;
    case Stage::vector_queue_double:
    case Stage::vector_two_pipes: return 6;
    case Stage::cube_short: return 14;
    case Stage::cube_queue: return 3;
    case Stage::scalar_copy:
    case Stage::scalar_store: return 16;
    case Stage::bypass_copy:
    case Stage::poll: return 12;
    case Stage::sync_vector:
    case Stage::hand_made: return 22;
    case Stage::sync_both: return 30;
    case Stage::mode_1: return 26;
    case Stage::soft:
    case Stage::ib: return 10;
    case Stage::matmul: return 18;
    case Stage::cube_to_vector:
    case Stage::vector_to_cube: return 14;
    case Stage::ring: return 12;
    case Stage::run_ahead:
    case Stage::two_flags: return 10;
    case Stage::mode_4: return 20;
    case Stage::two_waits: return 12;
    default: return 7;
  }
}

class StagePlanner {
 public:
  StagePlanner(Choice& choice, const Focus& focus, const Profile& profile, bool is_full_chip,
               MixPlan& plan)
      : choice_(choice),
        focus_(focus),
        profile_(profile),
        is_full_chip_(is_full_chip),
        plan_(plan) {
    draw_swarm();
  }

  void draw_stages_of(SubPlan& sub, const Demand& demand, bool is_demanded);

 private:
  [[nodiscard]] bool avoids(Feature f) const { return focus_.avoid.has(f); }
  void draw_swarm();
  Stage draw_stage(const SubPlan& sub, const Host& host, bool vectors, bool cubes);
  [[nodiscard]] int weight_in(Stage s, const SubPlan& sub, const Host& host) const;

  Choice& choice_;
  const Focus& focus_;
  const Profile& profile_;
  bool is_full_chip_;
  MixPlan& plan_;
  std::array<Stage, stage_count> enabled_{};
  std::size_t enabled_count_ = 0;
};

void StagePlanner::draw_swarm() {
  bool on[stage_count];
  for (std::size_t i = 0; i < stage_count; ++i) {
    on[i] = exists_on(static_cast<Stage>(i), profile_) && choice_.chance(62);
  }
  const auto block = [this, &on](Feature f, Stage s) {
    if (avoids(f)) on[static_cast<std::size_t>(s)] = false;
  };
  block(Feature::sync_all_vector, Stage::sync_vector);
  block(Feature::sync_all_both, Stage::sync_both);
  block(Feature::hand_made_full_core, Stage::hand_made);
  block(Feature::mode_1, Stage::mode_1);
  for (const Stage s : {Stage::cube_to_vector, Stage::ring, Stage::run_ahead, Stage::two_flags}) {
    block(Feature::mode_2_from_cube, s);
  }
  block(Feature::mode_2_from_vector, Stage::vector_to_cube);
  block(Feature::mode_2_from_vector, Stage::ring);
  block(Feature::ring, Stage::ring);
  block(Feature::soft_sync_all, Stage::soft);
  block(Feature::ib_sync, Stage::ib);
  block(Feature::poll, Stage::poll);
  block(Feature::matmul, Stage::matmul);
  block(Feature::l1_to_gm, Stage::cube_l1_out);
  block(Feature::atomic_add, Stage::atomic);
  block(Feature::run_ahead, Stage::run_ahead);
  block(Feature::two_flags, Stage::two_flags);
  block(Feature::mode_4, Stage::mode_4);
  block(Feature::wait_on_pipe, Stage::two_waits);
  block(Feature::waits_on_two_pipes, Stage::two_waits);
  block(Feature::repeat, Stage::run_ahead);
  block(Feature::tpipe_several, Stage::vector_two_pipes);
  block(Feature::single_instruction, Stage::lone_query);
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto s = static_cast<Stage>(i);
    if (on[i] && weight_of(s) > 0) enabled_[enabled_count_++] = s;
  }
}

/// Raised where a stage shows more: a reader after a scalar writer, a fed SyncAll.
int StagePlanner::weight_in(Stage s, const SubPlan& sub, const Host& host) const {
  int weight = weight_of(s);
  const bool syncs = s == Stage::sync_vector || s == Stage::sync_both;
  if (syncs && host.feed && !host.all_vectors) {
    weight *= 3;
  }
  if (s == Stage::scalar_copy && &sub != &plan_.subs.front()) {
    const auto& before = (&sub - 1)->stages;
    const auto is_scalar = [](Stage t) {
      return t == Stage::scalar_copy || t == Stage::scalar_store;
    };
    if (std::any_of(before.begin(), before.end(), is_scalar)) weight *= 8;
  }
  return weight;
}

Stage StagePlanner::draw_stage(const SubPlan& sub, const Host& host, bool vectors, bool cubes) {
  Stage stages[stage_count];
  int weights[stage_count];
  std::size_t count = 0;
  for (std::size_t i = 0; i < enabled_count_; ++i) {
    const Stage s = enabled_[i];
    const bool on_side = is_vector_stage(s)   ? vectors
                         : is_cube_stage(s)   ? cubes
                         : is_either_stage(s) ? true
                                              : vectors && cubes;
    if (!on_side || !can_host(s, host)) continue;
    stages[count] = s;
    weights[count++] = weight_in(s, sub, host);
  }
  if (count == 0) return vectors && host.vectors ? Stage::vector_copy : Stage::cube_short;
  return stages[choice_.weighted(std::span<const int>(weights, count))];
}

void StagePlanner::draw_stages_of(SubPlan& sub, const Demand& demand, bool is_demanded) {
  const bool is_mix = is_mix_kind(sub.shape.type);
  const Host host = host_of(sub, plan_.launch, plan_.options, profile_);
  const bool exists = demand.stage != Stage::none && exists_on(demand.stage, profile_);
  // Beside neighbours that are asked for, and on the path aclgraph, a launch may come out wider
  // than the demands foresaw, and nothing is fed.
  const bool may_differ = focus_.neighbours || plan_.is_captured;
  const bool counts = (demand.stage != Stage::soft || host.soft) &&
                      (!may_differ || can_host(demand.stage, host));
  if (is_demanded && exists && counts) sub.stages.push_back(demand.stage);
  if (demand.stage == Stage::lone_query) {
    sub.drop_calls();
    return;
  }
  if (sub.stages.empty() && choice_.chance(1)) {  // an empty sub kernel, or one query
    if (choice_.chance(50)) sub.stages.push_back(Stage::lone_query);
    sub.drop_calls();
    return;
  }
  const int draw = choice_.below(100);
  int count = is_mix ? (draw < 78 ? 1 : draw < 97 ? 2 : 3) : (draw < 84 ? 1 : draw < 98 ? 2 : 3);
  if (is_full_chip_) count = std::min(count, 2);
  while (static_cast<int>(sub.stages.size()) < count) {
    sub.stages.push_back(draw_stage(sub, host, true, true));
  }
  if (sub.direct_launch && choice_.chance(50)) sub.stages.push_back(Stage::query);
  const auto has = [&sub](auto test) {
    return std::any_of(sub.stages.begin(), sub.stages.end(), test);
  };
  // No full-core sync in a head or tail, whether the calls take part or not (TASK-7).
  const bool full = has([](Stage s) { return s >= Stage::sync_vector && s <= Stage::hand_made; });
  if (full) sub.idle_set = sub.idle_wait = false;
  if (has([](Stage s) { return s == Stage::matmul; })) {
    // The service has the cube side: nothing else runs there, no call of early start either.
    sub.drop_calls();
    std::erase_if(sub.stages, [&](Stage s) {
      return is_cube_stage(s) || s == Stage::sync_both ||
             (s >= Stage::cube_to_vector && s <= Stage::two_waits);
    });
    return;
  }
  if (!is_mix) return;
  const bool linked = has([](Stage s) { return s >= Stage::sync_both && s != Stage::mode_1; });
  if (linked || choice_.chance(40)) return;
  if (!has([](Stage s) { return !is_cube_stage(s); })) {
    sub.stages.push_back(draw_stage(sub, host, true, false));
  }
  if (!has(is_cube_stage)) sub.stages.push_back(draw_stage(sub, host, false, true));
}

}  // namespace

Host host_of(const SubPlan& sub, const Launch& launch, const Options& options,
             const Profile& profile) {
  const Shape& shape = sub.shape;
  // Each is then launched on the whole chip (ACL-9), or in batch mode on another number of cores.
  const bool by_itself = options.per_op_max_core_num;
  return {.shape = shape,
          .vectors = runs_on(shape.type, CoreKind::aiv),
          .cubes = runs_on(shape.type, CoreKind::aic),
          .all_vectors = !by_itself && is_full_width(shape, CoreKind::aiv, launch),
          .all_cubes = !by_itself && is_full_width(shape, CoreKind::aic, launch),
          .flags = shape.type != KernelType::aiv_only && shape.type != KernelType::aic_only,
          .feed = options.feed_sync_all,
          .waits = !sub.is_wave,
          .soft = !profile.is_3510() || (!by_itself && is_soft_width_of_3510(shape, launch))};
}

bool can_host(Stage stage, const Host& h) {
  const bool mix = is_mix_kind(h.shape.type);
  const bool is_wait = stage == Stage::poll || stage >= Stage::sync_vector;
  if (is_wait && !h.waits) return false;
  switch (stage) {
    case Stage::sync_vector: return h.flags && h.vectors && (h.all_vectors || h.feed);
    case Stage::sync_both: return mix && ((h.all_vectors && h.all_cubes) || h.feed);
    case Stage::hand_made: return h.flags && (h.all_vectors || h.all_cubes);
    case Stage::mode_1: return h.shape.type == KernelType::mix_aic_1_2;
    case Stage::cube_to_vector:
    case Stage::vector_to_cube:
    case Stage::ring:
    case Stage::run_ahead:
    case Stage::two_flags:
    case Stage::two_waits:
    case Stage::matmul: return mix;
    case Stage::mode_4: return h.shape.type == KernelType::mix_aic_1_2;
    case Stage::soft: return is_aiv_kind(h.shape.type) && h.soft;
    case Stage::ib: return is_aiv_kind(h.shape.type) && h.shape.blocks >= 2;
    default: break;
  }
  if (is_vector_stage(stage)) return h.vectors;
  if (is_cube_stage(stage)) return h.cubes;
  return true;
}

void draw_stages(Choice& choice, const Focus& focus, const Profile& profile,
                 const std::vector<Demand>& wanted, const std::vector<bool>& is_demanded,
                 bool is_full_chip, MixPlan& plan) {
  StagePlanner planner(choice, focus, profile, is_full_chip, plan);
  for (std::size_t k = 0; k < plan.subs.size(); ++k) {
    planner.draw_stages_of(plan.subs[k], wanted[k], is_demanded[k]);
  }
}

}  // namespace skcts::generators
