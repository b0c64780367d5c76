// Edits that may mend a fault, by the rule it is charged to. Nothing here is known to help: who
// asks has to try.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "reference_model/repair.h"
#include "spec/options.h"

namespace skcts::model {

/// The instruction at a place of a program and the list that holds it.
struct Found {
  std::vector<Instruction>* list = nullptr;
  std::size_t index = 0;
  Instruction& instruction() const { return (*list)[index]; }
};
Found find_place(std::vector<Instruction>& program, std::int32_t place);

/// Writes down the candidates for one analysis, the smallest and nearest first.
class RepairCandidates {
 public:
  RepairCandidates(const Case& test_case, const Analysis& analysis);
  std::vector<Repair> make();

 private:
  struct Listed {
    Spot spot;
    const Instruction* in = nullptr;
    int depth = 0;  ///< Repeats around it.
  };
  /// A pair of accesses, as the text has them.
  struct Pair {
    Spot first, second;
    RuleId rule = RuleId::sync_11;
    bool operator==(const Pair&) const = default;
  };

  void list_program(std::int32_t sub, CoreKind side, const std::vector<Instruction>& program,
                    std::int32_t& place, int depth);
  void add(std::int32_t cost, std::vector<Edit> edits, std::int32_t away = -1);
  std::int32_t distance(const Spot& spot) const;
  const SubKernel& sub(const Spot& spot) const;
  std::vector<Listed> program_of(std::int32_t sub_kernel, CoreKind side) const;
  std::int32_t length(std::int32_t sub_kernel, CoreKind side) const;
  bool is_hot(std::int32_t sub_kernel) const;
  bool has(Op op) const;
  std::int32_t free_flag(std::int32_t from) const;
  void change(std::int32_t cost, const Spot& spot, const Instruction& into);

  void for_rule(RuleId rule);
  // repair_candidates.cpp
  void option_edits(bool early);
  void kernel_types();
  void everywhere(std::initializer_list<Op> ops);
  void removals(std::initializer_list<Op> ops);
  void moves(std::initializer_list<Op> ops);
  void sync_all_kinds();
  void insert_sync_alls();
  void hand_made_by_sync_all();
  void widen();
  void splits();
  // repair_candidates_flags.cpp
  void insert_flag_waits();
  void insert_flag_raises();
  void insert_flag_pairs();
  void raise_pipes();
  void new_ids();
  void split_ids();
  void pace_loops();
  void soft_sync();
  void on_one_vector();
  void by_block();
  void polls();
  // repair_candidates_memory.cpp
  void pipe_barriers();
  void final_barriers();
  void event_pairs();
  void event_halves();
  void refreshes();
  void whole_lines();
  void spread(const Spot& spot, std::int16_t region, std::int32_t to, bool everywhere);
  void longer_loads();
  void task_calls();

  const Case& case_;
  const Mix& mix_;
  const Analysis& analysis_;
  Options options_;
  bool options_known_ = false;
  std::vector<Listed> all_;
  std::vector<Spot> hot_;
  std::vector<Pair> pairs_;
  std::vector<Repair> made_;
};

// What edits are made of.
inline Edit insert_at(Spot at, Instruction in) {
  return {.kind = EditKind::insert, .at = at, .instruction = std::move(in)};
}
inline Edit insert_behind(Spot at, Instruction in) {
  return {.kind = EditKind::insert_behind, .at = at, .instruction = std::move(in)};
}
inline Edit remove_at(Spot at) {
  return {.kind = EditKind::remove, .at = at};
}
inline Edit change_at(Spot at, Instruction in) {
  return {.kind = EditKind::change, .at = at, .instruction = std::move(in)};
}
inline Edit set_options(const Options& options) {
  return {.kind = EditKind::options, .options = to_option_string(options)};
}

}  // namespace skcts::model
