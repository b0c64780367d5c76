// Lays the world around the sub kernels of a mix: first the launches, then streams with an event
// along each dependence between them, then events that order nothing new, then outside actors, and
// host writes last, because nothing else may touch their words at that time.
#include "generators/world.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/edit.h"
#include "generators/generate.h"
#include "generators/groups.h"
#include "generators/plan.h"
#include "generators/touches.h"

namespace skcts::generators {

namespace {

constexpr int mark_attempts = 6;
constexpr std::uint32_t outside_values = 0x7a000000u;  ///< Values that no instruction writes.

class World {
 public:
  World(Choice& choice, const Focus& focus, const Profile& profile, const MixPlan& plan, Case& c)
      : choice_(choice),
        focus_(focus),
        profile_(profile),
        plan_(plan),
        case_(c),
        mix_(c.mix),
        touches_(c.mix),
        count_(static_cast<int>(c.mix.sub_kernels.size())) {}

  void lay();

 private:
  [[nodiscard]] bool wants(Feature f) const { return focus_.require.has(f); }
  [[nodiscard]] bool may(Feature f) const { return !focus_.avoid.has(f); }
  bool flip(Feature f, int percent) {
    const bool coin = choice_.chance(percent);
    return wants(f) || (coin && may(f));
  }
  SubKernel& sub(int k) { return mix_.sub_kernels[static_cast<std::size_t>(k)]; }
  [[nodiscard]] const SubPlan& planned(int k) const {
    return plan_.subs[static_cast<std::size_t>(k)];
  }

  // launches
  void lay_marks();
  void draw_marks();
  void draw_gap();
  void split();
  void put_beside();
  PlanStep step_of(StepKind kind, std::vector<std::int32_t> subs) const;
  /// A fused launch of these sub kernels where it can be one; else each alone.
  PlanStep launch(std::vector<std::int32_t> subs);
  [[nodiscard]] bool holds(const LaunchGroup& group, bool feeds) const;
  [[nodiscard]] bool all_hold() const;
  [[nodiscard]] bool may_compete(const std::vector<PlanStep>& steps) const;

  // order
  void find_order();
  void lay_streams();
  void connect(const LaunchGroup& group);
  void add_event(int from, int to);
  /// All of sub kernel a comes before all of b.
  [[nodiscard]] bool before(int a, int b) const {
    return order_[static_cast<std::size_t>(a * count_ + b)];
  }
  void order(int a, int b);
  void lay_events();

  // outside
  void lay_outside();
  bool lay_actor(OutsideActor& actor);
  bool feed_from_outside(OutsideActor& actor, int after);
  bool take_outside(OutsideActor& actor, int& waited);
  [[nodiscard]] std::vector<int> regions_touched_by(int k) const;
  [[nodiscard]] std::vector<int> regions_done_by(int k) const;
  [[nodiscard]] bool may_be_fed(int k) const;
  void put_write(OutsideActor& actor, int region);
  std::int16_t fresh_region();
  std::string event_name() { return "e" + std::to_string(events_++); }
  void lay_host_writes();
  void launch_again();

  Choice& choice_;
  const Focus& focus_;
  const Profile& profile_;
  const MixPlan& plan_;
  Case& case_;
  Mix& mix_;
  Touches touches_;
  int count_;
  std::vector<bool> order_;
  std::vector<bool> is_outside_;  ///< Regions that an actor touches.
  int events_ = 0;
  std::uint32_t written_ = 0;
};

// Launches ------------------------------------------------------------------------------------

/// Full-core sync is complete in this launch, too (CORE-4, CORE-5).
bool World::holds(const LaunchGroup& group, bool feeds) const {
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

void World::draw_marks() {
  constexpr std::string_view names[] = {"decode", "attention", "mlp", "moe"};
  const int outer = choice_.below(100);
  int name = choice_.below(4);
  std::vector<std::string> scope;
  for (int k = 0; k < count_; ++k) {
    if (k == 0 || choice_.chance(40)) {
      scope.clear();
      const bool nested = outer < 35 || wants(Feature::scope_nested);
      if (nested && may(Feature::scope_nested)) scope.emplace_back("layer");
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
    const bool is_marked = std::any_of(
        mix_.sub_kernels.begin(), mix_.sub_kernels.end(),
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
  const bool normal = flip(Feature::beside_normal, 50) && !wants(Feature::beside_batch);
  if (normal && !may_compete(both.beside)) {
    for (PlanStep& step : both.beside) step.kind = StepKind::alone;
  }
  if (normal && may_compete(both.beside)) both.sharing = CoreSharing::normal;
  case_.plan.steps.push_back(std::move(both));
}

// Order ---------------------------------------------------------------------------------------

void World::order(int a, int b) {
  for (int x = 0; x < count_; ++x) {
    for (int y = 0; y < count_; ++y) {
      if ((x == a || before(x, a)) && (y == b || before(b, y))) {
        order_[static_cast<std::size_t>(x * count_ + y)] = true;
      }
    }
  }
}

void World::add_event(int from, int to) {
  const std::string name = event_name();
  sub(from).send.push_back(name);
  sub(to).recv.push_back(name);
  order(from, to);
}

/// What launches and lists order, before any event.
void World::find_order() {
  order_.assign(static_cast<std::size_t>(count_ * count_), false);
  std::vector<int> group_of(static_cast<std::size_t>(count_), -1);
  const std::vector<LaunchGroup> groups = launch_groups(case_);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int k : groups[g].subs) group_of[static_cast<std::size_t>(k)] = static_cast<int>(g);
  }
  for (int a = 0; a < count_; ++a) {
    for (int b = a + 1; b < count_; ++b) {
      const int of = group_of[static_cast<std::size_t>(a)];
      if (of < 0 || of != group_of[static_cast<std::size_t>(b)]) {
        order(a, b);
        continue;
      }
      const LaunchGroup& group = groups[static_cast<std::size_t>(of)];
      const bool in_line = !is_two_stream(mix_, plan_.options, group);
      if (in_line || sub(a).stream == sub(b).stream) order(a, b);
    }
  }
}

/// Two streams of one launch: an event along each dependence that nothing else orders. In line: an
/// event between neighbours of different streams.
void World::connect(const LaunchGroup& group) {
  const bool free = is_two_stream(mix_, plan_.options, group);
  for (std::size_t j = 1; j < group.subs.size(); ++j) {
    const int b = group.subs[j];
    if (!free) {
      const int a = group.subs[j - 1];
      if (sub(a).stream != sub(b).stream) add_event(a, b);
      continue;
    }
    for (std::size_t i = j; i-- > 0;) {
      const int a = group.subs[i];
      const bool depends = touches_.share_data(a, b) || touches_.share_flags(a, b);
      if (depends && !before(a, b)) add_event(a, b);
    }
  }
}

void World::lay_streams() {
  std::vector<LaunchGroup> groups = launch_groups(case_);
  for (int k = 0; k < count_; ++k) sub(k).stream = planned(k).side;
  for (const LaunchGroup& group : groups) {
    if (group.alone || holds(group, plan_.options.feed_sync_all && !plan_.options.stream_fusion)) {
      continue;
    }
    for (const int k : group.subs) sub(k).stream = 0;
  }
  find_order();
  for (const LaunchGroup& group : groups) {
    if (!group.alone) connect(group);
  }
}

/// Events along an order that is there without them.
void World::lay_events() {
  const int wanted = choice_.range(1, 2);
  for (int i = 0, tries = 0; i < wanted && tries < 12 && count_ > 1; ++tries) {
    const int b = choice_.range(1, count_ - 1);
    const int a = choice_.below(b);
    if (!before(a, b)) continue;
    add_event(a, b);
    ++i;
  }
}

// Outside -------------------------------------------------------------------------------------

/// Regions that sub kernel k alone touches, and not through a cache.
std::vector<int> World::regions_touched_by(int k) const {
  std::vector<int> found;
  for (int r = 0; r < touches_.regions(); ++r) {
    if (!touches_.of(k, r).any() || is_outside_[static_cast<std::size_t>(r)]) continue;
    bool possible = true;
    for (int other = 0; other < count_; ++other) {
      const Touch& t = touches_.of(other, r);
      if (!t.any()) continue;
      possible = possible && !t.cached && !t.waits && other == k;
    }
    if (possible) found.push_back(r);
  }
  return found;
}

/// Regions that only sub kernel k and those before it touch.
std::vector<int> World::regions_done_by(int k) const {
  std::vector<int> found;
  for (int r = 0; r < touches_.regions(); ++r) {
    if (!touches_.of(k, r).any() || is_outside_[static_cast<std::size_t>(r)]) continue;
    bool possible = true;
    for (int other = 0; other < count_; ++other) {
      const Touch& t = touches_.of(other, r);
      if (!t.any()) continue;
      possible = possible && !t.waits && !t.late && (other == k || before(other, k));
    }
    if (possible) found.push_back(r);
  }
  return found;
}

void World::put_write(OutsideActor& actor, int region) {
  const int words = mix_.regions[static_cast<std::size_t>(region)].words;
  OutsideStep& step = actor.steps.emplace_back();
  step.kind = OutsideKind::write;
  step.region = static_cast<std::int16_t>(region);
  const int count = std::min(words, choice_.chance(50) ? 8 : 16);
  step.at = words > count ? choice_.below((words - count) / 8 + 1) * 8 : 0;
  for (int i = 0; i < count; ++i) step.values.push_back(outside_values + ++written_);
}

std::int16_t World::fresh_region() {
  Region& r = mix_.regions.emplace_back();
  r.name = "o" + std::to_string(mix_.regions.size() - 1);
  r.words = 16;
  r.init.first = 0x7b000000u;
  r.init.step = 1;
  is_outside_.push_back(true);
  return static_cast<std::int16_t>(mix_.regions.size() - 1);
}

/// An event from outside to one of several sub kernels of one of several launches is open for the
/// model.
bool World::may_be_fed(int k) const {
  const std::vector<LaunchGroup> groups = launch_groups(case_);
  return groups.size() == 1 || std::any_of(groups.begin(), groups.end(), [k](const auto& group) {
           return group.subs.size() == 1 && group.subs.front() == k;
         });
}

/// Words that a sub kernel then reads or writes over: written, or copied from what the actor took
/// before. The sub kernel comes after `after`, if that is one.
bool World::feed_from_outside(OutsideActor& actor, int after) {
  std::vector<std::pair<int, int>> possible;
  for (int k = 0; k < count_; ++k) {
    if ((after >= 0 && !before(after, k)) || !may_be_fed(k)) continue;
    for (const int r : regions_touched_by(k)) possible.emplace_back(k, r);
  }
  if (possible.empty()) return false;
  const auto [k, r] = choice_.pick(std::span<const std::pair<int, int>>(possible));
  is_outside_[static_cast<std::size_t>(r)] = true;
  put_write(actor, r);
  if (after >= 0 && flip(Feature::outside_copy, 60)) {
    OutsideStep& step = actor.steps.back();
    const OutsideStep from = actor.steps[actor.steps.size() - 2];
    if (from.kind == OutsideKind::copy) {
      step.kind = OutsideKind::copy;
      step.to = step.region;
      step.to_at = step.at;
      step.region = from.to;
      step.at = 0;
      step.count = 8;
      step.values.clear();
    }
  }
  OutsideStep& raise = actor.steps.emplace_back();
  raise.kind = OutsideKind::raise;
  raise.event = event_name();
  sub(k).recv.push_back(raise.event);
  return true;
}

/// Waits for a sub kernel and copies or writes over what it left.
bool World::take_outside(OutsideActor& actor, int& waited) {
  std::vector<std::pair<int, int>> possible;
  for (int k = 0; k < count_; ++k) {
    for (const int r : regions_done_by(k)) possible.emplace_back(k, r);
  }
  if (possible.empty()) return false;
  const auto [k, r] = choice_.pick(std::span<const std::pair<int, int>>(possible));
  waited = k;
  is_outside_[static_cast<std::size_t>(r)] = true;
  OutsideStep& wait = actor.steps.emplace_back();
  wait.kind = OutsideKind::wait;
  wait.event = event_name();
  sub(k).send.push_back(wait.event);
  if (!flip(Feature::outside_copy, 65)) {
    put_write(actor, r);
    return true;
  }
  const int words = mix_.regions[static_cast<std::size_t>(r)].words;
  const std::int16_t to = fresh_region();
  OutsideStep& copy = actor.steps.emplace_back();
  copy.kind = OutsideKind::copy;
  copy.region = static_cast<std::int16_t>(r);
  copy.at = words > 8 ? choice_.below((words - 8) / 8 + 1) * 8 : 0;
  copy.to = to;
  copy.to_at = choice_.below(2) * 8;
  copy.count = std::min(words, 8);
  return true;
}

bool World::lay_actor(OutsideActor& actor) {
  const int what = choice_.below(100);
  const bool takes = what < 60 || wants(Feature::event_to_outside) || wants(Feature::outside_copy);
  const bool feeds = what >= 35 || wants(Feature::event_from_outside);
  int waited = -1;
  const bool took = takes && take_outside(actor, waited);
  // A copy that is handed on starts at the word that was copied to.
  if (took && feeds && actor.steps.back().kind == OutsideKind::copy) actor.steps.back().to_at = 0;
  const bool fed = feeds && feed_from_outside(actor, took ? waited : -1);
  if (!took && !fed && choice_.chance(50)) put_write(actor, fresh_region());
  return !actor.steps.empty();
}

void World::lay_outside() {
  const int wanted = choice_.chance(30) ? 2 : 1;
  for (int i = 0; i < wanted; ++i) {
    OutsideActor actor;
    actor.name = "actor" + std::to_string(i);
    if (lay_actor(actor)) mix_.outside.push_back(std::move(actor));
  }
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
  is_outside_.assign(mix_.regions.size(), false);
  find_order();
  if (plan_.world.streams) lay_streams();
  if (plan_.world.events) lay_events();
  if (plan_.world.outside) lay_outside();
  if (plan_.world.launching != Launching::split) return;
  launch_again();
  lay_host_writes();
}

}  // namespace

void lay_world(Choice& choice, const Focus& focus, const Profile& profile, const MixPlan& plan,
               Case& value) {
  World(choice, focus, profile, plan, value).lay();
}

}  // namespace skcts::generators
