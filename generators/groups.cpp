#include "generators/groups.h"

#include <algorithm>
#include <string_view>

namespace skcts::generators {

namespace {

/// The mark that counts; empty: the sub kernel is launched alone.
std::string_view mark_of(const SubKernel& s) {
  return s.scope.empty() ? std::string_view() : s.scope.back();
}

void add_marked(const Mix& mix, const std::vector<std::int32_t>& subs, LaunchGroup like,
                std::vector<LaunchGroup>& out) {
  std::string_view open;
  for (const std::int32_t k : subs) {
    const std::string_view mark = mark_of(mix.sub_kernels[static_cast<std::size_t>(k)]);
    if (mark.empty() || mark != open) {
      like.alone = mark.empty();
      out.push_back(like);
    }
    out.back().subs.push_back(k);
    open = mark;
  }
}

void add_step(const Mix& mix, const PlanStep& step, LaunchGroup like,
              std::vector<LaunchGroup>& out) {
  switch (step.kind) {
    case StepKind::host_write: return;
    case StepKind::marked: return add_marked(mix, step.sub_kernels, std::move(like), out);
    case StepKind::beside:
      like.beside = true;
      for (const PlanStep& inner : step.beside) add_step(mix, inner, like, out);
      return;
    case StepKind::fused:
      like.subs.assign(step.sub_kernels.begin(), step.sub_kernels.end());
      out.push_back(std::move(like));
      return;
    case StepKind::alone:
      like.alone = true;
      for (const std::int32_t k : step.sub_kernels) {
        like.subs = {k};
        out.push_back(like);
      }
      return;
  }
}

}  // namespace

std::vector<LaunchGroup> launch_groups(const Case& value) {
  const Plan plan = effective_plan(value.mix, value.plan);
  std::vector<LaunchGroup> groups;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    LaunchGroup like;
    like.step = static_cast<int>(i);
    add_step(value.mix, plan.steps[i], like, groups);
  }
  return groups;
}

Launch launch_of_group(const Mix& mix, const Options& options, const LaunchGroup& group) {
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
