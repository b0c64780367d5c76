// Reads the rule of a failure from declared counts, query log, waiting cores or refusal.
#include "harness/judge/attribution.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "harness/judge/declared.h"
#include "harness/target/target.h"
#include "spec/options.h"
#include "spec/program.h"

namespace skcts::judge {
namespace {

const SubKernel* sub_kernel_at(const Case& test_case, int place) {
  const auto& all = test_case.mix.sub_kernels;
  if (place < 0 || static_cast<std::size_t>(place) >= all.size()) return nullptr;
  return &all[static_cast<std::size_t>(place)];
}

std::string name_of(const Case& test_case, int place) {
  const SubKernel* const k = sub_kernel_at(test_case, place);
  return k == nullptr ? fmt::format("sub kernel {}", place) : k->name;
}

/// The op at a place in text order, or nothing.
std::optional<Op> op_at(const std::vector<Instruction>& program, int place, int& count) {
  for (const Instruction& instruction : program) {
    if (count++ == place) return instruction.op;
    if (const auto found = op_at(instruction.body, place, count)) return found;
  }
  return std::nullopt;
}

std::optional<Op> op_of(const Case& test_case, int sub_kernel, CoreKind kind, int place) {
  const SubKernel* const k = sub_kernel_at(test_case, sub_kernel);
  if (k == nullptr || place < 0) return std::nullopt;
  int count = 0;
  return op_at(k->program(kind), place, count);
}

bool sets_launch_by_option(const Case& test_case) {
  const OptionParse parse = parse_options(test_case.mix.options);
  return parse.options && (parse.options->debug_aic_num > 0 || parse.options->debug_aiv_num > 0);
}

bool is_captured(const Case& test_case) {
  return test_case.path == "aclgraph";
}

/// A launch of another size than its sub kernels need, by what decides of it on the path.
RuleId launch_rule(const Case& test_case, bool fused) {
  if (!is_captured(test_case)) {
    return fused && sets_launch_by_option(test_case) ? RuleId::core_6 : RuleId::core_1;
  }
  if (test_case.mix.options.find("debug_per_op_max_core_num=1") != std::string::npos) {
    return RuleId::acl_9;
  }
  const auto& all = test_case.mix.sub_kernels;
  if (std::ranges::any_of(all, [](const SubKernel& k) { return !k.scope.empty(); })) {
    return RuleId::acl_8;
  }
  return std::ranges::any_of(all, &SubKernel::batch_mode) ? RuleId::acl_7 : RuleId::acl_1;
}

/// One kind of insertion and the rule that asks for it.
struct CountRow {
  CountKind kind;
  RuleId rule;
  RuleId offload_rule;  ///< In a sub kernel under tiling offload.
};

constexpr std::array<CountRow, 7> count_rows{{
    {CountKind::refresh_per_access, RuleId::cache_1, RuleId::cache_5},
    {CountKind::refresh_before, RuleId::cache_2, RuleId::cache_5},
    {CountKind::refresh_after, RuleId::cache_3, RuleId::cache_5},
    {CountKind::refresh_debug, RuleId::fuse_2, RuleId::fuse_2},
    {CountKind::barrier_before, RuleId::task_1, RuleId::task_1},
    {CountKind::barrier_debug, RuleId::fuse_2, RuleId::fuse_2},
    {CountKind::feed_joins, RuleId::sync_1, RuleId::sync_1},
}};

const InsertedCounts* inserted_for(const LaunchCounts& launch, int sub_kernel) {
  for (const InsertedCounts& counts : launch.inserted) {
    if (counts.sub_kernel == sub_kernel) return &counts;
  }
  return nullptr;
}

using Place = std::tuple<int, CoreId>;
Place place_of(const QueryRecord& record) {
  return {record.launch, record.core};
}

bool same_site(const QueryRecord& a, const QueryRecord& b) {
  return a.launch == b.launch && a.core == b.core && a.sub_kernel == b.sub_kernel &&
         a.instruction == b.instruction;
}

Clue wrong_value(const Case& test_case, const QueryRecord& wanted, const QueryRecord& seen) {
  const auto op = op_of(test_case, wanted.sub_kernel, wanted.core.kind, wanted.instruction);
  const std::string_view name = op ? to_string(*op) : "query";
  Clue clue;
  if (op == Op::get_block_num) {
    const SubKernel* const k = sub_kernel_at(test_case, wanted.sub_kernel);
    const bool direct = is_captured(test_case) && k != nullptr && k->direct_launch;
    clue.rule = direct ? RuleId::acl_2 : RuleId::core_3;
  }
  clue.shape = fmt::format("{}-value", name);
  clue.sentence = fmt::format("{} in {} on {} gave {}; {} is what the contract allows.", name,
                              name_of(test_case, wanted.sub_kernel), to_string(wanted.core),
                              seen.value, wanted.value);
  return clue;
}

Clue extra_record(const Case& test_case, const QueryRecord& seen) {
  return {RuleId::core_2, "query-extra",
          fmt::format("{} of launch {} ran {}, which is none of its cores' work.",
                      to_string(seen.core), seen.launch, name_of(test_case, seen.sub_kernel))};
}

Clue missing_record(const Case& test_case, const QueryRecord& wanted) {
  const SubKernel* const k = sub_kernel_at(test_case, wanted.sub_kernel);
  const bool one_to_one = k != nullptr && k->type == KernelType::mix_aic_1_1;
  return {one_to_one ? RuleId::ratio_1 : RuleId::core_2, "query-missing",
          fmt::format("{} of launch {} did not run its part of {}.", to_string(wanted.core),
                      wanted.launch, name_of(test_case, wanted.sub_kernel))};
}

bool calls_sync_all(const std::vector<Instruction>& program) {
  return std::ranges::any_of(program, [](const Instruction& instruction) {
    return instruction.op == Op::sync_all || calls_sync_all(instruction.body);
  });
}

/// A sub kernel narrower than its launch calls SyncAll and the options ask for feeding.
bool relies_on_feeding(const Case& test_case, const LaunchCounts& launch) {
  const OptionParse parse = parse_options(test_case.mix.options);
  if (!parse.options || !parse.options->feed_sync_all) return false;
  for (const InsertedCounts& inserted : launch.inserted) {
    const SubKernel* const k = sub_kernel_at(test_case, inserted.sub_kernel);
    if (k == nullptr || (!calls_sync_all(k->aic) && !calls_sync_all(k->aiv))) continue;
    if (aiv_cores(k->type, k->blocks) < aiv_cores(launch.type, launch.blocks) ||
        aic_cores(k->type, k->blocks) < aic_cores(launch.type, launch.blocks)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Clue> launch_clue(const Case& test_case, const Allowed& allowed,
                                const Outcome& outcome) {
  const std::size_t launches = std::min(allowed.counts.size(), outcome.counts.size());
  for (std::size_t i = 0; i < launches; ++i) {
    const LaunchCounts& wanted = allowed.counts[i];
    const LaunchCounts& seen = outcome.counts[i];
    if (wanted.type == seen.type && wanted.blocks == seen.blocks) continue;
    return Clue{
        launch_rule(test_case, wanted.fused), "launch",
        fmt::format("Launch {} is {} x {}; {} x {} is what its sub kernels need.", i,
                    to_string(seen.type), seen.blocks, to_string(wanted.type), wanted.blocks)};
  }
  return std::nullopt;
}

std::optional<Clue> count_clue(const Case& test_case, const Allowed& allowed,
                               const Outcome& outcome) {
  const std::size_t launches = std::min(allowed.counts.size(), outcome.counts.size());
  for (std::size_t i = 0; i < launches; ++i) {
    for (const InsertedCounts& wanted : allowed.counts[i].inserted) {
      const InsertedCounts* const seen = inserted_for(outcome.counts[i], wanted.sub_kernel);
      for (const CountRow& row : count_rows) {
        const auto count = count_of(row.kind);
        const std::int64_t have = seen == nullptr ? 0 : seen->*count;
        if (have >= wanted.*count) continue;
        const SubKernel* const k = sub_kernel_at(test_case, wanted.sub_kernel);
        const bool offload = k != nullptr && k->tiling == Tiling::offload;
        return Clue{
            offload ? row.offload_rule : row.rule, std::string(to_string(row.kind)),
            fmt::format("Launch {} declares {} {} for {}; at least {} are guaranteed.", i, have,
                        to_string(row.kind), name_of(test_case, wanted.sub_kernel), wanted.*count)};
      }
    }
  }
  return std::nullopt;
}

std::optional<Clue> query_clue(const Case& test_case, const Allowed& allowed,
                               const Outcome& outcome) {
  std::size_t w = 0;
  std::size_t s = 0;
  while (w < allowed.queries.size() || s < outcome.queries.size()) {
    if (w == allowed.queries.size()) return extra_record(test_case, outcome.queries[s]);
    const QueryRecord& wanted = allowed.queries[w].record;
    if (s == outcome.queries.size()) return missing_record(test_case, wanted);
    const QueryRecord& seen = outcome.queries[s];
    if (same_site(wanted, seen)) {
      if (allowed.queries[w].judged && wanted.value != seen.value) {
        return wrong_value(test_case, wanted, seen);
      }
      ++w;
      ++s;
      continue;
    }
    const bool extra = std::ranges::none_of(allowed.queries, [&](const ExpectedQuery& q) {
      return place_of(q.record) == place_of(seen) && q.record.sub_kernel == seen.sub_kernel;
    });
    return extra ? extra_record(test_case, seen) : missing_record(test_case, wanted);
  }
  return std::nullopt;
}

Clue stall_clue(const Case& test_case, const Allowed& allowed, const Outcome& outcome) {
  Clue clue;
  std::set<std::string> shapes;
  const Waiting* first = nullptr;
  for (const Waiting& waiting : outcome.waiting) {
    // Idle cores and full queues follow from the others.
    if (waiting.kind == WaitKind::feed || waiting.kind == WaitKind::queue_full) continue;
    shapes.insert(fmt::format("{}-{}", to_string(waiting.core.kind), to_string(waiting.kind)));
    if (first == nullptr || std::tie(waiting.launch, waiting.sub_kernel, waiting.core) <
                                std::tie(first->launch, first->sub_kernel, first->core)) {
      first = &waiting;
    }
  }
  clue.shape = shapes.empty() ? "no-wait" : fmt::format("{}", fmt::join(shapes, "+"));
  if (first == nullptr) {
    clue.sentence = "The run stalled, but every schedule completes; no waiting core is named.";
    return clue;
  }
  const auto launch = static_cast<std::size_t>(std::max(first->launch, 0));
  if (first->kind == WaitKind::full_core && launch < allowed.counts.size() &&
      relies_on_feeding(test_case, allowed.counts[launch])) {
    clue.rule = RuleId::sync_1;
  }
  const std::string where =
      first->instruction < 0
          ? fmt::format("the boundary before {}", name_of(test_case, first->sub_kernel))
          : fmt::format("{} {}[{}]", name_of(test_case, first->sub_kernel),
                        to_string(first->core.kind), first->instruction);
  clue.sentence = fmt::format(
      "The run stalled, but every schedule completes: {} waits ({}) at {}, and {} more wait{} "
      "too.",
      to_string(first->core), to_string(first->kind), where, outcome.waiting.size() - 1,
      outcome.waiting.size() == 2 ? "s" : "");
  return clue;
}

Clue refusal_clue(const Case& test_case, const Outcome& outcome) {
  Clue clue;
  clue.rule = outcome.rule;
  // On that path no option is refused.
  if (is_captured(test_case) && clue.rule.value_or(RuleId::fuse_3) == RuleId::fuse_3) {
    clue.rule = RuleId::acl_6;
  }
  if (!clue.rule) {
    clue.rule = sets_launch_by_option(test_case) ? RuleId::core_6 : RuleId::fuse_3;
  }
  clue.shape = "refused";
  clue.sentence = fmt::format("A legal case was refused{}{}.", outcome.reason.empty() ? "" : ": ",
                              outcome.reason);
  return clue;
}

}  // namespace skcts::judge
