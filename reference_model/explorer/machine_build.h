// Gives every word, counter and queue of a launch its place in the state.
#pragma once

#include <bit>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "reference_model/explorer/machine.h"
#include "reference_model/explorer/touches.h"

namespace skcts::explorer {

/// Registers that a step reads and writes, as bits.
std::pair<unsigned, unsigned> registers_of(const Step& step);

/// Slots of a soft SyncAll may come to differ within the launch: someone else writes to them, or
/// they belong to several numbers of cores.
bool slots_may_part(const LaunchProgram& program);

/// Builds a machine; the parts of a state follow each other: memory, each core, flags.
class MachineBuilder {
 public:
  MachineBuilder(Machine& machine, const LaunchProgram& program, const GmWords& gm,
                 std::span<const Residue> before)
      : m_(machine), program_(program), gm_(gm), before_(before) {}

  void build();

 private:
  std::uint32_t whole_word() { return static_cast<std::uint32_t>(next_++); }

  Field bits(int count);

  Field up_to(std::size_t most) { return bits(static_cast<int>(std::bit_width(most))); }

  Ref constant(Word value);

  std::string too_many() const;

  /// Which words an access means to others; 0 for a word that nobody writes.
  Mask mask_of(Address a) const;
  Mask line_mask(std::int64_t line) const;
  Ref gm_ref(std::int64_t word);
  Ref ref(Address address);
  std::uint32_t run(const std::vector<Address>& all);

  /// Local words that are both written and read get a place; others cannot be noticed.
  void place_locals(const CoreProgram& core);
  void core(std::size_t c);
  void place_events(const CoreProgram& from, Machine::Core& to);
  void services(const CoreProgram& from, Machine::Core& to);
  void place_registers(const CoreProgram& from, Machine::Core& to);
  void place_lines(const CoreProgram& from, Machine::Core& to);
  int line_place(const Machine::Core& core, std::int64_t line) const;
  Ref content(const Machine::Line& line, std::int64_t word);
  void entries(const CoreProgram& from, Machine::Core& to);
  void atoms(const Entry& entry, const Machine::Queued& queued, Machine::Core& to);

  /// A piece without the destinations that nobody reads.
  Piece keep_noticed(const Piece& piece) const;

  bool noticed(Address a) const { return is_gm(a) || locals_.contains(a); }

  int state_word(Address a);
  void ops(const CoreProgram& from, Machine::Core& to);
  void memory(const Step& step, Machine::Op& op, Machine::Core& to);
  void copies(const Step& step, Machine::Op& op);
  void slots(const Step& step, Machine::Op& op);
  void scratch(const Step& step, Machine::Op& op);

  /// L-8 program-order: raises of a core take effect in the order of issue.
  void raise_turns(Machine::Core& to);
  void stops(Machine::Core& to);
  void issue_table(Machine::Core& to);

  int join_place(CoreKind kind, int block, int mode, int id);
  /// The cores that arrive at an event of the case.
  std::vector<int> arrivals_at(int event) const;

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

  void joins();
  void counters();
  void futures(std::size_t c);
  void overlaps();
  Machine& m_;
  const LaunchProgram& program_;
  const GmWords& gm_;
  std::span<const Residue> before_;
  std::optional<Touches> touches_;
  std::size_t core_ = 0;           ///< The one that is being built.
  std::map<Address, int> rounds_;  ///< Its soft SyncAlls so far, by own slot.
  std::uint32_t least_ = 0;        ///< Of the soft SyncAll that is laid out.
  std::size_t next_ = 0;
  std::size_t open_ = 0;
  int used_ = 32;
  std::map<Word, std::uint32_t> constant_places_;
  std::map<Address, std::uint32_t> locals_;
  std::map<std::tuple<CoreKind, int, int, int>, int> join_places_;
};

}  // namespace skcts::explorer
