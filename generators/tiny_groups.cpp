// The groups of tiny mixes on memory: DMA, cached and uncached scalars, pipes of one core, atomic
// adds, placements and plans. What is about synchronisation stands in tiny_sync.cpp.
#include "generators/tiny_groups.h"

#include <algorithm>

#include <fmt/format.h>

namespace skcts::generators {

namespace {

using Ways = std::vector<Way>;

const Ways dma_ways{Way::dma, Way::dma, Way::fix};
const Ways scalar_ways{Way::object, Way::object, Way::call_operator, Way::raw};
const Ways bypass_ways{Way::bypass, Way::bypass, Way::bypass, Way::dma, Way::raw};

/// One core stores, tells another, which loads.
void message(TinyBuilder& b, const Ways& ways, int percent) {
  const auto [from, to] = b.two_actors();
  const int word = b.word();
  const int seen = b.choice().chance(70) ? word : b.word();
  const Way out = b.pick_way(from, ways);
  const Way in = b.pick_way(to, ways);
  if (b.choice().chance(35)) b.read(to, in, seen);
  b.write(from, out, word);
  b.publish(from, out, word, percent);
  if (b.choice().chance(80)) b.signal(from, to, TinyBuilder::store_pipe(from, out));
  b.refresh(to, in, seen, percent);
  b.read(to, in, seen);
}

/// Each of two cores stores, then loads what the other stored.
void crossing(TinyBuilder& b, const Ways& ways, int percent) {
  const auto [one, two] = b.two_actors();
  const int first = b.word();
  const int second = b.choice().chance(40) ? first : b.word();
  const Way way = b.pick_way(one, ways);
  const Way other = b.pick_way(two, ways);
  b.write(one, way, first);
  b.publish(one, way, first, percent / 2);
  b.write(two, other, second);
  b.publish(two, other, second, percent / 2);
  if (b.choice().chance(25)) b.signal(one, two, TinyBuilder::store_pipe(one, way));
  b.read(one, b.choice().chance(70) ? way : b.pick_way(one, ways), second);
  if (b.choice().chance(60))
    b.read(two, b.choice().chance(70) ? other : b.pick_way(two, ways), first);
}

/// Two cores store to one word or line, in turn or not.
void collision(TinyBuilder& b, const Ways& ways, int percent) {
  const auto [one, two] = b.two_actors();
  const int word = b.word();
  const int next = b.choice().chance(50) ? word : b.word();
  const Way way = b.pick_way(one, ways);
  const Way other = b.pick_way(two, ways);
  b.write(one, way, word);
  b.publish(one, way, word, percent);
  if (b.half()) b.signal(one, two, TinyBuilder::store_pipe(one, way));
  b.refresh(two, other, next, percent / 2);
  b.write(two, other, next);
  b.publish(two, other, next, percent);
  if (b.choice().chance(35)) {
    if (b.half()) b.signal(two, one, TinyBuilder::store_pipe(two, other));
    b.refresh(one, way, next, percent);
    b.read(one, way, next);
  }
}

/// A few accesses of one or two cores, whatever comes.
void anything(TinyBuilder& b, const Ways& ways, int percent) {
  const auto [one, two] = b.two_actors();
  const int count = b.choice().range(2, 4);
  for (int i = 0; i < count; ++i) {
    const Actor& actor = b.choice().chance(60) ? one : two;
    const Way way = b.pick_way(actor, ways);
    const int word = b.word();
    if (b.half()) {
      b.write(actor, way, word);
      b.publish(actor, way, word, percent / 2);
    } else {
      b.refresh(actor, way, word, percent / 2);
      b.read(actor, way, word);
    }
    if (b.choice().chance(15)) b.barrier(actor, Pipe::all);
  }
}

/// A store in one sub kernel, a load in the next.
void across(TinyBuilder& b, const Ways& ways, int percent) {
  const Actor from = b.any_actor();
  const Way out = b.pick_way(from, ways);
  const int word = b.word();
  b.write(from, out, word);
  b.publish(from, out, word, percent);
  draw_shape(b);
  const Actor to = b.any_actor();
  const Way in = b.pick_way(to, ways);
  b.refresh(to, in, word, percent);
  if (b.choice().chance(70)) {
    b.read(to, in, word);
  } else {
    b.write(to, in, b.half() ? word : b.word());
  }
}

void pipes_of_vector(TinyBuilder& b, const Actor& core, int percent) {
  const Operand one = b.local(Space::ub, 8);
  const Operand two = b.local(Space::ub, 8);
  const int rounds = b.choice().chance(30) ? 2 : 1;
  for (int r = 0; r < rounds; ++r) {
    Instruction& load = b.put(core, Op::data_copy);
    load.dst = one;
    load.src = b.gm(1, 8 * r);
    load.count = 8;
    b.order(core, Pipe::mte2, Pipe::v, percent);
    Instruction& work = b.put(core, Op::adds);
    work.dst = two;
    work.src = one;
    work.count = 8;
    work.value.expr.base = b.constant();
    if (r + 1 < rounds) b.order(core, Pipe::v, Pipe::mte2, percent);
    if (b.choice().chance(25)) {
      if (b.choice().chance(percent)) b.barrier(core, Pipe::v);
      Instruction& more = b.put(core, Op::add);
      more.dst = two;
      more.src = two;
      more.src_b = one;
      more.count = 8;
    }
    b.order(core, Pipe::v, Pipe::mte3, percent);
    Instruction& store = b.put(core, Op::data_copy);
    store.dst = b.gm(b.shared(), 0);
    store.src = two;
    store.count = 8;
    if (r + 1 < rounds) b.order(core, Pipe::mte3, Pipe::v, percent);
  }
}

void pipes_of_cube(TinyBuilder& b, const Actor& core, int percent) {
  const Operand l1 = b.local(Space::l1, 8);
  const Operand a = b.local(Space::l0a, 8);
  const Operand w = b.local(Space::l0b, 8);
  const Operand c = b.local(Space::l0c, 8);
  const auto move = [&](Op op, const Operand& dst, const Operand& src) {
    Instruction& in = b.put(core, op);
    in.dst = dst;
    in.src = src;
    in.count = 8;
  };
  move(Op::data_copy, l1, b.gm(1, 0));
  b.order(core, Pipe::mte2, Pipe::mte1, percent);
  move(Op::load_data, a, l1);
  move(Op::load_data, w, l1);
  b.order(core, Pipe::mte1, Pipe::m, percent);
  Instruction& mad = b.put(core, Op::mmad);
  mad.dst = c;
  mad.src = a;
  mad.src_b = w;
  mad.count = 8;
  b.order(core, Pipe::m, Pipe::fix, percent);
  move(Op::fixpipe, b.gm(b.shared(), 0), c);
  if (b.choice().chance(30)) {
    b.order(core, Pipe::mte1, Pipe::mte2, percent);
    move(Op::data_copy, l1, b.gm(1, 8));
  }
}

/// Object lives: a copy takes over the markers, an end flushes.
void object_lives(TinyBuilder& b) {
  const Actor core = b.any_actor();
  const int x = b.object();
  Tensor& other = b.sub().tensors.emplace_back();
  other.name = "z";
  other.region = static_cast<std::int16_t>(b.shared());
  const int z = static_cast<int>(b.sub().tensors.size()) - 1;
  const auto life = [&](Op op, int object, int from) {
    Instruction& in = b.put(core, op);
    in.object = static_cast<std::int16_t>(object);
    in.other = static_cast<std::int16_t>(from);
  };
  const auto use = [&](int object) {
    const int word = b.word();
    const std::size_t before = b.sub().program(core.kind).size();
    if (b.choice().chance(60)) {
      b.write(core, b.half() ? Way::object : Way::call_operator, word);
    } else {
      b.read(core, Way::object, word);
    }
    Instruction& in = b.sub().program(core.kind)[before];
    Operand& place = in.op == Op::get_value ? in.src : in.dst;
    place.index = static_cast<std::int16_t>(object);
  };
  use(x);
  life(Op::tensor_copy, z, x);
  if (b.half()) life(Op::tensor_end, x, -1);
  use(z);
  if (b.half()) life(Op::tensor_end, z, -1);
}

}  // namespace

void write_exchange(TinyBuilder& b, const Ways& ways, int percent) {
  constexpr int weights[] = {4, 2, 2, 2, 3};
  switch (b.choice().weighted(weights)) {
    case 0: return message(b, ways, percent);
    case 1: return crossing(b, ways, percent);
    case 2: return collision(b, ways, percent);
    case 3: return anything(b, ways, percent);
    default: return across(b, ways, percent);
  }
}

void write_dma(TinyBuilder& b) {
  draw_shape(b);
  write_exchange(b, dma_ways, 90);
}

void write_scalar(TinyBuilder& b) {
  draw_shape(b);
  const int percent = b.half() ? 100 : 60;
  if (b.choice().chance(25)) {
    object_lives(b);
    if (b.half()) return;
    draw_shape(b);
    const Actor to = b.any_actor();
    b.read(to, b.pick_way(to, scalar_ways), b.word());
    return;
  }
  write_exchange(b, scalar_ways, percent);
  if (b.choice().chance(30)) {
    const Actor to = b.any_actor();
    b.read(to, b.pick_way(to, scalar_ways), b.word());
  }
}

void write_bypass(TinyBuilder& b) {
  draw_shape(b);
  write_exchange(b, bypass_ways, b.half() ? 100 : 50);
}

void write_events(TinyBuilder& b) {
  constexpr KernelType types[] = {KernelType::aiv_only, KernelType::aiv_only,
                                  KernelType::mix_aiv_1_0, KernelType::aic_only};
  b.begin(b.choice().pick(types), 1);
  const int percent = b.half() ? 100 : 85;
  const Actor core = b.any_actor();
  if (core.kind == CoreKind::aic) {
    pipes_of_cube(b, core, percent);
  } else {
    pipes_of_vector(b, core, percent);
  }
  if (b.choice().chance(15)) b.barrier(core, Pipe::all);
  if (b.choice().chance(30)) {
    b.begin(b.sub().type, 1);
    b.read(core, Way::dma, 0);
  }
}

void write_atomic_adds(TinyBuilder& b) {
  draw_shape(b);
  const auto [one, two] = b.two_actors();
  b.write(one, b.pick_way(one, dma_ways), 0, true);
  if (b.choice().chance(30)) b.signal(one, two, Pipe::mte3);
  b.write(two, b.pick_way(two, dma_ways), b.word(), b.choice().chance(80));
  if (b.choice().chance(30)) b.write(one, b.pick_way(one, dma_ways), 0, true);
  if (b.choice().chance(40)) {
    if (b.half()) b.signal(two, one, Pipe::mte3);
    b.read(one, b.half() ? Way::dma : Way::bypass, 0);
  }
}

/// Scalars handed from one sub kernel to the next, under every placement of the refreshes.
void write_placement(TinyBuilder& b) {
  constexpr KernelType kinds[] = {KernelType::aiv_only, KernelType::aiv_only,
                                  KernelType::mix_aiv_1_0, KernelType::aic_only};
  const KernelType kind = b.choice().pick(kinds);
  const int width = b.choice().chance(80) ? 2 : 1;
  b.begin(kind, width);
  const int percent = b.half() ? 0 : 60;
  Actor from = b.any_actor();
  const int word = b.word();
  const Way out = b.pick_way(from, scalar_ways);
  if (b.choice().chance(30)) {
    const Actor early = b.any_actor();
    b.read(early, b.pick_way(early, scalar_ways), word);
  }
  b.write(from, out, word);
  b.publish(from, out, word, percent);
  if (b.choice().chance(20)) b.put(TinyBuilder::everyone(from.kind), Op::set_next_task_start);
  if (b.choice().chance(20)) b.sub().tiling = Tiling::offload;
  b.begin(kind, b.choice().chance(80) ? width : 3 - width);
  const Actor to = b.any_actor();
  const Way in = b.pick_way(to, scalar_ways);
  if (b.choice().chance(20)) b.put(TinyBuilder::everyone(to.kind), Op::wait_pre_task_end);
  b.refresh(to, in, word, percent);
  if (b.choice().chance(75)) {
    b.read(to, in, word);
  } else {
    b.write(to, in, b.word());
  }
  if (b.choice().chance(20)) b.sub().tiling = Tiling::offload;
  std::string options;
  const auto list = [&](std::string_view key) {
    constexpr std::string_view lists[] = {"k0", "k1", "k0,k1"};
    options += fmt::format("{}{}={}", options.empty() ? "" : ":", key, b.choice().pick(lists));
  };
  if (b.choice().chance(35)) list("dcci-before-kernel-start");
  if (b.choice().chance(35)) list("dcci-after-kernel-end");
  if (b.choice().chance(20)) list("dcci-disable-on-kernel");
  if (b.choice().chance(10)) options += options.empty() ? "debug-dcci-all=1" : ":debug-dcci-all=1";
  b.mix().options = options;
}

void write_plans(TinyBuilder& b) {
  const Ways ways{Way::dma, Way::bypass, Way::object, Way::raw, Way::fix};
  draw_shape(b);
  const int percent = b.half() ? 100 : 40;
  if (b.half()) {
    across(b, ways, percent);
  } else {
    const Actor from = b.any_actor();
    const Way out = b.pick_way(from, ways);
    b.write(from, out, 0);
    b.publish(from, out, 0, percent);
    if (b.choice().chance(40)) b.read(b.any_actor(), Way::bypass, 0);
  }
  if (b.choice().chance(30)) {
    // A flag or event that nobody waits for may outlive the launch (L-5).
    const Actor some = b.any_actor();
    if (some.kind == CoreKind::aiv && b.half()) {
      Instruction& in = b.put(some, b.half() ? Op::set_flag : Op::wait_flag);
      in.event = {Pipe::mte2, Pipe::mte3};
      in.id = 5;
    } else if (b.half()) {
      b.raise(TinyBuilder::everyone(some.kind), 0, TinyBuilder::store_pipe(some, Way::bypass), 5);
    } else {
      b.await(TinyBuilder::everyone(some.kind), 5);
    }
  }
  const int count = static_cast<int>(b.mix().sub_kernels.size());
  const int steps = b.choice().range(1, 3);
  for (int s = 0; s < steps; ++s) {
    PlanStep step;
    const int kind = b.choice().below(10);
    if (kind < 2) {
      step.kind = StepKind::host_write;
      step.region = static_cast<std::int16_t>(b.shared());
      step.at = b.word();
      step.values = {static_cast<std::uint32_t>(b.constant())};
    } else {
      step.kind = kind < 6 ? StepKind::alone : StepKind::fused;
      if (count > 1 && b.choice().chance(40)) {
        step.sub_kernels = {b.choice().below(count)};
      } else {
        for (int k = 0; k < count; ++k) step.sub_kernels.push_back(k);
      }
    }
    b.out().plan.steps.push_back(std::move(step));
  }
}

}  // namespace skcts::generators
