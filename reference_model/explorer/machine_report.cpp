// What a state means in words: who waits, what was logged, what a step is.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reference_model/explorer/machine.h"

namespace skcts::explorer {

std::vector<Waiting> Machine::waiting(const Word* s) const {
  std::vector<Waiting> all;
  for (const Core& core : cores_) {
    if (!core.outside.empty()) continue;
    const std::size_t pc = core.pc.get(s);
    const Word frozen = core.frozen.get(s);
    const auto add = [&](int sub_kernel, int place, WaitKind kind, int id) {
      all.push_back(Waiting{core.id, launch_, sub_kernel, place, kind, id});
    };
    if (frozen == core_stopped) {  // A raise of it found a counter full (L-9).
      add(-1, -1, WaitKind::cross_core_flag, -1);
      continue;
    }
    if (frozen == scalar_stopped) {
      const Op& op = core.ops[pc];
      add(op.sub_kernel, op.place, WaitKind::event_flag, op.id);
    } else if (pc < core.ops.size()) {
      const Op& op = core.ops[pc];
      switch (op.kind) {
        case MicroKind::issue:
        case MicroKind::event_wait:
        case MicroKind::wait:
        case MicroKind::await:
        case MicroKind::poll:
        case MicroKind::poll_cached:
        case MicroKind::poll_refresh:
        case MicroKind::soft_poll:
        case MicroKind::feed:
        case MicroKind::served:
        case MicroKind::serve:
        case MicroKind::never: {
          const bool named = op.kind == MicroKind::event_wait || op.kind == MicroKind::wait ||
                             op.kind == MicroKind::never || op.wait == WaitKind::ib;
          add(op.sub_kernel, op.place, op.wait, named ? op.id : -1);
          break;
        }
        default: break;  // It waits for a pipe, which is named below.
      }
    }
    for (const PipeState& pipe : core.pipes) {
      if (!pipe.used || pipe.head.get(s) >= pipe.issued[pc]) continue;
      const Queued& entry = core.entries[pipe.entries[pipe.head.get(s)]];
      if (entry.kind != EntryKind::event_wait) continue;
      add(entry.sub_kernel, entry.place, WaitKind::event_flag, entry.id);
    }
  }
  std::ranges::sort(all, [](const Waiting& a, const Waiting& b) {
    return std::tie(a.core, a.sub_kernel, a.instruction, a.kind, a.id) <
           std::tie(b.core, b.sub_kernel, b.instruction, b.kind, b.id);
  });
  return all;
}

std::vector<QueryRecord> Machine::queries(const Word* s) const {
  std::vector<QueryRecord> all;
  for (const Core& core : cores_) {
    const std::size_t pc = core.pc.get(s);
    for (std::size_t i = 0; i < pc; ++i) {
      const Op& op = core.ops[i];
      if (op.kind != MicroKind::query) continue;
      all.push_back(QueryRecord{core.id, launch_, op.sub_kernel, op.place, op.logged});
    }
  }
  std::ranges::stable_sort(all, {}, &QueryRecord::core);
  return all;
}

std::vector<QueryRecord> Machine::all_queries() const {
  std::vector<Word> end(state_words_, 0);
  for (const Core& core : cores_) core.pc.set(end.data(), static_cast<Word>(core.ops.size()));
  return queries(end.data());
}

std::vector<Residue> Machine::residue() const {
  std::map<std::pair<int, int>, int> left;
  std::vector<Word> start(state_words_, 0);
  for (const auto& [field, value] : initial_fields_) field.set(start.data(), value);
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    for (int id = 0; id < 16; ++id) {
      const Field& counter = cores_[c].counters[static_cast<std::size_t>(id)];
      if (counter.bits != 0) {
        left[{static_cast<int>(c), id}] = static_cast<int>(counter.get(start.data()));
      }
    }
    for (const Op& op : cores_[c].ops) {
      if (op.kind == MicroKind::wait) --left[{static_cast<int>(c), op.id}];
    }
  }
  for (const Join& join : joins_) {
    const int fires = *std::ranges::min_element(join.raises);
    for (const int c : join.receiver_cores) left[{c, join.id}] += fires;
  }
  std::vector<Residue> all;
  for (const auto& [at, count] : left) {
    if (count > 0) all.push_back({cores_[static_cast<std::size_t>(at.first)].id, at.second, count});
  }
  return all;
}

void Machine::append_residue(const Word* s, std::vector<Word>& to) const {
  if (!stops_early_) return;
  for (const Core& core : cores_) {
    for (const Field& counter : core.counters) {
      if (counter.bits != 0) to.push_back(counter.get(s));
    }
  }
}

std::vector<Residue> Machine::residue_of(const Word* counts) const {
  std::vector<Residue> all;
  for (const Core& core : cores_) {
    for (int id = 0; id < 16; ++id) {
      if (core.counters[static_cast<std::size_t>(id)].bits == 0) continue;
      const Word count = *counts++;
      if (count > 0) all.push_back({core.id, id, static_cast<int>(count)});
    }
  }
  return all;
}

std::string Machine::describe(const Word* s, Transition t) const {
  const Core& core = cores_[t.core];
  const std::string who = core.outside.empty() ? to_string(core.id) : core.outside;
  const auto place = [](int sub_kernel, int instruction) {
    return instruction < 0 ? fmt::format("k{}", sub_kernel)
                           : fmt::format("k{}[{}]", sub_kernel, instruction);
  };
  switch (t.move) {
    case Move::scalar: {
      const Op& op = core.ops[core.pc.get(s)];
      return fmt::format("{} scalar {}", who, place(op.sub_kernel, op.place));
    }
    case Move::head: {
      const PipeState& pipe = core.pipes[t.at];
      const Queued& entry = core.entries[pipe.entries[pipe.head.get(s)]];
      return fmt::format("{} {} {}", who, to_string(static_cast<Pipe>(t.at)),
                         place(entry.sub_kernel, entry.place));
    }
    case Move::fetch:
    case Move::piece: {
      const Queued& entry = core.entries[core.atoms[t.at].entry];
      return fmt::format("{} {} {} piece {}{}", who, to_string(static_cast<Pipe>(entry.pipe)),
                         place(entry.sub_kernel, entry.place), t.at - entry.first,
                         t.move == Move::fetch ? " reads" : "");
    }
    case Move::deliver: return fmt::format("{} raise {} arrives", who, joins_[t.at >> 6].id);
    case Move::land: return fmt::format("{} line {} lands", who, core.lines[t.at].line);
    case Move::stop:
      return fmt::format("{} sees {}", who, t.at == 0 ? "the last record" : "a later record");
    case Move::rewrite: return fmt::format("{} rewrites its slot", who);
    case Move::bypass: return fmt::format("{} bypassing store lands", who);
    case Move::write_back:
      return fmt::format("{} line {} is written back", who, core.lines[t.at].line);
    case Move::drop: return fmt::format("{} line {} is dropped", who, core.lines[t.at].line);
    case Move::over: return "the launch ends";
    case Move::fill: return fmt::format("{} line {} is fetched", who, core.lines[t.at].line);
  }
  return who;
}

}  // namespace skcts::explorer
