// What is done with each recorded fact: checked, out of scope, or the composer's own defect.
#pragma once

#include <string_view>

#include "suites/facts/facts.h"

namespace skcts::facts {

/// Why a fact, or a part of it, is not taken over as it stands.
enum class Reason {
  none,  ///< Everything that the fact says is checked.
  // Not about how a launch is composed.
  compiled_apart,     ///< A sub kernel compiled with other settings than its SuperKernel; a mix
                      ///< cannot say that.
  scope_attributes,   ///< The attributes by which a front end hands a scope on.
  compiler_warning,   ///< Advice printed by a compiler; what it warns of is CACHE-7.
  front_end,          ///< An entry of the option parser that no option string reaches.
  step_of_a_check,    ///< One step of CORE-6; a launch is refused by another of its steps.
  time_records,       ///< profiling=1: the records in the sequence; all other steps are checked.
  queue_building,     ///< How the composer of captured graphs builds its queues: which one an event
                      ///< goes to, in which order kernels enter, what is loaded ahead.
  deadlock_detector,  ///< Whether that composer foresees a wait that never ends; out of scope.
  // The rule wins over the fact.
  defect_core_7,   ///< A MIX 1:2 sub kernel is given a 1:1 launch.
  defect_core_8,   ///< Launches more cores than the chip has.
  defect_cache_5,  ///< The refreshes of tiling offload are overwritten.
  defect_feed,     ///< A fed sub kernel without its end marker, no C++, or never called.
  defect_notify,   ///< An event of a MIX sub kernel is raised before its cubes have ended.
  defect_hold,     ///< An awaited event holds no cube, or nobody waits for it.
  defect_streams,  ///< Lists of two streams lose the order inside a stream or along an event.
  defect_barrier,  ///< A barrier of both core kinds in a launch of one: nobody gets past it.
  defect_refuses,  ///< An event at an end of the list, or inside one stream, is refused.
  defect_crash,    ///< It fails while it composes.
};

std::string_view to_string(Reason reason);

/// True for the reasons that name a defect of the composer: the rule wins over the fact.
bool is_defect(Reason reason);

struct Classification {
  bool launch = false;    ///< (a) launch, guards, numbers, feeding, refreshes: both engines
  bool sequence = false;  ///< (b) the emulator composes this sequence
  bool order = false;     ///< (c) the recorded sequence orders as the model's relation says
  bool followed = false;  ///< (d) the emulator follows the recorded lists on data
  bool decision = false;  ///< (e) a single decision, against what the emulator composes
  Reason reason = Reason::none;
  bool operator==(const Classification&) const = default;
};

/// What the composer does against the contract where one of two sub kernels has an outer event,
/// from their kinds alone; or none. A vector core watches and notifies where one of the two is MIX:
/// behind a cube sub kernel it holds the vectors only, in front of one it has not waited for the
/// cubes.
Reason event_defect(const Fact& fact);

/// Decides from the fact's content alone; the exceptions stand by name in the body.
Classification classify(const Fact& fact);

}  // namespace skcts::facts
