// Random mixes that are legal by construction: portable fragments under the constraints that
// semantics names for each, laid into sub kernels with fresh flags, lines and buffers.
#pragma once

#include <cstdint>
#include <optional>

#include "generators/features.h"
#include "spec/case.h"
#include "spec/profile.h"
#include "spec/rule.h"

namespace skcts::generators {

/// How large a mix may get.
enum class Size : std::uint8_t {
  swarm,      ///< Small nearly always, sometimes tiny, medium or full chip.
  tiny,       ///< 1 or 2 sub kernels, 1 or 2 blocks.
  small,      ///< 2 to 6 sub kernels, up to 8 cores.
  medium,     ///< Up to 8 sub kernels and 20 cores.
  full_chip,  ///< Up to 8 sub kernels, the launch takes the whole chip.
};

/// Whose composer the mixes are for.
enum class PathWish : std::uint8_t {
  any,       ///< Where no feature is required aclgraph now and then, else ge; a feature that only
             ///< aclgraph has decides for it.
  ge,
  aclgraph,
};

/// How many cores a sub kernel has beside the one before it.
enum class Relation : std::uint8_t { any, equal, narrower, wider };

/// Two sub kernels of one launch, one right behind the other.
struct Neighbours {
  KernelType first = KernelType::aiv_only;
  KernelType second = KernelType::aiv_only;
  Relation relation = Relation::any;
  bool operator==(const Neighbours&) const = default;
};

/// What a property wants of its mixes. The default is a swarm over everything.
struct Focus {
  FeatureSet require;  ///< The mix has all of these.
  FeatureSet avoid;    ///< Not chosen on purpose; a feature of the data may still appear.
  Size size = Size::swarm;
  int min_sub_kernels = 1;  ///< At most 8.
  int max_sub_kernels = 8;
  PathWish path = PathWish::any;
  std::optional<Neighbours> neighbours;  ///< The mix has such a pair.
  bool operator==(const Focus&) const = default;
};

/// The focus under which a legal mix exercises the rule: for CORE-3 a GetBlockNum in a narrower sub
/// kernel, for SYNC-1 a SyncAll in one, and so on. R rules give the legal side of the rule.
Focus focus_for(RuleId rule);

/// Case `index` of a campaign: a function of its arguments alone, the same for every compiler and
/// machine. The case is valid and legal: no rule is broken, one memory is allowed whatever the
/// latitudes, and it is the memory of the sub kernels launched alone in order.
/// Its provenance names seed and index. Features that exclude each other under `require` are the
/// caller's mistake: the ones that cannot be had are left out.
Case generate(std::uint64_t campaign_seed, std::uint64_t index, const Focus& focus,
              const Profile& profile);

}  // namespace skcts::generators
