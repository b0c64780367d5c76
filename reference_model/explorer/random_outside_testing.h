// Random tiny cases with events, outside actors, several launches and writes of the host between.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reference_model/explorer/random_case_testing.h"

namespace skcts::explorer {

/// Gives a random case events and actors, and another plan.
class RandomOutside {
 public:
  explicit RandomOutside(std::uint64_t seed)
      : seed_(seed), state_(seed * 0x9e3779b97f4a7c15u + 5) {}

  Case make() {
    Case made = RandomCase(seed_).make();
    free_raisers_ = free_waiters_ = {"e", "f", "g"};
    for (SubKernel& kernel : made.mix.sub_kernels) {
      if (one_in(2)) take(free_waiters_, kernel.recv);
      const bool own = !kernel.recv.empty();
      if (one_in(2)) take(free_raisers_, kernel.send);
      if (own && !kernel.send.empty() && kernel.send == kernel.recv) kernel.send.clear();
    }
    const int actors = one_in(3) ? 2 : 1;
    for (int a = 0; a < actors; ++a) made.mix.outside.push_back(actor(a));
    plan(made);
    return made;
  }

 private:
  std::uint64_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % n;
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  void take(std::vector<std::string>& from, std::vector<std::string>& to) {
    if (from.empty()) return;
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(below(from.size()));
    to.push_back(*at);
    from.erase(at);
  }

  OutsideActor actor(int place) {
    OutsideActor made;
    made.name = "actor" + std::to_string(place);
    const auto steps = 1 + below(3);
    while (made.steps.size() < steps) {
      OutsideStep step;
      std::vector<std::string> event;
      switch (below(4)) {
        case 0:
          take(free_waiters_, event);
          step.kind = OutsideKind::wait;
          break;
        case 1:
          step.kind = OutsideKind::copy;
          step.region = static_cast<std::int16_t>(below(2));
          step.to = static_cast<std::int16_t>(below(2));
          step.at = 8 * static_cast<int>(below(2));
          step.to_at = 8 * static_cast<int>(below(2));
          step.count = 1 + 7 * static_cast<int>(below(2));
          break;
        case 2:
          step.kind = OutsideKind::write;
          step.region = static_cast<std::int16_t>(below(2));
          step.at = 8 * static_cast<int>(below(2));
          step.values = {100 + static_cast<std::uint32_t>(below(2))};
          break;
        default:
          take(free_raisers_, event);
          step.kind = OutsideKind::raise;
          break;
      }
      const bool named = step.kind == OutsideKind::wait || step.kind == OutsideKind::raise;
      if (named && event.empty()) continue;
      if (named) step.event = event[0];
      made.steps.push_back(std::move(step));
    }
    return made;
  }

  void plan(Case& made) {
    const auto kernels = static_cast<std::int32_t>(made.mix.sub_kernels.size());
    const auto step = [&](StepKind kind) -> PlanStep& {
      made.plan.steps.emplace_back();
      made.plan.steps.back().kind = kind;
      return made.plan.steps.back();
    };
    const auto host = [&] {
      PlanStep& write = step(StepKind::host_write);
      write.region = 0;
      write.values = {50};
    };
    made.plan.steps.clear();
    if (one_in(6)) host();
    const bool apart = kernels == 1 || one_in(2);
    if (apart) {
      for (std::int32_t k = 0; k < kernels; ++k) {
        step(one_in(2) ? StepKind::alone : StepKind::fused).sub_kernels = {k};
        if (one_in(6)) host();
      }
    } else {
      step(StepKind::fused).sub_kernels = {0, 1};
    }
  }

  std::uint64_t seed_, state_;
  std::vector<std::string> free_raisers_, free_waiters_;
};

}  // namespace skcts::explorer
