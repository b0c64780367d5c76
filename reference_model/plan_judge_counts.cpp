// What counters that earlier launches left, and slots that count rounds, mean for a launch.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "reference_model/plan_run.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

}  // namespace

/// L-5: counters that an earlier launch left above zero may still be so. Whatever waits for one may
/// be released before its time, and what is raised on top of it may pass 15.
void PlanRun::judge_left_over() {
  if (!left_over_.empty() && setting_->may_be(latitude_pin(5, "kept"))) {
    const auto is_met = [this](const LeftOver& left) {
      if (left.id > 10) return true;  // the inserted waits meet it
      return std::any_of(
          stall_.counters.begin(), stall_.counters.end(), [&](const Counter& counter) {
            // Which core of the chip a launch beside others has is open.
            const CoreId core = program_.threads[to_size(counter.thread)].core;
            return counter.id == left.id && (core == left.core || !program_.parts.empty());
          });
    };
    PlanResult& result = *result_;
    if (std::any_of(left_over_.begin(), left_over_.end(), is_met)) {
      note_latitude(5);
      undefined_ = result.undefined = result.may_stall = may_complete_ = true;
      result.stall_open.add(Inexact::left_over_flag);
      result.data_open.add(Inexact::left_over_flag);
      charge(result.early_charges, RuleId::sync_5, -1);
      charge(result.stall_charges, RuleId::sync_5, -1);
    }
    judge_full_counters();
  }
  for (const LeftOver& left : stall_.left_over) {
    const auto same = std::ranges::find_if(left_over_, [&](const LeftOver& known) {
      return known.core == left.core && known.id == left.id;
    });
    if (same == left_over_.end()) {
      left_over_.push_back(left);
    } else {
      same->count += left.count;
      same->pending += left.pending;
    }
  }
}

/// S4 with what earlier launches left.
void PlanRun::judge_full_counters() {
  PlanResult& result = *result_;
  // How often inserted waits raise before they wait is a composer's affair.
  if (std::ranges::any_of(left_over_, [](auto& left) { return is_reserved(left.id); })) {
    result.may_error = result.may_error || setting_->may_be(latitude_pin(9, "error"));
  }
  const auto passes = [&](const LeftOver& left) {
    return stalls_.may_overflow(program_, stall_, left);
  };
  const auto full = std::ranges::find_if(left_over_, passes);
  if (full == left_over_.end()) return;
  if (words_) {
    result.remarks.push_back(
        {RuleId::sync_6,
         fmt::format("the counter of flag {} on {} can pass 15 with what an earlier launch left",
                     full->id, to_string(full->core))});
  }
  note_latitude(5);
  note_latitude(9);
  result.stall_open.add(Inexact::left_over_flag);
  if (setting_->may_be(latitude_pin(9, "error"))) {
    result.error = true;
    charge(result.error_charges, RuleId::sync_6, -1);
  }
  if (setting_->may_be(latitude_pin(9, "hang"))) {
    result.may_stall = true;
    charge(result.stall_charges, RuleId::sync_6, -1);
  }
}

/// 3510: the first round of a soft SyncAll leaves when the slots add up to the number of cores
/// exactly. A core that begins its second round before another one has looked takes that away.
void PlanRun::judge_first_soft_round() {
  struct Round {
    std::int32_t thread = 0;
    std::int32_t flat = 0;
  };
  std::map<std::int64_t, std::array<std::vector<Round>, 2>> rounds;  // by workspace
  for (std::size_t t = 0; t < program_.threads.size(); ++t) {
    const std::vector<Step>& steps = program_.threads[t].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].mark != MarkKind::soft_sync || steps[i].value > 2) continue;
      // Of the first round its end, of the second its write.
      const StepKind wanted = steps[i].value == 1 ? StepKind::pass : StepKind::data;
      std::size_t at = i;
      while (at < steps.size() && !(steps[at].kind == wanted && steps[at].pipe != Pipe::mte2)) ++at;
      const auto flat = stall_.first_step[t] + static_cast<std::int32_t>(at);
      if (at == steps.size() || stall_.executed[to_size(flat)] == 0) continue;
      const WordRange& slots = program_.ranges[to_size(steps[i].reads_begin) + 1];
      rounds[slots.first][steps[i].value - 1].push_back({static_cast<std::int32_t>(t), flat});
    }
  }
  for (const auto& [workspace, both] : rounds) {
    for (const Round& slow : both[0]) {
      for (const Round& fast : both[1]) {
        if (slow.thread == fast.thread || order_.before(slow.flat, fast.flat)) continue;
        const std::int32_t place = mix_place(step_at(slow.flat).sub_kernel);
        result_->may_stall = true;
        charge(result_->stall_charges, RuleId::sync_9, place);
        if (words_) {
          result_->remarks.push_back(
              {RuleId::sync_9,
               "a core may begin its second soft SyncAll before another one has seen the first "
               "one's slots add up, which on the 950 it then never does"});
        }
        return;
      }
    }
  }
}

}  // namespace skcts::model
