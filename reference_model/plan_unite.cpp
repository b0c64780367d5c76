// One set for a plan that stands at two positions of a latitude.
#include <algorithm>

#include "reference_model/plan_run.h"

namespace skcts::model {
namespace {

template <class T, class Same>
void append_new(std::vector<T>& into, const std::vector<T>& other, Same same) {
  const std::size_t own = into.size();
  for (const T& one : other) {
    const auto end = into.begin() + static_cast<std::ptrdiff_t>(own);
    if (std::none_of(into.begin(), end, [&](const T& known) { return same(known, one); })) {
      into.push_back(one);
    }
  }
}

void add_charges(std::vector<Charge>& into, const std::vector<Charge>& other) {
  append_new(into, other, [](const Charge& a, const Charge& b) {
    return a.rule == b.rule && a.sub_kernel == b.sub_kernel;
  });
}

/// What both owe.
void keep_fewest(std::vector<LaunchCounts>& into, const std::vector<LaunchCounts>& other) {
  constexpr std::int64_t InsertedCounts::*all[] = {
      &InsertedCounts::refresh_per_access, &InsertedCounts::refresh_before,
      &InsertedCounts::refresh_after,      &InsertedCounts::refresh_debug,
      &InsertedCounts::barrier_before,     &InsertedCounts::barrier_debug,
      &InsertedCounts::feed_joins};
  for (std::size_t l = 0; l < std::min(into.size(), other.size()); ++l) {
    std::vector<InsertedCounts>& own = into[l].inserted;
    if (own.size() != other[l].inserted.size()) {
      own.clear();
      continue;
    }
    for (std::size_t k = 0; k < own.size(); ++k) {
      for (std::int64_t InsertedCounts::*count : all) {
        own[k].*count = std::min(own[k].*count, other[l].inserted[k].*count);
      }
    }
  }
}

/// Who is stuck in both.
void unite_stuck(PlanResult& into, const PlanResult& other) {
  const bool own_stalls = into.stalls || into.may_stall;
  const bool others_stalls = other.stalls || other.may_stall;
  if (!others_stalls) return;
  if (!own_stalls) {
    into.stuck = other.stuck;
    into.stuck_complete = other.stuck_complete;
    return;
  }
  into.stuck_complete = into.stuck_complete && other.stuck_complete && into.stuck == other.stuck;
  std::erase_if(into.stuck, [&](const StuckCore& one) {
    return std::find(other.stuck.begin(), other.stuck.end(), one) == other.stuck.end();
  });
}

/// What is said of a run that completes is said of the other one.
void take_completion(PlanResult& into, const PlanResult& other) {
  into.memory = other.memory;
  into.counts = other.counts;
  into.queries = other.queries;
  into.private_words = other.private_words;
  into.launches = other.launches;
}

}  // namespace

void unite(PlanResult& into, const PlanResult& other) {
  if (into.refusal || other.refusal) return;
  unite_stuck(into, other);
  if (into.fails != other.fails) {
    if (into.fails) take_completion(into, other);
  } else if (into.stalls == other.stalls) {
    into.judge_stalled_memory = into.judge_stalled_memory && other.judge_stalled_memory;
    if (!into.memory.unite(other.memory)) into.data_open.add(Inexact::search_limit);
    keep_fewest(into.counts, other.counts);
  } else {
    // One completes and the other does not: what is said of memory is said of the former.
    if (into.stalls) take_completion(into, other);
    into.judge_stalled_memory = false;
    into.may_stall = true;
  }
  into.stalls = into.stalls && other.stalls;
  into.may_stall = !into.stalls && (into.may_stall || other.may_stall);
  into.error = into.error || other.error;
  into.fails = into.fails && other.fails;
  into.may_error = into.may_error || other.may_error;
  into.undefined = into.undefined || other.undefined;
  into.full_core_stall = into.full_core_stall || other.full_core_stall;
  into.stall_open.add(other.stall_open);
  into.data_open.add(other.data_open);
  add_charges(into.error_charges, other.error_charges);
  add_charges(into.stall_charges, other.stall_charges);
  add_charges(into.early_charges, other.early_charges);
  add_charges(into.race_charges, other.race_charges);
  append_new(into.broken, other.broken, [](const BrokenRule& a, const BrokenRule& b) {
    return a.rule == b.rule && a.sub_kernel == b.sub_kernel;
  });
  append_new(into.latitudes, other.latitudes, [](LatitudeId a, LatitudeId b) { return a == b; });
  append_new(into.remarks, other.remarks,
             [](const PlanResult::Remark& a, const PlanResult::Remark& b) {
               return a.rule == b.rule && a.text == b.text;
             });
  append_new(into.waiting, other.waiting, [](const StuckWait& a, const StuckWait& b) {
    return a.waiting == b.waiting && a.reason == b.reason;
  });
  append_new(into.races, other.races,
             [](const Race& a, const Race& b) { return a.rule == b.rule && a.text == b.text; });
}

}  // namespace skcts::model
