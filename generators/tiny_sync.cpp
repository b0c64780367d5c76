// The groups of tiny mixes on synchronisation: flags, barriers, early start, queues, services,
// polls.
#include <algorithm>

#include <fmt/format.h>

#include "generators/tiny_groups.h"

namespace skcts::generators {

namespace {

const std::vector<Way> plain_ways{Way::bypass, Way::bypass, Way::dma};

void add_option(TinyBuilder& b, std::string_view option) {
  std::string& options = b.mix().options;
  options += fmt::format("{}{}", options.empty() ? "" : ":", option);
}

/// A way for a lone access: past the cache three times of four.
Way plain(TinyBuilder& b, const Actor& actor) {
  return b.pick_way(actor, plain_ways);
}

void write_and_show(TinyBuilder& b, const Actor& actor, int word) {
  const Way way = plain(b, actor);
  b.write(actor, way, word);
  b.publish(actor, way, word, 80);
}

void raises(TinyBuilder& b, const Actor& from, int mode, int id, int times) {
  if (times > 2) {
    Instruction& loop = b.put(from, Op::repeat);
    loop.times = times;
    Instruction& in = loop.body.emplace_back();
    in.op = Op::cross_core_set_flag;
    in.mode = mode;
    in.pipe = TinyBuilder::store_pipe(from, Way::bypass);
    in.id = id;
    return;
  }
  for (int i = 0; i < times; ++i) {
    b.raise(from, mode, TinyBuilder::store_pipe(from, Way::bypass), id);
  }
}

void awaits(TinyBuilder& b, const Actor& to, int id, int times) {
  if (times > 2) {
    Instruction& loop = b.put(to, Op::repeat);
    loop.times = times;
    Instruction& in = loop.body.emplace_back();
    in.op = Op::cross_core_wait_flag;
    in.pipe = Pipe::s;
    in.id = id;
    return;
  }
  for (int i = 0; i < times; ++i) b.await(to, id);
}

/// One counter, raised and awaited about as often; accesses between.
void counted(TinyBuilder& b) {
  const auto [from, to] = b.two_actors();
  const int id = b.choice().range(1, 3);
  const int mode = from.kind != to.kind                                  ? 2
                   : b.sub().type == KernelType::mix_aic_1_2 && b.half() ? 1
                                                                         : 0;
  const bool overflow = b.choice().chance(6);
  const int times = overflow ? b.choice().range(15, 17) : b.choice().range(1, 2);
  const int taken = std::max(0, times + (b.half() ? 0 : b.choice().range(-1, 1)));
  const Actor setters = TinyBuilder::everyone(from.kind);
  const Actor waiters = TinyBuilder::everyone(mode == 2 ? to.kind : from.kind);
  write_and_show(b, from, 0);
  raises(b, setters, mode, id, times);
  if (b.choice().chance(30)) write_and_show(b, from, b.word());
  if (b.choice().chance(25))
    b.raise(setters, mode, TinyBuilder::store_pipe(from, Way::dma), id + 1);
  if (b.choice().chance(20)) b.await(waiters, id + 1);
  awaits(b, waiters, id, taken);
  b.read(to, plain(b, to), 0);
}

/// There and back.
void ring(TinyBuilder& b) {
  const auto [one, two] = b.two_actors();
  write_and_show(b, one, 0);
  b.signal(one, two, TinyBuilder::store_pipe(one, Way::dma));
  b.read(two, plain(b, two), 0);
  if (b.half()) write_and_show(b, two, b.word());
  b.signal(two, one, b.half() ? Pipe::mte2 : TinyBuilder::store_pipe(two, Way::dma));
  write_and_show(b, one, 0);
}

Instruction& soft_barrier(TinyBuilder& b, int workspace, int cores) {
  const Operand scratch = b.local(Space::ub, 8 * cores);
  Instruction& in = b.put(TinyBuilder::everyone(CoreKind::aiv), Op::soft_sync_all);
  in.src = b.gm(workspace, 0);
  in.dst = scratch;
  in.count = b.half() ? 0 : cores;
  in.aiv_only = true;
  return in;
}

void body(TinyBuilder& b, const Actor& actor, int word) {
  const Way way = plain(b, actor);
  if (b.choice().chance(60)) {
    b.write(actor, way, word);
    b.publish(actor, way, word, 70);
  } else {
    b.read(actor, way, word);
  }
}

std::int16_t new_name(TinyBuilder& b, std::string name) {
  std::vector<std::string>& names = b.sub().names;
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::int16_t>(found - names.begin());
  names.push_back(std::move(name));
  return static_cast<std::int16_t>(names.size() - 1);
}

Operand taken_tensor(std::int16_t name) {
  Operand o;
  o.space = Space::local_tensor;
  o.index = name;
  return o;
}

/// What stands between a TPipe and its end, once or twice.
class Pipeline {
 public:
  Pipeline(TinyBuilder& b, Actor core, std::string prefix)
      : b_(b), core_(std::move(core)), pipe_(new_name(b, prefix + "p")) {
    in_ = new_name(b, prefix + "i");
    out_ = new_name(b, prefix + "o");
    call(Op::tpipe_init, pipe_, -1);
    const bool swapped = b.choice().chance(20);
    for (int q = 0; q < 2; ++q) {
      const bool first = (q == 0) != swapped;
      Instruction& in = call(Op::init_buffer, first ? in_ : out_, pipe_);
      in.position = first ? Position::vecin : Position::vecout;
      in.num = b.choice().chance(30) ? 2 : 1;
      in.count = 8;
    }
  }

  void round(int source, int target, bool free_all) {
    const std::int16_t a = new_name(b_, "a");
    const std::int16_t w = new_name(b_, "b");
    const std::int16_t c = new_name(b_, "c");
    const std::int16_t d = new_name(b_, "d");
    call(Op::alloc_tensor, in_, a);
    copy(taken_tensor(a), b_.gm(1, source));
    call(Op::enque, in_, a);
    call(Op::deque, in_, w);
    call(Op::alloc_tensor, out_, c);
    Instruction& work = b_.put(core_, Op::adds);
    work.dst = taken_tensor(c);
    work.src = taken_tensor(w);
    work.count = 8;
    work.value.expr.base = b_.constant();
    call(Op::enque, out_, c);
    if (free_all || b_.half()) call(Op::free_tensor, in_, w);
    call(Op::deque, out_, d);
    copy(b_.gm(b_.shared(), target), taken_tensor(d));
    if (free_all || b_.half()) call(Op::free_tensor, out_, d);
  }

  void end(bool by_hand) {
    if (by_hand) call(Op::tpipe_destroy, pipe_, -1);
    call(Op::tpipe_end, pipe_, -1);
  }

 private:
  Instruction& call(Op op, std::int16_t object, std::int16_t other) {
    Instruction& in = b_.put(core_, op);
    in.object = object;
    in.other = other;
    return in;
  }
  void copy(const Operand& dst, const Operand& src) {
    Instruction& in = b_.put(core_, Op::data_copy);
    in.dst = dst;
    in.src = src;
    in.count = 8;
  }

  TinyBuilder& b_;
  Actor core_;
  std::int16_t pipe_ = -1;
  std::int16_t in_ = -1;
  std::int16_t out_ = -1;
};

void put_poll(TinyBuilder& b, const Actor& actor, int flag, std::int32_t value) {
  constexpr PollVia ways[] = {PollVia::bypass, PollVia::bypass, PollVia::raw_load,
                              PollVia::get_value, PollVia::data_copy};
  PollVia via = b.choice().pick(ways);
  if (actor.kind == CoreKind::aic && via == PollVia::data_copy) via = PollVia::bypass;
  Operand from = b.gm(flag, 0);
  if (via == PollVia::get_value) {
    Tensor& tensor = b.sub().tensors.emplace_back();
    tensor.name = fmt::format("f{}", b.sub().tensors.size());
    tensor.region = static_cast<std::int16_t>(flag);
    tensor.is_const = b.choice().chance(25);
    from.space = Space::tensor;
    from.index = static_cast<std::int16_t>(b.sub().tensors.size() - 1);
  }
  const Operand scratch = via == PollVia::data_copy ? b.local(Space::ub, 8) : Operand{};
  Instruction& in = b.put(actor, Op::poll);
  in.src = from;
  in.dst = scratch;
  in.via = via;
  in.refresh = (via == PollVia::get_value || via == PollVia::raw_load) && b.choice().chance(75);
  in.until = b.half() ? Compare::equal : Compare::at_least;
  in.value.expr.base = value;
}

}  // namespace

void draw_shape(TinyBuilder& b) {
  constexpr KernelType types[] = {KernelType::mix_aic_1_1, KernelType::mix_aic_1_1,
                                  KernelType::mix_aiv_1_0, KernelType::mix_aiv_1_0,
                                  KernelType::mix_aic_1_2, KernelType::aiv_only,
                                  KernelType::aic_only,    KernelType::mix_aic_1_0};
  const KernelType type = b.choice().pick(types);
  const bool mix = is_mix_kind(type);
  b.begin(type, mix ? (b.choice().chance(8) ? 2 : 1) : (b.choice().chance(85) ? 2 : 1));
}

void write_flags(TinyBuilder& b) {
  draw_shape(b);
  constexpr int weights[] = {5, 3, 2};
  switch (b.choice().weighted(weights)) {
    case 0: return counted(b);
    case 1: return ring(b);
    default:
      // What is left over meets the next sub kernel.
      counted(b);
      b.begin(b.sub().type, b.sub().blocks);
      if (b.half()) return counted(b);
      b.await(b.any_actor(), b.choice().range(1, 3));
  }
}

void write_sync_all(TinyBuilder& b) {
  const int subs = b.choice().chance(60) ? 2 : 1;
  const int where = b.choice().below(subs);
  for (int k = 0; k < subs; ++k) {
    draw_shape(b);
    const auto [from, to] = b.two_actors();
    if (k != where) {
      if (b.half()) body(b, from, b.word());
      continue;
    }
    write_and_show(b, from, 0);
    const bool vectors = b.choice().chance(70);
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      if (!runs_on(b.sub().type, kind)) continue;
      if (vectors && kind == CoreKind::aic && !b.choice().chance(8)) continue;
      b.put(TinyBuilder::everyone(kind), Op::sync_all).aiv_only = vectors;
    }
    b.read(to, plain(b, to), 0);
    if (b.choice().chance(25)) {
      b.put(b.choice().chance(80) ? TinyBuilder::everyone(CoreKind::aiv) : to, Op::sync_all)
          .aiv_only = vectors;
    }
  }
  for (SubKernel& sub : b.mix().sub_kernels) {
    if (!runs_on(sub.type, CoreKind::aiv)) sub.aiv.clear();
  }
  if (b.half()) add_option(b, "feed-sync-all=1");
  if (b.choice().chance(25)) add_option(b, "early-start=0");
}

void write_soft_barrier(TinyBuilder& b) {
  constexpr KernelType types[] = {KernelType::aiv_only, KernelType::aiv_only,
                                  KernelType::mix_aiv_1_0, KernelType::mix_aic_1_2};
  const KernelType type = b.choice().pick(types);
  const int blocks = is_mix_kind(type) ? 1 : 2;
  b.begin(type, blocks);
  const int workspace = b.add_region("W", 16, 0, 0);
  if (b.choice().chance(15)) {
    std::vector<std::uint32_t>& values = b.mix().regions.back().init.values;
    values.assign(16, 0);
    values[0] = 1;
    if (b.half()) values[8] = b.half() ? 1 : 2;
  }
  const auto [from, to] = b.two_actors();
  write_and_show(b, from, 0);
  soft_barrier(b, workspace, 2);
  b.read(to, plain(b, to), 0);
  if (b.choice().chance(15)) soft_barrier(b, workspace, 2);
  if (b.choice().chance(15)) {
    draw_shape(b);
    body(b, b.any_actor(), 0);
  }
}

void write_ib(TinyBuilder& b) {
  b.begin(b.half() ? KernelType::aiv_only : KernelType::mix_aiv_1_0, 2);
  const auto [from, to] = b.two_actors();
  const int id = b.choice().below(2);
  const int workspace = b.add_region("W", 16 * (id + 1), 0, 0);
  const int slot = b.choice().below(2);
  const auto call = [&](const Actor& actor, Op op, int of) {
    const Operand scratch = b.local(Space::ub, 8);
    Instruction& in = b.put(actor, op);
    in.src = b.gm(workspace, 0);
    in.dst = scratch;
    in.value.expr.base = of;
    in.id = id;
    in.aiv_only = true;
  };
  write_and_show(b, from, 0);
  call(from, Op::ib_set, slot);
  call(to, Op::ib_wait, b.choice().chance(92) ? slot : 1 - slot);
  b.read(to, plain(b, to), 0);
  if (b.choice().chance(25)) {
    call(b.half() ? from : to, b.half() ? Op::ib_set : Op::ib_wait, slot);
  }
  if (b.choice().chance(10)) {
    std::vector<std::uint32_t>& values = b.mix().regions.back().init.values;
    values.assign(16, 0);
    values[static_cast<std::size_t>(8 * slot)] = 1;
  }
}

void write_early_start(TinyBuilder& b) {
  constexpr std::string_view starts[] = {"", "early-start=1", "early-start=0", "early-start=2"};
  b.mix().options = b.choice().pick(starts);
  constexpr KernelType types[] = {KernelType::mix_aiv_1_0, KernelType::mix_aiv_1_0,
                                  KernelType::mix_aic_1_1, KernelType::aiv_only,
                                  KernelType::aic_only};
  const KernelType type = b.choice().pick(types);
  const int blocks = is_mix_kind(type) ? 1 : b.choice().range(1, 2);
  const int subs = b.choice().chance(80) ? 2 : 3;
  const auto everyone = [&](Op op) {
    const bool one_only = b.choice().chance(7);
    const Actor some = b.any_actor();
    for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
      if (!runs_on(b.sub().type, kind) || (one_only && kind != some.kind)) continue;
      Instruction& in = b.put(one_only ? some : TinyBuilder::everyone(kind), op);
      if (op != Op::set_next_task_start) continue;
      in.pipe = b.choice().chance(85) ? Pipe::mte3 : Pipe::mte2;
      in.aic_pipe = b.choice().chance(85) ? Pipe::fix : Pipe::mte2;
    }
  };
  for (int k = 0; k < subs; ++k) {
    const bool same = b.choice().chance(75);
    b.begin(same ? type : b.choice().pick(types), 1);
    b.sub().blocks = is_mix_kind(b.sub().type) ? 1 : same ? blocks : b.choice().range(1, 2);
    if (k > 0 && b.choice().chance(25)) body(b, b.any_actor(), b.word());
    if (b.choice().chance(k > 0 ? 65 : 15)) everyone(Op::wait_pre_task_end);
    body(b, b.any_actor(), 0);
    if (b.choice().chance(k + 1 < subs ? 60 : 15)) everyone(Op::set_next_task_start);
    if (b.choice().chance(25)) body(b, b.any_actor(), b.word());
  }
}

void write_queues(TinyBuilder& b) {
  b.begin(b.half() ? KernelType::aiv_only : KernelType::mix_aiv_1_0, 1);
  const Actor core = TinyBuilder::everyone(CoreKind::aiv);
  const bool free_all = b.choice().chance(80);
  const bool twice = b.choice().chance(35);
  Pipeline one(b, core, "");
  one.round(0, 0, free_all);
  if (!twice && free_all && b.half()) one.round(8, 0, free_all);
  one.end(b.choice().chance(20));
  if (twice) {
    if (b.half()) b.barrier(core, Pipe::all);
    if (b.choice().chance(30)) b.begin(KernelType::aiv_only, 1);
    Pipeline two(b, core, "s");
    two.round(8, 0, free_all);
    two.end(false);
  }
}

void write_matmul(TinyBuilder& b) {
  b.begin(b.choice().chance(70) ? KernelType::mix_aic_1_1 : KernelType::mix_aic_1_2, 1);
  Actor caller = TinyBuilder::everyone(CoreKind::aiv);
  if (b.choice().chance(80)) caller.where.all.push_back({IndexName::sub, 0, 0});
  const Actor other = b.any_actor();
  const int words = b.mix().regions[static_cast<std::size_t>(b.shared())].words;
  const bool spread = caller.where.all.empty() && words >= 16 && b.half();
  if (b.choice().chance(30)) body(b, caller, 0);
  Instruction& in = b.put(caller, Op::matmul);
  in.dst = b.gm(b.shared(), 0);
  if (spread) in.dst.at.sub = 8;
  in.src = b.gm(1, 0);
  in.src_b = b.gm(1, 8);
  in.count = 8;
  if (b.half()) b.read(caller, plain(b, caller), 0);
  if (b.choice().chance(20) && other.kind == CoreKind::aiv) body(b, other, b.word());
  if (b.choice().chance(35)) {
    draw_shape(b);
    body(b, b.any_actor(), 0);
  }
}

void write_polls(TinyBuilder& b) {
  draw_shape(b);
  const auto [from, to] = b.two_actors();
  const int flag = b.add_region("F", 16, 0, 0);
  const std::int32_t value = b.choice().chance(90) ? 1 : 2;
  if (b.choice().chance(15)) b.read(to, Way::raw, 0);
  write_and_show(b, from, 0);
  if (b.choice().chance(30)) {
    b.barrier(from, Pipe::all);
  }
  constexpr Op stores[] = {Op::write_gm_bypass, Op::write_gm_bypass, Op::raw_store};
  Instruction& store = b.put(from, b.choice().pick(stores));
  store.dst = b.gm(flag, 0);
  store.value.expr.base = 1;
  const bool cached = store.op == Op::raw_store;
  if (cached && b.choice().chance(75)) b.dcci(from, flag, 0);
  if (b.choice().chance(70)) b.dsb(from);
  if (b.choice().chance(12)) {
    Instruction& again = b.put(from, Op::write_gm_bypass);
    again.dst = b.gm(flag, 0);
    again.value.expr.base = b.half() ? 0 : 2;
  }
  if (b.choice().chance(10)) {
    b.begin(b.sub().type, b.sub().blocks);
  }
  put_poll(b, to, flag, value);
  b.read(to, plain(b, to), 0);
}

}  // namespace skcts::generators
