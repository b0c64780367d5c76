#include "generators/shrink_world.h"

#include <algorithm>
#include <string>

namespace skcts::generators {

namespace {

/// All events of a mix, each once.
std::vector<std::string> events_of(const Mix& mix) {
  std::vector<std::string> events;
  const auto note = [&events](const std::string& event) {
    if (std::find(events.begin(), events.end(), event) == events.end()) events.push_back(event);
  };
  for (const SubKernel& s : mix.sub_kernels) {
    for (const std::string& event : s.recv) note(event);
    for (const std::string& event : s.send) note(event);
  }
  for (const OutsideActor& actor : mix.outside) {
    for (const OutsideStep& step : actor.steps) {
      if (!step.event.empty()) note(step.event);
    }
  }
  return events;
}

/// Nobody raises the event and nobody waits for it any more.
void drop_event(Mix& mix, const std::string& event) {
  for (SubKernel& s : mix.sub_kernels) {
    std::erase(s.recv, event);
    std::erase(s.send, event);
  }
  for (OutsideActor& actor : mix.outside) {
    std::erase_if(actor.steps, [&](const OutsideStep& step) { return step.event == event; });
  }
}

void drop_actor_step(Mix& mix, std::size_t actor, std::size_t place) {
  auto& steps = mix.outside[actor].steps;
  const std::string event = steps[place].event;
  if (event.empty()) {
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(place));
  } else {
    drop_event(mix, event);
  }
}

void drop_actor(Mix& mix, std::size_t actor) {
  std::vector<std::string> events;
  for (const OutsideStep& step : mix.outside[actor].steps) {
    if (!step.event.empty()) events.push_back(step.event);
  }
  for (const std::string& event : events) drop_event(mix, event);
  mix.outside.erase(mix.outside.begin() + static_cast<std::ptrdiff_t>(actor));
}

void drop_world(Case& c) {
  c.mix.outside.clear();
  for (SubKernel& s : c.mix.sub_kernels) {
    s.recv.clear();
    s.send.clear();
    s.scope.clear();
    s.stream = 0;
    s.launch_blocks = 0;
    s.launch_type.reset();
  }
  c.plan.steps.clear();
}

/// Calls visit(step) for each step of a plan and each step inside a `beside`.
template <class Visit>
void for_each_step(std::vector<PlanStep>& steps, Visit&& visit) {
  for (PlanStep& step : steps) {
    visit(step);
    for (PlanStep& inner : step.beside) visit(inner);
  }
}

void unwrap(std::vector<PlanStep>& steps, std::size_t place) {
  const std::vector<PlanStep> inner = steps[place].beside;
  const auto here = steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(place));
  steps.insert(here, inner.begin(), inner.end());
}

class WorldSteps {
 public:
  WorldSteps(const Case& c, std::vector<Step>& steps) : case_(c), steps_(steps) {}

  void of_outside();
  void of_sub_kernels();
  void of_plan();

 private:
  void add(Pass pass, int sub = 0, int a = 0, int b = 0) {
    steps_.push_back({pass, static_cast<std::int16_t>(sub), CoreKind::aic, a, b});
  }

  const Case& case_;
  std::vector<Step>& steps_;
};

void WorldSteps::of_outside() {
  const auto& actors = case_.mix.outside;
  for (int a = 0; a < static_cast<int>(actors.size()); ++a) add(Pass::drop_actor, 0, a);
  const auto events = static_cast<int>(events_of(case_.mix).size());
  for (int e = 0; e < events; ++e) add(Pass::drop_between, 0, e);
  for (int a = 0; a < static_cast<int>(actors.size()); ++a) {
    const auto& steps = actors[static_cast<std::size_t>(a)].steps;
    for (int s = 0; s < static_cast<int>(steps.size()); ++s) {
      const OutsideStep& step = steps[static_cast<std::size_t>(s)];
      add(Pass::drop_actor_step, 0, a, s);
      if (step.values.size() > 1) add(Pass::shorten_actor_write, 0, a, s);
      if (step.count > 1) add(Pass::shorten_actor_copy, 0, a, s);
      if (step.at != 0 || step.to_at != 0) add(Pass::actor_step_at_0, 0, a, s);
    }
  }
}

void WorldSteps::of_sub_kernels() {
  const auto& subs = case_.mix.sub_kernels;
  const auto any = [&subs](auto test) { return std::any_of(subs.begin(), subs.end(), test); };
  if (any([](const SubKernel& s) { return !s.scope.empty(); })) add(Pass::drop_marks);
  if (any([](const SubKernel& s) { return s.stream != 0; })) add(Pass::one_stream);
  for (int k = 0; k < static_cast<int>(subs.size()); ++k) {
    const SubKernel& s = subs[static_cast<std::size_t>(k)];
    if (!s.scope.empty()) add(Pass::drop_mark, k);
    if (s.scope.size() > 1) add(Pass::drop_outer_mark, k);
    if (s.stream != 0) add(Pass::lower_stream, k);
    if (s.launch_blocks != 0 || s.launch_type) add(Pass::counted_as_it_runs, k);
    if (s.launch_blocks > s.blocks + 1) add(Pass::lower_counted, k);
  }
}

void WorldSteps::of_plan() {
  const auto& steps = case_.plan.steps;
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    const PlanStep& step = steps[static_cast<std::size_t>(i)];
    if (step.kind == StepKind::beside) {
      add(Pass::unwrap_beside, 0, i);
      for (int inner = 0; inner < static_cast<int>(step.beside.size()); ++inner) {
        if (step.beside.size() > 2) add(Pass::drop_inner_step, 0, i, inner);
      }
      if (step.sharing != CoreSharing::batch) add(Pass::share_in_batches, 0, i);
    }
    const bool is_plain = step.kind == StepKind::host_write || step.kind == StepKind::fused;
    if (!is_plain) add(Pass::fuse_step, 0, i);
    if (step.values.size() > 1) add(Pass::shorten_host_write, 0, i);
    if (step.at != 0) add(Pass::host_write_at_0, 0, i);
    const bool joins = i > 0 && step.kind == StepKind::fused &&
                       steps[static_cast<std::size_t>(i) - 1].kind == StepKind::fused;
    if (joins) add(Pass::join_steps, 0, i);
  }
}

void apply_to_actor(OutsideStep& step, Pass pass) {
  if (pass == Pass::shorten_actor_write) step.values.resize(1);
  if (pass == Pass::shorten_actor_copy) step.count = 1;
  if (pass == Pass::actor_step_at_0) step.at = step.to_at = 0;
}

void apply_to_plan(std::vector<PlanStep>& steps, const Step& step) {
  const auto place = static_cast<std::size_t>(step.a);
  PlanStep& at = steps[place];
  switch (step.pass) {
    case Pass::unwrap_beside: unwrap(steps, place); break;
    case Pass::drop_inner_step: at.beside.erase(at.beside.begin() + step.b); break;
    case Pass::share_in_batches: at.sharing = CoreSharing::batch; break;
    case Pass::fuse_step:
      at.kind = StepKind::fused;
      for (PlanStep& inner : at.beside) {
        at.sub_kernels.insert(at.sub_kernels.end(), inner.sub_kernels.begin(),
                              inner.sub_kernels.end());
      }
      std::sort(at.sub_kernels.begin(), at.sub_kernels.end());
      at.beside.clear();
      at.sharing = CoreSharing::batch;
      break;
    case Pass::shorten_host_write: at.values.resize(1); break;
    case Pass::host_write_at_0: at.at = 0; break;
    default: {
      PlanStep& before = steps[place - 1];
      before.sub_kernels.insert(before.sub_kernels.end(), at.sub_kernels.begin(),
                                at.sub_kernels.end());
      steps.erase(steps.begin() + step.a);
      break;
    }
  }
}

}  // namespace

void add_world_steps(const Case& value, std::vector<Step>& steps) {
  WorldSteps world(value, steps);
  const Mix& mix = value.mix;
  const bool has_any =
      !value.plan.steps.empty() || !mix.outside.empty() || !events_of(mix).empty() ||
      std::any_of(mix.sub_kernels.begin(), mix.sub_kernels.end(), [](const SubKernel& s) {
        return !s.scope.empty() || s.stream != 0 || s.launch_blocks != 0 || s.launch_type;
      });
  if (!has_any) return;
  steps.push_back({.pass = Pass::drop_world});
  world.of_plan();
  world.of_outside();
  world.of_sub_kernels();
}

bool is_of_world(Pass pass) {
  return pass >= Pass::drop_world && pass <= Pass::join_steps;
}

void apply_to_world(Case& c, const Step& step) {
  Mix& mix = c.mix;
  const auto a = static_cast<std::size_t>(step.a);
  const auto b = static_cast<std::size_t>(step.b);
  switch (step.pass) {
    case Pass::drop_world: drop_world(c); break;
    case Pass::drop_actor: drop_actor(mix, a); break;
    case Pass::drop_between: drop_event(mix, events_of(mix)[a]); break;
    case Pass::drop_actor_step: drop_actor_step(mix, a, b); break;
    case Pass::shorten_actor_write:
    case Pass::shorten_actor_copy:
    case Pass::actor_step_at_0: apply_to_actor(mix.outside[a].steps[b], step.pass); break;
    case Pass::drop_marks:
      for (SubKernel& s : mix.sub_kernels) s.scope.clear();
      break;
    case Pass::one_stream:
      for (SubKernel& s : mix.sub_kernels) s.stream = 0;
      break;
    case Pass::drop_mark:
    case Pass::drop_outer_mark:
    case Pass::lower_stream:
    case Pass::counted_as_it_runs:
    case Pass::lower_counted: {
      SubKernel& s = mix.sub_kernels[static_cast<std::size_t>(step.sub)];
      if (step.pass == Pass::drop_mark) s.scope.clear();
      if (step.pass == Pass::drop_outer_mark) s.scope.erase(s.scope.begin());
      if (step.pass == Pass::lower_stream) s.stream = 0;
      if (step.pass == Pass::lower_counted) s.launch_blocks = s.blocks + 1;
      if (step.pass != Pass::counted_as_it_runs) break;
      s.launch_blocks = 0;
      s.launch_type.reset();
      break;
    }
    default: apply_to_plan(c.plan.steps, step); break;
  }
  std::erase_if(mix.outside, [](const OutsideActor& actor) { return actor.steps.empty(); });
}

void leave_world(Case& c, int first, int last) {
  std::vector<std::string> events;
  for (int k = first; k < last; ++k) {
    const SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(k)];
    events.insert(events.end(), s.recv.begin(), s.recv.end());
    events.insert(events.end(), s.send.begin(), s.send.end());
  }
  for (const std::string& event : events) drop_event(c.mix, event);
  std::erase_if(c.mix.outside, [](const OutsideActor& actor) { return actor.steps.empty(); });
  for_each_step(c.plan.steps, [&](PlanStep& step) {
    std::vector<std::int32_t> kept;
    for (const std::int32_t k : step.sub_kernels) {
      if (k < first) kept.push_back(k);
      if (k >= last) kept.push_back(k - (last - first));
    }
    step.sub_kernels = std::move(kept);
  });
  for (PlanStep& step : c.plan.steps) {
    std::erase_if(step.beside, [](const PlanStep& s) { return s.sub_kernels.empty(); });
  }
  // One launch beside nothing is a launch.
  for (PlanStep& step : c.plan.steps) {
    if (step.kind != StepKind::beside || step.beside.size() != 1) continue;
    PlanStep inner = step.beside.front();
    step = std::move(inner);
  }
  std::erase_if(c.plan.steps, [](const PlanStep& s) {
    return s.kind != StepKind::host_write && s.sub_kernels.empty() && s.beside.empty();
  });
}

}  // namespace skcts::generators
