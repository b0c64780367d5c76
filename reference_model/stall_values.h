// Words as one order of the steps makes them: what polls look at. Kept for launches with polls
// only.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "reference_model/stall.h"

namespace skcts::model {

/// A word that may not be known.
struct MaybeWord {
  std::uint32_t value = 0;
  bool known = false;
};

/// A write to a word that some poll reads.
struct PolledWrite {
  std::int32_t step = 0;  ///< Flat number.
  std::int32_t thread = 0;
  std::int64_t word = 0;
  MaybeWord value;  ///< Written; added when atomic.
  bool atomic = false;
  bool cached = false;
};

/// Does the word fulfil the poll? A word that is not known does.
bool fulfils(const Step& poll, std::uint32_t wanted, MaybeWord word);

class StepValues {
 public:
  /// Buffers are kept. Both arguments have to outlive the use.
  void start(const LaunchProgram& program, const GmView& memory);
  void issue(std::int32_t thread, const Step& step, std::int32_t flat);
  void execute(std::int32_t thread, const Step& step, std::int32_t flat);
  bool poll_holds(std::int32_t thread, const Step& poll) const;
  /// What the poll waits for, with its register read.
  std::uint32_t wanted(std::int32_t thread, const Step& poll) const;
  /// The same for a poll that has executed, by its flat number.
  std::uint32_t poll_wanted(std::int32_t flat) const { return wanted_.at(flat); }
  const std::vector<PolledWrite>& writes() const { return writes_; }
  MaybeWord initial(std::int64_t word) const;
  MaybeWord word(std::int64_t at) const { return gm_[static_cast<std::size_t>(at)]; }

 private:
  MaybeWord read(std::int32_t thread, const WordRange& range, std::int32_t at);
  void write(std::int32_t thread, const Step& step, std::int32_t flat, const WordRange& range,
             std::int32_t at, MaybeWord value);
  MaybeWord operand(std::int32_t thread, const Step& step, std::int32_t flat) const;
  void data(std::int32_t thread, const Step& step, std::int32_t flat);
  /// The touched part of one local memory.
  struct Window {
    std::int64_t first = INT64_MAX, last = 0;
    std::size_t base = 0;  ///< Into local_.
  };
  static constexpr std::size_t spaces = 8;
  MaybeWord& local_word(std::int32_t thread, Space space, std::int64_t word);

  const LaunchProgram* program_ = nullptr;
  GmView start_;
  std::vector<MaybeWord> gm_;
  std::vector<Window> windows_;  ///< [thread * spaces + space]
  std::vector<MaybeWord> local_;
  std::vector<std::array<MaybeWord, 8>> registers_;
  std::unordered_map<std::int32_t, MaybeWord> captured_;    ///< Registers read at issue.
  std::vector<std::int64_t> polled_;                        ///< Words, sorted.
  std::unordered_map<std::int32_t, std::uint32_t> wanted_;  ///< By flat number of a poll.
  std::vector<PolledWrite> writes_;
  std::vector<MaybeWord> buffer_;
};

}  // namespace skcts::model
