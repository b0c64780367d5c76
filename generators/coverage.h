// The coverage table: what a campaign should have met in pairs, and the mixes that are made for it.
//
// Six axes: rules (by the features that exercise them), kernel types of neighbours, their core
// relation, sync styles, access patterns, options. A pair is two points of different axes in one
// mix; types and relation count for the same two neighbours. Which mix is made for which pair is
// settled by its index, so that a case depends on its arguments alone: even indices go through the
// pairs, those first that chance would leave out longest, odd ones are a swarm over everything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "generators/generate.h"

namespace skcts::generators {

enum class Axis : std::uint8_t { rule, types, relation, sync, access, option };
std::string_view to_string(Axis axis);  ///< "rule", "types", ...

struct CoveragePoint {
  Axis axis = Axis::rule;
  std::string name;  ///< "SYNC-1", "AIV_ONLY > MIX_AIC_1_2", "sync-all-fed"
  FeatureSet features;
  std::optional<Neighbours> types;
  int share = 1000;  ///< Of mixes of a swarm, in thousandths.
};

struct CoveragePair {
  int a = 0;  ///< Points; a < b.
  int b = 0;
  std::string_view reason;  ///< Why no mix has both; empty: some have.
  std::int64_t chance = 0;  ///< Of both in one mix of a swarm, in millionths, roughly.
};

class CoverageTable {
 public:
  explicit CoverageTable(const Profile& profile);

  [[nodiscard]] std::span<const CoveragePoint> points() const { return points_; }
  [[nodiscard]] std::span<const CoveragePair> pairs() const { return pairs_; }
  [[nodiscard]] int feasible() const { return static_cast<int>(targets_.size()); }

  /// Pairs that the mix has, by number.
  [[nodiscard]] std::vector<int> pairs_of(const Case& value) const;
  /// What a mix for the pair needs.
  [[nodiscard]] Focus focus_of(const CoveragePair& pair) const;
  /// The pair that case `index` is made for; nothing: it is one of the swarm.
  [[nodiscard]] std::optional<int> target_of(std::uint64_t index) const;
  /// Case `index` of a campaign that is steered by the table.
  [[nodiscard]] Case make(std::uint64_t seed, std::uint64_t index) const;

 private:
  void add_points();
  void add(Axis axis, std::initializer_list<Feature> features);
  void add_pairs();

  const Profile& profile_;
  std::vector<CoveragePoint> points_;
  std::vector<CoveragePair> pairs_;
  std::vector<int> pair_of_;  ///< By both points.
  std::vector<int> targets_;  ///< Feasible pairs, the least likely first.
};

/// Why no mix for the machine has both points; empty: some have.
std::string_view reason_against(const CoveragePoint& a, const CoveragePoint& b,
                                const Profile& profile);

/// Rare states that a campaign should reach.
enum class Mark : std::uint8_t {
  counter_at_15,     ///< A flag raised 15 times before anybody need have waited.
  second_wave,       ///< More blocks than the chip has cores.
  line_of_three,     ///< A line that scalars of three sub kernels touch.
  odd_blocks,
  empty_sub_kernel,  ///< A core runs a sub kernel without an instruction.
  widest_at_end,     ///< The last sub kernel is wider than all others.
  rounded_launch,
  full_chip,
  launch_again,
  eight_sub_kernels,
  beside_normal,
  single_instruction,
};
inline constexpr int mark_count = static_cast<int>(Mark::single_instruction) + 1;
std::string_view to_string(Mark mark);  ///< "counter-at-15", ...
std::vector<Mark> marks_of(const Case& value);

}  // namespace skcts::generators
