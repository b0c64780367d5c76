// What only mixes for the path aclgraph have.
#include <algorithm>

#include "generators/captured.h"
#include "generators/edit.h"
#include "generators/features_world.h"

namespace skcts::generators {

namespace {

bool calls(const SubKernel& s, Op op) {
  bool found = false;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    for_each_in(s.program(kind), [&](const Instruction& in) { found |= in.op == op; });
  }
  return found;
}

class CapturedInspector {
 public:
  CapturedInspector(const Case& c, const Options& options, const std::vector<LaunchGroup>& groups,
                    Features& out)
      : case_(c), options_(options), groups_(groups), out_(out) {}

  void look();

 private:
  void add_if(bool holds, Feature f) {
    if (holds) out_.set.add(f);
  }
  [[nodiscard]] const SubKernel& sub(int k) const {
    return case_.mix.sub_kernels[static_cast<std::size_t>(k)];
  }
  void look_at_group(const LaunchGroup& group);
  void look_at_calls(const LaunchGroup& group);
  void look_at_marks();
  void look_at_cuts();

  const Case& case_;
  const Options& options_;
  const std::vector<LaunchGroup>& groups_;
  Features& out_;
};

void CapturedInspector::look_at_calls(const LaunchGroup& group) {
  if (is_two_stream(case_.mix, options_, group) || options_.debug_sync_all) return;
  for (std::size_t i = 0; i < group.subs.size(); ++i) {
    const SubKernel& s = sub(group.subs[i]);
    for (const Op call : {Op::set_next_task_start, Op::wait_pre_task_end}) {
      const bool is_set = call == Op::set_next_task_start;
      const bool has_neighbour = is_set ? i + 1 < group.subs.size() : i > 0;
      if (!has_neighbour || !calls(s, call)) continue;
      const bool works = captured_call_works(call, s.sk_bind, options_);
      add_if(works, Feature::captured_early_call);
      add_if(!works && options_.early_start == 1 &&
                 (has_work_beyond(s.aic, call) || has_work_beyond(s.aiv, call)),
             Feature::captured_idle_call);
    }
  }
}

void CapturedInspector::look_at_group(const LaunchGroup& group) {
  if (group.alone) return;
  const Launch launch = launch_of_group(case_.mix, options_, group);
  add_if(!group.launch && (launch.cubes() == 0 || launch.vectors() == 0),
         Feature::captured_plain_launch);
  add_if(group.launch.has_value(), Feature::captured_by_itself);
  add_if(is_two_stream(case_.mix, options_, group), Feature::captured_streams);
  for (const int k : group.subs) {
    const SubKernel& s = sub(k);
    add_if(s.direct_launch && s.blocks != launch.blocks && calls(s, Op::get_block_num),
           Feature::captured_direct);
    add_if(!captured_refreshes(s.name, s.sk_bind, options_).after, Feature::captured_disabled);
  }
  look_at_calls(group);
}

/// Neighbours that the set of names fuses, or parts, and the innermost name would not.
void CapturedInspector::look_at_marks() {
  Case by_innermost = case_;
  bool marked = false;
  for (SubKernel& s : by_innermost.mix.sub_kernels) {
    const bool nested = s.scope.size() > 1 && !s.scope.back().empty();
    if (nested) s.scope.erase(s.scope.begin(), s.scope.end() - 1);
    marked = marked || !s.scope.empty();
  }
  if (!marked) return;
  const std::vector<LaunchGroup> others = launch_groups(by_innermost);
  add_if(!std::equal(groups_.begin(), groups_.end(), others.begin(), others.end(),
                     [](const LaunchGroup& a, const LaunchGroup& b) { return a.subs == b.subs; }),
         Feature::captured_scope_set);
}

void CapturedInspector::look_at_cuts() {
  Case plain = case_;
  bool batch = false;
  for (SubKernel& s : plain.mix.sub_kernels) {
    batch = batch || s.batch_mode;
    s.batch_mode = false;
  }
  add_if(batch && launch_groups(plain).size() < groups_.size(), Feature::captured_batch_cut);
}

void CapturedInspector::look() {
  out_.set.add(Feature::aclgraph);
  for (const LaunchGroup& group : groups_) look_at_group(group);
  look_at_marks();
  look_at_cuts();
  const OptionParse parse = options_of(case_);
  add_if(!parse.warnings.empty(), Feature::captured_bad_option);
}

}  // namespace

void add_captured_features(const Case& value, const Options& options,
                           const std::vector<LaunchGroup>& groups, Features& out) {
  CapturedInspector(value, options, groups, out).look();
}

}  // namespace skcts::generators
