#include "generators/coverage.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "generators/neighbours.h"
#include "generators/random.h"

namespace skcts::generators {

namespace {

using enum Feature;

/// Share of each feature in mixes of a swarm, in thousandths, as `skcts generate --shares` tells it
/// (of the 950 alone for what only that has). It decides the order of targets, nothing else.
constexpr std::array<int, feature_count> shares = {
    394, 388, 391, 384, 368, 456, 610, 623, 629, 261, 684, 478, 193, 145,
    286, 500, 57, 147, 113, 87, 33, 161, 142, 54, 154, 88, 46, 43,
    34, 39, 65, 43, 217, 66, 53, 398, 503, 354, 614, 651, 704, 368,
    113, 125, 206, 683, 253, 167, 155, 49, 28, 44, 41, 30, 308, 709,
    239, 66, 183, 65, 109, 48, 728, 153, 157, 119, 148, 134, 64, 382,
    477, 624, 144, 620, 64, 320, 70, 345, 385, 349, 960, 197, 103, 111,
    108, 131, 127, 141, 54, 54, 303, 106, 109, 107, 394, 384, 277, 109,
    71, 73, 279, 138, 55, 30, 34, 319, 74, 19, 44, 46, 6, 76,
    31, 104, 44, 74, 106, 105, 74, 51, 42, 162, 10, 36, 137, 31,
    119, 39, 6, 12, 18, 15, 15, 66, 28, 4, 4, 8,
};

constexpr KernelType types[] = {KernelType::aiv_only,    KernelType::aic_only,
                                KernelType::mix_aiv_1_0, KernelType::mix_aic_1_0,
                                KernelType::mix_aic_1_1, KernelType::mix_aic_1_2};
constexpr int type_pair_share = 45;

constexpr std::uint64_t round = 2048;  ///< Targets.
constexpr std::uint64_t stride = 701;  ///< Odd: each of a round has its turn.
constexpr int max_attempts = 6;        ///< Mixes that are made for a target at most.

int share_of(const FeatureSet& features) {
  int share = 1000;
  for (std::size_t i = 0; i < feature_count; ++i) {
    if (features.has(static_cast<Feature>(i))) share = std::min(share, shares[i]);
  }
  return share;
}

}  // namespace

std::string_view to_string(Axis axis) {
  constexpr std::string_view names[] = {"rule", "types", "relation", "sync", "access", "option"};
  return names[static_cast<int>(axis)];
}

CoverageTable::CoverageTable(const Profile& profile) : profile_(profile) {
  add_points();
  add_pairs();
}

void CoverageTable::add(Axis axis, std::initializer_list<Feature> features) {
  for (const Feature f : features) {
    if (!exists_on(f, profile_)) continue;
    CoveragePoint point{.axis = axis, .name = std::string(to_string(f)), .features = {f}};
    point.share = share_of(point.features);
    points_.push_back(std::move(point));
  }
}

void CoverageTable::add_points() {
  for (const Rule& rule : rules()) {
    const FeatureSet features = focus_for(rule.id).require;
    if (features.empty()) continue;  // any mix exercises it, or none that is generated here
    if (!all_exist_on(features, profile_)) continue;
    points_.push_back({.axis = Axis::rule,
                       .name = std::string(rule.name),
                       .features = features,
                       .share = share_of(features)});
  }
  for (const KernelType first : types) {
    for (const KernelType second : types) {
      points_.push_back({.axis = Axis::types,
                         .name = fmt::format("{} > {}", to_string(first), to_string(second)),
                         .types = Neighbours{first, second, Relation::any},
                         .share = type_pair_share});
    }
  }
  add(Axis::relation, {equal_neighbours, narrower_neighbour, wider_neighbour});
  add(Axis::sync, {sync_all_vector, sync_all_both, sync_all_fed, sync_all_full_width,
                   hand_made_full_core, mode_1, mode_2_from_cube, mode_2_from_vector, mode_4,
                   wait_on_pipe, ring, run_ahead, two_flags, soft_sync_all, ib_sync,
                   poll_through_cache, poll_by_dma, matmul});
  add(Axis::access,
      {communication_by_dma, anti_dependence, output_dependence, atomic_add, neighbour_shift,
       false_sharing_by_dma, l1_to_gm, get_value, set_value, operator_assign, raw_access,
       bypass_access, const_tensor, line_per_core, shared_line, hand_over_within, hand_over_across,
       hand_over_to_dma, tque_double, tpipe_several});
  add(Axis::option,
      {option_func_align, option_preload_code, option_early_start_0, option_early_start_2,
       option_stream_fusion, option_debug_dcci_all, option_debug_sync_all, option_feed_sync_all,
       option_profiling, option_compile_options, option_strict_scope_check, option_dcci_before,
       option_dcci_after, option_dcci_disable, option_split_mode, option_debug_aic_num,
       option_debug_aiv_num, tiling_offload, aclgraph});
}

void CoverageTable::add_pairs() {
  const auto count = static_cast<int>(points_.size());
  pair_of_.assign(points_.size() * points_.size(), -1);
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      const CoveragePoint& x = points_[static_cast<std::size_t>(a)];
      const CoveragePoint& y = points_[static_cast<std::size_t>(b)];
      if (x.axis == y.axis) continue;
      const auto number = static_cast<int>(pairs_.size());
      pair_of_[static_cast<std::size_t>(a * count + b)] = number;
      // The same two neighbours have both; a swarm feeds no launch of several streams.
      const bool is_near = x.types && y.axis == Axis::relation;
      const bool is_fed = y.features.has(sync_all_fed) || y.features.has(option_feed_sync_all);
      const int rarer = is_near || (is_fed && x.features.has(two_streams)) ? 20 : 1;
      pairs_.push_back({a, b, reason_against(x, y, profile_),
                        static_cast<std::int64_t>(x.share) * y.share / rarer});
      if (pairs_.back().reason.empty()) targets_.push_back(number);
    }
  }
  std::stable_sort(targets_.begin(), targets_.end(), [this](int one, int other) {
    return pairs_[static_cast<std::size_t>(one)].chance <
           pairs_[static_cast<std::size_t>(other)].chance;
  });
}

std::vector<int> CoverageTable::pairs_of(const Case& value) const {
  const Features found = features_of(value);
  const std::vector<Neighbours> near = neighbours_of(value);
  const auto count = static_cast<int>(points_.size());
  std::vector<int> has;
  for (int i = 0; i < count; ++i) {
    const CoveragePoint& point = points_[static_cast<std::size_t>(i)];
    const bool is_there =
        point.types ? are_among(*point.types, near) : found.set.contains(point.features);
    if (is_there) has.push_back(i);
  }
  std::vector<int> pairs;
  for (std::size_t i = 0; i < has.size(); ++i) {
    for (std::size_t j = i + 1; j < has.size(); ++j) {
      const int number = pair_of_[static_cast<std::size_t>(has[i] * count + has[j])];
      if (number < 0) continue;
      const CoveragePoint& x = points_[static_cast<std::size_t>(has[i])];
      const CoveragePoint& y = points_[static_cast<std::size_t>(has[j])];
      if (x.types && y.axis == Axis::relation) {
        Neighbours both = *x.types;
        both.relation = relation_of(y.features);
        if (!are_among(both, near)) continue;
      }
      pairs.push_back(number);
    }
  }
  return pairs;
}

Focus CoverageTable::focus_of(const CoveragePair& pair) const {
  Focus focus;
  focus.size = Size::small;
  for (const int i : {pair.a, pair.b}) {
    const CoveragePoint& point = points_[static_cast<std::size_t>(i)];
    if (point.types) focus.neighbours = point.types;
    if (point.axis == Axis::relation && focus.neighbours) {
      focus.neighbours->relation = relation_of(point.features);
    } else {
      focus.require = focus.require | point.features;
    }
  }
  return focus;
}

std::optional<int> CoverageTable::target_of(std::uint64_t index) const {
  if (index % 2 == 1 || targets_.empty()) return std::nullopt;
  const std::uint64_t turn = index / 2 % targets_.size();
  // Rounds of their own, so that the first few are not all of one rule.
  const std::uint64_t start = turn / round * round;
  const std::uint64_t size = std::min<std::uint64_t>(round, targets_.size() - start);
  const std::uint64_t place = size == round ? (turn - start) * stride % round : turn - start;
  return targets_[static_cast<std::size_t>(start + place)];
}

Case CoverageTable::make(std::uint64_t seed, std::uint64_t index) const {
  const std::optional<int> target = target_of(index);
  if (!target) return generate(seed, index, {}, profile_);
  const Focus focus = focus_of(pairs_[static_cast<std::size_t>(*target)]);
  Case made;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const std::uint64_t from = mix_hash(seed, static_cast<std::uint64_t>(attempt));
    made = generate(attempt == 0 ? seed : from, index, focus, profile_);
    const std::vector<int> found = pairs_of(made);
    if (std::find(found.begin(), found.end(), *target) != found.end()) break;
  }
  made.provenance->seed = seed;
  return made;
}

}  // namespace skcts::generators
