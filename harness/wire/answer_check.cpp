// Sizes and places of an outcome against its case.
#include "harness/wire/answer_check.h"

#include <fmt/format.h>

#include "spec/mix.h"

namespace skcts::wire {
namespace {

std::int64_t size_of(const std::vector<Instruction>& program) {
  std::int64_t size = 0;
  for (const Instruction& instruction : program) size += 1 + size_of(instruction.body);
  return size;
}

std::string misfit_of_waiting(const Mix& mix, const Waiting& waiting) {
  const auto kernels = static_cast<std::int32_t>(mix.sub_kernels.size());
  if (waiting.sub_kernel >= kernels) {
    return fmt::format("a core waits in sub kernel {} of {}", waiting.sub_kernel, kernels);
  }
  if (waiting.core.index < 0) return "a core with a negative number waits";
  if (waiting.sub_kernel < 0) return {};
  const auto& k = mix.sub_kernels[static_cast<std::size_t>(waiting.sub_kernel)];
  if (waiting.instruction < size_of(k.program(waiting.core.kind))) return {};
  return fmt::format("a core waits at instruction {} of sub kernel {}", waiting.instruction,
                     waiting.sub_kernel);
}

std::string misfit_of_query(const Mix& mix, const QueryRecord& query) {
  const auto kernels = static_cast<std::int32_t>(mix.sub_kernels.size());
  if (query.sub_kernel >= kernels || query.core.index < 0) {
    return fmt::format("a query of core {} in sub kernel {} of {}", to_string(query.core),
                       query.sub_kernel, kernels);
  }
  const auto& k = mix.sub_kernels[static_cast<std::size_t>(query.sub_kernel)];
  if (query.instruction < size_of(k.program(query.core.kind))) return {};
  return fmt::format("a query at instruction {} of sub kernel {}", query.instruction,
                     query.sub_kernel);
}

}  // namespace

std::string misfit_of(const Case& test_case, const RunResult& result) {
  const Mix& mix = test_case.mix;
  for (const Waiting& waiting : result.waiting) {
    if (std::string text = misfit_of_waiting(mix, waiting); !text.empty()) return text;
  }
  if (result.end != RunEnd::answered) return {};
  const Outcome& outcome = result.outcome;
  const auto words = static_cast<std::size_t>(layout_of(mix).words);
  const bool whole = outcome.memory.size() == words;
  if (!whole && (outcome.status == OutcomeStatus::completed || !outcome.memory.empty())) {
    return fmt::format("the memory has {} words, the case's GM has {}", outcome.memory.size(),
                       words);
  }
  for (const Waiting& waiting : outcome.waiting) {
    if (std::string text = misfit_of_waiting(mix, waiting); !text.empty()) return text;
  }
  for (const QueryRecord& query : outcome.queries) {
    if (std::string text = misfit_of_query(mix, query); !text.empty()) return text;
  }
  for (const LaunchCounts& launch : outcome.counts) {
    for (const InsertedCounts& inserted : launch.inserted) {
      if (static_cast<std::size_t>(inserted.sub_kernel) >= mix.sub_kernels.size()) {
        return fmt::format("counts of sub kernel {} of {}", inserted.sub_kernel,
                           mix.sub_kernels.size());
      }
    }
  }
  return {};
}

}  // namespace skcts::wire
