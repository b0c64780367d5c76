// The builder of a launch's steps.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/emulator/composition.h"
#include "harness/emulator/recorded.h"

namespace skcts::emulator {

/// Builds the steps of one launch.
class Composer {
 public:
  Composer(const Mix& mix, const LaunchPlan& plan, const Settings& settings, ComposedLaunch& launch)
      : mix_(mix), plan_(plan), settings_(settings), launch_(launch) {
    const auto has_events = [](const SubKernel& sub) {
      return !sub.recv.empty() || !sub.send.empty();
    };
    if (std::any_of(mix.sub_kernels.begin(), mix.sub_kernels.end(), has_events)) {
      events_ = events_of(mix);
    }
  }

  void compose_fused();
  /// Several streams in one launch (stream-fusion=1): each core kind has a list of its own, and
  /// only streams and events order the sub kernels.
  void compose_two_lists();
  std::optional<Refusal> compose_recorded(const RecordedLaunch& recorded);
  void compose_alone();

 private:
  const SubKernel& sub(int op) const {
    return mix_
        .sub_kernels[static_cast<std::size_t>(plan_.sub_kernels[static_cast<std::size_t>(op)])];
  }
  const SubKernelUse& use(int op) const { return launch_.uses[static_cast<std::size_t>(op)]; }
  int op_count() const { return static_cast<int>(plan_.sub_kernels.size()); }
  const Options& options() const { return launch_.options; }
  KernelType type() const { return launch_.shape.type; }

  ComposedStep& add(ComposedKind kind, int op);
  ComposedStep& add_for(ComposedKind kind, int op, CoreKind core_kind);
  ComposedStep& add_for_all(ComposedKind kind, int op);

  SubKernelUse make_use(int op) const;
  bool needs_feed(int op, const SubKernelUse& use) const;
  bool listed(const std::vector<std::string>& list, const std::string& name) const;
  void refresh_places(int op, bool& before, bool& after) const;
  /// A defect takes the raise of pair `config` away, and the wait with it (composition_pairs.cpp).
  bool raise_missing(int config) const { return early_raise_missing(config, settings_.defect); }
  Guard guard_of(int op) const;
  Guard outside_of(int op) const;

  void feed_clear();
  void call(int op);
  void feed_behind(int op, CoreKind kind);
  void call_side(int op, CoreKind kind, bool refresh_before, bool refresh_after);
  void whole_refresh(int op, CoreKind kind, Purpose purpose, RuleId rule);
  void boundary(int op);
  void inter_operator(int op);
  void early_boundary(int op);
  void kind_barrier(int op, Purpose purpose, std::optional<RuleId> rule);
  void debug_steps(int op);
  void drain(int op);

  // composition_aclgraph.cpp
  void restrict_to_capabilities(const SubKernel& k, SubKernelUse& use) const;
  bool named_in(const std::vector<std::string>& patterns, const SubKernel& k) const;
  void refresh_places_aclgraph(const SubKernel& k, bool& before, bool& after) const;
  void all_sync(int op);
  void self_check(int op);

  // composition_events.cpp
  bool raised_earlier(int op, const std::string& event) const;
  bool awaited_later(int op, const std::string& event) const;
  std::vector<std::int32_t> raised_by(int op) const;
  std::vector<std::int32_t> awaited_by(int op) const;
  void notify(int op, CoreKind kind, const std::vector<std::int32_t>& raised);
  void notify_at_boundary(int op);
  void notify_at_end();
  void watch(int op);
  std::vector<std::vector<int>> earlier_ones() const;
  std::int32_t cores_of(int op) const;
  std::int32_t new_edge(std::int32_t cores);
  void edge_step(ComposedKind kind, int op, std::int32_t signal);
  void watch_in_list(int op);
  void debug_in_lists(int op);

  const Mix& mix_;
  const LaunchPlan& plan_;
  const Settings& settings_;
  ComposedLaunch& launch_;
  std::vector<std::string> events_;  ///< Of the mix; empty where no sub kernel has any.
  bool two_lists_ = false;
};

}  // namespace skcts::emulator
