// A happens-before calculator over recorded or emitted sequences, with rules of its own.
//
// It knows what the cross-core flags do and nothing else: a raise carries the earlier work of its
// own pipe and whatever its core had waited for; a flag of mode 0 is answered when every core of
// the kind has raised it as often as it is waited for, a flag of mode 2 inside one block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "spec/kernel_type.h"
#include "spec/pipe.h"

namespace skcts::facts {

/// A launch and its sub kernels, as far as the order between them goes.
struct ReplayOp {
  KernelType type = KernelType::aiv_only;
  int blocks = 1;
  bool own_set = false;   ///< Calls SetNextTaskStart<MTE3, FIX> itself, before its tail.
  bool own_wait = false;  ///< Calls WaitPreTaskEnd itself, after its head.
};

struct ReplayLaunch {
  KernelType type = KernelType::mix_aiv_1_0;  ///< Ratio: one of the last four types.
  int blocks = 1;
  std::vector<ReplayOp> ops;

  int cores(CoreKind kind) const {
    return kind == CoreKind::aic ? aic_cores(type, blocks) : aiv_cores(type, blocks);
  }
  int ratio() const { return type == KernelType::mix_aic_1_2 ? 2 : 1; }
  /// True when the core executes the op's program.
  bool runs(int op, CoreId core) const;
};

/// A guard of a step: "all", "block_idx<4", "aiv_linear_idx>=6"; `ratio` AIVs a block.
bool guard_holds(std::string_view guard, CoreId core, int ratio);

/// What WaitPreTaskEnd and its complement do on a core of that kind where pair `config` meets:
/// "wait 11", "set 13" (mode 2, raised on MTE3).
std::vector<std::string> early_wait_steps(int config, CoreKind kind);

/// The work of one op on one pipe of one core: `head` before its own WaitPreTaskEnd, `tail` after
/// its own SetNextTaskStart, else `body`.
enum class Part : std::uint8_t { head, body, tail };

/// The outcome of a replay.
class Replay {
 public:
  /// Replays `sequence` on every core of the launch. Unknown steps are reported as problems.
  Replay(const ReplayLaunch& launch, const std::vector<std::string>& sequence);

  /// Waits that no raise answers, raises that nobody waits for, steps that are not understood.
  const std::vector<std::string>& problems() const { return problems_; }

  /// True when the work of op `former` on that pipe is complete before core `to` passes the wait
  /// point of op `latter` (its own WaitPreTaskEnd where it calls it, else its start). Pipe::s
  /// stands for the scalar work. False when `to` never gets there.
  bool complete_before(int former, Part part, CoreId from, Pipe pipe, int latter, CoreId to) const;

 private:
  ReplayLaunch launch_;
  std::vector<std::string> problems_;
  std::vector<std::vector<std::uint64_t>> known_;  ///< By op and core: complete at its wait point.
};

}  // namespace skcts::facts
