// What lies around the sub kernels of a mix: launches, scope marks, streams, events, outside
// actors, host writes, launches side by side.
//
// It is drawn in two parts. The first, before a plan is made, says what is wanted, so that the plan
// keeps sub kernels apart that shall run at the same time. The second, after all instructions are
// written, looks at what touches what and lays whatever is legal there: an event along each
// dependence that nothing else orders, an actor where nobody else touches its words meanwhile. What
// cannot be had is left out, and the mix stays as it was.
#pragma once

#include <cstdint>

#include "generators/features.h"
#include "spec/case.h"
#include "spec/profile.h"

namespace skcts::generators {

class Choice;
struct Focus;
struct MixPlan;

/// How the sub kernels shall be launched.
enum class Launching : std::uint8_t {
  fused,   ///< In one launch.
  marked,  ///< As scope marks cut them.
  split,   ///< In several launches, one after the other, with host writes between.
  beside,  ///< In two launches at a time.
};

/// What is wanted of the world.
struct WorldPlan {
  Launching launching = Launching::fused;
  bool streams = false;  ///< Two streams; with stream-fusion=1 if `fusion`.
  bool fusion = false;
  bool events = false;   ///< Events between sub kernels that order nothing new.
  bool outside = false;  ///< Actors.
  bool wave = false;     ///< A sub kernel alone with more blocks than the chip has cores.
  bool counted = false;  ///< Offload sub kernels that the launch counts as wider ones.

  /// Sub kernels have a side, 0 or 1, and those apart share no data with the other side.
  [[nodiscard]] bool has_sides() const { return launching == Launching::beside || streams; }
};

/// The features that a world brings.
FeatureSet world_features();

WorldPlan draw_world(Choice& choice, const Focus& focus, const Profile& profile);

/// Lays the plan's world around the sub kernels of a case whose options are written.
void lay_world(Choice& choice, const Focus& focus, const Profile& profile, const MixPlan& plan,
               Case& value);

}  // namespace skcts::generators
