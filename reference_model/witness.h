// How an outcome of racing words comes about: one order of what happens, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_model/footprint.h"
#include "reference_model/order.h"
#include "reference_model/tight_values.h"
#include "spec/mix.h"

namespace skcts::model {

/// Why an outcome is allowed, or which of its words are not.
struct Witness {
  bool allowed = false;
  /// Allowed: for each set of words that race together, in order, what happens to them: accesses,
  /// fetches, drops, write-backs. Empty where every word has one value. Of a stall: how far each
  /// core comes.
  std::vector<std::string> steps;
  std::vector<std::int64_t> words;  ///< Refused: the words that no schedule gives (together).
  std::string text;                 ///< Refused: one sentence.
};

/// Follows the launches of a plan and keeps what leads to a given memory at its end.
class WitnessNotes {
 public:
  WitnessNotes(const Mix& mix, const GmLayout& layout, const std::vector<std::uint32_t>& memory)
      : mix_(mix), layout_(layout), memory_(memory) {}

  /// After the values of a launch were found. What a later launch touches is forgotten.
  void launch(std::int32_t number, const LaunchProgram& program, const Order& order,
              const StallResult& stall, const Footprint& footprint, const TightValues& tight);
  std::vector<std::string> sentences() const;
  /// How far the cores of the launch that stalls come; empty when none does.
  const std::vector<std::string>& stops() const { return stops_; }

 private:
  struct Note {
    std::vector<std::int64_t> words;
    std::vector<std::string> lines;
  };
  struct Launch {
    const LaunchProgram& program;
    const Order& order;
    const StallResult& stall;
    const Footprint& footprint;
  };
  void part(std::int32_t number, const Launch& launch, const SearchedPart& searched,
            const SearchFreedom& freedom);
  std::string who(const Launch& launch, std::int32_t flat) const;
  std::string what(const Launch& launch, std::int32_t flat) const;
  std::string owner(const Launch& launch, std::int32_t flat) const;
  std::string operation(const Launch& launch, std::int32_t flat) const;
  static const Step& step_at(const Launch& launch, std::int32_t flat);
  std::string core(const Launch& launch, std::int32_t thread) const;
  std::string place(const Launch& launch, std::int32_t address) const;

  const Mix& mix_;
  const GmLayout& layout_;
  const std::vector<std::uint32_t>& memory_;
  void stop(std::int32_t number, const Launch& launch);

  std::vector<Note> notes_;
  std::vector<std::string> stops_;

  friend class WitnessWriter;
};

}  // namespace skcts::model
