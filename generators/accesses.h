// Who touches which GM words in a sub kernel: the cores that run it, and what each of them does.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/launch.h"
#include "spec/expr.h"
#include "spec/mix.h"

namespace skcts::generators {

/// How a GM word is accessed.
enum class How : std::uint8_t { none, dma, cached, bypass };

struct Access {
  std::int64_t first = 0;  ///< Word of the flat GM (layout_of).
  std::int32_t count = 1;
  std::int32_t core = 0;  ///< AIC i: 2i; AIV i: 2i + 1.
  How how = How::dma;
  bool write = false;
  bool atomic = false;
  std::int32_t place = -1;  ///< Of the instruction, in text order.
};

/// Calls visit(kind, indices, core) for every core that runs the sub kernel in a launch, with the
/// indices that it sees there.
template <class Visit>
void for_each_core(const SubKernel& sub, const Launch& launch, Visit&& visit) {
  const Shape shape{sub.type, sub.blocks};
  Indices at;
  at.block_count = sub.blocks;
  at.key = sub.tiling_key;
  at.core_count = aic_cores(sub.type, sub.blocks);
  for (int i = 0; i < at.core_count; ++i) {
    at.block = at.core = i;
    visit(CoreKind::aic, static_cast<const Indices&>(at), 2 * i);
  }
  at.core_count = running_vectors(shape, launch);
  for (int i = 0; i < at.core_count; ++i) {
    at.core = i;
    at.block = i / launch.ratio();
    at.sub = i % launch.ratio();
    visit(CoreKind::aiv, static_cast<const Indices&>(at), 2 * i + 1);
  }
}

/// Adds the GM accesses of one instruction of one core; the private words of soft barriers, IB
/// slots and polls are left out.
void add_accesses(const Instruction& in, const SubKernel& sub, const GmLayout& layout,
                  const Indices& at, int core, int place, std::vector<Access>& out);

/// The GM accesses of all cores of sub kernel k, core by core.
std::vector<Access> accesses_of(const Mix& mix, const GmLayout& layout, const Launch& launch,
                                int k);

/// True when the two touch a common word.
constexpr bool overlap(const Access& a, const Access& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

}  // namespace skcts::generators
