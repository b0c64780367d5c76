// Writers and readers of an operator's regions.
#include "harness/campaign/certify_data.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace skcts::campaign {
namespace {

constexpr std::int32_t line_words = 16;
constexpr std::int32_t most_words = 4096;  ///< Of a region that is written or read.
constexpr std::uint32_t stale_word = 0x5a000000;

Operand gm(std::int16_t region, Expr at = {}) {
  return {.space = Space::gm, .index = region, .at = at};
}

/// Core 1 alone does the work: never the one that block 0 of the operator runs on.
Instruction on_core_1(Instruction in) {
  in.where.all = {Condition{.index = IndexName::core, .low = 1, .high = 1}};
  return in;
}

void put(std::vector<Instruction>& program, Instruction in) {
  program.push_back(on_core_1(std::move(in)));
}

Instruction of(Op op) {
  Instruction made;
  made.op = op;
  return made;
}

Instruction drain() {
  Instruction made = of(Op::pipe_barrier);
  made.pipe = Pipe::all;
  return made;
}

Instruction land() {
  Instruction made = of(Op::dsb);
  made.dsb = Dsb::all;
  return made;
}

struct Work {
  CoreKind kind;
  Space local;

  Work(const Operator& value, const Profile& machine)
      :  // A cube core of the 950 has no way from L1 to GM.
        kind(is_aic_kind(value.sub_kernel.type) && !machine.is_3510() ? CoreKind::aic
                                                                      : CoreKind::aiv),
        local(kind == CoreKind::aic ? Space::l1 : Space::ub) {}

  [[nodiscard]] SubKernel kernel(std::string name) const {
    SubKernel made;
    made.name = std::move(name);
    made.type = kind == CoreKind::aic ? KernelType::aic_only : KernelType::aiv_only;
    made.blocks = 2;
    return made;
  }

  void copy(bool scalars, std::int16_t to, std::int16_t from, std::int32_t words,
            std::vector<Instruction>& program) const {
    if (scalars) {
      copy_scalars(to, from, words, program);
    } else {
      copy_blocks(to, from, words, program);
    }
  }

  /// From region to region, whole blocks.
  void copy_blocks(std::int16_t to, std::int16_t from, std::int32_t words,
                   std::vector<Instruction>& program) const {
    Instruction in = of(Op::data_copy);
    in.count = words;
    in.dst.space = local;
    in.src = gm(from);
    put(program, in);
    put(program, drain());
    std::swap(in.dst, in.src);
    in.dst = gm(to);
    put(program, in);
    put(program, drain());
  }

  /// The lines of a region, refreshed.
  static void refresh(std::int16_t region, std::int32_t words, bool everywhere,
                      std::vector<Instruction>& program) {
    Instruction in = of(Op::dcci);
    Instruction loop = of(Op::repeat);
    // A region may start anywhere in its first line.
    loop.times = (words + line_words - 1) / line_words;
    Expr index;
    index.repeat[0] = line_words;
    in.dst = gm(region, index);
    loop.body = {in};
    Instruction last = of(Op::dcci);
    last.dst = gm(region, Expr{.base = words - 1});
    for (Instruction each : {loop, last}) {
      program.push_back(everywhere ? each : on_core_1(each));
    }
  }

  /// Word by word through the cache, refreshed before and behind.
  static void copy_scalars(std::int16_t to, std::int16_t from, std::int32_t words,
                           std::vector<Instruction>& program) {
    refresh(from, words, false, program);
    refresh(to, words, false, program);
    Instruction loop = of(Op::repeat);
    loop.times = words;
    Expr index;
    index.repeat[0] = 1;
    Instruction load = of(Op::raw_load);
    load.src = gm(from, index);
    load.reg = 0;
    Instruction store = of(Op::raw_store);
    store.dst = gm(to, index);
    store.value.reg = 0;
    loop.body = {load, store};
    put(program, loop);
    refresh(to, words, false, program);
    put(program, land());
  }
};

/// Words of a region that a neighbour can write or read; 0: it cannot.
std::int32_t words_of(const Region& region, bool scalars) {
  const std::int32_t words = std::min(region.words, most_words);
  if (scalars) return words;
  return region.offset_bytes % 32 == 0 ? words / 8 * 8 : 0;
}

std::int16_t add_region(Mix& mix, std::string name, const Region& like) {
  Region made;
  made.name = std::move(name);
  made.words = like.words;
  made.offset_bytes = like.offset_bytes;
  mix.regions.push_back(std::move(made));
  return static_cast<std::int16_t>(mix.regions.size() - 1);
}

/// Reads the inputs on every core that the operator runs on, fresh, and leaves them in the caches.
SubKernel looker(const Operator& value) {
  SubKernel made;
  made.name = "look";
  made.type = value.sub_kernel.type;
  made.blocks = value.sub_kernel.blocks;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(made.type, kind)) continue;
    std::vector<Instruction>& program = made.program(kind);
    for (const std::int16_t place : value.inputs) {
      const std::int32_t words = words_of(value.regions[static_cast<std::size_t>(place)], true);
      Work::refresh(place, words, true, program);
      Instruction loop = of(Op::repeat);
      loop.times = words;
      Expr index;
      index.repeat[0] = 1;
      Instruction load = of(Op::raw_load);
      load.src = gm(place, index);
      load.reg = 0;
      loop.body = {load};
      program.push_back(loop);
    }
    program.push_back(drain());
  }
  return made;
}

}  // namespace

void add_writers(bool scalars, const Operator& value, const Profile& profile, Mix& mix) {
  if (value.inputs.empty()) return;
  const Work work(value, profile);
  SubKernel kernel = work.kernel("write");
  auto& program = kernel.program(work.kind);
  for (const std::int16_t place : value.inputs) {
    const Region& given = value.regions[static_cast<std::size_t>(place)];
    const std::int32_t words = words_of(given, scalars);
    if (words == 0) continue;
    const std::int16_t from = add_region(mix, "given-" + given.name, given);
    mix.regions[static_cast<std::size_t>(from)].init = given.init;
    // What it holds before is told apart from what it is to hold; a tail that stays is as given.
    if (words == given.words) {
      mix.regions[static_cast<std::size_t>(place)].init =
          RegionInit{.values = {}, .first = stale_word, .step = 1, .note = {}};
    }
    work.copy(scalars, place, from, words, program);
  }
  if (scalars) mix.sub_kernels.push_back(looker(value));
  mix.sub_kernels.push_back(std::move(kernel));
}

void add_readers(bool scalars, const Operator& value, const Profile& profile, Mix& mix) {
  if (value.outputs.empty()) return;
  const Work work(value, profile);
  SubKernel kernel = work.kernel("read");
  auto& program = kernel.program(work.kind);
  for (const std::int16_t place : value.outputs) {
    const Region& given = value.regions[static_cast<std::size_t>(place)];
    const std::int32_t words = words_of(given, scalars);
    if (words == 0) continue;
    const std::int16_t to = add_region(mix, "seen-" + given.name, given);
    work.copy(scalars, to, place, words, program);
  }
  if (program.empty()) put(program, drain());
  mix.sub_kernels.push_back(std::move(kernel));
}

}  // namespace skcts::campaign
