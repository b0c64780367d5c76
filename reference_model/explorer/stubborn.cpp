// Which steps are looked at first, and the closure. What commutes is said where a rule is used.
#include "reference_model/explorer/stubborn.h"

#include <algorithm>
#include <bit>

namespace skcts::explorer {

namespace {

Transition at(Move move, std::size_t core, std::size_t place = 0) {
  return {move, static_cast<std::uint8_t>(core), static_cast<std::uint16_t>(place)};
}

}  // namespace

Stubborn::Stubborn(const Machine& machine, Budget& budget) : m_(machine), budget_(&budget) {
  std::size_t next = 0;
  clients_.resize(m_.cores_.size());
  feeds_.resize(m_.cores_.size());
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    base_.push_back(next);
    next += 4 + pipe_count + core.atoms.size() + 4 * core.lines.size() + core.bypasses.size();
    std::vector<int> setters(core.events.size(), pipe_count);
    for (const Machine::Queued& entry : core.entries) {
      if (entry.kind == EntryKind::event_set) {
        setters[static_cast<std::size_t>(entry.event)] = entry.pipe;
      }
    }
    setters_.push_back(std::move(setters));
    for (const Machine::Queued& entry : core.entries) {
      if (entry.kind != EntryKind::request || entry.server < 0) continue;
      auto& list = clients_[static_cast<std::size_t>(entry.server)];
      if (std::ranges::find(list, static_cast<int>(c)) == list.end()) {
        list.push_back(static_cast<int>(c));
      }
    }
    for (const Machine::Op& op : core.ops) {
      if (op.kind != MicroKind::end_client || op.partner < 0) continue;
      auto& list = clients_[static_cast<std::size_t>(op.partner)];
      if (std::ranges::find(list, static_cast<int>(c)) == list.end()) {
        list.push_back(static_cast<int>(c));
      }
    }
  }
  for (const Machine::Join& join : m_.joins_) {
    arrivals_.push_back(next);
    next += join.members.size();
  }
  over_ = next++;
  stamps_.assign(next, 0);
  note_raises();
}

void Stubborn::note_raises() {
  announcers_.resize(m_.event_fields_.size());
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const std::vector<Machine::Op>& ops = m_.cores_[c].ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != MicroKind::announce) continue;
      announcers_[static_cast<std::size_t>(ops[i].event)].emplace_back(static_cast<int>(c),
                                                                       static_cast<int>(i));
    }
  }
  for (std::size_t j = 0; j < m_.joins_.size(); ++j) {
    const Machine::Join& join = m_.joins_[j];
    std::vector<Raises> by_member(join.members.size());
    for (std::size_t k = 0; k < by_member.size(); ++k) by_member[k].core = join.members[k];
    raises_.push_back(std::move(by_member));
    for (const int c : join.receiver_cores) {
      feeds_[static_cast<std::size_t>(c)][static_cast<std::size_t>(join.id)].push_back(
          static_cast<int>(j));
    }
  }
  const auto raises = [&](int join, int member) -> Raises& {
    return raises_[static_cast<std::size_t>(join)][static_cast<std::size_t>(member)];
  };
  for (const Machine::Core& core : m_.cores_) {
    for (std::size_t i = 0; i < core.ops.size(); ++i) {
      const Machine::Op& op = core.ops[i];
      if (op.kind == MicroKind::raise) raises(op.join, op.member).last_op = static_cast<int>(i);
    }
    for (int p = 0; p < pipe_count; ++p) {
      const Machine::PipeState& pipe = core.pipes[static_cast<std::size_t>(p)];
      for (std::size_t e = 0; e < pipe.entries.size(); ++e) {
        const Machine::Queued& entry = core.entries[pipe.entries[e]];
        if (entry.kind != EntryKind::raise) continue;
        auto& pipes = raises(entry.join, entry.member).pipes;
        if (pipes.empty() || pipes.back().first != p) pipes.emplace_back(p, 0);
        pipes.back().second = static_cast<int>(e);
      }
    }
  }
}

std::size_t Stubborn::number(Transition t) const {
  const Machine::Core& core = m_.cores_[t.core];
  const std::size_t first = base_[t.core];
  const std::size_t lines = first + 4 + pipe_count + core.atoms.size();
  switch (t.move) {
    case Move::scalar: return first;
    case Move::rewrite: return first + 1;
    case Move::stop: return first + 2 + t.at;
    case Move::deliver: return arrivals_[t.at >> 6] + (t.at & 63U);
    case Move::head: return first + 4 + t.at;
    case Move::fetch:
    case Move::piece: return first + 4 + pipe_count + t.at;
    case Move::land: return lines + std::size_t{t.at} * 4;
    case Move::write_back: return lines + std::size_t{t.at} * 4 + 1;
    case Move::drop: return lines + std::size_t{t.at} * 4 + 2;
    case Move::fill: return lines + std::size_t{t.at} * 4 + 3;
    case Move::over: return over_;
    case Move::bypass: return lines + core.lines.size() * 4 + t.at;
  }
  return first;
}

void Stubborn::push(Transition t) {
  std::uint32_t& stamp = stamps_[number(t)];
  if (stamp == stamp_) return;
  stamp = stamp_;
  budget_->work(1);
  work_.push_back(t);
}

bool Stubborn::used_again(const Word* s, std::size_t c, std::size_t line) const {
  const Machine::Core& core = m_.cores_[c];
  return (core.line_future[core.pc.get(s)] >> (line % 64) & 1U) != 0;
}

bool Stubborn::close(const Word* s, Transition from, std::size_t most) {
  ++stamp_;
  work_.clear();
  enabled_.clear();
  push(from);
  for (std::size_t k = 0; k < work_.size(); ++k) {
    const Transition t = work_[k];
    if (m_.enabled(s, t)) {
      enabled_.push_back(t);
      if (enabled_.size() > most) return false;
      add_dependents(s, t);
    } else {
      add_enablers(s, t);
    }
  }
  return true;
}

template <class Visit>
void Stubborn::progress(const Word* s, const Visit& visit) const {
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    if (m_.scalar_enabled(s, core) && visit(at(Move::scalar, c))) return;
    if (m_.rewriting(s, core) && m_.enabled(s, at(Move::rewrite, c)) &&
        visit(at(Move::rewrite, c))) {
      return;
    }
    for (std::size_t p = 0; p < pipe_count; ++p) {
      const Machine::PipeState& pipe = core.pipes[p];
      if (!pipe.used) continue;
      if (m_.head_enabled(s, core, static_cast<int>(p)) && visit(at(Move::head, c, p))) return;
      for (std::uint32_t w = 0; w < pipe.flight_words; ++w) {
        Word left = s[pipe.first_flight + w] & pipe.data_bits[w];
        for (; left != 0; left &= left - 1) {
          const auto bit = static_cast<unsigned>(std::countr_zero(left));
          const Transition next = next_of(s, c, pipe.items[w * 32 + bit]);
          if (m_.enabled(s, next) && visit(next)) return;
        }
      }
    }
    for (std::size_t l = 0; l < core.lines.size(); ++l) {
      const bool lands = core.lines[l].status.get(s) >= landing_later;
      if (lands && visit(at(Move::land, c, l))) return;
    }
    for (std::size_t b = 0; b < core.bypasses.size(); ++b) {
      const bool pending = core.bypasses[b].pending.get(s) != 0;
      if (pending && visit(at(Move::bypass, c, b))) return;
    }
  }
}

bool Stubborn::single(const Word* s, Transition& only) {
  budget_->work(m_.looks());
  bool found = false;
  progress(s, [&](Transition start) {
    // A core may stop for good (L-4, L-9) before its own next step.
    if (m_.irregular_ && (start.move == Move::scalar || start.move == Move::head)) return false;
    if (!close(s, start, 1)) return !budget_->within();
    only = start;
    return found = true;
  });
  return found;
}

std::size_t Stubborn::moves(const Word* s, std::vector<Transition>& moves) {
  budget_->work(m_.looks());
  starts_.clear();
  progress(s, [&](Transition start) {
    starts_.push_back(start);
    return false;
  });
  budget_->work(starts_.size());
  if (m_.irregular_) {
    for (const Transition start : starts_) {
      if (start.move == Move::scalar || start.move == Move::head) continue;
      if (close(s, start, 1)) {
        moves.push_back(start);
        return 1;
      }
    }
    return m_.all_moves(s, moves);
  }
  if (!starts_.empty()) {
    std::size_t most = static_cast<std::size_t>(-1);
    for (const Transition start : starts_) {
      // Beyond a bound the search is over, whatever is taken.
      if (most != static_cast<std::size_t>(-1) && !budget_->within()) break;
      if (!close(s, start, most - 1)) continue;
      best_ = enabled_;
      most = best_.size();
      if (most == 1) break;
    }
    moves.insert(moves.end(), best_.begin(), best_.end());
    return starts_.size();
  }
  // An end, unless the environment opens it: write-backs show and free a poll, and what a line that
  // is used again holds depends on whether it was fetched before them.
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    for (std::size_t l = 0; l < m_.cores_[c].lines.size(); ++l) {
      for (const Move move : {Move::write_back, Move::drop, Move::fill}) {
        if (move != Move::write_back && !used_again(s, c, l)) continue;
        if (m_.enabled(s, at(move, c, l))) moves.push_back(at(move, c, l));
      }
    }
  }
  return 0;
}

}  // namespace skcts::explorer
