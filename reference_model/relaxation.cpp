// Which weakenings a case offers, in which order.
#include <algorithm>

#include <fmt/format.h>

#include "reference_model/relaxation_collector.h"
#include "spec/profile.h"

namespace skcts::model {

/// `as_if` goes on from "The target behaves as if ".
Relaxation& Collector::add(RuleId rule, Weakening what, int size, std::int32_t place,
                           std::string name, std::string as_if) {
  Relaxation& made = found_.emplace_back();
  made.rule = rule;
  made.weakening = what;
  made.size = size;
  made.sub_kernel = place;
  made.name = std::move(name);
  made.sentence = fmt::format("The target behaves as if {} [{}].", as_if, skcts::to_string(rule));
  return made;
}

void Collector::options() {
  static const std::array<std::pair<std::string_view, RuleId>, 7> with_effect = {{
      {"feed-sync-all", RuleId::sync_1},
      {"dcci-before-kernel-start", RuleId::cache_2},
      {"dcci-after-kernel-end", RuleId::cache_3},
      {"dcci-disable-on-kernel", RuleId::fuse_2},
      {"early-start", RuleId::fuse_2},
      {"debug-sync-all", RuleId::fuse_2},
      {"debug-dcci-all", RuleId::fuse_2},
  }};
  if (!parsed_.options) {
    add(RuleId::fuse_3, Weakening::option_accepted, 4, -1, "option-accepted",
        fmt::format("the option string were good: {}", parsed_.refusal->message));
    return;
  }
  for (const OptionItem& item : split_option_items(mix_.options)) {
    for (const auto& [key, rule] : with_effect) {
      if (item.key != key) continue;
      add(rule, Weakening::option_ignored, 3, -1, fmt::format("ignored/{}", key),
          fmt::format("{} were not given", item.text))
          .option = key;
    }
  }
}

void Collector::whole_case(std::size_t launches) {
  const bool asked = options_.debug_aic_num != 0 || options_.debug_aiv_num != 0;
  add(asked ? RuleId::core_6 : RuleId::fuse_3, Weakening::refused, 4, -1, "refused",
      "a case that keeps the rules may be refused");
  add(RuleId::fuse_1, Weakening::failed, 4, -1, "failed",
      "a case that keeps the rules may end with an error");
  if (launches > 1) {
    add(RuleId::fuse_4, Weakening::residue, leaves_flags() ? 0 : 3, -1, "residue",
        "flags that one launch leaves raised reached the next");
  }
}

/// Is there a launch with a raise of an id that it never waits for?
bool Collector::leaves_flags() const {
  return std::ranges::any_of(written_plan(case_).steps, [this](const PlanStep& step) {
    std::set<std::int32_t> raised;
    std::set<std::int32_t> waited;
    for (const std::int32_t place : step.sub_kernels) {
      for (const CoreKind kind : both_kinds) {
        const SideFacts facts = facts_of(sub(place), kind);
        for (const auto& [id, mode] : facts.raises) raised.insert(id);
        waited.insert(facts.waits.begin(), facts.waits.end());
      }
    }
    return !std::ranges::includes(waited, raised);
  });
}

/// Who runs a sub kernel and who is idle beside it may be decided at two places.
void Collector::inserted_by_contract() {
  std::vector<Relaxation> more;
  for (const Relaxation& one : found_) {
    switch (one.weakening) {
      case Weakening::guard:
      case Weakening::guard_missing:
      case Weakening::guard_linear:
      case Weakening::sub_core_left_out:
      case Weakening::core_left_out:
      case Weakening::skipped: break;
      default: continue;
    }
    const SubKernel& owner = sub(one.sub_kernel);
    if (!has_sync_all(owner) && !skcts::model::calls(owner, Op::set_next_task_start) &&
        !skcts::model::calls(owner, Op::wait_pre_task_end)) {
      continue;
    }
    more.push_back(one);
    more.back().by_contract = true;
    more.back().name += "/idle-by-contract";
  }
  found_.insert(found_.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

/// The same weakening of every sub kernel at once.
void Collector::everywhere() {
  std::vector<Relaxation> all;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Relaxation& one = found_[i];
    if (one.sub_kernel < 0) continue;
    if (one.object >= 0 && one.weakening != Weakening::guard) continue;
    if (one.weakening == Weakening::swapped || one.weakening == Weakening::run_twice) continue;
    Relaxation same = one;
    same.sub_kernel = -1;
    same.size = 3;
    same.name.clear();
    same.sentence.clear();
    const auto alike = [&](const Relaxation& other) {
      Relaxation bare = other;
      bare.sub_kernel = -1;
      bare.size = 3;
      bare.name.clear();
      bare.sentence.clear();
      return bare == same;
    };
    if (std::find_if(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(i), alike) !=
        found_.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    if (std::count_if(found_.begin(), found_.end(), alike) < 2) continue;
    same.name = one.name + "/everywhere";
    same.sentence = one.sentence;
    const std::string tail = fmt::format(" [{}].", skcts::to_string(one.rule));
    same.sentence.insert(same.sentence.size() - tail.size(), ", and likewise everywhere");
    all.push_back(std::move(same));
  }
  found_.insert(found_.end(), std::make_move_iterator(all.begin()),
                std::make_move_iterator(all.end()));
}

void Collector::fused(const std::vector<std::int32_t>& list) {
  if (!parsed_.options) return;
  const Profile* profile = find_profile(case_.profile);
  if (profile == nullptr || list.empty()) return;
  const ShapeOrRefusal made = fused_shape(case_, list, options_, *profile);
  launch(made.shape, made);
  if (made.refusal) return;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::int32_t place = list[k];
    guards(place, made.shape);
    indices(place, made.shape);
    ratio(place, made.shape);
    calls(list, k);
    block_number(place, made.shape);
    full_core(place, made.shape);
    flags(place);
    if (k + 1 < list.size()) boundary(place, list[k + 1], made.shape);
    refreshes(place);
    called_refreshes(place);
    events(place);
    in_core(place);
  }
  streams(list);
}

std::vector<Relaxation> Collector::run() {
  std::size_t launches = 0;
  for (const PlanStep& step : written_plan(case_).steps) {
    if (step.kind == StepKind::fused) {
      ++launches;
      for (const auto& list : super_kernels(case_, step.sub_kernels, options_)) fused(list);
    } else if (step.kind == StepKind::alone) {
      launches += step.sub_kernels.size();
      for (const std::int32_t place : step.sub_kernels) alone(place);
    }
  }
  // A plan may launch one sub kernel several times.
  std::vector<Relaxation> unique;
  for (Relaxation& one : found_) {
    if (std::find(unique.begin(), unique.end(), one) == unique.end()) {
      unique.push_back(std::move(one));
    }
  }
  found_ = std::move(unique);
  inserted_by_contract();
  everywhere();
  marks();
  machine();
  options();
  whole_case(launches);
  std::stable_sort(found_.begin(), found_.end(), [](const Relaxation& a, const Relaxation& b) {
    return std::pair(a.size, a.rule) < std::pair(b.size, b.rule);
  });
  return std::move(found_);
}

std::vector<Relaxation> relaxations_of(const Case& test_case) {
  return Collector(test_case).run();
}

std::span<const RuleId> relaxable_rules() {
  static constexpr std::array rules = {
      RuleId::core_1,  RuleId::core_2,  RuleId::core_3,  RuleId::core_4,  RuleId::core_6,
      RuleId::core_7,  RuleId::core_8,  RuleId::sync_1,  RuleId::sync_2,  RuleId::sync_4,
      RuleId::ratio_1, RuleId::cache_1, RuleId::cache_2, RuleId::cache_3, RuleId::cache_5,
      RuleId::cache_6, RuleId::pipe_1,  RuleId::pipe_3,  RuleId::task_1,  RuleId::task_2,
      RuleId::task_3,  RuleId::fuse_1,  RuleId::fuse_2,  RuleId::fuse_3,  RuleId::fuse_4,
      RuleId::fuse_5};
  return rules;
}

}  // namespace skcts::model
