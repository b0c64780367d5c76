// Early start: what the cores of each kind do where a pair of kinds meets (machine §7.2).
#include <algorithm>

#include "harness/emulator/composition.h"
#include "spec/check.h"

namespace skcts::emulator {

int early_config(KernelType earlier, KernelType later) {
  const auto code = [](KernelType type) {
    if (is_aic_kind(type)) return 0;
    return is_aiv_kind(type) ? 1 : 2;
  };
  return code(earlier) * 4 + code(later);
}

namespace {

/// A defect takes one edge out of a pair: its set and its wait. Where the set is the raise of the
/// boundary itself, or of SetNextTaskStart, early_raise_missing() says so.
struct MissingEdge {
  DefectId defect;
  int config;
  std::uint8_t id;
};
constexpr MissingEdge missing_edges[] = {
    {DefectId::early_aic_aic, 0, 11},  {DefectId::early_aic_aiv, 1, 13},
    {DefectId::early_aic_mix, 2, 13},  {DefectId::early_start_aiv_aic_edge_missing, 4, 12},
    {DefectId::early_aiv_aiv, 5, 14},  {DefectId::early_aiv_mix, 6, 12},
    {DefectId::early_mix_aic, 8, 12},  {DefectId::early_mix_aiv, 9, 13},
    {DefectId::early_mix_mix, 10, 13},
};

EarlyActions all_early_actions(int config, CoreKind kind) {
  const auto wait = [](std::uint8_t id) { return EarlyAction{true, id}; };
  const auto set = [](std::uint8_t id) { return EarlyAction{false, id}; };
  const bool cube = kind == CoreKind::aic;
  switch (config) {
    case 0: return cube ? EarlyActions{{wait(11)}, 1} : EarlyActions{};
    case 1:
    case 2: return cube ? EarlyActions{{wait(11), set(13)}, 2} : EarlyActions{{wait(13)}, 1};
    case 5: return cube ? EarlyActions{} : EarlyActions{{wait(14)}, 1};
    case 4:
    case 6: return cube ? EarlyActions{{wait(12)}, 1} : EarlyActions{{wait(14), set(12)}, 2};
    case 8:
      return cube ? EarlyActions{{wait(11), wait(12)}, 2} : EarlyActions{{wait(14), set(12)}, 2};
    case 9:
      return cube ? EarlyActions{{wait(11), set(13)}, 2} : EarlyActions{{wait(14), wait(13)}, 2};
    case 10:
      return cube ? EarlyActions{{wait(11), set(13), wait(12)}, 3}
                  : EarlyActions{{wait(14), set(12), wait(13)}, 3};
    default: SKCTS_CHECK(false, "there is no early-start pair {}", config);
  }
}

}  // namespace

bool early_raise_missing(int config, DefectId defect) {
  return (defect == DefectId::early_aic_aic && config == 0) ||
         (defect == DefectId::early_aiv_aiv && config == 5);
}

EarlyActions early_actions(int config, CoreKind kind, DefectId defect) {
  EarlyActions actions = all_early_actions(config, kind);
  if (defect == DefectId::none) return actions;
  for (const MissingEdge& missing : missing_edges) {
    if (missing.defect != defect || missing.config != config) continue;
    const auto end = std::remove_if(actions.actions, actions.actions + actions.count,
                                    [&](EarlyAction action) { return action.id == missing.id; });
    actions.count = static_cast<int>(end - actions.actions);
  }
  return actions;
}

}  // namespace skcts::emulator
