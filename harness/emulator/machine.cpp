// Loading a launch, the main loop, and the scalar unit of a core.
#include "harness/emulator/machine.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "spec/check.h"

namespace skcts::emulator {

namespace {

constexpr int queue_of(Pipe pipe) {
  return static_cast<int>(pipe) - 1;
}

std::uint32_t initial_depth(const MachineSetup& setup) {
  if (setup.queue_depth > 0) return static_cast<std::uint32_t>(setup.queue_depth);
  if (setup.latitudes.holds(latitude_pin(35, "depth-1"))) return 1;
  if (setup.latitudes.holds(latitude_pin(35, "unbounded"))) return 1u << 20;
  return static_cast<std::uint32_t>(std::max(setup.profile->pipe_queue_depth, 1));
}

}  // namespace

void Machine::fail(std::string reason) {
  if (failed_) return;
  failed_ = true;
  error_ = std::move(reason);
}

void Machine::forget_counters() {
  for (Core& core : cores_) {
    core.counters.fill(0);
    core.arrived = {};
  }
}

std::uint32_t* Machine::local(Core& core, Space space, std::int32_t from, std::int32_t count) {
  if (!is_local_memory(space)) return nullptr;
  const auto which = static_cast<std::size_t>(space) - static_cast<std::size_t>(Space::ub);
  return core.local[which].at(from, count);
}

void Machine::load(const MachineSetup& setup, const std::vector<InstructionSource*>& sources,
                   Chooser& chooser, std::vector<TraceEvent>* trace) {
  chooser_ = &chooser;
  trace_ = trace;
  layout(setup);
  SKCTS_CHECK(sources.size() == core_count_, "{} sources for {} cores", sources.size(),
              core_count_);
  if (cores_.size() < core_count_) cores_.resize(core_count_);
  const std::uint32_t others =
      static_cast<std::uint32_t>(actors_.size() + (setup.gated ? group_count_ : 0));
  enabled_.reset((core_count_ + others) * agents_per_core);
  actors_enabled_ = 0;
  queue_depth_ = initial_depth(setup);
  overlap_.fill(holds(latitude_pin(1, "in-turn")) ? 1 : max_running);
  // The hardware of the 950 orders its vector pipe by data: nothing shows that it overlaps.
  if (setup.profile->is_3510()) overlap_[static_cast<std::size_t>(queue_of(Pipe::v))] = 1;
  watchers_ = 0;
  cached_lines_ = 0;
  environment_in_ = 0;
  failed_ = false;
  error_.clear();
  chooser.begin_launch(static_cast<int>(core_count_ + others), setup.expected_steps);
  std::uint32_t c = 0;
  for (std::size_t g = 0; g < group_count_; ++g) {
    const LaunchSetup& launch = *groups_[g].setup;
    const std::uint32_t cores = static_cast<std::uint32_t>(launch.aic_count + launch.aiv_count);
    for (const std::uint32_t end = c + cores; c < end; ++c) {
      cores_[c].group = static_cast<std::uint32_t>(g);
      load_core(c, groups_[g], sources[c]);
    }
  }
  update_actors();
  if (setup.gated) return update_gates();
  Group& only = groups_[0];
  const int blocks = static_cast<int>(only.block_left.size());
  while (only.next_block < blocks && only.running_blocks < only.setup->resident_blocks) {
    start_block(only, only.next_block++);
  }
}

void Machine::load_core(std::uint32_t c, const Group& group, InstructionSource* source) {
  Core& core = cores_[c];
  const bool cube = c < group.first_aiv;
  const int index = static_cast<int>(c - (cube ? group.first_aic : group.first_aiv));
  core.id = {cube ? CoreKind::aic : CoreKind::aiv, index};
  core.block = cube ? index : index / group.setup->aiv_per_block;
  ++groups_[core.group].block_left[static_cast<std::size_t>(core.block)];
  core.source = source;
  core.held = nullptr;
  core.started = core.ended = core.issuing = core.hung = core.put_off = false;
  core.loaded = 0;
  core.outstanding = 0;
  for (PipeState& pipe : core.pipes) {
    pipe.head = pipe.queued = pipe.turn = 0;
    pipe.running_count = 0;
    pipe.pending.clear();
    if (pipe.ring.empty()) pipe.ring.resize(std::bit_ceil(std::min(queue_depth_, 16u)));
  }
  core.event_count.fill(0);
  core.event_was_set.fill(0);
  if (!setup_.keep_counters) {
    core.counters.fill(0);
    core.arrived = {};
  }
  if (setup_.keep_counters) {
    for (std::size_t id = 0; id < max_flags; ++id) {
      if (core.arrived[id][0] > 0) ++groups_[core.group].mode0_arrived[cube ? 0 : 1][id];
    }
  }
  core.raises.clear();
  core.raises_issued = core.raises_arrived = 0;
  core.landings.clear();
  core.landing_sequence = 0;
  core.cache.reset((setup_.gm_words + line_words - 1) / line_words, setup_.keep_lines);
  cached_lines_ += core.cache.size();
  core.watch = {};
  const Profile& profile = *setup_.profile;
  const std::array<std::int32_t, 5> words = {profile.ub_words, profile.l1_words, profile.l0a_words,
                                             profile.l0b_words, profile.l0c_words};
  for (std::size_t m = 0; m < words.size(); ++m) {
    if ((m == 0) == cube) continue;  // UB belongs to vector cores, the others to cube cores
    const std::uint64_t seed =
        (chooser_->seed() * 31 + static_cast<std::uint64_t>(group.setup->launch)) * 0x100000001b3u +
        c * 8 + m;
    core.local[m].reset(words[m] + private_words, seed * 0x9e3779b97f4a7c15u);
  }
  for (std::size_t m = 0; m < words.size(); ++m) {
    if ((m == 0) == cube) core.local[m].reset(0, 0);
  }
  core.free_range_slots.clear();
  for (std::size_t i = 0; i < core.range_slots.size(); ++i) {
    core.free_range_slots.push_back(static_cast<std::int32_t>(i));
  }
}

void Machine::start_block(Group& group, int block) {
  ++group.running_blocks;
  const auto start_core = [this](std::uint32_t c) {
    cores_[c].started = true;
    pull(c);
  };
  const auto b = static_cast<std::uint32_t>(block);
  if (group.setup->aic_count > 0) start_core(group.first_aic + b);
  const auto per_block = static_cast<std::uint32_t>(group.setup->aiv_per_block);
  if (group.setup->aiv_count > 0) {
    for (std::uint32_t s = 0; s < per_block; ++s) start_core(group.first_aiv + b * per_block + s);
  }
}

void Machine::block_may_end(Group& group, int block) {
  if (--group.block_left[static_cast<std::size_t>(block)] > 0) return;
  --group.running_blocks;
  --group.blocks_left;
  const int blocks = static_cast<int>(group.block_left.size());
  // Its cores go to the next block of the launch, or back to the chip.
  if (group.next_block < blocks && (!setup_.gated || group.setup->all_at_once)) {
    if (broken(DefectId::second_wave_missing)) return;
    start_block(group, group.next_block++);
    return;
  }
  if (setup_.gated && !group.setup->keeps_cores) take_cores(group, -1);
  if (group.ended()) {
    group_ended(group);
  } else if (setup_.gated) {
    update_gates();
  }
}

MachineStatus Machine::run() {
  const bool environment = chooser_->cache_policy() == CachePolicy::random;
  while (!failed_) {
    if (enabled_.empty()) {
      if (environment_when_idle()) continue;
      break;
    }
    if (actors_enabled_ > 0 && only_actors_can_move()) break;
    if (steps_ >= setup_.step_limit) {
      fail("step limit");
      break;
    }
    ++steps_;
    move(chooser_->choose_agent(enabled_));
    if (environment && cached_lines_ > 0) environment_step();
  }
  if (failed_) return MachineStatus::error;
  for (std::uint32_t c = 0; c < core_count_; ++c) {
    if (!cores_[c].ended || cores_[c].hung) return MachineStatus::stalled;
  }
  return MachineStatus::completed;
}

void Machine::move(std::uint32_t agent) {
  const std::uint32_t c = agent / agents_per_core;
  const std::uint32_t part = agent % agents_per_core;
  if (c >= core_count_) {
    const std::size_t other = c - core_count_;
    if (other < actors_.size()) {
      act(other);
    } else {
      begin(groups_[other - actors_.size()]);
    }
  } else if (part == part_scalar) {
    issue(c);
  } else if (part < part_finish) {
    start(c, static_cast<int>(part - part_start));
  } else if (part < part_deliver) {
    finish(c, static_cast<int>(part - part_finish));
  } else if (part == part_deliver) {
    deliver(c);
  } else {
    land(c, chooser_->choose(static_cast<std::uint32_t>(cores_[c].landings.size())));
  }
}

/// Takes the next instruction of a core and sees whether it can be issued. One whose moment shows
/// nowhere is issued at once: when it takes effect, its pipe decides, or what follows it.
void Machine::pull(std::uint32_t c) {
  Core& core = cores_[c];
  core.issuing = true;
  for (;;) {
    core.held = core.source->next(core.loaded);
    if (core.held == nullptr) {
      core.issuing = false;
      core.ended = true;
      set_agent(c, part_scalar, false);
      --group_of(core).cores_left;
      let_put_off_go(group_of(core));
      block_may_end(group_of(core), core.block);
      return;
    }
    if (core.held->value == at_sk_end && core.held->op == DeviceOp::refresh_all) may_put_off(c);
    if (!is_unseen(core)) break;
    ++steps_;
    issue_held(c);
    if (failed_ || core.hung) break;
  }
  core.issuing = false;
  update_scalar(c);
}

/// The refresh at the end of a SuperKernel belongs to no program: what is dirty then may stay so
/// until all cores have ended (semantics §3), and a poll of another core may wait for it for ever.
void Machine::may_put_off(std::uint32_t c) {
  Core& core = cores_[c];
  Group& group = group_of(core);
  bool dirty = false;
  for (int i = 0; i < core.cache.size(); ++i) dirty = dirty || core.cache.held(i).dirty;
  const bool last = group.put_off + 1 == group.cores_left;
  const bool waves = group.next_block < static_cast<int>(group.block_left.size());
  if (!dirty || last || waves || setup_.gated || chooser_->choose(2) == 0) return;
  core.put_off = true;
  ++group.put_off;
}

/// All cores that have not ended have put their last refresh off: now they make it.
void Machine::let_put_off_go(Group& group) {
  if (group.put_off == 0 || group.put_off < group.cores_left) return;
  group.put_off = 0;
  const LaunchSetup& launch = *group.setup;
  const auto end = group.first_aiv + static_cast<std::uint32_t>(launch.aiv_count);
  for (std::uint32_t c = group.first_aic; c < end; ++c) {
    if (!cores_[c].put_off) continue;
    cores_[c].put_off = false;
    update_scalar(c);
  }
}

/// The core's held instruction can be issued, and no schedule could tell whether it is issued now
/// or later: nobody else sees it, and it takes nothing that others may count.
bool Machine::is_unseen(const Core& core) const {
  if (steps_ >= setup_.step_limit) return false;
  const DeviceInstruction& in = *core.held;
  if (is_queued(in.op)) return can_issue(core);
  if (in.op == DeviceOp::nothing || in.op == DeviceOp::watch) return true;
  return in.op == DeviceOp::pipe_all && core.outstanding == 0 &&
         (core.landings.empty() || !holds(latitude_pin(2, "both-kinds")));
}

/// Something changed that the core's held instruction may have waited for.
void Machine::wake_scalar(std::uint32_t c) {
  Core& core = cores_[c];
  if (core.issuing || core.held == nullptr || core.hung) return;
  if (enabled_.contains(c * agents_per_core + part_scalar)) return;
  if (is_unseen(core)) {
    ++steps_;
    issue(c);
  } else {
    update_scalar(c);
  }
}

bool Machine::can_issue(const Core& core) const {
  if (core.held == nullptr || core.hung || core.put_off) return false;
  const DeviceInstruction& in = *core.held;
  if (is_queued(in.op) && in.pipe != Pipe::s) {
    return core.pipes[static_cast<std::size_t>(queue_of(in.pipe))].queued < queue_depth_;
  }
  switch (in.op) {
    case DeviceOp::wait_flag: return core.event_count[event_index(in.event, in.id)] > 0;
    case DeviceOp::wait_raise: return core.counters[in.id] > 0;
    case DeviceOp::pipe_all: return core.outstanding == 0;
    case DeviceOp::data_sync: return core.outstanding == 0 || !holds(latitude_pin(2, "both-kinds"));
    case DeviceOp::await_change: return core.watch.hit;
    case DeviceOp::wait_signal: return signals_[static_cast<std::size_t>(in.src)].complete();
    default: return true;
  }
}

void Machine::issue(std::uint32_t c) {
  Core& core = cores_[c];
  core.issuing = true;
  issue_held(c);
  core.issuing = false;
  if (failed_ || core.hung) {
    set_agent(c, part_scalar, false);
  } else {
    pull(c);
  }
}

void Machine::issue_held(std::uint32_t c) {
  Core& core = cores_[c];
  const DeviceInstruction& in = *core.held;
  if (is_queued(in.op) && in.pipe != Pipe::s) {
    const bool event = in.op == DeviceOp::set_flag || in.op == DeviceOp::wait_flag;
    if (!event || !check_double_set(c, in)) enqueue(c, core, in);
  } else {
    issue_scalar(c, core, in);
    if (trace_ != nullptr) trace_step(core, in, steps_);
  }
}

void Machine::issue_scalar(std::uint32_t c, Core& core, const DeviceInstruction& in) {
  switch (in.op) {
    case DeviceOp::set_flag:
    case DeviceOp::wait_flag: issue_flag_on_scalar(c, core, in); break;
    case DeviceOp::load:
      core.loaded = cached_load(c, in.src);
      if (in.pair) core.loaded |= std::uint64_t{cached_load(c, in.src + 1)} << 32;
      after_cached_access(c, in.src);
      break;
    case DeviceOp::store:
      cached_store(c, in.dst, in.value);
      if (in.pair) cached_store(c, in.dst + 1, in.value_high);
      after_cached_access(c, in.dst);
      break;
    case DeviceOp::load_bypass: {
      std::uint32_t word = 0;
      gm_read(in.src, &word, 1);
      core.loaded = word;
      if (broken(DefectId::bypass_hits_cache) && in_gm(in.src)) {
        const int place = core.cache.find(in.src / line_words);
        if (place >= 0) core.loaded = cached_load(c, in.src);
      }
      break;
    }
    case DeviceOp::store_bypass: {
      Landing landing{true, in.dst, 0, {}};
      landing.words[0] = in.value;
      add_landing(c, landing);
      break;
    }
    case DeviceOp::load_local: {
      std::uint32_t sum = 0;
      for (std::int32_t i = 0; i < std::max(in.count, 1); ++i) {
        const std::uint32_t* word = local(core, in.src_space, in.src + 8 * i, 1);
        if (word != nullptr) sum += *word;
      }
      core.loaded = sum;
      break;
    }
    case DeviceOp::store_local:
      if (std::uint32_t* word = local(core, in.dst_space, in.dst, 1)) *word = in.value;
      break;
    case DeviceOp::refresh_line: {
      if (!in_gm(in.dst)) break;
      const int place = core.cache.find(in.dst / line_words);
      if (place >= 0) refresh_place(c, place, !broken(DefectId::refresh_drops_dirty));
      break;
    }
    case DeviceOp::refresh_all:
      for (int place = core.cache.size() - 1; place >= 0; --place) {
        if (in.value != 0 && broken(DefectId::lines_carried_over)) {
          write_back(c, place);
        } else {
          refresh_place(c, place, !broken(DefectId::refresh_drops_dirty));
        }
      }
      break;
    case DeviceOp::discard_all:
      while (core.cache.size() > 0) refresh_place(c, core.cache.size() - 1, false);
      break;
    case DeviceOp::data_sync: land_all(c); break;
    case DeviceOp::wait_raise:
      if (!broken(DefectId::wait_takes_nothing)) --core.counters[in.id];
      if (broken(DefectId::wait_takes_all)) core.counters[in.id] = 0;
      break;
    case DeviceOp::pipe_all:
      if (holds(latitude_pin(2, "both-kinds"))) land_all(c);
      break;
    case DeviceOp::watch:
      if (!core.watch.active) ++watchers_;
      core.watch = {true, false, in.src, in.src + in.count};
      break;
    case DeviceOp::raise: {
      DeviceInstruction raised = in;
      raised.value = core.landing_sequence;
      raised.value_high = core.raises_issued++;
      (void)carry_out(c, raised);
      break;
    }
    case DeviceOp::give_signal: give(in.dst); break;
    case DeviceOp::await_change:
    case DeviceOp::wait_signal: break;
    case DeviceOp::fault: fail(core.source->fault_text()); break;
    default: break;
  }
}

void Machine::issue_flag_on_scalar(std::uint32_t c, Core& core, const DeviceInstruction& in) {
  const std::size_t index = event_index(in.event, in.id);
  if (in.op == DeviceOp::wait_flag) {
    core.event_was_set[index] = 0;
    --core.event_count[index];
    return;
  }
  if (!check_double_set(c, in)) settle(c, carry_out(c, in));
}

/// The core issues nothing from here on; what it has issued goes on, and so does everybody else.
void Machine::hang(std::uint32_t c, Waiting at) {
  Core& core = cores_[c];
  if (core.hung) return;
  core.hung = true;
  core.hangs_at = at;
  set_agent(c, part_scalar, false);
}

/// Two sets of one event with no wait issued between them (L-4). True when the set has no effect.
bool Machine::check_double_set(std::uint32_t c, const DeviceInstruction& in) {
  Core& core = cores_[c];
  if (in.op == DeviceOp::wait_flag) {
    core.event_was_set[event_index(in.event, in.id)] = 0;
    return false;
  }
  if (in.op != DeviceOp::set_flag || in.id == private_event_id) return false;
  std::uint8_t& was_set = core.event_was_set[event_index(in.event, in.id)];
  if (was_set == 0) {
    was_set = 1;
    return false;
  }
  if (holds(latitude_pin(4, "lost"))) return true;
  if (holds(latitude_pin(4, "hang"))) {
    hang(c, {core.id, launch_of(core), in.sub_kernel, in.inserted ? -1 : in.place,
             WaitKind::event_flag, in.id});
    return true;
  }
  fail(fmt::format("{}: event {} id {} is set twice without a wait between", to_string(core.id),
                   to_string(in.event), in.id));
  return true;
}

void Machine::enqueue(std::uint32_t c, Core& core, const DeviceInstruction& in) {
  const int queue = queue_of(in.pipe);
  PipeState& pipe = core.pipes[static_cast<std::size_t>(queue)];
  if (pipe.queued == pipe.ring.size()) {
    std::vector<DeviceInstruction> larger(pipe.ring.size() * 2);
    for (std::uint32_t i = 0; i < pipe.queued; ++i) {
      larger[i] = pipe.ring[(pipe.head + i) & (pipe.ring.size() - 1)];
    }
    pipe.ring = std::move(larger);
    pipe.head = 0;
  }
  DeviceInstruction& slot = pipe.ring[(pipe.head + pipe.queued) & (pipe.ring.size() - 1)];
  slot = in;
  if (in.op == DeviceOp::raise) {  // what stands in front of it counts, whenever it fires
    slot.value = core.landing_sequence;
    slot.value_high = core.raises_issued++;
  }
  if (in.op == DeviceOp::opaque) {
    if (core.free_range_slots.empty()) {
      core.free_range_slots.push_back(static_cast<std::int32_t>(core.range_slots.size()));
      core.range_slots.emplace_back();
    }
    slot.count = core.free_range_slots.back();
    core.free_range_slots.pop_back();
    auto& ranges = core.range_slots[static_cast<std::size_t>(slot.count)];
    ranges.assign(in.ranges, in.ranges + in.read_count + in.write_count);
    slot.ranges = nullptr;
  }
  ++pipe.queued;
  ++core.outstanding;
  if (pipe.queued > 1) return;
  if (is_data(in.op)) {
    update_start(c, queue);
  } else {
    settle(c, 1u << queue);
  }
}

void Machine::trace_step(const Core& core, const DeviceInstruction& in, std::int64_t began) {
  if (in.op == DeviceOp::nothing) return;
  trace_->push_back(
      {began, steps_, core.id, in.pipe, in.sub_kernel, in.inserted ? -1 : in.place, describe(in)});
}

}  // namespace skcts::emulator
