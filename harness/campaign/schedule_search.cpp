#include "harness/campaign/schedule_search.h"

#include <algorithm>

namespace skcts::campaign {
namespace {

/// Choices drawn behind the kept ones; what a run does not ask for is left over.
constexpr std::size_t choices_behind = 48;
/// Schedules kept of one outcome.
constexpr std::int64_t kept_of_one = 4;
/// Of so many that are looked at, the one whose outcome is rarest is changed.
constexpr int looks = 8;

}  // namespace

void ScheduleSearch::show(std::size_t target, std::size_t outcome, const Schedule& schedule) {
  if (outcome >= times_.size()) times_.resize(outcome + 1, 0);
  if (++times_[outcome] <= kept_of_one) kept_.push_back({target, outcome, schedule});
}

/// What comes or goes moves all that is behind it: so a choice that asks two more questions than
/// before leaves the rest of the run as it was.
void ScheduleSearch::change(std::vector<std::uint32_t>& choices) {
  const std::size_t at = below(choices.size());
  const auto place = choices.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(3)) {
    case 0: *place = choice(); return;
    case 1: {
      std::vector<std::uint32_t> more(1 + below(3));
      std::ranges::generate(more, [&] { return choice(); });
      choices.insert(place, more.begin(), more.end());
      return;
    }
    default:
      if (choices.size() > 1) choices.erase(place);
      return;
  }
}

ScheduleSearch::Proposal ScheduleSearch::propose() {
  const Kept* best = nullptr;
  for (int look = 0; look < looks; ++look) {
    const Kept& one = kept_[below(kept_.size())];
    if (best == nullptr || times_[one.outcome] < times_[best->outcome]) best = &one;
  }
  Proposal made{best->target, best->schedule};
  std::vector<std::uint32_t>& choices = made.schedule.choices;
  if (!choices.empty() && below(4) == 0) {
    choices.resize(below(choices.size()));
  } else if (!choices.empty()) {
    do change(choices);
    while (below(2) == 0);
  }
  for (std::size_t more = 0; more < choices_behind; ++more) choices.push_back(choice());
  return made;
}

}  // namespace skcts::campaign
