// The mixes that an operator is tried in: what stands around it, under which options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/features.h"
#include "spec/case.h"
#include "spec/operator.h"
#include "spec/profile.h"

namespace skcts::campaign {

/// What may be chosen for a mix, one level a factor. Level 0 of each is the default.
enum class Factor : std::uint8_t {
  neighbour,  ///< What stands beside the operator.
  relation,   ///< The neighbour's cores beside those of the operator, or its type.
  place,      ///< Where it stands.
  data,       ///< What others do with the operator's regions.
  refresh,    ///< Where refreshes of its own cache lines stand (CACHE-1 to CACHE-5).
  early,      ///< early-start
  option,     ///< One more option.
  latitude,   ///< A position of a latitude.
};
inline constexpr std::size_t factor_count = 8;
std::string_view to_string(Factor factor);  ///< "neighbour", ...

/// From this level of Factor::neighbour on, neighbours are drawn.
inline constexpr int first_drawn_neighbour = 3;

/// One level a factor.
using Levels = std::vector<int>;

/// The factors and levels for one operator on one machine.
class CertifyMixes {
 public:
  CertifyMixes(const Operator& value, const Profile& profile, std::uint64_t seed);

  /// The name of each level of a factor.
  [[nodiscard]] const std::vector<std::string>& levels(Factor factor) const {
    return levels_[static_cast<std::size_t>(factor)];
  }
  /// Positions at which a platform refuses a class of operators (L-3, L-6, L-11, L-13): no level.
  [[nodiscard]] const std::vector<std::string>& assumed() const { return assumed_; }
  /// The row with a neighbour, where a relation or a place asks for one and it has none.
  [[nodiscard]] Levels helped(Levels row) const;
  /// Why two levels exclude each other whatever else is chosen; empty: they do not.
  [[nodiscard]] std::string excluded(const Levels& row) const;
  /// A mix of these levels; `draw` counts attempts. Nothing: no neighbour of that relation was
  /// drawn.
  [[nodiscard]] std::optional<Case> make(const Levels& row, int draw) const;
  /// The operator in a mix of make(): the sub kernels that are it (beside itself: two).
  [[nodiscard]] std::vector<std::size_t> places(const Case& mix) const;
  /// The mix with a sub kernel that does nothing, of the same shape, in the operator's stead.
  [[nodiscard]] Case without_operator(const Case& mix) const;
  /// The operator is in the mix as it was handed in.
  [[nodiscard]] bool holds_operator(const Case& mix) const;
  /// Launched by itself, not fused.
  [[nodiscard]] Case launched_alone() const;

 private:
  [[nodiscard]] std::optional<Case> neighbour(const Levels& row, int draw) const;
  void add_itself(bool shares, Case& made) const;

  const Operator& operator_;
  const Profile& profile_;
  std::uint64_t seed_;
  std::vector<std::vector<std::string>> levels_;
  std::vector<std::string> assumed_;
  std::vector<std::string> texts_;  ///< Of the operator's instructions, to know it again.
};

}  // namespace skcts::campaign
