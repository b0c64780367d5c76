// The edits behind the operator defects. Each finds the places where it would break its rule for
// certain and picks one.
#include "generators/defect_edits.h"

#include <algorithm>

#include "generators/edit.h"
#include "generators/launch.h"
#include "spec/options.h"

namespace skcts::generators::edits {

namespace {

using Program = std::vector<Instruction>;

constexpr CoreKind both_kinds[] = {CoreKind::aic, CoreKind::aiv};

/// An instruction of a case: sub kernel, side, place.
struct Spot {
  int sub = 0;
  CoreKind kind = CoreKind::aic;
  int place = 0;
};

SubKernel& sub_of(Case& c, int k) {
  return c.mix.sub_kernels[static_cast<std::size_t>(k)];
}

Program& program_of(Case& c, const Spot& s) {
  return sub_of(c, s.sub).program(s.kind);
}

Instruction& at(Case& c, const Spot& s) {
  return program_of(c, s)[static_cast<std::size_t>(s.place)];
}

void erase(Case& c, const Spot& s) {
  Program& p = program_of(c, s);
  p.erase(p.begin() + s.place);
}

void insert(Case& c, const Spot& s, const Instruction& in) {
  Program& p = program_of(c, s);
  p.insert(p.begin() + s.place, in);
}

std::vector<Shape> shapes_of(const Case& c) {
  std::vector<Shape> shapes;
  for (const SubKernel& s : c.mix.sub_kernels) shapes.push_back({s.type, s.blocks});
  return shapes;
}

Options options_of(const Case& c) {
  return parse_options(c.mix.options).options.value();
}

Launch launch_of(const Case& c) {
  return generators::launch_of(shapes_of(c), options_of(c));
}

Shape shape_of(const Case& c, int k) {
  return shapes_of(c)[static_cast<std::size_t>(k)];
}

/// Vector cores that run a sub kernel in the case's launch.
int vectors_of(const Case& c, int k) {
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

const Site* draw_site(const EditPlace& p, SiteKind kind) {
  return draw_site(p, kind, [](const Site&) { return true; });
}

Spot spot_of(const Site& s) {
  return {s.sub_kernel, s.core, s.place};
}

/// A GM region that an operand names, or -1.
int region_of(const SubKernel& s, const Operand& o) {
  if (o.space == Space::gm) return o.index;
  if (o.space == Space::tensor) return s.tensors[static_cast<std::size_t>(o.index)].region;
  return -1;
}

/// True when a DMA instruction of the sub kernel names the region.
bool uses_by_dma(const Case& c, int k, int region) {
  const SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(k)];
  bool found = false;
  for (const CoreKind kind : both_kinds) {
    for_each_in(s.program(kind), [&](const Instruction& in) {
      if (in.op != Op::data_copy && in.op != Op::fixpipe) return;
      found = found || region_of(s, in.src) == region || region_of(s, in.dst) == region;
    });
  }
  return found;
}

/// Calls of early start take effect in sub kernel k: they are called, and it has the neighbour.
bool sets_early(const Case& c, int k) {
  const SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(k)];
  return options_of(c).early_start == 1 && s.tiling == Tiling::fixed &&
         k + 1 < static_cast<int>(c.mix.sub_kernels.size());
}

bool waits_early(const Case& c, int k) {
  const SubKernel& s = c.mix.sub_kernels[static_cast<std::size_t>(k)];
  return options_of(c).early_start == 1 && s.tiling == Tiling::fixed && k > 0;
}

bool is_flag(const Instruction& in) {
  return in.op == Op::cross_core_set_flag || in.op == Op::cross_core_wait_flag;
}

/// Only workers from the second on; sub block 0 of a MIX 1:1 sub kernel is a worker of its block.
void leave_out_first(Instruction& in) {
  in.where.all.push_back({IndexName::core, 1, 1 << 20});
}

}  // namespace

// --- CORE, SYNC ---------------------------------------------------------------------------------

bool drop_feed(Case& c, const EditPlace&) {
  Options o = options_of(c);
  o.feed_sync_all = false;
  c.mix.options = to_option_string(o);
  return true;
}

bool raise_launch(Case& c, const EditPlace& p) {
  Options o = options_of(c);
  const Launch l = launch_of(c);
  const Launch wider{l.type, l.blocks + 1};
  if (!fits(wider, p.profile)) return false;
  o.debug_aic_num = wider.cubes();
  o.debug_aiv_num = wider.vectors();
  c.mix.options = to_option_string(o);
  return true;
}

bool narrow_hand_made(Case& c, const EditPlace& p) {
  const Launch before = launch_of(c);
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::cross_core_set_flag && in.mode == 0 && sub_of(c, s.sub).blocks > 1;
  });
  if (!spot) return false;
  --sub_of(c, spot->sub).blocks;
  return launch_of(c) == before;
}

namespace {

std::optional<Spot> draw_cube_raise(Case& c, const EditPlace& p) {
  return draw_spot(c, p.choice, [](const Spot& s, const Instruction& in) {
    return s.kind == CoreKind::aic && in.op == Op::cross_core_set_flag && in.mode == 2;
  });
}

}  // namespace

bool drop_raise(Case& c, const EditPlace& p) {
  const auto spot = draw_cube_raise(c, p);
  if (spot) erase(c, *spot);
  return spot.has_value();
}

bool double_raise(Case& c, const EditPlace& p) {
  const auto spot = draw_cube_raise(c, p);
  if (!spot) return false;
  const Instruction in = at(c, *spot);
  insert(c, *spot, in);
  return true;
}

bool drop_flag_wait(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [](const Spot& s, const Instruction& in) {
    return s.kind == CoreKind::aiv && in.op == Op::cross_core_wait_flag;
  });
  if (!spot) return false;
  const int id = at(c, *spot).id;
  bool from_cube = false;
  for (const Instruction& in : sub_of(c, spot->sub).aic) {
    from_cube = from_cube || (in.op == Op::cross_core_set_flag && in.mode == 2 && in.id == id);
  }
  if (!from_cube) return false;
  erase(c, *spot);
  return true;
}

bool raise_too_often(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::unpaced_loop);
  if (site == nullptr) return false;
  const int times = p.choice.range(16, 20);
  for (const Site& s : p.sites) {
    if (s.kind == SiteKind::unpaced_loop && s.sub_kernel == site->sub_kernel) {
      at(c, spot_of(s)).times = times;
    }
  }
  return true;
}

bool reserved_id(Case& c, const EditPlace& p) {
  const auto spot = draw_cube_raise(c, p);
  if (!spot) return false;
  const int from = at(c, *spot).id;
  const int to = p.choice.range(11, 14);
  for (const CoreKind kind : both_kinds) {
    for_each_in(sub_of(c, spot->sub).program(kind), [&](Instruction& in) {
      if (is_flag(in) && in.id == from) in.id = to;
    });
  }
  return true;
}

bool vector_sync_for_cube(Case& c, const EditPlace& p) {
  const Site* const cube =
      draw_site(p, SiteKind::exchange_sync, [](const Site& s) { return s.core == CoreKind::aic; });
  if (cube == nullptr) return false;
  // The vector side was marked right after the cube side.
  const Site& vector = *(cube + 1);
  at(c, spot_of(vector)).aiv_only = true;
  erase(c, spot_of(*cube));
  return true;
}

bool cube_sync_without_cubes(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::sync_all && sub_of(c, s.sub).type == KernelType::mix_aiv_1_0;
  });
  if (!spot) return false;
  at(c, *spot).aiv_only = false;
  return true;
}

namespace {

std::optional<Spot> draw_soft_sync(Case& c, const EditPlace& p) {
  return draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::soft_sync_all && sub_of(c, s.sub).blocks > 1;
  });
}

}  // namespace

bool dirty_workspace(Case& c, const EditPlace& p) {
  const auto spot = draw_soft_sync(c, p);
  if (!spot) return false;
  RegionInit& init = c.mix.regions[static_cast<std::size_t>(at(c, *spot).src.index)].init;
  init.values.assign(1, static_cast<std::uint32_t>(p.choice.range(1, 5)));
  return true;
}

bool too_many_cores(Case& c, const EditPlace& p) {
  const auto spot = draw_soft_sync(c, p);
  if (!spot) return false;
  at(c, *spot).count = sub_of(c, spot->sub).blocks + 1;
  return true;
}

bool wrong_raise_pipe(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::data_raise);
  if (site == nullptr) return false;
  at(c, spot_of(*site)).pipe = Pipe::mte2;
  return true;
}

bool drop_exchange_sync(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::exchange_sync, [&](const Site& s) {
    const SubKernel& sub = sub_of(c, s.sub_kernel);
    const Instruction& in = sub.program(s.core)[static_cast<std::size_t>(s.place)];
    const int workers = sub.type == KernelType::mix_aic_1_2 ? 2 * sub.blocks : sub.blocks;
    return in.aiv_only && workers > 1;
  });
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool one_id(Case& c, const EditPlace& p) {
  const Site* const second = draw_site(p, SiteKind::second_flag);
  if (second == nullptr) return false;
  const Site& first = *(second - 1);
  for (const CoreKind kind : both_kinds) {
    for_each_in(sub_of(c, second->sub_kernel).program(kind), [&](Instruction& in) {
      if (is_flag(in) && in.id == second->extra) in.id = first.extra;
    });
  }
  return true;
}

bool flags_without_type(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::cross_core_set_flag && !is_mix_kind(sub_of(c, s.sub).type);
  });
  if (!spot) return false;
  SubKernel& sub = sub_of(c, spot->sub);
  sub.type = is_aiv_kind(sub.type) ? KernelType::aiv_only : KernelType::aic_only;
  return true;
}

bool skip_sync_on_one_core(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return s.kind == CoreKind::aiv && in.op == Op::sync_all && vectors_of(c, s.sub) > 1 &&
           is_full_width(shape_of(c, s.sub), CoreKind::aiv, launch_of(c));
  });
  if (!spot) return false;
  leave_out_first(at(c, *spot));
  return true;
}

bool cached_poll(Case& c, const EditPlace& p) {
  const auto spot =
      draw_spot(c, p.choice, [](const Spot&, const Instruction& in) { return in.op == Op::poll; });
  if (!spot) return false;
  Instruction& in = at(c, *spot);
  if (in.via == PollVia::bypass || in.via == PollVia::data_copy) in.via = PollVia::raw_load;
  in.dst = {};
  in.refresh = false;
  return true;
}

// --- RATIO --------------------------------------------------------------------------------------

bool raise_on_one_vector(Case& c, const EditPlace& p) {
  if (launch_of(c).ratio() != 2) return false;
  const auto spot = draw_spot(c, p.choice, [](const Spot& s, const Instruction& in) {
    return s.kind == CoreKind::aiv && in.op == Op::cross_core_set_flag && in.mode == 2;
  });
  if (!spot) return false;
  at(c, *spot).where.all.push_back({IndexName::sub, 0, 0});
  return true;
}

bool matmul_on_both(Case& c, const EditPlace& p) {
  if (launch_of(c).ratio() != 2) return false;
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::matmul && sub_of(c, s.sub).type == KernelType::mix_aic_1_1;
  });
  if (!spot) return false;
  at(c, *spot).where.all.clear();
  return true;
}

bool split_by_core(Case& c, const EditPlace& p) {
  if (launch_of(c).ratio() != 2) return false;
  const Site* const site = draw_site(p, SiteKind::result_store, [&](const Site& s) {
    const SubKernel& sub = sub_of(c, s.sub_kernel);
    return sub.type == KernelType::mix_aic_1_1 && s.core == CoreKind::aiv && sub.blocks > 1;
  });
  if (site == nullptr) return false;
  Instruction& in = at(c, spot_of(*site));
  if (in.where.all.size() > 1) return false;
  std::swap(in.dst.at.block, in.dst.at.core);
  return true;
}

bool add_on_both(Case& c, const EditPlace& p) {
  if (launch_of(c).ratio() != 2) return false;
  const Site* const site = draw_site(p, SiteKind::shared_add, [&](const Site& s) {
    return sub_of(c, s.sub_kernel).type == KernelType::mix_aic_1_1 && s.core == CoreKind::aiv;
  });
  if (site == nullptr) return false;
  Program& program = sub_of(c, site->sub_kernel).aiv;
  for (int i = site->place - 3; i <= site->place; ++i) {
    program[static_cast<std::size_t>(i)].where.all.clear();
  }
  return true;
}

// --- CACHE --------------------------------------------------------------------------------------

bool drop_hand_over_barrier(Case& c, const EditPlace& p) {
  const Site* const site =
      draw_site(p, SiteKind::handed_over_barrier, [](const Site& s) { return s.extra == 1; });
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool drop_reader_refresh(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::handed_over_refresh);
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool share_line(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::line_store, [&](const Site& s) {
    const SubKernel& sub = sub_of(c, s.sub_kernel);
    const bool pairs = s.core == CoreKind::aiv && sub.type == KernelType::mix_aic_1_2;
    return s.extra == 0 && (sub.blocks > 1 || pairs);
  });
  if (site == nullptr) return false;
  SubKernel& sub = sub_of(c, site->sub_kernel);
  Program& program = sub.program(site->core);
  const int region = region_of(sub, program[static_cast<std::size_t>(site->place)].dst);
  for (Instruction& in : program) {
    if (region_of(sub, in.dst) != region) continue;
    int& stride = in.dst.at.core != 0 ? in.dst.at.core : in.dst.at.block;
    if (stride != 0) stride = 2;  // a second word may follow the first
  }
  return true;
}

bool leave_dirty(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::closing_refresh, [&](const Site& s) {
    const Program& program = sub_of(c, s.sub_kernel).program(s.core);
    return std::none_of(program.begin() + s.place + 1, program.end(), [](const Instruction& in) {
      return in.op == Op::dcci && in.line == CacheLine::entire;
    });
  });
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

// --- PIPE ---------------------------------------------------------------------------------------

bool drop_pipes_barrier(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::pipes_barrier);
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool drop_event_set(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::event_pair);
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool double_event_set(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::event_pair);
  if (site == nullptr) return false;
  const Instruction in = at(c, spot_of(*site));
  insert(c, spot_of(*site), in);
  return true;
}

bool drop_event_wait(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::event_pair);
  if (site == nullptr) return false;
  Spot spot = spot_of(*site);
  ++spot.place;
  erase(c, spot);
  return true;
}

namespace {

/// The next sub kernel uses what an L1 to GM copy still carries at the place.
bool leaves_l1_copy(Case& c, const Site& s) {
  const SubKernel& sub = sub_of(c, s.sub_kernel);
  if (s.core != CoreKind::aic || s.sub_kernel + 1 >= static_cast<int>(c.mix.sub_kernels.size())) {
    return false;
  }
  for (int i = s.place - 1; i >= 0; --i) {
    const Instruction& in = sub.aic[static_cast<std::size_t>(i)];
    if (in.op == Op::sync_all || (in.op == Op::pipe_barrier && in.pipe == Pipe::all)) return false;
    if (in.op != Op::data_copy || in.src.space != Space::l1) continue;
    if (uses_by_dma(c, s.sub_kernel + 1, in.dst.index)) return true;
  }
  return false;
}

}  // namespace

bool drop_final_barrier(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::final_barrier, [&](const Site& s) {
    if (!leaves_l1_copy(c, s)) return false;
    const Program& program = sub_of(c, s.sub_kernel).aic;
    const auto next = static_cast<std::size_t>(s.place) + 1;
    // A SetNextTaskStart on MTE3 would wait for the copy; a tail might bring its own PIPE_ALL.
    return next >= program.size() ||
           (next + 1 == program.size() && program[next].aic_pipe == Pipe::fix);
  });
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool drop_event_pair(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::event_pair);
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  erase(c, spot_of(*site));
  return true;
}

bool drop_vector_barrier(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::vector_barrier);
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool short_load(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::load_for_compute,
                                     [&](const Site& s) { return at(c, spot_of(s)).count > 8; });
  if (site == nullptr) return false;
  at(c, spot_of(*site)).count -= 8;
  return true;
}

// --- TASK ---------------------------------------------------------------------------------------

bool skip_set_next(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    const int workers = s.kind == CoreKind::aiv ? vectors_of(c, s.sub) : sub_of(c, s.sub).blocks;
    return in.op == Op::set_next_task_start && sets_early(c, s.sub) && workers > 1;
  });
  if (!spot) return false;
  leave_out_first(at(c, *spot));
  return true;
}

bool double_set_next(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::set_next_task_start && sets_early(c, s.sub);
  });
  if (!spot) return false;
  const Instruction in = at(c, *spot);
  insert(c, *spot, in);
  return true;
}

bool double_wait_pre(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::wait_pre_task_end && waits_early(c, s.sub);
  });
  if (!spot) return false;
  const Instruction in = at(c, *spot);
  insert(c, *spot, in);
  return true;
}

bool store_after_set_next(Case& c, const EditPlace& p) {
  int set_place = 0;
  const Site* const site = draw_site(p, SiteKind::result_store, [&](const Site& s) {
    const Program& program = sub_of(c, s.sub_kernel).program(s.core);
    if (!sets_early(c, s.sub_kernel)) return false;
    if (!uses_by_dma(c, s.sub_kernel + 1, program[static_cast<std::size_t>(s.place)].dst.index)) {
      return false;
    }
    // Nothing but barriers in between, or other work would move into the tail as well.
    int i = s.place + 1;
    while (i < static_cast<int>(program.size()) &&
           program[static_cast<std::size_t>(i)].op == Op::pipe_barrier) {
      ++i;
    }
    return i < static_cast<int>(program.size()) &&
           program[static_cast<std::size_t>(i)].op == Op::set_next_task_start;
  });
  if (site == nullptr) return false;
  Spot spot = spot_of(*site);
  set_place = spot.place + 1;
  while (program_of(c, spot)[static_cast<std::size_t>(set_place)].op == Op::pipe_barrier) {
    ++set_place;
  }
  Instruction set = program_of(c, spot)[static_cast<std::size_t>(set_place)];
  // After the move no PIPE_ALL stands before the call any more.
  set.pipe = Pipe::mte3;
  set.aic_pipe = Pipe::fix;
  erase(c, {spot.sub, spot.kind, set_place});
  insert(c, spot, set);
  return true;
}

bool load_before_wait_pre(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    if (in.op != Op::wait_pre_task_end || !waits_early(c, s.sub)) return false;
    const SubKernel& sub = sub_of(c, s.sub);
    const Program& program = sub.program(s.kind);
    const auto next = static_cast<std::size_t>(s.place) + 1;
    if (next >= program.size() || program[next].op != Op::data_copy) return false;
    if (program[next].src.space != Space::gm) return false;
    bool stored = false;
    const SubKernel& before = sub_of(c, s.sub - 1);
    for (const CoreKind kind : both_kinds) {
      for_each_in(before.program(kind), [&](const Instruction& other) {
        const bool dma = other.op == Op::data_copy || other.op == Op::fixpipe;
        stored = stored || (dma && other.dst.space == Space::gm &&
                            other.dst.index == program[next].src.index);
      });
    }
    return stored;
  });
  if (!spot) return false;
  Program& program = program_of(c, *spot);
  std::swap(program[static_cast<std::size_t>(spot->place)],
            program[static_cast<std::size_t>(spot->place) + 1]);
  return true;
}

bool sync_after_set_next(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    const Shape shape = shape_of(c, s.sub);
    return s.kind == CoreKind::aiv && in.op == Op::set_next_task_start && sets_early(c, s.sub) &&
           shape.type != KernelType::aiv_only && is_full_width(shape, CoreKind::aiv, launch_of(c));
  });
  if (!spot) return false;
  Instruction sync;
  sync.op = Op::sync_all;
  sync.aiv_only = true;
  Program& program = program_of(c, *spot);
  program.push_back(sync);
  return true;
}

}  // namespace skcts::generators::edits
