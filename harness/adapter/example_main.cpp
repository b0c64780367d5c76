// An adapter whole: a machine of vector cores that copy, one core after the other.
#include <vector>

#include "harness/adapter/adapter.h"
#include "spec/mix.h"

namespace {

using namespace skcts;

/// GM and the local memory of the core that runs.
struct Machine {
  GmLayout layout;
  std::vector<std::uint32_t> gm;
  std::vector<std::uint32_t> ub;

  std::uint32_t& word(const Operand& operand, const Indices& at, std::int32_t offset) {
    const auto place = static_cast<std::size_t>(operand.at.eval(at) + offset);
    if (operand.space == Space::ub) return ub.at(place);
    return gm.at(static_cast<std::size_t>(layout.base.at(static_cast<std::size_t>(operand.index))) +
                 place);
  }
};

/// Everything happens at once and in order: flags and barriers have nothing to wait for.
RunResult run_case(const Case& test_case, const RunRequest&) {
  RunResult result;
  Machine machine;
  machine.layout = layout_of(test_case.mix);
  machine.gm = initial_memory(test_case.mix, machine.layout);
  for (const SubKernel& k : test_case.mix.sub_kernels) {
    if (k.type != KernelType::aiv_only) {
      return unanswered(RunEnd::not_supported, "only AIV_ONLY sub kernels run here");
    }
    for (std::int32_t block = 0; block < k.blocks; ++block) {
      machine.ub.assign(1 << 16, 0);
      Indices at;
      at.block = block;
      at.core = block;
      at.block_count = k.blocks;
      at.core_count = k.blocks;
      for (const Instruction& in : k.aiv) {
        for (std::int32_t i = 0; in.op == Op::data_copy && i < in.count; ++i) {
          machine.word(in.dst, at, i) = machine.word(in.src, at, i);
        }
      }
    }
  }
  result.outcome.memory = machine.gm;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const TargetDescription description{
      .name = "copying machine",
      .instructions = {"DataCopy", "SetFlag", "WaitFlag", "PipeBarrier"},
      .options = {"early-start"}};
  return adapter::adapter_main(argc, argv, description, run_case);
}
