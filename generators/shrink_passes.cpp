#include "generators/shrink_passes.h"

#include <algorithm>
#include <iterator>

#include <fmt/ranges.h>

#include "generators/edit.h"
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

// --- what the steps do ------------------------------------------------------------------------

void drop_sub_kernels(Case& c, int first, int count) {
  auto& subs = c.mix.sub_kernels;
  const int last = std::min(first + count, static_cast<int>(subs.size()));
  subs.erase(subs.begin() + first, subs.begin() + last);
  for (PlanStep& step : c.plan.steps) {
    std::vector<std::int32_t> kept;
    for (const std::int32_t k : step.sub_kernels) {
      if (k < first) kept.push_back(k);
      if (k >= last) kept.push_back(k - (last - first));
    }
    step.sub_kernels = std::move(kept);
  }
  std::erase_if(c.plan.steps, [](const PlanStep& s) {
    return s.kind != StepKind::host_write && s.sub_kernels.empty();
  });
}

void drop_option(Case& c, int item) {
  const auto items = split_option_items(c.mix.options);
  std::string text;
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    if (i == item) continue;
    if (!text.empty()) text += ':';
    text += items[static_cast<std::size_t>(i)].text;
  }
  c.mix.options = std::move(text);
}

/// The instruction at a place in text order, or nothing.
Instruction* at_place(std::vector<Instruction>& program, int place) {
  for (Instruction& in : program) {
    const int size = 1 + instruction_count(in.body);
    if (place == 0) return &in;
    if (place < size) return at_place(in.body, place - 1);
    place -= size;
  }
  return nullptr;
}

bool erase_place(std::vector<Instruction>& program, int place) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const int size = 1 + instruction_count(program[i].body);
    if (place == 0) {
      program.erase(program.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    if (place < size) return erase_place(program[i].body, place - 1);
    place -= size;
  }
  return false;
}

/// The index of the loop that goes away is 0 and those inside move up by one.
void outer_index_gone(Instruction& in, std::size_t depth) {
  const auto fix = [depth](Expr& e) {
    for (std::size_t d = depth; d + 1 < e.repeat.size(); ++d) e.repeat[d] = e.repeat[d + 1];
    e.repeat.back() = 0;
  };
  for_each_operand(in, [&](Operand& o) { fix(o.at); });
  fix(in.value.expr);
  std::vector<Condition> kept;
  for (Condition c : in.where.all) {
    const int level = static_cast<int>(c.index) - static_cast<int>(IndexName::i);
    if (level == static_cast<int>(depth)) {
      if (c.low > 0) kept.push_back({IndexName::core, -1, -1});  // never held
      continue;
    }
    if (level > static_cast<int>(depth)) {
      c.index = static_cast<IndexName>(static_cast<int>(c.index) - 1);
    }
    kept.push_back(c);
  }
  in.where.all = std::move(kept);
  for (Instruction& inner : in.body) outer_index_gone(inner, depth);
}

bool unroll_at(std::vector<Instruction>& program, int place, std::size_t depth) {
  for (std::size_t i = 0; i < program.size(); ++i) {
    const int size = 1 + instruction_count(program[i].body);
    if (place == 0) {
      if (program[i].op != Op::repeat) return false;
      const Instruction loop = program[i];
      std::vector<Instruction> body = loop.body;
      for (Instruction& in : body) {
        outer_index_gone(in, depth);
        in.where.all.insert(in.where.all.begin(), loop.where.all.begin(), loop.where.all.end());
      }
      const auto here = program.erase(program.begin() + static_cast<std::ptrdiff_t>(i));
      program.insert(here, body.begin(), body.end());
      return true;
    }
    if (place < size) return unroll_at(program[i].body, place - 1, depth + 1);
    place -= size;
  }
  return false;
}

template <class Test>
void erase_all(std::vector<Instruction>& program, const Test& test) {
  std::erase_if(program, test);
  for (Instruction& in : program) erase_all(in.body, test);
}

bool is_flag_op(Op op) {
  return op == Op::cross_core_set_flag || op == Op::cross_core_wait_flag;
}

bool is_event_op(Op op) {
  return op == Op::set_flag || op == Op::wait_flag;
}

bool mentions_name(const Instruction& in, int name) {
  bool found = false;
  for_each_operand(const_cast<Instruction&>(in), [&](Operand& o) {
    found = found || (o.space == Space::local_tensor && o.index == name);
  });
  const bool by_name = in.op != Op::tensor_copy && in.op != Op::tensor_end;
  return found || (by_name && ((uses(in.op, Field::object) && in.object == name) ||
                               (uses(in.op, Field::other) && in.other == name)));
}

void merge_regions(Mix& mix, std::int16_t from, std::int16_t to) {
  for (SubKernel& s : mix.sub_kernels) {
    for (Tensor& t : s.tensors) {
      if (t.region == from) t.region = to;
    }
    for (const CoreKind kind : both_kinds) {
      for_each_in(s.program(kind), [&](Instruction& in) {
        for_each_operand(in, [&](Operand& o) {
          if (o.space == Space::gm && o.index == from) o.index = to;
        });
      });
    }
  }
}

void drop_notes(Case& c) {
  c.note.clear();
  c.mix.note.clear();
  for (Region& r : c.mix.regions) r.note.clear();
  for (PlanStep& s : c.plan.steps) s.note.clear();
  for (SubKernel& s : c.mix.sub_kernels) {
    s.note.clear();
    for (Tensor& t : s.tensors) t.note.clear();
    for (const CoreKind kind : both_kinds) {
      for_each_in(s.program(kind), [](Instruction& in) { in.note.clear(); });
    }
  }
}

void apply_to_case(Case& c, const Step& step) {
  switch (step.pass) {
    case Pass::drop_schedule: c.schedule.reset(); break;
    case Pass::drop_sub_kernels: drop_sub_kernels(c, step.a, step.b); break;
    case Pass::drop_plan: c.plan.steps.clear(); break;
    case Pass::drop_plan_step: c.plan.steps.erase(c.plan.steps.begin() + step.a); break;
    case Pass::drop_options: c.mix.options.clear(); break;
    case Pass::drop_option: drop_option(c, step.a); break;
    case Pass::drop_latitudes: c.latitudes.clear(); break;
    case Pass::lower_all_blocks:
      for (SubKernel& s : c.mix.sub_kernels) s.blocks = std::min(s.blocks, step.a);
      break;
    case Pass::lower_flag_everywhere:
      for (SubKernel& s : c.mix.sub_kernels) {
        for (const CoreKind kind : both_kinds) {
          for_each_in(s.program(kind), [&](Instruction& in) {
            if (is_flag_op(in.op) && in.id == step.a) in.id = step.b;
          });
        }
      }
      break;
    case Pass::zero_region: c.mix.regions[static_cast<std::size_t>(step.a)].init = {}; break;
    case Pass::shorten_region:
      c.mix.regions[static_cast<std::size_t>(step.a)].words = step.b;
      break;
    case Pass::align_region:
      c.mix.regions[static_cast<std::size_t>(step.a)].offset_bytes = 0;
      break;
    case Pass::merge_regions:
      merge_regions(c.mix, static_cast<std::int16_t>(step.a), static_cast<std::int16_t>(step.b));
      break;
    default: drop_notes(c); break;
  }
}

void apply_to_sub_kernel(SubKernel& s, const Step& step) {
  const auto each = [&s](auto visit) {
    for (const CoreKind kind : both_kinds) for_each_in(s.program(kind), visit);
  };
  const auto erase = [&s](auto test) {
    for (const CoreKind kind : both_kinds) erase_all(s.program(kind), test);
  };
  switch (step.pass) {
    case Pass::lower_blocks: s.blocks = step.a; break;
    case Pass::plain_sub_kernel:
      s.tiling = Tiling::fixed;
      s.tiling_key = 0;
      s.op_type.clear();
      break;
    case Pass::drop_flag:
      erase([&](const Instruction& in) { return is_flag_op(in.op) && in.id == step.a; });
      break;
    case Pass::drop_syncs:
      erase([&](const Instruction& in) { return static_cast<int>(in.op) == step.a; });
      break;
    case Pass::drop_name:
      erase([&](const Instruction& in) { return mentions_name(in, step.a); });
      break;
    case Pass::lower_flag:
      each([&](Instruction& in) {
        if (is_flag_op(in.op) && in.id == step.a) in.id = step.b;
      });
      break;
    case Pass::lower_event:
      each([&](Instruction& in) {
        if (is_event_op(in.op) && in.id == step.a) in.id = step.b;
      });
      break;
    default: each([&](Instruction& in) { in.count = std::min(in.count, step.a); }); break;
  }
}

void apply_to_program(std::vector<Instruction>& program, const Step& step) {
  switch (step.pass) {
    case Pass::clear_program: program.clear(); return;
    case Pass::drop_instructions:
      program.erase(program.begin() + step.a, program.begin() + step.a + step.b);
      return;
    case Pass::drop_event:
      erase_all(program, [&](const Instruction& in) {
        return is_event_op(in.op) && static_cast<int>(in.event.source) == step.a &&
               static_cast<int>(in.event.destination) == step.b;
      });
      return;
    case Pass::drop_event_pair:
      program.erase(program.begin() + step.b);
      program.erase(program.begin() + step.a);
      return;
    case Pass::drop_in_body: erase_place(program, step.a); return;
    case Pass::unroll: unroll_at(program, step.a, 0); return;
    default: break;
  }
  Instruction* const in = at_place(program, step.a);
  if (in == nullptr) return;
  if (step.pass == Pass::lower_times) in->times = step.b;
  if (step.pass == Pass::drop_where) in->where.all.clear();
  if (step.pass == Pass::lower_count) in->count = step.b;
  if (step.pass == Pass::plain_operands) {
    for_each_operand(*in, [](Operand& o) { o.at.shift = 0; });
  }
}

bool is_of_program(Pass p) {
  switch (p) {
    case Pass::clear_program:
    case Pass::drop_instructions:
    case Pass::drop_event:
    case Pass::drop_event_pair:
    case Pass::drop_in_body:
    case Pass::unroll:
    case Pass::lower_times:
    case Pass::drop_where:
    case Pass::lower_count:
    case Pass::plain_operands: return true;
    default: return false;
  }
}

bool is_of_sub_kernel(Pass p) {
  switch (p) {
    case Pass::lower_blocks:
    case Pass::plain_sub_kernel:
    case Pass::drop_flag:
    case Pass::drop_syncs:
    case Pass::drop_name:
    case Pass::lower_flag:
    case Pass::lower_event:
    case Pass::lower_all_counts: return true;
    default: return false;
  }
}

}  // namespace

std::vector<Step> steps_of(const Case& value) {
  return StepList(value).list();
}

Case after_step(const Case& value, const Step& step) {
  Case c = value;
  if (is_of_program(step.pass)) {
    SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(step.sub)];
    apply_to_program(s.program(step.kind), step);
  } else if (is_of_sub_kernel(step.pass)) {
    apply_to_sub_kernel(c.mix.sub_kernels[static_cast<std::size_t>(step.sub)], step);
  } else {
    apply_to_case(c, step);
  }
  for (SubKernel& s : c.mix.sub_kernels) {
    renumber_names(s);
    drop_unused_tensors(s);
  }
  std::vector<bool> used(c.mix.regions.size(), false);
  for (const PlanStep& s : c.plan.steps) {
    if (s.region >= 0 && s.region < static_cast<std::int16_t>(used.size())) {
      used[static_cast<std::size_t>(s.region)] = true;
    }
  }
  const std::vector<std::int16_t> place = drop_unused_regions(c.mix, std::move(used));
  for (PlanStep& s : c.plan.steps) {
    if (s.region >= 0 && s.region < static_cast<std::int16_t>(place.size())) {
      s.region = place[static_cast<std::size_t>(s.region)];
    }
  }
  return c;
}

}  // namespace skcts::generators
