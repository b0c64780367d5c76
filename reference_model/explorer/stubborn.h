// Which steps of a state are enough: stubborn sets.
//
// A set of steps is closed if each step in it that can be taken now brings along every step, of now
// or later, whose effect does not commute with it, and each that cannot be taken now brings along
// some steps one of which must come first. From a closed set that holds a step of progress which
// can be taken now, the steps that can be taken now reach every end that all steps reach: the first
// step of the set on a way to an end commutes with all that come before it, and a way to an end
// holds one, since nothing outside the set disables the step of progress and an end enables none.
#pragma once

#include <cstdint>
#include <vector>

#include "reference_model/explorer/budget.h"
#include "reference_model/explorer/machine.h"

namespace skcts::explorer {

class Stubborn {
 public:
  Stubborn(const Machine& machine, Budget& budget);

  /// Appends enough steps of a state; gives how many of all steps are progress (0: an end).
  std::size_t moves(const Word* s, std::vector<Transition>& moves);
  /// A step that is enough alone, if one is found.
  bool single(const Word* s, Transition& only);

 private:
  struct Access {
    std::size_t core = 0;
    Mask gm_reads = 0, gm_writes = 0, local_reads = 0, local_writes = 0;
  };
  struct Raises {  ///< Where a member raises for a join.
    int core = 0;
    int last_op = -1;
    std::vector<std::pair<int, int>> pipes;  ///< pipe, last place in its queue
  };

  /// Closes from one step; false: more than `most` can be taken.
  bool close(const Word* s, Transition from, std::size_t most);
  void push(Transition t);
  void add_dependents(const Word* s, Transition t);
  void add_scalar_dependents(const Word* s, std::size_t c);
  void add_enablers(const Word* s, Transition t);
  void add_scalar_enablers(const Word* s, std::size_t c);
  void add_head_enablers(const Word* s, std::size_t c, int pipe);
  void conflicts(const Word* s, const Access& access, Transition self);
  void line_conflicts(const Word* s, std::size_t c, Mask reads, Mask writes);
  void add_pipe(const Word* s, std::size_t c, std::size_t pipe);
  void add_busy(const Word* s, std::size_t c, std::size_t pipe);
  bool add_landing(const Word* s, std::size_t c);
  bool add_request(const Word* s, std::size_t c);
  void add_signal(const Word* s, std::size_t c, const Machine::Queued& entry);
  Transition first_in_flight(const Word* s, std::size_t c, std::size_t pipe) const;
  /// The next step of a piece that has started.
  Transition next_of(const Word* s, std::size_t c, std::size_t atom) const {
    const Machine::Atom& a = m_.cores_[c].atoms[atom];
    const bool fetch = a.split && a.fetched.get(s) == 0;
    return {fetch ? Move::fetch : Move::piece, static_cast<std::uint8_t>(c),
            static_cast<std::uint16_t>(atom)};
  }
  void add_setter(const Word* s, std::size_t c, int event);
  void add_raisers(const Word* s, std::size_t c, int id);
  void add_missing(const Word* s, std::size_t join);
  /// Who can raise an event of the case.
  void add_announcers(const Word* s, int event);
  /// A step of a core of the launch without which the launch does not end.
  void add_last(const Word* s);
  void note_raises();
  bool may_change(const Word* s, std::size_t own, std::size_t place) const;
  bool used_again(const Word* s, std::size_t c, std::size_t line) const;
  std::size_t number(Transition t) const;
  /// Visits all steps of progress, those that are most likely enough alone first, until a visit
  /// says that it is enough.
  template <class Visit>
  void progress(const Word* s, const Visit& visit) const;

  const Machine& m_;
  Budget* budget_;                           ///< Looks are counted.
  std::vector<std::size_t> base_;            ///< First number of each core's steps.
  std::vector<std::vector<int>> setters_;    ///< By core and event: pipe; pipe_count: scalar.
  std::vector<std::vector<Raises>> raises_;  ///< By join and member.
  std::vector<std::array<std::vector<int>, 16>> feeds_;  ///< By core and id: joins.
  std::vector<std::vector<int>> clients_;                ///< By server core.
  std::vector<std::size_t> arrivals_;                    ///< First number of each join's arrivals.
  std::vector<std::vector<std::pair<int, int>>> announcers_;  ///< By event: core and step.
  std::size_t over_ = 0;                                      ///< Number of Move::over.
  std::vector<std::uint32_t> stamps_;
  std::uint32_t stamp_ = 0;
  std::vector<Transition> work_;
  std::vector<Transition> enabled_, best_, starts_;
};

}  // namespace skcts::explorer
