// Places of words, lines, registers, queues and their pieces.
#include "reference_model/explorer/machine_build.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "spec/check.h"
#include "spec/instruction.h"

namespace skcts::explorer {

int GmWords::find(std::int64_t word) const {
  const auto at = std::ranges::lower_bound(words, word);
  if (at == words.end() || *at != word) return -1;
  return static_cast<int>(first) + static_cast<int>(at - words.begin());
}

namespace {

constexpr int registers_of_core = register_count + 1;
constexpr std::size_t most_places = 60'000, most_lines = 30'000, most_joins = 1024,
                      most_members = 64;
constexpr std::size_t most_cores = 250;

}  // namespace

void MachineBuilder::build() {
  m_.launch_ = program_.launch;
  m_.too_large_ = too_many();
  if (!m_.too_large_.empty()) return;
  touches_.emplace(program_);
  m_.slots_may_part_ = slots_may_part(program_);
  if (m_.slots_may_part_) m_.irregular_ = true;
  next_ = gm_.state_words();
  m_.cores_.resize(program_.cores.size());
  m_.bounds_ = {0};
  for (std::size_t c = 0; c < program_.cores.size(); ++c) {
    m_.bounds_.push_back(static_cast<std::uint32_t>(next_));
    if (!program_.cores[c].outside.empty() && m_.actors_++ == 0) m_.actors_first_ = next_;
    core(c);
  }
  if (m_.actors_ != 0) m_.actors_words_ = next_ - m_.actors_first_;
  m_.events_ = gm_.events;
  for (std::size_t e = 0; e < gm_.events; ++e) {
    m_.event_fields_.push_back(gm_.event(static_cast<int>(e)));
  }
  if (!program_.cores.empty()) m_.bounds_.push_back(static_cast<std::uint32_t>(next_));
  joins();
  for (std::size_t c = 0; c < program_.cores.size(); ++c) futures(c);
  overlaps();
  m_.state_words_ = next_;
  if (next_ != m_.bounds_.back()) m_.bounds_.push_back(static_cast<std::uint32_t>(next_));
  if (m_.state_words_ > most_places) {
    m_.too_large_ = fmt::format("a state of more than {} words", most_places);
  } else if (m_.arrivals_) {
    // An arrival is named by join and member: 10 and 6 bits.
    const bool wide = std::ranges::any_of(
        m_.joins_, [](const Machine::Join& join) { return join.members.size() > most_members; });
    if (wide || m_.joins_.size() > most_joins) {
      m_.too_large_ = fmt::format("raises arrive one by one at more than {} joins, or {} members",
                                  most_joins, most_members);
    }
  }
  for (const Machine::Core& core : m_.cores_) {
    m_.looks_ += 2 + core.lines.size() + core.bypasses.size();
    for (const Machine::PipeState& pipe : core.pipes) m_.looks_ += 1 + pipe.flight_words;
  }
}

/// Places in a state, pieces and the like are numbered with 16 bits, to keep steps short.
std::string MachineBuilder::too_many() const {
  if (program_.cores.size() > most_cores) return fmt::format("more than {} cores", most_cores);
  if (gm_.state_words() > most_places) {
    return fmt::format("more than {} words of GM that are written", most_places);
  }
  for (const CoreProgram& core : program_.cores) {
    std::size_t pieces = core.entries.size(), stores = 0;
    std::set<Address> lines;
    for (const Entry& entry : core.entries) pieces += entry.pieces.size();
    for (const Step& step : core.steps) {
      if (is_cached(step.kind)) lines.insert(step.address / 16);
      if (step.kind == MicroKind::bypass_store) ++stores;
    }
    if (pieces > most_places) return fmt::format("more than {} pieces on a core", most_places);
    if (lines.size() > most_lines) return fmt::format("more than {} lines on a core", most_lines);
    if (stores > most_places) {
      return fmt::format("more than {} stores past the cache on a core", most_places);
    }
  }
  return {};
}

Field MachineBuilder::bits(int count) {
  count = std::max(count, 1);
  if (used_ + count > 32) {
    open_ = next_++;
    used_ = 0;
  }
  const Field made{static_cast<std::uint16_t>(open_), static_cast<std::uint8_t>(used_),
                   static_cast<std::uint8_t>(count)};
  used_ += count;
  return made;
}

Ref MachineBuilder::constant(Word value) {
  const auto [at, fresh] =
      constant_places_.try_emplace(value, static_cast<std::uint32_t>(m_.constants_.size()));
  if (fresh) m_.constants_.push_back(value);
  return Ref{at->second, true};
}

Mask MachineBuilder::mask_of(Address a) const {
  if (is_gm(a)) {
    const int word = gm_.find(a);
    return word < 0 ? 0 : Mask{1} << (static_cast<unsigned>(word) % 64U);
  }
  const auto found = locals_.find(a);
  return found == locals_.end() ? 0 : Mask{1} << (found->second % 64U);
}

Mask MachineBuilder::line_mask(std::int64_t line) const {
  Mask mask = 0;
  for (std::int64_t w = line * 16; w < line * 16 + 16; ++w) mask |= mask_of(w);
  return mask;
}

Ref MachineBuilder::gm_ref(std::int64_t word) {
  const int at = gm_.find(word);
  if (at >= 0) return Ref{static_cast<std::uint32_t>(at), false};
  return constant(gm_.initial[static_cast<std::size_t>(word)]);
}

Ref MachineBuilder::ref(Address address) {
  if (is_gm(address)) return gm_ref(address);
  if (address >= literal_base) return constant(static_cast<Word>(address - literal_base));
  const auto found = locals_.find(address);
  if (found == locals_.end()) return constant(0);
  return Ref{found->second, false};
}

std::uint32_t MachineBuilder::run(const std::vector<Address>& all) {
  const auto first = static_cast<std::uint32_t>(m_.refs_.size());
  for (const Address a : all) m_.refs_.push_back(ref(a));
  return first;
}

void MachineBuilder::place_locals(const CoreProgram& core) {
  std::set<Address> read, written;
  for (const Entry& entry : core.entries) {
    for (const Piece& piece : entry.pieces) {
      read.insert(piece.a.begin(), piece.a.end());
      read.insert(piece.b.begin(), piece.b.end());
      written.insert(piece.dst.begin(), piece.dst.end());
      if (piece.accumulate) read.insert(piece.dst.begin(), piece.dst.end());
    }
  }
  for (const Step& step : core.steps) {
    if (step.kind == MicroKind::local_load) read.insert(step.address);
    if (step.kind == MicroKind::local_store) written.insert(step.address);
    for (std::size_t j = 8; j < step.copy.size(); ++j) written.insert(step.copy[j]);
    written.insert(step.scratch.begin(), step.scratch.end());
  }
  locals_.clear();
  for (const Address a : written) {
    if (!is_gm(a) && read.contains(a)) locals_[a] = whole_word();
  }
}

void MachineBuilder::core(std::size_t c) {
  const CoreProgram& from = program_.cores[c];
  Machine::Core& to = m_.cores_[c];
  to.id = from.core;
  to.block = from.block;
  to.outside = from.outside;
  to.gates = static_cast<std::size_t>(from.gates);
  used_ = 32;
  to.pc = up_to(from.steps.size());
  core_ = c;
  rounds_.clear();
  place_locals(from);
  place_registers(from, to);
  place_lines(from, to);
  place_events(from, to);
  entries(from, to);
  ops(from, to);
  for (const Machine::Op& op : to.ops) {
    const bool stops = op.kind == MicroKind::fail || op.kind == MicroKind::may_drain;
    if (stops || op.doubled) m_.irregular_ = true;
  }
  for (const Machine::Queued& entry : to.entries) {
    if (entry.doubled) m_.irregular_ = true;
  }
  services(from, to);
}

/// A pipe may run ahead of the one that waits for it by as many sets as there are.
void MachineBuilder::place_events(const CoreProgram& from, Machine::Core& to) {
  std::vector<std::size_t> sets(from.events.size(), 0);
  for (const Entry& entry : from.entries) {
    if (entry.kind == EntryKind::event_set) ++sets[static_cast<std::size_t>(entry.event)];
  }
  for (const Step& step : from.steps) {
    if (step.kind == MicroKind::event_set) ++sets[static_cast<std::size_t>(step.event)];
  }
  for (const std::size_t count : sets) to.events.push_back(up_to(count));
}

void MachineBuilder::services(const CoreProgram& from, Machine::Core& to) {
  std::size_t published = 0, served = 0;
  bool soft = false;
  for (const Step& step : from.steps) {
    if (step.kind == MicroKind::publish || step.kind == MicroKind::leave) ++published;
    soft = soft || step.kind == MicroKind::soft_enter;
    if (step.kind == MicroKind::serve) served += static_cast<std::size_t>(step.number);
  }
  to.frozen = bits(2);
  if (soft) to.unequal = bits(1);
  if (published > 0) to.records = up_to(published);
  if (served > 0) {
    m_.cores_meet_ = true;
    to.ended = up_to(served);
    to.busy = bits(1);
  }
}

void MachineBuilder::place_registers(const CoreProgram& from, Machine::Core& to) {
  bool any = false;
  for (const Step& step : from.steps) {
    const auto [reads, writes] = registers_of(step);
    if (reads != 0) any = true;
  }
  if (!any) return;
  to.registers = static_cast<std::uint32_t>(next_);
  next_ += registers_of_core;
}

void MachineBuilder::place_lines(const CoreProgram& from, Machine::Core& to) {
  std::set<std::int64_t> touched, stored;
  for (const Step& step : from.steps) {
    if (!is_cached(step.kind)) continue;
    touched.insert(step.address / 16);
    if (step.kind == MicroKind::store) stored.insert(step.address / 16);
  }
  for (const std::int64_t line : touched) {
    Machine::Line made;
    made.line = line;
    made.status = bits(3);
    made.first = static_cast<std::uint32_t>(m_.pairs_.size());
    made.mask = line_mask(line);
    made.stored = stored.contains(line);
    for (std::int64_t w = line * 16; w < line * 16 + 16; ++w) {
      const int at = gm_.find(w);
      if (at < 0) continue;
      m_.pairs_.emplace_back(static_cast<std::uint32_t>(at), whole_word());
      ++made.count;
    }
    to.lines.push_back(made);
  }
}

int MachineBuilder::line_place(const Machine::Core& core, std::int64_t line) const {
  const auto at = std::ranges::lower_bound(core.lines, line, {}, &Machine::Line::line);
  return at == core.lines.end() || at->line != line ? -1
                                                    : static_cast<int>(at - core.lines.begin());
}

Ref MachineBuilder::content(const Machine::Line& line, std::int64_t word) {
  const int at = gm_.find(word);
  if (at < 0) return constant(gm_.initial[static_cast<std::size_t>(word)]);
  for (std::uint32_t j = 0; j < line.count; ++j) {
    const auto& [gm, own] = m_.pairs_[line.first + j];
    if (gm == static_cast<std::uint32_t>(at)) return Ref{own, false};
  }
  SKCTS_CHECK(false, "word {} of a line has no place", word);
}

void MachineBuilder::entries(const CoreProgram& from, Machine::Core& to) {
  for (const Entry& entry : from.entries) {
    Machine::Queued made;
    made.kind = entry.kind;
    made.pipe = static_cast<std::uint8_t>(entry.pipe);
    made.in_turn = entry.in_turn;
    made.doubled = entry.doubled;
    made.landing = entry.landing;
    made.event = entry.event;
    made.server = entry.server;
    made.id = entry.id;
    made.mode = entry.mode;
    made.to_event = entry.kind == EntryKind::raise && entry.mode == event_mode;
    made.sub_kernel = entry.sub_kernel;
    made.place = entry.place;
    made.first = static_cast<std::uint16_t>(to.atoms.size());
    if (entry.value.reg >= 0 && !entry.pieces.empty()) made.capture = whole_word();
    atoms(entry, made, to);
    made.count = static_cast<std::uint16_t>(to.atoms.size() - made.first);
    Machine::PipeState& pipe = to.pipes[made.pipe];
    pipe.used = true;
    pipe.entries.push_back(static_cast<std::uint16_t>(to.entries.size()));
    made.bit = static_cast<std::uint16_t>(pipe.items.size());
    const auto item = [&](std::size_t at, bool data) {
      if (pipe.items.size() % 32 == 0) pipe.data_bits.push_back(0);
      if (data) pipe.data_bits.back() |= Word{1} << pipe.items.size() % 32;
      pipe.items.push_back(static_cast<std::uint16_t>(at));
    };
    for (std::uint16_t a = made.first; a < made.first + made.count; ++a) item(a, true);
    if (made.kind == EntryKind::event_set || made.kind == EntryKind::raise) {
      item(to.entries.size(), false);
    }
    to.entries.push_back(made);
  }
  for (Machine::PipeState& pipe : to.pipes) {
    if (!pipe.used) continue;
    pipe.head = up_to(pipe.entries.size());
    pipe.flight_words = static_cast<std::uint32_t>(pipe.data_bits.size());
    pipe.first_flight = static_cast<std::uint32_t>(next_);
    next_ += pipe.flight_words;
    for (std::size_t j = 0; j < pipe.items.size(); ++j) {
      if ((pipe.data_bits[j / 32] >> j % 32 & 1U) == 0) continue;
      to.atoms[pipe.items[j]].flight = Field{static_cast<std::uint16_t>(pipe.first_flight + j / 32),
                                             static_cast<std::uint8_t>(j % 32), 1};
    }
  }
}

void MachineBuilder::atoms(const Entry& entry, const Machine::Queued& queued, Machine::Core& to) {
  std::uint32_t latch = 0;
  std::uint16_t gather = 0;
  bool spreads = false;
  for (const Piece& piece : entry.pieces) {
    if (piece.calculation == Calculation::gather) latch = whole_word();
  }
  for (std::size_t number = 0; number < entry.pieces.size(); ++number) {
    const Piece& piece = entry.pieces[number];
    Machine::Atom made;
    made.calculation = piece.calculation;
    made.accumulate = piece.accumulate;
    made.entry = static_cast<std::uint16_t>(to.entries.size());
    made.first = piece.first;
    made.latch = latch;
    made.value = queued.capture != 0 ? Ref{queued.capture, false} : constant(entry.value.constant);
    Piece kept = keep_noticed(piece);
    const bool gathers = piece.calculation == Calculation::gather;
    if (kept.dst.empty() && !gathers) continue;
    if (piece.calculation == Calculation::spread) {
      made.waits_gather = latch != 0;
      made.gather = gather;
      spreads = true;
    }
    if (gathers) gather = static_cast<std::uint16_t>(to.atoms.size());
    made.count = static_cast<std::uint32_t>(kept.dst.size());
    made.reads = static_cast<std::uint32_t>(kept.a.size());
    made.dst = run(kept.dst);
    made.a = run(kept.a);
    made.b = run(kept.b);
    for (const Address a : kept.dst) (is_gm(a) ? made.gm_writes : made.local_writes) |= mask_of(a);
    for (const auto* list : {&kept.a, &kept.b}) {
      for (const Address a : *list) (is_gm(a) ? made.gm_reads : made.local_reads) |= mask_of(a);
    }
    const Agent self = agent_of(core_, to.entries.size(), number);
    // An outside actor reads and writes GM by turns: its places are the same in every launch.
    const bool actor = !program_.cores[core_].outside.empty();
    made.split = !actor && touches_->read_and_written_by_others(core_, self, kept);
    if (made.split) {
      made.fetched = bits(1);
      made.kept = static_cast<std::uint32_t>(next_);
      next_ += made.count;
    }
    to.atoms.push_back(made);
  }
  if (latch != 0 && !spreads) to.atoms.resize(queued.first);  // Nobody sees the results.
}

Piece MachineBuilder::keep_noticed(const Piece& piece) const {
  Piece kept = piece;
  if (piece.calculation == Calculation::gather) return kept;
  const bool offsets =
      piece.calculation == Calculation::spread || piece.calculation == Calculation::opaque;
  if (offsets) {  // Words are numbered: keep all or none.
    const bool any = std::ranges::any_of(piece.dst, [this](Address a) { return noticed(a); });
    if (!any) kept.dst.clear();
    return kept;
  }
  kept.dst.clear();
  kept.a.clear();
  kept.b.clear();
  for (std::size_t j = 0; j < piece.dst.size(); ++j) {
    if (!noticed(piece.dst[j])) continue;
    kept.dst.push_back(piece.dst[j]);
    if (!piece.a.empty()) kept.a.push_back(piece.a[j]);
    if (!piece.b.empty()) kept.b.push_back(piece.b[j]);
  }
  return kept;
}

int MachineBuilder::state_word(Address a) {
  const Ref at = ref(a);
  return at.constant ? -1 : static_cast<int>(at.at);
}

Machine::Machine(const LaunchProgram& program, const GmWords& gm, const Freedom& freedom,
                 std::span<const Residue> before)
    : freedom_(freedom) {
  MachineBuilder(*this, program, gm, before).build();
}

}  // namespace skcts::explorer
