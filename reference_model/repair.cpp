#include "reference_model/repair.h"

#include <algorithm>
#include <array>

#include "reference_model/repair_candidates.h"
#include "spec/case_work.h"
#include "spec/check.h"
#include "spec/program.h"
#include "spec/validate.h"

namespace skcts::model {
namespace {

/// Cases that are analysed at most: about as much work for a small mix as for a whole chip.
constexpr std::int64_t work_max = 6'000'000;
constexpr std::int64_t fewest_tries = 60;
constexpr std::int64_t most_tries = 900;
/// What is no cure alone is built on so often, and so many of it.
constexpr std::size_t rounds_max = 3;
constexpr std::size_t kept_max = 3;

/// Do blocks that have nothing to do make this call, so that all cores meet?
bool is_met_by_all(const SubKernel& sub, const Instruction& in) {
  switch (in.op) {
    case Op::cross_core_set_flag: return in.mode == 0;
    case Op::cross_core_wait_flag: {
      const auto joins = [&](const Instruction& other) {
        return other.op == Op::cross_core_set_flag && other.mode == 0 &&
               (other.id & 15) == (in.id & 15);
      };
      return std::any_of(sub.aic.begin(), sub.aic.end(), joins) ||
             std::any_of(sub.aiv.begin(), sub.aiv.end(), joins);
    }
    case Op::sync_all:
    case Op::pipe_barrier:
    case Op::set_next_task_start:
    case Op::wait_pre_task_end: return true;
    default: return false;
  }
}

void widen(SubKernel& sub, std::int32_t blocks) {
  const SubKernel narrow = sub;
  const IndexName index = is_aiv_kind(sub.type) ? IndexName::core : IndexName::block;
  for (std::vector<Instruction>* program : {&sub.aic, &sub.aiv}) {
    for (Instruction& in : *program) {
      if (is_met_by_all(narrow, in)) continue;
      in.where.all.push_back({index, 0, narrow.blocks - 1});
    }
  }
  sub.blocks = blocks;
}

/// Every fused launch of the sub kernel becomes three: what is before it, it alone, the rest.
Plan split(const Case& test_case, std::int32_t sub_kernel) {
  Plan plan;
  for (const PlanStep& step : effective_plan(test_case.mix, test_case.plan).steps) {
    const auto at = std::find(step.sub_kernels.begin(), step.sub_kernels.end(), sub_kernel);
    if (step.kind != skcts::StepKind::fused || at == step.sub_kernels.end()) {
      plan.steps.push_back(step);
      continue;
    }
    const auto add = [&](skcts::StepKind kind, auto first, auto last) {
      if (first == last) return;
      PlanStep part;
      part.kind = kind;
      part.sub_kernels.assign(first, last);
      plan.steps.push_back(std::move(part));
    };
    add(skcts::StepKind::fused, step.sub_kernels.begin(), at);
    add(skcts::StepKind::alone, at, at + 1);
    add(skcts::StepKind::fused, at + 1, step.sub_kernels.end());
  }
  return plan;
}

void apply(Case& test_case, const Edit& edit) {
  Mix& mix = test_case.mix;
  if (edit.kind == EditKind::split) {
    test_case.plan = split(test_case, edit.at.sub_kernel);
    return;
  }
  if (edit.kind == EditKind::options) {
    mix.options = edit.options;
    return;
  }
  if (edit.kind == EditKind::region) {
    Region& region = mix.regions[static_cast<std::size_t>(edit.region)];
    region.words = edit.words;
    region.init = edit.init;
    return;
  }
  SubKernel& sub = mix.sub_kernels[static_cast<std::size_t>(edit.at.sub_kernel)];
  if (edit.kind == EditKind::kernel_type) {
    sub.type = edit.type;
    return;
  }
  if (edit.kind == EditKind::widen) return widen(sub, edit.blocks);
  std::vector<Instruction>& program = sub.program(edit.at.side);
  const Found found = find_place(program, edit.at.place);
  if (found.list == nullptr) {
    SKCTS_CHECK(edit.kind == EditKind::insert,
                "a repair edits instruction {} of {}, which has none", edit.at.place, sub.name);
    program.push_back(edit.instruction);
    return;
  }
  const auto at = found.list->begin() + static_cast<std::ptrdiff_t>(found.index);
  switch (edit.kind) {
    case EditKind::insert: found.list->insert(at, edit.instruction); break;
    case EditKind::insert_behind: found.list->insert(at + 1, edit.instruction); break;
    case EditKind::remove: found.list->erase(at); break;
    case EditKind::change: *at = edit.instruction; break;
    default: break;
  }
}

/// How much is wrong: less means that an edit helped.
std::size_t trouble_of(const Analysis& analysis) {
  std::size_t trouble = 0;
  switch (analysis.behaviour) {
    case Behaviour::refused: trouble += 4000; break;
    case Behaviour::error:
    case Behaviour::stalls:
    case Behaviour::may_stall: trouble += 2000; break;
    case Behaviour::nondeterministic_data: trouble += 1000; break;
    case Behaviour::wrong_data: trouble += 900; break;
    case Behaviour::completes: break;
  }
  if (analysis.rule) trouble += 100;
  return trouble + 20 * analysis.also.size() + analysis.races.size() + analysis.waiting.size();
}

}  // namespace

std::string_view to_string(EditKind kind) {
  constexpr std::array<std::string_view, 9> names = {"insert", "insert-behind", "remove",
                                                     "change", "options",       "kernel-type",
                                                     "widen",  "split",         "region"};
  return names[static_cast<std::size_t>(kind)];
}

Case repaired(const Case& test_case, const Repair& repair) {
  Case result = test_case;
  for (const Edit& edit : repair.edits) apply(result, edit);
  return result;
}

bool Repairer::is_clean(const Analysis& analysis) const {
  if (analysis.behaviour != Behaviour::completes || analysis.rule) return false;
  if (alone_memory_.empty() || analysis.allowed.memory.size() != alone_memory_.size()) {
    return alone_memory_.empty();
  }
  for (std::size_t w = 0; w < alone_memory_.size(); ++w) {
    const WordAllowed& word = analysis.allowed.memory[w];
    if (word.kind == WordKind::exact && word.value != alone_memory_[w]) return false;
  }
  return true;
}

std::optional<Repair> Repairer::step(const Case& test_case, const Attempt& base,
                                     std::vector<Attempt>& helps) {
  const Case before = repaired(test_case, base.repair);
  std::optional<Repair> best;
  for (Repair& more : RepairCandidates(before, base.analysis).make()) {
    if (best && more.cost + base.repair.cost > best->cost) break;
    if (tries_ >= tries_max_) break;
    const Case trial = repaired(before, more);
    if (!validate(trial).empty()) continue;
    ++tries_;
    Analysis analysis = model_.analyse(trial, pins_, Leaning::left_out);
    const bool clean = is_clean(analysis);
    if (best && !(clean && analysis.portable)) continue;
    Repair whole = base.repair;
    whole.edits.insert(whole.edits.end(), more.edits.begin(), more.edits.end());
    whole.cost += more.cost;
    whole.away = std::max(whole.away, more.away);
    if (clean) {
      best = std::move(whole);
      if (analysis.portable) break;  // of one size the portable one
      continue;
    }
    const std::size_t trouble = trouble_of(analysis);
    if (trouble < base.trouble) helps.push_back({std::move(whole), trouble, std::move(analysis)});
  }
  return best;
}

std::optional<Repair> Repairer::find(const Case& test_case, const Analysis& analysis,
                                     const std::vector<LatitudePin>& pins) {
  tries_ = 0;
  if (analysis.behaviour == Behaviour::completes && !analysis.rule) return std::nullopt;
  pins_ = pins;
  alone_memory_ = analysis.alone_memory;
  const std::int64_t work = std::max<std::int64_t>(1, work_of(test_case).total());
  tries_max_ = static_cast<std::size_t>(std::clamp(work_max / work, fewest_tries, most_tries));
  Case plain = test_case;
  plain.schedule.reset();
  plain.expect.reset();
  std::vector<Attempt> bases(1);
  bases.front().analysis = analysis;
  bases.front().trouble = trouble_of(analysis);
  for (std::size_t round = 0; round < rounds_max; ++round) {
    std::vector<Attempt> helps;
    std::optional<Repair> best;
    for (const Attempt& base : bases) {
      const std::optional<Repair> found = step(plain, base, helps);
      if (found && (!best || found->cost < best->cost)) best = found;
    }
    if (best) return best;
    std::stable_sort(helps.begin(), helps.end(), [](const Attempt& a, const Attempt& b) {
      return a.trouble + static_cast<std::size_t>(a.repair.cost) <
             b.trouble + static_cast<std::size_t>(b.repair.cost);
    });
    if (helps.size() > kept_max) helps.resize(kept_max);
    bases = std::move(helps);
  }
  return std::nullopt;
}

}  // namespace skcts::model
