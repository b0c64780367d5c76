#include "reference_model/writers.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "reference_model/lower.h"
#include "spec/options.h"
#include "spec/program.h"

namespace skcts::model {
namespace {

std::string describe(const Mix& mix, const LaunchShape& shape, const Thread& thread,
                     const Step& step) {
  const auto place =
      static_cast<std::size_t>(shape.sub_kernels[static_cast<std::size_t>(step.sub_kernel)]);
  const SubKernel& sub = mix.sub_kernels[place];
  // The service of a Matmul works for an AIV.
  const Instruction* in = instruction_at(sub.program(thread.core.kind), step.instruction);
  return fmt::format("{} {} {}", sub.name, skcts::to_string(thread.core),
                     in == nullptr ? "Matmul" : skcts::to_string(in->op));
}

void add_writers(const Mix& mix, const LaunchProgram& program, std::int64_t word,
                 std::vector<std::string>& writers) {
  for (std::size_t k = 0; k < program.shape.sub_kernels.size(); ++k) {
    for (const Thread& thread : program.threads) {
      for (const Step& step : thread.steps) {
        if (step.sub_kernel != static_cast<std::int32_t>(k) || step.instruction < 0) continue;
        for (std::int32_t w = step.writes_begin; w < step.writes_end; ++w) {
          const WordRange& range = program.ranges[static_cast<std::size_t>(w)];
          if (range.space != Space::gm || word < range.first || word >= range.first + range.count) {
            continue;
          }
          std::string text = describe(mix, program.shape, thread, step);
          if (std::ranges::find(writers, text) == writers.end()) writers.push_back(std::move(text));
        }
      }
    }
  }
}

}  // namespace

std::string writers_of(const Case& test_case, std::int64_t word) {
  const Profile* profile = find_profile(test_case.profile);
  const OptionParse parsed = options_of(test_case);
  if (profile == nullptr || !parsed.options) return {};
  const GmLayout layout = layout_of(test_case.mix);
  Lowering lowering;
  LaunchProgram program;
  std::vector<std::string> writers;
  const auto launch = [&](const ShapeOrRefusal& made) {
    if (made.refusal) return;
    lowering.run({test_case.mix, layout, *parsed.options, made.shape}, program);
    add_writers(test_case.mix, program, word, writers);
  };
  for (const PlanStep& step : written_plan(test_case).steps) {
    if (step.kind == skcts::StepKind::fused) {
      for (const auto& list : super_kernels(test_case, step.sub_kernels, *parsed.options)) {
        launch(fused_shape(test_case, list, *parsed.options, *profile));
      }
    } else if (step.kind == skcts::StepKind::alone) {
      for (const std::int32_t place : step.sub_kernels) {
        launch(alone_shape(test_case.mix, place, *profile));
      }
    }
  }
  if (writers.empty()) return ", which nobody writes";
  constexpr std::size_t named_max = 3;
  const std::size_t count = writers.size();
  if (count > named_max) {
    writers.resize(named_max);
    writers.push_back(fmt::format("{} more", count - named_max));
  }
  if (writers.size() == 1) return fmt::format(", which {} writes", writers.front());
  const std::string last = std::move(writers.back());
  writers.pop_back();
  return fmt::format(", which {} and {} write", fmt::join(writers, ", "), last);
}

}  // namespace skcts::model
