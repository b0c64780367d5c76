#include "reference_model/checks.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "spec/program.h"

namespace skcts::model {
namespace {

constexpr int flag_ids = 16;
constexpr int flag_modes = 3;

int truncated(std::int32_t id) {
  return id & (flag_ids - 1);
}
bool is_reserved(int id) {
  return id >= 11 && id <= 14;
}

/// What one core does in one sub kernel, as far as these rules look.
struct CoreFacts {
  CoreId core;
  Indices at;
  std::array<std::array<std::int32_t, flag_ids>, flag_modes> sets{};
  std::array<std::int32_t, flag_ids> waits{};
  std::vector<bool> sync_alls;  ///< aiv_only of each SyncAll call, in order.
  std::int32_t full_calls = 0;  ///< SyncAll<false> calls among them.
  std::int32_t next_starts = 0;
  std::int32_t pre_waits = 0;
  std::int32_t flag_instruction = -1;  ///< First cross-core flag call.
  std::int32_t bad_mode_instruction = -1;
  std::int32_t reserved_instruction = -1;
  std::int32_t matmul_instruction = -1;
  std::int32_t sync_instruction = -1;
  std::int32_t head_sync = -1;          ///< A full-core sync before WaitPreTaskEnd.
  std::int32_t tail_sync = -1;          ///< A full-core sync after SetNextTaskStart.
  std::int32_t share_instruction = -1;  ///< RATIO-4
};

bool writes_gm(const Instruction& in) {
  return in.dst.space == Space::gm || in.dst.space == Space::tensor
             ? in.op != Op::dcci && in.op != Op::poll
             : false;
}

/// RATIO-4: does the core do something at this ratio that its share at 1:1 does not say?
bool leaves_share(const Instruction& in, const Indices& at) {
  if (writes_gm(in) && at.sub != 0) return true;
  if (at.sub != 0) return false;
  Indices alone = at;
  alone.core = at.block;
  alone.core_count = at.block_count;
  const auto differs = [&](const Expr& e) { return e.eval(at) != e.eval(alone); };
  const auto operand_differs = [&](const Operand& o) {
    return (o.space == Space::gm || o.space == Space::tensor) && differs(o.at);
  };
  return operand_differs(in.dst) || operand_differs(in.src) || operand_differs(in.src_b) ||
         (uses(in.op, Field::value) && in.value.reg < 0 && differs(in.value.expr));
}

class LaunchChecks {
 public:
  LaunchChecks(const Case& test_case, const Options& options, const LaunchProgram& program,
               const StallResult& stall, const BeforeQuery& before, std::vector<BrokenRule>& broken)
      : mix_(test_case.mix),
        options_(options),
        program_(program),
        shape_(program.shape),
        stall_(stall),
        before_(before),
        broken_(broken) {}

  void run() {
    for (std::size_t k = 0; k < shape_.sub_kernels.size(); ++k) {
      place_ = shape_.sub_kernels[k];
      sub_ = &mix_.sub_kernels[static_cast<std::size_t>(place_)];
      collect();
      check_kernel_type();
      check_sync_all();
      check_flag_counts();
      check_reserved_ids();
      check_matmul_and_share();
      check_task_calls(k);
      check_soft_sync();
    }
    find_stored_lines();
    for (const Thread& thread : program_.threads) {
      check_events(thread);
      check_dirty(thread);
      check_polls(thread);
    }
    check_modes();
  }

 private:
  void report(RuleId rule, CoreId core, std::int32_t instruction, std::string text) {
    report_in(place_, rule, core, instruction, std::move(text));
  }

  void report_in(std::int32_t place, RuleId rule, CoreId core, std::int32_t instruction,
                 std::string text) {
    for (const BrokenRule& known : broken_) {
      if (known.rule == rule && known.sub_kernel == place) return;
    }
    const std::string& name = mix_.sub_kernels[static_cast<std::size_t>(place)].name;
    broken_.push_back(
        {rule, place, core, instruction, fmt::format("{} {} {}", name, to_string(core), text)});
  }

  std::int32_t launched(CoreKind kind) const {
    return kind == CoreKind::aic ? shape_.aic_count : shape_.aiv_count;
  }

  void collect() {
    facts_[0].clear();
    facts_[1].clear();
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const std::vector<Instruction>& program = sub_->program(kind);
      const std::int32_t count = running_cores(*sub_, shape_, kind);
      std::vector<CoreFacts>& of_kind = facts_[static_cast<std::size_t>(kind)];
      of_kind.resize(static_cast<std::size_t>(count));
      for (std::int32_t c = 0; c < count; ++c) {
        CoreFacts& facts = of_kind[static_cast<std::size_t>(c)];
        facts.core = {kind, c};
        facts.at = indices_of(*sub_, shape_, facts.core);
        for_each_instruction(program, facts.at,
                             [&](const Instruction& in, const Indices& at, int place) {
                               note(facts, in, at, place);
                             });
      }
    }
  }

  void note(CoreFacts& facts, const Instruction& in, const Indices& at, int place) {
    const auto first = [place](std::int32_t& slot) {
      if (slot < 0) slot = place;
    };
    const auto full_core = [&] {
      if (facts.next_starts > 0) first(facts.tail_sync);
      if (facts.pre_waits == 0) first(facts.head_sync);
    };
    switch (in.op) {
      case Op::cross_core_set_flag: {
        first(facts.flag_instruction);
        const int id = truncated(in.id);
        if (in.mode >= 0 && in.mode < flag_modes) {
          facts.sets[static_cast<std::size_t>(in.mode)][static_cast<std::size_t>(id)]++;
        }
        if (in.mode != 0) first(facts.bad_mode_instruction);
        if (is_reserved(id)) first(facts.reserved_instruction);
        if (in.mode == 0) full_core();
        break;
      }
      case Op::cross_core_wait_flag:
        first(facts.flag_instruction);
        facts.waits[static_cast<std::size_t>(truncated(in.id))]++;
        if (is_reserved(truncated(in.id))) first(facts.reserved_instruction);
        break;
      case Op::sync_all:
        first(facts.sync_instruction);
        facts.sync_alls.push_back(in.aiv_only);
        if (!in.aiv_only) ++facts.full_calls;
        full_core();
        break;
      case Op::set_next_task_start: ++facts.next_starts; break;
      case Op::wait_pre_task_end: ++facts.pre_waits; break;
      case Op::matmul: first(facts.matmul_instruction); break;
      default: break;
    }
    if (sub_->type == KernelType::mix_aic_1_1 && shape_.ratio == 2 &&
        facts.core.kind == CoreKind::aiv && leaves_share(in, at)) {
      first(facts.share_instruction);
    }
  }

  const std::vector<CoreFacts>& facts(CoreKind kind) const {
    return facts_[static_cast<std::size_t>(kind)];
  }

  template <class Visit>
  void for_each_core(Visit visit) const {
    for (const auto& of_kind : facts_) {
      for (const CoreFacts& one : of_kind) visit(one);
    }
  }

  // SYNC-13, SYNC-8 (kernel types without the other core kind), L-12.
  void check_kernel_type() {
    const bool scheduler_off =
        sub_->type == KernelType::aiv_only || sub_->type == KernelType::aic_only;
    const bool one_kind = !is_mix_kind(sub_->type);
    for_each_core([&](const CoreFacts& one) {
      if (scheduler_off && one.flag_instruction >= 0) {
        report(RuleId::sync_13, one.core, one.flag_instruction,
               fmt::format("uses cross-core flags, which {} kernels do not have",
                           to_string(sub_->type)));
      } else if (one_kind && one.bad_mode_instruction >= 0) {
        report(RuleId::sync_13, one.core, one.bad_mode_instruction,
               fmt::format("raises a flag of mode 1 or 2 in a {} kernel, which has mode 0 only",
                           to_string(sub_->type)));
      }
      if (one.sync_instruction < 0) return;
      if (one_kind && one.full_calls > 0) {
        report(RuleId::sync_8, one.core, one.sync_instruction,
               "calls SyncAll<false>, which needs cube and vector cores in the sub kernel itself");
      } else if (one.core.kind == CoreKind::aic &&
                 one.full_calls < static_cast<std::int32_t>(one.sync_alls.size())) {
        report(RuleId::sync_13, one.core, one.sync_instruction,
               "calls SyncAll<true>, which is defined for vector cores only");
      }
    });
  }

  // SYNC-14, SYNC-8 (one side of a MIX sub kernel never calls), CORE-5.
  void check_sync_all() {
    std::array<std::int32_t, 2> full_calls{};
    bool any = false;
    bool differ = false;
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const std::vector<CoreFacts>& cores = facts(kind);
      for (const CoreFacts& one : cores) {
        any = any || !one.sync_alls.empty();
        if (one.sync_alls != cores.front().sync_alls) {
          differ = true;
          report(RuleId::sync_14, one.core, one.sync_instruction,
                 fmt::format("makes {} SyncAll calls, {} makes {}", one.sync_alls.size(),
                             to_string(cores.front().core), cores.front().sync_alls.size()));
        }
      }
      if (!cores.empty()) {
        full_calls[static_cast<std::size_t>(kind)] = cores.front().full_calls;
      }
    }
    if (!any || differ) return;
    if (is_mix_kind(sub_->type) && full_calls[0] != full_calls[1]) {
      const CoreKind fewer = full_calls[0] < full_calls[1] ? CoreKind::aic : CoreKind::aiv;
      const bool never = std::min(full_calls[0], full_calls[1]) == 0;
      report(never ? RuleId::sync_8 : RuleId::sync_14, {fewer, 0}, -1,
             fmt::format("makes {} SyncAll<false> calls, the other core kind {}",
                         std::min(full_calls[0], full_calls[1]),
                         std::max(full_calls[0], full_calls[1])));
      return;
    }
    check_width();
  }

  void check_width() {
    if (is_fed(*sub_, shape_, options_)) return;
    const bool full = std::any_of(facts_.begin(), facts_.end(), [](const auto& cores) {
      return !cores.empty() && cores.front().full_calls > 0;
    });
    for (const CoreKind kind : {CoreKind::aiv, CoreKind::aic}) {
      const std::vector<CoreFacts>& cores = facts(kind);
      if (cores.empty() || (kind == CoreKind::aic && !full)) continue;
      const std::int32_t count = static_cast<std::int32_t>(cores.size());
      if (cores.front().sync_alls.empty() || count == launched(kind)) continue;
      report(RuleId::core_5, cores.front().core, cores.front().sync_instruction,
             fmt::format("calls SyncAll on {} of the {} {} cores that the SuperKernel launches and "
                         "feed-sync-all is {}",
                         count, launched(kind), kind == CoreKind::aic ? "AIC" : "AIV",
                         options_.feed_sync_all ? 1 : 0));
    }
  }

  // SYNC-3, RATIO-2, SYNC-5.
  void check_flag_counts() {
    bool any = false;
    for_each_core([&](const CoreFacts& one) { any = any || one.flag_instruction >= 0; });
    if (!any) return;
    for (std::size_t id = 0; id < flag_ids; ++id) {
      if (check_mode_0(id) || check_blocks(id)) continue;
      check_counter(id);
    }
  }

  /// True when a hand-made full-core join of this id lacks members.
  bool check_mode_0(std::size_t id) {
    bool broken = false;
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const std::vector<CoreFacts>& cores = facts(kind);
      std::int32_t most = 0;
      const CoreFacts* caller = nullptr;
      std::int32_t fewest = cores.empty() ? 0 : cores.front().sets[0][id];
      for (const CoreFacts& one : cores) {
        if (one.sets[0][id] > most) caller = &one;
        most = std::max(most, one.sets[0][id]);
        fewest = std::min(fewest, one.sets[0][id]);
      }
      if (most == 0) continue;
      const std::int32_t count = static_cast<std::int32_t>(cores.size());
      if (count == launched(kind) && fewest == most) continue;
      broken = true;
      report(RuleId::sync_3, caller->core, caller->flag_instruction,
             fmt::format("raises flag {} of mode 0, which joins all {} {} cores of the launch; {}",
                         id, launched(kind), kind == CoreKind::aic ? "AIC" : "AIV",
                         count == launched(kind)
                             ? std::string("not all of them raise it equally often")
                             : fmt::format("the sub kernel runs on {}", count)));
    }
    return broken;
  }

  /// True when the AIVs of a block do not all make the same flag calls.
  bool check_blocks(std::size_t id) {
    if (shape_.ratio != 2 || !is_mix_kind(sub_->type)) return false;
    const std::vector<CoreFacts>& cores = facts(CoreKind::aiv);
    for (std::size_t c = 0; c + 1 < cores.size(); c += 2) {
      const CoreFacts& one = cores[c];
      const CoreFacts& other = cores[c + 1];
      const bool sets_differ =
          one.sets[1][id] != other.sets[1][id] || one.sets[2][id] != other.sets[2][id];
      const bool waits_differ =
          sub_->type == KernelType::mix_aic_1_1 && one.waits[id] != other.waits[id];
      if (!sets_differ && !waits_differ) continue;
      report(RuleId::ratio_2, one.core, one.flag_instruction,
             fmt::format("and its neighbour {} do not make the same calls for flag {}; hardware "
                         "joins both vector cores of a block",
                         to_string(other.core), id));
      return true;
    }
    return false;
  }

  void check_counter(std::size_t id) {
    std::array<std::int32_t, 2> mode_0{};  // increments for every core of the kind
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      const std::vector<CoreFacts>& cores = facts(kind);
      if (!cores.empty()) {
        mode_0[static_cast<std::size_t>(kind)] = cores.front().sets[0][id];
      }
    }
    const std::vector<CoreFacts>& cubes = facts(CoreKind::aic);
    const std::vector<CoreFacts>& vectors = facts(CoreKind::aiv);
    const std::size_t ratio = static_cast<std::size_t>(shape_.ratio);
    const bool mix = is_mix_kind(sub_->type);
    const auto fewest_of_block = [&](std::size_t block, std::size_t mode) {
      std::int32_t fewest = -1;
      for (std::size_t s = 0; s < ratio && block * ratio + s < vectors.size(); ++s) {
        const std::int32_t sets = vectors[block * ratio + s].sets[mode][id];
        fewest = fewest < 0 ? sets : std::min(fewest, sets);
      }
      return std::max(fewest, 0);
    };
    for (std::size_t b = 0; b < cubes.size(); ++b) {
      const std::int32_t come = mode_0[0] + (mix ? fewest_of_block(b, 2) : 0);
      compare(cubes[b], id, come);
    }
    for (std::size_t c = 0; c < vectors.size(); ++c) {
      const std::size_t block = c / ratio;
      std::int32_t come = mode_0[1];
      if (mix) come += fewest_of_block(block, 1);
      if (mix && block < cubes.size()) come += cubes[block].sets[2][id];
      compare(vectors[c], id, come);
    }
  }

  void compare(const CoreFacts& one, std::size_t id, std::int32_t come) {
    if (come == one.waits[id]) return;
    report(RuleId::sync_5, one.core, one.flag_instruction,
           fmt::format("waits {} times for flag {}, which is raised {} times", one.waits[id], id,
                       come));
  }

  // SYNC-7
  void check_reserved_ids() {
    bool matmul = false;
    for_each_core([&](const CoreFacts& one) {
      matmul = matmul || one.matmul_instruction >= 0;
      if (one.reserved_instruction < 0) return;
      report(RuleId::sync_7, one.core, one.reserved_instruction,
             "uses a flag id of 11 to 14, which SyncAll and the order between sub kernels use");
    });
    if (!matmul) return;
    for_each_core([&](const CoreFacts& one) {
      for (const std::size_t id : {std::size_t{0}, std::size_t{1}, std::size_t{15}}) {
        const bool used =
            one.waits[id] > 0 || one.sets[0][id] > 0 || one.sets[1][id] > 0 || one.sets[2][id] > 0;
        if (!used) continue;
        report(RuleId::sync_7, one.core, one.flag_instruction,
               fmt::format("uses flag {}, which the Matmul service has", id));
      }
    });
  }

  // RATIO-3, RATIO-4.
  void check_matmul_and_share() {
    if (sub_->type != KernelType::mix_aic_1_1) return;
    for (const CoreFacts& one : facts(CoreKind::aiv)) {
      if (one.matmul_instruction >= 0 && one.at.sub != 0) {
        report(RuleId::ratio_3, one.core, one.matmul_instruction,
               "calls Matmul on AIV1 of a MIX 1:1 sub kernel; only AIV0 is served");
      }
      if (one.share_instruction >= 0) {
        report(RuleId::ratio_4, one.core, one.share_instruction,
               "takes a share by GetBlockIdx or on AIV1 that a 1:1 launch does not have");
      }
    }
  }

  // TASK-4, TASK-7.
  void check_task_calls(std::size_t k) {
    for (const bool start : {true, false}) {
      const auto count = [start](const CoreFacts& one) {
        return start ? one.next_starts : one.pre_waits;
      };
      bool any = false;
      for_each_core([&](const CoreFacts& one) { any = any || count(one) > 0; });
      if (!any) continue;
      for_each_core([&](const CoreFacts& one) {
        if (count(one) == 1) return;
        report(RuleId::task_4, one.core, -1,
               fmt::format("calls {} {} times, every core must call it exactly once",
                           start ? "SetNextTaskStart" : "WaitPreTaskEnd", count(one)));
        if (is_undefined(k, start, count(one))) mark_undefined(RuleId::task_4);
      });
    }
    for_each_core([&](const CoreFacts& one) {
      if (one.tail_sync >= 0) {
        report(RuleId::task_7, one.core, one.tail_sync,
               "makes a full-core sync after SetNextTaskStart");
      }
      if (one.head_sync >= 0 && one.pre_waits > 0) {
        report(RuleId::task_7, one.core, one.head_sync,
               "makes a full-core sync before WaitPreTaskEnd");
      }
    });
  }

  /// Does a miscount of this call leave open what happens (semantics §7)? A missing signal alone
  /// does not: its join lacks a member (§1).
  bool is_undefined(std::size_t k, bool start, std::int32_t count) const {
    const std::vector<BoundaryRelation>& boundaries = program_.boundaries;
    if (start) return count > 1 && k < boundaries.size() && boundaries[k].own_signal;
    return k > 0 && k - 1 < boundaries.size() && boundaries[k - 1].own_wait;
  }

  /// Nothing is said of the launch from the broken rule of this sub kernel on.
  void mark_undefined(RuleId rule) {
    for (BrokenRule& known : broken_) {
      if (known.rule == rule && known.sub_kernel == place_) known.undefined_data = true;
    }
  }

  // SYNC-9
  void check_soft_sync() {
    for_each_core([&](const CoreFacts& one) {
      for_each_instruction(sub_->program(one.core.kind), one.at,
                           [&](const Instruction& in, const Indices& at, int place) {
                             if (in.op == Op::soft_sync_all) check_soft(one, in, at, place);
                           });
    });
  }

  void check_soft(const CoreFacts& one, const Instruction& in, const Indices& at, int place) {
    if (!is_aiv_kind(sub_->type)) {
      report(RuleId::sync_9, one.core, place,
             fmt::format("calls the soft SyncAll in a {} kernel; it is for vector kernels",
                         to_string(sub_->type)));
      // Which slot a vector core has is not the same everywhere (machine §4.4).
      if (one.core.kind == CoreKind::aiv) mark_undefined(RuleId::sync_9);
      return;
    }
    const std::int32_t running = static_cast<std::int32_t>(facts(CoreKind::aiv).size());
    const std::int32_t total = in.count > 0 ? in.count : running;
    if (total > running) {
      report(RuleId::sync_9, one.core, place,
             fmt::format("waits for {} cores at a soft SyncAll, the sub kernel has {}", total,
                         running));
    }
    if (in.src.space != Space::gm || in.src.index < 0) return;
    const Region& region = mix_.regions[static_cast<std::size_t>(in.src.index)];
    constexpr std::int64_t slot_words = 8;
    for (std::int64_t s = 0; s < total; ++s) {
      const std::int64_t word = in.src.at.eval(at) + s * slot_words;
      if (word < region.words && region.init.word(word) != 0) {
        report(RuleId::sync_9, one.core, place,
               fmt::format("uses the soft SyncAll workspace {}, which is not zero", region.name));
        return;
      }
    }
    if (const auto other = other_user(in, at, total); other) {
      report(RuleId::sync_9, one.core, place,
             fmt::format("uses the soft SyncAll workspace {}, which {} uses too", region.name,
                         mix_.sub_kernels[static_cast<std::size_t>(*other)].name));
      mark_undefined(RuleId::sync_9);
    }
  }

  /// A sub kernel of the launch that touches a slot of this barrier otherwise than by the barrier.
  std::optional<std::int32_t> other_user(const Instruction& soft, const Indices& at,
                                         std::int32_t total) const {
    const std::int64_t from = soft.src.at.eval(at);
    const std::int64_t to = from + std::int64_t{total} * 8;
    for (const std::int32_t k : shape_.sub_kernels) {
      const SubKernel& sub = mix_.sub_kernels[static_cast<std::size_t>(k)];
      const bool same = k == place_;
      for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
        const std::int32_t cores = running_cores(sub, shape_, kind);
        for (std::int32_t c = 0; c < cores; ++c) {
          bool found = false;
          for_each_instruction(sub.program(kind), indices_of(sub, shape_, {kind, c}),
                               [&](const Instruction& in, const Indices& seen, int) {
                                 if (in.op == Op::dcci) return;
                                 // The barrier again in its own sub kernel is a later round.
                                 if (in.op == Op::soft_sync_all && same) return;
                                 found = found || reaches(in.dst, in, sub, seen, soft, from, to) ||
                                         reaches(in.src, in, sub, seen, soft, from, to) ||
                                         reaches(in.src_b, in, sub, seen, soft, from, to);
                               });
          if (found) return k;
        }
      }
    }
    return std::nullopt;
  }

  /// Does this operand meet words [from, to) of the barrier's region? A cached store takes its
  /// whole line.
  bool reaches(const Operand& operand, const Instruction& in, const SubKernel& sub,
               const Indices& at, const Instruction& soft, std::int64_t from,
               std::int64_t to) const {
    std::int32_t region = -1;
    if (operand.space == Space::gm) region = operand.index;
    if (operand.space == Space::tensor && operand.index >= 0) {
      region = sub.tensors[static_cast<std::size_t>(operand.index)].region;
    }
    if (region != soft.src.index) return false;
    const std::int64_t first = operand.at.eval(at);
    const bool cached = in.op == Op::set_value || in.op == Op::assign || in.op == Op::raw_store;
    if (!cached) return first < to && from < first + std::max<std::int64_t>(in.count, 1);
    const std::int64_t start = mix_.regions[static_cast<std::size_t>(region)].offset_bytes / 4;
    const auto line = [start](std::int64_t word) { return (start + word) / 16; };
    return line(from) <= line(first) && line(first) <= line(to - 1);
  }

  std::int32_t mix_place(const Step& step) const {
    if (step.sub_kernel < 0) return shape_.sub_kernels.front();
    return shape_.sub_kernels[static_cast<std::size_t>(step.sub_kernel)];
  }

  // PIPE-4: sets and waits of one identity alternate, set first; nothing is left at an end.
  void check_events(const Thread& thread) {
    std::map<std::pair<HardEvent, std::int32_t>, const Step*> raised;
    const auto leftover = [&](std::int32_t ended) {
      for (auto entry = raised.begin(); entry != raised.end(); ++entry) {
        if (entry->second == nullptr || entry->second->sub_kernel >= ended) continue;
        report_in(mix_place(*entry->second), RuleId::pipe_4, thread.core,
                  entry->second->instruction,
                  fmt::format("leaves event {} {} set at its end", to_string(entry->first.first),
                              entry->first.second));
        // Later sub kernels are judged as if it were clear: one fault, one entry.
        entry->second = nullptr;
      }
    };
    std::int32_t current = -1;
    for (const Step& step : thread.steps) {
      if (step.sub_kernel > current) {
        if (!raised.empty()) leftover(step.sub_kernel);
        current = step.sub_kernel;
      }
      if (step.kind != StepKind::set_event && step.kind != StepKind::wait_event) continue;
      const Step*& set = raised[{step.event, step.id}];
      if (step.kind == StepKind::set_event) {
        if (set != nullptr) {
          report_in(mix_place(step), RuleId::pipe_4, thread.core, step.instruction,
                    fmt::format("sets event {} {} twice with no wait between",
                                to_string(step.event), step.id));
        }
        set = &step;
      } else {
        if (set == nullptr) {
          report_in(mix_place(step), RuleId::pipe_4, thread.core, step.instruction,
                    fmt::format("waits for event {} {}, which was not set before",
                                to_string(step.event), step.id));
        }
        set = nullptr;
      }
    }
    leftover(current + 1);
  }

  // CACHE-11: a line stored to and not refreshed before the sub kernel is over.
  void check_dirty(const Thread& thread) {
    if (!shape_.fused) return;
    std::map<std::int64_t, const Step*> dirty;
    const auto left = [&](std::int32_t ended) {
      for (auto entry = dirty.begin(); entry != dirty.end();) {
        if (entry->second->sub_kernel >= ended) {
          ++entry;
          continue;
        }
        report_in(mix_place(*entry->second), RuleId::cache_11, thread.core,
                  entry->second->instruction,
                  "stores a scalar whose line is not written back before the sub kernel ends");
        entry = dirty.erase(entry);
      }
    };
    std::int32_t current = -1;
    for (const Step& step : thread.steps) {
      if (step.origin == Origin::end_of_launch) continue;
      if (step.sub_kernel > current) {
        if (!dirty.empty()) left(step.sub_kernel);
        current = step.sub_kernel;
      }
      if (step.kind == StepKind::store) dirty[line_of(step, true)] = &step;
      if (step.kind == StepKind::refresh) {
        if (step.line < 0) {
          dirty.clear();
        } else {
          dirty.erase(step.line);
        }
      }
    }
    left(current + 1);
  }

  std::int64_t line_of(const Step& step, bool write) const {
    const std::int32_t range = write ? step.writes_begin : step.reads_begin;
    return program_.ranges[static_cast<std::size_t>(range)].first / 16;
  }

  void find_stored_lines() {
    for (const Thread& thread : program_.threads) {
      for (const Step& step : thread.steps) {
        if (step.kind == StepKind::store) stored_lines_.insert(line_of(step, true));
      }
    }
  }

  // SYNC-16
  void check_polls(const Thread& thread) {
    for (std::size_t p = 0; p < thread.steps.size(); ++p) {
      const Step& poll = thread.steps[p];
      if (poll.kind != StepKind::poll) continue;
      const bool cached = poll.via == PollVia::get_value || poll.via == PollVia::raw_load;
      if (cached && !poll.refresh_each_read) {
        report_in(mix_place(poll), RuleId::sync_16, thread.core, poll.instruction,
                  "polls a word through the data cache without a refresh before each read");
        continue;
      }
      check_polled_line(thread, p);
    }
  }

  void check_polled_line(const Thread& thread, std::size_t poll_at) {
    const Step& poll = thread.steps[poll_at];
    const std::int64_t line = line_of(poll, false);
    if (stored_lines_.count(line) == 0) return;
    if (holds_dirty(thread.steps, 0, poll_at, line)) {
      report_in(mix_place(poll), RuleId::sync_16, thread.core, poll.instruction,
                "polls a word whose line it holds dirty itself");
      return;
    }
    for (const Thread& other : program_.threads) {
      if (&other == &thread) continue;
      std::size_t from = 0;
      std::size_t to = other.steps.size();
      while (from < to && other.steps[from].sub_kernel < poll.sub_kernel) ++from;
      while (to > from && other.steps[to - 1].sub_kernel > poll.sub_kernel) --to;
      if (!holds_dirty(other.steps, from, to, line)) continue;
      report_in(mix_place(poll), RuleId::sync_16, thread.core, poll.instruction,
                fmt::format("polls a word whose line {} stores to and does not write back",
                            to_string(other.core)));
      return;
    }
  }

  /// Is there a store to the line among these steps that no later one of them refreshes?
  bool holds_dirty(const std::vector<Step>& steps, std::size_t from, std::size_t to,
                   std::int64_t line) const {
    bool dirty = false;
    for (std::size_t i = from; i < to; ++i) {
      const Step& step = steps[i];
      if (step.origin == Origin::end_of_launch) continue;
      if (step.kind == StepKind::store && line_of(step, true) == line) dirty = true;
      if (step.kind == StepKind::refresh && (step.line < 0 || step.line == line)) dirty = false;
    }
    return dirty;
  }

  // SYNC-12: a raise in another mode or on another pipe than the core's last one of that id, while
  // a wait for an earlier one may be outstanding.
  void check_modes() {
    struct Raise {
      std::int32_t flat = 0;
      std::int32_t stream = 0;
      std::int32_t ordinal = 0;
    };
    std::map<std::pair<std::int32_t, std::int8_t>, std::vector<Raise>> raises;
    for (std::size_t s = 0; s < stall_.streams.size(); ++s) {
      const RaiseStream& stream = stall_.streams[s];
      auto& list = raises[{stream.thread, stream.id}];
      for (std::int32_t n = 0; n < stream.count; ++n) {
        const auto at = static_cast<std::size_t>(stream.first + n);
        list.push_back({stall_.raise_steps[at], static_cast<std::int32_t>(s), n});
      }
    }
    for (auto& [key, list] : raises) {
      std::sort(list.begin(), list.end(),
                [](const Raise& a, const Raise& b) { return a.flat < b.flat; });
      // Of each mode and pipe the last raise so far: if it is taken, so are those before it.
      std::vector<std::size_t> last;
      for (std::size_t n = 0; n < list.size(); ++n) {
        const Step& now = step_at(key.first, list[n].flat);
        const auto same = [&](std::size_t e) {
          const Step& other = step_at(key.first, list[e].flat);
          return other.mode == now.mode && other.pipe == now.pipe;
        };
        for (const std::size_t e : last) {
          const Step& earlier = step_at(key.first, list[e].flat);
          if (same(e)) continue;
          if (is_consumed_before(list[e].stream, list[e].ordinal, list[n].flat)) continue;
          report_in(
              mix_place(now), RuleId::sync_12,
              program_.threads[static_cast<std::size_t>(key.first)].core, now.instruction,
              fmt::format("raises flag {} in mode {} on {} while a raise in mode {} on {} may "
                          "not be taken yet",
                          key.second, now.mode, to_string(now.pipe), earlier.mode,
                          to_string(earlier.pipe)));
          return;
        }
        last.erase(std::remove_if(last.begin(), last.end(), same), last.end());
        last.push_back(n);
      }
    }
  }

  const Step& step_at(std::int32_t thread, std::int32_t flat) const {
    const std::int32_t first = stall_.first_step[static_cast<std::size_t>(thread)];
    return program_.threads[static_cast<std::size_t>(thread)]
        .steps[static_cast<std::size_t>(flat - first)];
  }

  /// Has every wait that takes this raise ended before the step starts? Waits that end before may
  /// also have taken increments of other feeders, unless those come after them.
  bool is_consumed_before(std::int32_t stream, std::int32_t ordinal, std::int32_t flat) const {
    for (const Counter& counter : stall_.counters) {
      const auto has_stream = [&](const Feeder& feeder) {
        const auto first = stall_.feeder_streams.begin() + feeder.first;
        return std::find(first, first + feeder.count, stream) != first + feeder.count;
      };
      const auto first_feeder = stall_.feeders.begin() + counter.first_feeder;
      const auto last_feeder = first_feeder + counter.feeder_count;
      if (std::none_of(first_feeder, last_feeder, has_stream)) continue;
      // Waits of one core end in the order in which they are issued.
      const auto first_wait = stall_.wait_steps.begin() + counter.first_wait;
      const auto end =
          std::partition_point(first_wait, first_wait + counter.wait_count, [&](std::int32_t wait) {
            return stall_.executed[static_cast<std::size_t>(wait)] != 0 && before_ &&
                   before_(wait, flat);
          });
      const auto taken = static_cast<std::int32_t>(end - first_wait);
      const std::int32_t last = taken > 0 ? *(end - 1) : -1;
      std::int32_t ahead = ordinal + 1;
      for (auto feeder = first_feeder; taken > 0 && feeder != last_feeder; ++feeder) {
        if (!has_stream(*feeder)) ahead += increments_not_after(*feeder, last);
      }
      if (taken < ahead) return false;
    }
    return true;
  }

  /// Increments of a feeder that need not come after the wait.
  std::int32_t increments_not_after(const Feeder& feeder, std::int32_t wait) const {
    for (std::int32_t n = 0; n < feeder.increments; ++n) {
      for (std::int32_t s = 0; s < feeder.count; ++s) {
        const RaiseStream& stream = stall_.streams[static_cast<std::size_t>(
            stall_.feeder_streams[static_cast<std::size_t>(feeder.first + s)])];
        if (before_(wait, stall_.raise_steps[static_cast<std::size_t>(stream.first + n)])) return n;
      }
    }
    return feeder.increments;
  }

  const Mix& mix_;
  const Options& options_;
  const LaunchProgram& program_;
  const LaunchShape& shape_;
  const StallResult& stall_;
  const BeforeQuery& before_;
  std::vector<BrokenRule>& broken_;
  std::array<std::vector<CoreFacts>, 2> facts_;
  std::set<std::int64_t> stored_lines_;
  std::int32_t place_ = 0;
  const SubKernel* sub_ = nullptr;
};

}  // namespace

void check_rules(const Case& test_case, const Options& options, const LaunchProgram& program,
                 const StallResult& stall, const BeforeQuery& before,
                 std::vector<BrokenRule>& broken) {
  LaunchChecks(test_case, options, program, stall, before, broken).run();
}

}  // namespace skcts::model
