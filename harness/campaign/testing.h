// Toys for tests of the campaign: a target that answers from the model's set, with planted lies,
// and a property that runs mixes on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "generators/generate.h"
#include "harness/campaign/property.h"
#include "harness/campaign/strategies.h"
#include "harness/target/target.h"
#include "reference_model/model.h"
#include "spec/case.h"
#include "spec/instruction.h"
#include "spec/outcome.h"

namespace skcts::campaign::testing_toys {

enum class Lie { none, block_num, never_the_same };

/// Is instruction `place`, counted in text order, a GetBlockNum?
inline bool is_block_num(const std::vector<Instruction>& program, int& place) {
  for (const Instruction& instruction : program) {
    if (place-- == 0) return instruction.op == Op::get_block_num;
    if (is_block_num(instruction.body, place)) return true;
    if (place < 0) return false;
  }
  return false;
}

inline bool asks_block_num(const Case& test_case, const QueryRecord& query) {
  const auto& k = test_case.mix.sub_kernels[static_cast<std::size_t>(query.sub_kernel)];
  int place = query.instruction;
  return is_block_num(k.program(query.core.kind), place);
}

/// Completes with the one memory that the model allows; what else it says depends on the lie.
class ToyTarget : public Target {
 public:
  explicit ToyTarget(Lie lie) : lie_(lie) {
    description_ = {.name = "toy", .honours_schedules = true, .exact_consequences = true};
  }
  const TargetDescription& description() const override { return description_; }
  RunResult run(const Case& test_case, const RunRequest& request) override {
    ++runs_;
    const Allowed allowed = model_.allowed(test_case);
    RunResult result;
    result.schedule = request.replay != nullptr
                          ? *request.replay
                          : Schedule{to_string(request.strategy), request.strategy.seed, {}};
    for (const WordAllowed& word : allowed.memory) result.outcome.memory.push_back(word.value);
    for (const ExpectedQuery& query : allowed.queries) {
      result.outcome.queries.push_back(query.record);
      if (lie_ == Lie::block_num && asks_block_num(test_case, query.record))
        ++result.outcome.queries.back().value;
    }
    if (lie_ == Lie::never_the_same && !result.outcome.memory.empty()) {
      result.outcome.memory.front() = 0xdead0000u + static_cast<std::uint32_t>(runs_);
    }
    return result;
  }
  [[nodiscard]] int runs() const { return runs_; }

 private:
  Lie lie_;
  int runs_ = 0;
  TargetDescription description_;
  model::Model model_;
};

/// Each mix of CORE-3 under `runs` strategies; all of them exercise it.
inline Property plain_property(int runs) {
  Property property;
  property.rule = RuleId::core_3;
  property.make = [runs](const Source& source, std::uint64_t index) -> std::optional<Experiment> {
    Experiment experiment;
    experiment.parts.push_back(
        {"fused",
         generators::generate(source.seed, index, generators::focus_for(RuleId::core_3),
                              *source.profile),
         strategies_for(source.seed, index, runs), Claim::legal});
    return experiment;
  };
  property.exercises = [](const Observation&) { return true; };
  return property;
}

}  // namespace skcts::campaign::testing_toys
