// Plans for the path aclgraph: the option string, and what each sub kernel tells.
#include <algorithm>

#include "generators/captured.h"
#include "generators/plan.h"
#include "spec/aclgraph_options.h"

namespace skcts::generators {

namespace {

class CapturedPlanner {
 public:
  CapturedPlanner(Choice& choice, const Focus& focus, MixPlan& plan)
      : choice_(choice), focus_(focus), plan_(plan) {}

  void draw();

 private:
  [[nodiscard]] bool wants(Feature f) const { return focus_.require.has(f); }
  bool flip(Feature f, int percent) {
    const bool coin = choice_.chance(percent);
    return wants(f) || (coin && !focus_.avoid.has(f));
  }
  /// The list may become several SuperKernels.
  [[nodiscard]] bool may_cut() const {
    return plan_.world.launching != Launching::beside &&
           !focus_.avoid.has(Feature::several_launches);
  }
  void add(std::string item) { items_.push_back(std::move(item)); }
  void draw_starts();
  void draw_plain_items();
  void draw_lists();
  std::string draw_list();
  void add_bad_item();
  void write_options();
  void draw_capabilities();
  void settle_calls(SubPlan& sub);

  Choice& choice_;
  const Focus& focus_;
  MixPlan& plan_;
  std::vector<std::string> items_;
  bool calls_ = false;  ///< A required feature needs early start.
};

void CapturedPlanner::draw_starts() {
  calls_ = wants(Feature::captured_early_call) || wants(Feature::captured_idle_call);
  const int start = choice_.below(100);
  if (calls_ || start < 55) {
    add("early_start=1");
  } else if (start < 65) {
    add("early_start=0");
  }
  const bool syncs = choice_.chance(8);
  if (syncs && !calls_) add("debug_sync_all=1");
  // Full-core sync that a focus asks for would not be complete on the whole chip; and a launch of
  // it is no small one.
  const FeatureSet harmless = {Feature::aclgraph, Feature::captured_by_itself,
                               Feature::captured_bad_option};
  const bool may = !calls_ && may_cut() && focus_.size == Size::swarm &&
                   harmless.contains(focus_.require);
  const bool coin = choice_.chance(8);
  if (wants(Feature::captured_by_itself) || (coin && may)) add("debug_per_op_max_core_num=1");
}

void CapturedPlanner::draw_plain_items() {
  constexpr std::string_view switches[] = {"constant_codegen", "auto_op_parallel",
                                           "debug_op_exec_trace", "debug_cross_core_sync_check"};
  if (choice_.chance(15)) add("preload_code=" + std::to_string(choice_.below(3)));
  if (choice_.chance(15)) add("split_mode=" + std::to_string(choice_.range(1, 4)));
  if (choice_.chance(25)) add("stream_fusion=" + std::to_string(choice_.below(2)));
  for (const std::string_view name : switches) {
    if (choice_.chance(6)) add(std::string(name) + "=1");
  }
}

/// Patterns that mean one sub kernel, some, or none.
std::string CapturedPlanner::draw_list() {
  const std::string name = sub_kernel_name(choice_.below(static_cast<int>(plan_.subs.size())));
  std::string list;
  switch (choice_.below(6)) {
    case 0: list = "k."; break;
    case 1: list = "." + name.substr(1); break;
    case 2: list = "k*" + name.substr(1); break;
    case 3: list = name + "," + sub_kernel_name(choice_.below(8)); break;
    default: list = name; break;
  }
  if (choice_.chance(10)) list += ",k?,*" + name;  // no pattern of the language
  return list;
}

void CapturedPlanner::draw_lists() {
  const bool plain = wants(Feature::captured_refresh);
  if (choice_.chance(45) && !plain) add("dcci_before_kernel_start=" + draw_list());
  if (choice_.chance(20)) add("dcci_after_kernel_end=" + draw_list());
  if (choice_.chance(30) && !plain) add("dcci_disable_on_kernel=" + draw_list());
}

void CapturedPlanner::add_bad_item() {
  constexpr std::string_view bad[] = {
      "preload_code=3",  "split_mode=0",       "split_mode=5",     "early_start=2",
      "early-start=1",   "no_such_option=1",   "debug_sync_all=2", "stream_fusion=on",
      "early_start",     "feed-sync-all=1",    "debug-aic-num=1",  "constant_codegen=-1",
      "split_mode=04",   "debug_sync_all=yes", "early_start=1=1",  "debug_per_op_max_core_num=9"};
  std::string item(choice_.pick(bad));
  // The first of two stands.
  const bool twice = choice_.chance(25) && !items_.empty();
  if (twice) item = choice_.pick(std::span<const std::string>(items_));
  const bool first = choice_.chance(30) && !calls_ && !twice;
  items_.insert(first ? items_.begin() : items_.end(), std::move(item));
}

void CapturedPlanner::write_options() {
  for (const std::string& item : items_) {
    if (!plan_.captured_options.empty()) plan_.captured_options += ':';
    plan_.captured_options += item;
  }
  plan_.options = parse_aclgraph_options(plan_.captured_options).options.value();
  // Whatever the option says, streams are fused (ACL-3).
  plan_.options.stream_fusion = true;
}

/// A call that does nothing may stand where it would let everything overlap.
void CapturedPlanner::settle_calls(SubPlan& sub) {
  const bool is_idle = choice_.chance(70);
  if (sub.own_set && !captured_call_works(Op::set_next_task_start, sub.sk_bind, plan_.options)) {
    sub.own_set = !is_idle;
    sub.idle_set = is_idle;
  }
  if (sub.own_wait && !captured_call_works(Op::wait_pre_task_end, sub.sk_bind, plan_.options)) {
    sub.own_wait = !is_idle;
    sub.idle_wait = is_idle;
  }
}

void CapturedPlanner::draw_capabilities() {
  const bool batches = flip(Feature::captured_batch_cut, 14) && may_cut();
  const bool idle = wants(Feature::captured_idle_call);
  for (std::size_t k = 0; k < plan_.subs.size(); ++k) {
    SubPlan& sub = plan_.subs[k];
    const auto told = [&](std::int32_t bit, bool is) {
      if (is) sub.sk_bind |= bit;
    };
    const bool all = wants(Feature::captured_early_call) && !idle;
    if (calls_ && !sub.is_wave) sub.own_set = sub.own_wait = true;
    told(sk_bind::early_start_wait, (choice_.chance(50) || all) && !idle);
    told(sk_bind::early_start_set, (choice_.chance(50) || all) && !idle);
    const bool disables = choice_.chance(wants(Feature::captured_disabled) ? 60 : 22);
    told(sk_bind::disable_dcci, disables && !wants(Feature::captured_refresh));
    sub.batch_mode = batches && choice_.chance(45);
    told(sk_bind::no_batch_check, choice_.chance(15));
    sub.direct_launch = flip(Feature::captured_direct, 35);
    settle_calls(sub);
    sub.named_by_op_type = false;
    const Around around =
        captured_refreshes(sub_kernel_name(static_cast<int>(k)), sub.sk_bind, plan_.options);
    sub.placement = around.before ? (around.after ? Placement::both : Placement::before)
                                  : (around.after ? Placement::after : Placement::disable);
  }
}

void CapturedPlanner::draw() {
  draw_starts();
  draw_plain_items();
  draw_lists();
  if (flip(Feature::captured_bad_option, 25)) add_bad_item();
  write_options();
  draw_capabilities();
}

}  // namespace

void draw_captured(Choice& choice, const Focus& focus, MixPlan& plan) {
  CapturedPlanner(choice, focus, plan).draw();
}

}  // namespace skcts::generators
