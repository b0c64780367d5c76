#include "reference_model/attribute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "reference_model/relaxation.h"
#include "reference_model/relaxed_contract.h"
#include "reference_model/writers.h"
#include "spec/aclgraph_options.h"
#include "spec/options.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

constexpr double a_size = 2;           ///< What one step of Relaxation::size costs.
constexpr double no_stuck_core = 3;    ///< A stall of which it does not say where, or only perhaps.
constexpr double contradicted = 6;     ///< The declared counts say the opposite.
constexpr double not_seen_inside = 1;  ///< The core that is let in is not shown inside.
constexpr double never_seen = 5;       ///< It would stall now and then, and no run did.
constexpr double garbage = 1;          ///< Admitted because a core reads beyond its regions.
constexpr double unjudged = 1000;      ///< Admitted only because nothing is said any more.
constexpr double special = -1.5;       ///< The special rule wins: nobody else is MIX 1:1 at 1:2.
constexpr double a_tie = 1e-7;         ///< An open word more decides between equals.
constexpr std::size_t runs_to_be_steady = 4;

/// What was seen, and what of it does not fit.
struct Evidence {
  const Case& test_case;
  std::span<const Outcome> outcomes;
  const std::vector<LatitudePin>& pins;
  const Outcome* first = nullptr;   ///< That does not fit.
  Containment misfit;               ///< Its.
  std::vector<std::int64_t> words;  ///< Wrong ones of all outcomes.
  bool steady = false;              ///< Seen often, always the same.
  bool elsewhere = false;           ///< A core is shown inside a sub kernel that is not its.
};

/// A weakening under which everybody runs what is his.
const Relaxation& nobody() {
  static const Relaxation none{.weakening = Weakening::failed};
  return none;
}

/// Is a core shown inside a sub kernel that it would not run?
bool is_seen_elsewhere(const Evidence& seen, const Relaxation& relaxed) {
  const Case& c = seen.test_case;
  const Profile* profile = find_profile(c.profile);
  const OptionParse parsed = parse_options_on(c.path, relaxed_options(c.mix.options, relaxed));
  if (profile == nullptr || !parsed.options) return false;
  const Plan plan = written_plan(c);
  const auto runs_there = [&](const Waiting& waiting) {
    if (waiting.instruction < 0 || waiting.sub_kernel < 0) return true;
    const SubKernel& sub = c.mix.sub_kernels[static_cast<std::size_t>(waiting.sub_kernel)];
    for (const PlanStep& step : plan.steps) {
      if (step.kind != StepKind::fused ||
          std::ranges::count(step.sub_kernels, waiting.sub_kernel) == 0) {
        continue;
      }
      const LaunchShape shape =
          relaxed_shape(c, step.sub_kernels, *parsed.options, *profile, relaxed).shape;
      if (relaxed_runs(sub, waiting.sub_kernel, shape, waiting.core, relaxed)) return true;
    }
    return false;
  };
  return std::ranges::any_of(seen.outcomes, [&](const Outcome& outcome) {
    return outcome.status == OutcomeStatus::stalled &&
           !std::ranges::all_of(outcome.waiting, runs_there);
  });
}

/// The declared count that the weakening would make smaller, or nothing.
std::int64_t InsertedCounts::*weakened_count(Weakening what) {
  switch (what) {
    case Weakening::refresh_on_read:
    case Weakening::refresh_on_store:
    case Weakening::refresh_on_access: return &InsertedCounts::refresh_per_access;
    case Weakening::refresh_before: return &InsertedCounts::refresh_before;
    case Weakening::refresh_after: return &InsertedCounts::refresh_after;
    case Weakening::feed_missing:
    case Weakening::feed_call_missing:
    case Weakening::feed_core_missing: return &InsertedCounts::feed_joins;
    default: return nullptr;
  }
}

std::int64_t total(const Outcome& outcome, std::int64_t InsertedCounts::*count) {
  std::int64_t sum = 0;
  for (const LaunchCounts& launch : outcome.counts) {
    for (const InsertedCounts& own : launch.inserted) sum += own.*count;
  }
  return sum;
}

/// Does the target declare all that would be missing?
bool counts_contradict(const Allowed& normal, const Outcome& outcome, const Relaxation& relaxed) {
  std::int64_t InsertedCounts::*count = weakened_count(relaxed.weakening);
  if (count == nullptr || outcome.counts.empty()) return false;
  Outcome owed;
  owed.counts = normal.counts;
  return total(owed, count) > 0 && total(outcome, count) >= total(owed, count);
}

/// How many words have more than one value.
std::int64_t open_words(const Allowed& allowed) {
  return std::ranges::count_if(
      allowed.memory, [](const WordAllowed& word) { return word.kind == WordKind::one_of; });
}

/// Is a word at fault admitted only because it is not judged any more?
bool gives_up(const Evidence& seen, const Allowed& normal, const Allowed& allowed) {
  if (seen.first->status == OutcomeStatus::stalled) return false;
  // Where a launch may stall no count is owed.
  const auto owes = [](const Allowed& set) {
    return std::ranges::any_of(set.counts,
                               [](const LaunchCounts& l) { return !l.inserted.empty(); });
  };
  if (seen.misfit.misfit == Misfit::counts && owes(normal) && !owes(allowed)) return true;
  return std::ranges::any_of(seen.words, [&](std::int64_t word) {
    const auto place = static_cast<std::size_t>(word);
    return place < allowed.memory.size() && allowed.memory[place].kind == WordKind::unjudged;
  });
}

/// Are the declared launches, as far as they were made, those of the set? Also of a stall.
bool same_launches(const Allowed& allowed, const Outcome& outcome) {
  const std::size_t both = std::min(allowed.counts.size(), outcome.counts.size());
  for (std::size_t l = 0; l < both; ++l) {
    if (allowed.counts[l].type != outcome.counts[l].type ||
        allowed.counts[l].blocks != outcome.counts[l].blocks) {
      return false;
    }
  }
  return true;
}

/// Where nobody can pass, all cores of a kind are stuck; a SyncAll that lacks a member holds those
/// who call it right there.
bool stalls_as_it_must(const Evidence& seen, const Relaxation& relaxed) {
  const bool of_sync = relaxed.weakening == Weakening::sync_incomplete;
  if (relaxed.weakening == Weakening::feed_endless) {  // somebody is seen waiting for a call
    return std::ranges::any_of(seen.outcomes, [](const Outcome& outcome) {
      return std::ranges::any_of(
          outcome.waiting, [](const Waiting& waiting) { return waiting.kind == WaitKind::feed; });
    });
  }
  if (!of_sync && relaxed.weakening != Weakening::not_signalled &&
      relaxed.weakening != Weakening::not_inserted) {
    return true;
  }
  return std::ranges::all_of(seen.outcomes, [&](const Outcome& outcome) {
    if (outcome.status != OutcomeStatus::stalled) return true;
    if (of_sync) {
      return std::ranges::any_of(outcome.waiting, [&](const Waiting& waiting) {
        return waiting.kind == WaitKind::full_core && waiting.instruction >= 0 &&
               (relaxed.sub_kernel < 0 || waiting.sub_kernel == relaxed.sub_kernel);
      });
    }
    if (outcome.counts.empty()) return true;
    const LaunchCounts& launch = outcome.counts.back();
    std::array<std::set<std::int32_t>, 2> stuck;
    for (const Waiting& waiting : outcome.waiting) {
      stuck[static_cast<std::size_t>(waiting.core.kind)].insert(waiting.core.index);
    }
    const auto all = [&](CoreKind kind, std::int32_t there) {
      return there > 0 && std::ssize(stuck[static_cast<std::size_t>(kind)]) >= there;
    };
    return all(CoreKind::aic, aic_cores(launch.type, launch.blocks)) ||
           all(CoreKind::aiv, aiv_cores(launch.type, launch.blocks));
  });
}

/// Did many runs complete?
bool never_stalls(const Evidence& seen) {
  return seen.outcomes.size() >= runs_to_be_steady &&
         std::ranges::all_of(seen.outcomes, [](const Outcome& outcome) {
           return outcome.status == OutcomeStatus::completed;
         });
}

/// What the weakening costs as an explanation; nothing if it does not admit all that was seen.
std::optional<double> cost_of(const Evidence& seen, const Allowed& normal,
                              const Relaxation& relaxed, Model& model) {
  const Allowed allowed = model.allowed(seen.test_case, seen.pins, relaxed);
  for (const Outcome& outcome : seen.outcomes) {
    if (!same_launches(allowed, outcome)) return std::nullopt;
    if (!contains(allowed, seen.test_case.mix, outcome)) return std::nullopt;
  }
  if (is_seen_elsewhere(seen, relaxed)) return std::nullopt;
  if (!stalls_as_it_must(seen, relaxed)) return std::nullopt;
  const bool lets_in = relaxed.weakening == Weakening::guard_missing ||
                       (relaxed.weakening == Weakening::guard && relaxed.amount > 0);
  double cost = a_size * relaxed.size;
  if (relaxed.weakening == Weakening::sub_core_left_out) cost += special;
  const bool stalled = seen.first->status == OutcomeStatus::stalled;
  if (stalled && lets_in && !seen.elsewhere) cost += not_seen_inside;
  if (allowed.stalled && !normal.stalled && never_stalls(seen)) cost += never_seen;
  const auto open = static_cast<double>(open_words(allowed));
  cost += seen.steady ? std::log2(1.0 + open) : open * a_tie;
  const bool certain = !allowed.stuck.empty() && !allowed.completed;
  if (stalled && !certain) cost += no_stuck_core;
  if (counts_contradict(normal, *seen.first, relaxed)) cost += contradicted;
  if (!gives_up(seen, normal, allowed)) return cost;
  // A sub kernel that leaves its regions reads garbage, each time the same way.
  if (allowed.error && !normal.error) return cost + garbage;
  // What is not judged any more explains nothing that is always the same.
  if (seen.steady) return std::nullopt;
  return cost + unjudged;
}

bool asks_for_numbers(const Case& c) {
  const OptionParse parsed = options_of(c);
  return parsed.options &&
         (parsed.options->debug_aic_num != 0 || parsed.options->debug_aiv_num != 0);
}

RuleId count_rule(const Case& c, const Allowed& normal, const Outcome& outcome) {
  struct Row {
    std::int64_t InsertedCounts::*count;
    RuleId rule;
  };
  static constexpr std::array<Row, 7> rows = {{
      {&InsertedCounts::refresh_per_access, RuleId::cache_1},
      {&InsertedCounts::refresh_before, RuleId::cache_2},
      {&InsertedCounts::refresh_after, RuleId::cache_3},
      {&InsertedCounts::refresh_debug, RuleId::fuse_2},
      {&InsertedCounts::barrier_before, RuleId::task_1},
      {&InsertedCounts::barrier_debug, RuleId::fuse_2},
      {&InsertedCounts::feed_joins, RuleId::sync_1},
  }};
  for (std::size_t l = 0; l < std::min(normal.counts.size(), outcome.counts.size()); ++l) {
    for (const InsertedCounts& owed : normal.counts[l].inserted) {
      InsertedCounts shown{.sub_kernel = owed.sub_kernel};
      for (const InsertedCounts& one : outcome.counts[l].inserted) {
        if (one.sub_kernel == owed.sub_kernel) shown = one;
      }
      const SubKernel& sub = c.mix.sub_kernels[static_cast<std::size_t>(owed.sub_kernel)];
      for (const Row& row : rows) {
        if (shown.*row.count >= owed.*row.count) continue;
        const bool listed = row.rule == RuleId::cache_2 || row.rule == RuleId::cache_3;
        return listed && sub.tiling == Tiling::offload ? RuleId::cache_5 : row.rule;
      }
    }
  }
  return RuleId::fuse_1;
}

/// CORE-3 for the answer of a GetBlockNum; else somebody ran what is not his, or did not what is.
RuleId query_rule(const Case& c, const Allowed& normal, const Outcome& outcome) {
  const std::size_t both = std::min(normal.queries.size(), outcome.queries.size());
  for (std::size_t i = 0; i < both; ++i) {
    const QueryRecord& shown = outcome.queries[i];
    const QueryRecord& owed = normal.queries[i].record;
    QueryRecord same_place = shown;
    same_place.value = owed.value;
    if (same_place != owed) break;
    if (shown.value == owed.value || !normal.queries[i].judged) continue;
    const SubKernel& sub = c.mix.sub_kernels[static_cast<std::size_t>(shown.sub_kernel)];
    const Instruction* query = instruction_at(sub.program(shown.core.kind), shown.instruction);
    if (query != nullptr && query->op == Op::get_block_num) {
      return is_captured(c) && sub.direct_launch ? RuleId::acl_2 : RuleId::core_3;
    }
    // RATIO-1 speaks of ratios; of the other indices no rule does but transparency.
    const bool ratio = query != nullptr && query->op == Op::get_task_ratio;
    return ratio || sub.type == KernelType::mix_aic_1_1 ? RuleId::ratio_1 : RuleId::fuse_1;
  }
  return RuleId::core_2;
}

/// A launch that is not the one of the rules, or one more or fewer.
RuleId launch_rule(const Case& c, const Allowed& normal, const Outcome& outcome) {
  if (asks_for_numbers(c)) return RuleId::core_6;
  const bool marks = std::ranges::any_of(c.mix.sub_kernels,
                                         [](const SubKernel& sub) { return !sub.scope.empty(); });
  if (!is_captured(c)) {
    return marks && normal.counts.size() != outcome.counts.size() ? RuleId::fuse_2 : RuleId::core_1;
  }
  const bool batch = std::ranges::any_of(c.mix.sub_kernels, &SubKernel::batch_mode);
  if (c.mix.options.find("debug_per_op_max_core_num=1") != std::string::npos) return RuleId::acl_9;
  if (marks) return RuleId::acl_8;
  return batch ? RuleId::acl_7 : RuleId::acl_1;
}

/// Of a stall that nothing explains: what its waits have in common.
std::optional<RuleId> wait_rule(const Case& c, const Outcome& outcome) {
  const std::vector<Waiting>& all = outcome.waiting;
  if (std::ranges::any_of(all, [](auto& w) { return w.kind == WaitKind::event; })) {
    return RuleId::fuse_5;
  }
  const auto at_own_wait = [&](const Waiting& waiting) {
    if (waiting.instruction < 0 || waiting.sub_kernel < 0) return false;
    const SubKernel& sub = c.mix.sub_kernels[static_cast<std::size_t>(waiting.sub_kernel)];
    const Instruction* in = instruction_at(sub.program(waiting.core.kind), waiting.instruction);
    return in != nullptr && in->op == Op::wait_pre_task_end;
  };
  if (std::ranges::any_of(all, at_own_wait)) return RuleId::task_3;
  // Second vector cores alone: what their cube signals inside the block does not reach them.
  const bool pairs =
      !outcome.counts.empty() && outcome.counts.back().type == KernelType::mix_aic_1_2;
  const auto is_second = [](const Waiting& waiting) {
    return waiting.core.kind == CoreKind::aiv && waiting.core.index % 2 == 1;
  };
  if (pairs && !all.empty() && std::ranges::all_of(all, is_second)) return RuleId::sync_4;
  return std::nullopt;
}

/// No weakening admits it: what the first misfit itself points at.
Attribution by_kind(const Evidence& seen, const Allowed& normal) {
  const Case& c = seen.test_case;
  Attribution found;
  std::string text = seen.misfit.text;
  switch (seen.misfit.misfit) {
    case Misfit::launch: found.rule = launch_rule(c, normal, *seen.first); break;
    case Misfit::counts: found.rule = count_rule(c, normal, *seen.first); break;
    case Misfit::query: found.rule = query_rule(c, normal, *seen.first); break;
    case Misfit::memory: text += writers_of(c, seen.misfit.words.front()); break;
    case Misfit::status:
      if (seen.first->rule) {
        found.rule = *seen.first->rule;
      } else if (const auto rule = wait_rule(c, *seen.first)) {
        found.rule = *rule;
      }
      if (seen.elsewhere) {
        found.rule = RuleId::core_2;
        text += ", a core that has no part in it";
      }
      break;
    default: break;
  }
  const bool plain = seen.misfit.misfit == Misfit::launch || seen.misfit.misfit == Misfit::counts ||
                     seen.misfit.misfit == Misfit::query;
  found.sentence =
      fmt::format("{}: {} [{}].",
                  plain ? "The target itself tells" : "No single weakening of a rule explains this",
                  text, skcts::to_string(found.rule));
  return found;
}

Evidence evidence_of(const Case& test_case, const Allowed& normal,
                     std::span<const Outcome> outcomes, const std::vector<LatitudePin>& pins) {
  Evidence seen{
      .test_case = test_case, .outcomes = outcomes, .pins = pins, .misfit = {}, .words = {}};
  for (const Outcome& outcome : outcomes) {
    Containment misfit = contains(normal, test_case.mix, outcome);
    if (misfit.misfit != Misfit::launch && !same_launches(normal, outcome)) {
      misfit.misfit = Misfit::launch;
      misfit.text = "another launch is declared than the sub kernels need";
    }
    if (misfit) continue;
    if (outcome.status == OutcomeStatus::completed) {
      for (std::size_t i = 0; i < std::min(normal.memory.size(), outcome.memory.size()); ++i) {
        const bool wrong =
            normal.memory[i].kind == WordKind::exact && normal.memory[i].value != outcome.memory[i];
        if (wrong) seen.words.push_back(static_cast<std::int64_t>(i));
      }
    }
    if (seen.first != nullptr) continue;
    seen.first = &outcome;
    seen.misfit = std::move(misfit);
  }
  seen.steady = outcomes.size() >= runs_to_be_steady &&
                std::ranges::all_of(outcomes, [&](const Outcome& outcome) {
                  return outcome.status == outcomes.front().status &&
                         outcome.memory == outcomes.front().memory;
                });
  if (seen.first != nullptr) seen.elsewhere = is_seen_elsewhere(seen, nobody());
  return seen;
}

}  // namespace

std::optional<Attribution> attribute(Model& model, const Case& test_case,
                                     std::span<const Outcome> outcomes,
                                     const std::vector<LatitudePin>& pins) {
  const Allowed normal = model.allowed(test_case, pins);
  const Evidence seen = evidence_of(test_case, normal, outcomes, pins);
  if (seen.first == nullptr) return std::nullopt;
  // The target itself tells what is missing; that a sub kernel did not run explains it, too.
  const bool counts_only = seen.misfit.misfit == Misfit::counts && seen.words.empty();
  const std::vector<Relaxation> all = relaxations_of(test_case);
  const Relaxation* best = nullptr;
  double best_cost = 0;
  int runs = 1;
  for (const Relaxation& relaxed : all) {
    if (best != nullptr && best_cost <= a_size * relaxed.size + special) break;
    if (runs == attribution_runs_max) break;
    ++runs;
    const std::optional<double> cost = cost_of(seen, normal, relaxed, model);
    if (!cost || (best != nullptr && *cost >= best_cost)) continue;
    best = &relaxed;
    best_cost = *cost;
  }
  Attribution found;
  const bool of_who_runs = best != nullptr && best->weakening >= Weakening::guard &&
                           best->weakening <= Weakening::swapped;
  if (best == nullptr || (counts_only && of_who_runs)) {
    found = by_kind(seen, normal);
  } else {
    found.rule = best->rule;
    found.relaxation = best->name;
    found.sentence = best->sentence;
  }
  found.runs = runs;
  return found;
}

std::optional<Attribution> attribute(Model& model, const Case& test_case, const Outcome& outcome,
                                     const std::vector<LatitudePin>& pins) {
  return attribute(model, test_case, std::span(&outcome, 1), pins);
}

}  // namespace skcts::model
