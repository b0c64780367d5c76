// Rare states that a mix reaches.
#include <algorithm>
#include <map>
#include <set>

#include "generators/accesses.h"
#include "generators/coverage.h"
#include "generators/edit.h"
#include "generators/groups.h"
#include "spec/program.h"

namespace skcts::generators {

namespace {

bool counts_to_15(const Mix& mix) {
  bool found = false;
  for (const SubKernel& s : mix.sub_kernels) {
    for_each_in(s.aic, [&](const Instruction& in) {
      if (in.op != Op::repeat || in.times != 15) return;
      const auto is = [&in](Op op) {
        return std::any_of(in.body.begin(), in.body.end(),
                           [op](const Instruction& inner) { return inner.op == op; });
      };
      found = found || (is(Op::cross_core_set_flag) && !is(Op::cross_core_wait_flag));
    });
  }
  return found;
}

/// Scalars of three sub kernels touch one line.
bool has_line_of_three(const Case& value) {
  const GmLayout layout = layout_of(value.mix);
  const Options options = options_of(value).options.value_or(Options{});
  std::map<std::int64_t, std::set<int>> users;
  for (const LaunchGroup& group : launch_groups(value)) {
    const Launch launch = launch_of_group(value.mix, options, group);
    for (const int k : group.subs) {
      for (const Access& a : accesses_of(value.mix, layout, launch, k)) {
        if (a.how == How::cached && users[a.first / 16].insert(k).second &&
            users[a.first / 16].size() >= 3) {
          return true;
        }
      }
    }
  }
  return false;
}

bool has_empty_side(const SubKernel& s) {
  return (runs_on(s.type, CoreKind::aic) && s.aic.empty() && runs_on(s.type, CoreKind::aiv) &&
          s.aiv.empty()) ||
         (!is_mix_kind(s.type) && s.aic.empty() && s.aiv.empty());
}

}  // namespace

std::string_view to_string(Mark mark) {
  constexpr std::string_view names[] = {
      "counter-at-15",  "second-wave", "line-of-three-sub-kernels", "odd-blocks",
      "empty-sub-kernel", "widest-at-end", "rounded-launch",        "full-chip",
      "launch-again",   "eight-sub-kernels", "beside-normal",       "single-instruction"};
  return names[static_cast<int>(mark)];
}

std::vector<Mark> marks_of(const Case& value) {
  const Features found = features_of(value);
  const std::vector<SubKernel>& subs = value.mix.sub_kernels;
  std::vector<Mark> marks;
  const auto add_if = [&marks](bool holds, Mark mark) {
    if (holds) marks.push_back(mark);
  };
  add_if(counts_to_15(value.mix), Mark::counter_at_15);
  add_if(found.has(Feature::second_wave), Mark::second_wave);
  add_if(has_line_of_three(value), Mark::line_of_three);
  add_if(found.has(Feature::odd_blocks), Mark::odd_blocks);
  add_if(std::any_of(subs.begin(), subs.end(), has_empty_side), Mark::empty_sub_kernel);
  const auto cores = [](const SubKernel& s) { return cores_of({s.type, s.blocks}); };
  const auto is_narrower = [&](const SubKernel& s) { return cores(s) < cores(subs.back()); };
  add_if(subs.size() > 1 && std::all_of(subs.begin(), subs.end() - 1, is_narrower),
         Mark::widest_at_end);
  add_if(found.has(Feature::rounded_launch), Mark::rounded_launch);
  add_if(found.has(Feature::full_chip), Mark::full_chip);
  add_if(found.has(Feature::launch_again), Mark::launch_again);
  add_if(subs.size() >= 8, Mark::eight_sub_kernels);
  add_if(found.has(Feature::beside_normal), Mark::beside_normal);
  add_if(found.has(Feature::single_instruction), Mark::single_instruction);
  return marks;
}

}  // namespace skcts::generators
