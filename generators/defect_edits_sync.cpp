// Edits against the rules on launches, synchronisation and ratios. Each finds the places where it
// would break its rule for certain and picks one.
#include "generators/edit_place.h"

namespace skcts::generators::edits {

bool drop_feed(Case& c, const EditPlace&) {
  Options o = known_options(c);
  o.feed_sync_all = false;
  c.mix.options = to_option_string(o);
  return true;
}

bool raise_launch(Case& c, const EditPlace& p) {
  Options o = known_options(c);
  const Launch l = launch_of(c);
  const Launch wider{l.type, l.blocks + 1};
  if (!fits(wider, p.profile) || counts_launch(c, p.profile)) return false;
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
  if (!spot || counts_launch(c, p.profile)) return false;
  --sub_of(c, spot->sub).blocks;
  return launch_of(c) == before;
}

bool narrow_sync_all(Case& c, const EditPlace& p) {
  const Launch before = launch_of(c);
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return in.op == Op::sync_all && sub_of(c, s.sub).blocks > 1;
  });
  if (!spot || counts_launch(c, p.profile)) return false;
  --sub_of(c, spot->sub).blocks;
  return launch_of(c) == before;
}

namespace {

std::optional<Spot> draw_cube_raise(Case& c, const EditPlace& p) {
  return draw_spot(c, p.choice, [](const Spot& s, const Instruction& in) {
    return s.kind == CoreKind::aic && in.op == Op::cross_core_set_flag && in.mode == 2;
  });
}

bool is_raised_by_cube(Case& c, int k, int id) {
  const Program& aic = sub_of(c, k).aic;
  return std::any_of(aic.begin(), aic.end(), [id](const Instruction& in) {
    return in.op == Op::cross_core_set_flag && in.mode == 2 && in.id == id;
  });
}

}  // namespace

bool drop_raise(Case& c, const EditPlace& p) {
  const auto spot = draw_cube_raise(c, p);
  if (spot) erase(c, *spot);
  return spot.has_value();
}

bool skip_raise(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return s.kind == CoreKind::aic && in.op == Op::cross_core_set_flag && in.mode == 2 &&
           sub_of(c, s.sub).blocks > 1;
  });
  if (!spot) return false;
  leave_out_first(at(c, *spot));
  return true;
}

bool double_raise(Case& c, const EditPlace& p) {
  const auto spot = draw_cube_raise(c, p);
  if (!spot || is_used_later(c, spot->sub, at(c, *spot).id)) return false;
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
  if (!is_raised_by_cube(c, spot->sub, id) || is_used_later(c, spot->sub, id)) return false;
  erase(c, *spot);
  return true;
}

bool double_flag_wait(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    const bool wait = s.kind == CoreKind::aiv && in.op == Op::cross_core_wait_flag;
    return wait && is_raised_by_cube(c, s.sub, in.id) && !is_used_later(c, s.sub, in.id);
  });
  if (!spot) return false;
  const Instruction in = at(c, *spot);
  insert(c, *spot, in);
  return true;
}

bool wrong_raise_id(Case& c, const EditPlace& p) {
  const auto spot = draw_cube_raise(c, p);
  if (!spot) return false;
  std::vector<int> unused;
  for (int id = 0; id < 11; ++id) {
    const bool here = is_used_later(c, -1, id);
    if (!here) unused.push_back(id);
  }
  if (unused.empty()) return false;
  at(c, *spot).id = p.choice.pick(std::span<const int>(unused));
  return true;
}

bool raise_before_store(Case& c, const EditPlace& p) {
  const Site* const site = draw_site(p, SiteKind::data_raise, [&](const Site& s) {
    if (s.place == 0) return false;
    const Instruction& before = at(c, {s.sub_kernel, s.core, s.place - 1});
    const bool stores = before.op == Op::fixpipe || before.op == Op::data_copy;
    return stores && before.dst.space == Space::gm;
  });
  if (site == nullptr) return false;
  Program& program = program_of(c, spot_of(*site));
  std::swap(program[static_cast<std::size_t>(site->place)],
            program[static_cast<std::size_t>(site->place) - 1]);
  return true;
}

bool wait_after_load(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    const Program& program = sub_of(c, s.sub).aiv;
    const auto next = static_cast<std::size_t>(s.place) + 1;
    if (s.kind != CoreKind::aiv || in.op != Op::cross_core_wait_flag || next >= program.size()) {
      return false;
    }
    if (program[next].op != Op::data_copy || program[next].src.space != Space::gm) return false;
    const std::vector<Access> loads = dma_of(c, {s.sub, s.kind, s.place + 1});
    const auto all = accesses_of(c.mix, layout_of(c.mix), launch_of(c), s.sub);
    return std::any_of(all.begin(), all.end(), [&](const Access& a) {
      const bool by_cube = a.write && a.how == How::dma && a.core % 2 == 0;
      return by_cube && std::any_of(loads.begin(), loads.end(),
                                    [&a](const Access& b) { return !b.write && overlap(a, b); });
    });
  });
  if (!spot) return false;
  Program& program = program_of(c, *spot);
  std::swap(program[static_cast<std::size_t>(spot->place)],
            program[static_cast<std::size_t>(spot->place) + 1]);
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

namespace {

bool give_id(Case& c, const EditPlace& p, int low, int high) {
  const auto spot = draw_cube_raise(c, p);
  if (!spot) return false;
  const int from = at(c, *spot).id;
  const int to = p.choice.range(low, high);
  for (const CoreKind kind : both_kinds) {
    for_each_in(sub_of(c, spot->sub).program(kind), [&](Instruction& in) {
      if (is_flag(in) && in.id == from) in.id = to;
    });
  }
  return true;
}

}  // namespace

bool reserved_id(Case& c, const EditPlace& p) {
  return give_id(c, p, 11, 14);
}

bool reserved_id_modulo(Case& c, const EditPlace& p) {
  return give_id(c, p, 16 + 11, 16 + 14);
}

bool vector_sync_for_cube(Case& c, const EditPlace& p) {
  const Site* const cube =
      draw_site(p, SiteKind::exchange_sync, [](const Site& s) { return s.core == CoreKind::aic; });
  if (cube == nullptr) return false;
  // The vector side was marked right after the cube side.
  const Site& vector = *(cube + 1);
  at(c, spot_of(vector)).aiv_only = true;
  keep_only_barrier(at(c, spot_of(*cube)));
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
  keep_only_barrier(at(c, spot_of(*site)));
  return true;
}

namespace {

/// Of two flags with sites the second gets the id of the first, whose site is the last before it.
bool share_id(Case& c, const EditPlace& p, SiteKind first_kind, SiteKind second_kind) {
  const Site* const second = draw_site(p, second_kind);
  if (second == nullptr) return false;
  const Site* first = second;
  while (first->kind != first_kind) --first;
  for (const CoreKind side : both_kinds) {
    for_each_in(sub_of(c, second->sub_kernel).program(side), [&](Instruction& in) {
      if (is_flag(in) && in.id == second->extra) in.id = first->extra;
    });
  }
  return true;
}

}  // namespace

bool one_id(Case& c, const EditPlace& p) {
  return share_id(c, p, SiteKind::first_flag, SiteKind::second_flag);
}

bool one_id_for_two_pipes(Case& c, const EditPlace& p) {
  return share_id(c, p, SiteKind::first_wait, SiteKind::second_wait);
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

bool one_more_sync(Case& c, const EditPlace& p) {
  const auto spot = draw_spot(c, p.choice, [&](const Spot& s, const Instruction& in) {
    return s.kind == CoreKind::aiv && in.op == Op::sync_all && in.aiv_only &&
           vectors_of(c, s.sub) > 1 &&
           is_full_width(shape_of(c, s.sub), CoreKind::aiv, launch_of(c));
  });
  if (!spot) return false;
  Instruction more = at(c, *spot);
  more.where.all.push_back({IndexName::core, 0, 0});
  insert(c, *spot, more);
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

}  // namespace skcts::generators::edits
