#include "harness/skcts/shrink_plants.h"

#include <array>
#include <set>
#include <utility>

#include "generators/defects.h"
#include "generators/generate.h"
#include "generators/tiny.h"
#include "harness/campaign/engine.h"
#include "harness/campaign/finding.h"
#include "harness/campaign/strategies.h"
#include "harness/emulator/emulator.h"
#include "harness/skcts/bench_cases.h"
#include "reference_model/model.h"
#include "spec/check.h"

namespace skcts::program {
namespace {

/// Faults of an operator that are planted one at a time.
constexpr std::array<std::string_view, 14> operator_faults{
    "raise-on-wrong-pipe",   "event-set-missing",    "stale-line-read",     "narrow-sync-all",
    "raise-missing",         "sixteenth-raise",      "raise-of-another-id", "workspace-not-zero",
    "load-before-flag-wait", "counters-in-one-line", "event-wait-late",     "set-next-skipped",
    "store-after-set-next",  "sync-all-once-more"};

/// Faults of the emulator that a small legal mix shows soon.
constexpr std::array<std::string_view, 8> platform_faults{
    "launch-one-block-narrow", "block-num-of-launch",
    "guard-one-wide",          "feed-missing",
    "aiv1-of-1-1-left-out",    "per-access-refresh-missing",
    "dcci-before-ignored",     "inter-operator-barrier-missing"};

constexpr int most_draws = 300;

PlantedCase kept_by_model(Case start) {
  auto model = std::make_shared<model::Model>(500);
  const model::Analysis first = model->analyse(start, {}, model::Leaning::left_out);
  const auto same = [model, rule = first.rule, behaviour = first.behaviour](const Case& c) {
    const model::Analysis now = model->analyse(c, {}, model::Leaning::left_out);
    return now.rule == rule && now.behaviour == behaviour;
  };
  return {std::move(start), same};
}

std::optional<Case> broken(std::uint64_t seed, std::string_view defect) {
  const generators::OperatorDefect* const found = generators::find_operator_defect(defect);
  SKCTS_CHECK(found != nullptr, "no operator defect '{}'", defect);
  for (std::uint64_t i = 0; i < 8; ++i) {
    auto pair = generators::inject(seed, i, *found, default_profile());
    if (!pair) continue;
    model::Model model(500);
    if (model.analyse(pair->broken).rule == found->rule) return std::move(pair->broken);
  }
  return std::nullopt;
}

Plant operator_plant(std::string_view defect) {
  return {std::string(defect), [defect](std::uint64_t seed) -> std::optional<PlantedCase> {
            std::optional<Case> start = broken(seed, defect);
            if (!start) return std::nullopt;
            return kept_by_model(std::move(*start));
          }};
}

Instruction wait_for(int id) {
  Instruction wait;
  wait.op = Op::cross_core_wait_flag;
  wait.pipe = Pipe::s;
  wait.id = static_cast<decltype(wait.id)>(id);
  return wait;
}

/// A fault behind another one that stalls the mix first: the first sub kernel with vector cores
/// waits for a flag that nobody raises.
Plant behind_a_stall(std::string_view defect) {
  return {std::string(defect) + ", behind a stall",
          [defect](std::uint64_t seed) -> std::optional<PlantedCase> {
            std::optional<Case> start = broken(seed, defect);
            if (!start) return std::nullopt;
            for (SubKernel& sub : start->mix.sub_kernels) {
              if (sub.type != KernelType::mix_aiv_1_0 && sub.type != KernelType::mix_aic_1_2)
                continue;
              sub.aiv.push_back(wait_for(9));
              break;
            }
            auto model = std::make_shared<model::Model>(500);
            const RuleId rule = generators::find_operator_defect(defect)->rule;
            const auto same = [model, rule](const Case& c) {
              return campaign::broken_rules(model->analyse(c, {}, model::Leaning::left_out))
                  .all.contains(rule);
            };
            if (!same(*start)) return std::nullopt;
            return PlantedCase{std::move(*start), same};
          }};
}

/// One of 48 vector cores waits once more, somewhere in eight sub kernels of a full chip.
Plant full_chip_stall() {
  return {"full-chip stall", [](std::uint64_t seed) -> std::optional<PlantedCase> {
            Case start = full_chip(8);
            auto& subs = start.mix.sub_kernels;
            SubKernel& sub = subs[campaign::mix_seeds(seed, 1) % subs.size()];
            Instruction wait = wait_for(static_cast<int>(campaign::mix_seeds(seed, 2) % 11));
            const auto core = static_cast<std::int32_t>(campaign::mix_seeds(seed, 3) % 48);
            wait.where.all.push_back({IndexName::core, core, core});
            const auto place = campaign::mix_seeds(seed, 4) % (sub.aiv.size() + 1);
            sub.aiv.insert(sub.aiv.begin() + static_cast<std::ptrdiff_t>(place), wait);
            return kept_by_model(std::move(start));
          }};
}

/// A raise and its wait in two programs of one sub kernel: their ids go down together or not at
/// all, and not below 3, which the test of the key asks.
Plant linked_ids() {
  return {"linked flag ids", [](std::uint64_t seed) -> std::optional<PlantedCase> {
            const auto linked = [](const Case& c) {
              for (const SubKernel& sub : c.mix.sub_kernels) {
                for (const Instruction& raise : sub.aic) {
                  if (raise.op != Op::cross_core_set_flag) continue;
                  for (const Instruction& wait : sub.aiv) {
                    if (wait.op == Op::cross_core_wait_flag && wait.id == raise.id) return true;
                  }
                }
              }
              return false;
            };
            for (std::uint64_t i = 0; i < most_draws; ++i) {
              generators::Focus focus;
              focus.require = {generators::Feature::mode_2_from_cube};
              Case start = generators::generate(seed, i, focus, default_profile());
              if (linked(start)) return PlantedCase{std::move(start), linked};
            }
            return std::nullopt;
          }};
}

/// Several memories, depending on the schedule alone: two of them are seen in a fixed number of
/// runs of the healthy emulator.
Plant race(generators::TinyGroup group) {
  return {"race, " + std::string(to_string(group)),
          [group](std::uint64_t seed) -> std::optional<PlantedCase> {
            auto made = emulator::make_emulator({});
            const std::shared_ptr<Target> target = std::move(*made);
            const auto several = [target](const Case& c) {
              std::set<std::vector<std::uint32_t>> seen;
              for (const Strategy& strategy : campaign::strategies_for(7, 0, 48)) {
                const Outcome outcome = target->run(c, {.strategy = strategy}).outcome;
                if (outcome.status != OutcomeStatus::completed) return false;
                seen.insert(outcome.memory);
                if (seen.size() > 1) return true;
              }
              return false;
            };
            for (std::uint64_t i = 0; i < most_draws; ++i) {
              Case start = generators::tiny_mix(seed, i, group);
              if (several(start)) return PlantedCase{std::move(start), several};
            }
            return std::nullopt;
          }};
}

/// A fault of the platform: a legal mix that fails on the emulator with the same key.
class OnDefective {
 public:
  explicit OnDefective(std::string_view defect)
      : target_(std::move(*emulator::make_emulator({.defect = std::string(defect)}))),
        engine_(*target_) {}

  /// The first failure of a legal case; its key is kept from now on.
  bool fails_at_first(const Case& c, const Strategy& first) {
    strategies_ = campaign::search_strategies(first);
    return fails(c, nullptr);
  }
  bool still_fails(const Case& c) { return fails(c, &key_); }

 private:
  bool fails(const Case& c, const std::string* key) {
    const campaign::Answer answer = engine_.ask(c, campaign::Claim::legal);
    if (!answer.contradiction.empty()) return false;
    for (const Strategy& strategy : strategies_) {
      RunResult run;
      const judge::Verdict verdict =
          engine_.try_once(c, answer, {.strategy = strategy}, std::nullopt, run);
      if (verdict.conforms() || (key != nullptr && verdict.key != *key)) continue;
      if (key == nullptr) key_ = verdict.key;
      return true;
    }
    return false;
  }

  std::unique_ptr<Target> target_;
  campaign::Engine engine_;
  std::vector<Strategy> strategies_;
  std::string key_;
};

Plant platform_plant(std::string_view defect) {
  return {
      "emulator, " + std::string(defect),
      [defect](std::uint64_t seed) -> std::optional<PlantedCase> {
        auto on = std::make_shared<OnDefective>(defect);
        for (std::uint64_t i = 0; i < most_draws; ++i) {
          Case start = generators::generate(seed, i, {}, default_profile());
          if (!on->fails_at_first(start, campaign::strategies_for(seed, i, 1)[0])) continue;
          return PlantedCase{std::move(start), [on](const Case& c) { return on->still_fails(c); }};
        }
        return std::nullopt;
      }};
}

}  // namespace

std::vector<Plant> shrink_plants() {
  std::vector<Plant> all;
  for (const std::string_view defect : operator_faults) all.push_back(operator_plant(defect));
  for (const std::string_view defect : platform_faults) all.push_back(platform_plant(defect));
  for (const std::size_t at : {0, 1, 9}) all.push_back(behind_a_stall(operator_faults[at]));
  all.push_back(full_chip_stall());
  all.push_back(linked_ids());
  all.push_back(race(generators::TinyGroup::dma));
  all.push_back(race(generators::TinyGroup::scalar));
  all.push_back(race(generators::TinyGroup::flags));
  return all;
}

}  // namespace skcts::program
