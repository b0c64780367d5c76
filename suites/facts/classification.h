// What is done with each recorded fact: checked, out of scope, or the composer's own defect.
#pragma once

#include <string_view>

#include "suites/facts/facts.h"

namespace skcts::facts {

/// Why a fact, or a part of it, is not taken over as it stands.
enum class Reason {
  none,              ///< Everything that the fact says is checked.
  aclgraph_path,     ///< The composer of captured graphs.
  scope_marks,       ///< How the front end hands scopes on.
  machine_950,       ///< Recorded for a 3510 machine; launch type and blocks are checked.
  two_streams,       ///< Edges, lists or errors of two streams; launch type and blocks are checked.
  events,            ///< Notify and wait; launch type and blocks are checked, and on the emulator
                     ///< what their lists keep (recorded_events_test.cpp).
  offload_run_time,  ///< Selection and calls of tiling offload; launch and blocks are checked.
  compiled_apart,    ///< A sub kernel compiled with other settings than its SuperKernel.
  compiler_warning,  ///< Advice printed by a compiler.
  workspace,         ///< Size of the workspace of feed-sync-all, the composer's own business.
  step_of_a_check,   ///< One step of CORE-6; a launch is refused by another of its steps.
  front_end,         ///< An entry of the option parser that no option string reaches.
  time_records,      ///< profiling=1: the records in the sequence; all other steps are checked.
  defect_core_7,     ///< Composer's defect: a MIX 1:2 sub kernel is given a 1:1 launch.
  defect_core_8,     ///< Composer's defect: launches more cores than the chip has.
  defect_cache_5,    ///< Composer's defect: the refreshes of tiling offload are overwritten.
  defect_feed,       ///< Composer's defect: a fed sub kernel without its end marker, or no C++.
  defect_crash,      ///< Composer's defect: it fails while it composes.
};

std::string_view to_string(Reason reason);

/// True for the reasons that name a defect of the composer: the rule wins over the fact.
bool is_defect(Reason reason);

struct Classification {
  bool launch = false;    ///< (a) launch, guards, numbers, feeding, refreshes: both engines
  bool sequence = false;  ///< (b) the emulator composes this sequence
  bool order = false;     ///< (c) the recorded sequence orders as the model's relation says
  Reason reason = Reason::none;
  bool operator==(const Classification&) const = default;
};

/// Decides from the fact's content alone; the exceptions stand by name in the body.
Classification classify(const Fact& fact);

}  // namespace skcts::facts
