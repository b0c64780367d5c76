// From a case to its launches: settings, plan, launch shape (CORE-1, CORE-6, CORE-8), options.
#include "harness/emulator/launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/emulator/chooser.h"
#include "spec/aclgraph_options.h"

namespace skcts::emulator {

namespace {

/// AIC and AIV cores that the natural launch is computed from.
struct Need {
  std::int32_t aic = 0;
  std::int32_t aiv = 0;
  bool cube = false;  ///< some sub kernel has a cube side
  bool vector = false;
  bool one_to_two = false;
};

Need need_of(const Mix& mix, const std::vector<std::int32_t>& sub_kernels, DefectId defect) {
  Need need;
  for (const std::int32_t index : sub_kernels) {
    if (defect == DefectId::launch_counts_first && index != sub_kernels.front()) continue;
    const SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(index)];
    const KernelType type = sub.counted_type();
    need.aic = std::max(need.aic, aic_cores(type, sub.counted_blocks()));
    need.aiv = std::max(need.aiv, aiv_cores(type, sub.counted_blocks()));
    need.cube |= !is_aiv_kind(type);
    need.vector |= !is_aic_kind(type);
    need.one_to_two |= type == KernelType::mix_aic_1_2;
  }
  return need;
}

LaunchShape natural_shape(const Need& need, DefectId defect) {
  if (!need.cube && defect != DefectId::vectors_launched_mixed) {
    return {KernelType::mix_aiv_1_0, need.aiv};
  }
  if (!need.vector) return {KernelType::mix_aic_1_0, need.aic};
  const bool one_to_two = (need.one_to_two && defect != DefectId::mix_1_2_launched_1_1) ||
                          defect == DefectId::mix_always_1_2;
  if (one_to_two || need.aiv > need.aic) {
    const int half = defect == DefectId::odd_vector_rounded_down ? 0 : 1;
    return {KernelType::mix_aic_1_2, std::max(need.aic, (need.aiv + half) / 2)};
  }
  return {KernelType::mix_aic_1_1, need.aic};
}

/// The launch of a sub kernel that debug_per_op_max_core_num keeps apart (ACL-9).
LaunchShape shape_by_itself(const SubKernel& sub, const Profile& profile) {
  const std::int32_t aic = aic_cores(sub.type, sub.blocks);
  const std::int32_t aiv = aiv_cores(sub.type, sub.blocks);
  const std::int32_t own = aic > 0 ? aic : (aiv + 1) / 2;
  return {KernelType::mix_aic_1_2, in_batch_mode(sub) ? own : profile.aic_count};
}

Refusal core_6(std::string reason) {
  return {std::move(reason), RuleId::core_6};
}

/// Applies debug-aic-num / debug-aiv-num, in the composer's order of checks.
std::optional<Refusal> apply_debug_numbers(const Options& options, const Need& need,
                                           const Profile& profile, DefectId defect,
                                           LaunchShape& shape) {
  int aic = options.debug_aic_num;
  int aiv = options.debug_aiv_num;
  if (defect == DefectId::debug_numbers_swapped) std::swap(aic, aiv);
  if (aic == 0 && aiv == 0) return std::nullopt;
  const bool ratio = aic == 0 || aiv == 0 || aic == aiv || std::int64_t{aic} * 2 == aiv;
  if (!ratio && defect != DefectId::debug_ratio_unchecked) {
    return core_6(
        fmt::format("debug-aic-num={} and debug-aiv-num={} are neither 1:1 nor 1:2", aic, aiv));
  }
  const bool too_many = aic > profile.aic_count || aiv > profile.aiv_count;
  if (too_many && defect != DefectId::debug_numbers_above_chip) {
    return core_6(
        fmt::format("debug-aic-num={}, debug-aiv-num={}: the chip has {} cube and {} "
                    "vector cores",
                    aic, aiv, profile.aic_count, profile.aiv_count));
  }
  const bool enough = aic >= shape.aic_count() && aiv >= shape.aiv_count();
  if (!enough && defect != DefectId::debug_numbers_below_need) {
    return core_6(
        fmt::format("debug-aic-num={}, debug-aiv-num={}: the mix needs {} cube and {} "
                    "vector cores",
                    aic, aiv, shape.aic_count(), shape.aiv_count()));
  }
  if (need.one_to_two && aic == aiv) {
    return core_6(
        "debug-aic-num and debug-aiv-num ask for a 1:1 launch, but a sub kernel is "
        "MIX_AIC_1_2");
  }
  if (aiv == 0) {
    shape = {KernelType::mix_aic_1_0, aic};
  } else if (aic == 0) {
    shape = {KernelType::mix_aiv_1_0, aiv};
  } else {
    shape = {aic == aiv ? KernelType::mix_aic_1_1 : KernelType::mix_aic_1_2, aic};
  }
  return std::nullopt;
}

/// One block more, where the chip has it.
void widen(const Profile& profile, LaunchShape& shape) {
  const LaunchShape wider{shape.type, shape.blocks + 1};
  if (wider.aic_count() <= profile.aic_count && wider.aiv_count() <= profile.aiv_count) {
    shape = wider;
  }
}

bool asks_for_zero_cores(const std::string& text) {
  const std::vector<OptionItem> items = split_option_items(text);
  return std::any_of(items.begin(), items.end(), [](const OptionItem& item) {
    return (item.key == "debug-aic-num" || item.key == "debug-aiv-num") && item.value == "0";
  });
}

/// Without the items that another one of the same key follows.
std::string last_of_each(const std::string& text) {
  const std::vector<OptionItem> items = split_option_items(text);
  std::string kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool again =
        std::any_of(items.begin() + static_cast<std::ptrdiff_t>(i) + 1, items.end(),
                    [&](const OptionItem& other) { return other.key == items[i].key; });
    if (again) continue;
    if (!kept.empty()) kept += ':';
    kept += items[i].text;
  }
  return kept;
}

/// The option string without the items that a defect passes over.
std::string without_refused_items(const std::string& text, DefectId defect) {
  std::string kept;
  std::vector<std::string_view> keys;
  for (const OptionItem& item : split_option_items(text)) {
    const bool known = !item.has_equals || is_known_option(item.key);
    const bool twice = std::find(keys.begin(), keys.end(), item.key) != keys.end();
    const bool bad = known && parse_options(item.text).refusal.has_value();
    keys.push_back(item.key);
    if (!known && defect == DefectId::unknown_option_accepted) continue;
    if (bad && defect == DefectId::bad_value_accepted) continue;
    if (twice && defect == DefectId::option_twice_accepted) continue;
    if (!kept.empty()) kept += ':';
    kept += item.text;
  }
  return kept;
}

/// debug_cross_core_sync_check=1; of an option given twice the first one counts (ACL-6).
bool asks_for_self_check(const std::string& text) {
  if (text.find("debug_cross_core_sync_check") == std::string::npos) return false;
  for (const OptionItem& item : split_option_items(text)) {
    if (item.key == "debug_cross_core_sync_check") return item.value == "1";
  }
  return false;
}

}  // namespace

std::vector<LatitudePin> drawn_positions(std::uint64_t seed, LatitudeClass kind) {
  std::vector<LatitudePin> pins;
  Random random(seed);
  for (const Latitude& latitude : latitudes()) {
    // One number a latitude of either kind: the draw of one does not hang on the others.
    const auto count = static_cast<std::uint32_t>(latitude.positions().size());
    const auto position = static_cast<std::uint8_t>(random.below(count));
    if (latitude.kind == kind && count > 1) pins.push_back({latitude.id, position});
  }
  return pins;
}

std::optional<Refusal> resolve_settings(const Case& test_case, const EmulatorConfig& config,
                                        std::uint64_t run_seed, Settings& settings) {
  settings.profile = find_profile(test_case.profile);
  if (settings.profile == nullptr) {
    return Refusal{fmt::format("there is no profile '{}'", test_case.profile), {}};
  }
  settings.aclgraph = test_case.path == "aclgraph";
  if (!settings.aclgraph && test_case.path != "ge") {
    return Refusal{
        fmt::format("there is no composer path '{}'; expected ge or aclgraph", test_case.path), {}};
  }
  settings.latitudes = latitude_defaults(*settings.profile);
  if (config.positions) {
    for (const LatitudePin pin : drawn_positions(*config.positions, LatitudeClass::fixed)) {
      const auto settled = settings.profile->settled;
      const bool open = std::none_of(settled.begin(), settled.end(),
                                     [&](const LatitudePin& own) { return own.id == pin.id; });
      if (open) settings.latitudes.set(pin);
    }
    const std::uint64_t seed = *config.positions * 0x9e3779b97f4a7c15u ^ run_seed;
    for (const LatitudePin pin : drawn_positions(seed, LatitudeClass::free)) {
      settings.latitudes.set(pin);
    }
  }
  for (const LatitudePin pin : config.latitudes) settings.latitudes.set(pin);
  const auto is_depth = [](LatitudePin pin) { return pin.id == 35; };
  bool open = std::ranges::none_of(settings.profile->settled, is_depth);
  for (const std::string& text : test_case.latitudes) {
    const auto pin = parse_latitude_pin(text);
    if (!pin) return Refusal{to_string(pin.error()), {}};
    settings.latitudes.set(*pin);
    open = open && !is_depth(*pin);
  }
  settings.queue_depth = open ? config.queue_depth.value_or(0) : 0;
  settings.self_check = settings.aclgraph && asks_for_self_check(test_case.mix.options);
  settings.recorded = config.recorded ? &*config.recorded : nullptr;
  const Defect* defect = config.defect.empty() ? nullptr : find_defect(config.defect);
  settings.defect = defect == nullptr ? DefectId::none : defect->id;
  return std::nullopt;
}

std::optional<Refusal> read_options(const Mix& mix, const Settings& settings, Options& options) {
  if (settings.aclgraph) {
    const bool last = settings.defect == DefectId::captured_option_last_wins;
    OptionParse read =  // never refused (ACL-6)
        parse_aclgraph_options(last ? last_of_each(mix.options) : mix.options);
    if (settings.defect == DefectId::captured_option_refused && !read.warnings.empty()) {
      return Refusal{read.warnings.front(), RuleId::fuse_3};
    }
    options = std::move(*read.options);
    return std::nullopt;
  }
  if (mix.options.empty()) {
    options = {};
    return std::nullopt;
  }
  OptionParse parsed = parse_options(mix.options);
  if (settings.defect == DefectId::zero_core_number_refused && asks_for_zero_cores(mix.options)) {
    return Refusal{"a number of cores must be positive", RuleId::fuse_3};
  }
  if (parsed.refusal) {
    const std::string kept = without_refused_items(mix.options, settings.defect);
    if (kept != mix.options) parsed = parse_options(kept);
  }
  if (parsed.refusal) return Refusal{to_string(*parsed.refusal), RuleId::fuse_3};
  options = std::move(*parsed.options);
  const bool ignored = settings.defect == DefectId::early_start_off_ignored;
  if (ignored && options.early_start == 0) options.early_start = 1;
  return std::nullopt;
}

bool in_batch_mode(const SubKernel& sub) {
  return sub.batch_mode && (sub.sk_bind & sk_bind::no_batch_check) == 0;
}

bool has_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels) {
  const auto stream_of = [&](std::int32_t sub) {
    return mix.sub_kernels[static_cast<std::size_t>(sub)].stream;
  };
  return std::any_of(sub_kernels.begin(), sub_kernels.end(), [&](std::int32_t sub) {
    return stream_of(sub) != stream_of(sub_kernels.front());
  });
}

std::optional<Refusal> check_streams(const Mix& mix, const std::vector<std::int32_t>& sub_kernels,
                                     const Settings& settings, const Options& options) {
  if (options.stream_fusion || settings.aclgraph) return std::nullopt;  // ACL-3
  for (std::size_t i = 0; i + 1 < sub_kernels.size(); ++i) {
    const SubKernel& former = mix.sub_kernels[static_cast<std::size_t>(sub_kernels[i])];
    const SubKernel& latter = mix.sub_kernels[static_cast<std::size_t>(sub_kernels[i + 1])];
    if (former.stream == latter.stream) continue;
    const auto awaited = [&](const std::string& event) {
      return std::find(latter.recv.begin(), latter.recv.end(), event) != latter.recv.end();
    };
    if (std::any_of(former.send.begin(), former.send.end(), awaited)) continue;
    return Refusal{
        fmt::format("{} of stream {} and {} of stream {} follow each other with no event "
                    "between; stream-fusion=1 takes them",
                    former.name, former.stream, latter.name, latter.stream),
        RuleId::fuse_3};
  }
  return std::nullopt;
}

std::optional<Refusal> shape_fused(const Mix& mix, const std::vector<std::int32_t>& sub_kernels,
                                   const Options& options, const Settings& settings,
                                   LaunchShape& shape) {
  const DefectId defect = settings.defect;
  const Need need = need_of(mix, sub_kernels, defect);
  shape = options.per_op_max_core_num && defect != DefectId::by_itself_natural
              ? shape_by_itself(mix.sub_kernels[static_cast<std::size_t>(sub_kernels.front())],
                                *settings.profile)
              : natural_shape(need, defect);
  const bool mixed = defect == DefectId::captured_launch_mixed;
  if (settings.aclgraph && !mixed && !is_mix_kind(shape.type)) {
    shape.type = is_aic_kind(shape.type) ? KernelType::aic_only : KernelType::aiv_only;
  }
  const Profile& profile = *settings.profile;
  if (defect == DefectId::large_mix_clipped) {
    while (shape.aic_count() > profile.aic_count || shape.aiv_count() > profile.aiv_count) {
      --shape.blocks;
    }
  }
  const int spare = defect == DefectId::full_chip_refused ? 1 : 0;
  if (shape.aic_count() + spare > profile.aic_count ||
      shape.aiv_count() + spare > profile.aiv_count) {
    return Refusal{fmt::format("the mix needs {} cube and {} vector cores, {} has {} and {}",
                               shape.aic_count(), shape.aiv_count(), profile.name,
                               profile.aic_count, profile.aiv_count),
                   RuleId::core_8};
  }
  if (defect != DefectId::debug_numbers_ignored) {
    if (auto refusal = apply_debug_numbers(options, need, profile, defect, shape)) return refusal;
  }
  if (defect == DefectId::launch_one_block_narrow && shape.blocks > 1) --shape.blocks;
  if (defect == DefectId::launch_one_block_wide) widen(profile, shape);
  return std::nullopt;
}

}  // namespace skcts::emulator
