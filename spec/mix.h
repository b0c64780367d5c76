// What is fused: sub kernels in order, SuperKernel options, GM regions with initial values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/instruction.h"
#include "spec/kernel_type.h"

namespace skcts {

/// Initial words of a region: `values` first, then first + step * index (index counts from the
/// start of the region), modulo 2^32.
struct RegionInit {
  std::vector<std::uint32_t> values;
  std::uint32_t first = 0;
  std::uint32_t step = 0;
  std::string note;
  bool operator==(const RegionInit&) const = default;
  std::uint32_t word(std::int64_t index) const {
    if (index < static_cast<std::int64_t>(values.size())) {
      return values[static_cast<std::size_t>(index)];
    }
    return first + step * static_cast<std::uint32_t>(index);
  }
};

/// A named stretch of GM, in 32-bit words. It starts `offset_bytes` (a multiple of 4 below 64)
/// after the start of a cache line of its own; no two regions share a line.
struct Region {
  std::string name;
  std::int32_t words = 0;
  std::int32_t offset_bytes = 0;
  RegionInit init;
  std::string note;
  bool operator==(const Region&) const = default;
};

/// A GlobalTensor object of a sub kernel; every core has its own. It lives from the start of the
/// sub kernel (the target of a GlobalTensorCopy: from there) to its GlobalTensorEndOfScope or the
/// end of the sub kernel's program.
struct Tensor {
  std::string name;
  std::int16_t region = -1;
  bool is_const = false;
  std::string note;
  bool operator==(const Tensor&) const = default;
};

/// static: compiled with its tiling. offload: tiling offload (binary reuse, "dynamic"), CACHE-5.
enum class Tiling : std::uint8_t { fixed, offload };
std::string_view to_string(Tiling tiling);  ///< "static", "offload"

/// What an operator tells with SK_BIND (composition §5.6), as bits of SubKernel::sk_bind.
namespace sk_bind {
inline constexpr std::int32_t early_start_wait = 1;  ///< its WaitPreTaskEnd may take part
inline constexpr std::int32_t early_start_set = 2;   ///< its SetNextTaskStart may take part
inline constexpr std::int32_t disable_dcci = 4;      ///< needs no refresh behind it
inline constexpr std::int32_t no_batch_check = 8;    ///< is not cut off by ACL-7
inline constexpr std::int32_t all = 15;
}  // namespace sk_bind

struct SubKernel {
  std::string name;
  KernelType type = KernelType::aiv_only;  ///< As it runs.
  std::int32_t blocks = 1;                 ///< As it runs.
  Tiling tiling = Tiling::fixed;
  /// Tiling offload only: what a launch counts the sub kernel with (CORE-1), because type and
  /// blocks are known on the device alone, when it runs. 0 blocks, no type: as it runs.
  std::int32_t launch_blocks = 0;
  std::optional<KernelType> launch_type;
  std::int32_t tiling_key = 0;
  std::int32_t stream = 0;        ///< Sub kernels of one stream run in order (FUSE-5).
  std::vector<std::string> recv;  ///< Events that it starts after.
  std::vector<std::string> send;  ///< Events that its end raises.
  /// Scope marks around it, the outermost first; an empty text stands for the mark None. Read by
  /// StepKind::marked alone.
  std::vector<std::string> scope;
  std::string op_type;               ///< What the dcci lists match; empty: the name.
  // On the path aclgraph only.
  std::int32_t sk_bind = 0;     ///< Capabilities told by SK_BIND, a sum of SkBind (ACL-4, 5, 7).
  bool batch_mode = false;      ///< Asks for all its cores at once (ACL-7).
  bool direct_launch = false;   ///< Counts blocks with GetBlockNum, the launch's (ACL-2).
  std::vector<Tensor> tensors;
  std::vector<std::string> names;    ///< TPipes, queues and local tensors, in order of first use.
  std::vector<Instruction> aic;
  std::vector<Instruction> aiv;
  std::string note;

  bool operator==(const SubKernel&) const = default;
  const std::vector<Instruction>& program(CoreKind kind) const {
    return kind == CoreKind::aic ? aic : aiv;
  }
  std::vector<Instruction>& program(CoreKind kind) { return kind == CoreKind::aic ? aic : aiv; }
  const std::string& matched_op_type() const { return op_type.empty() ? name : op_type; }
  KernelType counted_type() const { return launch_type.value_or(type); }
  std::int32_t counted_blocks() const { return launch_blocks == 0 ? blocks : launch_blocks; }
};

/// One step of an outside actor: a program beside the launches of a case (another stream, the
/// host, another device). Its accesses are those of a DMA, in order, each one whole.
enum class OutsideKind : std::uint8_t {
  wait,   ///< Blocks until `event` was raised.
  write,  ///< GM words from `at` on := values.
  copy,   ///< `count` GM words from `at` of `region` to `to_at` of `to`.
  raise,  ///< Raises `event`; what it wrote before is then seen by whoever waited for it.
};
std::string_view to_string(OutsideKind kind);  ///< "wait", "write", "copy", "raise"

struct OutsideStep {
  OutsideKind kind = OutsideKind::raise;
  std::string event;                  ///< wait, raise
  std::int16_t region = -1;           ///< write, copy
  std::int32_t at = 0;                ///< write, copy: first word
  std::vector<std::uint32_t> values;  ///< write
  std::int16_t to = -1;               ///< copy
  std::int32_t to_at = 0;             ///< copy
  std::int32_t count = 0;             ///< copy
  std::string note;
  bool operator==(const OutsideStep&) const = default;
};

/// Runs its steps in order, once a case, at its own pace, beside all launches.
struct OutsideActor {
  std::string name;
  std::vector<OutsideStep> steps;
  std::string note;
  bool operator==(const OutsideActor&) const = default;
};

struct Mix {
  std::string options;  ///< TorchAir option string, as written.
  std::vector<Region> regions;
  std::vector<SubKernel> sub_kernels;
  /// Events: each name has at most one raiser and at most one waiter among the sub kernels and the
  /// steps of the actors. One that nobody raises never happens: raised by nobody, waited for ever.
  std::vector<OutsideActor> outside;
  std::string note;
  bool operator==(const Mix&) const = default;
};

/// Where the regions of a mix lie: word addresses in one flat GM, lines of 16 words.
struct GmLayout {
  std::vector<std::int64_t> base;  ///< First word of each region.
  std::int64_t words = 0;          ///< Size of GM, a multiple of 16; words outside regions are 0.
  bool operator==(const GmLayout&) const = default;
};
GmLayout layout_of(const Mix& mix);

/// GM at the start of a case.
std::vector<std::uint32_t> initial_memory(const Mix& mix, const GmLayout& layout);

/// "A[3]" for a word address; "gm+0x…" outside all regions.
std::string word_name(const Mix& mix, const GmLayout& layout, std::int64_t word);

}  // namespace skcts
