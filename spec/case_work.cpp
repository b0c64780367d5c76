#include "spec/case_work.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace skcts {
namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return std::min(CaseWork::most, a + b);
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  if (a <= 0 || b <= 0) return 0;
  return a > CaseWork::most / b ? CaseWork::most : a * b;
}

/// Words that the operands of an instruction name, on a core kind with that many cores.
std::int64_t words_of(const Instruction& in, std::int64_t cores) {
  const std::int64_t count = std::max(0, in.count);
  switch (in.op) {
    case Op::data_copy:
    case Op::load_data:
    case Op::fixpipe:
    case Op::adds: return 2 * count;
    case Op::duplicate: return count;
    case Op::add:
    case Op::mmad:
    case Op::matmul: return 3 * count;
    case Op::soft_sync_all: return 16 * (count > 0 ? count : cores);
    case Op::ib_set:
    case Op::ib_wait: return 16;
    case Op::compute: {
      std::int64_t words = 0;
      for (const Range& range : in.reads) words += std::max(0, range.count);
      for (const Range& range : in.writes) words += std::max(0, range.count);
      return words;
    }
    default: return 0;
  }
}

std::int64_t work_of_program(const std::vector<Instruction>& program, std::int64_t cores) {
  std::int64_t work = 0;
  for (const Instruction& in : program) {
    const auto ranges = static_cast<std::int64_t>(in.reads.size() + in.writes.size());
    std::int64_t own = work_of_instruction + ranges + words_of(in, cores) / words_per_work;
    if (in.op == Op::repeat) {
      const std::int64_t turn = std::max(work_of_instruction, work_of_program(in.body, cores));
      own = sum(own, product(in.times, turn));
    }
    work = sum(work, own);
  }
  return work;
}

/// Cores that enter a sub kernel; a fused launch may have two AIVs a block for each MIX.
std::int64_t cores_of(const SubKernel& kernel, CoreKind kind) {
  const KernelType counted = kernel.counted_type();
  if (!runs_on(kernel.type, kind) && !runs_on(counted, kind)) return 0;
  const bool mixed = is_mix_kind(kernel.type) || is_mix_kind(counted);
  const std::int64_t blocks = std::max(kernel.blocks, kernel.counted_blocks());
  return mixed && kind == CoreKind::aiv ? 2 * blocks : blocks;
}

std::int64_t work_of_kernel(const SubKernel& kernel) {
  std::int64_t work = 0;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    const std::int64_t cores = cores_of(kernel, kind);
    work = sum(work, product(cores, work_of_program(kernel.program(kind), cores)));
  }
  return work;
}

/// Most launches of a step; scope marks may cut a list at each sub kernel.
std::int64_t launch_count(const PlanStep& step) {
  switch (step.kind) {
    case StepKind::fused:
    case StepKind::host_write: return 1;
    case StepKind::alone:
    case StepKind::marked: return static_cast<std::int64_t>(step.sub_kernels.size());
    case StepKind::beside: break;
  }
  std::int64_t count = 0;
  for (const PlanStep& inner : step.beside) count += launch_count(inner);
  return count;
}

/// The steps that launch, those of a `beside` step among them.
std::vector<PlanStep> launching_steps(const Plan& plan) {
  std::vector<PlanStep> steps;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::beside) {
      steps.insert(steps.end(), step.beside.begin(), step.beside.end());
    } else if (step.kind != StepKind::host_write) {
      steps.push_back(step);
    }
  }
  return steps;
}

}  // namespace

std::int64_t CaseWork::total() const {
  return sum(sum(instructions, entries), launches);
}

CaseWork work_of(const Case& value) {
  const Mix& mix = value.mix;
  CaseWork work;
  std::vector<std::int64_t> launched(mix.sub_kernels.size(), 0);
  const std::int64_t launch = work_of_launch + layout_of(mix).words / gm_words_per_work;
  for (const PlanStep& step : launching_steps(effective_plan(mix, value.plan))) {
    std::int64_t aic = 0;
    std::int64_t aiv = 0;
    for (const std::int32_t place : step.sub_kernels) {
      const auto index = static_cast<std::size_t>(place);
      const SubKernel& kernel = mix.sub_kernels[index];
      ++launched[index];
      aic = std::max(aic, cores_of(kernel, CoreKind::aic));
      aiv = std::max(aiv, cores_of(kernel, CoreKind::aiv));
    }
    // In a fused launch every core passes every sub kernel, also those that it has no part in.
    const auto listed = static_cast<std::int64_t>(step.sub_kernels.size());
    work.entries = sum(work.entries, product(work_of_entry * (aic + aiv), listed));
    const std::int64_t launches = launch_count(step);
    work.launches = sum(work.launches, product(launches, launch));
  }
  for (std::size_t i = 0; i < launched.size(); ++i) {
    const std::int64_t times = std::max<std::int64_t>(1, launched[i]);
    work.instructions = sum(work.instructions, product(times, work_of_kernel(mix.sub_kernels[i])));
  }
  return work;
}

std::int64_t launch_count(const Plan& plan) {
  std::int64_t count = 0;
  for (const PlanStep& step : plan.steps) count += launch_count(step);
  return count;
}

std::int64_t unrolled_length(const std::vector<Instruction>& program) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  std::int64_t length = 0;
  for (const Instruction& in : program) {
    length += 1;
    if (in.op == Op::repeat) {
      // Both factors are below 2^31, so the product fits.
      const std::int64_t turn = std::max<std::int64_t>(1, unrolled_length(in.body));
      length += std::min(most, turn * std::max(0, in.times));
    }
    length = std::min(length, most);
  }
  return length;
}

std::string to_string(const CaseWork& work) {
  std::string text;
  const auto part = [&](std::int64_t steps, const char* cause) {
    if (steps > 0) text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", steps, cause);
  };
  part(work.instructions, "instructions and their words");
  part(work.entries, "cores in sub kernels");
  part(work.launches, "launches and their words of GM");
  return text;
}

}  // namespace skcts
