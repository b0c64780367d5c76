// Search for outcomes that strategies seldom show: recorded schedules, changed here and there.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "harness/target/target.h"
#include "spec/case.h"

namespace skcts::campaign {

/// Proposes schedules for targets that honour them. A schedule that showed something rare is worth
/// changing: what is near it is rare as well. One that does not fit is completed by the target, and
/// what it shows is a run like any other.
class ScheduleSearch {
 public:
  explicit ScheduleSearch(std::uint64_t seed) : random_(seed) {}

  /// Target `target` showed outcome number `outcome` (numbers count from 0 in the order in which
  /// outcomes are first shown) on this schedule.
  void show(std::size_t target, std::size_t outcome, const Schedule& schedule);

  [[nodiscard]] bool empty() const { return kept_.empty(); }

  struct Proposal {
    std::size_t target = 0;
    Schedule schedule;
  };
  /// A schedule that was shown, cut short or changed in some places, with drawn choices where it
  /// has none, for the target that showed it. Precondition: not empty.
  Proposal propose();

 private:
  struct Kept {
    std::size_t target = 0;
    std::size_t outcome = 0;
    Schedule schedule;
  };

  void change(std::vector<std::uint32_t>& choices);
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint32_t choice() { return static_cast<std::uint32_t>(random_() >> 32); }

  std::mt19937_64 random_;
  std::vector<Kept> kept_;
  std::vector<std::int64_t> times_;  ///< How often each outcome was shown.
};

}  // namespace skcts::campaign
