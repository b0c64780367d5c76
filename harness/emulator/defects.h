// The catalogue of platform defects that the emulator can be given.
//
// A defect breaks one guarantee at one named point of the mechanism: the code there asks
// `defect == DefectId::...` and looks at nothing else. A new defect is an enumerator, a row of the
// table in defects.cpp, and one such question.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "spec/rule.h"

namespace skcts::emulator {

enum class DefectId : std::uint8_t {
  none,
  launch_one_block_narrow,
  block_num_of_launch,
  guard_one_wide,
  feed_missing,
  aiv1_of_1_1_left_out,
  per_access_refresh_missing,
  dcci_before_ignored,
  destroy_barrier_missing,
  early_start_aiv_aic_edge_missing,
  inter_operator_barrier_missing,
  flags_carried_over,
  unknown_option_accepted,
  offload_block_num,
  event_holds_one_core,
  early_start_over_event,
  notify_before_barrier,
  event_wait_dropped,
  event_edge_missing,
  scope_cut_ignored,
  dirty_lines_lost,
};

/// One row of the catalogue.
struct Defect {
  DefectId id = DefectId::none;
  std::string_view name;     ///< kebab-case, as written behind `defect=`
  RuleId rule;               ///< the guarantee that it breaks
  std::string_view channel;  ///< what shows it: memory, stall, refusal, launch, queries or counts
  std::string_view text;     ///< what the platform does wrong
};

/// All defects, the healthy state not among them.
std::span<const Defect> defects();

/// The defect of a name; nullptr for any other text.
const Defect* find_defect(std::string_view name);

}  // namespace skcts::emulator
