// Every litmus mix has exactly the outcomes that its line of the table argues for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_model/explorer/litmus_check.h"

namespace skcts::explorer {
namespace {

TEST(Litmus, HasTheOutcomesOfTheTable) {
  ASSERT_GE(litmus_table().size(), 60u);
  std::uint64_t states = 0;
  for (const Litmus& litmus : litmus_table()) {
    EXPECT_THAT(litmus_differences(litmus, states), testing::IsEmpty()) << litmus.name;
  }
  EXPECT_GT(states, 0u);
}

TEST(Litmus, TellsWhatIsNotAsTheTableSays) {
  const std::vector<Litmus>& table = litmus_table();
  const auto with_pins = std::find_if(table.begin(), table.end(), [](const Litmus& one) {
    return !one.pinned.empty() && !one.words.empty();
  });
  ASSERT_NE(with_pins, table.end());
  Litmus wrong = *with_pins;
  ++wrong.outcomes;
  wrong.statuses = {OutcomeStatus::refused};
  wrong.words.front().values.push_back(4'000'000'000u);
  ++wrong.pinned.front().outcomes;
  std::uint64_t states = 0;
  EXPECT_EQ(litmus_differences(wrong, states).size(), 4u);
}

}  // namespace
}  // namespace skcts::explorer
