#include "harness/campaign/crosscheck.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generators/shrink.h"
#include "harness/campaign/outcome_text.h"
#include "harness/campaign/schedule_search.h"
#include "harness/campaign/strategies.h"
#include "spec/case_work.h"

namespace skcts::campaign {
namespace {

/// Compares what the engines say; collects the differences.
class Comparison {
 public:
  Comparison(const Case& test_case, const model::Analysis& analysis,
             const std::vector<Outcome>& explored)
      : case_(test_case),
        layout_(layout_of(test_case.mix)),
        analysis_(analysis),
        allowed_(analysis.allowed),
        explored_(explored) {}

  void inclusion();
  void statuses();
  void values(OutcomeStatus status, const std::vector<WordAllowed>& words);
  void tuples();
  void portability();
  void shown_outcomes(const std::vector<Outcome>& shown);
  void theorems();
  void tightness();

  CrossResult take() { return std::move(result_); }

 private:
  /// The first of each key is told; the others would say the same.
  void add(DifferenceKind kind, std::string aspect, std::string text) {
    Difference difference{kind, std::move(aspect), std::move(text)};
    if (told_.insert(difference.key()).second) {
      result_.differences.push_back(std::move(difference));
    }
  }
  std::string name(std::int64_t word) const { return word_name(case_.mix, layout_, word); }
  bool occurs(OutcomeStatus status) const {
    return std::ranges::any_of(explored_, [=](const Outcome& o) { return o.status == status; });
  }
  static std::vector<std::uint32_t> held(const Outcome& outcome,
                                         const std::vector<std::int64_t>& words) {
    std::vector<std::uint32_t> tuple;
    for (const std::int64_t word : words) {
      tuple.push_back(outcome.memory[static_cast<std::size_t>(word)]);
    }
    return tuple;
  }
  std::string nearest(const Outcome& outcome, const std::vector<Outcome>& reachable) const;

  const Case& case_;
  GmLayout layout_;
  const model::Analysis& analysis_;
  const Allowed& allowed_;
  const std::vector<Outcome>& explored_;
  std::set<std::string> told_;
  CrossResult result_;
};

void Comparison::inclusion() {
  for (const Outcome& outcome : explored_) {
    const Containment inside = contains(allowed_, case_.mix, outcome);
    if (inside) continue;
    const std::string aspect =
        inside.misfit == Misfit::status
            ? std::string(to_string(outcome.status))
            : fmt::format("{}-{}", to_string(outcome.status), to_string(inside.misfit));
    add(DifferenceKind::not_allowed, aspect,
        fmt::format("The explorer reaches an outcome that the analysis excludes: {}\n{}",
                    inside.text, outcome_text(case_, outcome)));
  }
}

void Comparison::statuses() {
  if (!allowed_.exact_stall) return;
  const std::array<std::pair<OutcomeStatus, bool>, 4> claims{{
      {OutcomeStatus::completed, allowed_.completed},
      {OutcomeStatus::stalled, allowed_.stalled},
      {OutcomeStatus::error, allowed_.error},
      {OutcomeStatus::refused, allowed_.refused},
  }};
  for (const auto& [status, claimed] : claims) {
    if (!claimed || occurs(status)) continue;
    add(DifferenceKind::status_missing, std::string(to_string(status)),
        fmt::format("The analysis says that it may be {}, exactly; no explored run is. The first "
                    "that is explored: {}",
                    to_string(status),
                    explored_.empty() ? "none" : outcome_text(case_, explored_.front())));
  }
}

void Comparison::values(OutcomeStatus status, const std::vector<WordAllowed>& words) {
  if (!allowed_.exact_data || !occurs(status)) return;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (words[w].kind != WordKind::one_of) continue;
    std::set<std::uint32_t> seen;
    for (const Outcome& outcome : explored_) {
      if (outcome.status == status && w < outcome.memory.size()) seen.insert(outcome.memory[w]);
    }
    const std::vector<std::uint32_t>& set = allowed_.sets[static_cast<std::size_t>(words[w].set)];
    for (const std::uint32_t value : set) {
      if (seen.contains(value)) continue;
      add(DifferenceKind::value_missing, std::string(to_string(status)),
          fmt::format("The analysis says that {} may be one of {}, exactly; explored when {}: {}",
                      name(static_cast<std::int64_t>(w)), fmt::join(set, ", "), to_string(status),
                      fmt::join(seen, ", ")));
      break;
    }
  }
}

void Comparison::tuples() {
  if (!allowed_.exact_data || !occurs(OutcomeStatus::completed)) return;
  for (const JointWords& joint : allowed_.joint) {
    std::set<std::vector<std::uint32_t>> seen;
    for (const Outcome& outcome : explored_) {
      if (outcome.status == OutcomeStatus::completed) seen.insert(held(outcome, joint.words));
    }
    for (const std::vector<std::uint32_t>& tuple : joint.tuples) {
      if (seen.contains(tuple)) continue;
      std::vector<std::string> names;
      for (const std::int64_t word : joint.words) names.push_back(name(word));
      add(DifferenceKind::tuple_missing, "completed",
          fmt::format("The analysis says that {} may be {} together, exactly; explored: {}",
                      fmt::join(names, ", "), tuple, fmt::join(seen, ", ")));
      break;
    }
  }
}

void Comparison::portability() {
  if (!analysis_.portable) return;
  // What queries answer may differ (L-31).
  std::set<std::pair<OutcomeStatus, std::vector<std::uint32_t>>> ends;
  for (const Outcome& outcome : explored_) ends.emplace(outcome.status, outcome.memory);
  if (ends.size() != 1) {
    add(DifferenceKind::not_one, "several",
        fmt::format("The analysis calls the mix portable; there are {} outcomes, such as {}and {}",
                    explored_.size(), outcome_text(case_, explored_.front()),
                    outcome_text(case_, explored_.back())));
  } else if (explored_.front().status != OutcomeStatus::completed ||
             explored_.front().memory != analysis_.alone_memory) {
    add(DifferenceKind::not_one, "alone",
        fmt::format("The analysis calls the mix portable; its one outcome is not what the sub "
                    "kernels give alone: {}",
                    outcome_text(case_, explored_.front())));
  }
}

/// The explored outcome that has most words in common with one that was not explored.
std::string Comparison::nearest(const Outcome& outcome,
                                const std::vector<Outcome>& reachable) const {
  const Outcome* best = nullptr;
  std::size_t fewest = 0;
  for (const Outcome& other : reachable) {
    if (other.status != outcome.status || other.memory.size() != outcome.memory.size()) continue;
    std::size_t differing = other.waiting == outcome.waiting ? 0 : 1;
    for (std::size_t w = 0; w < other.memory.size(); ++w) {
      if (other.memory[w] != outcome.memory[w]) ++differing;
    }
    if (best != nullptr && differing >= fewest) continue;
    best = &other;
    fewest = differing;
  }
  if (best == nullptr) return fmt::format("none of the explored is {}", to_string(outcome.status));
  return fmt::format("the nearest of {} explored: {}", reachable.size(),
                     outcome_text(case_, *best));
}

void Comparison::shown_outcomes(const std::vector<Outcome>& shown) {
  Reach reach(allowed_, explored_);
  const std::vector<Outcome> reachable = reach.outcomes();
  for (const Outcome& full : shown) {
    const Outcome outcome = bare(full);
    if (reach.show(outcome)) continue;
    const bool alike = std::ranges::any_of(
        reachable, [&](const Outcome& o) { return o.status == outcome.status; });
    const bool same_memory = std::ranges::any_of(reachable, [&](const Outcome& o) {
      return o.status == outcome.status && o.memory == outcome.memory;
    });
    const bool same_waits = std::ranges::any_of(reachable, [&](const Outcome& o) {
      return o.status == outcome.status && o.waiting == outcome.waiting;
    });
    std::string aspect(to_string(outcome.status));
    if (alike) aspect += !same_memory ? "-memory" : !same_waits ? "-waiting" : "-together";
    add(DifferenceKind::not_explored, std::move(aspect),
        fmt::format("The target shows an outcome that the explorer does not reach: {}{}",
                    outcome_text(case_, full), nearest(outcome, reachable)));
  }
  result_.explored = reach.explored();
  result_.reached = reach.reached();
  result_.unreached = reach.unreached();
}

void Comparison::theorems() {
  std::vector<std::pair<OutcomeStatus, std::vector<Waiting>>> ends;
  std::set<std::vector<std::uint32_t>> memories;
  for (const Outcome& outcome : explored_) {
    std::pair end(outcome.status, bare(outcome).waiting);
    if (std::ranges::find(ends, end) == ends.end()) ends.push_back(std::move(end));
    if (outcome.status == OutcomeStatus::completed) memories.insert(outcome.memory);
  }
  const bool one_status = allowed_.completed != allowed_.stalled;
  result_.one_end_claimed =
      allowed_.exact_stall && one_status && !allowed_.error && !allowed_.refused;
  result_.one_end = ends.size() == 1;
  result_.one_memory_claimed =
      allowed_.completed && std::ranges::all_of(allowed_.memory, [](const WordAllowed& word) {
        return word.kind == WordKind::exact;
      });
  result_.one_memory = memories.size() <= 1;
}

void Comparison::tightness() {
  if (!allowed_.completed || !occurs(OutcomeStatus::completed)) return;
  std::set<std::int64_t> tied;
  double count = 1;
  for (const JointWords& joint : allowed_.joint) {
    tied.insert(joint.words.begin(), joint.words.end());
    count *= static_cast<double>(joint.tuples.size());
  }
  for (std::size_t w = 0; w < allowed_.memory.size(); ++w) {
    const WordAllowed& word = allowed_.memory[w];
    if (word.kind == WordKind::unjudged) return;
    if (word.kind != WordKind::one_of || tied.contains(static_cast<std::int64_t>(w))) continue;
    count *= static_cast<double>(allowed_.sets[static_cast<std::size_t>(word.set)].size());
    count = std::min(count, 1e12);
  }
  std::set<std::vector<std::uint32_t>> memories;
  for (const Outcome& outcome : explored_) {
    if (outcome.status == OutcomeStatus::completed) memories.insert(outcome.memory);
  }
  if (count > tightness_cap || static_cast<double>(memories.size()) > tightness_cap) return;
  result_.occurring_memories = static_cast<double>(memories.size());
  result_.allowed_memories = count;
}

}  // namespace

std::string_view to_string(DifferenceKind kind) {
  constexpr std::array<std::string_view, difference_kind_count> names{
      "not-allowed", "status-missing", "value-missing", "tuple-missing",
      "not-one",     "two-answers",    "not-explored"};
  return names[static_cast<std::size_t>(kind)];
}

std::string Difference::key() const {
  return fmt::format("{}-{}", to_string(kind), aspect);
}

CrossResult compare(const Case& test_case, const model::Analysis& analysis,
                    const std::vector<Outcome>& explored, const std::vector<Outcome>& shown) {
  Comparison comparison(test_case, analysis, explored);
  comparison.inclusion();
  comparison.statuses();
  comparison.values(OutcomeStatus::completed, analysis.allowed.memory);
  comparison.values(OutcomeStatus::stalled, analysis.allowed.memory_stalled);
  comparison.tuples();
  comparison.portability();
  comparison.shown_outcomes(shown);
  comparison.theorems();
  comparison.tightness();
  CrossResult result = comparison.take();
  result.stall_open = analysis.stall_open;
  result.data_open = analysis.data_open;
  return result;
}

std::string CrossCheck::too_large(const Case& test_case) const {
  const std::int64_t launches = launch_count(test_case.plan);
  if (launches > settings_.max_launches) {
    return fmt::format("more than {} launches and host writes", settings_.max_launches);
  }
  const CaseWork work = work_of(test_case);
  if (work.instructions + work.entries > settings_.max_instructions) {
    return fmt::format("more than {} steps of work by instructions and entries",
                       settings_.max_instructions);
  }
  return {};
}

std::vector<Outcome> CrossCheck::shown(const Case& test_case, std::uint64_t seed, Reach& reach,
                                       std::int64_t& runs) {
  std::vector<Outcome> kept;  // The first of each, with its reasons.
  std::map<Outcome, std::size_t, bool (*)(const Outcome&, const Outcome&)> seen(&explorer::before);
  if (targets_.empty()) return kept;
  ScheduleSearch search(seed);
  const auto run = [&](std::size_t at, const RunRequest& request) {
    RunResult result = targets_[at]->run(test_case, request);
    ++runs;
    const auto [one, is_new] = seen.emplace(bare(result.outcome), seen.size());
    if (targets_[at]->description().honours_schedules) {
      search.show(at, one->second, result.schedule);
    }
    if (!is_new) return;
    reach.show(one->first);
    kept.push_back(std::move(result.outcome));
  };
  const auto next = [&] { return static_cast<std::size_t>(runs) % targets_.size(); };
  for (const Strategy& strategy : strategies_for(seed, 0, settings_.runs)) {
    run(next(), {.strategy = strategy});
  }
  // Rounds of strategies on all targets, and rounds of search.
  const std::int64_t most = settings_.runs + settings_.reach_runs;
  for (std::int64_t further = 0; !reach.all() && runs < most; ++further) {
    const bool by_strategy = further / static_cast<std::int64_t>(targets_.size()) % 4 == 0;
    if (by_strategy || search.empty()) {
      run(next(), {.strategy = strategies_for(seed, static_cast<std::uint64_t>(runs), 1)[0]});
      continue;
    }
    const ScheduleSearch::Proposal proposal = search.propose();
    const Strategy strategy = parse_strategy(proposal.schedule.strategy).value_or(Strategy{});
    run(proposal.target, {.strategy = strategy, .replay = &proposal.schedule});
  }
  return kept;
}

CrossResult CrossCheck::check(const Case& test_case, std::uint64_t seed) {
  CrossResult skipped;
  skipped.skipped = too_large(test_case);
  if (!skipped.skipped.empty()) return skipped;
  explorer::Options options;
  options.limits = settings_.limits;
  const explorer::Exploration exploration = explorer::explore(test_case, options);
  if (!exploration.complete) {
    skipped.skipped = exploration.why.empty() ? "the explorer gave up" : exploration.why;
    skipped.states = exploration.states;
    return skipped;
  }
  const model::Analysis analysis = model_.analyse(test_case);
  Reach reach(analysis.allowed, exploration.outcomes);
  std::int64_t runs = 0;
  const std::vector<Outcome> showing = shown(test_case, seed, reach, runs);
  CrossResult result = compare(test_case, analysis, exploration.outcomes, showing);
  result.runs = runs;
  result.states = exploration.states;
  if (model_.allowed(test_case) != analysis.allowed) {
    result.differences.push_back({DifferenceKind::two_answers, "allowed",
                                  "allowed() and analyse() give different predicates."});
  }
  return result;
}

Case CrossCheck::shrink(const Case& test_case, std::uint64_t seed, const std::string& key,
                        std::int64_t max_checks) {
  const auto differs = [&](const Case& candidate) {
    // With a latitude let go, another difference may take the place of this one.
    if (candidate.latitudes != test_case.latitudes) return false;
    const CrossResult result = check(candidate, seed);
    return std::ranges::any_of(result.differences,
                               [&](const Difference& d) { return d.key() == key; });
  };
  generators::ShrinkBudget budget;
  budget.max_runs = max_checks;
  return generators::shrink(test_case, differs, budget);
}

}  // namespace skcts::campaign
