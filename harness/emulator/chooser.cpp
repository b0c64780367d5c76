// Scheduling strategies.
#include "harness/emulator/chooser.h"

#include <algorithm>

namespace skcts::emulator {

void Chooser::begin(const Strategy& strategy, const Schedule* replay) {
  strategy_ = strategy;
  replay_ = replay;
  replay_at_ = 0;
  fitted_ = true;
  recorded_.clear();
  if (replay != nullptr) {
    // Which choices there are depends on the cache policy, so the schedule's own text rules.
    const auto own = parse_strategy(replay->strategy);
    fitted_ = own.has_value();
    if (own) strategy_ = *own;
    strategy_.seed = replay->seed;
  }
  flat_ = strategy_.kind == StrategyKind::round_robin;
  random_.reseed(strategy_.seed);
  plan_random_.reseed(strategy_.seed ^ 0x5bd1e9955bd1e995u);
  last_agent_ = 0;
}

void Chooser::begin_launch(int cores, std::int64_t expected_steps) {
  cores_ = cores;
  last_agent_ = 0;
  if (replay_ != nullptr) return;
  if (strategy_.kind == StrategyKind::pct) {
    priorities_.resize(static_cast<std::size_t>(cores) * agents_per_core);
    for (std::uint32_t& priority : priorities_) priority = plan_random_.next() | 0x100u;
    change_points_.clear();
    const auto span =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(expected_steps, 1, 1'000'000'000));
    for (int i = 1; i < strategy_.depth; ++i) change_points_.push_back(plan_random_.below(span));
    std::sort(change_points_.begin(), change_points_.end(), std::greater<>());
    pct_step_ = 0;
    next_low_ = 0x80;
  } else if (strategy_.kind == StrategyKind::starve) {
    pick_victim();
  }
}

Schedule Chooser::finish() {
  if (replay_ != nullptr && replay_at_ != replay_->choices.size()) fitted_ = false;
  named_.seed = strategy_.seed;
  if (text_.empty() || named_ != strategy_) {
    named_ = strategy_;
    text_ = to_string(strategy_);
  }
  return {text_, strategy_.seed, recorded_};
}

std::uint32_t Chooser::replayed(std::uint32_t n) {
  if (replay_at_ >= replay_->choices.size()) {
    fitted_ = false;
    return 0;
  }
  const std::uint32_t value = replay_->choices[replay_at_++];
  if (value < n) return value;
  fitted_ = false;
  return value % n;
}

std::uint32_t Chooser::choose_by_strategy(const EnabledSet& enabled) {
  std::uint32_t place = 0;
  switch (strategy_.kind) {
    case StrategyKind::round_robin: place = round_robin(enabled); break;
    case StrategyKind::pct: place = pct(enabled); break;
    case StrategyKind::starve: place = starve(enabled); break;
    case StrategyKind::random: place = random_.below(enabled.size()); break;
  }
  recorded_.push_back(place);
  return place;
}

/// The enabled agent with the next higher number, around.
std::uint32_t Chooser::round_robin(const EnabledSet& enabled) {
  std::uint32_t best = 0;
  std::uint32_t best_distance = ~0u;
  for (std::uint32_t i = 0; i < enabled.size(); ++i) {
    const std::uint32_t distance = enabled.at(i) - last_agent_ - 1;  // wraps: smaller ones last
    if (distance < best_distance) {
      best_distance = distance;
      best = i;
    }
  }
  last_agent_ = enabled.at(best);
  return best;
}

/// Always the agent of highest priority; at depth - 1 moments the one that would move falls behind
/// all others.
std::uint32_t Chooser::pct(const EnabledSet& enabled) {
  const auto highest = [&] {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < enabled.size(); ++i) {
      if (priorities_[enabled.at(i)] > priorities_[enabled.at(best)]) best = i;
    }
    return best;
  };
  std::uint32_t best = highest();
  while (!change_points_.empty() && change_points_.back() <= pct_step_) {
    change_points_.pop_back();
    priorities_[enabled.at(best)] = next_low_--;
    best = highest();
  }
  ++pct_step_;
  return best;
}

void Chooser::pick_victim() {
  victim_core_ = plan_random_.below(static_cast<std::uint32_t>(std::max(cores_, 1)));
  constexpr std::uint32_t whole_core = (1u << agents_per_core) - 1;
  switch (plan_random_.below(6)) {
    case 0: victim_slots_ = whole_core; break;
    case 1: victim_slots_ = 1u << part_scalar; break;
    case 2: victim_slots_ = 1u << part_deliver; break;
    case 3: victim_slots_ = 1u << part_land; break;
    case 4: victim_slots_ = 1u << (part_start + plan_random_.below(queue_count)); break;
    default: victim_slots_ = 1u << (part_finish + plan_random_.below(queue_count)); break;
  }
  victim_for_ = 16 + plan_random_.below(240);
}

bool Chooser::is_victim(std::uint32_t agent) const {
  return agent / agents_per_core == victim_core_ &&
         (victim_slots_ >> (agent % agents_per_core) & 1u) != 0;
}

/// Any agent but those of the victim, which moves when nobody else can.
std::uint32_t Chooser::starve(const EnabledSet& enabled) {
  if (--victim_for_ <= 0) pick_victim();
  const std::uint32_t n = enabled.size();
  const std::uint32_t first = random_.below(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t place = (first + i) % n;
    if (!is_victim(enabled.at(place))) return place;
  }
  return first;
}

}  // namespace skcts::emulator
