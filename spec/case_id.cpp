#include "spec/case_id.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "spec/case_text.h"

namespace skcts {
namespace {

void drop_notes(std::vector<Instruction>& program) {
  for (Instruction& instruction : program) {
    instruction.note.clear();
    instruction.field_notes.clear();
    drop_notes(instruction.body);
  }
}

}  // namespace

std::string case_id(const Case& value) {
  Case bare;
  bare.profile = value.profile;
  bare.path = value.path;
  bare.latitudes = value.latitudes;
  bare.mix = value.mix;
  bare.plan = effective_plan(value.mix, value.plan);
  bare.mix.note.clear();
  for (Region& region : bare.mix.regions) {
    region.note.clear();
    region.init.note.clear();
  }
  for (SubKernel& kernel : bare.mix.sub_kernels) {
    kernel.note.clear();
    for (Tensor& tensor : kernel.tensors) tensor.note.clear();
    drop_notes(kernel.aic);
    drop_notes(kernel.aiv);
  }
  for (PlanStep& step : bare.plan.steps) step.note.clear();
  return fmt::format("{:016x}", text_hash(write_case(bare)));
}

std::uint64_t text_hash(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace skcts
