// The second part of a world (world.h): what is laid, and what is known of it meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/generate.h"
#include "generators/groups.h"
#include "generators/plan.h"
#include "generators/touches.h"
#include "generators/world.h"

namespace skcts::generators {

/// Lays a world step by step; the members are what later steps need of earlier ones.
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
  std::string_view outer_mark();
  void draw_gap();
  void split();
  void put_beside();
  [[nodiscard]] bool share_scalars(const std::vector<std::int32_t>& subs) const;
  PlanStep step_of(StepKind kind, std::vector<std::int32_t> subs) const;
  /// A fused launch of these sub kernels where it can be one; else each alone.
  PlanStep launch(std::vector<std::int32_t> subs);
  /// Full-core sync is complete in the launches that the list becomes.
  [[nodiscard]] bool holds(const LaunchGroup& list, bool feeds) const;
  [[nodiscard]] bool launch_holds(const LaunchGroup& group, bool feeds) const;
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
  template <class May>
  [[nodiscard]] std::vector<int> regions_of(int k, May&& may) const;
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

}  // namespace skcts::generators
