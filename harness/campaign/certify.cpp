// Tries an operator in mixes and says what is wrong in them.
#include "harness/campaign/certify.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "generators/shrink.h"
#include "harness/campaign/engine.h"
#include "harness/campaign/finding.h"
#include "harness/campaign/strategies.h"
#include "reference_model/repair.h"
#include "spec/case_id.h"
#include "spec/latitude.h"

namespace skcts::campaign {
namespace {

/// Draws of a neighbour until the mix is legal without the operator.
constexpr int most_draws = 6;

bool is_clean(const model::Analysis& analysis) {
  return analysis.behaviour == Behaviour::completes && !analysis.rule;
}

/// The first verdict of the runs that does not conform.
std::optional<judge::Verdict> failing_run(Engine& engine, const Case& test_case,
                                          const Answer& answer, int runs) {
  const std::uint64_t seed = text_hash(case_id(test_case));
  for (const Strategy& strategy : strategies_for(seed, 0, runs)) {
    RunRequest request;
    request.strategy = strategy;
    RunResult run;
    judge::Verdict verdict = engine.try_once(test_case, answer, request, {}, run);
    if (!verdict.conforms()) return verdict;
  }
  return std::nullopt;
}

class Certifier {
 public:
  Certifier(const Operator& value, Target& target, const CertifySettings& settings)
      : settings_(settings),
        mixes_(value, *settings.profile, settings.seed),
        engine_(target),
        one_to_one_(value.sub_kernel.type == KernelType::mix_aic_1_1) {
    for (std::size_t f = 0; f < factor_count; ++f) {
      result_.level_names.push_back(mixes_.levels(static_cast<Factor>(f)));
    }
    result_.assumed = mixes_.assumed();
  }

  Certification run();

 private:
  bool stopped() {
    result_.stopped = result_.stopped || (settings_.stop && settings_.stop());
    return result_.stopped;
  }
  model::Analysis analyse(const Case& test_case) {
    return engine_.model().analyse(test_case, engine_.pins_for(test_case),
                                   model::Leaning::left_out);
  }
  void judge(Stage stage, const Levels& levels, Case test_case);
  void run_target(const Answer& answer);
  /// Tries a mix of these levels, unless it was; gives why there is none, or nothing.
  std::string try_row(Stage stage, const Levels& row);
  void deviations();
  void pairs();
  void finish(BrokenRule& broken);

  const CertifySettings& settings_;
  CertifyMixes mixes_;
  Engine engine_;
  bool one_to_one_;
  Certification result_;
  std::map<Levels, std::string> known_;  ///< What try_row() gave, of rows that may exist.
};

void Certifier::judge(Stage stage, const Levels& levels, Case test_case) {
  Answer answer = engine_.ask(test_case, Claim::judged);
  const model::Analysis& analysis = *answer.analysis;
  TriedMix tried{.stage = stage,
                 .levels = levels,
                 .test_case = std::move(test_case),
                 .behaviour = analysis.behaviour,
                 .rule = analysis.rule};
  const bool clean = is_clean(analysis);
  if (!clean) {
    // Data that differs without a rule behind it would break the guarantee itself.
    const RuleId rule = analysis.rule.value_or(RuleId::fuse_1);
    auto at = std::ranges::find(result_.broken, rule, &BrokenRule::rule);
    if (at == result_.broken.end()) {
      result_.broken.push_back({.rule = rule, .first = result_.mixes.size()});
      at = result_.broken.end() - 1;
    }
    ++at->mixes;
    for (const RuleId each : broken_rules(analysis).all) result_.besides.insert(each);
  }
  for (const model::LaunchShape& launch : analysis.launches) {
    if (launch.fused && stage != Stage::alone) ++result_.launches[launch.type];
  }
  result_.mixes.push_back(std::move(tried));
  if (clean) run_target(answer);
}

void Certifier::run_target(const Answer& answer) {
  TriedMix& tried = result_.mixes.back();
  const auto failed = failing_run(engine_, tried.test_case, answer, settings_.runs);
  if (!failed) return;
  tried.target_fails = true;
  result_.target_failures.push_back(
      {.mix = result_.mixes.size() - 1, .rule = failed->rule, .sentence = failed->sentence});
}

std::string Certifier::try_row(Stage stage, const Levels& row) {
  if (const auto known = known_.find(row); known != known_.end()) return known->second;
  std::string reason = mixes_.excluded(row);
  if (!reason.empty()) return reason;
  reason = "no such neighbour was drawn";
  for (int draw = 0; draw < most_draws; ++draw) {
    std::optional<Case> made = mixes_.make(row, draw);
    if (!made) continue;
    const model::Analysis control = analyse(mixes_.without_operator(*made));
    if (is_clean(control)) {
      judge(stage, row, std::move(*made));
      reason.clear();
      break;
    }
    reason = fmt::format("not legal without the operator either: {}",
                         control.rule ? to_string(*control.rule) : to_string(control.behaviour));
    // Nothing of such a mix is drawn: it will not become better.
    if (row[static_cast<std::size_t>(Factor::neighbour)] < first_drawn_neighbour) break;
  }
  known_.emplace(row, reason);
  return reason;
}

void Certifier::deviations() {
  for (std::size_t f = 0; f < factor_count && !stopped(); ++f) {
    const int levels = static_cast<int>(result_.level_names[f].size());
    for (int level = 1; level < levels; ++level) {
      Levels row(factor_count, 0);
      row[f] = level;
      try_row(Stage::deviation, mixes_.helped(row));
    }
  }
}

void Certifier::pairs() {
  std::vector<int> counts;
  for (const auto& levels : result_.level_names) counts.push_back(static_cast<int>(levels.size()));
  PairsLeft left(counts);
  result_.pairs = left.all();
  for (const auto& [row, reason] : known_) {
    if (reason.empty()) left.meet(row);
  }
  const auto fits = [&](const Levels& row) { return mixes_.excluded(row).empty(); };
  while (const auto pair = left.next()) {
    if (stopped()) break;
    const Levels full = left.row_with(*pair, fits);
    if (try_row(Stage::pair, full).empty()) {
      left.meet(full);
      continue;
    }
    // A third level may have been in the way.
    const bool bare_of_neighbours = pair->a == FactorLevel{};
    const Levels plain = left.bare_row(*pair);
    const Levels bare = bare_of_neighbours ? plain : mixes_.helped(plain);
    const std::string reason = try_row(Stage::pair, bare);
    if (reason.empty()) {
      left.meet(bare);
      continue;
    }
    left.give_up(*pair);
    result_.infeasible.push_back({*pair, reason});
  }
  result_.pairs_met = left.met();
}

void Certifier::finish(BrokenRule& broken) {
  const TriedMix& shown = result_.mixes[broken.first];
  const auto same = [&](const Case& candidate) {
    if (!mixes_.holds_operator(candidate)) return false;
    const model::Analysis analysis = analyse(candidate);
    if (analysis.behaviour != shown.behaviour || analysis.rule != shown.rule) return false;
    return is_clean(analyse(mixes_.without_operator(candidate)));
  };
  broken.smallest =
      generators::shrink(shown.test_case, same, {.max_runs = settings_.shrinks}, nullptr);
  broken.smallest.name = fmt::format("{}: {}", shown.test_case.name, to_string(broken.rule));
  const std::vector<LatitudePin> pins = engine_.pins_for(broken.smallest);
  const model::Analysis analysis = engine_.model().analyse(broken.smallest, pins);
  broken.sentence = analysis.sentence;
  if (const auto repair = model::Repairer().find(broken.smallest, analysis, pins)) {
    broken.repair = model::sentence_of(broken.smallest, *repair);
  }
}

Certification Certifier::run() {
  const Levels defaults(factor_count, 0);
  judge(Stage::alone, defaults, mixes_.launched_alone());
  try_row(Stage::fused_alone, defaults);
  deviations();
  if (settings_.every_pair) pairs();
  // A MIX 1:1 operator may find itself at 1:2 (RATIO-1): both have to be tried.
  if (one_to_one_) {
    for (const KernelType type : {KernelType::mix_aic_1_1, KernelType::mix_aic_1_2}) {
      if (!result_.launches.contains(type)) {
        result_.missing = fmt::format("no mix launches it as {}", to_string(type));
      }
    }
  }
  for (const BrokenRule& broken : result_.broken) result_.besides.erase(broken.rule);
  for (BrokenRule& broken : result_.broken) finish(broken);
  return std::move(result_);
}

}  // namespace

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::alone: return "launched alone";
    case Stage::fused_alone: return "fused alone";
    case Stage::deviation: return "one deviation from the defaults";
    case Stage::pair: return "a pair of levels";
  }
  return "?";
}

bool Certification::certified() const {
  return broken.empty() && target_failures.empty() && missing.empty() && !stopped && pairs > 0;
}

std::optional<RuleId> Certification::primary() const {
  if (broken.empty()) return std::nullopt;
  return broken.front().rule;
}

Found try_again(const Case& test_case, Target& target, int runs) {
  Engine engine(target);
  const Answer answer = engine.ask(test_case, Claim::judged);
  Found found{.behaviour = answer.analysis->behaviour, .rule = answer.analysis->rule};
  found.target_fails =
      is_clean(*answer.analysis) && failing_run(engine, test_case, answer, runs).has_value();
  return found;
}

Certification certify(const Operator& value, Target& target, const CertifySettings& settings) {
  return Certifier(value, target, settings).run();
}

}  // namespace skcts::campaign
