// Which stages go into which sub kernel of a plan.
#pragma once

#include <vector>

#include "generators/demand.h"
#include "generators/plan.h"

namespace skcts::generators {

/// What decides whether a sub kernel can host a stage, looked up once.
struct Host {
  Shape shape;
  bool vectors = false;      ///< It runs on vector cores,
  bool cubes = false;        ///< on cube cores,
  bool all_vectors = false;  ///< on all that the launch has.
  bool all_cubes = false;
  bool flags = false;  ///< Its type has cross-core flags (SYNC-13).
  bool feed = false;   ///< feed-sync-all is on.
  bool waits = true;   ///< Its cores may wait for each other: all have their blocks at once.
  bool soft = true;    ///< A soft SyncAll counts its cores.
};

Host host_of(const SubPlan& sub, const Launch& launch, const Options& options,
             const Profile& profile);

/// True when the stage can stand in such a sub kernel.
bool can_host(Stage stage, const Host& host);

/// Draws the stages of all sub kernels. `wanted` and `is_demanded` have an entry a sub kernel. A
/// sub kernel with a Matmul loses its calls of early start: its cube side is the service's.
void draw_stages(Choice& choice, const Focus& focus, const Profile& profile,
                 const std::vector<Demand>& wanted, const std::vector<bool>& is_demanded,
                 bool is_full_chip, MixPlan& plan);

}  // namespace skcts::generators
