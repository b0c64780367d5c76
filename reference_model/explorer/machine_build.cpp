// Gives every word, counter and queue of a launch its place in the state.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "reference_model/explorer/machine.h"
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

bool is_cached(MicroKind kind) {
  return kind == MicroKind::load || kind == MicroKind::store || kind == MicroKind::poll_cached ||
         kind == MicroKind::poll_refresh;
}

/// Registers that a step reads and writes, as bits.
std::pair<unsigned, unsigned> registers_of(const Step& step) {
  unsigned reads = 0, writes = 0;
  if (step.value.reg >= 0) reads |= 1U << step.value.reg;
  if (step.kind == MicroKind::soft_poll) {
    reads |= 1U << step.reg;
  } else if (step.reg >= 0) {
    writes |= 1U << step.reg;
  }
  if (step.kind == MicroKind::clear) writes = (1U << register_count) - 1;
  return {reads, writes};
}

}  // namespace

class MachineBuilder {
 public:
  MachineBuilder(Machine& machine, const LaunchProgram& program, const GmWords& gm,
                 std::span<const Residue> before)
      : m_(machine), program_(program), gm_(gm), before_(before) {}

  void build() {
    m_.launch_ = program_.launch;
    next_ = gm_.state_words();
    m_.cores_.resize(program_.cores.size());
    m_.bounds_ = {0};
    for (std::size_t c = 0; c < program_.cores.size(); ++c) {
      m_.bounds_.push_back(static_cast<std::uint32_t>(next_));
      core(c);
    }
    if (!program_.cores.empty()) m_.bounds_.push_back(static_cast<std::uint32_t>(next_));
    joins();
    for (std::size_t c = 0; c < program_.cores.size(); ++c) futures(c);
    overlaps();
    m_.state_words_ = next_;
    if (next_ != m_.bounds_.back()) m_.bounds_.push_back(static_cast<std::uint32_t>(next_));
    SKCTS_CHECK(m_.state_words_ < 60000, "a state of {} words", m_.state_words_);
  }

 private:
  std::uint32_t whole_word() { return static_cast<std::uint32_t>(next_++); }

  Field bits(int count) {
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

  Field up_to(std::size_t most) { return bits(static_cast<int>(std::bit_width(most))); }

  Ref constant(Word value) {
    const auto [at, fresh] =
        constant_places_.try_emplace(value, static_cast<std::uint32_t>(m_.constants_.size()));
    if (fresh) m_.constants_.push_back(value);
    return Ref{at->second, true};
  }

  /// Which words an access means to others; 0 for a word that nobody writes.
  Mask mask_of(Address a) const {
    if (is_gm(a)) {
      const int word = gm_.find(a);
      return word < 0 ? 0 : Mask{1} << (static_cast<unsigned>(word) % 64U);
    }
    const auto found = locals_.find(a);
    return found == locals_.end() ? 0 : Mask{1} << (found->second % 64U);
  }

  Mask line_mask(std::int64_t line) const {
    Mask mask = 0;
    for (std::int64_t w = line * 16; w < line * 16 + 16; ++w) mask |= mask_of(w);
    return mask;
  }

  Ref gm_ref(std::int64_t word) {
    const int at = gm_.find(word);
    if (at >= 0) return Ref{static_cast<std::uint32_t>(at), false};
    return constant(gm_.initial[static_cast<std::size_t>(word)]);
  }

  Ref ref(Address address) {
    if (is_gm(address)) return gm_ref(address);
    const auto found = locals_.find(address);
    if (found == locals_.end()) return constant(0);
    return Ref{found->second, false};
  }

  std::uint32_t run(const std::vector<Address>& all) {
    const auto first = static_cast<std::uint32_t>(m_.refs_.size());
    for (const Address a : all) m_.refs_.push_back(ref(a));
    return first;
  }

  /// Local words that are both written and read get a place; others cannot be noticed.
  void place_locals(const CoreProgram& core) {
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
    }
    locals_.clear();
    for (const Address a : written) {
      if (!is_gm(a) && read.contains(a)) locals_[a] = whole_word();
    }
  }

  void core(std::size_t c) {
    const CoreProgram& from = program_.cores[c];
    Machine::Core& to = m_.cores_[c];
    to.id = from.core;
    to.block = from.block;
    used_ = 32;
    to.pc = up_to(from.steps.size());
    place_locals(from);
    place_registers(from, to);
    place_lines(from, to);
    for (std::size_t e = 0; e < from.events.size(); ++e) to.events.push_back(bits(8));
    entries(from, to);
    ops(from, to);
    for (const Machine::Op& op : to.ops) {
      if (op.kind == MicroKind::fail || op.doubled) m_.irregular_ = true;
    }
    for (const Machine::Queued& entry : to.entries) {
      if (entry.doubled) m_.irregular_ = true;
    }
    services(from, to);
  }

  void services(const CoreProgram& from, Machine::Core& to) {
    std::size_t published = 0, served = 0;
    for (const Step& step : from.steps) {
      if (step.kind == MicroKind::publish || step.kind == MicroKind::leave) ++published;
      if (step.kind == MicroKind::serve) served += static_cast<std::size_t>(step.number);
    }
    to.frozen = bits(4);
    if (published > 0) to.records = up_to(published);
    if (served > 0) {
      m_.cores_meet_ = true;
      to.ended = up_to(served);
      to.busy = bits(1);
    }
  }

  void place_registers(const CoreProgram& from, Machine::Core& to) {
    bool any = false;
    for (const Step& step : from.steps) {
      const auto [reads, writes] = registers_of(step);
      if (reads != 0) any = true;
    }
    if (!any) return;
    to.registers = static_cast<std::uint32_t>(next_);
    next_ += registers_of_core;
  }

  void place_lines(const CoreProgram& from, Machine::Core& to) {
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

  int line_place(const Machine::Core& core, std::int64_t line) const {
    for (std::size_t l = 0; l < core.lines.size(); ++l) {
      if (core.lines[l].line == line) return static_cast<int>(l);
    }
    return -1;
  }

  Ref content(const Machine::Line& line, std::int64_t word) {
    const int at = gm_.find(word);
    if (at < 0) return constant(gm_.initial[static_cast<std::size_t>(word)]);
    for (std::uint32_t j = 0; j < line.count; ++j) {
      const auto& [gm, own] = m_.pairs_[line.first + j];
      if (gm == static_cast<std::uint32_t>(at)) return Ref{own, false};
    }
    SKCTS_CHECK(false, "word {} of a line has no place", word);
  }

  void entries(const CoreProgram& from, Machine::Core& to) {
    for (const Entry& entry : from.entries) {
      Machine::Queued made;
      made.kind = entry.kind;
      made.pipe = static_cast<std::uint8_t>(entry.pipe);
      made.in_turn = entry.in_turn;
      made.doubled = entry.doubled;
      made.landing = entry.landing;
      made.drains = entry.drains;
      made.event = entry.event;
      made.server = entry.server;
      made.id = entry.id;
      made.mode = entry.mode;
      made.sub_kernel = entry.sub_kernel;
      made.place = entry.place;
      made.first = static_cast<std::uint16_t>(to.atoms.size());
      if (entry.value.reg >= 0 && !entry.pieces.empty()) made.capture = whole_word();
      atoms(entry, made, to);
      made.count = static_cast<std::uint16_t>(to.atoms.size() - made.first);
      Machine::PipeState& pipe = to.pipes[made.pipe];
      pipe.used = true;
      pipe.entries.push_back(static_cast<std::uint16_t>(to.entries.size()));
      for (std::uint16_t a = made.first; a < made.first + made.count; ++a) {
        pipe.flight_atoms.push_back(a);
      }
      to.entries.push_back(made);
    }
    for (Machine::PipeState& pipe : to.pipes) {
      if (!pipe.used) continue;
      pipe.head = up_to(pipe.entries.size());
      pipe.flight_words = static_cast<std::uint32_t>((pipe.flight_atoms.size() + 31) / 32);
      pipe.first_flight = static_cast<std::uint32_t>(next_);
      next_ += pipe.flight_words;
      for (std::size_t j = 0; j < pipe.flight_atoms.size(); ++j) {
        to.atoms[pipe.flight_atoms[j]].flight =
            Field{static_cast<std::uint16_t>(pipe.first_flight + j / 32),
                  static_cast<std::uint8_t>(j % 32), 1};
      }
    }
  }

  void atoms(const Entry& entry, const Machine::Queued& queued, Machine::Core& to) {
    std::uint32_t latch = 0;
    std::uint16_t gather = 0;
    bool spreads = false;
    for (const Piece& piece : entry.pieces) {
      if (piece.calculation == Calculation::gather) latch = whole_word();
    }
    for (const Piece& piece : entry.pieces) {
      Machine::Atom made;
      made.calculation = piece.calculation;
      made.accumulate = piece.accumulate;
      made.entry = static_cast<std::uint16_t>(to.entries.size());
      made.first = piece.first;
      made.latch = latch;
      made.value =
          queued.capture != 0 ? Ref{queued.capture, false} : constant(entry.value.constant);
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
      for (const Address a : kept.dst)
        (is_gm(a) ? made.gm_writes : made.local_writes) |= mask_of(a);
      if (piece.accumulate) {
        made.gm_reads |= made.gm_writes;
        made.local_reads |= made.local_writes;
      }
      for (const auto* list : {&kept.a, &kept.b}) {
        for (const Address a : *list) (is_gm(a) ? made.gm_reads : made.local_reads) |= mask_of(a);
      }
      to.atoms.push_back(made);
    }
    if (latch != 0 && !spreads) to.atoms.resize(queued.first);  // Nobody sees the results.
  }

  /// A piece without the destinations that nobody reads.
  Piece keep_noticed(const Piece& piece) const {
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

  bool noticed(Address a) const { return is_gm(a) || locals_.contains(a); }

  int state_word(Address a) {
    const Ref at = ref(a);
    return at.constant ? -1 : static_cast<int>(at.at);
  }

  void ops(const CoreProgram& from, Machine::Core& to) {
    std::vector<unsigned> live(from.steps.size() + 1, 0);
    for (std::size_t i = from.steps.size(); i-- > 0;) {
      const auto [reads, writes] = registers_of(from.steps[i]);
      live[i] = (live[i + 1] & ~writes) | reads;
    }
    int clients = 0;
    for (std::size_t i = 0; i < from.steps.size(); ++i) {
      const Step& step = from.steps[i];
      Machine::Op made;
      const auto [reads, writes] = registers_of(step);
      if (to.registers != 0) {
        made.clear = static_cast<std::uint16_t>((live[i] | writes) & ~live[i + 1]);
      }
      const bool keeps = step.reg >= 0 && to.registers != 0 &&
                         ((live[i + 1] >> step.reg & 1U) != 0 || step.kind == MicroKind::soft_poll);
      made.kind = step.kind;
      made.reg = keeps ? static_cast<std::int16_t>(step.reg) : std::int16_t{-1};
      made.value = step.value.constant;
      made.value_reg = static_cast<std::int16_t>(step.value.reg);
      made.until = step.until;
      made.doubled = step.doubled;
      made.both_kinds = step.both_kinds;
      made.entry = step.entry;
      made.event = step.event;
      made.number = step.number;
      made.partner = step.partner;
      made.rule = step.rule;
      made.logged = step.logged;
      made.wait = step.wait;
      made.id = step.id;
      made.sub_kernel = step.sub_kernel;
      made.place = step.place;
      if (step.kind == MicroKind::serve) made.number = clients += step.number;
      memory(step, made, to);
      if (step.kind == MicroKind::refresh && made.line < 0) continue;
      if (step.kind == MicroKind::refresh_all && to.lines.empty()) continue;
      if (step.kind == MicroKind::clear && made.clear == 0 && live[i + 1] == 0) continue;
      to.ops.push_back(made);
    }
    to.pc = Field{to.pc.word, to.pc.shift, to.pc.bits};
    issue_table(to);
    if (!m_.freedom_.delays) raise_turns(to);
  }

  void memory(const Step& step, Machine::Op& op, Machine::Core& to) {
    if (step.address >= 0 && is_gm(step.address)) {
      op.line = static_cast<std::int16_t>(line_place(to, step.address / 16));
    }
    const Mask block = step.address >= 0 ? mask_of(step.address) : 0;
    switch (step.kind) {
      case MicroKind::load:
      case MicroKind::poll_cached:
      case MicroKind::poll_refresh:
      case MicroKind::store: {
        const Machine::Line& line = to.lines[static_cast<std::size_t>(op.line)];
        op.address = content(line, step.address);
        op.target = op.address.constant ? -1 : static_cast<int>(op.address.at);
        op.gm_reads = line.mask;
        if (step.kind == MicroKind::store) op.gm_writes = line.mask;
        if (step.kind == MicroKind::poll_refresh) {  // Looks at GM itself.
          op.first = static_cast<std::uint32_t>(m_.refs_.size());
          m_.refs_.push_back(gm_ref(step.address));
        }
        break;
      }
      case MicroKind::refresh:
        if (op.line >= 0 && to.lines[static_cast<std::size_t>(op.line)].stored) {
          op.gm_writes = to.lines[static_cast<std::size_t>(op.line)].mask;
        }
        break;
      case MicroKind::refresh_all:
        for (const Machine::Line& line : to.lines) {
          if (line.stored) op.gm_writes |= line.mask;
        }
        break;
      case MicroKind::bypass_load:
      case MicroKind::soft_enter:
        op.address = ref(step.address);
        op.gm_reads = block;
        break;
      case MicroKind::local_load:
        op.address = ref(step.address);
        op.local_reads = block;
        break;
      case MicroKind::local_store:
        op.target = state_word(step.address);
        op.local_writes = block;
        break;
      case MicroKind::bypass_store: {
        op.slot = static_cast<int>(to.bypasses.size());
        Machine::Bypass slot{bits(1), whole_word(), state_word(step.address), block};
        to.bypasses.push_back(slot);
        op.gm_writes = block;
        break;
      }
      case MicroKind::store_direct:
        op.target = state_word(step.address);
        op.gm_writes = block;
        break;
      case MicroKind::poll:
        op.address = ref(step.address);
        op.gm_reads = block;
        copies(step, op);
        break;
      case MicroKind::soft_poll:
        op.first = run(step.slots);
        op.count = static_cast<std::uint32_t>(step.slots.size());
        for (const Address a : step.slots) op.gm_reads |= mask_of(a);
        m_.soft_slots_.push_back({op.first, op.count});
        break;
      default: break;
    }
  }

  void copies(const Step& step, Machine::Op& op) {
    op.first = static_cast<std::uint32_t>(m_.refs_.size());
    for (std::size_t j = 0; j + 8 < step.copy.size(); ++j) {
      const int to = state_word(step.copy[j + 8]);
      if (to < 0) continue;
      m_.refs_.push_back(ref(step.copy[j]));
      op.gm_reads |= mask_of(step.copy[j]);
      m_.refs_.push_back(Ref{static_cast<std::uint32_t>(to), false});
      op.local_writes |= mask_of(step.copy[j + 8]);
      ++op.count;
    }
    if (!step.copy.empty()) op.number = 1;  // Takes its turn on MTE2.
  }

  /// L-8 program-order: raises of a core take effect in the order of issue.
  void raise_turns(Machine::Core& to) {
    for (const Machine::Op& op : to.ops) {
      if (op.kind == MicroKind::raise) to.raise_pipes.push_back(-1);
      if (op.kind != MicroKind::issue) continue;
      Machine::Queued& entry = to.entries[static_cast<std::size_t>(op.entry)];
      if (entry.kind != EntryKind::raise) continue;
      entry.turn = static_cast<int>(to.raise_pipes.size());
      to.raise_pipes.push_back(entry.pipe);
    }
    if (!to.raise_pipes.empty()) to.raised = up_to(to.raise_pipes.size());
  }

  void issue_table(Machine::Core& to) {
    std::array<std::uint16_t, pipe_count> count{};
    for (int p = 0; p < pipe_count; ++p) to.pipes[static_cast<std::size_t>(p)].issued.push_back(0);
    for (const Machine::Op& op : to.ops) {
      if (op.kind == MicroKind::issue) ++count[to.entries[static_cast<std::size_t>(op.entry)].pipe];
      for (std::size_t p = 0; p < pipe_count; ++p) to.pipes[p].issued.push_back(count[p]);
    }
  }

  int join_place(CoreKind kind, int block, int mode, int id) {
    const int at_block = mode == 0 ? -1 : block;
    const auto key = std::tuple{kind, at_block, mode, id};
    const auto found = join_places_.find(key);
    if (found != join_places_.end()) return found->second;
    const int place = static_cast<int>(m_.joins_.size());
    join_places_[key] = place;
    Machine::Join join;
    join.mode = mode;
    join.id = id;
    for (std::size_t c = 0; c < program_.cores.size(); ++c) {
      const CoreProgram& core = program_.cores[c];
      const bool in_block = mode == 0 || core.block == block;
      if (core.core.kind == kind && in_block) join.members.push_back(static_cast<int>(c));
      const bool receives = mode == 2 ? core.core.kind != kind : core.core.kind == kind;
      if (receives && in_block && mode <= 2) join.receiver_cores.push_back(static_cast<int>(c));
    }
    if (mode == 2 && kind == CoreKind::aic) join.members = {join.members.front()};
    join.raises.assign(join.members.size(), 0);
    m_.joins_.push_back(std::move(join));
    return place;
  }

  template <class Raiser>
  void join_of(std::size_t c, Raiser& raiser, int mode, int id) {
    const CoreProgram& core = program_.cores[c];
    raiser.join = join_place(core.core.kind, core.block, mode, id);
    Machine::Join& join = m_.joins_[static_cast<std::size_t>(raiser.join)];
    for (std::size_t k = 0; k < join.members.size(); ++k) {
      if (join.members[k] == static_cast<int>(c)) raiser.member = static_cast<int>(k);
    }
    ++join.raises[static_cast<std::size_t>(raiser.member)];
  }

  void joins() {
    for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
      Machine::Core& core = m_.cores_[c];
      for (std::size_t e = 0; e < core.entries.size(); ++e) {
        Machine::Queued& entry = core.entries[e];
        if (entry.kind == EntryKind::raise) join_of(c, entry, entry.mode, entry.id);
      }
      std::size_t raises = 0;
      std::vector<const Step*> steps;
      for (const Step& step : program_.cores[c].steps) {
        if (step.kind == MicroKind::raise) steps.push_back(&step);
      }
      for (Machine::Op& op : core.ops) {
        if (op.kind != MicroKind::raise) continue;
        join_of(c, op, steps[raises]->mode, steps[raises]->id);
        ++raises;
      }
    }
    counters();
  }

  void counters() {
    std::map<std::pair<int, int>, int> most;  // (core, id)
    for (const Residue& left : before_) {
      for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
        if (m_.cores_[c].id == left.core) most[{static_cast<int>(c), left.id}] += left.count;
      }
    }
    const auto initial = most;
    for (const Machine::Join& join : m_.joins_) {
      const int fires = *std::ranges::min_element(join.raises);
      for (const int c : join.receiver_cores) most[{c, join.id}] += fires;
    }
    bool overflows = false;
    for (const auto& [at, count] : most) overflows = overflows || count > 15;
    if (overflows) m_.irregular_ = true;
    used_ = 32;
    for (std::size_t c = 0; c < m_.cores_.size(); ++c) {
      for (const Machine::Op& op : m_.cores_[c].ops) {
        if (op.kind == MicroKind::wait) most.try_emplace({static_cast<int>(c), op.id}, 0);
      }
    }
    for (const auto& [at, count] : most) {
      const Field field = bits(4);
      m_.cores_[static_cast<std::size_t>(at.first)].counters[static_cast<std::size_t>(at.second)] =
          field;
      const auto kept = initial.find(at);
      if (kept != initial.end()) {
        m_.initial_fields_.emplace_back(field, static_cast<Word>(kept->second));
      }
    }
    for (Machine::Join& join : m_.joins_) {
      for (const int c : join.receiver_cores) {
        join.receivers.push_back(
            m_.cores_[static_cast<std::size_t>(c)].counters[static_cast<std::size_t>(join.id)]);
      }
      for (std::size_t k = 0; k < join.members.size(); ++k) {
        const auto count = static_cast<std::size_t>(join.raises[k]);
        join.arrived.push_back(join.members.size() > 1 ? up_to(count) : Field{});
        join.pending.push_back(overflows && m_.freedom_.delays ? up_to(count) : Field{});
      }
    }
  }

  void futures(std::size_t c) {
    Machine::Core& core = m_.cores_[c];
    core.future.assign(core.ops.size() + 1, {});
    core.line_future.assign(core.ops.size() + 1, 0);
    for (std::size_t i = core.ops.size(); i-- > 0;) {
      const Machine::Op& op = core.ops[i];
      core.future[i] = core.future[i + 1];
      core.future[i].add({op.gm_reads, op.gm_writes, op.local_reads, op.local_writes});
      core.line_future[i] = core.line_future[i + 1];
      if (op.kind == MicroKind::refresh_all) {
        core.line_future[i] = ~Mask{0};
      } else if (op.line >= 0 && (is_cached(op.kind) || op.kind == MicroKind::refresh)) {
        core.line_future[i] |= Mask{1} << (op.line % 64);
      }
    }
    for (Machine::PipeState& pipe : core.pipes) {
      pipe.future.assign(pipe.entries.size() + 1, {});
      for (std::size_t h = pipe.entries.size(); h-- > 0;) {
        const Machine::Queued& entry = core.entries[pipe.entries[h]];
        pipe.future[h] = pipe.future[h + 1];
        for (std::uint16_t a = entry.first; a < entry.first + entry.count; ++a) {
          const Machine::Atom& atom = core.atoms[a];
          pipe.future[h].add({atom.gm_reads, atom.gm_writes, atom.local_reads, atom.local_writes});
        }
      }
    }
  }

  void overlaps() {
    std::set<std::int64_t> stored;
    for (const Machine::Core& core : m_.cores_) {
      for (const Machine::Line& line : core.lines) {
        if (line.stored && !stored.insert(line.line).second) m_.lines_overlap_ = true;
      }
    }
  }

  Machine& m_;
  const LaunchProgram& program_;
  const GmWords& gm_;
  std::span<const Residue> before_;
  std::size_t next_ = 0;
  std::size_t open_ = 0;
  int used_ = 32;
  std::map<Word, std::uint32_t> constant_places_;
  std::map<Address, std::uint32_t> locals_;
  std::map<std::tuple<CoreKind, int, int, int>, int> join_places_;
};

Machine::Machine(const LaunchProgram& program, const GmWords& gm, const Freedom& freedom,
                 std::span<const Residue> before)
    : freedom_(freedom) {
  MachineBuilder(*this, program, gm, before).build();
}

}  // namespace skcts::explorer
