// What the steps do.
#include <algorithm>

#include "generators/edit.h"
#include "generators/shrink_passes.h"
#include "generators/shrink_world.h"
#include "spec/options.h"
#include "spec/program.h"

namespace skcts::generators {

namespace {

constexpr CoreKind both_kinds[] = {CoreKind::aic, CoreKind::aiv};

void drop_sub_kernels(Case& c, int first, int count) {
  auto& subs = c.mix.sub_kernels;
  const int last = std::min(first + count, static_cast<int>(subs.size()));
  leave_world(c, first, last);
  subs.erase(subs.begin() + first, subs.begin() + last);
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

void merge_regions(Case& c, std::int16_t from, std::int16_t to) {
  Mix& mix = c.mix;
  for (OutsideActor& actor : mix.outside) {
    for (OutsideStep& step : actor.steps) {
      if (step.region == from) step.region = to;
      if (step.to == from) step.to = to;
    }
  }
  for (PlanStep& step : c.plan.steps) {
    if (step.region == from) step.region = to;
  }
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
  for (PlanStep& s : c.plan.steps) {
    s.note.clear();
    for (PlanStep& inner : s.beside) inner.note.clear();
  }
  for (OutsideActor& actor : c.mix.outside) {
    actor.note.clear();
    for (OutsideStep& step : actor.steps) step.note.clear();
  }
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
    case Pass::path_ge:
      c.path = Case().path;
      c.mix.options.clear();
      for (SubKernel& s : c.mix.sub_kernels) {
        s.sk_bind = 0;
        s.batch_mode = s.direct_launch = false;
      }
      break;
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
      merge_regions(c, static_cast<std::int16_t>(step.a), static_cast<std::int16_t>(step.b));
      break;
    default: drop_notes(c); break;
  }
}

bool is_resource_op(Op op) {
  return op >= Op::tpipe_init && op <= Op::tpipe_end;
}

/// Every local tensor gets a place of its own in the memory of its queue.
void lay_out_queues(SubKernel& s) {
  std::vector<Position> position(s.names.size(), Position::veccalc);
  std::vector<Operand> place(s.names.size());
  std::vector<int> words(s.names.size(), 8);
  int next[8] = {};
  for (const CoreKind kind : both_kinds) {
    for_each_in(s.program(kind), [&](const Instruction& in) {
      if (!is_resource_op(in.op) || in.object < 0) return;
      const auto object = static_cast<std::size_t>(in.object);
      if (in.op == Op::init_buffer) {
        position[object] = in.position;
        words[object] = (in.count + 7) / 8 * 8;
      } else if (in.other >= 0 && place[static_cast<std::size_t>(in.other)].space == Space::none) {
        const Space space = memory_of(position[object]);
        int& offset = next[static_cast<std::size_t>(space)];
        place[static_cast<std::size_t>(in.other)] = {space, -1, {.base = offset}};
        offset += words[object];
      }
    });
    for_each_in(s.program(kind), [&](Instruction& in) {
      for_each_operand(in, [&](Operand& o) {
        if (o.space != Space::local_tensor || o.index < 0) return;
        const Operand& to = place[static_cast<std::size_t>(o.index)];
        if (to.space == Space::none) return;
        o.space = to.space;
        o.index = -1;
        o.at.base += to.at.base;
      });
    });
    erase_all(s.program(kind), [](const Instruction& in) { return is_resource_op(in.op); });
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
    case Pass::lay_out_queues: lay_out_queues(s); break;
    case Pass::lower_type: s.type = static_cast<KernelType>(step.a); break;
    case Pass::tell_less:
      s.sk_bind &= ~step.a;
      if (step.a == 0) s.batch_mode = s.direct_launch = false;
      break;
    case Pass::plain_sub_kernel:
      s.tiling = Tiling::fixed;
      s.launch_blocks = 0;
      s.launch_type.reset();
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
    case Pass::lay_out_queues:
    case Pass::lower_type:
    case Pass::tell_less:
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

Case after_step(const Case& value, const Step& step) {
  Case c = value;
  if (is_of_program(step.pass)) {
    SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(step.sub)];
    apply_to_program(s.program(step.kind), step);
  } else if (is_of_sub_kernel(step.pass)) {
    apply_to_sub_kernel(c.mix.sub_kernels[static_cast<std::size_t>(step.sub)], step);
  } else if (is_of_world(step.pass)) {
    apply_to_world(c, step);
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
