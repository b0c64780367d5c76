// Numbers hold while tables grow and keys become wider; a refusal is not an insertion.
#include "reference_model/explorer/store.h"

#include <vector>

#include <gtest/gtest.h>

#include "reference_model/explorer/touches.h"

namespace skcts::explorer {
namespace {

TEST(Store, NumbersStringsInOrderOfArrival) {
  Budget budget({});
  Store<Word> store(3, budget);
  for (Word round = 0; round < 2; ++round) {
    for (Word k = 0; k < 100'000; ++k) {
      const Word s[] = {k, k / 7, 5};
      const auto [number, fresh] = store.insert(s);
      ASSERT_EQ(number, k);
      ASSERT_EQ(fresh, round == 0);
    }
  }
  EXPECT_EQ(store[77'777][1], 11'111U);
  EXPECT_TRUE(budget.within());
}

TEST(Store, TakesNoMoreThanItsBudget) {
  Budget budget({.max_bytes = 1 << 20});
  Store<Word> store(4, budget);
  Word k = 0;
  while (budget.within() && k < 1'000'000) {
    const Word s[] = {k, k, k, k};
    ++k;
    store.insert(s);
  }
  EXPECT_EQ(budget.why(), "too large: more than 1048576 bytes");
  EXPECT_LE(budget.peak(), std::uint64_t{1} << 20);
  EXPECT_GT(store.size(), 10'000U);
  // What was found is still there, and nothing else comes in.
  const std::size_t size = store.size();
  for (Word j = 0; j < size; ++j) {
    const Word s[] = {j, j, j, j};
    ASSERT_EQ(store.insert(s), (std::pair<std::uint32_t, bool>{j, false}));
  }
  const Word other[] = {1, 2, 3, 4};
  EXPECT_FALSE(store.insert(other).second);
  EXPECT_EQ(store.size(), size);
}

TEST(States, KeepTheirNumbersWhenKeysBecomeWider) {
  Budget budget({});
  States states({0, 1, 2, 4}, budget);
  std::vector<KeyWord> key;
  const auto number_of = [&](Word k) {
    const Word s[] = {k, k % 3, k / 2, 9};
    Word numbers[3];
    states.pack(s, numbers);
    if (states.narrow()) states.widen();
    key.resize(states.key_words());
    states.make_key(numbers, key.data());
    return states.whole().insert(key.data()).first;
  };
  for (Word round = 0; round < 2; ++round) {
    for (Word k = 0; k < 5000; ++k) ASSERT_EQ(number_of(k), k);
  }
  Word numbers[3], s[4];
  states.numbers(states.key(4321), numbers);
  states.unpack(numbers, s);
  EXPECT_EQ(s[0], 4321U);
  EXPECT_EQ(s[1], 1U);
  EXPECT_EQ(s[2], 2160U);
  EXPECT_EQ(states.size(), 5000U);
}

TEST(Touches, TellsPiecesOfLongInstructionsApart) {
  // Piece 4096 of the first copy reads what the second one writes, and the other way round.
  LaunchProgram program;
  program.cores.resize(1);
  Entry first, second;
  for (Address j = 0; j <= 4096; ++j)
    first.pieces.push_back({.dst = {local_address(0, j)}, .a = {j}});
  second.pieces.push_back({.dst = {4096}, .a = {local_address(0, 4096)}});
  program.cores[0].entries = {first, second};
  const Touches touches(program);
  const auto meets = [&](std::size_t entry, std::size_t piece) {
    return touches.read_and_written_by_others(0, agent_of(0, entry, piece),
                                              program.cores[0].entries[entry].pieces[piece]);
  };
  EXPECT_TRUE(meets(0, 4096));
  EXPECT_TRUE(meets(1, 0));
  EXPECT_FALSE(meets(0, 4095));
}

}  // namespace
}  // namespace skcts::explorer
