// What the edits of operator defects share: finding places and asking about them.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "generators/accesses.h"
#include "generators/defect_edits.h"
#include "generators/edit.h"
#include "generators/launch.h"
#include "spec/options.h"
#include "spec/program.h"

namespace skcts::generators::edits {

using Program = std::vector<Instruction>;

inline constexpr CoreKind both_kinds[] = {CoreKind::aic, CoreKind::aiv};

/// An instruction of a case: sub kernel, side, place.
struct Spot {
  int sub = 0;
  CoreKind kind = CoreKind::aic;
  int place = 0;
};

inline SubKernel& sub_of(Case& c, int k) {
  return c.mix.sub_kernels[static_cast<std::size_t>(k)];
}

inline Program& program_of(Case& c, const Spot& s) {
  return sub_of(c, s.sub).program(s.kind);
}

inline Instruction& at(Case& c, const Spot& s) {
  return program_of(c, s)[static_cast<std::size_t>(s.place)];
}

inline void erase(Case& c, const Spot& s) {
  Program& p = program_of(c, s);
  p.erase(p.begin() + s.place);
}

inline void insert(Case& c, const Spot& s, const Instruction& in) {
  Program& p = program_of(c, s);
  p.insert(p.begin() + s.place, in);
}

inline std::vector<Shape> shapes_of(const Case& c) {
  std::vector<Shape> shapes;
  for (const SubKernel& s : c.mix.sub_kernels) shapes.push_back({s.type, s.blocks});
  return shapes;
}

/// The options of a generated case, whose texts are all known.
inline Options known_options(const Case& c) {
  return options_of(c).options.value();
}

inline Launch launch_of(const Case& c) {
  return generators::launch_of(shapes_of(c), known_options(c));
}

inline Shape shape_of(const Case& c, int k) {
  return shapes_of(c)[static_cast<std::size_t>(k)];
}

/// Vector cores that run a sub kernel in the case's launch.
inline int vectors_of(const Case& c, int k) {
  return running_vectors(shape_of(c, k), launch_of(c));
}

/// All instructions at the top level of programs for which the test holds, one of them drawn.
template <class Test>
std::optional<Spot> draw_spot(Case& c, Choice& choice, const Test& test) {
  std::vector<Spot> spots;
  for (int k = 0; k < static_cast<int>(c.mix.sub_kernels.size()); ++k) {
    for (const CoreKind kind : both_kinds) {
      const Program& p = sub_of(c, k).program(kind);
      for (int i = 0; i < static_cast<int>(p.size()); ++i) {
        const Spot spot{k, kind, i};
        if (test(spot, p[static_cast<std::size_t>(i)])) spots.push_back(spot);
      }
    }
  }
  if (spots.empty()) return std::nullopt;
  return spots[static_cast<std::size_t>(choice.below(static_cast<int>(spots.size())))];
}

/// One of the sites of a kind for which the test holds.
template <class Test>
const Site* draw_site(const EditPlace& p, SiteKind kind, const Test& test) {
  std::vector<const Site*> found;
  for (const Site& s : p.sites) {
    if (s.kind == kind && test(s)) found.push_back(&s);
  }
  if (found.empty()) return nullptr;
  return found[static_cast<std::size_t>(p.choice.below(static_cast<int>(found.size())))];
}

inline const Site* draw_site(const EditPlace& p, SiteKind kind) {
  return draw_site(p, kind, [](const Site&) { return true; });
}

inline Spot spot_of(const Site& s) {
  return {s.sub_kernel, s.core, s.place};
}

/// A GM region that an operand names, or -1.
inline int region_of(const SubKernel& s, const Operand& o) {
  if (o.space == Space::gm) return o.index;
  if (o.space == Space::tensor) return s.tensors[static_cast<std::size_t>(o.index)].region;
  return -1;
}

/// An instruction's number in text order.
inline int text_place(Case& c, const Spot& s) {
  const Program& p = program_of(c, s);
  return instruction_count(Program(p.begin(), p.begin() + s.place));
}

/// What the instruction at the place touches by DMA, all cores together.
inline std::vector<Access> dma_of(Case& c, const Spot& s) {
  std::vector<Access> all = accesses_of(c.mix, layout_of(c.mix), launch_of(c), s.sub);
  const int place = text_place(c, s);
  const int parity = s.kind == CoreKind::aic ? 0 : 1;
  std::erase_if(all, [&](const Access& a) {
    return a.how != How::dma || a.place != place || a.core % 2 != parity;
  });
  return all;
}

/// SyncAll without its synchronisation: what it does to the core's own pipes.
inline void keep_only_barrier(Instruction& sync) {
  sync.op = Op::pipe_barrier;
  sync.pipe = Pipe::all;
  sync.aiv_only = true;
}

/// A later sub kernel uses the flag id too.
inline bool is_used_later(const Case& c, int k, int id) {
  bool found = false;
  for (std::size_t j = static_cast<std::size_t>(k) + 1; j < c.mix.sub_kernels.size(); ++j) {
    for (const CoreKind kind : both_kinds) {
      for_each_in(c.mix.sub_kernels[j].program(kind), [&](const Instruction& in) {
        const bool flag = in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
        found = found || (flag && in.id == id);
      });
    }
  }
  return found;
}

/// True for what makes a core wait for others or for all of its pipes.
inline bool is_order(const Instruction& in) {
  switch (in.op) {
    case Op::cross_core_set_flag:
    case Op::cross_core_wait_flag:
    case Op::sync_all:
    case Op::soft_sync_all:
    case Op::ib_set:
    case Op::ib_wait:
    case Op::poll:
    case Op::matmul: return true;
    case Op::pipe_barrier: return in.pipe == Pipe::all;
    default: return false;
  }
}

/// No core of the sub kernel waits for another one.
inline bool is_unsynchronised(const SubKernel& sub) {
  bool found = false;
  for (const CoreKind kind : both_kinds) {
    for_each_in(sub.program(kind), [&](const Instruction& in) {
      found = found || (is_order(in) && in.op != Op::pipe_barrier);
    });
  }
  return !found;
}

/// How many instructions of a program, in text order, come before the first that orders things.
inline int order_place(const Program& program) {
  int place = 0;
  for (const Instruction& in : program) {
    if (is_order(in) || in.op == Op::repeat) break;
    ++place;
  }
  return place;
}

/// Two accesses of a common word by DMA, one of them a write: one of `some`, and one of sub kernel
/// k before anything there can have ordered the two; with `other_core` not of the same core.
inline bool meets_by_dma(Case& c, const std::vector<Access>& some, int k, bool other_core) {
  const int limits[] = {order_place(sub_of(c, k).aic), order_place(sub_of(c, k).aiv)};
  for (const Access& b : accesses_of(c.mix, layout_of(c.mix), launch_of(c), k)) {
    if (b.how != How::dma || b.place >= limits[b.core % 2]) continue;
    for (const Access& a : some) {
      if (other_core && a.core == b.core) continue;
      if ((a.write || b.write) && overlap(a, b)) return true;
    }
  }
  return false;
}

/// Calls of early start take effect in sub kernel k: they are called, and it has the neighbour.
inline bool sets_early(const Case& c, int k) {
  const SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(k)];
  return known_options(c).early_start == 1 && s.tiling == Tiling::fixed &&
         k + 1 < static_cast<int>(c.mix.sub_kernels.size());
}

inline bool waits_early(const Case& c, int k) {
  const SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(k)];
  return known_options(c).early_start == 1 && s.tiling == Tiling::fixed && k > 0;
}

inline bool is_flag(const Instruction& in) {
  return in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
}

/// A soft SyncAll there counts the cores of the launch: another launch breaks SYNC-9 besides.
inline bool counts_launch(const Case& c, const Profile& profile) {
  bool found = false;
  for (const SubKernel& s : c.mix.sub_kernels) {
    for_each_in(s.aiv, [&](const Instruction& in) { found |= in.op == Op::soft_sync_all; });
  }
  return found && profile.is_3510();
}

/// Only workers from the second on; sub block 0 of a MIX 1:1 sub kernel is a worker of its block.
inline void leave_out_first(Instruction& in) {
  in.where.all.push_back({IndexName::core, 1, 1 << 20});
}

}  // namespace skcts::generators::edits
