// Conflicts in the words of the contract: the rule each is charged to, the two accesses, the edge
// that is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_model/hazards.h"
#include "reference_model/model.h"
#include "spec/mix.h"

namespace skcts::model {

/// Looks at one launch; holds references to what it was made from.
class RaceJudge {
 public:
  RaceJudge(const Mix& mix, const LaunchProgram& program, const StallResult& stall,
            const Order& order, const HazardAnalysis& analysis)
      : mix_(mix), program_(program), stall_(stall), order_(order), analysis_(analysis) {}

  /// The rule that a conflict is charged to (rules.md, "Which rule a fault is charged to").
  RuleId rule(const Conflict& conflict) const;
  /// Everything in words. `launch` is the number of the launch in the plan.
  Race describe(const Conflict& conflict, const GmLayout& layout, std::int32_t launch) const;
  /// A read of local memory that its sub kernel never wrote (PIPE-7); both sides are the read.
  Race describe_undefined(const Poison& read, const GmLayout& layout, std::int32_t launch) const;

 private:
  /// Where a step stands in its thread.
  struct Place {
    std::int32_t sub_kernel = -1;  ///< In the launch.
    bool head = false;             ///< Before WaitPreTaskEnd,
    bool tail = false;             ///< or after SetNextTaskStart.
    std::int32_t tpipe = -1;       ///< Which TPipe object of the sub kernel was the last made.
  };
  Place place_of(std::int32_t flat) const;
  const Step& step_at(std::int32_t flat) const;
  CoreId core_of(std::int32_t flat) const;
  bool is_same_core(std::int32_t flat, std::int32_t other) const;
  bool is_between_launches(const Conflict& conflict) const;
  RuleId rule_between_launches(const Conflict& conflict) const;
  RuleId local_rule(const Conflict& conflict, const Place& x, const Place& y) const;
  RuleId dma_rule(const Conflict& conflict, const Place& x, const Place& y) const;
  RuleId cached_rule(const Conflict& conflict, const Place& x, const Place& y) const;
  bool is_unended_store(std::int32_t flat) const;
  bool left_dirty(std::int32_t piece, std::int32_t sub_kernel) const;
  bool shares_stored_word(const Conflict& conflict) const;
  bool beyond_ratio(const Conflict& conflict, std::int32_t sub_kernel) const;
  bool only_vector_barrier(const Conflict& conflict) const;
  Access access(std::int32_t flat, std::int32_t address, bool write, const GmLayout& layout,
                std::int32_t launch) const;
  std::string missing_edge(const Conflict& conflict, RuleId rule) const;

  const Mix& mix_;
  const LaunchProgram& program_;
  const StallResult& stall_;
  const Order& order_;
  const HazardAnalysis& analysis_;
};

}  // namespace skcts::model
