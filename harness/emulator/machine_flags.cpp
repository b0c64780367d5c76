// Cross-core flags: raises under way, arrival cells, and the 4-bit counters that waits take from.
#include <algorithm>

#include <fmt/format.h>

#include "harness/emulator/machine.h"

namespace skcts::emulator {

/// Place of the raise whose turn it is where they keep their order; behind the last one while it
/// has not fired yet.
std::size_t Machine::next_in_order(const Core& core) const {
  const auto found = std::find_if(core.raises.begin(), core.raises.end(), [&](const Raise& raise) {
    return raise.number == core.raises_arrived;
  });
  return static_cast<std::size_t>(found - core.raises.begin());
}

void Machine::update_deliver(std::uint32_t c) {
  const Core& core = cores_[c];
  const bool ordered = holds(latitude_pin(8, "program-order"));
  const bool any = ordered ? next_in_order(core) < core.raises.size() : !core.raises.empty();
  set_agent(c, part_deliver, any);
}

/// One raise of the core arrives; which one is a choice, unless they keep their order.
void Machine::deliver(std::uint32_t c) {
  Core& core = cores_[c];
  const std::size_t which = holds(latitude_pin(8, "program-order"))
                                ? next_in_order(core)
                                : chooser_->choose(static_cast<std::uint32_t>(core.raises.size()));
  const Raise raise = core.raises[which];
  core.raises.erase(core.raises.begin() + static_cast<std::ptrdiff_t>(which));
  ++core.raises_arrived;
  update_deliver(c);
  if (trace_ != nullptr && raise.traced >= 0) {
    (*trace_)[static_cast<std::size_t>(raise.traced)].end = steps_;
  }
  if (raise.lands && !broken(DefectId::boundary_lands_nothing))
    land_before(c, raise.landings_before);
  if (raise.mode == signal_mode) {
    give(raise.signal);
  } else if (raise.mode == block_mode) {
    arrive_in_block(c, raise.id);
  } else {
    arrive(c, raise.id, raise.mode);
  }
}

/// Takes one arrival of each of `count` cores, if all have one.
bool Machine::take_arrivals(std::uint32_t first, std::uint32_t count, std::uint8_t id,
                            std::uint8_t mode) {
  for (std::uint32_t c = first; c < first + count; ++c) {
    if (cores_[c].arrived[id][mode] == 0) return false;
  }
  for (std::uint32_t c = first; c < first + count; ++c) --cores_[c].arrived[id][mode];
  return true;
}

void Machine::arrive(std::uint32_t c, std::uint8_t id, std::uint8_t mode) {
  Core& core = cores_[c];
  Group& group = group_of(core);
  const LaunchSetup& launch = *group.setup;
  if (mode == 1 && broken(DefectId::mode_1_joins_launch)) mode = 0;
  const bool cube = core.id.kind == CoreKind::aic;
  const auto per_block = static_cast<std::uint32_t>(launch.aiv_per_block);
  const std::uint32_t block_aivs =
      group.first_aiv + static_cast<std::uint32_t>(core.block) * per_block;
  std::uint16_t& arrivals = core.arrived[id][mode];
  ++arrivals;
  if (mode == 0) {
    std::int32_t& present = group.mode0_arrived[cube ? 0 : 1][id];
    if (arrivals == 1) ++present;
    const std::uint32_t first = cube ? group.first_aic : group.first_aiv;
    const std::uint32_t count =
        static_cast<std::uint32_t>(cube ? launch.aic_count : launch.aiv_count);
    const bool one_short = broken(DefectId::mode_0_one_short) && count > 1;
    if (static_cast<std::uint32_t>(present) + (one_short ? 1 : 0) < count) return;
    present = 0;
    for (std::uint32_t i = first; i < first + count; ++i) {
      std::uint16_t& own = cores_[i].arrived[id][0];
      if (own > 0 && --own > 0) ++present;
    }
    for (std::uint32_t i = first; i < first + count; ++i) count_up(i, id);
  } else if (mode == 1) {
    const bool joined = cube ? false : take_arrivals(block_aivs, per_block, id, mode);
    if (!joined && (cube || !broken(DefectId::mode_1_no_join))) return;
    for (std::uint32_t i = 0; i < per_block; ++i) count_up(block_aivs + i, id);
  } else if (cube) {
    --arrivals;
    if (launch.aiv_count == 0) return;
    const std::uint32_t reached = broken(DefectId::mode_2_first_vector) ? 1 : per_block;
    std::uint32_t first = block_aivs;
    if (broken(DefectId::mode_2_next_block)) {
      const auto vectors = static_cast<std::uint32_t>(launch.aiv_count);
      first = group.first_aiv + (first - group.first_aiv + per_block) % vectors;
    }
    for (std::uint32_t i = 0; i < reached; ++i) count_up(first + i, id);
  } else {
    const bool joined = take_arrivals(block_aivs, per_block, id, mode);
    if (!joined && !broken(DefectId::mode_2_no_join)) return;
    if (launch.aic_count > 0) {
      std::uint32_t block = static_cast<std::uint32_t>(core.block);
      if (broken(DefectId::mode_2_next_cube)) {
        block = (block + 1) % static_cast<std::uint32_t>(launch.aic_count);
      }
      count_up(group.first_aic + block, id);
    }
  }
}

/// Mode 4 joins an AIC and one AIV of its block: AIV 1 has the upper half of the cube's ids.
void Machine::arrive_in_block(std::uint32_t c, std::uint8_t id) {
  constexpr int half = max_flags / 2;
  const Core& core = cores_[c];
  const Group& group = group_of(core);
  const LaunchSetup& launch = *group.setup;
  const int per_block = launch.aiv_per_block;
  if (core.id.kind == CoreKind::aiv) {
    if (launch.aic_count == 0) return;
    const int at_cube = id + half * (core.id.index % per_block);
    count_up(group.first_aic + static_cast<std::uint32_t>(core.block),
             static_cast<std::uint8_t>(at_cube % max_flags));
    return;
  }
  const int sub = id / half;
  if (launch.aiv_count == 0 || sub >= per_block) return;  // there is nobody to raise it on
  count_up(group.first_aiv + static_cast<std::uint32_t>(core.block * per_block + sub),
           static_cast<std::uint8_t>(id % half));
}

void Machine::count_up(std::uint32_t c, std::uint8_t id) {
  Core& core = cores_[c];
  if (broken(DefectId::counter_of_three_bits) && core.counters[id] == 7) return;
  if (core.counters[id] >= setup_.profile->flag_counter_max) {
    if (holds(latitude_pin(9, "hang"))) {
      // The core stops wherever it is; only a wait for this very flag is a place where it waits.
      const DeviceInstruction* held = core.held;
      const bool at_its_wait =
          held != nullptr && held->op == DeviceOp::wait_raise && held->id == id && !held->inserted;
      hang(c, {core.id, launch_of(core), held != nullptr ? held->sub_kernel : -1,
               at_its_wait ? held->place : -1, WaitKind::cross_core_flag, id});
    } else {
      fail(fmt::format("{}: the counter of flag {} would pass {}", to_string(core.id), id,
                       setup_.profile->flag_counter_max));
    }
    return;
  }
  if (!broken(DefectId::counter_is_binary) || core.counters[id] == 0) ++core.counters[id];
  if (core.held != nullptr && core.held->op == DeviceOp::wait_raise) update_scalar(c);
  if (setup_.profile->is_3510()) settle(c, (1u << queue_count) - 1);  // a pipe may wait for it
}

}  // namespace skcts::emulator
