// Fibres: pause and go on, end, throw, be given up; stacks come back.
#include "harness/ascendc/fibre.h"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace skcts::ascendc {
namespace {

TEST(Fibre, GoesOnWhereItPaused) {
  StackPool pool;
  Fibre a;
  Fibre b;
  std::vector<int> seen;
  const auto body = [&](Fibre& own, int first) {
    for (int i = 0; i < 3; ++i) {
      seen.push_back(first + i);
      own.pause();
    }
  };
  a.start(pool, [&] { body(a, 0); });
  b.start(pool, [&] { body(b, 10); });
  for (bool on = true; on;) {
    on = a.resume();
    on = b.resume() || on;
  }
  EXPECT_EQ(seen, (std::vector<int>{0, 10, 1, 11, 2, 12}));
  EXPECT_FALSE(a.running());
  EXPECT_EQ(pool.free_count(), 2u);
}

TEST(Fibre, AnExceptionComesOutOfResume) {
  StackPool pool;
  Fibre fibre;
  fibre.start(pool, [] { throw std::runtime_error("no"); });
  EXPECT_THROW((void)fibre.resume(), std::runtime_error);
  EXPECT_FALSE(fibre.resume());
}

TEST(Fibre, GivenUpItGivesItsStackBack) {
  StackPool pool;
  {
    Fibre fibre;
    int reached = 0;
    fibre.start(pool, [&] {
      reached = 1;
      fibre.pause();
      reached = 2;
    });
    EXPECT_TRUE(fibre.resume());
    fibre.abandon();
    EXPECT_FALSE(fibre.resume());
    EXPECT_EQ(reached, 1);
    EXPECT_EQ(pool.free_count(), 1u);
    fibre.start(pool, [&] { reached = 3; });
    EXPECT_FALSE(fibre.resume());
    EXPECT_EQ(reached, 3);
  }
  EXPECT_EQ(pool.free_count(), 1u);
}

}  // namespace
}  // namespace skcts::ascendc
