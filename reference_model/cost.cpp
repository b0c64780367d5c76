#include "reference_model/cost.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "reference_model/timing.h"
#include "spec/options.h"

namespace skcts::model {
namespace {

/// Adds up the launches of a plan.
class Paths : public LaunchListener {
 public:
  explicit Paths(const Profile& profile) : profile_(profile) {}
  void launch(const LaunchView& view) override {
    stalled_ = stalled_ || view.stall.stalled;
    total_ += timing_of(view.program, view.stall, cycles_of(profile_, view.program)).end;
    ++launches_;
  }
  std::int64_t total() const { return stalled_ || launches_ == 0 ? -1 : total_; }

 private:
  const Profile& profile_;
  bool stalled_ = false;
  std::int64_t launches_ = 0;
  std::int64_t total_ = 0;
};

void drop_calls(std::vector<Instruction>& program, Op call) {
  std::erase_if(program, [call](const Instruction& in) { return in.op == call; });
  for (Instruction& in : program) drop_calls(in.body, call);
}

void drop_calls(SubKernel& sub, Op call) {
  drop_calls(sub.aic, call);
  drop_calls(sub.aiv, call);
}

Case without(const Case& test_case, std::initializer_list<Op> calls_dropped) {
  Case left = test_case;
  for (SubKernel& sub : left.mix.sub_kernels) {
    for (const Op call : calls_dropped) drop_calls(sub, call);
  }
  return left;
}

RefreshCount count(Model& model, std::string_view name, const Case& test_case,
                   const std::vector<LatitudePin>& pins) {
  const Allowed allowed = model.allowed(test_case, pins);
  RefreshCount result{.name = name};
  // A launch that may stall or whose data is undefined is not counted.
  result.counted = allowed.completed && !allowed.counts.empty() &&
                   std::ranges::all_of(allowed.counts, [](const LaunchCounts& launch) {
                     return !launch.fused || !launch.inserted.empty();
                   });
  for (const LaunchCounts& launch : allowed.counts) {
    for (const InsertedCounts& own : launch.inserted) {
      result.accesses += own.refresh_per_access;
      result.before += own.refresh_before;
      result.after += own.refresh_after;
      result.debug += own.refresh_debug;
    }
  }
  return result;
}

}  // namespace

std::vector<RefreshCount> refresh_counts(Model& model, const Case& test_case,
                                         const std::vector<LatitudePin>& pins) {
  std::vector<RefreshCount> all = {count(model, "as given", test_case, pins)};
  const OptionParse parsed = options_of(test_case);
  if (!parsed.options) return all;
  std::vector<std::string> types;
  for (const SubKernel& sub : test_case.mix.sub_kernels) {
    if (std::ranges::find(types, sub.matched_op_type()) == types.end()) {
      types.push_back(sub.matched_op_type());
    }
  }
  Options plain = *parsed.options;
  plain.debug_dcci_all = false;
  plain.dcci_before_kernel_start.clear();
  plain.dcci_after_kernel_end.clear();
  plain.dcci_disable_on_kernel.clear();
  const auto add = [&](std::string_view name, Tiling tiling, const Options& options) {
    Case variant = test_case;
    variant.mix.options = to_option_string(options);
    for (SubKernel& sub : variant.mix.sub_kernels) sub.tiling = tiling;
    all.push_back(count(model, name, variant, pins));
  };
  add("default", Tiling::fixed, plain);
  Options listed = plain;
  listed.dcci_before_kernel_start = types;
  add("before", Tiling::fixed, listed);
  Options both = listed;
  listed = plain;
  listed.dcci_after_kernel_end = types;
  add("after", Tiling::fixed, listed);
  both.dcci_after_kernel_end = types;
  add("before, after", Tiling::fixed, both);
  listed = plain;
  listed.dcci_disable_on_kernel = types;
  add("disable", Tiling::fixed, listed);
  add("offload", Tiling::offload, plain);
  return all;
}

std::int64_t critical_path(Model& model, const Case& test_case,
                           const std::vector<LatitudePin>& pins) {
  const Profile* profile = find_profile(test_case.profile);
  Paths paths(profile == nullptr ? default_profile() : *profile);
  model.show(test_case, pins, paths);
  return paths.total();
}

PathCosts path_costs(Model& model, const Case& test_case, const std::vector<LatitudePin>& pins) {
  constexpr std::array<Op, 2> both = {Op::set_next_task_start, Op::wait_pre_task_end};
  const auto path = [&](const Case& variant) { return critical_path(model, variant, pins); };
  PathCosts costs;
  costs.as_given = path(test_case);
  costs.without_starts = path(without(test_case, {both[0]}));
  costs.without_waits = path(without(test_case, {both[1]}));
  costs.without_both = path(without(test_case, {both[0], both[1]}));
  for (std::size_t k = 0; k < test_case.mix.sub_kernels.size(); ++k) {
    for (const Op call : both) {
      if (!calls(test_case.mix.sub_kernels[k], call)) continue;
      Case variant = test_case;
      drop_calls(variant.mix.sub_kernels[k], call);
      costs.calls.push_back({static_cast<std::int32_t>(k), call, path(variant)});
    }
  }
  return costs;
}

std::string cost_text(const Case& test_case, const std::vector<RefreshCount>& refreshes,
                      const PathCosts& paths) {
  std::string text =
      fmt::format("{:<34} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "inserted refreshes (CACHE-9)",
                  "accesses", "before", "after", "debug", "all");
  for (const RefreshCount& one : refreshes) {
    if (!one.counted) {
      text += fmt::format("  {:<32} not counted: it does not complete for certain\n", one.name);
      continue;
    }
    text += fmt::format("  {:<32} {:>8} {:>8} {:>8} {:>8} {:>8}\n", one.name, one.accesses,
                        one.before, one.after, one.debug, one.total());
  }
  text += fmt::format("{:<34} {:>8} {:>8}\n", "critical path, cycles (TASK-6)", "path", "saved");
  const auto row = [&](const std::string& name, std::int64_t path) {
    const bool known = path >= 0 && paths.as_given >= 0;
    text +=
        fmt::format("  {:<32} {:>8} {:>8}\n", name, path >= 0 ? fmt::format("{}", path) : "stalls",
                    known ? fmt::format("{}", path - paths.as_given) : "");
  };
  row("as given", paths.as_given);
  if (!paths.calls.empty()) {
    row("without SetNextTaskStart", paths.without_starts);
    row("without WaitPreTaskEnd", paths.without_waits);
    row("without both", paths.without_both);
  }
  for (const CallSaving& call : paths.calls) {
    const SubKernel& sub = test_case.mix.sub_kernels[static_cast<std::size_t>(call.sub_kernel)];
    row(fmt::format("without {} {}", sub.name, to_string(call.call)), call.without);
  }
  return text +
         "Cycles are this suite's stand-ins: they compare variants of a mix and predict no time.\n";
}

}  // namespace skcts::model
