// Idle cores of a fed sub kernel: they join record by record, and stop where they see the last one.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/explorer.h"
#include "reference_model/explorer/explorer_testing.h"

namespace skcts::explorer {
namespace {

using testing::ElementsAre;

const std::string sync_both = R"({"op": "SyncAll", "aiv_only": false})";
const std::string sync_vectors = R"({"op": "SyncAll"})";

/// k0 runs on the first of two blocks; the second one writes Y in k1.
Case fed(const std::string& aic, const std::string& aiv) {
  return mix(kernel("k0", "MIX_AIC_1_1", 1, aic, aiv) + "," + kernel("k1", "MIX_AIC_1_1", 2, "", R"(
    {"op": "WriteGmByPassDCache", "dst": {"gm": "Y"}, "value": 7, "where": {"block": 1}})"),
             "feed-sync-all=1");
}

std::string listed(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : ",") + each;
  return text;
}

/// All sequences of up to `most` of some instructions.
std::vector<std::string> sequences(const std::vector<std::string>& of, int most) {
  std::vector<std::vector<std::string>> all{{}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].size() == static_cast<std::size_t>(most)) continue;
    for (const std::string& next : of) {
      std::vector<std::string> longer = all[k];
      longer.push_back(next);
      all.push_back(std::move(longer));
    }
  }
  std::vector<std::string> texts;
  for (const auto& each : all) texts.push_back(listed(each));
  return texts;
}

Exploration by(Reduction reduction, const Case& value, std::vector<LatitudePin> pins = {}) {
  Options options;
  options.reduction = reduction;
  options.pins = std::move(pins);
  return explore(value, options);
}

/// The cube calls once, the vector core twice: its second wait takes what the boundary raises. The
/// idle core has not taken its own when the end is there, and goes on with it.
TEST(Feed, StopsAtTheEndThatIsThereBeforeItHasJoined) {
  const Case value = fed(sync_both, listed({sync_both, sync_both}));
  const auto went_on = [&](const Outcome& outcome) {
    return outcome.status == OutcomeStatus::stalled && outcome.waiting.size() == 1 &&
           outcome.waiting[0].core == CoreId{CoreKind::aiv, 0} &&
           outcome.waiting[0].instruction < 0 && word(value, outcome, 2) == 7;
  };
  const auto joined = [&](const Outcome& outcome) {
    return outcome.status == OutcomeStatus::stalled && outcome.waiting.size() > 1 &&
           word(value, outcome, 2) == 0;
  };
  const std::vector<Outcome> outcomes = all(value).outcomes;
  EXPECT_THAT(outcomes, testing::Contains(testing::Truly(went_on)));
  EXPECT_THAT(outcomes, testing::Contains(testing::Truly(joined)));
}

/// The first call is served by a raise of the cube. The idle core joins for it as the second record
/// asks, if it sees that one; else it waits for a cube that does not call.
TEST(Feed, JoinsAsTheRecordAsksThatItSees) {
  const Case value = fed(raise(13, "FIX"), listed({sync_both, sync_vectors}));
  const auto through = [&](const Outcome& outcome) {
    return outcome.status == OutcomeStatus::completed && word(value, outcome, 2) == 7;
  };
  const auto joined = [](const Outcome& outcome) {
    return outcome.status == OutcomeStatus::stalled &&
           std::ranges::any_of(outcome.waiting, [](const Waiting& waiting) {
             return waiting.core == CoreId{CoreKind::aiv, 1} && waiting.id == 13;
           });
  };
  const std::vector<Outcome> outcomes = all(value).outcomes;
  EXPECT_THAT(outcomes, testing::Contains(testing::Truly(through)));
  EXPECT_THAT(outcomes, testing::Contains(testing::Truly(joined)));
}

TEST(Feed, HasOneOutcomeWhereTheCallsAreInStep) {
  const Case value = fed(listed({sync_both, sync_both}),
                         listed({sync_both, sync_vectors, sync_both, sync_vectors}));
  const Exploration found = all(value);
  EXPECT_THAT(statuses(found), ElementsAre(OutcomeStatus::completed));
  EXPECT_EQ(word(value, found.outcomes[0], 2), 7U);
}

/// A raise by hand takes the place of the full join: idle cores are through without it or after it,
/// and what the launch leaves in the counters differs.
TEST(Feed, TellsApartWhatIsLeftInTheCounters) {
  Case value = mix(kernel("k0", "MIX_AIC_1_2", 1, "", R"(
                     {"op": "CrossCoreSetFlag", "mode": 1, "pipe": "MTE3", "id": 14},
                     {"op": "SyncAll"})") +
                       "," + kernel("k1", "MIX_AIC_1_2", 1, "", wait(14)),
                   "feed-sync-all=1");
  value.mix.sub_kernels[0].tiling = Tiling::offload;
  value.mix.sub_kernels[0].launch_blocks = 2;
  value.mix.sub_kernels[0].launch_type = KernelType::mix_aic_1_2;
  value.plan.steps.resize(2);
  for (std::size_t k = 0; k < 2; ++k) {
    value.plan.steps[k].kind = k == 0 ? StepKind::fused : StepKind::alone;
    value.plan.steps[k].sub_kernels = {static_cast<std::int32_t>(k)};
  }
  ASSERT_TRUE(validate(value).empty()) << validate(value)[0].message;
  const auto in_k1 = [](const Outcome& outcome) {
    return outcome.status == OutcomeStatus::stalled && outcome.waiting[0].launch == 1;
  };
  const auto through = [](const Outcome& outcome) {
    return outcome.status == OutcomeStatus::completed;
  };
  const std::vector<Outcome> kept = all(value, {latitude_pin(5, "kept")}).outcomes;
  EXPECT_EQ(std::ranges::count_if(kept, through), 1);
  EXPECT_EQ(std::ranges::count_if(kept, in_k1), 1);
  const std::vector<Outcome> cleared = all(value, {latitude_pin(5, "cleared")}).outcomes;
  EXPECT_EQ(std::ranges::count_if(cleared, through), 0);
  EXPECT_EQ(std::ranges::count_if(cleared, in_k1), 1);
}

TEST(Feed, LosesNoOutcomeToTheReduction) {
  int several = 0;
  const std::string by_hand = raise(12, "MTE3");
  for (const std::string& aic : sequences({sync_both, raise(13, "FIX")}, 2)) {
    for (const std::string& aiv : sequences({sync_both, sync_vectors, by_hand}, 2)) {
      const Case value = fed(aic, aiv);
      for (const bool in_order : {false, true}) {
        std::vector<LatitudePin> pins;
        if (in_order) pins.push_back(latitude_pin(8, "program-order"));
        const Exploration plain = by(Reduction::none, value, pins);
        const Exploration reduced = by(Reduction::full, value, pins);
        ASSERT_TRUE(plain.complete && reduced.complete);
        EXPECT_TRUE(plain.outcomes == reduced.outcomes)
            << aic << " | " << aiv << ": " << reduced.outcomes.size() << " of "
            << plain.outcomes.size();
        if (plain.outcomes.size() > 1) ++several;
      }
    }
  }
  EXPECT_GT(several, 5);
}

}  // namespace
}  // namespace skcts::explorer
