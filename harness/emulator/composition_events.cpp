// Events and streams in a fused launch.
//
// In one list an outer event is watched by one core and a barrier behind it holds all others; it is
// raised by one core that has passed the boundary behind the sub kernel. With several streams in a
// launch, edges stand for the boundary: every core of a sub kernel gives them at its end, every
// core of a later one waits for them. Flags of the hardware would not do: a SyncAll of a MIX sub
// kernel takes from the same counters as an edge between the lists.
#include "harness/emulator/composer.h"

namespace skcts::emulator {

namespace {

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

constexpr Guard first_core{Guard::Which::below, true, 1};

}  // namespace

std::vector<std::string> events_of(const Mix& mix) {
  std::vector<std::string> events;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && !contains(events, name)) events.push_back(name);
  };
  for (const SubKernel& sub : mix.sub_kernels) {
    for (const std::string& event : sub.recv) add(event);
    for (const std::string& event : sub.send) add(event);
  }
  for (const OutsideActor& actor : mix.outside) {
    for (const OutsideStep& step : actor.steps) add(step.event);
  }
  return events;
}

std::int32_t event_index(const std::vector<std::string>& events, const std::string& name) {
  return static_cast<std::int32_t>(std::find(events.begin(), events.end(), name) - events.begin());
}

bool Composer::raised_earlier(int op, const std::string& event) const {
  for (int earlier = 0; earlier < op; ++earlier) {
    if (contains(sub(earlier).send, event)) return true;
  }
  return false;
}

bool Composer::awaited_later(int op, const std::string& event) const {
  for (int later = op + 1; later < op_count(); ++later) {
    if (contains(sub(later).recv, event)) return true;
  }
  return false;
}

/// The outer events that the sub kernel raises: those that no later one of the launch waits for.
std::vector<std::int32_t> Composer::raised_by(int op) const {
  std::vector<std::int32_t> raised;
  for (const std::string& event : sub(op).send) {
    if (!awaited_later(op, event)) raised.push_back(event_index(events_, event));
  }
  return raised;
}

/// The outer events that the sub kernel waits for: those that no earlier one of the launch raises.
std::vector<std::int32_t> Composer::awaited_by(int op) const {
  std::vector<std::int32_t> awaited;
  for (const std::string& event : sub(op).recv) {
    if (!raised_earlier(op, event)) awaited.push_back(event_index(events_, event));
  }
  return awaited;
}

void Composer::notify(int op, CoreKind kind, const std::vector<std::int32_t>& raised) {
  if (settings_.defect == DefectId::notify_dropped) return;
  for (const std::int32_t event : raised) {
    ComposedStep& step = add_for(ComposedKind::notify, op, kind);
    step.guard = first_core;
    step.id = event;
    step.rule = RuleId::fuse_5;
  }
}

/// What the sub kernel before `op` raises, by a core that has waited for all of its cores: behind a
/// MIX sub kernel only the kind that the later one runs on has waited for both.
void Composer::notify_at_boundary(int op) {
  const std::vector<std::int32_t> raised = raised_by(op - 1);
  if (raised.empty()) return;
  const KernelType earlier = sub(op - 1).counted_type();
  const KernelType later = sub(op).counted_type();
  const bool cube = is_aic_kind(earlier) || (is_mix_kind(earlier) && is_aic_kind(later));
  const CoreKind kind = cube ? CoreKind::aic : CoreKind::aiv;
  SubKernelUse& next = launch_.uses[static_cast<std::size_t>(op)];
  const bool waits_itself = options().early_start != 0 && next.own_wait && runs_on(later, kind);
  if (waits_itself && settings_.defect != DefectId::notify_before_barrier) {
    if (settings_.defect != DefectId::notify_dropped) next.raised_at_wait = raised;
    next.raised_by = kind;
    return;
  }
  notify(op - 1, kind, raised);
}

void Composer::notify_at_end() {
  const int last = op_count() - 1;
  const std::vector<std::int32_t> raised = raised_by(last);
  if (raised.empty()) return;
  const CoreKind kind = is_aic_kind(type()) ? CoreKind::aic : CoreKind::aiv;
  const bool too_early = settings_.defect == DefectId::notify_before_barrier;
  if (too_early) notify(last, kind, raised);
  if (settings_.latitudes.holds(latitude_pin(14, "drained"))) drain(last);
  add_for_all(ComposedKind::hold, last).rule = RuleId::fuse_5;
  if (!too_early) notify(last, kind, raised);
}

void Composer::watch(int op) {
  const std::vector<std::int32_t> awaited = awaited_by(op);
  if (awaited.empty()) return;
  const CoreKind kind = is_aic_kind(sub(op).counted_type()) ? CoreKind::aic : CoreKind::aiv;
  for (const std::int32_t event : awaited) {
    if (settings_.defect == DefectId::event_wait_dropped) break;
    ComposedStep& step = add_for(ComposedKind::watch, op, kind);
    step.guard = first_core;
    step.id = event;
    step.rule = RuleId::fuse_5;
  }
  if (settings_.defect == DefectId::event_holds_one_core) return;
  add_for_all(ComposedKind::hold, op).rule = RuleId::fuse_5;
}

/// For each sub kernel the earlier ones that it follows: the one before it in its stream, and those
/// whose events it waits for.
std::vector<std::vector<int>> Composer::earlier_ones() const {
  std::vector<std::vector<int>> result(static_cast<std::size_t>(op_count()));
  bool drops_one = settings_.defect == DefectId::event_edge_missing;
  bool drops_stream = settings_.defect == DefectId::stream_edge_missing;
  for (int op = 0; op < op_count(); ++op) {
    bool stream_found = false;
    for (int earlier = op - 1; earlier >= 0; --earlier) {
      const bool in_stream = !stream_found && sub(earlier).stream == sub(op).stream;
      stream_found = stream_found || in_stream;
      const auto& sent = sub(earlier).send;
      bool by_event = std::any_of(sent.begin(), sent.end(), [&](const std::string& event) {
        return contains(sub(op).recv, event);
      });
      if (by_event && !in_stream && drops_one) by_event = drops_one = false;
      const bool unordered =
          settings_.aclgraph && settings_.defect == DefectId::captured_streams_unordered;
      if (in_stream && !by_event && drops_stream) {
        drops_stream = false;
        continue;
      }
      if (in_stream || (by_event && !unordered))
        result[static_cast<std::size_t>(op)].push_back(earlier);
    }
  }
  return result;
}

/// Cores that run the sub kernel, counted as its guards let them in.
std::int32_t Composer::cores_of(int op) const {
  ComposedStep step;
  step.guard = guard_of(op);
  step.aic = runs_on(sub(op).type, CoreKind::aic);
  step.aiv = runs_on(sub(op).type, CoreKind::aiv);
  std::int32_t cores = 0;
  for (int c = 0; c < launch_.shape.aic_count(); ++c) {
    if (makes_step(launch_, step, {CoreKind::aic, c})) ++cores;
  }
  for (int c = 0; c < launch_.shape.aiv_count(); ++c) {
    if (makes_step(launch_, step, {CoreKind::aiv, c})) ++cores;
  }
  return cores;
}

/// A new edge that so many cores give, as the number of its signal.
std::int32_t Composer::new_edge(std::int32_t cores) {
  launch_.edges.push_back(cores);
  return static_cast<std::int32_t>(events_.size() + launch_.edges.size()) - 1;
}

/// On all cores that run the sub kernel.
void Composer::edge_step(ComposedKind kind, int op, std::int32_t signal) {
  ComposedStep& step = add_for_all(kind, op);
  step.aic = runs_on(sub(op).type, CoreKind::aic);
  step.aiv = runs_on(sub(op).type, CoreKind::aiv);
  step.guard = guard_of(op);
  step.id = signal;
  step.rule = RuleId::fuse_5;
}

void Composer::watch_in_list(int op) {
  const CoreKind kind = runs_on(sub(op).type, CoreKind::aiv) ? CoreKind::aiv : CoreKind::aic;
  for (const std::int32_t event : awaited_by(op)) {
    const std::int32_t held = new_edge(1);
    const bool dropped = settings_.defect == DefectId::event_wait_dropped;
    for (const ComposedKind what : {ComposedKind::watch, ComposedKind::pass_on}) {
      if (dropped && what == ComposedKind::watch) continue;
      ComposedStep& step = add_for(what, op, kind);
      step.guard = first_core;
      step.id = what == ComposedKind::watch ? event : held;
      step.rule = RuleId::fuse_5;
    }
    if (settings_.defect == DefectId::event_holds_one_core) continue;
    edge_step(ComposedKind::edge_wait, op, held);
  }
}

void Composer::debug_in_lists(int op) {
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(sub(op).type, kind)) continue;
    const auto step = [&](ComposedKind what) -> ComposedStep& {
      ComposedStep& made = add_for(what, op, kind);
      made.id = kind == CoreKind::aic ? 11 : 14;
      made.pipe = kind == CoreKind::aic ? Pipe::fix : Pipe::mte3;
      made.purpose = Purpose::debug;
      made.rule = RuleId::fuse_2;
      return made;
    };
    if (options().debug_dcci_all) {
      step(ComposedKind::pipe_all);
      step(ComposedKind::refresh_all);
    }
    if (options().debug_sync_all) {
      step(ComposedKind::pipe_all);
      step(ComposedKind::flag_set);
      step(ComposedKind::flag_wait);
    }
  }
}

void Composer::compose_two_lists() {
  two_lists_ = true;
  for (int op = 0; op < op_count(); ++op) launch_.uses.push_back(make_use(op));
  if (options().feed_sync_all) feed_clear();
  const std::vector<std::vector<int>> earlier = earlier_ones();
  const auto count = static_cast<std::size_t>(op_count());
  std::vector<std::int32_t> edge_of(count, -1);  // what all cores of the sub kernel give
  for (const auto& list : earlier) {
    for (const int from : list) {
      std::int32_t& edge = edge_of[static_cast<std::size_t>(from)];
      if (edge < 0) edge = new_edge(cores_of(from));
    }
  }
  for (int op = 0; op < op_count(); ++op) {
    const auto own = static_cast<std::size_t>(op);
    for (const int from : earlier[own]) {
      edge_step(ComposedKind::edge_wait, op, edge_of[static_cast<std::size_t>(from)]);
    }
    watch_in_list(op);
    call(op);
    debug_in_lists(op);
    const std::vector<std::int32_t> raised = raised_by(op);
    const bool seen = edge_of[own] >= 0 || !raised.empty();
    if (seen && settings_.latitudes.holds(latitude_pin(14, "drained"))) {
      edge_step(ComposedKind::pipe_all, op, 0);
    }
    if (edge_of[own] >= 0) edge_step(ComposedKind::edge_set, op, edge_of[own]);
    for (const std::int32_t event : raised) {
      if (settings_.defect == DefectId::notify_dropped) break;
      launch_.shared_events.push_back({event, cores_of(op)});
      edge_step(ComposedKind::edge_set, op, event);
    }
    if (op + 1 < op_count()) edge_step(ComposedKind::own_drain, op, 0);
  }
  add_for_all(ComposedKind::kernel_end, -1).rule = RuleId::cache_11;
}

}  // namespace skcts::emulator
