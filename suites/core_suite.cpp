// CORE: launch and core counts.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/campaign/strategies.h"
#include "spec/options.h"
#include "suites/mixes.h"
#include "suites/suites.h"

namespace skcts::suites {
namespace {

using enum Feature;

int most_aic(const Mix& mix) {
  int most = 0;
  for (const SubKernel& k : mix.sub_kernels) most = std::max(most, aic_cores(k.type, k.blocks));
  return most;
}
int most_aiv(const Mix& mix) {
  int most = 0;
  for (const SubKernel& k : mix.sub_kernels) most = std::max(most, aiv_cores(k.type, k.blocks));
  return most;
}

Instruction ask_block_num() {
  return instruction(Op::get_block_num, [](Instruction&) {});
}

// CORE-6 --------------------------------------------------------------------------------------

/// Numbers that are right, too small, above the chip, or of no ratio, by index.
std::string launch_numbers(const Mix& mix, const Profile& profile, std::uint64_t index) {
  const int a = most_aic(mix);
  const int v = most_aiv(mix);
  const int chip = profile.aic_count;
  const std::array<std::pair<int, int>, 12> choices{{
      {a, v},
      {chip, 2 * chip},
      {chip, chip},
      {chip, 0},
      {0, 2 * chip},
      {std::max(a, (v + 1) / 2), 2 * std::max(a, (v + 1) / 2)},
      {a - 1, 2 * (a - 1)},
      {chip + 1, 2 * chip + 2},
      {3, 5},
      {0, v - 1},
      {a, 0},
      {2 * chip, chip},
  }};
  const auto [aic, aiv] = choices[index % choices.size()];
  std::string text;
  if (aic > 0) text += fmt::format("debug-aic-num={}", aic);
  if (aiv > 0) text += fmt::format("{}debug-aiv-num={}", text.empty() ? "" : ":", aiv);
  return text;
}

/// Half of the mixes come with legal numbers; the others get numbers of every sort, and the model
/// says which of them must be refused.
std::optional<Experiment> launch_by_option(const Source& source, std::uint64_t index) {
  if (index % 2 == 0) {
    Case mix = generators::generate(seed_of(RuleId::core_6, source.seed), index,
                                    generators::focus_for(RuleId::core_6), *source.profile);
    return fused_and_alone(std::move(mix), source, index);
  }
  Focus focus;
  focus.size = generators::Size::small;
  // Full-core sync would be too narrow in a wider launch; that is CORE-5's matter.
  focus.avoid = {sync_all_vector, sync_all_both,        hand_made_full_core,
                 soft_sync_all,   option_debug_aic_num, option_debug_aiv_num};
  Case mix = generators::generate(seed_of(RuleId::core_6, source.seed), index, in_one_launch(focus),
                                  *source.profile);
  const std::string numbers = launch_numbers(mix.mix, *source.profile, index / 2);
  if (numbers.empty() || mix.mix.options.find("debug-ai") != std::string::npos) {
    return std::nullopt;
  }
  mix.mix.options += (mix.mix.options.empty() ? "" : ":") + numbers;
  Experiment experiment;
  experiment.parts.push_back(
      {"fused", std::move(mix), campaign::strategies_for(source.seed, index, 1), Claim::judged});
  return experiment;
}

// CORE-7 --------------------------------------------------------------------------------------

/// A MIX 1:2 sub kernel beside a cube one at least twice as wide: the launch must stay 1:2.
std::optional<Experiment> wide_cube_beside(const Source& source, std::uint64_t index) {
  Focus focus;
  focus.require = {mix_aic_1_2};
  focus.avoid = {sync_all_vector, sync_all_both, hand_made_full_core, option_debug_aic_num,
                 option_debug_aiv_num};
  focus.size = generators::Size::tiny;
  Case mix = generators::generate(seed_of(RuleId::core_7, source.seed), index, in_one_launch(focus),
                                  *source.profile);
  const int wide = std::max(most_aiv(mix.mix), 2);
  if (wide > source.profile->aic_count) return std::nullopt;
  SubKernel cube;
  cube.name = "wide_cube";
  cube.type = KernelType::aic_only;
  const int room = source.profile->aic_count - wide + 1;
  cube.blocks = wide + static_cast<int>(index % static_cast<std::uint64_t>(std::min(room, 3)));
  cube.aic = {ask_block_num()};
  const auto place = index % (mix.mix.sub_kernels.size() + 1);
  mix.mix.sub_kernels.insert(mix.mix.sub_kernels.begin() + static_cast<std::ptrdiff_t>(place),
                             std::move(cube));
  return fused_and_alone(std::move(mix), source, index);
}

bool is_one_to_two_under_wide_cube(const Observation& observation) {
  const Mix& mix = observation.first_case().mix;
  const bool has_1_2 = std::ranges::any_of(
      mix.sub_kernels, [](const SubKernel& k) { return k.type == KernelType::mix_aic_1_2; });
  return has_1_2 && most_aiv(mix) <= most_aic(mix);
}

// CORE-8 --------------------------------------------------------------------------------------

/// One sub kernel, or one of two, needs more cores than the chip has.
std::optional<Experiment> wider_than_chip(const Source& source, std::uint64_t index) {
  const KernelType type = all_kernel_types[index % std::size(all_kernel_types)];
  const bool vector_only = is_aiv_kind(type);
  const int chip = vector_only ? source.profile->aiv_count : source.profile->aic_count;
  const auto turn = static_cast<int>(index / std::size(all_kernel_types));
  SubKernel wide;
  wide.name = "wide";
  wide.type = type;
  wide.blocks = chip + 1 + turn * turn;
  if (runs_on(type, CoreKind::aic)) wide.aic = {ask_block_num()};
  if (runs_on(type, CoreKind::aiv)) wide.aiv = {ask_block_num()};
  Case test_case;
  test_case.profile = source.profile->name;
  test_case.mix.regions = {{.name = "unused", .words = 16}};
  test_case.mix.sub_kernels = {std::move(wide)};
  if (turn % 2 == 1) {
    SubKernel narrow{.name = "narrow", .type = KernelType::aiv_only, .blocks = 1};
    narrow.aiv = {ask_block_num()};
    test_case.mix.sub_kernels.push_back(std::move(narrow));
  }
  Experiment experiment;
  experiment.parts.push_back({"fused", std::move(test_case),
                              campaign::strategies_for(source.seed, index, 1), Claim::judged});
  return experiment;
}

bool must_be_refused(const Observation& observation) {
  return observation.parts.front().allowed.refused;
}

}  // namespace

std::vector<Property> core_properties() {
  std::vector<Property> all;
  all.push_back(legal_property(
      RuleId::core_1, "mixes of unequal sub kernels are launched with the largest core count",
      has_any({narrower_neighbour, wider_neighbour, narrower_than_launch, rounded_launch})));
  all.push_back(legal_property(RuleId::core_2,
                               "a core outside a narrower sub kernel leaves its memory alone",
                               has_all({narrower_than_launch})));
  all.push_back(legal_property(RuleId::core_3,
                               "GetBlockNum recorded in a narrower sub kernel is its own number",
                               has_all({narrow_block_num_query})));
  all.push_back(legal_property(RuleId::core_4,
                               "full-core sync at the width of the launch completes",
                               has_any({sync_all_full_width, hand_made_full_core})));
  all.push_back(
      operator_property(RuleId::core_5, "SyncAll in a narrower sub kernel without feeding stalls"));
  Property by_option;
  by_option.rule = RuleId::core_6;
  by_option.shows = "debug-aic-num and debug-aiv-num set the launch or are refused";
  by_option.make = launch_by_option;
  by_option.exercises = [](const Observation& observation) {
    return observation.features.has(option_debug_aic_num) ||
           observation.features.has(option_debug_aiv_num);
  };
  all.push_back(std::move(by_option));
  Property ratio;
  ratio.rule = RuleId::core_7;
  ratio.shows = "a MIX 1:2 sub kernel beside a wide cube one keeps both vector cores";
  ratio.make = wide_cube_beside;
  ratio.exercises = is_one_to_two_under_wide_cube;
  all.push_back(std::move(ratio));
  Property chip;
  chip.rule = RuleId::core_8;
  chip.shows = "a mix that needs more cores than the chip has is refused";
  chip.make = wider_than_chip;
  chip.exercises = must_be_refused;
  chip.most_cases = 60;
  all.push_back(std::move(chip));
  return all;
}

}  // namespace skcts::suites
