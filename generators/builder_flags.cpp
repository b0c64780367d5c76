// Cross-core flags of a mix: their ids, and who waits for them.
#include <algorithm>

#include "generators/builder.h"

namespace skcts::generators {

int Builder::flag_id() {
  return flag_first_ + flag_turn_++ % (flag_limit_ - flag_first_);
}

/// Beside polls, other flags and events, what a held pipe does not hold back is open for the model.
bool Builder::may_hold_pipes() const {
  const auto waits = [](Stage s) { return s == Stage::poll || s >= Stage::sync_vector; };
  const std::vector<Stage>& stages = sub_plan_->stages;
  const WorldPlan& world = plan_.world;
  return std::count_if(stages.begin(), stages.end(), waits) == 1 && !world.streams &&
         !world.events && !world.outside;
}

Flag Builder::pipe_flag(CoreKind waiter, int mode, Pipe uses) {
  if (!may_hold_pipes()) uses = Pipe::s;
  auto& waits = waits_[index(waiter)];
  const Waiting wanted{uses, uses == Pipe::s ? 0 : mode};
  for (int turn = flag_first_; turn < flag_limit_; ++turn) {
    const auto id = static_cast<std::size_t>(flag_id());
    // Two ids of every sub kernel stay with the scalar unit, so that one is always left for it.
    const bool is_kept = uses != Pipe::s && id % 8 < 2;
    if (is_taken_.test(id) || is_kept || waits[id].value_or(wanted) != wanted) continue;
    waits[id] = wanted;
    is_taken_.set(id);
    return {static_cast<int>(id), uses};
  }
  SKCTS_CHECK(uses != Pipe::s, "no flag id is left for the scalar unit");
  return pipe_flag(waiter, mode, Pipe::s);
}

Flag Builder::flag(CoreKind waiter, int mode, Pipe uses, bool by_scalar) {
  if (!profile_.is_3510()) return {flag_id(), Pipe::s};
  const bool holds_pipe = flip(Feature::wait_on_pipe, 55) && !by_scalar;
  return pipe_flag(waiter, mode, holds_pipe ? uses : Pipe::s);
}

}  // namespace skcts::generators
