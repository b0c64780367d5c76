// What a case needs, held against what a target claims.
#include <algorithm>

#include <fmt/format.h>

#include "harness/target/target.h"
#include "spec/options.h"

namespace skcts {
namespace {

bool claims(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

/// The first instruction that is not claimed; empty: all are.
std::string_view missing_instruction(const std::vector<std::string>& claimed,
                                     const std::vector<Instruction>& program) {
  for (const Instruction& instruction : program) {
    const std::string_view name = to_string(instruction.op);
    if (!claims(claimed, name)) return name;
    const std::string_view inside = missing_instruction(claimed, instruction.body);
    if (!inside.empty()) return inside;
  }
  return {};
}

}  // namespace

std::string missing_support(const TargetDescription& target, const Case& test_case) {
  if (!target.profile.empty() && target.profile != test_case.profile) {
    return fmt::format("profile {}: the target is {}", test_case.profile, target.profile);
  }
  if (!claims(target.paths, test_case.path)) return fmt::format("path {}", test_case.path);
  if (!target.options.empty()) {
    for (const OptionItem& item : split_option_items(test_case.mix.options)) {
      if (!claims(target.options, item.key)) return fmt::format("option {}", item.key);
    }
  }
  if (target.instructions.empty()) return {};
  for (const SubKernel& k : test_case.mix.sub_kernels) {
    for (const auto* program : {&k.aic, &k.aiv}) {
      const std::string_view name = missing_instruction(target.instructions, *program);
      if (!name.empty()) return fmt::format("instruction {}", name);
    }
  }
  return {};
}

}  // namespace skcts
