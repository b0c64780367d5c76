// Streams, events and outside actors of a launch, written out.
//
// An event is a join: the cores that run the raising sub kernel arrive as they do at a boundary
// behind it, those that run the waiting one pass. An actor is a thread of its own that does
// nothing but DMA. With two streams the joins of the list are gone; the sub kernels of a stream
// have joins of their own, and a core keeps what it leaves on its signalling pipe in front of its
// next sub kernel.
#include <algorithm>

#include "reference_model/lower.h"

namespace skcts::model {

std::vector<std::int32_t> Lowering::running_threads(std::int32_t place) {
  std::vector<std::int32_t> threads;
  const CoreId core = core_;
  const std::int32_t here = place_;
  place_ = place;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const bool cubes = kind == CoreKind::aic;
    const std::int32_t count = cubes ? in_->shape.aic_count : in_->shape.aiv_count;
    for (std::int32_t i = 0; i < count; ++i) {
      core_ = {kind, i};
      if (runs_here(place)) threads.push_back(cubes ? i : in_->shape.aic_count + i);
    }
  }
  core_ = core;
  place_ = here;
  return threads;
}

/// Sub kernels of one stream follow each other.
void Lowering::stream_joins() {
  const auto count = in_->shape.sub_kernels.size();
  after_stream_.assign(count, -1);
  before_stream_.assign(count, -1);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t later = k + 1; later < count; ++later) {
      if (sub(static_cast<std::int32_t>(later)).stream !=
          sub(static_cast<std::int32_t>(k)).stream) {
        continue;
      }
      const auto join = static_cast<std::int32_t>(out_->joins.size());
      out_->joins.push_back(Join{.kind = JoinKind::boundary,
                                 .sub_kernel = static_cast<std::int32_t>(later),
                                 .members = running_threads(static_cast<std::int32_t>(k))});
      before_stream_[k] = after_stream_[later] = join;
      break;
    }
  }
}

/// The join of an event that has not happened before the launch: of whoever raises it beside or
/// inside the launch, or of nobody.
std::int32_t Lowering::event_join(const std::string& event) {
  const auto known = event_joins_.find(event);
  if (known != event_joins_.end()) return known->second;
  Join join{.kind = JoinKind::event, .members = {-1}};
  const auto count = static_cast<std::int32_t>(in_->shape.sub_kernels.size());
  for (std::int32_t k = 0; in_->shape.fused && k < count; ++k) {
    const std::vector<std::string>& send = sub(k).send;
    if (std::ranges::find(send, event) != send.end()) join.members = running_threads(k);
  }
  const std::int32_t cores = in_->shape.aic_count + in_->shape.aiv_count;
  for (std::size_t p = 0; p < in_->actors.size(); ++p) {
    const ActorPart& part = in_->actors[p];
    const OutsideActor& owner = in_->mix.outside[static_cast<std::size_t>(part.actor)];
    for (std::int32_t s = part.first; s < part.last; ++s) {
      const OutsideStep& step = owner.steps[static_cast<std::size_t>(s)];
      if (step.kind != OutsideKind::raise || step.event != event) continue;
      join.members = {cores + static_cast<std::int32_t>(p)};
    }
  }
  const auto place = static_cast<std::int32_t>(out_->joins.size());
  out_->joins.push_back(std::move(join));
  event_joins_.emplace(event, place);
  return place;
}

/// All of the sub kernel comes after its events.
void Lowering::pass_events(std::int32_t place) {
  bool waited = false;
  for (const std::string& event : sub(place).recv) {
    if (in_->raised != nullptr && in_->raised->contains(event)) continue;
    if (is_event_open()) continue;
    const std::int32_t join = event_join(event);
    out_->joins[static_cast<std::size_t>(join)].sub_kernel = place;
    add_pass(join, Origin::program);
    waited = true;
  }
  // Alone the launch begins here, with an empty cache.
  if (waited && !in_->shape.fused) add_refresh(-1, Origin::end_of_launch);
}

/// Raises the events of the sub kernel, once, behind what `pipe` has under way.
void Lowering::raise_events(std::int32_t place, Pipe pipe) {
  if (events_raised_) return;
  events_raised_ = true;
  if (weak_here(Weakening::event_lost)) return;
  for (const std::string& event : sub(place).send) {
    add_arrive(event_join(event), pipe, Origin::program);
  }
}

/// What a boundary behind a sub kernel drains.
Pipe Lowering::pipe_at_end() const {
  const bool all =
      !two_streams_ && in_->options.early_start == 0 && in_->shape.is_mix() && !in_->shape.captured;
  if (all || in_->drained) return Pipe::all;
  return signal_pipe(core_.kind);
}

void Lowering::actors() {
  const std::size_t cores = out_->threads.size();
  for (const ActorPart& part : in_->actors) {
    Thread& thread = out_->threads.emplace_back();
    thread.core = {CoreKind::aiv, in_->shape.aiv_count + part.actor};
    thread.outside = part.actor;
    thread.part = 0;
  }
  for (std::size_t p = 0; p < in_->actors.size(); ++p) {
    thread_ = static_cast<std::int32_t>(cores + p);
    actor(in_->actors[p]);
  }
}

void Lowering::actor(const ActorPart& part) {
  place_ = instruction_ = -1;
  early_by_ = 0;
  const OutsideActor& owner = in_->mix.outside[static_cast<std::size_t>(part.actor)];
  for (std::int32_t s = part.first; s < part.last; ++s) {
    const OutsideStep& step = owner.steps[static_cast<std::size_t>(s)];
    const auto base = [&](std::int16_t region) {
      return in_->layout.base[static_cast<std::size_t>(region)];
    };
    switch (step.kind) {
      case OutsideKind::wait:
        if (in_->raised == nullptr || !in_->raised->contains(step.event)) {
          add_pass(event_join(step.event), Origin::program);
        }
        break;
      case OutsideKind::raise:
        add_arrive(event_join(step.event), Pipe::all, Origin::program);
        break;
      case OutsideKind::write: actor_write(base(step.region) + step.at, step.values); break;
      case OutsideKind::copy: {
        if (step.count == 0) break;
        Step& in = add(StepKind::data, Pipe::mte2);
        in.function = Function::copy;
        read_words(in, {Space::gm, base(step.region) + step.at, step.count});
        write_words(in, {Space::ub, 0, step.count});
        add_barrier(Pipe::all);
        Step& out = add(StepKind::data, Pipe::mte3);
        out.function = Function::copy;
        read_words(out, {Space::ub, 0, step.count});
        write_words(out, {Space::gm, base(step.to) + step.to_at, step.count});
        add_barrier(Pipe::all);
        break;
      }
    }
  }
}

/// Values are made in local memory, and then leave it as one DMA.
void Lowering::actor_write(std::int64_t first, const std::vector<std::uint32_t>& values) {
  const auto count = static_cast<std::int32_t>(values.size());
  if (count == 0) return;
  for (std::int32_t from = 0; from < count;) {
    std::int32_t to = from + 1;
    const std::uint32_t value = values[static_cast<std::size_t>(from)];
    while (to < count && values[static_cast<std::size_t>(to)] == value) ++to;
    Step& fill = add(StepKind::data, Pipe::mte2);
    fill.function = Function::fill;
    fill.value = value;
    write_words(fill, {Space::ub, from, to - from});
    from = to;
  }
  add_barrier(Pipe::all);
  Step& out = add(StepKind::data, Pipe::mte3);
  out.function = Function::copy;
  read_words(out, {Space::ub, 0, count});
  write_words(out, {Space::gm, first, count});
  add_barrier(Pipe::all);
}

}  // namespace skcts::model
