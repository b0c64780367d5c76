#include "generators/generate.h"

#include <fmt/format.h>

#include "generators/draw.h"
#include "generators/neighbours.h"

namespace skcts::generators {

namespace {

std::uint64_t hash_of(const Focus& f) {
  std::uint64_t h = mix_hash(f.require.hash(), f.avoid.hash());
  h = mix_hash(h, static_cast<std::uint64_t>(f.size));
  if (f.neighbours) {
    const auto [first, second, relation] = *f.neighbours;
    h = mix_hash(h, static_cast<std::uint64_t>(first) * 64 +
                        static_cast<std::uint64_t>(second) * 8 +
                        static_cast<std::uint64_t>(relation));
  }
  return mix_hash(h, static_cast<std::uint64_t>(f.min_sub_kernels * 16 + f.max_sub_kernels));
}

constexpr int captured_percent = 12;  ///< Of the mixes that may be for either path.

/// A choice of its own, so that mixes for the path ge are the same whatever the share.
bool is_captured_draw(std::uint64_t seed, const Focus& focus) {
  if (focus.path != PathWish::any) return focus.path == PathWish::aclgraph;
  if (focus.require.meets(captured_features())) return true;
  if (!focus.require.empty() || focus.avoid.has(Feature::aclgraph)) return false;
  return Choice(mix_hash(seed, 0xac1)).chance(captured_percent);
}

Case draw(std::uint64_t seed, const Focus& focus, const Profile& profile,
          std::vector<Site>* sites) {
  Choice choice(seed);
  const MixPlan plan = make_plan(choice, focus, profile, is_captured_draw(seed, focus));
  Case c;
  c.profile = profile.name;
  if (plan.is_captured) c.path = "aclgraph";
  Builder b(choice, focus, profile, plan, c.mix, sites);
  for (int k = 0; k < static_cast<int>(plan.subs.size()); ++k) {
    b.begin(k);
    for (const Stage stage : plan.subs[static_cast<std::size_t>(k)].stages) write_stage(b, stage);
    b.end();
  }
  c.mix.options = plan.is_captured ? plan.captured_options : to_option_string(plan.options);
  lay_world(choice, focus, profile, plan, c);
  return c;
}

/// Draws again when a required feature did not come out, which happens where several are asked for
/// at once and for features of the data.
constexpr int max_attempts = 24;

bool has_all(const Case& c, const Focus& focus) {
  if (focus.neighbours && !are_among(*focus.neighbours, neighbours_of(c))) return false;
  return focus.require.empty() || features_of(c).set.contains(focus.require);
}

}  // namespace

Case generate_with_sites(std::uint64_t campaign_seed, std::uint64_t index, const Focus& focus,
                         const Profile& profile, std::vector<Site>* sites) {
  const std::uint64_t seed = mix_hash(case_hash(campaign_seed, index), hash_of(focus));
  const int attempts = all_exist_on(focus.require, profile) ? max_attempts : 1;
  Case c;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (sites != nullptr) sites->clear();
    c = draw(mix_hash(seed, static_cast<std::uint64_t>(attempt)), focus, profile, sites);
    if (has_all(c, focus)) break;
  }
  Provenance p;
  p.source = "generated";
  p.seed = campaign_seed;
  p.index = index;
  c.provenance = std::move(p);
  c.name = fmt::format("generated-{}-{}", campaign_seed, index);
  return c;
}

Case generate(std::uint64_t campaign_seed, std::uint64_t index, const Focus& focus,
              const Profile& profile) {
  return generate_with_sites(campaign_seed, index, focus, profile, nullptr);
}

}  // namespace skcts::generators
