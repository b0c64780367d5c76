#include "reference_model/repair_candidates.h"

#include <algorithm>
#include <cstdlib>

#include "spec/program.h"

namespace skcts::model {
namespace {

constexpr std::int32_t far_away = 1000;

Instruction of(Op op) {
  return {.op = op};
}

}  // namespace

Found find_place(std::vector<Instruction>& program, std::int32_t place) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (place == 0) return {&program, i};
    const std::int32_t inside = instruction_count(program[i].body);
    if (place <= inside) return find_place(program[i].body, place - 1);
    place -= 1 + inside;
  }
  return {};
}

RepairCandidates::RepairCandidates(const Case& test_case, const Analysis& analysis)
    : case_(test_case), mix_(test_case.mix), analysis_(analysis) {
  const OptionParse parsed = options_of(test_case);
  options_known_ = parsed.options.has_value();
  options_ = parsed.options.value_or(Options());
  for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
    for (const CoreKind side : {CoreKind::aic, CoreKind::aiv}) {
      std::int32_t place = 0;
      list_program(static_cast<std::int32_t>(k), side, mix_.sub_kernels[k].program(side), place, 0);
    }
  }
  const auto heat = [&](std::int32_t sub_kernel, CoreKind side, std::int32_t place) {
    if (sub_kernel >= 0) hot_.push_back({sub_kernel, side, place});
  };
  for (const StuckWait& wait : analysis.waiting) {
    heat(wait.waiting.sub_kernel, wait.waiting.core.kind, wait.waiting.instruction);
  }
  constexpr std::size_t pairs_max = 4;
  for (const Race& race : analysis.races) {
    const Access& x = race.first;
    const Access& y = race.second;
    heat(x.sub_kernel, x.core.kind, x.instruction);
    heat(y.sub_kernel, y.core.kind, y.instruction);
    const Pair pair{{x.sub_kernel, x.core.kind, x.instruction},
                    {y.sub_kernel, y.core.kind, y.instruction},
                    race.rule};
    const bool known = std::find(pairs_.begin(), pairs_.end(), pair) != pairs_.end();
    if (!known && pairs_.size() < pairs_max) pairs_.push_back(pair);
  }
  std::sort(hot_.begin(), hot_.end(), [](const Spot& a, const Spot& b) {
    return std::tie(a.sub_kernel, a.side, a.place) < std::tie(b.sub_kernel, b.side, b.place);
  });
  hot_.erase(std::unique(hot_.begin(), hot_.end()), hot_.end());
}

void RepairCandidates::list_program(std::int32_t sub, CoreKind side,
                                    const std::vector<Instruction>& program, std::int32_t& place,
                                    int depth) {
  for (const Instruction& in : program) {
    all_.push_back({{sub, side, place++}, &in, depth});
    list_program(sub, side, in.body, place, depth + 1);
  }
}

std::int32_t RepairCandidates::distance(const Spot& spot) const {
  std::int32_t best = far_away;
  for (const Spot& hot : hot_) {
    if (hot.sub_kernel != spot.sub_kernel) continue;
    if (hot.side != spot.side || hot.place < 0) {
      best = std::min(best, far_away / 2);
    } else {
      best = std::min(best, std::abs(hot.place - spot.place));
    }
  }
  return best;
}

const SubKernel& RepairCandidates::sub(const Spot& spot) const {
  return mix_.sub_kernels[static_cast<std::size_t>(spot.sub_kernel)];
}

std::vector<RepairCandidates::Listed> RepairCandidates::program_of(std::int32_t sub_kernel,
                                                                   CoreKind side) const {
  std::vector<Listed> found;
  for (const Listed& one : all_) {
    if (one.spot.sub_kernel == sub_kernel && one.spot.side == side) found.push_back(one);
  }
  return found;
}

std::int32_t RepairCandidates::length(std::int32_t sub_kernel, CoreKind side) const {
  return instruction_count(sub({sub_kernel, side, 0}).program(side));
}

/// Is the fault seen there? Where nothing is known of its place, it may be anywhere.
bool RepairCandidates::is_hot(std::int32_t sub_kernel) const {
  return hot_.empty() || std::any_of(hot_.begin(), hot_.end(),
                                     [&](const Spot& hot) { return hot.sub_kernel == sub_kernel; });
}

bool RepairCandidates::has(Op op) const {
  return std::any_of(all_.begin(), all_.end(),
                     [op](const Listed& one) { return one.in->op == op; });
}

/// An id from there on that no flag of the mix has, and nothing inserted; -1: none.
std::int32_t RepairCandidates::free_flag(std::int32_t from) const {
  for (std::int32_t id = from; id <= 10; ++id) {
    const bool used = std::any_of(all_.begin(), all_.end(), [id](const Listed& one) {
      const bool flag =
          one.in->op == Op::cross_core_set_flag || one.in->op == Op::cross_core_wait_flag;
      return flag && (one.in->id & 15) == id;
    });
    if (!used) return id;
  }
  return -1;
}

void RepairCandidates::add(std::int32_t cost, std::vector<Edit> edits, std::int32_t away) {
  if (away < 0) {
    away = 0;
    for (const Edit& edit : edits) {
      if (edit.at.place >= 0) away = std::max(away, distance(edit.at));
    }
  }
  Repair repair{std::move(edits), cost, away};
  const bool known = std::any_of(made_.begin(), made_.end(), [&](const Repair& other) {
    return other.cost == repair.cost && other.edits == repair.edits;
  });
  if (!known) made_.push_back(std::move(repair));
}

void RepairCandidates::change(std::int32_t cost, const Spot& spot, const Instruction& into) {
  add(cost, {change_at(spot, into)});
}

std::vector<Repair> RepairCandidates::make() {
  std::vector<RuleId> rules;
  const auto ask = [&](std::optional<RuleId> rule) {
    if (rule && std::find(rules.begin(), rules.end(), *rule) == rules.end()) rules.push_back(*rule);
  };
  ask(analysis_.rule);
  for (const Also& also : analysis_.also) ask(also.rule);
  for (const StuckWait& wait : analysis_.waiting) {
    if (wait.root) ask(wait.rule);
  }
  for (const RuleId rule : rules) for_rule(rule);
  if (analysis_.behaviour == Behaviour::refused) option_edits(false);
  std::stable_sort(made_.begin(), made_.end(), [](const Repair& a, const Repair& b) {
    return std::tie(a.cost, a.away) < std::tie(b.cost, b.away);
  });
  return std::move(made_);
}

void RepairCandidates::for_rule(RuleId rule) {
  switch (rule) {
    case RuleId::core_5:
    case RuleId::core_6:
    case RuleId::core_8: option_edits(false); return splits();
    case RuleId::sync_3:
      option_edits(false);
      everywhere({Op::cross_core_set_flag, Op::cross_core_wait_flag});
      hand_made_by_sync_all();
      widen();
      return splits();
    case RuleId::sync_5:
      removals({Op::cross_core_set_flag, Op::cross_core_wait_flag});
      everywhere({Op::cross_core_set_flag, Op::cross_core_wait_flag});
      insert_flag_waits();
      insert_flag_raises();
      return moves({Op::cross_core_set_flag, Op::cross_core_wait_flag});
    case RuleId::sync_6: removals({Op::cross_core_set_flag}); return pace_loops();
    case RuleId::sync_7: return new_ids();
    case RuleId::sync_8: return sync_all_kinds();
    case RuleId::sync_9: return soft_sync();
    case RuleId::sync_11:
      raise_pipes();
      insert_sync_alls();
      insert_flag_pairs();
      insert_flag_waits();
      pipe_barriers();
      return moves({Op::cross_core_set_flag, Op::cross_core_wait_flag, Op::sync_all});
    case RuleId::sync_12: split_ids(); return raise_pipes();
    case RuleId::sync_13: kernel_types(); return sync_all_kinds();
    case RuleId::sync_14:
      everywhere({Op::sync_all});
      removals({Op::sync_all});
      return option_edits(false);
    case RuleId::sync_16: return polls();
    case RuleId::ratio_2: return everywhere({Op::cross_core_set_flag, Op::cross_core_wait_flag});
    case RuleId::ratio_3: return on_one_vector();
    case RuleId::ratio_4: on_one_vector(); return by_block();
    case RuleId::cache_7:
    case RuleId::cache_11: refreshes(); return whole_lines();
    case RuleId::cache_8: whole_lines(); return refreshes();
    case RuleId::pipe_2:
    case RuleId::pipe_6: pipe_barriers(); return event_pairs();
    case RuleId::pipe_4:
      removals({Op::set_flag, Op::wait_flag});
      event_halves();
      return moves({Op::set_flag, Op::wait_flag});
    case RuleId::pipe_5:
      final_barriers();
      pipe_barriers();
      return option_edits(true);
    case RuleId::pipe_7: return longer_loads();
    case RuleId::task_4:
      everywhere({Op::set_next_task_start, Op::wait_pre_task_end});
      removals({Op::set_next_task_start, Op::wait_pre_task_end});
      return task_calls();
    case RuleId::task_5:
      moves({Op::set_next_task_start, Op::wait_pre_task_end});
      pipe_barriers();
      task_calls();
      return option_edits(true);
    case RuleId::task_7:
      moves({Op::set_next_task_start, Op::wait_pre_task_end});
      return task_calls();
    default: return;
  }
}

/// The launch as wide as its widest sub kernel, idle cores that take part, no early start.
void RepairCandidates::option_edits(bool early) {
  if (!options_known_) return;
  if (early && options_.early_start != 0) {
    Options strict = options_;
    strict.early_start = 0;
    add(14, {set_options(strict)}, 0);
  }
  if (early) return;
  if (options_.debug_aic_num != 0 || options_.debug_aiv_num != 0) {
    Options natural = options_;
    natural.debug_aic_num = natural.debug_aiv_num = 0;
    add(8, {set_options(natural)}, 0);
  }
  if (!options_.feed_sync_all && has(Op::sync_all)) {
    Options fed = options_;
    fed.feed_sync_all = true;
    add(8, {set_options(fed)}, 0);
  }
}

void RepairCandidates::kernel_types() {
  for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
    const KernelType type = mix_.sub_kernels[k].type;
    if (type != KernelType::aiv_only && type != KernelType::aic_only) continue;
    Edit edit;
    edit.kind = EditKind::kernel_type;
    edit.at.sub_kernel = static_cast<std::int32_t>(k);
    edit.type = type == KernelType::aiv_only ? KernelType::mix_aiv_1_0 : KernelType::mix_aic_1_0;
    add(9, {edit}, 0);
  }
}

/// Calls that every core has to make lose their condition.
void RepairCandidates::everywhere(std::initializer_list<Op> ops) {
  for (const Listed& one : all_) {
    if (one.in->where.all.empty()) continue;
    if (std::find(ops.begin(), ops.end(), one.in->op) == ops.end()) continue;
    Instruction always = *one.in;
    always.where.all.clear();
    change(9, one.spot, always);
  }
}

void RepairCandidates::removals(std::initializer_list<Op> ops) {
  for (const Listed& one : all_) {
    if (std::find(ops.begin(), ops.end(), one.in->op) == ops.end()) continue;
    const bool twice = std::any_of(all_.begin(), all_.end(), [&](const Listed& other) {
      return other.spot.sub_kernel == one.spot.sub_kernel && other.spot.side == one.spot.side &&
             other.spot.place == one.spot.place + 1 && *other.in == *one.in;
    });
    add(twice ? 8 : 12, {remove_at(one.spot)});
  }
}

/// To another place of the same list: what is in the way goes along.
void RepairCandidates::moves(std::initializer_list<Op> ops) {
  constexpr std::int32_t reach = 24;
  for (const Listed& one : all_) {
    if (std::find(ops.begin(), ops.end(), one.in->op) == ops.end()) continue;
    if (!is_hot(one.spot.sub_kernel)) continue;
    const std::int32_t end = length(one.spot.sub_kernel, one.spot.side);
    for (std::int32_t to = std::max(0, one.spot.place - reach);
         to <= std::min(end - 1, one.spot.place + reach); ++to) {
      if (to == one.spot.place) continue;
      // Without it the places behind count one less.
      Spot target = one.spot;
      target.place = to;
      add(11, {remove_at(one.spot), insert_at(target, *one.in)}, std::abs(to - one.spot.place));
    }
  }
}

/// SYNC-8, SYNC-13: the SyncAll that fits the cores of the sub kernel, or joins cubes too.
void RepairCandidates::sync_all_kinds() {
  for (const Listed& one : all_) {
    if (one.in->op != Op::sync_all) continue;
    Instruction other = *one.in;
    other.aiv_only = !other.aiv_only;
    change(9, one.spot, other);
    const SubKernel& owner = sub(one.spot);
    if (!is_mix_kind(owner.type)) continue;
    if (one.spot.side == CoreKind::aic) add(12, {remove_at(one.spot)});
    Instruction both = *one.in;
    both.aiv_only = false;
    const CoreKind opposite = one.spot.side == CoreKind::aic ? CoreKind::aiv : CoreKind::aic;
    const std::int32_t end = length(one.spot.sub_kernel, opposite);
    for (std::int32_t place = 0; place <= end; ++place) {
      const Spot there{one.spot.sub_kernel, opposite, place};
      std::vector<Edit> edits;
      if (one.in->aiv_only) edits.push_back(change_at(one.spot, both));
      edits.push_back(insert_at(there, both));
      add(one.in->aiv_only ? 18 : 10, std::move(edits));
    }
  }
}

/// SYNC-11: a SyncAll between the two accesses; with it idle cores are fed.
void RepairCandidates::insert_sync_alls() {
  Options fed = options_;
  fed.feed_sync_all = true;
  const bool can_feed = options_known_ && !options_.feed_sync_all;
  const auto offer = [&](std::int32_t cost, std::vector<Edit> edits) {
    add(cost, edits);
    if (!can_feed) return;
    edits.push_back(set_options(fed));
    add(cost + 8, std::move(edits));
  };
  Instruction vectors = of(Op::sync_all);
  vectors.aiv_only = true;
  Instruction both = vectors;
  both.aiv_only = false;
  for (const Pair& pair : pairs_) {
    const std::int32_t k = pair.first.sub_kernel;
    if (k < 0 || k != pair.second.sub_kernel) continue;
    const bool only_vectors = pair.first.side == CoreKind::aiv && pair.second.side == CoreKind::aiv;
    if (only_vectors) {
      for (std::int32_t place = 0; place <= length(k, CoreKind::aiv); ++place) {
        offer(10, {insert_at({k, CoreKind::aiv, place}, vectors)});
      }
      continue;
    }
    if (!is_mix_kind(sub(pair.first).type)) continue;
    // Around the accesses only: one place a side.
    for (const std::int32_t x : {0, 1}) {
      for (const std::int32_t y : {0, 1}) {
        Spot first = pair.first;
        Spot second = pair.second;
        if (first.side == second.side) second.side = CoreKind::aiv, second.place = 0;
        first.place += x;
        second.place += y;
        offer(20, {insert_at(first, both), insert_at(second, both)});
      }
    }
  }
}

/// SYNC-3: a mode 0 flag and its wait are a SyncAll, which idle cores can be fed to.
void RepairCandidates::hand_made_by_sync_all() {
  Options fed = options_;
  fed.feed_sync_all = true;
  for (const Listed& raise : all_) {
    if (raise.in->op != Op::cross_core_set_flag || raise.in->mode != 0) continue;
    if (raise.spot.side != CoreKind::aiv) continue;
    for (const Listed& wait : program_of(raise.spot.sub_kernel, raise.spot.side)) {
      const bool pair = wait.in->op == Op::cross_core_wait_flag &&
                        (wait.in->id & 15) == (raise.in->id & 15) &&
                        wait.spot.place > raise.spot.place && wait.depth == raise.depth;
      if (!pair) continue;
      Instruction sync = of(Op::sync_all);
      sync.aiv_only = true;
      sync.where = wait.in->where;
      std::vector<Edit> edits = {change_at(wait.spot, sync), remove_at(raise.spot)};
      add(20, edits);
      if (!options_known_ || options_.feed_sync_all) continue;
      edits.push_back(set_options(fed));
      add(24, std::move(edits));
    }
  }
}

/// SYNC-3: the sub kernel gets as many blocks as the launch has, which take part in nothing else.
void RepairCandidates::widen() {
  if (analysis_.launches.empty()) return;
  const LaunchShape& shape = analysis_.launches.front();
  for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
    const SubKernel& own = mix_.sub_kernels[k];
    const bool by_hand = std::any_of(all_.begin(), all_.end(), [&](const Listed& one) {
      return one.spot.sub_kernel == static_cast<std::int32_t>(k) &&
             one.in->op == Op::cross_core_set_flag && one.in->mode == 0;
    });
    const std::int32_t width = is_aiv_kind(own.type) ? shape.aiv_count : shape.blocks;
    if (!by_hand || own.blocks >= width) continue;
    Edit edit;
    edit.kind = EditKind::widen;
    edit.at.sub_kernel = static_cast<std::int32_t>(k);
    edit.blocks = width;
    add(16, {edit}, 0);
  }
}

/// CORE-5, SYNC-3: where nothing else helps the sub kernel is not fused.
void RepairCandidates::splits() {
  if (mix_.sub_kernels.size() < 2) return;
  for (std::size_t k = 0; k < mix_.sub_kernels.size(); ++k) {
    const auto number = static_cast<std::int32_t>(k);
    if (is_hot(number)) add(40, {{.kind = EditKind::split, .at = {.sub_kernel = number}}}, 0);
  }
}

}  // namespace skcts::model
