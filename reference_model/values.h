// What GM may hold after a launch, word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "reference_model/gm_state.h"
#include "reference_model/hazards.h"
#include "reference_model/racy_events.h"
#include "reference_model/tight_values.h"
#include "spec/allowed.h"

namespace skcts::model {

/// Buffers are kept between launches.
class ValueAnalysis {
 public:
  /// Larger sets are not judged.
  static constexpr std::size_t largest_set = 64;

  /// GM before the launch becomes GM after it, all executed steps done. `hazards` was made for
  /// these arguments and `analysis` made it. open() tells whether every judged word has its exact
  /// set.
  void run(const LaunchProgram& program, const StallResult& stall, const Order& order,
           const HazardAnalysis& analysis, const HazardResult& hazards, GmState& gm,
           const SearchFreedom& freedom = {});
  /// Why sets of the last run() may be too wide; none: they are exact.
  InexactReasons open() const { return tight_.open(); }
  /// What the last run() searched.
  const TightValues& tight() const { return tight_; }

  /// After a stall: only words whose writers all execute, by DMA, are judged (semantics §7).
  static void forget_unfinished(const LaunchProgram& program, const StallResult& stall,
                                GmState& gm);

 private:
  // More of Val::set, inside only.
  static constexpr std::int32_t poisoned = -3;  ///< See the closure of the word.
  static constexpr std::int32_t nothing = -4;   ///< No value found yet (first passes).

  /// A word that a poisoned access reads or writes.
  struct HotWord {
    std::int32_t address = 0;
    std::vector<std::uint32_t> closure;  ///< What it may hold at any time, as known so far.
    std::vector<std::uint32_t> plain;    ///< The same without atomic adds.
    bool anything = false;
    Val seen;                            ///< The closure as a value of this pass.
    Val base;                            ///< What it holds at the start.
    bool without_base = false;           ///< Local, and written before anybody may read it.
    std::vector<std::uint32_t> written;  ///< Collected in this pass.
    bool written_anything = false;
    std::vector<Val> adds;
  };

  bool needs_sets() const;
  void execute_exact();
  void exact_data(const Step& step, std::uint32_t operand);
  void execute_with_sets();
  void prepare_hot_words();
  void pass();
  bool settle(int turn);
  void step_with_sets(std::int32_t thread, std::int32_t flat, const Step& step);
  bool is_plain(std::int32_t flat, const Step& step, Val operand) const;
  void data_with_sets(std::int32_t flat, const Step& step, Val operand);
  Val read(std::int32_t flat, std::int32_t address);
  void write(std::int32_t flat, std::int32_t address, Val word, bool atomic);
  bool is_poisoned(std::int32_t flat, std::int32_t address, bool write, bool& undefined) const;
  bool append(Val word, std::vector<std::uint32_t>& to) const;
  Val intern(std::vector<std::uint32_t>& words);
  template <class F>
  Val map(Val a, F&& f);
  template <class F>
  Val combine(Val a, Val b, F&& f);
  std::int32_t address(std::int32_t range) const { return footprint_->address(range); }
  std::int32_t count(std::int32_t range) const;

  const LaunchProgram* program_ = nullptr;
  const StallResult* stall_ = nullptr;
  const Order* order_ = nullptr;
  const Footprint* footprint_ = nullptr;
  const HazardResult* hazards_ = nullptr;
  GmState* gm_ = nullptr;
  std::vector<std::uint32_t> memory_;  ///< By address; without sets.
  std::uint32_t* words_ = nullptr;     ///< What exact_data works on.
  std::vector<std::uint32_t> registers_;
  std::vector<std::uint32_t> buffer_;
  // With sets only.
  TightValues tight_;
  std::vector<Val> register_sets_;
  std::vector<Val> read_buffer_;
  std::vector<std::uint32_t> start_value_;
  std::vector<std::int32_t> start_set_;
  std::size_t start_sets_ = 0;
  std::vector<HotWord> hot_;
  std::vector<std::int32_t> hot_place_;     ///< By address, or -1.
  std::vector<std::int32_t> first_poison_;  ///< By flat number, or -1.
  std::unordered_multimap<std::uint64_t, std::int32_t> interned_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace skcts::model
