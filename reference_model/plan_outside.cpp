// Outside actors beside the launches of a plan.
//
// An actor takes a step at any pace. It is written into the first launch beside which it may happen
// (its own thread there, so every order with that launch is looked at), and floats from then on:
// it may as well happen beside a later launch, until one begins after an event that the actor
// raises behind the step. A later launch that touches the same words, one of the two writing, is
// not decided. What is enabled by the end of the last launch runs in a launch of no cores.
#include <algorithm>

#include "reference_model/plan_run.h"

namespace skcts::model {
namespace {

std::size_t to_size(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

/// Do the words lie in a common cache line?
bool meet(const WordRange& a, const WordRange& b) {
  if (a.count <= 0 || b.count <= 0) return false;
  return a.first / line_words <= (b.first + b.count - 1) / line_words &&
         b.first / line_words <= (a.first + a.count - 1) / line_words;
}

}  // namespace

/// Does one of the sub kernels that raise their events beside the actors, or an actor, raise it?
bool PlanRun::is_raised_beside(const std::vector<std::int32_t>& raisers,
                               const std::string& event) const {
  const Mix& mix = setting_->test_case.mix;
  const bool inside = std::ranges::any_of(raisers, [&](std::int32_t place) {
    return names(mix.sub_kernels[to_size(place)].send, event);
  });
  if (inside) return true;
  return std::ranges::any_of(parts_, [&](const ActorPart& part) {
    const std::vector<OutsideStep>& steps = mix.outside[to_size(part.actor)].steps;
    return std::any_of(steps.begin() + part.first, steps.begin() + part.last,
                       [&](const OutsideStep& step) {
                         return step.kind == OutsideKind::raise && step.event == event;
                       });
  });
}

/// How far each actor can come while these sub kernels run.
void PlanRun::find_actor_parts(const std::vector<std::int32_t>& raisers) {
  parts_.clear();
  const Mix& mix = setting_->test_case.mix;
  for (std::size_t a = 0; a < mix.outside.size(); ++a) {
    parts_.push_back({static_cast<std::int32_t>(a), next_step_[a], next_step_[a]});
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (ActorPart& part : parts_) {
      const std::vector<OutsideStep>& steps = mix.outside[to_size(part.actor)].steps;
      while (to_size(part.last) < steps.size()) {
        const OutsideStep& step = steps[to_size(part.last)];
        const bool waits = step.kind == OutsideKind::wait && !raised_.contains(step.event);
        if (waits && !is_raised_beside(raisers, step.event)) break;
        ++part.last;
        moved = true;
      }
    }
  }
  std::erase_if(parts_, [](const ActorPart& part) { return part.first == part.last; });
}

/// Does the actor raise one of the events behind the step?
bool PlanRun::is_over(const Floating& floating, const std::vector<std::string>& events) const {
  const std::vector<OutsideStep>& steps =
      setting_->test_case.mix.outside[to_size(floating.actor)].steps;
  return std::any_of(steps.begin() + floating.step, steps.end(), [&](const OutsideStep& step) {
    return step.kind == OutsideKind::raise && names(events, step.event);
  });
}

/// `sub_kernel`: whose access it is, or null.
void PlanRun::meet_words(const WordRange& words, bool write, std::int32_t actor,
                         const SubKernel* sub_kernel) {
  if (!result_->left_open.empty()) return;
  for (const Floating& floating : floating_) {
    if (floating.actor == actor || !(write || floating.write)) continue;
    if (!meet(floating.words, words)) continue;
    // All of a sub kernel comes after its events.
    if (sub_kernel != nullptr && is_over(floating, sub_kernel->recv)) continue;
    result_->left_open =
        "an outside actor may touch the same words as several launches: not decided";
    return;
  }
}

/// Words that the host writes, against what actors may do before it as well as after.
void PlanRun::meet_actors(const WordRange& words) {
  if (!result_->left_open.empty() || setting_->test_case.mix.outside.empty()) return;
  find_actor_parts({});
  const auto shares = [&](std::int16_t region, std::int32_t at, std::int64_t count) {
    const std::int64_t first = setting_->layout.base[to_size(region)] + at;
    return first < words.first + words.count && words.first < first + count;
  };
  for (const ActorPart& part : parts_) {
    const std::vector<OutsideStep>& steps =
        setting_->test_case.mix.outside[to_size(part.actor)].steps;
    for (std::int32_t s = part.first; s < part.last; ++s) {
      const OutsideStep& step = steps[to_size(s)];
      const bool writes = step.kind == OutsideKind::write;
      const bool copies = step.kind == OutsideKind::copy;
      const auto size = static_cast<std::int64_t>(step.values.size());
      if ((writes && shares(step.region, step.at, size)) ||
          (copies &&
           (shares(step.region, step.at, step.count) || shares(step.to, step.to_at, step.count)))) {
        result_->left_open =
            "an outside actor may touch words before or after the host writes them: not decided";
        return;
      }
    }
  }
}

/// Where early-start calls differ from core to core, a composer raises the event of the sub kernel
/// behind a boundary that lacks members, or too early.
void PlanRun::leave_events_open() {
  if (!result_->left_open.empty()) return;
  for (std::size_t b = first_broken_; b < result_->broken.size(); ++b) {
    const BrokenRule& broken = result_->broken[b];
    if (broken.rule != RuleId::task_4 || broken.sub_kernel < 0) continue;
    if (setting_->test_case.mix.sub_kernels[to_size(broken.sub_kernel)].send.empty()) continue;
    result_->left_open =
        "whether an event comes behind early-start calls that are not made on every core is not "
        "decided";
    return;
  }
}

/// What floats meets the launch that was just written out; null: one of no cores.
void PlanRun::meet_floating(const LaunchShape* shape) {
  if (floating_.empty()) return;
  const Mix& mix = setting_->test_case.mix;
  // A launch of one sub kernel begins after its events: what stands before them is over.
  if (shape != nullptr && shape->sub_kernels.size() == 1) {
    const std::vector<std::string>& recv = mix.sub_kernels[to_size(shape->sub_kernels[0])].recv;
    std::erase_if(floating_, [&](const Floating& floating) { return is_over(floating, recv); });
  }
  for (const Thread& thread : program_.threads) {
    for (const Step& step : thread.steps) {
      const SubKernel* owner =
          step.sub_kernel < 0 ? nullptr : &mix.sub_kernels[to_size(mix_place(step.sub_kernel))];
      for (std::int32_t r = step.reads_begin; r < step.writes_end; ++r) {
        const WordRange& range = program_.ranges[to_size(r)];
        if (range.space != Space::gm) continue;
        // A line that a core stores to is written back as a whole.
        meet_words(range, r >= step.writes_begin, thread.outside, owner);
      }
    }
  }
}

/// After the launch: what has happened, and what may as well happen later.
void PlanRun::advance_actors(const LaunchShape* shape) {
  const Mix& mix = setting_->test_case.mix;
  for (const ActorPart& part : parts_) {
    const std::vector<OutsideStep>& steps = mix.outside[to_size(part.actor)].steps;
    for (std::int32_t s = part.first; s < part.last; ++s) {
      const OutsideStep& step = steps[to_size(s)];
      const auto floats = [&](std::int16_t region, std::int32_t at, std::size_t count, bool write) {
        floating_.push_back({part.actor,
                             s,
                             {Space::gm, setting_->layout.base[to_size(region)] + at,
                              static_cast<std::int32_t>(count)},
                             write});
      };
      switch (step.kind) {
        case OutsideKind::wait: break;
        case OutsideKind::raise: raised_.insert(step.event); break;
        case OutsideKind::write: floats(step.region, step.at, step.values.size(), true); break;
        case OutsideKind::copy:
          floats(step.region, step.at, to_size(step.count), false);
          floats(step.to, step.to_at, to_size(step.count), true);
          break;
      }
    }
    next_step_[to_size(part.actor)] = part.last;
  }
  if (shape == nullptr) return;
  for (const std::int32_t place : shape->sub_kernels) {
    // What the launch waited for is over when it has ended.
    const std::vector<std::string>& recv = mix.sub_kernels[to_size(place)].recv;
    std::erase_if(floating_, [&](const Floating& floating) { return is_over(floating, recv); });
    const std::vector<std::string>& send = mix.sub_kernels[to_size(place)].send;
    raised_.insert(send.begin(), send.end());
  }
}

/// What the end of the last launch has enabled.
void PlanRun::finish_actors() {
  if (setting_->test_case.mix.outside.empty()) return;
  LaunchShape nobody;
  find_actor_parts({});
  if (parts_.empty()) return;
  LaunchInput input{setting_->test_case.mix, setting_->layout, setting_->options, nobody};
  input.actors = parts_;
  input.raised = &raised_;
  lowering_.run(input, program_);
  meet_floating(nullptr);
  const std::size_t counted = result_->counts.size();
  analyse();
  result_->counts.resize(counted);
  advance_actors(nullptr);
}

}  // namespace skcts::model
