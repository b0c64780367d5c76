// What the composer of captured graphs does in its own way.
//
// Each core kind goes through a queue of its own. Behind a sub kernel its cores sync among
// themselves, and an edge to the other kind is a flag inside the block; for one stream that comes
// to the same flags as the pairs of early start, which is why the steps are theirs. Several streams
// in a launch are composed as on the other path: by signals, for the reason given there.
#include "harness/emulator/composer.h"
#include "spec/aclgraph_options.h"

namespace skcts::emulator {

/// Which calls of early start take part (ACL-4), and what GetBlockNum gives (ACL-2).
void Composer::restrict_to_capabilities(const SubKernel& k, SubKernelUse& use) const {
  // No sync is left that a call could stand for.
  const bool replaced =
      settings_.self_check ||
      (options().debug_sync_all && settings_.defect != DefectId::debug_sync_keeps_calls);
  const bool any = settings_.defect == DefectId::capability_ignored;
  use.own_set &= !replaced && (any || (k.sk_bind & sk_bind::early_start_set) != 0);
  use.own_wait &= !replaced && (any || (k.sk_bind & sk_bind::early_start_wait) != 0);
  use.counts_launch = k.direct_launch;
}

bool Composer::named_in(const std::vector<std::string>& patterns, const SubKernel& k) const {
  const bool literal = settings_.defect == DefectId::captured_pattern_literal;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    if (literal) return pattern == k.matched_op_type();
    return matches_kernel_pattern(pattern, k.matched_op_type());
  });
}

/// ACL-5: a refresh in front where it is asked for, and one behind unless something disables it.
void Composer::refresh_places_aclgraph(const SubKernel& k, bool& before, bool& after) const {
  before = named_in(options().dcci_before_kernel_start, k);
  after = named_in(options().dcci_after_kernel_end, k);
  const bool told = (k.sk_bind & sk_bind::disable_dcci) != 0;
  const bool listed = named_in(options().dcci_disable_on_kernel, k);
  // A list alone does not reach a binary that was built without the capability.
  if (listed && !told && !before) after = true;
  if (settings_.defect == DefectId::captured_disable_ignored) after = true;
  const bool by_default = settings_.defect != DefectId::captured_refresh_missing;
  if (!told && !listed && by_default) after = true;
}

/// debug_cross_core_sync_check looks at the flags behind a MIX sub kernel of a launch of both
/// kinds. The look itself shows nowhere; it stands between barriers of all cores of the launch.
void Composer::self_check(int op) {
  if (!settings_.self_check || !is_mix_kind(type()) || !is_mix_kind(sub(op).type)) return;
  ComposedStep& step = add_for_all(ComposedKind::sync_all, op);
  if (settings_.defect == DefectId::self_check_inside_guard) step.guard = guard_of(op);
  step.rule = RuleId::fuse_2;
}

/// debug_sync_all in a launch of both kinds: each kind among itself, then each tells the other.
void Composer::all_sync(int op) {
  constexpr int both = 10;
  const auto mark = [](ComposedStep& step) {
    step.config = both;
    step.purpose = Purpose::debug;
    step.rule = RuleId::fuse_2;
  };
  mark(add_for_all(ComposedKind::early_set, op));
  mark(add_for_all(ComposedKind::early_wait, op));
}

}  // namespace skcts::emulator
