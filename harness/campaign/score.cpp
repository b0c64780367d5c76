// One stream of experiments over all mutants.
#include "harness/campaign/score.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "harness/campaign/control.h"
#include "spec/check.h"

namespace skcts::campaign {
namespace {

/// So many rounds in a row without a case: there are no more. An index here and there may have
/// none.
constexpr int idle_rounds = 200;

constexpr std::array<std::string_view, 3> fate_names = {"killed", "survived", "not tried"};

/// An experiment with what the model says of its parts.
struct Prepared {
  const Property* property = nullptr;
  std::size_t suite = 0;
  const Profile* profile = nullptr;
  std::uint64_t index = 0;
  Experiment experiment;
  std::vector<Answer> answers;
  std::vector<Marks> marks;  ///< Of the parts.
  double seconds = 0;

  /// Some part has what a control asks for, or nothing is asked.
  [[nodiscard]] bool has(std::string_view control) const {
    return control.empty() ||
           std::ranges::any_of(marks, [&](const Marks& part) { return part.hold(control); });
  }
};

/// A place in the stream: the property's experiment `index` on this machine.
struct Place {
  std::size_t property = 0;
  const Profile* profile = nullptr;
  std::uint64_t index = 0;
};

/// Machine and index of a round: each machine has its experiments in order, whatever the others.
Place place_of(std::span<const Profile* const> profiles, std::uint64_t round) {
  const std::uint64_t turn = round % profiles.size();
  Place place;
  place.profile = profiles[turn];
  const auto of_profile = [&](std::uint64_t from, std::uint64_t to) {
    return std::uint64_t(std::count(profiles.begin() + std::ptrdiff_t(from),
                                    profiles.begin() + std::ptrdiff_t(to), place.profile));
  };
  place.index = round / profiles.size() * of_profile(0, profiles.size()) + of_profile(0, turn);
  return place;
}

class Scoring {
 public:
  Scoring(const ScoreSettings& settings, std::span<const Property> properties, Target& healthy,
          std::span<Mutant> mutants);
  Score run() &&;

 private:
  struct Running {
    Mutant* mutant = nullptr;
    Engine engine;
    double seconds = 0;
  };

  [[nodiscard]] double now() const { return settings_.now ? settings_.now() : 0; }
  bool stopped();
  std::optional<Experiment> make(const Place& place) const;
  std::optional<Prepared> prepare(const Place& place);
  std::optional<Failure> run_on(Engine& engine, const Prepared& prepared) const;
  void run_healthy(const Prepared& prepared);
  void search();
  void search_with(const Prepared& prepared);
  void try_to_kill(std::size_t number, const Prepared& prepared);
  void control(std::size_t number, const Prepared& prepared, const std::optional<Failure>& failure);
  void run_controls();
  [[nodiscard]] bool wants_control(std::size_t number) const;
  void fill_matrix(std::size_t suite);
  void fill_cells(std::int64_t number, const Prepared& prepared);
  [[nodiscard]] bool has_open_cell(std::size_t suite) const;
  [[nodiscard]] bool anybody_lives() const;

  const ScoreSettings& settings_;
  std::span<const Property> properties_;
  std::vector<std::size_t> suite_of_;  ///< By property.
  Engine healthy_;
  bool declares_counts_;
  std::vector<Running> running_;
  std::vector<std::int64_t> searched_;  ///< Cases of each suite in the search.
  Score score_;
};

Scoring::Scoring(const ScoreSettings& settings, std::span<const Property> properties,
                 Target& healthy, std::span<Mutant> mutants)
    : settings_(settings),
      properties_(properties),
      healthy_(healthy),
      declares_counts_(healthy.description().declares_counts) {
  SKCTS_CHECK(!settings.profiles.empty() && !properties.empty(), "a score of nothing");
  for (const Property& property : properties) {
    const std::string suite = suite_name(property.rule);
    const auto at = std::ranges::find(score_.suites, suite);
    suite_of_.push_back(static_cast<std::size_t>(at - score_.suites.begin()));
    if (at == score_.suites.end()) score_.suites.push_back(suite);
  }
  searched_.resize(score_.suites.size());
  running_.reserve(mutants.size());
  for (Mutant& mutant : mutants) {
    const TargetDescription& a = mutant.target->description();
    const TargetDescription& b = healthy.description();
    SKCTS_CHECK(a.latitudes == b.latitudes && a.declares_counts == b.declares_counts &&
                    a.honours_schedules == b.honours_schedules &&
                    a.exact_consequences == b.exact_consequences,
                "{} describes itself unlike the healthy platform", mutant.name);
    running_.push_back({&mutant, Engine(*mutant.target)});
    MutantScore& row = score_.mutants.emplace_back();
    row.name = mutant.name;
    row.rule = mutant.rule;
    row.channel = mutant.channel;
    row.control = mutant.control;
    row.cells.resize(score_.suites.size());
  }
}

bool Scoring::stopped() {
  score_.stopped = score_.stopped || (settings_.stop && settings_.stop());
  return score_.stopped;
}

bool Scoring::anybody_lives() const {
  return std::ranges::any_of(score_.mutants, [&](const MutantScore& mutant) {
    return mutant.fate == Fate::not_tried && mutant.tried < settings_.search;
  });
}

std::optional<Experiment> Scoring::make(const Place& place) const {
  const Property& property = properties_[place.property];
  if (property.needs_counts && !declares_counts_) return std::nullopt;
  if (property.most_cases > 0 && std::cmp_greater_equal(place.index, property.most_cases)) {
    return std::nullopt;
  }
  auto experiment = property.make({settings_.seed, place.profile}, place.index);
  if (experiment && experiment->parts.empty()) return std::nullopt;
  return experiment;
}

std::optional<Prepared> Scoring::prepare(const Place& place) {
  const double start = now();
  std::optional<Experiment> experiment = make(place);
  if (!experiment) return std::nullopt;
  Prepared prepared{.property = &properties_[place.property],
                    .suite = suite_of_[place.property],
                    .profile = place.profile,
                    .index = place.index,
                    .experiment = *std::move(experiment),
                    .answers = {},
                    .marks = {}};
  for (const Part& part : prepared.experiment.parts) {
    Answer& answer = prepared.answers.emplace_back(healthy_.ask(part.test_case, part.claim));
    if (answer.contradiction.empty()) continue;
    const FalseAlarm fault{prepared.property->rule, std::string(place.profile->name), place.index,
                           std::string(part.name), answer.contradiction};
    // The matrix comes by the same places again.
    if (std::ranges::find(score_.own_faults, fault) == score_.own_faults.end()) {
      score_.own_faults.push_back(fault);
    }
    return std::nullopt;
  }
  for (const Part& part : prepared.experiment.parts) prepared.marks.emplace_back(part.test_case);
  prepared.seconds = now() - start;
  return prepared;
}

std::optional<Failure> Scoring::run_on(Engine& engine, const Prepared& prepared) const {
  for (std::size_t p = 0; p < prepared.experiment.parts.size(); ++p) {
    const Part& part = prepared.experiment.parts[p];
    const Answer& answer = prepared.answers[p];
    for (const Strategy& strategy : part.strategies) {
      RunRequest request;
      request.strategy = strategy;
      RunResult run;
      judge::Verdict verdict =
          engine.try_once(part.test_case, answer, request, prepared.property->rule, run);
      if (verdict.conforms()) continue;
      Failure failure{.test_case = part.test_case,
                      .claim = part.claim,
                      .strategy = strategy,
                      .run = std::move(run),
                      .verdict = std::move(verdict),
                      .property = prepared.property->rule,
                      .seed = settings_.seed,
                      .index = prepared.index};
      if (part.claim != Claim::legal) failure.broken = broken_rules(*answer.analysis);
      return failure;
    }
  }
  return std::nullopt;
}

void Scoring::run_healthy(const Prepared& prepared) {
  ++score_.cases;
  const std::optional<Failure> failure = run_on(healthy_, prepared);
  if (!failure) return;
  score_.false_kills.push_back({prepared.property->rule, std::string(prepared.profile->name),
                                prepared.index, failure->verdict.key, failure->verdict.sentence});
}

void Scoring::search() {
  int idle = 0;
  for (std::uint64_t round = 0; idle < idle_rounds; ++round) {
    ++idle;
    Place place = place_of(settings_.profiles, round);
    for (place.property = 0; place.property < properties_.size(); ++place.property) {
      if (!anybody_lives() || stopped()) return;
      const std::optional<Prepared> prepared = prepare(place);
      if (!prepared) continue;
      idle = 0;
      search_with(*prepared);
    }
  }
  for (MutantScore& row : score_.mutants) {
    if (row.fate == Fate::not_tried) row.fate = Fate::survived;
  }
}

void Scoring::search_with(const Prepared& prepared) {
  run_healthy(prepared);
  ++searched_[prepared.suite];
  for (std::size_t i = 0; i < running_.size(); ++i) {
    MutantScore& row = score_.mutants[i];
    if (row.fate != Fate::not_tried || row.tried >= settings_.search) continue;
    if (stopped()) return;
    ++row.tried;
    ++row.cells[prepared.suite].tried;
    running_[i].seconds += prepared.seconds;
    try_to_kill(i, prepared);
    if (row.fate == Fate::not_tried && row.tried >= settings_.search) row.fate = Fate::survived;
  }
  if (settings_.progress) settings_.progress(score_.cases, score_.killed());
}

void Scoring::try_to_kill(std::size_t number, const Prepared& prepared) {
  Running& running = running_[number];
  MutantScore& row = score_.mutants[number];
  const double start = now();
  const std::optional<Failure> failure = run_on(running.engine, prepared);
  const double found = now();
  running.seconds += found - start;
  control(number, prepared, failure);
  if (!failure) return;
  ProofSettings settings;
  settings.target_name = running.mutant->target_name;
  if (!settings_.out_folder.empty()) {
    settings.folder = fmt::format("{}/kills/{}", settings_.out_folder, row.name);
  }
  settings.shrink = settings_.shrink;
  const Proof proof = prove(running.engine, healthy_, *failure, settings);
  if (!proof.holds()) {
    row.doubts.push_back(
        fmt::format("case {}, {}: {}", row.tried, failure->verdict.key, proof.doubt));
    if (std::ssize(row.doubts) >= settings_.attempts) row.fate = Fate::survived;
    return;
  }
  row.fate = Fate::killed;
  row.cells[prepared.suite].killed = row.cells[prepared.suite].tried;
  row.kill = Kill{.found_by = prepared.property->rule,
                  .cases = row.tried,
                  .seconds = running.seconds,
                  .proof_seconds = now() - found,
                  .rule = proof.small.verdict.rule,
                  .key = proof.small.verdict.key,
                  .sentence = proof.small.verdict.sentence,
                  .channels = proof.channels,
                  .sub_kernels = std::ssize(proof.saved.mix.sub_kernels),
                  .path = proof.path};
}

/// What became of a case on a mutant whose fault needs something that the case may not have.
void Scoring::control(std::size_t number, const Prepared& prepared,
                      const std::optional<Failure>& failure) {
  MutantScore& row = score_.mutants[number];
  if (prepared.has(row.control)) return;
  ++row.controls;
  if (!failure ||
      std::ranges::find(score_.strays, row.name, &Score::Stray::mutant) != score_.strays.end()) {
    return;
  }
  score_.strays.push_back({row.name,
                           row.control,
                           {prepared.property->rule, std::string(prepared.profile->name),
                            prepared.index, failure->verdict.key, failure->verdict.sentence}});
}

bool Scoring::wants_control(std::size_t number) const {
  const MutantScore& row = score_.mutants[number];
  return row.fate == Fate::killed && !row.control.empty() && row.controls < settings_.control_cases;
}

/// The stream once more, for those that were killed before they had met their controls. What is in
/// nearly every case has few without it: the pass ends all the same.
void Scoring::run_controls() {
  constexpr std::uint64_t rounds = 20;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Place place = place_of(settings_.profiles, round);
    for (place.property = 0; place.property < properties_.size(); ++place.property) {
      bool wanted = false;
      for (std::size_t i = 0; i < running_.size(); ++i) wanted = wanted || wants_control(i);
      if (!wanted || stopped()) return;
      const std::optional<Prepared> prepared = prepare(place);
      if (!prepared) continue;
      for (std::size_t i = 0; i < running_.size() && !stopped(); ++i) {
        // It met the cases up to its kill in the search.
        if (!wants_control(i) || prepared->has(score_.mutants[i].control)) continue;
        control(i, *prepared, run_on(running_[i].engine, *prepared));
      }
    }
  }
}

bool Scoring::has_open_cell(std::size_t suite) const {
  return std::ranges::any_of(score_.mutants, [&](const MutantScore& row) {
    const Cell& cell = row.cells[suite];
    return row.fate == Fate::killed && cell.killed == 0 && cell.tried < settings_.matrix_cases;
  });
}

void Scoring::fill_cells(std::int64_t number, const Prepared& prepared) {
  // The search came by the first ones already.
  if (number > searched_[prepared.suite]) run_healthy(prepared);
  for (std::size_t i = 0; i < running_.size(); ++i) {
    MutantScore& row = score_.mutants[i];
    Cell& cell = row.cells[prepared.suite];
    if (row.fate != Fate::killed || cell.killed != 0 || cell.tried >= number) continue;
    if (stopped()) return;
    ++cell.tried;
    const std::optional<Failure> failure = run_on(running_[i].engine, prepared);
    if (failure && confirm(running_[i].engine, *failure)) cell.killed = cell.tried;
  }
}

void Scoring::fill_matrix(std::size_t suite) {
  std::int64_t number = 0;
  int idle = 0;
  for (std::uint64_t round = 0; idle < idle_rounds; ++round) {
    ++idle;
    Place place = place_of(settings_.profiles, round);
    for (place.property = 0; place.property < properties_.size(); ++place.property) {
      if (suite_of_[place.property] != suite) continue;
      if (number >= settings_.matrix_cases || !has_open_cell(suite) || stopped()) return;
      const std::optional<Prepared> prepared = prepare(place);
      if (!prepared) continue;
      idle = 0;
      fill_cells(++number, *prepared);
      if (settings_.progress) settings_.progress(score_.cases, score_.killed());
    }
  }
  // There are no more.
  for (MutantScore& row : score_.mutants) row.cells[suite].ended = row.fate == Fate::killed;
}

Score Scoring::run() && {
  const double start = now();
  search();
  run_controls();
  for (std::size_t suite = 0; suite < score_.suites.size() && !stopped(); ++suite) {
    fill_matrix(suite);
  }
  for (MutantScore& row : score_.mutants) {
    for (Cell& cell : row.cells) {
      cell.ended = cell.ended || cell.tried >= std::max<std::int64_t>(1, settings_.matrix_cases);
    }
  }
  score_.seconds = now() - start;
  return std::move(score_);
}

}  // namespace

std::string_view to_string(Fate fate) {
  return fate_names.at(static_cast<std::size_t>(fate));
}

bool MutantScore::own_channel() const {
  return kill && std::ranges::any_of(kill->channels,
                                     [&](Channel shown) { return to_string(shown) == channel; });
}

std::int64_t Score::killed() const {
  return std::ranges::count(mutants, Fate::killed, &MutantScore::fate);
}

std::int64_t Score::controls() const {
  std::int64_t all = 0;
  for (const MutantScore& row : mutants) all += row.controls;
  return all;
}

bool Score::clean() const {
  return killed() == std::ssize(mutants) && false_kills.empty() && own_faults.empty() &&
         strays.empty();
}

std::int64_t Score::cases_to_kill(int percent) const {
  std::vector<std::int64_t> sorted;
  for (const MutantScore& row : mutants) {
    if (row.kill) sorted.push_back(row.kill->cases);
  }
  if (sorted.empty()) return 0;
  std::ranges::sort(sorted);
  const std::int64_t rank = (std::ssize(sorted) * percent + 99) / 100;
  return sorted[static_cast<std::size_t>(std::max<std::int64_t>(rank, 1) - 1)];
}

Score measure_score(const ScoreSettings& settings, std::span<const Property> properties,
                    Target& healthy, std::span<Mutant> mutants) {
  return Scoring(settings, properties, healthy, mutants).run();
}

}  // namespace skcts::campaign
