// Edits against the rules on caches, pipes and the order between sub kernels. Each finds the places
// where it would break its rule for certain and picks one.
#include "generators/edit_place.h"

namespace skcts::generators::edits {

namespace {

bool sets_next(const SubKernel& sub) {
  const auto is_set = [](const Instruction& in) { return in.op == Op::set_next_task_start; };
  return std::any_of(sub.aic.begin(), sub.aic.end(), is_set) ||
         std::any_of(sub.aiv.begin(), sub.aiv.end(), is_set);
}

/// The store before the barrier is read in this sub kernel by another core or by DMA.
bool is_read_elsewhere(Case& c, const Site& s) {
  const Program& program = sub_of(c, s.sub_kernel).program(s.core);
  const auto is_store = [&program](int i) {
    const Op op = program[static_cast<std::size_t>(i)].op;
    return op == Op::set_value || op == Op::assign || op == Op::raw_store;
  };
  int i = s.place - 1;
  while (i >= 0 && !is_store(i)) --i;
  while (i > 0 && is_store(i - 1)) --i;  // the first of two words is the one that is read
  if (i < 0) return false;
  const int parity = s.core == CoreKind::aic ? 0 : 1;
  const int place = text_place(c, {s.sub_kernel, s.core, i});
  const std::vector<Access> all = accesses_of(c.mix, layout_of(c.mix), launch_of(c), s.sub_kernel);
  for (const Access& store : all) {
    if (store.place != place || store.core % 2 != parity || !store.write) continue;
    for (const Access& load : all) {
      const bool elsewhere = load.core != store.core || load.how == How::dma;
      if (!load.write && elsewhere && overlap(load, store)) return true;
    }
  }
  return false;
}

/// In this sub kernel one core stores to the region by scalar and another one loads there.
bool is_stored_elsewhere(Case& c, int k, int region) {
  const GmLayout layout = layout_of(c.mix);
  const std::int64_t first = layout.base[static_cast<std::size_t>(region)];
  const std::int64_t last = first + c.mix.regions[static_cast<std::size_t>(region)].words;
  const std::vector<Access> all = accesses_of(c.mix, layout, launch_of(c), k);
  for (const Access& a : all) {
    if (!a.write || a.how == How::dma || a.first < first || a.first >= last) continue;
    for (const Access& b : all) {
      if (!b.write && b.how == How::cached && b.core != a.core && overlap(a, b)) return true;
    }
  }
  return false;
}

/// An entire refresh between the reader's first touch and the refresh would do its work.
bool is_only_refresh(Case& c, const Site& s) {
  const Program& program = sub_of(c, s.sub_kernel).program(s.core);
  const std::int16_t region = program[static_cast<std::size_t>(s.place)].dst.index;
  for (int i = s.place - 1; i >= 0; --i) {
    const Instruction& in = program[static_cast<std::size_t>(i)];
    if (in.op == Op::dcci && in.line == CacheLine::entire) return false;
    if (in.op == Op::raw_load && in.src.index == region) {
      return is_stored_elsewhere(c, s.sub_kernel, region);
    }
  }
  return false;
}

}  // namespace

bool drop_hand_over_barrier(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::handed_over_barrier, [&](const Site& s) {
    return s.extra == 1 && is_read_elsewhere(c, s);
  });
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool drop_reader_refresh(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::handed_over_refresh,
                                     [&](const Site& s) { return is_only_refresh(c, s); });
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  return true;
}

bool late_writer_refresh(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::handed_over_barrier, [&](const Site& s) {
    if (s.extra != 1 || s.place < 2 || !is_read_elsewhere(c, s)) return false;
    const Program& program = sub_of(c, s.sub_kernel).program(s.core);
    const auto place = static_cast<std::size_t>(s.place);
    const bool is_raw = program[place - 2].op == Op::raw_store;
    const bool starts_next = std::any_of(program.begin(), program.end(), [](const auto& in) {
      return in.op == Op::set_next_task_start;
    });
    return is_raw && program[place - 1].op == Op::dcci && !starts_next;
  });
  if (site == nullptr) return false;
  Program& program = program_of(c, spot_of(*site));
  const Instruction refresh = program[static_cast<std::size_t>(site->place) - 1];
  program.erase(program.begin() + site->place - 1);
  program.push_back(refresh);
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

bool skip_event_set(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::event_pair, [&](const Site& s) {
    const bool all = at(c, {s.sub_kernel, s.core, s.place}).where.all.empty();
    return all && sub_of(c, s.sub_kernel).blocks > 1;
  });
  if (site == nullptr) return false;
  leave_out_first(at(c, spot_of(*site)));
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

bool other_event_id(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::event_pair);
  if (site == nullptr) return false;
  int& id = at(c, spot_of(*site)).id;
  id = (id + p.choice.range(1, 5)) % 6;
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
    // A raise on MTE3 lets the vector cores wait for the copy.
    if (in.op == Op::cross_core_set_flag && in.pipe == Pipe::mte3) return false;
    if (in.op != Op::data_copy || in.src.space != Space::l1) continue;
    if (meets_by_dma(c, dma_of(c, {s.sub_kernel, s.core, i}), s.sub_kernel + 1, false)) return true;
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

namespace {

/// Where the AIV program first loads GM words that its next instructions store: nothing but index
/// queries comes before. -1: it does not begin so.
int first_load(const Program& program) {
  std::size_t i = 0;
  while (i < program.size() && program[i].op >= Op::get_block_num &&
         program[i].op <= Op::get_task_ratio) {
    ++i;
  }
  if (i + 3 >= program.size()) return -1;
  const Instruction& load = program[i];
  const Instruction& store = program[i + 3];
  const bool on_core_0 = load.where.all.empty() || (load.where.all.size() == 1 &&
                                                    load.where.all[0].index == IndexName::sub);
  const bool fits = load.op == Op::data_copy && load.dst.space == Space::ub &&
                    program[i + 1].op == Op::set_flag && program[i + 2].op == Op::wait_flag &&
                    store.op == Op::data_copy && store.src == load.dst;
  return fits && on_core_0 ? static_cast<int>(i) : -1;
}

}  // namespace

bool leave_vector_work(Case& c, const EditPlace& p) {
  std::vector<int> possible;
  for (int k = 0; k + 1 < static_cast<int>(c.mix.sub_kernels.size()); ++k) {
    const SubKernel& sub = sub_of(c, k);
    const bool runs = runs_on(sub.type, CoreKind::aiv) && !sets_next(sub);
    if (runs && first_load(sub_of(c, k + 1).aiv) >= 0) possible.push_back(k);
  }
  if (possible.empty()) return false;
  const int k = p.choice.pick(std::span<const int>(possible));
  const Program& next = sub_of(c, k + 1).aiv;
  const Operand filled = next[static_cast<std::size_t>(first_load(next))].dst;
  Program& program = sub_of(c, k).aiv;
  // What the sub kernel did before has nothing to do with it.
  Instruction& barrier = program.emplace_back();
  barrier.op = Op::pipe_barrier;
  barrier.pipe = Pipe::all;
  Instruction& left = program.emplace_back();
  left.op = Op::duplicate;
  left.dst = filled;
  left.count = 8;
  left.value.expr.base = 0x5eed;
  return true;
}

namespace {

/// Nothing of the sub kernel is left running at its end whatever happens at the place: the fault
/// stays inside (otherwise it would be one of PIPE-5).
bool stays_inside(Case& c, const Site& s) {
  const Program& program = sub_of(c, s.sub_kernel).program(s.core);
  for (auto i = program.begin() + s.place; i != program.end(); ++i) {
    if (i->op == Op::set_next_task_start) return false;
    if (i->op == Op::sync_all || (i->op == Op::pipe_barrier && i->pipe == Pipe::all)) return true;
  }
  return s.sub_kernel + 1 == static_cast<int>(c.mix.sub_kernels.size());
}

}  // namespace

bool drop_event_pair(Case& c, const EditPlace& p) {
  const Site* const site =
      draw_site(p, SiteKind::event_pair, [&](const Site& s) { return stays_inside(c, s); });
  if (site == nullptr) return false;
  erase(c, spot_of(*site));
  erase(c, spot_of(*site));
  return true;
}

bool late_event_wait(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::event_pair, [&](const Site& s) {
    const Program& program = sub_of(c, s.sub_kernel).program(s.core);
    const auto use = static_cast<std::size_t>(s.place) + 2;
    if (!stays_inside(c, s) || use >= program.size()) return false;
    const Op op = program[use].op;
    return op == Op::data_copy || op == Op::adds || op == Op::add || op == Op::load_data ||
           op == Op::mmad || op == Op::fixpipe || op == Op::compute;
  });
  if (site == nullptr) return false;
  Program& program = program_of(c, spot_of(*site));
  std::swap(program[static_cast<std::size_t>(site->place) + 1],
            program[static_cast<std::size_t>(site->place) + 2]);
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

bool skip_set_next(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    const int workers = s.kind == CoreKind::aiv ? vectors_of(c, s.sub) : sub_of(c, s.sub).blocks;
    return in.op == Op::set_next_task_start && sets_early(c, s.sub) && workers > 1;
  });
  if (!spot) return false;
  leave_out_first(at(c, *spot));
  return true;
}

bool skip_wait_pre(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    const int workers = s.kind == CoreKind::aiv ? vectors_of(c, s.sub) : sub_of(c, s.sub).blocks;
    return in.op == Op::wait_pre_task_end && waits_early(c, s.sub) && workers > 1;
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
    if (!meets_by_dma(c, dma_of(c, spot_of(s)), s.sub_kernel + 1, true)) return false;
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

namespace {

/// The load at the place reads what another core stored in the sub kernel before, in which no core
/// waits for another.
bool reads_others_store(Case& c, const Spot& load) {
  if (!is_unsynchronised(sub_of(c, load.sub - 1))) return false;
  const auto before = accesses_of(c.mix, layout_of(c.mix), launch_of(c), load.sub - 1);
  for (const Access& a : dma_of(c, load)) {
    for (const Access& b : before) {
      if (b.how == How::dma && b.write && b.core != a.core && overlap(a, b)) return true;
    }
  }
  return false;
}

}  // namespace

bool load_before_wait_pre(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    if (in.op != Op::wait_pre_task_end || !waits_early(c, s.sub)) return false;
    const SubKernel& sub = sub_of(c, s.sub);
    const Program& program = sub.program(s.kind);
    const auto next = static_cast<std::size_t>(s.place) + 1;
    if (next >= program.size() || program[next].op != Op::data_copy) return false;
    if (program[next].src.space != Space::gm) return false;
    return reads_others_store(c, {s.sub, s.kind, s.place + 1});
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

bool sync_before_wait_pre(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    const Shape shape = shape_of(c, s.sub);
    return s.kind == CoreKind::aiv && in.op == Op::wait_pre_task_end && waits_early(c, s.sub) &&
           shape.type != KernelType::aiv_only && is_full_width(shape, CoreKind::aiv, launch_of(c));
  });
  if (!spot) return false;
  Instruction sync;
  sync.op = Op::sync_all;
  sync.aiv_only = true;
  insert(c, {spot->sub, spot->kind, 0}, sync);
  return true;
}

}  // namespace skcts::generators::edits
