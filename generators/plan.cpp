// Draws the plan of a mix. Order: world, size, launch scheme, sub kernels, calls of early start,
// placements, sides, options, launch, stages. The launch is always computed from the shapes that
// were drawn, so that what depends on it (full width, feeding) is right whatever the scheme
// intended.
#include "generators/plan.h"

#include <algorithm>

#include "generators/neighbours.h"
#include "generators/stage_plan.h"

namespace skcts::generators {

namespace {

struct Limits {
  int blocks[4];  ///< Most blocks of a 0:1, 1:0, 1:1, 1:2 launch.
  int min_subs;
  int max_subs;
};

Limits limits_of(Size size, const Profile& p) {
  Limits l{};
  switch (size) {
    case Size::tiny: l = {{2, 2, 1, 1}, 1, 2}; break;
    case Size::medium: l = {{20, 12, 10, 7}, 3, 8}; break;
    case Size::full_chip: l = {{p.aiv_count, p.aic_count, p.aic_count, p.aic_count}, 2, 8}; break;
    default: l = {{8, 6, 4, 3}, 2, 6}; break;
  }
  l.blocks[0] = std::min(l.blocks[0], p.aiv_count);
  for (int s = 1; s < 4; ++s) l.blocks[s] = std::min(l.blocks[s], p.aic_count);
  return l;
}

/// Draws one plan; the members are what later steps need of earlier ones.
class Planner {
 public:
  Planner(Choice& choice, const Focus& focus, const Profile& profile, bool is_captured)
      : choice_(choice), focus_(focus), profile_(profile), demands_(demands_of(focus.require)) {
    plan_.is_captured = is_captured;
    if (focus.neighbours && fits(*focus.neighbours, profile)) {
      demand_neighbours(*focus.neighbours, demands_);
    }
    if (profile.is_3510()) widen_soft_sync();
  }

  MixPlan make();

 private:
  [[nodiscard]] bool wants(Feature f) const { return focus_.require.has(f); }
  [[nodiscard]] bool avoids(Feature f) const { return focus_.avoid.has(f); }
  /// A coin that the focus may have decided.
  bool flip(Feature f, int percent) {
    const bool coin = choice_.chance(percent);
    return wants(f) || (coin && !avoids(f));
  }

  /// There a soft SyncAll needs all vector cores of a launch without cube cores.
  void widen_soft_sync() {
    bool soft = false;
    for (Demand& d : demands_.subs) {
      if (d.stage != Stage::soft) continue;
      soft = true;
      d.width = Width::full;
      demands_.schemes &= 1;
    }
    for (Demand& d : demands_.subs) {
      // Where no cube core raises a flag vector cores do.
      if (!soft || d.stage != Stage::cube_to_vector) continue;
      d = {.types = type_bit(KernelType::mix_aiv_1_0),
           .width = Width::full,
           .stage = Stage::hand_made};
    }
  }
  /// Streams of a captured graph are fused whatever the options say (ACL-3).
  void suit_world() {
    WorldPlan& world = plan_.world;
    world.fusion = true;
    world.counted = false;
    if (wants(Feature::captured_scope_set)) world.launching = Launching::marked;
    const bool in_streams = wants(Feature::captured_streams);
    world.streams = world.streams || in_streams;
    const bool beside = world.launching == Launching::beside;
    if (in_streams && beside) world.launching = Launching::fused;
    const bool whole = wants(Feature::captured_batch_cut) || wants(Feature::captured_by_itself) ||
                       wants(Feature::captured_plain_launch) || wants(Feature::captured_direct);
    if (whole && beside) world.launching = Launching::fused;
  }
  void draw_size();
  void draw_scheme();
  void lay_demands();
  void draw_shapes();
  void put_anchor();
  void put_rounding();
  void draw_options();
  void draw_plain_options();
  void draw_core_numbers();
  void draw_counted();
  void draw_sides();
  void draw_wave();
  [[nodiscard]] std::vector<Shape> counted_shapes() const;
  void draw_placements();
  void write_lists();
  void draw_tasks();

  [[nodiscard]] int full(KernelType t) const;
  [[nodiscard]] TypeMask possible(const Demand& d) const;
  KernelType draw_type(TypeMask mask);
  int draw_blocks(KernelType t, Width width);
  [[nodiscard]] bool demands_full() const;

  Choice& choice_;
  const Focus& focus_;
  const Profile& profile_;
  Demands demands_;
  Size size_ = Size::small;
  Limits limits_{};
  int scheme_ = 3;
  int blocks_ = 1;
  bool rounded_ = false;
  TypeMask types_ = any_type;
  MixPlan plan_;
  std::vector<Demand> wanted_;  ///< One a sub kernel.
  std::vector<bool> is_demanded_;
};

void Planner::draw_size() {
  size_ = focus_.size;
  if (size_ == Size::swarm) {
    constexpr int weights[] = {30, 952, 15, 3};
    constexpr Size sizes[] = {Size::tiny, Size::small, Size::medium, Size::full_chip};
    size_ = sizes[choice_.weighted(weights)];
    const bool is_small = size_ == Size::tiny && !focus_.require.empty();
    if (is_small) size_ = Size::small;
    if (avoids(Feature::full_chip) && size_ == Size::full_chip) size_ = Size::medium;
  }
  if (wants(Feature::full_chip)) size_ = Size::full_chip;
  limits_ = limits_of(size_, profile_);
}

void Planner::draw_scheme() {
  SchemeMask allowed = 0;
  for (int s = 0; s < 4; ++s) {
    bool fits_all = (demands_.schemes >> s & 1) != 0;
    for (const Demand& d : demands_.subs) fits_all = fits_all && (d.types & types_of_scheme(s));
    constexpr Feature features[] = {Feature::launch_0_1, Feature::launch_1_0, Feature::launch_1_1,
                                    Feature::launch_1_2};
    if (fits_all && !avoids(features[s])) allowed |= static_cast<SchemeMask>(1 << s);
  }
  if (allowed == 0) allowed = 8;
  constexpr int base[] = {14, 8, 28, 50};
  int weights[4];
  for (int s = 0; s < 4; ++s) weights[s] = (allowed >> s & 1) != 0 ? base[s] : 0;
  scheme_ = choice_.weighted(weights);
  const int most = limits_.blocks[scheme_];
  const int least = std::min(most, demands_.min_blocks);
  blocks_ = size_ == Size::full_chip ? most : choice_.range(1, most);
  if (size_ == Size::small) {
    blocks_ = std::min(blocks_, choice_.range(1, most));
    if (blocks_ == 1 && choice_.chance(30)) blocks_ = std::min(most, 2);
  }
  blocks_ = std::max(blocks_, least);
  const bool coin = choice_.chance(25);
  rounded_ = scheme_ == 3 && blocks_ >= 2 && (demands_.rounded || (coin && !demands_full()));
  if (demands_.fixed && !demands_.rounded) rounded_ = false;
  types_ = types_of_scheme(scheme_);
  // Swarm: a mix of few types shows what a mix of all hides.
  const auto some = static_cast<TypeMask>(choice_.below(64));
  if (choice_.chance(50) && (some & types_) != 0) types_ &= some;
}

bool Planner::demands_full() const {
  for (const Demand& d : demands_.subs) {
    if (d.width == Width::full) return true;
  }
  return false;
}

void Planner::lay_demands() {
  const int demanded = static_cast<int>(demands_.subs.size());
  int low = std::max({limits_.min_subs, focus_.min_sub_kernels, demanded});
  const bool is_cut = plan_.world.launching != Launching::fused || plan_.world.streams;
  if (is_cut && size_ != Size::tiny) low = std::max(low, std::min(3, focus_.max_sub_kernels));
  const int high = std::clamp(std::min(limits_.max_subs, focus_.max_sub_kernels), 1, 8);
  low = std::min(low, std::max(high, demanded));
  int count = choice_.range(low, std::max(low, high));
  if (size_ == Size::small) {
    constexpr int weights[] = {18, 38, 27, 11, 6};
    count = std::clamp(2 + choice_.weighted(weights), low, std::max(low, high));
  }
  wanted_ = demands_.subs;
  is_demanded_.assign(wanted_.size(), true);
  while (static_cast<int>(wanted_.size()) < count) {
    int place = choice_.below(static_cast<int>(wanted_.size()) + 1);
    while (place < static_cast<int>(wanted_.size()) && wanted_[place].joined) ++place;
    wanted_.insert(wanted_.begin() + place, Demand{});
    is_demanded_.insert(is_demanded_.begin() + place, false);
  }
}

int Planner::full(KernelType t) const {
  if (!is_aiv_kind(t) || scheme_ != 3) return blocks_;
  return rounded_ ? 2 * blocks_ - 1 : 2 * blocks_;
}

TypeMask Planner::possible(const Demand& d) const {
  const auto mask = static_cast<TypeMask>(d.types & types_of_scheme(scheme_));
  if ((mask & types_) != 0 && d.types == any_type) return mask & types_;
  return mask != 0 ? mask : types_of_scheme(scheme_);
}

KernelType Planner::draw_type(TypeMask mask) {
  int weights[6];
  for (int t = 0; t < 6; ++t) weights[t] = mask >> t & 1;
  return all_kernel_types[choice_.weighted(weights)];
}

int Planner::draw_blocks(KernelType t, Width width) {
  const int most = full(t);
  switch (width) {
    case Width::full: return most;
    case Width::one: return 1;
    case Width::narrow: return choice_.range(1, std::max(1, most - 1));
    case Width::many: return choice_.range(std::min(2, most), most);
    case Width::odd: {
      const int odd = choice_.range(1, std::max(1, (most - 1) / 2)) * 2 + 1;
      return std::min(odd, most);
    }
    case Width::any: break;
  }
  const int how = choice_.below(100);
  if (how < 50) return most;
  if (how < 60) return 1;
  return choice_.range(1, most);
}

void Planner::draw_shapes() {
  plan_.subs.resize(wanted_.size());
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    Shape& shape = plan_.subs[k].shape;
    if (wanted_[k].same_shape && k > 0) {
      shape = plan_.subs[k - 1].shape;
      continue;
    }
    shape.type = draw_type(possible(wanted_[k]));
    shape.blocks = draw_blocks(shape.type, wanted_[k].width);
    if (wanted_[k].blocks > 0) shape.blocks = wanted_[k].blocks;
  }
}

/// One sub kernel gets the width that the scheme was drawn for.
void Planner::put_anchor() {
  constexpr TypeMask anchors[] = {
      vector_kinds, cube_kinds,
      static_cast<TypeMask>(cube_kinds | type_bit(KernelType::mix_aic_1_1)),
      type_bit(KernelType::mix_aic_1_2)};
  const TypeMask mask = anchors[scheme_];
  const int count = static_cast<int>(plan_.subs.size());
  const int start = choice_.below(count);
  int found = -1;
  for (int i = 0; i < count && found < 0; ++i) {
    const int k = (start + i) % count;
    const Demand& d = wanted_[k];
    const bool is_free = d.blocks == 0 &&
                         (d.width == Width::any || d.width == Width::full ||
                          (d.width == Width::many && full(plan_.subs[k].shape.type) >= 2));
    const bool linked = d.same_shape || (k + 1 < count && wanted_[k + 1].same_shape);
    const bool has_type = (mask & type_bit(plan_.subs[k].shape.type)) != 0;
    if (is_free && (has_type || (!linked && (d.types & mask) != 0))) found = k;
  }
  if (found < 0) {
    plan_.subs.emplace_back();
    wanted_.emplace_back();
    is_demanded_.push_back(false);
    found = count;
  }
  Shape& shape = plan_.subs[found].shape;
  const auto types = static_cast<TypeMask>(mask & wanted_[found].types);
  if ((mask & type_bit(shape.type)) == 0) shape.type = draw_type(types != 0 ? types : mask);
  if (scheme_ == 2) {
    bool has_vectors = false;
    for (const SubPlan& s : plan_.subs) has_vectors |= runs_on(s.shape.type, CoreKind::aiv);
    const TypeMask pair = type_bit(KernelType::mix_aic_1_1);
    if (!has_vectors && (wanted_[found].types & pair) != 0) shape.type = KernelType::mix_aic_1_1;
  }
  const bool is_fixed =
      wanted_[found].same_shape ||
      (found + 1 < static_cast<int>(wanted_.size()) && wanted_[found + 1].same_shape);
  shape.blocks = is_fixed ? shape.blocks : full(shape.type);
}

/// 2B-1 vector cores beside cube work: no sub kernel has the last vector core of the launch.
void Planner::put_rounding() {
  int vectors = -1;
  int cubes = -1;
  for (int k = 0; k < static_cast<int>(plan_.subs.size()); ++k) {
    Shape& s = plan_.subs[k].shape;
    const bool free =
        wanted_[k].width == Width::any && wanted_[k].blocks == 0 && !wanted_[k].same_shape;
    const bool wide = s.type == KernelType::mix_aic_1_2 && wanted_[k].blocks == 0;
    if (wide) s.blocks = std::min(s.blocks, blocks_ - 1);
    if (is_aiv_kind(s.type) && (free || s.blocks == full(s.type))) vectors = k;
    if (runs_on(s.type, CoreKind::aic)) cubes = k;
  }
  const auto add = [this](KernelType type, int blocks) {
    plan_.subs.emplace_back().shape = {type, blocks};
    wanted_.emplace_back();
    is_demanded_.push_back(false);
  };
  if (vectors >= 0) {
    plan_.subs[vectors].shape.blocks = full(KernelType::aiv_only);
  } else {
    add(draw_type(vector_kinds), full(KernelType::aiv_only));
  }
  if (cubes >= 0) return;
  const KernelType type = draw_type(cube_kinds);
  add(type, choice_.range(1, blocks_));
}

void Planner::draw_plain_options() {
  Options& o = plan_.options;
  const int percent = choice_.chance(45) ? 0 : 22;
  constexpr std::int64_t aligns[] = {0, 2, 64, 256, 1024, 4096};
  constexpr std::string_view flags[] = {"-O2", "-g", "--cce-aicore-lang", "-DTILE=4"};
  if (flip(Feature::option_func_align, percent)) o.func_align = choice_.pick(aligns);
  if (flip(Feature::option_preload_code, percent)) {
    o.preload_code = choice_.chance(50) ? PreloadCode::max : PreloadCode::none;
  }
  if (flip(Feature::option_stream_fusion, percent / 2)) o.stream_fusion = true;
  if (plan_.world.streams) o.stream_fusion = plan_.world.fusion;
  if (flip(Feature::option_debug_dcci_all, percent / 2)) o.debug_dcci_all = true;
  if (flip(Feature::option_debug_sync_all, percent / 2)) o.debug_sync_all = true;
  if (flip(Feature::option_profiling, percent)) o.profiling = true;
  if (flip(Feature::option_compile_options, percent)) {
    o.compile_options.emplace_back(choice_.pick(flags));
    if (choice_.chance(30)) o.compile_options.emplace_back(choice_.pick(flags));
  }
  if (flip(Feature::option_strict_scope_check, percent)) {
    o.strict_scope_check = choice_.chance(50) ? "bypass" : "abort";
  }
  if (flip(Feature::option_split_mode, percent)) {
    constexpr int modes[] = {1, 2, 3, 8, 64};
    o.split_mode = choice_.pick(modes);
  }
}

void Planner::draw_options() {
  draw_plain_options();
  Options& o = plan_.options;
  const int start = choice_.below(100);
  bool on = start < 70;
  for (const Feature f : {Feature::early_set, Feature::early_wait, Feature::early_both,
                          Feature::head_work, Feature::tail_work}) {
    on = on || wants(f);
  }
  o.early_start = on ? 1 : (start < 85 ? 0 : 2);
  if (wants(Feature::option_early_start_0)) o.early_start = 0;
  if (wants(Feature::option_early_start_2)) o.early_start = 2;
  const bool is_off = (o.early_start == 0 && avoids(Feature::option_early_start_0)) ||
                      (o.early_start == 2 && avoids(Feature::option_early_start_2));
  if (is_off) o.early_start = 1;
  const bool feeds = flip(Feature::option_feed_sync_all, 38);
  // Who takes part in a fed SyncAll of a launch of two streams is open.
  o.feed_sync_all = demands_.feed || (feeds && !(plan_.world.streams && plan_.world.fusion));
  draw_core_numbers();
}

std::vector<Shape> Planner::counted_shapes() const {
  std::vector<Shape> shapes;
  for (const SubPlan& sub : plan_.subs) {
    if (!sub.is_wave) shapes.push_back(sub.counted);
  }
  return shapes;
}

/// A launch counts a sub kernel of tiling offload with no less than it needs (CORE-1), and holds
/// on the chip.
void Planner::draw_counted() {
  for (SubPlan& sub : plan_.subs) sub.counted = sub.shape;
  const bool wider = wants(Feature::counted_wider);
  const bool other = wants(Feature::counted_as_other);
  if ((!plan_.world.counted && !wider && !other) || demands_full()) return;
  for (SubPlan& sub : plan_.subs) {
    if (sub.placement != Placement::offload || sub.is_wave) continue;
    Shape counted = sub.shape;
    if (other || (choice_.chance(60) && !avoids(Feature::counted_as_other))) {
      TypeMask types = is_aiv_kind(counted.type)   ? with_vectors
                       : is_aic_kind(counted.type) ? with_cubes
                       : counted.type == KernelType::mix_aic_1_1
                           ? mix_kinds
                           : type_bit(KernelType::mix_aic_1_2);
      const TypeMask others = types & static_cast<TypeMask>(~type_bit(counted.type));
      if (others != 0) types = others;
      counted.type = draw_type(types);
      const int vectors = aiv_cores(sub.shape.type, sub.shape.blocks);
      if (aiv_cores(counted.type, counted.blocks) < vectors) counted.blocks = vectors;
    }
    if (wider || (choice_.chance(70) && !avoids(Feature::counted_wider))) {
      counted.blocks += choice_.range(1, 4);
    }
    const Launch by_itself = natural_launch(std::span<const Shape>(&counted, 1));
    const int scheme = static_cast<int>(by_itself.type) - static_cast<int>(KernelType::mix_aiv_1_0);
    const bool keeps_size = by_itself.blocks <= limits_.blocks[scheme] || wider || other;
    if (fits(by_itself, profile_) && keeps_size) sub.counted = counted;
  }
  if (!fits(natural_launch(counted_shapes()), profile_)) {
    for (SubPlan& sub : plan_.subs) sub.counted = sub.shape;
  }
}

void Planner::draw_sides() {
  if (!plan_.world.has_sides()) return;
  for (std::size_t k = 0; k < plan_.subs.size(); ++k) {
    SubPlan& sub = plan_.subs[k];
    const bool linked = wanted_[k].joined && k > 0 && !wants(Feature::captured_streams);
    sub.side = linked ? plan_.subs[k - 1].side : choice_.below(2);
    sub.is_apart = plan_.world.launching == Launching::beside || choice_.chance(65);
  }
  // Neither side is empty.
  const int first = plan_.subs.front().side;
  const auto same = [first](const SubPlan& s) { return s.side == first; };
  const bool is_one = std::all_of(plan_.subs.begin(), plan_.subs.end(), same);
  if (is_one && !wanted_.back().joined) plan_.subs.back().side = 1 - first;
}

/// More blocks than cores: only alone, because a SuperKernel holds on the chip (CORE-8).
void Planner::draw_wave() {
  if (!plan_.world.wave) return;
  std::vector<int> possible;
  for (int k = 0; k < static_cast<int>(plan_.subs.size()); ++k) {
    const bool is_single = !is_mix_kind(plan_.subs[k].shape.type);
    const bool linked = k + 1 < static_cast<int>(wanted_.size()) && wanted_[k + 1].joined;
    if (is_single && !is_demanded_[k] && !linked) possible.push_back(k);
  }
  if (possible.empty() || plan_.subs.size() < 2) {
    plan_.world.wave = false;
    return;
  }
  SubPlan& sub = plan_.subs[choice_.pick(std::span<const int>(possible))];
  sub.is_wave = true;
  sub.own_set = sub.own_wait = false;
  const bool vectors = is_aiv_kind(sub.shape.type);
  sub.shape.blocks = (vectors ? profile_.aiv_count : profile_.aic_count) + choice_.range(1, 4);
}

/// debug-aic-num and debug-aiv-num never ask for less than the mix needs (CORE-6, CORE-7).
void Planner::draw_core_numbers() {
  const std::vector<Shape> shapes = counted_shapes();
  const Launch natural = natural_launch(shapes);
  plan_.launch = natural;
  const bool aic = wants(Feature::option_debug_aic_num);
  const bool aiv = wants(Feature::option_debug_aiv_num);
  const bool coin = choice_.chance(9);
  const bool avoid = avoids(Feature::option_debug_aic_num) || avoids(Feature::option_debug_aiv_num);
  if (!aic && !aiv && (!coin || avoid || size_ == Size::tiny)) return;
  const int more = demands_full() ? 0 : choice_.below(3);
  const bool can_change = !demands_full() && choice_.chance(40);
  Options& o = plan_.options;
  int ratio = 0;  // vector cores a block; -1: vector cores alone
  switch (natural.type) {
    case KernelType::mix_aiv_1_0: ratio = aic || can_change ? choice_.range(1, 2) : -1; break;
    case KernelType::mix_aic_1_0: ratio = aiv || can_change ? choice_.range(1, 2) : 0; break;
    case KernelType::mix_aic_1_1: ratio = can_change ? 2 : 1; break;
    default: ratio = 2; break;
  }
  if (ratio == -1) {
    o.debug_aiv_num = std::min(natural.blocks + more, profile_.aiv_count);
  } else {
    int blocks = natural.blocks;
    if (natural.type == KernelType::mix_aiv_1_0) blocks = (blocks + ratio - 1) / ratio;
    blocks = std::min(blocks + more, profile_.aic_count);
    o.debug_aic_num = blocks;
    o.debug_aiv_num = ratio * blocks;
  }
  plan_.launch = launch_of(shapes, o);
  const bool enough = plan_.launch.vectors() >= natural.vectors() &&
                      plan_.launch.cubes() >= natural.cubes() && fits(plan_.launch, profile_);
  if (!enough) {
    o.debug_aic_num = 0;
    o.debug_aiv_num = 0;
    plan_.launch = natural;
  }
}

void Planner::draw_placements() {
  constexpr int weights[] = {22, 17, 16, 11, 17, 17};
  constexpr Feature features[] = {Feature::option_dcci_before, Feature::option_dcci_after,
                                  Feature::option_dcci_disable, Feature::tiling_offload};
  const bool all_standard = choice_.chance(33);
  for (std::size_t k = 0; k < plan_.subs.size(); ++k) {
    SubPlan& sub = plan_.subs[k];
    auto placement = static_cast<Placement>(choice_.weighted(weights));
    const bool avoided =
        (placement == Placement::before && avoids(features[0])) ||
        (placement == Placement::after && avoids(features[1])) ||
        (placement == Placement::both && (avoids(features[0]) || avoids(features[1]))) ||
        (placement == Placement::disable && avoids(features[2])) ||
        (placement == Placement::offload && avoids(features[3]));
    if (all_standard || avoided) placement = Placement::standard;
    sub.placement = wanted_[k].placement.value_or(placement);
    sub.op_type = static_cast<int>(sub.placement) * 3 + choice_.below(3);
    // The lists have no effect on a sub kernel with tiling offload (CACHE-5).
    if (sub.placement == Placement::offload) sub.op_type = choice_.below(18);
    sub.named_by_op_type = !choice_.chance(12);
  }
}

void Planner::write_lists() {
  Options& o = plan_.options;
  const auto add = [this](std::vector<std::string>& list, const SubPlan& sub) {
    const auto k = static_cast<int>(&sub - plan_.subs.data());
    const std::string name =
        sub.named_by_op_type ? std::string(op_type_name(sub.op_type)) : sub_kernel_name(k);
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const SubPlan& sub : plan_.subs) {
    if (sub.placement == Placement::offload) continue;
    const auto p = static_cast<Placement>(sub.op_type / 3);
    if (p == Placement::before || p == Placement::both) {
      add(o.dcci_before_kernel_start, sub);
    }
    if (p == Placement::after || p == Placement::both) add(o.dcci_after_kernel_end, sub);
    if (p == Placement::disable) add(o.dcci_disable_on_kernel, sub);
  }
  // A name that no sub kernel has changes nothing.
  if (!o.dcci_before_kernel_start.empty() && choice_.chance(15)) {
    o.dcci_before_kernel_start.emplace_back("Absent");
  }
}

void Planner::draw_tasks() {
  const bool none = choice_.chance(35);
  const bool avoid_set = avoids(Feature::early_set) && avoids(Feature::early_both);
  const bool avoid_wait = avoids(Feature::early_wait) && avoids(Feature::early_both);
  for (std::size_t k = 0; k < plan_.subs.size(); ++k) {
    SubPlan& sub = plan_.subs[k];
    const bool set = choice_.chance(50) && !none && !avoid_set;
    const bool wait = choice_.chance(50) && !none && !avoid_wait;
    sub.own_set = wanted_[k].own_set.value_or(set);
    sub.own_wait = wanted_[k].own_wait.value_or(wait);
  }
}

MixPlan Planner::make() {
  plan_.world = draw_world(choice_, focus_, profile_);
  if (plan_.is_captured) suit_world();
  draw_size();
  draw_scheme();
  lay_demands();
  draw_shapes();
  if (rounded_) {
    put_rounding();
  } else {
    put_anchor();
  }
  draw_tasks();
  if (!plan_.is_captured) draw_placements();
  draw_sides();
  draw_wave();
  if (plan_.is_captured) {
    for (SubPlan& sub : plan_.subs) sub.counted = sub.shape;
    plan_.launch = natural_launch(counted_shapes());
    draw_captured(choice_, focus_, plan_);
  } else {
    draw_counted();
    draw_options();
    write_lists();
  }
  draw_stages(choice_, focus_, profile_, wanted_, is_demanded_, size_ == Size::full_chip, plan_);
  plan_.prefer_recent = demands_.prefer_recent;
  plan_.slots = std::max(plan_.launch.cubes(), plan_.launch.vectors());
  for (const SubPlan& sub : plan_.subs) {
    if (sub.is_wave) plan_.slots = std::max(plan_.slots, sub.shape.blocks);
  }
  return std::move(plan_);
}

}  // namespace

std::string sub_kernel_name(int k) {
  return "k" + std::to_string(k);
}

std::string_view op_type_name(int op_type) {
  constexpr std::string_view names[] = {
      "Add",    "MatMulV3", "RmsNorm", "Gelu",    "Cast",   "Softmax", "TopK", "Concat", "Split",
      "Gather", "Scatter",  "Quant",   "Dequant", "Rotary", "Sort",    "Moe",  "Swiglu", "Copy"};
  return names[op_type];
}

MixPlan make_plan(Choice& choice, const Focus& focus, const Profile& profile, bool is_captured) {
  return Planner(choice, focus, profile, is_captured).make();
}

}  // namespace skcts::generators
