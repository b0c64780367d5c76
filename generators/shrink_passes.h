// The steps by which a case can get smaller, as data, and what each does.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/case.h"

namespace skcts::generators {

enum class Pass : std::uint8_t {
  drop_schedule,
  drop_sub_kernels,  ///< a: first, b: how many; plan entries follow.
  drop_plan,         ///< The plan becomes one fused launch.
  drop_plan_step,    ///< a: step
  // what lies around the sub kernels (shrink_world.h); drop_world comes first, join_steps last
  drop_world,           ///< Actors, events, marks, streams and the plan.
  drop_actor,           ///< a: actor, with its events at both ends
  drop_between,         ///< a: event between sub kernels and actors, in order of first mention
  drop_actor_step,      ///< a: actor, b: step, with its event at both ends
  shorten_actor_write,  ///< a: actor, b: step: one word
  shorten_actor_copy,   ///< a: actor, b: step: one word
  actor_step_at_0,      ///< a: actor, b: step
  drop_marks,           ///< All scope marks.
  one_stream,           ///< All sub kernels.
  drop_mark,            ///< sub
  drop_outer_mark,      ///< sub
  lower_stream,         ///< sub
  counted_as_it_runs,   ///< sub
  lower_counted,        ///< sub: one block more than it runs on
  unwrap_beside,        ///< a: step: its launches one after the other
  drop_inner_step,      ///< a: step, b: step inside
  share_in_batches,     ///< a: step
  fuse_step,            ///< a: step becomes one fused launch
  shorten_host_write,   ///< a: step: one word
  host_write_at_0,      ///< a: step
  join_steps,           ///< a: step: fused with the one before
  path_ge,              ///< The path aclgraph with its options, and all that is told to it.
  tell_less,            ///< sub, a: a bit of SK_BIND; 0: batch mode and direct launch
  drop_options,         ///< All options.
  drop_option,          ///< a: item of the option string
  drop_latitudes,
  lower_all_blocks,       ///< a: no sub kernel has more
  lower_blocks,           ///< sub, a: new number
  clear_program,          ///< sub, kind
  drop_instructions,      ///< sub, kind, a: first, b: how many (top level)
  drop_flag,              ///< sub, a: cross-core id: all its raises and waits, both programs
  drop_syncs,             ///< sub, a: the op: all its instructions, both programs
  drop_event,             ///< sub, kind, a: source, b: destination
  drop_event_pair,        ///< sub, kind, a: SetFlag, b: WaitFlag
  drop_name,              ///< sub, a: TPipe, queue or local tensor with all its instructions
  lower_times,            ///< sub, kind, a: instruction in text order, b: new number
  unroll,                 ///< sub, kind, a: instruction in text order: its body, once
  drop_in_body,           ///< sub, kind, a: instruction in text order, inside a Repeat
  drop_where,             ///< sub, kind, a: instruction in text order
  lower_flag_everywhere,  ///< a: from, b: to
  lower_flag,             ///< sub, a: from, b: to
  lower_event,            ///< sub, a: from, b: to, in both programs
  lower_all_counts,       ///< sub, a: no count is larger
  lower_count,            ///< sub, kind, a: instruction in text order, b: new number
  plain_operands,         ///< sub, kind, a: instruction in text order: no shift
  lay_out_queues,         ///< sub: local tensors become plain places, TPipes and queues go
  lower_type,             ///< sub, a: a kernel type that comes earlier
  plain_sub_kernel,       ///< sub: no tiling offload, key, op type
  zero_region,            ///< a: region: initial words 0
  shorten_region,         ///< a: region, b: new number of words
  align_region,           ///< a: region: no offset
  merge_regions,          ///< a into b
  drop_notes,
};

struct Step {
  Pass pass = Pass::drop_schedule;
  std::int16_t sub = 0;
  CoreKind kind = CoreKind::aic;
  std::int32_t a = 0;
  std::int32_t b = 0;
};

/// The steps that can be taken from a case, large ones first.
std::vector<Step> steps_of(const Case& value);

/// The case after a step: names in order, unused tensors and regions gone. It may be invalid.
Case after_step(const Case& value, const Step& step);

}  // namespace skcts::generators
