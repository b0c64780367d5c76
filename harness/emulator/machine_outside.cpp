// What goes on around the cores: launches that wait for cores or events, signals, outside actors.
#include <algorithm>

#include "harness/emulator/machine.h"
#include "spec/check.h"

namespace skcts::emulator {

void Machine::begin_case(int events, std::vector<std::vector<ActorStep>> actors,
                         std::int32_t gm_words) {
  signals_.assign(static_cast<std::size_t>(events), {});
  event_count_ = events;
  actors_.clear();
  for (std::vector<ActorStep>& steps : actors) actors_.push_back({std::move(steps), 0, false, {}});
  setup_.gm_words = gm_words;
  setup_.gated = false;
  core_count_ = 0;
  loaded_ = false;
}

void Machine::set_edges(const std::vector<std::int32_t>& needed) {
  signals_.resize(static_cast<std::size_t>(event_count_));
  for (const std::int32_t count : needed) signals_.push_back({count, 0});
}

/// The launches of a setup with their cores, none of them begun.
void Machine::layout(const MachineSetup& setup) {
  setup_ = setup;
  loaded_ = true;
  group_count_ = setup_.launches.size();
  SKCTS_CHECK(group_count_ == 1 || setup_.gated, "{} launches at a time", group_count_);
  if (groups_.size() < group_count_) groups_.resize(group_count_);
  core_count_ = 0;
  for (std::size_t g = 0; g < group_count_; ++g) {
    Group& group = groups_[g];
    const LaunchSetup& launch = setup_.launches[g];
    group.setup = &launch;
    group.first_aic = core_count_;
    group.first_aiv = core_count_ + static_cast<std::uint32_t>(launch.aic_count);
    core_count_ = group.first_aiv + static_cast<std::uint32_t>(launch.aiv_count);
    group.next_block = group.running_blocks = 0;
    group.blocks_left =
        launch.aic_count > 0 ? launch.aic_count : launch.aiv_count / launch.aiv_per_block;
    group.block_left.assign(static_cast<std::size_t>(group.blocks_left), 0);
    group.mode0_arrived = {};
    group.cores_left = launch.aic_count + launch.aiv_count;
    group.put_off = 0;
  }
  groups_left_ = static_cast<int>(group_count_);
  free_aic_ = setup_.profile->aic_count;
  free_aiv_ = setup_.profile->aiv_count;
}

/// A signal is given once more; whoever waited for it may go on when it is complete.
void Machine::give(std::int32_t signal) {
  Signal& given = signals_[static_cast<std::size_t>(signal)];
  ++given.given;
  if (!given.complete()) return;
  for (std::uint32_t c = 0; c < core_count_; ++c) {
    const DeviceInstruction* held = cores_[c].held;
    if (held != nullptr && held->op == DeviceOp::wait_signal && held->src == signal) {
      update_scalar(c);
    }
  }
  update_actors();
  if (setup_.gated) update_gates();
}

bool Machine::waits_for_signals(const LaunchSetup& launch) const {
  return std::any_of(launch.starts_after.begin(), launch.starts_after.end(), [&](std::int32_t s) {
    return !signals_[static_cast<std::size_t>(s)].complete();
  });
}

bool Machine::cores_free(const Group& group, int blocks) const {
  const LaunchSetup& launch = *group.setup;
  return (launch.aic_count == 0 || blocks <= free_aic_) &&
         (launch.aiv_count == 0 || blocks * launch.aiv_per_block <= free_aiv_);
}

/// Takes the cores of so many blocks, or gives them back (a negative number).
void Machine::take_cores(const Group& group, int blocks) {
  if (group.setup->aic_count > 0) free_aic_ -= blocks;
  if (group.setup->aiv_count > 0) free_aiv_ -= blocks * group.setup->aiv_per_block;
}

/// The turn of the launch has come: what its stream has before it has ended.
bool Machine::has_turn_to_begin(const Group& group) const {
  for (const Group* before = groups_.data(); before != &group; ++before) {
    if (before->setup->stream == group.setup->stream && !before->ended()) return false;
  }
  return true;
}

/// The launch, or its next block, can begin.
bool Machine::can_begin(const Group& group) const {
  const LaunchSetup& launch = *group.setup;
  const int blocks = static_cast<int>(group.block_left.size());
  if (group.next_block == blocks) return false;
  if (!has_turn_to_begin(group) || waits_for_signals(launch)) return false;
  if (!launch.all_at_once) return cores_free(group, 1);
  return group.next_block == 0 && cores_free(group, std::min(launch.resident_blocks, blocks));
}

void Machine::begin(Group& group) {
  const LaunchSetup& launch = *group.setup;
  const int blocks = static_cast<int>(group.block_left.size());
  const int starting = launch.all_at_once ? std::min(launch.resident_blocks, blocks) : 1;
  take_cores(group, starting);
  // A block that has nothing to do ends at once, and may hand its cores to the next one.
  for (int i = 0; i < starting && group.next_block < blocks; ++i) {
    start_block(group, group.next_block++);
  }
  update_gates();
}

void Machine::group_ended(Group& group) {
  --groups_left_;
  if (!setup_.gated && group.setup->ends_with.empty()) return;
  const LaunchSetup& launch = *group.setup;
  if (setup_.gated && launch.keeps_cores) {
    take_cores(group, -std::min(launch.resident_blocks, static_cast<int>(group.block_left.size())));
  }
  for (const std::int32_t signal : launch.ends_with) give(signal);
  if (setup_.gated) update_gates();
}

void Machine::update_gates() {
  for (std::size_t g = 0; g < group_count_; ++g) enabled_.set(gate_agent(g), can_begin(groups_[g]));
}

bool Machine::can_act(const Actor& actor) const {
  if (actor.at == actor.steps.size()) return false;
  const ActorStep& step = actor.steps[actor.at];
  return step.kind != OutsideKind::wait ||
         signals_[static_cast<std::size_t>(step.signal)].complete();
}

/// One step of an actor. A copy makes two: it reads, and it writes.
void Machine::perform(Actor& actor) {
  const ActorStep& step = actor.steps[actor.at];
  const auto count = static_cast<std::int32_t>(step.words.size());
  if (step.kind == OutsideKind::copy && !actor.read) {
    actor.staged.resize(step.words.size());
    gm_read(step.at, actor.staged.data(), count);
    actor.read = true;
    return;
  }
  ++actor.at;
  actor.read = false;
  switch (step.kind) {
    case OutsideKind::wait: break;
    case OutsideKind::write: gm_write(step.at, step.words.data(), count); break;
    case OutsideKind::copy: gm_write(step.to, actor.staged.data(), count); break;
    case OutsideKind::raise: give(step.signal); break;
  }
}

void Machine::act(std::size_t which) {
  perform(actors_[which]);
  update_actors();
}

void Machine::update_actors() {
  if (!loaded_ || actors_.empty()) return;
  actors_enabled_ = 0;
  for (std::size_t a = 0; a < actors_.size(); ++a) {
    const bool can = can_act(actors_[a]);
    enabled_.set(actor_agent(a), can);
    if (can) ++actors_enabled_;
  }
}

bool Machine::only_actors_can_move() const {
  return groups_left_ == 0 && enabled_.size() == actors_enabled_;
}

void Machine::drift(Chooser& chooser, bool to_the_end) {
  chooser_ = &chooser;
  loaded_ = false;
  setup_.gated = false;
  core_count_ = 0;
  watchers_ = 0;
  for (;;) {
    std::vector<std::size_t> able;
    for (std::size_t a = 0; a < actors_.size(); ++a) {
      if (can_act(actors_[a])) able.push_back(a);
    }
    if (able.empty()) return;
    const auto count = static_cast<std::uint32_t>(able.size());
    const std::uint32_t which = chooser.choose(to_the_end ? count : count + 1);
    if (which == count) return;
    ++steps_;
    perform(actors_[able[which]]);
  }
}

std::vector<Waiting> Machine::waiting() const {
  std::vector<Waiting> result;
  const auto add = [&](const Core& core, const DeviceInstruction& in, WaitKind kind) {
    const bool has_id = kind == WaitKind::cross_core_flag || kind == WaitKind::event_flag;
    result.push_back({core.id, launch_of(core), in.sub_kernel, in.inserted ? -1 : in.place, kind,
                      has_id && in.id != private_event_id ? in.id : -1});
  };
  for (std::uint32_t c = 0; c < core_count_; ++c) {
    const Core& core = cores_[c];
    if (core.hung) {
      result.push_back(core.hangs_at);
    } else if (!core.ended && core.started && core.held != nullptr && !can_issue(core)) {
      const DeviceInstruction& in = *core.held;
      if (is_queued(in.op) && in.pipe != Pipe::s) {
        add(core, in, WaitKind::queue_full);
      } else if (in.op == DeviceOp::wait_flag) {
        add(core, in, in.id == private_event_id ? in.waits_for : WaitKind::event_flag);
      } else if (in.op == DeviceOp::wait_raise || in.op == DeviceOp::await_change ||
                 in.op == DeviceOp::wait_signal) {
        add(core, in, in.waits_for);
      }
    }
    for (const PipeState& pipe : core.pipes) {
      if (pipe.queued == 0 || pipe.running_count > 0) continue;
      const DeviceInstruction& in = head_of(pipe);
      if (in.op == DeviceOp::wait_flag) add(core, in, WaitKind::event_flag);
      if (in.op == DeviceOp::pipe_wait_raise) add(core, in, in.waits_for);
    }
  }
  if (setup_.gated) add_unbegun(result);
  return result;
}

/// Launches and blocks that wait for a signal or for cores.
void Machine::add_unbegun(std::vector<Waiting>& result) const {
  for (std::size_t g = 0; g < group_count_; ++g) {
    const Group& group = groups_[g];
    if (group.next_block == static_cast<int>(group.block_left.size())) continue;
    if (!has_turn_to_begin(group)) continue;
    const LaunchSetup& launch = *group.setup;
    const CoreKind kind = launch.aic_count > 0 ? CoreKind::aic : CoreKind::aiv;
    const int per_block = kind == CoreKind::aiv ? launch.aiv_per_block : 1;
    const WaitKind why = waits_for_signals(launch) ? WaitKind::event : WaitKind::cores;
    result.push_back(
        {{kind, group.next_block * per_block}, launch.launch, launch.sub_kernel, -1, why, -1});
  }
}

}  // namespace skcts::emulator
