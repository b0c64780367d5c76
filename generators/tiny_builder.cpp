#include "generators/tiny_builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace skcts::generators {

namespace {

constexpr int block_words = 8;
constexpr int result_region_words = 64;

}  // namespace

TinyBuilder::TinyBuilder(Choice& choice, Case& out) : choice_(choice), out_(out) {
  constexpr int sizes[] = {8, 16, 16, 32};
  const int words = choice.pick(sizes);
  shared_ = add_region("X", words, 101, 1);
  // Some regions start inside a line, so that a block is no half of a line of its own.
  if (words <= 16 && choice.chance(10)) {
    mix().regions.back().offset_bytes = 32;
  }
  source_ = add_region("IN", 32, 1, 1);
  results_ = add_region("Y", result_region_words, 0, 0);
}

int TinyBuilder::add_region(std::string name, int words, int first, int step) {
  Region& region = mix().regions.emplace_back();
  region.name = std::move(name);
  region.words = words;
  region.init.first = static_cast<std::uint32_t>(first);
  region.init.step = static_cast<std::uint32_t>(step);
  return static_cast<int>(mix().regions.size()) - 1;
}

void TinyBuilder::begin(KernelType type, int blocks) {
  SubKernel& sub = mix().sub_kernels.emplace_back();
  sub.name = fmt::format("k{}", mix().sub_kernels.size() - 1);
  sub.type = type;
  sub.blocks = blocks;
  std::ranges::fill(local_, 0);
  event_id_ = 0;
}

std::vector<Actor> TinyBuilder::actors() {
  const SubKernel& k = sub();
  std::vector<Actor> found;
  const auto add = [&](CoreKind kind, std::vector<Condition> all) {
    found.push_back({kind, {std::move(all)}});
  };
  for (int b = 0; b < k.blocks; ++b) {
    const Condition of_block{IndexName::block, b, b};
    if (is_aiv_kind(k.type)) {
      add(CoreKind::aiv, k.blocks > 1 ? std::vector<Condition>{{IndexName::core, b, b}}
                                      : std::vector<Condition>{});
      continue;
    }
    const std::vector<Condition> here =
        k.blocks > 1 ? std::vector<Condition>{of_block} : std::vector<Condition>{};
    add(CoreKind::aic, here);
    if (is_aic_kind(k.type)) continue;
    for (int s = 0; s < (k.type == KernelType::mix_aic_1_2 ? 2 : 1); ++s) {
      std::vector<Condition> one = here;
      one.push_back({IndexName::sub, s, s});
      add(CoreKind::aiv, std::move(one));
    }
  }
  return found;
}

std::pair<Actor, Actor> TinyBuilder::two_actors() {
  const std::vector<Actor> all = actors();
  const int count = static_cast<int>(all.size());
  const int a = choice_.below(count);
  int b = count > 1 ? choice_.below(count - 1) : 0;
  if (count > 1 && b >= a) ++b;
  return {all[static_cast<std::size_t>(a)], all[static_cast<std::size_t>(b)]};
}

Actor TinyBuilder::any_actor() {
  return two_actors().first;
}

Instruction& TinyBuilder::put(const Actor& actor, Op op) {
  Instruction& in = sub().program(actor.kind).emplace_back();
  in.op = op;
  in.where = actor.where;
  return in;
}

void TinyBuilder::barrier(const Actor& actor, Pipe pipe) {
  put(actor, Op::pipe_barrier).pipe = pipe;
}

void TinyBuilder::order(const Actor& actor, Pipe from, Pipe to, int percent) {
  const int id = event_id_++ % 6;
  for (const Op op : {Op::set_flag, Op::wait_flag}) {
    if (!choice_.chance(percent)) continue;
    Instruction& in = put(actor, op);
    in.event = {from, to};
    in.id = id;
  }
}

void TinyBuilder::dcci(const Actor& actor, int region, int word) {
  Instruction& in = put(actor, Op::dcci);
  in.line = choice_.chance(85) ? CacheLine::single : CacheLine::entire;
  if (in.line == CacheLine::single) in.dst = gm(region, word);
}

void TinyBuilder::dsb(const Actor& actor) {
  put(actor, Op::dsb).dsb = choice_.chance(50) ? Dsb::all : Dsb::ddr;
}

Operand TinyBuilder::gm(int region, int word) const {
  Operand o;
  o.space = Space::gm;
  o.index = static_cast<std::int16_t>(region);
  o.at.base = word;
  return o;
}

Operand TinyBuilder::local(Space space, int words) {
  int& next = local_[static_cast<int>(space) - static_cast<int>(Space::ub)];
  Operand o;
  o.space = space;
  o.at.base = next;
  next += (words + block_words - 1) / block_words * block_words;
  return o;
}

int TinyBuilder::word() {
  const int words = mix().regions[static_cast<std::size_t>(shared_)].words;
  constexpr int wanted[] = {0, 0, 0, 1, 1, 8, 8, 16};
  return std::min(choice_.pick(wanted), words - 1);
}

Way TinyBuilder::pick_way(const Actor& actor, const std::vector<Way>& ways) {
  const Way way = choice_.pick(std::span<const Way>(ways));
  if (way == Way::fix && actor.kind == CoreKind::aiv) return Way::dma;
  return way;
}

Pipe TinyBuilder::store_pipe(const Actor& actor, Way way) {
  if (way == Way::dma) return Pipe::mte3;
  if (way == Way::fix) return Pipe::fix;
  return actor.kind == CoreKind::aiv ? Pipe::mte3 : Pipe::fix;
}

int TinyBuilder::object(bool is_const) {
  for (std::size_t t = 0; t < sub().tensors.size(); ++t) {
    const Tensor& tensor = sub().tensors[t];
    if (tensor.region == shared_ && tensor.is_const == is_const) return static_cast<int>(t);
  }
  Tensor& tensor = sub().tensors.emplace_back();
  tensor.name = is_const ? "c" : "x";
  tensor.region = static_cast<std::int16_t>(shared_);
  tensor.is_const = is_const;
  return static_cast<int>(sub().tensors.size()) - 1;
}

/// A local block with fresh words, ready for `pipe`.
Operand TinyBuilder::fresh_block(const Actor& actor, Pipe pipe) {
  const bool cube = actor.kind == CoreKind::aic;
  const Operand block = local(pipe == Pipe::fix ? Space::l0c : cube ? Space::l1 : Space::ub, 8);
  if (pipe == Pipe::fix) {
    Instruction& in = put(actor, Op::compute);
    in.pipe = Pipe::m;
    in.writes.push_back({block, block_words});
    in.value.expr.base = constant();
    order(actor, Pipe::m, Pipe::fix);
  } else if (!cube && choice_.chance(40)) {
    Instruction& in = put(actor, Op::duplicate);
    in.dst = block;
    in.count = block_words;
    in.value.expr.base = constant();
    order(actor, Pipe::v, Pipe::mte3);
  } else {
    Instruction& in = put(actor, Op::data_copy);
    in.dst = block;
    in.src = gm(source_, next_source_++ % 4 * block_words);
    in.count = block_words;
    order(actor, Pipe::mte2, Pipe::mte3);
  }
  return block;
}

void TinyBuilder::write(const Actor& actor, Way way, int word, bool atomic) {
  const auto value = [&](Op op, const Operand& to) {
    Instruction& in = put(actor, op);
    in.dst = to;
    in.value.expr.base = constant();
  };
  const auto through = [&](int tensor) {
    Operand o = gm(shared_, word);
    o.space = Space::tensor;
    o.index = static_cast<std::int16_t>(tensor);
    return o;
  };
  switch (way) {
    case Way::dma:
    case Way::fix: {
      const Operand from = fresh_block(actor, store_pipe(actor, way));
      Instruction& in = put(actor, way == Way::fix ? Op::fixpipe : Op::data_copy);
      in.dst = gm(shared_, word / block_words * block_words);
      in.src = from;
      in.count = block_words;
      in.atomic_add = atomic;
      return;
    }
    case Way::bypass: return value(Op::write_gm_bypass, gm(shared_, word));
    case Way::raw: return value(Op::raw_store, gm(shared_, word));
    case Way::object: return value(Op::set_value, through(object()));
    case Way::call_operator: return value(Op::assign, through(object()));
  }
}

void TinyBuilder::result_word(const Actor& actor, int reg) {
  Instruction& in = put(actor, Op::write_gm_bypass);
  in.dst = gm(results_, result_region_words - 1 - result_words_++ % (result_region_words / 2));
  in.value.reg = static_cast<std::int8_t>(reg);
}

void TinyBuilder::result_block(const Actor& actor, const Operand& from) {
  Instruction& in = put(actor, Op::data_copy);
  in.dst = gm(results_, result_blocks_++ % 4 * block_words);
  in.src = from;
  in.count = block_words;
}

void TinyBuilder::read(const Actor& actor, Way way, int word) {
  if (way == Way::dma || way == Way::fix) {
    const Operand to = local(actor.kind == CoreKind::aic ? Space::l1 : Space::ub, 8);
    Instruction& in = put(actor, Op::data_copy);
    in.dst = to;
    in.src = gm(shared_, word / block_words * block_words);
    in.count = block_words;
    if (actor.kind == CoreKind::aiv && choice_.chance(30)) {
      order(actor, Pipe::mte2, Pipe::s);
      Instruction& one = put(actor, Op::get_value);
      one.src = to;
      one.src.at.base += word % block_words;
      one.reg = next_reg();
      return result_word(actor, one.reg);
    }
    order(actor, Pipe::mte2, Pipe::mte3);
    return result_block(actor, to);
  }
  const std::int8_t reg = next_reg();
  const bool through = way == Way::object || way == Way::call_operator;
  const int tensor = through ? object(choice_.chance(12)) : -1;
  Instruction& in = put(actor, through              ? Op::get_value
                               : way == Way::bypass ? Op::read_gm_bypass
                                                    : Op::raw_load);
  in.src = gm(shared_, word);
  if (through) {
    in.src.space = Space::tensor;
    in.src.index = static_cast<std::int16_t>(tensor);
  }
  in.reg = reg;
  result_word(actor, reg);
}

void TinyBuilder::publish(const Actor& actor, Way way, int word, int percent) {
  if (way == Way::dma || way == Way::fix) return;
  if (way != Way::bypass && choice_.chance(percent)) dcci(actor, shared_, word);
  if (choice_.chance(percent)) dsb(actor);
}

void TinyBuilder::refresh(const Actor& actor, Way way, int word, int percent) {
  if (way == Way::dma || way == Way::fix || way == Way::bypass) return;
  if (choice_.chance(percent)) dcci(actor, shared_, word);
}

void TinyBuilder::raise(const Actor& actor, int mode, Pipe pipe, int id) {
  Instruction& in = put(actor, Op::cross_core_set_flag);
  in.mode = mode;
  in.pipe = pipe;
  in.id = id;
}

void TinyBuilder::await(const Actor& actor, int id) {
  Instruction& in = put(actor, Op::cross_core_wait_flag);
  in.id = id;
  in.pipe = Pipe::s;
}

void TinyBuilder::signal(const Actor& from, const Actor& to, Pipe data) {
  const int id = choice_.range(1, 4);
  if (from.kind != to.kind) {
    raise(everyone(from.kind), 2, data, id);
    await(everyone(to.kind), id);
    return;
  }
  const SubKernel& k = sub();
  if (k.type == KernelType::mix_aic_1_2 && from.kind == CoreKind::aiv && choice_.chance(50)) {
    raise(everyone(CoreKind::aiv), 1, data, id);
    await(everyone(CoreKind::aiv), id);
    return;
  }
  if (from.kind == CoreKind::aiv && choice_.chance(40)) {
    put(everyone(CoreKind::aiv), Op::sync_all).aiv_only = true;
    return;
  }
  raise(everyone(from.kind), 0, data, id);
  await(everyone(from.kind), id);
}

}  // namespace skcts::generators
