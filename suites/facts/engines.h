// What each engine says about the launch of a fact, in the same words.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/case.h"
#include "spec/rule.h"

namespace skcts::facts {

/// How the accesses of one sub kernel are refreshed.
struct Refreshes {
  bool per_access = false;
  bool before = false;
  bool after = false;
  bool operator==(const Refreshes&) const = default;
};

/// One sub kernel of a launch.
struct SubKernelView {
  std::vector<CoreId> cores;  ///< That run it, AICs first.
  bool own_set = false;       ///< Its SetNextTaskStart takes part.
  bool own_wait = false;
  bool fed = false;
  Refreshes refreshes;
  std::optional<int> block_num;  ///< What GetBlockNum returns; nothing where only a run shows it.
  bool operator==(const SubKernelView&) const = default;
};

struct LaunchView {
  std::optional<RuleId> rule;  ///< Refused by it; no rule is named for a bad option string.
  std::string reason;          ///< Refused; empty: launched.
  KernelType type = KernelType::mix_aiv_1_0;
  int blocks = 0;
  std::vector<SubKernelView> sub_kernels;

  bool refused() const { return !reason.empty(); }
};

struct Engine {
  std::string_view name;
  LaunchView (*launch)(const Case&);
};

void PrintTo(const Engine& engine, std::ostream* out);

/// The reference model and the emulator's composition.
const std::vector<Engine>& engines();

}  // namespace skcts::facts
