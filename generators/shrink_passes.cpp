// Which steps a case has.
#include "generators/shrink_passes.h"

#include <algorithm>

#include "generators/edit.h"
#include "generators/shrink_world.h"
#include "spec/options.h"
#include "spec/program.h"

namespace skcts::generators {

namespace {

constexpr CoreKind both_kinds[] = {CoreKind::aic, CoreKind::aiv};

/// Smaller numbers worth trying, the smallest first: least, then halves, then one less.
std::vector<int> smaller_than(int n, int least) {
  std::vector<int> tries;
  if (n <= least) return tries;
  tries.push_back(least);
  for (int gap = (n - least) / 2; gap > 0; gap /= 2) {
    if (n - gap > least) tries.push_back(n - gap);
  }
  return tries;
}

class StepList {
 public:
  explicit StepList(const Case& c) : case_(c) {}
  std::vector<Step> list();

 private:
  void add(Pass pass, int sub = 0, CoreKind kind = CoreKind::aic, int a = 0, int b = 0) {
    steps_.push_back({pass, static_cast<std::int16_t>(sub), kind, a, b});
  }
  void chunks(int count, Pass pass, int sub, CoreKind kind);
  void of_case();
  void of_blocks();
  void of_programs();
  void of_flags(int k);
  void of_events(int k, CoreKind kind);
  void of_instructions(int k, CoreKind kind);
  void of_ids();
  void of_regions();
  [[nodiscard]] int subs() const { return static_cast<int>(case_.mix.sub_kernels.size()); }
  [[nodiscard]] const SubKernel& sub(int k) const {
    return case_.mix.sub_kernels[static_cast<std::size_t>(k)];
  }

  const Case& case_;
  std::vector<Step> steps_;
};

/// Runs of halves, quarters, … down to single items.
void StepList::chunks(int count, Pass pass, int sub, CoreKind kind) {
  for (int size = count / 2; size >= 1; size /= 2) {
    for (int first = 0; first < count; first += size) {
      add(pass, sub, kind, first, std::min(size, count - first));
    }
  }
}

void StepList::of_case() {
  if (case_.schedule) add(Pass::drop_schedule);
  if (subs() > 1) chunks(subs(), Pass::drop_sub_kernels, 0, CoreKind::aic);
  if (!case_.plan.steps.empty()) add(Pass::drop_plan);
  if (case_.plan.steps.size() > 1) {
    for (int i = 0; i < static_cast<int>(case_.plan.steps.size()); ++i) {
      add(Pass::drop_plan_step, 0, CoreKind::aic, i);
    }
  }
  add_world_steps(case_, steps_);
  if (case_.path != Case().path) add(Pass::path_ge);
  for (int k = 0; k < subs(); ++k) {
    for (int bit = 1; bit <= sk_bind::all; bit *= 2) {
      if ((sub(k).sk_bind & bit) != 0) add(Pass::tell_less, k, CoreKind::aic, bit);
    }
    if (sub(k).batch_mode || sub(k).direct_launch) add(Pass::tell_less, k);
  }
  const auto items = split_option_items(case_.mix.options);
  if (!items.empty()) add(Pass::drop_options);
  if (items.size() > 1) {
    for (int i = 0; i < static_cast<int>(items.size()); ++i) {
      add(Pass::drop_option, 0, CoreKind::aic, i);
    }
  }
  if (!case_.latitudes.empty()) add(Pass::drop_latitudes);
}

void StepList::of_blocks() {
  int most = 1;
  for (const SubKernel& s : case_.mix.sub_kernels) most = std::max(most, s.blocks);
  for (const int n : smaller_than(most, 1)) add(Pass::lower_all_blocks, 0, CoreKind::aic, n);
  for (int k = 0; k < subs(); ++k) {
    for (const int n : smaller_than(sub(k).blocks, 1)) {
      add(Pass::lower_blocks, k, CoreKind::aic, n);
    }
  }
}

void StepList::of_programs() {
  for (int k = 0; k < subs(); ++k) {
    for (const CoreKind kind : both_kinds) {
      if (sub(k).program(kind).size() > 1) add(Pass::clear_program, k, kind);
    }
  }
  for (int k = 0; k < subs(); ++k) {
    of_flags(k);
    if (!sub(k).names.empty()) add(Pass::lay_out_queues, k);
    for (int n = 0; n < static_cast<int>(sub(k).names.size()); ++n) {
      add(Pass::drop_name, k, CoreKind::aic, n);
    }
    for (const CoreKind kind : both_kinds) {
      of_events(k, kind);
      const int count = static_cast<int>(sub(k).program(kind).size());
      chunks(count, Pass::drop_instructions, k, kind);
      if (count == 1) add(Pass::drop_instructions, k, kind, 0, 1);
      of_instructions(k, kind);
    }
    const SubKernel& s = sub(k);
    for (int t = 0; t < static_cast<int>(s.type); ++t) {
      const auto type = static_cast<KernelType>(t);
      const bool loses = (!s.aic.empty() && !runs_on(type, CoreKind::aic)) ||
                         (!s.aiv.empty() && !runs_on(type, CoreKind::aiv));
      if (!loses) add(Pass::lower_type, k, CoreKind::aic, t);
    }
    if (s.tiling != Tiling::fixed || s.tiling_key != 0 || !s.op_type.empty()) {
      add(Pass::plain_sub_kernel, k);
    }
  }
}

void StepList::of_flags(int k) {
  std::vector<int> ids;
  std::vector<int> ops;
  int most = 0;
  for (const CoreKind kind : both_kinds) {
    for_each_in(sub(k).program(kind), [&](const Instruction& in) {
      most = std::max(most, in.count);
      const bool flag = in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
      std::vector<int>& list = flag ? ids : ops;
      const bool together = in.op == Op::sync_all || in.op == Op::set_next_task_start ||
                            in.op == Op::wait_pre_task_end || in.op == Op::soft_sync_all ||
                            in.op == Op::ib_set || in.op == Op::ib_wait;
      const int item = flag ? in.id : static_cast<int>(in.op);
      if ((flag || together) && std::find(list.begin(), list.end(), item) == list.end()) {
        list.push_back(item);
      }
    });
  }
  for (const int id : ids) add(Pass::drop_flag, k, CoreKind::aic, id);
  for (const int op : ops) add(Pass::drop_syncs, k, CoreKind::aic, op);
  if (most > 8) add(Pass::lower_all_counts, k, CoreKind::aic, 8);
}

void StepList::of_events(int k, CoreKind kind) {
  const auto& program = sub(k).program(kind);
  std::vector<HardEvent> events;
  for (const Instruction& in : program) {
    if (in.op != Op::set_flag && in.op != Op::wait_flag) continue;
    if (std::find(events.begin(), events.end(), in.event) == events.end()) {
      events.push_back(in.event);
    }
  }
  for (const HardEvent& e : events) {
    add(Pass::drop_event, k, kind, static_cast<int>(e.source), static_cast<int>(e.destination));
  }
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program[i].op != Op::set_flag) continue;
    for (std::size_t j = i + 1; j < program.size(); ++j) {
      const Instruction& in = program[j];
      if (in.op != Op::wait_flag || in.event != program[i].event || in.id != program[i].id)
        continue;
      add(Pass::drop_event_pair, k, kind, static_cast<int>(i), static_cast<int>(j));
      break;
    }
  }
}

/// Steps inside single instructions, named by their place in text order.
void StepList::of_instructions(int k, CoreKind kind) {
  int place = 0;
  const auto visit = [&](const auto& self, const std::vector<Instruction>& program,
                         bool in_body) -> void {
    for (const Instruction& in : program) {
      const int here = place++;
      if (in_body) add(Pass::drop_in_body, k, kind, here);
      if (!in.where.all.empty()) add(Pass::drop_where, k, kind, here);
      if (in.op == Op::repeat) {
        if (in.times == 1) add(Pass::unroll, k, kind, here);
        for (const int n : smaller_than(in.times, 1)) add(Pass::lower_times, k, kind, here, n);
      }
      if (in.count > 8) {
        for (const int n : smaller_than(in.count / 8, 1)) {
          add(Pass::lower_count, k, kind, here, n * 8);
        }
      }
      bool shifts = false;
      for_each_operand(const_cast<Instruction&>(in),
                       [&](Operand& o) { shifts = shifts || o.at.shift != 0; });
      if (shifts) add(Pass::plain_operands, k, kind, here);
      self(self, in.body, true);
    }
  };
  visit(visit, sub(k).program(kind), false);
}

/// Flag ids go down together, in all programs: two linked ids could never go down one by one.
void StepList::of_ids() {
  std::vector<int> everywhere;
  for (int k = 0; k < subs(); ++k) {
    std::vector<int> flags;
    std::vector<int> events;
    const auto note = [](std::vector<int>& list, int id) {
      if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
    };
    for (const CoreKind kind : both_kinds) {
      for_each_in(sub(k).program(kind), [&](const Instruction& in) {
        if (in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag) {
          note(flags, in.id);
          note(everywhere, in.id);
        }
        if (in.op == Op::set_flag || in.op == Op::wait_flag) note(events, in.id);
      });
    }
    for (const int id : flags) {
      for (const int n : smaller_than(id, 0)) add(Pass::lower_flag, k, CoreKind::aic, id, n);
    }
    for (const int id : events) {
      for (const int n : smaller_than(id, 0)) add(Pass::lower_event, k, CoreKind::aic, id, n);
    }
  }
  for (const int id : everywhere) {
    for (const int n : smaller_than(id, 0)) {
      add(Pass::lower_flag_everywhere, 0, CoreKind::aic, id, n);
    }
  }
}

void StepList::of_regions() {
  const int count = static_cast<int>(case_.mix.regions.size());
  for (int r = 0; r < count; ++r) {
    const Region& region = case_.mix.regions[static_cast<std::size_t>(r)];
    for (int to = 0; to < r; ++to) add(Pass::merge_regions, 0, CoreKind::aic, r, to);
    if (region.init != RegionInit{}) add(Pass::zero_region, 0, CoreKind::aic, r);
    if (region.offset_bytes != 0) add(Pass::align_region, 0, CoreKind::aic, r);
    for (const int n : smaller_than((region.words + 7) / 8, 1)) {
      add(Pass::shorten_region, 0, CoreKind::aic, r, n * 8);
    }
  }
}

std::vector<Step> StepList::list() {
  of_case();
  of_blocks();
  of_programs();
  of_ids();
  of_regions();
  add(Pass::drop_notes);
  return std::move(steps_);
}

}  // namespace

std::vector<Step> steps_of(const Case& value) {
  return StepList(value).list();
}

}  // namespace skcts::generators
