#include "generators/groups.h"

#include <algorithm>
#include <string>
#include <utility>

namespace skcts::generators {

namespace {

/// What must be the same for neighbours to be fused; empty: the sub kernel is launched alone. On
/// the path ge the innermost mark (FUSE-2), on aclgraph the set of names (ACL-8).
std::vector<std::string> mark_of(const SubKernel& s, bool is_captured, bool has_names) {
  // A captured list without any name is one scope.
  if (is_captured && !has_names && s.scope.empty()) return {"all"};
  if (s.scope.empty()) return {};
  if (!is_captured) {
    return s.scope.back().empty() ? std::vector<std::string>() : std::vector{s.scope.back()};
  }
  std::vector<std::string> names = s.scope;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.front().empty()) names.clear();
  return names;
}

/// Cores that count for a sub kernel in batch mode (ACL-7).
struct BatchCores {
  int cubes = 0;
  int vectors = 0;
  bool batch = false;
};

BatchCores batch_cores(const SubKernel& s) {
  BatchCores cores{aic_cores(s.type, s.blocks), aiv_cores(s.type, s.blocks),
                   s.batch_mode && (s.sk_bind & sk_bind::no_batch_check) == 0};
  if (!cores.batch) return cores;
  if (cores.vectors == 0) cores.vectors = 2 * cores.cubes;
  if (cores.cubes == 0) cores.cubes = (cores.vectors + 1) / 2;
  return cores;
}

/// The launch of a sub kernel by itself under debug_per_op_max_core_num=1.
Launch by_itself(const SubKernel& s, const Profile* profile) {
  const int chip = profile != nullptr ? profile->aic_count : s.blocks;
  const int cubes = aic_cores(s.type, s.blocks);
  const int own = cubes > 0 ? cubes : (aiv_cores(s.type, s.blocks) + 1) / 2;
  return {KernelType::mix_aic_1_2, batch_cores(s).batch ? own : chip};
}

class Grouping {
 public:
  /// `apart`: each sub kernel of a captured list is launched by itself (ACL-9).
  Grouping(const Case& c, bool apart)
      : case_(c), is_captured_(c.path == "aclgraph"), apart_(apart) {}

  void add_step(const PlanStep& step, LaunchGroup like);
  void add_list(const LaunchGroup& list);

  std::vector<LaunchGroup> groups;

 private:
  [[nodiscard]] const SubKernel& sub(int k) const {
    return case_.mix.sub_kernels[static_cast<std::size_t>(k)];
  }
  void add_marked(const std::vector<std::int32_t>& subs, const LaunchGroup& like);

  const Case& case_;
  bool is_captured_;
  bool apart_;
};

void Grouping::add_list(const LaunchGroup& list) {
  if (!is_captured_ || list.alone) {
    groups.push_back(list);
    return;
  }
  LaunchGroup part = list;
  part.subs.clear();
  const auto end = [&] {
    if (!part.subs.empty()) groups.push_back(part);
    part.subs.clear();
  };
  BatchCores most;
  for (const int k : list.subs) {
    const BatchCores cores = batch_cores(sub(k));
    const bool drops = cores.batch && (cores.cubes < most.cubes || cores.vectors < most.vectors);
    const bool rises = most.batch && (cores.cubes > most.cubes || cores.vectors > most.vectors);
    if (apart_ || (!part.subs.empty() && (drops || rises))) {
      end();
      most = {};
    }
    if (apart_) part.launch = by_itself(sub(k), find_profile(case_.profile));
    part.subs.push_back(k);
    most = {std::max(most.cubes, cores.cubes), std::max(most.vectors, cores.vectors),
            most.batch || cores.batch};
  }
  end();
}

void Grouping::add_marked(const std::vector<std::int32_t>& subs, const LaunchGroup& like) {
  LaunchGroup list = like;
  std::vector<std::string> open;
  const bool has_names = std::any_of(subs.begin(), subs.end(), [this](std::int32_t k) {
    return std::any_of(sub(k).scope.begin(), sub(k).scope.end(),
                       [](const std::string& name) { return !name.empty(); });
  });
  const auto end = [&] {
    if (!list.subs.empty()) add_list(list);
    list.subs.clear();
  };
  for (const std::int32_t k : subs) {
    std::vector<std::string> mark = mark_of(sub(k), is_captured_, has_names);
    if (mark.empty() || mark != open) {
      end();
      list.alone = mark.empty();
    }
    list.subs.push_back(k);
    open = std::move(mark);
  }
  end();
}

void Grouping::add_step(const PlanStep& step, LaunchGroup like) {
  switch (step.kind) {
    case StepKind::host_write: return;
    case StepKind::marked: return add_marked(step.sub_kernels, like);
    case StepKind::beside:
      like.beside = true;
      for (const PlanStep& inner : step.beside) add_step(inner, like);
      return;
    case StepKind::fused:
      like.subs.assign(step.sub_kernels.begin(), step.sub_kernels.end());
      return add_list(like);
    case StepKind::alone:
      like.alone = true;
      for (const std::int32_t k : step.sub_kernels) {
        like.subs = {k};
        groups.push_back(like);
      }
      return;
  }
}

}  // namespace

std::vector<LaunchGroup> launch_groups(const Case& value) {
  // No option of the path ge says anything here: its text is not read.
  const bool apart = value.path == "aclgraph" &&
                     options_of(value).options.value_or(Options{}).per_op_max_core_num;
  const Plan plan = effective_plan(value.mix, value.plan);
  Grouping grouping(value, apart);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    LaunchGroup like;
    like.step = static_cast<int>(i);
    grouping.add_step(plan.steps[i], like);
  }
  return std::move(grouping.groups);
}

std::vector<LaunchGroup> cut_list(const Case& value, const Options& options,
                                  const LaunchGroup& list) {
  Grouping grouping(value, options.per_op_max_core_num);
  grouping.add_list(list);
  return std::move(grouping.groups);
}

Launch launch_of_group(const Mix& mix, const Options& options, const LaunchGroup& group) {
  if (group.launch) return *group.launch;
  std::vector<Shape> shapes;
  for (const int k : group.subs) {
    const SubKernel& s = mix.sub_kernels[static_cast<std::size_t>(k)];
    shapes.push_back(group.alone ? Shape{s.type, s.blocks} : counted_shape(s));
  }
  return group.alone ? natural_launch(shapes) : launch_of(shapes, options);
}

bool is_two_stream(const Mix& mix, const Options& options, const LaunchGroup& group) {
  if (!options.stream_fusion || group.alone) return false;
  const auto stream = [&mix](int k) { return mix.sub_kernels[static_cast<std::size_t>(k)].stream; };
  return std::any_of(group.subs.begin(), group.subs.end(),
                     [&](int k) { return stream(k) != stream(group.subs.front()); });
}

}  // namespace skcts::generators
