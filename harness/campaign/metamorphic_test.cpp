#include "harness/campaign/metamorphic.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "generators/tiny.h"
#include "reference_model/explorer/explorer.h"
#include "reference_model/model.h"
#include "spec/case_text.h"

namespace skcts::campaign {
namespace {

using Ends = std::set<std::pair<OutcomeStatus, std::vector<std::uint32_t>>>;

/// What all runs end with; words between the regions are left out. Nothing: too large.
std::optional<Ends> ends_of(const Related& related) {
  explorer::Options options;
  options.limits = {.max_states = 3000, .max_bytes = std::uint64_t{64} << 20};
  const explorer::Exploration found = explorer::explore(related.test_case, options);
  if (!found.complete) return std::nullopt;
  Ends ends;
  for (const Outcome& outcome : found.outcomes) {
    std::vector<std::uint32_t> memory = outcome.memory;
    if (!memory.empty()) memory = words_in_order(related, memory);
    ends.emplace(outcome.status, std::move(memory));
  }
  return ends;
}

bool all_complete(const Ends& ends) {
  return std::ranges::all_of(ends,
                             [](const auto& end) { return end.first == OutcomeStatus::completed; });
}

TEST(Metamorphic, TheVerdictStaysWhatItIs) {
  std::map<Relation, int> checked;
  model::Model model;
  for (const generators::TinyGroup group : generators::all_tiny_groups) {
    for (std::uint64_t i = 0; i < 12; ++i) {
      const Case value = generators::tiny_mix(31, i, group);
      const model::Analysis before = model.analyse(value);
      for (const Relation relation : all_relations) {
        const auto made = related(value, relation);
        if (!made) continue;
        const auto old_ends = ends_of(unchanged(value));
        const auto new_ends = ends_of(*made);
        if (!old_ends || !new_ends) continue;
        // A full-core wait without all its members is completed by a later boundary.
        if (relation == Relation::empty_sub_kernel && !all_complete(*old_ends)) continue;
        ++checked[relation];
        EXPECT_EQ(*old_ends, *new_ends) << to_string(relation) << " " << write_case(value);
        const model::Analysis after = model.analyse(made->test_case);
        EXPECT_EQ(before.behaviour, after.behaviour)
            << to_string(relation) << " " << write_case(value);
        EXPECT_EQ(before.rule, after.rule) << to_string(relation) << " " << write_case(value);
      }
    }
  }
  for (const Relation relation : all_relations) {
    EXPECT_GE(checked[relation], 20) << to_string(relation);
  }
}

// The comparison can fail: an option that is used is not one that concerns nothing.
TEST(Metamorphic, AChangeThatMattersIsSeen) {
  const Case value = *read_case(R"({"format": 1, "profile": "tiny", "mix": {
    "options": "feed-sync-all=1", "sub_kernels": [
    {"name": "a", "type": "MIX_AIV_1_0", "blocks": 1, "aiv": [{"op": "SyncAll"}]},
    {"name": "b", "type": "MIX_AIV_1_0", "blocks": 2}]}})",
                                "test");
  Case other = value;
  other.mix.options = "";
  EXPECT_NE(*ends_of(unchanged(value)), *ends_of(unchanged(other)));
}

}  // namespace
}  // namespace skcts::campaign
