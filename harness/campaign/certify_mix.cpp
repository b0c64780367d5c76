// Mixes around an operator, factor by factor.
#include "harness/campaign/certify_mix.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "generators/edit.h"
#include "generators/generate.h"
#include "harness/campaign/certify_data.h"
#include "harness/campaign/strategies.h"
#include "spec/case_text.h"
#include "spec/latitude.h"
#include "spec/validate.h"

namespace skcts::campaign {
namespace {

using generators::Feature;

struct Neighbour {
  std::string_view name;
  Feature feature;
};
/// Fragments of the generators, by the feature that asks for each. "none", "itself" and "itself on
/// the same inputs" come before them.
constexpr std::array<Neighbour, 24> fragments = {{
    {"event flags", Feature::event_flags},
    {"queues", Feature::tque_double},
    {"several TPipes", Feature::tpipe_several},
    {"cube chain", Feature::cube_compute},
    {"L1 to GM", Feature::l1_to_gm},
    {"GetValue", Feature::get_value},
    {"SetValue", Feature::set_value},
    {"raw scalars", Feature::raw_access},
    {"past the cache", Feature::bypass_access},
    {"SyncAll of vectors", Feature::sync_all_vector},
    {"SyncAll of both", Feature::sync_all_both},
    {"mode 0 by hand", Feature::hand_made_full_core},
    {"mode 1", Feature::mode_1},
    {"mode 2 from the cube", Feature::mode_2_from_cube},
    {"mode 2 from the vectors", Feature::mode_2_from_vector},
    {"ring", Feature::ring},
    {"soft SyncAll", Feature::soft_sync_all},
    {"IBSet and IBWait", Feature::ib_sync},
    {"poll", Feature::poll},
    {"atomic add", Feature::atomic_add},
    {"Matmul service", Feature::matmul},
    {"head before WaitPreTaskEnd", Feature::head_work},
    {"tail behind SetNextTaskStart", Feature::tail_work},
    {"early start on both sides", Feature::early_both},
}};
constexpr int none = 0;
constexpr int itself = 1;
constexpr int itself_shared = 2;

constexpr std::array<std::string_view, 8> relations = {"any",      "narrower", "equal", "wider",
                                                       "AIC-only", "AIV-only", "1:1",   "1:2"};
constexpr std::array<std::string_view, 3> place_names = {"before", "behind", "on both sides"};
constexpr std::array<std::string_view, 6> refreshes = {"default",          "before",   "after",
                                                       "before and after", "disabled", "offload"};
constexpr std::array<std::string_view, 7> more_options = {"",
                                                          "feed-sync-all=1",
                                                          "debug-sync-all=1",
                                                          "debug-dcci-all=1",
                                                          "split-mode=1",
                                                          "stream-fusion=1",
                                                          "preload-code=none"};

std::size_t at(Factor factor) {
  return static_cast<std::size_t>(factor);
}

int cores_of(const SubKernel& k) {
  return aic_cores(k.type, k.blocks) + aiv_cores(k.type, k.blocks);
}

bool has_relation(int relation, const SubKernel& beside, const SubKernel& own) {
  switch (relation) {
    case 1: return cores_of(beside) < cores_of(own);
    case 2: return cores_of(beside) == cores_of(own);
    case 3: return cores_of(beside) > cores_of(own);
    case 4: return is_aic_kind(beside.type);
    case 5: return is_aiv_kind(beside.type);
    case 6: return beside.type == KernelType::mix_aic_1_1;
    case 7: return beside.type == KernelType::mix_aic_1_2;
    default: return true;
  }
}

/// One launch of sub kernels and nothing around them.
bool is_plain(const Case& drawn) {
  const auto plain = [](const SubKernel& k) {
    return k.scope.empty() && k.recv.empty() && k.send.empty() && k.stream == 0 &&
           k.tiling == Tiling::fixed;
  };
  return drawn.plan.steps.empty() && drawn.mix.outside.empty() &&
         std::ranges::all_of(drawn.mix.sub_kernels, plain);
}

void append(std::string& options, std::string_view more) {
  if (more.empty()) return;
  if (!options.empty()) options += ':';
  options += more;
}

/// Appends the sub kernels and regions of a mix under names that no other has.
void append_mix(const Mix& from, std::string_view prefix, Mix& to) {
  const auto shift = static_cast<std::int16_t>(to.regions.size());
  for (const Region& region : from.regions) {
    to.regions.push_back(region);
    to.regions.back().name = fmt::format("{}{}", prefix, region.name);
  }
  for (const SubKernel& k : from.sub_kernels) {
    SubKernel& made = to.sub_kernels.emplace_back(k);
    generators::for_each_region(
        made, [shift](std::int16_t& place) { place = static_cast<std::int16_t>(place + shift); });
    made.name = fmt::format("{}{}", prefix, k.name);
    if (!k.op_type.empty()) made.op_type = fmt::format("{}{}", prefix, k.op_type);
  }
}

/// Platforms that refuse a class of operators, which semantics §5 leaves out.
bool is_refusing(LatitudeId id) {
  constexpr std::array<LatitudeId, 4> refusing = {3, 6, 11, 13};
  return std::ranges::count(refusing, id) > 0;
}

/// The profile says at which position of the latitude its machine stands.
bool is_settled(const Profile& profile, LatitudeId id) {
  return std::ranges::any_of(profile.settled, [&](const LatitudePin& pin) { return pin.id == id; });
}

/// Positions other than the default ones that the machine may take.
std::vector<LatitudePin> other_positions(const Profile& profile) {
  std::vector<LatitudePin> pins;
  const LatitudeAssignment defaults = latitude_defaults(profile);
  for (const Latitude& each : latitudes()) {
    if (each.kind != LatitudeClass::fixed || is_settled(profile, each.id)) continue;
    for (std::size_t p = 0; p < each.positions().size(); ++p) {
      const LatitudePin pin{each.id, static_cast<std::uint8_t>(p)};
      if (!defaults.holds(pin)) pins.push_back(pin);
    }
  }
  return pins;
}

int fragment(std::string_view name) {
  const auto* const found = std::ranges::find(fragments, name, &Neighbour::name);
  SKCTS_CHECK(found != fragments.end(), "no neighbour {}", name);
  return first_drawn_neighbour + static_cast<int>(found - fragments.begin());
}

std::vector<std::string> texts_of(const Mix& mix, const SubKernel& k) {
  std::vector<std::string> texts = {fmt::format("{} {}", to_string(k.type), k.blocks)};
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    for (const Instruction& in : k.program(kind)) texts.push_back(write_instruction(mix, k, in));
  }
  return texts;
}

}  // namespace

std::string_view to_string(Factor factor) {
  constexpr std::array<std::string_view, factor_count> names = {
      "neighbour", "relation", "place", "data", "refresh", "early start", "option", "latitude"};
  return names[static_cast<std::size_t>(factor)];
}

CertifyMixes::CertifyMixes(const Operator& value, const Profile& profile, std::uint64_t seed)
    : operator_(value), profile_(profile), seed_(seed) {
  const auto named = [](const auto& names) {
    return std::vector<std::string>(names.begin(), names.end());
  };
  std::vector<std::string> beside = {"none", "itself", "itself on the same inputs"};
  for (const Neighbour& each : fragments) beside.emplace_back(each.name);
  std::vector<std::string> options = named(more_options);
  options[0] = "default";
  levels_ = {beside,
             named(relations),
             named(place_names),
             {"its own", "by DMA", "by scalars"},
             named(refreshes),
             {"default", "early-start=0", "early-start=2"},
             options,
             {"default"}};
  const LatitudeAssignment defaults = latitude_defaults(profile);
  for (const LatitudePin& pin : other_positions(profile)) {
    if (is_refusing(pin.id)) {
      const LatitudePin taken{pin.id, defaults.position(pin.id)};
      if (std::ranges::count(assumed_, to_string(taken)) == 0) assumed_.push_back(to_string(taken));
    } else {
      levels_.back().push_back(to_string(pin));
    }
  }
  texts_ = texts_of(case_alone(value, profile).mix, value.sub_kernel);
}

Levels CertifyMixes::helped(Levels row) const {
  int& beside = row[at(Factor::neighbour)];
  const int relation = row[at(Factor::relation)];
  if (beside != none || (relation == 0 && row[at(Factor::place)] == 0)) return row;
  const bool mixed = relation == 6 || relation == 7;
  beside = fragment(relation == 4 ? "cube chain" : mixed ? "mode 2 from the cube" : "event flags");
  return row;
}

std::string CertifyMixes::excluded(const Levels& row) const {
  const int beside = row[at(Factor::neighbour)];
  const int relation = row[at(Factor::relation)];
  if (beside == none && relation != 0) return "without a neighbour there is no relation";
  if (beside == none && row[at(Factor::place)] != 0) return "without a neighbour it has no place";
  if (beside == itself || beside == itself_shared) {
    if (!has_relation(relation, operator_.sub_kernel, operator_.sub_kernel)) {
      return "it is as wide as itself, and of its own type";
    }
    if (row[at(Factor::place)] == 2) return "twice is enough beside itself";
  }
  if (relation == 1 && cores_of(operator_.sub_kernel) == 1) {
    return "nothing is narrower than a core";
  }
  if (row[at(Factor::data)] != 0 && operator_.inputs.empty() && operator_.outputs.empty()) {
    return "it names neither inputs nor outputs";
  }
  const bool offload = operator_.sub_kernel.tiling == Tiling::offload;
  if (offload && row[at(Factor::refresh)] != 0 && row[at(Factor::refresh)] != 5) {
    return "the lists have no effect on tiling offload (CACHE-5)";
  }
  const std::string_view more = more_options[static_cast<std::size_t>(row[at(Factor::option)])];
  const std::string_view key = more.substr(0, more.find('='));
  if (!key.empty() && operator_.options.find(key) != std::string::npos) {
    return "the operator asks for this option itself";
  }
  if (row[at(Factor::early)] != 0 && operator_.options.find("early-start") != std::string::npos) {
    return "the operator asks for this option itself";
  }
  return {};
}

std::optional<Case> CertifyMixes::neighbour(const Levels& row, int draw) const {
  const int level = row[at(Factor::neighbour)];
  const auto drawn_level = static_cast<std::size_t>(level - first_drawn_neighbour);
  const Feature feature = fragments[drawn_level].feature;
  const bool pair = feature == Feature::early_both || feature == Feature::tail_work ||
                    feature == Feature::head_work;
  generators::Focus focus;
  focus.require = {feature};
  focus.size = generators::Size::small;
  focus.min_sub_kernels = pair ? 2 : 1;
  focus.max_sub_kernels = focus.min_sub_kernels;
  const std::uint64_t seed = mix_seeds(seed_, static_cast<std::uint64_t>(level));
  constexpr int tries = 40;
  for (int i = 0; i < tries; ++i) {
    const auto index = static_cast<std::uint64_t>(draw * tries + i);
    Case drawn = generators::generate(seed, index, focus, profile_);
    if (!is_plain(drawn) || !generators::features_of(drawn).has(feature)) continue;
    const auto fits = [&](const SubKernel& k) {
      return has_relation(row[at(Factor::relation)], k, operator_.sub_kernel);
    };
    if (std::ranges::all_of(drawn.mix.sub_kernels, fits)) return drawn;
  }
  return std::nullopt;
}

void CertifyMixes::add_itself(bool shares, Case& made) const {
  Mix again;
  again.regions = operator_.regions;
  again.sub_kernels = {operator_.sub_kernel};
  again.sub_kernels[0].op_type = operator_.sub_kernel.matched_op_type();
  append_mix(again, "again-", made.mix);
  SubKernel& second = made.mix.sub_kernels.back();
  second.op_type = operator_.sub_kernel.matched_op_type();
  if (!shares) return;
  const auto own = static_cast<std::int16_t>(made.mix.regions.size() - operator_.regions.size());
  generators::for_each_region(second, [&](std::int16_t& place) {
    const auto there = static_cast<std::int16_t>(place - own);
    const bool only_read = std::ranges::count(operator_.inputs, there) > 0 &&
                           std::ranges::count(operator_.outputs, there) == 0;
    if (only_read) place = there;
  });
}

std::optional<Case> CertifyMixes::make(const Levels& row, int draw) const {
  Case made = case_alone(operator_, profile_);
  made.name = fmt::format("{} in a mix", operator_.name);
  const SubKernel own = made.mix.sub_kernels[0];
  made.mix.sub_kernels.clear();
  const int beside = row[at(Factor::neighbour)];
  const int place = row[at(Factor::place)];
  const auto add_neighbour = [&](std::string_view prefix, int which) {
    const std::optional<Case> drawn = neighbour(row, 2 * draw + which);
    if (drawn) append_mix(drawn->mix, prefix, made.mix);
    return drawn.has_value();
  };
  const bool twice = beside == itself || beside == itself_shared;
  const bool drawn = beside >= first_drawn_neighbour;
  if (drawn && place != 1 && !add_neighbour("n-", 0)) return std::nullopt;
  if (twice && place == 0) add_itself(beside == itself_shared, made);
  const int data = row[at(Factor::data)];
  if (data != 0) add_writers(data == 2, operator_, profile_, made.mix);
  made.mix.sub_kernels.push_back(own);
  const std::string op_type = own.matched_op_type();
  if (data != 0) add_readers(data == 2, operator_, profile_, made.mix);
  if (twice && place == 1) add_itself(beside == itself_shared, made);
  if (drawn && place != 0 && !add_neighbour("m-", 1)) return std::nullopt;

  std::string& options = made.mix.options;
  const int refresh = row[at(Factor::refresh)];
  if (refresh == 1 || refresh == 3) append(options, "dcci-before-kernel-start=" + op_type);
  if (refresh == 2 || refresh == 3) append(options, "dcci-after-kernel-end=" + op_type);
  if (refresh == 4) append(options, "dcci-disable-on-kernel=" + op_type);
  if (refresh == 5) {
    for (SubKernel& k : made.mix.sub_kernels) {
      if (k.matched_op_type() == op_type) k.tiling = Tiling::offload;
    }
  }
  if (row[at(Factor::early)] != 0)
    append(options, levels(Factor::early)[static_cast<std::size_t>(row[at(Factor::early)])]);
  append(options, more_options[static_cast<std::size_t>(row[at(Factor::option)])]);
  const int pin = row[at(Factor::latitude)];
  if (pin != 0) {
    made.latitudes = {levels(Factor::latitude)[static_cast<std::size_t>(pin)]};
  }
  if (!validate(made).empty()) return std::nullopt;
  return made;
}

std::vector<std::size_t> CertifyMixes::places(const Case& mix) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < mix.mix.sub_kernels.size(); ++i) {
    const SubKernel& k = mix.mix.sub_kernels[i];
    if (k.matched_op_type() == operator_.sub_kernel.matched_op_type()) found.push_back(i);
  }
  return found;
}

Case CertifyMixes::without_operator(const Case& mix) const {
  Case made = mix;
  for (const std::size_t place : places(mix)) {
    SubKernel& k = made.mix.sub_kernels[place];
    k.tensors.clear();
    k.names.clear();
    Instruction query;
    query.op = Op::get_block_num;
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      k.program(kind).clear();
      if (runs_on(k.type, kind)) k.program(kind) = {query};
    }
  }
  return made;
}

bool CertifyMixes::holds_operator(const Case& mix) const {
  return std::ranges::any_of(places(mix), [&](std::size_t place) {
    return texts_of(mix.mix, mix.mix.sub_kernels[place]) == texts_;
  });
}

Case CertifyMixes::launched_alone() const {
  Case made = case_alone(operator_, profile_);
  made.mix.options.clear();
  made.plan.steps = {{.kind = StepKind::alone, .sub_kernels = {0}}};
  return made;
}

}  // namespace skcts::campaign
