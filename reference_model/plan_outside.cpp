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

bool names(const std::vector<std::string>& events, const std::string& event) {
  return std::ranges::find(events, event) != events.end();
}

/// Do the words lie in a common cache line?
bool meet(const WordRange& a, const WordRange& b) {
  if (a.count <= 0 || b.count <= 0) return false;
  return a.first / line_words <= (b.first + b.count - 1) / line_words &&
         b.first / line_words <= (a.first + a.count - 1) / line_words;
}

}  // namespace

/// Does a sub kernel of the launch, or an actor beside it, raise the event?
bool PlanRun::is_raised_beside(const LaunchShape& shape, const std::string& event) const {
  const Mix& mix = setting_->test_case.mix;
  const bool inside =
      shape.fused && std::ranges::any_of(shape.sub_kernels, [&](std::int32_t place) {
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

/// How far each actor can come while the launch runs.
void PlanRun::find_actor_parts(const LaunchShape& shape) {
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
        if (waits && !is_raised_beside(shape, step.event)) break;
        ++part.last;
        moved = true;
      }
    }
  }
  std::erase_if(parts_, [](const ActorPart& part) { return part.first == part.last; });
}

void PlanRun::meet_words(const WordRange& words, bool write, std::int32_t actor) {
  if (!result_->left_open.empty()) return;
  for (const Floating& floating : floating_) {
    if (floating.actor == actor || !(write || floating.write)) continue;
    if (!meet(floating.words, words)) continue;
    result_->left_open =
        "an outside actor may touch the same words as several launches: not decided";
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
    std::erase_if(floating_, [&](const Floating& floating) {
      const std::vector<OutsideStep>& steps = mix.outside[to_size(floating.actor)].steps;
      return std::any_of(steps.begin() + floating.step, steps.end(), [&](const OutsideStep& step) {
        return step.kind == OutsideKind::raise && names(recv, step.event);
      });
    });
  }
  for (const Thread& thread : program_.threads) {
    for (const Step& step : thread.steps) {
      for (std::int32_t r = step.reads_begin; r < step.writes_end; ++r) {
        const WordRange& range = program_.ranges[to_size(r)];
        if (range.space != Space::gm) continue;
        // A line that a core stores to is written back as a whole.
        meet_words(range, r >= step.writes_begin, thread.outside);
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
    const std::vector<std::string>& send = mix.sub_kernels[to_size(place)].send;
    raised_.insert(send.begin(), send.end());
  }
}

/// What the end of the last launch has enabled.
void PlanRun::finish_actors() {
  if (setting_->test_case.mix.outside.empty()) return;
  LaunchShape nobody;
  find_actor_parts(nobody);
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

/// Launches side by side. Where they share no line that one of them writes and none of them stalls,
/// they do what they do one after the other.
bool PlanRun::beside(const PlanStep& step) {
  const Mix& mix = setting_->test_case.mix;
  beside_ = Beside{};
  beside_->sharing = step.sharing;
  bool events = !mix.outside.empty();
  for (const PlanStep& inner : step.beside) {
    for (const std::int32_t place : inner.sub_kernels) {
      const SubKernel& sub = mix.sub_kernels[to_size(place)];
      events = events || !sub.recv.empty() || !sub.send.empty();
    }
  }
  if (events) result_->left_open = "events between launches side by side are not decided";
  bool goes_on = true;
  for (std::size_t i = 0; i < step.beside.size() && goes_on; ++i) {
    beside_->stream = static_cast<std::int32_t>(i);
    beside_->widest.push_back({0, 0});
    goes_on = this->step(step.beside[i], false);
  }
  if (goes_on) judge_sharing(step.sharing);
  beside_.reset();
  return goes_on;
}

/// What the launch that was just looked at shares with those of other streams.
void PlanRun::note_beside() {
  Beside& at_hand = *beside_;
  const auto take = [&](std::int32_t& who) {
    who = who == Beside::nobody || who == at_hand.stream ? at_hand.stream : Beside::several;
  };
  const auto other = [&](std::int32_t who) {
    return who != Beside::nobody && who != at_hand.stream;
  };
  bool shared = false;
  for (const Thread& thread : program_.threads) {
    for (const Step& step : thread.steps) {
      for (std::int32_t r = step.reads_begin; r < step.writes_end; ++r) {
        const WordRange& range = program_.ranges[to_size(r)];
        if (range.space != Space::gm) continue;
        const std::int64_t last = (range.first + range.count - 1) / line_words;
        for (std::int64_t line = range.first / line_words; line <= last; ++line) {
          Beside::Line& entry = at_hand.lines[line];
          const bool write = r >= step.writes_begin;
          take(write ? entry.writer : entry.reader);
          shared = shared || other(entry.writer) || (write && other(entry.reader)) ||
                   (entry.writer != Beside::nobody && other(entry.reader));
        }
      }
    }
  }
  std::array<std::int32_t, 2>& widest = at_hand.widest.back();
  widest[0] = std::max(widest[0], program_.shape.aic_count);
  widest[1] = std::max(widest[1], program_.shape.aiv_count);
  at_hand.waits =
      at_hand.waits || stalls_.has_polls() || !stall_.counters.empty() ||
      std::ranges::any_of(program_.joins, [](const Join& join) { return join.members.size() > 1; });
  std::string& open = result_->left_open;
  if (shared && open.empty()) open = "launches side by side that share words are not decided";
  const bool ends = !result_->stalls && !result_->may_stall && !result_->error &&
                    !result_->may_error && !result_->fails;
  if (!ends && open.empty()) {
    open = "a launch that may not end is not decided beside others";
  }
}

/// L-22: blocks that wait for each other and get their cores one by one, from a chip that does not
/// hold all launches at a time.
void PlanRun::judge_sharing(CoreSharing sharing) {
  std::array<std::int32_t, 2> asked{0, 0};
  for (const std::array<std::int32_t, 2>& widest : beside_->widest) {
    asked[0] += widest[0];
    asked[1] += widest[1];
  }
  const Profile& profile = setting_->profile;
  const bool short_of_cores = asked[0] > profile.aic_count || asked[1] > profile.aiv_count;
  if (sharing == CoreSharing::batch || !short_of_cores || !beside_->waits) return;
  note_latitude(22);
  result_->may_stall = true;
  result_->stall_open.add(Inexact::outside_world);
  if (words_) {
    result_->remarks.push_back(
        {std::nullopt,
         "launches side by side need more cores than there are, and each may hold what another "
         "one waits for (L-22)"});
  }
}

}  // namespace skcts::model
