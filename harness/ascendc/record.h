// From what cores did to a sub kernel in case text.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/ascendc/operator_program.h"
#include "harness/target/target.h"
#include "spec/operator.h"

namespace skcts::ascendc {

/// What runs of an operator alone showed.
struct AloneRuns {
  int runs = 0;
  int golden = 0;  ///< Completed, with the golden output where there is one.
  int other = 0;   ///< Completed with another output.
  int stalled = 0;
  int failed = 0;
  std::string first_words;  ///< Of the first run that is not golden.
  std::string output;       ///< What the operator printed in the first run.
};

/// Runs the operator alone on the emulator, each run with another strategy and seed.
AloneRuns run_alone(OperatorProgram& program, int runs);

/// Records one run alone as an operator: buffers with a golden output are its outputs, those that
/// start with values its inputs, the others its own; the sub kernel with the instructions of each
/// core, written once where all cores of a kind do the same at addresses that are affine in the
/// index of the core, else under `where`. An error says why there is nothing to record.
Result<Operator> record_alone(OperatorProgram& program);

/// What `work` returns, done in a process of its own: a crash, or more than `cpu_seconds` of
/// processor time, is an error and costs that process alone.
Result<std::string> in_worker(const std::function<std::string()>& work, int cpu_seconds);

}  // namespace skcts::ascendc
