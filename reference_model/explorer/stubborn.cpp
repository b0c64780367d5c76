// Which steps are looked at first, and the closure. What commutes is said where a rule is used.
#include "reference_model/explorer/stubborn.h"

#include <algorithm>

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
    next += 2 + pipe_count + core.atoms.size() + 4 * core.lines.size() + core.bypasses.size();
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
  stamps_.assign(next, 0);
  note_raises();
}

void Stubborn::note_raises() {
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
  const std::size_t lines = first + 2 + pipe_count + core.atoms.size();
  switch (t.move) {
    case Move::scalar: return first;
    case Move::rewrite: return first + 1;
    case Move::deliver: return arrivals_[t.at >> 6] + (t.at & 63U);
    case Move::head: return first + 2 + t.at;
    case Move::fetch:
    case Move::piece: return first + 2 + pipe_count + t.at;
    case Move::land: return lines + std::size_t{t.at} * 4;
    case Move::write_back: return lines + std::size_t{t.at} * 4 + 1;
    case Move::drop: return lines + std::size_t{t.at} * 4 + 2;
    case Move::fill: return lines + std::size_t{t.at} * 4 + 3;
    case Move::bypass: return lines + core.lines.size() * 4 + t.at;
  }
  return first;
}

void Stubborn::push(Transition t) {
  std::uint32_t& stamp = stamps_[number(t)];
  if (stamp == stamp_) return;
  stamp = stamp_;
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

/// All steps of progress, those that are most likely enough alone first.
void Stubborn::progress(const Word* s, std::vector<Transition>& all) const {
  budget_->work(m_.looks());
  for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
    const Machine::Core& core = m_.cores_[c];
    if (m_.scalar_enabled(s, core)) all.push_back(at(Move::scalar, c));
    if (m_.enabled(s, at(Move::rewrite, c))) all.push_back(at(Move::rewrite, c));
    for (std::size_t p = 0; p < pipe_count; ++p) {
      const Machine::PipeState& pipe = core.pipes[p];
      if (!pipe.used) continue;
      if (m_.head_enabled(s, core, static_cast<int>(p))) all.push_back(at(Move::head, c, p));
      m_.for_each_in_flight(s, pipe, [&](std::size_t a) {
        const Transition next = next_of(s, c, a);
        if (m_.enabled(s, next)) all.push_back(next);
      });
    }
    for (std::size_t l = 0; l < core.lines.size(); ++l) {
      if (core.lines[l].status.get(s) >= landing_later) all.push_back(at(Move::land, c, l));
    }
    for (std::size_t b = 0; b < core.bypasses.size(); ++b) {
      if (core.bypasses[b].pending.get(s) != 0) all.push_back(at(Move::bypass, c, b));
    }
  }
}

bool Stubborn::single(const Word* s, Transition& only) {
  starts_.clear();
  progress(s, starts_);
  for (const Transition start : starts_) {
    // A core may stop for good (L-4, L-9) before its own next step.
    if (m_.irregular_ && (start.move == Move::scalar || start.move == Move::head)) continue;
    if (close(s, start, 1)) {
      only = start;
      return true;
    }
  }
  return false;
}

std::size_t Stubborn::moves(const Word* s, std::vector<Transition>& moves) {
  starts_.clear();
  progress(s, starts_);
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
