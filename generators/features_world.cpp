#include "generators/features_world.h"

#include <algorithm>
#include <string>

namespace skcts::generators {

namespace {

class WorldInspector {
 public:
  WorldInspector(const Case& c, const Options& options, const std::vector<LaunchGroup>& groups,
                 Features& out)
      : case_(c), mix_(c.mix), options_(options), groups_(groups), out_(out) {}

  void look_at_launches();
  void look_at_marks();
  void look_at_events();
  void look_at_outside();

 private:
  void add(Feature f) { out_.set.add(f); }
  void add_if(bool holds, Feature f) {
    if (holds) out_.set.add(f);
  }
  /// The first launch of a sub kernel; -1: none.
  [[nodiscard]] int group_of(int k) const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::vector<int>& subs = groups_[g].subs;
      if (std::find(subs.begin(), subs.end(), k) != subs.end()) return static_cast<int>(g);
    }
    return -1;
  }

  const Case& case_;
  const Mix& mix_;
  const Options& options_;
  const std::vector<LaunchGroup>& groups_;
  Features& out_;
};

void WorldInspector::look_at_launches() {
  constexpr Feature launches[] = {Feature::launch_0_1, Feature::launch_1_0, Feature::launch_1_1,
                                  Feature::launch_1_2};
  const Profile* profile = find_profile(case_.profile);
  for (const LaunchGroup& group : groups_) {
    const Launch launch = launch_of_group(mix_, options_, group);
    out_.launch_blocks = std::max(out_.launch_blocks, launch.blocks);
    out_.launch_cores = std::max(out_.launch_cores, launch.cubes() + launch.vectors());
    if (profile != nullptr) {
      add_if(launch.cubes() > profile->aic_count || launch.vectors() > profile->aiv_count,
             Feature::second_wave);
      add_if(launch.cubes() == profile->aic_count || launch.vectors() == profile->aiv_count,
             Feature::full_chip);
    }
    if (group.alone) continue;
    add(launches[static_cast<int>(launch.type) - static_cast<int>(KernelType::mix_aiv_1_0)]);
    int widest = 0;
    std::vector<Shape> counted;
    for (const int k : group.subs) {
      counted.push_back(counted_shape(mix_.sub_kernels[static_cast<std::size_t>(k)]));
      widest = std::max(widest, aiv_cores(counted.back().type, counted.back().blocks));
    }
    add_if(
        launch.ratio() == 2 && natural_launch(counted) == launch && launch.vectors() == widest + 1,
        Feature::rounded_launch);
    add_if(is_two_stream(mix_, options_, group), Feature::two_streams);
  }
  add_if(groups_.size() > 1, Feature::several_launches);
  std::vector<int> times(mix_.sub_kernels.size(), 0);
  for (const LaunchGroup& group : groups_) {
    for (const int k : group.subs) {
      add_if(++times[static_cast<std::size_t>(k)] > 1, Feature::launch_again);
    }
  }
  for (const PlanStep& step : case_.plan.steps) {
    add_if(step.kind == StepKind::host_write, Feature::host_write);
    if (step.kind != StepKind::beside) continue;
    add(step.sharing == CoreSharing::batch ? Feature::beside_batch : Feature::beside_normal);
  }
}

void WorldInspector::look_at_marks() {
  const Plan plan = effective_plan(mix_, case_.plan);
  const bool counts = std::any_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& s) {
    return s.kind == StepKind::marked || std::any_of(s.beside.begin(), s.beside.end(), [](auto& i) {
             return i.kind == StepKind::marked;
           });
  });
  if (!counts) return;
  bool open = false;  // a mark before
  bool gap = false;   // and then a sub kernel without one
  for (const SubKernel& s : mix_.sub_kernels) {
    const auto named = std::count_if(s.scope.begin(), s.scope.end(),
                                     [](const std::string& mark) { return !mark.empty(); });
    const bool is_marked = !s.scope.empty() && !s.scope.back().empty();
    add_if(is_marked, Feature::scope_marks);
    add_if(named >= 2, Feature::scope_nested);
    add_if(named >= 1 && !is_marked, Feature::scope_none);
    add_if(is_marked && gap, Feature::scope_unmarked);
    gap = gap || (open && s.scope.empty());
    open = open || is_marked;
  }
}

void WorldInspector::look_at_events() {
  const auto waiter = [this](const std::string& event) {
    for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
      const auto& recv = mix_.sub_kernels[k].recv;
      if (std::find(recv.begin(), recv.end(), event) != recv.end()) return static_cast<int>(k);
    }
    return -1;
  };
  for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
    for (const std::string& event : mix_.sub_kernels[k].send) {
      const int to = waiter(event);
      if (to < 0) continue;
      const int of = group_of(static_cast<int>(k));
      const bool within = of == group_of(to);
      add(within ? Feature::event_within : Feature::event_across);
      if (!within || of < 0) continue;
      const bool streams =
          mix_.sub_kernels[k].stream != mix_.sub_kernels[static_cast<std::size_t>(to)].stream;
      add_if(streams && !is_two_stream(mix_, options_, groups_[static_cast<std::size_t>(of)]),
             Feature::streams_in_line);
    }
  }
}

void WorldInspector::look_at_outside() {
  const auto has = [](const std::vector<std::string>& list, const std::string& event) {
    return std::find(list.begin(), list.end(), event) != list.end();
  };
  for (const OutsideActor& actor : mix_.outside) {
    for (const OutsideStep& step : actor.steps) {
      add_if(step.kind == OutsideKind::write, Feature::outside_write);
      add_if(step.kind == OutsideKind::copy, Feature::outside_copy);
      for (const SubKernel& s : mix_.sub_kernels) {
        add_if(step.kind == OutsideKind::raise && has(s.recv, step.event),
               Feature::event_from_outside);
        add_if(step.kind == OutsideKind::wait && has(s.send, step.event),
               Feature::event_to_outside);
      }
    }
  }
}

}  // namespace

void add_world_features(const Case& value, const Options& options,
                        const std::vector<LaunchGroup>& groups, Features& out) {
  WorldInspector inspector(value, options, groups, out);
  inspector.look_at_launches();
  inspector.look_at_marks();
  inspector.look_at_events();
  inspector.look_at_outside();
}

}  // namespace skcts::generators
