// What the composers share: cores of a launch, questions about sub kernels, refusals.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference_model/explorer/builder.h"
#include "reference_model/explorer/program.h"
#include "spec/options.h"

namespace skcts::explorer {

bool contains_op(const std::vector<Instruction>& program, Op op);
bool contains_op(const SubKernel& kernel, Op op);
bool listed(const std::vector<std::string>& list, const SubKernel& kernel);
/// Every instruction once, as written.
void any_instruction(const std::vector<Instruction>& program, const auto& visit) {
  for (const Instruction& in : program) {
    visit(in);
    any_instruction(in.body, visit);
  }
}

/// A core of a launch.
struct LaunchCore {
  CoreId id;
  int block = 0;
  int sub = 0;
};
std::vector<LaunchCore> cores_of(KernelType type, int blocks, int ratio);
/// AIV cores of a block.
int ratio_of(KernelType type);

void refuse(LaunchProgram& launch, std::optional<RuleId> rule, std::string reason);
/// Ids and calls that a machine may refuse: L-3, L-6, L-11, L-13.
void refuse_calls(LaunchProgram& launch, const Settings& settings, const SubKernel& kernel);
/// Neighbours of different streams, which no event joins, need stream-fusion=1 (FUSE-3).
void refuse_streams(LaunchProgram& launch, const Settings& settings, const skcts::Options& options,
                    std::span<const std::int32_t> sub_kernels);
/// Type and blocks of the SuperKernel by CORE-1, CORE-6, CORE-7 and CORE-8.
void shape(LaunchProgram& launch, const Settings& settings, const skcts::Options& options,
           std::span<const std::int32_t> sub_kernels);

}  // namespace skcts::explorer
