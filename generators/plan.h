// What a mix will be, before a single instruction is written: shapes, options, placements, stages.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "generators/generate.h"
#include "generators/launch.h"
#include "generators/random.h"
#include "generators/world.h"
#include "spec/options.h"

namespace skcts::generators {

/// A fragment that can be laid into a sub kernel (semantics §6).
enum class Stage : std::uint8_t {
  none,
  // on the vector cores
  vector_copy,   ///< GM -> UB -> compute -> GM, ordered by hand.
  vector_tiles,  ///< Two or three tiles through one buffer, or a loop.
  vector_queue,  ///< The same through TQue, one buffer.
  vector_queue_double,
  vector_tbuf,
  vector_two_pipes,  ///< Two TPipes with PIPE_ALL between.
  vector_gather,     ///< One core reads what several wrote.
  vector_reload,     ///< A core reads back by DMA what it stored by DMA.
  ub_scalar,         ///< Scalar access to UB words.
  // on the cube cores
  cube_chain,   ///< GM -> L1 -> L0 -> Mmad -> GM.
  cube_short,   ///< GM -> L0 -> Mmad -> GM, or only the last steps.
  cube_queue,   ///< The chain through TQue.
  cube_l1_out,  ///< GM -> L1 -> GM.
  // on either kind
  scalar_copy,
  scalar_store,
  bypass_copy,
  scalar_to_dma,
  dma_to_scalar,
  atomic,
  poll,
  query,
  false_sharing,
  lone_query,  ///< One instruction and no more.
  // all cores
  sync_vector,
  sync_both,
  hand_made,
  // inside a block
  mode_1,
  cube_to_vector,
  vector_to_cube,
  ring,
  run_ahead,  ///< Up to 15 raises before the first wait.
  two_flags,  ///< Two raises from two pipes under two ids.
  mode_4,     ///< The 950 alone: a flag for each vector core of a block.
  two_waits,  ///< The 950 alone: two pipes of one core wait.
  // between vector cores through GM
  soft,
  ib,
  matmul,
};

inline constexpr std::size_t stage_count = static_cast<std::size_t>(Stage::matmul) + 1;

/// Where whole-cache refreshes stand for a sub kernel (CACHE-1 to CACHE-5).
enum class Placement : std::uint8_t { standard, before, after, both, disable, offload };

struct SubPlan {
  Shape shape;
  Shape counted;          ///< What a launch counts it with; `shape` unless it is tiling offload.
  int side = 0;           ///< WorldPlan::has_sides: the stream, or the launch of two.
  bool is_apart = false;  ///< Shares no data with sub kernels of the other side.
  bool is_wave = false;   ///< Launched alone, with more blocks than the chip has cores.
  Placement placement = Placement::standard;
  int op_type = 0;               ///< Number of its op type; equal numbers have equal placements.
  bool named_by_op_type = true;  ///< Else it has no op type and the lists match its name.
  bool own_set = false;          ///< Calls SetNextTaskStart.
  bool own_wait = false;         ///< Calls WaitPreTaskEnd.
  // on the path aclgraph
  std::int32_t sk_bind = 0;
  bool batch_mode = false;
  bool direct_launch = false;  ///< If nothing in it counts on its own number of blocks.
  bool idle_set = false;       ///< Calls SetNextTaskStart first of all, which does nothing.
  bool idle_wait = false;      ///< Calls WaitPreTaskEnd last, which does nothing.
  std::vector<Stage> stages;

  void drop_calls() { own_set = own_wait = idle_set = idle_wait = false; }
  /// A whole-cache refresh stands between what earlier sub kernels did and the body.
  [[nodiscard]] bool opens() const {
    return !own_wait && (placement == Placement::before || placement == Placement::both ||
                         placement == Placement::offload);
  }
  /// A whole-cache refresh after the body has landed when the next sub kernel starts.
  [[nodiscard]] bool closes() const {
    return !own_set && (placement == Placement::after || placement == Placement::both ||
                        placement == Placement::offload);
  }
  /// GetValue and SetValue refresh the lines they touch.
  [[nodiscard]] bool per_access() const { return placement == Placement::standard; }
};

struct MixPlan {
  bool is_captured = false;  ///< For the path aclgraph.
  WorldPlan world;
  Options options;
  std::string captured_options;  ///< The option string of that path.
  Launch launch;
  std::vector<SubPlan> subs;
  int slots = 1;               ///< Workers of the widest sub kernel: slots of a GM region.
  bool prefer_recent = false;  ///< Inputs come from the sub kernel just before, where possible.
};

std::string sub_kernel_name(int k);

/// The op type's name as the dcci lists match it.
std::string_view op_type_name(int op_type);

/// Draws a plan. Everything that decides legality between sub kernels is decided here.
MixPlan make_plan(Choice& choice, const Focus& focus, const Profile& profile, bool is_captured);

/// What a plan for the path aclgraph has instead of placements, options and lists: the capabilities
/// of each sub kernel, and the option string. The calls of early start, shapes and sides are drawn.
void draw_captured(Choice& choice, const Focus& focus, MixPlan& plan);

}  // namespace skcts::generators
