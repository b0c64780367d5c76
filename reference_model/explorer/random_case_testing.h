// Random tiny cases of all instruction groups, for holding the reduction against plain enumeration.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/case.h"

namespace skcts::explorer {

/// mixed: all groups alike. overlap: one or two cores whose pipes work on the same few words, with
/// sets and raises between, double sets, waits before their sets, and soft barriers on used slots.
enum class Flavour { mixed, overlap };

class RandomCase {
 public:
  explicit RandomCase(std::uint64_t seed, Flavour flavour = Flavour::mixed)
      : state_(seed * 0x9e3779b97f4a7c15u + 1), flavour_(flavour) {}

  Case make() {
    Case made;
    next();  // The seeds that tests name were drawn with it.
    made.profile = "tiny";
    made.mix.regions = {region("A", 16), region("B", 16), region("W", 32)};
    for (int w = 0; w < 8; ++w) made.mix.regions[0].init.values.push_back(w == 0 ? 7 : 0);
    static const std::vector<std::string> options = {"",
                                                     "",
                                                     "",
                                                     "early-start=0",
                                                     "early-start=2",
                                                     "feed-sync-all=1",
                                                     "debug-dcci-all=1",
                                                     "debug-sync-all=1",
                                                     "dcci-before-kernel-start=k0",
                                                     "dcci-after-kernel-end=k0",
                                                     "dcci-disable-on-kernel=k0",
                                                     "feed-sync-all=1:early-start=0"};
    made.mix.options = options[below(options.size())];
    const int kernels = one_in(3) ? 2 : 1;
    size_ = kernels == 2 ? 2 : 2 + static_cast<int>(below(3));
    if (flavour_ == Flavour::overlap) {
      size_ = kernels == 2 ? 3 : 3 + static_cast<int>(below(4));
      if (one_in(2)) made.mix.regions[2].init.values = {static_cast<std::uint32_t>(below(3))};
    }
    for (int k = 0; k < kernels; ++k) {
      kernels_ = kernels;
      made.mix.sub_kernels.push_back(kernel(k));
    }
    if (one_in(5)) {
      made.plan.steps.emplace_back();
      made.plan.steps[0].kind = StepKind::alone;
      for (int k = 0; k < kernels; ++k) made.plan.steps[0].sub_kernels.push_back(k);
    }
    return made;
  }

 private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  static Region region(std::string name, int words) {
    Region made;
    made.name = std::move(name);
    made.words = words;
    return made;
  }

  SubKernel kernel(int place) {
    SubKernel made;
    made.name = "k" + std::to_string(place);
    static constexpr KernelType types[] = {KernelType::mix_aic_1_1, KernelType::mix_aic_1_1,
                                           KernelType::mix_aic_1_2, KernelType::mix_aiv_1_0,
                                           KernelType::mix_aiv_1_0, KernelType::aiv_only,
                                           KernelType::mix_aic_1_0};
    made.type = types[below(7)];
    const bool one = is_mix_kind(made.type) || kernels_ == 2;
    made.blocks = one && !one_in(6) ? 1 : 2;
    if (is_mix_kind(made.type)) made.blocks = 1;
    if (one_in(8)) made.tiling = Tiling::offload;
    made.tensors = {{"a", 0, false, ""}, {"b", 1, one_in(4), ""}, {"c", 0, false, ""}};
    const bool matmul = made.type == KernelType::mix_aic_1_1 && one_in(12);
    if (!is_aiv_kind(made.type) && !matmul) made.aic = program(made, CoreKind::aic);
    if (!is_aic_kind(made.type)) made.aiv = program(made, CoreKind::aiv);
    if (matmul) made.aiv.insert(made.aiv.begin(), matmul_call());
    return made;
  }

  Instruction matmul_call() {
    Instruction in;
    in.op = Op::matmul;
    in.dst = gm(1, 0);
    in.src = gm(0, 0);
    in.src_b = gm(0, 8);
    in.count = 8;
    return in;
  }

  std::vector<Instruction> program(SubKernel& kernel, CoreKind kind) {
    std::vector<Instruction> made;
    const bool both = kernel.blocks == 2 || kernel.type == KernelType::mix_aic_1_2;
    ended_.assign(3, false);
    while (static_cast<int>(made.size()) < size_) {
      std::vector<Instruction> some = group(kernel, kind);
      for (Instruction& in : some) {
        if (both && one_in(3) && some.size() == 1) {
          const int core = static_cast<int>(below(2));
          in.where.all.push_back({IndexName::core, core, core});
        }
        made.push_back(std::move(in));
      }
    }
    return made;
  }

  static Operand at(Space space, int index, int word) {
    Operand made;
    made.space = space;
    made.index = static_cast<std::int16_t>(index);
    made.at.base = word;
    return made;
  }
  static Operand gm(int region, int word) { return at(Space::gm, region, word); }
  Operand any_gm() { return gm(static_cast<int>(below(2)), 8 * static_cast<int>(below(2))); }
  Operand any_word() {
    return gm(static_cast<int>(below(2)), 8 * static_cast<int>(below(2)) + (one_in(4) ? 1 : 0));
  }
  Operand local(Space space) { return at(space, -1, 8 * static_cast<int>(below(2))); }
  Value constant() {
    Value made;
    made.expr.base = ++constant_;
    return made;
  }
  Value any_value() {
    if (!one_in(3)) return constant();
    Value made;
    made.reg = static_cast<std::int8_t>(below(2));
    return made;
  }

  std::vector<Instruction> group(SubKernel& kernel, CoreKind kind) {
    if (flavour_ == Flavour::overlap) return overlapping(kernel, kind);
    switch (below(13)) {
      case 0:
      case 1:
      case 2: return {move(kind)};
      case 3: return {compute(kind)};
      case 4:
      case 5:
      case 6: return {scalar(kernel, kind)};
      case 7: return {order(kind)};
      case 8:
      case 9: return {cross(kernel, kind)};
      case 10: return pair(kind);
      case 11: return {shared(kernel, kind)};
      default:
        return one_in(4) ? queue(kernel, kind) : std::vector<Instruction>{scalar(kernel, kind)};
    }
  }

  std::vector<Instruction> overlapping(SubKernel& kernel, CoreKind kind) {
    switch (below(12)) {
      case 0:
      case 1:
      case 2: return {move(kind)};
      case 3:
      case 4:
      case 5: return {compute(kind)};
      case 6: return {order(kind)};
      case 7: return {cross(kernel, kind)};
      case 8: {  // Something between or behind the two, of any pipe.
        std::vector<Instruction> made = pair(kind);
        const auto at = static_cast<std::ptrdiff_t>(below(made.size() + 1));
        made.insert(made.begin() + at, one_in(2) ? move(kind) : compute(kind));
        return made;
      }
      case 9: {
        std::vector<Instruction> made = pair(kind);
        if (one_in(3)) made.push_back(made[below(made.size())]);
        if (one_in(3)) std::swap(made.front(), made[below(made.size())]);
        return made;
      }
      case 10:
        if (kind == CoreKind::aiv && one_in(2)) {
          Instruction in;
          in.op = Op::soft_sync_all;
          in.src = gm(2, 0);
          in.dst = at(Space::ub, -1, 64);
          if (one_in(4)) in.count = 1 + static_cast<int>(below(2));
          return {in};
        }
        return {scalar(kernel, kind)};
      default:
        return one_in(2) ? queue(kernel, kind) : std::vector<Instruction>{scalar(kernel, kind)};
    }
  }

  Instruction move(CoreKind kind) {
    Instruction in;
    in.op = Op::data_copy;
    in.count = 8;
    const Space near = kind == CoreKind::aiv ? Space::ub : Space::l1;
    if (one_in(2)) {
      in.dst = local(near);
      in.src = any_gm();
    } else {
      in.dst = any_gm();
      in.src = local(near);
      in.atomic_add = one_in(4);
      if (kind == CoreKind::aic && one_in(2)) {
        in.op = Op::fixpipe;
        in.src = local(Space::l0c);
      }
    }
    return in;
  }

  Instruction compute(CoreKind kind) {
    Instruction in;
    in.count = 8;
    const bool aiv = kind == CoreKind::aiv;
    if (aiv) {
      static constexpr Op ops[] = {Op::duplicate, Op::duplicate, Op::adds, Op::add};
      in.op = ops[below(4)];
      in.dst = local(Space::ub);
      if (in.op != Op::duplicate) in.src = local(Space::ub);
      if (in.op == Op::add) {
        in.src_b = local(Space::ub);
      } else {
        in.value = any_value();
      }
      return in;
    }
    in.op = Op::compute;
    in.pipe = Pipe::m;
    in.count = 0;
    in.value = constant();
    in.reads.push_back({local(Space::l1), 8});
    in.writes.push_back({local(Space::l0c), 8});
    return in;
  }

  Instruction scalar(SubKernel& kernel, CoreKind kind) {
    Instruction in;
    const auto tensor = [&] {
      int t = static_cast<int>(below(3));
      while (ended_[static_cast<std::size_t>(t)]) t = (t + 1) % 3;
      return t;
    };
    const int word = 8 * static_cast<int>(below(2)) + (one_in(4) ? 1 : 0);
    switch (below(12)) {
      case 0:
      case 1:
        in.op = Op::get_value;
        in.src = at(Space::tensor, tensor(), word);
        in.reg = static_cast<std::int8_t>(below(2));
        return in;
      case 2:
      case 3: {
        in.op = one_in(4) ? Op::assign : Op::set_value;
        int t = tensor();
        if (kernel.tensors[static_cast<std::size_t>(t)].is_const) t = ended_[0] ? 2 : 0;
        if (ended_[static_cast<std::size_t>(t)]) break;
        in.dst = at(Space::tensor, t, word);
        in.value = any_value();
        return in;
      }
      case 4:
        in.op = one_in(2) ? Op::raw_load : Op::read_gm_bypass;
        in.src = any_word();
        in.reg = static_cast<std::int8_t>(below(2));
        return in;
      case 5:
        in.op = Op::raw_store;
        in.dst = any_word();
        in.value = any_value();
        return in;
      case 6:
        in.op = Op::write_gm_bypass;
        in.dst = any_word();
        in.value = any_value();
        return in;
      case 7:
      case 8:
        in.op = Op::dcci;
        in.line = one_in(4) ? CacheLine::entire : CacheLine::single;
        if (in.line == CacheLine::single) in.dst = any_word();
        return in;
      case 9:
        if (kind == CoreKind::aiv && one_in(2)) {
          in.op = one_in(2) ? Op::set_value : Op::get_value;
          if (in.op == Op::set_value) {
            in.dst = local(Space::ub);
            in.value = any_value();
          } else {
            in.src = local(Space::ub);
            in.reg = static_cast<std::int8_t>(below(2));
          }
          return in;
        }
        break;
      case 10:
        if (one_in(3) && !ended_[2]) {
          in.op = Op::tensor_end;
          in.object = 2;
          ended_[2] = true;
          return in;
        }
        break;
      default: break;
    }
    in.op = Op::dsb;
    in.dsb = one_in(3) ? Dsb::ub : Dsb::ddr;
    return in;
  }

  Instruction order(CoreKind kind) {
    Instruction in;
    in.op = Op::pipe_barrier;
    static constexpr Pipe aiv[] = {Pipe::v, Pipe::mte2, Pipe::mte3, Pipe::all};
    static constexpr Pipe aic[] = {Pipe::m, Pipe::mte2, Pipe::fix, Pipe::all};
    in.pipe = (kind == CoreKind::aiv ? aiv : aic)[below(4)];
    return in;
  }

  HardEvent event(CoreKind kind) {
    static constexpr Pipe aiv[] = {Pipe::v, Pipe::mte2, Pipe::mte3, Pipe::s};
    static constexpr Pipe aic[] = {Pipe::m, Pipe::mte2, Pipe::mte1, Pipe::fix};
    const auto a = below(4);
    const auto b = (a + 1 + below(3)) % 4;
    if (kind == CoreKind::aiv) return {aiv[a], aiv[b]};
    return {aic[a], aic[b]};
  }

  /// Set and wait, or by chance only one of the two or the wrong way round.
  std::vector<Instruction> pair(CoreKind kind) {
    Instruction set, wait;
    set.op = Op::set_flag;
    wait.op = Op::wait_flag;
    set.event = event(kind);
    set.id = static_cast<int>(below(2));
    wait.event = set.event;
    wait.id = set.id;
    if (one_in(12)) return {set};
    if (one_in(20)) return {wait};
    if (one_in(20)) return {wait, set};
    return {set, wait};
  }

  Instruction cross(SubKernel& kernel, CoreKind kind) {
    Instruction in;
    if (one_in(4)) {
      in.op = Op::sync_all;
      in.aiv_only = !is_mix_kind(kernel.type) || one_in(2);
      if (kind == CoreKind::aic) in.aiv_only = one_in(6);
      return in;
    }
    if (kernels_ == 2 && one_in(3)) {
      in.op = one_in(2) ? Op::set_next_task_start : Op::wait_pre_task_end;
      in.pipe = in.op == Op::set_next_task_start ? Pipe::mte3 : Pipe::all;
      return in;
    }
    in.op = one_in(2) ? Op::cross_core_set_flag : Op::cross_core_wait_flag;
    in.id = one_in(8) ? 14 : static_cast<int>(below(2));
    in.pipe = Pipe::s;
    if (in.op == Op::cross_core_set_flag) {
      static constexpr Pipe aiv[] = {Pipe::mte3, Pipe::v};
      static constexpr Pipe aic[] = {Pipe::fix, Pipe::mte2};
      in.pipe = (kind == CoreKind::aiv ? aiv : aic)[below(2)];
      in.mode = is_mix_kind(kernel.type) ? 2 : 0;
      if (kind == CoreKind::aiv && one_in(5)) in.mode = static_cast<int>(below(3));
    }
    return in;
  }

  Instruction shared(SubKernel& kernel, CoreKind kind) {
    Instruction in;
    const auto what = below(kind == CoreKind::aiv ? 6 : 4);
    if (what == 5) {
      in.op = Op::soft_sync_all;
      in.src = gm(2, 0);
      in.dst = at(Space::ub, -1, 64);
      if (is_aiv_kind(kernel.type)) return in;
    }
    if (what == 4) {
      in.op = one_in(2) ? Op::ib_set : Op::ib_wait;
      in.src = gm(2, 0);
      in.dst = at(Space::ub, -1, 64);
      in.value = Value{};
      in.pipe = Pipe::all;
      return in;
    }
    if (what == 3) {
      static constexpr Op queries[] = {Op::get_block_idx, Op::get_block_num, Op::get_task_ratio};
      in = Instruction{};
      in.op = queries[below(3)];
      return in;
    }
    in = Instruction{};
    in.op = Op::poll;
    static constexpr PollVia ways[] = {PollVia::get_value, PollVia::raw_load, PollVia::bypass};
    in.via = ways[below(3)];
    const int word = 8 * static_cast<int>(below(2));
    in.src = in.via == PollVia::get_value ? at(Space::tensor, 0, word) : gm(0, word);
    in.refresh = in.via != PollVia::bypass && one_in(2);
    in.value.expr.base = one_in(2) ? constant_ : 1;
    in.until = one_in(3) ? Compare::equal : Compare::at_least;
    in.reg = static_cast<std::int8_t>(below(2));
    if (kind == CoreKind::aiv && one_in(4)) {
      in.via = PollVia::data_copy;
      in.src = gm(0, word);
      in.refresh = false;
      in.dst = at(Space::ub, -1, 8);
    }
    return in;
  }

  /// A TPipe with one queue, filled and emptied once or twice.
  std::vector<Instruction> queue(SubKernel& kernel, CoreKind kind) {
    if (kind == CoreKind::aic || !kernel.names.empty()) return {order(kind)};
    kernel.names = {"p", "q", "t"};
    std::vector<Instruction> made;
    const auto add = [&](Op op) -> Instruction& {
      made.emplace_back();
      made.back().op = op;
      made.back().object = 1;
      made.back().other = 2;
      return made.back();
    };
    Instruction& pipe = add(Op::tpipe_init);
    pipe.object = 0;
    pipe.other = -1;
    Instruction& buffer = add(Op::init_buffer);
    buffer.other = 0;
    buffer.count = 8;
    const bool in = one_in(2);
    buffer.position = in ? Position::vecin : Position::vecout;
    const int rounds = 1 + static_cast<int>(below(2));
    for (int r = 0; r < rounds; ++r) {
      add(Op::alloc_tensor);
      Instruction first = in ? move(kind) : compute(kind);
      if (in) {
        first.op = Op::data_copy;
        first.src = any_gm();
        first.atomic_add = false;
      } else {
        first = Instruction{};
        first.op = Op::duplicate;
        first.count = 8;
        first.value = constant();
      }
      first.dst = at(Space::local_tensor, 2, 0);
      made.push_back(first);
      add(Op::enque);
      add(Op::deque);
      Instruction last;
      last.op = in ? Op::adds : Op::data_copy;
      last.count = 8;
      last.src = at(Space::local_tensor, 2, 0);
      last.dst = in ? at(Space::ub, -1, 8) : any_gm();
      if (in) last.value = constant();
      made.push_back(last);
      add(Op::free_tensor);
    }
    Instruction& end = add(Op::tpipe_end);
    end.object = 0;
    end.other = -1;
    return made;
  }

  std::uint64_t state_;
  Flavour flavour_;
  int constant_ = 10;
  int kernels_ = 1;
  int size_ = 3;
  std::vector<bool> ended_;
};

}  // namespace skcts::explorer
