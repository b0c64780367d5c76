// The smallest cases whose end is known.
#include "harness/skcts/probe.h"

#include <string>

#include "reference_model/model.h"
#include "spec/profile.h"
#include "suites/mixes.h"

namespace skcts::program {
namespace {

Case empty_case(const TargetDescription& target) {
  Case value;
  value.profile = target.profile.empty() ? std::string(default_profile().name) : target.profile;
  if (!target.paths.empty()) value.path = target.paths.front();
  return value;
}

Instruction flag(Op op) {
  return suites::instruction(op, [](Instruction& i) { i.event = {Pipe::mte2, Pipe::mte3}; });
}

}  // namespace

std::optional<wire::ProbeCase> probe_for(const TargetDescription& target) {
  constexpr std::int32_t words = 16;
  Case value = empty_case(target);
  if (find_profile(value.profile) == nullptr) return std::nullopt;  // it says what nobody knows
  value.name = "probe";
  value.mix.regions = {{.name = "A", .words = words, .init = {.first = 0x5eed0000u, .step = 1}},
                       {.name = "B", .words = words}};
  SubKernel k{.name = "k0", .type = KernelType::aiv_only, .blocks = 1};
  k.aiv.push_back(suites::instruction(Op::data_copy, [&](Instruction& i) {
    i.dst = {.space = Space::ub};
    i.src = {.space = Space::gm, .index = 0};
    i.count = words;
  }));
  k.aiv.push_back(flag(Op::set_flag));
  k.aiv.push_back(flag(Op::wait_flag));
  k.aiv.push_back(suites::instruction(Op::data_copy, [&](Instruction& i) {
    i.dst = {.space = Space::gm, .index = 1};
    i.src = {.space = Space::ub};
    i.count = words;
  }));
  k.aiv.push_back(
      suites::instruction(Op::pipe_barrier, [](Instruction& i) { i.pipe = Pipe::all; }));
  value.mix.sub_kernels.push_back(std::move(k));
  if (!missing_support(target, value).empty()) return std::nullopt;
  wire::ProbeCase probe;
  for (const WordAllowed& word : model::Model().allowed(value, target.latitudes).memory) {
    probe.memory.push_back(word.value);
  }
  probe.test_case = std::move(value);
  return probe;
}

Case stalling_case(const TargetDescription& target) {
  Case value = empty_case(target);
  value.name = "stall";
  value.mix.regions = {{.name = "A", .words = 16}};
  SubKernel k{.name = "k0", .type = KernelType::mix_aiv_1_0, .blocks = 1};
  k.aiv.push_back(suites::instruction(Op::cross_core_wait_flag, [](Instruction& i) { i.id = 3; }));
  value.mix.sub_kernels.push_back(std::move(k));
  return value;
}

}  // namespace skcts::program
