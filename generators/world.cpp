// Lays the world around the sub kernels of a mix: first the launches, then streams with an event
// along each dependence between them, then events that order nothing new, then outside actors, and
// host writes last, because nothing else may touch their words at that time.
#include <algorithm>
#include <string_view>

#include "generators/edit.h"
#include "generators/world_layer.h"

namespace skcts::generators {

namespace {
constexpr int mark_attempts = 6;
}

// Launches ------------------------------------------------------------------------------------

bool World::holds(const LaunchGroup& list, bool feeds) const {
  const std::vector<LaunchGroup> parts = cut_list(case_, plan_.options, list);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const LaunchGroup& part) { return launch_holds(part, feeds); });
}

/// Full-core sync is complete in this launch, too (CORE-4, CORE-5).
bool World::launch_holds(const LaunchGroup& group, bool feeds) const {
  if (group.alone) return true;
  const Launch l = launch_of_group(mix_, plan_.options, group);
  std::vector<Shape> shapes;
  for (const int k : group.subs) {
    shapes.push_back(counted_shape(mix_.sub_kernels[static_cast<std::size_t>(k)]));
  }
  const Launch least = natural_launch(shapes);
  const bool is_enough = l.cubes() >= least.cubes() && l.vectors() >= least.vectors();
  if (!fits(l, profile_) || !is_enough) return false;
  for (const int k : group.subs) {
    const SubKernel& s = mix_.sub_kernels[static_cast<std::size_t>(k)];
    const Shape shape{s.type, s.blocks};
    if (planned(k).is_wave) return false;
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const bool is_full = is_full_width(shape, kind, l);
      bool needs = false;
      for_each_in(s.program(kind), [&](const Instruction& in) {
        needs = needs || (in.op == Op::sync_all && !feeds) ||
                (in.op == Op::cross_core_set_flag && in.mode == 0);
      });
      if (needs && !is_full) return false;
    }
  }
  return true;
}

bool World::all_hold() const {
  const std::vector<LaunchGroup> groups = launch_groups(case_);
  return std::all_of(groups.begin(), groups.end(), [this](const LaunchGroup& g) {
    return holds(g, plan_.options.feed_sync_all);
  });
}

PlanStep World::step_of(StepKind kind, std::vector<std::int32_t> subs) const {
  PlanStep step;
  step.kind = kind;
  step.sub_kernels = std::move(subs);
  return step;
}

PlanStep World::launch(std::vector<std::int32_t> subs) {
  LaunchGroup group;
  group.subs.assign(subs.begin(), subs.end());
  const bool fused = holds(group, plan_.options.feed_sync_all) && !choice_.chance(15);
  return step_of(fused ? StepKind::fused : StepKind::alone, std::move(subs));
}

/// On the path aclgraph names outside the innermost one count, too (ACL-8).
std::string_view World::outer_mark() {
  constexpr std::string_view layers[] = {"layer", "layer1"};
  return plan_.is_captured ? choice_.pick(layers) : layers[0];
}

void World::draw_marks() {
  constexpr std::string_view names[] = {"decode", "attention", "mlp", "moe"};
  const int outer = choice_.below(100);
  int name = choice_.below(4);
  std::vector<std::string> scope;
  for (int k = 0; k < count_; ++k) {
    if (k == 0 || choice_.chance(40)) {
      scope.clear();
      const bool nested = outer < (plan_.is_captured ? 70 : 35) ||
                          wants(Feature::scope_nested) || wants(Feature::captured_scope_set);
      if (nested && may(Feature::scope_nested)) scope.emplace_back(outer_mark());
      const int what = choice_.below(100);
      if (what < 62) {
        name += choice_.chance(85) ? 1 : 0;
        scope.emplace_back(names[name % 4]);
      } else if (what < 80) {
        if (scope.empty()) scope.emplace_back(names[++name % 4]);
        scope.emplace_back();
      } else if (what < 92) {
        scope.clear();
      }
    }
    // The order of the names of a set means nothing.
    const bool turned = plan_.is_captured && scope.size() > 1 && choice_.chance(30);
    if (turned) std::reverse(scope.begin(), scope.end());
    sub(k).scope = scope;
  }
}

/// A sub kernel without a mark between two that have one.
void World::draw_gap() {
  if (count_ < 3) return;
  const int gap = choice_.range(1, count_ - 2);
  sub(gap).scope.clear();
  for (const int k : {gap - 1, gap + 1}) {
    std::vector<std::string>& scope = sub(k).scope;
    if (scope.empty() || scope.back().empty()) scope.emplace_back("decode");
  }
}

void World::lay_marks() {
  for (int attempt = 0; attempt < mark_attempts; ++attempt) {
    draw_marks();
    if (flip(Feature::scope_unmarked, 20)) draw_gap();
    const bool is_marked =
        std::any_of(mix_.sub_kernels.begin(), mix_.sub_kernels.end(),
                    [](const SubKernel& s) { return !s.scope.empty() && !s.scope.back().empty(); });
    if (is_marked && all_hold()) return;
  }
  for (SubKernel& s : mix_.sub_kernels) s.scope.clear();
}

void World::split() {
  std::vector<std::int32_t> subs;
  const auto end = [&] {
    if (!subs.empty()) case_.plan.steps.push_back(launch(std::exchange(subs, {})));
  };
  const int cut = count_ > 1 ? choice_.range(1, count_ - 1) : 0;
  for (int k = 0; k < count_; ++k) {
    if (planned(k).is_wave) {
      end();
      case_.plan.steps.push_back(step_of(StepKind::alone, {k}));
      continue;
    }
    if (k == cut || (k > cut && choice_.chance(20))) end();
    subs.push_back(k);
  }
  end();
}

/// Blocks that wait for a core hold up nobody: all fit at once, or nothing in a launch waits for
/// another core of it (L-22).
bool World::may_compete(const std::vector<PlanStep>& steps) const {
  int cubes = 0;
  int vectors = 0;
  bool waits = false;
  for (const PlanStep& step : steps) {
    LaunchGroup group;
    group.subs.assign(step.sub_kernels.begin(), step.sub_kernels.end());
    if (step.kind == StepKind::fused) {
      const Launch l = launch_of_group(mix_, plan_.options, group);
      cubes += l.cubes();
      vectors += l.vectors();
      waits = true;
      continue;
    }
    int most_cubes = 0;
    int most_vectors = 0;
    for (const int k : group.subs) {
      const SubKernel& s = mix_.sub_kernels[static_cast<std::size_t>(k)];
      most_cubes = std::max(most_cubes, aic_cores(s.type, s.blocks));
      most_vectors = std::max(most_vectors, aiv_cores(s.type, s.blocks));
      waits = waits || touches_.waits_inside(k);
    }
    cubes += most_cubes;
    vectors += most_vectors;
  }
  // A MIX block takes a whole AI Core, and vector blocks may have taken parts of all of them.
  const int blocks = std::max(cubes, (vectors + 1) / 2) + (cubes > 0 ? vectors : 0);
  const bool fit = cubes == 0 ? vectors <= profile_.aiv_count : blocks <= profile_.aic_count;
  return fit || !waits;
}

/// Two of them share a region that scalars touch.
bool World::share_scalars(const std::vector<std::int32_t>& subs) const {
  for (int r = 0; r < touches_.regions(); ++r) {
    int users = 0;
    bool cached = false;
    for (const std::int32_t k : subs) {
      users += touches_.of(k, r).any() ? 1 : 0;
      cached = cached || touches_.of(k, r).cached;
    }
    if (users > 1 && cached) return true;
  }
  return false;
}

void World::put_beside() {
  std::vector<std::int32_t> sides[2];
  for (int k = 0; k < count_; ++k) {
    sides[planned(k).side == planned(0).side ? 0 : 1].push_back(k);
  }
  if (sides[1].empty()) return;
  for (const std::int32_t a : sides[0]) {
    for (const std::int32_t b : sides[1]) {
      if (touches_.share_data(a, b)) return;
    }
  }
  PlanStep both;
  both.kind = StepKind::beside;
  for (auto& side : sides) both.beside.push_back(launch(std::move(side)));
  // Whether launches of one of the streams hand over scalars is open for the model.
  const auto hands_over = [this](const PlanStep& step) {
    return step.kind == StepKind::alone && share_scalars(step.sub_kernels);
  };
  const bool normal = flip(Feature::beside_normal, 50) && !wants(Feature::beside_batch);
  if (normal && !may_compete(both.beside)) {
    for (PlanStep& step : both.beside) step.kind = StepKind::alone;
  }
  if (std::any_of(both.beside.begin(), both.beside.end(), hands_over)) return;
  if (normal && may_compete(both.beside)) both.sharing = CoreSharing::normal;
  case_.plan.steps.push_back(std::move(both));
}

/// Between launches the host may write whatever nobody waits on and no actor touches.
void World::lay_host_writes() {
  std::vector<int> possible;
  for (int r = 0; r < touches_.regions(); ++r) {
    bool waits = is_outside_[static_cast<std::size_t>(r)];
    for (int k = 0; k < count_; ++k) waits = waits || touches_.of(k, r).waits;
    if (!waits) possible.push_back(r);
  }
  std::vector<PlanStep> steps;
  for (std::size_t i = 0; i < case_.plan.steps.size(); ++i) {
    if (i > 0 && !possible.empty() && flip(Feature::host_write, 60)) {
      OutsideActor host;
      put_write(host, choice_.pick(std::span<const int>(possible)));
      PlanStep& step = steps.emplace_back();
      step.kind = StepKind::host_write;
      step.region = host.steps.back().region;
      step.at = host.steps.back().at;
      step.values = std::move(host.steps.back().values);
    }
    steps.push_back(std::move(case_.plan.steps[i]));
  }
  case_.plan.steps = std::move(steps);
}

/// One launch once more, where nothing in it can be used only once.
void World::launch_again() {
  std::vector<PlanStep> possible;
  for (const PlanStep& step : case_.plan.steps) {
    if (step.kind == StepKind::host_write) continue;
    bool once = false;
    for (const std::int32_t k : step.sub_kernels) {
      once = once || !sub(k).recv.empty() || !sub(k).send.empty();
      // Whether the service leaves its flags as they were is open for the model (L-5).
      const std::vector<Stage>& stages = planned(k).stages;
      once = once || std::find(stages.begin(), stages.end(), Stage::matmul) != stages.end();
      for (int r = 0; r < touches_.regions(); ++r) {
        const Touch& t = touches_.of(k, r);
        once = once || t.waits || (t.any() && is_outside_[static_cast<std::size_t>(r)]);
      }
    }
    if (!once) possible.push_back(step);
  }
  if (!possible.empty() && flip(Feature::launch_again, 25)) {
    case_.plan.steps.push_back(choice_.pick(std::span<const PlanStep>(possible)));
  }
}

void World::lay() {
  switch (plan_.world.launching) {
    case Launching::fused: break;
    case Launching::marked: lay_marks(); break;
    case Launching::split: split(); break;
    case Launching::beside: put_beside(); break;
  }
  // A part of a list may be launched with a vector core more than the whole (CORE-1).
  if (plan_.is_captured && !all_hold()) {
    for (SubKernel& s : mix_.sub_kernels) s.batch_mode = false;
  }
  is_outside_.assign(mix_.regions.size(), false);
  find_order();
  if (plan_.world.streams) lay_streams();
  if (plan_.world.events) lay_events();
  if (plan_.world.outside) lay_outside();
  if (plan_.world.launching != Launching::split) return;
  launch_again();
  lay_host_writes();
}

void lay_world(Choice& choice, const Focus& focus, const Profile& profile, const MixPlan& plan,
               Case& value) {
  World(choice, focus, profile, plan, value).lay();
}

}  // namespace skcts::generators
