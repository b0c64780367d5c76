// Every choice of a run, drawn from one recorded stream.
//
// The machine asks for a number below n whenever it could go on in n ways. Choices with n = 1 are
// no choices and are not recorded. A replay answers from the recorded stream; a value that does not
// fit, or a stream of another length, shows in fitted().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/emulator/agents.h"
#include "harness/target/target.h"

namespace skcts::emulator {

/// A small seeded generator (xorshift64*); equal seeds give equal streams.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) { reseed(seed); }
  void reseed(std::uint64_t seed) {
    state_ = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    if (state_ == 0) state_ = 1;
    (void)next();
    (void)next();
  }
  std::uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1du) >> 32);
  }
  /// Below n; n > 0.
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * n) >> 32);
  }

 private:
  std::uint64_t state_ = 1;
};

class Chooser {
 public:
  /// Starts a run. `replay` may be null.
  void begin(const Strategy& strategy, const Schedule* replay);

  /// Starts a launch of `cores` cores with about `expected_steps` steps (PCT's change points and
  /// the victims of starvation are laid out here; they are not part of the recorded stream).
  void begin_launch(int cores, std::int64_t expected_steps);

  /// Below n.
  std::uint32_t choose(std::uint32_t n) {
    if (n <= 1) return 0;
    std::uint32_t value;
    if (replay_ != nullptr) {
      value = replayed(n);
    } else {
      value = flat_ ? 0 : random_.below(n);
    }
    recorded_.push_back(value);
    return value;
  }

  /// The agent that moves next. Precondition: at least one is enabled.
  std::uint32_t choose_agent(const EnabledSet& enabled) {
    const std::uint32_t n = enabled.size();
    if (n == 1) return enabled.at(0);
    if (replay_ == nullptr && strategy_.kind != StrategyKind::random) {
      return enabled.at(choose_by_strategy(enabled));
    }
    return enabled.at(choose(n));
  }

  CachePolicy cache_policy() const { return strategy_.cache; }
  std::uint64_t seed() const { return strategy_.seed; }
  bool fitted() const { return fitted_; }
  /// Ends a run: the recorded schedule.
  Schedule finish();

 private:
  std::uint32_t replayed(std::uint32_t n);
  std::uint32_t choose_by_strategy(const EnabledSet& enabled);
  std::uint32_t round_robin(const EnabledSet& enabled);
  std::uint32_t pct(const EnabledSet& enabled);
  std::uint32_t starve(const EnabledSet& enabled);
  void pick_victim();
  bool is_victim(std::uint32_t agent) const;

  Strategy strategy_;
  Strategy named_;  ///< What text_ is the text of.
  std::string text_;
  Random random_;
  Random plan_random_;  ///< For what is laid out ahead and not recorded as choices.
  const Schedule* replay_ = nullptr;
  std::size_t replay_at_ = 0;
  bool fitted_ = true;
  bool flat_ = false;
  std::vector<std::uint32_t> recorded_;
  std::uint32_t last_agent_ = 0;
  // PCT
  std::vector<std::uint32_t> priorities_;
  std::vector<std::int64_t> change_points_;
  std::int64_t pct_step_ = 0;
  std::uint32_t next_low_ = 0;
  // starvation
  int cores_ = 0;
  std::uint32_t victim_core_ = 0;
  std::uint32_t victim_slots_ = 0;  ///< Bit set over the slots of the victim core.
  std::int64_t victim_for_ = 0;
};

}  // namespace skcts::emulator
